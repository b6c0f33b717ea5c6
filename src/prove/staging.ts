/** Places orders, shipments and invoices at the service, as the other party would, before a route runs. */
import { createClient } from '../client/client.ts'
import type { Credentials, OutboundRoute } from '../config/routes.ts'
import type { OutboundOperationName } from '../contract/operations.ts'
import type { Api, Resource } from '../domain/api.ts'
import type { Party } from '../domain/route.ts'
import type { SeedVariant } from '../service/seed.ts'
import { assert, BridgeError } from '../support/errors.ts'
import type { Clock } from '../support/clock.ts'
import { runInParallel } from '../support/async.ts'
import { type Fixture, pickItem } from './fixture.ts'

interface StagedLine {
  readonly item: SeedVariant
  readonly quantity: number
}

export interface StagedOrder {
  readonly id: number
  readonly purchaseOrder: string
  readonly retailer: number
  readonly brand: number
  readonly lines: readonly StagedLine[]
}

export type Staging = ReturnType<typeof openStaging>

export function openStaging(
  baseUrl: string,
  { catalogue }: Fixture,
  clock: Clock,
  credentialsOf: (party: Party) => Credentials,
) {
  const clients = new Map<string, Api>()
  /** The service as a party sees it. */
  const as = (party: Party): Api => {
    const key = `${party.kind} ${party.id}`
    const client =
      clients.get(key) ?? createClient({ baseUrl, ...credentialsOf(party), clock, random: () => 0.5 })
    clients.set(key, client)
    return client
  }
  const make = async (party: Party, endpoint: string, body: object): Promise<Resource> => {
    const params = { [`${party.kind}_id`]: party.id }
    const answer = await as(party).send({ endpoint, params, body: JSON.stringify(body) })
    if (answer.certainty === 'answered' && answer.status < 400) return answer.body as Resource
    const why = answer.certainty === 'answered' ? answer.text : answer.detail
    throw new BridgeError(
      'bug',
      `the proof cannot prepare the service: ${endpoint} returned ${why.slice(0, 300)}`,
    )
  }
  const retailer = (id: number): Party => ({ kind: 'retailer', id })
  const brand = (id: number): Party => ({ kind: 'brand', id })
  const [carrier] = catalogue.carriers
  const method = carrier?.methods[0]
  assert(carrier && method, 'there is a carrier in every market')
  return {
    as,
    async placeOrder(order: Omit<StagedOrder, 'id'>): Promise<StagedOrder> {
      const body = orderBody(order, carrier.code, method.code)
      const made = await make(retailer(order.retailer), 'createOrder', body)
      return { ...order, id: Number(made['id']) }
    },
    /** Ships all of the order, which closes it. */
    ship: (order: StagedOrder, tracking: string) => {
      const how = { carrier_id: carrier.id, shipping_method_id: method.id }
      return make(brand(order.brand), 'createShipment', { ...shipmentBody(order, tracking), ...how })
    },
    invoice: (order: StagedOrder, number: string) =>
      make(brand(order.brand), 'createInvoice', invoiceBody(order, number)),
    cancel: ({ id, retailer: owner, lines }: StagedOrder) => {
      const body = { order_id: id, reason_id: 1, cancel_lines: lines.map(itemLine) }
      return make(retailer(owner), 'createCancel', body)
    },
    offer: (id: number, identifier: string) => make(brand(id), 'createVariant', variantBody(identifier)),
    close: async () => {
      await Promise.all([...clients.values()].map((client) => client.close()))
    },
  }
}

function orderBody(order: Omit<StagedOrder, 'id'>, carrier: string, method: string): object {
  return {
    purchase_order_number: order.purchaseOrder,
    ordered_at: '2026-01-15T12:00:00Z',
    ship_to: {
      name1: 'Proof Reader',
      street1: '1 Sample Street',
      city: 'Portland',
      province: 'ME',
      postal_code: '04101',
      country: 'US',
    },
    shipping_method: { code: method, carrier: { code: carrier } },
    order_lines: order.lines.map((line) => ({ ...itemLine(line), net_price: '10.00', price: '20.00' })),
  }
}

function shipmentBody({ id, lines }: StagedOrder, tracking: string): object {
  return {
    ...SHIP_FROM,
    order_id: id,
    tracking_number: tracking,
    shipment_lines: lines.map(({ item, quantity }) => ({
      variant: { brand_identifier: item.brandIdentifier },
      quantity,
    })),
  }
}

function invoiceBody({ purchaseOrder, lines }: StagedOrder, number: string): object {
  return {
    purchase_order_number: purchaseOrder,
    invoice_number: number,
    terms_net_days_due: 30,
    terms_date_due: '2030-01-31',
    due_amount: (lines.reduce((sum, { quantity }) => sum + quantity, 0) * 10).toFixed(2),
    invoice_lines: lines.map((line) => ({ ...itemLine(line), net_price: '10.00' })),
  }
}

function itemLine({ item, quantity }: StagedLine) {
  return { variant: { id: item.id }, quantity }
}

function variantBody(identifier: string): object {
  const values = { identifier, name: `Item ${identifier}` }
  return { attributes: Object.entries(values).map(([code, value]) => ({ attribute: { code }, value })) }
}

const SHIP_FROM = {
  ship_from_name1: 'Proof Works',
  ship_from_street1: '2 Sample Street',
  ship_from_city: 'Reno',
  ship_from_province: 'NV',
  ship_from_postal_code: '89502',
  ship_from_country: 'US',
}

// Creates the records that the list of an export shows.

type RecordCreator = (staging: Staging, order: StagedOrder) => Promise<unknown>

/** The work on an order that adds one record to the list; left out where the fixture alone fills the list. */
const RECORD_CREATORS: Partial<Record<OutboundOperationName, RecordCreator>> = {
  'export-orders': () => Promise.resolve(),
  'export-retailer-orders': () => Promise.resolve(),
  'export-shipments': shipOrder,
  'export-invoices': invoiceOrder,
  'export-brand-invoices': invoiceOrder,
  'export-cancels': (staging, order) => staging.cancel(order),
}

/** Exports of items, which are offered. */
const ITEM_EXPORTS: readonly OutboundOperationName[] = ['export-variants', 'export-brand-variants']

/** Whether records can be created that the list of the route shows. */
export function canFillList({ operation }: OutboundRoute): boolean {
  return RECORD_CREATORS[operation] !== undefined || ITEM_EXPORTS.includes(operation)
}

const RECORDS_AT_ONCE = 8

interface FilledSetup {
  readonly fixture: Fixture
  readonly serial: () => number
}

export async function createListedRecords(
  staging: Staging,
  setup: FilledSetup,
  route: OutboundRoute,
  records: number,
): Promise<void> {
  const { fixture, serial } = setup
  const make = RECORD_CREATORS[route.operation]
  if (make === undefined) return offerItems(staging, setup, route, records)
  const { party } = route
  const brand = party.kind === 'brand' ? party.id : fixture.brands[0]
  const retailer = party.kind === 'retailer' ? party.id : fixture.retailers[0]
  const one = async (index: number) => {
    const items = [index, ...(index % 2 ? [index + 1] : [])].map((each) => pickItem(fixture, brand, each))
    const order = await staging.placeOrder({
      purchaseOrder: `PROOF-${serial()}`,
      retailer,
      brand,
      lines: items.flatMap((item, line) => (item === undefined ? [] : [{ item, quantity: 1 + line }])),
    })
    await make(staging, order)
  }
  await runInParallel([...Array(records).keys()], RECORDS_AT_ONCE, one)
}

async function offerItems(staging: Staging, setup: FilledSetup, route: OutboundRoute, records: number) {
  const offers = ITEM_EXPORTS.includes(route.operation)
  const brand = route.party.kind === 'brand' ? route.party.id : setup.fixture.brands[0]
  for (let made = 0; offers && made < records; made++) await staging.offer(brand, `PROOF-${setup.serial()}`)
}

function shipOrder(staging: Staging, order: StagedOrder): Promise<unknown> {
  return staging.ship(order, `T-${order.purchaseOrder}`)
}

async function invoiceOrder(staging: Staging, order: StagedOrder): Promise<unknown> {
  await shipOrder(staging, order)
  return staging.invoice(order, `N-${order.purchaseOrder}`)
}
