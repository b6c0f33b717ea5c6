/** Record types: which one a row has, in which layout it is given, and rows whose cells belong to the row before. */
import type { Layout, Row } from '../../domain/document.ts'
import type { CellPlace, RecordType } from '../../domain/format.ts'
import { type Place, type Problem, problem } from '../../domain/problem.ts'

/** A record type whose columns are known. */
export interface Kind {
  readonly type: string
  readonly columns: readonly string[]
  readonly places: readonly CellPlace[]
  readonly ignored: boolean
  /** Which of the layouts its rows have. */
  readonly layout: number
  /** Where in the values of the layout its cells go; undefined when they are those of the layout. */
  readonly slots: readonly number[] | undefined
  /** Whether its cells belong to the row before. */
  readonly isPart: boolean
}

export interface Kinds {
  readonly layouts: readonly Layout[]
  readonly all: readonly Kind[]
  /** Whether cells of some rows belong to the row before. */
  readonly hasParts: boolean
  /** The type by the text of the cell that tells it. */
  find(text: string): Kind | undefined
  /** The row in the layout of its type. */
  place(row: Row, kind: Kind): TypedRow
}

/** A type whose columns are known, from the mapping or from the file. */
export type NamedType = RecordType & { readonly columns: readonly string[] }

export function kindsOf(records: readonly NamedType[]): Kinds {
  const own = records.filter(({ like, of, ignored }) => like === undefined && of === undefined && !ignored)
  const layouts = own.map((main) => {
    const sharing = records.filter((record) => mainOf(record, records) === main.type)
    return { recordType: main.type, columns: union([main, ...sharing]) }
  })
  const all = records.map((record): Kind => {
    const main = mainOf(record, records)
    const layout = Math.max(
      0,
      layouts.findIndex(({ recordType }) => recordType === main),
    )
    const slots = slotsOf(record.columns, layouts[layout]?.columns ?? [])
    const { type, columns, places = [], ignored = false } = record
    return { type, columns, places, ignored, layout, slots, isPart: record.of !== undefined }
  })
  const hasParts = all.some(({ isPart }) => isPart)
  return {
    layouts,
    all,
    hasParts,
    find: finder(all),
    place(row, kind) {
      const placed = inLayout(row, kind, layouts[kind.layout]?.columns.length ?? 0)
      return hasParts ? { ...placed, kind } : placed
    },
  }
}

/** A text that is a type as a whole comes before one that only begins with it, the longer beginning first. */
export function finder<Type extends { readonly type: string }>(
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
function mainOf({ type, like, of }: RecordType, records: readonly RecordType[]): string {
  const owner = records.find((other) => other.type === of)
  return like ?? owner?.like ?? owner?.type ?? type
}

/** Every name once; a nameless column has a place of its own only in the first of them. */
function union(types: readonly NamedType[]): string[] {
  const [first, ...others] = types
  const names = [...(first?.columns ?? [])]
  for (const { columns } of others) {
    for (const name of columns) if (!names.includes(name)) names.push(name)
  }
  return names
}

function slotsOf(columns: readonly string[], names: readonly string[]): readonly number[] | undefined {
  const isSame = columns.length === names.length && columns.every((name, index) => name === names[index])
  return isSame
    ? undefined
    : columns.map((name, index) => (names[index] === name ? index : names.indexOf(name)))
}

/** A row that knows of which type it is, so that those who belong together can be joined. */
export interface TypedRow extends Row {
  readonly kind?: Kind
}

function inLayout(row: Row, { slots, layout }: Kind, width: number): Row {
  if (slots === undefined || row.values.length === 0) return row.layout === layout ? row : { ...row, layout }
  const values = Array.from({ length: width }, () => '')
  for (const [index, slot] of slots.entries()) values[slot] = row.values[index] ?? ''
  return { ...row, layout, values }
}

export interface Joiner {
  /** The rows that are complete once these have come. */
  push(rows: readonly TypedRow[]): Row[]
  end(): Row[]
}

/** Adds the cells of rows that belong to the row before; only needed where a type says so. */
export function joinParts(): Joiner {
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
      rows.push(misplaced(row, `A row of type ${kind.type} belongs right behind the row it goes with`))
    } else if (open.parts.has(kind.type)) {
      open.row = joined(open.row, misplaced(row, `The row before it has a row of type ${kind.type} already`))
    } else {
      open.parts.add(kind.type)
      open.row = joined(open.row, row)
    }
  }
  return {
    push(rows) {
      const complete: Row[] = []
      for (const row of rows) add(row, complete)
      return complete
    },
    end() {
      const last: Row[] = []
      close(last)
      return last
    },
  }
}

/** What both rows have in one column stays as the first one says it. */
function joined(row: TypedRow, part: Row): TypedRow {
  const values = row.values.map((value, index) => (value.trim() === '' ? (part.values[index] ?? '') : value))
  const problems: readonly Problem[] = [...(row.problems ?? []), ...(part.problems ?? [])]
  return { ...row, values, lastLine: part.lastLine, ...(problems.length === 0 ? {} : { problems }) }
}

/** A row without cells opens no record and refuses the one it stands in. */
function misplaced(row: Row, why: string): Row {
  const { layout, line, lastLine } = row
  return {
    layout,
    line,
    lastLine,
    values: [],
    problems: [problem('record-part-misplaced', { line }, `${why}.`)],
  }
}

/** What is said of a row whose type nobody knows. */
export function unknownType(
  text: string,
  place: Place,
  known: readonly { readonly type: string }[],
): Problem {
  const names = known.map(({ type }) => type).join(', ')
  const message = `The row is of record type "${text}", which the mapping does not have; it has ${names}.`
  return problem('record-type-unknown', place, message)
}
