/** What the service does not answer: other host names, half a header, guesses without end, unknown parameters. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { SERVED_ENDPOINTS } from '../../src/service/endpoints.ts'
import { listQueryParameters } from '../../src/service/http/filters.ts'
import { createParameters } from '../../src/service/openapi/parameters.ts'
import type { Service } from '../../src/service/service.ts'
import { askToken, CREDENTIALS, openMarket, ORDERS } from './market.ts'

const [harbor, northlight] = CREDENTIALS

/** The status of a GET with this `Host`. */
async function askAs(service: Service, host: string, path = '/openapi.json'): Promise<number | undefined> {
  const { hostname, port } = new URL(service.baseUrl)
  const call = request({ hostname, port, path, headers: { host } }).end()
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

describe('host names', () => {
  it('of the machine and addresses are answered, and those of others are not', async () => {
    const { service } = await openMarket()
    const { port } = new URL(service.baseUrl)
    const own = ['localhost', `localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, 'LOCALHOST.']
    const others = ['rebound.example', `rebound.example:${port}`, 'localhost.rebound.example']

    for (const host of own) expect([host, await askAs(service, host)]).toEqual([host, 200])
    for (const host of others) expect([host, await askAs(service, host)]).toEqual([host, 421])
    expect(await askAs(service, 'rebound.example', ORDERS)).toBe(421)
  })

  it('that it is started with are its own', async () => {
    const { service } = await openMarket({ hostNames: ['orders.example'] })

    expect(await askAs(service, 'Orders.example:80')).toBe(200)
  })
})

it('a connection that sends no whole header is ended after ten seconds', async () => {
  const { service } = await openMarket()
  const { hostname, port } = new URL(service.baseUrl)
  const began = performance.now()
  const sockets = ['', 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nX-Slow: '].map((start) => {
    const socket = connect(Number(port), hostname)
    socket.write(start)
    socket.on('error', () => undefined)
    socket.resume()
    return socket
  })

  await Promise.all(sockets.map((socket) => once(socket, 'close')))

  expect(performance.now() - began).toBeLessThan(14_000)
}, 30_000)

describe('guesses of a secret', () => {
  const guess = (service: Service, secret: string, clientId: string = harbor.clientId) =>
    askToken(service, { grant_type: 'client_credentials', client_id: clientId, client_secret: secret })

  it('must wait longer each time, and a right one counts again after the wait', async () => {
    const { service, clock } = await openMarket()

    const first = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((secret) => guess(service, secret)))
    const sixth = await guess(service, harbor.clientSecret)
    clock.time += 1000
    const seventh = await guess(service, 'f')
    const eighth = await guess(service, 'g')
    clock.time += 2000
    const right = await guess(service, harbor.clientSecret)
    const after = await guess(service, 'h')

    expect(first.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401])
    expect([sixth.status, sixth.headers.get('retry-after')]).toEqual([429, '1'])
    expect(seventh.status).toBe(401)
    expect([eighth.status, eighth.headers.get('retry-after')]).toEqual([429, '2'])
    expect([right.status, after.status]).toEqual([200, 401])
  })

  it('of one client leave others alone, and unknown clients are no way round', async () => {
    const { service } = await openMarket()

    for (let each = 0; each < 6; each += 1) await guess(service, 'x', 'nobody')

    expect((await guess(service, 'x', 'nobody')).status).toBe(429)
    expect((await guess(service, northlight.clientSecret, northlight.clientId)).status).toBe(200)
  })
})

describe('unknown query parameters', () => {
  it('are refused with the one that may be meant, before anything is done', async () => {
    const { retailer, service } = await openMarket()

    const wrong = await retailer.get(`${ORDERS}?is_aknowledged=0&statuss=open&limit=5`)
    const token = await fetch(`${service.baseUrl}/auth/token/?client_secret=x`, { method: 'POST' })

    expect([wrong.status, wrong.body]).toEqual([
      400,
      {
        is_aknowledged: ['There is no such parameter. Did you mean "is_acknowledged"?'],
        statuss: ['There is no such parameter. Did you mean "status"?'],
      },
    ])
    expect(token.status).toBe(400)
  })

  it('pass where a switch says so', async () => {
    const { retailer } = await openMarket({ switches: { unknownParameters: 'ignore' } })

    expect((await retailer.get(`${ORDERS}?utm_source=mail`)).status).toBe(200)
  })

  it('are those that the documentation does not have', () => {
    for (const endpoint of Object.values(SERVED_ENDPOINTS)) {
      const documented = createParameters(endpoint).filter((each) => each.in === 'query')
      expect([...listQueryParameters(endpoint)].toSorted()).toEqual(
        documented.map(({ name }) => name).toSorted(),
      )
    }
  })
})
