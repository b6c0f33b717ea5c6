/** `run` as a scheduler calls it: its output and its exit codes. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandsOf } from '../fixtures/office.ts'
import { partnerOf, PICKED_UP, worldThatWaits } from '../fixtures/partner.ts'
import { aWorld } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'
import { openDatabase } from '../../src/support/sqlite.ts'

const DAMAGED = ordersFile(sampleOrders({ seed: 81, orders: 8, damageEvery: 4 })).text

async function anOffice() {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  return { world, command: await commandsOf(world) }
}

test('a quiet run prints nothing when nothing happened, and otherwise what it did and one summary', async () => {
  const { world, command } = await anOffice()
  expect(await command('run', '--quiet')).toEqual({ exit: 0, out: '', err: '' })

  await world.drop('inbox/orders', 'orders.csv', DAMAGED)
  const { exit, out, err } = await command('run', 'orders', '--quiet')

  expect({ exit, out }).toEqual({ exit: 2, out: '' })
  expect(err.split('\n')).toEqual([
    'orders: orders.csv: 6 accepted, 2 rejected',
    expect.stringMatching(/^    the first: line 12, .*  \[province-unknown\]$/),
    `    results: ${join(world.folder, 'exchange/results/orders.csv.results.csv')}`,
    `    to correct and drop in under its name: ${join(world.folder, 'exchange/results/orders.csv.rejects.csv')}`,
    '1 file: 6 accepted, 2 rejected; exit 2: finished; something was refused, is held, missing or overdue: see above, and the results',
  ])
  expect((await command('run', '--quiet')).err.split('\n')).toEqual([
    `orders-out: ${join(world.folder, 'exchange/outbox/orders-1.csv')}: 6 records, 6 acknowledged`,
    '1 file delivered with 6 records; exit 0: all is well',
  ])
})

test('a file that an earlier run delivered is not reported again', async () => {
  const world = await worldThatWaits(PICKED_UP, sampleOrders({ seed: 81, orders: 3, damageEvery: 0 }))
  const command = await commandsOf(world)
  const left = await command('run', 'orders-out', '--quiet')
  await partnerOf(world).takes('orders-1.csv')
  const taken = await command('run', 'orders-out', '--quiet')

  expect(left.err.split('\n').at(-1)).toBe('1 file delivered with 3 records; exit 0: all is well')
  expect(taken.err.split('\n').at(-1)).toBe('1 earlier file with 3 records acknowledged; exit 0: all is well')
})

test('work that was done before a route failed is reported, summed up and in the data', async () => {
  const { world, command } = await anOffice()
  await world.drop('inbox/orders', 'good.csv', DAMAGED)
  await world.drop('inbox/orders', 'same.csv', `${DAMAGED}\n`)
  await mkdir(join(world.folder, 'exchange/results/same.csv.results.csv/in-the-way'), { recursive: true })
  const blocked = (n: number) => join(world.folder, `exchange/results/same.csv~${n}.results.csv`)
  for (let n = 2; n <= 1000; n++) await writeFile(blocked(n), 'x')
  const { exit, err } = await command('run', 'orders', '--quiet')
  const lines = err.split('\n')

  expect(exit).toBe(74)
  expect(lines[0]).toBe('orders: good.csv: 6 accepted, 2 rejected')
  expect(lines.at(-1)).toMatch(/^1 file: 6 accepted, 2 rejected; 1 route failed; exit 74: /)
})

test('a quiet run reports an alert when it is new, and no later run reports it again', async () => {
  const { world, command } = await anOffice()
  await world.drop('inbox/orders', 'orders.txt', 'x')
  const first = await command('run', '--quiet')
  const second = await command('run', '--quiet')

  expect(first.exit).toBe(0)
  expect(first.err.split('\n')).toEqual([
    expect.stringMatching(/^needs a person: no route takes .*orders\.txt.*; fix: Rename it/),
  ])
  expect(second).toEqual({ exit: 0, out: '', err: '' })
})

test('files that are overdue are reported once by quiet runs, and by their exit code as long as they are', async () => {
  const world = await worldThatWaits(PICKED_UP, sampleOrders({ seed: 81, orders: 3, damageEvery: 0 }))
  const command = await commandsOf(world)
  await command('run', 'orders-out', '--quiet')
  const database = openDatabase(join(world.folder, 'state/journal.db'))
  database.exec('update deliveries set delivered_at = delivered_at - 3 * 86400000')
  database.close()
  const runs = [await command('run', 'orders-out', '--quiet'), await command('run', 'orders-out', '--quiet')]

  expect(runs.map(({ exit }) => exit)).toEqual([2, 2])
  expect(runs[0]!.err).toMatch(/^needs a person: orders-out: not picked up: .*orders-1\.csv[^\n]*$/)
  expect(runs[1]!.err).toBe('')
})

test('a route whose work is not finished when the time is over has not failed', async () => {
  const { world, command } = await anOffice()
  await world.drop('inbox/orders', 'orders.csv', DAMAGED)

  const { exit, err } = await command('run', 'orders', '--quiet', '--until', '2026-01-01T00:00Z')

  expect(exit).toBe(75)
  expect(err.split('\n').at(-1)).toBe(
    '1 route not finished in time; exit 75: not all could be finished yet; the next run continues',
  )
})

test('exit codes are the ones that the scheduler understands, those of failures too', async () => {
  const { world, command } = await anOffice()
  await world.drop('inbox/orders', 'orders.csv', DAMAGED)

  const { exit, err } = await command('run', '--quiet', '--exit-map', '2=0,75=0')
  expect(exit).toBe(0)
  expect(err.split('\n').at(-1)).toContain('; exit 0, by the map for 2: finished; something was refused')
  await writeFile(join(world.folder, 'broken.yaml'), 'routes: 7\n')
  expect((await command('run', '-c', 'broken.yaml')).exit).toBe(78)
  expect((await command('run', '-c', 'broken.yaml', '--exit-map', '78=1')).exit).toBe(1)
})

test('contradictory options are refused before anything is done', async () => {
  const { command } = await anOffice()
  const wrong = async (...args: string[]) => {
    const { exit, err } = await command('run', ...args)
    expect(exit).toBe(64)
    return err
  }

  expect(await wrong('--exit-map', '3=0')).toContain('"3=0" names no exit code of the program')
  expect(await wrong('--max-records', 'many')).toContain('--max-records must be a whole number from 1 on')
  expect(await wrong('--due', '--again')).toContain('fix: Leave one of the two out.')
  expect(await wrong('--if-busy', 'maybe')).toContain('if-busy')
  expect(await wrong('--until', '7h', '--until', '8h')).toContain('--until is given more than once')
  expect(await wrong('--max-record', '7')).toContain('Did you mean "--max-records"?')
})

test('the data for programs holds the sums of the run, its bound and the scheduled runs of each route', async () => {
  const { world, command } = await anOffice()
  await world.drop('inbox/orders', 'orders.csv', DAMAGED)

  const first = JSON.parse((await command('run', '--json', '--max-records', '4')).out) as object
  const second = JSON.parse((await command('run', '--json', '--due')).out) as object
  const third = JSON.parse((await command('run', '--json', '--due')).out) as {
    routes: { route: string; scheduledRuns: { nextAt: string } }[]
  }

  expect(first).toMatchObject({
    exit: 75,
    summary: { files: 0, records: {}, open: 1, failedRoutes: 0 },
    limit: { records: 4, isReached: true },
  })
  expect(second).toMatchObject({
    exit: 2,
    summary: { files: 1, records: { accepted: 6, rejected: 2 }, open: 0, failedRoutes: 0 },
  })
  // An export without a schedule is due at the quarters of an hour.
  const [, out] = third.routes
  expect(out).toMatchObject({ route: 'orders-out', idle: true })
  expect(out?.scheduledRuns.nextAt).toMatch(/:(00|15|30|45):00\.000Z$/)
})

test('a run that was bounded says why a file is not finished', async () => {
  const { world, command } = await anOffice()
  await world.drop('inbox/orders', 'orders.csv', DAMAGED)

  const { err } = await command('run', 'orders', '--max-records', '4')

  expect(err.split('\n')).toEqual([
    'orders: orders.csv is not finished: not all of it could be sent',
    '4 records were sent, as many as --max-records allows; the next run sends the rest',
  ])
})
