/** What a conversion is: text in, a value or a refusal out. */
import type { ProblemCode } from '../../domain/problem.ts'

/** Stands for a value that was refused, so that a rule over several fields does not take it for a missing one. */
export const FAILED: Readonly<Record<string, never>> = Object.freeze({})

/** Stands for an id that is still to be found, for the same reason; it is not in the body in the end. */
export const AWAITED: Readonly<Record<string, never>> = Object.freeze({})

/** Notes a problem and gives FAILED. */
export type Refuse = (code: ProblemCode, message: string, hint?: string) => typeof FAILED

/** Text that is not blank and has no outer blanks, to a value. */
export type Convert = (text: string, refuse: Refuse) => unknown
