/** Recognizes rows that name their type: which types open a record, and which are its lines. */
import { isDataCell } from './sample-ends.ts'

/** A column of one type of rows, with the cells of those rows. */
export interface TypedColumn {
  readonly name: string
  readonly cells: readonly string[]
  /** Whether its type holds the record or its lines. */
  readonly level: 'record' | 'line'
}

export interface RecordKind {
  readonly type: string
  /** `part`: one row right behind each header row, with more cells of the record. */
  readonly as: 'header' | 'part' | 'detail' | 'ignore'
  /** How many cells its rows have behind the type. */
  readonly width: number
}

export interface TypedRows {
  /** The column with the type, in a file with one header line for all; otherwise it is the first cell. */
  readonly typeIn?: string
  readonly kinds: readonly RecordKind[]
  /** Whether the first row of each type names its columns. */
  readonly hasHeadings: boolean
}

/** More types than this are codes of something else. */
const MAX_TYPES = 5

/** Finds types in the first cells: few, some repeated, each with its own cells. Undefined in a plain table. */
export function findTypedRows(rows: readonly (readonly string[])[]): TypedRows | undefined {
  const types = rows.map(([type = '']) => type.trim())
  const distinct = [...new Set(types)]
  const rowsOf = (type: string) => rows.filter((_, at) => types[at] === type)
  const widths = distinct.map((type) => [...new Set(rowsOf(type).map(({ length }) => length))])
  const isTyped =
    distinct.length > 1 &&
    distinct.length <= MAX_TYPES &&
    distinct.length < rows.length &&
    distinct.every((type) => /^[A-Z][A-Z0-9]{0,7}$/.test(type)) &&
    widths.every(({ length }) => length === 1) &&
    (new Set(widths.flat()).size > 1 ||
      distinct.some((a) => distinct.some((b) => areOpposed(rowsOf(a), rowsOf(b)))))
  if (!isTyped) return undefined
  const isHeading = (row: readonly string[]) => !row.some(isDataCell)
  const hasHeadings =
    distinct.every((type, at) => types[at] === type && isHeading(rows[at] ?? [])) &&
    distinct.some((type) =>
      rowsOf(type)
        .slice(1)
        .some((row) => row.some(isDataCell)),
    )
  const kinds = assignRoles(hasHeadings ? types.slice(distinct.length) : types)
  const withWidths = kinds.map((kind) => ({ ...kind, width: (rowsOf(kind.type)[0]?.length ?? 1) - 1 }))
  return kinds.some(({ as }) => as === 'detail') ? { kinds: withWidths, hasHeadings } : undefined
}

/** Whether one type has numbers where the other has words, and words where it has numbers; such as no two countries. */
function areOpposed(a: readonly (readonly string[])[], b: readonly (readonly string[])[]): boolean {
  if (a.length < 2 || b.length < 2) return false
  const isData = (rows: readonly (readonly string[])[], at: number) =>
    rows.every((row) => isDataCell(row[at] ?? ''))
  const isWord = (rows: readonly (readonly string[])[], at: number) =>
    rows.every((row) => /\p{L}/u.test(row[at] ?? '') && !isDataCell(row[at] ?? ''))
  const positions = [...(a[0] ?? []).keys()]
  return (
    positions.some((at) => isData(a, at) && isWord(b, at)) &&
    positions.some((at) => isWord(a, at) && isData(b, at))
  )
}

/** A type that stands once at the top or the end describes the file; the first other one opens a record. */
function assignRoles(types: readonly string[]): Omit<RecordKind, 'width'>[] {
  const count = (type: string) => types.filter((each) => each === type).length
  const distinct = [...new Set(types)]
  const isRepeated = distinct.some((type) => count(type) > 1)
  const isEnd = (type: string, at: number) => isRepeated && count(type) === 1 && types.at(at) === type
  const inner = distinct.filter((type) => !(distinct.length > 2 && (isEnd(type, 0) || isEnd(type, -1))))
  const [header = ''] = inner
  const headers = types.flatMap((type, at) => (type === header ? [at] : []))
  const isPart = (type: string) =>
    inner.length > 2 && count(type) === headers.length && headers.every((at) => types[at + 1] === type)
  return distinct.map((type) => {
    if (type === header) return { type, as: 'header' }
    if (!inner.includes(type)) return { type, as: 'ignore' }
    return { type, as: isPart(type) ? 'part' : 'detail' }
  })
}

/** Finds a column of types in a table: each type fills columns that the others leave blank. */
export function findTypeColumn(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): (TypedRows & { readonly columns: readonly TypedColumn[] }) | undefined {
  const at = columns.findIndex((name) => /^(?:(?:row|record|rec|line)[ _-]*)?type$/i.test(name.trim()))
  const types = rows.map((row) => row[at] ?? '')
  const distinct = [...new Set(types)]
  const typeIn = columns[at]
  if (typeIn === undefined || distinct.length < 2 || distinct.length > MAX_TYPES || distinct.includes(''))
    return undefined
  const kinds = assignRoles(types)
  const positionsOf = (as: RecordKind['as']) => {
    const own = rows.filter((_, row) => kinds.some((kind) => kind.as === as && kind.type === types[row]))
    return columns.flatMap((_, position) => (own.some((row) => row[position] !== '') ? [position] : []))
  }
  const [record, line] = [positionsOf('header'), positionsOf('detail')]
  const isOwn = (a: readonly number[], b: readonly number[]) => a.some((position) => !b.includes(position))
  if (kinds.some(({ as }) => as === 'part') || !isOwn(record, line) || !isOwn(line, record)) return undefined
  const typed = columns.map((name, position): TypedColumn => {
    const level = line.includes(position) && !record.includes(position) ? 'line' : 'record'
    const as = level === 'line' ? 'detail' : 'header'
    const own = rows.filter((_, row) => kinds.some((kind) => kind.as === as && kind.type === types[row]))
    return { name, level, cells: own.map((row) => row[position] ?? '') }
  })
  return {
    typeIn,
    kinds: kinds.map((kind) => ({ ...kind, width: columns.length })),
    hasHeadings: true,
    columns: typed,
  }
}
