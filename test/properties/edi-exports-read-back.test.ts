/** Documents out of any records of the API, read by the ready mapping of the same document: what comes back is what was shown. */
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { InvoiceCreate } from '../../src/contract/invoice.ts'
import { OrderCreate } from '../../src/contract/order.ts'
import { ShipmentCreate } from '../../src/contract/shipment.ts'
import type { Draft } from '../../src/domain/translator.ts'
import type { Syntax } from '../../src/edi/segment.ts'
import { toExampleBody } from '../../src/mapping/examples.ts'
import { toAscii } from '../../src/mapping/values/text.ts'
import { type ApiRecord, exportRecords, loadExport, loadImport, ROOT } from '../formats/edi/exported.ts'
import { readThrough } from '../formats/edi/tools.ts'
import { drawRecords, EXPORTS } from './edi-records.ts'

/** Without shrinking: a record that fails is shown as it is. */
const RUNS = { numRuns: 30, endOnFailure: true }
const MOSTLY_PLAIN = fc.constantFrom(false, false, true)

type Fields = Readonly<Record<string, unknown>>

/** The zone of the ready mappings, in which dates and times are written. */
const ZONE = 'America/New_York'

// What a document makes of values, so what is lost.

/**
 * Lost in texts: controls and line breaks are blanks, X12 is plain ASCII, and a delimiter of X12 is a blank. Readers take blanks,
 * and the quotes of spreadsheets, away from the ends. A blank text is no value.
 */
function toWritten(value: unknown, syntax: Syntax): string | undefined {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  const folded = Array.from(text.normalize('NFC'), (letter) =>
    letter < '\u0080' || syntax === 'edifact' ? letter : (toAscii(letter) ?? letter),
  ).join('')
  // The ready mappings write 004010, in which elements do not repeat: ^ is data there.
  const clean = squash(syntax === 'x12' ? folded.replaceAll(/[*~>]/g, ' ') : folded)
  return clean === '' ? undefined : clean
}

function squash(text: string): string {
  const blanksAsOne = text.replaceAll(/[\s\p{Cc}\p{Z}]+/gu, ' ').trim()
  // A text of quotes alone stays.
  return blanksAsOne.replaceAll(/^[ '"=]+|[ '"]+$/g, '') || blanksAsOne
}

/** Lost in times: seconds, and which of the two hours it was when the clock is put back. */
function toLocalMinute(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  return DateTime.fromISO(value, { zone: ZONE }).toFormat("yyyy-MM-dd'T'HH:mm")
}

function toDay(value: unknown): string | undefined {
  return toLocalMinute(value)?.slice(0, 10)
}

function toMoney(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? Number(value).toFixed(2) : undefined
}

/** Lost in gift messages: blank lines. Lines longer than the API takes are broken again. */
function toGift(lines: unknown, syntax: Syntax): string | undefined {
  const texts = (Array.isArray(lines) ? lines : []).map((line) => toWritten(line, syntax) ?? '')
  return texts.join('').replaceAll(/[\s'"=]/g, '') || undefined
}

const listOf = (record: Fields, list: string) => (record[list] ?? []) as readonly Fields[]
const inside = (record: Fields, name: string) => (record[name] ?? {}) as Fields

function toAddress(address: Fields, names: readonly string[], syntax: Syntax): Fields {
  const texts = names.map((name) => [name, toWritten(address[name], syntax)] as const)
  return { ...Object.fromEntries(texts), country: toWritten(address['country'], syntax) ?? 'US' }
}

const PLACE = ['name1', 'street1', 'street2', 'city', 'province', 'postal_code'] as const

// What must come back of each record.

/** The body, or that the record is held for a person. */
type Expected = Fields | 'held'

interface ReadBack {
  readonly name: string
  readonly reader: string
  /** What a partner's mapping has in place of what the ready one has. */
  readonly instead?: readonly [text: string, own: string]
  readonly expect: (record: Fields, syntax: Syntax) => Expected
  /** The body as the API takes it. It refuses some values that it shows. */
  readonly schema?: z.ZodType
}

/** Lost: what belongs to the brand's view, such as bill-to and retailer's numbers; lines that are closed. */
function expectOrder(record: Fields, syntax: Syntax): Expected {
  const soldTo = inside(record, 'sold_to')
  const method = inside(record, 'shipping_method')
  const hasSoldTo = syntax === 'x12' && toWritten(soldTo['street1'], syntax) !== undefined
  const contact = ['name2', 'phone1', 'email']
  return {
    purchase_order_number: toWritten(record['purchase_order_number'], syntax),
    customer_order_number: toWritten(record['customer_order_number'], syntax),
    ordered_at: toLocalMinute(record['ordered_at']),
    ship_to: toAddress(inside(record, 'ship_to'), [...PLACE, ...contact], syntax),
    // Lost: its second name, phone and mail; ORDERS: all of it.
    sold_to: hasSoldTo ? toAddress(soldTo, PLACE, syntax) : undefined,
    gift_message: toGift(record['gift_message'], syntax),
    shipping_method: { code: method['code'], carrier: { code: inside(method, 'carrier')['code'] } },
    order_lines: listOf(record, 'order_lines')
      .filter(({ status }) => status === 'open')
      .map((line) => ({
        variant: expectOrderedItem(line, syntax),
        quantity: Number(line['quantity']) - Number(line['quantity_canceled']),
        // Suppliers are not shown it.
        net_price: '0.00',
        price: toMoney(line['price']),
      })),
  }
}

function expectItem(line: Fields, syntax: Syntax, name = 'identifier'): Fields {
  const variant = inside(line, 'variant')
  return { [name]: toWritten(variant['identifier'], syntax), upc: toWritten(variant['upc'], syntax) }
}

/** An item without the retailer's number is read by the supplier's. */
function expectOrderedItem(line: Fields, syntax: Syntax): Fields {
  const item = expectItem(line, syntax)
  const theirs = toWritten(inside(line, 'variant')['brand_identifier'], syntax)
  return { ...item, identifier: item['identifier'] ?? theirs }
}

/** Of a refusal or change of a line a person decides. */
function expectAcknowledgement(record: Fields, syntax: Syntax): Expected {
  const isChanged = listOf(record, 'order_lines').some((line) => Number(line['quantity_canceled']) > 0)
  const isRefused = syntax === 'edifact' && listOf(record, 'cancels').length > 0
  return isChanged || isRefused ? 'held' : { order_id: findOrder(record, syntax) }
}

const findOrder = (record: Fields, syntax: Syntax) => ({
  find: 'order',
  key: toWritten(record['purchase_order_number'], syntax),
})

/** Lost: when it was cancelled, and all but the order. */
function expectCancel(record: Fields, syntax: Syntax): Expected {
  return { order_id: findOrder(record, syntax), reason_id: 1, cancel_lines: { order: 'order_lines' } }
}

/** Lost: all but the stock; an item without its number is known by its UPC. */
function expectStock(record: Fields, syntax: Syntax): Expected {
  const key = toWritten(record['identifier'], syntax) ?? toWritten(record['upc'], syntax)
  const attributes = (record['attributes'] ?? []) as readonly { code: string; values: readonly Fields[] }[]
  const { values: [stock] = [] } = attributes.find(({ code }) => code === 'inventory') ?? {}
  return { variant_id: { find: 'variant', key }, attributes: { inventory: Number(stock?.['value']) } }
}

/** Lost: remit-to, discount, charges and allowances as such: the API takes only the total. */
function expectInvoice(record: Fields, syntax: Syntax): Expected {
  const days = typeof record['terms_net_days_due'] === 'number' ? record['terms_net_days_due'] : 30
  const invoiced = DateTime.fromISO(toDay(record['invoiced_at']) ?? '')
  return {
    purchase_order_number: toWritten(record['purchase_order_number'], syntax),
    invoice_number: toWritten(record['invoice_number'], syntax),
    terms_net_days_due: days,
    terms_date_due: record['terms_date_due'] ?? invoiced.plus({ days }).toISODate(),
    due_amount: toMoney(record['due_amount']),
    invoice_lines: listOf(record, 'invoice_lines').map((line) => ({
      variant: expectItem(line, syntax),
      quantity: line['quantity'],
      net_price: toMoney(line['price']),
    })),
  }
}

const CARRIERS: Readonly<Record<string, readonly [carrier: number, method: number]>> = {
  'FedEx Ground': [1, 3],
  'FedEx 2Day': [1, 4],
  'UPS Ground': [2, 10],
  'USPS Priority': [3, 20],
}

/** Lost: the size of the parcel; further packages of an item. What the ready mapping has for a blank origin comes back. */
function expectShipment(record: Fields, syntax: Syntax): Expected {
  const from = inside(record, 'ship_from')
  const [carrier, method] = CARRIERS[String(inside(record, 'shipping_method')['name'])] ?? []
  const origin = (name: string, otherwise: string) => toWritten(from[name], syntax) ?? otherwise
  return {
    order_id: findOrder(record, syntax),
    ship_from_name1: origin('name1', 'Northlight Goods'),
    ship_from_street1: origin('street1', '2100 Vassar St'),
    ship_from_city: origin('city', 'Reno'),
    ship_from_province: origin('province', 'NV'),
    ship_from_postal_code: origin('postal_code', '89502'),
    ship_from_country: origin('country', 'US'),
    shipped_at: toLocalMinute(record['shipped_at']),
    carrier_id: carrier,
    shipping_method_id: method,
    tracking_number: toWritten(record['tracking_number'], syntax),
    ship_weight: record['ship_weight'],
    shipment_lines: listOf(record, 'shipment_lines')
      .filter(({ part }) => part === 1)
      .map((line) => {
        const { upc, brand_identifier } = expectItem(line, syntax, 'brand_identifier')
        // Lost in DESADV: the retailer's number of the item, by which suppliers do not know it.
        return {
          variant: syntax === 'x12' ? { upc, brand_identifier } : { upc },
          quantity: line['quantity'],
        }
      }),
  }
}

/** The supplier's own prices are not shown to it, and the API takes no order without them. */
const WITHOUT_NET_PRICE = ['net_price: PO1.04', 'net_price: { from: PO1.04, default: 0.00 }'] as const
const WITHOUT_NET_PRICES = [
  'net_price: PRI+AAA.5118',
  'net_price: { from: PRI+AAA.5118, default: 0.00 }',
] as const
/** The ready mappings of shipments are for suppliers with another clock. */
const SHIPPED_IN = ['zone: America/Los_Angeles', `zone: ${ZONE}`] as const

/** An item of which the export has neither number is not found. */
const NumberedItem = z.object({ variant_id: z.object({ key: z.string() }) })

const READ_BACK: readonly ReadBack[] = [
  {
    name: 'x12/850-export',
    reader: 'x12/850-orders',
    instead: WITHOUT_NET_PRICE,
    expect: expectOrder,
    schema: OrderCreate,
  },
  {
    name: 'edifact/orders-export',
    reader: 'edifact/orders',
    instead: WITHOUT_NET_PRICES,
    expect: expectOrder,
    schema: OrderCreate,
  },
  { name: 'x12/860-export', reader: 'x12/860-cancel-whole', expect: expectCancel },
  { name: 'edifact/ordchg-export', reader: 'edifact/ordchg-whole', expect: expectCancel },
  { name: 'x12/855-export', reader: 'x12/855-acknowledgements', expect: expectAcknowledgement },
  { name: 'edifact/ordrsp-export', reader: 'edifact/ordrsp', expect: expectAcknowledgement },
  { name: 'x12/846-export', reader: 'x12/846-inventory', expect: expectStock, schema: NumberedItem },
  { name: 'edifact/invrpt-export', reader: 'edifact/invrpt', expect: expectStock, schema: NumberedItem },
  { name: 'x12/810-export', reader: 'x12/810-invoices', expect: expectInvoice, schema: InvoiceCreate },
  { name: 'edifact/invoic-export', reader: 'edifact/invoic', expect: expectInvoice, schema: InvoiceCreate },
  {
    name: 'x12/856-export',
    reader: 'x12/856-shipments',
    instead: SHIPPED_IN,
    expect: expectShipment,
    schema: ShipmentCreate,
  },
  {
    name: 'edifact/desadv-export',
    reader: 'edifact/desadv',
    instead: SHIPPED_IN,
    expect: expectShipment,
    schema: ShipmentCreate,
  },
]

async function loadReader({ reader, instead }: ReadBack) {
  const path = join(ROOT, 'mappings', `${reader}.yaml`)
  if (instead === undefined) return loadImport(path)
  const text = await readFile(path, 'utf8')
  const [theirs, own] = instead
  expect(text).toContain(theirs)
  const changed = join(await mkdtemp(join(tmpdir(), 'reader-')), 'own.yaml')
  const [body = ''] = text.replace(theirs, own).split('\nexamples:')
  await writeFile(changed, body.replaceAll('file: ../tables/', `file: ${ROOT}/mappings/tables/`))
  return loadImport(changed)
}

/** The body in the form of what is expected: times as they are local, texts without their ends, and nothing that is blank. */
function toComparable(value: unknown, key = ''): unknown {
  if (value === null || value === undefined || value === '') return undefined
  if (typeof value === 'string')
    return key.endsWith('_at') ? toLocalMinute(value) : squash(value) || undefined
  if (key === 'gift_message') return toGift(value, 'edifact')
  if (Array.isArray(value)) return value.map((item) => toComparable(item))
  if (typeof value !== 'object') return value
  const fields = Object.entries(value).map(([name, own]) => [name, toComparable(own, name)] as const)
  return Object.fromEntries(fields.filter(([, own]) => own !== undefined))
}

function outcomeOf(draft: Draft): unknown {
  if (draft.held === true) return 'held'
  return draft.body === undefined ? 'refused' : toComparable(toExampleBody(draft))
}

/** Whether the API would take the expected body. */
function isTaken(expected: Expected, schema: z.ZodType | undefined): boolean {
  if (expected === 'held' || schema === undefined) return true
  const body = toBody(expected, '') as Fields
  return schema.safeParse('order_id' in body ? { ...body, order_id: 1 } : body).success
}

function toBody(value: unknown, key: string): unknown {
  if (key === 'gift_message') return undefined
  if (key.endsWith('_at') && typeof value === 'string') return `${value}:00Z`
  if (Array.isArray(value)) return value.map((item) => toBody(item, ''))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, toBody(own, name)]))
}

test.each(READ_BACK)('$name reads back by $reader as what it was', async (pair) => {
  const syntax: Syntax = pair.name.startsWith('x12') ? 'x12' : 'edifact'
  const { sample = '', more } = EXPORTS.find(({ name }) => name === pair.name) ?? {}
  const { composer } = await loadExport(pair.name)
  const { translator } = await loadReader(pair)
  let compared = 0
  await fc.assert(
    fc.asyncProperty(fc.gen(), MOSTLY_PLAIN, async (draw, any) => {
      const records: readonly ApiRecord[] = drawRecords(draw, sample, more, any)
      const { bytes, written } = exportRecords(composer, records, { usage: 'production' })
      if (written.length === 0) return
      const { drafts } = await readThrough(translator, bytes)
      expect(drafts).toHaveLength(written.length)
      for (const [index, draft] of drafts.entries()) {
        const expected = pair.expect(written[index] ?? {}, syntax)
        const outcome = outcomeOf(draft)
        // What the API shows and does not take, such as an amount below zero.
        if (outcome === 'refused' && !isTaken(expected, pair.schema)) continue
        expect(outcome, JSON.stringify(draft.problems)).toEqual(
          expected === 'held' ? expected : toComparable(expected),
        )
        // The totals of the document fit its lines.
        const totals = (draft.warnings ?? []).filter(({ place }) => /^(CTT|CNT)/.test(place.column ?? ''))
        expect(totals).toEqual([])
        compared += 1
      }
    }),
    RUNS,
  )
  expect(compared).toBeGreaterThan(5)
})
