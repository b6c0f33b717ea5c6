/** `dropbridge export`: a person reads records of a list, and nothing changes by it. */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { writeConfigurationFile } from '../fixtures/configuration-file.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { listeningTerminal } from '../fixtures/terminal.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 91, orders: 4, damageEvery: 0 })
const NUMBERS = ORDERS.map((order) => order.po)

interface Output {
  readonly exit: number
  readonly out: string
  readonly err: readonly string[]
}

let world: World
let env: NodeJS.ProcessEnv

beforeEach(async () => {
  world = await aWorld({ routes: ['orders', 'orders-out'] })
  env = await writeConfigurationFile(world)
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders')
})

async function dropbridge(...args: readonly string[]): Promise<Output> {
  const out: Uint8Array[] = []
  const { terminal, err } = listeningTerminal({
    folder: world.folder,
    clock: world.clock,
    env,
    out: (line: string) => void out.push(Buffer.from(`${line}\n`)),
    outBytes: (bytes: Uint8Array) => Promise.resolve(void out.push(bytes)),
  })
  const exit = await runCommandLine(terminal, args)
  return { exit, out: Buffer.concat(out).toString(), err }
}

const numbersIn = (text: string) =>
  [...new Set(parseCsv(text).map((row) => row['PO Number'] ?? ''))].toSorted()

test('without a filter it shows what would go out, and neither acknowledges nor remembers anything', async () => {
  const first = await dropbridge('export', 'orders-out')
  const run = await world.run('orders-out')
  const afterwards = await dropbridge('export', 'orders-out')

  expect(first.exit).toBe(0)
  expect(numbersIn(first.out)).toEqual(NUMBERS)
  expect(first.err).toEqual(['orders-out: 4 records; nothing was acknowledged'])
  expect(run.exit).toBe(0)
  expect(numbersIn(await world.read('outbox/orders-1.csv'))).toEqual(NUMBERS)
  expect(first.out).toBe(await world.read('outbox/orders-1.csv'))
  expect(afterwards.err).toEqual(['orders-out: 0 records; nothing was acknowledged'])
})

test('with filters it shows the records that match, acknowledged or not', async () => {
  await world.run('orders-out')
  const ids = (await world.orders()).map(({ id }) => String(id))

  const byNumber = await dropbridge(
    'export',
    'orders-out',
    '--po',
    NUMBERS[2] ?? '',
    '--po',
    'HV-9',
    '--status',
    'open',
  )
  const byId = await dropbridge('export', 'orders-out', '--id', ids[0] ?? '', '--id', ids[1] ?? '')
  const byTime = await dropbridge('export', 'orders-out', '--since', '2026-11-01', '--until', '2026-12-01')
  const before = await dropbridge('export', 'orders-out', '--until', '2026-11-01')

  expect(byNumber.exit).toBe(2)
  expect(numbersIn(byNumber.out)).toEqual([NUMBERS[2]])
  expect(byNumber.err).toEqual([
    'orders-out: 1 record; nothing was acknowledged',
    'orders-out: not found: HV-9',
  ])
  const listed = await dropbridge('export', 'orders-out', '--po', 'HV-8,HV-9')
  expect(listed.err).toContain(
    'orders-out: not found: HV-8,HV-9. A comma belongs to the number: give each with a --po or --id of its own',
  )
  expect([byId.exit, numbersIn(byId.out).length]).toEqual([0, 2])
  expect([byTime.exit, numbersIn(byTime.out)]).toEqual([0, NUMBERS])
  expect([before.exit, before.err]).toEqual([0, ['orders-out: 0 records; nothing was acknowledged']])
  expect(world.service.counts().acknowledgedOrders).toBe(4)
})

test('it writes a new file, and never over another one', async () => {
  const path = join(world.folder, 'orders.csv')

  const first = await dropbridge('export', 'orders-out', '--out', 'orders.csv')
  const again = await dropbridge('export', 'orders-out', '--out', 'orders.csv')

  expect([first.exit, first.out, first.err]).toEqual([
    0,
    '',
    [`orders-out: ${path}: 4 records; nothing was acknowledged`],
  ])
  expect(numbersIn(await readFile(path, 'utf8'))).toEqual(NUMBERS)
  expect(again.exit).toBe(74)
  expect(again.err[0]).toBe(`dropbridge: ${path} is there already, and nothing is overwritten`)
})

test('a file in a folder that is not there is answered with the folder to make', async () => {
  const { exit, err } = await dropbridge('export', 'orders-out', '--out', 'none/orders.csv')
  expect(exit).toBe(74)
  expect(err.join('\n')).toContain('fix: Its folder is not there: make it, or name another place')
})

test('with --json it prints the records as the API shows them, one on each line', async () => {
  const { exit, out } = await dropbridge('export', 'orders-out', '--json')

  expect(exit).toBe(0)
  const records = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { purchase_order_number: string })
  expect(records.map((record) => record.purchase_order_number).toSorted()).toEqual(NUMBERS)
})

test('order attributes are written as in any export', async () => {
  const route = world.configuration.routes.find((each) => each.name === 'orders-out')
  const mappingPath = join(world.folder, 'kept.yaml')
  const text = `operation: export-orders
columns: { PO Number: purchase_order_number, ERP: { kept: erp_id } }
`
  await writeFile(mappingPath, text)
  Object.assign(route ?? {}, { mappingPath })
  env = await writeConfigurationFile(world)
  const bridge = await world.open()
  await bridge.journal.saveOrderAttributes('brand/2000', [
    { key: NUMBERS[1] ?? '', values: { erp_id: '4711' } },
  ])
  await bridge.close()

  const { exit, out } = await dropbridge('export', 'orders-out')

  expect(exit).toBe(0)
  expect(parseCsv(out).map((row) => [row['PO Number'], row['ERP']])).toEqual(
    NUMBERS.map((number, index) => [number, index === 1 ? '4711' : '']),
  )
})

test('it needs no journal, and so blocks no other command', async () => {
  const fresh = await aWorld({ routes: ['orders', 'orders-out'] })
  env = await writeConfigurationFile(fresh)
  world = fresh

  const { exit } = await dropbridge('export', 'orders-out')

  expect(exit).toBe(0)
  await expect(stat(join(fresh.folder, 'state'))).rejects.toMatchObject({ code: 'ENOENT' })
})

test('filters that cannot be asked are reported in the terms of the command line, all at once', async () => {
  const wrong = await dropbridge('export', 'orders-out', '--status', 'opne', '--since', 'lately', '--id', 'x')
  const inbound = await dropbridge('export', 'orders')
  const unknown = await dropbridge('export', 'orders-ou')
  const twice = await dropbridge('export', 'orders-out', '--out', 'a', '--out', 'b')
  const ids = await dropbridge('export', 'orders-out', '--id', 'a', '--id', 'b')

  expect(wrong.exit).toBe(64)
  expect(wrong.err.slice(0, 5)).toEqual([
    'dropbridge: orders-out cannot be asked for this',
    '  --status: must be one of open, partial, closed, canceled; give --status once for each. Did you mean "open"?',
    '  --since: must be now, today, yesterday, a time back from now such as 24h or 7d (m, h, d or w), a date such as 2026-11-01, or a time such as 2026-11-01T08:00.',
    '  --id: must be an id of the API, such as 4711.',
    '  --id: the ids say by themselves which records are meant: take away status, ordered_at.',
  ])
  expect([inbound.exit, inbound.err[0]]).toEqual([
    64,
    'dropbridge: the route orders takes files in and writes none; the routes that write files are orders-out',
  ])
  expect([unknown.exit, unknown.err[0]]).toEqual([
    64,
    'dropbridge: there is no route "orders-ou" that writes files. Did you mean "orders-out"?',
  ])
  expect(ids.err.filter((line) => line.includes('--id: must be an id'))).toHaveLength(1)
  expect([twice.exit, twice.err[0]]).toEqual([64, 'dropbridge: --out is given more than once.'])
})

test('a held record is named by its purchase order number and its id, by export and by run', async () => {
  const route = world.configuration.routes.find((each) => each.name === 'orders-out')
  const mappingPath = join(world.folder, 'required.yaml')
  const text = `operation: export-orders
columns: { PO Number: purchase_order_number, Depot: { from: ship_to.name2, required: true } }
`
  await writeFile(mappingPath, text)
  Object.assign(route ?? {}, { mappingPath })
  env = await writeConfigurationFile(world)
  const order = (await world.orders()).find(
    (each) => (each as { ship_to: { name2?: unknown } }).ship_to.name2 === null,
  )

  const exported = await dropbridge('export', 'orders-out')
  const run = await dropbridge('run', 'orders-out')

  const line = `    order ${order?.purchase_order_number} (id ${order?.id}) is held: column "Depot" is blank. Fill the value in at the API, or give the column a \`default\` in the mapping.`
  expect([exported.exit, run.exit]).toEqual([2, 2])
  expect(exported.err).toContain(line)
  expect([run.out, ...run.err].join('\n')).toContain(line)
})
