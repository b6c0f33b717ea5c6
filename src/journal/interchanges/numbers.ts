/** Gives out control numbers: each at most once within its scope, until the highest one was given. */
import { type RawBuilder, sql } from 'kysely'
import type { NewDelivery } from '../../domain/delivery.ts'
import { type AnswerNumbers, MAX_CONTROL_NUMBER } from '../../domain/interchange.ts'
import type {
  InterchangeJournal,
  NumberCounter,
  NumberReservation,
  NumberScope,
} from '../../domain/interchange-journal.ts'
import { HOUR_MS } from '../../support/clock.ts'
import { assert, BridgeError } from '../../support/errors.ts'
import { digestReservation } from './digests.ts'
import { appendEvent, insertDecision, selectDecisionDetail } from '../events.ts'
import { exists, omitNull, selectFirst } from '../rows.ts'
import type { Db, Row } from '../schema.ts'
import type { BoundStore, RouteTx, Tx } from '../store.ts'

/** How many numbers of each scope are left out after a restoration: those since the backup must not be given again. */
const RESTORED_MARGIN = 1000

export function createNumberJournal({ reads, writes, leased }: BoundStore) {
  return {
    listNumberCounters: reads(async (db) => {
      const { rows } = await sql<Row<'number_counters'>>`
        select * from number_counters order by sender, receiver, usage, syntax`.execute(db)
      return rows.map(toNumberCounter)
    }),
    setNumberCounter: writes(async ({ db, now }: Tx, counter, { by, why }) => {
      const { interchange, group } = counter
      for (const last of [interchange, group]) {
        const isPossible = Number.isInteger(last) && last >= 0 && last <= MAX_CONTROL_NUMBER
        assert(isPossible, `${last} is no last control number.`)
      }
      await saveCounter(db, counter)
      const id = await insertDecision(db, now, { action: 'set-numbers', by, why, records: 0 })
      const decision = await selectDecisionDetail(db, id)
      // A file that takes over an open reservation would have a number from before.
      const removed = await deleteOpenReservations(db, isOfScope(counter))
      const reservations = removed.map(mentionRemoved)
      const changed = reservations.length === 0 ? {} : { reservations }
      const detail = { decision, counters: [mentionCounter(counter)], ...changed }
      await appendEvent(db, now, { kind: 'numbers-set', detail })
    }),
    reserveNumbers: leased(reserveNumbers),
    findReservation: reads(async (db, deliveryId) => {
      const row = await selectReservation(db, sql`delivery_id = ${deliveryId}`)
      return row && toReservation(row)
    }),
  } satisfies Partial<InterchangeJournal>
}

interface Reserved {
  /** The first of each; where none was asked for, the one that comes next. */
  readonly numbers: AnswerNumbers
  readonly counter: NumberCounter
}

/** Gives so many numbers of interchanges and groups; a scope without a counter begins with `start`. */
export async function advanceCounter(
  db: Db,
  scope: NumberScope,
  { interchanges, groups, start }: { interchanges: number; groups: number; start: number },
): Promise<Reserved> {
  const last = (await findCounter(db, scope)) ?? (await createCounter(db, scope, start))
  const numbers = { interchange: countOn(last.interchange, 1), group: countOn(last.group, 1) }
  const counter = {
    ...last,
    interchange: countOn(last.interchange, interchanges),
    group: countOn(last.group, groups),
  }
  await saveCounter(db, counter)
  return { numbers, counter }
}

/** After the highest number comes 1. Before the first number the last one is 0. */
function countOn(last: number, count: number): number {
  return count === 0 ? last : ((last + count - 1) % MAX_CONTROL_NUMBER) + 1
}

async function findCounter(db: Db, scope: NumberScope): Promise<NumberCounter | undefined> {
  const { rows } = await sql<Row<'number_counters'>>`
    select * from number_counters where ${isOfScope(scope)}`.execute(db)
  return rows.map(toNumberCounter)[0]
}

/** A scope that is new after a restoration may have had numbers that the backup does not know. */
async function createCounter(db: Db, scope: NumberScope, start: number): Promise<NumberCounter> {
  const isRestored = await exists(db, sql`restored_routes`)
  const last = isRestored ? countOn(start - 1, RESTORED_MARGIN) : start - 1
  const { syntax, sender, receiver, usage } = scope
  return { syntax, sender, receiver, usage, interchange: last, group: last }
}

async function saveCounter(db: Db, counter: NumberCounter): Promise<void> {
  const { syntax, sender, receiver, usage, interchange, group } = counter
  await sql`
    insert into number_counters (syntax, sender, receiver, usage, last_interchange, last_group)
    values (${syntax}, ${sender}, ${receiver}, ${usage}, ${interchange}, ${group})
    on conflict (syntax, sender, receiver, usage) do update
    set last_interchange = excluded.last_interchange, last_group = excluded.last_group`.execute(db)
}

function isOfScope({ syntax, sender, receiver, usage }: NumberScope): RawBuilder<boolean> {
  return sql`syntax = ${syntax} and sender = ${sender} and receiver = ${receiver} and usage = ${usage}`
}

function toNumberCounter({ last_interchange, last_group, ...scope }: Row<'number_counters'>): NumberCounter {
  return { ...scope, interchange: last_interchange, group: last_group }
}

/** A counter as an event has it. */
export type CounterMention = readonly [
  syntax: string,
  sender: string,
  receiver: string,
  usage: string,
  interchange: number,
  group: number,
]

export function mentionCounter(counter: NumberCounter): CounterMention {
  const { syntax, sender, receiver, usage, interchange, group } = counter
  return [syntax, sender, receiver, usage, interchange, group]
}

/** How many counters one event has. */
const COUNTERS_AT_ONCE = 500

/**
 * Leaves out the numbers that may have been given since the backup; `skip`: as many as a person says, where these are more.
 * Returns how many counters there are.
 */
export async function raiseCounters(db: Db, now: number, skip: number): Promise<number> {
  const margin = Math.max(skip, RESTORED_MARGIN)
  const { rows } = await sql<Row<'number_counters'>>`
    update number_counters set
      last_interchange = (last_interchange + ${margin} - 1) % ${MAX_CONTROL_NUMBER} + 1,
      last_group = (last_group + ${margin} - 1) % ${MAX_CONTROL_NUMBER} + 1
    returning *`.execute(db)
  const counters = rows.map((row) => mentionCounter(toNumberCounter(row)))
  for (let start = 0; start < counters.length; start += COUNTERS_AT_ONCE) {
    const detail = { counters: counters.slice(start, start + COUNTERS_AT_ONCE) }
    await appendEvent(db, now, { kind: 'numbers-raised', detail })
  }
  return counters.length
}

// Reservations: the numbers of outgoing files, which are in the bytes, the hash and the name of a delivery.

/** A file whose composing ended early is composed again in the next pass; its envelope must not have an old date for that. */
const OPEN_RESERVATION_FRESH_MS = HOUR_MS

async function reserveNumbers(
  { db, now, route }: RouteTx,
  scope: NumberScope,
  { start, groupFollows }: { readonly start: number; readonly groupFollows: boolean },
): Promise<NumberReservation> {
  const open = await selectReservation(
    db,
    sql`route = ${route} and delivery_id is null and ${isOfScope(scope)}`,
  )
  if (open !== undefined) return takeOver(db, now, open)
  const asked = { interchanges: 1, groups: groupFollows ? 0 : 1, start }
  const { numbers, counter } = await advanceCounter(db, scope, asked)
  const { interchange } = numbers
  const group = groupFollows ? interchange : numbers.group
  // Groups of answers count on by themselves, perhaps further than interchanges.
  const last = { ...counter, group: Math.max(counter.group, group) }
  if (groupFollows) await saveCounter(db, last)
  const { syntax, sender, receiver, usage } = scope
  const row = await db
    .insertInto('number_reservations')
    .values({
      route,
      syntax,
      sender,
      receiver,
      usage,
      interchange_number: interchange,
      group_number: group,
      reserved_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const detail = { reservations: [mentionReservation(row)], counters: [mentionCounter(last)] }
  await appendEvent(db, now, { kind: 'numbers-reserved', route, detail })
  return toReservation(row)
}

/** No delivery has these numbers, so that nothing with the earlier time can be at the target. */
async function takeOver(db: Db, now: number, open: Row<'number_reservations'>): Promise<NumberReservation> {
  if (now - open.reserved_at < OPEN_RESERVATION_FRESH_MS) return toReservation(open)
  const row = { ...open, reserved_at: now }
  await sql`update number_reservations set reserved_at = ${now} where id = ${open.id}`.execute(db)
  const detail = { reservations: [mentionReservation(row)] }
  await appendEvent(db, now, { kind: 'numbers-reserved', route: open.route, detail })
  return toReservation(row)
}

/** In the transaction that makes the delivery; returns what its event says of it. */
export async function bindReservation(
  { db, route }: RouteTx,
  bound: NewDelivery['reservation'],
  deliveryId: string,
) {
  if (bound === undefined) return {}
  const { id, sets, code } = bound
  const open = await selectReservation(db, sql`id = ${id} and route = ${route} and delivery_id is null`)
  if (open === undefined) {
    const why = `the control numbers of route ${route} were set or taken otherwise while its file was composed`
    throw new BridgeError('cannot-write', why, { fix: 'Run again: the file is composed anew.' })
  }
  await sql`
    update number_reservations set delivery_id = ${deliveryId}, sets = ${sets}, code = ${code} where id = ${id}`.execute(
    db,
  )
  return { reservations: [mentionReservation({ ...open, delivery_id: deliveryId, sets, code })] }
}

/** Deliveries since the backup may carry the numbers of open reservations. */
export async function removeOpenReservations(db: Db, now: number): Promise<void> {
  const rows = await deleteOpenReservations(db, sql`true`)
  for (let start = 0; start < rows.length; start += COUNTERS_AT_ONCE) {
    const reservations = rows.slice(start, start + COUNTERS_AT_ONCE).map(mentionRemoved)
    await appendEvent(db, now, { kind: 'numbers-raised', detail: { reservations } })
  }
}

async function deleteOpenReservations(db: Db, condition: RawBuilder<unknown>) {
  const { rows } = await sql<Row<'number_reservations'>>`
    delete from number_reservations where delivery_id is null and ${condition} returning *`.execute(db)
  return rows
}

function mentionRemoved({ id }: Row<'number_reservations'>): ReservationMention {
  return { id, digest: NO_RESERVATION }
}

async function selectReservation(db: Db, condition: RawBuilder<unknown>) {
  return selectFirst(
    db,
    sql<Row<'number_reservations'>>`select * from number_reservations where ${condition}`,
  )
}

function toReservation(row: Row<'number_reservations'>): NumberReservation {
  const { id, syntax, sender, receiver, usage, interchange_number, group_number, reserved_at: at } = row
  const numbers = { interchange: interchange_number, group: group_number }
  return { id, scope: { syntax, sender, receiver, usage }, numbers, at }
}

/** The digest of one that was removed. */
export const NO_RESERVATION = ''

/** A reservation as an event has it. */
export interface ReservationMention {
  readonly id: number
  readonly digest: string
  readonly numbers?: readonly [interchange: number, group: number]
  readonly delivery?: string
}

export function mentionReservation(row: Row<'number_reservations'>): ReservationMention {
  const { id, interchange_number: interchange, group_number: group, delivery_id } = row
  const digest = digestReservation(row)
  return { id, digest, numbers: [interchange, group], ...omitNull({ delivery: delivery_id }) }
}

// What waits for a person: that a partner refused sets of a delivery, or has not answered all of them.

/** Condition on `answered_sets` with their `received_answers`: it refuses, and no person decided about the delivery since. */
export const IS_OPEN_REFUSAL = sql<boolean>`(answered_sets.verdict = 'R' and not exists (
  select 1 from decisions where decisions.delivery_id = answered_sets.delivery_id
    and action in ('dismiss', 'release') and decisions.decided_at >= received_answers.received_at))`

/** Condition on `number_reservations`: sets that its delivery carries are not answered. */
export const IS_UNANSWERED = sql<boolean>`(answered_at is null and number_reservations.delivery_id is not null)`

export async function isAwaitingDecision(db: Db, deliveryId: string): Promise<boolean> {
  return (
    (await exists(
      db,
      sql`answered_sets join received_answers on received_answers.number = answered_sets.answer
        where answered_sets.delivery_id = ${deliveryId} and ${IS_OPEN_REFUSAL}`,
    )) ||
    (await exists(
      db,
      sql`number_reservations join deliveries on deliveries.id = number_reservations.delivery_id
        where deliveries.id = ${deliveryId} and deliveries.state <> 'composed' and ${IS_UNANSWERED}`,
    ))
  )
}
