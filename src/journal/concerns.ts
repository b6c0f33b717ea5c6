/** Findings that a person must hear of: which stand, and when each came and went, so that none is said twice. */
import { type Kysely, type Selectable, sql } from 'kysely'
import {
  type AttentionJournal,
  byUrgency,
  type Concern,
  type ConcernChange,
  concernKey,
} from '../domain/attention.ts'
import type { ConcernTable } from './attention-tables.ts'
import type { Tables } from './schema.ts'
import { type Store, read, write } from './store.ts'

/** No bridge has so many; those behind them are raised as these end. */
const STANDING_MAX = 10_000

export function concernCalls(store: Store): AttentionJournal {
  return {
    noteConcerns: async (found, unseen) => {
      // Most of the time all is as it was, and nothing is written then.
      const before = await read(store, standing)
      const { added, ended } = compare(before, found, unseen)
      if (added.length === 0 && ended.length === 0) return []
      return write(store, (tables, now) => note(tables, { found, unseen, now }))
    },
    standingConcerns: (limit) =>
      read(store, async (tables) =>
        (await standing(tables)).map(concernOf).toSorted(byUrgency).slice(0, limit),
      ),
    concernChanges: (afterTurn, limit) => read(store, (tables) => changes(tables, afterTurn, limit)),
  }
}

type Row = Selectable<ConcernTable>

function standing(tables: Kysely<Tables>): Promise<Row[]> {
  return tables
    .selectFrom('concerns')
    .selectAll()
    .where('ended_turn', 'is', null)
    .orderBy('raised_turn')
    .limit(STANDING_MAX)
    .execute()
}

type Unseen = (standing: Concern) => boolean

function compare(
  before: readonly Row[],
  found: readonly Concern[],
  unseen: Unseen,
): { readonly added: readonly Concern[]; readonly ended: readonly Row[] } {
  const known = new Set(before.map((row) => concernKey(concernOf(row))))
  const now = new Map(found.map((concern) => [concernKey(concern), concern]))
  return {
    added: [...now].filter(([key]) => !known.has(key)).map(([, concern]) => concern),
    ended: before.filter((row) => {
      const concern = concernOf(row)
      return !now.has(concernKey(concern)) && !unseen(concern)
    }),
  }
}

interface Noting {
  readonly found: readonly Concern[]
  readonly unseen: Unseen
  readonly now: number
}

/** Another bridge may have noted the same since it was looked at: what stands is read anew, under the write lock. */
async function note(tables: Kysely<Tables>, { found, unseen, now }: Noting): Promise<ConcernChange[]> {
  const { added, ended } = compare(await standing(tables), found, unseen)
  let turn = await lastTurn(tables)
  const made: ConcernChange[] = []
  for (const row of ended) {
    turn += 1
    await tables
      .updateTable('concerns')
      .set({ ended_turn: turn, ended_at: now })
      .where('raised_turn', '=', row.raised_turn)
      .execute()
    made.push({ turn, change: 'ended', raisedTurn: row.raised_turn, at: now, concern: concernOf(row) })
  }
  for (const concern of added) {
    turn += 1
    const { code, route = '', subject, since, message, cure } = concern
    await tables
      .insertInto('concerns')
      .values({ raised_turn: turn, code, route, subject, since, message, cure, raised_at: now })
      .execute()
    made.push({ turn, change: 'raised', raisedTurn: turn, at: now, concern })
  }
  return made
}

export async function lastTurn(tables: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ turn: number | null }>`
    select max(coalesce((select max(raised_turn) from concerns), 0),
      coalesce((select max(ended_turn) from concerns where ended_turn is not null), 0)) as turn`.execute(
    tables,
  )
  return rows[0]?.turn ?? 0
}

async function changes(tables: Kysely<Tables>, afterTurn: number, limit: number): Promise<ConcernChange[]> {
  const raised = await tables
    .selectFrom('concerns')
    .selectAll()
    .where('raised_turn', '>', afterTurn)
    .orderBy('raised_turn')
    .limit(limit)
    .execute()
  const ended = await tables
    .selectFrom('concerns')
    .selectAll()
    .where('ended_turn', '>', afterTurn)
    .orderBy('ended_turn')
    .limit(limit)
    .execute()
  return [
    ...raised.map((row) => ({
      turn: row.raised_turn,
      change: 'raised' as const,
      raisedTurn: row.raised_turn,
      at: row.raised_at,
      concern: concernOf(row),
    })),
    ...ended.map((row) => ({
      turn: row.ended_turn ?? 0,
      change: 'ended' as const,
      raisedTurn: row.raised_turn,
      at: row.ended_at ?? 0,
      concern: concernOf(row),
    })),
  ]
    .toSorted((one, other) => one.turn - other.turn)
    .slice(0, limit)
}

function concernOf({ code, route, subject, since, message, cure }: Row): Concern {
  return { code, ...(route === '' ? {} : { route }), subject, since, message, cure }
}
