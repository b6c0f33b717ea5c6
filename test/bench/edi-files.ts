/** Writes interchanges of any size piece by piece: the orders of the bench as drop-ship 850s, or as ORDERS of EDIFACT. */
import { open } from 'node:fs/promises'
import {
  dressText,
  make850,
  makeInterchange,
  type MadeDocument,
  makeOrders,
  makeTransport,
  type Syntax,
} from '../fixtures/edi-maker.ts'
import { type OrderRow, type SampleOrder, sampleOrders } from '../samples/orders.ts'
import { type Numbers, ORDERS_PER_PIECE, purchaseOrderNumbers } from './order-file.ts'

export interface EdiFile {
  readonly path: string
  readonly orders: number
  readonly segments: number
  readonly bytes: number
}

/**
 * Writes one interchange with one group until it has so many orders or, about, so many bytes. With a number of orders they are
 * those that `writeOrders` writes with the same numbers.
 */
export async function writeInterchange(
  path: string,
  size: { readonly orders: number } | { readonly bytes: number },
  { syntax = 'x12', numbers = purchaseOrderNumbers() }: { syntax?: Syntax; numbers?: Numbers } = {},
): Promise<EdiFile> {
  const file = await open(path, 'w')
  // ISA and GS, or UNB.
  const outer = syntax === 'x12' ? 2 : 1
  let [orders, segments, bytes] = [0, 0, 0]
  const write = async (lines: readonly string[]) => {
    const { bytesWritten } = await file.write(lines.map((line) => `${line}\n`).join(''))
    segments += lines.length
    bytes += bytesWritten
  }
  try {
    await write(writeSegments(syntax, [], 0).slice(0, outer))
    const isDone = () => ('orders' in size ? orders >= size.orders : bytes >= size.bytes)
    while (!isDone()) {
      const wanted =
        'orders' in size ? size.orders - orders : Math.ceil((size.bytes - bytes) / BYTES_PER_ORDER)
      const count = Math.min(ORDERS_PER_PIECE, wanted)
      const firstNumber = numbers.take(count)
      const piece = sampleOrders({ seed: firstNumber, orders: count, damageEvery: 0, firstNumber })
      await write(writeSegments(syntax, piece, orders).slice(outer, -outer))
      orders += count
    }
    const ends = writeSegments(syntax, [], 0).slice(-outer)
    await write(ends.map((line) => line.replace(/^(GE\*|UNZ\+)0/, `$1${orders}`)))
  } finally {
    await file.close()
  }
  return { path, orders, segments, bytes }
}

const BYTES_PER_ORDER = 540

/** An interchange around the orders, a line for each segment. */
function writeSegments(syntax: Syntax, orders: readonly SampleOrder[], before: number): string[] {
  const sets = orders.map((order, index) =>
    syntax === 'x12' ? to850(order) : toMessage(order, (before + index) % RELEASE_EVERY === 0),
  )
  const made = makeInterchange({ syntax, groups: [{ sets, code: 'PO', firstSet: before + 1 }] })
  return dressText(made, { newline: '\n' }).trimEnd().split('\n')
}

/** Of so many messages, with some twenty segments each, one holds a terminator as data: one of a hundred segments. */
const RELEASE_EVERY = 5

function to850({ po, rows }: SampleOrder): MadeDocument {
  const row = firstOf(rows)
  const { date, time } = momentOf(row)
  return make850({
    po,
    date,
    references: { ...(row['Customer Order'] === '' ? {} : { CO: row['Customer Order'] }), IA: '20771' },
    more: [
      ['CUR', 'BY', 'USD'],
      ['FOB', 'PP'],
    ],
    dates: { '004': `${date} ${time} ET`, '038': '20261119' },
    carrier: ['TD5', '', '2', 'FDEG', 'M', row['Ship Via']],
    ...(row['Gift Message'] === '' ? {} : { gift: row['Gift Message'].split('\r\n') }),
    addresses: [
      { role: 'BT', name: 'Haven', id: ['92', 'HAVEN'] },
      {
        role: 'ST',
        name: row['Ship To Name'],
        street: [row['Address 1'], row['Address 2']],
        city: row.City,
        province: row.State,
        postalCode: row.Zip,
        country: row.Country,
        phone: row.Phone,
      },
    ],
    lines: rows.map((line) => ({
      quantity: line.Qty,
      price: line.Cost,
      retail: line.Retail,
      name: line.Description,
      pairs: [
        ['UP', line.UPC],
        ['SK', line.SKU],
      ],
    })),
    total: totalOf(rows),
  })
}

function toMessage({ po, rows }: SampleOrder, hasReleased: boolean): MadeDocument {
  const row = firstOf(rows)
  const { date, time } = momentOf(row)
  const name = hasReleased ? "Tom O'Leary" : row['Ship To Name']
  return makeOrders({
    number: po,
    dates: { 137: date + time, 2: '20261119' },
    references: { CO: row['Customer Order'], IA: '20771' },
    currency: 'USD',
    parties: [
      { role: 'BY', id: ['5790000000012', '9'] },
      {
        role: 'DP',
        names: [name],
        street: [row['Address 1'], row['Address 2']],
        city: row.City,
        province: row.State,
        postalCode: row.Zip,
        country: row.Country,
        ...(row.Phone === '' ? {} : { phone: row.Phone }),
      },
    ],
    transport: makeTransport('FDEG', '', row['Ship Via']),
    lines: rows.map((line) => ({
      item: [line.UPC, 'UP'],
      more: [['5', line.SKU, 'SA']],
      name: line.Description,
      quantities: { 21: line.Qty },
      prices: { AAA: Number(line.Cost) },
    })),
    totals: { 79: totalOf(rows) },
  })
}

function firstOf([row]: readonly OrderRow[]): OrderRow {
  if (row === undefined) throw new Error('an order has no rows')
  return row
}

/** `20261102` and `0855`. */
function momentOf(row: OrderRow) {
  const [month = '', day = '', year = '', time = ''] = row['Order Date'].split(/[/ ]/)
  return { date: year + month + day, time: time.replace(':', '') }
}

function totalOf(rows: readonly OrderRow[]): number {
  const cents = rows.reduce((total, { Qty, Cost }) => total + Number(Qty) * Math.round(Number(Cost) * 100), 0)
  return cents / 100
}
