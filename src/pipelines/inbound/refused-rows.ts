/** Rows of refused records whose order is not known: a later step's record with one of these rows is of the same order. */
import type { LineRange } from '../../domain/translator.ts'

interface RefusedRow {
  readonly first: number
  readonly last: number
  /** Of the record. */
  readonly number: number
}

/** A refused record with the number of its order. */
interface NamedRecord {
  readonly number: number
  readonly order: string
}

export type RefusedRows = ReturnType<typeof refusedRows>

/** Remembers them while a file is planned, step after step. */
export function refusedRows() {
  const ofSteps = new Map<number, { rows: RefusedRow[]; isSorted: boolean }>()
  const named: NamedRecord[] = []
  return {
    /** Notes by which number the record calls its order, where it does. */
    name(number: number, order: string | undefined): void {
      if (order !== undefined) named.push({ number, order })
    },
    named: (): readonly NamedRecord[] => named,
    add(step: number, number: number, lines: readonly LineRange[]): void {
      const own = ofSteps.get(step) ?? { rows: [], isSorted: false }
      own.rows.push(...lines.map(([first, last]) => ({ first, last, number })))
      ofSteps.set(step, own)
    },
    /** The numbers of the refused records of earlier steps that have a row in common with these. */
    meeting(step: number, lines: readonly LineRange[]): Set<number> {
      const numbers = new Set<number>()
      for (const [earlier, own] of ofSteps) {
        if (earlier >= step) continue
        // An earlier step is planned whole, so nothing comes after it was sorted.
        if (!own.isSorted) own.rows.sort((one, other) => one.first - other.first)
        own.isSorted = true
        for (const range of lines) for (const each of overlapping(own.rows, range)) numbers.add(each.number)
      }
      return numbers
    },
  }
}

/** The rows are in order and, as they are of one step, apart from each other. */
function* overlapping(rows: readonly RefusedRow[], [first, last]: LineRange): Generator<RefusedRow> {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rows[middle]?.last ?? 0) < first) low = middle + 1
    else high = middle
  }
  for (let at = low; at < rows.length; at++) {
    const row = rows[at]
    if (row === undefined || row.first > last) return
    yield row
  }
}
