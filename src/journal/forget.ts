/** Forgetting the contents of what was finished long ago, in transactions of bounded size. */
import { type Kysely, sql } from 'kysely'
import type { Forgotten, ForgetRequest } from '../domain/audit.ts'
import { chain } from './chain.ts'
import { idsOf } from './ids.ts'
import { forgetKeptValues, forgetResources } from './forget-references.ts'
import { forgetWork, IS_FORGETTABLE, type WorkCursor } from './forget-work.ts'
import type { Tables } from './schema.ts'
import { ownTurn } from './turns.ts'
import { type Store, read, write } from './store.ts'

type Counts = Omit<Forgotten, 'isGone'>

const NOTHING: Counts = { files: 0, deliveries: 0, records: 0, resources: 0, keptValues: 0 }

export async function forget(store: Store, request: ForgetRequest): Promise<Forgotten> {
  const { before, dryRun = false, signal } = request
  if (dryRun) return { ...(await read(store, (tables) => countForgettable(tables, before))), isGone: false }
  let total = NOTHING
  for (const step of stepsTo(before)) {
    for (;;) {
      if (signal.aborted) return { ...total, isGone: await emptyLog(store) }
      const counts = await write(store, step)
      await ownTurn()
      if (counts === undefined) break
      total = sumOf(total, counts)
    }
  }
  return { ...total, isGone: await emptyLog(store) }
}

/** One transaction; undefined when there was nothing left for it. */
type Step = (tables: Kysely<Tables>, now: number) => Promise<Counts | undefined>

function stepsTo(before: number): readonly Step[] {
  let lastResource = 0
  return [
    workStep('files', before),
    workStep('deliveries', before),
    async (tables, now) => {
      const { resources, last } = await forgetResources(tables, before, lastResource)
      if (last === undefined) return undefined
      lastResource = last
      await noteForgotten(tables, now, { counts: { ...NOTHING, resources } })
      return { ...NOTHING, resources }
    },
    async (tables, now) => {
      const keptValues = await forgetKeptValues(tables, before)
      if (keptValues === 0) return undefined
      await noteForgotten(tables, now, { counts: { ...NOTHING, keptValues } })
      return { ...NOTHING, keptValues }
    },
  ]
}

function workStep(table: 'files' | 'deliveries', before: number): Step {
  let cursor: WorkCursor | undefined
  return async (tables, now) => {
    const done = await forgetWork(tables, { table, before, now, ...(cursor === undefined ? {} : { cursor }) })
    if (done === undefined) return undefined
    cursor = done.cursor
    const counts = { ...NOTHING, records: done.ids.length, [table]: done.works }
    await noteForgotten(tables, now, { counts, ids: done.ids })
    return counts
  }
}

interface Noted {
  readonly counts: Counts
  readonly ids?: readonly number[]
}

async function noteForgotten(
  tables: Kysely<Tables>,
  now: number,
  { counts, ids = [] }: Noted,
): Promise<void> {
  const { files, deliveries, resources, keptValues } = counts
  const forgotten = { ids: idsOf(ids), files, deliveries, resources, keptValues }
  await chain(tables, now, { kind: 'contents-forgotten', detail: { forgotten } })
}

function sumOf(one: Counts, other: Counts): Counts {
  return {
    files: one.files + other.files,
    deliveries: one.deliveries + other.deliveries,
    records: one.records + other.records,
    resources: one.resources + other.resources,
    keptValues: one.keptValues + other.keptValues,
  }
}

async function countForgettable(tables: Kysely<Tables>, before: number): Promise<Counts> {
  const { rows } = await sql<Counts>`
    select
      (select count(*) from files where ${IS_FORGETTABLE.files(before)}) as files,
      (select count(*) from deliveries where ${IS_FORGETTABLE.deliveries(before)}) as deliveries,
      (select count(*) from files join records on records.file_id = files.id
        where ${IS_FORGETTABLE.files(before)})
      + (select count(*) from deliveries join records on records.delivery_id = deliveries.id
        where ${IS_FORGETTABLE.deliveries(before)}) as records,
      (select count(*) from resources where seen_at < ${before}) as resources,
      (select count(*) from kept_values where kept_at < ${before}) as "keptValues"`.execute(tables)
  return rows[0] ?? NOTHING
}

const EMPTYING_TRIES = 50
const EMPTYING_PAUSE_MS = 100

/**
 * Moves what is in the write-ahead log into the database and cuts the log off: it holds the pages as they were before.
 * False when another program reads all the while.
 */
async function emptyLog({ db, clock }: Store): Promise<boolean> {
  for (let tries = 1; tries <= EMPTYING_TRIES; tries++) {
    const { rows } = await read({ db, clock }, (tables) =>
      sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(tables),
    )
    if (rows[0]?.busy === 0) return true
    await clock.sleep(EMPTYING_PAUSE_MS)
  }
  return false
}
