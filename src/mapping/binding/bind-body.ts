/** Binds a body to the columns of one file: every field becomes a function that builds its value. */
import type { RuleViolation } from '../../contract/object-schema.ts'
import type { Row } from '../../domain/format.ts'
import { blameMapping, problem } from '../../domain/problem.ts'
import type { Place } from '../../domain/place.ts'
import type { ChoicePlan, ObjectPlan, Plan, RowsPlan } from '../fields/plan.ts'
import { bindChecks, bindCondition } from '../rows/bind-condition.ts'
import { describeMissingColumn } from '../rows/columns.ts'
import { formatCondition } from '../rows/conditions.ts'
import { normalizeProvince } from '../values/places.ts'
import { DEFERRED, FAILED } from '../values/text.ts'
import { bindLeaf, runAndRestore } from './bind-leaf.ts'
import { bindTotalChecks } from './bind-totals.ts'
import {
  type ExplainedField,
  explainLeftOut,
  explainLeftOutRow,
  explainProvince,
  explainSum,
} from './explained.ts'
import {
  type BindContext,
  type BoundLeaf,
  type BoundNode,
  type BoundObject,
  type BoundRows,
  locate,
  type RecordBuilder,
  resolveField,
} from './record-builder.ts'

function bindNode(plan: Plan, context: BindContext): BoundNode {
  switch (plan.kind) {
    case 'leaf':
      return bindLeaf(plan, context)
    case 'choice':
      return bindChoice(plan, context)
    case 'rows':
      return bindRows(plan, context)
    case 'object':
      return bindPlan(plan, context)
  }
}

/** Builds the fields in the contract's order and runs the rules that span several of them. */
export function bindPlan(plan: ObjectPlan, context: BindContext): BoundObject {
  const { builder } = context
  const when = plan.when && bindCondition(plan.when, { perRow: plan.perRow }, context)
  const fields = new Map(plan.fields.map(([name, field]) => [name, bindNode(field, context)]))
  const names = [...fields.keys()]
  const nodes = [...fields.values()]
  const builds = nodes.map((node) => node.build)
  const mayBeLeftOut = !plan.required && plan.hasColumns
  const fieldName = () => resolveField(plan, builder)
  const absent = (place: Place) => {
    const message = `Its condition does not hold, and the API requires ${fieldName()}.`
    builder.problems.push(problem('value-missing', { ...place, field: fieldName() }, message))
    return FAILED
  }
  const node: BoundObject = {
    kind: 'object',
    fields,
    ...(when === undefined ? {} : { applies: () => when.holds() }),
    place: () => ({ ...findObjectPlace(nodes), field: fieldName() }),
    explain() {
      const below = nodes.flatMap((field) => field.explain())
      if (plan.when !== undefined && !runAndRestore(builder, () => when?.holds()).result) {
        return explainLeftOut(below, 'condition', `left out: it takes that ${formatCondition(plan.when)}`)
      }
      if (mayBeLeftOut && runAndRestore(builder, () => node.build()).result === undefined) {
        return explainLeftOut(below, 'unfilled', `left out: no cell of ${fieldName()} is filled`)
      }
      return plan.province === undefined ? below : explainProvince(below, fieldName(), plan.province)
    },
    build() {
      if (when?.holds() === false) return plan.required ? absent(when.place()) : undefined
      const filledBefore = builder.filled
      const problemsBefore = builder.problems.length
      const value: Record<string, unknown> = {}
      for (let index = 0; index < builds.length; index += 1) {
        const built = builds[index]?.()
        if (built !== undefined) value[names[index] ?? ''] = built
      }
      if (mayBeLeftOut && builder.filled === filledBefore) {
        const { problems } = builder
        // Keeps the problems of the object's own conditions: these have no field.
        if (problems.length > problemsBefore)
          problems.push(...problems.splice(problemsBefore).filter(({ place }) => place.field === undefined))
        return undefined
      }
      if (plan.province !== undefined) normalizeProvince(value, plan.province)
      for (const rule of plan.rules) {
        for (const violation of rule(value)) builder.problems.push(toProblem(violation, node, context))
      }
      return builder.references.length + builder.deferred.length > 0 ? removeDeferred(value) : value
    },
  }
  return node
}

function removeDeferred(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== DEFERRED))
}

function toProblem(
  { code, path, message }: RuleViolation,
  node: BoundObject,
  { header, items }: Pick<BindContext, 'header' | 'items'>,
) {
  // the name of a field keeps its spelling
  const isField = /^\w+_\w/.test(message)
  const start = isField ? message.charAt(0) : message.charAt(0).toUpperCase()
  const { origin, ...place } = locateField(node, path)
  const { column = '' } = place
  const columns = [header, items].find((each) => each.absent().includes(column))
  const missing = columns && describeMissingColumn([column], columns)
  const fix =
    missing && (missing.fix ?? 'Rename the column of the file, or name it in the mapping as the file does.')
  return blameMapping(
    problem(code, place, `${start}${message.slice(1)}. ${missing?.message ?? ''}`.trimEnd(), fix),
    origin,
  )
}

const FIX_CONDITION = 'Correct the cell that `when` compares, or the condition in the mapping.'

/** Follows the path of a violation to the cell or the part of the mapping that fills the field, or as near as possible. */
function locateField(
  start: BoundNode,
  path: readonly (string | number)[],
): Place & Pick<BoundLeaf, 'origin'> {
  let node = start
  for (const step of path) {
    if (node.kind === 'rows' && typeof step === 'number') {
      node.select(step)
      node = node.item
    } else if (node.kind === 'object') {
      const field = node.fields.get(String(step))
      if (field === undefined) {
        const { column: _, field: above, ...line } = node.place()
        return { ...line, field: above ? `${above}.${step}` : String(step) }
      }
      node = field
    }
  }
  return node.kind === 'leaf' ? { ...node.place(), origin: node.origin } : node.place()
}

/** Returns the place of the first filled cell below the object, else of its first cell. */
function findObjectPlace(nodes: readonly BoundNode[]): Place {
  let firstPlace: Place | undefined
  for (const node of nodes) {
    if (node.kind === 'rows') continue
    const place = node.place()
    if (node.kind === 'leaf' && node.text() !== '') return place
    if (firstPlace?.column === undefined) firstPlace = place
  }
  return firstPlace ?? {}
}

// Arrays: one line per row, except for rows that are left out or added to another line.

function bindRows(plan: RowsPlan, context: BindContext): BoundRows {
  const { builder } = context
  const item = bindPlan(plan.item, context)
  const checks = [
    ...(plan.checks === undefined ? [] : [bindChecks(plan.checks, true, context)]),
    ...(plan.totals === undefined ? [] : [bindTotalChecks(plan.totals, context)]),
  ]
  const place = () => locate(builder, false, { field: plan.field })
  const node: BoundRows = {
    kind: 'rows',
    item,
    place,
    choose() {
      builder.lineRows = selectApplicableRows(item, builder)
    },
    select(index) {
      builder.index = index
      builder.row = builder.bodyRows[index]
    },
    build() {
      const rows = builder.lineRows
      builder.bodyRows = rows
      if (rows.length === 0) {
        // A condition that could not be decided has already added a problem.
        if (builder.itemRows.length > 0 && builder.problems.length > 0) return FAILED
        const message = `The record has no rows for ${plan.field}; the API requires at least one.`
        const fix = 'Add the detail rows of the record.'
        builder.problems.push(problem('value-missing', place(), message, fix))
        return FAILED
      }
      const items: unknown[] = []
      for (let index = 0; index < rows.length; index += 1) {
        const row = rows[index]
        builder.index = index
        builder.row = row
        items.push(row?.problems === undefined ? item.build() : FAILED)
        if (row?.problems === undefined) for (const check of checks) check()
      }
      return plan.addUpTo === undefined ? items : addUpLines(items, builder, plan.field, plan.addUpTo)
    },
    explain: () => runAndRestore(builder, () => explainRows(plan, node, builder)).result,
  }
  return node
}

/** Lists the fields of each line, and an entry for each row that makes no line. */
function explainRows(plan: RowsPlan, node: BoundRows, builder: RecordBuilder): ExplainedField[] {
  const built = node.build()
  const lines: readonly unknown[] = Array.isArray(built) ? built : []
  const made = builder.bodyRows.flatMap((row, index) => {
    if (row.problems !== undefined) return []
    node.select(index)
    const fields = node.item.explain()
    return plan.addUpTo === undefined ? fields : explainSum(fields, lines[index])
  })
  const { when } = plan.item
  if (when === undefined) return made
  const kept = new Set(builder.lineRows)
  const leftOutRows = builder.itemRows.filter((row) => !kept.has(row))
  const conditionText = formatCondition(when)
  return [...made, ...leftOutRows.map((row) => explainLeftOutRow(plan.item.field, row.line, conditionText))]
}

function selectApplicableRows(item: BoundObject, builder: RecordBuilder): readonly Row[] {
  const { applies } = item
  if (applies === undefined) return builder.itemRows
  return builder.itemRows.filter((row, index) => {
    builder.row = row
    builder.index = index
    return row.problems !== undefined || applies()
  })
}

interface AddedLine {
  item: Record<string, unknown>
  readonly row: Row | undefined
  /** Lines without a quantity are added to no other. */
  readonly quantity: number | undefined
  isSum: boolean
}

/** Merges lines that differ only in quantity into the first of them. */
function addUpLines(items: readonly unknown[], builder: RecordBuilder, field: string, addUpTo: number) {
  if (items.length < 2) return items
  const lines: AddedLine[] = []
  const findSame = items.length > MAX_COMPARED ? createKeyedSearch() : createSearch(lines)
  for (const [index, built] of items.entries()) {
    const item = built as Record<string, unknown>
    const quantity = readQuantity(item)
    const line: AddedLine = { item, row: builder.bodyRows[index], quantity, isSum: false }
    const same = quantity === undefined ? undefined : findSame(line)
    if (same === undefined) lines.push(line)
    else {
      same.item = { ...same.item, quantity: (readQuantity(same.item) ?? 0) + (quantity ?? 0) }
      same.isSum = true
    }
  }
  if (lines.length === items.length) return items
  builder.bodyRows = lines.flatMap(({ row }) => row ?? [])
  for (const [index, { item, row, isSum }] of lines.entries()) {
    const sum = readQuantity(item) ?? 0
    if (!isSum || sum <= addUpTo) continue
    const place = { ...(row === undefined ? {} : { line: row.line }), field: `${field}[${index}].quantity` }
    const message = `The quantities of the item add up to ${sum}; the API takes at most ${addUpTo}.`
    builder.problems.push(problem('number-out-of-range', place, message))
  }
  return lines.map(({ item }) => item)
}

/** Few lines are compared with each other; of more, their texts are looked up. */
const MAX_COMPARED = 16

function createSearch(lines: readonly AddedLine[]) {
  return ({ item }: AddedLine) =>
    lines.find((line) => line.quantity !== undefined && isSameExcept(line.item, item, 'quantity'))
}

/** Notes each line that it does not find. */
function createKeyedSearch() {
  const known = new Map<string, AddedLine>()
  return (line: AddedLine) => {
    const key = JSON.stringify({ ...line.item, quantity: null })
    const same = known.get(key)
    if (same === undefined) known.set(key, line)
    return same
  }
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  const areObjects = typeof one === 'object' && typeof other === 'object' && one !== null && other !== null
  return areObjects && isSameExcept(one, other, undefined)
}

function isSameExcept(one: object, other: object, left: string | undefined): boolean {
  const names = Object.keys(one)
  if (names.length !== Object.keys(other).length) return false
  const [first, second] = [one, other] as readonly Readonly<Record<string, unknown>>[]
  return names.every((name) => name === left || isSame(first?.[name], second?.[name]))
}

function readQuantity(item: unknown): number | undefined {
  const quantity = typeof item === 'object' && item !== null && 'quantity' in item ? item.quantity : undefined
  return typeof quantity === 'number' ? quantity : undefined
}

// Choices: builds the first leaf whose condition holds.

function bindChoice(plan: ChoicePlan, context: BindContext): BoundLeaf {
  const { builder } = context
  const options = plan.options.map(({ when, leaf }) => ({
    condition: when && bindCondition(when, { perRow: plan.perRow }, context),
    leaf: bindLeaf(leaf, context),
  }))
  const chosen = () => options.find(({ condition }) => condition?.holds() ?? true)?.leaf
  const fieldName = () => resolveField(plan, builder)
  const place = () => chosen()?.place() ?? { ...options[0]?.condition?.place(), field: fieldName() }
  return {
    kind: 'leaf',
    columns: options.flatMap(({ leaf }) => leaf.columns),
    place,
    text: () => chosen()?.text() ?? '',
    explain() {
      const isTaken = ({ condition }: (typeof options)[number]) => condition?.holds() ?? true
      const branch = runAndRestore(builder, () => options.findIndex(isTaken)).result
      const when = plan.options[branch]?.when
      const note = when === undefined ? 'no other condition holds' : `when ${formatCondition(when)}`
      const fields = options[branch]?.leaf.explain()
      return fields === undefined
        ? [{ field: fieldName(), cells: [], steps: [], branch, note: 'left out: no condition holds' }]
        : fields.map((field) => ({ ...field, branch, note }))
    },
    build() {
      const leaf = chosen()
      if (leaf !== undefined) return leaf.build()
      if (!plan.required) return undefined
      const message = `No condition for it holds, and the API requires ${fieldName()}.`
      builder.problems.push(problem('value-missing', place(), message, FIX_CONDITION))
      return FAILED
    },
  }
}
