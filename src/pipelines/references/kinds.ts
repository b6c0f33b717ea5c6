/** What the bridge keeps of the resources it sees: what files may call them, and what later decisions need. */
import type { EndpointName } from '../../contract/endpoints.ts'
import type { Resource } from '../../domain/api.ts'
import type { Facts, SeenResource } from '../../domain/journal.ts'
import { idOf } from '../operations/operation.ts'

/** The kinds of resource that are remembered. */
export type SeenKind = 'order' | 'variant' | 'shipment' | 'invoice' | 'credit' | 'return'

/** The parts of a resource that are kept: `true` for a value as it is; of lists, the parts of each item. */
interface Parts {
  readonly [field: string]: true | Parts
}

interface Kind {
  readonly keys: (resource: Resource) => readonly unknown[]
  /** Without these the resource was shown too shortly to tell anything but its names. */
  readonly needed: readonly string[]
  readonly facts: Parts
}

const named: Parts = { id: true, name: true, code: true }

/** Facts have the shape of the resource itself, so that what reads the one can read the other. */
const ORDER: Parts = {
  id: true,
  retailer: named,
  brand: named,
  purchase_order_number: true,
  customer_order_number: true,
  retailer_order_number: true,
  status: true,
  is_acknowledged: true,
  ordered_at: true,
  received_at: true,
  acknowledge_by: true,
  fulfill_by: true,
  acknowledged_at: true,
  canceled_at: true,
  closed_at: true,
  shipping_method: { ...named, carrier: named },
  requested_shipping_method: named,
  order_lines: {
    id: true,
    order_line_number: true,
    variant: { id: true, identifier: true, brand_identifier: true, upc: true },
    quantity: true,
    quantity_shipped: true,
    quantity_canceled: true,
    price: true,
    net_price: true,
  },
  shipping_accounts: { id: true, nickname: true, carrier: named, shipping_methods: named },
  invoices: { id: true, invoice_number: true },
  shipments: { id: true, tracking_number: true },
  cancels: { id: true },
}

const KINDS: Readonly<Record<SeenKind, Kind>> = {
  order: {
    keys: (order) => [order['purchase_order_number']],
    needed: ['status', 'order_lines'],
    facts: ORDER,
  },
  variant: {
    keys: (variant) => [
      variant['identifier'],
      variant['brand_identifier'],
      variant['upc'],
      ...retailerSkus(variant['attributes']),
    ],
    needed: ['identifier'],
    facts: { id: true, identifier: true, upc: true, brand: named, inventory: { inventory: true } },
  },
  shipment: {
    keys: (shipment) => [shipment['tracking_number']],
    needed: ['order_id'],
    facts: { id: true, order_id: true, purchase_order_number: true, tracking_number: true },
  },
  invoice: {
    keys: (invoice) => [invoice['invoice_number']],
    needed: ['invoice_number'],
    facts: { id: true, purchase_order_number: true, invoice_number: true, due_amount: true, brand: named },
  },
  credit: {
    keys: (credit) => [credit['credit_number']],
    needed: ['credit_number'],
    facts: { id: true, credit_number: true, order: { id: true, purchase_order_number: true }, brand: named },
  },
  return: {
    keys: (rma) => [rma['rma_number']],
    needed: ['status'],
    facts: { id: true, rma_number: true, purchase_order_number: true, status: true, brand: named },
  },
}

/** The endpoints that show such resources, in lists, singly or as answers. */
export const SHOWS: Readonly<Partial<Record<EndpointName, SeenKind>>> = {
  listRetailerOrders: 'order',
  getRetailerOrder: 'order',
  createOrder: 'order',
  listBrandOrders: 'order',
  getBrandOrder: 'order',
  acknowledgeOrder: 'order',
  closeOrder: 'order',
  reopenOrder: 'order',
  listShipments: 'shipment',
  getShipment: 'shipment',
  createShipment: 'shipment',
  listRetailerInvoices: 'invoice',
  getRetailerInvoice: 'invoice',
  listBrandInvoices: 'invoice',
  getBrandInvoice: 'invoice',
  createInvoice: 'invoice',
  listCredits: 'credit',
  getCredit: 'credit',
  listRmas: 'return',
  getRma: 'return',
  listBrandVariants: 'variant',
  getBrandVariant: 'variant',
  createVariant: 'variant',
  updateBrandVariant: 'variant',
  listRetailerVariants: 'variant',
  getRetailerVariant: 'variant',
  updateRetailerVariant: 'variant',
}

/** The resource as it is remembered; nothing for one without a usable id. */
export function sightingOf(kind: SeenKind, resource: unknown): SeenResource[] {
  const id = idOf(resource)
  if (id === undefined) return []
  const shown = resource as Resource
  const { keys, needed, facts } = KINDS[kind]
  const names = keys(shown).flatMap((key) => textOf(key) ?? [])
  const isWhole = needed.every((field) => shown[field] !== undefined)
  return [{ id, keys: names, ...(isWhole ? { facts: partsOf(shown, facts) as Facts } : {}) }]
}

function textOf(key: unknown): string | undefined {
  if (typeof key === 'number') return String(key)
  return typeof key === 'string' && key !== '' ? key : undefined
}

function partsOf(value: unknown, parts: Parts): unknown {
  if (Array.isArray(value)) return value.map((item) => partsOf(item, parts))
  if (typeof value !== 'object' || value === null) return value
  const kept: Record<string, unknown> = {}
  for (const [field, part] of Object.entries(parts)) {
    const shown = (value as Resource)[field]
    if (shown !== undefined) kept[field] = part === true ? shown : partsOf(shown, part)
  }
  return kept
}

interface ShownAttribute {
  readonly code?: unknown
  readonly values?: unknown
}

/** Suppliers see attributes by code, retailers as a list; several retailers may each have a number for the item. */
function retailerSkus(attributes: unknown): unknown[] {
  if (typeof attributes !== 'object' || attributes === null) return []
  const shown = Object.values(attributes as Readonly<Record<string, ShownAttribute | null>>)
  return shown
    .filter((attribute) => attribute?.code === 'retailer_sku')
    .flatMap((attribute) => (Array.isArray(attribute?.values) ? (attribute.values as unknown[]) : []))
    .map((each) => (typeof each === 'object' && each !== null && 'value' in each ? each.value : undefined))
}
