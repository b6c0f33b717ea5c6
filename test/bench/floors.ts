/** The floors: hand-written programs that do the minimum of the same work, and keep no journal. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Pool } from 'undici'
import type { Credentials } from '../../src/config/routes.ts'
import type { BrandOrder } from '../../src/contract/order.ts'
import { BRAND, inFolder, RETAILER } from './setting.ts'
import { timed, type Round } from './measure.ts'

export interface Target {
  readonly baseUrl: string
  readonly connections: number
  readonly token: string
}

export async function tokenOf(baseUrl: string, login: Credentials): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: login.clientId,
    client_secret: login.clientSecret,
  })
  const answer = await fetch(`${baseUrl}/auth/token/`, { method: 'POST', body })
  return ((await answer.json()) as { access_token: string }).access_token
}

/** Posts prebuilt bodies with `Pool.request`, as many at once as there are connections. */
export async function postWithUndici(target: Target, bodies: readonly string[]): Promise<Round> {
  const pool = poolOf(target)
  const headers = headersOf(target)
  const path = `/v1/retailers/${RETAILER}/orders/`
  const measurement = await timed(() =>
    manyAtOnce(target.connections, bodies, async (body) => {
      const answer = await pool.request({ method: 'POST', path, headers, body })
      await answer.body.text()
      return answer.statusCode === 201
    }),
  )
  await pool.close()
  return measurement
}

/** The loop that most people would write. */
export async function postWithFetch(target: Target, bodies: readonly string[]): Promise<Round> {
  const headers = headersOf(target)
  const url = `${target.baseUrl}/v1/retailers/${RETAILER}/orders/`
  return timed(() =>
    manyAtOnce(target.connections, bodies, async (body) => {
      const answer = await fetch(url, { method: 'POST', headers, body })
      await answer.text()
      return answer.status === 201
    }),
  )
}

/**
 * Lists all pages of unacknowledged orders, writes their rows to a file and flushes it, then acknowledges each order; with
 * `verified`, reads each one before.
 */
export function exportByHand(target: Target, { verified }: { verified: boolean }): Promise<Round> {
  return inFolder(async (folder) => {
    const pool = poolOf(target)
    const measurement = await timed(() => listWriteAndAcknowledge(pool, target, folder, verified))
    await pool.close()
    return measurement
  })
}

async function listWriteAndAcknowledge(
  pool: Pool,
  target: Target,
  folder: string,
  verified: boolean,
): Promise<number> {
  const headers = headersOf(target)
  const orders = `/v1/brands/${BRAND}/orders/`
  const ids: number[] = []
  const file = await open(join(folder, 'orders.csv'), 'w')
  await file.write(
    'PO Number,Order Id,Order Date,Ship To Name,Address 1,City,State,Zip,Country,SKU,UPC,Qty\r\n',
  )
  let next: string | null = `${orders}?is_acknowledged=0&status=open&status=partial&limit=250`
  while (next !== null) {
    const answer = await pool.request({ method: 'GET', path: next, headers })
    const page = (await answer.body.json()) as { next: string | null; results: ListedOrder[] }
    let text = ''
    for (const order of page.results) {
      ids.push(order.id)
      text += toLines(order)
    }
    await file.write(text)
    next = page.next === null ? null : page.next.slice(new URL(page.next).origin.length)
  }
  await file.sync()
  await file.close()
  return manyAtOnce(target.connections, ids, async (id) => {
    if (verified) {
      const read = await pool.request({ method: 'GET', path: `${orders}${id}/`, headers })
      await read.body.json()
    }
    const answer = await pool.request({ method: 'PUT', path: `${orders}${id}/acknowledge/`, headers })
    await answer.body.text()
    return answer.statusCode === 200
  })
}

type ListedOrder = Pick<BrandOrder, 'id' | 'purchase_order_number' | 'ordered_at' | 'ship_to' | 'order_lines'>

/** One line for each line of the order, with the columns of the order repeated. */
function toLines({ id, purchase_order_number, ordered_at, ship_to, order_lines }: ListedOrder): string {
  const { name1, street1, city, province, postal_code, country } = ship_to
  const start = [purchase_order_number, id, ordered_at, name1, street1, city, province, postal_code, country]
  const lines = order_lines.map(({ variant, quantity }) =>
    [...start, variant.brand_identifier, variant.upc, quantity].map(toCell).join(','),
  )
  return `${lines.join('\r\n')}\r\n`
}

function toCell(value: string | number | null | undefined): string {
  const text = String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function poolOf({ baseUrl, connections }: Target): Pool {
  return new Pool(baseUrl, { connections, pipelining: 1 })
}

function headersOf({ token }: Target): Record<string, string> {
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' }
}

/** Counts the items that succeeded. */
async function manyAtOnce<Item>(
  atOnce: number,
  items: readonly Item[],
  work: (item: Item) => Promise<boolean>,
): Promise<number> {
  const queue = items.values()
  let good = 0
  const worker = async () => {
    for (const item of queue) if (await work(item)) good++
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return good
}
