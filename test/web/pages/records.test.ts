/** The pages of records and orders, and what a search finds, of a month that really ran. */
import { expect, onTestFinished, test } from 'vitest'
import type { ConsoleContext } from '../../../src/app/console/context.ts'
import { MASK } from '../../../src/app/console/masks.ts'
import { openJournal } from '../../../src/journal/open.ts'
import { decisionsPage } from '../../../src/web/pages/decisions.ts'
import { filesPage } from '../../../src/web/pages/files.ts'
import { orderPage, recordPage } from '../../../src/web/pages/records.ts'
import { searchPage } from '../../../src/web/pages/search.ts'
import { aFinishedMonth, lookAt, MONTH, visit } from '../../fixtures/console.ts'
import { commandsOf, runUnheard } from '../../fixtures/office.ts'
import { aShippingWorld } from '../../fixtures/shipping.ts'
import { smallOrders } from '../../fixtures/small-orders.ts'
import { aWorld } from '../../fixtures/world.ts'
import { closePart, interchange, unbundleFile } from '../../suites/interchanges.suite.ts'
import { testClock } from '../../suites/journal.suite.ts'

test('an order shows the whole life of its records in the order of time', async () => {
  const context = await lookAt(await aFinishedMonth())
  const page = await visit(context, orderPage, { params: { key: MONTH.first } })
  expect(
    page?.data.records.map(({ operation, state, timesSent, timesEffective }) => [
      operation,
      state,
      timesSent,
      timesEffective,
    ]),
  ).toEqual([
    ['create-order', 'accepted', 1, 1],
    ['export-orders', 'accepted', 1, 1],
    ['create-shipment', 'accepted', 1, 1],
    ['create-invoice', 'accepted', 1, 1],
    ['export-shipments', 'accepted', 1, 1],
    ['export-invoices', 'accepted', 1, 1],
  ])
  const [order, exported] = page!.data.records
  expect(order?.life.map(({ what }) => what)).toEqual(['came', 'planned', 'sent', 'answered'])
  expect(order?.life.at(-1)).toMatchObject({ http: 201, result: 'accepted' })
  expect(exported?.life.map(({ what }) => what).toSorted()).toEqual([
    'answered',
    'composed',
    'delivered',
    'delivery-acknowledged',
    'sent',
  ])
  expect(order?.body).toMatchObject({ purchase_order_number: MONTH.first })
  expect(page?.title).toBe(MONTH.first)
  expect(page?.text).toContain('sent (attempt 1) POST /v1/retailers/1000/orders/')
  expect(page?.text).toContain('answered (attempt 1): HTTP 201, accepted')
  expect(page?.text).toContain('Sent once; took effect once.')
  expect(page?.text).toContain('Acknowledgement sent once; took effect once.')
  expect(page?.html).toMatch(/<details>\s*<summary>Body<\/summary>/)
})

test('a record that was refused when it was read was never planned', async () => {
  const context = await lookAt(await aFinishedMonth())
  const found = await visit(context, searchPage, { query: { q: MONTH.refused } })
  const page = await visit(context, recordPage, { params: { n: found?.data.hits[0]?.ref ?? '' } })
  expect(page?.data.record.life.map(({ what }) => what)).toEqual(['came', 'state'])
  const times = page!.data.record.life.map(({ at }) => at)
  expect(times).toEqual(times.toSorted((one, other) => one - other))
})

test('an order of which nothing was accepted says that nothing of it is at the API', async () => {
  const context = await lookAt(await aFinishedMonth())
  const says = async (key: string) => (await visit(context, orderPage, { params: { key } }))?.text
  expect(await says(MONTH.refused)).toContain('As far as the bridge knows, nothing of it is at the API.')
  expect(await says(MONTH.first)).not.toContain('nothing of it is at the API')
})

test('a record shows its own life, and links the others of its order', async () => {
  const context = await lookAt(await aFinishedMonth())
  const order = await visit(context, orderPage, { params: { key: MONTH.first } })
  const id = order!.data.records[0]!.id
  const page = await visit(context, recordPage, { params: { n: String(id) } })
  expect(page?.data.record).toEqual(order?.data.records[0])
  expect(page?.data.related.map(({ operation }) => operation)).toEqual(
    order?.data.records.slice(1).map(({ operation }) => operation),
  )
  expect(page?.title).toBe(`create-order ${MONTH.first}`)
  for (const n of ['0', '99999', 'x', '1e3', ''])
    expect(await visit(context, recordPage, { params: { n } }), n).toBeUndefined()
  expect(await visit(context, orderPage, { params: { key: 'nothing' } })).toBeUndefined()
})

test('a record whose answer was lost shows the lookup, and who resolved it and why', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'lost.csv', smallOrders(30_001))
  await runUnheard(world, 'orders', { arrives: true, canLookUp: false })
  const before = await visit(await lookAt(world), searchPage, { query: { q: 'lost.csv:2' } })
  const n = before?.data.hits[0]?.ref ?? ''
  const open = await visit(await lookAt(world), recordPage, { params: { n } })
  expect(open?.data.record).toMatchObject({ state: 'uncertain', timesSent: 1 })
  expect(open?.data.record.timesEffective).toBeUndefined()
  expect(open?.text).toContain('no answer (attempt 1): whether it took effect is not known yet')
  world.clock.skip(60_000)
  await world.run('orders')
  const found = await visit(await lookAt(world), recordPage, { params: { n } })
  expect(found?.data.record).toMatchObject({ state: 'accepted', timesSent: 1, timesEffective: 1 })
  expect(found?.text).toContain('looked up at the API: it is there as 1')
  expect(found?.text).toContain('Sent once; took effect once.')
})

test('a decision stands on the page of its record and in the list of all decisions', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const none = await lookAt(await aWorldThatRan())
  expect((await visit(none, decisionsPage))?.text).toBe('No person has decided anything yet.')
  await world.drop('inbox/orders', 'lost.csv', smallOrders(30_001))
  await runUnheard(world, 'orders', { arrives: false, canLookUp: false })
  world.clock.skip(60_000)
  const run = await commandsOf(world)
  const lost = await visit(await lookAt(world), searchPage, { query: { q: 'lost.csv:2' } })
  const { exit, err } = await run(
    'resolve',
    `#${lost?.data.hits[0]?.ref}`,
    '--absent',
    '--by',
    'Nadia',
    '--why',
    'asked <them>',
  )
  expect(exit, err).toBe(0)
  const context = await lookAt(world)
  const page = await visit(context, decisionsPage)
  expect(page?.data.decisions).toMatchObject([
    {
      action: 'resolve-absent',
      by: 'Nadia',
      why: 'asked <them>',
      route: 'orders',
      file: { name: 'lost.csv' },
    },
  ])
  expect(page?.text).toContain('1 decision, newest first.')
  expect(page?.text).toContain('Nadia resolved as absent lost.csv')
  expect(page?.html).toContain('asked &lt;them&gt;')
  const n = String(page?.data.decisions[0]?.record?.id)
  const record = await visit(context, recordPage, { params: { n } })
  expect(record?.text).toContain('Nadia resolved as absent it: asked <them>')
})

async function aWorldThatRan() {
  const world = await aWorld({ routes: ['orders'] })
  await world.run('orders')
  return world
}

test('a search finds orders, parcels, invoices, files, rows and deliveries, and shows a single hit at once', async () => {
  const context = await lookAt(await aFinishedMonth())
  const search = async (q: string) => (await visit(context, searchPage, { query: { q } }))!.data
  const hits = async (q: string) => (await search(q)).hits.map(({ kind, name }) => `${kind} ${name}`)
  expect(await hits(MONTH.first)).toEqual([`order ${MONTH.first}`])
  expect((await search(MONTH.first)).only).toBe(`/orders/${MONTH.first}`)
  expect(await hits(MONTH.refused)).toEqual([`record ${MONTH.refused}`])
  expect((await search(MONTH.tracking)).hits).not.toEqual([])
  expect((await search(MONTH.invoice)).hits).not.toEqual([])
  expect((await search('orders.csv')).only).toMatch(/^\/files\//)
  expect((await search('orders.csv:2')).only).toMatch(/^\/records\//)
  expect(await hits('orders-1.csv')).toEqual(['delivery orders-1.csv'])
  expect((await search('orders-1.csv')).only).toMatch(/^\/deliveries\//)
  expect((await search('orders.csv.results.csv')).only).toMatch(/^\/files\//)
})

test('a search finds an accepted record by its id at the API before any list of the API has shown it', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'day.csv', smallOrders(1, 3))
  await world.run('orders')
  const [, second] = await world.orders()
  const context = await lookAt(world)
  const found = await visit(context, searchPage, { query: { q: String(second?.id) } })
  expect(found?.data.only).toMatch(/^\/records\/\d+$/)
  expect(found?.data.hits).toMatchObject([{ name: second?.purchase_order_number, state: 'accepted' }])
})

test('each hit of a search says its route, state and time, and one life is one hit however it is spelt', async () => {
  const context = await lookAt(await aFinishedMonth())
  const search = async (q: string) => (await visit(context, searchPage, { query: { q } }))!
  for (const q of [MONTH.first.slice(0, -2), MONTH.first.toLowerCase(), 'orders', 'ship']) {
    const { data, html } = await search(q)
    expect(data.hits.length, q).toBeGreaterThan(0)
    for (const hit of data.hits)
      expect(hit, q).toMatchObject({
        route: expect.any(String) as string,
        state: expect.any(String) as string,
        at: expect.any(Number) as number,
      })
    const names = data.hits.map(({ kind, name }) => `${kind} ${name}`)
    expect(new Set(names).size, q).toBe(names.length)
    expect(html, q).not.toMatch(/<td data-label="(Route|State|When)"><\/td>/)
  }
  const lower = await search(MONTH.first.toLowerCase())
  expect(lower.data.only).toBe(`/orders/${MONTH.first}`)
  const refused = await search(MONTH.refused.slice(0, -1))
  const hit = refused.data.hits.find(({ name }) => name === MONTH.refused)
  expect(hit).toMatchObject({ kind: 'record', state: 'rejected', route: 'orders' })
  expect(refused.text).toContain('✕ rejected')
})

test('a search finds what begins with the text, and names what is spelt alike', async () => {
  const context = await lookAt(await aFinishedMonth())
  const search = async (q: string) => (await visit(context, searchPage, { query: { q } }))!
  const begun = await search(MONTH.first.slice(0, -2).toLowerCase())
  expect(begun.data.how).toBe('prefix')
  const names = begun.data.hits.map(({ name }) => name)
  for (const po of [...MONTH.orders, MONTH.refused]) expect(names).toContain(po)
  expect(begun.text).toContain('These names begin with it.')
  const near = await search('odrers.csv')
  expect(near.data).toMatchObject({ how: 'nothing', hits: [], near: expect.arrayContaining(['orders.csv']) })
  expect(near.text).toContain('Names like it: orders.csv')
  expect(near.text).toContain('rows as orders.csv:17 can be found')
  expect((await search('  ')).data.hits).toEqual([])
  expect((await search(`<script>"'`)).html).toContain('Nothing is called &lt;script&gt;&quot;&#39;.')
})

test('the record of a set shows the interchange that brought it', async () => {
  const clock = testClock()
  const journal = await openJournal({ path: ':memory:', clock })
  onTestFinished(() => journal.close())
  const take = (route: string) => journal.acquireLease(route, 'bridge-1', 3_600_000, () => true)
  const lease = await take('inbox:van')
  const interchanges = [interchange(2, { segment: 2 })]
  await unbundleFile(journal, lease, 'a', { parts: { 'orders-in': [[1, 3]] }, interchanges })
  await closePart(journal, await take('orders-in'), 'a.orders-in', 'PO-1')
  const context = { journal, clock, configuration: { routes: [] } } as unknown as ConsoleContext
  // Its own line has no records, which are in the file of each route.
  expect((await visit(context, filesPage))?.text).toMatch(/its sets stand in the files of their routes/)
  const page = await visit(context, orderPage, { params: { key: 'PO-1' } })
  expect(page?.data.records[0]?.interchange).toEqual({
    file: { id: 'a', name: 'a.csv' },
    number: '000000102',
    sender: '12:7755550100',
    receiver: 'ZZ:HAVENRETAIL',
    verdict: 'taken',
  })
  expect(page?.text).toContain('Interchange 000000102 of a.csv , 12:7755550100 to ZZ:HAVENRETAIL: taken')
})

test('what is kept of an answer stands beside the body, masked for viewers and folded', async () => {
  const { world, purchaseOrders, fileOf } = await aShippingWorld({ orders: 1 })
  const [po = ''] = purchaseOrders
  await world.drop('inbox/shipments', 'parcels.csv', fileOf([{ po }]))
  await world.run('shipments')
  const context = await lookAt(world)
  const { records } = await context.journal.traceKey(po, { limit: 5 })
  const shipped = records.find(({ operation }) => operation === 'create-shipment')
  const asked = { params: { n: String(shipped?.id) } }
  const page = await visit(context, recordPage, asked)
  expect(page?.data.record.answer).toMatchObject({
    id: Number(shipped?.apiId),
    ship_from_name1: 'Northlight Goods',
  })
  expect(page?.html).toMatch(/<details>\s*<summary>Kept of the answer<\/summary>/)
  expect(page?.text).toContain('Of an answer the journal keeps the status, the id')
  const masked = await visit(context, recordPage, { ...asked, role: 'viewer' })
  expect(masked?.data.record.answer).toMatchObject({ id: Number(shipped?.apiId), ship_from_name1: MASK })
  expect(page?.html).toContain('Vassar')
  expect(masked?.html).not.toContain('Vassar')
  const order = await visit(context, orderPage, { params: { key: po } })
  expect(order?.data.records[0]?.answer).toBeUndefined()
})
