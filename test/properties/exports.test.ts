/** The matching import reads back what an export writes: whatever the records, and however the file is shaped. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isUnreadable } from '../../src/domain/format.ts'
import type { Composer, Draft, Translator } from '../../src/domain/translator.ts'
import { createFormats } from '../../src/formats/formats.ts'
import { mappingOf } from '../mapping/sheet.ts'

interface Pair {
  readonly name: string
  readonly write: string
  readonly read: string
}

const SHIP_VIA = `
tables:
  ship-via:
    rows:
      FedEx Ground: { method: FEDEX_GROUND, carrier: FDEG }
      UPS Ground: { method: UPS_GROUND, carrier: UPSN }`

/** The body that reads the columns of every pair back. */
const body = (date: string, number: string) => `
body:
  purchase_order_number: PO
  ordered_at: { from: Ordered${date} }
  ship_to:
    name1: Name
    street1: Street
    city: { const: Albany }
    province: { const: NY }
    postal_code: Zip
    country: { const: US }
  gift_message: { from: Gift, split: "~" }
  shipping_method:
    code: { from: Via, table: ship-via, pick: method }
    carrier: { code: { from: Via, table: ship-via, pick: carrier } }
  order_lines:
    - variant: { identifier: SKU }
      quantity: Qty
      net_price: { from: Price${number} }
      price: { from: Price${number} }${SHIP_VIA}`

const TABLE: Pair = {
  name: 'a table',
  write: `operation: export-orders
each: order_lines
columns:
  PO: purchase_order_number
  Ordered: ordered_at
  Name: ship_to.name1
  Street: ship_to.street1
  Zip: ship_to.postal_code
  Gift: { from: gift_message, join: "~" }
  Via: { from: shipping_method.code, table: ship-via, reverse: method }
  SKU: order_lines.variant.identifier
  Qty: order_lines.quantity
  Price: order_lines.price${SHIP_VIA}`,
  read: `operation: create-order\ngroup: PO${body('', '')}`,
}

const EUROPEAN: Pair = {
  name: 'semicolons, decimal commas, local times',
  write: `${TABLE.write
    .replace('each:', 'write: { format: csv, delimiter: ";", encoding: utf-16le, quoteAll: true }\neach:')
    .replace('Ordered: ordered_at', 'Ordered: { from: ordered_at, format: "dd.MM.yyyy HH:mm:ss", zone: UTC }')
    .replace('Price: order_lines.price', 'Price: { from: order_lines.price, decimal: "," }')}`,
  read: `operation: create-order\nread: { format: csv, decimal: "," }\ngroup: PO${body(', format: "dd.MM.yyyy HH:mm:ss"', '')}`,
}

const TYPED: Pair = {
  name: 'header and detail rows',
  write: `operation: export-orders
records:
  - type: H
    columns:
      PO: purchase_order_number
      Ordered: ordered_at
      Name: ship_to.name1
      Street: ship_to.street1
      Zip: ship_to.postal_code
      Gift: { from: gift_message, join: "~" }
      Via: { from: shipping_method.code, table: ship-via, reverse: method }
  - type: D
    each: order_lines
    columns:
      SKU: order_lines.variant.identifier
      Qty: order_lines.quantity
      Price: order_lines.price${SHIP_VIA}`,
  read: `operation: create-order
read:
  format: csv
  records:
    H: { as: header, columns: [PO, Ordered, Name, Street, Zip, Gift, Via] }
    D: { as: detail, columns: [SKU, Qty, Price] }${body('', '')}`,
}

const FIXED: Pair = {
  name: 'fixed width with implied decimals',
  write: `operation: export-orders
write: { format: fixed }
each: order_lines
columns:
  PO: { from: purchase_order_number, width: 12 }
  Ordered: { from: ordered_at, format: yyyyMMddHHmmss, width: 14 }
  Name: { from: ship_to.name1, width: 40 }
  Street: { from: ship_to.street1, width: 40 }
  Zip: { from: ship_to.postal_code, width: 5 }
  Gift: { from: gift_message, join: "~", width: 90 }
  Via: { from: shipping_method.code, table: ship-via, reverse: method, width: 12 }
  SKU: { from: order_lines.variant.identifier, width: 12 }
  Qty: { from: order_lines.quantity, width: 6, pad: { to: 6, with: "0" } }
  Price: { from: order_lines.price, implied: 2, width: 10, pad: { to: 10, with: "0" } }${SHIP_VIA}`,
  read: `operation: create-order
read:
  format: fixed
  columns:
    - { name: PO, start: 1, length: 12 }
    - { name: Ordered, start: 13, length: 14 }
    - { name: Name, start: 27, length: 40 }
    - { name: Street, start: 67, length: 40 }
    - { name: Zip, start: 107, length: 5 }
    - { name: Gift, start: 112, length: 90 }
    - { name: Via, start: 202, length: 12 }
    - { name: SKU, start: 214, length: 12 }
    - { name: Qty, start: 226, length: 6 }
    - { name: Price, start: 232, length: 10 }
group: PO${body(', format: yyyyMMddHHmmss', ', implied: 2')}`,
}

const PACKED: Pair = {
  name: 'lines packed in cells',
  write: TABLE.write
    .replace('each: order_lines\n', '')
    .replace(/(SKU|Qty|Price): (order_lines\S+)/g, `$1: { from: $2, join: "|", escape: '!' }`),
  read: `operation: create-order\ngroup: PO\nlines: { split: "|", escape: "!", columns: [SKU, Qty, Price] }${body('', '')}`,
}

const UNQUOTED: Pair = {
  name: 'tabs without quotes, below two heading lines',
  write: TABLE.write.replace(
    'each:',
    'write: { format: csv, delimiter: "\\t", quote: null, above: [[Type=Orders, "Version 7"], "PO, a ; note"] }\neach:',
  ),
  read: TABLE.read.replace('group:', 'read: { format: csv, quote: null, skip: 2 }\ngroup:'),
}

/** Letters, and signs with a meaning in a file or in a spreadsheet. */
const LETTERS = Array.from('abcÄéßŁ王09 ,;"\'=+-@/.')

/** Text as people write it: no blanks at its ends, no signs that a spreadsheet wraps around numbers, no line breaks. */
const text = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength }).map((it) => `x${it}x`)

const order = (number: number) =>
  fc.record({
    purchase_order_number: fc.constant(`HV-${20_000 + number}`),
    ordered_at: fc
      .integer({ min: Date.UTC(2026, 0, 1) / 1000, max: Date.UTC(2027, 0, 1) / 1000 })
      .map((seconds) => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`),
    ship_to: fc.record({
      name1: text(30),
      street1: text(30),
      postal_code: fc.constantFrom('12207', '01234'),
    }),
    gift_message: fc.array(text(20), { maxLength: 3 }),
    shipping_method: fc.constantFrom({ code: 'FEDEX_GROUND' }, { code: 'UPS_GROUND' }),
    order_lines: fc
      .array(
        fc.record({
          quantity: fc.integer({ min: 1, max: 99_999 }),
          price: fc.integer({ min: 0, max: 9_999_999 }).map((cents) => (cents / 100).toFixed(2)),
        }),
        { minLength: 1, maxLength: 4 },
      )
      .map((lines) => lines.map((line, index) => ({ ...line, variant: { identifier: `H!|V-${index}|` } }))),
  })

type ApiOrder = ReturnType<typeof order> extends fc.Arbitrary<infer Value> ? Value : never

const orders = fc
  .integer({ min: 1, max: 4 })
  .chain((count) => fc.tuple(...Array.from({ length: count }, (_, at) => order(at))))

test.each([TABLE, EUROPEAN, TYPED, FIXED, PACKED, UNQUOTED])(
  '$name is read back as it was written',
  async (pair) => {
    const { composer, translator } = await pairOf(pair)

    await fc.assert(
      fc.asyncProperty(orders, async (records) => {
        const drafts = await readBack(translator, writtenBy(composer, records))

        expect(drafts.flatMap(({ problems }) => problems)).toEqual([])
        expect(drafts.map((draft) => draft.body)).toEqual(records.map(bodyOf))
      }),
      { numRuns: 60 },
    )
  },
)

test('files that are joined are read as one where the header line may come again', async () => {
  const read = TABLE.read.replace('group:', 'read: { format: csv, ignore: [{ header: repeated }] }\ngroup:')
  const { composer, translator } = await pairOf({ ...TABLE, read })

  await fc.assert(
    fc.asyncProperty(orders, fc.nat(4), async (records, at) => {
      const halves = [records.slice(0, at), records.slice(at)].map((half) => writtenBy(composer, half))
      const drafts = await readBack(translator, Buffer.concat(halves))

      expect(drafts.map((draft) => draft.body)).toEqual(records.map(bodyOf))
    }),
    { numRuns: 40 },
  )
})

async function pairOf({ write, read }: Pair) {
  const [outbound, inbound] = await Promise.all([mappingOf(write), mappingOf(read)])
  if (outbound.direction !== 'outbound' || inbound.direction !== 'inbound') throw new Error('not a pair')
  return { composer: outbound.composer, translator: inbound.translator }
}

function writtenBy(composer: Composer, records: readonly ApiOrder[]): Buffer {
  const writer = createFormats().createWriter(composer.columns, composer.write)
  const rows = records.flatMap((record) => {
    const composed = composer.composeRows(record)
    if ('problems' in composed) throw new Error(composed.problems.map(({ message }) => message).join('\n'))
    return composed.rows
  })
  return Buffer.concat([writer.formatHeader(), writer.formatRows(rows)])
}

async function readBack(translator: Translator, bytes: Uint8Array): Promise<readonly Draft[]> {
  const reading = await createFormats().read(once(bytes), translator.read)
  if (isUnreadable(reading)) throw new Error(JSON.stringify(reading.problems))
  const bound = translator.bind(reading.layouts)
  if (!('keyColumns' in bound)) throw new Error(JSON.stringify(bound))
  const drafts: Draft[] = []
  for await (const batch of reading.batches) drafts.push(...bound.translateRows(batch))
  return [...drafts, ...bound.finish()]
}

function bodyOf(record: ApiOrder): unknown {
  const { ship_to, gift_message, shipping_method, order_lines, ...plain } = record
  const carrier = shipping_method.code === 'UPS_GROUND' ? 'UPSN' : 'FDEG'
  return {
    ...plain,
    ship_to: { ...ship_to, city: 'Albany', province: 'NY', country: 'US' },
    ...(gift_message.length === 0 ? {} : { gift_message }),
    shipping_method: { ...shipping_method, carrier: { code: carrier } },
    order_lines: order_lines.map(({ quantity, price, variant }) => ({
      variant,
      quantity,
      net_price: price,
      price,
    })),
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes)
}
