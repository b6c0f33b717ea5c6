/** A problem as one line for people. */
import { describePlace, type Problem } from '../domain/problem.ts'

/** `line 12, column "Qty": "two" is not a whole number. Write a whole number with digits only, such as 2.` */
export function problemInWords({ place, message, hint }: Problem): string {
  const what = [describePlace(place), message].filter((part) => part !== '').join(': ')
  return `${/[.!?]$/.test(what) ? what : `${what}.`} ${hint}`.trimEnd()
}
