/** Problems: what is wrong with data. Returned, all of them, never thrown. */
import { PROBLEMS, type ProblemCode } from './problem-kinds.ts'

export type { ProblemCode }

/** Where a problem is. Lines are physical, from 1. */
export interface Place {
  readonly line?: number
  /** The column's name as the file spells it, or its number from 1 in files without a header. */
  readonly column?: string
  /** The API field, such as `order_lines[0].quantity`. */
  readonly field?: string
}

/** Something wrong with data: what, where, why and what to do. */
export interface Problem {
  readonly code: ProblemCode
  readonly message: string
  /** What to do about it, in plain words. */
  readonly hint: string
  readonly place: Place
  /** It does not stop the record. */
  readonly severity?: 'warning'
}

/** Makes a problem; the hint is the code's cure unless a better one is at hand. */
export function problem(code: ProblemCode, place: Place, message: string, hint?: string): Problem {
  return { code, message, hint: hint ?? PROBLEMS[code].cure, place }
}

/** `line 12, column "Qty"`: the place in words; empty when nothing is known. */
export function describePlace({ line, column, field }: Place): string {
  const parts: string[] = []
  if (line !== undefined) parts.push(`line ${line}`)
  if (column !== undefined) parts.push(`column "${column}"`)
  if (field !== undefined && column === undefined) parts.push(field)
  return parts.join(', ')
}
