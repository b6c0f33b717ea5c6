/** Compiles a value of the body that depends on a condition: a leaf with `when`, or `oneOf` several. */
import { compileCondition } from '../rows/conditions.ts'
import { compileLeaf, conditionsOf, type LeafContext, type LeafTarget } from './leaf.ts'
import type { ChoicePlan, LeafPlan } from './plan.ts'
import { keyPlace, type MapNode, type SourceNode } from '../source/source.ts'

/** The plan of a leaf, conditional or not; undefined after its mistakes were noted. */
export function compileValue(
  node: SourceNode,
  target: LeafTarget,
  context: LeafContext,
): LeafPlan | ChoicePlan | undefined {
  if (node.kind !== 'map' || !(node.entries.has('when') || node.entries.has('oneOf'))) {
    return compileLeaf(node, target, context)
  }
  const { field, perRow, required } = target
  const nodes = node.entries.has('oneOf') ? optionNodes(node, context) : [node]
  const options = nodes.flatMap((option) => compileOption(option, target, context) ?? [])
  if (nodes.length === 0 || options.length < nodes.length) return undefined
  return { kind: 'choice', field, perRow, options, required }
}

function optionNodes(node: MapNode, { mistakes }: LeafContext): readonly SourceNode[] {
  for (const name of node.entries.keys()) {
    if (name !== 'oneOf')
      mistakes.add(keyPlace(node, name), '`oneOf` stands alone: write this in its options')
  }
  const list = node.entries.get('oneOf')?.node
  if (list?.kind !== 'list' || list.items.length === 0) {
    mistakes.add(list ?? node, 'expected a list of options, each with `when`; the last may be without')
    return []
  }
  for (const item of list.items.slice(0, -1)) {
    if (item.kind === 'map' && item.entries.has('when')) continue
    mistakes.add(item, 'only the last option may be without `when`: those after it would never be taken')
  }
  return list.items
}

function compileOption(
  node: SourceNode,
  target: LeafTarget,
  context: LeafContext,
): ChoicePlan['options'][number] | undefined {
  const conditional: LeafTarget = { ...target, needed: false }
  const when = node.kind === 'map' ? node.entries.get('when')?.node : undefined
  if (node.kind !== 'map' || when === undefined) {
    const leaf = compileLeaf(node, conditional, context)
    return leaf && { leaf }
  }
  const condition = compileCondition(when, conditionsOf(context, target.perRow))
  const entries = new Map([...node.entries].filter(([name]) => name !== 'when'))
  const leaf = compileLeaf({ ...node, entries }, conditional, context)
  return condition && leaf && { when: condition, leaf }
}
