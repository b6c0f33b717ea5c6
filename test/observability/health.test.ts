/** /livez, /readyz and /metrics, asked over HTTP; and the metrics checked against the rules of Prometheus. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ALERTS } from '../../src/domain/alert.ts'
import type { Snapshot } from '../../src/domain/snapshot.ts'
import { createLiveness, startHealthServer } from '../../src/observability/health.ts'
import { createMetrics, METRICS } from '../../src/observability/metrics.ts'
import { instantClock } from '../fixtures/instant-clock.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { writeFile } from 'node:fs/promises'

const EMPTY: Snapshot = {
  disks: [],
  at: Date.UTC(2026, 10, 21),
  alerts: [],
  routes: [],
  scheduledRuns: [],
  files: [],
  deliveries: [],
  held: [],
  heldRecords: [],
  waiting: [],
  unfinished: [],
  unmatchedFiles: [],
  watches: [],
}

async function aBridge() {
  const clock = instantClock()
  const journalPath = join(await tempFolder(), 'journal.db')
  await writeFile(journalPath, '')
  const routes = ['orders', 'shipments-out']
  const pulse = createLiveness(clock, journalPath, routes)
  const metrics = createMetrics({ routes, notifications: ['ops'], version: '1.2.3', clock })
  onTestFinished(metrics.close)
  const server = await startHealthServer({
    host: '127.0.0.1',
    port: 0,
    hostNames: ['bridge.example'],
    live: pulse.live,
    ready: pulse.ready,
    metrics,
  })
  onTestFinished(() => server.close())
  const ask = async (path: string, method = 'GET') => {
    const answer = await fetch(server.url + path, { method })
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }
  }
  return { clock, pulse, metrics, ask, url: server.url, journalPath }
}

test('a bridge that makes passes is alive, and one without progress for minutes is not', async () => {
  const { clock, pulse, ask } = await aBridge()

  expect((await ask('/livez')).status).toBe(200)
  clock.advance(300_000)
  expect(await ask('/livez')).toMatchObject({ status: 503 })
  pulse.recordBeat()
  expect((await ask('/livez')).status).toBe(200)
})

test('a bridge whose last pass failed is not ready, says which route and why, and is ready again after a good pass', async () => {
  const { pulse, ask } = await aBridge()

  pulse.observe({ kind: 'pass-ended', route: 'orders', ms: 5, failure: 'api-unreachable' })
  const down = await ask('/readyz')
  pulse.observe({ kind: 'pass-ended', route: 'orders', ms: 5 })
  const up = await ask('/readyz')

  expect(down.status).toBe(503)
  expect(JSON.parse(down.text)).toMatchObject({
    ready: false,
    journal: 'ok',
    routes: { orders: { failure: 'api-unreachable' }, 'shipments-out': { lastPass: null } },
  })
  expect(up.status).toBe(200)
  expect(JSON.parse(up.text)).toMatchObject({ ready: true })
})

test('a route that works again is ready before its next pass', async () => {
  const { pulse, ask } = await aBridge()

  pulse.observe({ kind: 'pass-ended', route: 'orders', ms: 5, failure: 'mailbox-unreachable' })
  pulse.observe({ kind: 'route-recovered', route: 'orders' })

  expect((await ask('/readyz')).status).toBe(200)
})

test('a route that another bridge works on makes no bridge unready', async () => {
  const { pulse, ask } = await aBridge()

  pulse.observe({ kind: 'pass-ended', route: 'orders', ms: 5, failure: 'lease-held' })

  expect((await ask('/readyz')).status).toBe(200)
})

test('a bridge whose journal is gone is not ready', async () => {
  const clock = instantClock()
  const pulse = createLiveness(clock, '/nowhere/journal.db', [])

  expect(await pulse.ready()).toMatchObject({ ok: false, details: { journal: 'it cannot be written' } })
})

test('only reading is allowed, and only what is there', async () => {
  const { ask } = await aBridge()

  expect((await ask('/metrics', 'POST')).status).toBe(405)
  expect((await ask('/metrics', 'HEAD')).text).toBe('')
  expect((await ask('/../../etc/passwd')).status).toBe(404)
})

test('an address that another program has is refused, with the reason and what to do', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', () => resolve()))
  onTestFinished(() => void other.close())
  const { port } = other.address() as { port: number }
  const { pulse, metrics } = await aBridge()
  const taken = { host: '127.0.0.1', port, hostNames: [], live: pulse.live, ready: pulse.ready, metrics }

  await expect(startHealthServer(taken)).rejects.toThrow(
    /EADDRINUSE.*: another program listens there.*set health\.listen to a free port/,
  )
})

test('events count files, records, deliveries and passes by their route and outcome', async () => {
  const { clock, metrics, ask } = await aBridge()
  const { observe } = metrics
  const beganAt = clock.now()
  clock.advance(60_000)

  observe({ kind: 'file-received', route: 'orders', file: 'a.csv', bytes: 100 })
  const records = { accepted: 3, rejected: 1 }
  observe({ kind: 'file-reported', route: 'orders', file: 'a.csv', outcome: 'processed', records })
  observe({
    kind: 'file-reported',
    route: 'orders',
    file: 'a.csv',
    outcome: 'processed',
    records,
    again: true,
  })
  observe({ kind: 'file-closed', route: 'orders', file: 'a.csv', outcome: 'processed' })
  observe({ kind: 'delivered', route: 'shipments-out', file: 's.csv', records: 2 })
  observe({ kind: 'delivery-acknowledged', route: 'shipments-out', file: 's.csv', records: { accepted: 2 } })
  observe({ kind: 'pass-ended', route: 'orders', ms: 9 })
  observe({ kind: 'pass-ended', route: 'shipments-out', ms: 9, failure: 'mailbox-unreachable' })
  observe({ kind: 'notification-failed', notification: 'ops', id: 'n', why: 'no' })
  metrics.recordCall('createOrder', 'ok', 0.02)

  const { text, type } = await ask('/metrics')
  expect(type).toContain('text/plain; version=0.0.4')
  const lines = text.split('\n')
  for (const line of [
    'dropbridge_build_info{version="1.2.3"} 1',
    'dropbridge_files_received_total{route="orders"} 1',
    'dropbridge_files_received_total{route="shipments-out"} 0',
    'dropbridge_received_bytes_total{route="orders"} 100',
    'dropbridge_records_total{route="orders",outcome="accepted"} 3',
    'dropbridge_records_total{route="orders",outcome="rejected"} 1',
    'dropbridge_files_total{route="orders",outcome="processed"} 1',
    'dropbridge_deliveries_total{route="shipments-out"} 1',
    'dropbridge_delivered_records_total{route="shipments-out"} 2',
    'dropbridge_acknowledged_records_total{route="shipments-out",outcome="accepted"} 2',
    'dropbridge_passes_total{route="orders",outcome="done"} 1',
    'dropbridge_passes_total{route="orders",outcome="failed"} 0',
    'dropbridge_passes_total{route="shipments-out",outcome="failed"} 1',
    'dropbridge_route_failures_total{route="shipments-out",code="mailbox-unreachable"} 1',
    `dropbridge_last_success_timestamp_seconds{route="orders"} ${clock.now() / 1000}`,
    `dropbridge_last_success_timestamp_seconds{route="shipments-out"} ${beganAt / 1000}`,
    'dropbridge_notifications_total{notification="ops",outcome="failed"} 1',
    'dropbridge_api_call_duration_seconds_bucket{le="0.025",endpoint="createOrder",outcome="ok"} 1',
  ]) {
    expect(lines).toContain(line)
  }
})

test('the gauges are those of the snapshot, and the oldest work grows older between two of them', async () => {
  const { clock, metrics, ask } = await aBridge()
  const incoming = { accepted: 5, held: 2, uncertain: 1 }
  const route = { route: 'orders', files: { planned: 2, closed: 9 }, incoming, outgoing: {}, deliveries: {} }
  const alert = {
    code: 'records-held' as const,
    subject: 'a',
    since: 1,
    message: 'held',
    fix: 'decide',
  }
  const disk = { places: ['/srv/state', 'erp:inbox'], freeBytes: 5e8, sizeBytes: 2e9, isFull: false }
  metrics.update(
    { ...EMPTY, alerts: [alert], disks: [disk], routes: [{ ...route, owner: 'me' }] },
    new Map([['orders', clock.now() - 60_000]]),
  )
  clock.advance(30_000)

  const lines = (await ask('/metrics')).text.split('\n')
  for (const line of [
    'dropbridge_unfinished_files{route="orders"} 2',
    'dropbridge_unfinished_files{route="shipments-out"} 0',
    'dropbridge_open_records{route="orders",state="held"} 2',
    'dropbridge_open_records{route="orders",state="uncertain"} 1',
    'dropbridge_oldest_unfinished_age_seconds{route="orders"} 90',
    'dropbridge_lease_held{route="orders"} 1',
    'dropbridge_disk_free_bytes{folder="/srv/state"} 500000000',
    'dropbridge_disk_size_bytes{folder="/srv/state"} 2000000000',
    'dropbridge_alerts{code="records-held"} 1',
    'dropbridge_alerts{code="expected-file-missing"} 0',
  ]) {
    expect(lines).toContain(line)
  }
})

test('every metric has help and a type, names its unit, and counters end with _total', async () => {
  const { metrics, ask } = await aBridge()
  metrics.update(EMPTY, new Map())
  const { text } = await ask('/metrics')
  const types = new Map(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  )
  const helps = new Set([...text.matchAll(/^# HELP (\S+) \S/gm)].map(([, name]) => name))
  const samples = [...text.matchAll(/^([a-z_]+)(?:\{([^}]*)\})? (\S+)/gm)]

  expect(samples.length).toBeGreaterThan(50)
  for (const [, name = '', , value] of samples) {
    const family = types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '')
    expect(types.has(family), name).toBe(true)
    expect(helps.has(family), name).toBe(true)
    // Means of Node's own metrics are NaN until something was measured; metrics of the bridge never are.
    expect(Number(value) >= 0 || !name.startsWith('dropbridge_'), name).toBe(true)
  }
  for (const [name, type] of types) {
    if (!name.startsWith('dropbridge_')) continue
    expect(name.endsWith('_total'), name).toBe(type === 'counter')
    expect(name, 'base units').not.toMatch(/_(ms|milliseconds|minutes|hours|kb|mb|megabytes)(_|$)/)
    expect(name).toMatch(/^[a-z][a-z0-9_]*$/)
    expect(Object.keys(METRICS)).toContain(name)
  }
})

test('the numbers of metrics are bounded by what is configured', async () => {
  const { metrics, ask } = await aBridge()
  for (let index = 0; index < 500; index++) {
    metrics.observe({ kind: 'file-received', route: 'orders', file: `file-${index}.csv`, bytes: 1 })
    metrics.observe({ kind: 'file-closed', route: 'orders', file: `file-${index}.csv`, outcome: 'processed' })
  }
  const own = (await ask('/metrics')).text.split('\n').filter((line) => line.startsWith('dropbridge_'))

  expect(own.length).toBeLessThan(60 + Object.keys(ALERTS).length)
})

test('only own host names and known paths without a query are answered', async () => {
  const { url, ask } = await aBridge()
  const askAs = async (host: string) => {
    const { hostname, port } = new URL(url)
    const call = request({ hostname, port, path: '/metrics', headers: { host } }).end()
    const [response] = (await once(call, 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode
  }

  expect(await Promise.all(['localhost', '127.0.0.1:1', '[::1]', 'bridge.example:80'].map(askAs))).toEqual([
    200, 200, 200, 200,
  ])
  expect(await Promise.all(['rebound.example', 'rebound.example:9465'].map(askAs))).toEqual([421, 421])
  expect((await ask('/metrics?name=orders')).status).toBe(400)
})

test('a connection that sends no whole header is ended after five seconds', async () => {
  const { url } = await aBridge()
  const { hostname, port } = new URL(url)
  const began = performance.now()
  const sockets = ['', 'GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Slow: '].map((start) => {
    const socket = connect(Number(port), hostname)
    socket.write(start)
    socket.on('error', () => undefined)
    socket.resume()
    return socket
  })

  await Promise.all(sockets.map((socket) => once(socket, 'close')))

  expect(performance.now() - began).toBeLessThan(9000)
}, 20_000)
