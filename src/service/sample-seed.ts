/** The sample market: one retailer, two brands, three carriers and 300 items, for demos, tests and first steps. */
import type {
  Seed,
  SeedAccount,
  SeedCarrier,
  SeedConnection,
  SeedGenericMethod,
  SeedVariant,
} from './seed.ts'

const RETAILER = { kind: 'retailer', id: 1000, name: 'Harbor & Vine', code: 'HARBORVINE' } as const
const NORTHLIGHT = { kind: 'brand', id: 2000, name: 'Northlight Goods', code: 'NORTHLIGHT' } as const
const COPPERFIELD = { kind: 'brand', id: 2001, name: 'Copperfield Supply', code: 'COPPERFIELD' } as const

/** The same at every call. */
export function sampleSeed(): Seed {
  return {
    parties: [RETAILER, NORTHLIGHT, COPPERFIELD],
    genericMethods: GENERIC_METHODS,
    carriers: CARRIERS,
    connections: [
      connection(100, NORTHLIGHT.id, {
        id: 500,
        nickname: 'Harbor & Vine FedEx',
        carrier_id: 1,
        shipping_method_ids: [3, 4, 5],
      }),
      connection(101, COPPERFIELD.id, {
        id: 501,
        nickname: 'Harbor & Vine UPS',
        carrier_id: 2,
        shipping_method_ids: [10, 11],
      }),
    ],
    variants: sampleCatalogue(),
  }
}

/** An item as the sample retailer sees it. */
export interface SampleItem extends SeedVariant {
  /** The retailer's identifier: its own SKU if set, otherwise the brand's. */
  readonly identifier: string
  /** The price the supplier expects, and the price the consumer pays. */
  readonly netPrice: string
  readonly price: string
}

let catalogue: readonly SampleItem[] | undefined

/** The 300 items; the first 200 are Northlight's, the rest Copperfield's. Made once. */
export function sampleCatalogue(): readonly SampleItem[] {
  catalogue ??= Array.from({ length: 300 }, (_, index) => sampleItem(index + 1))
  return catalogue
}

/** Spec: "Requested Shipping Method". */
const GENERIC_METHODS: readonly SeedGenericMethod[] = [
  { id: 1, name: 'Next Day', description: 'Arrives within 1 day after processing', type: 'small_parcel' },
  { id: 2, name: 'Expedited', description: 'Arrives within 2-3 days after processing', type: 'small_parcel' },
  { id: 3, name: 'Ground', description: 'Arrives within 3-7 days after processing', type: 'small_parcel' },
  { id: 4, name: 'LTL', description: 'Freight, delivered to threshold', type: 'freight' },
  { id: 5, name: 'White Glove', description: 'Freight, delivered to room of choice', type: 'freight' },
]

const CARRIERS: readonly SeedCarrier[] = [
  {
    id: 1,
    name: 'FedEx',
    code: 'FDEG',
    methods: [
      { id: 3, code: 'FEDEX_GROUND', name: 'FedEx Ground', genericId: 3 },
      { id: 4, code: 'FEDEX_2_DAY', name: 'FedEx 2Day', genericId: 2 },
      { id: 5, code: 'FEDEX_STANDARD_OVERNIGHT', name: 'FedEx Standard Overnight', genericId: 1 },
    ],
  },
  {
    id: 2,
    name: 'UPS',
    code: 'UPSN',
    methods: [
      { id: 10, code: 'UPS_GROUND', name: 'UPS Ground', genericId: 3 },
      { id: 11, code: 'UPS_2ND_DAY_AIR', name: 'UPS 2nd Day Air', genericId: 2 },
    ],
  },
  {
    id: 3,
    name: 'USPS',
    code: 'USPS',
    methods: [{ id: 20, code: 'USPS_PRIORITY', name: 'USPS Priority Mail', genericId: 2 }],
  },
]

function connection(id: number, brand_id: number, account: Omit<SeedAccount, 'owner_type'>): SeedConnection {
  return {
    id,
    retailer_id: RETAILER.id,
    brand_id,
    level: 'Full',
    status: 'Active',
    fulfill_within_hours: 72,
    shipping_method_ids: CARRIERS.flatMap(({ methods }) => methods.map((method) => method.id)),
    accounts: [{ ...account, owner_type: 'retailer' }],
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
  const color = number % 4 === 0 ? null : pickByNumber(COLORS, number)
  const name = `${pickByNumber(STYLES, ordinal)} ${pickByNumber(isNorthlight ? NORTHLIGHT_GOODS : COPPERFIELD_GOODS, ordinal)}`
  const cost = 450 + ((number * 337) % 9000)
  return {
    id: 9000 + number,
    brandId: isNorthlight ? NORTHLIGHT.id : COPPERFIELD.id,
    brandIdentifier,
    identifier: own ?? brandIdentifier,
    retailerItems: own === undefined ? [] : [{ retailerId: RETAILER.id, identifier: own }],
    upc: addCheckDigit(`0860001${String(number).padStart(4, '0')}`),
    name: color === null ? name : `${name}, ${color}`,
    description: `${name} by ${isNorthlight ? NORTHLIGHT.name : COPPERFIELD.name}.`,
    size: number % 3 === 0 ? pickByNumber(SIZES, number) : null,
    color,
    leadTimeDays: number % 5 === 0 ? 2 : 0,
    inventory: (number * 7) % 60,
    attributes: sampleAttributes(number, { cost, isNorthlight }),
    netPrice: formatDollars(cost),
    price: formatDollars(computePrice(cost)),
  }
}

function computePrice(cost: number): number {
  return cost * 2 + 99
}

const CATEGORIES = ['Bedding', 'Lighting', 'Furniture', 'Decor']
const KITCHEN_CATEGORIES = ['Cookware', 'Utensils', 'Tableware']
const MATERIALS = ['Wool', 'Linen', 'Oak', 'Steel', 'Stoneware']
const FINISHES = ['Matte', 'Brushed', 'Polished']

/** Every seventh item has no image, every eleventh no package sizes, so that filters of lists have matches. */
function sampleAttributes(number: number, { cost, isNorthlight }: { cost: number; isNorthlight: boolean }) {
  const style = pickByNumber(STYLES, isNorthlight ? number : number - 200)
  const images = { image_1: `https://images.example.com/${9000 + number}/front.jpg` }
  const packages = {
    shipping_width: String(6 + (number % 12)),
    shipping_height: String(4 + (number % 9)),
    shipping_length: `${10 + (number % 14)}.5`,
    shipping_weight: `${1 + (number % 20)}.25`,
  }
  return {
    category: pickByNumber(isNorthlight ? CATEGORIES : KITCHEN_CATEGORIES, number),
    material: pickByNumber(MATERIALS, number),
    finish: pickByNumber(FINISHES, number),
    collection: style,
    manufacturer: isNorthlight ? 'Northlight Mills' : 'Copperfield Works',
    manufacturer_part_number: `${isNorthlight ? 'NM' : 'CW'}${100_000 + number}`,
    cost: formatDollars(cost),
    msrp: formatDollars(computePrice(cost)),
    ships: 'small_parcel',
    ...(number % 7 === 0 ? {} : images),
    ...(number % 11 === 0 ? {} : packages),
  }
}

function pickByNumber(names: readonly string[], number: number): string {
  return names[number % names.length] ?? ''
}

function formatDollars(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
}

/** UPC-A: three times the digits at odd places plus those at even places plus the check digit is a multiple of ten. */
function addCheckDigit(elevenDigits: string): string {
  const sum = Array.from(elevenDigits).reduce(
    (total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 3 : 1),
    0,
  )
  return `${elevenDigits}${(10 - (sum % 10)) % 10}`
}
