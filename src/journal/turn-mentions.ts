/** What the chain of events says of turns. */
import type { Kysely } from 'kysely'
import type { Lease } from '../domain/lease.ts'
import { chain } from './chain.ts'
import type { Tables, TurnTable } from './schema.ts'

/** What an event says of a turn: its name, its state, when it is due, and its delivery. */
export type TurnMention = readonly [turn: string, state: string, dueAt: number, delivery: string]

export async function chainTurns(
  tables: Kysely<Tables>,
  now: number,
  told: {
    readonly kind: 'turn-begun' | 'turn-done' | 'schedule-began'
    readonly lease: Lease
    readonly turns: readonly string[]
  },
): Promise<void> {
  const { route } = told.lease
  const turns = await mentionsOf(tables, route, told.turns)
  await chain(tables, now, { kind: told.kind, route, detail: { turns } })
}

export async function mentionsOf(
  tables: Kysely<Tables>,
  route: string,
  turns: readonly string[],
): Promise<readonly TurnMention[]> {
  const mentions: TurnMention[] = []
  for (const turn of turns) {
    const row = await turnOf(tables, route, turn)
    if (row !== undefined) mentions.push(mentionOf(row))
  }
  return mentions
}

export function mentionOf({ turn, state, due_at: dueAt, delivery_id: delivery }: TurnTable): TurnMention {
  return [turn, state, dueAt, delivery ?? '']
}

export async function turnOf(
  tables: Kysely<Tables>,
  route: string,
  turn: string,
): Promise<TurnTable | undefined> {
  return tables
    .selectFrom('turns')
    .selectAll()
    .where('route', '=', route)
    .where('turn', '=', turn)
    .executeTakeFirst()
}
