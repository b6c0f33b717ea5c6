/** Binds the array of a record: one line per row, but for rows that are left out or added to another line. */
import type { Row } from '../../domain/document.ts'
import { type Place, problem } from '../../domain/problem.ts'
import { bindChecks } from '../rows/bind-condition.ts'
import { conditionInWords } from '../rows/conditions.ts'
import type { BindContext, BoundObject, BoundRows, Building } from './building.ts'
import { tracked } from './explain-leaf.ts'
import { rowLeftOut, withSum } from './explain-object.ts'
import type { ExplainedField } from './explained.ts'
import type { RowsPlan } from '../fields/plan.ts'
import { FAILED } from '../values/value.ts'

export function bindRows(plan: RowsPlan, context: BindContext, item: BoundObject): BoundRows {
  const { building } = context
  const { addUpTo } = plan
  const check = plan.checks && bindChecks(plan.checks, true, context)
  const place = (): Place => {
    const line = building.headerRows[0]?.line
    return { ...(line === undefined ? {} : { line }), field: plan.field }
  }
  const node: BoundRows = {
    kind: 'rows',
    item,
    place,
    choose() {
      building.lineRows = rowsThatApply(item, building)
    },
    select(index) {
      building.index = index
      building.row = building.bodyRows[index]
    },
    build() {
      const rows = building.lineRows
      building.bodyRows = rows
      if (rows.length === 0) {
        // A condition that could not be decided has said so.
        if (building.itemRows.length > 0 && building.problems.length > 0) return FAILED
        const message = `The record has no rows for ${plan.field}; the API requires at least one.`
        building.problems.push(
          problem('value-missing', place(), message, 'Add the detail rows of the record.'),
        )
        return FAILED
      }
      const items: unknown[] = []
      for (let index = 0; index < rows.length; index += 1) {
        const row = rows[index]
        building.index = index
        building.row = row
        items.push(row?.problems === undefined ? item.build() : FAILED)
        if (row?.problems === undefined) check?.()
      }
      return addUpTo === undefined ? items : addedUp(items, { building, addUpTo, field: plan.field })
    },
    explain: () => tracked(building, () => explainRows(plan, node, building)).result,
  }
  return node
}

/** The fields of each line, and each row that makes none. */
function explainRows(plan: RowsPlan, node: BoundRows, building: Building): ExplainedField[] {
  const built = node.build()
  const lines: readonly unknown[] = Array.isArray(built) ? built : []
  const made = building.bodyRows.flatMap((row, index) => {
    if (row.problems !== undefined) return []
    node.select(index)
    const fields = node.item.explain()
    return plan.addUpTo === undefined ? fields : withSum(fields, lines[index])
  })
  const { when } = plan.item
  if (when === undefined) return made
  const kept = new Set(building.lineRows)
  const others = building.itemRows.filter((row) => !kept.has(row))
  return [...made, ...others.map((row) => rowLeftOut(plan.item.field, row.line, conditionInWords(when)))]
}

function rowsThatApply(item: BoundObject, building: Building): readonly Row[] {
  const { applies } = item
  if (applies === undefined) return building.itemRows
  return building.itemRows.filter((row, index) => {
    building.row = row
    building.index = index
    return row.problems !== undefined || applies()
  })
}

/** Lines that agree in everything but their quantity become one, where the first of them stands. */
function addedUp(
  items: readonly unknown[],
  { building, addUpTo, field }: { building: Building; addUpTo: number; field: string },
): unknown[] {
  const lines = new Map<unknown, { readonly item: Record<string, unknown>; readonly row: Row | undefined }>()
  for (const [index, item] of items.entries()) {
    const row = building.bodyRows[index]
    const quantity = quantityOf(item)
    if (quantity === undefined) {
      lines.set(index, { item: item as Record<string, unknown>, row })
      continue
    }
    const key = JSON.stringify({ ...(item as object), quantity: null })
    const first = lines.get(key)
    if (first === undefined) {
      lines.set(key, { item: { ...(item as object), quantity }, row })
      continue
    }
    first.item['quantity'] = (quantityOf(first.item) ?? 0) + quantity
  }
  const added = [...lines.values()]
  building.bodyRows = added.flatMap(({ row }) => row ?? [])
  for (const [index, { item, row }] of added.entries()) {
    const sum = quantityOf(item) ?? 0
    if (sum <= addUpTo) continue
    const place = { ...(row === undefined ? {} : { line: row.line }), field: `${field}[${index}].quantity` }
    const message = `The quantities of the item add up to ${sum}; the API takes at most ${addUpTo}.`
    building.problems.push(problem('number-out-of-range', place, message))
  }
  return added.map(({ item }) => item)
}

function quantityOf(item: unknown): number | undefined {
  const quantity = typeof item === 'object' && item !== null && 'quantity' in item ? item.quantity : undefined
  return typeof quantity === 'number' ? quantity : undefined
}
