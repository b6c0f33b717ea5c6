/** What administration endpoints show beyond the resources of the API. */
import { z } from 'zod'
import { ShippingAccount } from '../../contract/carrier.ts'
import { boolean, choice, dateTime, id, integer, text } from '../../contract/fields.ts'
import { SWITCH_NAMES, type SwitchName, type SwitchRow, SWITCHES } from '../http/switches.ts'
import { CONNECTION_LEVELS, CONNECTION_STATUSES } from './bodies.ts'

/** Whoever may log in for an account; the secret is never shown again. */
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
  message: text(),
  level: choice(...CONNECTION_LEVELS),
  status: choice(...CONNECTION_STATUSES),
  fulfill_within_hours: z.number(),
  shipping_method_ids: z.array(id()),
  signature_required: boolean(),
  packing_slips: boolean(),
  shipping_accounts: z.array(ShippingAccount),
})
export type ConnectionTerms = z.infer<typeof ConnectionTerms>

/** All switches and what they stand at. */
export const SwitchPositions = z.object(
  Object.fromEntries(SWITCH_NAMES.map((name) => [name, positionOf(SWITCHES[name])])) as Record<
    SwitchName,
    z.ZodType
  >,
)

function positionOf(row: SwitchRow): z.ZodType {
  const schema =
    row.kind === 'choice'
      ? z.literal([...row.values])
      : (row.kind === 'amount' ? z.int() : z.number()).min(row.min).max(row.max)
  return schema.describe(row.doc)
}

/** How much the service holds, and how many faults have struck. */
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
