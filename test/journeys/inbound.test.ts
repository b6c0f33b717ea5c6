/** A retailer's files, from the inbox to the service and back as results. */
import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Summary } from '../../src/pipeline/inbound/summary.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { largeSamples } from '../samples/large.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

/** The sample a user sees: some two thousand orders in four and a half thousand rows, fifty of them damaged. */
const SAMPLE = 'orders/harbor-vine-week.csv'
const DAMAGED = largeSamples().orders
const GOOD = DAMAGED.filter((order) => order.damage.length === 0)

function readSample(): Promise<string> {
  return readFile(new URL(`../../samples/${SAMPLE}`, import.meta.url), 'utf8')
}

interface Outcome {
  readonly exit: number
  readonly posted: readonly string[]
  readonly summary: Summary
  readonly results: string
  readonly rejects: string
}

let processed: Promise<Outcome> | undefined

/** What comes of the sample, which is run once for all tests that only look at it. */
function processSample(): Promise<Outcome> {
  processed ??= (async () => {
    const world = await aWorld({ routes: ['orders'] })
    await world.drop('inbox/orders', 'orders.csv', await readSample())
    const { exit } = await world.run('orders')
    return {
      exit,
      posted: (await world.orders()).map((order) => order.purchase_order_number),
      summary: await summaryOf(world, 'orders.csv'),
      results: await world.read('results/orders.csv.results.csv'),
      rejects: await world.read('results/orders.csv.rejects.csv'),
    }
  })()
  return processed
}

async function summaryOf(world: World, name: string): Promise<Summary> {
  return JSON.parse(await world.read(`results/${name}.summary.json`)) as Summary
}

test('every good record of a damaged file is at the service exactly once, and the counts add up', async () => {
  const { exit, posted, summary } = await processSample()

  expect(exit).toBe(2)
  expect(posted.toSorted()).toEqual(GOOD.map((order) => order.po).toSorted())
  const { records, rows, codes } = summary
  expect(records).toEqual({ total: 2000, accepted: 1946, rejected: 54 })
  expect(rows.total).toBe(DAMAGED.reduce((sum, order) => sum + order.rows.length, 0))
  const expectedCodes = DAMAGED.flatMap((order) => order.damage)
  expect(Object.values(codes).reduce((sum, count) => sum + count, 0)).toBe(expectedCodes.length)
})

test('every problem of a bad record is reported at once, with its line, column, code, reason and fix', async () => {
  const { lines } = ordersFile(DAMAGED)

  const results = parseCsv((await processSample()).results)

  for (const order of DAMAGED.filter((each) => each.damage.length > 0)) {
    const [first, last] = lines.get(order) ?? [0, 0]
    const row = results.find((each) => Number(each['_line']) >= first && Number(each['_line']) <= last)
    expect(row?.['_status'], order.damage.join()).toBe('rejected')
    expect(row?.['_code']?.split(' | ').toSorted(), `lines ${first}-${last}: ${row?.['_message']}`).toEqual(
      order.damage,
    )
    expect(row?.['_message']).toMatch(/^line \d+/)
    expect(row?.['_fix']).not.toBe('')
  }
})

test('the rejects file holds the refused rows byte for byte, and nothing else', async () => {
  const { text, lines } = ordersFile(DAMAGED)

  const { rejects } = await processSample()

  const physical = text.split('\n').map((line) => `${line}\n`)
  const refused = DAMAGED.filter((order) => order.damage.length > 0).flatMap((order) => {
    const [first, last] = lines.get(order) ?? [0, 0]
    return physical.slice(first - 1, last)
  })
  expect(rejects).toBe([physical[0], ...refused].join(''))
})

test('a corrected rejects file that is dropped in sends just those records', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const orders = sampleOrders({ seed: 3, orders: 6, damageEvery: 3 })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  await world.run('orders')
  expect(world.service.counts().orders).toBe(4)
  const rejects = await world.read('results/orders.csv.rejects.csv')

  const corrected = rejects.replaceAll(',ZZ,', ',NY,').replaceAll(',two,', ',2,')
  await world.drop('inbox/orders', 'orders.csv.rejects.csv', corrected)
  const { exit } = await world.run('orders')

  expect(exit).toBe(0)
  expect((await summaryOf(world, 'orders.csv.rejects.csv')).records).toEqual({ total: 2, accepted: 2 })
  expect(world.service.counts().orders).toBe(6)
})

test('the same bytes under another name send nothing, and the result says which file was first', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const { text } = ordersFile(sampleOrders({ seed: 5, orders: 3, damageEvery: 0 }))
  await world.drop('inbox/orders', 'monday.csv', text)
  await world.run('orders')

  await world.drop('inbox/orders', 'tuesday.csv', text)
  const { exit } = await world.run('orders')

  expect(exit).toBe(0)
  expect(world.service.counts().orders).toBe(3)
  const [row] = parseCsv(await world.read('results/tuesday.csv.results.csv'))
  expect(row?.['_status']).toBe('duplicate')
  expect(row?.['_message']).toContain('monday.csv')
  expect((await summaryOf(world, 'tuesday.csv')).duplicateOf?.file).toBe('monday.csv')
})

test('orders that were accepted before are not sent again when they come in another file', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const orders = sampleOrders({ seed: 5, orders: 4, damageEvery: 0 })
  await world.drop('inbox/orders', 'monday.csv', ordersFile(orders.slice(0, 3)).text)
  await world.run('orders')

  await world.drop('inbox/orders', 'all.csv', ordersFile(orders).text)
  await world.run('orders')

  expect((await summaryOf(world, 'all.csv')).records).toEqual({ total: 4, duplicate: 3, accepted: 1 })
  expect(world.service.counts().orders).toBe(4)
})

test('the same name with other bytes is a new file, and its results overwrite nothing', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const orders = sampleOrders({ seed: 5, orders: 2, damageEvery: 0 })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders.slice(0, 1)).text)
  await world.run('orders')
  const before = await world.read('results/orders.csv.results.csv')

  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders.slice(1)).text)
  await world.run('orders')

  expect(await world.read('results/orders.csv.results.csv')).toBe(before)
  const [row] = parseCsv(await world.read('results/orders.csv~2.results.csv'))
  expect(row?.['PO Number']).toBe(orders[1]?.po)
  expect(world.service.counts().orders).toBe(2)
})

test('a file still being written is not taken, and the run reports it', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const { text } = ordersFile(sampleOrders({ seed: 5, orders: 2, damageEvery: 0 }))
  await world.drop('inbox/orders', 'orders.csv', text.slice(0, 100))
  const path = join(world.folder, 'exchange/inbox/orders/orders.csv')
  const { sleep } = world.clock
  world.clock.sleep = async (ms, signal) => {
    await appendFile(path, text.slice(100))
    await sleep(ms, signal)
    world.clock.sleep = sleep
  }

  await world.run('orders')

  expect(world.service.counts().orders).toBe(0)
  expect(await world.list('inbox/orders')).toEqual(['orders.csv'])
  expect(world.events).toContainEqual({
    kind: 'file-skipped',
    route: 'orders',
    file: path,
    why: 'it is still being written',
  })
  await world.run('orders')
  expect(world.service.counts().orders).toBe(2)
})

test('a file that no route takes is named', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.xlsx', 'not for us')

  const bridge = await world.open()
  const { unmatchedFiles } = await bridge.snapshot()
  await bridge.close()

  expect(unmatchedFiles.map((each) => each.path)).toEqual([
    join(world.folder, 'exchange/inbox/orders/orders.xlsx'),
  ])
})

test('a file that cannot be used comes back whole, with the reason, and stops no other', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const { text } = ordersFile(sampleOrders({ seed: 5, orders: 1, damageEvery: 0 }))
  await world.drop('inbox/orders', 'a-wrong.csv', 'Name,Colour\r\nTable,red\r\n')
  await world.drop('inbox/orders', 'b-right.csv', text)

  const { exit } = await world.run('orders')

  expect(exit).toBe(65)
  expect(world.service.counts().orders).toBe(1)
  expect(await world.read('results/a-wrong.csv.rejects.csv')).toBe('Name,Colour\r\nTable,red\r\n')
  const [row] = parseCsv(await world.read('results/a-wrong.csv.results.csv'))
  expect(row?.['_status']).toBe('rejected')
  expect(row?.['_message']).toContain('PO Number')
})

test('a file with a header and no rows is nothing to do', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile([]).text)

  const { exit } = await world.run('orders')

  expect(exit).toBe(0)
  expect((await summaryOf(world, 'orders.csv')).records).toEqual({ total: 0 })
})
