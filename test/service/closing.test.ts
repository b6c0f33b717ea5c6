/** Closing the service while callers are in the middle of something. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { sampleCatalogue } from '../../src/service/sample-seed.ts'
import { BRAND_ORDERS, type Market, openMarket, orderBody, ORDERS, placeOrder } from './market.ts'

/** A caller of its own, that may send half a request. */
async function callerOn({ service }: Market): Promise<Socket & { received: () => string }> {
  const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1')
  const pieces: Buffer[] = []
  socket.on('error', () => undefined).on('data', (piece: Buffer) => pieces.push(piece))
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return Object.assign(socket, { received: () => Buffer.concat(pieces).toString('latin1') })
}

const HALF_A_BODY =
  'POST /auth/token/ HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 100\r\n\r\ngrant'

it.each([
  ['half a body', HALF_A_BODY],
  [
    'the headers of a second request',
    'GET /v1/carriers/ HTTP/1.1\r\nhost: localhost\r\n\r\nGET /v1/carriers/ HTTP/1.1\r\nho',
  ],
  [
    'a refused request whose body does not come',
    `POST ${ORDERS} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
  ],
])('is not held up by %s', async (_what, half) => {
  const market = await openMarket()
  const caller = await callerOn(market)
  const arrived = once(market.service.app.server, 'request')
  caller.write(half)
  await arrived
  if (half !== HALF_A_BODY) await vi.waitUntil(() => caller.received().includes('401'))
  const ended = once(caller, 'close')

  await market.service.close()

  await ended
  expect(caller.received()).not.toContain(' 200 ')
})

/** A caller that has requested more than fits on the way to it, and does not read. */
async function callerThatWaits(market: Market, latencyMs = 0) {
  const lines = sampleCatalogue()
    .filter(({ brandIdentifier }) => brandIdentifier.startsWith('NL-'))
    .slice(0, 100)
    .map(({ id }) => ({ variant: { id }, quantity: 1, net_price: '1.00', price: '1.00' }))
  const numbers = Array.from({ length: 60 }, (_, index) => `PO-${index}`)
  await Promise.all(numbers.map((number) => placeOrder(market, number, { order_lines: lines })))
  market.service.switches.latencyMs = latencyMs
  const caller = await callerOn(market)
  caller.pause()
  const answering = once(market.service.app.server, 'request')
  const authorization = `authorization: Bearer ${market.retailer.token}`
  caller.write(`GET ${ORDERS}?limit=60 HTTP/1.1\r\nhost: localhost\r\n${authorization}\r\n\r\n`)
  const [, answer] = (await answering) as [unknown, { writableEnded: boolean; writableFinished: boolean }]
  return { caller, answer }
}

it('lets a slow reader have its answer whole', async () => {
  const market = await openMarket()
  const { caller, answer } = await callerThatWaits(market)
  await vi.waitUntil(() => answer.writableEnded)
  expect(answer.writableFinished).toBe(false)

  const closed = market.service.close()
  const ended = once(caller, 'close')
  await new Promise((resolve) => setTimeout(resolve, 100))
  caller.resume()
  await Promise.all([closed, ended])

  const [head = '', body = ''] = caller.received().split('\r\n\r\n')
  expect(body.length).toBe(Number(/content-length: (\d+)/.exec(head)?.[1]))
  expect(body.length).toBeGreaterThan(4_000_000)
})

it.each([
  ['already made', false],
  ['still being made', true],
])(
  'does not wait for ever for a reader that reads nothing of an answer that is %s',
  async (_what, isLate) => {
    const market = await openMarket()
    const { answer } = await callerThatWaits(market, isLate ? 300 : 0)
    if (!isLate) await vi.waitUntil(() => answer.writableEnded)
    expect(answer.writableEnded).toBe(!isLate)

    await market.service.close()

    expect(answer).toMatchObject({ writableEnded: true, writableFinished: false })
  },
  20_000,
)

it('answers each of several requests that came at once', async () => {
  const market = await openMarket()
  const ids = [await placeOrder(market, 'PO-1'), await placeOrder(market, 'PO-2')]
  market.service.switches.latencyMs = 100
  const caller = await callerOn(market)
  const acknowledge = (id: number) =>
    `PUT ${BRAND_ORDERS}${id}/acknowledge/ HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${market.brand.token}\r\n\r\n`
  caller.write(ids.map(acknowledge).join(''))
  await vi.waitUntil(() => market.service.counts().acknowledgedOrders === 2)
  const ended = once(caller, 'close')

  await market.service.close()

  await ended
  expect(caller.received()).toMatch(/^HTTP\/1\.1 200 /)
})

it('carries out the requests of callers that hung up, and ends without an error', async () => {
  const market = await openMarket()
  const caller = await callerOn(market)
  const form = 'grant_type=client_credentials&client_id=nobody&client_secret=none'
  const type = 'application/x-www-form-urlencoded'
  const ask = `POST /auth/token/ HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${type}\r\ncontent-length: ${form.length}\r\n\r\n${form}`
  let arrived = 0
  const manyCame = new Promise<void>((resolve) => {
    market.service.app.server.on('request', () => {
      if (++arrived === 15_000) resolve()
    })
  })
  caller.write(ask.repeat(20_000))
  await manyCame

  // A failure of background work is an unhandled error, which fails the run.
  const closed = market.service.close()
  caller.resetAndDestroy()
  await closed
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(market.service.app.server.listening).toBe(false)
})

it('accepts no new connection', async () => {
  const market = await openMarket({ switches: { latencyMs: 200 } })
  const answer = market.retailer.post(ORDERS, orderBody('PO-1'))
  await vi.waitUntil(() => market.service.counts().orders === 1)
  const closed = market.service.close()
  expect((await answer).status).toBe(201)
  await closed
  await expect(fetch(market.service.baseUrl)).rejects.toThrow('fetch failed')
})
