/** Records to be listed: an early one and a late one, that differ in everything that a filter can ask for. */
import { NOW } from '../service/market.ts'
import {
  attributesBody,
  cancelBody,
  credited,
  done,
  invoiced,
  ordered,
  returned,
  shipped,
  type World,
} from './world.ts'

/** The ids of the two records. */
export interface Scene {
  readonly early: number
  readonly late: number
}

export interface Stage {
  readonly list: string
  readonly by: 'retailer' | 'brand'
  readonly path: string
  /** The times at which each time filter finds the early and the late record, in milliseconds. */
  readonly times: Readonly<Record<string, readonly [early: number, late: number]>>
  /** 1 finds only the early record, and 0 only the late one. */
  readonly flags: readonly string[]
  readonly prepare: (world: World) => Promise<Scene>
}

const LATER = NOW + 100_000
const DUE_AFTER = 72 * 3_600_000
const BOTH = [NOW, LATER] as const
const GIVEN = [Date.UTC(2026, 10, 19), Date.UTC(2026, 10, 20)] as const
const [EARLY_DAY, LATE_DAY] = ['2026-11-19T00:00:00Z', '2026-11-20T00:00:00Z']

/** Both closed when they were placed; the early one acknowledged. */
const orders = async (world: World): Promise<Scene> => {
  const place = async (ordered_at: string): Promise<number> => {
    const { id } = await ordered(world, { ordered_at })
    await done(world.brand.put(`orders/${id}/close/`))
    return id
  }
  const early = await place(EARLY_DAY)
  await done(world.brand.put(`orders/${early}/acknowledge/`))
  world.clock.time = LATER
  return { early, late: await place(LATE_DAY) }
}

const acknowledgedOrders = async (world: World): Promise<Scene> => {
  const scene = await orders(world)
  await done(world.brand.put(`orders/${scene.late}/acknowledge/`))
  return scene
}

const shipments = async (world: World): Promise<Scene> => {
  const { id: early } = await shipped(world, { shipped_at: EARLY_DAY })
  const { id: late } = await shipped(world, { shipped_at: LATE_DAY })
  await done(world.retailer.put(`shipments/${early}/acknowledge/`))
  await done(world.admin.put(`shipments/${early}/pick-up/`))
  return { early, late }
}

const cancels = async (world: World): Promise<Scene> => {
  const { id } = await ordered(world)
  const cancel = async (): Promise<number> => (await done(world.retailer.post('cancels/', cancelBody(id)))).id
  const early = await cancel()
  await done(world.retailer.put(`cancels/${early}/acknowledge/`))
  world.clock.time = LATER
  return { early, late: await cancel() }
}

const invoices = async (world: World): Promise<Scene> => {
  const { id: early } = await invoiced(world)
  await done(world.retailer.put(`invoices/${early}/acknowledge/`))
  world.clock.time = LATER
  const { id: late } = await invoiced(world)
  return { early, late }
}

const rmas = async (world: World): Promise<Scene> => {
  const { id: early } = await returned(world, { rmad_at: EARLY_DAY })
  await done(world.retailer.put(`rmas/${early}/acknowledge/`))
  world.clock.time = LATER
  const { id: late } = await returned(world, { rmad_at: LATE_DAY })
  return { early, late }
}

const credits = async (world: World): Promise<Scene> => {
  const { id: early } = await credited(world)
  await done(world.retailer.put(`credits/${early}/acknowledge/`))
  world.clock.time = LATER
  const { id: late } = await credited(world)
  return { early, late }
}

/** What the early item has and the late one lacks. */
const COMPLETE = {
  name: 'Wool Throw',
  upc: '086000999999',
  msrp: '40.00',
  inventory: '5',
  image_1: 'https://images.example.com/throw.jpg',
  shipping_width: '10',
  shipping_height: '4.5',
  shipping_length: '12',
  shipping_weight: '3.25',
}

const variants = async (world: World): Promise<Scene> => {
  const describe = async (identifier: string, values: Record<string, string>): Promise<number> =>
    (await done(world.brand.post('variants/', attributesBody({ identifier, ...values })))).id
  const early = await describe('EARLY', COMPLETE)
  world.clock.time = LATER
  return { early, late: await describe('LATE', {}) }
}

const acknowledgedVariants = async (world: World): Promise<Scene> => {
  const scene = await variants(world)
  await done(world.retailer.put(`variants/${scene.early}/acknowledge/`))
  return scene
}

const receipts = ['is_acknowledged']
const invoiceTimes = { invoiced_at: BOTH }

export const STAGES: readonly Stage[] = [
  {
    list: 'retailer-orders',
    by: 'retailer',
    path: 'orders/',
    times: {
      ordered_at: GIVEN,
      received_at: BOTH,
      closed_at: BOTH,
      fulfill_by: [NOW + DUE_AFTER, LATER + DUE_AFTER],
    },
    flags: receipts,
    prepare: orders,
  },
  {
    list: 'retailer-orders',
    by: 'retailer',
    path: 'orders/',
    times: { acknowledged_at: BOTH },
    flags: [],
    prepare: acknowledgedOrders,
  },
  {
    list: 'brand-orders',
    by: 'brand',
    path: 'orders/',
    times: { ordered_at: GIVEN },
    flags: receipts,
    prepare: orders,
  },
  {
    list: 'brand-orders',
    by: 'brand',
    path: 'orders/',
    times: { acknowledged_at: BOTH },
    flags: [],
    prepare: acknowledgedOrders,
  },
  {
    list: 'shipments',
    by: 'retailer',
    path: 'shipments/',
    times: { shipped_at: GIVEN },
    flags: [...receipts, 'is_picked_up'],
    prepare: shipments,
  },
  {
    list: 'cancels',
    by: 'retailer',
    path: 'cancels/',
    times: { canceled_at: BOTH },
    flags: receipts,
    prepare: cancels,
  },
  {
    list: 'retailer-invoices',
    by: 'retailer',
    path: 'invoices/',
    times: invoiceTimes,
    flags: receipts,
    prepare: invoices,
  },
  {
    list: 'brand-invoices',
    by: 'brand',
    path: 'invoices/',
    times: invoiceTimes,
    flags: receipts,
    prepare: invoices,
  },
  {
    list: 'brand-variants',
    by: 'brand',
    path: 'variants/',
    times: { created_at: BOTH, updated_at: BOTH },
    flags: ['in_stock', 'has_images', 'has_shipping'],
    prepare: variants,
  },
  {
    list: 'rmas',
    by: 'retailer',
    path: 'rmas/',
    times: { rmad_at: GIVEN, received_at: BOTH },
    flags: receipts,
    prepare: rmas,
  },
  {
    list: 'credits',
    by: 'retailer',
    path: 'credits/',
    times: { credited_at: BOTH },
    flags: receipts,
    prepare: credits,
  },
  {
    list: 'retailer-variants',
    by: 'retailer',
    path: 'variants/',
    times: { created_at: BOTH, updated_at: BOTH },
    flags: ['in_stock', 'is_acknowledged', 'meets_publish_rules'],
    prepare: acknowledgedVariants,
  },
]
