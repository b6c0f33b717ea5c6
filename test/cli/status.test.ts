/** What `status` shows of unfinished work, and of the bridges that work on it. */
import { rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatRun } from '../../src/cli/format/run.ts'
import { createOwnerId } from '../../src/journal/heartbeat.ts'
import { openJournal } from '../../src/journal/open.ts'
import { commandsOf, runUnheard } from '../fixtures/office.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = ordersFile(sampleOrders({ seed: 5, orders: 24, damageEvery: 0 })).text

async function leaseTo(world: World, owner: string): Promise<void> {
  const journal = await openJournal({ path: world.configuration.journal.path, clock: world.clock })
  await journal.acquireLease('orders', owner, 60_000, () => true)
  await journal.close()
}

test('a file that is not finished says how many records wait, why, and what to do', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  await world.drop('inbox/orders', 'orders.csv', ORDERS)
  await world.service.close()
  const ended = await run('run')

  const result = await run('status')
  const data = JSON.parse((await run('status', '--json')).out) as { unfinished: unknown }

  expect(ended.err).toContain('the request was not sent: connect ECONNREFUSED')
  expect(ended.err).not.toContain('nothing was sent')
  expect(result.out).toMatch(
    /^orders: orders\.csv: \d+ deferred, sent again by the next run: .*ECONNREFUSED.*; \d+ planned, sent by the next run$/m,
  )
  expect(result.out).toContain('    fix: dropbridge run orders')
  expect(data.unfinished).toMatchObject([{ route: 'orders', name: 'orders.csv', state: 'planned' }])
})

test('uncertain records are shown as looked up by the next run; a finished file is not shown', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  await world.drop('inbox/orders', 'orders.csv', ORDERS)
  await runUnheard(world, 'orders', { arrives: true, canLookUp: false })

  const before = await run('status')
  await world.run('orders')
  const after = await run('status')

  expect(before.out).toMatch(/^orders: orders\.csv: .*\d+ uncertain, looked up by the next run/m)
  expect(after.out).not.toContain('not finished')
})

test('the bridge that works on a route is named as a process on its machine, and only while it is alive', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  const owner = createOwnerId('other')
  const dead = owner.replace(`/${process.pid}/`, '/999999999/')

  await leaseTo(world, dead)
  const gone = await run('status')
  const journal = await openJournal({ path: world.configuration.journal.path, clock: world.clock })
  await journal.acquireLease('orders', owner, 60_000, () => false)
  await journal.close()
  const there = await run('status')

  expect(gone.out).not.toContain('working on it')
  expect(there.out).toContain(`process ${process.pid} on ${hostname()} is working on it`)
})

test('a file without a reason in the journal, and a delivery that is stuck, are shown with the run that says why', async () => {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  const run = await commandsOf(world)
  const exchange = join(world.folder, 'exchange')
  await world.drop('inbox/orders', 'orders.csv', ORDERS)
  await writeFile(join(exchange, 'archive'), 'in the way')
  await writeFile(join(exchange, 'outbox'), 'in the way')
  await run('run')

  const result = await run('status')
  const data = JSON.parse((await run('status', '--json')).out) as { unfinished: unknown }
  await rm(join(exchange, 'archive'))
  await rm(join(exchange, 'outbox'))
  const ended = await run('run')

  expect(result.out).toContain(
    'orders: orders.csv: reported. The results are delivered; the source goes to the archive next.\n' +
      '    fix: dropbridge run orders; if it fails again, it prints the reason\n' +
      'orders-out: orders-1.csv: composed. Its rows are in the spool and its records belong to it; it is put in place next.\n' +
      '    fix: dropbridge run orders-out; if it fails again, it prints the reason\n',
  )
  expect(data.unfinished).toMatchObject([
    { route: 'orders', name: 'orders.csv', state: 'reported' },
    { route: 'orders-out', name: 'orders-1.csv', state: 'composed' },
  ])
  expect(ended.err).toContain(
    'orders: orders.csv is done: 24 accepted; its results were delivered by an earlier run',
  )
  expect(ended.err).not.toContain('nothing to do')
  expect((await run('status')).out).not.toContain('not finished')
})

test('every route of the configuration is listed, those that never worked too', async () => {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  const run = await commandsOf(world)

  const before = await run('status')
  await run('run', 'orders')
  const after = await run('status')

  expect(before.out).toMatch(/^orders +no records +no records +has not run yet$/m)
  expect(after.out).toMatch(/^orders +no records +no records +idle$/m)
  expect(after.out).toMatch(/^orders-out +no records +no records +has not run yet$/m)
})

test('an empty file leaves no rejects file, and the message names none', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  await world.drop('inbox/orders', 'empty.csv', '')

  const { exit, err } = await run('run')

  expect(exit).toBe(65)
  expect(err).toContain('orders: empty.csv cannot be used')
  expect(err).not.toContain('to correct and drop in under')
  expect(await world.list('results')).toEqual(['empty.csv.results.csv', 'empty.csv.summary.json'])
})

test('status of one route shows its work and its alerts alone', async () => {
  const world = await aWorld({ routes: ['orders', 'shipments'] })
  const run = await commandsOf(world)
  await world.drop(
    'inbox/orders',
    'orders.csv',
    ordersFile(sampleOrders({ seed: 7, orders: 4, damageEvery: 2 })).text,
  )
  await run('run')

  const orders = await run('status', 'orders')
  const shipments = await run('status', 'shipments')
  const unknown = await run('status', 'order')

  expect(orders.out).toContain('orders.csv')
  expect(orders.out).toMatch(/^orders /m)
  expect(orders.out).not.toContain('shipments')
  expect(shipments.out).toMatch(/^shipments /m)
  expect(shipments.out).not.toContain('orders')
  expect({ exit: unknown.exit, err: unknown.err }).toEqual({
    exit: 64,
    err: expect.stringContaining('there is no route "order"'),
  })
})

test('a run whose file stays open because of an answer such as 429 names its status', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.csv', ORDERS)
  const [{ po } = { po: '' }] = sampleOrders({ seed: 5, orders: 24, damageEvery: 0 })
  const bridge = await world.open({
    api: (api) => ({
      ...api,
      send: (call) =>
        call.body?.includes(po) === true
          ? Promise.resolve({ certainty: 'not-applied', status: 429, detail: 'HTTP 429: too many requests' })
          : api.send(call),
    }),
  })

  const result = await bridge.run(['orders'], new AbortController().signal)
  await bridge.close()

  expect(formatRun(result)).toContain(
    'orders: orders.csv is not finished: some records are not sent yet: HTTP 429. Run again later',
  )
})

test('status shows eight alerts and names --all, which shows the others', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  for (let number = 1; number <= 10; number += 1) await world.drop('inbox/orders', `${number}.odd`, 'x')

  const short = await run('status')
  const whole = await run('status', '--all')

  expect(short.out).toContain('and 2 more: dropbridge status --all')
  expect(short.out.match(/no route takes \S+\.odd/g)).toHaveLength(8)
  expect(whole.out.match(/no route takes \S+\.odd/g)).toHaveLength(10)
  expect(whole.out).not.toContain('more:')
})

test('a file with several problems is shown with each code, how many records have it, and its rejects file', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  const orders = sampleOrders({ seed: 7, orders: 4, damageEvery: 0 })
  for (const [index, change] of [{ Qty: 'two' }, { Qty: '0' }, { Qty: 'none', City: '' }].entries())
    for (const row of orders[index]?.rows ?? []) Object.assign(row, change)
  for (const { rows } of orders) rows.length = 1
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  await run('run')

  const { out } = await run('status')

  expect(out).toContain(
    'orders: orders.csv: 3 records are rejected and not corrected' +
      ' (2 integer-expected, 1 number-out-of-range, 1 value-missing)',
  )
  const rejects = join(world.folder, 'exchange', 'results', 'orders.csv.rejects.csv')
  expect(out).toContain(`    fix: Correct ${rejects} and drop it in under its name, or: \`dropbridge dismiss`)
  expect(await world.list('results')).toContain('orders.csv.rejects.csv')
})
