/** A watch from outside: health, metrics and the page while it works, and its log when it ends. */
import { appendFile, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { listeningTerminal } from '../fixtures/terminal.ts'
import { writeConfigurationFile } from '../fixtures/configuration-file.ts'
import { aWorld } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

async function aWatch(...routes: string[]) {
  const world = await aWorld({ routes: ['orders'] })
  const env = await writeConfigurationFile(world)
  await appendFile(
    join(world.folder, 'dropbridge.yaml'),
    'health: { listen: "127.0.0.1:0" }\nstatus: { page: exchange/STATUS.html }\nwatch: { scan: 1s }\n',
  )
  const stop = new AbortController()
  const { terminal, err } = listeningTerminal({
    folder: world.folder,
    env,
    signal: stop.signal,
  })
  const ended = runCommandLine(terminal, ['watch', ...routes])
  onTestFinished(async () => {
    stop.abort()
    await ended.catch(() => undefined)
  })
  const lines = () => err.map((line) => JSON.parse(line) as Record<string, unknown>)
  const has = async (code: string) => {
    await expect.poll(() => lines().map((line) => line['code']), { timeout: 10_000 }).toContain(code)
  }
  return { world, err, lines, has, stop, ended }
}

test('a watch serves its health, its metrics and its page while it works, and stops serving them when it ends', async () => {
  const { world, lines, has, stop, ended } = await aWatch()
  await has('health.served')
  const url = String(lines().find(({ code }) => code === 'health.served')?.['url'])
  await world.drop(
    'inbox/orders',
    'monday.csv',
    ordersFile(sampleOrders({ seed: 3, orders: 3, damageEvery: 0 })).text,
  )
  await has('file.closed')
  await expect.poll(async () => (await fetch(`${url}/readyz`)).json()).toMatchObject({ ready: true })
  const metrics = await (await fetch(`${url}/metrics`)).text()
  await expect
    .poll(() => readFile(join(world.folder, 'exchange', 'STATUS.html'), 'utf8'), { timeout: 10_000 })
    .toContain('monday.csv')
  const live = await fetch(`${url}/livez`)
  stop.abort()

  expect(await ended).toBe(0)
  expect(live.status).toBe(200)
  expect(metrics).toContain('dropbridge_records_total{route="orders",outcome="accepted"} 3')
  expect(metrics).toMatch(
    /dropbridge_api_call_duration_seconds_count\{endpoint="createOrder",outcome="ok"\} 3/,
  )
  await expect(fetch(`${url}/livez`)).rejects.toThrow('fetch failed')
  expect(lines().at(-1)).toMatchObject({ code: 'watch.stopped', level: 'info' })
})

test('a watch whose inbox cannot be listed is not ready and counts the failures', async () => {
  const { world, lines, has } = await aWatch()
  await has('health.served')
  const url = String(lines().find(({ code }) => code === 'health.served')?.['url'])
  const exchange = join(world.folder, 'exchange')
  await rename(exchange, `${exchange}-unmounted`)

  await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 10_000 }).toBe(503)
  const ready: unknown = await (await fetch(`${url}/readyz`)).json()
  const metrics = await (await fetch(`${url}/metrics`)).text()

  expect(ready).toMatchObject({ ready: false, routes: { orders: { failure: 'mailbox-unreachable' } } })
  expect(metrics).toMatch(/dropbridge_passes_total\{route="orders",outcome="failed"\} [1-9]/)
  expect(metrics).toMatch(
    /dropbridge_route_failures_total\{route="orders",code="mailbox-unreachable"\} [1-9]/,
  )
  expect(metrics).toMatch(/dropbridge_last_success_timestamp_seconds\{route="orders"\} \d/)
})

test('an unknown route ends a watch before it serves anything', async () => {
  const { ended, err } = await aWatch('ordres')

  expect(await ended).toBe(64)
  expect(err).toEqual([expect.stringContaining('ordres'), expect.stringContaining('explain usage-wrong')])
})
