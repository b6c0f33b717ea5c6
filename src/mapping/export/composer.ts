/** Runs a compiled outbound mapping: an API record becomes the rows of a file. */
import type { WriteOptions } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import type { ComposedRows, Composer, Trailer } from '../../domain/translator.ts'
import type { RefuseCell } from './cell-format.ts'
import { quoteText } from '../values/text.ts'
import { KEPT_FIELD } from './cell-source.ts'
import type { CellPlan } from './cell.ts'
import { createPathReader, isFirstPart } from './paths.ts'

export interface RowPlan {
  /** The text of the first cell, in a file of typed rows. */
  readonly type: string | undefined
  /** The path of the list that makes a row per item; one row per record without it. */
  readonly each: string | undefined
  readonly items: (record: ApiRecord) => readonly unknown[]
  readonly cells: readonly CellPlan[]
}

export interface TrailerPlan {
  /** Refuses the record when one of its amounts cannot be added up. */
  check(record: unknown, refuse: RefuseCell): void
  start(): Trailer
}

export interface OutboundPlan extends Pick<Composer, 'operation' | 'write'> {
  /** The header line; empty in a file of several kinds of rows. */
  readonly columns: readonly string[]
  readonly rows: readonly RowPlan[]
  readonly trailer: TrailerPlan | undefined
  readonly recordsPerFile: number | undefined
  /** The values to keep beside the order, by name. */
  readonly keep: ReadonlyMap<string, (record: unknown) => unknown>
}

export type ApiRecord = Readonly<Record<string, unknown>>

export function createComposer(plan: OutboundPlan): Composer {
  const { write, columns, trailer } = plan
  return {
    ...createComposerFrame(plan),
    columns,
    composeRows: (record) => refuseBlankLines(composeRows(record, plan.rows, trailer), write),
    ...(trailer === undefined ? {} : { trailer: () => trailer.start() }),
  }
}

/** What composers of tables and of documents have in common. */
export function createComposerFrame({
  operation,
  write,
  rows,
  recordsPerFile,
  keep,
}: Pick<OutboundPlan, 'operation' | 'write' | 'rows' | 'recordsPerFile' | 'keep'>): Pick<
  Composer,
  'operation' | 'write' | 'recordsPerFile' | 'takesKept' | 'keep'
> {
  const cells = rows.flatMap((row) => row.cells)
  const takesKept = cells.some(({ field }) => field.startsWith(`${KEPT_FIELD}.`))
  return {
    operation,
    write,
    ...(recordsPerFile === undefined ? {} : { recordsPerFile }),
    ...(takesKept ? { takesKept } : {}),
    ...(keep.size === 0 ? {} : { keep: (record) => readKeptValues(record, keep) }),
  }
}

function readKeptValues(record: ApiRecord, keep: OutboundPlan['keep']): Record<string, string> {
  const values = [...keep].map(([name, read]) => [name, read(record)] as const)
  const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value) && value !== ''
  const filled = values.filter(([, value]) => isPlain(value))
  return Object.fromEntries(filled.map(([name, value]) => [name, String(value)]))
}

function composeRows(record: ApiRecord, plans: readonly RowPlan[], trailer: TrailerPlan | undefined) {
  const problems: Problem[] = []
  const warnings: Problem[] = []
  const noted = { problems, warnings }
  const rows = plans.flatMap((plan) =>
    plan.items(record).map((item, index) => composeRow(plan, { record, item, index }, noted)),
  )
  trailer?.check(record, (code, message, fix) => {
    problems.push(problem(code, {}, message, fix))
    return ''
  })
  if (rows.length === 0) {
    // The bridge would acknowledge a record without a row, and its reader would never see it.
    const field = plans.flatMap(({ each }) => each ?? []).join(' or ')
    const message = `The record has nothing in ${field}, so there is no row to write.`
    return { problems: [problem('value-missing', { field }, message, 'Check the record at the API.')] }
  }
  if (problems.length > 0) return { problems }
  return warnings.length > 0 ? { rows, warnings } : { rows }
}

/** Refuses an unquoted row of one blank cell: it is an empty line, which readers do not take for a row. */
function refuseBlankLines(composed: ComposedRows, { quote }: WriteOptions): ComposedRows {
  if (quote !== null || 'problems' in composed) return composed
  if (composed.rows.every((row) => row.length > 1 || row[0] !== '')) return composed
  const message = 'The only cell of the row is blank, and without quotes a blank line is no row.'
  return { problems: [problem('value-missing', {}, message, 'Check the record at the API.')] }
}

function composeRow(
  { type, each, cells }: RowPlan,
  from: { readonly record: ApiRecord; readonly item: unknown; readonly index: number },
  { problems, warnings }: Readonly<Record<'problems' | 'warnings', Problem[]>>,
): string[] {
  let current = cells[0]
  const locate = () => {
    const { name = '', field: path = '', perItem = false } = current ?? {}
    const field = perItem && each !== undefined ? path.replace(`${each}.`, `${each}[${from.index}].`) : path
    return { column: name, field }
  }
  const refuse: RefuseCell = (code, message, fix) => {
    problems.push(problem(code, locate(), message, fix))
    return ''
  }
  const row: string[] = type === undefined ? [] : [type]
  for (const cell of cells) {
    current = cell
    const text = cell.text(from.record, from.item, refuse)
    row.push(text)
    if (!cell.isOpenFormula(text)) continue
    const message = `The cell begins with ${quoteText(text.charAt(0))}, so a spreadsheet runs it.`
    warnings.push({ ...problem('cell-is-formula', locate(), message), severity: 'warning' })
  }
  return row
}

/** Spec: lines with part above 1 are further packages of one item and do not count. */
export function createItemReader(each: string | undefined, firstPartsOnly: boolean): RowPlan['items'] {
  if (each === undefined) return () => [undefined]
  const read = createPathReader(each)
  return (record) => {
    const list = read(record)
    const items: readonly unknown[] = Array.isArray(list) ? list : []
    return firstPartsOnly ? items.filter(isFirstPart) : items
  }
}

// Explains the cells of a record's rows: the API values, the text after every step, the refusals.

export interface ExplainedExportCell {
  readonly column: string
  readonly values: readonly { readonly path: string; readonly value: unknown }[]
  /** The first step, and each later one that changes the text. */
  readonly steps: readonly { readonly does: string; readonly text: string }[]
  /** The text of the cell; blank where it is refused. */
  readonly text: string
  readonly refused: readonly string[]
}

export interface ExplainedRow {
  /** The text of the first cell, in a file of typed rows. */
  readonly type: string | undefined
  readonly cells: readonly ExplainedExportCell[]
  /** In a document: the segment, which is absent where it is left out, and why it is. */
  readonly segment?: readonly string[]
  readonly absent?: 'condition' | 'blank'
}

/** Explains the rows in the order of the file, with the same steps that compose it. */
export function explainRows(rows: readonly RowPlan[], record: ApiRecord): ExplainedRow[] {
  return rows.flatMap((row) =>
    row
      .items(record)
      .map((item) => ({ type: row.type, cells: row.cells.map((cell) => explainCell(cell, record, item)) })),
  )
}

/** Shows the values, steps and text of a cell. */
export function explainCell({ name, values, steps, text }: CellPlan, record: unknown, item: unknown) {
  const refused: string[] = []
  const note: RefuseCell = (_code, message) => {
    refused.push(message)
    return ''
  }
  const written = text(record, item, note)
  const shown: { does: string; text: string }[] = []
  for (const { does, read } of steps) {
    // The whole cell notes the refusals of its steps, so a step notes none here.
    const now = read(record, item, () => '')
    if (shown.at(-1)?.text !== now) shown.push({ does, text: now })
  }
  const seen = values.map(({ path, read }) => ({ path, value: read(record, item) ?? null }))
  return { column: name, values: seen, steps: shown, text: written, refused }
}
