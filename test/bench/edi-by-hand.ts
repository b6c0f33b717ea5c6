/** The floors of EDI: splitting a file by hand, and the mappings of 850s that come in and go out, without checks. */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
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

// Exports.

interface ExportedAddress {
  readonly name1: string
  readonly name2: string | null
  readonly street1: string
  readonly street2: string | null
  readonly city: string
  readonly province: string
  readonly postal_code: string
  readonly country: string
  readonly phone1: string | null
  readonly email: string | null
}

/** Of an order as the API shows it to a supplier, what the 850 has. */
interface ExportedOrder {
  readonly id: number
  readonly purchase_order_number: string
  readonly customer_order_number: string | null
  readonly retailer_order_number: string | null
  readonly ordered_at: string
  readonly fulfill_by: string | null
  readonly shipping_method: { readonly name: string; readonly carrier: { readonly code: string } }
  readonly gift_message: readonly string[]
  readonly sold_to: ExportedAddress | null
  readonly ship_to: ExportedAddress
  readonly order_lines: readonly {
    readonly order_line_number: string
    readonly status: string
    readonly quantity: number
    readonly quantity_canceled: number
    readonly price: string
    readonly variant: {
      readonly upc: string | null
      readonly brand_identifier: string | null
      readonly identifier: string
      readonly name: string
    }
  }[]
}

/** What stands around the sets. */
export interface HandEnvelope {
  readonly begin: string
  readonly end: (sets: number) => string
}

/** Writes the records as the mapping `x12/850-export` does. Returns how many sets there are. */
export async function exportByHand(
  path: string,
  pages: AsyncIterable<readonly string[]>,
  { begin, end }: HandEnvelope,
): Promise<number> {
  const file = await open(path, 'w')
  const localOf = localTimesInNewYork()
  let sets = 0
  try {
    await file.write(begin)
    for await (const page of pages) {
      let text = ''
      for (const record of page) {
        sets += 1
        text += toSet(JSON.parse(record) as ExportedOrder, String(sets).padStart(4, '0'), localOf)
      }
      await file.write(text)
    }
    await file.write(end(sets))
    await file.sync()
  } finally {
    await file.close()
  }
  return sets
}

function toSet(order: ExportedOrder, number: string, localOf: (instant: string) => string): string {
  const ordered = localOf(order.ordered_at)
  const day = ordered.slice(0, 8)
  const set = [`ST*850*${number}`, `BEG*00*DS*${plain(order.purchase_order_number)}**${day}`]
  if (order.customer_order_number) set.push(`REF*CO*${plain(order.customer_order_number)}`)
  if (order.retailer_order_number) set.push(`REF*IL*${plain(order.retailer_order_number)}`)
  set.push(`REF*ZZ*${order.id}`, `DTM*004*${day}*${ordered.slice(8)}`)
  if (order.fulfill_by) set.push(`DTM*038*${localOf(order.fulfill_by).slice(0, 8)}`)
  set.push(`TD5*Z*2*${order.shipping_method.carrier.code}*ZZ*${plain(order.shipping_method.name)}`)
  for (const line of order.gift_message) if (line !== '') set.push('N9*L1*GIFT', `MSG*${plain(line)}`)
  if (order.sold_to) pushAddress(set, 'BT', 'BD', order.sold_to)
  pushAddress(set, 'ST', 'DC', order.ship_to)
  let lines = 0
  for (const {
    order_line_number,
    status,
    quantity,
    quantity_canceled,
    price,
    variant,
  } of order.order_lines) {
    if (status !== 'open') continue
    lines += 1
    let line = `PO1*${order_line_number}*${quantity - quantity_canceled}*EA**`
    if (variant.upc) line += `*UP*${plain(variant.upc)}`
    if (variant.brand_identifier) line += `*VN*${plain(variant.brand_identifier)}`
    line += `*SK*${plain(variant.identifier)}`
    set.push(line, `CTP**RES*${Number(price)}`, `PID*F****${plain(variant.name).slice(0, 80).trim()}`)
  }
  set.push(`CTT*${lines}`)
  return `${set.join('~\n')}~\nSE*${set.length + 1}*${number}~\n`
}

function pushAddress(set: string[], role: string, contact: string, address: ExportedAddress): void {
  set.push(`N1*${role}*${plain(address.name1)}`)
  if (address.name2) set.push(`N2*${plain(address.name2)}`)
  set.push(`N3*${plain(address.street1)}${address.street2 ? `*${plain(address.street2)}` : ''}`)
  const { city, province, postal_code, country, phone1, email } = address
  set.push(`N4*${plain(city)}*${province}*${postal_code}*${country}`)
  if (!phone1 && !email) return
  const phone = phone1 ? `*TE*${plain(phone1)}` : ''
  set.push(`PER*${contact}*${phone}${email ? `*EM*${plain(email)}` : ''}`)
}

const SPELLINGS: Readonly<Record<string, string>> = { Ł: 'L', ł: 'l', ı: 'i', '’': "'" }

/** In plain ASCII. */
function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- all of ASCII
  if (/^[\u0000-\u007f]*$/.test(text)) return text
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[Łłı’]/g, (letter) => SPELLINGS[letter] ?? letter)
}

/** `2026-11-16T14:05:00Z` as `202611160905`; computes the offset once for each hour. */
function localTimesInNewYork(): (instant: string) => string {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: 'America/New_York',
    timeZoneName: 'longOffset',
  })
  const offsets = new Map<string, number>()
  return (instant) => {
    const hour = instant.slice(0, 13)
    const time = Date.parse(instant)
    let offset = offsets.get(hour)
    if (offset === undefined) {
      const name = format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? ''
      offset = Number(name.slice(3, 6)) * 3_600_000
      offsets.set(hour, offset)
    }
    const local = new Date(time + offset).toISOString()
    return (
      local.slice(0, 4) + local.slice(5, 7) + local.slice(8, 10) + local.slice(11, 13) + local.slice(14, 16)
    )
  }
}
