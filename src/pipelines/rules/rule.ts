/** What a business rule is: it looks at a body beside the order it is about and says, in the spec's words, what is wrong. */
import type { Facts } from '../../domain/journal.ts'
import type { ProblemCode } from '../../domain/problem.ts'
import type { Body } from '../operations/operation.ts'

/** What a route can decide about rules that ask for plausibility: a warning does not stop a record. */
export type Policy = 'warn' | 'refuse' | 'off'

export interface Policies {
  /** Amounts that do not add up. */
  readonly totals: Policy
  /** Dates that make no sense. */
  readonly dates: Policy
  /** More ordered than the supplier had when it was last seen. */
  readonly stock: Policy
}

export const DEFAULT_POLICIES: Policies = { totals: 'warn', dates: 'warn', stock: 'off' }

/** A rule that a body breaks. */
export interface Broken {
  readonly code: ProblemCode
  /** The field, from the top of the body. */
  readonly field: string
  readonly message: string
  /** The decision of the route that it is subject to; without one it refuses the record. */
  readonly policy?: keyof Policies
}

/** Pure. What an order does not show breaks no rule: the API has the last word. */
export interface RulesOfOperation {
  /** Rules about the order as it is, and about what earlier records of the same file do to it. */
  readonly onOrder?: (about: {
    readonly body: Body
    readonly order: Facts
    readonly earlier: readonly Body[]
  }) => Broken[]
  /** Rules that no change of the order can mend. */
  readonly onBody?: (about: {
    readonly body: Body
    readonly order: Facts | undefined
    readonly now: number
  }) => Broken[]
}
