/** How a mapping says what its files look like: what goes together in `read`, and what the format is told. */
import type { CellPlace, IgnoreRule, ReadOptions, RecordType } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { nearestHint } from '../rows/columns.ts'
import type { TotalsContext } from '../rows/control-totals.ts'
import { type Grouping, leavesOf, type ObjectPlan } from '../fields/plan.ts'
import type { FixedColumn, IgnoredLine, ReadFrame, RecordLayout } from './read-frame.ts'
import { checkReading } from './reading-checks.ts'
import type { MapNode, Mistakes } from '../source/source.ts'
import type { WatchedTranslator } from '../watched.ts'

export { ReadFrame } from './read-frame.ts'

type RecordsGrouping = Extract<Grouping, { kind: 'records' }>

/**
 * Which record type opens a record and which holds its rows; undefined for a plain table. Notes whatever in `read` does
 * not go together.
 */
export function recordsOf(read: ReadFrame, root: MapNode, mistakes: Mistakes): RecordsGrouping | undefined {
  const node = root.entries.get('read')?.node
  if (node?.kind === 'map') checkReading(read, node, mistakes)
  if (read.records === undefined) return undefined
  const [header = ''] = typesAs(read.records, 'header')
  const [detail = ''] = typesAs(read.records, 'detail')
  const [totals] = typesAs(read.records, 'totals')
  return { kind: 'records', header, detail, ...(totals === undefined ? {} : { totals }) }
}

function typesAs(
  records: Readonly<Record<string, RecordLayout>>,
  as: NonNullable<RecordLayout['as']>,
): string[] {
  return Object.entries(records).flatMap(([type, record]) => (record.as === as ? [type] : []))
}

/** The columns there are where the mapping names them; undefined where the file does. */
export function knownColumns(
  { columns, records }: Pick<ReadFrame, 'columns' | 'records'>,
  grouping: RecordsGrouping | undefined,
  perRow: boolean,
): readonly string[] | undefined {
  if (grouping === undefined || records === undefined) return columns?.map(nameOf)
  const header = columnsAs(records, 'header')
  const detail = columnsAs(records, 'detail')
  if (header === undefined || detail === undefined) return undefined
  return perRow ? [...detail, ...header] : header
}

/** Which row of the file is that of its totals, and the columns there are, as far as the mapping says. */
export function totalsContext(
  { columns, records, decimal }: ReadFrame,
  grouping: RecordsGrouping | undefined,
): Omit<TotalsContext, 'mistakes'> {
  if (grouping === undefined) {
    const known = columns?.map(nameOf)
    return { typed: false, type: undefined, columns: known, added: known, decimal }
  }
  const type = grouping.totals
  const own = type === undefined ? undefined : records?.[type]?.columns?.map(nameOf)
  return {
    typed: true,
    type,
    columns: own,
    added: knownColumns({ columns, records }, grouping, true),
    decimal,
  }
}

/** The columns of all types that are read alike, and of those that belong to them. */
function columnsAs(
  records: Readonly<Record<string, RecordLayout>>,
  as: 'header' | 'detail',
): readonly string[] | undefined {
  const types = Object.values(records).filter((record) => (record.as ?? records[record.of ?? '']?.as) === as)
  if (types.some(({ columns }) => columns === undefined)) return undefined
  return types.flatMap(({ columns = [] }) => columns.map(nameOf))
}

function nameOf(column: string | FixedColumn): string {
  return typeof column === 'string' ? column : column.name
}

/** What the format has to know; a header line must hold at least one name that the mapping uses. */
export function readOptions(read: ReadFrame, body: ObjectPlan, grouping: Grouping): ReadOptions {
  const {
    columns,
    records,
    typeIn,
    ignore,
    extra: _,
    decimal: __,
    blanks: ___,
    missing: ____,
    ...told
  } = read
  const groupNames = grouping.kind === 'keys' ? grouping.keys.flat(2) : []
  const typeColumn = typeof typeIn === 'string' ? [typeIn] : []
  const names = [...typeColumn, ...groupNames, ...leavesOf(body).flatMap((leaf) => leaf.alternatives.flat())]
  const hasHeaderLine = columns === undefined && (records === undefined || typeof typeIn === 'string')
  return {
    ...told,
    ...(ignore === undefined ? {} : { ignore: ignore.map(toRule) }),
    ...columnsTold(columns),
    ...(records === undefined || grouping.kind !== 'records'
      ? {}
      : { records: Object.entries(records).map(([type, record]) => toType(type, record, grouping)) }),
    ...(typeIn === undefined ? {} : { typeIn }),
    ...(hasHeaderLine ? { expectColumns: [...new Set(names)] } : {}),
  }
}

function toRule({ startsWith, matches = '', header }: IgnoredLine): IgnoreRule {
  if (header !== undefined) return { header }
  return startsWith === undefined ? { matches } : { startsWith }
}

function columnsTold(columns: readonly (string | FixedColumn)[] | undefined): {
  readonly columns?: readonly string[]
  readonly places?: readonly CellPlace[]
} {
  if (columns === undefined) return {}
  const names = columns.map(nameOf)
  return columns.some((column) => typeof column === 'string')
    ? { columns: names }
    : { columns: names, places: placesOf(columns) }
}

function placesOf(columns: readonly (string | FixedColumn)[]): CellPlace[] {
  let next = 1
  return columns.flatMap((column) => {
    if (typeof column === 'string') return []
    const { start = next, length } = column
    next = start + length
    return [{ start, length }]
  })
}

/** Types that are read alike share the layout of the first of them. */
function toType(type: string, record: RecordLayout, { header, detail }: RecordsGrouping): RecordType {
  const main = record.as === 'header' ? header : detail
  const isAlike = (record.as === 'header' || record.as === 'detail') && type !== main
  return {
    type,
    ...columnsTold(record.columns),
    ...(isAlike ? { like: main } : {}),
    ...(record.of === undefined ? {} : { of: record.of }),
    ...(record.as === 'ignore' ? { ignored: true } : {}),
  }
}

/** The translator, refusing files with columns that the mapping does not use, or without some it names, as it says. */
export function refusing(translator: WatchedTranslator, { extra, missing }: ReadFrame): WatchedTranslator {
  if (extra !== 'refuse' && missing !== 'refuse') return translator
  return {
    ...translator,
    bind(layouts, source, watch) {
      const bound = translator.bind(layouts, source, watch)
      if (!('keyColumns' in bound)) return bound
      const { absentColumns, unusedColumns } = bound
      const problems = [
        ...(missing === 'refuse' ? absentColumns.map((name) => absentColumn(name, unusedColumns)) : []),
        ...(extra === 'refuse' ? unusedColumns.map(unexpectedColumn) : []),
      ]
      return problems.length > 0 ? problems : bound
    },
  }
}

function absentColumn(column: string, unused: readonly string[]): Problem {
  const message = `The file has no column "${column}", which the mapping names, and the mapping refuses such files.`
  return problem('column-missing', { column }, message, nearestHint([column], unused))
}

function unexpectedColumn(column: string): Problem {
  const message = `The file has a column "${column}" that the mapping does not use, and the mapping refuses such files.`
  return problem('column-unexpected', { column }, message)
}
