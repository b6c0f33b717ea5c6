/** Deliveries that wait for their pick-up from an SFTP server, or for a receipt on it. */
import { expect, test } from 'vitest'
import { partnerOf, PICKED_UP, RECEIPT, type Waiting, worldThatWaits } from '../fixtures/partner.ts'
import { sftpExchange } from '../fixtures/sftp-exchange.ts'
import type { World } from '../fixtures/world.ts'
import { sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 96, orders: 2, damageEvery: 0 })

async function overSftp(waiting: Waiting) {
  const { server, exchange } = await sftpExchange()
  const world = await worldThatWaits(waiting, ORDERS, { exchange })
  return { world, server }
}

const acknowledged = (world: World) => world.service.counts().acknowledgedOrders

test('a file on a server is acknowledged once it was taken away from there', async () => {
  const { world } = await overSftp(PICKED_UP)

  const first = await world.run('orders-out')
  const second = await world.run('orders-out')
  const before = acknowledged(world)
  await partnerOf(world).takes('orders-1.csv')
  const third = await world.run('orders-out')

  expect([first.exit, second.exit, third.exit]).toEqual([0, 0, 0])
  expect(before).toBe(0)
  expect(acknowledged(world)).toBe(2)
})

test('an empty folder where a disk of the server should be is no pick-up', async () => {
  const { world } = await overSftp(PICKED_UP)
  await world.run('orders-out')
  const mountAgain = await partnerOf(world).unmounts()

  const away = await world.run('orders-out')
  await mountAgain()
  const back = await world.run('orders-out')

  expect([away.exit, back.exit]).toEqual([69, 0])
  expect(acknowledged(world)).toBe(0)
})

test('a receipt on a server confirms its file and goes to the archive there', async () => {
  const { world } = await overSftp({ ...RECEIPT, receipt: { ...RECEIPT.receipt, contains: '{name}' } })
  await world.run('orders-out')
  await partnerOf(world).confirms('orders-1.csv', { text: 'orders-1.csv' })

  const { exit } = await world.run('orders-out')

  expect(exit).toBe(0)
  expect(acknowledged(world)).toBe(2)
  expect(await world.list('receipts')).toEqual([])
  expect(await world.list('archive/receipts')).toHaveLength(1)
})
