/** Compiles the `body` of a mapping: the contract must know every field, and every required one must be fed. */
import { didYouMean } from '../../support/text.ts'
import { compileCondition, type Condition } from '../rows/conditions.ts'
import { describeRule, type ListShape, type ObjectShape, type Shape } from '../shape.ts'
import { getEntry, locateKey, type MapNode, type MappingErrors, type SourceNode } from '../source/source.ts'
import { normalizeProvince } from '../values/places.ts'
import { compileLeaf, createConditionContext, type LeafContext } from './leaf.ts'
import { compileOrderLines, takesOrderLines } from './order-lines.ts'
import { type LeafTarget, listLeaves, type ObjectPlan, type Plan } from './plan.ts'

type BodyPlace = Pick<LeafTarget, 'field' | 'perRow' | 'needed'>

export function compileBody(
  node: SourceNode,
  shape: ObjectShape,
  place: BodyPlace,
  context: LeafContext,
): ObjectPlan | undefined {
  const { errors } = context
  const known = [...shape.fields.keys()]
  if (node.kind !== 'map') {
    return errors.add(node, `this is an object with the fields ${known.join(', ')}: map each of them`)
  }
  const fields: [string, Plan][] = []
  for (const [name] of node.entries) {
    if (shape.fields.has(name) || name === 'when') continue
    const meant = didYouMean(name, known) || ` It has: ${known.join(', ')}.`
    errors.add(locateKey(node, name), `the API has no such field.${meant}`)
  }
  const conditional = node.entries.has('when')
  const when = conditional ? compileWhen(node, place, context) : undefined
  for (const [name, field] of shape.fields) {
    const entry = getEntry(node, name)
    const path = place.field === '' ? name : `${place.field}.${name}`
    const below = { ...place, field: path, needed: place.needed && !conditional }
    if (entry !== undefined) {
      const plan = compileField(entry, field, below, context)
      if (plan !== undefined) fields.push([name, plan])
    } else if (field.required) {
      const what = field.kind === 'field' && field.rule ? ` (${describeRule(field.rule)})` : ''
      errors.add(node, `the API requires ${name}${what}: map it to a column or a constant`)
    }
  }
  const { field, perRow } = place
  const { rules, required } = shape
  const fromColumns = fields.some(([, plan]) => hasColumns(plan))
  const province = findProvinceFields(shape)
  checkHeldValues({ fields, rules, province }, errors)
  return { kind: 'object', field, perRow, when, fields, rules, required, hasColumns: fromColumns, province }
}

/** Checks each value of the mapping itself by the rules of its object, beside the constants of that object. */
function checkHeldValues(
  { fields, rules, province }: Pick<ObjectPlan, 'fields' | 'rules' | 'province'>,
  errors: MappingErrors,
): void {
  if (rules.length === 0) return
  const isConstant = (plan: Plan) => plan.kind === 'leaf' && plan.written?.options.const !== undefined
  const constants = fields.flatMap(([name, plan]) =>
    isConstant(plan) ? [[name, listLeaves(plan)[0]?.fallback]] : [],
  )
  const known = Object.fromEntries(constants) as Record<string, unknown>
  for (const [name, plan] of fields.filter(([, { kind }]) => kind === 'leaf' || kind === 'choice')) {
    for (const { value, place } of listLeaves(plan).flatMap((leaf) => leaf.held?.() ?? [])) {
      const trial = { ...known, [name]: value }
      if (province !== undefined) normalizeProvince(trial, province)
      // The other codes are about values that only a record has.
      const wrong = rules
        .flatMap((rule) => rule(trial))
        .find(({ code, path }) => /^(?:province-unknown|field-invalid)$/.test(code) && path[0] === name)
      if (wrong !== undefined) errors.add(place, wrong.message)
    }
  }
}

function compileWhen(node: MapNode, place: BodyPlace, context: LeafContext): Condition | undefined {
  const written = getEntry(node, 'when')
  if (written === undefined) return undefined
  if (place.field === '') {
    const message = 'to leave out whole records, write `only` beside `body`'
    return context.errors.add(locateKey(node, 'when'), message)
  }
  return compileCondition(written, createConditionContext(context, place.perRow))
}

function compileField(node: SourceNode, shape: Shape, place: BodyPlace, context: LeafContext) {
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
        { ...place, required: shape.required, rule: shape.rule, list: false, needed },
        context,
      )
    case 'open':
      break
  }
  return context.errors.add(node, 'the API takes no value here')
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
    const message = 'this is an array that is filled once per row: write one item, after one dash'
    return context.errors.add(second ?? node, message)
  }
  const rows: BodyPlace = { ...place, field: `${place.field}[]`, perRow: true }
  const plan = compileBody(only, item, rows, context)
  return plan && { kind: 'rows', field: place.field, item: plan, required }
}

function hasColumns(plan: Plan): boolean {
  if (plan.kind === 'leaf') return plan.alternatives.length > 0
  if (plan.kind === 'choice') return plan.options.some(({ leaf }) => hasColumns(leaf))
  return plan.kind === 'rows' ? hasColumns(plan.item) : plan.hasColumns
}

function findProvinceFields(shape: ObjectShape): ObjectPlan['province'] {
  const named = (kind: 'province' | 'country') =>
    [...shape.fields].find(([, field]) => field.kind === 'field' && field.rule?.kind === kind)?.[0]
  const field = named('province')
  const countryField = named('country')
  return field === undefined || countryField === undefined ? undefined : { field, countryField }
}

// A value that depends on a condition: a leaf with `when`, or `oneOf` several.

function compileValue(node: SourceNode, target: LeafTarget, context: LeafContext): Plan | undefined {
  if (node.kind !== 'map' || !(node.entries.has('when') || node.entries.has('oneOf'))) {
    return compileLeaf(node, target, context)
  }
  const nodes = node.entries.has('oneOf') ? listOptions(node, context) : [node]
  const options = nodes.flatMap((option) => compileOption(option, target, context) ?? [])
  if (nodes.length === 0 || options.length < nodes.length) return undefined
  return { kind: 'choice', ...target, options }
}

function listOptions(node: MapNode, { errors }: LeafContext): readonly SourceNode[] {
  for (const name of node.entries.keys()) {
    if (name !== 'oneOf') errors.add(locateKey(node, name), '`oneOf` stands alone: write this in its options')
  }
  const list = getEntry(node, 'oneOf')
  if (list?.kind !== 'list' || list.items.length === 0) {
    errors.add(list ?? node, 'expected a list of options, each with `when`; the last may be without')
    return []
  }
  for (const item of list.items.slice(0, -1)) {
    if (item.kind === 'map' && item.entries.has('when')) continue
    errors.add(item, 'only the last option may be without `when`: those after it would never be taken')
  }
  return list.items
}

function compileOption(node: SourceNode, target: LeafTarget, context: LeafContext) {
  const conditional: LeafTarget = { ...target, needed: false }
  const when = getEntry(node, 'when')
  if (node.kind !== 'map' || when === undefined) {
    const leaf = compileLeaf(node, conditional, context)
    return leaf && { leaf }
  }
  const condition = compileCondition(when, createConditionContext(context, target.perRow))
  const entries = new Map([...node.entries].filter(([name]) => name !== 'when'))
  const leaf = compileLeaf({ ...node, entries }, conditional, context)
  return condition && leaf && { when: condition, leaf }
}
