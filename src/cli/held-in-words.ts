/** What a person can do about what is held, by why it is held. */
import type { HeldFile } from '../domain/held.ts'
import type { ProblemCode } from '../domain/problem.ts'

const CURES: Readonly<Partial<Record<ProblemCode, string>>> = {
  'route-stopped': 'dropbridge release sends them',
  'held-by-mapping': 'there is nothing to send of them; when they are dealt with: dropbridge discard',
  'earlier-step-failed':
    'correct the rejects file and drop it in again, it has all rows of their orders; when the earlier step is settled in another way: dropbridge release',
  'outcome-unprovable':
    'their answers were lost, so they may have taken effect: look at the API, then say of each what is there: dropbridge settle KEY --accepted ID, --absent or --discard; dropbridge release has them looked up again',
}

/** `5 held (route-stopped): dropbridge release sends them` */
export function heldInWords({ code, records }: Pick<HeldFile, 'code' | 'records'>): string {
  return `${records} held (${code}): ${cureOf(code)}`
}

/** One line for each reason, however many files there are. */
export function curesInWords(held: readonly HeldFile[]): string[] {
  const codes = [...new Set(held.map(({ code }) => code))]
  return codes.map((code) => `${code}: ${cureOf(code)}`)
}

function cureOf(code: ProblemCode): string {
  return CURES[code] ?? 'dropbridge release sends them'
}
