import { describe, expect, it } from 'vitest'
import { NOW, openMarket, ORDERS, BRAND_ORDERS } from './market.ts'

describe('a rate limit', () => {
  it('is not there unless it is set', async () => {
    const { retailer } = await openMarket()
    const answers = await Promise.all(Array.from({ length: 50 }, () => retailer.get(ORDERS)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  })

  it('refuses what is too much and says when to come back', async () => {
    const { retailer, clock } = await openMarket({ switches: { rateLimitPerMinute: 3 } })
    for (let index = 0; index < 3; index += 1) expect((await retailer.get(ORDERS)).status).toBe(200)
    const refused = await retailer.get(ORDERS)
    expect([refused.status, refused.body, refused.headers.get('retry-after')]).toEqual([
      429,
      { detail: 'Request was throttled. Expected available in 20 seconds.' },
      '20',
    ])
    clock.time += 19_999
    const impatient = await retailer.get(ORDERS)
    expect([impatient.status, impatient.body.detail]).toEqual([
      429,
      'Request was throttled. Expected available in 1 second.',
    ])
    clock.time += 1
    expect((await retailer.get(ORDERS)).status).toBe(200)
    expect((await retailer.get(ORDERS)).status).toBe(429)
  })

  it('can say it as a date that is not too early', async () => {
    const { retailer, clock } = await openMarket({ switches: { rateLimitPerMinute: 1, retryAfter: 'date' } })
    clock.time = NOW + 500
    await retailer.get(ORDERS)
    expect((await retailer.get(ORDERS)).headers.get('retry-after')).toBe('Sat, 21 Nov 2026 02:16:01 GMT')
  })

  it('is for each client by itself', async () => {
    const { retailer, brand } = await openMarket({ switches: { rateLimitPerMinute: 1 } })
    expect((await retailer.get(ORDERS)).status).toBe(200)
    expect((await retailer.get(ORDERS)).status).toBe(429)
    expect((await brand.get(BRAND_ORDERS)).status).toBe(200)
  })

  it('saves up no more than a minute, and may be set while the service runs', async () => {
    const { service, retailer, clock } = await openMarket({ switches: { rateLimitPerMinute: 2 } })
    await retailer.get(ORDERS)
    clock.time += 3_600_000
    const statuses = []
    for (let index = 0; index < 3; index += 1) statuses.push((await retailer.get(ORDERS)).status)
    expect(statuses).toEqual([200, 200, 429])
    service.switches.rateLimitPerMinute = 0
    expect((await retailer.get(ORDERS)).status).toBe(200)
  })
})
