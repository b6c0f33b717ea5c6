/** The real program, killed with SIGKILL at random moments, and started again until it has nothing left to do. */
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { parseCsv } from '../fixtures/csv.ts'
import { writeConfigurationFile } from '../fixtures/configuration-file.ts'
import { startProgram } from '../fixtures/program.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { dice } from '../samples/random.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 21, orders: 400, damageEvery: 40 })
const GOOD = ORDERS.filter((order) => order.damage.length === 0).map((order) => order.po)

const KILLS = 8

/** Kills the program again and again, each time a little later; the last start runs to its end. Returns its exit code. */
async function killAndRestart(
  world: World,
  route: string,
  env: NodeJS.ProcessEnv,
): Promise<{ kills: number; exit: number | null }> {
  const chance = dice(5)
  let kills = 0
  for (let start = 0; start < KILLS; start++) {
    const running = startProgram(world.folder, ['run', route], env)
    const finishedEarly = await Promise.race([
      running.finished.then(() => true),
      wait(350 + start * 60 + chance.between(0, 150)).then(() => false),
    ])
    if (finishedEarly) break
    running.process.kill('SIGKILL')
    await running.finished
    kills++
  }
  for (let start = 0; start < 5; start++) {
    const { exit, stderr } = await startProgram(world.folder, ['run', route], env).finished
    if (exit === 0 || exit === 2) return { kills, exit }
    if (exit !== 75) throw new Error(`exit ${exit}: ${stderr}`)
  }
  throw new Error('the program did not come to rest')
}

test('a program killed again and again posts every order once and reports the outcome of every record', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const env = await writeConfigurationFile(world)
  world.service.switches.latencyMs = 20
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)

  const { kills } = await killAndRestart(world, 'orders', env)

  expect(kills).toBeGreaterThan(0)
  world.service.switches.latencyMs = 0
  expect((await world.orders()).map((order) => order.purchase_order_number).toSorted()).toEqual(
    GOOD.toSorted(),
  )
  const results = parseCsv(await world.read('results/orders.csv.results.csv'))
  expect(results).toHaveLength(ORDERS.length)
  expect(results.filter((row) => row['_status'] === 'accepted')).toHaveLength(GOOD.length)
  expect(await world.list('inbox/orders')).toEqual([])
})

test('a program killed while it exports delivers every order in one file and acknowledges it', async () => {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  const env = await writeConfigurationFile(world)
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders')
  world.service.switches.latencyMs = 10

  const { kills } = await killAndRestart(world, 'orders-out', env)

  expect(kills).toBeGreaterThan(0)
  const names = await world.list('outbox')
  const delivered: string[] = []
  for (const name of names) {
    const rows = parseCsv(await world.read(`outbox/${name}`))
    delivered.push(...new Set(rows.map((row) => row['PO Number'] ?? '')))
  }
  expect(delivered.toSorted()).toEqual(GOOD.toSorted())
  expect(world.service.counts().acknowledgedOrders).toBe(GOOD.length)
})
