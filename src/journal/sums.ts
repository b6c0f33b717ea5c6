/** Sums of texts that go with records and are forgotten one day: what the chain holds of them. */
import { hash } from 'node:crypto'
import type { Summed } from './event-detail.ts'
import { idsOf } from './ids.ts'

/** Half the letters of a SHA-256: many stand in one event. */
const SUM_LENGTH = 32

export function summed(texts: readonly { readonly id: number; readonly text: string }[]): Summed {
  const sorted = texts.toSorted((one, other) => one.id - other.id)
  return { ids: idsOf(sorted.map(({ id }) => id)), sums: sorted.map(({ id, text }) => sumOf(id, text)) }
}

/** Together with the id, so that equal texts of several records do not show. */
export function sumOf(id: number, text: string): string {
  // Half a character, which some cells hold, does not come back from the database as it went in.
  const whole = text.replace(/[\p{Cs}\uFFFD]/gu, '')
  return hash('sha256', `${id}\n${whole}`).slice(0, SUM_LENGTH)
}

export function changeText(target: string, values: readonly string[]): string {
  return JSON.stringify([target, values])
}
