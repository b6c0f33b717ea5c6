/** The leaves of an inbound mapping as they are written, beside what the API says of their fields. */
import type { FieldRule } from '../../contract/fields.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import type { InboundMapping } from '../../mapping/load.ts'
import { columnOf } from '../../mapping/calc/parse-calc.ts'
import { looksKnown } from '../../mapping/rows/known.ts'
import { type Shape, shapeOf } from '../../mapping/shape.ts'
import { type SourceNode, toPlain } from '../../mapping/source/source.ts'

export type Options = Readonly<Record<string, unknown>>

/** The columns something reads; each under the names it may have. */
export type Columns = readonly (readonly string[])[]

export interface MappingLeaf {
  /** `order_lines[].quantity`. */
  readonly field: string
  readonly rule: FieldRule
  readonly list: boolean
  /** Whether the API refuses a record without it. */
  readonly required: boolean
  readonly perRow: boolean
  /** The values it may take: one, or those of `oneOf`. */
  readonly branches: readonly LeafBranch[]
}

export interface LeafBranch {
  /** The condition under which it is taken. */
  readonly when?: Options
  /** In the long form, whichever way it is written. */
  readonly options: Options
  readonly columns: Columns
}

export interface MappedBody {
  /** In the contract's order. */
  readonly leaves: readonly MappingLeaf[]
  /** The paths of the objects that depend on a condition, and those conditions. */
  readonly conditional: readonly {
    readonly field: string
    readonly perRow: boolean
    readonly when: Options
  }[]
}

export function leavesOfMapping(mapping: InboundMapping): readonly MappingLeaf[] {
  return mappedBody(mapping).leaves
}

export function mappedBody({ operation, source }: InboundMapping): MappedBody {
  const contract = OPERATIONS[operation]
  const body = source.entries.get('body')?.node
  if (body === undefined || !('body' in contract)) return { leaves: [], conditional: [] }
  return walk(body, shapeOf(contract.body), { field: '', perRow: false, needed: true })
}

interface At {
  readonly field: string
  readonly perRow: boolean
  readonly needed: boolean
}

const NOTHING: MappedBody = { leaves: [], conditional: [] }

function walk(node: SourceNode, shape: Shape, at: At): MappedBody {
  if (shape.kind === 'object') return node.kind === 'map' ? walkObject(node, shape, at) : NOTHING
  const needed = at.needed && shape.required
  if (shape.kind === 'list' && shape.item.kind === 'object') {
    const [item] = node.kind === 'list' ? node.items : []
    return item === undefined
      ? NOTHING
      : walk(item, shape.item, { field: `${at.field}[]`, perRow: true, needed })
  }
  const field = shape.kind === 'list' ? shape.item : shape
  if (field.kind !== 'field' || field.rule === undefined) return NOTHING
  const { rule } = field
  const own = { rule, list: shape.kind === 'list', required: needed, perRow: at.perRow }
  return { leaves: [{ field: at.field, ...own, branches: branchesOf(longForm(node)) }], conditional: [] }
}

function walkObject(
  node: Extract<SourceNode, { kind: 'map' }>,
  shape: Extract<Shape, { kind: 'object' }>,
  at: At,
): MappedBody {
  const when = node.entries.get('when')?.node
  const needed = at.needed && shape.required && when === undefined
  const below = [...shape.fields].map(([name, field]) => {
    const inner = node.entries.get(name)?.node
    const path = at.field === '' ? name : `${at.field}.${name}`
    return inner === undefined ? NOTHING : walk(inner, field, { ...at, field: path, needed })
  })
  const own =
    when === undefined ? [] : [{ field: at.field, perRow: at.perRow, when: toPlain(when) as Options }]
  return {
    leaves: below.flatMap(({ leaves }) => leaves),
    conditional: [...own, ...below.flatMap(({ conditional }) => conditional)],
  }
}

function longForm(node: SourceNode): Options {
  return longFormOf(toPlain(node))
}

/** A name or a list of names is `from`. */
export function longFormOf(plain: unknown): Options {
  return isOptions(plain) ? plain : { from: plain }
}

function branchesOf(options: Options): LeafBranch[] {
  const { oneOf } = options
  const written: readonly unknown[] = Array.isArray(oneOf) ? oneOf : [options]
  return written.map((each) => {
    const { when, ...rest } = longFormOf(each)
    return { ...(isOptions(when) ? { when } : {}), options: rest, columns: columnsOfOptions(rest) }
  })
}

function isOptions(plain: unknown): plain is Options {
  return typeof plain === 'object' && plain !== null && !Array.isArray(plain)
}

/** What is known without a column is none. */
function columnsOfOptions({ from, firstOf, all, calc }: Options): string[][] {
  const several = [firstOf, all].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []))
  const calculated =
    typeof calc === 'string'
      ? [...calc.matchAll(/\[([^\]]+)\]/g)].map(([, text = '']) => [columnOf(text.trim()).name])
      : []
  const written = [...namesOf(from), ...several.flatMap(namesOf), ...calculated]
  return written.map((names) => names.filter((name) => !looksKnown(name))).filter((names) => names.length > 0)
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
  return list.flatMap((key) => (isOptions(key) ? columnsOfOptions(key) : namesOf(key)))
}

export interface ConditionColumn {
  readonly name: string
  readonly perRow: boolean
  /** Whether the file must have it. */
  readonly needed: boolean
}

/** The columns that conditions look at: those of the records, of their lines and of values. */
export function conditionColumns(mapping: InboundMapping): readonly ConditionColumn[] {
  const { leaves, conditional } = mappedBody(mapping)
  const root = toPlain(mapping.source) as Options
  const lines = longFormOf(root['lines'])
  const checks = (list: unknown) =>
    (Array.isArray(list) ? (list as unknown[]) : [])
      .map(longFormOf)
      .flatMap(({ when, unless }) => [when, unless])
  const needed = (conditions: readonly unknown[], perRow: boolean) =>
    conditions.map((when) => ({ when, perRow, needed: true }))
  const own = leaves.flatMap(({ branches, perRow }) => branches.map(({ when }) => ({ when, perRow })))
  const conditions = [
    ...needed([root['only'], ...checks(root['check']), ...checks(root['hold'])], false),
    ...needed([...checks(lines['check']), ...checks(lines['hold'])], true),
    ...[...conditional, ...own].map(({ when, perRow }) => ({ when, perRow, needed: false })),
  ]
  return conditions.flatMap(({ when, ...rest }) => {
    const names = isOptions(when) ? Object.keys(when) : []
    return names.filter((name) => !looksKnown(name)).map((name) => ({ name, ...rest }))
  })
}

/** A condition for people: `Type Gift, Qty above 99`. */
export function conditionText(when: Options): string {
  return Object.entries(when)
    .map(([column, test]) => `${column} ${testText(test)}`)
    .join(', ')
}

function testText(test: unknown): string {
  if (Array.isArray(test)) return test.map(String).join(' or ')
  if (!isOptions(test)) return String(test)
  return Object.entries(test)
    .map(([name, value]) => `${name} ${testText(value)}`)
    .join(' and ')
}
