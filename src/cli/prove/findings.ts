/** What a proof counts: what went wrong with which record. */

export const WRONGS = {
  lost: 'a record that had no effect, or that nobody told the right fate of, or that is in no file; a report that never came',
  doubled: 'a record that took effect more than once, or was sent again after it had taken effect',
  early: 'a record that was acknowledged before it stood in a whole file at its place',
  twice:
    'a record that stands in more than one delivered file, or more than once in one; a report that came again',
} as const

export type Wrong = keyof typeof WRONGS

export interface Finding {
  readonly wrong: Wrong
  /** The record, in its own words: its key. */
  readonly record: string
  readonly what: string
}

/** What one round came to. */
export interface Counted {
  readonly records: number
  readonly findings: readonly Finding[]
  /** Records that the API gives no means to be sure of, and that wait for a person and say so. */
  readonly left: number
}

export function finding(wrong: Wrong, record: string, what: string): Finding {
  return { wrong, record, what }
}
