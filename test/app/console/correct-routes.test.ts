/** Corrected files come in under the rules of their routes: markers, manifests, sequences, names, packed files and EDI. */
import { gunzipSync, gzipSync } from 'node:zlib'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { InboundRoute } from '../../../src/config/routes.ts'
import {
  correctAll,
  countOrders,
  damagedOrders,
  openFile,
  send,
  toRequest,
} from '../../fixtures/corrections.ts'
import { lookAt } from '../../fixtures/console.ts'
import { aWorld, type World } from '../../fixtures/world.ts'
import { sftpExchange } from '../../fixtures/sftp-exchange.ts'
import { ordersFile } from '../../samples/orders.ts'

/** A world whose route takes files by other rules. */
async function aWorldWith(rules: Partial<InboundRoute['from']>): Promise<World> {
  const world = await aWorld({ routes: ['orders'] })
  const { configuration } = world
  for (const route of configuration.routes)
    if (route.direction === 'inbound') Object.assign(route.from, rules)
  return world
}

const { text } = ordersFile(damagedOrders(12, 4))

async function correctFirst(world: World) {
  await world.run('orders')
  expect(await countOrders(world)).toEqual({ orders: 8, doubled: 0 })
  const { page } = await openFile(world)
  const checked = await correctAll(page)
  expect(checked).toMatchObject({ check: { ready: 4, leftOut: 0 } })
  return send(world, toRequest(checked))
}

async function finish(world: World) {
  await world.run('orders')
  expect(await countOrders(world)).toEqual({ orders: 12, doubled: 0 })
  expect(await world.list('inbox/orders')).toEqual([])
  const { journal } = await lookAt(world)
  const [corrected] = await journal.listRecentFiles(1)
  return corrected
}

test('with a marker behind the file', async () => {
  const world = await aWorldWith({ ready: { when: 'marker', sidecar: '{stem}.ok' } })
  await world.drop('inbox/orders', 'orders-16.csv', text)
  await world.drop('inbox/orders', 'orders-16.ok', '')
  await correctFirst(world)
  expect(await world.list('inbox/orders')).toEqual(['orders-16.rejects.csv', 'orders-16.rejects.ok'])
  expect(await finish(world)).toMatchObject({ outcome: 'processed', correctionOf: { name: 'orders-16.csv' } })
})

test('with a manifest that is made for it', async () => {
  const world = await aWorldWith({ ready: { when: 'manifest', sidecar: '{name}.manifest' } })
  await world.drop('inbox/orders', 'orders-16.csv', text)
  await world.drop('inbox/orders', 'orders-16.csv.manifest', `bytes: ${Buffer.byteLength(text)}\n`)
  await correctFirst(world)
  expect(await finish(world)).toMatchObject({ outcome: 'processed', correctionOf: { name: 'orders-16.csv' } })
})

test('with the number of its file in a sequence, under the name of the file', async () => {
  const world = await aWorldWith({ sequence: { name: 'orders-{number}.csv', start: 16 } })
  await world.drop('inbox/orders', 'orders-16.csv', text)
  await correctFirst(world)
  expect(await world.list('inbox/orders')).toEqual(['orders-16.csv'])
  expect(await finish(world)).toMatchObject({
    name: 'orders-16.csv',
    correctionOf: { name: 'orders-16.csv' },
  })
})

test('under the one name that the route takes', async () => {
  const world = await aWorldWith({ match: 'orders.csv' })
  await world.drop('inbox/orders', 'orders.csv', text)
  await correctFirst(world)
  expect(await finish(world)).toMatchObject({ name: 'orders.csv', correctionOf: { name: 'orders.csv' } })
})

test('under another name, where one like it came before', async () => {
  const world = await aWorldWith({})
  await world.drop('inbox/orders', 'orders-16.csv', text)
  await world.drop(
    'inbox/orders',
    'orders-16.rejects.csv',
    text.replaceAll('HV-', 'XX-').replaceAll(',ZZ,', ',NY,').split('\r\n').slice(0, 2).join('\r\n') + '\r\n',
  )
  await world.run('orders')
  const before = (await world.orders()).length
  const { page } = await openFile(world)
  const checked = await correctAll(page)
  expect(await send(world, toRequest(checked))).toMatchObject({
    correction: { name: 'orders-16~2.rejects.csv' },
  })
  await world.run('orders')
  expect((await world.orders()).length).toBe(before + 4)
})

test('of a packed file: plain where the route takes it, and packed where it takes only packed ones', async () => {
  const world = await aWorldWith({ match: '*.csv.gz' })
  await world.drop('inbox/orders', 'orders-16.csv.gz', gzipSync(text))
  await correctFirst(world)
  expect(await world.list('inbox/orders')).toEqual(['orders-16.rejects.csv.gz'])
  const left = await readFile(join(world.folder, 'exchange/inbox/orders/orders-16.rejects.csv.gz'))
  expect(gunzipSync(left).toString().split('\r\n')[0]).toBe(text.split('\r\n')[0])
  expect(await finish(world)).toMatchObject({ outcome: 'processed' })
})

test('on an SFTP server', async () => {
  const { exchange } = await sftpExchange()
  const world = await aWorld({ routes: ['orders'], exchange })
  await world.drop('inbox/orders', 'orders-16.csv', text)
  await correctFirst(world)
  expect(await world.list('inbox/orders')).toEqual(['orders-16.rejects.csv'])
  expect(await finish(world)).toMatchObject({ outcome: 'processed', correctionOf: { name: 'orders-16.csv' } })
})
