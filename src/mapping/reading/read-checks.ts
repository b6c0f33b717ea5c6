/** Checks which keys of `read` go together. */
import { didYouMeanOneOf } from '../../support/text.ts'
import { locateKey, type MapNode, type MappingErrors, nodeAt } from '../source/source.ts'
import {
  type FixedColumn,
  getColumnName,
  isEdi,
  listColumnNames,
  NUMBER_MARK,
  type ReadFrame,
  type RecordLayout,
  type RecordLayouts,
} from './read-keys.ts'

type ReportReadError = (keys: readonly string[], message: string) => void

/** Notes every error; `node` is that of `read`. */
export function checkReading(read: ReadFrame, node: MapNode, errors: MappingErrors): void {
  const note: ReportReadError = (keys, message) => {
    const above = nodeAt(node, ...keys.slice(0, -1))
    const last = keys.at(-1) ?? ''
    const isThere = above.kind === 'map' && above.entries.has(last)
    errors.add(isThere ? locateKey(above, last) : above, message)
  }
  if (isEdi(read)) return checkDocument(read, note)
  for (const key of DOCUMENT_KEYS) {
    if (read[key] !== undefined) note([key], 'this is for `format: x12` and `format: edifact`')
  }
  checkColumns(read, note)
  checkHeaderOptions(read, note)
  if (read.format === 'fixed') checkFixed(read, note)
  else if (read.widths !== undefined) note(['widths'], 'this is for `format: fixed`')
  if (read.records !== undefined) checkRecords(read, read.records, note)
  else if (read.alternating !== undefined) note(['alternating'], 'this is for files with `records`')
  else if (read.typeIn !== undefined) note(['typeIn'], 'this is for files with `records`: name their types')
  const { escape, quote = '"', delimiter } = read
  if (escape !== undefined && (escape === quote || escape === delimiter)) {
    note(['escape'], 'the escape must be a character other than the quote and the delimiter')
  }
}

const DOCUMENT_KEYS = ['document', 'grammar', 'loops', 'usage'] as const

/** Keys that files of any format take. */
const COMMON_KEYS: readonly string[] = ['format', 'blanks', 'damaged', ...DOCUMENT_KEYS]

function checkDocument(read: ReadFrame, note: ReportReadError): void {
  for (const [key, value] of Object.entries(read)) {
    if (value !== undefined && !COMMON_KEYS.includes(key))
      note([key], `\`format: ${read.format}\` has no use for this`)
  }
}

function checkColumns({ format, columns, records }: ReadFrame, note: ReportReadError): void {
  const ofTypes = Object.entries(records ?? {}).map(([type, { columns: list }]) => {
    return { keys: ['records', type, 'columns'], list }
  })
  const isPlaced = (column: string | FixedColumn) => typeof column !== 'string'
  for (const { keys, list = [] } of [{ keys: ['columns'], list: columns }, ...ofTypes]) {
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

/** Notes options for a header line in files that have none. */
function checkHeaderOptions(read: ReadFrame, note: ReportReadError): void {
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

/** Checks `header: repeated`. Types without `columns` have heading rows, which may be repeated too. */
function checkRepeatedHeader({ format, columns, records, ignore = [] }: ReadFrame, note: ReportReadError) {
  const hasHeadings =
    records === undefined
      ? columns === undefined
      : Object.values(records).some(({ as, columns: names }) => as !== 'ignore' && names === undefined)
  if (format === 'csv' && hasHeadings) return
  for (const [index, rule] of ignore.entries()) {
    if (rule.header === undefined) continue
    note(['ignore', String(index), 'header'], 'this is for files with a header line, and these have none')
  }
}

const CSV_KEYS = ['delimiter', 'quote', 'escape', 'header', 'repeated', 'extra', 'missing'] as const

function checkFixed(read: ReadFrame, note: ReportReadError): void {
  const { columns, records, typeIn, skip } = read
  for (const key of CSV_KEYS) {
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

function checkRecords(read: ReadFrame, records: RecordLayouts, note: ReportReadError): void {
  const { format, typeIn } = read
  const types = Object.entries(records)
  if (format === 'csv' && typeof typeIn === 'object') {
    const here = 'here write the number of a cell or a column name'
    note(['typeIn'], `\`start\` and \`length\` are for \`format: fixed\`; ${here}`)
  }
  if (!types.some(([, record]) => record.as === 'header'))
    note(['records'], 'name at least one record type `as: header`')
  if (read.alternating !== undefined) checkAlternating(read, records, note)
  for (const isOfRecord of [false, true]) {
    const isSame = ({ as, of }: RecordLayout) => as === 'totals' && (of !== undefined) === isOfRecord
    const [, second] = types.filter(([, record]) => isSame(record))
    if (second !== undefined) note(['records', second[0]], 'there is one type `as: totals` already')
  }
  for (const [type, record] of types) {
    const { as, of, columns } = record
    const keys = ['records', type]
    if ((as === undefined) === (of === undefined) && as !== 'totals') {
      const kinds = '`as: header`, `detail`, `ignore` or `totals`'
      note(keys, `say either what its rows are, ${kinds}, or \`of\` which type they are a part`)
    }
    if (of !== undefined && as !== 'totals') checkPartType(type, of, records, note)
    if (of !== undefined && as === 'totals' && records[of]?.as !== 'header')
      note([...keys, 'of'], 'the totals are of a record: name its type `as: header`')
    checkTimes(record, keys, note)
    if (typeof typeIn === 'string' && columns !== undefined) {
      note([...keys, 'columns'], 'the header line names the columns of all types')
    }
    if (format === 'fixed' && columns === undefined && as !== 'ignore') {
      note(keys, 'columns is missing: a file of fixed width does not name them')
    }
  }
}

/** Checks a part that may come several times: each time its columns need names of their own. */
function checkTimes({ as, of, times, columns = [] }: RecordLayout, keys: string[], note: ReportReadError) {
  if (times === undefined) return
  if (of === undefined || as !== undefined)
    note([...keys, 'times'], '`times` is for a part: say `of` which type')
  const plain = columns.map(getColumnName).find((name) => !name.includes(NUMBER_MARK))
  const message = `"${plain}" needs ${NUMBER_MARK} where its number stands, as in "Name ${NUMBER_MARK}"`
  if (plain !== undefined) note([...keys, 'columns'], message)
}

/** Checks rows that alternate. A lost row must show, or all rows behind it would be read as the other type. */
function checkAlternating(
  { format, typeIn }: ReadFrame,
  records: RecordLayouts,
  note: ReportReadError,
): void {
  if (typeIn !== undefined) note(['typeIn'], 'where rows alternate no cell names the type')
  const kinds = Object.values(records)
  const [header, detail] = kinds
  if (kinds.length !== 2 || header?.as !== 'header' || detail?.as !== 'detail')
    return note(
      ['alternating'],
      'name two types under `records`: the first `as: header`, the second `as: detail`',
    )
  const [first = [], second = []] = kinds.map(({ columns }) => columns?.map(getColumnName))
  if (first.length === 0 || second.length === 0)
    return note(['records'], 'where rows alternate both types need `columns`')
  if (first.some((name) => second.includes(name)) || (format === 'csv' && first.length !== second.length))
    return
  note(['records'], 'a lost row would not be noticed: give both types the column that names the record')
}

function checkPartType(type: string, of: string, records: RecordLayouts, note: ReportReadError): void {
  const keys = ['records', type, 'of']
  const owner = records[of]
  if (owner === undefined) {
    note(keys, `there is no record type "${of}".${didYouMeanOneOf(of, Object.keys(records))}`)
  } else if (owner.as !== 'header' && owner.as !== 'detail') {
    note(keys, 'rows are a part of a type that is `as: header` or `as: detail`')
  } else {
    const names = new Set((owner.columns ?? []).map(getColumnName))
    const twice = listColumnNames(records[type] ?? {})
      .flat()
      .filter((name) => names.has(name))
    for (const name of twice) {
      note(['records', type, 'columns'], `the type ${of} has a column "${name}" already: its rows become one`)
    }
  }
}
