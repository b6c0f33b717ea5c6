/** The spec's field tables and the contract's schemas, side by side. */
import { expect, it } from 'vitest'
import { z } from 'zod'
import { type Endpoint, ENDPOINTS } from '../../src/contract/endpoints.ts'
import { FIELD_ROWS } from './rows/all.ts'
import type { View } from './rows/row.ts'

/** Keys that the contract adds to the tables, with the reason. */
const ADDITIONS: Readonly<Record<string, string>> = {
  'order.memos': 'the table names it as upcoming, and arrays are there even when empty',
  'cancel.is_acknowledged': 'the acknowledgement pattern has it, and lists are filtered by it',
  'rma.is_acknowledged': 'the acknowledgement pattern has it, and lists are filtered by it',
  'variant.acknowledged_at': 'acknowledged records carry it',
  'connection.id': 'the address of one connection needs it',
}

/** Where the contract keeps the schema of a resource: an endpoint and the keys down from its answer. */
const PLACES: Readonly<
  Record<string, Partial<Record<View, readonly [endpoint: string, ...keys: string[]]>>>
> = {
  address: { retailer: ['getRetailerOrder', 'ship_to'], brand: ['getBrandOrder', 'ship_to'] },
  carrier: { retailer: ['getCarrier'] },
  shipping_method: {
    retailer: ['getRetailerOrder', 'shipping_method'],
    brand: ['getBrandOrder', 'shipping_method'],
  },
  requested_shipping_method: { retailer: ['getRetailerOrder', 'requested_shipping_method'] },
  order: { retailer: ['getRetailerOrder'], brand: ['getBrandOrder'] },
  order_line: { retailer: ['getRetailerOrder', 'order_lines'], brand: ['getBrandOrder', 'order_lines'] },
  variant_summary: {
    retailer: ['getRetailerOrder', 'order_lines', 'variant'],
    brand: ['getBrandOrder', 'order_lines', 'variant'],
  },
  shipping_account: { brand: ['getBrandOrder', 'shipping_accounts'] },
  shipment: { retailer: ['getShipment'], brand: ['createShipment'] },
  shipment_line: {
    retailer: ['getShipment', 'shipment_lines'],
    brand: ['createShipment', 'shipment_lines'],
  },
  invoice: { retailer: ['getRetailerInvoice'], brand: ['getBrandInvoice'] },
  invoice_line: {
    retailer: ['getRetailerInvoice', 'invoice_lines'],
    brand: ['getBrandInvoice', 'invoice_lines'],
  },
  cancel: { retailer: ['getCancel'] },
  cancel_line: { retailer: ['getCancel', 'cancel_lines'] },
  credit: { retailer: ['getCredit'] },
  credit_line: { retailer: ['getCredit', 'credit_lines'] },
  rma: { retailer: ['getRma'] },
  rma_line: { retailer: ['getRma', 'rma_lines'] },
  connection: { retailer: ['getConnection'] },
  variant: { retailer: ['getRetailerVariant'], brand: ['getBrandVariant'] },
  inventory: { retailer: ['getRetailerVariant', 'inventory'], brand: ['getBrandVariant', 'inventory'] },
  media: { retailer: ['getRetailerVariant', 'media'], brand: ['getBrandVariant', 'media'] },
  attribute: { retailer: ['getRetailerVariant', 'attributes'], brand: ['getBrandVariant', 'attributes'] },
}

/** Registers one test per resource and view: every row is a key, and every key is a row or an addition. */
export function schemas(): void {
  for (const [resource, views] of Object.entries(PLACES)) {
    for (const [view, place] of Object.entries(views)) {
      it(`of ${resource} in the ${view} view have the keys of the contract, neither more nor fewer`, () => {
        const rows = FIELD_ROWS.filter((row) => row.resource === resource)
        const listed = rows.filter((row) => row.view === undefined || row.view === view).map(({ key }) => key)
        const added = Object.keys(ADDITIONS)
          .filter((name) => name.startsWith(`${resource}.`))
          .map((name) => name.slice(resource.length + 1))
        const keys = keysAt(place)
        expect(keys.filter((key) => !added.includes(key)).toSorted()).toEqual(listed.toSorted())
      })
    }
  }

  it('have a schema of the contract for every resource', () => {
    expect(Object.keys(PLACES).toSorted()).toEqual(
      [...new Set(FIELD_ROWS.map(({ resource }) => resource))].toSorted(),
    )
  })
}

function keysAt([name, ...keys]: readonly [string, ...string[]]): string[] {
  const endpoints: Readonly<Record<string, Endpoint>> = ENDPOINTS
  const end = keys.reduce<unknown>((schema, key) => objectIn(schema).shape[key], endpoints[name]?.response)
  return Object.keys(objectIn(end).shape)
}

/** The object behind null, arrays and records. */
function objectIn(schema: unknown): z.ZodObject {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return objectIn(schema.unwrap())
  if (schema instanceof z.ZodArray) return objectIn(schema.element)
  if (schema instanceof z.ZodRecord) return objectIn(schema.valueType)
  if (schema instanceof z.ZodObject) return schema
  throw new Error('the contract has no object there')
}
