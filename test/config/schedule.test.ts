/** The schedule of a route. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Route } from '../../src/config/routes.ts'
import { formatFileName } from '../../src/config/file-name.ts'
import { loadConfiguration } from '../../src/config/load.ts'
import { buildQuery } from '../../src/config/select.ts'
import { BridgeError } from '../../src/support/errors.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dropbridge-schedule-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function load(lines: string, head = ''): Promise<Route> {
  const text = `api: { baseUrl: "http://localhost", clientId: a, clientSecret: b }
mailboxes: { erp: { type: directory, path: ./exchange } }
${head}
routes:
  out:
    retailer: 1000
    operation: export-retailer-orders
    mapping: m.yaml
    to: { mailbox: erp, folder: out, name: "{day:yyyyMMdd}-{seq}.csv" }
    ${lines.trim().replaceAll('\n', '\n    ')}
`
  const path = join(folder, 'dropbridge.yaml')
  await writeFile(path, text)
  const { routes } = await loadConfiguration(path, {})
  const [route] = routes
  if (route === undefined) throw new Error('no route')
  return route
}

async function errorsOf(lines: string, head?: string): Promise<string[]> {
  try {
    await load(lines, head)
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error
    return error.details.map((detail) => detail.replace(/^.*?yaml:\d+:\d+ (routes\.out\.)?/, ''))
  }
  return []
}

test('a route without a schedule has none', async () => {
  expect((await load('')).schedule).toBeUndefined()
})

describe('a schedule', () => {
  test('may be an interval', async () => {
    expect((await load('every: 15m')).schedule).toEqual({ kind: 'every', everyMs: 900_000 })
  })

  test('may be a cron expression, in a zone of its own or of the file', async () => {
    const schedule = { kind: 'cron', expression: '0 6 * * 1-5', zone: 'Europe/Berlin' }

    expect((await load('cron: { expression: "0 6 * * 1-5", zone: Europe/Berlin }')).schedule).toEqual(
      schedule,
    )
    expect((await load('cron: "0 6 * * 1-5"', 'zone: Europe/Berlin')).schedule).toEqual(schedule)
    expect((await load('cron: { expression: " 0 6 * * 1-5 " }', 'zone: Europe/Berlin')).schedule).toEqual(
      schedule,
    )
  })

  test('may be a time of day after which the run of a business date is due', async () => {
    expect((await load('daily: { after: "06:30", zone: America/New_York }')).schedule).toEqual({
      kind: 'daily',
      after: '06:30',
      zone: 'America/New_York',
      days: [1, 2, 3, 4, 5, 6, 7],
      catchUpDays: 7,
    })
    expect(
      (await load('daily: { after: 18:00, days: [fri, mon], catchUp: 0d }', 'zone: UTC')).schedule,
    ).toEqual({
      kind: 'daily',
      after: '18:00',
      zone: 'UTC',
      days: [1, 5],
      catchUpDays: 0,
    })
  })
})

describe('errors', () => {
  test('a time of day without a zone is reported with its fix', async () => {
    expect(await errorsOf('daily: { after: "06:30" }')).toEqual([
      'daily: says a time of day and no zone: add "zone: Europe/Berlin" (or yours), or one `zone` for the whole file.',
    ])
    expect(await errorsOf('cron: "0 6 * * *"')).toEqual([
      'cron: says a time of day and no zone: add "zone: Europe/Berlin" (or yours) as in cron: { expression: "0 6 * * 1-5", zone: Europe/Berlin }, or one `zone` for the whole file.',
    ])
  })

  test('two schedules on one route are one too many', async () => {
    expect(await errorsOf('every: 15m\ncron: "0 6 * * *"', 'zone: UTC')).toEqual([
      'cron: a route has its schedule by `every` or by `cron`, not by both.',
    ])
  })

  test('an invalid expression, or one that never comes, is reported', async () => {
    const messages: string[] = []
    for (const expression of ['0 6 * *', '@daily', '0 25 * * *', '0 0 30 2 *', '0 ? * * *', '* * * * * *']) {
      messages.push(...(await errorsOf(`cron: { expression: "${expression}", zone: UTC }`)))
    }

    const five = 'must have five fields (minute, hour, day, month, day of the week), such as "0 6 * * 1-5"'
    expect(messages).toEqual([
      `cron.expression: ${five}.`,
      `cron.expression: ${five}.`,
      'cron.expression: is no cron expression: Invalid value for hour: 25.',
      'cron.expression: names a time that never comes.',
      'cron.expression: cannot hold "?": write * for any value.',
      `cron.expression: ${five}.`,
    ])
    expect(await errorsOf('cron: "0 6 * *"', 'zone: UTC')).toEqual([`cron: ${five}.`])
  })

  test('a time alone in place of the settings of a report is shown their form', async () => {
    expect(await errorsOf('daily: "06:30"', 'zone: UTC')).toEqual([
      'daily: must hold keys and values, such as { after: "06:30", zone: America/New_York }.',
    ])
  })

  test('a value out of bounds is reported with the bounds', async () => {
    expect(await errorsOf('every: 500ms')).toEqual([
      'every: must be a time from 1s to a day, such as 30s, 15m or 1h.',
    ])
    expect(
      await errorsOf('daily: { after: "25:00", zone: Mars, days: [monday], catchUp: 400d, at: "1" }'),
    ).toEqual([
      'daily.after: must be a time of day such as "06:30".',
      'daily.zone: must be the name of a time zone, such as Europe/Berlin or America/New_York.',
      'daily.days.0: must be one of mon, tue, wed, thu, fri, sat, sun.',
      'daily.catchUp: must be a number of days from 0d to 366d, such as 7d.',
      'daily.at: unknown key. Known here: after, zone, days, catchUp.',
    ])
    expect(await errorsOf('daily: { after: "06:30", zone: EST }')).toEqual([
      'daily.zone: has no daylight saving time: write the zone of a city, such as America/New_York.',
    ])
    expect(await errorsOf('', 'zone: Mars')).toEqual([
      'zone: must be the name of a time zone, such as Europe/Berlin or America/New_York.',
    ])
  })

  test('the time of the run before is for reports that run once a business date', async () => {
    const select = 'select: { closed_at: { since: previous } }'

    expect(await errorsOf(`daily: { after: "06:30", zone: UTC }\n${select}`)).toEqual([])
    expect(await errorsOf(select)).toEqual([
      'select.closed_at.since: previous is the time of the run before, so it is for reports with `daily`: write a time such as 24h.',
    ])
  })
})

test('the relative dates of a selection follow the business date of the run, in the zone of the schedule', async () => {
  const route = await load(`daily: { after: "06:30", zone: America/New_York }
select:
  closed_at: { since: yesterday, until: today }
  received_at: { since: previous, until: now }
  ordered_at: { since: 2026-03-01 }`)
  if (route.direction !== 'outbound' || route.report === undefined) throw new Error('no report')
  // A day of 23 hours.
  const run = { date: '2026-03-09', previousAt: Date.parse('2026-03-08T10:30Z') }

  const query = buildQuery(route.report.select, Date.parse('2026-03-09T10:30Z'), run)

  const iso = (value: unknown) => new Date(Number(value) * 1000).toISOString()
  expect(Object.fromEntries(Object.entries(query).map(([name, value]) => [name, iso(value)]))).toEqual({
    closed_at_gte: '2026-03-08T05:00:00.000Z',
    closed_at_lt: '2026-03-09T04:00:00.000Z',
    received_at_gte: '2026-03-08T10:30:00.000Z',
    received_at_lt: '2026-03-09T10:30:00.000Z',
    ordered_at_gte: '2026-03-01T05:00:00.000Z',
  })
})

test('a name shows the business date, and without one the date on which the file is made', () => {
  const values = { route: 'out', sequence: 7, at: Date.parse('2026-03-09T23:30Z'), zone: 'UTC' }

  expect(formatFileName('{day:yyyyMMdd}-{seq}.csv', { ...values, day: '2026-03-07' })).toBe('20260307-7.csv')
  expect(formatFileName('{day:yy.MM.dd} {date:HHmm}.csv', { ...values, day: '2026-03-07' })).toBe(
    '26.03.07 2330.csv',
  )
  expect(formatFileName('{day:yyyy-MM-dd}.csv', values)).toBe('2026-03-09.csv')
})
