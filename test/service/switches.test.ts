import { describe, expect, it } from 'vitest'
import { type Market, openMarket, orderBody, ORDERS, BRAND_ORDERS, placeOrder } from './market.ts'

/** What a client sees of a create: the raw answer, or that the connection broke. */
async function postRaw(market: Market, number: string) {
  try {
    const response = await fetch(market.service.baseUrl + ORDERS, {
      method: 'POST',
      headers: { authorization: `Bearer ${market.retailer.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(orderBody(number)),
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  } catch {
    return 'broken'
  }
}

describe('choices the spec leaves open', () => {
  it('a list can come as a bare array', async () => {
    const market = await openMarket({ switches: { envelope: 'array' } })
    await placeOrder(market, 'PO-1')
    const { body } = await market.retailer.get(`${ORDERS}?limit=1`)
    expect(body).toHaveLength(1)
    expect(body[0].purchase_order_number).toBe('PO-1')
    expect((await market.retailer.get('/v1/retailers/')).body).toEqual([
      { id: 1000, name: 'Harbor & Vine', code: 'HARBORVINE' },
    ])
  })

  it('an acknowledge can come without a body', async () => {
    const market = await openMarket({ switches: { actAnswer: 204 } })
    const id = await placeOrder(market, 'PO-1')
    const { status, body } = await market.brand.put(`${BRAND_ORDERS}${id}/acknowledge/`)
    expect([status, body]).toEqual([204, ''])
    expect((await market.brand.get(`${BRAND_ORDERS}${id}/`)).body.is_acknowledged).toBe(true)
    expect((await market.brand.put(`${BRAND_ORDERS}99/acknowledge/`)).status).toBe(404)
  })
})

describe('faults before anything is done', () => {
  it('break the connection', async () => {
    const market = await openMarket({ switches: { resetBefore: 1 } })
    expect(await postRaw(market, 'PO-1')).toBe('broken')
    expect(market.service.counts().orders).toBe(0)
  })

  it('answer 500, 401, or 429 with a Retry-After', async () => {
    const market = await openMarket({ switches: { error500Before: 1 } })
    expect(await postRaw(market, 'PO-1')).toMatchObject({ status: 500 })
    Object.assign(market.service.switches, { error500Before: 0, expiredToken: 1 })
    expect(await postRaw(market, 'PO-1')).toMatchObject({ status: 401 })
    Object.assign(market.service.switches, { expiredToken: 0, tooMany429: 1 })
    const throttled = await postRaw(market, 'PO-1')
    expect(throttled).toMatchObject({ status: 429 })
    expect(['0', '1']).toContain(throttled !== 'broken' && throttled.headers.get('retry-after'))
    expect(market.service.counts().orders).toBe(0)
  })
})

describe('faults after the order is in', () => {
  it('lose the answer', async () => {
    const market = await openMarket({ switches: { loseAnswer: 1 } })
    expect(await postRaw(market, 'PO-1')).toBe('broken')
    expect(market.service.counts().orders).toBe(1)
  })

  it('spoil the answer', async () => {
    const market = await openMarket({ switches: { error500After: 1 } })
    expect(await postRaw(market, 'PO-1')).toMatchObject({
      status: 500,
      text: '{"detail":"A server error occurred."}',
    })
    Object.assign(market.service.switches, { error500After: 0, html502: 1 })
    const gateway = await postRaw(market, 'PO-2')
    expect(gateway).toMatchObject({ status: 502, text: expect.stringContaining('<h1>502 Bad Gateway</h1>') })
    Object.assign(market.service.switches, { html502: 0, truncatedJson: 1 })
    const cut = await postRaw(market, 'PO-3')
    expect(cut).toMatchObject({ status: 201, text: expect.stringMatching(/^\{"id":3,/) })
    expect(() => JSON.parse(cut === 'broken' ? '{}' : cut.text)).toThrow(SyntaxError)
    expect(market.service.counts().orders).toBe(3)
  })
})

describe('faults in general', () => {
  it('leave reads and tokens alone', async () => {
    const market = await openMarket({ switches: { resetBefore: 1, loseAnswer: 1 } })
    expect((await market.retailer.get(ORDERS)).status).toBe(200)
  })

  it('stop at their limit and are counted', async () => {
    const market = await openMarket({ switches: { error500Before: 1, faultLimit: 2 } })
    const statuses = []
    for (const number of ['A', 'B', 'C', 'D']) {
      const answer = await postRaw(market, number)
      statuses.push(answer === 'broken' ? answer : answer.status)
    }
    expect(statuses).toEqual([500, 500, 201, 201])
    expect(market.service.faults.error500Before).toBe(2)
  })

  it('strike about as often as asked, and the same requests for the same seed', async () => {
    const strikes = async (faultSeed: number) => {
      const market = await openMarket({ switches: { error500Before: 0.3, faultSeed } })
      const struck = []
      for (let number = 0; number < 60; number += 1) {
        const answer = await postRaw(market, `PO-${number}`)
        struck.push(answer !== 'broken' && answer.status === 500)
      }
      return struck
    }
    const first = await strikes(7)
    const count = first.filter(Boolean).length
    expect(count).toBeGreaterThan(5)
    expect(count).toBeLessThan(35)
    expect(await strikes(7)).toEqual(first)
    expect(await strikes(8)).not.toEqual(first)
  })

  it('hold every answer back when told, after the work is done', async () => {
    const waits: number[] = []
    const market = await openMarket({
      switches: { latencyMs: 25 },
      clock: { now: () => 0, sleep: async (ms) => void waits.push(ms) },
    })
    waits.length = 0
    expect(await postRaw(market, 'PO-1')).toMatchObject({ status: 201 })
    expect(waits).toEqual([25])
  })
})
