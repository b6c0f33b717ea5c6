/** The real program, asked to stop in the middle of everything it does: it ends cleanly, and the next run continues. */
import { readdir } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { parseCsv } from '../fixtures/csv.ts'
import { writeConfigurationFile } from '../fixtures/configuration-file.ts'
import { type Finished, runProgram, startProgram } from '../fixtures/program.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, type SampleOrder, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 21, orders: 60, damageEvery: 0 })
const POS = ORDERS.map((order) => order.po).toSorted()

interface Scene {
  readonly world: World
  readonly env: NodeJS.ProcessEnv
  /** The requests at the service, as in `POST /v1/retailers/1000/orders/`. */
  readonly asked: string[]
}

async function aScene(
  orders: readonly SampleOrder[] = ORDERS,
  { lateAnswer = '300ms' }: { lateAnswer?: string } = {},
): Promise<Scene> {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  const env = await writeConfigurationFile(world, lateAnswer)
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  const asked: string[] = []
  world.service.app.server.prependListener('request', ({ method = '', url = '' }: IncomingMessage) =>
    asked.push(`${method} ${url.split('?')[0]}`),
  )
  return { world, env, asked }
}

/** Polls for the moment; the test fails if it never comes. */
async function until(comes: () => boolean | Promise<boolean>): Promise<void> {
  for (let polls = 0; polls < 3000; polls++) {
    if (await comes()) return
    await wait(10)
  }
  throw new Error('what the test waits for never came')
}

/** Starts the program, and sends it signals, the first at the moment. */
async function stopped(
  { world, env }: Scene,
  route: string,
  comes: () => boolean | Promise<boolean>,
  signals: readonly NodeJS.Signals[] = ['SIGTERM'],
): Promise<Finished> {
  const running = startProgram(world.folder, ['run', route], env)
  await until(comes)
  for (const signal of signals) {
    running.process.kill(signal)
    await wait(100)
  }
  return running.finished
}

/** The outcome of the next run, with a healthy service. */
async function finishWork({ world, env }: Scene, route: string): Promise<Finished> {
  Object.assign(world.service.switches, { latencyMs: 0, loseAnswer: 0, hang: 0, tooMany429: 0 })
  return runProgram(world.folder, ['run', route], env)
}

async function ordersAtService(world: World): Promise<string[]> {
  return (await world.orders()).map((order) => order.purchase_order_number).toSorted()
}

async function outcomes(world: World): Promise<Set<string | undefined>> {
  return new Set(parseCsv(await world.read('results/orders.csv.results.csv')).map((row) => row['_status']))
}

const posts = (asked: readonly string[]) => asked.filter((call) => /^POST .*\/orders\/$/.test(call)).length

test('stopped while it translates a large file, it leaves nothing half-planned, and the next run plans it anew', async () => {
  const many = sampleOrders({ seed: 3, orders: 30_000, damageEvery: 0 })
  for (const order of many.slice(20)) for (const row of order.rows) row.State = 'ZZ'
  const scene = await aScene(many)
  const spool = join(scene.world.folder, 'state', 'spool', 'orders')
  const planning = async () => (await readdir(spool).catch(() => [])).some((name) => name.endsWith('.in'))

  const { exit, stderr } = await stopped(scene, 'orders', planning, ['SIGINT'])

  expect(exit, stderr).toBe(130)
  expect(stderr).toContain('stopped by a signal')
  expect(posts(scene.asked)).toBe(0)
  expect((await finishWork(scene, 'orders')).exit).toBe(2)
  expect(scene.world.service.counts().orders).toBe(20)
  expect(parseCsv(await scene.world.read('results/orders.csv.results.csv'))).toHaveLength(30_000)
})

test('stopped while it sends, it waits for the answers in flight and notes them, so that no lookup is needed', async () => {
  const scene = await aScene()
  scene.world.service.switches.latencyMs = 400

  const { exit, stderr } = await stopped(scene, 'orders', () => posts(scene.asked) > 0)

  expect(exit, stderr).toBe(143)
  expect(scene.world.service.counts().orders).toBeLessThan(ORDERS.length)
  scene.asked.length = 0
  expect((await finishWork(scene, 'orders')).exit).toBe(0)
  expect(await ordersAtService(scene.world)).toEqual(POS)
  expect(await outcomes(scene.world)).toEqual(new Set(['accepted']))
  expect(posts(scene.asked)).toBeLessThan(ORDERS.length)
})

test('stopped while calls hang, it gives them up, and the next run looks them up before it sends anything again', async () => {
  const scene = await aScene()
  scene.world.service.switches.hangAfter = 1
  scene.world.service.switches.faultLimit = 5

  const { exit, stderr } = await stopped(scene, 'orders', () => posts(scene.asked) > 5)

  expect(exit, stderr).toBe(143)
  expect((await finishWork(scene, 'orders')).exit).toBe(0)
  expect(await ordersAtService(scene.world)).toEqual(POS)
  expect(await outcomes(scene.world)).toEqual(new Set(['accepted']))
})

test('a second signal ends it at once, and the next run still posts every order once', async () => {
  const scene = await aScene()
  scene.world.service.switches.hangAfter = 1

  const { exit } = await stopped(scene, 'orders', () => posts(scene.asked) > 0, ['SIGTERM', 'SIGINT'])

  expect(exit).toBe(130)
  scene.world.service.switches.hangAfter = 0
  expect((await finishWork(scene, 'orders')).exit).toBe(0)
  expect(await ordersAtService(scene.world)).toEqual(POS)
})

test('stopped while it waits before checking whether the lost requests succeeded, it ends', async () => {
  const scene = await aScene(ORDERS, { lateAnswer: '20m' })
  Object.assign(scene.world.service.switches, { loseAnswer: 1, faultLimit: 1 })
  // One answer is lost on purpose; on a busy machine a connection may break by itself besides.
  const nearlyAllAreThere = () => scene.world.service.counts().orders >= ORDERS.length - 2

  const { exit, stderr } = await stopped(scene, 'orders', nearlyAllAreThere)

  expect(exit, stderr).toBe(143)
  await writeConfigurationFile(scene.world)
  expect((await finishWork(scene, 'orders')).exit).toBe(0)
  expect(await ordersAtService(scene.world)).toEqual(POS)
})

test('stopped during its lookups, it ends, and the next run looks up the rest', async () => {
  const scene = await aScene()
  Object.assign(scene.world.service.switches, { loseAnswer: 0.3, latencyMs: 100 })
  const looksUp = () => scene.asked.some((call) => call === 'GET /v1/retailers/1000/orders/')

  const { exit, stderr } = await stopped(scene, 'orders', looksUp, ['SIGINT'])

  expect(exit, stderr).toBe(130)
  expect((await finishWork(scene, 'orders')).exit).toBe(0)
  expect(await ordersAtService(scene.world)).toEqual(POS)
  expect(await outcomes(scene.world)).toEqual(new Set(['accepted']))
})

test('stopped while it waits to try again, it ends', async () => {
  const scene = await aScene()
  scene.world.service.switches.tooMany429 = 1

  const { exit, stderr } = await stopped(scene, 'orders', () => posts(scene.asked) > 0)

  expect(exit, stderr).toBe(143)
  expect((await finishWork(scene, 'orders')).exit).toBe(0)
  expect(await ordersAtService(scene.world)).toEqual(POS)
})

test('stopped while it acknowledges, it ends, and the next run acknowledges the rest without another file', async () => {
  const scene = await aScene()
  await scene.world.run('orders')
  scene.world.service.switches.latencyMs = 100
  const acknowledges = () => scene.asked.some((call) => /^PUT .*\/acknowledge\/$/.test(call))

  const { exit, stderr } = await stopped(scene, 'orders-out', acknowledges)

  expect(exit, stderr).toBe(143)
  expect(scene.world.service.counts().acknowledgedOrders).toBeLessThan(ORDERS.length)
  expect((await finishWork(scene, 'orders-out')).exit).toBe(0)
  expect(scene.world.service.counts().acknowledgedOrders).toBe(ORDERS.length)
  expect(await scene.world.list('outbox')).toHaveLength(1)
})
