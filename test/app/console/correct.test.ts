/** People correct refused records in place, against the real service: what was refused is there once afterwards. */
import { expect, test } from 'vitest'
import { lookAt } from '../../fixtures/console.ts'
import {
  aRefusedFile,
  correctAll,
  countOrders,
  damagedOrders,
  FILE,
  send,
  toRequest,
} from '../../fixtures/corrections.ts'

test('of 1,000 orders, 28 are corrected at once and 2 by another text, and all 1,000 are there once', async () => {
  const { world, id, page } = await aRefusedFile(damagedOrders(1000, 30))
  expect(await countOrders(world)).toEqual({ orders: 970, doubled: 0 })

  const shown = await page()
  expect(shown).toMatchObject({ records: 30, page: 1, pages: 1, encoding: 'utf-8' })
  expect(
    shown.groups.map(({ records, column, text, problem }) => [records, column, text, problem.code]),
  ).toEqual([
    [28, 'State', 'ZZ', 'province-unknown'],
    [2, 'Qty', '', 'value-missing'],
  ])
  const half = await page({ apply: { group: 1, text: 'NY' }, isCheck: true })
  expect(half.check).toMatchObject({ ready: 28, leftOut: 2, name: 'orders-16.rejects.csv' })

  const checked = await correctAll(page)
  expect(checked.check).toMatchObject({ ready: 30, leftOut: 0 })
  const result = await send(world, toRequest(checked))
  expect(result).toMatchObject({
    kind: 'left',
    correction: { name: 'orders-16.rejects.csv', records: 30, by: 'nadia' },
  })
  expect(await world.list('inbox/orders')).toEqual(['orders-16.rejects.csv'])

  await world.run('orders')
  expect(await countOrders(world)).toEqual({ orders: 1000, doubled: 0 })
  const { journal } = await lookAt(world)
  const [corrected] = await journal.listRecentFiles(1)
  expect(corrected).toMatchObject({ name: 'orders-16.rejects.csv', correctionOf: { id, name: FILE } })
  expect(await journal.listAllDecisions(undefined, 10)).toMatchObject([
    { action: 'correct', by: 'nadia', why: 'confirmed by phone', records: 30, file: { id, name: FILE } },
  ])
  expect(await journal.listRejectedFiles(10)).toEqual([])
  expect((await page()).records).toBe(0)
}, 120_000)
