/** Opens the journal on SQLite: one file on a disk of this machine, shared by the bridges that run on it, with its tables. */
import { existsSync } from 'node:fs'
import type { Journal } from '../domain/journal.ts'
import type { BridgeVersion } from '../domain/lease.ts'
import type { Clock } from '../support/clock.ts'
import { createAttemptJournal } from './attempts.ts'
import { createAuditJournal } from './verify.ts'
import { createAlertJournal } from './alerts.ts'
import { openConnection } from './connection.ts'
import { createCorrectionJournal } from './corrections.ts'
import { createDecisionJournal } from './decisions.ts'
import { createDeliveryJournal, createRedeliveryJournal } from './deliveries.ts'
import { createDocumentJournal } from './documents.ts'
import { createFileJournal } from './files.ts'
import { createResourceJournal } from './resources.ts'
import { createHeldRecordJournal } from './held-records.ts'
import { createAnswerJournal } from './interchanges/answers.ts'
import { createNumberJournal } from './interchanges/numbers.ts'
import { createReceivedAnswerJournal } from './interchanges/received.ts'
import { createUnbundlingJournal } from './interchanges/unbundling.ts'
import { createLeaseJournal, createPauseJournal } from './leases.ts'
import { createNamingJournal } from './namings.ts'
import { createNotificationJournal } from './notifications.ts'
import { createOutgoingJournal } from './outgoing-records.ts'
import { createActivityJournal, createListJournal, createOverviewJournal } from './overview.ts'
import { createRecordJournal } from './records.ts'
import { createRestorationJournal } from './restore.ts'
import { createStepJournal } from './steps.ts'
import { createScheduleJournal } from './scheduled-runs.ts'
import { bindStore, read, type Store, write } from './store.ts'
import { createConfirmationJournal } from './confirmations.ts'
import { createTraceJournal } from './trace.ts'
import { sql } from 'kysely'
import { BridgeError } from '../support/errors.ts'
import { isSqliteError } from '../support/sqlite.ts'
import { appendEvent } from './events.ts'
import { CHANGES } from './changes.ts'
import { FIRST_SCHEMA } from './first-schema.ts'
import type { Db } from './schema.ts'

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
  const { db, isInPlace } = await openConnection(path, clock, isCheck)
  const store: Store = { db, clock, path, isInPlace, ...(version && { version }) }
  await prepareOrClose(store, () => (isCheck ? read(store, readVersion) : migrate(store)))
  return bindJournal(store)
}

/** A journal that is open for reading alone. */
export interface OpenedToRead {
  readonly journal: Journal
  /** Another number after each commit of any other connection to the journal. */
  readonly readDataVersion: () => number
}

/**
 * Opens an existing journal for a program that shows it for a long time: SQLite refuses to write, and nothing is brought up to
 * date. Throws `journal-absent` and `journal-outdated`, too.
 */
export async function openJournalToRead({
  path,
  clock,
}: Pick<JournalOptions, 'path' | 'clock'>): Promise<OpenedToRead> {
  if (!existsSync(path)) throw new BridgeError('journal-absent', `There is no journal ${path} yet.`)
  const { db, readDataVersion, isInPlace } = await openConnection(path, clock, true).catch(
    explainFolderRights,
  )
  const store: Store = { db, clock, path, isInPlace }
  await prepareOrClose(store, async () => {
    const version = await read(store, readVersion).catch(explainFolderRights)
    if (version === 0) throw new BridgeError('journal-absent', `The journal ${path} is empty.`)
    if (version === VERSION) return
    const message = `The journal has tables of version ${version}, and this version of dropbridge reads only ${VERSION}.`
    throw new BridgeError('journal-outdated', message)
  })
  return { journal: bindJournal(store), readDataVersion }
}

async function prepareOrClose(store: Store, prepare: () => Promise<unknown>): Promise<void> {
  try {
    await prepare()
  } catch (error) {
    await store.db.destroy()
    throw error
  }
}

/** Readers share a file of locks beside the journal. Where they may not make it, they can read only while a bridge has it open. */
function explainFolderRights(error: unknown): never {
  const isRights =
    error instanceof BridgeError &&
    isSqliteError(error.cause) &&
    /^SQLITE_(READONLY|CANTOPEN)/.test(error.cause.code)
  if (!isRights) throw error
  throw new BridgeError('journal-unusable', 'The journal cannot be read by this user.', {
    cause: error.cause,
    fix: 'Run this as the user of the bridge, who may write into the folder of the journal.',
  })
}

function bindJournal(store: Store): Journal {
  const bound = bindStore(store)
  return {
    ...createLeaseJournal(bound),
    ...createPauseJournal(bound),
    ...createFileJournal(bound),
    ...createUnbundlingJournal(bound),
    ...createAnswerJournal(bound),
    ...createNumberJournal(bound),
    ...createReceivedAnswerJournal(bound),
    ...createRecordJournal(bound),
    ...createAttemptJournal(bound),
    ...createHeldRecordJournal(bound),
    ...createDecisionJournal(bound),
    ...createCorrectionJournal(bound),
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
    ...createListJournal(bound),
    ...createAuditJournal(bound),
    async close() {
      await read(store, () => Promise.resolve()) // an open transaction finishes first
      await store.db.destroy()
    },
  }
}

// Makes the tables of a new journal, and refuses files of another program or of a newer version.

/** The version of the tables. */
const VERSION = 1 + CHANGES.length

const NONE = { count: 0, last: 0 }

/** Always takes the write lock: a read-only journal fails on opening, and only one of several bridges makes the tables. */
export async function migrate(store: Store): Promise<void> {
  await write(store, async (db, now) => {
    const version = await readVersion(db)
    if (version === VERSION) return
    if (version === 0) await createTables(db, now)
    for (const [index, { name, statements }] of CHANGES.entries()) {
      const id = index + 2
      if (id <= version) continue
      for (const statement of statements.split(';\n')) await sql.raw(statement).execute(db)
      await db.insertInto('migration').values({ id, name, applied_at: now }).execute()
    }
  })
}

async function createTables(db: Db, now: number): Promise<void> {
  await sql`create table if not exists migration (
  id integer primary key,
  name text not null,
  applied_at integer not null
) strict`.execute(db)
  await db.insertInto('migration').values({ id: 1, name: 'first', applied_at: now }).execute()
  for (const statement of FIRST_SCHEMA.split(';\n')) await sql.raw(statement).execute(db)
  const before = { files: NONE, records: NONE, deliveries: NONE }
  await appendEvent(db, now, { kind: 'chain-began', detail: { before } })
}

/** 0 before the first. A typing error in the setting `journal` must not change another program's database. */
export async function readVersion(db: Db): Promise<number> {
  const { rows: tables } = await sql<{ own_tables: number; all_tables: number }>`
    select count(*) as all_tables, count(case when name = 'migration' then 1 end) as own_tables
    from sqlite_schema where type = 'table'`.execute(db)
  const { all_tables: all = 0, own_tables: own = 0 } = tables[0] ?? {}
  if (own === 0 && all === 0) return 0
  if (own === 0) {
    const fix = 'Correct the path in `journal`.'
    throw new BridgeError('journal-unusable', 'The journal is a SQLite database of some other program.', {
      fix,
    })
  }
  const { rows } = await sql<{ latest: number | null }>`select max(id) as latest from migration`.execute(db)
  const latest = rows[0]?.latest ?? 0
  if (latest <= VERSION) return latest
  throw new BridgeError(
    'journal-newer',
    `The journal has tables of version ${latest}, and this version of dropbridge knows only ${VERSION}.`,
  )
}
