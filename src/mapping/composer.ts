/** A compiled outbound mapping at work: an API record becomes the rows of a file. */
import { type Problem, problem } from '../domain/problem.ts'
import type { WriteOptions } from '../domain/format.ts'
import type { ComposedRows, Composer } from '../domain/translator.ts'
import type { CellPlan } from './cell.ts'
import { pathReader } from './paths.ts'

export interface OutboundPlan {
  readonly operation: string
  readonly write: WriteOptions
  /** The path of the list that makes a row per item; one row per record without it. */
  readonly each: string | undefined
  /** Spec: lines with part above 1 are further packages of one item and do not count. */
  readonly firstPartsOnly: boolean
  readonly cells: readonly CellPlan[]
}

type ApiRecord = Readonly<Record<string, unknown>>

export function createComposer(plan: OutboundPlan): Composer {
  const items = itemReader(plan)
  return {
    operation: plan.operation,
    write: plan.write,
    columns: plan.cells.map(({ name }) => name),
    rows: (record) => composeRows(record, items(record), plan),
  }
}

function composeRows(
  record: ApiRecord,
  items: readonly unknown[],
  { cells, each }: OutboundPlan,
): ComposedRows {
  if (items.length === 0) {
    // A record that leaves no trace in the file would be acknowledged without anybody having seen it.
    const message = `The record has nothing in ${each ?? 'it'}, so there is no row to write.`
    return {
      problems: [problem('value-missing', { field: each ?? '' }, message, 'Look at the record at the API.')],
    }
  }
  const problems: Problem[] = []
  const rows = items.map((item, index) =>
    cells.map((cell) => {
      const value = cell.read(cell.perItem ? item : record)
      if (value === undefined || value === null || value === '') return cell.fallback
      const text = cell.write(value, (code, message) => {
        const field = each === undefined ? cell.field : cell.field.replace(`${each}.`, `${each}[${index}].`)
        problems.push(problem(code, { column: cell.name, field }, message))
        return ''
      })
      return text === '' ? cell.fallback : text
    }),
  )
  return problems.length > 0 ? { problems } : { rows }
}

function itemReader({ each, firstPartsOnly }: OutboundPlan): (record: ApiRecord) => readonly unknown[] {
  if (each === undefined) return () => [undefined]
  const read = pathReader(each)
  return (record) => {
    const list = read(record)
    const items: readonly unknown[] = Array.isArray(list) ? list : []
    return firstPartsOnly ? items.filter(isFirstPart) : items
  }
}

function isFirstPart(item: unknown): boolean {
  const part = typeof item === 'object' && item !== null && 'part' in item ? item.part : undefined
  return typeof part !== 'number' || part <= 1
}
