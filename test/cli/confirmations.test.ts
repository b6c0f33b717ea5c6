/** What the command line shows of deliveries that wait for their confirmation, and where they are once they have it. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandsOf } from '../fixtures/office.ts'
import { partnerOf, PICKED_UP, worldThatWaits } from '../fixtures/partner.ts'
import { sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 95, orders: 3, damageEvery: 0 })

test('a delivery that waits for its pick-up is reported by run, shown by trace, and acknowledged by the run after the pick-up', async () => {
  const world = await worldThatWaits(PICKED_UP, ORDERS)
  const run = await commandsOf(world)
  const path = join(world.folder, 'exchange/outbox/orders-1.csv')

  const first = await run('run', 'orders-out')
  const data = JSON.parse((await run('run', 'orders-out', '--json')).out) as { routes: unknown }
  const status = await run('status')
  await partnerOf(world).takes('orders-1.csv')
  const taken = await run('run', 'orders-out')
  const trace = await run('trace', ORDERS[0]?.po ?? '')

  expect(first.exit).toBe(0)
  expect(first.err).toContain(`orders-out: ${path}: 3 records, waits for its reader`)
  expect(first.err).toContain(
    'orders-out: 1 file waits to be taken or confirmed before anything is acknowledged',
  )
  expect(data.routes).toMatchObject([
    { route: 'orders-out', deliveries: [], awaited: { count: 1, overdue: 0 } },
  ])
  expect(status.out).toMatch(/^orders-1\.csv +orders-out +3 .* delivered$/m)
  expect(status.out).not.toContain('needs a person')
  expect(taken.exit).toBe(0)
  expect(taken.err).toContain(`orders-out: ${path}: 3 records, 3 acknowledged`)
  expect(trace.out).toMatch(
    /orders-1\.csv, number 1 of orders-out.*, seen to be picked up 20.*, acknowledged 20/,
  )
})

test('explain describes the alerts about confirmations', async () => {
  const world = await worldThatWaits(PICKED_UP, ORDERS)
  const run = await commandsOf(world)

  const { exit, out } = await run('explain', 'pick-up-overdue')

  expect(exit).toBe(0)
  expect(out).toContain('pick-up-overdue: something that a person must hear of')
  expect(out).toContain('Ask why the file is not picked up.')
})
