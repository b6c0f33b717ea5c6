/** What a body compiles to before any file is seen: the contract's tree, with a way to get each value. */
import type { Rule } from '../../contract/object-schema.ts'
import type { FieldRule, ReferenceKind } from '../../contract/fields.ts'
import type { DeferredResult } from '../../domain/translator.ts'
import type { Check, Condition } from '../rows/conditions.ts'
import type { CalcPlan } from '../calc/calculation.ts'
import type { KnownName } from '../rows/known-values.ts'
import type { Convert } from '../values/text.ts'
import type { TextStep } from './leaf-conversion.ts'
import type { BodyLeaf } from './options.ts'

/** Where a text comes from: the first of several cells that is not blank, each under one of several column names. */
export type ColumnAlternatives = readonly (readonly string[])[]

/** What a text is made of: a column under one of several names, or what is known without a column. */
export type ValueSource =
  | {
      readonly kind: 'column'
      readonly names: readonly string[]
      readonly nth?: number
      /** What is taken where the file has no such column. */
      readonly otherwise?: KnownName
    }
  | { readonly kind: 'known'; readonly name: KnownName }

export interface LeafTarget {
  readonly field: string
  readonly perRow: boolean
  readonly rule: FieldRule
  /** Whether the field is a list of such values. */
  readonly list: boolean
  readonly required: boolean
  /** Whether no body can be without the field. */
  readonly needed: boolean
}

export interface LeafPlan {
  readonly kind: 'leaf'
  /** The path of the API field; `[]` stands for the index of the row. */
  readonly field: string
  /** Whether it stands in the array that is filled once per row. */
  readonly perRow: boolean
  /** The columns it names, whatever becomes of their texts; empty for a constant. */
  readonly alternatives: ColumnAlternatives
  /** The first of these that is not blank is the text; or all of them, when they are joined. */
  readonly sources: readonly ValueSource[]
  /** What stands between the texts of all origins. */
  readonly joinedWith?: string | undefined
  /** Takes the place of the origins. */
  readonly calc?: CalcPlan | undefined
  /** Texts that mean blank, in lower case. */
  readonly blanks: ReadonlySet<string>
  /** The constant, or the value for a blank cell. */
  readonly fallback?: unknown
  /** Gives undefined where the text means blank after all. */
  readonly convert: Convert
  readonly steps: LeafSteps
  readonly required: boolean
  /** Whether no record can be valid without the column. */
  readonly columnRequired: boolean
  /** The value is the name of something whose id only the API knows. */
  readonly reference?: ReferenceKind | undefined
  /** The text is not in the file but known of the order that the record is about. */
  readonly deferred?: DeferredPlan | undefined
  /** What it was compiled from; left out where the leaf gives a whole list. */
  readonly written?: { readonly options: BodyLeaf; readonly target: LeafTarget }
}

/** What of the order is taken; with `lines`, the lines of the record are made of those of the order. */
export interface DeferredPlan {
  readonly from: 'order' | 'kept'
  readonly name: string
  readonly lines?: (found: unknown, body: Readonly<Record<string, unknown>>) => DeferredResult
}

/** What a leaf does to its text one step after the other, for those who show it: `convert` does the same at once. */
export interface LeafSteps {
  /** How several texts become one: `all with ", "`; empty where there is one. */
  readonly gathering: string
  /** Text to text; a blank one ends them. */
  readonly texts: readonly TextStep[]
  /** How the last text becomes the value; `isAsked` where an option of the mapping says it. */
  readonly value: { readonly does: string; readonly isAsked: boolean; readonly convert: Convert }
  /** What stands for a blank: `default US`. */
  readonly fallback: string
}

/** A value whose leaf the row chooses: the first whose condition holds. */
export interface ChoicePlan extends LeafTarget {
  readonly kind: 'choice'
  readonly options: readonly { readonly when?: Condition; readonly leaf: LeafPlan }[]
}

export interface ObjectPlan {
  readonly kind: 'object'
  readonly field: string
  readonly perRow: boolean
  /** Where it does not hold, the object is as if it were not in the mapping; a line is left out. */
  readonly when?: Condition | undefined
  /** In the contract's order, so that the same data gives the same text whatever the order in the mapping. */
  readonly fields: readonly (readonly [name: string, plan: Plan])[]
  readonly rules: readonly Rule[]
  readonly required: boolean
  /** Whether any of its values comes from a column; if so, an optional object is there only when one is filled. */
  readonly hasColumns: boolean
  /** Province fields are understood with the country beside them. */
  readonly province?: { readonly field: string; readonly countryField: string } | undefined
}

export interface RowsPlan {
  readonly kind: 'rows'
  readonly field: string
  readonly item: ObjectPlan
  readonly required: boolean
  /** Rules of the user's own for each line. */
  readonly checks?: readonly Check[]
  /** Lines of the same item become one; its quantity is at most this. */
  readonly addUpTo?: number
}

export type Plan = LeafPlan | ChoicePlan | ObjectPlan | RowsPlan

/** How rows are reported to belong together. */
export type Grouping =
  | {
      readonly kind: 'keys'
      readonly keys: readonly ColumnAlternatives[]
      readonly blankContinues: boolean
      /** Whether of rows that say different things the first counts. */
      readonly firstCounts: boolean
    }
  | {
      readonly kind: 'records'
      readonly header: string
      readonly detail: string
      /** The type of the row that speaks of the whole file. */
      readonly totals: string | undefined
    }

/** The leaves of a plan, from top to bottom. */
export function listLeaves(plan: Plan): LeafPlan[] {
  return listValues(plan).flatMap((value) =>
    value.kind === 'leaf' ? [value] : value.options.map(({ leaf }) => leaf),
  )
}

/** The values of a plan, from top to bottom. */
export function listValues(plan: Plan): (LeafPlan | ChoicePlan)[] {
  if (plan.kind === 'rows') return listValues(plan.item)
  return plan.kind === 'object' ? plan.fields.flatMap(([, field]) => listValues(field)) : [plan]
}
