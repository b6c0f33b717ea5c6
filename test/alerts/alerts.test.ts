/** What a person must hear of: found in the journal and the mailboxes, reported once, shown as long as it stands. */
import { appendFile, mkdir, readdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ExpectedFile } from '../../src/config/schedule.ts'
import type { InboundRoute } from '../../src/config/routes.ts'
import type { RouteResults } from '../../src/domain/alert.ts'
import type { FileEntry } from '../../src/domain/file.ts'
import type { Mailbox } from '../../src/domain/mailbox.ts'
import type { Snapshot } from '../../src/domain/snapshot.ts'
import { BridgeError } from '../../src/support/errors.ts'
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

/** One look, and what was reported of it. */
async function attend(
  world: World,
  mailbox?: (mailbox: Mailbox) => Mailbox,
  tried?: RouteResults,
): Promise<{ snapshot: Snapshot; told: string[] }> {
  const before = world.events.length
  const bridge = await world.open(mailbox === undefined ? {} : { mailbox })
  try {
    const snapshot = await bridge.takeSnapshotAndPublishAlerts(tried)
    const told = world.events.slice(before).flatMap((event) => {
      if (event.kind === 'alert-raised') return [`raised ${event.code} ${event.subject}`]
      return event.kind === 'alert-ended' ? [`ended ${event.code} ${event.subject}`] : []
    })
    return { snapshot, told }
  } finally {
    await bridge.close()
  }
}

const codesOf = ({ alerts }: Snapshot) => alerts.map(({ code }) => code)

async function at(world: World, path: string, ageMs: number): Promise<void> {
  const time = new Date(world.clock.now() - ageMs)
  await utimes(join(world.folder, 'exchange', path), time, time)
}

test('a file that no route takes is reported once, shown while it lies there, and told when it is gone', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.txt', 'x')

  const first = await attend(world)
  world.clock.skip(HOUR_MS)
  const second = await attend(world)
  await rm(join(world.folder, 'exchange/inbox/orders/orders.txt'))
  const third = await attend(world)
  const fourth = await attend(world)

  expect(first.told).toEqual(['raised file-unmatched exchange:inbox/orders/orders.txt'])
  expect(second.told).toEqual([])
  expect(second.snapshot.alerts).toMatchObject([
    { code: 'file-unmatched', since: first.snapshot.alerts[0]?.since },
  ])
  expect(third.told).toEqual(['ended file-unmatched exchange:inbox/orders/orders.txt'])
  expect(fourth).toMatchObject({ told: [], snapshot: { alerts: [] } })
})

test('of many files that no route takes it is told that there are more, and each of them in its turn', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const names = Array.from({ length: 23 }, (_, index) => `note-${String(index).padStart(2, '0')}.txt`)
  for (const name of names) await world.drop('inbox/orders', name, 'x')

  const first = await attend(world)
  for (const name of names.slice(0, 2)) await rm(join(world.folder, 'exchange/inbox/orders', name))
  const second = await attend(world)
  await rm(join(world.folder, 'exchange/inbox/orders', names[2]!))
  const third = await attend(world)

  const raised = (name: string) => `raised file-unmatched exchange:inbox/orders/${name}`
  expect(first.told).toEqual([
    ...names.slice(0, 20).map(raised),
    'raised file-unmatched exchange:inbox/orders: more',
  ])
  expect(first.snapshot.alerts.at(-1)?.message).toBe(
    'exchange:inbox/orders: 3 more like 20 others that are listed',
  )
  expect(second.told.filter((each) => each.startsWith('raised'))).toEqual(names.slice(20, 22).map(raised))
  expect(second.snapshot.alerts.map(({ message }) => message).join()).toContain(': 1 more like')
  expect(third.told).toEqual(
    expect.arrayContaining([raised(names[22]!), 'ended file-unmatched exchange:inbox/orders: more']),
  )
})

test('an alert that others come in front of is not over', async () => {
  const world = await aWorld({ routes: ['orders'] })
  for (let turn = 0; turn < 20; turn++) await world.drop('inbox/orders', `s${turn + 10}.txt`, 'x')
  await attend(world)
  await world.drop('inbox/orders', 'a-first.txt', 'x')
  await at(world, 'inbox/orders/a-first.txt', 2 * DAY_MS)
  const crowded = await attend(world)
  await rm(join(world.folder, 'exchange/inbox/orders/a-first.txt'))
  const after = await attend(world)

  expect(crowded.told.filter((each) => each.startsWith('ended'))).toEqual([])
  expect(after.told.filter((each) => each.startsWith('raised'))).toEqual([])
})

test('a receipt that confirms nothing is told, with the name that is looked for; one that does is not', async () => {
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

  expect(first.told).toEqual(['raised receipt-unknown exchange:receipts/orders-1.ok'])
  expect(first.snapshot.alerts[0]?.message).toContain(
    '(the nearest name that is looked for is orders-1.csv.ok)',
  )
  expect(second.told).toEqual(['ended receipt-unknown exchange:receipts/orders-1.ok'])
})

test('a file that should have come is not missing because nobody can look, nor has it come', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const by: ExpectedFile = { by: '00:01', zone: 'UTC', days: [1, 2, 3, 4, 5, 6, 7] }
  changeInbox(world, { expectFile: by })
  const exchange = join(world.folder, 'exchange')
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
  expect(away.told).toEqual(['raised mailbox-away exchange'])
  expect(missing.told.map((each) => each.split(' ').slice(0, 2).join(' '))).toContain(
    'raised expected-file-missing',
  )
  expect(still.told.join()).not.toContain('expected-file-missing')
})

test('what only looks like a file, and a file that nobody finishes writing, are told where a route would take it', async () => {
  const world = await aWorld({ routes: ['orders'] })
  changeInbox(world, { match: '*' })
  const inbox = join(world.folder, 'exchange/inbox/orders')
  for (const name of ['broken.csv.filepart', '.hidden.csv']) {
    await world.drop('inbox/orders', name, 'x')
    await at(world, `inbox/orders/${name}`, 2 * HOUR_MS)
  }
  await world.drop('inbox/orders', 'coming.csv.filepart', 'x')
  await at(world, 'inbox/orders/coming.csv.filepart', HOUR_MS / 2)
  // The older of two stands first.
  await mkdir(join(inbox, 'folder.csv'))
  await symlink('/etc/hostname', join(inbox, 'link.csv'))
  await mkdir(join(inbox, 'done'))

  const first = await attend(world)
  await rename(join(inbox, 'broken.csv.filepart'), join(inbox, 'broken.csv'))
  const second = await attend(world)

  const subjects = ['broken.csv.filepart', 'folder.csv', 'link.csv'].map(
    (name) => `exchange:inbox/orders/${name}`,
  )
  expect(first.told).toEqual(subjects.map((subject) => `raised file-unmatched ${subject}`))
  expect(first.snapshot.alerts.map(({ message }) => message)).toEqual([
    `${subjects[0]} has the name of an unfinished file, and has not changed for an hour`,
    `${subjects[1]} is a folder; only plain files are taken`,
    `${subjects[2]} is a link; only plain files are taken`,
  ])
  expect(second.told).toEqual([`ended file-unmatched ${subjects[0]}`])
})

describe('a route that cannot do its work', () => {
  const failed = (route: string, code: string): RouteResults => ({
    routes: [route],
    failures: [{ route, code, message: `the ${code} of it` }],
  })
  const subjectsOf = ({ alerts }: Snapshot) =>
    alerts.flatMap(({ code, route, subject }) => (code === 'route-failing' ? [`${route} ${subject}`] : []))

  test('is shown until it was tried again and did it, by whoever looks', async () => {
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
    expect(meanwhile.snapshot.alerts[0]?.fix).toContain('nothing is lost')
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

  test('is no alert any more when it is not in the configuration', async () => {
    const world = await aWorld({ routes: ['orders', 'shipments'] })
    await attend(world, undefined, failed('shipments', 'api-unreachable'))
    const routes = world.configuration.routes.filter(({ name }) => name === 'orders')
    Object.assign(world.configuration, { routes })

    expect(subjectsOf((await attend(world)).snapshot)).toEqual([])
  })
})

test('an inbox that is not there yet counts as empty, and is not made by whoever only looks', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await rm(join(world.folder, 'exchange/inbox'), { recursive: true, force: true })
  expect((await attend(world)).told).toEqual([])
  expect(await readdir(join(world.folder, 'exchange'))).not.toContain('inbox')
})

test('a mailbox that is away is told, and what stood in it is neither over nor new when it comes back', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.txt', 'x')
  await attend(world)
  await rename(join(world.folder, 'exchange'), join(world.folder, 'away'))

  const away = await attend(world)
  await rename(join(world.folder, 'away'), join(world.folder, 'exchange'))
  const back = await attend(world)

  expect(away.told).toEqual(['raised mailbox-away exchange'])
  expect(back.told).toEqual(['ended mailbox-away exchange'])
  expect(codesOf(back.snapshot)).toEqual(['file-unmatched'])
})

/** Of a file that is expected, at the given times: whether it is reported as not come. */
async function toldAt(expected: ExpectedFile, times: readonly string[], comesAt: string): Promise<string[]> {
  const world = await aWorld({ routes: ['orders'] })
  changeInbox(world, { expectFile: expected })
  const told: string[] = []
  for (const time of [...times, comesAt].toSorted()) {
    world.clock.skip(Date.parse(time) - world.clock.now())
    if (time === comesAt) {
      await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
      await world.run('orders')
      continue
    }
    const { alerts } = (await attend(world)).snapshot
    told.push(...alerts.map(({ code, subject }) => `${time} ${code} ${subject}`))
  }
  return told
}

test('a file that did not come by its time is told from then on, until one comes', async () => {
  const expected = { by: '07:00', zone: 'Europe/Berlin', days: [1, 2, 3, 4, 5] }
  // Monday, 23 November; seven in Berlin is six in UTC.
  const times = [
    '2026-11-23T05:59:00Z',
    '2026-11-23T06:00:00Z',
    '2026-11-23T08:00:00Z',
    '2026-11-23T12:00:00Z',
  ]

  expect(await toldAt(expected, times, '2026-11-23T10:00:00Z')).toEqual([
    '2026-11-23T05:59:00Z expected-file-missing 2026-11-20',
    '2026-11-23T06:00:00Z expected-file-missing 2026-11-23',
    '2026-11-23T08:00:00Z expected-file-missing 2026-11-23',
  ])
})

test('a file that lies there and is not taken yet has come', async () => {
  const world = await aWorld({ routes: ['orders'] })
  changeInbox(world, { expectFile: { by: '07:00', zone: 'UTC', days: [1, 2, 3, 4, 5, 6, 7] } })
  world.clock.skip(Date.parse('2026-11-23T08:00:00Z') - world.clock.now())
  await world.drop('inbox/orders', 'nothing-today.csv', '')

  await at(world, 'inbox/orders/nothing-today.csv', DAY_MS)
  const old = await attend(world)
  await at(world, 'inbox/orders/nothing-today.csv', HOUR_MS)
  const today = await attend(world)

  expect(old.told).toEqual([expect.stringContaining('raised expected-file-missing')])
  expect(today.told).toEqual([expect.stringContaining('ended expected-file-missing')])
})

test('a look that fails once ends no alert', async () => {
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
  expect(second.told).toEqual(['raised mailbox-away exchange'])
  expect(third.told).toEqual(['ended mailbox-away exchange'])
})

test('files of two mailboxes at one folder belong to the routes of both', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const [route] = world.configuration.routes
  if (route?.direction !== 'inbound') throw new Error('no such route')
  const others = { ...route, name: 'others', from: { ...route.from, mailbox: 'same', match: '*.edi' } }
  const mailboxes = { ...world.configuration.mailboxes, same: world.configuration.mailboxes['exchange'] }
  Object.assign(world.configuration, { mailboxes, routes: [...world.configuration.routes, others] })
  for (const name of ['a.csv', 'b.edi', 'c.txt']) await world.drop('inbox/orders', name, 'x')

  expect((await attend(world)).told).toEqual(['raised file-unmatched exchange:inbox/orders/c.txt'])
})

test('a file of the day before is none of today, and none is expected on a day off', async () => {
  const expected = { by: '07:00', zone: 'Europe/Berlin', days: [1, 2, 3, 4, 5] }
  // It comes on Friday night; Saturday and Sunday are off.
  const times = [
    '2026-11-27T22:00:00Z',
    '2026-11-28T12:00:00Z',
    '2026-11-29T12:00:00Z',
    '2026-11-30T06:01:00Z',
  ]

  expect(await toldAt(expected, times, '2026-11-27T21:00:00Z')).toEqual([
    '2026-11-30T06:01:00Z expected-file-missing 2026-11-30',
  ])
})

test('a delivered file that nobody takes is told when it is late, and again when the time of its orders is short', async () => {
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

  expect(quiet.told).toEqual([])
  expect(late.told).toEqual([expect.stringMatching(/^raised pick-up-overdue orders-1\.csv \(\w+\)$/)])
  expect(late.snapshot.alerts[0]?.message).toContain(
    `not picked up: ${join(world.folder, 'exchange/outbox/orders-1.csv')}`,
  )
  expect(short.told).toEqual([
    expect.stringMatching(/^ended pick-up-overdue orders-1\.csv \(\w+\)$/),
    expect.stringMatching(/^raised pick-up-overdue orders-1\.csv \(\w+\), time is short$/),
  ])
  expect(short.snapshot.alerts[0]?.message).toContain('none of its 2 records is acknowledged')
  expect(short.snapshot.alerts[0]?.message).toContain(', and that is over')
  expect(taken.told).toEqual([expect.stringMatching(/^ended pick-up-overdue/)])
})

test('a receipt that is none, and one that does not come, are told', async () => {
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

test('a folder in which files lie for longer than they should is told with the oldest of them', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const [route] = world.configuration.routes
  Object.assign(route ?? {}, {
    results: { mailbox: 'exchange', folder: 'results', notEmptiedMs: 3 * DAY_MS },
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
  expect(emptied.told).toEqual(['ended folder-not-emptied exchange:results'])
})

test('records that are held, and those that nobody can tell of for an hour, need a person', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await runUnheard(world, 'orders', { arrives: true, canLookUp: false })
  const soon = await attend(world)
  world.clock.skip(2 * HOUR_MS)
  const later = await attend(world)
  await world.run('orders')
  const settled = await attend(world)

  expect(soon.told).toEqual([])
  expect(later.told).toEqual([expect.stringMatching(/^raised outcome-unknown orders\.csv \(\w+\)$/)])
  expect(later.snapshot.alerts[0]?.message).toContain('it is not known whether the API has')
  expect(settled.told).toEqual([expect.stringMatching(/^ended outcome-unknown/)])
})

test('a file that waits for its marker, and a marker without its file, are told after a quarter of an hour', async () => {
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

  expect(soon.told).toEqual([])
  expect(later.told).toEqual([
    'raised file-waiting exchange:inbox/orders/alone.csv',
    'raised marker-orphaned exchange:inbox/orders/lost.csv.done',
  ])
  expect(later.snapshot.unmatchedFiles).toEqual([])
})

test('a gap in a sequence is told with the number that is missing', async () => {
  const world = await aWorld({ routes: ['orders'] })
  changeInbox(world, { sequence: { name: 'orders-{number}.csv', start: 1 } })
  await world.drop('inbox/orders', 'orders-2.csv', 'x')
  await at(world, 'inbox/orders/orders-2.csv', HOUR_MS)

  const { snapshot } = await attend(world)

  expect(snapshot.alerts).toMatchObject([{ code: 'file-waiting', route: 'orders' }])
  expect(snapshot.alerts[0]?.message).toContain('number 1 of the sequence has not come')
})

test('receipts that come to an inbox folder are no unmatchedFiles', async () => {
  const receipt = { ...RECEIPT.receipt, folder: 'inbox/orders' }
  const world = await worldThatWaits({ ...RECEIPT, receipt }, ORDERS)
  await world.drop('inbox/orders', 'orders-1.csv.ok', '')

  expect((await attend(world)).told).toEqual([])
})

test('work of a route that the configuration lost is told', async () => {
  const world = await worldThatWaits(PICKED_UP, ORDERS)
  await world.run('orders-out')
  Object.assign(world.configuration, {
    routes: world.configuration.routes.filter(({ name }) => name !== 'orders-out'),
  })

  expect((await attend(world)).told).toEqual(['raised route-not-configured orders-out'])
})

test('status shows what needs a person first, and a busy bridge still fits on a screen', async () => {
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
    expect.stringMatching(/^no route takes .*a\.bak .*\(file-unmatched, since 20/),
    expect.stringMatching(/^no route takes .*b\.bak/),
    '    fix: rename it, or change `match` of the route',
  ])
  expect(lines.length).toBeLessThanOrEqual(30)
  expect(out).toMatch(/^orders-out .*collected +unfinished: 1 delivered$/m)
})

test('rows that are written to a file when it lies in the archive are told, until all of it is taken again', async () => {
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
  // Another file of as many bytes is another file.
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

  expect(before.told).toEqual([])
  expect(grown.told).toEqual([`raised file-appended exchange:${archived}`])
  expect(grown.snapshot.alerts[0]?.message).toBe(
    `${archived} has grown since it was read: it has ${Buffer.byteLength(whole)} bytes, of which ${Buffer.byteLength(cut)} were read`,
  )
  expect(away.told).toEqual(['raised mailbox-away exchange'])
  expect(codesOf(other.snapshot)).toEqual(['file-appended'])
  expect(again.told).toEqual([`ended file-appended exchange:${archived}`])
  expect((await world.orders()).length).toBe(2)
})

test('a file that grew in the archive is told of for 36 hours, and one that is taken away from there is not', async () => {
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
