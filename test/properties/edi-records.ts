/** Records of the API for tests of documents: those of the samples, with other values of the same kinds. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc, { type GeneratorValue } from 'fast-check'
import { type ApiRecord, ROOT } from '../formats/edi/exported.ts'

const NAUGHTY = [
  '*',
  '~',
  '>',
  '^',
  '+',
  ':',
  "'",
  '?',
  '??',
  "?'",
  '\r\n',
  '\n',
  '\t',
  '\0',
  '\u001F',
  '\u0085',
]
const TEXTS = fc.oneof(
  { weight: 6, arbitrary: fc.string({ minLength: 2, maxLength: 20 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.constantFrom(...NAUGHTY, 'a', 'é', 'ß', 'Ł', '王', '😀', ' '), { maxLength: 12 })
      .map((parts) => parts.join('')),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' ', 'x'.repeat(23), 'n'.repeat(300), 'é'.repeat(60), 'SE*1*0001~'),
  },
)
/** Texts that every document can hold. */
const PLAIN = fc.stringMatching(/^[A-Za-z0-9]{2,8}( [A-Za-z0-9]{1,6}){0,2}$/)
// Made once: fast-check takes longer to make a generator of texts than to draw from it.
const UPCS = fc.option(fc.stringMatching(/^0[0-9]{11}$/), { freq: 8 })
const POSTAL_CODES = fc.stringMatching(/^[0-9]{5}$/)
/** A city has two letters, and a postal code three. */
const CITIES = fc.stringMatching(/^[A-Z][a-z]{2,9}$/)
const ANY_TEXT = fc.oneof(PLAIN, TEXTS)
const LISTED_PLAIN = fc.array(PLAIN, { maxLength: 12 })
const LISTED_TEXTS = fc.array(TEXTS, { maxLength: 12 })
const AMOUNTS = fc.oneof(
  fc.constantFrom('0', '0.00', '0.5', '0.50', '1234567.89', '-1', '-1.00'),
  fc.integer({ min: 1, max: 99_999 }).map((cents) => (cents / 100).toFixed(2)),
)
const INSTANTS = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .date({
        min: new Date('2020-01-01T00:00:00Z'),
        max: new Date('2035-12-31T00:00:00Z'),
        noInvalidDate: true,
      })
      .map((date) => `${date.toISOString().slice(0, 16)}:00Z`),
  },
  // Around the clock changes in New York, and at the ends of its days.
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '2026-03-08T06:59:00Z',
      '2026-03-08T07:00:00Z',
      '2026-11-01T05:30:00Z',
      '2026-11-01T06:30:00Z',
      '2026-12-01T04:59:00Z',
      '2026-12-01T05:00:00Z',
    ),
  },
)

/** Values with a meaning of their own, and those that tables of the ready mappings know. */
const FIXED = /^(status|created_by|type|currency|country|province|brand|retailer|shipping_method|part|kept)$/
const AMOUNT = /(price|amount|subtotal|charged|charges)$/

interface Choice {
  readonly any: boolean
  readonly draw: GeneratorValue
}

function vary(value: unknown, key: string, choice: Choice): unknown {
  const { any, draw } = choice
  if (key === 'shipping_method' && value !== null) return varyMethod(value, choice)
  if (FIXED.test(key)) return value
  if (key === 'reason') return any ? draw(() => fc.oneof(fc.constant(value), TEXTS)) : value
  if (key === 'upc') return draw(() => UPCS)
  if (key.endsWith('_at') || key === 'fulfill_by') {
    return draw(() => (any ? fc.option(INSTANTS, { freq: 10 }) : INSTANTS))
  }
  if (AMOUNT.test(key) && typeof value === 'string')
    return draw(() => (any ? AMOUNTS : AMOUNTS.filter((text) => !text.startsWith('-'))))
  if (Array.isArray(value)) return varyList(value, key, choice)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, inside]) => [name, vary(inside, name, choice)]),
    )
  if (/^terms_\w+_(days|due|percent)$/.test(key) && !key.includes('date'))
    return draw(() => fc.option(fc.integer({ min: 1, max: 90 })))
  if (/^terms_\w*date_due$/.test(key)) return draw(() => fc.option(INSTANTS))?.slice(0, 10) ?? null
  if (key === 'id') return draw(() => fc.integer({ min: 10, max: 2_147_483_647 }))
  if (key === 'quantity' || key === 'quantity_canceled')
    return draw(() => fc.integer({ min: key === 'quantity' ? 3 : 0, max: key === 'quantity' ? 99 : 2 }))
  if (typeof value === 'string' && !/^\d{4}-\d{2}-\d{2}/.test(value)) return varyText(value, key, choice)
  return value
}

function varyText(value: string, key: string, { any, draw }: Choice): string {
  if (/^-?\d+(\.\d+)?$/.test(value) && key.startsWith('ship_'))
    return draw(() => fc.constantFrom('0.5', '12.5', '1', '150.25'))
  if (!any && key === 'postal_code') return draw(() => POSTAL_CODES)
  if (!any && key === 'city') return draw(() => CITIES)
  return draw(() => (any ? ANY_TEXT : PLAIN))
}

function varyList(list: readonly unknown[], key: string, choice: Choice): unknown[] {
  if (key === 'gift_message') return choice.draw(() => (choice.any ? LISTED_TEXTS : LISTED_PLAIN))
  const [first] = list
  if (first === undefined || key === 'attributes' || key === 'media')
    return list.map((item) => (key === 'attributes' ? varyAttribute(item, choice) : vary(item, '', choice)))
  const count = choice.draw(() => fc.integer({ min: choice.any ? 0 : 1, max: 4 }))
  return Array.from({ length: count }, (_, index) => {
    const item = vary(list[index % list.length], '', choice)
    // Each item of a record is another one.
    return typeof item === 'object' && item !== null && 'order_line_number' in item
      ? { ...item, order_line_number: String(index + 1) }
      : item
  })
}

const METHODS = [
  ['FedEx Ground', 'FEDEX_GROUND', 'FDEG'],
  ['FedEx 2Day', 'FEDEX_2_DAY', 'FDEG'],
  ['UPS Ground', 'UPS_GROUND', 'UPSN'],
  ['USPS Priority', 'USPS_PRIORITY', 'USPS'],
] as const

/** Services that the tables of the ready mappings know. */
function varyMethod(method: unknown, { draw }: Choice): unknown {
  const [name, code, carrier] = draw(() => fc.constantFrom(...METHODS))
  const { carrier: shown, ...others } = method as { readonly carrier: object }
  return { ...others, name, code, carrier: { ...shown, code: carrier } }
}

function varyAttribute(attribute: unknown, { any, draw }: Choice): unknown {
  const { code } = attribute as { readonly code: string }
  const values: Readonly<Record<string, fc.Arbitrary<string>>> = {
    inventory: fc.nat({ max: 99_999 }).map(String),
    msrp: any ? AMOUNTS : AMOUNTS.filter((text) => !text.startsWith('-')),
  }
  const own = values[code]
  return own === undefined
    ? attribute
    : { ...(attribute as object), values: [{ id: 1, value: draw(() => own) }] }
}

function readSample(name: string): ApiRecord[] {
  return JSON.parse(readFileSync(join(ROOT, 'samples/exports', `${name}.json`), 'utf8')) as ApiRecord[]
}

const ADDRESS = {
  id: 5,
  type: null,
  name1: 'Bill',
  name2: 'Floor',
  street1: 'Street',
  street2: 'Door',
  city: 'Reno',
  province: 'NV',
  postal_code: '89502',
  country: 'US',
  phone1: '555',
  phone2: null,
  fax: null,
  email: 'a@b.cc',
}
const ADJUSTMENT = { type: 'shipping', description: 'By air', amount: '1.00' }

export const EXPORTS: readonly { name: string; sample: string; more?: ApiRecord }[] = [
  { name: 'x12/850-export', sample: 'orders', more: { sold_to: ADDRESS, ship_to: ADDRESS } },
  { name: 'x12/860-export', sample: 'canceled-orders' },
  { name: 'x12/855-export', sample: 'acknowledged-orders' },
  { name: 'x12/865-export', sample: 'cancels-of-orders' },
  { name: 'x12/856-export', sample: 'shipments' },
  {
    name: 'x12/810-export',
    sample: 'invoices',
    more: { remit_to: ADDRESS, charges: [ADJUSTMENT], allowances: [ADJUSTMENT] },
  },
  { name: 'x12/812-export', sample: 'credits', more: { adjustments: [ADJUSTMENT] } },
  { name: 'x12/180-export', sample: 'returns' },
  { name: 'x12/846-export', sample: 'variants' },
  { name: 'edifact/orders-export', sample: 'orders', more: { sold_to: ADDRESS, ship_to: ADDRESS } },
  { name: 'edifact/ordchg-export', sample: 'canceled-orders' },
  { name: 'edifact/ordrsp-export', sample: 'acknowledged-orders' },
  { name: 'edifact/desadv-export', sample: 'shipments' },
  {
    name: 'edifact/invoic-export',
    sample: 'invoices',
    more: { remit_to: ADDRESS, charges: [ADJUSTMENT], allowances: [ADJUSTMENT] },
  },
  { name: 'edifact/invrpt-export', sample: 'variants' },
]

export function drawRecords(draw: GeneratorValue, sample: string, more: ApiRecord | undefined, any: boolean) {
  return readSample(sample).map((record) => vary({ ...record, ...more }, '', { any, draw }) as ApiRecord)
}
