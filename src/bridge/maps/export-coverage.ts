/** What the examples of an export leave untried: fields nobody prints, columns never filled, options and keys never taken. */
import { dirname, resolve } from 'node:path'
import type { FieldRule } from '../../contract/fields.ts'
import { plainText } from '../../mapping/export/cell-value.ts'
import { valuesReader } from '../../mapping/export/paths.ts'
import type { OutboundMapping } from '../../mapping/load.ts'
import { KEY_SEPARATOR, tableKey } from '../../mapping/tables.ts'
import {
  type ApiRecord,
  type ExportColumn,
  type ExportedRow,
  exportedRows,
  exportKinds,
  recordsIn,
} from './exported.ts'
import { conditionText, longFormOf, type Options } from './leaves.ts'
import { tableWords } from './table-words.ts'
import { tableKeys, type UntakenKeys } from './table-keys.ts'
import type { TableWords } from './trials.ts'

export interface ExportCoverage {
  /** Fields that the examples' records have and no column prints. */
  readonly unprintedFields: readonly string[]
  /** Columns that are blank in every row. */
  readonly unfilledColumns: readonly string[]
  readonly untakenOptions: readonly string[]
  readonly untakenKeys: readonly UntakenKeys[]
}

export async function exportCoverageOf(mapping: OutboundMapping, path: string): Promise<ExportCoverage> {
  const kinds = exportKinds(mapping)
  const columns = kinds.flatMap((kind) => kind.columns)
  const words = await tableWords(mapping, path)
  const keys = tableKeys(
    words,
    columns.map(({ options }) => options['table']),
  )
  const unfilled = new Set(columns)
  const fields = new Set<string>()
  let trials = columns.flatMap((column) => columnTrials(column, words))
  const take = (made: MadeCell) => {
    if (made.cell.trim() !== '') unfilled.delete(made.column)
    trials = trials.filter(({ column, isTried }) => column !== made.column || !isTried(made))
    keys.take(made.column.options['table'], keyOf(made))
  }
  for (const { input } of mapping.examples) {
    for (const record of await recordsIn(resolve(dirname(path), input))) {
      for (const field of leafPaths(record, '')) fields.add(field)
      const composed = mapping.composer.rows(record)
      const rows = 'rows' in composed ? exportedRows(kinds, record, composed.rows) : []
      for (const made of rows.flatMap((row) => cellsOf(row, record))) take(made)
    }
  }
  const printed = columns.flatMap(printedBy)
  return {
    unprintedFields: [...new Set([...fields].flatMap((field) => unprinted(field, printed) ?? []))],
    unfilledColumns: [...new Set([...unfilled].map(({ name }) => name))],
    untakenOptions: trials.map(({ column, name }) => `${column.name}: ${name}`),
    untakenKeys: keys.untaken(),
  }
}

/** The paths of the values in a record that are there, without positions. */
function leafPaths(value: unknown, path: string): string[] {
  if (value === null || value === undefined || value === '') return []
  if (Array.isArray(value)) return value.flatMap((item) => leafPaths(item, path))
  if (typeof value !== 'object') return [path]
  return Object.entries(value).flatMap(([name, item]) =>
    leafPaths(item, path === '' ? name : `${path}.${name}`),
  )
}

/** The paths a column prints; that it is counted, or is there, does not show it to anybody. */
function printedBy({ paths, options: { count, filled } }: ExportColumn): string[] {
  return paths.filter((path) => path !== count && path !== filled).map((path) => path.replace(/\[\d+\]/g, ''))
}

/** The path when nobody prints it, or the whole object around it when nothing of it is printed. */
function unprinted(field: string, printed: readonly string[]): string | undefined {
  if (printed.some((path) => field === path || field.startsWith(`${path}.`))) return undefined
  const names = field.split('.')
  const above = names.map((_, index) => names.slice(0, index + 1).join('.'))
  return above.find((path) => !printed.some((other) => other === path || other.startsWith(`${path}.`)))
}

interface MadeCell {
  readonly column: ExportColumn
  readonly cell: string
  /** The values behind it, path by path, blank where there is none. */
  readonly texts: readonly (readonly string[])[]
  /** Whether the column's condition holds. */
  readonly holds: boolean
}

function cellsOf({ kind, item, cells }: ExportedRow, record: ApiRecord): MadeCell[] {
  const textsAt = (path: string) => {
    const perItem = kind.each !== undefined && path.startsWith(`${kind.each}.`)
    const read = valuesReader(perItem ? path.slice((kind.each?.length ?? 0) + 1) : path)
    return read(perItem ? item : record).map(plainText)
  }
  return kind.columns.map((column, index) => ({
    column,
    cell: cells[index] ?? '',
    texts: column.paths.map(textsAt),
    holds: column.holds?.(record, item) ?? true,
  }))
}

/** What was looked up in the column's table, or with `reverse` what was found there. */
function keyOf({ column: { options }, cell, texts }: MadeCell): string {
  if (options['reverse'] !== undefined) return cell
  const filled = texts.flat().filter((text) => text !== '')
  if (options['all'] === undefined) return filled[0] ?? ''
  return filled.join(typeof options['with'] === 'string' ? options['with'] : KEY_SEPARATOR)
}

interface CellTrial {
  readonly column: ExportColumn
  readonly name: string
  readonly isTried: (made: MadeCell) => boolean
}

function columnTrials(column: ExportColumn, words: TableWords): CellTrial[] {
  const { options, paths, holds } = column
  const { table, miss, firstOf, when } = options
  const trials: CellTrial[] = []
  const add = (name: string, isTried: CellTrial['isTried']) => trials.push({ column, name, isTried })
  const isBlank = ({ texts }: MadeCell) => texts.flat().every((text) => text === '')
  if (options['default'] !== undefined) add('default', (made) => made.holds && isBlank(made))
  if (holds !== undefined) {
    const condition = conditionText(longFormOf(when))
    add(`when ${condition}`, (made) => made.holds)
    add(`not when ${condition}`, (made) => !made.holds)
  }
  if (firstOf !== undefined) {
    const firstAt = ({ texts }: MadeCell) => texts.findIndex((of) => of.some((text) => text !== ''))
    for (const [index, path] of paths.entries()) add(`firstOf ${path}`, (made) => firstAt(made) === index)
  }
  if (typeof table === 'string' && (miss === 'keep' || miss === 'blank')) {
    const keys = new Set((words.get(table) ?? []).map(tableKey))
    add(`miss ${miss}`, (made) => !isBlank(made) && !keys.has(tableKey(keyOf(made))))
  }
  return [...trials, ...textTrials(column, options)]
}

/** Options that change some texts and leave others as they are. */
function textTrials(column: ExportColumn, options: Options): CellTrial[] {
  const { yes, no, width, pad, decimal } = options
  const rule = column.shape?.kind === 'field' ? column.shape.rule : undefined
  const some = (test: (text: string) => boolean) => (made: MadeCell) => made.texts.flat().some(test)
  const trials: readonly (readonly [string, boolean, CellTrial['isTried']])[] = [
    ['yes', yes !== undefined, some((text) => text === 'true')],
    ['no', no !== undefined, some((text) => text === 'false')],
    ['long', options['long'] !== undefined, some((text) => text.length > Number(width))],
    ['pad', pad !== undefined, some((text) => text !== '' && text.length < Number(longFormOf(pad)['to']))],
    ['zeros', options['zeros'] !== undefined, some((text) => /\.\d*0$/.test(text))],
    [
      'formulas',
      options['formulas'] === 'guard' && !isNumber(rule),
      some((text) => /^[=+\-@\t\r]/.test(text)),
    ],
    ['decimal', decimal === ',', some((text) => text.includes('.'))],
  ]
  return trials.flatMap(([name, isGiven, isTried]) => (isGiven ? [{ column, name, isTried }] : []))
}

function isNumber(rule: FieldRule | undefined): boolean {
  return rule?.kind === 'integer' || rule?.kind === 'money' || rule?.kind === 'decimal'
}
