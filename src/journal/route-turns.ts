/** The turns of routes that have a schedule: each business date and each instant comes to one state, and keeps it. */
import { type Kysely, sql } from 'kysely'
import type { Lease } from '../domain/lease.ts'
import type { KnownTurns, NewTurn, TurnEntry, TurnJournal, TurnState } from '../domain/turns.ts'
import { assert } from '../support/errors.ts'
import { present } from './present.ts'
import type { Tables, TurnTable } from './schema.ts'
import { chainTurns, mentionsOf, type TurnMention, turnOf } from './turn-mentions.ts'
import { INTERVAL, isAhead, noteAhead } from './turns-ahead.ts'
import { read, type Store, writeHolding } from './store.ts'

export function turnCalls(store: Store): TurnJournal {
  return {
    knownTurns: (route) => read(store, (tables) => knownTurns(tables, route, store.clock.now())),
    recentTurns: (limit, route) => read(store, (tables) => recentTurns(tables, limit, route)),
    beginTurn: (lease, begin) =>
      writeHolding(store, lease, (tables, now) => beginTurn(tables, lease, { begin, now })),
    turnDone: (lease, turn) =>
      writeHolding(store, lease, (tables, now) => turnDone(tables, lease, { turn, now })),
    scheduleBegan: (lease, turn) =>
      writeHolding(store, lease, async (tables, now) => {
        const ahead = await noteAhead(tables, lease.route, now)
        await noteTurns(tables, lease, { turns: [turn], state: 'before', now })
        const turns = [...new Set([turn.turn, ...ahead])]
        await chainTurns(tables, now, { kind: 'schedule-began', lease, turns })
      }),
    noteInterval: (lease, at) =>
      writeHolding(store, lease, async (tables, now) => {
        const row = {
          route: lease.route,
          turn: INTERVAL,
          state: 'done' as const,
          due_at: at,
          changed_at: now,
        }
        await tables
          .insertInto('turns')
          .values(row)
          .onConflict((conflict) =>
            conflict.columns(['route', 'turn']).doUpdateSet({ due_at: at, changed_at: now }),
          )
          .execute()
      }),
  }
}

/**
 * What was noted by a clock that was ahead of the time does not count: no date may be over before it has come, and a clock
 * that was wrong by years must not keep a route from its turns until then.
 */
async function knownTurns(tables: Kysely<Tables>, route: string, now: number): Promise<KnownTurns> {
  const has = sql`route = ${route} and not ${isAhead(now)}`
  const { rows } = await sql<{ date: string | null; instant: string | null; interval_at: number | null }>`
    select
      (select turn from turns where ${has} and ${IS_DATE} order by turn desc limit 1) as date,
      (select turn from turns where ${has} and ${IS_INSTANT} order by turn desc limit 1) as instant,
      (select due_at from turns where route = ${route} and turn = ${INTERVAL}) as interval_at`.execute(tables)
  const begun = await tables
    .selectFrom('turns')
    .selectAll()
    .where('route', '=', route)
    .where(sql<boolean>`not ${isAhead(now)}`)
    .where(sql<boolean>`state = 'begun'`)
    .orderBy('due_at')
    .limit(BEGUN_MAX)
    .execute()
  const [known] = rows
  return {
    ...present({
      latestDate: known?.date ?? null,
      latestInstant: known?.instant ?? null,
      intervalAt: known?.interval_at ?? null,
    }),
    begun: begun.map(entryOf),
  }
}

/** Only what was begun before a crash is found begun by somebody else, so there is one, or two after a change of schedule. */
const BEGUN_MAX = 100

/** A date, an instant and the word of intervals sort apart: `2026-03-08` < `2026-03-08T…` < `every`. */
const IS_DATE = sql`turn < ${INTERVAL} and length(turn) = 10`
const IS_INSTANT = sql`turn < ${INTERVAL} and length(turn) > 10`

async function recentTurns(tables: Kysely<Tables>, limit: number, route?: string): Promise<TurnEntry[]> {
  const all = tables
    .selectFrom('turns')
    .selectAll()
    .where('turn', '<>', INTERVAL)
    .where('state', '<>', 'ahead')
    .orderBy('due_at', 'desc')
    .orderBy('route')
    .limit(limit)
  const rows = await (route === undefined ? all : all.where('route', '=', route)).execute()
  return rows.map(entryOf)
}

type Begin = Parameters<TurnJournal['beginTurn']>[1]

async function beginTurn(
  tables: Kysely<Tables>,
  lease: Lease,
  { begin, now }: { readonly begin: Begin; readonly now: number },
): Promise<TurnEntry> {
  const { turn, covered, missed } = begin
  const ahead = await noteAhead(tables, lease.route, now)
  const known = await turnOf(tables, lease.route, turn)
  const isNew = known === undefined || known.state === 'ahead'
  if (isNew) await noteTurns(tables, lease, { turns: [begin], state: 'begun', now })
  await noteTurns(tables, lease, { turns: covered, state: 'covered', now })
  await noteTurns(tables, lease, { turns: missed, state: 'missed', now })
  const told = [...(isNew ? [begin] : []), ...covered, ...missed].map((each) => each.turn)
  const noted = [...new Set([...told, ...ahead])]
  if (noted.length > 0) await chainTurns(tables, now, { kind: 'turn-begun', lease, turns: noted })
  const entry = await turnOf(tables, lease.route, turn)
  assert(entry, `Turn ${turn} of route ${lease.route} is not in the journal.`)
  return entryOf(entry)
}

/** A turn that has its end keeps it; one that was begun may be covered by a later one, and one that was ahead begins anew. */
async function noteTurns(
  tables: Kysely<Tables>,
  { route }: Lease,
  {
    turns,
    state,
    now,
  }: { readonly turns: readonly NewTurn[]; readonly state: TurnState; readonly now: number },
): Promise<void> {
  for (const { turn, dueAt } of turns) {
    await tables
      .insertInto('turns')
      .values({ route, turn, state, due_at: dueAt, changed_at: now })
      .onConflict((conflict) =>
        conflict
          .columns(['route', 'turn'])
          .doUpdateSet({ state, due_at: dueAt, changed_at: now })
          .where('turns.state', 'in', ['begun', 'ahead']),
      )
      .execute()
  }
}

async function turnDone(
  tables: Kysely<Tables>,
  lease: Lease,
  { turn, now }: { readonly turn: string; readonly now: number },
): Promise<void> {
  const { numUpdatedRows } = await tables
    .updateTable('turns')
    .set({ state: 'done', changed_at: now })
    .where('route', '=', lease.route)
    .where('turn', '=', turn)
    .where('state', '=', 'begun')
    .executeTakeFirst()
  assert(numUpdatedRows === 1n, `Turn ${turn} of route ${lease.route} should be begun and is not.`)
  await chainTurns(tables, now, { kind: 'turn-done', lease, turns: [turn] })
}

/** Binds a delivery to the turn that it was composed for, in the transaction that makes it. The caller tells of it in the chain. */
export async function tieToTurn(
  tables: Kysely<Tables>,
  { route }: Lease,
  { turn, delivery }: { readonly turn: string; readonly delivery: string },
): Promise<readonly TurnMention[]> {
  const { numUpdatedRows } = await tables
    .updateTable('turns')
    .set({ delivery_id: delivery })
    .where('route', '=', route)
    .where('turn', '=', turn)
    .where('state', '=', 'begun')
    .where('delivery_id', 'is', null)
    .executeTakeFirst()
  assert(
    numUpdatedRows === 1n,
    `Turn ${turn} of route ${route} should be begun, without a delivery, and is not.`,
  )
  return mentionsOf(tables, route, [turn])
}

function entryOf(row: TurnTable): TurnEntry {
  const { route, turn, state, due_at: dueAt, changed_at: changedAt, delivery_id: delivery } = row
  return { route, turn, state, dueAt, changedAt, ...present({ delivery }) }
}
