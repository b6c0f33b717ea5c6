/** The samples of the service, and the values that several of them have in common. */
import { hash } from 'node:crypto'
import { type Answered, item } from '../../service/market.ts'
import type { View } from '../rows/row.ts'
import type { World } from '../world.ts'

/** The expected values of an object, by key; keys of the other view are left out. */
export type Expected = Readonly<Record<string, unknown>>

/** A resource to read in the end, or an answer that cannot be read again. */
export type Sample = {
  readonly view: View
  readonly kind: string
  readonly expected: Expected
} & ({ readonly path: string } | { readonly answer: Answered })

export function inBoth(kind: string, path: string, expected: Expected): Sample[] {
  return [
    { view: 'retailer', kind, path, expected },
    { view: 'brand', kind, path, expected },
  ]
}

/** Moves the clock by a minute, so that no two events have the same time. */
export function tick({ clock }: World): string {
  clock.time += 60_000
  return new Date(clock.time).toISOString()
}

export function hoursAfter(time: string, hours: number): string {
  return new Date(Date.parse(time) + hours * 3_600_000).toISOString()
}

export const RETAILER = { id: 1000, name: 'Harbor & Vine', code: 'HARBORVINE' }
export const BRAND = { id: 2000, name: 'Northlight Goods', code: 'NORTHLIGHT' }

export const FEDEX = { id: 1, name: 'FedEx', code: 'FDEG' }

const GROUND = {
  name: 'Ground',
  description: 'Arrives within 3-7 days after processing',
  type: 'small_parcel',
}
const EXPEDITED = {
  name: 'Expedited',
  description: 'Arrives within 2-3 days after processing',
  type: 'small_parcel',
}
const NEXT_DAY = {
  name: 'Next Day',
  description: 'Arrives within 1 day after processing',
  type: 'small_parcel',
}

const fedex = { type: 'small_parcel', carrier: FEDEX }

/** The carriers of the market, by their ids. */
export const FEDEX_METHODS = {
  3: { id: 3, name: 'FedEx Ground', code: 'FEDEX_GROUND', ...fedex, generic_shipping_method: GROUND },
  4: { id: 4, name: 'FedEx 2Day', code: 'FEDEX_2_DAY', ...fedex, generic_shipping_method: EXPEDITED },
  5: {
    id: 5,
    name: 'FedEx Standard Overnight',
    code: 'FEDEX_STANDARD_OVERNIGHT',
    ...fedex,
    generic_shipping_method: NEXT_DAY,
  },
} as const

/** Addresses without a value in common, and none twice within one. */
export const SOLD_TO = {
  type: 'residential',
  name1: 'Bo Lind',
  name2: 'Lind & Co',
  street1: '34 Elm St',
  street2: 'Apt 3',
  city: 'Erie',
  province: 'PA',
  postal_code: '16501',
  country: 'US',
  phone1: '518 555 0100',
  phone2: '518 555 0101',
  fax: '518 555 0102',
  email: 'bo@example.com',
}

export const SHIP_TO = {
  type: 'commercial',
  name1: 'Ann Lee',
  name2: 'Reception',
  street1: '12 Main St',
  street2: 'Floor 2',
  city: 'Toronto',
  province: 'ON',
  postal_code: 'M5V 2T6',
  country: 'CA',
  phone1: '416 555 0200',
  phone2: '416 555 0201',
  fax: '416 555 0202',
  email: 'ann@example.com',
}

export const REMIT_TO = {
  type: 'office',
  name1: 'Northlight Accounts',
  name2: 'Receivables',
  street1: '7 Bank Rd',
  street2: 'Suite 9',
  city: 'Reno',
  province: 'NV',
  postal_code: '89501',
  country: 'US',
  phone1: '775 555 0300',
  phone2: '775 555 0301',
  fax: '775 555 0302',
  email: 'pay@example.com',
}

/** An address with only its required fields. */
export const BARE_ADDRESS = {
  type: null,
  name1: 'Ann Lee',
  name2: null,
  street1: '12 Main St',
  street2: null,
  city: 'Albany',
  province: 'NY',
  postal_code: '12207',
  country: 'US',
  phone1: null,
  phone2: null,
  fax: null,
  email: null,
}

const EVERY = {
  identifier: { id: 1, name: 'Identifier' },
  name: { id: 2, name: 'Name' },
  size: { id: 7, name: 'Size' },
  color: { id: 8, name: 'Color' },
} as const

/** How other resources show an item of the sample market. */
export function summaryOf(brandIdentifier: string): Expected {
  const { id, identifier, upc, name, description, size, color, attributes } = item(brandIdentifier)
  const { image_1: url } = attributes ?? {}
  const common = { identifier: brandIdentifier, name, size, color }
  return {
    id,
    name,
    description,
    brand: { id: BRAND.id, name: BRAND.name },
    identifier,
    brand_identifier: brandIdentifier,
    upc,
    size,
    color,
    media: url === undefined ? [] : [{ media: hash('md5', url), priority: 1, url }],
    attributes: Object.fromEntries(
      Object.entries(common)
        .filter(([, value]) => value !== null)
        .map(([code, value]) => [
          code,
          { ...EVERY[code as keyof typeof EVERY], code, grouping: 'General', values: [{ id: 1, value }] },
        ]),
    ),
  }
}
