/** Alerts: what the bridge finds in the journal and the mailboxes, reports once and shows while it lasts. */
import { appendFile, mkdir, readdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ExpectedFile } from '../../src/config/alerts.ts'
import type { InboundRoute } from '../../src/config/routes.ts'
import type { RouteResults } from '../../src/domain/alert.ts'
import type { FileEntry } from '../../src/domain/file.ts'
import type { Mailbox } from '../../src/domain/mailbox.ts'
import type { Snapshot } from '../../src/domain/snapshot.ts'
import { BridgeError } from '../../src/support/errors.ts'
import { SKIP_REASONS } from '../../src/pipeline/inbound/inbox.ts'
import { commandsOf, runUnheard } from '../fixtures/office.ts'
import { partnerOf, PICKED_UP, RECEIPT, worldThatWaits } from '../fixtures/partner.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 91, orders: 2, damageEvery: 0 })
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

function changeInbox(world: World, from: Partial<InboundRoute['from']>): void {
  const route = world.configuration.routes.find(({ name }) => name === 'orders')
  if (route?.direction !== 'inbound') throw new Error('no such route')
  Object.assign(route, { from: { ...route.from, ...from } })
}

/** Evaluates the alerts once and returns what the bridge reported. */
async function attend(
  world: World,
  mailbox?: (mailbox: Mailbox) => Mailbox,
  tried?: RouteResults,
): Promise<{ snapshot: Snapshot; reported: string[] }> {
  const before = world.events.length
  const bridge = await world.open(mailbox === undefined ? {} : { mailbox })
  try {
    const snapshot = await bridge.takeSnapshotAndPublishAlerts(tried)
    const reported = world.events.slice(before).flatMap((event) => {
      if (event.kind === 'alert-raised') return [`raised ${event.code} ${event.subject}`]
      return event.kind === 'alert-ended' ? [`ended ${event.code} ${event.subject}`] : []
    })
    return { snapshot, reported }
  } finally {
    await bridge.close()
  }
}

const codesOf = ({ alerts }: Snapshot) => alerts.map(({ code }) => code)

async function at(world: World, path: string, ageMs: number): Promise<void> {
  const time = new Date(world.clock.now() - ageMs)
  await utimes(join(world.folder, 'exchange', path), time, time)
}

test('an unmatched file is reported once, shown while it is there, and reported as over when it is gone', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.txt', 'x')

  const first = await attend(world)
  world.clock.skip(HOUR_MS)
  const second = await attend(world)
  await rm(join(world.folder, 'exchange/inbox/orders/orders.txt'))
  const third = await attend(world)
  const fourth = await attend(world)

  expect(first.reported).toEqual(['raised file-unmatched exchange:inbox/orders/orders.txt'])
  expect(second.reported).toEqual([])
  expect(second.snapshot.alerts).toMatchObject([
    { code: 'file-unmatched', since: first.snapshot.alerts[0]?.since },
  ])
  expect(third.reported).toEqual(['ended file-unmatched exchange:inbox/orders/orders.txt'])
  expect(fourth).toMatchObject({ reported: [], snapshot: { alerts: [] } })
})

test('a workbook in an inbox is to be saved as CSV, under a name that the route takes', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.xlsx', 'PK')

  expect((await attend(world)).snapshot.alerts).toMatchObject([
    {
      code: 'file-unmatched',
      fix: 'It is a workbook: save it as CSV, under a name like *.csv, and take it away.',
    },
  ])
})

test('of many unmatched files the alert reports how many more there are, and each one comes up in its order', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const names = Array.from({ length: 23 }, (_, index) => `note-${String(index).padStart(2, '0')}.txt`)
  for (const name of names) await world.drop('inbox/orders', name, 'x')

  const first = await attend(world)
  for (const name of names.slice(0, 2)) await rm(join(world.folder, 'exchange/inbox/orders', name))
  const second = await attend(world)
  await rm(join(world.folder, 'exchange/inbox/orders', names[2]!))
  const third = await attend(world)

  const raised = (name: string) => `raised file-unmatched exchange:inbox/orders/${name}`
  expect(first.reported).toEqual([
    ...names.slice(0, 20).map(raised),
    'raised file-unmatched exchange:inbox/orders: more',
  ])
  expect(first.snapshot.alerts.at(-1)?.message).toBe(
    'exchange:inbox/orders: 3 more like 20 others that are listed',
  )
  expect(second.reported.filter((each) => each.startsWith('raised'))).toEqual(names.slice(20, 22).map(raised))
  expect(second.snapshot.alerts.map(({ message }) => message).join()).toContain(': 1 more like')
  expect(third.reported).toEqual(
    expect.arrayContaining([raised(names[22]!), 'ended file-unmatched exchange:inbox/orders: more']),
  )
})

test('an alert that moves behind others in the list is not over', async () => {
  const world = await aWorld({ routes: ['orders'] })
  for (let index = 0; index < 20; index++) await world.drop('inbox/orders', `s${index + 10}.txt`, 'x')
  await attend(world)
  await world.drop('inbox/orders', 'a-first.txt', 'x')
  await at(world, 'inbox/orders/a-first.txt', 2 * DAY_MS)
  const crowded = await attend(world)
  await rm(join(world.folder, 'exchange/inbox/orders/a-first.txt'))
  const after = await attend(world)

  expect(crowded.reported.filter((each) => each.startsWith('ended'))).toEqual([])
  expect(after.reported.filter((each) => each.startsWith('raised'))).toEqual([])
})

test('a receipt that confirms nothing is reported with the name that was expected; one that confirms a file is not', async () => {
  const world = await worldThatWaits(RECEIPT, ORDERS)
  await world.run('orders-out')
  await partnerOf(world).confirms('orders-1.csv')
  await partnerOf(world).confirms('orders-1', { match: '{name}.ok' })
  await world.drop('receipts', 'note.txt', 'x')
  for (const name of ['orders-1.csv.ok', 'orders-1.ok', 'note.txt'])
    await at(world, `receipts/${name}`, HOUR_MS)
  const first = await attend(world)
  await world.run('orders-out')
  await rm(join(world.folder, 'exchange/receipts/orders-1.ok'))
  const second = await attend(world)

  expect(first.reported).toEqual(['raised receipt-unknown exchange:receipts/orders-1.ok'])
  expect(first.snapshot.alerts[0]?.message).toContain(
    '(the nearest name that is expected is orders-1.csv.ok)',
  )
  expect(second.reported).toEqual(['ended receipt-unknown exchange:receipts/orders-1.ok'])
})

test('a file that should have come is neither missing nor received while its mailbox cannot be listed', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const by: ExpectedFile = { by: '00:01', zone: 'UTC', days: [1, 2, 3, 4, 5, 6, 7] }
  changeInbox(world, { expectFile: by })
  const exchange = join(world.folder, 'exchange')
  await attend(world)
  world.clock.skip(DAY_MS)
  await world.drop('inbox/orders', 'orders.csv', '')
  await at(world, 'inbox/orders/orders.csv', 0)
  const there = await attend(world)
  await rename(exchange, `${exchange}-away`)
  const away = await attend(world)
  await rename(`${exchange}-away`, exchange)
  await rm(join(exchange, 'inbox/orders/orders.csv'))
  const missing = await attend(world)
  await rename(exchange, `${exchange}-away`)
  const still = await attend(world)

  expect(codesOf(there.snapshot)).toEqual([])
  expect(away.reported).toEqual(['raised mailbox-away exchange'])
  expect(missing.reported.map((each) => each.split(' ').slice(0, 2).join(' '))).toContain(
    'raised expected-file-missing',
  )
  expect(still.reported.join()).not.toContain('expected-file-missing')
})

test('folders named like files, and files that are never finished, are reported where a route would take them', async () => {
  const world = await aWorld({ routes: ['orders'] })
  changeInbox(world, { match: '*' })
  const inbox = join(world.folder, 'exchange/inbox/orders')
  for (const name of ['broken.csv.filepart', '.hidden.csv']) {
    await world.drop('inbox/orders', name, 'x')
    await at(world, `inbox/orders/${name}`, 2 * HOUR_MS)
  }
  await world.drop('inbox/orders', 'coming.csv.filepart', 'x')
  await at(world, 'inbox/orders/coming.csv.filepart', HOUR_MS / 2)
  // The older of the two comes first.
  await mkdir(join(inbox, 'folder.csv'))
  await symlink('/etc/hostname', join(inbox, 'link.csv'))
  await mkdir(join(inbox, 'done'))

  const first = await attend(world)
  await rename(join(inbox, 'broken.csv.filepart'), join(inbox, 'broken.csv'))
  const second = await attend(world)

  const subjects = ['broken.csv.filepart', 'folder.csv', 'link.csv'].map(
    (name) => `exchange:inbox/orders/${name}`,
  )
  expect(first.reported).toEqual(subjects.map((subject) => `raised file-unmatched ${subject}`))
  expect(first.snapshot.alerts.map(({ message }) => message)).toEqual([
    `${subjects[0]} has the name of an unfinished file, and has not changed for an hour`,
    `${subjects[1]} is a folder; only plain files are taken`,
    `${subjects[2]} is a link; only plain files are taken`,
  ])
  expect(second.reported).toEqual([`ended file-unmatched ${subjects[0]}`])
})

describe('a route that cannot do its work', () => {
  const failed = (route: string, code: string): RouteResults => ({
    routes: [route],
    failures: [{ route, code, message: `the ${code} of it`, fix: 'Mend it.' }],
  })
  const subjectsOf = ({ alerts }: Snapshot) =>
    alerts.flatMap(({ code, route, subject }) => (code === 'route-failing' ? [`${route} ${subject}`] : []))

  test('is shown until a pass of any process has done the work', async () => {
    const world = await aWorld({ routes: ['orders', 'shipments'] })
    const first = await attend(world, undefined, failed('orders', 'api-unreachable'))
    world.clock.skip(HOUR_MS)
    const meanwhile = await attend(world)
    const onlyOthers = await attend(world, undefined, failed('shipments', 'mailbox-unreachable'))
    const another = await attend(world, undefined, failed('orders', 'credentials-refused'))
    const well = await attend(world, undefined, { routes: ['orders', 'shipments'], failures: [] })

    expect(subjectsOf(first.snapshot)).toEqual(['orders api-unreachable'])
    expect(meanwhile.snapshot.alerts).toMatchObject([
      {
        code: 'route-failing',
        since: first.snapshot.alerts[0]?.since,
        message: 'the api-unreachable of it',
      },
    ])
    expect(meanwhile.snapshot.alerts[0]?.fix).toBe('Mend it.')
    expect(subjectsOf(onlyOthers.snapshot)).toEqual([
      'orders api-unreachable',
      'shipments mailbox-unreachable',
    ])
    expect(subjectsOf(another.snapshot)).toEqual([
      'shipments mailbox-unreachable',
      'orders credentials-refused',
    ])
    expect(subjectsOf(well.snapshot)).toEqual([])
  })

  test('is shown with the reason of the latest failure, and is no new alert for it', async () => {
    const world = await aWorld({ routes: ['orders'] })
    const first = await attend(world, undefined, failed('orders', 'credentials-refused'))
    world.clock.skip(HOUR_MS)
    const { routes } = failed('orders', 'credentials-refused')
    const other = { route: 'orders', code: 'credentials-refused', message: 'may not act', fix: 'Ask.' }
    const second = await attend(world, undefined, { routes, failures: [other] })
    const meanwhile = await attend(world)

    expect(second.reported).toEqual([])
    const { since } = first.snapshot.alerts[0] ?? {}
    expect(meanwhile.snapshot.alerts).toMatchObject([{ message: 'may not act', fix: 'Ask.', since }])
  })

  test('raises no alert once it is not in the configuration', async () => {
    const world = await aWorld({ routes: ['orders', 'shipments'] })
    await attend(world, undefined, failed('shipments', 'api-unreachable'))
    const routes = world.configuration.routes.filter(({ name }) => name === 'orders')
    Object.assign(world.configuration, { routes })

    expect(subjectsOf((await attend(world)).snapshot)).toEqual([])
  })
})

test('an inbox that does not exist yet counts as empty, and commands that only read do not make it', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await rm(join(world.folder, 'exchange/inbox'), { recursive: true, force: true })
  expect((await attend(world)).reported).toEqual([])
  expect(await readdir(join(world.folder, 'exchange'))).not.toContain('inbox')
})

test('a mailbox that is away is reported, and its alerts are neither over nor new when it comes back', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.txt', 'x')
  await attend(world)
  await rename(join(world.folder, 'exchange'), join(world.folder, 'away'))

  const away = await attend(world)
  await rename(join(world.folder, 'away'), join(world.folder, 'exchange'))
  const back = await attend(world)

  expect(away.reported).toEqual(['raised mailbox-away exchange'])
  expect(back.reported).toEqual(['ended mailbox-away exchange'])
  expect(codesOf(back.snapshot)).toEqual(['file-unmatched'])
})

/** Returns at which of the times a file that is expected and comes at `comesAt` is reported as missing. */
async function lateAt(expected: ExpectedFile, times: readonly string[], comesAt: string): Promise<string[]> {
  const world = await aWorld({ routes: ['orders'] })
  changeInbox(world, { expectFile: expected })
  const reported: string[] = []
  for (const time of [...times, comesAt].toSorted()) {
    world.clock.skip(Date.parse(time) - world.clock.now())
    if (time === comesAt) {
      await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
      await world.run('orders')
      continue
    }
    const { alerts } = (await attend(world)).snapshot
    reported.push(...alerts.map(({ code, subject }) => `${time} ${code} ${subject}`))
  }
  return reported
}

test('a file that is late is reported from its time on until one comes, except of days before the journal began', async () => {
  const expected = { by: '07:00', zone: 'Europe/Berlin', days: [1, 2, 3, 4, 5] }
  // Monday, 23 November; seven o'clock in Berlin is six in UTC.
  const times = [
    '2026-11-23T05:59:00Z',
    '2026-11-23T06:00:00Z',
    '2026-11-23T08:00:00Z',
    '2026-11-23T12:00:00Z',
  ]

  expect(await lateAt(expected, times, '2026-11-23T10:00:00Z')).toEqual([
    '2026-11-23T06:00:00Z expected-file-missing 2026-11-23',
    '2026-11-23T08:00:00Z expected-file-missing 2026-11-23',
  ])
})

test('a file that is in the inbox and not taken yet counts as received', async () => {
  const world = await aWorld({ routes: ['orders'] })
  changeInbox(world, { expectFile: { by: '07:00', zone: 'UTC', days: [1, 2, 3, 4, 5, 6, 7] } })
  await attend(world)
  world.clock.skip(Date.parse('2026-11-23T08:00:00Z') - world.clock.now())
  await world.drop('inbox/orders', 'nothing-today.csv', '')

  await at(world, 'inbox/orders/nothing-today.csv', DAY_MS)
  const old = await attend(world)
  await at(world, 'inbox/orders/nothing-today.csv', HOUR_MS)
  const today = await attend(world)

  expect(old.reported).toEqual([expect.stringContaining('raised expected-file-missing')])
  expect(today.reported).toEqual([expect.stringContaining('ended expected-file-missing')])
})

test('one failed scan ends no alert', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'slow.csv', ordersFile(ORDERS.slice(0, 1)).text)
  const { archivedAs = '' } = await runOnce(world, 'orders')
  await appendFile(join(world.folder, 'exchange', archivedAs), 'more')
  await mkdir(join(world.folder, 'exchange/inbox/orders/folder.csv'))
  const fails = () => Promise.reject(new BridgeError('mailbox-unreachable', 'the connection was lost'))
  const lost = (mailbox: Mailbox): Mailbox => ({ ...mailbox, getArchivedSizes: fails, listIgnored: fails })

  const first = await attend(world)
  const second = await attend(world, lost)
  const third = await attend(world)

  expect(codesOf(first.snapshot)).toEqual(['file-appended', 'file-unmatched'])
  expect(second.reported).toEqual(['raised mailbox-away exchange'])
  expect(third.reported).toEqual(['ended mailbox-away exchange'])
})

test('files of two mailboxes at one folder belong to the routes of both', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const [route] = world.configuration.routes
  if (route?.direction !== 'inbound') throw new Error('no such route')
  const others = { ...route, name: 'others', from: { ...route.from, mailbox: 'same', match: '*.edi' } }
  const mailboxes = { ...world.configuration.mailboxes, same: world.configuration.mailboxes['exchange'] }
  Object.assign(world.configuration, { mailboxes, routes: [...world.configuration.routes, others] })
  for (const name of ['a.csv', 'b.edi', 'c.txt']) await world.drop('inbox/orders', name, 'x')

  expect((await attend(world)).reported).toEqual(['raised file-unmatched exchange:inbox/orders/c.txt'])
})

test('a file of yesterday does not count for today, and none is expected on a day off', async () => {
  const expected = { by: '07:00', zone: 'Europe/Berlin', days: [1, 2, 3, 4, 5] }
  // The file comes on Friday night; Saturday and Sunday are off.
  const times = [
    '2026-11-27T22:00:00Z',
    '2026-11-28T12:00:00Z',
    '2026-11-29T12:00:00Z',
    '2026-11-30T06:01:00Z',
  ]

  expect(await lateAt(expected, times, '2026-11-27T21:00:00Z')).toEqual([
    '2026-11-30T06:01:00Z expected-file-missing 2026-11-30',
  ])
})

test('a delivered file that is not picked up is reported when it is late, and again when its orders are nearly due', async () => {
  const world = await worldThatWaits(
    { ...PICKED_UP, overdue: { withinMs: 4 * HOUR_MS, beforeMs: 2 * HOUR_MS } },
    ORDERS,
  )
  const [order] = await world.orders()
  await world.run('orders-out')
  const quiet = await attend(world)
  world.clock.skip(5 * HOUR_MS)
  const late = await attend(world)
  world.clock.skip(Date.parse(order?.acknowledge_by ?? '') - world.clock.now() + 1)
  const short = await attend(world)
  await partnerOf(world).takes('orders-1.csv')
  await world.run('orders-out')
  const taken = await attend(world)

  expect(quiet.reported).toEqual([])
  expect(late.reported).toEqual([expect.stringMatching(/^raised pick-up-overdue orders-1\.csv \(\w+\)$/)])
  expect(late.snapshot.alerts[0]?.message).toContain(
    `not picked up: ${join(world.folder, 'exchange/outbox/orders-1.csv')}`,
  )
  expect(short.reported).toEqual([
    expect.stringMatching(/^ended pick-up-overdue orders-1\.csv \(\w+\)$/),
    expect.stringMatching(/^raised pick-up-overdue orders-1\.csv \(\w+\), time is short$/),
  ])
  expect(short.snapshot.alerts[0]?.message).toContain('none of its 2 records is acknowledged')
  expect(short.snapshot.alerts[0]?.message).toContain('; the deadline has passed')
  expect(taken.reported).toEqual([expect.stringMatching(/^ended pick-up-overdue/)])
})

test('an invalid receipt and a missing receipt are reported', async () => {
  const receipt = { ...RECEIPT.receipt, contains: 'OK' }
  const world = await worldThatWaits({ ...RECEIPT, receipt }, ORDERS)
  await world.run('orders-out')
  world.clock.skip(DAY_MS + 1)
  const late = await attend(world)
  await partnerOf(world).confirms('orders-1.csv', { text: 'ERROR' })
  await world.run('orders-out')
  const refused = await attend(world)

  expect(codesOf(late.snapshot)).toEqual(['receipt-overdue'])
  expect(refused.snapshot.alerts).toMatchObject([{ code: 'receipt-refused', route: 'orders-out' }])
  expect(refused.snapshot.alerts[0]?.message).toContain('the receipt orders-1.csv.ok for')
})

test('a folder whose files stay too long is reported with the oldest of them', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const [route] = world.configuration.routes
  Object.assign(route ?? {}, {
    results: { mailbox: 'exchange', folder: 'results', alertIfNotEmptiedMs: 3 * DAY_MS },
  })
  await world.drop('results', 'a.results.csv', 'x')
  await world.drop('results', 'b.results.csv', 'x')
  await at(world, 'results/a.results.csv', 4 * DAY_MS)
  await at(world, 'results/b.results.csv', 2 * DAY_MS)

  const full = await attend(world)
  await rm(join(world.folder, 'exchange/results/a.results.csv'))
  const emptied = await attend(world)

  expect(full.snapshot.alerts).toMatchObject([{ code: 'folder-not-emptied', subject: 'exchange:results' }])
  expect(full.snapshot.alerts[0]?.message).toMatch(
    /^1 file lies in exchange:results for more than 3 days; the oldest, a\.results\.csv, since 2026-/,
  )
  expect(emptied.reported).toEqual(['ended folder-not-emptied exchange:results'])
})

test('held records, and records uncertain for an hour, raise an alert', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await runUnheard(world, 'orders', { arrives: true, canLookUp: false })
  const soon = await attend(world)
  world.clock.skip(2 * HOUR_MS)
  const later = await attend(world)
  await world.run('orders')
  const settled = await attend(world)

  expect(soon.reported).toEqual([])
  expect(later.reported).toEqual([expect.stringMatching(/^raised outcome-unknown orders\.csv \(\w+\)$/)])
  expect(later.snapshot.alerts[0]?.message).toContain('it is not known whether the API has')
  expect(settled.reported).toEqual([expect.stringMatching(/^ended outcome-unknown/)])
})

test('a file without its marker, and a marker without its file, are reported after a quarter of an hour', async () => {
  const world = await aWorld({ routes: ['orders'] })
  changeInbox(world, { ready: { when: 'marker', sidecar: '{name}.done' } })
  await world.drop('inbox/orders', 'alone.csv', 'x')
  await world.drop('inbox/orders', 'both.csv', 'x')
  await world.drop('inbox/orders', 'both.csv.done', '')
  await world.drop('inbox/orders', 'lost.csv.done', '')
  for (const name of ['alone.csv', 'both.csv', 'both.csv.done', 'lost.csv.done']) {
    await at(world, `inbox/orders/${name}`, 0)
  }
  const soon = await attend(world)
  world.clock.skip(HOUR_MS / 2)
  const later = await attend(world)

  expect(soon.reported).toEqual([])
  expect(later.reported).toEqual([
    'raised file-waiting exchange:inbox/orders/alone.csv',
    'raised marker-orphaned exchange:inbox/orders/lost.csv.done',
  ])
  expect(later.snapshot.unmatchedFiles).toEqual([])
  expect(later.snapshot.alerts.find(({ code }) => code === 'file-waiting')?.fix).toBe(
    SKIP_REASONS['sidecar-missing'].fix,
  )
})

test('a file above an inbox, or in a folder with almost the name of a filled one, is reported until it is moved', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const exchange = join(world.folder, 'exchange')
  await world.drop('inbox', 'high.csv', 'x')
  await world.drop('inbox/orders', 'own.csv', 'x')
  await world.drop('inbox/order', 'mistyped.csv', 'x')
  await world.drop('inbox/backup', 'kept.csv', 'x')
  await world.drop('inbox', 'notes.txt', 'x')
  for (const file of ['high.csv', 'order/mistyped.csv', 'backup/kept.csv', 'notes.txt'])
    await at(world, `inbox/${file}`, HOUR_MS)
  const found = await attend(world)
  await rename(join(exchange, 'inbox/high.csv'), join(world.folder, 'high.csv'))
  const moved = await attend(world)

  const misplaced = found.snapshot.alerts.filter(({ code }) => code === 'file-misplaced')
  expect(misplaced.map(({ message }) => message.replace(exchange, ''))).toEqual([
    '/inbox/high.csv is in no inbox; route orders takes such names from inbox/orders',
    '/inbox/order/mistyped.csv is in no inbox; route orders takes such names from inbox/orders',
  ])
  expect(moved.reported.join()).toContain('ended file-misplaced')
})

test('a file in the mailbox itself or in a folder of exports is reported, and what the bridge delivered there is not', async () => {
  const world = await aWorld({ routes: ['orders', 'shipments-out'] })
  const outbound = world.configuration.routes.find(({ direction }) => direction === 'outbound')
  const to = outbound?.direction === 'outbound' ? outbound.to : { folder: '', name: '' }
  const own = to.name.replace(/\{[^}]*\}/g, '1')
  for (const name of [own, own.replace('.csv', '~2.csv'), 'orders.csv', 'notes.md']) {
    await world.drop(to.folder, name, 'x')
    await at(world, `${to.folder}/${name}`, HOUR_MS)
  }
  await world.drop('.', 'high.csv', 'x')
  await at(world, 'high.csv', HOUR_MS)

  const { snapshot } = await attend(world)

  const misplaced = snapshot.alerts.filter(({ code }) => code === 'file-misplaced')
  expect(
    misplaced.map(({ message }) => message.replace(join(world.folder, 'exchange'), '')).toSorted(),
  ).toEqual([
    '/high.csv is in no inbox; route orders takes such names from inbox/orders',
    `/${to.folder}/orders.csv is in no inbox; route orders takes such names from inbox/orders`,
  ])
})

test('where a route takes every name, files of data beside its inbox are reported, and notes for people are not', async () => {
  const world = await aWorld({ routes: ['orders'] })
  changeInbox(world, { match: '*' })
  for (const name of ['orders.txt', 'README.txt', 'contacts.md']) {
    await world.drop('inbox', name, 'x')
    await at(world, `inbox/${name}`, HOUR_MS)
  }

  const { snapshot } = await attend(world)

  const misplaced = snapshot.alerts.filter(({ code }) => code === 'file-misplaced')
  expect(misplaced.map(({ subject }) => subject)).toEqual(['exchange:inbox/orders.txt'])
})

test('a gap in a sequence is reported with the missing number', async () => {
  const world = await aWorld({ routes: ['orders'] })
  changeInbox(world, { sequence: { name: 'orders-{number}.csv', start: 1 } })
  await world.drop('inbox/orders', 'orders-2.csv', 'x')
  await at(world, 'inbox/orders/orders-2.csv', HOUR_MS)

  const { snapshot } = await attend(world)

  expect(snapshot.alerts).toMatchObject([{ code: 'file-waiting', route: 'orders' }])
  expect(snapshot.alerts[0]?.message).toContain('number 1 of the sequence has not come')
  expect(snapshot.alerts[0]?.fix).toBe(SKIP_REASONS['out-of-sequence'].fix)
})

test('receipts that come to an inbox folder are no unmatched files', async () => {
  const receipt = { ...RECEIPT.receipt, folder: 'inbox/orders' }
  const world = await worldThatWaits({ ...RECEIPT, receipt }, ORDERS)
  await world.drop('inbox/orders', 'orders-1.csv.ok', '')

  expect((await attend(world)).reported).toEqual([])
})

test('unfinished work of a route that was removed from the configuration is reported', async () => {
  const world = await worldThatWaits(PICKED_UP, ORDERS)
  await world.run('orders-out')
  Object.assign(world.configuration, {
    routes: world.configuration.routes.filter(({ name }) => name !== 'orders-out'),
  })

  expect((await attend(world)).reported).toEqual(['raised route-not-configured orders-out'])
})

test('status shows first what a person must do, and a busy bridge still fits on a screen', async () => {
  const world = await worldThatWaits(PICKED_UP, ORDERS)
  const run = await commandsOf(world)
  for (let file = 1; file <= 12; file++) {
    await world.drop(
      'inbox/orders',
      `more-${file}.csv`,
      ordersFile(sampleOrders({ seed: 92, orders: 1, damageEvery: 0, firstNumber: 30_000 + file })).text,
    )
  }
  await world.run('orders')
  await world.run('orders-out')
  await mkdir(join(world.folder, 'exchange/inbox/orders'), { recursive: true })
  for (const name of ['a.bak', 'b.bak'])
    await writeFile(join(world.folder, 'exchange/inbox/orders', name), '')

  const { out } = await run('status')

  const lines = out.split('\n')
  expect(lines.slice(0, 4)).toEqual([
    'needs a person:',
    expect.stringMatching(/^no route takes .*a\.bak: it does not match .*\(file-unmatched, since 20/),
    expect.stringMatching(/^no route takes .*b\.bak/),
    '    fix: Rename it, or change `match` of the route.',
  ])
  expect(lines.length).toBeLessThanOrEqual(30)
  expect(out).toMatch(/^orders-out .*collected +unfinished: 1 delivered$/m)
})

test('rows that are appended to an archived file are reported until all of them are taken in again', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const whole = ordersFile(ORDERS).text
  const cut = ordersFile(ORDERS.slice(0, 1)).text
  await world.drop('inbox/orders', 'slow.csv', cut)
  const archived = (await runOnce(world, 'orders')).archivedAs ?? ''
  const path = join(world.folder, 'exchange', archived)

  const before = await attend(world)
  await appendFile(path, whole.slice(cut.length))
  const grown = await attend(world)
  await rename(join(world.folder, 'exchange'), join(world.folder, 'away'))
  const away = await attend(world)
  await rename(join(world.folder, 'away'), join(world.folder, 'exchange'))
  // Another file of the same size counts as another file.
  await world.drop(
    'inbox/orders',
    'other.csv',
    ordersFile(ORDERS.slice(0, 1)).text.padEnd(whole.length, '\n'),
  )
  await runOnce(world, 'orders')
  const other = await attend(world)
  await rename(path, join(world.folder, 'exchange/inbox/orders/slow.csv'))
  await runOnce(world, 'orders')
  const again = await attend(world)

  expect(before.reported).toEqual([])
  expect(grown.reported).toEqual([`raised file-appended exchange:${archived}`])
  expect(grown.snapshot.alerts[0]?.message).toBe(
    `${archived} has grown since it was read: it has ${Buffer.byteLength(whole)} bytes, of which ${Buffer.byteLength(cut)} were read`,
  )
  expect(away.reported).toEqual(['raised mailbox-away exchange'])
  expect(codesOf(other.snapshot)).toEqual(['file-appended'])
  expect(again.reported).toEqual([`ended file-appended exchange:${archived}`])
  expect((await world.orders()).length).toBe(2)
})

test('a file that grew in the archive is reported for 36 hours, and one that was removed from there is not', async () => {
  const world = await aWorld({ routes: ['orders'] })
  for (const number of [0, 1]) {
    await world.drop('inbox/orders', `${number}.csv`, ordersFile(ORDERS.slice(number, number + 1)).text)
    const { archivedAs = '' } = await runOnce(world, 'orders')
    await appendFile(join(world.folder, 'exchange', archivedAs), 'more')
  }
  const both = await attend(world)
  const [first] = both.snapshot.alerts
  await rm(join(world.folder, first?.subject.replace(':', '/') ?? ''))
  const one = await attend(world)
  world.clock.skip(37 * HOUR_MS)
  const none = await attend(world)

  expect(codesOf(both.snapshot)).toEqual(['file-appended', 'file-appended'])
  expect(codesOf(one.snapshot)).toEqual(['file-appended'])
  expect(codesOf(none.snapshot)).toEqual([])
})

async function runOnce(world: World, route: string): Promise<FileEntry> {
  const bridge = await world.open()
  try {
    await bridge.run([route], new AbortController().signal)
    const [latest] = await bridge.journal.listRecentFiles(1)
    if (latest === undefined) throw new Error('nothing was taken')
    return latest
  } finally {
    await bridge.close()
  }
}
