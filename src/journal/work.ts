/** What a file and a delivery have in common: records of theirs that are sent and come to an outcome. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { UnfinishedOf, WorkOf } from '../domain/journal.ts'
import { FINAL_OUTCOMES, type RecordState } from '../domain/record.ts'
import { assert } from '../support/errors.ts'
import type { Direction, Tables } from './schema.ts'

export interface Work {
  readonly id: string
  readonly direction: Direction
  /** The records of the work, as a condition on `records`. */
  readonly its: RawBuilder<boolean>
  /** The state in which a record waits for its turn, as a literal: an index holds just these. */
  readonly waiting: RawBuilder<RecordState>
  /** The same as a word. */
  readonly waitingState: RecordState
}

export function workOf(work: WorkOf): Work {
  if ('file' in work) {
    const its = sql<boolean>`records.file_id = ${work.file}`
    return { id: work.file, direction: 'incoming', its, waiting: sql.lit('planned'), waitingState: 'planned' }
  }
  const its = sql<boolean>`records.delivery_id = ${work.delivery}`
  return {
    id: work.delivery,
    direction: 'outgoing',
    its,
    waiting: sql.lit('collected'),
    waitingState: 'collected',
  }
}

/**
 * Stops the program when sending would break a promise: before the file is planned whole, before the delivery is at
 * its final name, or for the work of another route.
 */
export async function assertMayBeSent(tables: Kysely<Tables>, work: Work, route: string): Promise<void> {
  const table = work.direction === 'incoming' ? 'files' : 'deliveries'
  const state = work.direction === 'incoming' ? 'planned' : 'delivered'
  const found = await tables
    .selectFrom(table)
    .select('id')
    .where('id', '=', work.id)
    .where('route', '=', route)
    .where('state', '=', state)
    .executeTakeFirst()
  assert(found, `Nothing of ${work.id} may be sent: it is not ${state} on route ${route}.`)
}

/** Of many it finds the first: the records of a file have one account, and so should those of a delivery. */
export async function otherAccount(
  tables: Kysely<Tables>,
  work: UnfinishedOf,
  account: string,
): Promise<string | undefined> {
  const its = 'waitingIn' in work ? waitingIn(work.waitingIn) : sql`${workOf(work).its} and ${NOT_FINAL}`
  const { rows } = await sql<{ account: string }>`
    select account from records where ${its} and account <> ${account} limit 1`.execute(tables)
  return rows[0]?.account
}

/** The records that no delivery of the route has taken yet, as a condition on `records`. */
export function waitingIn(route: string): RawBuilder<boolean> {
  return sql<boolean>`records.route = ${route} and records.direction = 'outgoing' and records.delivery_id is null`
}

/** As a condition on `records`: something may still happen to it by itself. */
export const NOT_FINAL = sql<boolean>`records.state not in (${sql.join(FINAL_OUTCOMES.map((state) => sql.lit(state)))})`
