/** Finds the columns, fields, options and table keys of a mapping that its examples leave untried. */
import { dirname, resolve } from 'node:path'
import type { FieldRule } from '../contract/fields.ts'
import type { Format } from '../domain/format.ts'
import type { ExplainedField } from '../mapping/binding/explained.ts'
import { toExampleBody } from '../mapping/examples.ts'
import { toPlainText } from '../mapping/export/cell-format.ts'
import { createValuesReader } from '../mapping/export/paths.ts'
import type { InboundMapping, OutboundMapping } from '../mapping/load.ts'
import { KEY_SEPARATOR, normalizeKey } from '../mapping/tables.ts'
import {
  type ApiRecord,
  type ExportColumn,
  type ExportedRow,
  listExportKinds,
  matchExportedRows,
  readApiRecords,
} from './exported-rows.ts'
import {
  formatCondition,
  listMappedFields,
  type MappedField,
  type Options,
  toLongForm,
} from './mapped-fields.ts'
import { readTableKeys, trackTableKeys, type UntakenKeys } from './tables.ts'
import { readRecords, type TranslatedFile } from './translate-file.ts'
import { createRecordTrials, createTrials, getStepInput, type TableKeys, type Trial } from './trials.ts'

export interface Coverage {
  /** Columns of the examples that the mapping does not use. */
  readonly unusedColumns: readonly string[]
  /** Columns of the mapping that no example has. */
  readonly absentColumns: readonly string[]
  /** Fields of the mapping that no example fills. */
  readonly unfilledFields: readonly string[]
  /** Options and conditions that make no difference to any example, each as `field: option`. */
  readonly untakenOptions: readonly string[]
  readonly untakenKeys: readonly UntakenKeys[]
}

export async function measureCoverage(mapping: InboundMapping, path: string, format: Format) {
  const fields = listMappedFields(mapping)
  const tableKeys = await readTableKeys(mapping, path)
  const unfilled = new Set(fields.map(({ field }) => field))
  const fieldTrials = createFieldTrials(fields, tableKeys)
  const ofRecords = createRecordTrials(mapping)
  const byName = new Map(fields.map((leaf) => [leaf.field, leaf]))
  const asked = fields.flatMap(({ branches }) => branches.map(({ options }) => options['table']))
  const keys = trackTableKeys(tableKeys, asked)
  const columns = createColumnCounts()
  for (const { input } of mapping.examples) {
    const read = await readRecords(resolve(dirname(path), input), format, mapping, () => true)
    if ('problems' in read) continue
    columns.add(read)
    for await (const record of read.records) {
      ofRecords.take(record, read)
      if (record.draft.body === undefined) continue
      for (const field of listFilledPaths(toExampleBody(record.draft), '')) unfilled.delete(field)
      for (const field of record.fields) {
        const name = field.field.replace(/\[\d+\]/g, '[]')
        fieldTrials.take(name, field)
        const table = byName.get(name)?.branches[field.branch ?? 0]?.options['table']
        keys.take(table, getStepInput(field, 'table'))
      }
    }
  }
  return {
    ...columns.result(mapping.examples.length),
    unfilledFields: [...unfilled],
    untakenOptions: [...fieldTrials.untaken(), ...ofRecords.untaken()],
    untakenKeys: keys.untaken(),
  }
}

/** The paths of the values in a body, with `[]` for each item of a list. */
function listFilledPaths(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return [path, ...value.flatMap((item) => listFilledPaths(item, `${path}[]`))]
  if (typeof value !== 'object' || value === null) return [path]
  const below = Object.entries(value).flatMap(([name, item]) =>
    listFilledPaths(item, path === '' ? name : `${path}.${name}`),
  )
  return [path, ...below]
}

function createFieldTrials(leaves: readonly MappedField[], tableKeys: TableKeys) {
  const open = new Map<string, Trial[]>(leaves.map((leaf) => [leaf.field, createTrials(leaf, tableKeys)]))
  return {
    take(name: string, field: ExplainedField) {
      const left = open.get(name)?.filter(({ isTried }) => !isTried(field))
      if (left !== undefined) open.set(name, left)
    },
    untaken: () => [...open.values()].flatMap((trials) => trials.map(({ name }) => name)),
  }
}

function createColumnCounts() {
  const unused = new Set<string>()
  const absent = new Map<string, number>()
  return {
    add({ bound }: TranslatedFile) {
      for (const name of bound.unusedColumns) unused.add(name)
      for (const name of bound.absentColumns) absent.set(name, (absent.get(name) ?? 0) + 1)
    },
    result: (examples: number): Pick<Coverage, 'unusedColumns' | 'absentColumns'> => ({
      unusedColumns: [...unused],
      absentColumns: [...absent].filter(([, count]) => count === examples).map(([name]) => name),
    }),
  }
}

// Coverage of an export.

export interface ExportCoverage extends Pick<Coverage, 'untakenOptions' | 'untakenKeys'> {
  /** Fields that the examples' records have and no column prints. */
  readonly unprintedFields: readonly string[]
  /** Columns that are blank in every row. */
  readonly unfilledColumns: readonly string[]
}

export async function measureExportCoverage(mapping: OutboundMapping, path: string): Promise<ExportCoverage> {
  const kinds = listExportKinds(mapping)
  const columns = kinds.flatMap((kind) => kind.columns)
  const tableKeys = await readTableKeys(mapping, path)
  const asked = columns.map(({ options }) => options['table'])
  const keys = trackTableKeys(tableKeys, asked)
  const unfilled = new Set(columns)
  const fields = new Set<string>()
  let trials = columns.flatMap((column) => createColumnTrials(column, tableKeys))
  const take = (made: ExportedCell) => {
    if (made.cell.trim() !== '') unfilled.delete(made.column)
    trials = trials.filter(({ column, isTried }) => column !== made.column || !isTried(made))
    keys.take(made.column.options['table'], findTableKey(made))
  }
  for (const { input } of mapping.examples) {
    for (const record of await readApiRecords(resolve(dirname(path), input))) {
      for (const field of listValuePaths(record, '')) fields.add(field)
      const composed = mapping.composer.composeRows(record)
      const rows = 'rows' in composed ? matchExportedRows(kinds, record, composed.rows) : []
      for (const made of rows.flatMap((row) => listExportedCells(row, record))) take(made)
    }
  }
  const printed = columns.flatMap(listPrintedPaths)
  return {
    unprintedFields: [...new Set([...fields].flatMap((field) => findUnprintedPath(field, printed) ?? []))],
    unfilledColumns: [...new Set([...unfilled].map(({ name }) => name))],
    untakenOptions: trials.map(({ column, name }) => `${column.name}: ${name}`),
    untakenKeys: keys.untaken(),
  }
}

/** Lists the paths of the values in a record, without positions. */
function listValuePaths(value: unknown, path: string): string[] {
  if (value === null || value === undefined || value === '') return []
  if (Array.isArray(value)) return value.flatMap((item) => listValuePaths(item, path))
  if (typeof value !== 'object') return [path]
  return Object.entries(value).flatMap(([name, item]) =>
    listValuePaths(item, path === '' ? name : `${path}.${name}`),
  )
}

/** Lists the paths that a column prints; `count` and `filled` print no value. */
function listPrintedPaths({ paths, options: { count, filled } }: ExportColumn): string[] {
  return paths.filter((path) => path !== count && path !== filled).map((path) => path.replace(/\[\d+\]/g, ''))
}

/** Returns the path when no column prints it, or the object around it when no column prints any part of it. */
function findUnprintedPath(field: string, printed: readonly string[]): string | undefined {
  if (printed.some((path) => field === path || field.startsWith(`${path}.`))) return undefined
  const names = field.split('.')
  const above = names.map((_, index) => names.slice(0, index + 1).join('.'))
  return above.find((path) => !printed.some((other) => other === path || other.startsWith(`${path}.`)))
}

interface ExportedCell {
  readonly column: ExportColumn
  readonly cell: string
  /** The values behind it, path by path, blank where there is none. */
  readonly texts: readonly (readonly string[])[]
  readonly holds: boolean
}

function listExportedCells({ kind, item, cells }: ExportedRow, record: ApiRecord): ExportedCell[] {
  const textsAt = (path: string) => {
    const perItem = kind.each !== undefined && path.startsWith(`${kind.each}.`)
    const read = createValuesReader(perItem ? path.slice((kind.each?.length ?? 0) + 1) : path)
    return read(perItem ? item : record).map(toPlainText)
  }
  return kind.columns.map((column, index) => ({
    column,
    cell: cells[index] ?? '',
    texts: column.paths.map(textsAt),
    holds: column.holds?.(record, item) ?? true,
  }))
}

/** Returns the key looked up in the column's table, or with `reverse` the key found there. */
function findTableKey({ column: { options }, cell, texts }: ExportedCell): string {
  if (options['reverse'] !== undefined) return cell
  const filled = texts.flat().filter((text) => text !== '')
  if (options['all'] === undefined) return filled[0] ?? ''
  return filled.join(typeof options['with'] === 'string' ? options['with'] : KEY_SEPARATOR)
}

interface CellTrial {
  readonly column: ExportColumn
  readonly name: string
  readonly isTried: (made: ExportedCell) => boolean
}

function createColumnTrials(column: ExportColumn, tableKeys: TableKeys): CellTrial[] {
  const { options, paths, holds } = column
  const { table, miss, firstOf, when } = options
  const trials: CellTrial[] = []
  const add = (name: string, isTried: CellTrial['isTried']) => trials.push({ column, name, isTried })
  const isBlank = ({ texts }: ExportedCell) => texts.flat().every((text) => text === '')
  if (options['default'] !== undefined) add('default', (made) => made.holds && isBlank(made))
  if (holds !== undefined) {
    const condition = formatCondition(toLongForm(when))
    add(`when ${condition}`, (made) => made.holds)
    add(`not when ${condition}`, (made) => !made.holds)
  }
  if (firstOf !== undefined) {
    const firstAt = ({ texts }: ExportedCell) => texts.findIndex((of) => of.some((text) => text !== ''))
    for (const [index, path] of paths.entries()) add(`firstOf ${path}`, (made) => firstAt(made) === index)
  }
  if (typeof table === 'string' && (miss === 'keep' || miss === 'blank')) {
    const keys = new Set((tableKeys.get(table) ?? []).map(normalizeKey))
    add(`miss ${miss}`, (made) => !isBlank(made) && !keys.has(normalizeKey(findTableKey(made))))
  }
  return [...trials, ...createTextTrials(column, options)]
}

/** Options that change some texts and leave others as they are. */
function createTextTrials(column: ExportColumn, options: Options): CellTrial[] {
  const { yes, no, width, pad, decimal } = options
  const rule = column.shape?.kind === 'field' ? column.shape.rule : undefined
  const guards = options['formulas'] === 'guard'
  const some = (test: (text: string) => boolean) => (made: ExportedCell) => made.texts.flat().some(test)
  const trials: readonly (readonly [string, boolean, CellTrial['isTried']])[] = [
    ['yes', yes !== undefined, some((text) => text === 'true')],
    ['no', no !== undefined, some((text) => text === 'false')],
    ['long', options['long'] !== undefined, some((text) => text.length > Number(width))],
    ['pad', pad !== undefined, some((text) => text !== '' && text.length < Number(toLongForm(pad)['to']))],
    ['zeros', options['zeros'] !== undefined, some((text) => /\.\d*0$/.test(text))],
    ['formulas', guards && !isNumberRule(rule), some((text) => /^[=+\-@\t\r]/.test(text))],
    ['decimal', decimal === ',', some((text) => text.includes('.'))],
  ]
  return trials.flatMap(([name, isGiven, isTried]) => (isGiven ? [{ column, name, isTried }] : []))
}

function isNumberRule(rule: FieldRule | undefined): boolean {
  return rule?.kind === 'integer' || rule?.kind === 'money' || rule?.kind === 'decimal'
}
