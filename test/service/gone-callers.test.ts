/** Callers that go away while a refusal is on its way to them: a refused request never takes effect. */
import { once } from 'node:events'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Switches } from '../../src/service/switches.ts'
import { BRAND_ORDERS, type Market, NOW, openMarket, orderBody, ORDERS, placeOrder } from './market.ts'

interface Leaving {
  readonly method: string
  readonly path: string
  readonly token: string
  readonly body?: string
}

/** A market whose callers go away at the moment in which an answer to them is held back. */
async function marketOfLeavers(): Promise<Market & { leave: (request: Leaving) => Promise<void> }> {
  let whenHeld: (() => Promise<void>) | undefined
  const clock = {
    now: () => NOW,
    sleep: async () => {
      const once = whenHeld
      whenHeld = undefined
      await once?.()
    },
  }
  const market = await openMarket({ clock })
  const { service } = market
  const leave = async ({ method, path, token, body }: Leaving) => {
    const connected = once(service.app.server, 'connection') as Promise<[Socket]>
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const headers = { authorization: `Bearer ${token}`, ...type }
    const caller = request(service.baseUrl + path, { method, headers, agent: false }).on('error', () => {})
    const gone = new Promise<void>((resolve) => {
      whenHeld = async () => {
        const [socket] = await connected
        const closed = once(socket, 'close')
        caller.destroy()
        await closed
        await someTurns()
        resolve()
      }
    })
    service.switches.latencyMs = 1
    caller.end(body)
    await gone
    service.switches.latencyMs = 0
    await someTurns()
  }
  return { ...market, leave }
}

/** Yields as often as a request needs from its arrival to its answer, and some more. */
async function someTurns(): Promise<void> {
  for (let index = 0; index < 20; index++) await setImmediate()
}

const place = (token: string): Leaving => ({
  method: 'POST',
  path: ORDERS,
  token,
  body: JSON.stringify(orderBody('PO-1')),
})

it('never carries out a request of a caller without a good token', async () => {
  const { service, leave } = await marketOfLeavers()
  await leave(place('guessed'))
  expect(service.counts().orders).toBe(0)
})

it('never carries out a request for the account of another party', async () => {
  const { service, brand, leave } = await marketOfLeavers()
  await leave(place(brand.token))
  expect(service.counts().orders).toBe(0)
})

it('never acknowledges for a caller that may not', async () => {
  const market = await marketOfLeavers()
  const id = await placeOrder(market, 'PO-1')
  await market.leave({
    method: 'PUT',
    path: `${BRAND_ORDERS}${id}/acknowledge/`,
    token: market.retailer.token,
  })
  expect((await market.brand.get(`${BRAND_ORDERS}${id}/`)).body.acknowledged_at).toBeNull()
})

it.each(['error500Before', 'html502Before', 'tooMany429', 'expiredToken'] satisfies (keyof Switches)[])(
  'does nothing where the fault %s strikes before the work',
  async (fault) => {
    const { service, retailer, leave } = await marketOfLeavers()
    service.switches[fault] = 1
    await leave(place(retailer.token))
    expect([service.counts().orders, service.faults[fault]]).toEqual([0, 1])
  },
)
