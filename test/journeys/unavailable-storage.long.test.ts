/** Folders that cannot be written, shares that go away, and a journal that is locked or damaged. */
import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type BridgeError, type ExitCode, FAILURES } from '../../src/support/errors.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { smallDisk } from '../fixtures/small-disk.ts'
import { strikeAt } from '../fixtures/strike-at.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'
import { openDatabase } from '../../src/support/sqlite.ts'

const ORDERS = sampleOrders({ seed: 5, orders: 4, damageEvery: 0 })
const POS = ORDERS.map(({ po }) => po)
const LATER = sampleOrders({ seed: 6, orders: POS.length + 3, damageEvery: 0 }).slice(POS.length)
const EFFECTS_MAX = 400

async function aWorldWithOrders(): Promise<World> {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  return world
}

interface Ended {
  readonly exit: ExitCode
  readonly failure: BridgeError | undefined
}

async function run(world: World, route = 'orders'): Promise<Ended> {
  const { routes, exit } = await world.run(route)
  const [first] = routes
  return { exit, failure: first?.kind === 'failed' ? first.failure : undefined }
}

async function expectAllOnce(world: World): Promise<void> {
  const there = (await world.orders()).map((order) => order.purchase_order_number)
  expect(there.toSorted()).toEqual(POS)
  const rows = parseCsv(await world.read('results/orders.csv.results.csv'))
  expect(rows.map((row) => [row['PO Number'], row['_status']])).toEqual(POS.map((po) => [po, 'accepted']))
}

test.each(['exchange/inbox/orders', 'exchange/results', 'exchange/archive', 'state/spool'])(
  'with %s read-only the run says which folder cannot be written, and the next one finishes',
  async (folder) => {
    const world = await aWorld({ routes: ['orders'] })
    const disk = await smallDisk(join(world.folder, folder))
    await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
    await disk.readOnly(true)

    const { exit, failure } = await run(world)

    expect({ exit, code: failure?.code }).toEqual({ exit: 74, code: 'cannot-write' })
    expect(failure?.message).toContain(join(world.folder, folder))
    await disk.readOnly(false)
    expect((await run(world)).exit).toBe(0)
    await expectAllOnce(world)
  },
)

test('with the outbox read-only nothing is acknowledged, and the next run delivers the one file', async () => {
  const world = await aWorldWithOrders()
  await run(world)
  const disk = await smallDisk(join(world.folder, 'exchange/outbox'))
  await disk.readOnly(true)

  expect((await run(world, 'orders-out')).exit).toBe(74)
  expect(world.service.counts().acknowledgedOrders).toBe(0)

  await disk.readOnly(false)
  expect((await run(world, 'orders-out')).exit).toBe(0)
  expect(await world.list('outbox')).toEqual(['orders-1.csv'])
  expect(world.service.counts().acknowledgedOrders).toBe(POS.length)
})

test('without a single free inode the run says that it cannot write, and the next one finishes', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await smallDisk(join(world.folder, 'exchange/results'), { inodes: 1 })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)

  const { exit, failure } = await run(world)

  expect({ exit, message: failure?.message }).toEqual({
    exit: 74,
    message: expect.stringContaining('results'),
  })
  world.configuration.routes.forEach((route) =>
    Object.assign(route, { results: { mailbox: 'exchange', folder: 'other' } }),
  )
  expect((await run(world)).exit).toBe(0)
  expect(await world.list('other')).toEqual(['orders.csv.results.csv', 'orders.csv.summary.json'])
})

test('a share that goes away at any moment ends the run as unreachable, and the work continues when it is back', async () => {
  let failed = 0
  const ordered = await aWorldWithOrders()
  for (let effect = 1; effect < EFFECTS_MAX; effect++) {
    const world = await ordered.fork()
    const share = join(world.folder, 'exchange')
    const plan = strikeAt(effect, () => rename(share, `${share}.away`))
    const bridge = await world.open(plan.wrap)
    const { routes, exit } = await bridge.run(['orders'], new AbortController().signal)
    await bridge.close()
    const at = plan.struckAt()
    const codes = routes.flatMap((each) => (each.kind === 'failed' ? [each.failure.code] : []))
    expect([0, 69], at).toContain(exit)
    expect(codes, at).toEqual(exit === 69 ? ['mailbox-unreachable'] : [])
    if (exit === 69) failed++
    if (at !== undefined) await rename(`${share}.away`, share)

    expect((await run(world)).exit, at).toBe(0)
    await expectAllOnce(world)
    if (at === undefined) break
  }
  expect(failed).toBeGreaterThan(5)
})

test('a share that is away does not count as empty, and nothing is made in its place', async () => {
  const world = await aWorldWithOrders()
  await run(world)
  const share = join(world.folder, 'exchange')
  await rename(share, `${share}.away`)

  expect((await run(world)).exit).toBe(69)
  expect((await run(world, 'orders-out')).exit).toBe(69)
  expect(world.service.counts().acknowledgedOrders).toBe(0)
  expect(await readdir(world.folder)).not.toContain('exchange')

  await rename(`${share}.away`, share)
  expect((await run(world, 'orders-out')).exit).toBe(0)
  expect(await world.list('outbox')).toEqual(['orders-1.csv'])
  expect(world.service.counts().acknowledgedOrders).toBe(POS.length)
})

test('a share that is away leaves a bare folder: a scan makes nothing there, and nothing is delivered or acknowledged', async () => {
  const world = await aWorldWithOrders()
  await run(world)
  await run(world, 'orders-out')
  await world.drop('inbox/orders', 'later.csv', ordersFile(LATER).text)
  await run(world)
  const share = join(world.folder, 'exchange')
  await rename(share, `${share}.away`)
  await mkdir(share)

  const bridge = await world.open()
  const { alerts } = await bridge.takeSnapshotAndPublishAlerts()
  expect(alerts.map(({ code }) => code)).toContain('mailbox-away')
  for (const route of ['orders', 'orders-out', 'orders', 'orders-out']) {
    const { exit } = await bridge.run([route], new AbortController().signal)
    expect([route, exit, await readdir(share)]).toEqual([route, 69, []])
  }
  await bridge.close()
  expect(world.service.counts().acknowledgedOrders).toBe(POS.length)

  await rm(share, { recursive: true })
  await rename(`${share}.away`, share)
  expect((await run(world, 'orders-out')).exit).toBe(0)
  expect(await world.list('outbox')).toEqual(['orders-1.csv', 'orders-2.csv'])
  expect(world.service.counts().acknowledgedOrders).toBe(POS.length + LATER.length)
})

/** A copy of a world is at another path, and an inbox is known by its path. */
async function noteInbox(world: World, place: string): Promise<void> {
  const { journal, close } = await world.open()
  const lease = await journal.acquireLease('orders', 'test/1/1', 10_000, () => true)
  await journal.savePlace(lease, place)
  await journal.releaseLease(lease)
  await close()
}

test('a share that leaves a bare folder at any moment gets every report when it is back', async () => {
  let failed = 0
  const later = await aWorldWithOrders()
  await run(later)
  await later.drop('inbox/orders', 'later.csv', ordersFile(LATER).text)
  for (let effect = 1; effect < EFFECTS_MAX; effect++) {
    const world = await later.fork()
    const share = join(world.folder, 'exchange')
    await noteInbox(world, join(share, 'inbox/orders/.taken'))
    const plan = strikeAt(effect, async () => {
      await rename(share, `${share}.away`)
      await mkdir(share)
    })
    const bridge = await world.open(plan.wrap)
    const { exit } = await bridge.run(['orders'], new AbortController().signal)
    const again = await bridge.run(['orders'], new AbortController().signal)
    await bridge.close()
    const at = plan.struckAt()
    expect([0, 69], at).toContain(exit)
    expect(exit === 69 ? again.exit : 69, at).toBe(69)
    if (exit === 69) failed++
    expect(at === undefined ? [] : await readdir(share), at).toEqual([])
    if (at !== undefined) {
      await rm(share, { recursive: true })
      await rename(`${share}.away`, share)
    }

    expect((await run(world)).exit, at).toBe(0)
    expect(await world.list('results'), at).toEqual([
      'later.csv.results.csv',
      'later.csv.summary.json',
      'orders.csv.results.csv',
      'orders.csv.summary.json',
    ])
    expect(world.service.counts().orders, at).toBe(POS.length + LATER.length)
    if (at === undefined) break
  }
  expect(failed).toBeGreaterThan(5)
})

test('a mailbox that must be mounted is away while nothing is mounted, and nothing is delivered to the folder below', async () => {
  const exchange = (path: string) => ({ type: 'directory', path, mounted: true }) as const
  const world = await aWorld({ routes: ['orders', 'orders-out'], exchange })
  const share = join(world.folder, 'exchange')
  const disk = await smallDisk(share)
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  expect((await run(world)).exit).toBe(0)
  await expectAllOnce(world)
  await disk.unmount()
  await mkdir(join(share, 'outbox'))

  for (const route of ['orders', 'orders-out']) {
    const { exit, failure } = await run(world, route)
    expect([exit, failure?.code, failure?.message]).toEqual([
      69,
      'mailbox-unreachable',
      `Nothing is mounted at ${share}.`,
    ])
  }
  expect([await readdir(share), await world.list('outbox')]).toEqual([['outbox'], []])
  expect(world.service.counts().acknowledgedOrders).toBe(0)

  await smallDisk(share)
  expect((await run(world, 'orders-out')).exit).toBe(0)
  expect(await world.list('outbox')).toEqual(['orders-1.csv'])
  expect(world.service.counts().acknowledgedOrders).toBe(POS.length)
})

test('a journal that another program keeps locked at any moment ends the run with "try later", and nothing is lost', async () => {
  // A wait for a lock is a real wait, so only some moments are tried.
  for (let effect = 1; effect < EFFECTS_MAX; effect += 13) {
    const world = await aWorldWithOrders()
    await (await world.open()).close()
    const other = openDatabase(world.configuration.journal.path)
    const plan = strikeAt(effect, () => Promise.resolve(void other.exec('begin immediate')))
    const bridge = await world.open(plan.wrap)
    const { routes, exit } = await bridge.run(['orders'], new AbortController().signal)
    await bridge.close()
    if (other.inTransaction) other.exec('rollback')
    other.close()
    const at = plan.struckAt()
    const codes = routes.flatMap((each) => (each.kind === 'failed' ? [each.failure.code] : []))
    expect([0, 75], at).toContain(exit)
    expect(codes, at).toEqual(exit === 75 ? ['journal-busy'] : [])

    world.clock.skip(60_000)
    expect((await run(world)).exit, at).toBe(0)
    await expectAllOnce(world)
    if (at === undefined) break
  }
})

test('a journal that cannot be written is refused before anything is sent, and says so', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const disk = await smallDisk(join(world.folder, 'state'))
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await (await world.open()).close()
  await disk.readOnly(true)

  await expect(world.run('orders')).rejects.toMatchObject({ code: 'journal-unusable', exit: 74 })

  await disk.readOnly(false)
  expect((await run(world)).exit).toBe(0)
  await expectAllOnce(world)
})

test('a damaged journal is refused before anything is sent, with what to do', async () => {
  const world = await aWorldWithOrders()
  await run(world)
  const { path } = world.configuration.journal
  const file = await open(path, 'r+')
  await file.write(Buffer.alloc(8000, 0xff), 0, 8000, 100)
  await file.close()
  await world.drop('inbox/orders', 'again.csv', `${ordersFile(ORDERS).text}\r\n`)

  await expect(world.run('orders')).rejects.toMatchObject({ code: 'journal-damaged', exit: 74 })
  expect(FAILURES['journal-damaged'].fix).toContain('put a backup back')
  expect(FAILURES['journal-damaged'].details).toContain('.recover')
  await writeFile(path, 'not a database at all, but long enough to have a header of its own'.repeat(20))
  await expect(world.run('orders')).rejects.toMatchObject({ code: 'journal-damaged', exit: 74 })
  expect(world.service.counts().orders).toBe(POS.length)
})
