/** Failures that concern the whole route or the whole program; all else concerns one file, and the next one has its turn. */
import type { FailureCode } from '../support/errors.ts'

export const CONCERNS_ALL = [
  'interrupted',
  'lease-lost',
  'credentials-refused',
  'api-redirected',
  'journal-busy',
  'journal-damaged',
  'journal-unusable',
  'journal-newer',
  'journal-older',
] as const satisfies FailureCode[]
