/** Makes a retailer's order export: one row per line, order columns repeated, with the damage such files really have. */
import { type SampleItem, sampleCatalogue } from '../../src/service/sample-seed.ts'
import { type Dice, dice } from './random.ts'

export const ORDER_COLUMNS = [
  'PO Number',
  'Order Date',
  'Customer Order',
  'Ship To Name',
  'Address 1',
  'Address 2',
  'City',
  'State',
  'Zip',
  'Country',
  'Phone',
  'Ship Via',
  'SKU',
  'UPC',
  'Description',
  'Qty',
  'Cost',
  'Retail',
  'Gift Message',
] as const

export type OrderColumn = (typeof ORDER_COLUMNS)[number]
export type OrderRow = Record<OrderColumn, string>

/** One order as rows, and its damage. */
export interface SampleOrder {
  readonly po: string
  readonly rows: OrderRow[]
  /** The problem codes it must be refused with, sorted; empty for a good order. */
  damage: string[]
  /** Text that replaces the order's rows in the file, where the damage is to the file itself. */
  raw?: (rows: readonly string[]) => string[]
}

const PEOPLE = [
  'Ada Whitfield', 'José Núñez', 'Björk Ásgeirsdóttir', 'Tom O’Leary', 'Mei-Ling Chen', 'Olga Petrova', 'Kwame Mensah',
  'Renée Dubois', 'Łukasz Nowak', 'Priya Raghunathan', 'Daniel "Dan" Fisher', 'Hana Yılmaz', '佐藤 花子', 'Sam Carter, Jr.',
]
const STREETS = ['Harbor Rd', 'Elm Street', 'W 43rd St', 'Old Mill Lane', 'Rue St-Denis', 'Ocean Ave', 'County Road 12']
const PLACES = [
  ['Buffalo', 'NY', '14203', 'US'],
  ['Portland', 'ME', '04101', 'US'],
  ['Boston', 'MA', '02108', 'US'],
  ['San Juan', 'PR', '00901', 'US'],
  ['Austin', 'TX', '78701', 'US'],
  ['Seattle', 'WA', '98101', 'US'],
  ['Montréal', 'QC', 'H2X 1Y4', 'CA'],
  ['Toronto', 'ON', 'M5V 2T6', 'CA'],
  ['Newark', 'NJ', '07102-1234', 'US'],
] as const
const GIFTS = ['', '', '', '', 'Happy birthday!', 'With love,\r\nGrandma & Grandpa', 'Merry Christmas, "Nana"']
const SHIP_VIA = ['FedEx Ground', 'FedEx Ground', 'FedEx 2Day', 'UPS Ground', 'USPS Priority']

export interface OrdersOptions {
  readonly seed: number
  readonly orders: number
  /** One order in this many is damaged; 0 for none. */
  readonly damageEvery: number
  readonly firstNumber?: number
}

/** The orders of a file, the same for the same options. */
export function sampleOrders({ seed, orders, damageEvery, firstNumber = 10_001 }: OrdersOptions): SampleOrder[] {
  const chance = dice(seed)
  const items = sampleCatalogue().filter((item) => item.brandId === 2000)
  const made = Array.from({ length: orders }, (_, index) => anOrder(chance, items, `HV-${firstNumber + index}`))
  if (damageEvery > 0) {
    for (let index = damageEvery - 1, turn = 0; index < orders; index += damageEvery, turn++) {
      DAMAGES[turn % DAMAGES.length]?.(made[index] as SampleOrder, made[index - 2] as SampleOrder)
    }
  }
  return made
}

function anOrder(chance: Dice, items: readonly SampleItem[], po: string): SampleOrder {
  const [city, state, zip, country] = chance.pick(PLACES)
  const ordered = new Date(Date.UTC(2026, 10, 2, 8, 0) + chance.between(0, 14 * 24 * 60) * 60_000).toISOString()
  const common = {
    'PO Number': po,
    'Order Date': `${ordered.slice(5, 7)}/${ordered.slice(8, 10)}/${ordered.slice(0, 4)} ${ordered.slice(11, 16)}`,
    'Customer Order': chance.chance(0.7) ? `W${chance.between(100_000, 999_999)}` : '',
    'Ship To Name': chance.pick(PEOPLE),
    'Address 1': `${chance.between(1, 4000)} ${chance.pick(STREETS)}`,
    'Address 2': chance.chance(0.3) ? `Apt ${chance.between(1, 60)}` : '',
    City: city,
    State: state,
    Zip: zip,
    Country: chance.chance(0.8) ? country : country === 'US' ? '' : country,
    Phone: chance.chance(0.5) ? `555-01${chance.between(10, 99)}` : '',
    'Ship Via': chance.pick(SHIP_VIA),
    'Gift Message': chance.pick(GIFTS),
  }
  const lines = chance.pick([1, 1, 1, 2, 2, 3, 4])
  const chosen = new Set<SampleItem>()
  while (chosen.size < lines) chosen.add(chance.pick(items))
  const rows = [...chosen].map((item) => ({
    ...common,
    SKU: item.identifier,
    UPC: item.upc ?? '',
    Description: chance.chance(0.1) ? `${item.name}, 12" wide` : item.name,
    Qty: String(chance.pick([1, 1, 1, 2, 3, 6])),
    Cost: item.netPrice,
    Retail: item.price,
  }))
  return { po, rows, damage: [] }
}

type Damage = (order: SampleOrder, earlier: SampleOrder) => void

/** A line is added where one line is not enough to show the damage. */
function secondRow(order: SampleOrder): OrderRow {
  const first = order.rows[0] as OrderRow
  if (order.rows.length === 1) {
    const other = sampleCatalogue().find((item) => item.brandId === 2000 && item.identifier !== first.SKU) as SampleItem
    order.rows.push({ ...first, SKU: other.identifier, UPC: other.upc ?? '', Description: other.name, Qty: '1' })
  }
  return order.rows[1] as OrderRow
}

const first = (order: SampleOrder) => order.rows[0] as OrderRow
const eachRow = (order: SampleOrder, change: Partial<OrderRow>) => {
  for (const row of order.rows) Object.assign(row, change)
}

/** The damage of real exports, one kind after the other. */
const DAMAGES: readonly Damage[] = [
  (order) => {
    eachRow(order, { State: 'ZZ', Country: 'US' })
    order.damage = ['province-unknown']
  },
  (order) => {
    first(order).Qty = 'two'
    order.damage = ['integer-expected']
  },
  (order) => {
    eachRow(order, { City: '' })
    order.damage = ['value-missing']
  },
  (order) => {
    first(order).UPC = '8.60001E+11'
    order.damage = ['number-in-exponent-form']
  },
  (order, earlier) => {
    // The same number as an order two before, with other contents: neither can be preferred.
    eachRow(order, { 'PO Number': earlier.po })
    order.damage = ['key-conflict']
    earlier.damage = ['key-conflict']
  },
  (order) => {
    Object.assign(first(order), { SKU: 'NL-9999', UPC: '' })
    order.damage = ['item-unknown']
  },
  (order) => {
    first(order).Qty = '0'
    order.damage = ['number-out-of-range']
  },
  (order) => {
    secondRow(order)['Address 1'] = '1 Somewhere Else'
    order.damage = ['rows-disagree']
  },
  (order) => {
    // Several at once: the mapping must report every one of them.
    eachRow(order, { City: '', State: '' })
    Object.assign(first(order), { Qty: 'none', Cost: 'n/a' })
    order.damage = ['decimal-expected', 'integer-expected', 'value-missing', 'value-missing']
  },
  (order) => {
    first(order).Cost = '12.345'
    order.damage = ['decimal-expected']
  },
  (order) => {
    order.rows.length = 1
    eachRow(order, { 'Gift Message': 'Happy birthday!' })
    order.damage = ['quote-not-closed']
    order.raw = ([row = '']) => [row.replace(/,([^,]*)$/, ',"$1')]
  },
  (order) => {
    order.rows.length = 1
    eachRow(order, { 'Gift Message': '', Description: 'Wool Throw' })
    order.damage = ['row-short']
    order.raw = ([row = '']) => [row.split(',').slice(0, -4).join(',')]
  },
]

/** The file as the retailer's system writes it, with the physical lines of every order. */
export function ordersFile(orders: readonly SampleOrder[]): { text: string; lines: Map<SampleOrder, [number, number]> } {
  const parts = [`\uFEFF${ORDER_COLUMNS.join(',')}\r\n`]
  const lines = new Map<SampleOrder, [number, number]>()
  let line = 2
  for (const order of orders) {
    const rows = order.rows.map((row) => ORDER_COLUMNS.map((column) => cell(row[column])).join(','))
    const text = (order.raw?.(rows) ?? rows).map((row) => `${row}\r\n`).join('')
    const height = text.split('\n').length - 1
    lines.set(order, [line, line + height - 1])
    line += height
    parts.push(text)
  }
  return { text: parts.join(''), lines }
}

export function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
