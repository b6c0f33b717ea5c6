/** A market with several retailers, and the bodies that make and change items. */
import { ADMIN, callerOf, type Caller, CREDENTIALS, type Market, openMarket, tokenFor } from './market.ts'
import { sampleSeed } from '../../src/service/sample-seed.ts'
import type { SeedConnection, SeedVariant } from '../../src/service/seed.ts'

export const BRAND_VARIANTS = '/v1/brands/2000/variants/'
export const OTHER_BRAND_VARIANTS = '/v1/brands/2001/variants/'
export const RETAILER_VARIANTS = '/v1/retailers/1000/variants/'
export const OTHER_RETAILER_VARIANTS = '/v1/retailers/1001/variants/'

export interface Bazaar extends Market {
  /** Retailer 1001, with an open connection to both brands. */
  readonly otherRetailer: Caller
}

const OTHER_CREDENTIALS = {
  kind: 'retailer',
  id: 1001,
  clientId: 'fernrow',
  clientSecret: 'fernrow-secret-0123456789',
} as const

/**
 * Two retailers that may order from brand 2000, 1000 and 1001; one that waits for its connection, 1002; and one
 * without any, 1003.
 */
export async function openBazaar(variants: readonly SeedVariant[] = []): Promise<Bazaar> {
  const seed = sampleSeed()
  const parties = [
    { kind: 'retailer', id: 1001, name: 'Fern Row', code: 'FERNROW' },
    { kind: 'retailer', id: 1002, name: 'Sage Lane', code: 'SAGELANE' },
    { kind: 'retailer', id: 1003, name: 'Moss Gate', code: 'MOSSGATE' },
  ] as const
  const market = await openMarket({
    seed: {
      ...seed,
      parties: [...seed.parties, ...parties],
      connections: [...seed.connections, connection(102, 1001, 'Active'), connection(103, 1002, 'Pending')],
      variants,
      credentials: [...CREDENTIALS, ADMIN, OTHER_CREDENTIALS],
    },
  })
  const { clientId, clientSecret } = OTHER_CREDENTIALS
  const token = await tokenFor(market.service, clientId, clientSecret)
  return { ...market, otherRetailer: callerOf(market.service.baseUrl, token) }
}

function connection(id: number, retailer_id: number, status: SeedConnection['status']): SeedConnection {
  return {
    id,
    retailer_id,
    brand_id: 2000,
    level: 'Full',
    status,
    fulfill_within_hours: 72,
    shipping_method_ids: [3],
    accounts: [],
  }
}

/** A body with a value for each attribute, for all or for one retailer. */
export function attributes(values: Record<string, unknown>, retailerId?: number) {
  return { attributes: entries(values, retailerId) }
}

export function entries(values: Record<string, unknown>, retailerId?: number) {
  const retailer = retailerId === undefined ? {} : { retailer: { id: retailerId } }
  return Object.entries(values).map(([code, value]) => ({ attribute: { code }, value, ...retailer }))
}

/** The id of a new item of brand 2000. */
export async function addVariant(
  { brand }: Market,
  identifier: string,
  values: Record<string, unknown> = {},
): Promise<number> {
  const { body } = await brand.post(BRAND_VARIANTS, attributes({ identifier, ...values }))
  return body.id
}

/** The refusal of the only entry that is wrong. */
export function refusalAt(index: number, wrong: Record<string, unknown>) {
  return { attributes: [...Array.from({ length: index }, () => ({})), wrong] }
}

/** The values of an item by the code of their attribute. */
export function valuesByCode(shown: Record<string, { values: unknown[] }>): Record<string, unknown[]> {
  return Object.fromEntries(Object.entries(shown).map(([code, { values }]) => [code, values]))
}
