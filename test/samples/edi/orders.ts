/** The orders that the EDI samples are about: consumers, items of the sample market, and how they travel. */
import { type SampleItem, sampleCatalogue } from '../../../src/service/sample-seed.ts'
import type { MadeNad } from '../../fixtures/edi-maker.ts'
import type { MadeAddress, MadePairs } from '../../fixtures/edi-maker/x12-parts.ts'

const items = new Map(sampleCatalogue().map((item) => [item.identifier, item]))

/** An item by the identifier that the retailer uses. */
export function findItem(identifier: string): SampleItem & { readonly upc: string } {
  const item = items.get(identifier)
  if (item?.upc === undefined || item.upc === null) throw new Error(`no item ${identifier} with a UPC`)
  return { ...item, upc: item.upc }
}

export interface OrderedItem {
  readonly identifier: string
  readonly quantity: number
}

export interface SampleConsumer {
  readonly name: string
  readonly street: readonly string[]
  readonly city: string
  readonly province: string
  readonly postalCode: string
  readonly phone?: string
  readonly email?: string
}

export interface EdiOrder {
  readonly po: string
  /** The number that the consumer knows. */
  readonly customer: string
  readonly date: string
  readonly time: string
  readonly consumer: SampleConsumer
  readonly carrier: string
  readonly service: string
  readonly lines: readonly OrderedItem[]
  readonly gift?: readonly string[]
}

const ADA: SampleConsumer = {
  name: 'Ada Whitfield',
  street: ['12 Mill Lane', 'Apt 4'],
  city: 'Portland',
  province: 'ME',
  postalCode: '04101',
  phone: '207-555-0142',
  email: 'ada.whitfield@example.com',
}
const OLGA: SampleConsumer = {
  name: 'Olga Petrova',
  street: ['210 Harbor Rd'],
  city: 'Buffalo',
  province: 'NY',
  postalCode: '14203',
  phone: '716-555-0188',
}
const JOSE: SampleConsumer = {
  name: 'José Núñez',
  street: ['77 Ocean Ave'],
  city: 'San Juan',
  province: 'PR',
  postalCode: '00901',
}
const TOM: SampleConsumer = {
  name: "Tom O'Leary",
  street: ['33 County Road 12', 'Unit B'],
  city: 'Newark',
  province: 'NJ',
  postalCode: '07102',
  phone: '973-555-0111',
}
const MEI: SampleConsumer = {
  name: 'Mei Tanaka',
  street: ['9 Narcisa Ct'],
  city: 'Reno',
  province: 'NV',
  postalCode: '89502',
  email: 'mei.tanaka@example.com',
}
const ZOE: SampleConsumer = {
  name: 'Zoë Müller',
  street: ['4 Käthe Way'],
  city: 'Milwaukee',
  province: 'WI',
  postalCode: '53202',
  phone: '414-555-0163',
}

const GROUND = { carrier: 'FDEG', service: 'FedEx Ground' } as const
const TWO_DAY = { carrier: 'FDEG', service: 'FedEx 2Day' } as const
const UPS = { carrier: 'UPSN', service: 'UPS Ground' } as const

const ORDERS: readonly EdiOrder[] = [
  {
    po: 'HV-41001',
    customer: 'W501001',
    date: '20261116',
    time: '0905',
    consumer: ADA,
    ...GROUND,
    lines: [
      { identifier: 'HV-10001', quantity: 2 },
      { identifier: 'NL-0007', quantity: 1 },
    ],
    gift: ['Happy birthday, Nana!', 'With love from all of us at the old house by the harbor.'],
  },
  {
    po: 'HV-41002',
    customer: 'W501002',
    date: '20261116',
    time: '1120',
    consumer: JOSE,
    ...TWO_DAY,
    lines: [{ identifier: 'HV-10005', quantity: 1 }],
  },
  {
    po: 'HV-41003',
    customer: 'W501003',
    date: '20261116',
    time: '1345',
    consumer: OLGA,
    ...UPS,
    lines: [
      { identifier: 'HV-10020', quantity: 1 },
      { identifier: 'NL-0043', quantity: 2 },
      { identifier: 'HV-10002', quantity: 6 },
    ],
  },
  {
    po: 'HV-41004',
    customer: 'W501004',
    date: '20261116',
    time: '1502',
    consumer: TOM,
    ...GROUND,
    lines: [
      { identifier: 'HV-10025', quantity: 3 },
      { identifier: 'HV-10003', quantity: 4 },
    ],
  },
  {
    po: 'HV-41005',
    customer: 'W501005',
    date: '20261116',
    time: '2210',
    consumer: MEI,
    ...GROUND,
    lines: [
      { identifier: 'NL-0009', quantity: 5 },
      { identifier: 'HV-10012', quantity: 2 },
    ],
  },
  {
    po: 'HV-42001',
    customer: 'W502001',
    date: '20261116',
    time: '0930',
    consumer: ZOE,
    ...GROUND,
    lines: [
      { identifier: 'HV-10004', quantity: 2 },
      { identifier: 'NL-0011', quantity: 1 },
    ],
    gift: ['Für Zoë?', "It's yours: 1+1"],
  },
  {
    po: 'HV-42002',
    customer: 'W502002',
    date: '20261116',
    time: '1010',
    consumer: TOM,
    ...UPS,
    lines: [{ identifier: 'HV-10006', quantity: 1 }],
  },
  {
    po: 'HV-42003',
    customer: 'W502003',
    date: '20261116',
    time: '1755',
    consumer: ADA,
    ...TWO_DAY,
    lines: [
      { identifier: 'HV-10030', quantity: 3 },
      { identifier: 'NL-0013', quantity: 2 },
    ],
  },
]

const byNumber = new Map(ORDERS.map((order) => [order.po, order]))

export function findOrder(po: string): EdiOrder {
  const order = byNumber.get(po)
  if (order === undefined) throw new Error(`no order ${po}`)
  return order
}

/** As the retailer names an item: its UPC, its own number, the number of the supplier. */
export function retailerPairs(identifier: string): MadePairs {
  const { upc, brandIdentifier } = findItem(identifier)
  return [
    ['UP', upc],
    ['SK', identifier],
    ['VN', brandIdentifier],
  ]
}

/** As the supplier names it. */
export function supplierPairs(identifier: string): MadePairs {
  const { upc, brandIdentifier } = findItem(identifier)
  return [
    ['UP', upc],
    ['VN', brandIdentifier],
  ]
}

export function shipTo({ consumer }: EdiOrder): MadeAddress {
  return { role: 'ST', ...consumer, country: 'US' }
}

export function deliverTo({ consumer }: EdiOrder): MadeNad {
  const { name, ...address } = consumer
  return { role: 'DP', ...address, names: [name], country: 'US' }
}

export const WAREHOUSE: MadeAddress = {
  role: 'SF',
  name: 'Northlight Goods',
  street: ['2100 Vassar St'],
  city: 'Reno',
  province: 'NV',
  postalCode: '89502',
  country: 'US',
}

export const HAVEN_OFFICE: MadeAddress = {
  role: 'BT',
  name: 'Haven',
  id: ['92', 'HAVEN'],
  street: ['500 Harbor Front'],
  city: 'Boston',
  province: 'MA',
  postalCode: '02110',
  country: 'US',
}
