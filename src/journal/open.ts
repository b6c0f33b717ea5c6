/** The journal on SQLite: one file on a disk of this machine, shared by the bridges that run on it. */
import type { Journal } from '../domain/journal.ts'
import type { BridgeVersion } from '../domain/version.ts'
import type { Clock } from '../support/clock.ts'
import { createAttemptJournal } from './attempts.ts'
import { createAuditJournal } from './verify.ts'
import { createAlertJournal } from './alerts.ts'
import { openConnection } from './connection.ts'
import { createDecisionJournal } from './decisions.ts'
import { createDeliveryJournal, createRedeliveryJournal } from './deliveries.ts'
import { createDocumentJournal } from './documents.ts'
import { createFileJournal } from './files.ts'
import { createResourceJournal } from './resources.ts'
import { createHeldRecordJournal } from './held-records.ts'
import { createAnswerJournal } from './interchanges/answers.ts'
import { createNumberJournal } from './interchanges/numbers.ts'
import { createUnbundlingJournal } from './interchanges/unbundling.ts'
import { createLeaseJournal } from './leases.ts'
import { migrate, readVersion } from './migrate.ts'
import { createNamingJournal } from './namings.ts'
import { createNotificationJournal } from './notifications.ts'
import { createOutgoingJournal } from './outgoing-records.ts'
import { createActivityJournal, createOverviewJournal } from './overview.ts'
import { createRecordJournal } from './records.ts'
import { createRestorationJournal } from './restore.ts'
import { createStepJournal } from './steps.ts'
import { createScheduleJournal } from './scheduled-runs.ts'
import { bindStore, type Store, read } from './store.ts'
import { createConfirmationJournal } from './confirmations.ts'
import { createTraceJournal } from './trace.ts'

interface JournalOptions {
  readonly path: string
  readonly clock: Clock
  /** Whether an existing journal is only read: then nothing is created or brought up to date. */
  readonly isCheck?: boolean
  /** Noted with what is planned, sent and delivered. */
  readonly version?: BridgeVersion | undefined
}

/**
 * Opens the journal at `path` and brings its tables up to date; creates missing files and folders.
 * `:memory:` opens a journal that is gone once it is closed. Throws `journal-unusable` and `journal-newer`.
 */
export async function openJournal({
  path,
  clock,
  isCheck = false,
  version,
}: JournalOptions): Promise<Journal> {
  const store: Store = { db: await openConnection(path, clock, isCheck), clock, ...(version && { version }) }
  try {
    await (isCheck ? read(store, readVersion) : migrate(store))
  } catch (error) {
    await store.db.destroy()
    throw error
  }
  const bound = bindStore(store)
  return {
    ...createLeaseJournal(bound),
    ...createFileJournal(bound),
    ...createUnbundlingJournal(bound),
    ...createAnswerJournal(bound),
    ...createNumberJournal(bound),
    ...createRecordJournal(bound),
    ...createAttemptJournal(bound),
    ...createHeldRecordJournal(bound),
    ...createDecisionJournal(bound),
    ...createRestorationJournal(bound),
    ...createOutgoingJournal(bound),
    ...createDeliveryJournal(bound),
    ...createRedeliveryJournal(bound),
    ...createDocumentJournal(bound),
    ...createResourceJournal(bound),
    ...createStepJournal(bound),
    ...createNamingJournal(bound),
    ...createNotificationJournal(bound),
    ...createTraceJournal(bound),
    ...createScheduleJournal(bound),
    ...createConfirmationJournal(bound),
    ...createAlertJournal(bound),
    ...createOverviewJournal(bound),
    ...createActivityJournal(bound),
    ...createAuditJournal(bound),
    async close() {
      await read(store, () => Promise.resolve()) // an open transaction finishes first
      await store.db.destroy()
    },
  }
}
