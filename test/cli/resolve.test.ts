/** Resolving records whose outcome cannot be proven: what a person says, what is checked of it, and how the file ends. */
import { expect, test } from 'vitest'
import { formatReport } from '../../src/cli/format/inbound.ts'
import type { Api } from '../../src/domain/api.ts'
import type { Summary } from '../../src/pipeline/inbound/summary.ts'
import { commandsOf, runUnheard } from '../fixtures/office.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { sampleShipments, shipmentsFile } from '../samples/fulfilment.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ROUTES = ['orders', 'shipments']
const ORDERS = sampleOrders({ seed: 9, orders: 2, damageEvery: 0 })
const [PARCEL] = sampleShipments(ORDERS.slice(0, 1), { seed: 1, damageEvery: 0 })
const KEY = `${ORDERS[0]?.po}, ${PARCEL?.rows[0]?.['Tracking Number']}`
const WHO = ['--by', 'Ada', '--why', 'asked the warehouse']

/** Two orders, and a parcel of the first whose answer was lost and cannot be proven: it is held. */
async function aDoubtfulParcel(arrives: boolean): Promise<World> {
  const world = await aWorld({ routes: ROUTES })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders')
  await world.drop('inbox/shipments', 'parcels.csv', shipmentsFile(PARCEL ? [PARCEL] : []))
  await runUnheard(world, 'shipments', { arrives })
  return world
}

/** An order whose answer was lost while the API could not be asked: it is uncertain. */
async function anUncertainOrder(arrives: boolean): Promise<World> {
  const world = await aWorld({ routes: ROUTES })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS.slice(0, 1)).text)
  await runUnheard(world, 'orders', { arrives, canLookUp: false })
  return world
}

const results = async (world: World, name: string) =>
  parseCsv(await world.read(`results/${name}.results.csv`)).map((row) =>
    [row['_status'], row['_id'], row['_code']].join(' ').trim(),
  )

test('status and the results name resolve for what cannot be proven', async () => {
  const world = await aDoubtfulParcel(true)
  const run = await commandsOf(world)

  const { out } = await run('status')

  expect(out).toContain('outcome-unprovable: their answers were lost')
  expect(out).toContain(
    'dropbridge resolve KEY --accepted ID --by NAME --why TEXT, or --absent or --discard in place of',
  )
  const [row] = parseCsv(await world.read('results/parcels.csv.results.csv'))
  expect(row).toMatchObject({ _status: 'held', _code: 'outcome-unprovable' })
  expect(row?.['_fix']).toContain('dropbridge resolve KEY')
})

test('the id of an existing shipment is accepted once the API shows it, and the record shows who stated it', async () => {
  const world = await aDoubtfulParcel(true)
  const run = await commandsOf(world)

  const { exit, err } = await run('resolve', KEY, '--accepted', '1', ...WHO)

  expect(exit).toBe(0)
  expect(err.split('\n')[0]).toBe(
    `shipments: ${KEY}: resolved as accepted; the API shows it as 1: 1 accepted`,
  )
  expect(await results(world, 'parcels.csv~2')).toEqual(['accepted 1 resolved-by-hand'])
  expect(await world.read('results/parcels.csv~2.results.csv')).toMatch(
    /Ada resolved on \S+ that the API has it as 1, which the API showed: asked the warehouse/,
  )
  expect((await run('status')).out).not.toContain('held for a person')
  expect(world.service.counts().shipments).toBe(1)
})

test('an unknown record is named first, before the outcome is asked for', async () => {
  const world = await aDoubtfulParcel(true)
  const run = await commandsOf(world)

  const unknown = await run('resolve', 'NONE-1', ...WHO)
  const known = await run('resolve', KEY, ...WHO)

  expect(unknown).toMatchObject({ exit: 2, err: expect.stringContaining('no record "NONE-1" is known') })
  expect(known).toMatchObject({
    exit: 64,
    err: expect.stringContaining('fix: Add --accepted ID, --absent or --discard;'),
  })
})

test('an id that another record has is refused, and nothing is noted', async () => {
  const world = await aDoubtfulParcel(true)
  const run = await commandsOf(world)
  await run('resolve', KEY, '--accepted', '1', ...WHO)
  const parcels = sampleShipments(ORDERS.slice(1), { seed: 2, damageEvery: 0 })
  await world.drop('inbox/shipments', 'other.csv', shipmentsFile(parcels))
  await runUnheard(world, 'shipments', { arrives: false })
  const other = `${ORDERS[1]?.po}, ${parcels[0]?.rows[0]?.['Tracking Number']}`

  const { exit, err } = await run('resolve', other, '--accepted', '1', ...WHO)

  expect(exit).toBe(2)
  expect(err).toBe(
    `shipments: ${other} is not resolved: order ${ORDERS[1]?.po} shows no shipments, and 1 is not one of them; 1 is the id of ${KEY}`,
  )
  expect((await run('status')).out).toContain('outcome-unprovable')
})

/** The API, whose orders show these shipments; without `shipments` they show none at all. */
const showing = (shipments?: unknown, shipped?: number) => (api: Api) => ({
  ...api,
  get: async (call: Parameters<Api['get']>[0]) => {
    const { shipments: _, ...order } = (await api.get(call)) ?? {}
    const lines = shipped === undefined ? {} : { order_lines: [{ id: 1, quantity_shipped: shipped }] }
    return { ...order, ...lines, ...(shipments === undefined ? {} : { shipments }) }
  },
})

const acceptedAs = async (world: World, apiId: string, api: (api: Api) => Api) => {
  const bridge = await world.open({ api })
  try {
    return await bridge.resolve(
      { action: 'resolve-accepted', what: KEY, apiId, by: 'Ada', why: 'asked the warehouse' },
      new AbortController().signal,
    )
  } finally {
    await bridge.close()
  }
}

test('an id that is not among the shipments of its order is refused, also when another order has it', async () => {
  const world = await aDoubtfulParcel(true)
  const run = await commandsOf(world)
  const otherShipments = sampleShipments(ORDERS.slice(1), { seed: 2, damageEvery: 0 })
  await world.drop('inbox/shipments', 'other.csv', shipmentsFile(otherShipments))
  await world.run('shipments')

  const ofAnotherOrder = await run('resolve', KEY, '--accepted', '2', ...WHO)
  const none = await run('resolve', KEY, '--accepted', '99', ...WHO)
  const word = await run('resolve', KEY, '--accepted', 'abc', ...WHO)

  expect([ofAnotherOrder.exit, none.exit, word.exit]).toEqual([2, 2, 2])
  const shows = `order ${ORDERS[0]?.po} shows shipment 1, and`
  expect(ofAnotherOrder.err).toContain(`${shows} 2 is not one of them; 2 is the id of ${ORDERS[1]?.po}`)
  expect(none.err).toBe(`shipments: ${KEY} is not resolved: ${shows} 99 is not one of them`)
  expect(word.err).toContain(`${shows} abc is not one of them`)
  expect((await run('resolve', KEY, '--accepted', '1', ...WHO)).exit).toBe(0)
})

test('the refusal names all shipments that the order shows', async () => {
  const world = await aDoubtfulParcel(true)

  const refused = await acceptedAs(world, '5', showing([{ id: 9 }, { id: 15 }]))

  expect(refused).toMatchObject({
    kind: 'refused',
    why: `order ${ORDERS[0]?.po} shows shipments 9 and 15, and 5 is not one of them`,
  })
})

test('an id is believed where the order lists no shipments, and the decision shows that', async () => {
  const world = await aDoubtfulParcel(true)

  const resolved = await acceptedAs(world, '4711', showing())
  const run = await commandsOf(world)
  const result = await run('resolve', KEY, '--accepted', '4711', ...WHO)

  expect(resolved).toMatchObject({ kind: 'resolved', wasSeen: false, exit: 0 })
  expect(result.exit).toBe(2)
  expect(result.err).toBe(
    `shipments: ${KEY}: create-shipment is accepted as 4711; there is nothing to resolve`,
  )
  expect(await world.read('results/parcels.csv~2.results.csv')).toContain('which the API has no way to show')
})

test('an id is believed where more of the order is shipped than its shipments account for', async () => {
  const world = await aDoubtfulParcel(true)
  const shipments = [{ id: 9, shipment_lines: [{ quantity: 1 }] }]

  const whole = await acceptedAs(world, '4711', showing(shipments, 1))
  const late = await acceptedAs(world, '4711', showing(shipments, 2))

  expect(whole).toMatchObject({ kind: 'refused' })
  expect(late).toMatchObject({ kind: 'resolved', wasSeen: false })
})

test('a held record is held everywhere: rows, reasons and the exceptions file agree, and the run names the fix', async () => {
  const world = await aWorld({ routes: ROUTES })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders')
  const file = shipmentsFile(PARCEL ? [PARCEL] : [])
  await world.drop('inbox/shipments', 'parcels.csv', file)
  const reported = await runUnheard(world, 'shipments', { arrives: true })

  const summary = JSON.parse(await world.read('results/parcels.csv.summary.json')) as Summary
  const rows = PARCEL?.rows.length

  expect(summary).toMatchObject({ records: { held: 1 }, rows: { held: rows }, heldLines: rows })
  expect(Object.values(summary.heldFor)).toEqual([1])
  expect(await world.read('results/parcels.csv.exceptions.csv')).toBe(file)
  const text = reported.flatMap(formatReport).join('\n')
  expect(text).toContain('parcels.csv.exceptions.csv')
  expect(text).toContain('dropbridge resolve KEY --accepted ID --by NAME --why TEXT')
  // Sending the file again posts the record no second time.
  await world.drop('inbox/shipments', 'again.csv', file)
  await world.run('shipments')
  expect(world.service.counts().shipments).toBe(1)
})

test('a key may be typed without the blank and in other case, and an unknown key is reported with similar ones', async () => {
  const world = await aDoubtfulParcel(true)
  const run = await commandsOf(world)

  const half = await run('resolve', ORDERS[0]?.po ?? '', '--absent', ...WHO)
  const unknown = await run('resolve', `shipments/${KEY}7`, '--absent', ...WHO)
  const found = await run('resolve', KEY.replace(', ', ',').toLowerCase(), '--accepted', '1', ...WHO)

  expect([half.exit, unknown.exit]).toEqual([2, 2])
  expect(half.err).toContain(`to resolve it, give its whole key: 'shipments/${KEY}'`)
  expect(unknown.err).toContain('ROUTE/KEY')
  expect(unknown.err).toContain(`similar keys: "${KEY}"`)
  expect(found.exit).toBe(0)
})

test('a record that a person resolved as absent is sent again, once', async () => {
  const world = await aDoubtfulParcel(false)
  const run = await commandsOf(world)

  const { exit, err } = await run('resolve', `shipments/${KEY}`, '--absent', ...WHO)

  expect(exit).toBe(0)
  expect(err).toContain('resolved as not at the API, and sent again: 1 accepted')
  expect(world.service.counts().shipments).toBe(1)
  expect(await results(world, 'parcels.csv~2')).toEqual(['accepted 1 resolved-by-hand'])
})

test('a discarded record is reported as refused with who and why, and its key can be sent again', async () => {
  const world = await aDoubtfulParcel(false)
  const run = await commandsOf(world)

  const { exit, err } = await run('resolve', KEY, '--discard', ...WHO)

  expect(exit).toBe(0)
  expect(err).toContain('given up: 1 rejected')
  expect(await results(world, 'parcels.csv~2')).toEqual(['rejected  discarded'])
  await world.drop('inbox/shipments', 'again.csv', await world.read('results/parcels.csv~2.rejects.csv'))
  expect((await world.run('shipments')).exit).toBe(0)
  expect(world.service.counts().shipments).toBe(1)
})

test('an uncertain order takes the id of its own order at once, and none of another', async () => {
  const world = await anUncertainOrder(true)
  const run = await commandsOf(world)
  const key = ORDERS[0]?.po ?? ''

  const missing = await run('resolve', key, '--accepted', '999', ...WHO)
  const right = await run('resolve', key, '--accepted', '1', ...WHO)

  expect([missing.exit, right.exit]).toEqual([2, 0])
  expect(missing.err).toBe(`orders: ${key} is not resolved: the API does not show 999`)
  expect(right.err).toContain('resolved as accepted; the API shows it as 1: 1 accepted')
  expect(await results(world, 'orders.csv')).toEqual(['accepted 1 resolved-by-hand'])
})

test('an id that belongs to another purchase order is refused with both numbers', async () => {
  const world = await aWorld({ routes: ROUTES })
  await world.drop('inbox/orders', 'first.csv', ordersFile(ORDERS.slice(1)).text)
  await world.run('orders')
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS.slice(0, 1)).text)
  await runUnheard(world, 'orders', { arrives: false, canLookUp: false })
  const run = await commandsOf(world)

  const { exit, err } = await run('resolve', ORDERS[0]?.po ?? '', '--accepted', '1', ...WHO)

  expect(exit).toBe(2)
  expect(err).toContain(
    `1 has purchase_order_number ${ORDERS[1]?.po} at the API, and the record ${ORDERS[0]?.po}`,
  )
})

test('an answer that may still come is waited for, before anything but an id is believed', async () => {
  const world = await anUncertainOrder(false)
  const bridge = await world.open()
  const resolve = () =>
    bridge.resolve(
      { action: 'resolve-absent', what: ORDERS[0]?.po ?? '', by: 'Ada', why: 'not there' },
      new AbortController().signal,
    )

  const early = await resolve()
  world.clock.skip(5_000)
  const late = await resolve()
  await bridge.close()

  expect(early).toMatchObject({ kind: 'too-early' })
  expect(late).toMatchObject({ kind: 'resolved', records: { accepted: 1 } })
  expect(await world.orders()).toHaveLength(1)
})

test('a resolution states one outcome of a known record', async () => {
  const world = await anUncertainOrder(true)
  const run = await commandsOf(world)
  const key = ORDERS[0]?.po ?? ''

  const nothing = await run('resolve', key, ...WHO)
  const both = await run('resolve', key, '--absent', '--discard', ...WHO)
  const unknown = await run('resolve', 'HV-99999', '--absent', ...WHO)
  const blank = await run('resolve', key, '--accepted', ' ', ...WHO)

  expect([nothing.exit, both.exit, unknown.exit, blank.exit]).toEqual([64, 64, 2, 64])
  expect(both.err).toContain('--absent and --discard contradict each other')
  expect(both.err).toContain('fix: Leave all but one of them out.')
  expect(unknown.err).toContain('no record "HV-99999" is known')
})

test('a release of a file whose answers are not known ends at once, and says how they are found', async () => {
  const world = await anUncertainOrder(true)
  const run = await commandsOf(world)
  const before = world.service.counts()

  const { exit, err } = await run('release', 'orders.csv', ...WHO)

  expect(exit).toBe(2)
  expect(err).toContain('orders: orders.csv: nothing of it is held, so nothing was released')
  expect(err).toContain(
    'the answer of 1 record is not known yet: dropbridge run orders looks; or say what the API has: dropbridge resolve ROUTE/KEY',
  )
  expect(await world.list('results')).toEqual([])
  expect(world.service.counts()).toEqual(before)
})
