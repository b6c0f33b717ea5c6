/** Stores alerts: which are active, and when each was raised and ended, so that none is reported twice. */
import { sql } from 'kysely'
import { type AlertJournal, compareUrgency, type Alert, type AlertChange, alertKey } from '../domain/alert.ts'
import { selectFirst } from './rows.ts'
import type { Db, Row } from './schema.ts'
import type { BoundStore, Tx } from './store.ts'

/** More than a bridge has; alerts beyond the limit are raised as these end. */
const MAX_ACTIVE = 10_000

export function createAlertJournal({ reads, writes }: BoundStore): AlertJournal {
  const listRows = reads(selectActiveAlerts)
  const saveChanges = writes(saveAlertChanges)
  return {
    updateAlerts: async (found, isUnchecked) => {
      // Most checks change nothing, and then nothing is written.
      const { added, ended, reworded } = compareAlerts(await listRows(), found, isUnchecked)
      return added.length + ended.length + reworded.length === 0 ? [] : saveChanges(found, isUnchecked)
    },
    listActiveAlerts: async (limit) =>
      (await listRows()).map(toAlert).toSorted(compareUrgency).slice(0, limit),
    listAlertChanges: reads(selectAlertChanges),
  }
}

type AlertRow = Row<'alerts'>

async function selectActiveAlerts(db: Db): Promise<AlertRow[]> {
  const { rows } = await sql<AlertRow>`
    select * from alerts where ended_cursor is null order by raised_cursor limit ${MAX_ACTIVE}`.execute(db)
  return rows
}

type IsUnchecked = (active: Alert) => boolean

function compareAlerts(before: readonly AlertRow[], found: readonly Alert[], isUnchecked: IsUnchecked) {
  const known = new Map(before.map((row) => [alertKey(toAlert(row)), row]))
  const now = new Map(found.map((alert) => [alertKey(alert), alert]))
  return {
    added: [...now].filter(([key]) => !known.has(key)).map(([, alert]) => alert),
    // Only the process that tried a route knows why it failed last, so the others read it here.
    reworded: found.filter((alert) => {
      const row = alert.code === 'route-failing' ? known.get(alertKey(alert)) : undefined
      return row !== undefined && (row.message !== alert.message || row.fix !== alert.fix)
    }),
    ended: before.filter((row) => {
      const alert = toAlert(row)
      return !now.has(alertKey(alert)) && !isUnchecked(alert)
    }),
  }
}

/** Another bridge may have noted the same alert meanwhile, so the active alerts are read again under the write lock. */
async function saveAlertChanges({ db, now }: Tx, found: readonly Alert[], isUnchecked: IsUnchecked) {
  const { added, ended, reworded } = compareAlerts(await selectActiveAlerts(db), found, isUnchecked)
  for (const { code, route = '', subject, message, fix } of reworded) {
    await sql`
      update alerts set message = ${message}, fix = ${fix}
      where code = ${code} and route = ${route} and subject = ${subject} and ended_cursor is null`.execute(db)
  }
  let cursor = await getLastCursor(db)
  const changes: AlertChange[] = []
  for (const row of ended) {
    cursor += 1
    await sql`
      update alerts set ended_cursor = ${cursor}, ended_at = ${now}
      where raised_cursor = ${row.raised_cursor}`.execute(db)
    changes.push(toAlertChange({ ...row, ended_cursor: cursor, ended_at: now }, 'ended'))
  }
  for (const alert of added) {
    cursor += 1
    const { code, route = '', subject, since, message, fix } = alert
    await sql`
      insert into alerts (raised_cursor, code, route, subject, since, message, fix, raised_at)
      values (${cursor}, ${code}, ${route}, ${subject}, ${since}, ${message}, ${fix}, ${now})`.execute(db)
    changes.push({ cursor, change: 'raised', raisedCursor: cursor, at: now, alert })
  }
  return changes
}

export async function getLastCursor(db: Db): Promise<number> {
  const query = sql<{ cursor: number | null }>`
    select max(coalesce((select max(raised_cursor) from alerts), 0),
      coalesce((select max(ended_cursor) from alerts where ended_cursor is not null), 0)) as cursor`
  return (await selectFirst(db, query))?.cursor ?? 0
}

async function selectAlertChanges(db: Db, afterCursor: number, limit: number): Promise<AlertChange[]> {
  const changes: AlertChange[] = []
  for (const change of ['raised', 'ended'] as const) {
    const cursor = sql.ref(`${change}_cursor`)
    const { rows } = await sql<AlertRow>`
      select * from alerts where ${cursor} > ${afterCursor} order by ${cursor} limit ${limit}`.execute(db)
    changes.push(...rows.map((row) => toAlertChange(row, change)))
  }
  return changes.toSorted((one, other) => one.cursor - other.cursor).slice(0, limit)
}

function toAlertChange(row: AlertRow, change: AlertChange['change']): AlertChange {
  const [cursor, at] = [row[`${change}_cursor`] ?? 0, row[`${change}_at`] ?? 0]
  return { cursor, change, raisedCursor: row.raised_cursor, at, alert: toAlert(row) }
}

function toAlert({ code, route, subject, since, message, fix }: AlertRow): Alert {
  return { code, ...(route === '' ? {} : { route }), subject, since, message, fix }
}
