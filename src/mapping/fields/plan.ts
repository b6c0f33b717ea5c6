/** The compiled form of a body, before it is bound to a file: the contract's tree, with a way to get each value. */
import type { Rule } from '../../contract/object-schema.ts'
import type { FieldRule, ReferenceKind } from '../../contract/fields.ts'
import type { DeferredResult } from '../../domain/translator.ts'
import type { Check, Condition } from '../rows/conditions.ts'
import type { CalcPlan } from '../calc/calculation.ts'
import type { KnownName } from '../rows/columns.ts'
import type { ErrorPlace } from '../source/source.ts'
import type { Convert } from '../values/text.ts'
import type { TextStep } from './leaf-conversion.ts'
import type { BodyLeaf } from './options.ts'

/** Where a text comes from: the first of several cells that is not blank, each under one of several column names. */
export type ColumnAlternatives = readonly (readonly string[])[]

/** A source of text: a column under one of several names, or a value known without a column. */
export type ValueSource =
  | {
      readonly kind: 'column'
      readonly names: readonly string[]
      readonly nth?: number
      /** The known value to take where the file has no such column. */
      readonly otherwise?: KnownName
    }
  | { readonly kind: 'known'; readonly name: KnownName }

export interface LeafTarget {
  /** The path of the API field; `[]` is replaced by the index of the row. */
  readonly field: string
  /** Whether it is in the array that gets one item per row. */
  readonly perRow: boolean
  readonly rule: FieldRule
  readonly list: boolean
  readonly required: boolean
  readonly needed: boolean
}

export interface LeafPlan extends Pick<LeafTarget, 'field' | 'perRow' | 'required'> {
  readonly kind: 'leaf'
  /** All columns that the leaf names; empty for a constant. */
  readonly alternatives: ColumnAlternatives
  /** The first filled source is the text; with `joinedWith`, all of them joined. */
  readonly sources: readonly ValueSource[]
  readonly joinedWith?: string | undefined
  /** Of a value of the record: the rows from which its text comes; without it, from those of the whole record. */
  readonly row?: Condition | undefined
  readonly calc?: CalcPlan | undefined
  /** Texts that mean blank, in lower case. */
  readonly blanks: ReadonlySet<string>
  /** The constant, or the value for a blank cell. */
  readonly fallback?: unknown
  /** Returns undefined where the text turns out to be blank. */
  readonly convert: Convert
  /** Of a date: a `FoundDateOrder` where the text is a date too, or only, with day and month swapped. */
  readonly findDateOrder?: Convert
  readonly steps: LeafSteps
  /** The constant or the table that gives each value, with its line in the mapping; absent where cells give some. */
  readonly origin?: string | undefined
  /** The values that the mapping itself holds: a constant, a default, those of a table. */
  readonly held?: () => readonly { readonly value: unknown; readonly place: ErrorPlace }[]
  readonly columnRequired: boolean
  /** The value names a resource whose id the bridge looks up at the API. */
  readonly reference?: ReferenceKind | undefined
  /** The text comes from the record's order and not from the file. */
  readonly deferred?: DeferredPlan | undefined
  /** Warns of a text that shows signs of a wrong encoding. */
  readonly warnsOfDamage?: boolean
  /** Warns of a number such as `1.124`, whose point groups thousands as the decimal mark is a comma. */
  readonly warnsOfGrouping?: boolean
  /** Warns of a number such as `1.124` that is rounded to so many decimals: its point may have been meant for grouping. */
  readonly warnsOfRounding?: number | undefined
  /** The options it was compiled from; absent where the leaf gives a whole list. */
  readonly written?: { readonly options: BodyLeaf; readonly target: LeafTarget }
}

/** The value to take from the order; with `lines`, the order's lines become those of the record. */
export interface DeferredPlan {
  readonly from: 'order' | 'kept'
  readonly name: string
  readonly lines?: (found: unknown, body: Readonly<Record<string, unknown>>) => DeferredResult
}

/** The steps of a leaf one by one, for explanations; `convert` runs all of them. */
export interface LeafSteps {
  /** How several texts become one: `all with ", "`; empty where there is one. */
  readonly gathering: string
  /** Text to text; a blank one ends them. */
  readonly texts: readonly TextStep[]
  /** How the last text becomes the value; `isAsked` where an option of the mapping says it. */
  readonly value: { readonly does: string; readonly isAsked: boolean; readonly convert: Convert }
  readonly fallback: string
}

/** A value whose leaf the row chooses: the first whose condition holds. */
export interface ChoicePlan extends LeafTarget {
  readonly kind: 'choice'
  readonly options: readonly { readonly when?: Condition; readonly leaf: LeafPlan }[]
}

export interface ObjectPlan extends Pick<LeafTarget, 'field' | 'perRow' | 'required'> {
  readonly kind: 'object'
  /** Where it does not hold, the object counts as unmapped, and a line is left out. */
  readonly when?: Condition | undefined
  /** In the contract's order, so that the same data gives the same text whatever the order in the mapping. */
  readonly fields: readonly (readonly [name: string, plan: Plan])[]
  readonly rules: readonly Rule[]
  /** Whether any of its values comes from a column; if so, an optional object is there only when one is filled. */
  readonly hasColumns: boolean
  /** A province is read together with the country beside it. */
  readonly province?: { readonly field: string; readonly countryField: string } | undefined
}

/** A number that the file states, and the calculations of which one gives the same. */
export interface TotalCheck {
  readonly total: LeafPlan
  readonly is: readonly LeafPlan[]
  /** As the mapping writes them. */
  readonly written: { readonly total: string; readonly is: readonly string[] }
  readonly say: string | undefined
  /** The decimal mark of the file. */
  readonly decimal: '.' | ',' | undefined
}

export interface RowsPlan extends Pick<LeafTarget, 'field' | 'required'> {
  readonly kind: 'rows'
  readonly item: ObjectPlan
  readonly checks?: readonly Check[]
  readonly totals?: readonly TotalCheck[]
  /** Lines of the same item become one; its quantity is at most this. */
  readonly addUpTo?: number
}

export type Plan = LeafPlan | ChoicePlan | ObjectPlan | RowsPlan

export type Grouping =
  | {
      readonly kind: 'keys'
      readonly keys: readonly ColumnAlternatives[]
      readonly blankContinues: boolean
      readonly firstCounts: boolean
    }
  | {
      readonly kind: 'records'
      readonly header: string
      /** Absent where records have no details: their lines are filled once, from the header row. */
      readonly detail: string | undefined
      /** The type of the totals of the file, and that of the totals of each record. */
      readonly totals: string | undefined
      readonly recordTotals: string | undefined
    }

export function listLeaves(plan: Plan): LeafPlan[] {
  return listValues(plan).flatMap((value) =>
    value.kind === 'leaf' ? [value] : value.options.map(({ leaf }) => leaf),
  )
}

export function listValues(plan: Plan): (LeafPlan | ChoicePlan)[] {
  if (plan.kind === 'rows') return listValues(plan.item)
  return plan.kind === 'object' ? plan.fields.flatMap(([, field]) => listValues(field)) : [plan]
}
