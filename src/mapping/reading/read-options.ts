/** Turns `read` into the options of the format: which record types, columns and lines a file has. */
import type { CellPlace, IgnoreRule, ReadOptions, RecordType } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { suggestColumn } from '../rows/columns.ts'
import type { TotalsContext } from '../rows/control-totals.ts'
import { type Grouping, listLeaves, type ObjectPlan } from '../fields/plan.ts'
import { checkReading } from './read-checks.ts'
import {
  isEdi,
  type FixedColumn,
  getColumnName,
  type IgnoredLine,
  listColumnNames,
  type ReadFrame,
  type RecordLayout,
  type RecordLayouts,
} from './read-keys.ts'
import { createPathNames, type PathNames } from './edi-paths.ts'
import { type GrammarContext, readPartnerGrammar } from './partner-grammar.ts'
import { getEntry, type MapNode, type MappingErrors, nodeAt } from '../source/source.ts'
import type { TraceableTranslator } from '../binding/explained.ts'

export { ReadFrame } from './read-keys.ts'

type RecordsGrouping = Extract<Grouping, { kind: 'records' }>

/** Finds the record types of headers and details; undefined for a plain table. Notes keys that do not go together. */
export function compileRecordGrouping(read: ReadFrame, root: MapNode, errors: MappingErrors) {
  const node = getEntry(root, 'read')
  if (node?.kind === 'map') checkReading(read, node, errors)
  if (isEdi(read))
    return {
      kind: 'records' as const,
      header: 'record',
      detail: 'line',
      totals: undefined,
      recordTotals: undefined,
    }
  if (read.records === undefined) return undefined
  const [header = ''] = listTypes(read.records, 'header')
  const [detail] = listTypes(read.records, 'detail')
  const allTotals = listTypes(read.records, 'totals')
  const totals = allTotals.find((type) => read.records?.[type]?.of === undefined)
  const recordTotals = allTotals.find((type) => read.records?.[type]?.of !== undefined)
  return { kind: 'records' as const, header, detail, totals, recordTotals }
}

function listTypes(records: RecordLayouts, as: NonNullable<RecordLayout['as']>) {
  return Object.entries(records).flatMap(([type, record]) => (record.as === as ? [type] : []))
}

/** Lists the columns that the mapping itself defines; undefined where the file names them. */
export function listKnownColumns(
  { columns, records }: Pick<ReadFrame, 'columns' | 'records'>,
  grouping: RecordsGrouping | undefined,
  perRow: boolean,
): readonly string[] | undefined {
  if (grouping === undefined || records === undefined) return columns?.map(getColumnName)
  const header = listTypeColumns(records, 'header')
  const detail = listTypeColumns(records, 'detail')
  if (header === undefined || detail === undefined) return undefined
  return perRow ? [...detail, ...header] : header
}

/** Describes the totals row of the file, and the columns as far as the mapping defines them. */
export function createTotalsContext(
  { columns, records, decimal }: ReadFrame,
  grouping: RecordsGrouping | undefined,
  about: TotalsContext['about'],
): Omit<TotalsContext, 'errors'> {
  if (grouping === undefined) {
    const known = columns?.map(getColumnName)
    return { typed: false, type: undefined, columns: known, added: known, decimal, about }
  }
  const type = about === 'file' ? grouping.totals : grouping.recordTotals
  const own = records?.[type ?? '']?.columns?.map(getColumnName)
  const added = listKnownColumns({ columns, records }, grouping, true)
  return { typed: true, type, columns: own, added, decimal, about }
}

/** Lists the columns of all types of one kind, their parts included. */
function listTypeColumns(records: RecordLayouts, as: 'header' | 'detail') {
  const types = Object.values(records).filter((record) => (record.as ?? records[record.of ?? '']?.as) === as)
  if (types.some(({ columns }) => columns === undefined)) return undefined
  return types.flatMap((record) => listColumnNames(record).flat())
}

/**
 * Creates the checker of paths; undefined for formats whose rows have columns, and where the document or the grammar of
 * the partner is wrong.
 */
export async function compilePaths(
  read: ReadFrame,
  root: MapNode,
  context: GrammarContext,
): Promise<PathNames | undefined> {
  if (!isEdi(read)) return undefined
  const { grammar: path } = read
  const partner = path === undefined ? undefined : await readPartnerGrammar(path, root, context)
  if (path !== undefined && partner === undefined) return undefined
  const report = (keys: readonly string[], message: string) =>
    context.errors.add(nodeAt(root, 'read', ...keys), message)
  return createPathNames(read.format, { ...read, partner }, report)
}

/** Compiles the options of the format. A header line must hold at least one name that the mapping uses. */
export function toReadOptions(
  read: ReadFrame,
  body: ObjectPlan,
  grouping: Grouping,
  paths: PathNames | undefined,
): ReadOptions {
  if (isEdi(read)) return { format: read.format, edi: paths?.toOptions() }
  const { extra: _, decimal: __, grouping: ___, ...texts } = read
  const { blanks: ____, missing: _____, damaged: ______, ...options } = texts
  const { document: _document, grammar: _grammar, loops: _loops, usage: _usage, ...tableOptions } = options
  const { columns, records, typeIn, ignore, ...formatOptions } = tableOptions
  const groupNames = grouping.kind === 'keys' ? grouping.keys.flat(2) : []
  const typeColumn = typeof typeIn === 'string' ? [typeIn] : []
  const bodyNames = listLeaves(body).flatMap((leaf) => leaf.alternatives.flat())
  const names = [...typeColumn, ...groupNames, ...bodyNames]
  const hasHeaderLine = columns === undefined && (records === undefined || typeof typeIn === 'string')
  return {
    ...formatOptions,
    ...(ignore === undefined ? {} : { ignore: ignore.map(toIgnoreRule) }),
    ...toColumnOptions(columns),
    ...(records === undefined || grouping.kind !== 'records'
      ? {}
      : { records: Object.entries(records).map(([type, record]) => toRecordType(type, record, grouping)) }),
    ...(typeIn === undefined ? {} : { typeIn }),
    ...(hasHeaderLine ? { expectColumns: [...new Set(names)] } : {}),
  }
}

function toIgnoreRule({ startsWith, matches = '', header }: IgnoredLine): IgnoreRule {
  if (header !== undefined) return { header }
  return startsWith === undefined ? { matches } : { startsWith }
}

function toColumnOptions(columns: readonly (string | FixedColumn)[] | undefined) {
  if (columns === undefined) return {}
  const names = columns.map(getColumnName)
  return columns.some((column) => typeof column === 'string')
    ? { columns: names }
    : { columns: names, places: computePlaces(columns) }
}

function computePlaces(columns: readonly (string | FixedColumn)[]): CellPlace[] {
  let next = 1
  return columns.flatMap((column) => {
    if (typeof column === 'string') return []
    const { start = next, length } = column
    next = start + length
    return [{ start, length }]
  })
}

/** Types that are read alike share the layout of the first of them. */
function toRecordType(type: string, record: RecordLayout, { header, detail }: RecordsGrouping): RecordType {
  const main = record.as === 'header' ? header : detail
  const isAlike = (record.as === 'header' || record.as === 'detail') && type !== main
  const [columns, ...again] = listColumnNames(record)
  return {
    type,
    ...toColumnOptions(record.columns),
    ...(isAlike && main !== undefined ? { like: main } : {}),
    ...(record.of === undefined || record.as === 'totals' ? {} : { of: record.of }),
    ...(again.length === 0 || columns === undefined ? {} : { columns, again }),
    ...(record.as === 'ignore' ? { ignored: true } : {}),
  }
}

/** Wraps the translator to refuse files with extra or missing columns, where the mapping says so. */
export function enforceColumns(
  translator: TraceableTranslator,
  { extra, missing }: ReadFrame,
): TraceableTranslator {
  if (extra !== 'refuse' && missing !== 'refuse') return translator
  return {
    ...translator,
    bind(layouts, source, trace) {
      const bound = translator.bind(layouts, source, trace)
      if (!('keyColumns' in bound)) return bound
      const { absentColumns, unusedColumns } = bound
      const absent = missing === 'refuse' ? absentColumns : []
      const unexpected = extra === 'refuse' ? unusedColumns : []
      const problems = [
        ...absent.map((name) => absentColumnProblem(name, unusedColumns)),
        ...unexpected.map(unexpectedColumnProblem),
      ]
      return problems.length > 0 ? problems : bound
    },
  }
}

function absentColumnProblem(column: string, unused: readonly string[]): Problem {
  const message = `The file has no column "${column}", which the mapping names, and the mapping refuses such files.`
  return problem('column-missing', { column }, message, suggestColumn([column], unused))
}

function unexpectedColumnProblem(column: string): Problem {
  const message = `The file has a column "${column}" that the mapping does not use, and the mapping refuses such files.`
  return problem('column-unexpected', { column }, message)
}
