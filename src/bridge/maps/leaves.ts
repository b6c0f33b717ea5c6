/** The leaves of an inbound mapping as they are written, beside what the API says of their fields. */
import type { FieldRule } from '../../contract/fields.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import type { InboundMapping } from '../../mapping/load.ts'
import { type Shape, shapeOf } from '../../mapping/shape.ts'
import { type SourceNode, toPlain } from '../../mapping/source/source.ts'

export interface MappingLeaf {
  /** `order_lines[].quantity`. */
  readonly field: string
  readonly rule: FieldRule
  readonly list: boolean
  /** Whether the API refuses a record without it. */
  readonly required: boolean
  readonly perRow: boolean
  /** In the long form, whichever way it is written. */
  readonly options: Readonly<Record<string, unknown>>
  /** The columns it reads; each under the names it may have. */
  readonly columns: readonly (readonly string[])[]
}

/** In the contract's order. */
export function leavesOfMapping({ operation, source }: InboundMapping): MappingLeaf[] {
  const contract = OPERATIONS[operation]
  const body = source.entries.get('body')?.node
  if (body === undefined || !('body' in contract)) return []
  return walk(body, shapeOf(contract.body), { field: '', perRow: false, needed: true })
}

interface At {
  readonly field: string
  readonly perRow: boolean
  readonly needed: boolean
}

function walk(node: SourceNode, shape: Shape, at: At): MappingLeaf[] {
  const needed = at.needed && shape.required
  if (shape.kind === 'object') {
    if (node.kind !== 'map') return []
    return [...shape.fields].flatMap(([name, field]) => {
      const below = node.entries.get(name)?.node
      if (below === undefined) return []
      return walk(below, field, { ...at, field: at.field === '' ? name : `${at.field}.${name}`, needed })
    })
  }
  if (shape.kind === 'list' && shape.item.kind === 'object') {
    const [item] = node.kind === 'list' ? node.items : []
    return item === undefined ? [] : walk(item, shape.item, { field: `${at.field}[]`, perRow: true, needed })
  }
  const field = shape.kind === 'list' ? shape.item : shape
  if (field.kind !== 'field' || field.rule === undefined) return []
  const options = longForm(node)
  const { rule } = field
  const own = { rule, list: shape.kind === 'list', required: needed, perRow: at.perRow }
  return [{ field: at.field, ...own, options, columns: columnsOfOptions(options) }]
}

function longForm(node: SourceNode): Readonly<Record<string, unknown>> {
  const plain = toPlain(node)
  return typeof plain === 'object' && plain !== null && !Array.isArray(plain)
    ? (plain as Record<string, unknown>)
    : { from: plain }
}

function columnsOfOptions(options: Readonly<Record<string, unknown>>): string[][] {
  const { from, firstOf, all, calc, oneOf } = options
  const several = [firstOf, all].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []))
  const calculated =
    typeof calc === 'string' ? [...calc.matchAll(/\[([^\]]+)\]/g)].map(([, name = '']) => name) : []
  const cases = Array.isArray(oneOf) ? (oneOf as unknown[]) : []
  const nested = cases.flatMap((each) =>
    typeof each === 'object' && each !== null
      ? columnsOfOptions(each as Record<string, unknown>)
      : namesOf(each),
  )
  return [...namesOf(from), ...several.flatMap(namesOf), ...calculated.map((name) => [name]), ...nested]
}

/** A name, or the names one column may have. */
function namesOf(written: unknown): string[][] {
  if (typeof written === 'string') return [[written]]
  return Array.isArray(written) ? [written.filter((name) => typeof name === 'string')] : []
}

/** The columns whose values the rows of one record share. */
export function groupColumns({ source }: InboundMapping): string[][] {
  const written = source.entries.get('group')?.node
  if (written === undefined) return []
  const group = longForm(written)
  const keys = group['by'] ?? group['from']
  const list: readonly unknown[] = Array.isArray(keys) ? keys : [keys]
  return list.flatMap((key) =>
    typeof key === 'object' && key !== null && !Array.isArray(key)
      ? columnsOfOptions(key as Record<string, unknown>)
      : namesOf(key),
  )
}
