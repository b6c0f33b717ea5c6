/** Request and answer bodies of the administration endpoints. None of them is in the spec. */
import { z } from 'zod'
import { AddressInput } from '../../contract/address.ts'
import { CancelCreate, CancelLineInput } from '../../contract/cancel.ts'
import { Connection, ShippingAccount } from '../../contract/carrier.ts'
import { boolean, choice, date, dateTime, id, integer, money, text } from '../../contract/fields.ts'
import { objectSchema } from '../../contract/object-schema.ts'
import { RMA_REASONS } from '../../contract/return.ts'
import { oneLinePerItem, VariantInput } from '../../contract/variant.ts'
import { SWITCH_NAMES, SWITCHES, type SwitchName, type SwitchRow } from '../switches.ts'

/** The spec gives names of parties and carriers no size; this is our limit. */
const nameField = () => text(255)

/** A SCAC has four letters; tracking numbers and file names contain codes of carriers and methods. */
const codeField = () => text(64)

/** A year: no deadline is further away. */
const hoursField = () => integer(1, 8760)

/** A cancel by the supplier. Spec: reason ids 1 to 5. */
export const SupplierCancel = objectSchema(
  { reason_id: CancelCreate.shape.reason_id, cancel_lines: z.array(CancelLineInput).min(1) },
  oneLinePerItem('cancel_lines', 'id', 'identifier', 'upc'),
)

/** Absent fields stay unchanged. The requested method replaces the specific one. */
export const OrderChange = objectSchema({
  retailer_order_number: text(32).nullish(),
  pickup_on: dateTime().nullish(),
  requested_shipping_method_id: id().optional(),
})
export type OrderChange = z.infer<typeof OrderChange>

export const RmaCreate = objectSchema(
  {
    created_by: choice('brand', 'retailer'),
    reason: choice(...RMA_REASONS),
    rma_number: text(32).nullish(),
    /** Now, when it is left out. */
    rmad_at: dateTime().nullish(),
    rma_lines: z.array(objectSchema({ variant: VariantInput, quantity: integer(1) })).min(1),
  },
  oneLinePerItem('rma_lines', 'id', 'identifier', 'upc'),
)
export type RmaCreate = z.infer<typeof RmaCreate>

const adjustmentFields = { type: text(64), description: text(255).nullish() }

/** Without lines, credits the rest of the return at the prices the supplier was paid. */
export const CreditCreate = objectSchema(
  {
    credit_number: text(32),
    credit_lines: z
      .array(objectSchema({ variant: VariantInput, quantity: integer(1), price: money(8).nullish() }))
      .min(1)
      .nullish(),
    adjustments: z
      .array(
        objectSchema({
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

const adjustmentList = () => z.array(objectSchema({ ...adjustmentFields, amount: money(6) })).optional()

/** Absent fields stay unchanged. Charges and allowances are replaced, and the amount due follows from them. */
export const InvoiceChange = objectSchema({
  terms_discount_percent: integer(0, 100).nullish(),
  terms_discount_days: integer().nullish(),
  terms_discount_date_due: date().nullish(),
  remit_to: AddressInput.nullish(),
  charges: adjustmentList(),
  allowances: adjustmentList(),
})
export type InvoiceChange = z.infer<typeof InvoiceChange>

/** The whole stock of an item: a warehouse that is not named has none. */
export const StockChange = objectSchema({
  locations: z.array(objectSchema({ code: text(100), inventory: integer() })).min(1),
})
export type StockChange = z.infer<typeof StockChange>

/** A retailer sets the time its brands have to acknowledge an order. Without an account, the party gets a new one. */
export const PartyCreate = objectSchema(
  {
    kind: choice('retailer', 'brand'),
    name: nameField(),
    code: codeField(),
    acknowledge_within_hours: hoursField().nullish(),
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
export const ClientCreate = objectSchema({ scope: choice('read write', 'read').nullish() })
export type ClientCreate = z.infer<typeof ClientCreate>

export const CarrierCreate = objectSchema({
  name: nameField(),
  code: codeField(),
  shipping_methods: z
    .array(
      objectSchema({
        name: nameField(),
        code: codeField(),
        type: nameField().nullish(),
        generic_id: id().nullish(),
      }),
    )
    .min(1),
})
export type CarrierCreate = z.infer<typeof CarrierCreate>

const connectionTermsFields = {
  message: nameField(),
  level: Connection.shape.level,
  status: Connection.shape.status,
  fulfill_within_hours: hoursField(),
  shipping_method_ids: z.array(id()),
  signature_required: boolean(),
  packing_slips: boolean(),
}

export const ConnectionCreate = objectSchema({
  retailer_id: id(),
  brand_id: id(),
  ...connectionTermsFields,
  message: connectionTermsFields.message.nullish(),
  signature_required: connectionTermsFields.signature_required.nullish(),
  packing_slips: connectionTermsFields.packing_slips.nullish(),
})
export type ConnectionCreate = z.infer<typeof ConnectionCreate>

/** Absent fields stay unchanged. */
export const ConnectionChange = z.object(connectionTermsFields).partial()
export type ConnectionChange = z.infer<typeof ConnectionChange>

/** The methods are of the carrier. */
export const ShippingAccountCreate = objectSchema({
  carrier_id: id(),
  nickname: nameField(),
  owner_type: choice('brand', 'retailer'),
  shipping_method_ids: z.array(id()).min(1),
})
export type ShippingAccountCreate = z.infer<typeof ShippingAccountCreate>

// Answers that are not resources of the API.

/** A client that may log in for an account; without its secret. */
export const Client = z.object({
  client_id: text(),
  account_id: id(),
  scope: text(),
  revoked_at: dateTime().nullable(),
})
export type Client = z.infer<typeof Client>

/** Shown once, when the client is made. */
export const NewClient = Client.extend({ client_secret: text() })
export type NewClient = z.infer<typeof NewClient>

export const Party = z.object({
  kind: choice('retailer', 'brand'),
  id: id(),
  name: text(),
  code: text(),
  account_id: id(),
  /** Null for a brand. */
  acknowledge_within_hours: z.number().nullable(),
  clients: z.array(Client),
})
export type Party = z.infer<typeof Party>

/** `client` is null where the party was given to an account that exists. */
export const NewParty = Party.extend({ client: NewClient.nullable() })
export type NewParty = z.infer<typeof NewParty>

export const ConnectionTerms = z.object({
  id: id(),
  retailer_id: id(),
  brand_id: id(),
  ...connectionTermsFields,
  message: text(),
  fulfill_within_hours: z.number(),
  shipping_accounts: z.array(ShippingAccount),
})
export type ConnectionTerms = z.infer<typeof ConnectionTerms>

export const SwitchPositions = z.object(
  Object.fromEntries(SWITCH_NAMES.map((name) => [name, switchSchema(SWITCHES[name])])) as Record<
    SwitchName,
    z.ZodType
  >,
)

function switchSchema(row: SwitchRow): z.ZodType {
  const schema =
    row.kind === 'choice'
      ? z.literal([...row.values])
      : (row.kind === 'amount' ? z.int() : z.number()).min(row.min).max(row.max)
  return schema.describe(row.doc)
}

export const Counts = z.object({
  orders: integer(),
  acknowledgedOrders: integer(),
  cancels: integer(),
  acknowledgedCancels: integer(),
  shipments: integer(),
  acknowledgedShipments: integer(),
  invoices: integer(),
  acknowledgedInvoices: integer(),
  rmas: integer(),
  acknowledgedRmas: integer(),
  credits: integer(),
  acknowledgedCredits: integer(),
  variants: integer(),
  /** By the name of the fault. */
  faults: z.record(z.string(), integer()),
})
