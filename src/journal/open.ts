/** The journal on SQLite: one file on a disk of this machine, shared by the bridges that run on it. */
import type { Journal } from '../domain/journal.ts'
import type { Clock } from '../support/clock.ts'
import { attemptCalls } from './attempts.ts'
import { auditCalls } from './audit.ts'
import { concernCalls } from './concerns.ts'
import { connect } from './connection.ts'
import { decisionCalls } from './decisions.ts'
import { deliveryCalls } from './deliveries.ts'
import { documentCalls } from './documents.ts'
import { fileCalls } from './files.ts'
import { keptCalls } from './kept.ts'
import { heldCalls } from './held.ts'
import { heldDeliveryCalls } from './held-deliveries.ts'
import { leaseCalls } from './leases.ts'
import { migrate } from './migrate.ts'
import { namingCalls } from './namings.ts'
import { noticeCalls } from './notices.ts'
import { outgoingCalls } from './outgoing.ts'
import { overviewCalls } from './overview.ts'
import { recordCalls } from './records.ts'
import { referenceCalls } from './references.ts'
import { restoringCalls } from './restoring.ts'
import { settlementCalls } from './settlements.ts'
import { stepCalls } from './steps.ts'
import { turnCalls } from './route-turns.ts'
import { type Store, read } from './store.ts'
import { takingCalls } from './taking.ts'
import { traceCalls } from './trace.ts'
import { watchCalls } from './watches.ts'

/**
 * Opens the journal at `path` and brings its tables up to date; makes file and folder when they are missing.
 * `:memory:` gives one that forgets. Throws `journal-unusable` and `journal-newer`.
 */
export async function openJournal({ path, clock }: { path: string; clock: Clock }): Promise<Journal> {
  const store: Store = { db: await connect(path, clock), clock }
  try {
    await migrate(store)
  } catch (error) {
    await store.db.destroy()
    throw error
  }
  return {
    ...leaseCalls(store),
    ...fileCalls(store),
    ...recordCalls(store),
    ...attemptCalls(store),
    ...heldCalls(store),
    ...decisionCalls(store),
    ...settlementCalls(store),
    ...restoringCalls(store),
    ...outgoingCalls(store),
    ...deliveryCalls(store),
    ...heldDeliveryCalls(store),
    ...documentCalls(store),
    ...referenceCalls(store),
    ...keptCalls(store),
    ...stepCalls(store),
    ...namingCalls(store),
    ...noticeCalls(store),
    ...traceCalls(store),
    ...turnCalls(store),
    ...takingCalls(store),
    ...concernCalls(store),
    ...watchCalls(store),
    ...overviewCalls(store),
    ...auditCalls(store),
    async close() {
      await read(store, () => Promise.resolve()) // whoever is in a transaction finishes it
      await store.db.destroy()
    },
  }
}
