/** The floors of reading EDI: splitting a file by hand, and the 850 mapping of the bench written by hand, without checks. */
import { createReadStream } from 'node:fs'
import { minutesInNewYork, readShipVia, type ShipVia } from './by-hand.ts'

type Elements = readonly string[]

/** The segments of a file with `~` and a line feed behind each, and their elements. */
export async function* splitByHand(path: string): AsyncGenerator<Elements[]> {
  let rest = ''
  for await (const piece of createReadStream(path, { encoding: 'utf8' }) as AsyncIterable<string>) {
    const lines = (rest + piece).split('~\n')
    rest = lines.pop() ?? ''
    yield lines.map((line) => line.split('*'))
  }
}

/** The bodies of the 850s that `writeInterchange` writes, as JSON. */
export async function* interchangeMappedByHand(path: string): AsyncGenerator<string> {
  const shipVia = readShipVia()
  const minuteOf = minutesInNewYork()
  let set: Elements[] = []
  for await (const piece of splitByHand(path)) {
    for (const elements of piece) {
      const [id] = elements
      if (id === 'ST') set = []
      else if (id === 'SE') yield JSON.stringify(toOrder(set, shipVia, minuteOf))
      else set.push(elements)
    }
  }
}

function toOrder(set: readonly Elements[], shipVia: ShipVia, minuteOf: (text: string) => string): object {
  let [number, customer, ordered]: (string | undefined)[] = []
  let [name, street, street2, city, state, zip, country, phone]: (string | undefined)[] = []
  let via: ReturnType<ShipVia['get']>
  let [party, note] = ['', '']
  let gift: string[] | undefined
  const lines: Record<string, unknown>[] = []
  for (const elements of set) {
    const [id, first = '', second = ''] = elements
    if (id === 'BEG') number = elements[3]
    else if (id === 'REF' && first === 'CO') customer = second
    else if (id === 'DTM' && first === '004') ordered = second + (elements[3] ?? '')
    else if (id === 'TD5') via = shipVia.get(elements[5] ?? '')
    else if (id === 'N9') note = first
    else if (id === 'MSG' && note === 'L1') (gift ??= []).push(first)
    else if (id === 'N1') {
      party = first
      if (party === 'ST') name = second
    } else if (party === 'ST' && id === 'N3') [street, street2] = [first, second]
    else if (party === 'ST' && id === 'N4') [, city, state, zip, country] = elements
    else if (party === 'ST' && id === 'PER') phone = elements[4]
    else if (id === 'PO1') {
      const upc = elements[elements.indexOf('UP') + 1]
      const variant = { identifier: elements[elements.indexOf('SK') + 1], upc: upc || undefined }
      lines.push({ variant, quantity: Number(second), net_price: elements[4], price: undefined })
    } else if (id === 'CTP') Object.assign(lines.at(-1) ?? {}, { price: elements[3] })
  }
  return {
    purchase_order_number: number,
    customer_order_number: customer || undefined,
    ordered_at: minuteOf(toUsDate(ordered ?? '')),
    ship_to: {
      name1: name,
      street1: street,
      street2: street2 || undefined,
      city,
      province: state,
      postal_code: zip,
      country: country || 'US',
      phone1: phone || undefined,
    },
    gift_message: gift,
    shipping_method: { code: via?.method, carrier: { code: via?.carrier } },
    order_lines: lines,
  }
}

/** `202611020855` as `11/02/2026 08:55`. */
function toUsDate(text: string): string {
  return `${text.slice(4, 6)}/${text.slice(6, 8)}/${text.slice(0, 4)} ${text.slice(8, 10)}:${text.slice(10, 12)}`
}
