import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import {
  type Answered,
  answerOf,
  askToken,
  BRAND_ORDERS,
  CREDENTIALS,
  type Market,
  NOW,
  openMarket,
  orderBody,
  ORDERS,
  placeOrder,
} from './market.ts'

/** The raw answer that a client sees, or that the connection broke. */
type Seen = { status: number; headers: Headers; text: string } | 'broken'

async function see(market: Market, path: string, init: RequestInit = {}): Promise<Seen> {
  const headers = { authorization: `Bearer ${market.retailer.token}`, 'content-type': 'application/json' }
  try {
    const response = await fetch(market.service.baseUrl + path, { ...init, headers })
    return { status: response.status, headers: response.headers, text: await response.text() }
  } catch {
    return 'broken'
  }
}

const post = (market: Market, number: string, signal: AbortSignal | null = null) =>
  see(market, ORDERS, { method: 'POST', body: JSON.stringify(orderBody(number)), signal })

const get = (market: Market) => see(market, ORDERS)

/** Waits until the fault has struck once. */
async function untilStruck(market: Market, fault: 'hang' | 'hangAfter'): Promise<void> {
  while (market.service.faults[fault] === 0) await new Promise((resolve) => setTimeout(resolve, 2))
}

describe('faults before anything is done', () => {
  it('break the connection', async () => {
    const market = await openMarket({ switches: { resetBefore: 1 } })
    expect(await post(market, 'PO-1')).toBe('broken')
    expect(market.service.counts().orders).toBe(0)
  })

  it('answer 500, 401, or the 502 of a gateway', async () => {
    const market = await openMarket({ switches: { error500Before: 1 } })
    expect(await post(market, 'PO-1')).toMatchObject({
      status: 500,
      text: '{"detail":"A server error occurred."}',
    })
    Object.assign(market.service.switches, { error500Before: 0, html502Before: 1 })
    const gateway = await post(market, 'PO-1')
    expect(gateway).toMatchObject({ status: 502, text: expect.stringContaining('<h1>502 Bad Gateway</h1>') })
    expect(gateway !== 'broken' && gateway.headers.get('content-type')).toBe('text/html; charset=utf-8')
    Object.assign(market.service.switches, { html502Before: 0, expiredToken: 1 })
    expect(await post(market, 'PO-1')).toMatchObject({
      status: 401,
      text: '{"detail":"Invalid or expired token."}',
    })
    expect(market.service.counts().orders).toBe(0)
  })

  it('refuse a good token as expired, once', async () => {
    const market = await openMarket({ switches: { expiredToken: 1, faultLimit: 1 } })
    expect(await post(market, 'PO-1')).toMatchObject({ status: 401 })
    expect(await post(market, 'PO-1')).toMatchObject({ status: 201 })
  })

  it('answer 429 and say in seconds or as a date when to come back', async () => {
    const market = await openMarket({ switches: { tooMany429: 1 } })
    const seconds = await post(market, 'PO-1')
    expect(seconds).toMatchObject({ status: 429, text: expect.stringMatching(/"Request was throttled\. /) })
    expect(['0', '1']).toContain(seconds !== 'broken' && seconds.headers.get('retry-after'))
    market.service.switches.retryAfter = 'date'
    const date = await post(market, 'PO-1')
    expect(['Sat, 21 Nov 2026 02:15:00 GMT', 'Sat, 21 Nov 2026 02:15:01 GMT']).toContain(
      date !== 'broken' && date.headers.get('retry-after'),
    )
    expect(market.service.counts().orders).toBe(0)
  })

  it('never answer until the client gives up', async () => {
    const market = await openMarket({ switches: { hang: 1 } })
    const patience = new AbortController()
    const posting = post(market, 'PO-1', patience.signal)
    await untilStruck(market, 'hang')
    market.service.switches.hang = 0
    expect(await get(market)).toMatchObject({ status: 200 })
    patience.abort()
    expect(await posting).toBe('broken')
    expect(market.service.counts().orders).toBe(0)
    expect(await post(market, 'PO-1')).toMatchObject({ status: 201 })
  })
})

describe('faults after the order is in', () => {
  it('lose the answer', async () => {
    const market = await openMarket({ switches: { loseAnswer: 1 } })
    expect(await post(market, 'PO-1')).toBe('broken')
    expect(market.service.counts().orders).toBe(1)
  })

  it('spoil the answer', async () => {
    const market = await openMarket({ switches: { error500After: 1 } })
    expect(await post(market, 'PO-1')).toMatchObject({
      status: 500,
      text: '{"detail":"A server error occurred."}',
    })
    Object.assign(market.service.switches, { error500After: 0, html502: 1 })
    const gateway = await post(market, 'PO-2')
    expect(gateway).toMatchObject({ status: 502, text: expect.stringContaining('<h1>502 Bad Gateway</h1>') })
    Object.assign(market.service.switches, { html502: 0, truncatedJson: 1 })
    const cut = await post(market, 'PO-3')
    expect(cut).toMatchObject({ status: 201, text: expect.stringMatching(/^\{"id":3,/) })
    expect(() => JSON.parse(cut === 'broken' ? '{}' : cut.text)).toThrow(SyntaxError)
    expect(market.service.counts().orders).toBe(3)
  })

  it('never answer until the client gives up', async () => {
    const market = await openMarket({ switches: { hangAfter: 1 } })
    const patience = new AbortController()
    const posting = post(market, 'PO-1', patience.signal)
    await untilStruck(market, 'hangAfter')
    patience.abort()
    expect(await posting).toBe('broken')
    expect(market.service.counts().orders).toBe(1)
  })

  it('do not strike what was refused', async () => {
    const market = await openMarket()
    await placeOrder(market, 'PO-1')
    Object.assign(market.service.switches, { loseAnswer: 1 })
    expect(await post(market, 'PO-1')).toMatchObject({ status: 400 })
    expect(market.service.faults.loseAnswer).toBe(0)
  })
})

it.each(['hang', 'hangAfter'] as const)(
  'the service ends although clients are left waiting by %s',
  async (fault) => {
    const market = await openMarket({ switches: { [fault]: 1 } })
    const posting = post(market, 'PO-1')
    await untilStruck(market, fault)
    await market.service.close()
    expect(await posting).toBe('broken')
  },
)

it('the service ends although a client has connected and asked nothing', async () => {
  const market = await openMarket()
  const connection = connect(Number(new URL(market.service.baseUrl).port), '127.0.0.1')
  const ended = once(connection, 'close')
  await once(connection, 'connect')
  await post(market, 'PO-1')
  await market.service.close()
  expect(await ended).toEqual([false])
})

describe('faults in general', () => {
  it('leave reads and tokens alone', async () => {
    const market = await openMarket({ switches: { resetBefore: 1, loseAnswer: 1 } })
    expect(await get(market)).toMatchObject({ status: 200 })
  })

  it('strike reads as well on request, and never tokens', async () => {
    const market = await openMarket({ switches: { error500Before: 1, faultsStrike: 'all' } })
    expect(await get(market)).toMatchObject({ status: 500 })
    Object.assign(market.service.switches, { error500Before: 0, truncatedJson: 1 })
    const cut = await get(market)
    expect(cut).toMatchObject({ status: 200, text: expect.stringMatching(/^\{"count":0,/) })
    expect(() => JSON.parse(cut === 'broken' ? '{}' : cut.text)).toThrow(SyntaxError)
    const [{ clientId, clientSecret }] = CREDENTIALS
    const token = await askToken(market.service, {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    })
    expect(token.status).toBe(200)
  })

  it('strike changes that carry no body', async () => {
    const market = await openMarket()
    const id = await placeOrder(market, 'PO-1')
    market.service.switches.error500Before = 1
    const { status } = await market.brand.put(`${BRAND_ORDERS}${id}/acknowledge/`)
    expect([status, market.service.counts().acknowledgedOrders]).toEqual([500, 0])
  })

  it('stop at their limit and are counted', async () => {
    const market = await openMarket({ switches: { error500Before: 1, faultLimit: 2 } })
    const statuses = []
    for (const number of ['A', 'B', 'C', 'D']) {
      const answer = await post(market, number)
      statuses.push(answer === 'broken' ? answer : answer.status)
    }
    expect(statuses).toEqual([500, 500, 201, 201])
    expect(market.service.faults.error500Before).toBe(2)
  })

  it('stop at their limit however many requests are under way', async () => {
    const market = await openMarket({ switches: { loseAnswer: 1, faultLimit: 2, latencyMs: 20 } })
    const numbers = Array.from({ length: 10 }, (_, index) => `PO-${index}`)
    const answers = await Promise.all(numbers.map((number) => post(market, number)))
    expect(answers.filter((answer) => answer === 'broken')).toHaveLength(2)
    expect([market.service.faults.loseAnswer, market.service.counts().orders]).toEqual([2, 10])
    market.service.switches.faultLimit = 3
    expect(await post(market, 'PO-last')).toBe('broken')
  })

  it('count only what was really cut short', async () => {
    const market = await openMarket({ switches: { actAnswer: 204 } })
    const id = await placeOrder(market, 'PO-1')
    Object.assign(market.service.switches, { truncatedJson: 1, faultLimit: 1 })
    const { status } = await market.brand.put(`${BRAND_ORDERS}${id}/acknowledge/`)
    expect([status, market.service.faults.truncatedJson]).toEqual([204, 0])
    expect(await post(market, 'PO-2')).toMatchObject({ status: 201, text: expect.not.stringMatching(/\}$/) })
  })

  it('strike about as often as asked, and the same requests for the same seed', async () => {
    const market = await openMarket({ switches: { error500Before: 0.3 } })
    const strikes = async (faultSeed: number) => {
      market.service.switches.faultSeed = faultSeed
      const struck = []
      for (let number = 0; number < 60; number += 1) {
        const answer = await post(market, `PO-${faultSeed}-${number}`)
        struck.push(answer !== 'broken' && answer.status === 500)
      }
      return struck
    }
    const first = await strikes(7)
    const count = first.filter(Boolean).length
    expect(count).toBeGreaterThan(5)
    expect(count).toBeLessThan(35)
    expect(await strikes(8)).not.toEqual(first)
    market.service.switches.latencyJitterMs = 1
    expect(await strikes(7)).toEqual(first)
  })
})

describe('waiting', () => {
  it('holds every answer back by its switch, after the work is done', async () => {
    const waits: number[] = []
    const market = await openMarket({
      switches: { latencyMs: 25 },
      clock: { now: () => NOW, sleep: async (ms) => void waits.push(ms) },
    })
    waits.length = 0
    expect(await post(market, 'PO-1')).toMatchObject({ status: 201 })
    expect(waits).toEqual([25])
  })

  it('can be by chance, within its bound', async () => {
    const waits: number[] = []
    const market = await openMarket({
      switches: { latencyMs: 100, latencyJitterMs: 50 },
      clock: { now: () => NOW, sleep: async (ms) => void waits.push(ms) },
    })
    for (let index = 0; index < 20; index += 1) await get(market)
    expect(new Set(waits).size).toBeGreaterThan(5)
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(100)
    expect(Math.max(...waits)).toBeLessThanOrEqual(150)
  })
})

describe('a token that ends early', () => {
  const [harbor] = CREDENTIALS
  const form = {
    grant_type: 'client_credentials',
    client_id: harbor.clientId,
    client_secret: harbor.clientSecret,
  }

  async function getWith(market: Market, token: string): Promise<Answered> {
    const headers = { authorization: `Bearer ${token}` }
    return answerOf(await fetch(market.service.baseUrl + ORDERS, { headers }))
  }

  it('lasts as many requests as the switch says and no more, and the next one is fresh', async () => {
    const market = await openMarket({ switches: { tokenLastsRequests: 2 } })
    const first = (await askToken(market.service, form)).body.access_token
    const statuses = []
    for (let index = 0; index < 3; index += 1) statuses.push((await getWith(market, first)).status)
    expect(statuses).toEqual([200, 200, 401])
    const second = (await askToken(market.service, form)).body.access_token
    expect((await getWith(market, second)).status).toBe(200)
    market.service.switches.tokenLastsRequests = 0
    expect((await getWith(market, first)).body).toEqual({ detail: 'Invalid or expired token.' })
  })
})
