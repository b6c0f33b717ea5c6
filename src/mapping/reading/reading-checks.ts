/** What does not go together in the `read` part of a mapping. */
import { didYouMean } from '../../support/nearest.ts'
import { type FixedColumn, isRepeatedHeader, type ReadFrame, type RecordLayout } from './read-frame.ts'
import { keyPlace, type MapNode, type Mistakes, nodeAt } from '../source/source.ts'

type Note = (keys: readonly string[], message: string) => void

/** Notes every mistake; `node` is that of `read`. */
export function checkReading(read: ReadFrame, node: MapNode, mistakes: Mistakes): void {
  const note: Note = (keys, message) => {
    const above = nodeAt(node, keys.slice(0, -1))
    const last = keys.at(-1) ?? ''
    const isThere = above.kind === 'map' && above.entries.has(last)
    mistakes.add(isThere ? keyPlace(above, last) : above, message)
  }
  checkColumns(read, note)
  checkTop(read, note)
  if (read.format === 'fixed') checkFixed(read, note)
  if (read.records !== undefined) checkRecords(read, read.records, note)
  else if (read.typeIn !== undefined) note(['typeIn'], 'this is for files with `records`: name their types')
  const { escape, quote = '"', delimiter } = read
  if (escape !== undefined && (escape === quote || escape === delimiter)) {
    note(['escape'], 'the escape must be a character other than the quote and the delimiter')
  }
}

function checkColumns({ format, columns, records }: ReadFrame, note: Note): void {
  const lists: (readonly [readonly string[], typeof columns])[] = [
    [['columns'], columns],
    ...Object.entries(records ?? {}).map(
      ([type, record]) => [['records', type, 'columns'], record.columns] as const,
    ),
  ]
  for (const [keys, list = []] of lists) {
    const isPlaced = (column: string | FixedColumn) => typeof column !== 'string'
    if (format === 'csv' && list.some(isPlaced)) {
      note(keys, '`start` and `length` are for `format: fixed`; here name the columns in order')
    }
    if (format === 'fixed' && !list.every(isPlaced)) {
      note(keys, 'in a file of fixed width every column is written as { name: …, start: …, length: … }')
    }
  }
  if (columns !== undefined && records !== undefined) {
    note(['records'], '`columns` and `records` exclude each other')
  }
}

/** What speaks of a header line, in files that have none. */
function checkTop(read: ReadFrame, note: Note): void {
  const { format, columns, records, typeIn, skip } = read
  checkRepeatedHeader(read, note)
  const hasHeader = columns === undefined && (records === undefined || typeof typeIn === 'string')
  if (format === 'fixed' || hasHeader) {
    for (const key of ['extra', 'missing'] as const) {
      if (hasHeader && records !== undefined && read[key] === 'refuse')
        note([key], 'this is for plain tables: rows of several types use different columns')
    }
    return
  }
  const why = 'this is for files with a header line, and this mapping names the columns itself'
  for (const key of ['header', 'repeated', 'extra', 'missing'] as const)
    if (read[key] !== undefined) note([key], why)
  if (skip === 'header') note(['skip'], why)
}

/** Types without `columns` have heading rows, which may come again too. */
function checkRepeatedHeader({ format, columns, records, ignore = [] }: ReadFrame, note: Note): void {
  const hasHeadings =
    records === undefined
      ? columns === undefined
      : Object.values(records).some(({ as, columns: names }) => as !== 'ignore' && names === undefined)
  if (format === 'csv' && hasHeadings) return
  for (const [index, rule] of ignore.entries()) {
    if (isRepeatedHeader(rule)) {
      note(['ignore', String(index), 'header'], 'this is for files with a header line, and these have none')
    }
  }
}

function checkFixed(read: ReadFrame, note: Note): void {
  const { columns, records, typeIn, skip } = read
  for (const key of [
    'delimiter',
    'quote',
    'escape',
    'header',
    'repeated',
    'extra',
    'missing',
    'rows',
  ] as const) {
    if (read[key] !== undefined) note([key], 'a file of fixed width has no use for this')
  }
  if (skip === 'header') note(['skip'], 'a file of fixed width has no header: write how many lines to skip')
  if (columns === undefined && records === undefined) {
    note(['format'], 'a file of fixed width needs `columns`, or `records`, with the place of every column')
  }
  if (typeIn !== undefined && typeof typeIn !== 'object') {
    note(['typeIn'], 'in a file of fixed width write where the type stands: { start: 1, length: 2 }')
  }
}

function checkRecords(
  { format, typeIn }: ReadFrame,
  records: Readonly<Record<string, RecordLayout>>,
  note: Note,
): void {
  const types = Object.entries(records)
  if (format === 'csv' && typeof typeIn === 'object') {
    note(
      ['typeIn'],
      '`start` and `length` are for `format: fixed`; here write the number of a cell or a column name',
    )
  }
  for (const as of ['header', 'detail'] as const) {
    if (types.some(([, record]) => record.as === as)) continue
    note(['records'], `name at least one record type \`as: ${as}\``)
  }
  const [, secondTotals] = types.filter(([, record]) => record.as === 'totals')
  if (secondTotals !== undefined) note(['records', secondTotals[0]], 'there is one type `as: totals` already')
  for (const [type, record] of types) {
    const { as, of, columns } = record
    const keys = ['records', type]
    if ((as === undefined) === (of === undefined)) {
      note(
        keys,
        'say either what its rows are, `as: header`, `detail`, `ignore` or `totals`, or `of` which type they are a part',
      )
    }
    if (of !== undefined) checkPart(type, of, records, note)
    if (typeof typeIn === 'string' && columns !== undefined) {
      note([...keys, 'columns'], 'the header line names the columns of all types')
    }
    if (format === 'fixed' && columns === undefined && as !== 'ignore') {
      note(keys, 'columns is missing: a file of fixed width does not name them')
    }
  }
}

function checkPart(
  type: string,
  of: string,
  records: Readonly<Record<string, RecordLayout>>,
  note: Note,
): void {
  const keys = ['records', type, 'of']
  const owner = records[of]
  if (owner === undefined) {
    note(keys, `there is no record type "${of}".${didYouMean(of, Object.keys(records))}`)
  } else if (owner.as !== 'header' && owner.as !== 'detail') {
    note(keys, 'rows are a part of a type that is `as: header` or `as: detail`')
  } else {
    const names = new Set((owner.columns ?? []).map(nameOf))
    const twice = (records[type]?.columns ?? []).map(nameOf).filter((name) => names.has(name))
    for (const name of twice) {
      note(['records', type, 'columns'], `the type ${of} has a column "${name}" already: its rows become one`)
    }
  }
}

function nameOf(column: string | FixedColumn): string {
  return typeof column === 'string' ? column : column.name
}
