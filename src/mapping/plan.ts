/** What a body compiles to before any file is seen: the contract's tree, with a way to get each value. */
import type { Rule } from '../contract/model.ts'
import type { Convert } from './values/value.ts'

/** Where a text comes from: the first of several cells that is not blank, each under one of several column names. */
export type Alternatives = readonly (readonly string[])[]

export interface LeafPlan {
  readonly kind: 'leaf'
  /** The path of the API field; `[]` stands for the index of the row. */
  readonly field: string
  /** Whether it stands in the array that is filled once per row. */
  readonly perRow: boolean
  /** Empty for a constant. */
  readonly alternatives: Alternatives
  /** Texts that mean blank, in lower case. */
  readonly blanks: ReadonlySet<string>
  /** The constant, or the value for a blank cell. */
  readonly fallback?: unknown
  /** Gives undefined where the text means blank after all. */
  readonly convert: Convert
  readonly required: boolean
  /** Whether no record can be valid without the column. */
  readonly columnRequired: boolean
  /** The value is the name of something whose id only the API knows. */
  readonly reference?: 'order'
}

export interface ObjectPlan {
  readonly kind: 'object'
  readonly field: string
  /** In the contract's order, so that the same data gives the same text whatever the order in the mapping. */
  readonly fields: readonly (readonly [name: string, plan: Plan])[]
  readonly rules: readonly Rule[]
  readonly required: boolean
  /** Whether any of its values comes from a column; if so, an optional object is there only when one is filled. */
  readonly hasColumns: boolean
  /** Province fields are understood with the country beside them. */
  readonly province?: { readonly field: string; readonly countryField: string }
}

/** An array that is filled once per row of the record. */
export interface RowsPlan {
  readonly kind: 'rows'
  readonly field: string
  readonly item: ObjectPlan
  readonly required: boolean
}

export type Plan = LeafPlan | ObjectPlan | RowsPlan

/** The leaves of a plan, from top to bottom. */
export function leavesOf(plan: Plan): LeafPlan[] {
  if (plan.kind === 'leaf') return [plan]
  if (plan.kind === 'rows') return leavesOf(plan.item)
  return plan.fields.flatMap(([, field]) => leavesOf(field))
}
