/** Stores notifications: intent before and outcome after, one open notification for each channel. */
import { sql } from 'kysely'
import type {
  DueNotification,
  NotificationEntry,
  NotificationJournal,
  NotificationSubjects,
  NotificationRange,
} from '../domain/notification.ts'
import { selectHead } from './events.ts'
import { getLastCursor } from './alerts.ts'
import { changeRows, exists, omitNull, selectFirst } from './rows.ts'
import type { Db, Row } from './schema.ts'
import type { BoundStore, Tx } from './store.ts'

export function createNotificationJournal({ reads, writes }: BoundStore): NotificationJournal {
  const listChannels = reads((db) => db.selectFrom('notification_channels').select('name').execute())
  const addChannels = writes(insertChannels)
  return {
    joinChannels: async (channels) => {
      const known = new Set((await listChannels()).map(({ name }) => name))
      if (!channels.every((name) => known.has(name))) await addChannels(channels)
    },
    getDueNotification: reads(findDueNotification),
    listNotificationSubjects: reads(selectNotificationSubjects),
    startNotification: writes(startNotification),
    finishNotification: writes(async ({ db }, id, { state, problem = null }) => {
      await sql`
        update notifications set state = ${state}, problem = ${problem}, locked_until = 0
        where id = ${id} and state <> 'sent'`.execute(db)
    }),
    skipNotifications: writes(async ({ db }, channel, range) => {
      await advanceChannel(db, channel, range)
    }),
    listLatestNotifications: reads(selectLatestNotifications),
  }
}

async function insertChannels({ db, now }: Tx, channels: readonly string[]): Promise<void> {
  const { event } = await selectHead(db)
  const cursor = await getLastCursor(db)
  for (const name of channels) {
    await sql`
      insert into notification_channels (name, joined_at, sent_event, sent_cursor, joined_cursor)
      values (${name}, ${now}, ${event}, ${cursor}, ${cursor}) on conflict do nothing`.execute(db)
  }
}

async function findDueNotification(db: Db, channel: string): Promise<DueNotification | undefined> {
  const query = sql<Row<'notification_channels'>>`select * from notification_channels where name = ${channel}`
  const row = await selectFirst(db, query)
  if (row === undefined) return undefined
  const last = await findLatestNotification(db, channel)
  const lastTriedAt = last === undefined ? {} : { lastTriedAt: last.tried_at }
  const common = { joinedCursor: row.joined_cursor, ...lastTriedAt }
  if (last === undefined || last.state === 'sent') {
    const { event } = await selectHead(db)
    const { sent_event: afterEvent, sent_cursor: afterCursor } = row
    return { ...common, afterEvent, upToEvent: event, afterCursor }
  }
  return {
    ...common,
    afterEvent: last.after_event,
    upToEvent: last.up_to_event,
    afterCursor: last.after_cursor,
    open: { id: last.id, tries: last.tries, heldUntil: last.locked_until, upToCursor: last.up_to_cursor },
  }
}

async function findLatestNotification(db: Db, channel: string): Promise<Row<'notifications'> | undefined> {
  // Ordered by range and not by time: a clock may have been set back.
  return selectFirst(
    db,
    sql<Row<'notifications'>>`select * from notifications where channel = ${channel}
    order by state <> 'sent' desc, up_to_event desc, up_to_cursor desc, began_at desc limit 1`,
  )
}

/** Events that end work which a notification reports. */
const FILE_EVENTS = sql`'file-reported'`
const DELIVERY_EVENTS = sql`'delivery-delivered', 'delivery-done', 'delivery-acknowledged'`

async function selectNotificationSubjects(
  db: Db,
  { afterEvent, upToEvent }: Pick<NotificationRange, 'afterEvent' | 'upToEvent'>,
  limit: number,
): Promise<NotificationSubjects> {
  /** By first events, so that the same range never holds more than the limit when it is read again. */
  const endOf = async (kinds: typeof FILE_EVENTS) => {
    const { rows } = await sql<{ first: number }>`
      select min(id) as first from events
      where id > ${afterEvent} and id <= ${upToEvent} and kind in (${kinds}) and subject is not null
      group by subject order by first limit 1 offset ${limit}`.execute(db)
    return rows.map(({ first }) => first - 1)
  }
  const end = Math.min(upToEvent, ...(await endOf(FILE_EVENTS)), ...(await endOf(DELIVERY_EVENTS)))
  const subjects = async (kinds: typeof FILE_EVENTS) => {
    const { rows } = await sql<{ subject: string }>`
      select subject, max(id) as latest from events
      where id > ${afterEvent} and id <= ${end} and kind in (${kinds}) and subject is not null
      group by subject order by latest`.execute(db)
    return rows.map(({ subject }) => subject)
  }
  return { files: await subjects(FILE_EVENTS), deliveries: await subjects(DELIVERY_EVENTS), upToEvent: end }
}

async function startNotification(
  { db, now }: Tx,
  channel: string,
  notification: NotificationRange & { id: string; heldUntil: number },
): Promise<boolean> {
  const { id, heldUntil } = notification
  // A lock from before the clock was set back would last too long, so it ends once its length has passed.
  const isFree = sql`(locked_until <= ${now} or 2 * tried_at - locked_until >= ${now})`
  const again = sql`
    update notifications set tries = tries + 1, tried_at = ${now}, locked_until = ${heldUntil}, state = 'begun'
    where id = ${id} and state <> 'sent' and ${isFree}`
  if ((await changeRows(db, again)) > 0) return true
  if (await exists(db, sql`notifications where channel = ${channel} and state <> 'sent'`)) return false
  if (!(await advanceChannel(db, channel, notification))) return false
  const { afterEvent, upToEvent, afterCursor, upToCursor } = notification
  await sql`
    insert into notifications (id, channel, after_event, up_to_event, after_cursor, up_to_cursor, state, tries, began_at,
      tried_at, locked_until)
    values (${id}, ${channel}, ${afterEvent}, ${upToEvent}, ${afterCursor}, ${upToCursor}, 'begun', 1, ${now},
      ${now}, ${heldUntil})`.execute(db)
  return true
}

/** False when another bridge has advanced the channel meanwhile. */
async function advanceChannel(db: Db, channel: string, range: NotificationRange): Promise<boolean> {
  const advancing = sql`
    update notification_channels set sent_event = ${range.upToEvent}, sent_cursor = ${range.upToCursor}
    where name = ${channel} and sent_event = ${range.afterEvent} and sent_cursor = ${range.afterCursor}`
  return (await changeRows(db, advancing)) > 0
}

async function selectLatestNotifications(db: Db, channels: readonly string[]): Promise<NotificationEntry[]> {
  const entries: NotificationEntry[] = []
  for (const channel of channels) {
    const row = await findLatestNotification(db, channel)
    if (row === undefined) continue
    const { id, state, tries, began_at: beganAt, tried_at: triedAt, problem } = row
    entries.push({ channel, id, state, tries, beganAt, triedAt, ...omitNull({ problem }) })
  }
  return entries
}
