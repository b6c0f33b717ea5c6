/** The floor of translating: the one mapping of the bench written by hand, without checks. */
import { createReadStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Papa from 'papaparse'
import { ORDER_COLUMNS } from '../samples/orders.ts'
import { repository } from './setting.ts'

type Cells = readonly string[]

/** Rows as arrays, from decoded pieces of the file: the fastest that papaparse reads. */
export async function* parsedByPapaparse(path: string): AsyncGenerator<Cells[]> {
  let rest = ''
  const parser = () => new Papa.Parser({ delimiter: ',', newline: '\r\n' })
  for await (const piece of createReadStream(path, { encoding: 'utf8' }) as AsyncIterable<string>) {
    const text = rest + piece
    const { data, meta } = parser().parse(text, 0, true) as Papa.ParseResult<string[]>
    rest = text.slice(meta.cursor)
    yield data
  }
  if (rest !== '') yield (parser().parse(rest, 0, false) as Papa.ParseResult<string[]>).data
}

/** The bodies of an order file as JSON; consecutive rows with the same number are one order. */
export async function* mappedByHand(path: string): AsyncGenerator<string> {
  const shipVia = readShipVia()
  const minuteOf = minutesInNewYork()
  let isHeader = true
  let number = ''
  let rows: Cells[] = []
  for await (const piece of parsedByPapaparse(path)) {
    for (const cells of piece) {
      if (isHeader) {
        isHeader = false
        continue
      }
      if (cells.length === 1) continue
      const [first = ''] = cells
      if (first !== number && rows.length > 0) {
        yield JSON.stringify(toOrder(rows, shipVia, minuteOf))
        rows = []
      }
      number = first
      rows.push(cells)
    }
  }
  if (rows.length > 0) yield JSON.stringify(toOrder(rows, shipVia, minuteOf))
}

export type ShipVia = ReadonlyMap<string, { readonly carrier: string; readonly method: string }>

const at = (column: (typeof ORDER_COLUMNS)[number]) => ORDER_COLUMNS.indexOf(column)
const PO = at('PO Number')
const DATE = at('Order Date')
const CUSTOMER = at('Customer Order')
const NAME = at('Ship To Name')
const STREET = at('Address 1')
const STREET2 = at('Address 2')
const CITY = at('City')
const STATE = at('State')
const ZIP = at('Zip')
const COUNTRY = at('Country')
const PHONE = at('Phone')
const VIA = at('Ship Via')
const SKU = at('SKU')
const UPC = at('UPC')
const QUANTITY = at('Qty')
const COST = at('Cost')
const RETAIL = at('Retail')
const GIFT = at('Gift Message')

function toOrder(rows: readonly Cells[], shipVia: ShipVia, minuteOf: (text: string) => string): object {
  const [row = []] = rows
  const via = shipVia.get(row[VIA] ?? '')
  return {
    purchase_order_number: row[PO],
    customer_order_number: row[CUSTOMER] || undefined,
    ordered_at: minuteOf(row[DATE] ?? ''),
    ship_to: {
      name1: row[NAME],
      street1: row[STREET],
      street2: row[STREET2] || undefined,
      city: row[CITY],
      province: row[STATE],
      postal_code: row[ZIP],
      country: row[COUNTRY] || 'US',
      phone1: row[PHONE] || undefined,
    },
    gift_message: row[GIFT] ? row[GIFT].split('\r\n') : undefined,
    shipping_method: { code: via?.method, carrier: { code: via?.carrier } },
    order_lines: rows.map((line) => ({
      variant: { identifier: line[SKU], upc: line[UPC] || undefined },
      quantity: Number(line[QUANTITY]),
      net_price: line[COST],
      price: line[RETAIL],
    })),
  }
}

export function readShipVia(): ShipVia {
  const [, ...lines] = readFileSync(join(repository, 'mappings/tables/ship-via.csv'), 'utf8')
    .trim()
    .split(/\r?\n/)
  return new Map(
    lines.map((line) => {
      const [via = '', carrier = '', method = ''] = line.split(',')
      return [via, { carrier, method }]
    }),
  )
}

/** Converts `11/02/2026 08:55` in New York to UTC; computes the offset once for each day of the file. */
export function minutesInNewYork(): (text: string) => string {
  const offsets = new Map<string, number>()
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: 'America/New_York',
    timeZoneName: 'longOffset',
  })
  const offsetOf = (day: string): number => {
    const known = offsets.get(day)
    if (known !== undefined) return known
    const noon = Date.UTC(+day.slice(6, 10), +day.slice(0, 2) - 1, +day.slice(3, 5), 17)
    const name = format.formatToParts(noon).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    const offset = Number(name.slice(3, 6)) * 3_600_000
    offsets.set(day, offset)
    return offset
  }
  return (text) => {
    const day = text.slice(0, 10)
    const local = Date.UTC(
      +text.slice(6, 10),
      +text.slice(0, 2) - 1,
      +text.slice(3, 5),
      +text.slice(11, 13),
      +text.slice(14, 16),
    )
    return `${new Date(local - offsetOf(day)).toISOString().slice(0, 19)}Z`
  }
}
