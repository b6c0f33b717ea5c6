/** Compiles the `body` of a mapping against the contract: every field known, every required field fed. */
import { didYouMean } from '../../support/nearest.ts'
import { compileValue } from './choices.ts'
import { compileCondition, type Condition } from '../rows/conditions.ts'
import { conditionsOf, type LeafContext } from './leaf.ts'
import { compileOrderLines, takesOrderLines } from './order-lines.ts'
import type { ObjectPlan, Plan, RowsPlan } from './plan.ts'
import { describeRule, type ListShape, type ObjectShape, type Shape } from '../shape.ts'
import { keyPlace, type MapNode, type SourceNode } from '../source/source.ts'

export interface BodyPlace {
  readonly field: string
  /** Whether the place is inside the array that is filled once per row. */
  readonly perRow: boolean
  /** Whether every object above is required. */
  readonly needed: boolean
}

/** The plan of the object, or undefined after its mistakes were noted; those of its fields are noted too. */
export function compileBody(
  node: SourceNode,
  shape: ObjectShape,
  place: BodyPlace,
  context: LeafContext,
): ObjectPlan | undefined {
  const { mistakes } = context
  if (node.kind !== 'map') {
    mistakes.add(
      node,
      `this is an object with the fields ${[...shape.fields.keys()].join(', ')}: map each of them`,
    )
    return undefined
  }
  const fields: [string, Plan][] = []
  const known = [...shape.fields.keys()]
  for (const [name] of node.entries) {
    if (shape.fields.has(name) || name === 'when') continue
    mistakes.add(
      keyPlace(node, name),
      `the API has no such field.${didYouMean(name, known) || ` It has: ${known.join(', ')}.`}`,
    )
  }
  const conditional = node.entries.has('when')
  const when = conditional ? compileWhen(node, place, context) : undefined
  for (const [name, field] of shape.fields) {
    const entry = node.entries.get(name)
    const below = {
      ...place,
      field: place.field === '' ? name : `${place.field}.${name}`,
      needed: place.needed && !conditional,
    }
    if (entry !== undefined) {
      const plan = compileField(entry.node, field, below, context)
      if (plan !== undefined) fields.push([name, plan])
    } else if (field.required) {
      const what = field.kind === 'field' && field.rule ? ` (${describeRule(field.rule)})` : ''
      mistakes.add(node, `the API requires ${name}${what}: map it to a column or a constant`)
    }
  }
  const province = provinceOf(shape)
  return {
    kind: 'object',
    field: place.field,
    perRow: place.perRow,
    ...(when === undefined ? {} : { when }),
    fields,
    rules: shape.rules,
    required: shape.required,
    hasColumns: fields.some(([, plan]) => hasColumns(plan)),
    ...(province === undefined ? {} : { province }),
  }
}

function compileWhen(node: MapNode, place: BodyPlace, context: LeafContext): Condition | undefined {
  const { mistakes } = context
  const written = node.entries.get('when')?.node
  if (written === undefined) return undefined
  if (place.field === '') {
    mistakes.add(keyPlace(node, 'when'), 'to leave out whole records, write `only` beside `body`')
    return undefined
  }
  return compileCondition(written, conditionsOf(context, place.perRow))
}

function compileField(
  node: SourceNode,
  shape: Shape,
  place: BodyPlace,
  context: LeafContext,
): Plan | undefined {
  const needed = place.needed && shape.required
  switch (shape.kind) {
    case 'object':
      return compileBody(node, shape, { ...place, needed }, context)
    case 'list':
      return compileList(node, shape, { ...place, needed }, context)
    case 'field':
      if (shape.rule === undefined) break
      return compileValue(
        node,
        { ...place, rule: shape.rule, list: false, required: shape.required, needed },
        context,
      )
    case 'open':
      break
  }
  context.mistakes.add(node, 'the API takes no value here')
  return undefined
}

function compileList(
  node: SourceNode,
  shape: ListShape,
  place: BodyPlace,
  context: LeafContext,
): Plan | undefined {
  const { item, required } = shape
  if (item.kind === 'field' && item.rule !== undefined) {
    return compileValue(node, { ...place, rule: item.rule, list: true, required }, context)
  }
  if (takesOrderLines(node) && item.kind === 'object')
    return compileOrderLines(node, { ...place, required }, context)
  const [only, second] = node.kind === 'list' ? node.items : []
  if (item.kind !== 'object' || only === undefined || second !== undefined) {
    context.mistakes.add(
      second ?? node,
      'this is an array that is filled once per row: write one item, after one dash',
    )
    return undefined
  }
  const rows: BodyPlace = { ...place, field: `${place.field}[]`, perRow: true }
  const plan = compileBody(only, item, rows, context)
  return plan === undefined
    ? undefined
    : ({ kind: 'rows', field: place.field, item: plan, required } satisfies RowsPlan)
}

function hasColumns(plan: Plan): boolean {
  if (plan.kind === 'leaf') return plan.alternatives.length > 0
  if (plan.kind === 'choice') return plan.options.some(({ leaf }) => hasColumns(leaf))
  return plan.kind === 'rows' ? hasColumns(plan.item) : plan.hasColumns
}

function provinceOf(shape: ObjectShape): ObjectPlan['province'] {
  const named = (kind: 'province' | 'country') =>
    [...shape.fields].find(([, field]) => field.kind === 'field' && field.rule?.kind === kind)?.[0]
  const field = named('province')
  const countryField = named('country')
  return field === undefined || countryField === undefined ? undefined : { field, countryField }
}
