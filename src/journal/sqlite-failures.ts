/** What the result codes of SQLite mean for whoever runs the bridge. */
import type { FailureCode } from '../support/errors.ts'

/** By the first part of the code; all others say that the journal cannot be used as it is. */
const MEANINGS: readonly (readonly [start: string, FailureCode])[] = [
  ['SQLITE_FULL', 'cannot-write'],
  ['SQLITE_BUSY', 'journal-busy'],
  ['SQLITE_LOCKED', 'journal-busy'],
  ['SQLITE_CORRUPT', 'journal-damaged'],
  ['SQLITE_NOTADB', 'journal-damaged'],
  // Our own mistakes.
  ['SQLITE_CONSTRAINT', 'bug'],
  ['SQLITE_ERROR', 'bug'],
  ['SQLITE_MISUSE', 'bug'],
  ['SQLITE_RANGE', 'bug'],
  ['SQLITE_MISMATCH', 'bug'],
]

export function failureOfSqlite(sqliteCode: string): FailureCode {
  return MEANINGS.find(([start]) => sqliteCode.startsWith(start))?.[1] ?? 'journal-unusable'
}
