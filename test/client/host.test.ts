import { describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { createHostHealth, DEFAULT_HOST_LIMITS } from '../../src/client/retry.ts'
import { systemClock } from '../../src/support/clock.ts'
import { instantClock } from '../fixtures/instant-clock.ts'
import { hangUp, html, json, saysNothing, startMisbehavingServer } from '../fixtures/misbehaving-server.ts'
import { failureOf, setUp } from './setup.ts'

const order = { endpoint: 'createOrder', params: { retailer_id: 1000 }, body: '{}' }
const readOrder = { endpoint: 'getBrandOrder', params: { brand_id: 7, id: 42 } }

describe('a host that does not answer', () => {
  test('for half a minute is left in peace, and the next route does not wait for it again', async () => {
    const { server, client, clock } = await setUp()
    server.next(html(502))
    for (let call = 0; call < 9; call++) await client.send(order)
    await clock.sleep(30_000)
    await client.send(order)
    expect(server.received).toHaveLength(10)

    expect(await client.send(order)).toEqual({
      certainty: 'not-applied',
      detail: 'the request was not sent: the API has not answered for 30 seconds; it is tried again in 30',
      resting: true,
    })
    expect(await failureOf(client.get(readOrder))).toMatchObject({ code: 'api-unreachable' })
    expect(server.received).toHaveLength(10)
  })

  test('is tried with one request after its rest, and used again when that is answered', async () => {
    const { server, client, clock } = await setUp()
    server.next(html(502))
    for (let call = 0; call < 9; call++) await client.send(order)
    await clock.sleep(30_000)
    await client.send(order)
    await clock.sleep(30_000)

    server.next(json(201, { id: 5 }))
    const [first, second] = await Promise.all([client.send(order), client.send(order)])
    expect(first).toMatchObject({ status: 201 })
    expect(second).toMatchObject({ certainty: 'not-applied', resting: true })
    expect(await client.send(order)).toMatchObject({ status: 201 })
  })

  test('is left in peace too when it does not even give a token', async () => {
    const clock = instantClock()
    const host = createHostHealth(clock, { ...DEFAULT_HOST_LIMITS, failures: 3, failingMs: 0 })
    const { server, client } = await setUp({ clock, host })
    server.nextToken(hangUp)
    for (let call = 0; call < 4; call++) await client.send(order)
    expect(server.tokenRequests.length).toBeLessThan(8)
  })

  test('for a moment only is not left in peace', async () => {
    const { server, client } = await setUp()
    server.next(html(502))
    for (let call = 0; call < 30; call++) await client.send(order)
    expect(server.received).toHaveLength(30)
  })

  test('is tried again when the clock was set back while it rested', async () => {
    let now = 1_000_000
    const host = createHostHealth({ now: () => now, sleep: async () => undefined })
    const gone = { ended: 'no-answer', cause: new Error('gone') } as const
    for (let call = 0; call < 9; call++) host.observe(gone)
    now += 30_000
    host.observe(gone)
    expect(host.getPauseReason()).toContain('has not answered for 30 seconds')
    now -= 3_600_000
    expect(host.getPauseReason()).toBeUndefined()
  })
})

describe('tries more than the first', () => {
  test('are as many as the bridge has in hand, whatever the number of calls', async () => {
    const clock = instantClock()
    const host = createHostHealth(clock, { ...DEFAULT_HOST_LIMITS, retries: 6, retriesPerAnswer: 0 })
    const { server, client } = await setUp({ clock, host })
    server.next(json(429, {}))
    for (let call = 0; call < 10; call++) await client.send(order)
    expect(server.received).toHaveLength(10 + 6)
  })

  test('are earned again by answers', async () => {
    const clock = instantClock()
    const host = createHostHealth(clock, { ...DEFAULT_HOST_LIMITS, retries: 1, retriesPerAnswer: 0.5 })
    const { server, client } = await setUp({ clock, host })
    server.next(json(429, {}), json(201, {}), json(201, {}))
    await client.send(order)
    await client.send(order)
    server.next(json(429, {}), json(201, {}))
    expect(await client.send(order)).toMatchObject({ status: 201 })
  })
})

describe('when the program is asked to stop', () => {
  test('a call that waits for its next try is given back at once', async () => {
    const server = await startMisbehavingServer()
    const client = createClient({
      baseUrl: server.url,
      clientId: 'a',
      clientSecret: 'b',
      clock: systemClock,
      random: () => 1,
      retry: { baseMs: 600_000, maxMs: 600_000, budgetMs: 3_600_000 },
    })
    onTestFinished(async () => {
      await server.close()
      await client.close()
    })
    server.next(json(429, {}))
    const call = client.send(order)
    while (server.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    client.shutdown(10_000)
    expect(await call).toMatchObject({ certainty: 'not-applied', status: 429 })
  })

  test('a call that hangs is cut off in the end, and its answer is unknown', async () => {
    const { server, client } = await setUp({ timeoutMs: 600_000 })
    server.next(saysNothing)
    const call = client.send(order)
    while (server.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    client.shutdown(20)
    expect(await call).toEqual({
      certainty: 'unknown',
      detail: 'the answer was lost: the bridge was stopped',
    })
  })

  test('closing does not wait for a call that hangs', async () => {
    const { server, client } = await setUp({ timeoutMs: 600_000 })
    server.next(saysNothing)
    const call = client.send(order)
    while (server.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    client.shutdown(20)
    await client.close()
    expect(await call).toMatchObject({ certainty: 'unknown' })
  })
})
