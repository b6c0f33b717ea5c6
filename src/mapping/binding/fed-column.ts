/** Which column of the file feeds a field, for messages of the API about it. */
import type { BoundNode, BoundObject } from './building.ts'

/** The column of the field, or of the first fed field of an object. */
export function columnBelow(body: BoundObject, field: string): string | undefined {
  let node: BoundNode | undefined = body
  for (const name of field.replace(/\[\d*\]/g, '').split('.')) {
    const object: BoundNode | undefined = node?.kind === 'rows' ? node.item : node
    node = object?.kind === 'object' ? object.fields.get(name) : undefined
  }
  return node === undefined ? undefined : firstColumn(node)
}

function firstColumn(node: BoundNode): string | undefined {
  if (node.kind === 'leaf') return node.columns[0]?.name
  if (node.kind === 'rows') return firstColumn(node.item)
  for (const field of node.fields.values()) {
    const column = firstColumn(field)
    if (column !== undefined) return column
  }
  return undefined
}
