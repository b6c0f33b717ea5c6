/** Viewers see what happened to orders, and nothing of the people who placed them. */
import { expect, test } from 'vitest'
import type { ConsoleContext } from '../../../src/app/console/context.ts'
import { MASK } from '../../../src/app/console/masks.ts'
import type { Page } from '../../../src/web/page.ts'
import type { Role } from '../../../src/web/permissions.ts'
import { decisionsPage } from '../../../src/web/pages/decisions.ts'
import { deliveriesPage, deliveryPage } from '../../../src/web/pages/deliveries.ts'
import { filePage, filesPage } from '../../../src/web/pages/files.ts'
import { proofPage } from '../../../src/web/pages/proof.ts'
import { orderPage, recordPage } from '../../../src/web/pages/records.ts'
import { reportsPage } from '../../../src/web/pages/reports.ts'
import { routesPage } from '../../../src/web/pages/routes.ts'
import { searchPage } from '../../../src/web/pages/search.ts'
import { type Asked, lookAt, visit } from '../../fixtures/console.ts'
import { aWorld } from '../../fixtures/world.ts'
import { ordersFile, type OrderRow, sampleOrders } from '../../samples/orders.ts'
import { listEveryAddress } from '../addresses.ts'
import { aConsole } from '../harness.ts'

const MARKED = {
  'Ship To Name': 'Zxmark Name',
  'Address 1': '1 Zxmark Street',
  'Address 2': 'Zxmark Floor',
  City: 'Zxmarktown',
  Zip: 'ZXMARK1',
  Phone: '555-Zxmark',
  Description: 'No field takes it: Zxmark',
  'Gift Message': 'Dear Zxmark',
} satisfies Partial<OrderRow>

const MARK = /zxmark/i

/** Two good orders, one whose name is too long, and one whose country is a person's name; all are exported that can be. */
async function aMarkedWorld() {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  const orders = sampleOrders({ seed: 9, orders: 4, damageEvery: 0 })
  for (const { rows } of orders) for (const row of rows) Object.assign(row, MARKED)
  for (const row of orders[2]?.rows ?? []) row['Ship To Name'] = 'Zxmark '.repeat(60)
  for (const row of orders[3]?.rows ?? []) row.Country = 'Zxmarkland'
  await world.drop('inbox/orders', 'people.csv', ordersFile(orders).text)
  await world.run('orders', 'orders-out')
  const odd = ordersFile(orders).text.replace('PO Number', 'Zxmark Number')
  await world.drop('inbox/orders', 'odd.csv', odd)
  await world.run('orders')
  return { world, numbers: orders.map(({ po }) => po) }
}

/** All answers of the reading pages to one role, as text: what is drawn, and the data as JSON. */
async function readEverything(context: ConsoleContext, numbers: readonly string[], role: Role) {
  const answers: { readonly where: string; readonly text: string }[] = []
  const add = async <Data>(page: Page<Data>, asked: Asked) => {
    const found = await visit(context, page, { ...asked, role })
    if (found === undefined) return undefined
    const where = `${page.path} ${JSON.stringify(asked)}`
    answers.push({ where: `${where} as HTML`, text: `${found.title} ${found.html}` })
    answers.push({ where: `${where} as JSON`, text: JSON.stringify(found.data) })
    return found.data
  }
  const files = await add(filesPage, {})
  for (const { id } of files?.files ?? []) {
    const file = await add(filePage, { params: { id } })
    for (const record of file?.page ?? []) {
      await add(recordPage, { params: { n: String(record.id) } })
      await add(proofPage, { params: { n: String(record.id) } })
    }
  }
  for (const key of numbers) {
    await add(orderPage, { params: { key } })
    await add(searchPage, { query: { q: key } })
  }
  await add(searchPage, { query: { q: 'nothing like it' } })
  const deliveries = await add(deliveriesPage, {})
  for (const { id } of deliveries?.deliveries ?? []) await add(deliveryPage, { params: { id } })
  await add(decisionsPage, {})
  await add(routesPage, {})
  await add(reportsPage, {})
  return answers
}

test('no answer to a viewer holds anything personal, and an operator sees it', async () => {
  const { world, numbers } = await aMarkedWorld()
  const context = await lookAt(world)
  const marked = async (role: Role) =>
    (await readEverything(context, numbers, role)).flatMap(({ where, text }) =>
      MARK.test(text) ? [where] : [],
    )

  expect(await marked('viewer')).toEqual([])
  const shown = await marked('operator')
  // A proof may be given to a partner, whoever opens it.
  expect(shown.filter((where) => where.startsWith('/records/:n/proof'))).toEqual([])
  for (const path of ['/files/:id', '/records/:n', '/orders/:key'])
    expect(
      shown.filter((where) => where.startsWith(path)),
      path,
    ).not.toEqual([])
})

test('a viewer sees the numbers, the goods and the reasons beside the masks', async () => {
  const { world, numbers } = await aMarkedWorld()
  const context = await lookAt(world)
  const order = await visit(context, orderPage, { params: { key: numbers[0] ?? '' }, role: 'viewer' })
  const body = order!.data.records[0]!.body as Record<string, Record<string, unknown>>
  expect(body['purchase_order_number']).toBe(numbers[0])
  expect(body['ship_to']).toMatchObject({
    name1: MASK,
    city: MASK,
    province: expect.not.stringContaining(MASK),
  })
  expect(body['gift_message']).toEqual([MASK])
  const list = await visit(context, filesPage, { query: { name: 'people' } })
  const file = await visit(context, filePage, { params: { id: list!.data.files[0]!.id }, role: 'viewer' })
  const [row] = file!.data.page.at(-1)!.rows
  const cell = (column: string) => row?.cells[row.columns.indexOf(column)]
  expect(cell('PO Number')).toBe(numbers[1])
  expect([cell('Ship To Name'), cell('Description'), cell('Phone')]).toEqual([MASK, MASK, MASK])
  expect(cell('Qty')).toMatch(/^\d+$/)
  const refused = file!.data.page.filter(({ state }) => state === 'rejected')
  expect(refused).toHaveLength(2)
  for (const { problems } of refused) expect(problems[0]?.message).toBe(problems[0]?.title)
})

test('no answer of any route to a viewer holds anything personal: pages, data, downloads, refusals and the stream', async () => {
  const { world } = await aMarkedWorld()
  const bridge = await world.open()
  const until = world.clock.now() + 60_000
  await bridge.pause({ route: 'orders', by: 'nadia', why: 'stock', until })
  await bridge.close()
  const console = await aConsole({ configuration: world.configuration, clock: world.clock })
  const { journal } = await console.opened.getContext()
  const addresses = await listEveryAddress(console.server, journal, ['orders', 'orders-out'])
  const marked = async (role: Role) => {
    const found = new Set<string>()
    const note = (where: string, { body, headers }: { readonly body: string; readonly headers: object }) => {
      if (MARK.test(body) || MARK.test(JSON.stringify(headers))) found.add(where)
    }
    for (const address of addresses) {
      note(address, await console.get(address, role))
      note(address, await console.get(address, role, { accept: 'application/json' }))
      note(address, await console.get(`${address}?format=csv`, role))
      note(`POST ${address}`, await console.post(address, { why: 'x' }, { role }))
    }
    note('/none', await console.get('/none', role))
    return [...found]
  }
  expect(await marked('viewer')).toEqual([])
  const shown = await marked('operator')
  for (const section of ['/files/', '/records/', '/orders/'])
    expect(shown.filter((address) => address.startsWith(section))).not.toEqual([])
  expect(shown.filter((address) => address.endsWith('/correct'))).not.toEqual([])

  const origin = await console.server.listen({ host: '127.0.0.1', port: 0 })
  const stop = new AbortController()
  const headers = { ...console.cookieOf('viewer'), host: 'localhost' }
  const { body, status } = await fetch(`${origin}/live`, { headers, signal: stop.signal })
  expect(status).toBe(200)
  let text = ''
  for await (const chunk of body!) {
    text += Buffer.from(chunk).toString()
    // The world's clock stands still, and the bridge's run is the change.
    if (text.includes('event: change')) break
    await world.run('orders-out')
  }
  stop.abort()
  expect(
    text.replaceAll(
      /^(?:(?:retry|id): \d+|data: [\da-f-]+)\n|^event: (?:open|change)\n|^: still here\n|\n/gm,
      '',
    ),
  ).toBe('')
})
