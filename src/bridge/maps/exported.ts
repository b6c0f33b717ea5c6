/** The rows an export makes of records, each cell with its column as the mapping writes it. */
import { readFile } from 'node:fs/promises'
import { OPERATIONS } from '../../contract/operations.ts'
import { type CellCondition, compileCellCondition } from '../../mapping/export/cell-condition.ts'
import { followPath, isFirstPart, pathReader } from '../../mapping/export/paths.ts'
import type { OutboundMapping } from '../../mapping/load.ts'
import { type Shape, shapeOf } from '../../mapping/shape.ts'
import { type MapNode, openSourceReader, type SourceNode, toPlain } from '../../mapping/source/source.ts'
import { BridgeError } from '../../support/errors.ts'
import { longFormOf, type Options } from './leaves.ts'

export type ApiRecord = Readonly<Record<string, unknown>>

/** One kind of row; a plain table has one. */
export interface ExportKind {
  /** The first cell, in a file whose rows say what they are. */
  readonly type: string | undefined
  /** The list that makes a row per item. */
  readonly each: string | undefined
  readonly columns: readonly ExportColumn[]
  items(record: ApiRecord): readonly unknown[]
}

export interface ExportColumn {
  readonly name: string
  /** In the long form, whichever way it is written. */
  readonly options: Options
  /** The API fields it shows, by their paths as written; those it sums up too. */
  readonly paths: readonly string[]
  /** What is known of the first of them. */
  readonly shape: Shape | undefined
  readonly holds: CellCondition | undefined
}

export interface ExportedRow {
  readonly kind: ExportKind
  readonly item: unknown
  /** In the order of the kind's columns. */
  readonly cells: readonly string[]
}

export function exportKinds({ operation, source }: OutboundMapping): readonly ExportKind[] {
  const contract = OPERATIONS[operation]
  const record = 'record' in contract ? shapeOf(contract.record) : undefined
  const records = source.entries.get('records')?.node
  const nodes = records?.kind === 'list' ? records.items : [source]
  const allParts = textAt(source, 'parts') === 'all'
  return nodes.flatMap((node) =>
    record !== undefined && node.kind === 'map' ? [kindOf(node, record, allParts)] : [],
  )
}

function kindOf(node: MapNode, record: Shape, allParts: boolean): ExportKind {
  const each = textAt(node, 'each')
  const followed = each === undefined ? undefined : followPath(record, each)
  const list = followed !== undefined && 'found' in followed ? followed.found : undefined
  const item = list?.kind === 'list' && list.item.kind === 'object' ? list.item : undefined
  const hasParts = item?.fields.has('part') === true
  const columns = node.entries.get('columns')?.node
  const { mistakes } = openSourceReader()
  return {
    type: textAt(node, 'type'),
    each,
    columns: [...(columns?.kind === 'map' ? columns.entries : [])].map(([name, { node: written }]) => {
      const options = longFormOf(toPlain(written))
      const paths = pathsOfOptions(options)
      const first = paths[0] === undefined ? undefined : followPath(record, paths[0], true)
      return {
        name,
        options,
        paths,
        shape: first !== undefined && 'found' in first ? first.found : undefined,
        holds: compileCellCondition(written, { record, each, item }, mistakes),
      }
    }),
    items(value) {
      if (each === undefined) return [undefined]
      const found = pathReader(each)(value)
      const items: readonly unknown[] = Array.isArray(found) ? found : []
      return hasParts && !allParts ? items.filter(isFirstPart) : items
    },
  }
}

function pathsOfOptions({ from, firstOf, all, sum, count, filled }: Options): string[] {
  return [from, firstOf, all, sum, count, filled].flat().filter((path) => typeof path === 'string')
}

function textAt(node: SourceNode, key: string): string | undefined {
  const found = node.kind === 'map' ? node.entries.get(key)?.node : undefined
  return found?.kind === 'text' ? found.text : undefined
}

/** The rows with what they are made of; they come kind by kind, as the composer makes them. */
export function exportedRows(
  kinds: readonly ExportKind[],
  record: ApiRecord,
  rows: readonly (readonly string[])[],
): ExportedRow[] {
  const made = kinds.flatMap((kind) => kind.items(record).map((item) => ({ kind, item })))
  return made.flatMap(({ kind, item }, index) => {
    const cells = rows[index]
    return cells === undefined
      ? []
      : [{ kind, item, cells: kind.type === undefined ? cells : cells.slice(1) }]
  })
}

/** The records of a JSON file: in a list, alone or under `results` as the API shows them, or one on each line. */
export async function recordsIn(path: string): Promise<readonly ApiRecord[]> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    throw new BridgeError('usage-wrong', `there is no file ${path} that can be read`, { cause })
  }
  const list = listIn(text.replace(/^\uFEFF/, ''))
  if (Array.isArray(list) && list.every(isRecord)) return list
  const wrong = `${path} is no JSON list of records as the API shows them, and the mapping is for an export`
  throw new BridgeError('usage-wrong', `${wrong}; \`dropbridge export ROUTE --json\` prints such records`)
}

function listIn(text: string): unknown {
  const whole = parsed(text)
  if (Array.isArray(whole)) return whole
  const { results } = longFormOf(whole)
  if (results !== undefined) return results
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  // A refusal of the API is an object too, and no record.
  if (whole !== undefined) return longFormOf(whole)['id'] === undefined ? undefined : [whole]
  return lines.length === 0 ? undefined : lines.map(parsed)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is ApiRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
