/** Files that failed for reasons of their own: a pass for what has come since passes them over. */
import { type FailureCode, hasCode } from '../../support/errors.ts'

/** Whatever file is next, it will fare no better. A mailbox that is away is found out by the look at it. */
const CONCERNS_ROUTE = [
  'api-unreachable',
  'api-answer-unusable',
  'credentials-unusable',
  'host-key-unknown',
  'host-key-changed',
] as const satisfies FailureCode[]

/** The memory of one inbox, from one pass of a watch to the next. It holds no more than is unfinished. */
export interface Setbacks {
  /** The failure of a file that is not to be tried now. */
  of(fileId: string): unknown
  /** Only what concerns the file alone is noted. `name`: of a file that still stands in the inbox, because it could not be taken. */
  note(fileId: string, failure: unknown, name?: string): void
  keepsBack(name: string): boolean
  /** Whether this is what befell a single file. */
  isOfFile(failure: unknown): boolean
  /** From now on all of them are tried again. */
  clear(): void
}

export function createSetbacks(): Setbacks {
  const failures = new Map<string, unknown>()
  const names = new Set<string>()
  return {
    of: (fileId) => failures.get(fileId),
    note(fileId, failure, name) {
      if (hasCode(failure, ...CONCERNS_ROUTE)) return
      failures.set(fileId, failure)
      if (name !== undefined) names.add(name)
    },
    keepsBack: (name) => names.has(name),
    isOfFile: (failure) => [...failures.values()].includes(failure),
    clear() {
      failures.clear()
      names.clear()
    },
  }
}
