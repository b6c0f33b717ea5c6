/** Lists the fields of an inbound mapping with their options and the contract's rules. */
import {
  type ChoicePlan,
  type LeafTarget,
  listLeaves,
  listValues,
  type Plan,
  type TotalCheck,
} from '../mapping/fields/plan.ts'
import type { InboundMapping } from '../mapping/load.ts'
import type { Check, Condition } from '../mapping/rows/conditions.ts'
import { looksLikeKnownName } from '../mapping/rows/columns.ts'
import { isObject } from '../support/object-paths.ts'

export type Options = Readonly<Record<string, unknown>>

/** Columns or paths, each under the names it may have. */
type Sources = readonly (readonly string[])[]

export interface MappedField extends Pick<LeafTarget, 'field' | 'rule' | 'list' | 'perRow'> {
  /** Whether the API refuses a record without it. */
  readonly required: boolean
  /** The alternatives for its value: one, or those of `oneOf`. */
  readonly branches: readonly FieldBranch[]
}

/** Where a field of a body, or a column of an export, gets its value, and what happens to it. */
export interface FieldBranch {
  readonly when?: Options
  /** In the long form, however the mapping writes it. */
  readonly options: Options
  readonly sources: Sources
}

/** In the contract's order. */
export function listMappedFields({ plan }: InboundMapping): readonly MappedField[] {
  return listValues(plan.body).flatMap((value) => {
    const target = value.kind === 'leaf' ? value.written?.target : value
    if (target === undefined) return []
    const { field, rule, list, needed: required, perRow } = target
    const choices: ChoicePlan['options'] = value.kind === 'leaf' ? [{ leaf: value }] : value.options
    const branches = choices.map(({ leaf, when }) => {
      const options = leaf.written?.options ?? {}
      return { ...(when && { when: when.written }), options, sources: leaf.alternatives }
    })
    return [{ field, rule, list, required, perRow, branches }]
  })
}

/** The objects that depend on a condition, by their paths. */
export function listConditionalObjects(plan: Plan): { field: string; perRow: boolean; when: Condition }[] {
  if (plan.kind === 'rows') return listConditionalObjects(plan.item)
  if (plan.kind !== 'object') return []
  const { field, perRow, when } = plan
  const below = plan.fields.flatMap(([, inner]) => listConditionalObjects(inner))
  return when === undefined ? below : [{ field, perRow, when }, ...below]
}

/** Converts the short form: a name or a list of names is `from`. */
export function toLongForm(plain: unknown): Options {
  return isObject(plain) ? plain : { from: plain }
}

/** The columns whose values the rows of one record share. */
export function listGroupColumns({ plan: { grouping } }: InboundMapping): Sources {
  return grouping.kind === 'keys' ? grouping.keys.flat() : []
}

/** Lists the columns in conditions of records, lines and values. Files must have the needed ones. */
export function listConditionColumns({ plan }: InboundMapping) {
  const columnsOf = (perRow: boolean, needed: boolean, ...conditions: (Condition | undefined)[]) =>
    conditions
      .flatMap((each) => each?.tests ?? [])
      .flatMap(({ column, others }) => [column, ...others])
      .filter((name) => !looksLikeKnownName(name))
      .map((name) => ({ name, perRow, needed }))
  const rules = (checks: readonly Check[]) => checks.map(({ condition }) => condition)
  return [
    ...columnsOf(false, true, plan.only, ...rules([...plan.checks, ...plan.holds])),
    ...columnsOf(true, true, ...rules([...plan.lines.checks, ...plan.lines.holds])),
    ...listLeaves(plan.body).flatMap(({ row }) => columnsOf(true, false, row)),
    ...listConditionalObjects(plan.body).flatMap(({ perRow, when }) => columnsOf(perRow, false, when)),
    ...listValues(plan.body).flatMap((value) =>
      value.kind === 'leaf' ? [] : columnsOf(value.perRow, false, ...value.options.map(({ when }) => when)),
    ),
  ]
}

/** Lists the columns of checked totals, and those that the totals are compared with. */
export function listTotalColumns({ plan }: InboundMapping) {
  const ofChecks = (checks: readonly TotalCheck[], perRow: boolean) =>
    checks
      .flatMap(({ total, is }) => [total, ...is])
      .flatMap(({ alternatives }) => alternatives.flat())
      .map((name) => ({ name: name.replace(/^(?:sum|count) /, ''), perRow }))
  return [...ofChecks(plan.totalChecks, false), ...ofChecks(plan.lines.totals, true)]
}

/** Formats a condition for people: `Type Gift, Qty above 99`. */
export function formatCondition(when: Options): string {
  return Object.entries(when)
    .map(([column, test]) => `${column} ${formatTest(test)}`)
    .join(', ')
}

function formatTest(test: unknown): string {
  if (Array.isArray(test)) return test.map(String).join(' or ')
  if (!isObject(test)) return String(test)
  return Object.entries(test)
    .map(([name, value]) => `${name} ${formatTest(value)}`)
    .join(' and ')
}
