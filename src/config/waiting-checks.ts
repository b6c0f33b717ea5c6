/** Checks of what a route says of acknowledging later, and of files that should come. */
import type { Mistake } from './mistakes.ts'

/** What is there of a route, however broken the rest is. */
export interface AcknowledgeGlance {
  readonly acknowledge?: string | undefined
  readonly receipt?: unknown
  readonly overdue?: unknown
}

/** What does not go together; the paths begin within the route. */
export function checkAcknowledge({ acknowledge, receipt, overdue }: AcknowledgeGlance): Mistake[] {
  const mistakes: Mistake[] = []
  if (acknowledge === 'receipt' && receipt === undefined) {
    const message = 'says receipt and not which file is one: add receipt: { folder: …, match: "{name}.ok" }'
    mistakes.push({ path: ['acknowledge'], at: 'value', message })
  }
  if (acknowledge !== 'receipt' && receipt !== undefined) {
    const message = 'is only looked for with `acknowledge: receipt`.'
    mistakes.push({ path: ['receipt'], at: 'key', message })
  }
  if (overdue !== undefined && acknowledge !== 'receipt' && acknowledge !== 'picked-up') {
    const message = 'is for routes that wait, with `acknowledge: picked-up` or `receipt`.'
    mistakes.push({ path: ['overdue'], at: 'key', message })
  }
  return mistakes
}

/** What does not go together; the paths begin within the route. */
export function checkExpect(from: { readonly expect?: unknown } | undefined, zone: unknown): Mistake[] {
  const expect = from?.expect
  if (typeof expect !== 'object' || expect === null || zone !== undefined) return []
  if ('zone' in expect && expect.zone !== undefined) return []
  const message =
    'says a time of day and no zone: add "zone: Europe/Berlin" (or yours), or one `zone` for the whole file.'
  return [{ path: ['from', 'expect'], at: 'key', message }]
}
