/** What a fresh database starts with: plain data. */
import type { AttributeCode } from '../contract/attributes.ts'

export interface SeedParty {
  readonly kind: 'retailer' | 'brand'
  readonly id: number
  readonly name: string
  readonly code: string
  /** Parties with the same account share one client; without one, a party has an account of its own. */
  readonly account?: string
  /** How long a supplier has to acknowledge an order of the retailer; 24 unless told. */
  readonly acknowledgeWithinHours?: number
}

/** A service level that leaves the carrier to the supplier. */
export interface SeedGenericMethod {
  readonly id: number
  readonly name: string
  readonly description: string
  readonly type: string
}

export interface SeedMethod {
  readonly id: number
  readonly code: string
  readonly name: string
  /** `small_parcel` unless told. */
  readonly type?: string
  readonly genericId?: number
}

export interface SeedCarrier {
  readonly id: number
  readonly name: string
  readonly code: string
  readonly methods: readonly SeedMethod[]
}

export interface SeedConnection {
  readonly id: number
  readonly retailerId: number
  readonly brandId: number
  readonly level: 'Full' | 'Basic'
  readonly status: 'Active' | 'Pending' | 'Suspended'
  readonly message?: string
  readonly fulfillWithinHours: number
  readonly methodIds: readonly number[]
  readonly accounts: readonly SeedAccount[]
  /** Whether the carrier must collect a signature; not unless told. */
  readonly signatureRequired?: boolean
  /** Whether shipments may have packing slips; they may unless told. */
  readonly packingSlips?: boolean
}

export interface SeedAccount {
  readonly id: number
  readonly nickname: string
  readonly ownerType: 'brand' | 'retailer'
  readonly carrierId: number
  readonly methodIds: readonly number[]
}

export interface SeedVariant {
  readonly id: number
  readonly brandId: number
  /** The brand's own SKU. */
  readonly brandIdentifier: string
  /** What retailers call it, where they have a SKU of their own. */
  readonly retailerItems: readonly { readonly retailerId: number; readonly identifier: string }[]
  readonly upc: string | null
  readonly name: string
  readonly description: string | null
  readonly size: string | null
  readonly color: string | null
  readonly leadTimeDays: number
  /** Units on hand; none unless told. */
  readonly inventory?: number
  /** The attributes beside those above. */
  readonly attributes?: Readonly<Partial<Record<AttributeCode, string>>>
}

/**
 * Makes the client of a party, or of the administrator, known in advance. The secret should be random and long: only
 * its hash is kept. The administrator's id is 0.
 */
export interface SeedCredential {
  readonly kind: 'retailer' | 'brand' | 'admin'
  readonly id: number
  readonly clientId: string
  readonly clientSecret: string
}

export interface Seed {
  readonly parties: readonly SeedParty[]
  readonly genericMethods?: readonly SeedGenericMethod[]
  readonly carriers: readonly SeedCarrier[]
  readonly connections: readonly SeedConnection[]
  readonly variants: readonly SeedVariant[]
  readonly credentials?: readonly SeedCredential[]
}
