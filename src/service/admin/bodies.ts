/** What administration endpoints take. None of it is in the spec: it is what the service's own operator may say. */
import { z } from 'zod'
import { AddressInput } from '../../contract/address.ts'
import { CancelCreate, CancelLineInput } from '../../contract/cancel.ts'
import { boolean, choice, date, dateTime, id, integer, money, text } from '../../contract/fields.ts'
import { model } from '../../contract/model.ts'
import { RMA_REASONS } from '../../contract/rma.ts'
import { oneLinePerItem, VariantInput } from '../../contract/variant.ts'

/** The fields of the catalogue of parties and carriers have no size in the spec; more than this is no name. */
const name = () => text(255)

/** A SCAC has four letters; codes of carriers and methods stand in tracking numbers and file names. */
const code = () => text(64)

/** A year: no deadline is further away. */
const hours = () => integer(1, 8760)

/** What a supplier cancels. Spec: reason ids 1 to 5. */
export const SupplierCancel = model(
  { reason_id: CancelCreate.shape.reason_id, cancel_lines: z.array(CancelLineInput).min(1) },
  oneLinePerItem('cancel_lines', 'id', 'identifier', 'upc'),
)
export type SupplierCancel = z.infer<typeof SupplierCancel>

/** What is left out stays as it is. The requested method takes the place of the specific one. */
export const OrderChange = model({
  retailer_order_number: text(32).nullish(),
  pickup_on: dateTime().nullish(),
  requested_shipping_method_id: id().optional(),
})
export type OrderChange = z.infer<typeof OrderChange>

export const RmaCreate = model(
  {
    created_by: choice('brand', 'retailer'),
    reason: choice(...RMA_REASONS),
    rma_number: text(32).nullish(),
    /** Now, when it is left out. */
    rmad_at: dateTime().nullish(),
    rma_lines: z.array(model({ variant: VariantInput, quantity: integer(1) })).min(1),
  },
  oneLinePerItem('rma_lines', 'id', 'identifier', 'upc'),
)
export type RmaCreate = z.infer<typeof RmaCreate>

const adjustmentFields = { type: text(64), description: text(255).nullish() }

/** Without lines, all of the return that is not credited yet at the prices the supplier was paid. */
export const CreditCreate = model(
  {
    credit_number: text(32),
    credit_lines: z
      .array(model({ variant: VariantInput, quantity: integer(1), price: money(8).nullish() }))
      .min(1)
      .nullish(),
    adjustments: z
      .array(
        model({
          ...adjustmentFields,
          /** Below zero when less is paid back. */
          amount: z
            .string()
            .regex(/^-?\d{1,6}\.\d{2}$/, 'must be a decimal with two decimals, such as -12.50'),
        }),
      )
      .nullish(),
  },
  oneLinePerItem('credit_lines', 'id', 'identifier', 'upc'),
)
export type CreditCreate = z.infer<typeof CreditCreate>

const adjustments = () => z.array(model({ ...adjustmentFields, amount: money(6) })).optional()

/** What is left out stays as it is. Charges and allowances are replaced, and the amount due follows from them. */
export const InvoiceChange = model({
  terms_discount_percent: integer(0, 100).nullish(),
  terms_discount_days: integer().nullish(),
  terms_discount_date_due: date().nullish(),
  remit_to: AddressInput.nullish(),
  charges: adjustments(),
  allowances: adjustments(),
})
export type InvoiceChange = z.infer<typeof InvoiceChange>

/** The whole stock of an item: a warehouse that is not named has none. */
export const StockChange = model({
  locations: z.array(model({ code: text(100), inventory: integer() })).min(1),
})
export type StockChange = z.infer<typeof StockChange>

/** A retailer says how long its brands have to acknowledge an order. Without an account it gets one of its own. */
export const PartyCreate = model(
  {
    kind: choice('retailer', 'brand'),
    name: name(),
    code: code(),
    acknowledge_within_hours: hours().nullish(),
    account_id: id().nullish(),
  },
  ({ kind, acknowledge_within_hours: within }) =>
    kind === 'retailer' && (within === undefined || within === null)
      ? [
          {
            code: 'value-missing',
            path: ['acknowledge_within_hours'],
            message: 'a retailer needs a deadline',
          },
        ]
      : [],
)
export type PartyCreate = z.infer<typeof PartyCreate>

/** `read write` when it is left out. */
export const ClientCreate = model({ scope: choice('read write', 'read').nullish() })
export type ClientCreate = z.infer<typeof ClientCreate>

export const CarrierCreate = model({
  name: name(),
  code: code(),
  shipping_methods: z
    .array(model({ name: name(), code: code(), type: name().nullish(), generic_id: id().nullish() }))
    .min(1),
})
export type CarrierCreate = z.infer<typeof CarrierCreate>

export const CONNECTION_LEVELS = ['Full', 'Basic'] as const
export const CONNECTION_STATUSES = ['Active', 'Pending', 'Suspended'] as const

const termsFields = {
  message: name(),
  level: choice(...CONNECTION_LEVELS),
  status: choice(...CONNECTION_STATUSES),
  fulfill_within_hours: hours(),
  shipping_method_ids: z.array(id()),
  signature_required: boolean(),
  packing_slips: boolean(),
}

export const ConnectionCreate = model({
  retailer_id: id(),
  brand_id: id(),
  ...termsFields,
  message: termsFields.message.nullish(),
  signature_required: termsFields.signature_required.nullish(),
  packing_slips: termsFields.packing_slips.nullish(),
})
export type ConnectionCreate = z.infer<typeof ConnectionCreate>

/** What is left out stays as it is. */
export const ConnectionChange = z.object(termsFields).partial()
export type ConnectionChange = z.infer<typeof ConnectionChange>

/** The methods are of the carrier. */
export const ShippingAccountCreate = model({
  carrier_id: id(),
  nickname: name(),
  owner_type: choice('brand', 'retailer'),
  shipping_method_ids: z.array(id()).min(1),
})
export type ShippingAccountCreate = z.infer<typeof ShippingAccountCreate>
