/** The floors: hand-written programs that do the minimum of the same work, and keep no journal. */
import { Pool } from 'undici'
import type { Credentials } from '../../src/config/routes.ts'
import { BRAND, RETAILER } from './setting.ts'
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

/** Lists all pages of unacknowledged records, then acknowledges each one; with `verified`, reads each one before. */
export async function listAndAcknowledge(
  target: Target,
  { verified }: { verified: boolean },
): Promise<Round> {
  const pool = poolOf(target)
  const headers = headersOf(target)
  const orders = `/v1/brands/${BRAND}/orders/`
  const measurement = await timed(async () => {
    const ids: number[] = []
    let next: string | null = `${orders}?is_acknowledged=0&status=open&status=partial&limit=250`
    while (next !== null) {
      const answer = await pool.request({ method: 'GET', path: next, headers })
      const page = (await answer.body.json()) as { next: string | null; results: { id: number }[] }
      for (const { id } of page.results) ids.push(id)
      next = page.next === null ? null : page.next.slice(new URL(page.next).origin.length)
    }
    return manyAtOnce(target.connections, ids, async (id) => {
      if (verified) {
        const read = await pool.request({ method: 'GET', path: `${orders}${id}/`, headers })
        await read.body.json()
      }
      const answer = await pool.request({ method: 'PUT', path: `${orders}${id}/acknowledge/`, headers })
      await answer.body.text()
      return answer.statusCode === 200
    })
  })
  await pool.close()
  return measurement
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
