/** The effect of another record proves nothing about this one. */
import { expect, test } from 'vitest'
import type { Route } from '../../src/config/routes.ts'
import { BridgeError } from '../../src/support/errors.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { aShippingWorld } from '../fixtures/shipping.ts'

test('a box whose post was lost is not reported as accepted because the other warehouse shipped one like it', async () => {
  const { world, purchaseOrders, fileOf } = await aShippingWorld({ orders: 6, documents: null })
  const routes = world.configuration.routes as Route[]
  const east = routes.find(({ name }) => name === 'shipments') as Extract<Route, { direction: 'inbound' }>
  routes.push({
    ...east,
    name: 'west',
    from: { ...east.from, folder: 'inbox/west', archive: 'archive/west' },
  })
  const [head = '', ...rows] = fileOf(purchaseOrders.map((po) => ({ po })))
    .trim()
    .split('\n')
  // of a line of two units or more, one goes into each box
  const cells = rows.find((row) => Number(row.split(',').at(-1)) >= 2)?.split(',') ?? []
  const box = (name: string) => `${head}\n${[cells[0], name, ...cells.slice(2, -1), '1'].join(',')}\n`
  await world.drop('inbox/shipments', 'east.csv', box('E1'))
  let isSent = false
  const bridge = await world.open({
    api: (api) => ({
      ...api,
      // it never arrives, and the API is away for a moment
      send: () => {
        isSent = true
        return Promise.resolve({ certainty: 'unknown', detail: 'the connection broke' })
      },
      get: (call) => (isSent ? Promise.reject(new BridgeError('api-unreachable', 'away')) : api.get(call)),
    }),
  })
  await bridge.run(['shipments'], new AbortController().signal)
  await bridge.close()
  await world.drop('inbox/west', 'west.csv', box('W1'))
  expect((await world.run('west')).exit).toBe(0)
  await world.run('shipments')

  expect(world.service.counts().shipments).toBe(1)
  const outcomes = async (file: string) =>
    parseCsv(await world.read(`results/${file}.results.csv`)).map((row) => [row['_status'], row['_code']])
  expect(await outcomes('west.csv')).toEqual([['accepted', '']])
  expect(await outcomes('east.csv')).toEqual([['held', 'outcome-unprovable']])
})
