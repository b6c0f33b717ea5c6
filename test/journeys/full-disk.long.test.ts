/** A disk that is full at any moment: nothing is lost, nothing is sent twice, and with room again the next run finishes. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RunResult } from '../../src/app/outcome.ts'
import { FAILURES } from '../../src/support/errors.ts'
import { leavesTrace } from '../fixtures/crash-after.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { playSteps } from '../fixtures/scenario.ts'
import { type SmallDisk, smallDisk } from '../fixtures/small-disk.ts'
import { strikeAt } from '../fixtures/strike-at.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { sampleShipments, shipmentsFile } from '../samples/fulfilment.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

/** Far more effects than a pass has. */
const EFFECTS_MAX = 400

/** Enough for all passes; a larger one takes longer to fill. */
const DISK_BYTES = 4 * 1024 * 1024

const ORDERS = sampleOrders({ seed: 7, orders: 4, damageEvery: 4 })
const GOOD = ORDERS.filter((order) => order.damage.length === 0).map((order) => order.po)

const PLACES = [
  { what: 'state', folders: ['state'], step: 1 },
  { what: 'exchange', folders: ['exchange'], step: 1 },
  { what: 'state and the exchange', folders: ['state', 'exchange'], step: 2 },
] as const

interface Struck {
  readonly at: string | undefined
  readonly result: RunResult
}

/**
 * One pass with disks that are full from the n-th effect on; they have room again afterwards. Reads need no room: a disk that is
 * full from a read on is full from the next effect on.
 */
async function passOnFullDisks(
  world: World,
  route: string,
  { effect, disks }: { effect: number; disks: readonly SmallDisk[] },
): Promise<Struck> {
  const fill = async () => {
    for (const disk of disks) await disk.fill()
  }
  const plan = strikeAt(effect, fill, leavesTrace)
  const bridge = await world.open(plan.wrap)
  try {
    return { result: await bridge.run([route], new AbortController().signal), at: plan.struckAt() }
  } finally {
    await bridge.close()
    for (const disk of disks) await disk.empty()
  }
}

/** The run reports that it cannot write, or it needed no more room. */
function expectCannotWrite({ at, result }: Struck): void {
  for (const each of result.routes) {
    if (each.kind !== 'failed') continue
    const { code, message } = each.failure
    expect({ at, code, exit: result.exit }, message).toEqual({ at, code: 'cannot-write', exit: 74 })
    expect(FAILURES[each.failure.code].fix).toContain('Make room')
  }
}

async function runUntilQuiet(world: World, route: string): Promise<void> {
  for (let start = 0; start < 4; start++) {
    world.clock.skip(60_000) // the lease of a bridge that could not even release it expires
    const { routes, exit } = await world.run(route)
    expect(routes.flatMap((each) => (each.kind === 'failed' ? [each.failure.message] : []))).toEqual([])
    if (exit === 0 || exit === 2) return
  }
  throw new Error('the bridge did not come to rest')
}

/** A copy of the world, with a small disk for each of the folders. */
async function forkOnSmallDisks(original: World, folders: readonly string[]) {
  const disks: SmallDisk[] = []
  const world = await original.fork(async (folder) => {
    for (const name of folders) disks.push(await smallDisk(join(folder, name), { size: DISK_BYTES }))
  })
  return { world, disks }
}

test.each(PLACES)(
  'orders: with the disk of the $what full from any moment on, every order is posted once and reported',
  async ({ folders, step }) => {
    let failed = 0
    await playSteps({ first: 1, stride: step, max: EFFECTS_MAX }, async (effect) => {
      const world = await aWorld({ routes: ['orders'] })
      const disks = await Promise.all(
        folders.map((folder) => smallDisk(join(world.folder, folder), { size: DISK_BYTES })),
      )
      await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)

      const struck = await passOnFullDisks(world, 'orders', { effect, disks })

      const context = `${struck.at} (effect ${effect})`
      expectCannotWrite(struck)
      if (struck.result.exit === 74) failed++
      await runUntilQuiet(world, 'orders')
      expect((await world.orders()).map((order) => order.purchase_order_number).toSorted(), context).toEqual(
        GOOD.toSorted(),
      )
      const results = parseCsv(await world.read('results/orders.csv.results.csv'))
      expect(
        results.map((row) => [row['PO Number'], row['_status']]),
        context,
      ).toEqual(ORDERS.map((order) => [order.po, order.damage.length === 0 ? 'accepted' : 'rejected']))
      expect(await world.list('results'), context).toHaveLength(3)
      expect(await world.list('inbox/orders'), context).toEqual([])
      return struck.at
    })
    expect(failed).toBeGreaterThan(3)
  },
  240_000,
)

test.each(PLACES)(
  'shipments: with the disk of the $what full from any moment on, every parcel is shipped once',
  async ({ folders }) => {
    const orders = sampleOrders({ seed: 9, orders: 3, damageEvery: 0 })
    const parcels = sampleShipments(orders, { seed: 1, damageEvery: 0 })
    const ordered = await aWorld({ routes: ['orders', 'shipments'], connections: 2 })
    await ordered.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
    await ordered.run('orders')
    await ordered.drop('inbox/shipments', 'shipments.csv', shipmentsFile(parcels))
    await playSteps({ first: 1, stride: 2, max: EFFECTS_MAX }, async (effect) => {
      const { world, disks } = await forkOnSmallDisks(ordered, folders)

      const struck = await passOnFullDisks(world, 'shipments', { effect, disks })

      expectCannotWrite(struck)
      await runUntilQuiet(world, 'shipments')
      expect(world.service.counts().shipments, `${struck.at} (effect ${effect})`).toBe(parcels.length)
      return struck.at
    })
  },
  240_000,
)

test.each(PLACES)(
  'an export: with the disk of the $what full from any moment on, every order is in one file and acknowledged',
  async ({ folders, step }) => {
    let failed = 0
    const ordered = await aWorld({ routes: ['orders', 'orders-out'] })
    await ordered.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
    await ordered.run('orders')
    await playSteps({ first: 1, stride: step, max: EFFECTS_MAX }, async (effect) => {
      const { world, disks } = await forkOnSmallDisks(ordered, folders)

      const struck = await passOnFullDisks(world, 'orders-out', { effect, disks })

      const context = `${struck.at} (effect ${effect})`
      expectCannotWrite(struck)
      if (struck.result.exit === 74) failed++
      expect(world.service.counts().acknowledgedOrders, context).toBeLessThanOrEqual(
        (await deliveredOrders(world)).length,
      )
      await runUntilQuiet(world, 'orders-out')
      expect(await deliveredOrders(world), context).toEqual(GOOD.toSorted())
      expect(world.service.counts().acknowledgedOrders, context).toBe(GOOD.length)
      return struck.at
    })
    expect(failed).toBeGreaterThan(2)
  },
  240_000,
)

/** The purchase order numbers in every delivered file, each once per file. */
async function deliveredOrders(world: World): Promise<string[]> {
  const found: string[] = []
  for (const name of await world.list('outbox')) {
    const rows = parseCsv(await world.read(join('outbox', name)))
    found.push(...new Set(rows.map((row) => row['PO Number'] ?? '')))
  }
  return found.toSorted()
}
