/** A journal that was restored from a backup while the world continued. */
import { appendFile, copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openBridge } from '../../src/app/bridge.ts'
import type { Api } from '../../src/domain/api.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { delivered } from '../fixtures/delivered.ts'
import { commandsOf } from '../fixtures/office.ts'
import { worldThatWaits } from '../fixtures/partner.ts'
import { sampleShipments, shipmentsFile } from '../samples/fulfilment.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 61, orders: 3, damageEvery: 0 })

/** One pass of a bridge whose requests do not arrive. */
async function runWithoutApi(world: World, ...routes: string[]): Promise<void> {
  const away = (api: Api): Api => ({
    ...api,
    send: () => Promise.resolve({ certainty: 'not-applied', detail: 'nobody answers' }),
  })
  const bridge = await world.open({ api: away })
  await bridge.run(routes, new AbortController().signal)
  await bridge.close()
}

function backupOf({ folder, configuration }: World) {
  const { path } = configuration.journal
  const copy = join(folder, 'backup.db')
  const state = join(folder, 'state')
  return {
    saveJournal: () => copyFile(path, copy),
    restoreJournal: async () => {
      for (const ending of ['', '-wal', '-shm']) await rm(`${path}${ending}`, { force: true })
      await copyFile(copy, path)
    },
    saveState: () => cp(state, join(folder, 'backup'), { recursive: true }),
    restoreState: async () => {
      await rm(state, { recursive: true })
      await cp(join(folder, 'backup'), state, { recursive: true })
    },
  }
}

/** Orders that the journal believes to be planned were posted meanwhile. */
async function aRestoredJournal(): Promise<World> {
  const world = await aWorld({ routes: ['orders'] })
  const backup = backupOf(world)
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await runWithoutApi(world, 'orders')
  await backup.saveJournal()
  await world.run('orders')
  await backup.restoreJournal()
  return world
}

test('a journal that is older than its mark sends nothing', async () => {
  const world = await aRestoredJournal()

  await expect(world.run('orders')).rejects.toMatchObject({ code: 'journal-older', exit: 78 })

  expect(await world.orders()).toHaveLength(3)
})

const WHO = ['--by', 'Ada', '--why', 'the disk failed']

test('a database that was copied without its mark sends nothing', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.run('orders')
  await rm(`${world.configuration.journal.path}.mark`)

  await expect(world.run('orders')).rejects.toMatchObject({ code: 'journal-older' })
})

test('status and trace show that a journal is older than its mark', async () => {
  const world = await aRestoredJournal()
  const run = await commandsOf(world)

  const [status, trace, work] = [await run('status'), await run('trace', 'orders.csv'), await run('run')]

  expect([status.exit, trace.exit, work.exit]).toEqual([78, 0, 78])
  expect(status.out).toContain('The journal is older than the work done with it')
  expect(trace.err).toContain('The journal is older than the work done with it')
  expect(work.err).toContain('dropbridge restored')
})

test('dropbridge restored needs to know who declares it and why', async () => {
  const world = await aRestoredJournal()
  const run = await commandsOf(world)

  const { exit, err } = await run('restored')

  expect(exit).toBe(64)
  expect(err).toContain(
    'fix: First see `dropbridge restored --dry-run`, then `dropbridge restored --by NAME --why TEXT`.',
  )
  expect((await run('run')).exit).toBe(78)
})

test('a state folder that moves to another path with its mark keeps working', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const backup = backupOf(world)
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders')
  await backup.saveState()
  await backup.restoreState()

  expect((await world.run('orders')).exit).toBe(0)
})

/** Puts the whole state folder back as it was before `continueWork`, its mark too, as a snapshot of the machine would. */
async function afterSnapshot(world: World, continueWork: () => Promise<unknown>): Promise<void> {
  const backup = backupOf(world)
  await backup.saveState()
  await continueWork()
  await backup.restoreState()
}

const numbers = (orders: typeof ORDERS) => orders.map(({ po }) => po)
const PARCELS = sampleShipments(ORDERS, { seed: 1, damageEvery: 0 })

test('orders that were planned at the time of the backup and posted since are found, and not posted again', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await runWithoutApi(world, 'orders')
  await afterSnapshot(world, () => world.run('orders'))
  await world.drop('inbox/orders', 'other.csv', 'PO Number\n')

  const rehearsed = await run('restored', '--dry-run')
  const result = await run('restored', ...WHO)
  await rm(join(world.folder, 'exchange/inbox/orders/other.csv'))
  const { exit, err } = await run('run')

  expect(rehearsed.err).toContain('3 records without an outcome are looked up')
  expect(rehearsed.err).not.toContain('outgoing route')
  expect(result.err).toContain('3 records without an outcome are looked up')
  expect(err).toContain('orders.csv: 3 accepted')
  expect(exit).toBe(0)
  expect(await world.orders()).toHaveLength(3)
  expect((await run('audit', 'verify')).exit).toBe(0)
})

test('a file that was taken after the backup stops the work, and dropped again it is found to be posted', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const statusPage = join(world.folder, 'STATUS.html')
  const run = await commandsOf(world)
  await appendFile(join(world.folder, 'dropbridge.yaml'), 'status: { page: STATUS.html }\n')
  await world.run('orders')
  const drop = () => world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await afterSnapshot(world, async () => {
    await drop()
    await world.run('orders')
  })
  await drop()

  const refused = await run('run')
  const left = await world.list('inbox/orders')
  const status = await run('status')
  const page = await readFile(statusPage, 'utf8')
  await run('restored', ...WHO)
  const { exit, err } = await run('run')

  expect(refused.exit).toBe(78)
  expect(refused.err).toMatch(/orders~\w+\.csv was taken by it, and the journal does not know it/)
  expect(left).toEqual(['orders.csv'])
  expect(status).toMatchObject({ exit: 78, out: expect.stringContaining('(journal-older)') })
  expect(status.out.match(/The journal is older than/g)).toHaveLength(1)
  expect(page).toContain('<h1 class="needs">')
  expect(page).toContain('The journal is older than the work done with it')
  expect(err).toContain('orders.csv: 3 accepted')
  expect(exit).toBe(0)
  expect(await run('status')).toMatchObject({ exit: 2, out: expect.not.stringContaining('journal-older') })
  expect(await world.orders()).toHaveLength(3)
  expect((await run('audit', 'verify')).exit).toBe(0)
})

test('a changed order that may have been posted is held, and refused by the API once a person says it was not', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  const [order] = ORDERS
  const text = ordersFile(ORDERS.slice(0, 1)).text
  const changed = text.replace(/,(\d)(,\d+\.\d\d)/, (_, quantity, rest) => `,${Number(quantity) + 1}${rest}`)
  expect(changed).not.toBe(text)
  await world.run('orders')
  await afterSnapshot(world, async () => {
    await world.drop('inbox/orders', 'orders.csv', text)
    await world.run('orders')
  })
  await run('restored', ...WHO)
  await world.drop('inbox/orders', 'changed.csv', changed)

  const held = await run('run', 'orders')
  const traced = await run('trace', String(order?.po))
  const resolved = await run('resolve', `orders/${order?.po}`, '--absent', ...WHO)

  expect(held.err).toContain('1 held')
  expect(held.err).toContain('dropbridge resolve KEY --accepted ID --by NAME --why TEXT')
  expect(held.err).toContain('dropbridge restored --end --by NAME --why TEXT')
  expect(traced.out).toMatch(/restored\s+\S+Z from a backup of then: it may have been sent since/)
  expect(traced.out).not.toMatch(/^\s*sent /m)
  expect(resolved.err).toContain('1 rejected')
  expect(await world.orders()).toHaveLength(1)
})

test('parcels that were posted after the backup are found by their tracking numbers, and not posted again', async () => {
  const world = await aWorld({ routes: ['orders', 'shipments'] })
  const run = await commandsOf(world)
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders')
  await world.drop('inbox/shipments', 'parcels.csv', shipmentsFile(PARCELS))
  await runWithoutApi(world, 'shipments')
  await afterSnapshot(world, () => world.run('shipments'))

  await run('restored', ...WHO)
  const { exit, err } = await run('run', 'shipments')

  expect(err).toContain(`parcels.csv: ${PARCELS.length} accepted`)
  expect(exit).toBe(0)
  expect(world.service.counts().shipments).toBe(PARCELS.length)
  expect((await run('audit', 'verify')).exit).toBe(0)
})

test('after the restoration was ended, the wait for what is still in doubt does not speak of it', async () => {
  const world = await aRestoredJournal()
  const run = await commandsOf(world)
  await run('restored', ...WHO)
  await run('restored', '--end', ...WHO)
  const path = join(world.folder, 'dropbridge.yaml')
  await writeFile(path, (await readFile(path, 'utf8')).replace('lateAnswer: 300ms', 'lateAnswer: 20s'))

  const { err } = await run('run')

  expect(err).toContain('before the first lookup of requests whose answers were lost')
  expect(err).not.toContain('a lost journal')
  expect(await world.orders()).toHaveLength(3)
})

test('new records are looked up until a person ends that', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  await world.run('orders')
  await run('restored', ...WHO)
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS.slice(0, 1)).text)
  await world.run('orders')

  const absent = world.events.filter((event) => event.kind === 'found-absent')
  const standing = await run('status')
  const ended = await run('restored', '--end', ...WHO)
  const again = await run('restored', '--end', ...WHO)
  await world.drop('inbox/orders', 'more.csv', ordersFile(ORDERS.slice(1)).text)
  await world.run('orders')
  const lost = (await run('trace', ORDERS[0]!.po)).out
  const sent = (await run('trace', ORDERS[1]!.po)).out

  // None of them was sent before, so none is sent again.
  expect(absent.map(({ sent }) => sent)).toEqual([0])
  expect(standing.out).toContain('(journal-restored, since')
  expect([ended.exit, again.exit]).toEqual([0, 2])
  expect((await run('status')).out).not.toContain('journal-restored')
  expect(await world.orders()).toHaveLength(3)
  const timesSent = (text: string) => text.match(/^ +sent /gm)?.length
  expect([timesSent(lost), timesSent(sent)]).toEqual([1, 1])
  expect(lost).toContain('it may have been sent since')
})

test('files that were delivered after the backup stop the work, and are not delivered again by themselves', async () => {
  const later = sampleOrders({ seed: 82, orders: 2, damageEvery: 0, firstNumber: 20_001 })
  const last = sampleOrders({ seed: 83, orders: 1, damageEvery: 0, firstNumber: 30_001 })
  const world = await worldThatWaits({ acknowledge: 'never' }, ORDERS)
  const run = await commandsOf(world)
  await world.run('orders-out')
  await afterSnapshot(world, async () => {
    await world.drop('inbox/orders', 'later.csv', ordersFile(later).text)
    await world.run('orders')
    await world.run('orders-out')
  })
  await rm(join(world.folder, 'exchange/archive'), { recursive: true })

  const refused = await run('run', 'orders-out')
  const result = await run('restored', '--skip', '10', ...WHO)
  const { exit } = await run('run', 'orders-out')
  const held = await run('status')
  await run('resolve', 'orders-12.csv', '--delivered', ...WHO)
  await world.drop('inbox/orders', 'last.csv', ordersFile(last).text)
  await run('run')

  expect(refused.exit).toBe(78)
  expect(refused.err).toContain('orders-2.csv has the number 2, and the last one that the journal gave is 1')
  expect(result.err).toContain('orders-out: the next file has the number 12')
  expect(result.err).toContain('outgoing route')
  expect(exit).toBe(2)
  expect(held.out).toContain('orders-12.csv with 2 records is not delivered. The journal was restored')
  expect(await delivered(world)).toEqual({
    'orders-1.csv': numbers(ORDERS),
    'orders-2.csv': numbers(later),
    'orders-13.csv': numbers(last),
  })
  expect((await run('audit', 'verify')).exit).toBe(0)
})

test('a copy of the state folder that works on the same mailboxes is detected', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.run('orders')
  await afterSnapshot(world, async () => {
    await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
    await world.run('orders')
  })

  await expect(world.run('orders')).rejects.toMatchObject({ code: 'journal-older' })
})

// A journal that is gone: a new one knows nothing of the work that the folders show.

/** One unit of an order of two or more was shipped, and the same file is dropped again. */
async function aLostJournal() {
  const world = await aWorld({ routes: ['orders', 'shipments'] })
  const run = await commandsOf(world)
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  const parcel = PARCELS.find(({ rows }) => Number(rows[0]?.Qty) > 1)
  if (parcel?.rows[0] === undefined) throw new Error('no order of two units')
  const part = { ...parcel, rows: [{ ...parcel.rows[0], Qty: '1' }] }
  const drop = () => world.drop('inbox/shipments', 'part.csv', shipmentsFile([part]))
  await drop()
  await world.run('orders')
  await world.run('shipments')
  expect(world.service.counts().shipments).toBe(1)
  await drop()
  return { world, run }
}

test('after its state folder was removed, a bridge sends nothing twice', async () => {
  const { world, run } = await aLostJournal()
  await rm(join(world.folder, 'state'), { recursive: true })

  const check = await run('check')
  const refused = await run('run')
  const [status, again] = [await run('status'), await run('check')]

  expect([check.exit, refused.exit, status.exit, again.exit]).toEqual([78, 78, 78, 78])
  const wording = /The journal \S+journal\.db is new, but \S+~\w+\.csv was taken with another journal\./
  for (const text of [refused.err, status.out, again.err]) {
    expect(text).toMatch(wording)
    expect(text).toContain('if it is lost: `dropbridge restored --dry-run`')
  }
  expect(check.err).toMatch(/wrong: The journal \S+journal\.db is not there, but \S+~\w+\.csv was taken/)
  expect(world.service.counts().shipments).toBe(1)
  expect(await world.list('inbox/shipments')).toEqual(['part.csv'])

  const dry = await run('restored', '--dry-run')
  await run('restored', ...WHO)
  const path = join(world.folder, 'dropbridge.yaml')
  await writeFile(path, (await readFile(path, 'utf8')).replace('lateAnswer: 300ms', 'lateAnswer: 20s'))
  const { exit, err } = await run('run')

  expect(dry.err).toContain('the journal knows nothing of what happened before it was created; it is new')
  expect(err).toContain('before the first lookup of what a lost journal may have sent')
  expect(err).toContain('part.csv: 1 accepted')
  expect(exit).toBe(0)
  expect(world.service.counts().shipments).toBe(1)
  expect((await run('check')).exit).toBe(0)
  expect((await run('audit', 'verify')).exit).toBe(0)
})

test('a new journal beside the mark of an earlier one sends nothing', async () => {
  const { world, run } = await aLostJournal()
  await rm(world.configuration.journal.path)

  const [check, refused, status] = [await run('check'), await run('run'), await run('status')]

  expect([check.exit, refused.exit]).toEqual([78, 78])
  expect(refused.err).toContain('journal.db.mark belongs to an earlier journal.')
  expect(refused.err).toContain('journal-missing')
  expect(status.out).toContain('journal.db.mark belongs to an earlier journal.')
  expect(world.service.counts().shipments).toBe(1)
})

test('a copy of a file that a lost journal left in the spool stops the work too', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const spool = join(world.folder, 'state', 'spool', 'orders')
  await mkdir(spool, { recursive: true })
  await writeFile(join(spool, 'abc123.in'), 'x')

  await expect(world.run('orders')).rejects.toMatchObject({ code: 'journal-missing', exit: 78 })
})

test('a new bridge with folders of its own works beside one that has archived files', async () => {
  const { world } = await aLostJournal()
  const { configuration } = world
  const [orders] = configuration.routes
  if (orders?.direction !== 'inbound') throw new Error('no inbound route')
  const from = { ...orders.from, folder: 'second/inbox', archive: 'second/archive' }
  const state = join(world.folder, 'second')
  const second = await openBridge(
    {
      ...configuration,
      stateFolder: state,
      journal: { type: 'sqlite', path: join(state, 'journal.db') },
      routes: [{ ...orders, from }],
    },
    { clock: world.clock },
  )

  const { exit } = await second.run([], new AbortController().signal)
  await second.close()

  expect(exit).toBe(0)
})
