/** Words that the log, the notices and the status page share. */
import type { StateCounts } from '../domain/record.ts'

export function counted(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`
}

/** `3 accepted, 1 rejected`; some states may go by other names. */
export function inCounts(counts: StateCounts, names: Readonly<Record<string, string>> = {}): string {
  const parts = Object.entries(counts).map(([state, count]) => `${count} ${names[state] ?? state}`)
  return parts.length === 0 ? 'no records' : parts.join(', ')
}

/** What the API says about an answer may repeat what was sent, so its words stay out of what goes elsewhere. */
export function withoutTheirWords(message: string): string {
  return message.replace(/(\bHTTP \d{3}):[^]*/, '$1')
}
