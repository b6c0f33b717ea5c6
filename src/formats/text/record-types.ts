/** Finds the record type of rows, puts rows into its layout and joins rows that are parts of another. */
import type { CellPlace, RecordType, Row } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import type { Place } from '../../domain/place.ts'

export interface RecordKind {
  readonly type: string
  readonly columns: readonly string[]
  readonly places: readonly CellPlace[]
  readonly ignored: boolean
  readonly layout: number
  /** The positions of its cells in the layout; undefined when they are the same. */
  readonly slots: readonly number[] | undefined
  readonly isPart: boolean
  /** The positions of its cells where it comes again for the same row, once for each time. */
  readonly again: readonly (readonly number[])[]
}

export type RecordKinds = ReturnType<typeof compileRecordKinds>

/** A type whose columns are known, from the mapping or from the file. */
export type NamedType = RecordType & { readonly columns: readonly string[] }

export function compileRecordKinds(records: readonly NamedType[]) {
  const own = records.filter(({ like, of, ignored }) => like === undefined && of === undefined && !ignored)
  const layouts = own.map((main) => {
    const sharing = records.filter((record) => findMainType(record, records) === main.type)
    return { recordType: main.type, columns: mergeColumns([main, ...sharing]) }
  })
  const all = records.map((record): RecordKind => {
    const main = findMainType(record, records)
    const found = layouts.findIndex(({ recordType }) => recordType === main)
    const layout = Math.max(0, found)
    const slots = mapSlots(record.columns, layouts[layout]?.columns ?? [])
    const { type, columns, places = [], ignored = false, again = [] } = record
    const names = layouts[layout]?.columns ?? []
    const slotsAgain = again.map((later) => later.map((name) => names.indexOf(name)))
    return {
      type,
      columns,
      places,
      ignored,
      layout,
      slots,
      isPart: record.of !== undefined,
      again: slotsAgain,
    }
  })
  const hasParts = all.some(({ isPart }) => isPart)
  return {
    layouts,
    all,
    hasParts,
    find: createTypeMatcher(all),
    place(row: Row, kind: RecordKind): TypedRow {
      const placed = placeInLayout(row, kind, layouts[kind.layout]?.columns.length ?? 0)
      return hasParts ? { ...placed, kind, cells: row.values } : placed
    },
  }
}

/** Creates a matcher that prefers a whole text to a prefix, and a longer prefix to a shorter one. */
export function createTypeMatcher<Type extends { readonly type: string }>(
  all: readonly Type[],
): (text: string) => Type | undefined {
  const exact = new Map(all.map((kind) => [kind.type.trim(), kind]))
  const beginnings = all
    .filter(({ type }) => type.endsWith('*'))
    .map((kind) => ({ beginning: kind.type.slice(0, -1).trimStart(), kind }))
    .toSorted((a, b) => b.beginning.length - a.beginning.length)
  return (text) => {
    const trimmed = text.trim()
    return exact.get(trimmed) ?? beginnings.find(({ beginning }) => trimmed.startsWith(beginning))?.kind
  }
}

/** Finds the type whose layout the rows share; a part has the layout of its main row. */
function findMainType({ type, like, of }: RecordType, records: readonly RecordType[]): string {
  const owner = records.find((other) => other.type === of)
  return like ?? owner?.like ?? owner?.type ?? type
}

/** Merges the columns, every name once; takes nameless columns from the first type only. */
function mergeColumns(types: readonly NamedType[]): string[] {
  const [first, ...otherTypes] = types
  const names = [...(first?.columns ?? [])]
  for (const { columns, again = [] } of otherTypes) {
    for (const name of [...columns, ...again.flat()]) if (!names.includes(name)) names.push(name)
  }
  return names
}

function mapSlots(columns: readonly string[], names: readonly string[]): readonly number[] | undefined {
  const isSame = columns.length === names.length && columns.every((name, index) => name === names[index])
  if (isSame) return undefined
  return columns.map((name, index) => (names[index] === name ? index : names.indexOf(name)))
}

/** A row with its type, so that parts can be joined to it. */
export interface TypedRow extends Row {
  readonly kind?: RecordKind
  /** Its cells before they were placed. */
  readonly cells?: readonly string[]
}

function placeInLayout(row: Row, { slots, layout }: RecordKind, width: number): Row {
  // A damaged row without cells opens no record; a sound one only marks where a record begins.
  const isUnread = row.values.length === 0 && row.problems !== undefined
  if (slots === undefined || isUnread) return row.layout === layout ? row : { ...row, layout }
  const values = Array.from({ length: width }, () => '')
  for (const [index, slot] of slots.entries()) values[slot] = row.values[index] ?? ''
  return { ...row, layout, values }
}

/** Joins the cells of parts to the row before them; only needed for types with `of`. */
export function createPartJoiner() {
  let open: { row: TypedRow; parts: Map<string, number> } | undefined
  const close = (rows: Row[]): void => {
    if (open === undefined) return
    const { kind: _, cells: __, ...row } = open.row
    rows.push(row)
    open = undefined
  }
  const add = (row: TypedRow, rows: Row[]): void => {
    const { kind } = row
    if (kind === undefined || !kind.isPart) {
      close(rows)
      open = { row, parts: new Map() }
      return
    }
    const times = open?.parts.get(kind.type) ?? 0
    const owner = open?.row.kind
    if (open === undefined || owner === undefined || owner.isPart || owner.layout !== kind.layout) {
      close(rows)
      rows.push(toMisplacedPart(row, `A row of type ${kind.type} belongs right behind the row it goes with`))
    } else if (times > kind.again.length) {
      const what = times === 1 ? 'a row' : `${times} rows`
      const why = `The row before it has ${what} of type ${kind.type} already`
      open.row = joinRows(open.row, toMisplacedPart(row, why))
    } else {
      open.parts.set(kind.type, times + 1)
      open.row = joinRows(open.row, times === 0 ? row : placeAgain(row, kind.again[times - 1] ?? []))
    }
  }
  return {
    /** Returns the rows that these rows complete. */
    push(rows: readonly TypedRow[]): Row[] {
      const complete: Row[] = []
      for (const row of rows) add(row, complete)
      return complete
    },
    end(): Row[] {
      const last: Row[] = []
      close(last)
      return last
    },
  }
}

function placeAgain(row: TypedRow, slots: readonly number[]): TypedRow {
  const values = row.values.map(() => '')
  for (const [index, slot] of slots.entries()) values[slot] = row.cells?.[index] ?? ''
  return { ...row, values }
}

/** Joins two rows; where both fill a column, the first one counts. */
function joinRows(row: TypedRow, part: Row): TypedRow {
  const values = row.values.map((value, index) => (value.trim() === '' ? (part.values[index] ?? '') : value))
  const problems: readonly Problem[] = [...(row.problems ?? []), ...(part.problems ?? [])]
  return { ...row, values, lastLine: part.lastLine, ...(problems.length === 0 ? {} : { problems }) }
}

/** Makes a row without cells, which opens no record and refuses the record around it. */
function toMisplacedPart(row: Row, why: string): Row {
  const { layout, line, lastLine } = row
  const problems = [problem('record-part-misplaced', { line }, `${why}.`)]
  return { layout, line, lastLine, values: [], problems }
}

export function unknownTypeProblem(text: string, place: Place, known: readonly RecordKind[]): Problem {
  const names = known.map(({ type }) => type).join(', ')
  const message = `The row is of record type "${text}", which the mapping does not have; it has ${names}.`
  return problem('record-type-unknown', place, message)
}
