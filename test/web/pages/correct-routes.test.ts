/** Rows corrected by the form come in under the rules of their routes, and each order is at the service once. */
import { gunzipSync, gzipSync } from 'node:zlib'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Configuration } from '../../../src/config/configuration.ts'
import type { InboundRoute } from '../../../src/config/routes.ts'
import { countOrders, damagedOrders } from '../../fixtures/corrections.ts'
import type { RealServer } from '../../fixtures/real-server.ts'
import { describeWithServers } from '../../fixtures/real-servers.ts'
import { aSequenceWorld } from '../../fixtures/sequence.ts'
import { aWorld, type World } from '../../fixtures/world.ts'
import { ordersFile } from '../../samples/orders.ts'
import { aCorrectionDesk } from '../desk.ts'

/** A world whose route takes files by other rules. */
async function aWorldWith(
  rules: Partial<InboundRoute['from']>,
  exchange?: (folder: string) => Configuration['mailboxes'][string],
): Promise<World> {
  const world = await aWorld({ routes: ['orders'], ...(exchange && { exchange }) })
  for (const route of world.configuration.routes)
    if (route.direction === 'inbound') Object.assign(route.from, rules)
  return world
}

/** Two of its twelve orders have the state ZZ, and two no quantity. */
const { text } = ordersFile(damagedOrders(12, 4))

/** One good order, of another number. */
const ANOTHER = ordersFile(damagedOrders(1, 0)).text.replaceAll('HV-', 'XX-')

/** What a person types instead of these. */
const TYPED: Readonly<Record<string, string>> = { ZZ: 'NY', '': '1', 'Fedex Grnd': 'FedEx Ground' }

/** Runs the file, corrects each group of its problems by the form, and sends it. Returns the page of the correction. */
async function correct(world: World, route: string, count: number) {
  await world.run(route)
  const desk = await aCorrectionDesk(world, { route })
  let { form } = await desk.look()
  for (const name of Object.keys(form).filter((each) => each.startsWith('apply-')))
    form = (await desk.press(name, { ...form, [name]: TYPED[form[name] ?? ''] ?? '' })).form
  const checked = await desk.press('check', form)
  expect(checked.text).toContain(`${count} ${count === 1 ? 'record' : 'records'} would be sent as `)
  const sent = await desk.press('send', { ...checked.form, why: 'confirmed by phone', take: '' })
  expect(sent).toMatchObject({ status: 303 })
  return { desk, page: await desk.look(sent.to) }
}

async function correctOrders(world: World) {
  const corrected = await correct(world, 'orders', 4)
  expect(await countOrders(world)).toEqual({ orders: 8, doubled: 0 })
  return corrected
}

/** The bridge takes the corrected file; a second run finds nothing more to send. */
async function finish(
  world: World,
  { desk, page }: Awaited<ReturnType<typeof correct>>,
  { orders = 12, left = [] }: { readonly orders?: number; readonly left?: readonly string[] } = {},
) {
  for (let pass = 0; pass < 2; pass++) {
    await world.run('orders')
    expect(await countOrders(world)).toEqual({ orders, doubled: 0 })
  }
  expect(await world.list('inbox/orders')).toEqual(left)
  const { journal } = await desk.console.opened.getContext()
  const [corrected] = await journal.listRecentFiles(1)
  expect((await desk.look(page.address)).text).toContain(
    `The corrected rows were taken as ${corrected?.name}`,
  )
  expect((await desk.look()).text).not.toContain('Refused rows are corrected here')
  return corrected
}

test('with a marker behind the file', async () => {
  const world = await aWorldWith({ ready: { when: 'marker', sidecar: '{stem}.ok' } })
  await world.drop('inbox/orders', 'orders-16.csv', text)
  await world.drop('inbox/orders', 'orders-16.ok', '')
  const corrected = await correctOrders(world)
  expect(await world.list('inbox/orders')).toEqual(['orders-16.rejects.csv', 'orders-16.rejects.ok'])
  const file = await finish(world, corrected)
  expect(file).toMatchObject({ outcome: 'processed', correctionOf: { name: 'orders-16.csv' } })
})

test('with a manifest that is made for it', async () => {
  const world = await aWorldWith({ ready: { when: 'manifest', sidecar: '{name}.manifest' } })
  await world.drop('inbox/orders', 'orders-16.csv', text)
  await world.drop('inbox/orders', 'orders-16.csv.manifest', `bytes: ${Buffer.byteLength(text)}\n`)
  const corrected = await correctOrders(world)
  const file = await finish(world, corrected)
  expect(file).toMatchObject({ outcome: 'processed', correctionOf: { name: 'orders-16.csv' } })
})

test('with the number of its file in a sequence, under the name of the file, although the next number came', async () => {
  const world = await aWorldWith({ sequence: { name: 'orders-{number}.csv', start: 16 } })
  await world.drop('inbox/orders', 'orders-16.csv', text)
  await world.drop('inbox/orders', 'orders-17.csv', ANOTHER)
  await world.drop('inbox/orders', 'orders-19.csv', ANOTHER.replaceAll('XX-', 'YY-'))
  const corrected = await correct(world, 'orders', 4)
  expect(await world.list('inbox/orders')).toEqual(['orders-16.csv', 'orders-19.csv'])
  const file = await finish(world, corrected, { orders: 13, left: ['orders-19.csv'] })
  expect(file).toMatchObject({ name: 'orders-16.csv', correctionOf: { name: 'orders-16.csv' } })
})

test('under the one name that the route takes', async () => {
  const world = await aWorldWith({ match: 'orders.csv' })
  await world.drop('inbox/orders', 'orders.csv', text)
  const file = await finish(world, await correctOrders(world))
  expect(file).toMatchObject({ name: 'orders.csv', correctionOf: { name: 'orders.csv' } })
})

test('under another name, where one like it came before', async () => {
  const world = await aWorldWith({})
  await world.drop('inbox/orders', 'orders-16.csv', text)
  await world.run('orders')
  await world.drop('inbox/orders', 'orders-16.rejects.csv', ANOTHER)
  const corrected = await correct(world, 'orders', 4)
  expect(await world.list('inbox/orders')).toEqual(['orders-16~2.rejects.csv'])
  await finish(world, corrected, { orders: 13 })
})

test('of a packed file: plain where the route takes it', async () => {
  const world = await aWorldWith({ match: '*.csv*' })
  await world.drop('inbox/orders', 'orders-16.csv.gz', gzipSync(text))
  const corrected = await correctOrders(world)
  expect(await world.list('inbox/orders')).toEqual(['orders-16.rejects.csv'])
  expect(await finish(world, corrected)).toMatchObject({ outcome: 'processed' })
})

test('of a packed file: packed where the route takes only packed ones', async () => {
  const world = await aWorldWith({ match: '*.csv.gz' })
  await world.drop('inbox/orders', 'orders-16.csv.gz', gzipSync(text))
  const corrected = await correctOrders(world)
  expect(await world.list('inbox/orders')).toEqual(['orders-16.rejects.csv.gz'])
  const left = await readFile(join(world.folder, 'exchange/inbox/orders/orders-16.rejects.csv.gz'))
  expect(gunzipSync(left).toString().split('\r\n')[0]).toBe(text.split('\r\n')[0])
  expect(await finish(world, corrected)).toMatchObject({ outcome: 'processed' })
})

test('with several steps: the parcel goes through, and what was held behind it follows once', async () => {
  const { world, rows, drop, states } = await aSequenceWorld({ orders: 3 })
  await drop(
    'day.csv',
    rows.map((row, index) => (index === 1 ? { ...row, Service: 'Fedex Grnd' } : row)),
  )
  const { desk } = await correct(world, 'shipments', 3)
  expect(await states()).toEqual([
    'HV-10001 partial, 2 shipped, 0 invoiced',
    'HV-10002 closed, 3 shipped, 1 invoiced',
    'HV-10003 closed, 3 shipped, 1 invoiced',
  ])
  for (let pass = 0; pass < 2; pass++) {
    await world.run('shipments')
    expect(await states()).toEqual([1, 2, 3].map((order) => `HV-1000${order} closed, 3 shipped, 1 invoiced`))
  }
  expect(await world.list('inbox/shipments')).toEqual([])
  const { journal } = await desk.console.opened.getContext()
  const [corrected] = await journal.listRecentFiles(1)
  expect(corrected).toMatchObject({ outcome: 'processed', correctionOf: { name: 'day.csv' } })
})

describeWithServers('in a mailbox of', ({ start }) => {
  test.each([
    ['under the name of a rejects file', {}, [], ['orders-16.rejects.csv']],
    [
      'with a marker behind it',
      { ready: { when: 'marker', sidecar: '{stem}.ok' } } as const,
      ['orders-16.ok'],
      ['orders-16.rejects.csv', 'orders-16.rejects.ok'],
    ],
  ])('%s', async (_, rules, sidecars, left) => {
    const real = await start()
    onTestFinished(real.remove)
    const world = await aWorldWith(rules, (root) => toMailbox(real, root))
    await world.drop('inbox/orders', 'orders-16.csv', text)
    for (const name of sidecars) await world.drop('inbox/orders', name, '')
    const corrected = await correctOrders(world)
    expect(await world.list('inbox/orders')).toEqual(left)
    const file = await finish(world, corrected)
    expect(file).toMatchObject({ outcome: 'processed', correctionOf: { name: 'orders-16.csv' } })
  })
})

function toMailbox({ server, knownHostsFile }: RealServer, root: string): Configuration['mailboxes'][string] {
  const { host, port, username, login } = server
  const settings = { connections: 1, verify: 'size', claim: 'rename', deliver: 'rename' } as const
  const trust = { knownHostsFile }
  return { type: 'sftp', host, port, username, login, trust, timeoutMs: 10_000, root, ...settings }
}
