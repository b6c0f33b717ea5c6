/** Dying at every effect of a resolution: nothing is lost, nothing is sent twice, and the command can be repeated. */
import { expect, test } from 'vitest'
import type { Bridge } from '../../src/app/bridge.ts'
import type { ResolveRequest } from '../../src/app/resolve.ts'
import { atEachEffect, crashAt } from '../fixtures/crash-after.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { runUnheard } from '../fixtures/office.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { sampleShipments, shipmentsFile } from '../samples/fulfilment.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 9, orders: 1, damageEvery: 0 })
const PARCELS = sampleShipments(ORDERS, { seed: 1, damageEvery: 0 })
const KEY = `${ORDERS[0]?.po}, ${PARCELS[0]?.rows[0]?.['Tracking Number']}`
const WHO = { what: KEY, by: 'Ada', why: 'asked the warehouse' }
const never = new AbortController().signal

async function aDoubtfulParcel(arrives: boolean): Promise<World> {
  const world = await aWorld({ routes: ['orders', 'shipments'], connections: 2 })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders')
  await world.drop('inbox/shipments', 'parcels.csv', shipmentsFile(PARCELS))
  await runUnheard(world, 'shipments', { arrives })
  return world
}

async function dieAt(world: World, request: ResolveRequest, effect: number, moment: 'before' | 'after') {
  const plan = crashAt(effect, moment)
  const bridge = await world.open(plan.wrap)
  try {
    await bridge.resolve(request, never)
  } catch (error) {
    if (plan.diedAt() === undefined) throw error
  } finally {
    await bridge.close()
  }
  return plan.diedAt()
}

async function withBridge<Result>(world: World, work: (bridge: Bridge) => Promise<Result>): Promise<Result> {
  const bridge = await world.open()
  try {
    return await work(bridge)
  } finally {
    await bridge.close()
  }
}

interface Case {
  readonly request: ResolveRequest
  readonly arrives: boolean
  readonly shipments: number
  readonly status: string
}

const CASES: readonly (readonly [string, Case])[] = [
  [
    'resolving as accepted',
    {
      request: { action: 'resolve-accepted', apiId: '1', ...WHO },
      arrives: true,
      shipments: 1,
      status: 'accepted',
    },
  ],
  [
    'resolving as absent',
    { request: { action: 'resolve-absent', ...WHO }, arrives: false, shipments: 1, status: 'accepted' },
  ],
  [
    'giving up',
    { request: { action: 'resolve-discard', ...WHO }, arrives: false, shipments: 0, status: 'rejected' },
  ],
]

for (const moment of ['before', 'after'] as const) {
  test.each(CASES)(
    `a bridge that dies right ${moment} any effect of %s ends in the same state`,
    async (_, { request, arrives, shipments, status }) => {
      const doubtful = await aDoubtfulParcel(arrives)
      const effects = await atEachEffect(moment, async (effect) => {
        const world = await doubtful.fork()

        const died = await dieAt(world, request, effect, moment)
        world.clock.skip(60_000) // the lease of the dead bridge expires
        await world.run('shipments')
        const again = await withBridge(world, (bridge) => bridge.resolve(request, never))
        const quiet = await world.run('shipments')

        const context = `${died ?? 'nothing'} (effect ${effect})`
        expect(['resolved', 'known'], context).toContain(again.kind)
        expect(quiet.exit, context).toBe(0)
        expect(world.service.counts().shipments, context).toBe(shipments)
        const results = parseCsv(await world.read('results/parcels.csv~2.results.csv'))
        expect(
          results.map((row) => row['_status']),
          context,
        ).toEqual([status])
        const decisions = await withBridge(world, async ({ journal }) => {
          const [file] = await journal.findFilesByName('parcels.csv', 1)
          return journal.listDecisions(file?.id ?? '', 9)
        })
        expect(decisions, context).toMatchObject([{ action: request.action, by: 'Ada', records: 1 }])
        expect(await world.list('results'), context).not.toContain('parcels.csv~3.results.csv')
        return died
      })
      expect(effects).toBeGreaterThan(8)
    },
    240_000,
  )
}
