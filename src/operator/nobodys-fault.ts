/** Failures that nobody needs to hear of: they pass by themselves, or somebody wanted them. */
import type { FailureCode } from '../support/errors.ts'

const CODES: readonly string[] = [
  'lease-held',
  'lease-lost',
  'journal-busy',
  'interrupted',
  'time-over',
] as const satisfies FailureCode[]

export function isNobodysFault(code: string): boolean {
  return CODES.includes(code)
}
