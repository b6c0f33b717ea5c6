/** One of a thing is not called by its plural, on any page. */
import { expect, test } from 'vitest'
import { decisionsPage } from '../../../src/web/pages/decisions.ts'
import {
  deliveriesPage,
  deliveryPage,
  deliveryPreviewPage,
  redeliverPage,
} from '../../../src/web/pages/deliveries.ts'
import { dismissPages } from '../../../src/web/pages/decide.ts'
import { filePage, filesPage } from '../../../src/web/pages/files.ts'
import { formatCount, formatTotal } from '../../../src/web/pages/parts.ts'
import { orderPage, recordPage } from '../../../src/web/pages/records.ts'
import { todayPage } from '../../../src/web/pages/today.ts'
import { lookAt, visit } from '../../fixtures/console.ts'
import { smallOrders } from '../../fixtures/small-orders.ts'
import { aWorld } from '../../fixtures/world.ts'

/** `1 records`, and `2 record`; not the end of a number or a name. */
const WRONG = [
  /(?<![\w,.:-])1 (records|files|rows|lines|bytes|deliveries|decisions|events|units|orders|times|seconds)\b/,
  /(?<![\w,.:-])(0|[2-9]|\d\d+) (record|file|row|line|byte|delivery|decision|event|unit|order)\b/,
  /\b1 \w+ (are|were|stay|wait)\b/,
]

test('pages about one record, one file and one delivery count right', async () => {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  await world.drop('inbox/orders', 'one.csv', smallOrders(50_001, 1))
  await world.drop('inbox/orders', 'bad.csv', smallOrders(50_009, 1).replace(/,NY,|,CA,|,TX,/, ',ZZ,'))
  await world.run('orders', 'orders-out')
  const context = await lookAt(world)
  const files = await context.journal.listFiles({}, undefined, 9)
  const [delivery] = await context.journal.listDeliveries({}, undefined, 9)
  const one = files.find(({ name }) => name === 'one.csv')
  const [accepted] = await context.journal.listRecords({ file: one?.id ?? '' }, {}, 9)
  const byFile = files.map(({ id }) => ({ params: { id } }))
  const byDelivery = { params: { id: delivery?.id ?? '' } }
  const pages = [
    await visit(context, filesPage),
    ...(await Promise.all(byFile.map((asked) => visit(context, filePage, asked)))),
    ...(await Promise.all(byFile.map((asked) => visit(context, dismissPages[0]!, asked)))),
    await visit(context, deliveriesPage),
    await visit(context, deliveryPage, byDelivery),
    await visit(context, deliveryPreviewPage, byDelivery),
    await visit(context, redeliverPage, byDelivery),
    await visit(context, recordPage, { params: { n: String(accepted?.id) } }),
    await visit(context, orderPage, { params: { key: accepted?.keyValues[0] ?? '' } }),
    await visit(context, decisionsPage),
    await visit(context, todayPage),
  ]
  expect(pages).not.toContain(undefined)
  for (const page of pages) for (const wrong of WRONG) expect(page?.text, page?.title).not.toMatch(wrong)
  expect(pages[0]?.text).toContain('2 files, newest first')
})

test('a count has its noun in the right number, and a group of three digits its comma', () => {
  expect([0, 1, 2, 1204].map((count) => formatCount(count, 'record'))).toEqual([
    '0 records',
    '1 record',
    '2 records',
    '1,204 records',
  ])
  expect(formatCount(1, 'record stays', 'records stay')).toBe('1 record stays')
  expect(formatTotal({ count: 1, isMore: false }, 'delivery', 'deliveries')).toBe('1 delivery')
  expect(formatTotal({ count: 10_000, isMore: true }, 'delivery', 'deliveries')).toBe(
    'more than 10,000 deliveries',
  )
})
