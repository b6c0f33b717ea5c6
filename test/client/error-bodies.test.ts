/** Bodies of error answers: read up to a bound of bytes and time, then cut off. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { openTransport } from '../../src/client/transport.ts'
import { systemClock } from '../../src/support/clock.ts'

/** Sends one request to a server that answers 500 with this body, with a deadline of a minute. */
async function requestError(write: (response: ServerResponse) => void) {
  const server = createServer((_, response) => {
    response.writeHead(500, { 'content-type': 'text/plain' })
    write(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const transport = openTransport({ origin, clock: systemClock, timeoutMs: 60_000, connections: 1 })
  const began = performance.now()
  const exchange = await transport.exchange({ method: 'GET', path: '/' }, [])
  return { exchange, ms: performance.now() - began, transport }
}

test('an error body without an end is cut off after 64 KiB, and the status counts', async () => {
  const { exchange, ms } = await requestError((response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(10_000)));
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  })

  expect(exchange).toMatchObject({ ended: 'answer', status: 500, whole: false })
  expect(exchange.ended === 'answer' && exchange.text.length).toBe(64 * 1024)
  expect(ms).toBeLessThan(5000)
})

test('an error body that trickles is cut off after five seconds, and not at the deadline of the call', async () => {
  const { exchange, ms } = await requestError((response) => {
    const timer = setInterval(() => response.write('x'), 100)
    response.once('close', () => clearInterval(timer))
  })

  expect(exchange).toMatchObject({ ended: 'answer', status: 500, whole: false })
  expect(exchange.ended === 'answer' && exchange.text).toMatch(/^x{20,60}$/)
  expect(ms).toBeGreaterThan(4500)
  expect(ms).toBeLessThan(9000)
}, 20_000)
