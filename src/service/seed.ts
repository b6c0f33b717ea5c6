/** What a fresh database starts with: plain data, and a sample of it for demos and tests. */

export interface SeedParty {
  readonly kind: 'retailer' | 'brand'
  readonly id: number
  readonly name: string
  readonly code: string
  /** Parties with the same account share one client; without one, a party has an account of its own. */
  readonly account?: string
}

export interface SeedCarrier {
  readonly id: number
  readonly name: string
  readonly code: string
  readonly methods: readonly { readonly id: number; readonly code: string; readonly name: string }[]
}

export interface SeedConnection {
  readonly id: number
  readonly retailerId: number
  readonly brandId: number
  readonly level: 'Full' | 'Basic'
  readonly status: 'Active' | 'Pending' | 'Suspended'
  readonly acknowledgeWithinHours: number
  readonly fulfillWithinHours: number
  readonly methodIds: readonly number[]
  readonly accounts: readonly SeedAccount[]
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
}

/** Makes a party's client known in advance. The secret should be random and long: only its hash is kept. */
export interface SeedCredential {
  readonly kind: 'retailer' | 'brand'
  readonly id: number
  readonly clientId: string
  readonly clientSecret: string
}

export interface Seed {
  readonly parties: readonly SeedParty[]
  readonly carriers: readonly SeedCarrier[]
  readonly connections: readonly SeedConnection[]
  readonly variants: readonly SeedVariant[]
  readonly credentials?: readonly SeedCredential[]
}

const RETAILER = { kind: 'retailer', id: 1000, name: 'Harbor & Vine', code: 'HARBORVINE' } as const
const NORTHLIGHT = { kind: 'brand', id: 2000, name: 'Northlight Goods', code: 'NORTHLIGHT' } as const
const COPPERFIELD = { kind: 'brand', id: 2001, name: 'Copperfield Supply', code: 'COPPERFIELD' } as const

/** One retailer, two brands, three carriers and 300 items. The same at every call. */
export function sampleSeed(): Seed {
  return {
    parties: [RETAILER, NORTHLIGHT, COPPERFIELD],
    carriers: CARRIERS,
    connections: [
      connection(100, NORTHLIGHT.id, {
        id: 500,
        nickname: 'Harbor & Vine FedEx',
        carrierId: 1,
        methodIds: [3, 4, 5],
      }),
      connection(101, COPPERFIELD.id, {
        id: 501,
        nickname: 'Harbor & Vine UPS',
        carrierId: 2,
        methodIds: [10, 11],
      }),
    ],
    variants: sampleCatalogue(),
  }
}

/** An item as the sample retailer sees it. */
export interface SampleItem extends SeedVariant {
  /** What the retailer calls it: its own SKU if set, otherwise the brand's. */
  readonly identifier: string
  /** What the supplier expects to be paid, and what the consumer pays. */
  readonly netPrice: string
  readonly price: string
}

/** The 300 items; the first 200 are Northlight's, the rest Copperfield's. */
export function sampleCatalogue(): readonly SampleItem[] {
  return Array.from({ length: 300 }, (_, index) => sampleItem(index + 1))
}

const CARRIERS: readonly SeedCarrier[] = [
  {
    id: 1,
    name: 'FedEx',
    code: 'FDEG',
    methods: [
      { id: 3, code: 'FEDEX_GROUND', name: 'FedEx Ground' },
      { id: 4, code: 'FEDEX_2_DAY', name: 'FedEx 2Day' },
      { id: 5, code: 'FEDEX_STANDARD_OVERNIGHT', name: 'FedEx Standard Overnight' },
    ],
  },
  {
    id: 2,
    name: 'UPS',
    code: 'UPSN',
    methods: [
      { id: 10, code: 'UPS_GROUND', name: 'UPS Ground' },
      { id: 11, code: 'UPS_2ND_DAY_AIR', name: 'UPS 2nd Day Air' },
    ],
  },
  {
    id: 3,
    name: 'USPS',
    code: 'USPS',
    methods: [{ id: 20, code: 'USPS_PRIORITY', name: 'USPS Priority Mail' }],
  },
]

function connection(id: number, brandId: number, account: Omit<SeedAccount, 'ownerType'>): SeedConnection {
  return {
    id,
    retailerId: RETAILER.id,
    brandId,
    level: 'Full',
    status: 'Active',
    acknowledgeWithinHours: 24,
    fulfillWithinHours: 72,
    methodIds: CARRIERS.flatMap(({ methods }) => methods.map((method) => method.id)),
    accounts: [{ ...account, ownerType: 'retailer' }],
  }
}

const NORTHLIGHT_GOODS = ['Wool Throw', 'Linen Pillow', 'Floor Lamp', 'Oak Stool', 'Ceramic Vase']
const COPPERFIELD_GOODS = ['Saucepan', 'Whisk', 'Kettle', 'Cutting Board', 'Espresso Cup']
const STYLES = ['Aurora', 'Birch', 'Cove', 'Dune', 'Ember', 'Fjord', 'Grove', 'Heron']
const COLORS = ['Natural', 'Charcoal', 'Slate Blue', 'Rust']
const SIZES = ['S', 'M', 'L']

/** Items with an odd number have no retailer SKU; every third has a size, all but every fourth a color. */
function sampleItem(number: number): SampleItem {
  const isNorthlight = number <= 200
  const ordinal = isNorthlight ? number : number - 200
  const brandIdentifier = `${isNorthlight ? 'NL' : 'CF'}-${String(ordinal).padStart(4, '0')}`
  const own = number % 2 === 0 ? `HV-${10_000 + number / 2}` : undefined
  const color = number % 4 === 0 ? null : pick(COLORS, number)
  const name = `${pick(STYLES, ordinal)} ${pick(isNorthlight ? NORTHLIGHT_GOODS : COPPERFIELD_GOODS, ordinal)}`
  const cost = 450 + ((number * 337) % 9000)
  return {
    id: 9000 + number,
    brandId: isNorthlight ? NORTHLIGHT.id : COPPERFIELD.id,
    brandIdentifier,
    identifier: own ?? brandIdentifier,
    retailerItems: own === undefined ? [] : [{ retailerId: RETAILER.id, identifier: own }],
    upc: withCheckDigit(`0860001${String(number).padStart(4, '0')}`),
    name: color === null ? name : `${name}, ${color}`,
    description: `${name} by ${isNorthlight ? NORTHLIGHT.name : COPPERFIELD.name}.`,
    size: number % 3 === 0 ? pick(SIZES, number) : null,
    color,
    leadTimeDays: number % 5 === 0 ? 2 : 0,
    netPrice: inDollars(cost),
    price: inDollars(cost * 2 + 99),
  }
}

function pick(names: readonly string[], number: number): string {
  return names[number % names.length] ?? ''
}

function inDollars(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
}

/** UPC-A: three times the digits at odd places plus those at even places plus the check digit is a multiple of ten. */
function withCheckDigit(elevenDigits: string): string {
  const sum = Array.from(elevenDigits).reduce(
    (total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 3 : 1),
    0,
  )
  return `${elevenDigits}${(10 - (sum % 10)) % 10}`
}
