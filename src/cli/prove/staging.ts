/** What must be at the service before a route has something to do: placed by the other party, as it would be. */
import { createClient } from '../../client/client.ts'
import type { Credentials } from '../../config/routes.ts'
import type { Api, Resource } from '../../domain/api.ts'
import type { Party } from '../../domain/route.ts'
import type { SeedVariant } from '../../service/seed.ts'
import { assert, BridgeError } from '../../support/errors.ts'
import type { Clock } from '../../support/clock.ts'
import type { Market } from './market.ts'

export interface StagedLine {
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

export interface Staging {
  /** The service as a party sees it. */
  readonly as: (party: Party) => Api
  readonly placeOrder: (order: Omit<StagedOrder, 'id'>) => Promise<StagedOrder>
  /** Ships all of the order, which closes it. */
  readonly ship: (order: StagedOrder, tracking: string) => Promise<Resource>
  readonly invoice: (order: StagedOrder, number: string) => Promise<Resource>
  readonly cancel: (order: StagedOrder) => Promise<Resource>
  readonly offer: (brand: number, identifier: string) => Promise<Resource>
  readonly close: () => Promise<void>
}

export interface StagingParts {
  readonly baseUrl: string
  readonly market: Market
  readonly clock: Clock
  readonly credentialsOf: (party: Party) => Credentials
}

export function openStaging({ baseUrl, market, clock, credentialsOf }: StagingParts): Staging {
  const clients = new Map<string, Api>()
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
    throw new BridgeError('bug', `the proof cannot set its stage: ${endpoint} came to ${why.slice(0, 300)}`)
  }
  const retailer = (id: number): Party => ({ kind: 'retailer', id })
  const brand = (id: number): Party => ({ kind: 'brand', id })
  const [carrier] = market.catalogue.carriers
  const method = carrier?.methods[0]
  assert(carrier && method, 'there is a carrier in every market')
  return {
    as,
    placeOrder: async (order) => {
      const made = await make(
        retailer(order.retailer),
        'createOrder',
        orderBody(order, carrier.code, method.code),
      )
      return { ...order, id: Number(made['id']) }
    },
    ship: (order, tracking) =>
      make(brand(order.brand), 'createShipment', {
        ...shipmentBody(order, tracking),
        carrier_id: carrier.id,
        shipping_method_id: method.id,
      }),
    invoice: (order, number) => make(brand(order.brand), 'createInvoice', invoiceBody(order, number)),
    cancel: (order) =>
      make(retailer(order.retailer), 'createCancel', {
        order_id: order.id,
        reason_id: 1,
        cancel_lines: order.lines.map(({ item, quantity }) => ({ variant: { id: item.id }, quantity })),
      }),
    offer: (id, identifier) => make(brand(id), 'createVariant', variantBody(identifier)),
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
    order_lines: order.lines.map(({ item, quantity }) => ({
      variant: { id: item.id },
      quantity,
      net_price: '10.00',
      price: '20.00',
    })),
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
    invoice_lines: lines.map(({ item, quantity }) => ({
      variant: { id: item.id },
      quantity,
      net_price: '10.00',
    })),
  }
}

function variantBody(identifier: string): object {
  return {
    attributes: [
      { attribute: { code: 'identifier' }, value: identifier },
      { attribute: { code: 'name' }, value: `Item ${identifier}` },
    ],
  }
}

const SHIP_FROM = {
  ship_from_name1: 'Proof Works',
  ship_from_street1: '2 Sample Street',
  ship_from_city: 'Reno',
  ship_from_province: 'NV',
  ship_from_postal_code: '89502',
  ship_from_country: 'US',
}
