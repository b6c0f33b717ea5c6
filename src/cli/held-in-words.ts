/** What a person can do about what is held, by why it is held. */
import type { HeldFile } from '../domain/held.ts'
import type { ProblemCode } from '../domain/problem.ts'

/** Who decides and what for, as every decision asks. */
const WHO = '--by NAME --why TEXT'

const CURES: Readonly<Partial<Record<ProblemCode, (file: string) => string>>> = {
  'held-by-mapping': (file) =>
    `there is nothing to send of them; when they are dealt with: dropbridge discard ${file} ${WHO}`,
  'earlier-step-failed': (file) =>
    `correct the rejects file and drop it in again, it has all rows of their orders; when the earlier step is settled in another way: dropbridge release ${file} ${WHO}`,
  'outcome-unprovable': (file) =>
    `their answers were lost, so they may have taken effect: look at the API, then say of each what is there: dropbridge settle KEY --accepted ID ${WHO}, or --absent or --discard in place of --accepted ID; to have them looked up again: dropbridge release ${file} ${WHO}`,
}

/** `5 held (route-stopped): dropbridge release orders.csv --by NAME --why TEXT sends them` */
export function heldInWords({ code, records, name }: Pick<HeldFile, 'code' | 'records' | 'name'>): string {
  return `${records} held (${code}): ${cureOf(code, name)}`
}

/** One line for each reason, however many files there are. */
export function curesInWords(held: readonly HeldFile[]): string[] {
  const codes = [...new Set(held.map(({ code }) => code))]
  return codes.map((code) => `${code}: ${cureOf(code)}`)
}

/** What can be done about a file that was just reported; `codes` are all that occurred in it. */
export function nextStepsInWords(codes: readonly string[], name: string): string[] {
  return HELD_CODES.filter((code) => codes.includes(code)).map(
    (code) => `what to do (${code}): ${cureOf(code, name)}`,
  )
}

/** Records have these only while they are held. */
const HELD_CODES: readonly ProblemCode[] = [
  'route-stopped',
  'held-by-mapping',
  'earlier-step-failed',
  'outcome-unprovable',
]

/** As it can be typed; where no file is named, any of those that are listed. */
function cureOf(code: ProblemCode, name = 'FILE'): string {
  const file = /[^\w.~+-]/u.test(name) ? `"${name}"` : name
  return CURES[code]?.(file) ?? `dropbridge release ${file} ${WHO} sends them`
}
