/** Builds the rows that an export makes of records, and joins each cell to its column in the mapping. */
import { readFile } from 'node:fs/promises'
import type { FieldRule } from '../contract/fields.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { createExampleEnvelope } from '../domain/format.ts'
import { composeExample } from '../mapping/examples.ts'
import type { CellPlan } from '../mapping/export/cell.ts'
import type { RowPlan } from '../mapping/export/composer.ts'
import { followPath } from '../mapping/export/paths.ts'
import type { TracedSegment } from '../mapping/export/segment-rows.ts'
import { listSegmentRows, type SegmentPlan } from '../mapping/export/segments.ts'
import type { OutboundMapping } from '../mapping/load.ts'
import { type Shape, toShape } from '../mapping/shape.ts'
import { BridgeError } from '../support/errors.ts'
import { type FieldBranch, type Options, toLongForm } from './mapped-fields.ts'
import { isObject } from '../support/object-paths.ts'

export type ApiRecord = Readonly<Record<string, unknown>>

/** One kind of row; a plain table has one. */
export interface ExportKind extends Pick<RowPlan, 'type' | 'each' | 'items'> {
  readonly columns: readonly ExportColumn[]
  /** The segment of a document of X12 or EDIFACT. */
  readonly segment?: SegmentPlan
}

/** A column has one branch. Its sources are the API fields that it shows or adds up, by their paths as written. */
export interface ExportColumn extends FieldBranch, Pick<CellPlan, 'name' | 'holds'> {
  /** The rule of the first of them. */
  readonly rule: FieldRule | undefined
}

export interface ExportedRow {
  readonly kind: ExportKind
  readonly record: ApiRecord
  readonly item: unknown
  /** In the order of the kind's columns. */
  readonly cells: readonly string[]
  /** A segment that is left out of the document; its cells are blank. */
  readonly isLeftOut?: boolean
}

/** The rows of a file. Records that are held have none. */
export interface ExportedFile {
  readonly records: readonly (readonly ExportedRow[])[]
  /** The segments of a document around its records. */
  readonly frame: readonly ExportedRow[]
}

export function listExportKinds({ operation, rows, document }: OutboundMapping): readonly ExportKind[] {
  const record = toShape(OPERATIONS[operation].record)
  const segments = document && listSegmentRows(document.plan)
  return rows.map(({ type, each, items, cells }, index) => {
    const segment = segments?.[index]?.plan
    const columns = cells.map(({ name, holds, written }, at) => {
      const options = toLongForm(written)
      const isCount = segment?.elements[at]?.counted !== undefined
      const sources = isCount ? [] : listOptionPaths(options)
      const rule = findRule(record, sources[0]?.[0])
      return { name, options, sources, rule, holds, ...(holds && { when: toLongForm(options['when']) }) }
    })
    return { type, each, items, columns, ...(segment && { segment }) }
  })
}

function listOptionPaths({ from, firstOf, all, sum, count, filled }: Options): [string][] {
  const paths = [from, firstOf, all, sum, count, filled].flat()
  return paths.flatMap((path): [string][] => (typeof path === 'string' ? [[path]] : []))
}

function findRule(record: Shape, path: string | undefined): FieldRule | undefined {
  const followed = path === undefined ? undefined : followPath(record, path, true)
  const shape = followed && 'found' in followed ? followed.found : undefined
  const field = shape?.kind === 'list' ? shape.item : shape
  return field?.kind === 'field' ? field.rule : undefined
}

/** Composes a file of the records, and joins each row to its kind. */
export function exportRecords(
  { composer, document }: OutboundMapping,
  kinds: readonly ExportKind[],
  records: readonly ApiRecord[],
): ExportedFile {
  const envelope = createExampleEnvelope(composer.write.format)
  if (document === undefined || envelope === undefined) {
    const made = records.map((record) => {
      const composed = composeExample(composer, record)
      return 'rows' in composed ? matchRows(kinds, record, composed.rows) : []
    })
    return { records: made, frame: [] }
  }
  const { begin, records: traced, end } = document.trace(records, envelope)
  const kindOf = new Map(kinds.map((kind) => [kind.segment, kind]))
  const toRow = (record: ApiRecord, { plan, item, texts, absent }: TracedSegment): ExportedRow[] => {
    const kind = kindOf.get(plan)
    if (kind === undefined) return []
    if (absent === undefined) return [{ kind, record, item, cells: texts }]
    return [{ kind, record, item, cells: kind.columns.map(() => ''), isLeftOut: true }]
  }
  return {
    records: traced.map(({ record, segments, problems }) =>
      problems.length > 0 ? [] : segments.flatMap((each) => toRow(record, each)),
    ),
    frame: [...begin, ...end].flatMap((each) => toRow({}, each)),
  }
}

/** The composer makes the rows kind by kind. */
function matchRows(
  kinds: readonly ExportKind[],
  record: ApiRecord,
  rows: readonly (readonly string[])[],
): ExportedRow[] {
  const made = kinds.flatMap((kind) => kind.items(record).map((item) => ({ kind, item })))
  return made.flatMap(({ kind, item }, index) => {
    const cells = kind.type === undefined ? rows[index] : rows[index]?.slice(1)
    return cells === undefined ? [] : [{ kind, record, item, cells }]
  })
}

/** The records of a JSON file: in a list, alone or under `results` as the API shows them, or one on each line. */
export async function readApiRecords(path: string): Promise<readonly ApiRecord[]> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    throw new BridgeError('usage-wrong', `there is no file ${path} that can be read`, {
      cause,
      fix: 'Correct the path of the file.',
    })
  }
  const list = parseRecords(text.replace(/^\uFEFF/, ''))
  if (Array.isArray(list) && list.every(isObject)) return list
  const wrong = `${path} is no JSON list of records as the API shows them, and the mapping is for an export`
  throw new BridgeError('usage-wrong', `${wrong}; \`dropbridge export ROUTE --json\` prints such records`)
}

function parseRecords(text: string): unknown {
  const whole = tryParseJson(text)
  if (Array.isArray(whole)) return whole
  const { results } = toLongForm(whole)
  if (results !== undefined) return results
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  // A refusal of the API is an object too, and no record.
  if (whole !== undefined) return toLongForm(whole)['id'] === undefined ? undefined : [whole]
  return lines.length === 0 ? undefined : lines.map(tryParseJson)
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
