/** Values that are remembered beside an order for the files that come or go later: the `keep` of a mapping. */
import type { InboundOperation } from '../contract/inbound-operations.ts'
import type { LeafContext } from './fields/leaf.ts'
import { compileLeaf } from './fields/leaf.ts'
import type { LeafPlan, ObjectPlan } from './fields/plan.ts'
import type { Shape } from './shape.ts'
import { keyPlace, type MapNode } from './source/source.ts'

/** Nobody keeps texts here, only what somebody else wants back. */
const LONGEST_KEPT = 500

/** Why a mapping can take nothing from an order; undefined for records that are about one. */
export function noOrderOf(
  { name }: InboundOperation & { readonly name: string },
  body: Shape,
): string | undefined {
  const names = (field: string) => body.kind === 'object' && body.fields.has(field)
  if (name !== 'create-order' && (names('order_id') || names('purchase_order_number'))) return undefined
  return `the records of ${name} are about no order that the API has, so nothing can be taken from it`
}

/** The values an inbound mapping keeps; undefined when there are none, or after their mistakes were noted. */
export function compileKeep(root: MapNode, operation: string, context: LeafContext): ObjectPlan | undefined {
  const node = root.entries.get('keep')?.node
  if (node?.kind !== 'map') return undefined
  if (operation !== 'create-order') {
    context.mistakes.add(keyPlace(root, 'keep'), '`keep` is for create-order and for exports')
    return undefined
  }
  const fields = [...node.entries].flatMap(([name, entry]): [string, LeafPlan][] => {
    const target = {
      field: `keep.${name}`,
      perRow: false,
      rule: { kind: 'text', max: LONGEST_KEPT },
      list: false,
      required: false,
      needed: false,
    } as const
    const leaf = compileLeaf(entry.node, target, context)
    return leaf === undefined ? [] : [[name, leaf]]
  })
  return { kind: 'object', field: 'keep', perRow: false, fields, rules: [], required: true, hasColumns: true }
}
