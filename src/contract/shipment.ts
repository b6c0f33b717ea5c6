/** Shipments. Spec: "Shipment", "Shipment create". */
import { z } from 'zod'
import { Address, flatAddress, provinceRule } from './address.ts'
import { Carrier, ShippingMethod } from './carrier.ts'
import {
  boolean,
  country,
  dateTime,
  id,
  integer,
  measure,
  numberText,
  province,
  reference,
  text,
} from './fields.ts'
import { objectSchema, type Rule } from './object-schema.ts'
import { PartySummary } from './order.ts'
import {
  BrandVariantSummary,
  oneLinePerItem,
  RetailerVariantSummary,
  ShippedVariantInput,
} from './variant.ts'

/** Mode A: the label exists already. */
const EXISTING_LABEL = ['carrier_id', 'tracking_number'] as const

/** Mode B: the service makes the label. */
const NEW_LABEL = ['shipping_account_id', 'ship_weight', 'ship_width', 'ship_length', 'ship_height'] as const

/** Exactly one of the two modes must be complete. */
const exactlyOneMode: Rule = (shipment) => {
  const isGiven = (field: string) => shipment[field] !== undefined && shipment[field] !== null
  const isLabelled = EXISTING_LABEL.some(isGiven)
  if (isLabelled && isGiven('shipping_account_id')) {
    const message =
      'name either carrier_id and tracking_number, or shipping_account_id with weight and size, not both'
    return [{ code: 'shipment-mode-unclear', path: ['shipping_account_id'], message }]
  }
  if (!isLabelled && !isGiven('shipping_account_id')) {
    const message =
      'neither carrier_id and tracking_number (the label exists) nor shipping_account_id with weight and size (the service makes it) is given'
    return [{ code: 'shipment-mode-unclear', path: [], message }]
  }
  const needed: readonly string[] = isLabelled ? EXISTING_LABEL : NEW_LABEL
  const missing = needed.filter((field) => !isGiven(field))
  return missing.map((field) => ({ code: 'value-missing', path: [field], message: `${field} is missing` }))
}

export const ShipmentLineInput = objectSchema({ variant: ShippedVariantInput, quantity: integer(1) })

/**
 * The body that creates a shipment (brand context). Mode A, label exists: carrier_id, shipping_method_id,
 * tracking_number. Mode B, the service makes it: shipping_account_id and shipping_method_id of the order's accounts,
 * ship_weight in pounds, ship_width, ship_length and ship_height in inches.
 */
export const ShipmentCreate = objectSchema(
  {
    order_id: reference('order'),
    ship_from_name1: text(255),
    ship_from_name2: text(255).nullish(),
    ship_from_street1: text(255),
    ship_from_street2: text(255).nullish(),
    ship_from_city: text(255),
    ship_from_province: province(),
    ship_from_postal_code: numberText(255),
    ship_from_country: country(),
    ship_from_phone: text(255).nullish(),
    /** Spec: shown in an example with a space between date and time; ISO 8601 is sent. */
    shipped_at: dateTime().nullish(),
    carrier_id: reference('carrier').nullish(),
    shipping_account_id: reference('shipping-account').nullish(),
    shipping_method_id: reference('shipping-method'),
    tracking_number: numberText(128).nullish(),
    /** Text for the label. Spec: "text the supplier may add"; how is not shown. */
    label_reference: text(30).nullish(),
    ship_weight: measure('pounds').nullish(),
    ship_width: measure('inches').nullish(),
    ship_length: measure('inches').nullish(),
    ship_height: measure('inches').nullish(),
    shipment_lines: z.array(ShipmentLineInput).min(1),
  },
  provinceRule('ship_from_country', 'ship_from_province'),
  exactlyOneMode,
  oneLinePerItem('shipment_lines', 'upc', 'brand_identifier'),
)
export type ShipmentCreate = z.infer<typeof ShipmentCreate>

/** Spec: lines with part above 1 are further packages of one item, carry quantity 1 and do not count. */
const lineFields = { id: id(), order_line_number: text(), part: integer(1), quantity: integer() }

/** A decimal as the service shows it. */
const shownMeasure = () => text().nullable()

const shipmentFields = {
  id: id(),
  order_id: id(),
  brand: PartySummary,
  purchase_order_number: text(32),
  customer_order_number: text(32).nullable(),
  ordered_at: dateTime(),
  shipping_account: z.object({ id: id(), nickname: text(), carrier: Carrier }).nullable(),
  shipping_method: ShippingMethod.nullable(),
  signature: text(16).nullable(),
  ship_weight: shownMeasure(),
  ship_width: shownMeasure(),
  ship_length: shownMeasure(),
  ship_height: shownMeasure(),
  ship_girth: shownMeasure(),
  ship_volume: shownMeasure(),
  batch_number: integer().nullable(),
  label_reference: text(30).nullable(),
  tracking_number: text(128).nullable(),
  tracking: z.object({ picked_up_at: dateTime().nullable(), delivered_at: dateTime().nullable() }),
  picked_up_at: dateTime().nullable(),
  delivered_at: dateTime().nullable(),
  valid_packing_slip: boolean(),
  valid_shipping_label: boolean(),
  shipped_at: dateTime().nullable(),
  acknowledged_at: dateTime().nullable(),
  status: text(32),
  is_acknowledged: boolean(),
}

export const RetailerShipment = z.object({
  ...shipmentFields,
  ship_from: Address,
  shipment_lines: z.array(z.object({ ...lineFields, variant: RetailerVariantSummary })),
})
export type RetailerShipment = z.infer<typeof RetailerShipment>

/** Brands see the carrier, and the origin flattened. */
export const BrandShipment = z.object({
  ...shipmentFields,
  carrier: Carrier,
  ...flatAddress('ship_from'),
  shipment_lines: z.array(z.object({ ...lineFields, variant: BrandVariantSummary })),
})
export type BrandShipment = z.infer<typeof BrandShipment>
