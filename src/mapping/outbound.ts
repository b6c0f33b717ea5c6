/** Compiles an outbound mapping: which rows a record makes, and what stands in each column. */
import type { OutboundOperation } from '../contract/operations.ts'
import type { Composer } from '../domain/translator.ts'
import { type CellPlan, compileCell } from './cell.ts'
import { checkPart } from './check.ts'
import { createComposer } from './composer.ts'
import { type Example, OutboundFile } from './file.ts'
import { followPath } from './paths.ts'
import { type ObjectShape, type Shape, shapeOf } from './shape.ts'
import { keyPlace, type MapNode, type Mistakes } from './source.ts'
import { compileTables, type ReadTable } from './tables.ts'

export interface CompiledOutbound {
  readonly composer: Composer
  readonly examples: readonly Example[]
}

/** The composer, or undefined after every mistake was noted. */
export async function compileOutbound(
  root: MapNode,
  operation: OutboundOperation & { readonly name: string },
  context: { readonly readTable: ReadTable; readonly mistakes: Mistakes },
): Promise<CompiledOutbound | undefined> {
  const { mistakes } = context
  const file = checkPart(OutboundFile, root, mistakes)
  const tables = await compileTables(root.entries.get('tables')?.node, context)
  const record = shapeOf(operation.record)
  const item = checkEach(root, record, mistakes)
  const each = item === undefined ? undefined : file?.each
  const columnsNode = root.entries.get('columns')?.node
  if (columnsNode?.kind !== 'map' || columnsNode.entries.size === 0) {
    mistakes.add(
      columnsNode ?? root,
      'columns are missing: each column of the file, and the path of the API field in it',
    )
    return undefined
  }
  const cells: CellPlan[] = []
  for (const [name, { node }] of columnsNode.entries) {
    if (name.trim() === '') mistakes.add(keyPlace(columnsNode, name), 'a column needs a name')
    const cell = compileCell(name, node, { mistakes, tables, record, item, each })
    if (cell !== undefined) cells.push(cell)
  }
  if (file === undefined || mistakes.count() > 0) return undefined
  const composer = createComposer({
    operation: operation.name,
    write: file.write ?? { format: 'csv' },
    each,
    firstPartsOnly: item?.fields.has('part') === true && file.parts !== 'all',
    cells,
  })
  return { composer, examples: file.examples ?? [] }
}

/** The items that make a row each; undefined when a record makes one row, or the mistake was noted. */
function checkEach(root: MapNode, record: Shape, mistakes: Mistakes): ObjectShape | undefined {
  const node = root.entries.get('each')?.node
  const parts = root.entries.get('parts')?.node
  const item = node?.kind === 'text' ? itemAt(record, node.text) : undefined
  if (typeof item === 'string' && node !== undefined) mistakes.add(node, item)
  const shape = typeof item === 'string' ? undefined : item
  if (parts !== undefined && shape?.fields.has('part') !== true) {
    mistakes.add(parts, '`parts` is for rows of shipment lines: it needs `each: shipment_lines`')
  }
  return shape
}

function itemAt(record: Shape, path: string): ObjectShape | string {
  const followed = followPath(record, path)
  if ('mistake' in followed) return followed.mistake
  const { found } = followed
  return found.kind === 'list' && found.item.kind === 'object' ? found.item : `${path} is no list of objects`
}
