/** Who may call, and who trades with whom. */
import type { Generated } from 'kysely'

export interface PartyTables {
  accounts: { id: Generated<number>; name: string; is_admin: number }
  /** `scope` is `read write` or `read`. */
  clients: {
    client_id: string
    secret_hash: string
    account_id: number
    scope: string
    revoked_at: number | null
    /** 1 for the client that the service tells at its start. */
    told: number
  }
  tokens: { token_hash: string; account_id: number; client_id: string; scope: string; expires_at: number }
  /** `acknowledge_within_ms` is the SLA of a retailer; a brand has none. */
  parties: {
    kind: 'retailer' | 'brand'
    id: Generated<number>
    account_id: number
    name: string
    code: string
    acknowledge_within_ms: number | null
  }
  carriers: { id: Generated<number>; name: string; code: string }
  generic_shipping_methods: { id: Generated<number>; name: string; description: string; type: string }
  shipping_methods: {
    id: Generated<number>
    carrier_id: number
    name: string
    code: string
    type: string | null
    generic_id: number | null
  }
  connections: ConnectionTable
  connection_methods: { connection_id: number; shipping_method_id: number }
  shipping_accounts: {
    id: Generated<number>
    connection_id: number
    carrier_id: number
    nickname: string
    owner_type: 'brand' | 'retailer'
  }
  shipping_account_methods: { shipping_account_id: number; shipping_method_id: number }
}

interface ConnectionTable {
  id: Generated<number>
  retailer_id: number
  brand_id: number
  message: string
  level: 'Full' | 'Basic'
  status: 'Active' | 'Pending' | 'Suspended'
  fulfill_within_ms: number
  /** Whether the carrier must collect a signature. */
  signature_required: number
  /** Whether the retailer wants packing slips. */
  packing_slips: number
}
