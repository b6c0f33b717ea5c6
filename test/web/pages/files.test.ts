/** The pages of files, of a month that really ran. */
import { expect, test } from 'vitest'
import { filePage, filesPage } from '../../../src/web/pages/files.ts'
import { aFinishedMonth, lookAt, MONTH, visit } from '../../fixtures/console.ts'
import { smallOrders } from '../../fixtures/small-orders.ts'
import { aWorld } from '../../fixtures/world.ts'

test('the list shows each file with its counts, newest first, and how many there are', async () => {
  const world = await aFinishedMonth()
  const page = await visit(await lookAt(world), filesPage)
  expect(page?.data.files.map(({ name, records }) => [name, records])).toEqual([
    ['bill.csv', { accepted: 3 }],
    ['ship.csv', { accepted: 3 }],
    ['orders.csv', { accepted: 3, rejected: 1 }],
  ])
  expect(page?.data).toMatchObject({ total: { count: 3, isMore: false }, near: [] })
  expect(page?.data.next).toBeUndefined()
  expect(page?.text).toContain('3 files, newest first')
  expect(page?.text).toMatch(/orders\.csv orders \S+ ✓ 3 accepted ✕ 1 rejected done/)
})

test('the list is filtered by route, trouble, name and day, and says what is called alike', async () => {
  const world = await aFinishedMonth()
  const context = await lookAt(world)
  const names = async (query: Record<string, string>) =>
    (await visit(context, filesPage, { query }))?.data.files.map(({ name }) => name)
  const day = new Date(world.clock.now()).toISOString().slice(0, 10)
  expect(await names({ route: 'shipments' })).toEqual(['ship.csv'])
  expect(await names({ outcome: 'trouble' })).toEqual(['orders.csv'])
  expect(await names({ name: 'ILL' })).toEqual(['bill.csv'])
  expect(await names({ day })).toHaveLength(3)
  expect(await names({ day: '2001-01-01' })).toEqual([])
  expect(await names({ day: 'tomorrow', route: '' })).toHaveLength(3)
  const none = await visit(context, filesPage, { query: { name: 'odrers.csv' } })
  expect(none?.text).toContain('No file matches.')
  expect(none?.text).toContain('Names like it: orders.csv')
})

test('the list goes on after the last file of the page before', async () => {
  const world = await aWorld({ routes: ['orders'] })
  for (let number = 1; number <= 52; number++)
    await world.drop('inbox/orders', `f${number}.csv`, smallOrders(20_000 + number))
  await world.run('orders')
  const context = await lookAt(world)
  const first = await visit(context, filesPage)
  expect(first?.data.files).toHaveLength(50)
  expect(first?.data.total).toEqual({ count: 52, isMore: false })
  const after = first?.data.next ?? ''
  expect(first?.html).toContain(`/files?after=${after}`)
  const second = await visit(context, filesPage, { query: { after } })
  expect(second?.data.files).toHaveLength(2)
  expect(second?.data.next).toBeUndefined()
  const ids = [...(first?.data.files ?? []), ...(second?.data.files ?? [])].map(({ id }) => id)
  expect(new Set(ids).size).toBe(52)
})

test('a file shows its problems by code and column, and each record beside its rows, those with trouble first', async () => {
  const context = await lookAt(await aFinishedMonth())
  const list = await visit(context, filesPage, { query: { route: 'orders' } })
  const id = list?.data.files[0]?.id ?? ''
  const page = await visit(context, filePage, { params: { id } })
  const data = page!.data
  expect(data.reasons).toEqual([
    {
      code: 'province-unknown',
      title: expect.stringContaining('province') as string,
      fix: expect.any(String) as string,
      column: 'State',
      records: 1,
      corrected: 0,
      isWarning: false,
    },
  ])
  expect(data.page.map(({ key, state }) => [key, state])).toEqual([
    [MONTH.refused, 'rejected'],
    ...MONTH.orders.map((po) => [po, 'accepted']),
  ])
  const [refused] = data.page
  expect(refused?.problems[0]).toMatchObject({
    code: 'province-unknown',
    message: expect.stringContaining('ZZ'),
  })
  const [row] = refused!.rows
  expect(row?.line).toBe(refused?.lines[0]?.[0])
  expect(row?.cells[row.columns.indexOf('PO Number')]).toBe(MONTH.refused)
  expect(row?.cells[row.columns.indexOf('State')]).toBe('ZZ')
  expect(data.page.every(({ rows }) => rows.length > 0)).toBe(true)
  expect(data.timeline.map(({ what }) => what)).toEqual([
    'claimed',
    'received',
    'planned',
    'submitted',
    'closed',
  ])
  expect(data.names).toEqual({
    source: expect.stringMatching(/^archive\/orders\/.*orders~.*\.csv$/) as string,
    results: 'orders.csv.results.csv',
    rejects: 'orders.csv.rejects.csv',
    summary: 'orders.csv.summary.json',
  })
  expect(page?.title).toBe('orders.csv')
  expect(page?.text).toContain('Problems by code and column')
  expect(page?.text).toContain(`✕ rejected`)
  expect(page?.text).toContain('source archive/orders/')
})

test('a file shows the records of one state alone', async () => {
  const context = await lookAt(await aFinishedMonth())
  const list = await visit(context, filesPage, { query: { route: 'orders' } })
  const params = { id: list?.data.files[0]?.id ?? '' }
  const only = async (state: string) =>
    (await visit(context, filePage, { params, query: { state } }))?.data.page.map(({ key }) => key)
  expect(await only('accepted')).toEqual(MONTH.orders)
  expect(await only('rejected')).toEqual([MONTH.refused])
  expect(await only('held')).toEqual([])
  expect(await only('constructor')).toHaveLength(4)
})

test('a file whose archive is gone shows its records and says why its rows are not there', async () => {
  const world = await aFinishedMonth()
  const context = await lookAt(world)
  const moved = { ...context, configuration: { ...context.configuration, routes: [] } }
  const list = await visit(context, filesPage, { query: { route: 'orders' } })
  const page = await visit(moved, filePage, { params: { id: list?.data.files[0]?.id ?? '' } })
  expect(page?.data.page).toHaveLength(4)
  expect(page?.data.sourceMissing).toBe('Its route is not in the configuration any more.')
  expect(page?.text).toContain('The rows of the source are not shown.')
})

test('an unknown file is no page, and an unusable one shows its problems', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'odd.csv', 'a,b\n1,2\n')
  await world.run('orders')
  const context = await lookAt(world)
  expect(await visit(context, filePage, { params: { id: 'nothing' } })).toBeUndefined()
  const list = await visit(context, filesPage)
  expect(list?.text).toContain('done, unusable')
  const page = await visit(context, filePage, { params: { id: list?.data.files[0]?.id ?? '' } })
  expect(page?.data.problems.map(({ code }) => code)).not.toEqual([])
  expect(page?.text).toContain(page?.data.problems[0]?.title.replaceAll('`', ''))
})
