/** What people ask of a day: did the files come in time, and what was it in all. */
import { expect, test } from 'vitest'
import { sumAmounts, totalRows } from '../../../src/app/console/reports.ts'
import type { Today } from '../../../src/app/console/today.ts'
import { toText } from '../../fixtures/console.ts'
import { smallOrders } from '../../fixtures/small-orders.ts'
import { aFinishedMonth, lookAt, visit } from '../../fixtures/console.ts'
import { tempFolder } from '../../fixtures/temp-folder.ts'
import { aWorld, type World } from '../../fixtures/world.ts'
import { filesPage } from '../../../src/web/pages/files.ts'
import { filePage } from '../../../src/web/pages/files.ts'
import { deliveryPreviewPage, deliveriesPage } from '../../../src/web/pages/deliveries.ts'
import { reportsPage } from '../../../src/web/pages/reports.ts'
import { aConsole } from '../harness.ts'

/** The world with a file that the route expects by this time of its day, UTC. */
function expecting(world: World, by: string) {
  const { configuration } = world
  const routes = configuration.routes.map((route) =>
    route.direction === 'inbound'
      ? { ...route, from: { ...route.from, expectFile: { by, zone: 'UTC', days: [1, 2, 3, 4, 5, 6, 7] } } }
      : route,
  )
  return { ...configuration, routes } as World['configuration']
}

const formatTime = (ms: number) => new Date(ms).toISOString().slice(11, 16)

async function readExpected(world: World, by: string) {
  const configuration = { ...expecting(world, by), stateFolder: await tempFolder() }
  const console = await aConsole({ configuration, clock: world.clock })
  await console.get('/', 'viewer')
  const data = (await console.get('/', 'viewer', { accept: 'application/json' })).json<Today>()
  const { body } = await console.get('/', 'viewer')
  const [, table = ''] = /<section id="expected"[^>]*>([^]*?)<\/section>/.exec(body) ?? []
  return { expected: data.expected[0], text: toText(table) }
}

test('an expected file that came in time, or late, says when it came and how late', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'day.csv', smallOrders(1, 1))
  await world.run('orders')
  const now = world.clock.now()
  const early = formatTime(now - 72 * 60_000)
  const late = await readExpected(world, early)
  expect(late.text).toMatch(/✓ came late \d\d:\d\d:\d\d , 1 h 1\d late/)
  world.clock.skip?.(2 * 60 * 60_000)
  const inTime = await readExpected(world, formatTime(now + 60 * 60_000))
  expect(inTime.text).toMatch(/✓ came \d\d:\d\d:\d\d ; next by/)
  expect(inTime.text).toContain('day.csv , whole: ✓ 1 accepted')
})

test('an expected file that is cut off, unusable or refused in part says so beside its name', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const text = smallOrders(1, 2)
  await world.drop('inbox/orders', 'day.csv', text.trimEnd())
  await world.run('orders')
  const by = formatTime(world.clock.now() - 72 * 60_000)
  expect((await readExpected(world, by)).text).toContain('day.csv , ✕ perhaps cut off')
  const cut = await aWorld({ routes: ['orders'] })
  await cut.drop('inbox/orders', 'day.csv', text.slice(0, text.length - 10))
  await cut.run('orders')
  expect((await readExpected(cut, by)).text).toContain('day.csv , ✕ in part: ✓ 1 accepted ✕ 1 rejected')
  const other = await aWorld({ routes: ['orders'] })
  await other.drop('inbox/orders', 'day.csv', 'PK\u0003\u0004')
  await other.run('orders')
  expect((await readExpected(other, by)).text).toContain('day.csv , ✕ unusable as a whole')
})

test('an expected file of today that did not come is shown as missed, also where it was due before the journal began', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.run('orders')
  const { text, expected } = await readExpected(world, formatTime(world.clock.now() - 44 * 60_000))
  expect(text).toMatch(/✕ missed , by \d\d:\d\d:\d\d , late 4[45] min; next by/)
  expect(expected?.missingSince).toBeLessThan(world.clock.now())
})

test('a report has a total line for what came and for what went out', async () => {
  const context = await lookAt(await aFinishedMonth())
  const page = await visit(context, reportsPage)
  const rows = page!.data.rows.filter(({ direction }) => direction === 'incoming')
  const total = totalRows(rows)
  expect(rows.length).toBeGreaterThan(1)
  expect(total?.records).toBe(rows.reduce((sum, { records }) => sum + records, 0))
  // An order and its invoice are the same goods: each kind has its own total.
  const sums = [...sumAmounts(rows)]
  expect(sums.map(([operation]) => operation)).toEqual(['create-invoice', 'create-order'])
  for (const [operation, sum] of sums) {
    const own = rows.filter((row) => row.operation === operation)
    const cents = own.reduce((of, { amount = '0.00' }) => of + Number(amount.replace('.', '')), 0)
    expect(sum).toBe((cents / 100).toFixed(2))
    expect(page?.text).toContain(
      `${Number(sum).toLocaleString('en-US', { minimumFractionDigits: 2 })} ${operation}`,
    )
  }
  expect(total?.amount).toBeUndefined()
  expect(page?.html.match(/<strong>Total<\/strong>/g)).toHaveLength(2)
  expect(totalRows([])).toBeUndefined()
})

test('the routes of Files have the inboxes of interchanges, too', async () => {
  const context = await lookAt(await aFinishedMonth())
  const edi = { inboxes: [{ key: 'inbox:van' }] } as unknown as NonNullable<World['configuration']['edi']>
  const configuration = { ...context.configuration, edi }
  const page = await visit({ ...context, configuration }, filesPage)
  expect(page?.data.routes).toEqual(expect.arrayContaining(['orders', 'inbox:van']))
})

test('a viewer reads beside each hidden cell that it is hidden for the role, and an operator does not', async () => {
  const context = await lookAt(await aFinishedMonth())
  const [file] = await context.journal.listFiles({ route: 'orders' }, undefined, 1)
  const list = await visit(context, deliveriesPage)
  const params = { id: list!.data.deliveries.find(({ route }) => route === 'orders-out')!.id }
  for (const [role, isHidden] of [
    ['viewer', true],
    ['operator', false],
  ] as const) {
    const page = await visit(context, filePage, { params: { id: file!.id }, role })
    expect(page!.text.includes('hidden for your role'), role).toBe(isHidden)
    const preview = await visit(context, deliveryPreviewPage, { params, role })
    expect(preview!.text.includes('hidden for your role'), role).toBe(isHidden)
  }
})
