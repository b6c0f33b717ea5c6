/** What a run would make of the contents of a file: translated as each step does, and nothing sent. */
import type { InboundRoute } from '../../config/configuration.ts'
import type { Problem } from '../../domain/problem.ts'
import type { Draft } from '../../domain/translator.ts'
import { createFormats } from '../../formats/formats.ts'
import type { Mapping } from '../../mapping/load.ts'
import { stepsOf } from '../mappings.ts'
import { translateFile } from '../translate.ts'
import { wholeFile } from '../whole-file.ts'
import { type Reason, reason } from './reasons.ts'

export interface Contents {
  readonly reasons: readonly Reason[]
  readonly notes: readonly string[]
}

export async function contentsOf(
  path: string,
  route: InboundRoute,
  mappings: ReadonlyMap<string, Mapping>,
): Promise<Contents> {
  const notes: string[] = []
  for (const { key, operation } of stepsOf(route)) {
    const mapping = mappings.get(key)
    if (mapping?.direction !== 'inbound') continue
    const translation = await translateFile(path, createFormats(), mapping.translator)
    if ('unusable' in translation) return { reasons: [refused(translation.unusable)], notes: [] }
    const whole = wholeFile(mapping.operation, translation)
    const count: Count = { good: 0, refused: 0, held: 0, skipped: 0 }
    for await (const drafts of translation.drafts) {
      for (const draft of drafts) {
        whole.add(draft)
        count[fateOf(draft)]++
      }
    }
    const { unusable } = whole.end()
    if (unusable.length > 0) return { reasons: [refused(unusable)], notes: [] }
    notes.push(told(operation, count))
  }
  return { reasons: [], notes }
}

function refused(problems: readonly Problem[]): Reason {
  const [first] = problems
  const more = problems.length > 1 ? `, and ${problems.length - 1} more` : ''
  const message = `once it is taken, it is refused as a whole: ${first?.message ?? ''}${more}`
  return reason('not-usable', message, first?.hint)
}

type Count = Record<'good' | 'refused' | 'held' | 'skipped', number>

function fateOf({ skipped, held, problems }: Draft): keyof Count {
  if (skipped !== undefined) return 'skipped'
  if (held !== undefined) return 'held'
  return problems.length > 0 ? 'refused' : 'good'
}

function told(operation: string, count: Readonly<Count>): string {
  const { good, refused: bad, held, skipped } = count
  const also = [
    ...(bad === 0 ? [] : [`${bad} refused by the mapping`]),
    ...(held === 0 ? [] : [`${held} held by the mapping`]),
    ...(skipped === 0 ? [] : [`${skipped} left out`]),
  ]
  return `${operation}: ${[`${good} records to be sent`, ...also].join(', ')}`
}
