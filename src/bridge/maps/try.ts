/** Shows a record beside its body: for each field the cells, the text after every step, and the value. */
import type { Problem } from '../../domain/problem.ts'
import type { Draft } from '../../domain/translator.ts'
import type { ExplainedField } from '../../mapping/binding/explained.ts'
import { exampleBody } from '../../mapping/example-records.ts'
import { type RecordRead, valueAt } from './records.ts'

export interface TriedField extends Omit<ExplainedField, 'value' | 'branch' | 'absent'> {
  /** What stands in the body; absent when the field is left out, or the record is refused. */
  readonly value?: unknown
  readonly problems: readonly Problem[]
}

export interface TriedRecord {
  readonly number: number
  readonly key: string
  /** The lines of its rows, each once. */
  readonly lines: readonly number[]
  /** `skipped`: the mapping leaves it out on purpose; `held`: it holds it for a person. */
  readonly outcome: 'translated' | 'refused' | 'skipped' | 'held'
  readonly fields: readonly TriedField[]
  /** Problems of the record that are of no field in particular. */
  readonly problems: readonly Problem[]
}

export function triedRecord({ draft, fields: explained }: RecordRead): TriedRecord {
  const body = draft.body === undefined ? undefined : exampleBody(draft)
  const fields = explained.map(({ field, cells, steps, note }): TriedField => {
    const value = body === undefined ? undefined : valueAt(body, field)
    const problems = draft.problems.filter(({ place }) => place.field === field)
    const told = { ...(value === undefined ? {} : { value }), ...(note === undefined ? {} : { note }) }
    return { field, cells, steps, ...told, problems }
  })
  const placed = new Set(fields.flatMap(({ problems }) => problems))
  return {
    number: draft.number,
    key: draft.keyValues.join(' '),
    lines: [...new Set(draft.lines.map(([line]) => line))],
    outcome: outcomeOf(draft),
    fields,
    problems: draft.problems.filter((each) => !placed.has(each)),
  }
}

function outcomeOf({ skipped, held, problems }: Draft): TriedRecord['outcome'] {
  if (skipped) return 'skipped'
  if (held) return 'held'
  return problems.length > 0 ? 'refused' : 'translated'
}
