/** Notices: intent before and outcome after, one open notice for each channel. */
import { type Kysely, sql } from 'kysely'
import type { DueNotice, NoticeEntry, NoticeJournal, NoticeMatter, NoticeRange } from '../domain/notice.ts'
import { headOf } from './chain.ts'
import { lastTurn } from './concerns.ts'
import { present } from './present.ts'
import type { NoticeTable } from './notice-tables.ts'
import type { Tables } from './schema.ts'
import { read, type Store, write } from './store.ts'

export function noticeCalls(store: Store): NoticeJournal {
  return {
    joinNotices: async (channels) => {
      const known = new Set(await read(store, knownChannels))
      if (channels.every((name) => known.has(name))) return
      await write(store, async (tables, now) => {
        const { event } = await headOf(tables)
        const turn = await lastTurn(tables)
        for (const name of channels) {
          await sql`
            insert into notice_channels (name, joined_at, told_event, told_turn, joined_turn)
            values (${name}, ${now}, ${event}, ${turn}, ${turn}) on conflict do nothing`.execute(tables)
        }
      })
    },
    dueNotice: (channel) => read(store, (tables) => dueNotice(tables, channel)),
    noticeMatter: (range, limit) => read(store, (tables) => noticeMatter(tables, range, limit)),
    beginNotice: (channel, notice) =>
      write(store, (tables, now) => beginNotice(tables, { ...notice, channel, now })),
    endNotice: async (id, { state, problem = null }) => {
      await write(store, (tables) =>
        tables
          .updateTable('notices')
          .set({ state, problem, held_until: 0 })
          .where('id', '=', id)
          .where('state', '<>', 'sent')
          .execute(),
      )
    },
    passNotices: async (channel, range) => {
      await write(store, (tables) => moveOn(tables, { ...range, channel }))
    },
    latestNotices: (channels) => read(store, (tables) => latestNotices(tables, channels)),
  }
}

async function knownChannels(tables: Kysely<Tables>): Promise<string[]> {
  const rows = await tables.selectFrom('notice_channels').select('name').execute()
  return rows.map(({ name }) => name)
}

async function dueNotice(tables: Kysely<Tables>, channel: string): Promise<DueNotice | undefined> {
  const told = await tables
    .selectFrom('notice_channels')
    .selectAll()
    .where('name', '=', channel)
    .executeTakeFirst()
  if (told === undefined) return undefined
  const last = await latestOf(tables, channel)
  const lastTriedAt = last === undefined ? {} : { lastTriedAt: last.tried_at }
  const common = { joinedTurn: told.joined_turn, ...lastTriedAt }
  if (last === undefined || last.state === 'sent') {
    const { event } = await headOf(tables)
    const { told_event: afterEvent, told_turn: afterTurn } = told
    return { ...common, afterEvent, upToEvent: event, afterTurn }
  }
  return {
    ...common,
    afterEvent: last.after_event,
    upToEvent: last.up_to_event,
    afterTurn: last.after_turn,
    open: { id: last.id, tries: last.tries, heldUntil: last.held_until, upToTurn: last.up_to_turn },
  }
}

async function latestOf(tables: Kysely<Tables>, channel: string): Promise<NoticeTable | undefined> {
  return (
    tables
      .selectFrom('notices')
      .selectAll()
      .where('channel', '=', channel)
      // By what they tell, and not by when: a clock may have been set back.
      .orderBy(sql`state <> 'sent'`, 'desc')
      .orderBy('up_to_event', 'desc')
      .orderBy('up_to_turn', 'desc')
      .orderBy('began_at', 'desc')
      .limit(1)
      .executeTakeFirst()
  )
}

/** Events that end something worth a line. */
const OF_FILES = sql`'file-reported'`
const OF_DELIVERIES = sql`'delivery-delivered', 'delivery-done', 'delivery-acknowledged'`

async function noticeMatter(
  tables: Kysely<Tables>,
  { afterEvent, upToEvent }: Pick<NoticeRange, 'afterEvent' | 'upToEvent'>,
  limit: number,
): Promise<NoticeMatter> {
  /** By their first events, so that the same range never holds more than the limit when it is asked for again. */
  const endOf = async (kinds: typeof OF_FILES) => {
    const { rows } = await sql<{ first: number }>`
      select min(id) as first from events
      where id > ${afterEvent} and id <= ${upToEvent} and kind in (${kinds}) and subject is not null
      group by subject order by first limit 1 offset ${limit}`.execute(tables)
    return rows.map(({ first }) => first - 1)
  }
  const end = Math.min(upToEvent, ...(await endOf(OF_FILES)), ...(await endOf(OF_DELIVERIES)))
  const subjects = async (kinds: typeof OF_FILES) => {
    const { rows } = await sql<{ subject: string }>`
      select subject, max(id) as latest from events
      where id > ${afterEvent} and id <= ${end} and kind in (${kinds}) and subject is not null
      group by subject order by latest`.execute(tables)
    return rows.map(({ subject }) => subject)
  }
  return { files: await subjects(OF_FILES), deliveries: await subjects(OF_DELIVERIES), upToEvent: end }
}

interface Beginning extends NoticeRange {
  readonly channel: string
  readonly id: string
  readonly heldUntil: number
  readonly now: number
}

async function beginNotice(tables: Kysely<Tables>, notice: Beginning): Promise<boolean> {
  const { channel, id, heldUntil, now } = notice
  const again = await tables
    .updateTable('notices')
    .set((is) => ({ tries: is('tries', '+', 1), tried_at: now, held_until: heldUntil, state: 'begun' }))
    .where('id', '=', id)
    .where('state', '<>', 'sent')
    // By a clock that was set back, it would be held for as long as that.
    .where(sql<boolean>`(held_until <= ${now} or 2 * tried_at - held_until >= ${now})`)
    .executeTakeFirst()
  if (again.numUpdatedRows > 0n) return true
  const { rows } = await sql`select 1 from notices where channel = ${channel} and state <> 'sent'`.execute(
    tables,
  )
  if (rows.length > 0 || !(await moveOn(tables, notice))) return false
  await tables
    .insertInto('notices')
    .values({
      id,
      channel,
      after_event: notice.afterEvent,
      up_to_event: notice.upToEvent,
      after_turn: notice.afterTurn,
      up_to_turn: notice.upToTurn,
      state: 'begun',
      tries: 1,
      began_at: now,
      tried_at: now,
      held_until: heldUntil,
      problem: null,
    })
    .execute()
  return true
}

/** False when another bridge has moved on meanwhile. */
async function moveOn(
  tables: Kysely<Tables>,
  range: NoticeRange & { readonly channel: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tables
    .updateTable('notice_channels')
    .set({ told_event: range.upToEvent, told_turn: range.upToTurn })
    .where('name', '=', range.channel)
    .where('told_event', '=', range.afterEvent)
    .where('told_turn', '=', range.afterTurn)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

async function latestNotices(tables: Kysely<Tables>, channels: readonly string[]): Promise<NoticeEntry[]> {
  const entries: NoticeEntry[] = []
  for (const channel of channels) {
    const row = await latestOf(tables, channel)
    if (row === undefined) continue
    const { id, state, tries, began_at: beganAt, tried_at: triedAt, problem } = row
    entries.push({ channel, id, state, tries, beganAt, triedAt, ...present({ problem }) })
  }
  return entries
}
