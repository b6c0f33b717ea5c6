/** Long files: their records are planned block by block, while those of earlier blocks are sent. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Journal } from '../../src/domain/journal.ts'
import { createRepeatedRecordFinder } from '../../src/pipeline/inbound/blocks.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { aWorld, type World, type WorldOptions } from '../fixtures/world.ts'
import { ordersFile, type SampleOrder, sampleOrders } from '../samples/orders.ts'

const ROUTES = ['orders']
const MAPPING = new URL('../../mappings/retailer-orders.yaml', import.meta.url)
const BLOCKS = { fromBytes: 0, records: 3 }

/** A world in which every file is a long one. */
const aLongWorld = (more: WorldOptions = {}) => aWorld({ routes: ROUTES, blocks: BLOCKS, ...more })

/** What a result row says besides ids and times. */
const OUTCOME = ['PO Number', '_line', '_record', '_status', '_http', '_code', '_column', '_message', '_fix']

async function outcomes(world: World, name = 'orders.csv') {
  const rows = parseCsv(await world.read(`results/${name}.results.csv`))
  return rows.map((row) => Object.fromEntries(OUTCOME.map((column) => [column, row[column]])))
}

/** Calls `before` with the name of each call of the journal. */
function watchJournal(before: (name: string, args: readonly unknown[]) => void | Promise<void>) {
  return (journal: Journal): Journal =>
    new Proxy(journal, {
      get: (target, name: keyof Journal) => {
        const method = target[name] as (...args: unknown[]) => Promise<unknown>
        return async (...args: unknown[]) => {
          await before(name, args)
          return method(...args)
        }
      },
    })
}

async function runWatched(world: World, before: Parameters<typeof watchJournal>[0]) {
  const bridge = await world.open({ journal: watchJournal(before) })
  try {
    return await bridge.run(ROUTES, new AbortController().signal)
  } finally {
    await bridge.close()
  }
}

test('a file gives the same results in blocks as planned whole', async () => {
  const orders = sampleOrders({ seed: 11, orders: 40, damageEvery: 5 })
  const file = ordersFile(orders)
  const [whole, long] = [await aWorld({ routes: ROUTES }), await aLongWorld()]
  for (const world of [whole, long]) {
    await world.drop('inbox/orders', 'orders.csv', file.text)
    await world.run('orders')
  }

  const found = await outcomes(long)
  expect(found.length).toBeGreaterThanOrEqual(orders.length)
  expect(found).toEqual(await outcomes(whole))
  expect(await long.read('results/orders.csv.rejects.csv')).toBe(
    await whole.read('results/orders.csv.rejects.csv'),
  )
  expect((await long.orders()).map((order) => order.purchase_order_number).toSorted()).toEqual(
    (await whole.orders()).map((order) => order.purchase_order_number).toSorted(),
  )
})

test('the first record leaves before the last is planned', async () => {
  const world = await aLongWorld()
  const orders = sampleOrders({ seed: 12, orders: 30, damageEvery: 0 })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)

  const blocks: number[] = []
  await runWatched(world, (name, args) => {
    if (addedBy(name, args).length > 0) blocks.push(addedBy(name, args).length)
  })

  expect(blocks).toEqual(Array.from({ length: 10 }, () => 3))
  expect(await world.orders()).toHaveLength(30)
})

/** The records that a call of the journal adds together with the start of attempts. */
function addedBy(name: string, args: readonly unknown[]): readonly { readonly number: number }[] {
  if (name !== 'startAttempts') return []
  return (args[3] as { added?: { number: number }[] } | undefined)?.added ?? []
}

const [ONE, TWO] = sampleOrders({ seed: 13, orders: 2, damageEvery: 0 }) as [SampleOrder, SampleOrder]

/** The second one under the number of the first. */
function renamed(order: SampleOrder, po: string): SampleOrder {
  return { ...order, po, rows: order.rows.map((row) => ({ ...row, 'PO Number': po })) }
}

test('both versions of an order far apart in the file are refused, and nothing of them was sent', async () => {
  const world = await aLongWorld()
  const others = sampleOrders({ seed: 14, orders: 20, damageEvery: 0, firstNumber: 20_001 })
  const file = ordersFile([ONE, ...others, renamed(TWO, ONE.po)])
  await world.drop('inbox/orders', 'orders.csv', file.text)

  await world.run('orders')

  const versions = (await outcomes(world)).filter((row) => row['PO Number'] === ONE.po)
  expect(new Set(versions.map((row) => `${row['_status']} ${row['_code']}`))).toEqual(
    new Set(['rejected key-conflict']),
  )
  expect((await world.orders()).map((order) => order.purchase_order_number).toSorted()).toEqual(
    others.map(({ po }) => po).toSorted(),
  )
})

/** The mapping of the route with other text, in a file of its own. */
async function remap(world: World, change: (text: string) => string): Promise<void> {
  const [route] = world.configuration.routes
  if (route === undefined) throw new Error('the world has a route')
  const path = join(world.folder, 'changed.yaml')
  const [text = ''] = (await readFile(MAPPING, 'utf8')).split('examples:')
  const tables = new URL('tables/', MAPPING).pathname
  await writeFile(path, change(text.replace('file: tables/', `file: ${tables}`)))
  Object.assign(route, { mappingPath: path })
}

test('a file whose totals differ at its end is refused whole, and nothing of it was sent', async () => {
  const world = await aLongWorld()
  await remap(world, (text) => `${text}\ntotals: { when: { PO Number: TOTALS }, records: SKU }\n`)
  const { text } = ordersFile(sampleOrders({ seed: 16, orders: 20, damageEvery: 0 }))
  const [header = ''] = text.split('\r\n')
  const cells = header.split(',').map((name) => ({ 'PO Number': 'TOTALS', SKU: '21' })[name] ?? '')
  await world.drop('inbox/orders', 'orders.csv', `${text}${cells.join(',')}\r\n`)

  await world.run('orders')

  expect(JSON.parse(await world.read('results/orders.csv.summary.json'))).toMatchObject({
    outcome: 'unusable',
  })
  expect(await world.orders()).toEqual([])
})

test('once the same refusal stopped the file, the rest of it is planned and held', async () => {
  const orders = sampleOrders({ seed: 17, orders: 20, damageEvery: 0 })
  const unknown = orders.map((order) => ({
    ...order,
    rows: order.rows.slice(0, 1).map((row) => ({ ...row, SKU: 'NOT-OFFERED', UPC: '' })),
  }))
  const world = await aLongWorld()
  Object.assign(world.configuration.routes[0] ?? {}, { circuitBreaker: { sameRefusal: 2 } })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(unknown).text)

  await world.run('orders')

  const statuses = (await outcomes(world)).map((row) => `${row['_status']} ${row['_code']}`)
  expect(statuses.slice(0, 2)).toEqual(Array.from({ length: 2 }, () => 'rejected item-unknown'))
  expect(statuses.slice(2)).toEqual(Array.from({ length: 18 }, () => 'held circuit-breaker-open'))
})

test('after an interruption the rest is planned from the next record on, and each order is there once', async () => {
  const world = await aLongWorld()
  const orders = sampleOrders({ seed: 15, orders: 30, damageEvery: 0 })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  let planned = 0
  const failing = runWatched(world, (name, args) => {
    if (addedBy(name, args).length > 0 && ++planned === 5) throw new Error('the power fails')
  })
  await expect(failing).resolves.toMatchObject({ routes: [{ kind: 'failed' }] })
  const sentBefore = (await world.orders()).length
  expect(sentBefore).toBeGreaterThan(0)
  expect(sentBefore).toBeLessThan(orders.length)

  world.clock.skip(60_000)
  const numbers: number[] = []
  await runWatched(world, (name, args) => {
    numbers.push(...addedBy(name, args).map((each) => each.number))
  })

  expect(numbers).toEqual(Array.from({ length: 30 - 12 }, (_, index) => 13 + index))
  expect((await world.orders()).map((order) => order.purchase_order_number).toSorted()).toEqual(
    orders.map(({ po }) => po).toSorted(),
  )
  expect((await outcomes(world)).map((row) => row['_status'])).toEqual(
    (await outcomes(world)).map(() => 'accepted'),
  )
})

test('a mapping that divides the half-sent file otherwise is refused, and the old one finishes it', async () => {
  const world = await aLongWorld()
  const orders = sampleOrders({ seed: 18, orders: 30, damageEvery: 0 })
  expect(orders.some(({ rows }) => rows.length > 1)).toBe(true)
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  await remap(world, (text) => text)
  let planned = 0
  await runWatched(world, (name, args) => {
    if (addedBy(name, args).length > 0 && ++planned === 8) throw new Error('the power fails')
  })
  world.clock.skip(60_000)
  const sentBefore = (await world.orders()).length

  await remap(world, (text) => text.replace('group: PO Number', 'group: [PO Number, SKU]'))
  const { routes } = await world.run('orders')

  expect(routes).toMatchObject([{ kind: 'failed', failure: { code: 'configuration-invalid' } }])
  expect((await world.orders()).length).toBeGreaterThanOrEqual(sentBefore)
  await remap(world, (text) => text)
  await world.run('orders')
  expect((await world.orders()).map((order) => order.purchase_order_number).toSorted()).toEqual(
    orders.map(({ po }) => po).toSorted(),
  )
})

const SCANNED = fc.record({
  name: fc.constantFrom('A', 'B', 'C', undefined),
  keyValues: fc.array(fc.constantFrom('A', 'B', 'K', ''), { minLength: 1, maxLength: 1 }),
})

test('a record with a name or key cells that came before is always found', () => {
  fc.assert(
    fc.property(fc.array(SCANNED, { maxLength: 12 }), (records) => {
      const isRepeat = createRepeatedRecordFinder()
      const [names, keys] = [new Set<string>(), new Set<string>()]
      for (const record of records) {
        const { name, keyValues } = record
        const [key = ''] = keyValues
        const mustFind = (name !== undefined && names.has(name)) || (key !== '' && keys.has(key))
        const found = isRepeat(record)
        expect(found || !mustFind).toBe(true)
        // A file with a repeat is planned whole, and the scan ends.
        if (found) return
        if (name !== undefined) names.add(name)
        keys.add(key)
      }
    }),
  )
})

test.each([
  ['their own key', (index: number) => ({ name: `HV-${index}`, keyValues: [`HV-${index}`] })],
  ['another cell', (index: number) => ({ name: `${index + 1}`, keyValues: [`${index}`] })],
  ['two cells', (index: number) => ({ name: `HV-${index}`, keyValues: [`${index}`, 'x'] })],
])('no record counts as a repeat where the names are %s and all differ', (_, toRecord) => {
  const isRepeat = createRepeatedRecordFinder()
  expect(Array.from({ length: 500 }, (_, index) => toRecord(index)).filter(isRepeat)).toEqual([])
})
