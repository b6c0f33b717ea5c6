import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OPERATIONS } from '../../src/contract/operations.ts'
import type { Row } from '../../src/domain/format.ts'
import { compileDateFormat } from '../../src/mapping/values/date-format.ts'
import { wrapText } from '../../src/mapping/values/text.ts'
import { findZone } from '../../src/mapping/values/dates.ts'
import { HEADER, ORDERS, sheet, translatorOf } from '../mapping/sheet.ts'

/** Cells that are often right, and anything else. */
function cells(...likely: string[]) {
  return fc.oneof(
    { weight: 80, arbitrary: fc.constantFrom(...likely) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('', ' ', '0', '-1', '1e5', '="7"', "'8", 'x'.repeat(70), '\u00a0'),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 70 }) },
  )
}

const SHIPMENTS = `
operation: create-shipment
group: [PO, Tracking]
body:
  order_id: { from: PO, find: order }
  ship_from_name1: Name
  ship_from_street1: Street
  ship_from_city: City
  ship_from_province: State
  ship_from_postal_code: Zip
  ship_from_country: { from: Country, default: US }
  shipped_at: { from: Shipped, format: [MM/dd/yyyy HH:mm, yyyyMMdd], zone: America/New_York }
  carrier_id: Carrier
  shipping_account_id: Account
  shipping_method_id: Method
  tracking_number: Tracking
  ship_weight: Weight
  ship_width: Width
  ship_length: Width
  ship_height: Width
  shipment_lines:
    - variant: { upc: UPC, brand_identifier: SKU }
      quantity: Qty
`

const INVOICES = `
operation: create-invoice
group: { by: PO, blank: continues }
body:
  purchase_order_number: PO
  invoice_number: Invoice
  terms_net_days_due: Days
  terms_date_due: Due
  due_amount: Total
  invoice_lines:
    - variant: { id: Item, identifier: SKU, upc: UPC }
      quantity: Qty
      net_price: Cost
`

const places: fc.Arbitrary<string>[] = [
  cells('New York', 'NY', 'NY'),
  cells('12207', '01234'),
  cells('', 'US', 'united states'),
]
interface Case {
  readonly text: string
  readonly operation: 'create-order' | 'create-shipment' | 'create-invoice'
  readonly header: string
  readonly row: fc.Arbitrary<string[]>
}

const MAPPINGS: readonly Case[] = [
  {
    text: ORDERS.replace('gift_message: Gift', 'gift_message: { from: Gift, wrap: 20 }'),
    operation: 'create-order',
    header: HEADER,
    row: fc.tuple(
      cells('HV-20001'),
      cells('2026-11-20', '2026-11-20T10:00:00-05:00'),
      cells('Ada Park'),
      cells('12 Mill Road'),
      cells('', 'Unit 4'),
      cells('Albany'),
      ...places,
      cells('', 'Happy birthday to you, dear Bo', 'a\n\nb'),
      cells('FedEx Ground', 'ups ground'),
      cells('HV-10002', 'HV-10004', ''),
      cells('012345678905', ''),
      cells('2', '1,000', '10.00'),
      cells('12.50', '$8'),
      cells('24.99'),
    ),
  },
  {
    text: SHIPMENTS,
    operation: 'create-shipment',
    header:
      'PO,Name,Street,City,State,Zip,Country,Shipped,Carrier,Account,Method,Tracking,Weight,Width,UPC,SKU,Qty',
    row: fc.tuple(
      cells('HV-20001'),
      cells('Northwind'),
      cells('1 Dock Road'),
      cells('Albany'),
      ...places,
      cells('', '11/20/2026 10:00', '20261120'),
      cells('1', ''),
      cells('', '', '', '7'),
      cells('3'),
      cells('1Z9', '1Z9', '1Z9', ''),
      cells('', '2.50'),
      cells('', '10'),
      cells('012345678905', ''),
      cells('NL-0002', 'NL-0004'),
      cells('1', '2'),
    ),
  },
  {
    text: INVOICES,
    operation: 'create-invoice',
    header: 'PO,Invoice,Days,Due,Total,Item,SKU,UPC,Qty,Cost',
    row: fc.tuple(
      cells('HV-20001', 'HV-20002', ''),
      cells('INV-1'),
      cells('30', '0'),
      cells('2026-12-20'),
      cells('25', '25.00'),
      cells('', '7'),
      cells('NL-0002', 'NL-0004'),
      cells('', '012345678905'),
      cells('1', '2'),
      cells('12.50'),
    ),
  },
]

test.each(MAPPINGS)(
  'whatever the cells hold, a body of $operation without problems keeps the contract, and every row has one record',
  async ({ text, operation, header, row }) => {
    const translator = await translatorOf(text)
    const { layouts } = sheet(header)
    let valid = 0

    fc.assert(
      fc.property(fc.array(row, { maxLength: 3 }), fc.infiniteStream(fc.nat(25)), (sheetRows, breaks) => {
        const rows = sheetRows.map((values, index): Row => {
          const line = index + 2
          const broken = breaks.next().value === 0
          if (!broken) return { layout: 0, line, lastLine: line, values }
          const why = { code: 'row-short' as const, message: '', fix: '', place: { line } }
          return { layout: 0, line, lastLine: line, values: values.slice(0, index), problems: [why] }
        })
        const bound = translator.bind(layouts)
        if (!('keyColumns' in bound)) throw new Error('not bound')

        const drafts = [...bound.translateRows(rows), ...bound.finish()]

        for (const { body, references, problems } of drafts) {
          expect(body === undefined).toBe(problems.length > 0)
          if (body === undefined) continue
          const filled = { ...body, ...Object.fromEntries(references.map(({ field }) => [field, 1])) }
          expect(OPERATIONS[operation].body.safeParse(filled).error?.issues ?? []).toEqual([])
          valid += 1
        }
        const lines = drafts.flatMap((draft) => draft.lines.map(([line]) => line))
        expect(lines.toSorted((a, b) => a - b)).toEqual(rows.map(({ line }) => line))
        expect(drafts.map(({ number }) => number)).toEqual(drafts.map((_, index) => index + 1))
      }),
      { numRuns: 600 },
    )

    expect(valid).toBeGreaterThan(50)
  },
)

test('a date written in a format is read back as the same time', () => {
  const formats = [
    'MM/dd/yyyy HH:mm:ss',
    'yyyyMMddHHmmss',
    'd MMM yyyy h:mm:ss a',
    "yyyy-MM-dd'T'HH:mm:ssZZ",
    'M/d/yy H:m:s ZZZ',
  ]
  const dates = fc.date({
    min: new Date('2000-01-01T00:00:00Z'),
    max: new Date('2099-12-31T00:00:00Z'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(fc.constantFrom(...formats), dates, (name, date) => {
      const format = compileDateFormat(name)
      if (typeof format === 'string') throw new Error(format)
      const seconds = Math.floor(date.getTime() / 1000) * 1000

      expect(format.read(format.write(seconds, -5 * 3_600_000))?.localMs).toBe(seconds)
    }),
  )
})

test('a local time leads to an instant that has this local time, in every zone', () => {
  const zones = [
    'America/New_York',
    'Europe/Berlin',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'America/St_Johns',
  ]
  const times = fc.integer({ min: Date.UTC(2000, 0, 1) / 60_000, max: Date.UTC(2040, 0, 1) / 60_000 })
  fc.assert(
    fc.property(fc.constantFrom(...zones), times, (name, minutes) => {
      const zone = findZone(name)
      const instant = zone?.toInstant(minutes * 60_000)

      // Only an hour that was skipped has no instant; the hour after it has one.
      const local = instant === undefined ? (minutes + 60) * 60_000 : minutes * 60_000
      expect(zone?.toLocal(zone.toInstant(local) ?? 0)).toBe(local)
    }),
  )
})

test('wrapped text keeps every word in order, and no line is longer than the limit', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 30 }), (text, width) => {
      const lines = wrapText(text, width)

      expect(lines.every((line) => line.length <= width)).toBe(true)
      expect(lines.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
    }),
  )
})
