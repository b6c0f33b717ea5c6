/** What a run would make of the contents of a file: translated as each step does, and nothing sent. */
import type { InboundRoute } from '../../config/routes.ts'
import type { Journal } from '../../domain/journal.ts'
import type { Problem } from '../../domain/problem.ts'
import { accountOf } from '../../domain/route.ts'
import type { Draft } from '../../domain/translator.ts'
import { createFormats } from '../../formats/formats.ts'
import type { Mapping } from '../../mapping/load.ts'
import { stepsOf } from '../mappings.ts'
import { translateFile } from '../translate.ts'
import { wholeFile } from '../whole-file.ts'
import { fateFinder, type Fates } from './fates.ts'
import { type Reason, reason } from './reasons.ts'

export interface Contents {
  readonly reasons: readonly Reason[]
  readonly notes: readonly string[]
}

interface Taking {
  readonly route: InboundRoute
  readonly mappings: ReadonlyMap<string, Mapping>
  /** Undefined while there is none. */
  readonly journal: Journal | undefined
}

export async function contentsOf(path: string, { route, mappings, journal }: Taking): Promise<Contents> {
  const notes: string[] = []
  for (const { key, operation } of stepsOf(route)) {
    const mapping = mappings.get(key)
    if (mapping?.direction !== 'inbound') continue
    const translation = await translateFile(path, createFormats(), mapping.translator)
    if ('unusable' in translation) return { reasons: [refused(translation.unusable)], notes: [] }
    const whole = wholeFile(mapping.operation, translation)
    const fates = fateFinder(journal, mapping.operation, accountOf(route.party))
    let batch: Draft[] = []
    for await (const drafts of translation.drafts) {
      for (const draft of drafts) whole.add(draft)
      batch.push(...drafts)
      if (batch.length < ASKED_AT_ONCE) continue
      await fates.add(batch)
      batch = []
    }
    await fates.add(batch)
    const { unusable } = whole.end()
    if (unusable.length > 0) return { reasons: [refused(unusable)], notes: [] }
    notes.push(told(operation, fates.count()))
    if (fates.count().known > 0) notes.push(OF_THE_KNOWN)
  }
  return { reasons: [], notes }
}

/** How many records one question to the journal is about. */
const ASKED_AT_ONCE = 500

const OF_THE_KNOWN =
  'what is known already is not sent again: with the same contents it is told as a duplicate, with others it is refused'

function refused(problems: readonly Problem[]): Reason {
  const [first] = problems
  const what = first?.message ?? ''
  const message = problems.length > 1 ? `${what.replace(/\.$/, '')}, and ${problems.length - 1} more` : what
  return reason('not-usable', `once it is taken, it is refused as a whole: ${message}`, first?.hint)
}

const WORDS: readonly (readonly [keyof Fates, string])[] = [
  ['known', 'known already'],
  ['repeated', 'there twice'],
  ['conflicting', 'refused because the file has them twice with different contents'],
  ['refused', 'refused by the mapping'],
  ['held', 'held by the mapping'],
  ['skipped', 'left out'],
]

function told(operation: string, count: Fates): string {
  const also = WORDS.filter(([fate]) => count[fate] > 0).map(([fate, words]) => `${count[fate]} ${words}`)
  return `${operation}: ${[`${count.sent} to be sent`, ...also].join(', ')}`
}
