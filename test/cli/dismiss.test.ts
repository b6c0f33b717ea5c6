/** Rejected records and unusable files: shown until a corrected file came, or until a person dismisses them. */
import { expect, test } from 'vitest'
import { commandsOf } from '../fixtures/office.ts'
import { openWithCanceledOrder, partnerOf, PICKED_UP, worldThatWaits } from '../fixtures/partner.ts'
import { aWorld } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const DAMAGED = sampleOrders({ seed: 7, orders: 4, damageEvery: 2 })
const WHO = ['--by', 'Ada', '--why', 'the shop withdrew them']

const bad = DAMAGED.filter(({ damage }) => damage.length > 0).map(({ po }) => po)

async function anOfficeWithRejects() {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  await world.drop('inbox/orders', 'orders.csv', ordersFile(DAMAGED).text)
  expect((await run('run')).exit).toBe(2)
  return { world, run }
}

test('rejected records are an alert and counted until a later file has them accepted', async () => {
  const { world, run } = await anOfficeWithRejects()

  const before = await run('status')

  expect(before.out).toContain(`orders: orders.csv: ${bad.length} records are rejected`)
  expect(before.out).toContain('(records-rejected, since')
  expect(before.out).toMatch(new RegExp(`^orders +2 accepted, ${bad.length} rejected`, 'm'))
  const corrected = sampleOrders({ seed: 7, orders: 4, damageEvery: 0 }).filter(({ po }) => bad.includes(po))
  expect(corrected.map(({ po }) => po)).toEqual(bad)
  await world.drop('inbox/orders', 'again.csv', ordersFile(corrected).text)
  expect((await run('run')).exit).toBe(0)

  const after = await run('status')
  expect(after.out).not.toContain('records-rejected')
  expect(after.out).toMatch(/^orders +4 accepted +no records +idle/m)
})

test('of two files of one name the alerts name the command with the id of each, which the command takes', async () => {
  const { world, run } = await anOfficeWithRejects()
  const others = sampleOrders({ seed: 8, orders: 4, damageEvery: 2 })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(others).text)
  await run('run')

  const { out } = await run('status')
  const commands = out.match(/dropbridge dismiss \S+/g) ?? []
  const ids = commands.map((command) => command.split(' ').at(-1) ?? '')
  expect(new Set(ids).size).toBe(2)
  for (const id of ids) expect((await run('dismiss', id, ...WHO)).exit, id).toBe(0)
  expect((await run('status')).out).not.toContain('records-rejected')
})

test('an unusable file is an alert until another one came under its name', async () => {
  const { world, run } = await anOfficeWithRejects()
  await world.drop('inbox/orders', 'broken.csv', 'no,such\ncolumns,here\n')
  expect((await run('run')).exit).toBe(65)

  expect((await run('status')).out).toMatch(
    /orders: broken\.csv cannot be used \(header-missing\) \(file-unusable, since/,
  )
  await world.drop('inbox/orders', 'broken.csv', ordersFile(DAMAGED.slice(0, 1)).text)
  await run('run')
  expect((await run('status')).out).not.toContain('file-unusable')
})

test('an unusable file is an alert with the fix of its own problem, until another route took the same bytes', async () => {
  const world = await aWorld({ routes: ['orders', 'shipments'] })
  const run = await commandsOf(world)
  const { text } = ordersFile(sampleOrders({ seed: 7, orders: 2, damageEvery: 0 }))
  await world.drop('inbox/shipments', 'astray.csv', text)
  expect((await run('run', 'shipments')).exit).toBe(65)

  const { out } = await run('status')
  expect(out).toContain('astray.csv cannot be used (file-foreign) (file-unusable, since')
  expect(out).toMatch(
    /Drop it into \S*inbox\/orders, the inbox of route orders\. When that is done: `dropbridge dismiss astray\.csv /,
  )
  expect(out).not.toContain('Have it sent again')

  await world.drop('inbox/orders', 'moved.csv', text)
  expect((await run('run', 'orders')).exit).toBe(0)
  expect((await run('status')).out).not.toContain('file-unusable')
})

test.each(['broken.csv.rejects.csv', 'broken.csv.rejects-corrected.csv'])(
  'an unusable file is no alert any more once its rejects file came, corrected, as %s',
  async (name) => {
    const { world, run } = await anOfficeWithRejects()
    await world.drop('inbox/orders', 'broken.csv', 'no,such\ncolumns,here\n')
    await run('run')
    await world.drop('inbox/orders', 'broken.csv-other.csv', ordersFile(DAMAGED.slice(0, 1)).text)
    await run('run')
    expect((await run('status')).out).toContain('file-unusable')

    await world.drop('inbox/orders', name, ordersFile(DAMAGED.slice(0, 2)).text)
    await run('run')
    expect((await run('status')).out).not.toContain('file-unusable')
  },
)

test('rejected records are no alert any more once their rejects file came with other keys', async () => {
  const { world, run } = await anOfficeWithRejects()
  const corrected = sampleOrders({ seed: 7, orders: 4, damageEvery: 0, firstNumber: 900 })
  await world.drop('inbox/orders', 'orders.csv.rejects.csv', ordersFile(corrected).text)
  expect((await run('run')).exit).toBe(0)

  expect((await run('status')).out).not.toContain('records-rejected')
  expect((await run('audit', 'verify')).exit).toBe(0)
})

test('records that are rejected again from the rejects file wait as records of that file alone', async () => {
  const { world, run } = await anOfficeWithRejects()
  await world.drop('inbox/orders', 'orders.csv.rejects.csv', `${ordersFile(DAMAGED).text}\n`)
  await run('run')

  const { out } = await run('status')
  expect(out).toContain(`orders: orders.csv.rejects.csv: ${bad.length} records are rejected`)
  expect(out).not.toContain('orders: orders.csv: ')
})

test('a person dismisses a rejected record or a whole file, and the journal keeps who and why', async () => {
  const { world, run } = await anOfficeWithRejects()
  await world.drop('inbox/orders', 'broken.csv', 'no,such\ncolumns,here\n')
  await run('run')

  const one = await run('dismiss', `orders/${bad[0]}`, ...WHO)
  expect({ exit: one.exit, out: one.err }).toEqual({
    exit: 0,
    out: 'orders: orders.csv: 1 record is dismissed',
  })
  expect((await run('status')).out).toContain('orders.csv: 1 record is rejected')
  expect((await run('dismiss', 'orders.csv', ...WHO)).err).toBe('orders: orders.csv: 1 record is dismissed')
  expect((await run('dismiss', 'broken.csv', ...WHO)).err).toBe('orders: broken.csv is dismissed')

  const after = (await run('status')).out
  expect(after).not.toContain('needs a person')
  expect(after).toMatch(/^orders +2 accepted +no records/m)
  expect((await run('trace', bad[0] ?? '')).out).toMatch(
    /decided +\S+ dismiss by Ada: the shop withdrew them/,
  )
  expect((await run('trace', 'broken.csv')).out).toMatch(
    /decided +\S+ dismiss by Ada: the shop withdrew them/,
  )
  expect((await run('audit', 'verify')).exit).toBe(0)
  expect(await run('dismiss', 'orders.csv', ...WHO)).toMatchObject({
    exit: 2,
    err: expect.stringMatching(/Ada dismissed orders\.csv already, at \S+: the shop withdrew them/) as string,
  })
  expect((await run('dismiss', 'orders/nothing', ...WHO)).exit).toBe(2)
  expect((await run('dismiss', 'nothing.csv', ...WHO)).exit).toBe(2)
})

/** One of three delivered orders was canceled before the file was taken away, and one pass has seen it. */
async function anOfficeWithCanceledOrder() {
  const world = await worldThatWaits(PICKED_UP, sampleOrders({ seed: 81, orders: 3, damageEvery: 0 }))
  await world.run('orders-out')
  const [order] = await world.orders()
  if (order === undefined) throw new Error('there is no order')
  const bridge = await openWithCanceledOrder(world)
  await partnerOf(world).takes('orders-1.csv')
  await bridge.run(['orders-out'], new AbortController().signal)
  await bridge.close()
  const run = await commandsOf(world)
  return { run, order: { id: order.id, purchaseOrder: order.purchase_order_number } }
}

test('an order that was canceled after its delivery is an alert until a person dismisses it', async () => {
  const { run, order } = await anOfficeWithCanceledOrder()

  const before = await run('status')
  expect(before.out).toMatch(
    new RegExp(
      `orders-out: order ${order.purchaseOrder} \\(id ${order.id}\\) of .*orders-1.csv is held and not acknowledged: .*cancel`,
    ),
  )
  const one = `orders-out/${order.id}`
  expect(before.out).toContain(`\`dropbridge dismiss ${one} --by NAME --why TEXT\``)
  expect((await run('run')).err).not.toMatch(/\d held/)
  expect(await run('dismiss', one, ...WHO)).toMatchObject({
    exit: 0,
    err: 'orders-out: orders-1.csv: 1 record is dismissed',
  })

  const after = (await run('status')).out
  expect(after).not.toContain('record-unacknowledged')
  expect(after).not.toMatch(/orders-out.*held/)
  expect((await run('trace', order.purchaseOrder)).out).toMatch(/dismiss by Ada: the shop withdrew them/)
  expect((await run('audit', 'verify')).exit).toBe(0)
  expect((await run('dismiss', one, ...WHO)).exit).toBe(2)
})

test('all unacknowledged records of a delivered file are dismissed by its name', async () => {
  const { run } = await anOfficeWithCanceledOrder()

  expect((await run('dismiss', 'orders-1.csv', ...WHO)).err).toBe(
    'orders-out: orders-1.csv: 1 record is dismissed',
  )
  expect((await run('status')).out).not.toContain('record-unacknowledged')
})

test('held records that a person discards are no rejected records that wait for a correction', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  const orders = sampleOrders({ seed: 5, orders: 25, damageEvery: 0 })
  for (const order of orders)
    Object.assign(order.rows[0] ?? {}, { SKU: 'NL-NONE', UPC: '', 'Gift Message': '' })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  await run('run')
  await run('discard', 'orders.csv', ...WHO)

  expect((await run('status')).out).toContain('orders.csv: 20 records are rejected')
})
