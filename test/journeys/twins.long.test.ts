/** Two real processes on one journal and one folder: one is stopped for longer than its lease, the other takes over. */
import { readFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parseCsv } from '../fixtures/csv.ts'
import { writeConfigurationFile } from '../fixtures/configuration-file.ts'
import { type Finished, runProgram, startScript } from '../fixtures/program.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { sampleShipments, shipmentsFile } from '../samples/fulfilment.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const CHILD = fileURLToPath(new URL('../fixtures/stopping-child.mjs', import.meta.url))
const LEASE_MS = 700

const ORDERS = sampleOrders({ seed: 21, orders: 40, damageEvery: 0 })
const POS = ORDERS.map((order) => order.po).toSorted()

interface Scene {
  readonly world: World
  readonly env: NodeJS.ProcessEnv
}

async function aScene(): Promise<Scene> {
  const world = await aWorld({ routes: ['orders', 'orders-out', 'shipments'] })
  return { world, env: await writeConfigurationFile(world) }
}

/**
 * Runs a bridge that stops at the effect, has another one do the work once the lease has expired, and wakes the first. Returns
 * the outcome of the woken one.
 */
async function overtaken(
  { world, env }: Scene,
  { route, effect, meanwhile }: { route: string; effect: string; meanwhile?: () => Promise<void> },
): Promise<Finished> {
  const args = [join(world.folder, 'dropbridge.yaml'), route, String(LEASE_MS), ...effect.split(' ')]
  const stopped = startScript(world.folder, CHILD, args, env)
  await untilStopped(stopped.process.pid ?? 0)
  await wait(LEASE_MS + 100)
  const other = await runProgram(world.folder, ['run', route], env)
  expect(other, other.stderr).toMatchObject({ exit: 0 })
  await meanwhile?.()
  stopped.process.kill('SIGCONT')
  return stopped.finished
}

async function untilStopped(pid: number): Promise<void> {
  for (let polls = 0; polls < 3000; polls++) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    const [state] = stat.slice(stat.lastIndexOf(')') + 2)
    if (state === 'T') return
    if (state === undefined || state === 'Z') break
    await wait(10)
  }
  throw new Error('it never came to the effect at which it was to stop')
}

/** The woken bridge says that another one has the work now, and that nothing is to be done. */
function expectOvertaken({ exit, stderr }: Finished): void {
  expect({ exit, stderr }).toEqual({
    exit: 75,
    stderr: expect.stringMatching(/has been taken over by another bridge[^]*fix: Nothing to do/),
  })
}

async function ordersAtService(world: World): Promise<string[]> {
  return (await world.orders()).map((order) => order.purchase_order_number).toSorted()
}

/** The purchase order numbers in every delivered file, each once per file. */
async function deliveredOrders(world: World): Promise<string[]> {
  const found: string[] = []
  for (const name of await world.list('outbox')) {
    const rows = parseCsv(await world.read(join('outbox', name)))
    found.push(...new Set(rows.map((row) => row['PO Number'] ?? '')))
  }
  return found.toSorted()
}

test.each([
  ['while it claims', 'fs.rename 1'],
  ['while it copies to the spool', 'fs.rename 2'],
  ['while it plans', 'journal.addRecords 1'],
  ['when it begins to send', 'journal.startAttempts 1'],
  ['in the middle of sending', 'api.send 20'],
  ['before it notes what was answered', 'journal.finishAttempts 1'],
  ['while it leaves the results', 'fs.link 1'],
  ['while it archives', 'fs.rename 5'],
])('orders: stopped %s and overtaken, it does nothing any more when it wakes up', async (_, effect) => {
  const scene = await aScene()
  await scene.world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)

  expectOvertaken(await overtaken(scene, { route: 'orders', effect }))

  expect(await ordersAtService(scene.world)).toEqual(POS)
  const results = parseCsv(await scene.world.read('results/orders.csv.results.csv'))
  expect(results.map((row) => row['_status'])).toEqual(POS.map(() => 'accepted'))
  expect(await scene.world.list('results')).toEqual(['orders.csv.results.csv', 'orders.csv.summary.json'])
})

test('a file that came under the same name while a bridge was stopped at its claim is posted by the next run', async () => {
  const scene = await aScene()
  const { world, env } = scene
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS.slice(0, 10)).text)

  const later = () => world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS.slice(10)).text)
  expectOvertaken(await overtaken(scene, { route: 'orders', effect: 'fs.rename 1', meanwhile: later }))

  expect((await runProgram(world.folder, ['run', 'orders'], env)).exit).toBe(0)
  expect(await ordersAtService(world)).toEqual(POS)
  expect(await world.list('results')).toContain('orders.csv~2.results.csv')
  expect(await readdir(join(world.folder, 'exchange/inbox/orders/.claimed'))).toEqual([])
})

test('results that were taken away while a bridge was stopped during their delivery are not delivered a second time', async () => {
  const scene = await aScene()
  const { world } = scene
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)

  const takenAway = () => rm(join(world.folder, 'exchange/results'), { recursive: true })
  expectOvertaken(await overtaken(scene, { route: 'orders', effect: 'fs.link 1', meanwhile: takenAway }))

  expect(await world.list('results')).toEqual([])
})

test('shipments: stopped in the middle of sending and overtaken, every parcel is shipped once', async () => {
  const scene = await aScene()
  const { world } = scene
  const parcels = sampleShipments(ORDERS, { seed: 1, damageEvery: 0 })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders')
  await world.drop('inbox/shipments', 'shipments.csv', shipmentsFile(parcels))

  expectOvertaken(await overtaken(scene, { route: 'shipments', effect: 'api.send 15' }))

  const tracked = (await world.orders()).flatMap((order) =>
    order.shipments.map((each) => each.tracking_number),
  )
  expect(tracked.toSorted()).toEqual(parcels.map(({ rows }) => rows[0]?.['Tracking Number']).toSorted())
})

test.each([
  ['before it notes its file', 'journal.createDelivery 1'],
  ['while it leaves its file', 'fs.link 1'],
  ['before it notes that its file is there', 'journal.markDeliveryDelivered 1'],
  ['while it acknowledges', 'api.send 10'],
])('an export: stopped %s and overtaken, every order is in one file and acknowledged', async (_, effect) => {
  const scene = await aScene()
  const { world } = scene
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders')

  expectOvertaken(await overtaken(scene, { route: 'orders-out', effect }))

  expect(await deliveredOrders(world)).toEqual(POS)
  expect(world.service.counts().acknowledgedOrders).toBe(POS.length)
})

test('an exported file that was taken away while a bridge was stopped during its delivery is not delivered a second time', async () => {
  const scene = await aScene()
  const { world } = scene
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders')

  const takenAway = () => rm(join(world.folder, 'exchange/outbox/orders-1.csv'))
  expectOvertaken(await overtaken(scene, { route: 'orders-out', effect: 'fs.link 1', meanwhile: takenAway }))

  expect(await world.list('outbox')).toEqual([])
})
