/** Builds the rows that an export makes of records, and joins each cell to its column in the mapping. */
import { readFile } from 'node:fs/promises'
import type { FieldRule } from '../contract/fields.ts'
import { OPERATIONS } from '../contract/operations.ts'
import type { CellPlan } from '../mapping/export/cell.ts'
import type { RowPlan } from '../mapping/export/composer.ts'
import { followPath } from '../mapping/export/paths.ts'
import type { OutboundMapping } from '../mapping/load.ts'
import { type Shape, toShape } from '../mapping/shape.ts'
import { BridgeError } from '../support/errors.ts'
import { type FieldBranch, type Options, toLongForm } from './mapped-fields.ts'
import { isObject } from '../support/object-paths.ts'

export type ApiRecord = Readonly<Record<string, unknown>>

/** One kind of row; a plain table has one. */
export interface ExportKind extends Pick<RowPlan, 'type' | 'each' | 'items'> {
  readonly columns: readonly ExportColumn[]
  /** In a document of X12 or EDIFACT: the text of each column. */
  readonly texts?: readonly CellPlan['text'][]
}

/** A column has one branch. Its sources are the API fields that it shows or adds up, by their paths as written. */
export interface ExportColumn extends FieldBranch, Pick<CellPlan, 'name' | 'holds'> {
  /** The rule of the first of them. */
  readonly rule: FieldRule | undefined
}

export interface ExportedRow {
  readonly kind: ExportKind
  readonly item: unknown
  /** In the order of the kind's columns. */
  readonly cells: readonly string[]
}

export function listExportKinds({ operation, rows, composer }: OutboundMapping): readonly ExportKind[] {
  const record = toShape(OPERATIONS[operation].record)
  return rows.map(({ type, each, items, cells }) => {
    const columns = cells.map(({ name, holds, written }) => {
      const options = toLongForm(written)
      const sources = listOptionPaths(options)
      const rule = findRule(record, sources[0]?.[0])
      return { name, options, sources, rule, holds, ...(holds && { when: toLongForm(options['when']) }) }
    })
    const texts = composer.write.edi && cells.map(({ text }) => text)
    return { type, each, items, columns, ...(texts && { texts }) }
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

/** Joins each row to its kind; the composer makes the rows kind by kind. */
export function matchExportedRows(
  kinds: readonly ExportKind[],
  record: ApiRecord,
  rows: readonly (readonly string[])[],
): ExportedRow[] {
  const made = kinds.flatMap((kind) => kind.items(record).map((item) => ({ kind, item })))
  // Segments without a value are left out of a document, so a row does not say which kind it is.
  if (kinds.some(({ texts }) => texts !== undefined)) {
    return made.map(({ kind, item }) => {
      const cells = (kind.texts ?? []).map((text) => text(record, item, () => ''))
      return { kind, item, cells }
    })
  }
  return made.flatMap(({ kind, item }, index) => {
    const cells = kind.type === undefined ? rows[index] : rows[index]?.slice(1)
    return cells === undefined ? [] : [{ kind, item, cells }]
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
