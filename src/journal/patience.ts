/** Waiting for another connection that is writing, without standing in its way. */
import type { Clock } from '../support/clock.ts'
import { isSqliteError } from '../support/sqlite.ts'

/** SQLite's own waiting stops the whole program, and with it a transaction of ours that it may be waiting for. */
export const BUSY_TIMEOUT_MS = 20
const ATTEMPTS = 125
const PAUSE_MS = 20

/** Tries again for five seconds while the database is busy; `attempt` must have changed nothing when it is. */
export async function patiently<T>(clock: Clock, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error) || tries === ATTEMPTS) throw error
      await clock.sleep(PAUSE_MS)
    }
  }
}

function isBusy(error: unknown): boolean {
  return isSqliteError(error) && error.code.startsWith('SQLITE_BUSY')
}
