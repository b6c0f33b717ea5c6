/** What stands where contents were forgotten. */
import { PROBLEMS } from '../domain/problem-kinds.ts'
import type { Problem } from '../domain/problem.ts'

/** Instead of a body that was sent. */
export const FORGOTTEN_BODY = '{}'

/** The code says what happened in general; what it happened to is gone. */
export function forgottenProblem(problem: Problem): Problem {
  const { code, place, severity } = problem
  // An older version may have had codes that this one does not know.
  const kind: { cause: string; cure: string } | undefined = PROBLEMS[code]
  return {
    code,
    message: kind?.cause ?? '',
    hint: kind?.cure ?? '',
    place,
    ...(severity === undefined ? {} : { severity }),
  }
}
