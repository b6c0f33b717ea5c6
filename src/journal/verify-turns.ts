/** Turns as the chain says they are, against their table. */
import { type Kysely, sql } from 'kysely'
import { batchOf } from './batch.ts'
import type { Findings } from './findings.ts'
import { mentionOf, type TurnMention } from './turn-mentions.ts'
import type { EventTable, Tables, TurnTable } from './schema.ts'
import type { Told } from './verify-check.ts'

interface Said {
  readonly event: EventTable
  readonly mention: TurnMention
}

export function turnCheck(tables: Kysely<Tables>, found: Findings) {
  const met = new Map<string, Set<string>>()
  const isNew = (route: string, turn: string) => {
    const known = met.get(route) ?? new Set()
    met.set(route, known)
    const first = !known.has(turn)
    known.add(turn)
    return first
  }
  return {
    async look(page: readonly Told[]): Promise<void> {
      const said: Said[] = page.flatMap(({ event, detail }) =>
        (detail.turns ?? []).flatMap((mention) =>
          isNew(event.route ?? '', mention[0]) ? [{ event, mention }] : [],
        ),
      )
      if (said.length === 0) return
      const rows = await rowsOf(tables, said)
      for (const each of said) compare(each, rows, found)
    },
    async finish(): Promise<void> {
      const all = await tables
        .selectFrom('turns')
        .select(['route', 'turn'])
        .where('turn', '<>', 'every')
        .execute()
      for (const { route, turn } of all) {
        if (met.get(route)?.has(turn) === true) continue
        const name = `turn ${turn} of ${route}`
        found.add('turn', `${route} ${turn}`, `${name} was put there: no event tells of it`)
      }
    },
  }
}

function compare({ event, mention }: Said, rows: ReadonlyMap<string, TurnTable>, found: Findings): void {
  const [turn, state] = mention
  const route = event.route ?? ''
  const row = rows.get(`${route} ${turn}`)
  const name = `turn ${turn} of ${route}`
  if (row === undefined) found.add('turn', `${route} ${turn}`, `${name} is missing; it was ${state}`, event)
  else if (row.state !== state) {
    found.add('turn', `${route} ${turn}`, `${name} is ${row.state}, and was ${state}`, event)
  } else if (mentionOf(row).join() !== mention.join()) {
    found.add(
      'turn',
      `${route} ${turn}`,
      `${name} is not what it was: its time or its delivery differs`,
      event,
    )
  }
}

async function rowsOf(tables: Kysely<Tables>, said: readonly Said[]): Promise<Map<string, TurnTable>> {
  const asked = batchOf(said, { route: ({ event }) => event.route ?? '', turn: ({ mention }) => mention[0] })
  const { rows } = await sql<TurnTable>`
    select turns.* from ${asked} join turns on turns.route = batch.route and turns.turn = batch.turn`.execute(
    tables,
  )
  return new Map(rows.map((row) => [`${row.route} ${row.turn}`, row]))
}
