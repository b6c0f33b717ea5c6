/** How a field of a body came to its value: its cells, and what was done to them. */
import type { ProblemCode } from '../../domain/problem.ts'

/** A cell as it stands in the file, with its column as the file spells it. */
export interface ExplainedCell {
  readonly column: string
  readonly text: string
}

export interface ExplainedStep {
  /** The option that asks for it; `trim` and `value` need none. */
  readonly option: string
  /** In the words of the mapping: `case upper`. */
  readonly does: string
  /** The text after it, empty when blank; absent when it was refused. */
  readonly text?: string
  readonly refused?: ProblemCode
}

export interface ExplainedField {
  /** `order_lines[0].quantity`. */
  readonly field: string
  readonly cells: readonly ExplainedCell[]
  readonly steps: readonly ExplainedStep[]
  /** What the steps come to; absent when that is nothing, or was refused. */
  readonly value?: unknown
  /** Which condition chose this value, or why the field is left out. */
  readonly note?: string
  /** Why the object around it is left out: its condition does not hold, or none of its cells is filled. */
  readonly absent?: 'condition' | 'unfilled'
  /** Which of several values with conditions was taken, from 0; -1 when none was. */
  readonly branch?: number
}
