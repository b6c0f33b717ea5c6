/** The schemas of the contract that have a name of their own in the document. */
import type { z } from 'zod'
import { Address, AddressInput } from '../../contract/address.ts'
import { Adjustment } from '../../contract/adjustment.ts'
import { Cancel, CancelCreate, CancelLine, CancelLineInput } from '../../contract/cancel.ts'
import {
  Carrier,
  CarrierWithMethods,
  RequestedShippingMethod,
  ShippingAccount,
  ShippingMethod,
  ShippingMethodInput,
} from '../../contract/carrier.ts'
import {
  AttributeEntry,
  BrandVariant,
  Inventory,
  InventoryLocation,
  RetailerVariant,
  VariantCreate,
  VariantUpdate,
} from '../../contract/catalog.ts'
import { Connection } from '../../contract/connection.ts'
import { Credit, CreditAdjustment, CreditLine } from '../../contract/credit.ts'
import { TokenAnswer, TokenRequest } from '../../contract/endpoints.ts'
import { BrandInvoice, InvoiceCreate, InvoiceLineInput, RetailerInvoice } from '../../contract/invoice.ts'
import {
  BrandOrder,
  BrandOrderLine,
  OrderCancel,
  OrderCreate,
  OrderCredit,
  OrderInvoice,
  OrderLineInput,
  OrderRma,
  OrderShipment,
  PartySummary,
  RetailerOrder,
  RetailerOrderLine,
} from '../../contract/order.ts'
import { Rma, RmaLine } from '../../contract/rma.ts'
import {
  BrandShipment,
  RetailerShipment,
  ShipmentCreate,
  ShipmentLineInput,
} from '../../contract/shipment.ts'
import {
  Attribute,
  AttributeValue,
  BrandVariantSummary,
  Media,
  RetailerVariantSummary,
  ShippedVariantInput,
  VariantInput,
} from '../../contract/variant.ts'
import {
  CarrierCreate,
  ClientCreate,
  ConnectionChange,
  ConnectionCreate,
  CreditCreate,
  InvoiceChange,
  OrderChange,
  PartyCreate,
  RmaCreate,
  ShippingAccountCreate,
  StockChange,
  SupplierCancel,
} from '../admin/bodies.ts'
import {
  Client,
  ConnectionTerms,
  Counts,
  NewClient,
  NewParty,
  Party,
  SwitchPositions,
} from '../admin/shown.ts'
import { assert } from '../../support/errors.ts'
import type { ServedEndpoint } from '../http/served.ts'
import type { NamedSchemas } from './json-schema.ts'

const REQUESTS = {
  TokenRequest,
  OrderCreate,
  OrderLineInput,
  VariantInput,
  AddressInput,
  ShippingMethodInput,
  CancelCreate,
  CancelLineInput,
  ShipmentCreate,
  ShipmentLineInput,
  ShippedVariantInput,
  InvoiceCreate,
  InvoiceLineInput,
  VariantCreate,
  VariantUpdate,
  AttributeEntry,
  SupplierCancel,
  OrderChange,
  RmaCreate,
  CreditCreate,
  InvoiceChange,
  StockChange,
  PartyCreate,
  ClientCreate,
  CarrierCreate,
  ConnectionCreate,
  ConnectionChange,
  ShippingAccountCreate,
}

const RESPONSES = {
  TokenAnswer,
  PartySummary,
  Address,
  Carrier,
  CarrierWithMethods,
  ShippingMethod,
  RequestedShippingMethod,
  ShippingAccount,
  Connection,
  RetailerOrder,
  RetailerOrderLine,
  BrandOrder,
  BrandOrderLine,
  OrderShipment,
  OrderInvoice,
  OrderCancel,
  OrderRma,
  OrderCredit,
  Cancel,
  CancelLine,
  RetailerShipment,
  BrandShipment,
  RetailerInvoice,
  BrandInvoice,
  Adjustment,
  Credit,
  CreditLine,
  CreditAdjustment,
  Rma,
  RmaLine,
  RetailerVariant,
  BrandVariant,
  RetailerVariantSummary,
  BrandVariantSummary,
  Inventory,
  InventoryLocation,
  Media,
  Attribute,
  AttributeValue,
  Party,
  NewParty,
  Client,
  NewClient,
  ConnectionTerms,
  SwitchPositions,
  Counts,
}

export interface Components {
  readonly requests: NamedSchemas
  readonly responses: NamedSchemas
}

/** Those above; what an endpoint takes or answers and is not among them is named after the endpoint. */
export function gatherComponents(endpoints: Readonly<Record<string, ServedEndpoint>>): Components {
  const requests = new Map<string, z.ZodType>(Object.entries(REQUESTS))
  const responses = new Map<string, z.ZodType>(Object.entries(RESPONSES))
  for (const [name, { request, response }] of Object.entries(endpoints)) {
    const title = name.charAt(0).toUpperCase() + name.slice(1)
    if (request !== undefined) addUnnamed(requests, `${title}Request`, request)
    if (response !== undefined) addUnnamed(responses, `${title}Answer`, response)
  }
  return { requests, responses }
}

/** The name that a schema has among others. */
export function nameIn(named: NamedSchemas, schema: z.ZodType): string {
  const found = [...named].find(([, one]) => one === schema)
  assert(found !== undefined, 'the schema of an endpoint has no name')
  return found[0]
}

function addUnnamed(named: Map<string, z.ZodType>, name: string, schema: z.ZodType): void {
  if (![...named.values()].includes(schema)) named.set(name, schema)
}
