/** The named schemas of the OpenAPI document, each with a description of itself and of its fields. */
import type { z } from 'zod'
import * as addresses from '../../contract/address.ts'
import * as cancels from '../../contract/cancel.ts'
import * as carriers from '../../contract/carrier.ts'
import { type Endpoint, TokenAnswer, TokenRequest } from '../../contract/endpoints.ts'
import * as invoices from '../../contract/invoice.ts'
import * as orders from '../../contract/order.ts'
import * as returns from '../../contract/return.ts'
import * as shipments from '../../contract/shipment.ts'
import * as variants from '../../contract/variant.ts'
import { assert } from '../../support/errors.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import * as admin from '../admin/schemas.ts'
import { FIELD_DESCRIPTIONS } from './descriptions/fields.ts'
import { SCHEMA_DESCRIPTIONS, SCHEMA_FIELD_DESCRIPTIONS } from './descriptions/schemas.ts'
import { type JsonSchema, type NamedSchemas, toJsonSchemas } from './json-schema.ts'
import { REFUSAL_SCHEMAS } from './refusals.ts'

export interface Schemas extends Components {
  readonly schemas: Readonly<Record<string, JsonSchema>>
}

export function createSchemas(endpoints: Readonly<Record<string, Endpoint>>): Schemas {
  const components = collectComponents(endpoints)
  const made = {
    ...toJsonSchemas(components.requests, 'input'),
    ...toJsonSchemas(components.responses, 'output'),
  }
  const described = Object.entries(made).map(
    ([name, schema]) =>
      [name, describeSchema({ ...schema, ...toDescription(SCHEMA_DESCRIPTIONS.get(name)) }, name)] as const,
  )
  return { ...components, schemas: { ...Object.fromEntries(described), ...REFUSAL_SCHEMAS } }
}

function describeSchema(schema: JsonSchema, component: string): JsonSchema {
  const { properties, items, ...rest } = schema
  return omitUndefined({
    ...rest,
    items: items && describeSchema(items, component),
    properties: properties && describeFields(properties, component),
  })
}

function describeFields(properties: Readonly<Record<string, JsonSchema>>, component: string) {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const ownDescription =
        SCHEMA_FIELD_DESCRIPTIONS.get(`${component}.${name}`) ?? FIELD_DESCRIPTIONS.get(name)
      const description = [ownDescription, schema.description].filter((one) => one !== undefined).join(' ')
      const deprecated = DEPRECATED_FIELDS.has(`${component}.${name}`) ? { deprecated: true } : {}
      return [name, { ...describeSchema(schema, component), ...toDescription(description), ...deprecated }]
    }),
  )
}

function toDescription(description: string | undefined): { description?: string } {
  return description === undefined || description === '' ? {} : { description }
}

/** Spec: "brands is deprecated in favor of brand; order bill_to and ship_from are deprecated". */
const DEPRECATED_FIELDS: ReadonlySet<string> = new Set([
  'RetailerOrder.brands',
  'RetailerOrder.bill_to',
  'RetailerOrder.ship_from',
  'BrandOrder.bill_to',
  'BrandOrder.ship_from',
])

const REQUESTS = {
  TokenRequest,
  OrderCreate: orders.OrderCreate,
  OrderLineInput: orders.OrderLineInput,
  VariantInput: variants.VariantInput,
  AddressInput: addresses.AddressInput,
  ShippingMethodInput: carriers.ShippingMethodInput,
  CancelCreate: cancels.CancelCreate,
  CancelLineInput: cancels.CancelLineInput,
  ShipmentCreate: shipments.ShipmentCreate,
  ShipmentLineInput: shipments.ShipmentLineInput,
  ShippedVariantInput: variants.ShippedVariantInput,
  InvoiceCreate: invoices.InvoiceCreate,
  InvoiceLineInput: invoices.InvoiceLineInput,
  VariantCreate: variants.VariantCreate,
  VariantUpdate: variants.VariantUpdate,
  AttributeEntry: variants.AttributeEntry,
  SupplierCancel: admin.SupplierCancel,
  OrderChange: admin.OrderChange,
  RmaCreate: admin.RmaCreate,
  CreditCreate: admin.CreditCreate,
  InvoiceChange: admin.InvoiceChange,
  StockChange: admin.StockChange,
  PartyCreate: admin.PartyCreate,
  ClientCreate: admin.ClientCreate,
  CarrierCreate: admin.CarrierCreate,
  ConnectionCreate: admin.ConnectionCreate,
  ConnectionChange: admin.ConnectionChange,
  ShippingAccountCreate: admin.ShippingAccountCreate,
}

const RESPONSES = {
  TokenAnswer,
  PartySummary: orders.PartySummary,
  Address: addresses.Address,
  Carrier: carriers.Carrier,
  CarrierWithMethods: carriers.CarrierWithMethods,
  ShippingMethod: carriers.ShippingMethod,
  RequestedShippingMethod: carriers.RequestedShippingMethod,
  ShippingAccount: carriers.ShippingAccount,
  Connection: carriers.Connection,
  RetailerOrder: orders.RetailerOrder,
  RetailerOrderLine: orders.RetailerOrderLine,
  BrandOrder: orders.BrandOrder,
  BrandOrderLine: orders.BrandOrderLine,
  OrderShipment: orders.OrderShipment,
  OrderInvoice: orders.OrderInvoice,
  OrderCancel: orders.OrderCancel,
  OrderRma: orders.OrderRma,
  OrderCredit: orders.OrderCredit,
  Cancel: cancels.Cancel,
  CancelLine: cancels.CancelLine,
  RetailerShipment: shipments.RetailerShipment,
  BrandShipment: shipments.BrandShipment,
  RetailerInvoice: invoices.RetailerInvoice,
  BrandInvoice: invoices.BrandInvoice,
  Adjustment: invoices.Adjustment,
  Credit: returns.Credit,
  CreditLine: returns.CreditLine,
  CreditAdjustment: returns.CreditAdjustment,
  Rma: returns.Rma,
  RmaLine: returns.RmaLine,
  RetailerVariant: variants.RetailerVariant,
  BrandVariant: variants.BrandVariant,
  RetailerVariantSummary: variants.RetailerVariantSummary,
  BrandVariantSummary: variants.BrandVariantSummary,
  Inventory: variants.Inventory,
  InventoryLocation: variants.InventoryLocation,
  Media: variants.Media,
  Attribute: variants.Attribute,
  AttributeValue: variants.AttributeValue,
  Party: admin.Party,
  NewParty: admin.NewParty,
  Client: admin.Client,
  NewClient: admin.NewClient,
  ConnectionTerms: admin.ConnectionTerms,
  SwitchPositions: admin.SwitchPositions,
  Counts: admin.Counts,
}

interface Components {
  readonly requests: NamedSchemas
  readonly responses: NamedSchemas
}

/** Collects the named schemas; names further request and answer schemas after their endpoint. */
function collectComponents(endpoints: Readonly<Record<string, Endpoint>>): Components {
  const requests = new Map<string, z.ZodType>(Object.entries(REQUESTS))
  const responses = new Map<string, z.ZodType>(Object.entries(RESPONSES))
  for (const [name, { request, response }] of Object.entries(endpoints)) {
    const title = name.charAt(0).toUpperCase() + name.slice(1)
    if (request !== undefined) addIfUnnamed(requests, `${title}Request`, request)
    if (response !== undefined) addIfUnnamed(responses, `${title}Answer`, response)
  }
  return { requests, responses }
}

export function findSchemaName(named: NamedSchemas, schema: z.ZodType): string {
  const found = [...named].find(([, one]) => one === schema)
  assert(found !== undefined, 'the schema of an endpoint has no name')
  return found[0]
}

function addIfUnnamed(named: Map<string, z.ZodType>, name: string, schema: z.ZodType): void {
  if (![...named.values()].includes(schema)) named.set(name, schema)
}
