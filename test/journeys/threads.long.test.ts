/** A bridge that is killed at messages between the thread that works and the one that sends, one after the other. */
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { writeConfigurationFile } from '../fixtures/configuration-file.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { runProgram, startScript } from '../fixtures/program.ts'
import { playScenario } from '../fixtures/scenario.ts'
import { aWorld } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const CHILD = fileURLToPath(new URL('../fixtures/killed-at-message.mjs', import.meta.url))
const LEASE_MS = 300
const STARTS_MAX = 4

/** Eight blocks; what each sends crosses to the other thread in several messages. */
const ORDERS = sampleOrders({ seed: 33, orders: 32, damageEvery: 0 })
const POS = ORDERS.map((order) => order.po).toSorted()

/** Requests take long enough that the thread has started before the last, and that some are on their way at each message. */
const LATENCY_MS = 100

/** There are some twenty; how many depends on the time that the thread takes to start. */
const MESSAGES = 18

test('killed at each of the first messages between its threads, a bridge posts each order once and reports all', async () => {
  let kills = 0
  const killAt = async (message: number) => {
    const world = await aWorld({ routes: ['orders'] })
    const env = await writeConfigurationFile(world)
    await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
    world.service.switches.latencyMs = LATENCY_MS
    const args = [join(world.folder, 'dropbridge.yaml'), 'orders', String(LEASE_MS), String(message)]

    const first = await startScript(world.folder, CHILD, args, env).finished

    const isKilled = first.exit === null
    if (isKilled) kills++
    const context = `message ${message}: ${first.stdout}${first.stderr}`
    expect(first.exit ?? 0, context).toBe(0)
    world.service.switches.latencyMs = 0
    for (let start = 0; isKilled && start < STARTS_MAX; start++) {
      // The lease of the dead process expires, and late answers come.
      await wait(LEASE_MS)
      const { exit } = await runProgram(world.folder, ['run', 'orders'], env)
      if (exit === 0) break
    }
    const orders = (await world.orders()).map((order) => order.purchase_order_number)
    expect(orders.toSorted(), context).toEqual(POS)
    const results = parseCsv(await world.read('results/orders.csv.results.csv'))
    expect(
      results.map((row) => [row['PO Number'], row['_status']]),
      context,
    ).toEqual(ORDERS.map((order) => [order.po, 'accepted']))
    expect(await world.list('inbox/orders'), context).toEqual([])
  }
  for (let message = 1; message <= MESSAGES; message++) await playScenario(() => killAt(message))
  expect(kills).toBeGreaterThan(9)
})
