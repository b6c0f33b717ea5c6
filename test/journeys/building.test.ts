/** Records that mappings skip, unpack and check against totals, from the inbox to the service and back as results. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Summary } from '../../src/pipeline/inbound/summary.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { aWorld, type World } from '../fixtures/world.ts'

const MAPPINGS = new URL('../../mappings/', import.meta.url)

/** A world whose orders come through the ready mapping with more keys in it. */
async function worldWith(keys: string): Promise<World> {
  const world = await aWorld({ routes: ['orders'] })
  const ready = await readFile(new URL('retailer-orders.yaml', MAPPINGS), 'utf8')
  const text = ready
    .replace('body:', `${keys}\nbody:`)
    .replace('tables/ship-via.csv', new URL('tables/ship-via.csv', MAPPINGS).pathname)
    .replace(/examples:[^]*/, '')
  const mappingPath = join(world.folder, 'orders.yaml')
  await writeFile(mappingPath, text)
  for (const route of world.configuration.routes) Object.assign(route, { mappingPath })
  return world
}

async function summaryOf(world: World, name: string): Promise<Summary> {
  return JSON.parse(await world.read(`results/${name}.summary.json`)) as Summary
}

/** The results of a file, each as line, status and problem codes. */
async function readOutcomes(world: World, name: string): Promise<(string | undefined)[][]> {
  const rows = parseCsv(await world.read(`results/${name}.results.csv`))
  return rows.map((row) => [row['_line'], row['_status'], row['_code']])
}

const HEADER = 'Status,PO Number,Order Date,Recipient,Address 1,City,State,Zip,Ship Via,SKU,Qty,Cost,Retail'
const ADA = '11/20/2026 10:00,Ada Park,12 Mill Road,Albany,NY,12207,FedEx Ground'

test('a record that the mapping does not take ends as skipped with its reason, and is no reject', async () => {
  const world = await worldWith('only: { Status: Ready }')
  const lines = [
    HEADER,
    `Ready,HV-1,${ADA},HV-10002,1,12.50,24.99`,
    `Void,HV-2,${ADA},HV-10002,1,12.50,24.99`,
    `Void,HV-2,${ADA},HV-10004,1,12.50,24.99`,
    `Ready,HV-3,${ADA},HV-10002,none,12.50,24.99`,
  ]
  await world.drop('inbox/orders', 'orders.csv', lines.join('\n'))

  const { exit } = await world.run('orders')

  expect(exit).toBe(2)
  expect((await world.orders()).map((order) => order.purchase_order_number)).toEqual(['HV-1'])
  expect(await readOutcomes(world, 'orders.csv')).toEqual([
    ['2', 'accepted', ''],
    ['3', 'skipped', 'left-out'],
    ['5', 'rejected', 'integer-expected'],
  ])
  expect(await world.read('results/orders.csv.rejects.csv')).toBe(`${lines[0]}\n${lines[4]}`)
  expect(await summaryOf(world, 'orders.csv')).toMatchObject({
    records: { total: 3, accepted: 1, skipped: 1, rejected: 1 },
    rows: { total: 4, refused: 1 },
  })
})

test('a file whose records are all skipped is done, and the run is a success', async () => {
  const world = await worldWith('only: { Status: Ready }')
  await world.drop('inbox/orders', 'orders.csv', `${HEADER}\nVoid,HV-2,${ADA},HV-10002,1,12.50,24.99\n`)

  const { exit } = await world.run('orders')

  expect(exit).toBe(0)
  expect(world.service.counts().orders).toBe(0)
  expect(await world.list('inbox/orders')).toEqual([])
  expect(await readOutcomes(world, 'orders.csv')).toEqual([['2', 'skipped', 'left-out']])
})

test('a refused order whose lines are packed in one row is once in the rejects', async () => {
  const world = await worldWith('lines: { split: "|", columns: [SKU, Qty, Cost, Retail] }')
  const lines = [
    HEADER,
    `,HV-1,${ADA},HV-10002|HV-10004,1|2,12.50|8,24.99|15`,
    `,HV-2,${ADA},HV-10002|HV-10004,1|two,12.50|8,24.99|15`,
    `,HV-3,${ADA},HV-10002|HV-10004,1|2|3,12.50|8,24.99|15`,
  ]
  await world.drop('inbox/orders', 'orders.csv', `${lines.join('\n')}\n`)

  await world.run('orders')

  const [order] = await world.orders()
  expect(order?.order_lines.map(({ quantity }) => quantity)).toEqual([1, 2])
  expect(await readOutcomes(world, 'orders.csv')).toEqual([
    ['2', 'accepted', ''],
    ['3', 'rejected', 'integer-expected'],
    ['4', 'rejected', 'lines-uneven'],
  ])
  expect(await world.read('results/orders.csv.rejects.csv')).toBe(`${lines[0]}\n${lines[2]}\n${lines[3]}\n`)
  expect(await summaryOf(world, 'orders.csv')).toMatchObject({
    rows: { total: 3, refused: 2 },
    refusedLines: 2,
  })
})

const TOTALS = 'totals: { when: { PO Number: TOTALS }, records: Recipient, sum: { Qty: Qty } }'
const TWO_ORDERS = `${HEADER}
,HV-1,${ADA},HV-10002,1,12.50,24.99
,HV-2,${ADA},HV-10002,3,12.50,24.99
`

test('R23: a file whose totals do not agree is not sent', async () => {
  const world = await worldWith(TOTALS)
  const text = `${TWO_ORDERS},TOTALS,,3,,,,,,,4,,\n`
  await world.drop('inbox/orders', 'orders.csv', text)

  const { exit } = await world.run('orders')

  expect(exit).toBe(65)
  expect(world.service.counts().orders).toBe(0)
  const [row, ...others] = parseCsv(await world.read('results/orders.csv.results.csv'))
  expect(others).toEqual([])
  expect(row).toMatchObject({
    _status: 'rejected',
    _code: 'control-total-wrong',
    _message: 'line 4, column "Recipient": The totals say "3", but the file holds 2 records.',
  })
  expect(await world.read('results/orders.csv.rejects.csv')).toBe(text)
})

test('R23: a file whose totals agree is sent', async () => {
  const world = await worldWith(TOTALS)
  await world.drop('inbox/orders', 'orders.csv', `${TWO_ORDERS},TOTALS,,2,,,,,,,4,,\n`)

  const { exit } = await world.run('orders')

  expect(exit).toBe(0)
  expect(world.service.counts().orders).toBe(2)
})

test('R24, O7: a file that repeats what was sent and adds to it sends what is new', async () => {
  const world = await worldWith('')
  const first = `${HEADER}\n,HV-1,${ADA},HV-10002,1,12.50,24.99\n`
  await world.drop('inbox/orders', 'monday.csv', first)
  await world.run('orders')
  await world.drop('inbox/orders', 'tuesday.csv', `${first},HV-2,${ADA},HV-10002,3,12.50,24.99\n`)

  const { exit } = await world.run('orders')

  expect(exit).toBe(0)
  expect(await readOutcomes(world, 'tuesday.csv')).toEqual([
    ['2', 'duplicate', 'record-repeated'],
    ['3', 'accepted', ''],
  ])
  expect(world.service.counts().orders).toBe(2)
})

test('O9: each record is on its own; a wrong one does not hold back the others', async () => {
  const world = await worldWith('')
  await world.drop('inbox/orders', 'orders.csv', TWO_ORDERS.replace(',3,12.50', ',no,12.50'))

  await world.run('orders')

  expect(await readOutcomes(world, 'orders.csv')).toEqual([
    ['2', 'accepted', ''],
    ['3', 'rejected', 'integer-expected'],
  ])
})
