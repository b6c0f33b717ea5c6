/** Finds the columns, fields, options and table keys of a mapping that its examples leave untried. */
import { dirname, resolve } from 'node:path'
import type { FieldRule } from '../contract/fields.ts'
import type { Format } from '../domain/format.ts'
import { toExampleBody } from '../mapping/examples.ts'
import { toPlainText } from '../mapping/export/cell-format.ts'
import { createValuesReader } from '../mapping/export/paths.ts'
import type { InboundMapping, Mapping, OutboundMapping } from '../mapping/load.ts'
import { KEY_SEPARATOR, normalizeKey } from '../mapping/tables.ts'
import {
  type ApiRecord,
  type ExportColumn,
  type ExportedRow,
  exportRecords,
  listExportKinds,
  readApiRecords,
} from './exported-rows.ts'
import { listMappedFields, toLongForm } from './mapped-fields.ts'
import { readTableTexts, trackTableKeys, type UntakenKeys } from './tables.ts'
import { readRecords, type TranslatedFile } from './translate-file.ts'
import {
  createFieldTrials,
  createRecordTrials,
  createTrials,
  getStepInput,
  selectTrials,
  type TableKeys,
  trackTrials,
  type Trial,
} from './trials.ts'

export interface Coverage {
  /** Columns of the examples that the mapping does not use. */
  readonly unusedColumns?: readonly string[]
  /** Columns of the mapping that no example has. */
  readonly absentColumns?: readonly string[]
  /** Fields of the mapping that no example fills. */
  readonly unfilledFields?: readonly string[]
  /** Of an export: fields that the examples' records have and no column prints. */
  readonly unprintedFields?: readonly string[]
  /** Of an export: columns that are blank in every row. */
  readonly unfilledColumns?: readonly string[]
  /** Options and conditions that make no difference to any example, each as `field: option`. */
  readonly untakenOptions: readonly string[]
  readonly untakenKeys: readonly UntakenKeys[]
}

export function measureCoverage(mapping: Mapping, path: string, format: Format): Promise<Coverage> {
  return mapping.direction === 'inbound'
    ? measureInboundCoverage(mapping, path, format)
    : measureExportCoverage(mapping, path)
}

async function measureInboundCoverage(mapping: InboundMapping, path: string, format: Format) {
  const fields = listMappedFields(mapping)
  const { keys: tableKeys } = await readTableTexts(mapping, path)
  const unfilled = new Set(fields.map(({ field }) => field))
  const fieldTrials = trackTrials(fields.map((leaf) => [leaf.field, createFieldTrials(leaf, tableKeys)]))
  const ofRecords = trackTrials([['record', createRecordTrials(mapping)]])
  const byName = new Map(fields.map((leaf) => [leaf.field, leaf]))
  const asked = fields.flatMap(({ branches }) => branches.map(({ options }) => options['table']))
  const keys = trackTableKeys(tableKeys, asked)
  const columns = createColumnCounts()
  for (const { input } of mapping.examples) {
    const read = await readRecords(resolve(dirname(path), input), format, mapping, () => true)
    if ('problems' in read) continue
    columns.add(read)
    for await (const record of read.records) {
      ofRecords.take('record', { ...record, file: read })
      if (record.draft.body === undefined) continue
      for (const [field] of listValues(toExampleBody(record.draft), '')) unfilled.delete(field)
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

/** All values in a body or record with their paths, and `[]` for each item of a list. */
function listValues(value: unknown, path: string): [path: string, value: unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]]
  const prefix = path === '' ? '' : `${path}.`
  const below = Array.isArray(value)
    ? value.flatMap((item) => listValues(item, `${path}[]`))
    : Object.entries(value).flatMap(([name, item]) => listValues(item, prefix + name))
  return [[path, value], ...below]
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

async function measureExportCoverage(mapping: OutboundMapping, path: string) {
  const kinds = listExportKinds(mapping)
  const columns = kinds.flatMap((kind) => kind.columns)
  const { keys: tableKeys } = await readTableTexts(mapping, path)
  const asked = columns.map(({ options }) => options['table'])
  const keys = trackTableKeys(tableKeys, asked)
  const unfilled = new Set(columns)
  const fields = new Set<string>()
  const trials = trackTrials(
    columns.map((column) => [
      column,
      createTrials({ field: column.name, branches: [column] }, () => createColumnTrials(column, tableKeys)),
    ]),
  )
  const take = (made: ExportedCell) => {
    if (made.cell.trim() !== '') unfilled.delete(made.column)
    trials.take(made.column, made)
    keys.take(made.column.options['table'], findTableKey(made))
  }
  for (const { input } of mapping.examples) {
    const inputs = await readApiRecords(resolve(dirname(path), input))
    for (const field of inputs.flatMap(listFilledPaths)) fields.add(field)
    const { records, frame } = exportRecords(mapping, kinds, inputs)
    for (const made of [...records.flat(), ...frame].flatMap(listExportedCells)) take(made)
  }
  const printed = columns.flatMap(listPrintedPaths)
  return {
    unprintedFields: [...new Set([...fields].flatMap((field) => findUnprintedPath(field, printed) ?? []))],
    unfilledColumns: [...new Set([...unfilled].map(({ name }) => name))],
    untakenOptions: trials.untaken(),
    untakenKeys: keys.untaken(),
  }
}

/** Lists the paths of the filled values in a record, without positions. */
function listFilledPaths(record: ApiRecord): string[] {
  const isFilled = (value: unknown) => typeof value !== 'object' && value !== undefined && value !== ''
  const filled = listValues(record, '').filter(([, value]) => isFilled(value))
  return filled.map(([path]) => path.replaceAll('[]', ''))
}

/** Lists the paths that a column prints; `count` and `filled` print no value. */
function listPrintedPaths({ sources, options: { count, filled } }: ExportColumn): string[] {
  const printed = sources.flat().filter((path) => path !== count && path !== filled)
  return printed.map((path) => path.replace(/\[\d+\]/g, ''))
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
  /** -1 where the condition of the column does not hold. */
  readonly branch: 0 | -1
}

function listExportedCells({ kind, record, item, cells }: ExportedRow): ExportedCell[] {
  const textsAt = (path: string) => {
    const perItem = kind.each !== undefined && path.startsWith(`${kind.each}.`)
    const read = createValuesReader(perItem ? path.slice((kind.each?.length ?? 0) + 1) : path)
    return read(perItem ? item : record).map(toPlainText)
  }
  return kind.columns.map((column, index) => ({
    column,
    cell: cells[index] ?? '',
    texts: column.sources.flat().map(textsAt),
    branch: column.holds?.(record, item) === false ? -1 : 0,
  }))
}

/** Returns the key looked up in the column's table, or with `reverse` the key found there. */
function findTableKey({ column: { options }, cell, texts }: ExportedCell): string {
  if (options['reverse'] !== undefined) return cell
  const filled = texts.flat().filter((text) => text !== '')
  if (options['all'] === undefined) return filled[0] ?? ''
  return filled.join(typeof options['with'] === 'string' ? options['with'] : KEY_SEPARATOR)
}

type CellTrial = Trial<ExportedCell>

function createColumnTrials(column: ExportColumn, tableKeys: TableKeys): CellTrial[] {
  const { options, sources } = column
  const { table, miss, firstOf } = options
  const trials: CellTrial[] = []
  const add = (name: string, isTried: CellTrial['isTried']) => trials.push({ name, isTried })
  const isBlank = ({ texts }: ExportedCell) => texts.flat().every((text) => text === '')
  if (options['default'] !== undefined) add('default', isBlank)
  if (firstOf !== undefined) {
    const firstAt = ({ texts }: ExportedCell) => texts.findIndex((of) => of.some((text) => text !== ''))
    for (const [index, path] of sources.flat().entries())
      add(`firstOf ${path}`, (made) => firstAt(made) === index)
  }
  if (typeof table === 'string' && (miss === 'keep' || miss === 'blank')) {
    const keys = new Set((tableKeys.get(table) ?? []).map(normalizeKey))
    add(`miss ${miss}`, (made) => !isBlank(made) && !keys.has(normalizeKey(findTableKey(made))))
  }
  return [...trials, ...createTextTrials(column)]
}

/** Options that change some texts and leave others as they are. */
function createTextTrials({ options, rule }: ExportColumn): CellTrial[] {
  const { yes, no, width, pad, decimal } = options
  const guards = options['formulas'] === 'guard'
  const some = (test: (text: string) => boolean) => (made: ExportedCell) => made.texts.flat().some(test)
  return selectTrials([
    [yes !== undefined, 'yes', some((text) => text === 'true')],
    [no !== undefined, 'no', some((text) => text === 'false')],
    [options['long'] !== undefined, 'long', some((text) => text.length > Number(width))],
    [pad !== undefined, 'pad', some((text) => text !== '' && text.length < Number(toLongForm(pad)['to']))],
    [options['zeros'] !== undefined, 'zeros', some((text) => /\.\d*0$/.test(text))],
    [guards && !isNumberRule(rule), 'formulas', some((text) => /^[=+\-@\t\r]/.test(text))],
    [decimal === ',', 'decimal', some((text) => text.includes('.'))],
  ])
}

function isNumberRule(rule: FieldRule | undefined): boolean {
  return rule?.kind === 'integer' || rule?.kind === 'money' || rule?.kind === 'decimal'
}
