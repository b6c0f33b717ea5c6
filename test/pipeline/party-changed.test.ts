/** A route whose retailer or brand is changed while work of the old one is unfinished. */
import { expect, test } from 'vitest'
import type { BridgeOptions } from '../../src/app/context.ts'
import type { RunResult } from '../../src/app/outcome.ts'
import type { Api, CallResult } from '../../src/domain/api.ts'
import type { Party } from '../../src/domain/route.ts'
import { BridgeError } from '../../src/support/errors.ts'
import { RECEIPT } from '../fixtures/partner.ts'
import { aWorld, BRAND, RETAILER, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 91, orders: 3, damageEvery: 0 })
const LATER = sampleOrders({ seed: 92, orders: 2, damageEvery: 0, firstNumber: 20_001 })
const OTHER_RETAILER = 1001
const OTHER_BRAND = 2001

function changeParty(world: World, route: string, party: Party): void {
  const found = world.configuration.routes.find(({ name }) => name === route)
  if (found === undefined) throw new Error(`there is no route ${route}`)
  Object.assign(found, { party })
}

async function runWith(world: World, route: string, wrap: BridgeOptions['wrap']): Promise<RunResult> {
  const bridge = await world.open(wrap)
  const result = await bridge.run([route], new AbortController().signal)
  await bridge.close()
  return result
}

/** Records every call and answers it without the service. */
function answering(calls: string[], answer: CallResult): BridgeOptions['wrap'] {
  const note = ({ endpoint, params = {} }: Parameters<Api['send']>[0]) =>
    void calls.push(`${endpoint} ${String(params['retailer_id'] ?? params['brand_id'])}`)
  return {
    api: (api) => ({
      ...api,
      send: (call) => {
        note(call)
        return Promise.resolve(answer)
      },
      get: (call) => {
        note(call)
        return Promise.resolve(undefined)
      },
      async *list(call) {
        note(call)
        yield []
      },
    }),
  }
}

const NOT_SENT: CallResult = { certainty: 'not-applied', detail: 'busy' }
const LOST: CallResult = { certainty: 'unknown', detail: 'the answer was lost' }
const DONE: CallResult = { certainty: 'answered', status: 201, body: { id: 5 }, text: '{"id":5}' }

function failureOf({ exit, routes }: RunResult) {
  const [result] = routes
  return result?.kind === 'failed'
    ? { exit, code: result.failure.code, message: result.failure.message, fix: result.failure.fix }
    : { exit }
}

const FILE_OF_OLD = {
  exit: 78,
  code: 'party-changed',
  message:
    'Records of file orders.csv of retailer 1000 are not done, and route orders is for retailer 1001 now.',
  fix: expect.stringContaining('Put the old party back until the work is done'),
}

test.each([
  ['were not sent', NOT_SENT],
  ['have lost their answers', LOST],
])('a file whose records %s is not continued for another retailer, and other files are', async (_, first) => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await runWith(world, 'orders', answering([], first))
  changeParty(world, 'orders', { kind: 'retailer', id: OTHER_RETAILER })
  world.clock.skip(60_000)
  await world.drop('inbox/orders', 'later.csv', ordersFile(LATER).text)
  const calls: string[] = []

  const changed = await runWith(world, 'orders', answering(calls, DONE))

  expect(failureOf(changed)).toEqual(FILE_OF_OLD)
  expect(calls.filter((call) => call.startsWith('createOrder'))).toEqual(
    LATER.map(() => `createOrder ${OTHER_RETAILER}`),
  )
  expect(await world.list('archive/orders')).toHaveLength(1)

  changeParty(world, 'orders', { kind: 'retailer', id: RETAILER })
  expect((await world.run('orders')).exit).toBe(0)
  expect(await world.orders()).toHaveLength(ORDERS.length)
})

async function worldWithOrders(): Promise<World> {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders')
  return world
}

const toOtherBrand = (world: World) => changeParty(world, 'orders-out', { kind: 'brand', id: OTHER_BRAND })
const toOldBrand = (world: World) => changeParty(world, 'orders-out', { kind: 'brand', id: BRAND })
const acknowledged = (world: World) => world.service.counts().acknowledgedOrders

const DELIVERY_OF_OLD = {
  ...FILE_OF_OLD,
  message:
    'Records of file orders-1.csv of brand 2000 are not done, and route orders-out is for brand 2001 now.',
}

test('a delivered file is not acknowledged for another brand', async () => {
  const world = await worldWithOrders()
  await runWith(world, 'orders-out', {
    api: (api) => ({ ...api, send: () => Promise.resolve(NOT_SENT) }),
  })
  toOtherBrand(world)
  const calls: string[] = []

  const changed = await runWith(world, 'orders-out', answering(calls, DONE))

  expect(failureOf(changed)).toEqual(DELIVERY_OF_OLD)
  expect(calls).toEqual([`listBrandOrders ${OTHER_BRAND}`])
  toOldBrand(world)
  expect((await world.run('orders-out')).exit).toBe(0)
  expect(acknowledged(world)).toBe(ORDERS.length)
})

test('a composed file is not delivered for another brand', async () => {
  const world = await worldWithOrders()
  const full = () => Promise.reject(new BridgeError('cannot-write', 'the disk is full'))
  await runWith(world, 'orders-out', { mailbox: (mailbox) => ({ ...mailbox, stage: full }) })
  toOtherBrand(world)

  const changed = await runWith(world, 'orders-out', answering([], DONE))

  expect(failureOf(changed)).toEqual(DELIVERY_OF_OLD)
  expect(await world.list('outbox')).toEqual([])
  toOldBrand(world)
  expect((await world.run('orders-out')).exit).toBe(0)
  expect(await world.list('outbox')).toEqual(['orders-1.csv'])
})

test('records that were collected for one brand are put into no file of another', async () => {
  const world = await worldWithOrders()
  await runWith(world, 'orders-out', {
    journal: (journal) =>
      new Proxy(journal, {
        get: (target, name: keyof typeof journal) =>
          name === 'createDelivery' ? () => Promise.reject(new Error('the power went')) : target[name],
      }),
  })
  toOtherBrand(world)
  const calls: string[] = []

  const changed = await runWith(world, 'orders-out', answering(calls, DONE))

  expect(failureOf(changed)).toMatchObject({
    exit: 78,
    message:
      'Records that wait for a file of brand 2000 are not done, and route orders-out is for brand 2001 now.',
  })
  expect(calls).toEqual([])
  expect(await world.list('outbox')).toEqual([])
  toOldBrand(world)
  expect((await world.run('orders-out')).exit).toBe(0)
  expect(acknowledged(world)).toBe(ORDERS.length)
})

test('a delivery that still waits for its receipt delays no new one of another brand', async () => {
  const world = await worldWithOrders()
  const route = world.configuration.routes.find(({ name }) => name === 'orders-out')
  Object.assign(route ?? {}, RECEIPT)
  await world.run('orders-out')
  toOtherBrand(world)
  const calls: string[] = []

  const changed = await runWith(world, 'orders-out', answering(calls, DONE))

  expect(changed.exit).toBe(0)
  expect(calls).toEqual([`listBrandOrders ${OTHER_BRAND}`])
})
