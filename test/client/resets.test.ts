/** Requests that are broken off: which bytes the server still gets, over HTTP and over TLS. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Client, createClient } from '../../src/client/client.ts'
import { makeCertificate } from '../fixtures/certificate.ts'
import { instantClock } from '../fixtures/instant-clock.ts'
import { token } from '../fixtures/misbehaving-server.ts'

/** What the server received on one connection. */
interface Seen {
  readonly socket: Socket
  text: string
  /** How the client ended the connection: `end`, or the code of an error. */
  readonly ended: Promise<string>
}

type Protocol = 'http' | 'https'

/** Answers a request for a token. The test decides what happens to a request for an order. */
async function startServer(protocol: Protocol, onOrder: (socket: Socket, count: number) => void) {
  const connections: Seen[] = []
  let orders = 0
  const accept = (socket: Socket) => {
    const seen: Seen = { socket, text: '', ended: endOf(socket) }
    connections.push(seen)
    socket.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1')
      if (text.includes('/auth/token/')) return answer(socket, token('t'))
      seen.text += text
      if (text.startsWith('POST ')) onOrder(socket, ++orders)
    })
  }
  const server = protocol === 'http' ? createServer(accept) : createTlsServer(makeCertificate(), accept)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const { socket } of connections) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, connections }
}

function clientOf(protocol: Protocol, port: number) {
  const client = createClient({
    baseUrl: `${protocol}://127.0.0.1:${port}`,
    clientId: 'acme',
    clientSecret: 'secret',
    clock: instantClock(),
    random: () => 0,
    timeoutMs: 300,
    connections: 1,
    retry: { attempts: 1 },
  })
  onTestFinished(() => client.close())
  return client
}

async function setUp(protocol: Protocol, onOrder: (socket: Socket, count: number) => void) {
  // The program has no setting for an own certificate; it asks Node, which reads the environment.
  if (protocol === 'https') vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  onTestFinished(() => void vi.unstubAllEnvs())
  const { port, connections } = await startServer(protocol, onOrder)
  return { connections, client: clientOf(protocol, port) }
}

function orderNamed(name: string, padding = 0) {
  const body = JSON.stringify({ purchase_order_number: name, note: 'x'.repeat(padding) })
  return { endpoint: 'createOrder', params: { retailer_id: 1000 }, body }
}

/** Fits into the sender's buffer, and not into the receiver's. */
const LARGE = 1_000_000

function answer(socket: Socket, body: unknown): void {
  const text = JSON.stringify(body)
  socket.write(`HTTP/1.1 201 Created\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
}

function endOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.on('end', () => resolve('end'))
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    socket.on('close', () => resolve('close'))
  })
}

/** Reads what is left, and returns all that came of requests for orders. */
async function readRest([seen]: readonly Seen[]): Promise<string> {
  if (seen === undefined) throw new Error('nobody has connected')
  seen.socket.resume()
  await seen.ended
  return seen.text
}

const pauses = (socket: Socket) => void socket.pause()

describe.each(['http', 'https'] as const)('over %s', (protocol) => {
  test('a request that reaches its deadline resets its connection', async () => {
    const { client, connections } = await setUp(protocol, () => {})
    expect(await client.send(orderNamed('PO-1'))).toMatchObject({ certainty: 'unknown' })
    expect(await connections[0]?.ended).toBe('ECONNRESET')
  })

  test('the rest of a request that reaches its deadline is not sent', async () => {
    const { client, connections } = await setUp(protocol, pauses)
    const order = orderNamed('PO-1', LARGE)
    expect(await client.send(order)).toMatchObject({ certainty: 'unknown' })
    expect((await readRest(connections)).length).toBeLessThan(order.body.length)
  })

  test('a small request that waits in the buffers at its deadline is not sent', async () => {
    const { client, connections } = await setUp(protocol, (socket) => {
      socket.pause()
      answer(socket, { id: 5 }) // the answer to the large request, whose rest fills the buffers
    })
    expect(await client.send(orderNamed('PO-1', LARGE))).toMatchObject({ status: 201 })
    expect(await client.send(orderNamed('PO-2'))).toMatchObject({ certainty: 'unknown' })
    expect(connections).toHaveLength(1)
    expect((await readRest(connections)).includes('PO-2')).toBe(false)
  })

  test('the rest of a request that a stop cuts off is not sent', async () => {
    const { client, connections } = await setUp(protocol, (socket) => {
      socket.pause()
      client.shutdown(0)
    })
    const order = orderNamed('PO-1', LARGE)
    expect(await client.send(order)).toMatchObject({ certainty: 'unknown' })
    expect((await readRest(connections)).length).toBeLessThan(order.body.length)
  })

  test('an answered request leaves its connection to the next one', async () => {
    const { client, connections } = await setUp(protocol, (socket) => answer(socket, { id: 5 }))
    for (const name of ['PO-1', 'PO-2', 'PO-3']) {
      expect(await client.send(orderNamed(name))).toMatchObject({ status: 201 })
    }
    expect(connections).toHaveLength(1)
  })

  test.each([
    ['the client is closed', (client: Client) => void client.close()],
    ['the work is cut off', (client: Client) => client.shutdown(0)],
  ])('a connection without a request is closed and not reset when %s', async (_, stop) => {
    const { client, connections } = await setUp(protocol, (socket) => answer(socket, { id: 5 }))
    expect(await client.send(orderNamed('PO-1'))).toMatchObject({ status: 201 })
    stop(client)
    expect(await connections[0]?.ended).toBe('end')
  })

  test('after a reset the next request gets a new connection', async () => {
    const { client, connections } = await setUp(protocol, (socket, count) => {
      if (count > 1) answer(socket, { id: 5 })
    })
    expect(await client.send(orderNamed('PO-1'))).toMatchObject({ certainty: 'unknown' })
    expect(await client.send(orderNamed('PO-2'))).toMatchObject({ status: 201 })
    expect(connections).toHaveLength(2)
  })
})

describe('an encrypted connection', () => {
  test('is refused when its certificate is not trusted, and nothing is sent', async () => {
    const { port, connections } = await startServer('https', () => {})
    const result = await clientOf('https', port).send(orderNamed('PO-1'))
    expect(result).toMatchObject({ certainty: 'not-applied' })
    expect('detail' in result && result.detail).toContain('the request was not sent: ')
    expect(connections.map(({ text }) => text).join('')).toBe('')
  })

  test('is given up when the handshake gets no answer, and nothing is sent', async () => {
    const { port } = await startServer('http', () => {})
    const result = await clientOf('https', port).send(orderNamed('PO-1'))
    expect(result).toMatchObject({ certainty: 'not-applied' })
    expect('detail' in result && result.detail).toContain('UND_ERR_CONNECT_TIMEOUT')
  })
})
