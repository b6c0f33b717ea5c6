/** Orders as the API shows them to a supplier, as JSON, for exports as 850s. */
import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { sampleOrders, type SampleOrder } from '../samples/orders.ts'
import { minutesInNewYork, readShipVia } from './by-hand.ts'
import { ORDERS_PER_PIECE } from './order-file.ts'
import { repository } from './setting.ts'

type Fields = Readonly<Record<string, unknown>>

/** Each record is one that can be written in plain ASCII. */
export function makeOrderRecords(count: number, firstNumber: number): string[] {
  const [template = {}] = JSON.parse(
    readFileSync(join(repository, 'samples/exports/orders.json'), 'utf8'),
  ) as Fields[]
  const orders = sampleOrders({ seed: firstNumber, orders: count, damageEvery: 0, firstNumber })
  const toRecord = createRecordMaker(template)
  return orders.map((order, index) => JSON.stringify(toRecord(order, firstNumber + index)))
}

/** Writes so many of them, a line for each. */
export async function writeOrderRecords(path: string, count: number): Promise<void> {
  const file = await open(path, 'w')
  try {
    for (let made = 0; made < count; made += ORDERS_PER_PIECE) {
      const records = makeOrderRecords(Math.min(ORDERS_PER_PIECE, count - made), 10_001 + made)
      await file.write(records.map((record) => `${record}\n`).join(''))
    }
  } finally {
    await file.close()
  }
}

function createRecordMaker(template: Fields) {
  const shipVia = readShipVia()
  const minuteOf = minutesInNewYork()
  const address = template['ship_to'] as Fields
  const method = template['shipping_method'] as Fields
  const [line = {}] = template['order_lines'] as Fields[]
  return ({ po, rows }: SampleOrder, id: number): Fields => {
    const [row] = rows
    if (row === undefined) throw new Error('an order has no rows')
    const via = shipVia.get(row['Ship Via'])
    const orderedAt = minuteOf(row['Order Date'])
    const name = row['Ship To Name'].startsWith('佐') ? 'Hanako Sato' : row['Ship To Name']
    return {
      ...template,
      id,
      purchase_order_number: po,
      customer_order_number: row['Customer Order'] || null,
      ordered_at: orderedAt,
      ship_to: {
        ...address,
        name1: name,
        street1: row['Address 1'],
        street2: row['Address 2'] || null,
        city: row.City,
        province: row.State,
        postal_code: row.Zip,
        country: row.Country || 'US',
        phone1: row.Phone || null,
      },
      shipping_method: {
        ...method,
        name: row['Ship Via'],
        code: via?.method,
        carrier: { ...(method['carrier'] as Fields), code: via?.carrier },
      },
      gift_message: row['Gift Message'] === '' ? [] : row['Gift Message'].split('\r\n'),
      order_lines: rows.map((item, index) => ({
        ...line,
        id: id * 10 + index,
        order_line_number: String(index + 1),
        variant: {
          ...(line['variant'] as Fields),
          name: item.Description,
          identifier: item.SKU,
          brand_identifier: item.SKU,
          upc: item.UPC || null,
        },
        quantity: Number(item.Qty),
        price: item.Retail,
      })),
    }
  }
}
