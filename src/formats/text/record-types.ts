/** Finds the record type of rows, puts rows into its layout and joins rows that are parts of another. */
import type { CellPlace, RecordType, Row } from '../../domain/format.ts'
import { type Place, type Problem, problem } from '../../domain/problem.ts'

/** A record type whose columns are known. */
export interface RecordKind {
  readonly type: string
  readonly columns: readonly string[]
  readonly places: readonly CellPlace[]
  readonly ignored: boolean
  readonly layout: number
  /** Where in the values of the layout its cells go; undefined when they are those of the layout. */
  readonly slots: readonly number[] | undefined
  readonly isPart: boolean
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
    const { type, columns, places = [], ignored = false } = record
    return { type, columns, places, ignored, layout, slots, isPart: record.of !== undefined }
  })
  const hasParts = all.some(({ isPart }) => isPart)
  return {
    layouts,
    all,
    /** Whether cells of some rows belong to the row before. */
    hasParts,
    find: createTypeMatcher(all),
    place(row: Row, kind: RecordKind): TypedRow {
      const placed = placeInLayout(row, kind, layouts[kind.layout]?.columns.length ?? 0)
      return hasParts ? { ...placed, kind } : placed
    },
  }
}

/** A text that is a type as a whole comes before one that only begins with it, the longer beginning first. */
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

/** The type whose layout the rows have; a row that belongs to one of a shared layout has that one too. */
function findMainType({ type, like, of }: RecordType, records: readonly RecordType[]): string {
  const owner = records.find((other) => other.type === of)
  return like ?? owner?.like ?? owner?.type ?? type
}

/** Every name once; a nameless column has a place of its own only in the first of them. */
function mergeColumns(types: readonly NamedType[]): string[] {
  const [first, ...others] = types
  const names = [...(first?.columns ?? [])]
  for (const { columns } of others) {
    for (const name of columns) if (!names.includes(name)) names.push(name)
  }
  return names
}

function mapSlots(columns: readonly string[], names: readonly string[]): readonly number[] | undefined {
  const isSame = columns.length === names.length && columns.every((name, index) => name === names[index])
  if (isSame) return undefined
  return columns.map((name, index) => (names[index] === name ? index : names.indexOf(name)))
}

/** A row that knows of which type it is, so that those who belong together can be joined. */
export interface TypedRow extends Row {
  readonly kind?: RecordKind
}

function placeInLayout(row: Row, { slots, layout }: RecordKind, width: number): Row {
  if (slots === undefined || row.values.length === 0) return row.layout === layout ? row : { ...row, layout }
  const values = Array.from({ length: width }, () => '')
  for (const [index, slot] of slots.entries()) values[slot] = row.values[index] ?? ''
  return { ...row, layout, values }
}

/** Adds the cells of rows that belong to the row before; only needed where a type says so. */
export function createPartJoiner() {
  let open: { row: TypedRow; parts: Set<string> } | undefined
  const close = (rows: Row[]): void => {
    if (open === undefined) return
    const { kind: _, ...row } = open.row
    rows.push(row)
    open = undefined
  }
  const add = (row: TypedRow, rows: Row[]): void => {
    const { kind } = row
    if (kind === undefined || !kind.isPart) {
      close(rows)
      open = { row, parts: new Set() }
      return
    }
    const owner = open?.row.kind
    if (open === undefined || owner === undefined || owner.isPart || owner.layout !== kind.layout) {
      close(rows)
      rows.push(toMisplacedPart(row, `A row of type ${kind.type} belongs right behind the row it goes with`))
    } else if (open.parts.has(kind.type)) {
      const why = `The row before it has a row of type ${kind.type} already`
      open.row = joinRows(open.row, toMisplacedPart(row, why))
    } else {
      open.parts.add(kind.type)
      open.row = joinRows(open.row, row)
    }
  }
  return {
    /** The rows that are complete once these have come. */
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

/** What both rows have in one column stays as the first one says it. */
function joinRows(row: TypedRow, part: Row): TypedRow {
  const values = row.values.map((value, index) => (value.trim() === '' ? (part.values[index] ?? '') : value))
  const problems: readonly Problem[] = [...(row.problems ?? []), ...(part.problems ?? [])]
  return { ...row, values, lastLine: part.lastLine, ...(problems.length === 0 ? {} : { problems }) }
}

/** A row without cells opens no record and refuses the one it stands in. */
function toMisplacedPart(row: Row, why: string): Row {
  const { layout, line, lastLine } = row
  const problems = [problem('record-part-misplaced', { line }, `${why}.`)]
  return { layout, line, lastLine, values: [], problems }
}

/** What is said of a row whose type nobody knows. */
export function unknownTypeProblem(text: string, place: Place, known: readonly RecordKind[]): Problem {
  const names = known.map(({ type }) => type).join(', ')
  const message = `The row is of record type "${text}", which the mapping does not have; it has ${names}.`
  return problem('record-type-unknown', place, message)
}
