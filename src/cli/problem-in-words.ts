/** A problem as one line for people. */
import { describePlace, type Problem } from '../domain/problem.ts'

/** `line 12, column "Qty": "two" is not a whole number. Write a whole number with digits only, such as 2.` */
export function problemInWords({ place, message, hint }: Problem): string {
  const where = describePlace(place)
  // A message may begin with its place, as in `column "Qty" is blank`.
  const what = where === '' || message.startsWith(where) ? message : `${where}: ${message}`
  return `${/[.!?]$/.test(what) ? what : `${what}.`} ${hint}`.trimEnd()
}
