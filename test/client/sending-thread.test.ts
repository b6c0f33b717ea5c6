/** A transport whose requests leave from a thread of its own, beside one without it. The thread runs the built program. */
import diagnostics from 'node:diagnostics_channel'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Worker } from 'node:worker_threads'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { openBusyTransport } from '../../src/client/sending-thread.ts'
import type { Exchange, Transport, TransportRequest } from '../../src/client/transport.ts'
import { createRenewal, readMoment, systemClock } from '../../src/support/clock.ts'

const GET: TransportRequest = { method: 'GET', path: '/' }
const POST: TransportRequest = { method: 'POST', path: '/', body: '{"name":"Zoë"}' }
const HEADERS = ['content-type', 'application/json']

type Answer = (response: ServerResponse, body: string) => void

const ok: Answer = (response) => void response.end('ok')

const workers: Worker[] = []
beforeAll(() => void process.on('worker', (worker) => workers.push(worker)))

/** Requests that this thread sends itself. */
let sentHere = 0
beforeAll(() => diagnostics.subscribe('undici:request:create', () => sentHere++))

async function startServer() {
  let answer = ok
  let atOnce = 0
  let mostAtOnce = 0
  const received: string[] = []
  const server = createServer((request, response) => {
    mostAtOnce = Math.max(mostAtOnce, ++atOnce)
    response.on('close', () => atOnce--)
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      received.push(body)
      answer(response, body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  onTestFinished(close)
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answerWith: (next: Answer) => void (answer = next),
    received,
    mostAtOnce: () => mostAtOnce,
    close,
  }
}

function open(
  origin: string,
  { connections = 4, idleMs = 60_000, afterRequests = 0, hasThread = true } = {},
) {
  const options = { origin, clock: systemClock, timeoutMs: 5000, connections }
  const settings = { afterRequests: hasThread ? afterRequests : Infinity, idleShare: 0, idleMs }
  const transport = openBusyTransport(options, settings)
  onTestFinished(() => transport.close())
  return transport
}

/** Sends until a request leaves from the other thread. */
async function moveToThread(transport: Transport): Promise<void> {
  await vi.waitFor(async () => {
    const before = sentHere
    await transport.exchange(GET, [])
    expect(sentHere).toBe(before)
  }, 20_000)
}

async function openInThread(origin: string, options: Parameters<typeof open>[1] = {}) {
  const transport = open(origin, options)
  await moveToThread(transport)
  return transport
}

/** What the client reads of an exchange. */
function readExchange(exchange: Exchange) {
  if (exchange.ended !== 'answer') {
    const { message, name } = exchange.cause
    return { ended: exchange.ended, message, name, code: (exchange.cause as NodeJS.ErrnoException).code }
  }
  const { headers, bytes, ...rest } = exchange
  const { date: _, ...others } = headers
  return { ...rest, headers: others, bytes: bytes && [...bytes] }
}

const answers: Readonly<Record<string, Answer>> = {
  'a success': (response, body) =>
    void response.writeHead(201, { link: '</?page=2>; rel="next"', 'x-two': ['a', 'b'] }).end(body),
  'an empty success': (response) => void response.writeHead(204).end(),
  'a refusal': (response) => void response.writeHead(400).end('{"errors":["Größe"]}'),
  'a server that is away': (response) => void response.writeHead(503, { 'retry-after': '7' }).end('<html>'),
  'a redirect': (response) => void response.writeHead(302, { location: 'http://elsewhere.example/' }).end(),
  'a body cut short': (response) => {
    response.writeHead(200, { 'content-length': '100' }).write('short')
    setTimeout(() => response.destroy(), 20)
  },
  'a connection that breaks before an answer': (response) => void response.destroy(),
}

test.for(Object.entries(answers))('%s ends the same with the thread and without it', async ([, answer]) => {
  const server = await startServer()
  const threaded = await openInThread(server.origin)
  const inline = open(server.origin, { hasThread: false })
  server.answerWith(answer)
  for (const request of [POST, { ...GET, wantsFile: true }]) {
    const before = sentHere
    const one = readExchange(await threaded.exchange(request, HEADERS))
    expect(sentHere).toBe(before)
    expect(one).toEqual(readExchange(await inline.exchange(request, HEADERS)))
  }
  expect(server.received).toContain(POST.body)
})

test('a server that no longer listens gets nothing, and the cause keeps its code', async () => {
  const server = await startServer()
  const transport = await openInThread(server.origin)
  await server.close()
  await vi.waitFor(async () => {
    const exchange = await transport.exchange(POST, HEADERS)
    expect(readExchange(exchange)).toMatchObject({ ended: 'nothing-sent', code: 'ECONNREFUSED' })
  })
})

/** Its only connection waits for an answer until `release`. */
async function openBusy(server: Awaited<ReturnType<typeof startServer>>) {
  const transport = await openInThread(server.origin, { connections: 1 })
  const held: ServerResponse[] = []
  server.answerWith((response) => void held.push(response))
  const first = transport.exchange(GET, [])
  await vi.waitFor(() => expect(held).toHaveLength(1))
  const release = async () => {
    server.answerWith(ok)
    held[0]?.end()
    await first
  }
  return { transport, release }
}

test('a request that waits for a connection is not sent after its lease has run out', async () => {
  const server = await startServer()
  const { transport, release } = await openBusy(server)
  const renewal = createRenewal(150)
  renewal.moment.set(readMoment(systemClock))
  const late = transport.exchange(POST, HEADERS, { isValid: () => true, renewal })
  await systemClock.sleep(300)
  await release()
  expect(readExchange(await late)).toMatchObject({
    ended: 'nothing-sent',
    message: 'the right to send was lost before a byte of it left',
  })
  expect(server.received).not.toContain(POST.body)
})

test('a lease that is renewed while the request waits lets it leave', async () => {
  const server = await startServer()
  const { transport, release } = await openBusy(server)
  const renewal = createRenewal(60_000)
  const waiting = transport.exchange(POST, HEADERS, { isValid: () => false, renewal })
  await systemClock.sleep(50)
  renewal.moment.set(readMoment(systemClock))
  await release()
  expect(await waiting).toMatchObject({ ended: 'answer', status: 200 })
})

test('requests of a thread that dies have no answer, and the next ones are sent without it', async () => {
  const server = await startServer()
  const transport = await openInThread(server.origin)
  const held: ServerResponse[] = []
  server.answerWith((response) => void held.push(response))
  const lost = transport.exchange(POST, HEADERS)
  await vi.waitFor(() => expect(held).toHaveLength(1))
  server.answerWith(ok)
  await Promise.all(workers.splice(0).map((worker) => worker.terminate()))
  expect(await lost).toMatchObject({ ended: 'no-answer' })
  expect(await transport.exchange(POST, HEADERS)).toMatchObject({ ended: 'answer', status: 200 })
  await moveToThread(transport)
})

test('no more connections than allowed are used while sending moves to the thread', async () => {
  const server = await startServer()
  server.answerWith((response) => void setTimeout(() => response.end('ok'), 5))
  const transport = open(server.origin, { connections: 3, afterRequests: 20 })
  const send = () => transport.exchange(POST, HEADERS)
  for (let round = 0; round < 40; round++) {
    const exchanges = await Promise.all(Array.from({ length: 10 }, send))
    expect(exchanges.every(({ ended }) => ended === 'answer')).toBe(true)
  }
  await moveToThread(transport)
  expect(server.mostAtOnce()).toBe(3)
})

test('after a while without requests, the connections come back', async () => {
  const server = await startServer()
  const transport = await openInThread(server.origin, { idleMs: 30, afterRequests: 1 })
  await systemClock.sleep(200)
  const before = sentHere
  expect(await transport.exchange(GET, [])).toMatchObject({ ended: 'answer' })
  expect(sentHere).toBe(before + 1)
})

test('closing waits for the answers on their way, and nothing is sent after it', async () => {
  const server = await startServer()
  const transport = await openInThread(server.origin)
  server.answerWith((response) => void setTimeout(() => response.end('ok'), 100))
  const exchange = transport.exchange(POST, HEADERS)
  await transport.close()
  expect(await exchange).toMatchObject({ ended: 'answer', status: 200 })
  expect(await transport.exchange(POST, HEADERS)).toMatchObject({ ended: 'nothing-sent' })
})

test('an abort ends the requests that the server does not answer', async () => {
  const server = await startServer()
  const transport = await openInThread(server.origin)
  server.answerWith(() => undefined)
  const count = server.received.length
  const exchange = transport.exchange(POST, HEADERS)
  await vi.waitFor(() => expect(server.received).toHaveLength(count + 1))
  await transport.abortAll()
  expect(readExchange(await exchange)).toMatchObject({
    ended: 'no-answer',
    message: 'the bridge was stopped',
  })
})
