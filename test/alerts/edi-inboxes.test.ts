/** Alerts about inboxes of interchanges: each is scanned once, and the routes that take sets of it are not. */
import { appendFile, readFile, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { InterchangeInbox } from '../../src/config/edi.ts'
import type { Alert } from '../../src/domain/alert.ts'
import { anEdiInbox } from '../fixtures/edi-inbox.ts'
import type { World } from '../fixtures/world.ts'

const ONE_DAY = await readFile(new URL('../../samples/edi/850-one-day.x12', import.meta.url))
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Changes the inbox, and what its routes say of it for messages. */
function changeInbox(
  world: World,
  {
    from,
    results,
  }: { from?: Partial<InterchangeInbox['from']>; results?: Partial<InterchangeInbox['results']> },
): void {
  const { edi, routes } = world.configuration
  const [inbox] = edi?.inboxes ?? []
  if (edi === undefined || inbox === undefined) throw new Error('no such inbox')
  const changed = { ...inbox, from: { ...inbox.from, ...from }, results: { ...inbox.results, ...results } }
  Object.assign(world.configuration, {
    edi: { ...edi, inboxes: [changed] },
    routes: routes.map((route) => ({
      ...route,
      ...('from' in route && { from: { ...route.from, ...from } }),
    })),
  })
}

async function findAlerts(world: World): Promise<Pick<Alert, 'code' | 'route' | 'message'>[]> {
  const bridge = await world.open()
  try {
    const { alerts } = await bridge.takeSnapshotAndPublishAlerts()
    const exchange = join(world.folder, 'exchange')
    return alerts.map(({ code, route, message }) => ({
      code,
      ...(route === undefined ? {} : { route }),
      message: message.replaceAll(exchange, ''),
    }))
  } finally {
    await bridge.close()
  }
}

async function dropAged(world: World, folder: string, name: string, ageMs: number): Promise<void> {
  await world.drop(folder, name, 'x')
  const time = new Date(world.clock.now() - ageMs)
  await utimes(join(world.folder, 'exchange', folder, name), time, time)
}

test('a file in the inbox is no unmatched file, and one that its pattern leaves is told once', async () => {
  const world = await anEdiInbox()
  await dropAged(world, 'inbox/van', 'day.x12', HOUR_MS)
  expect(await findAlerts(world)).toEqual([])

  changeInbox(world, { from: { match: '*.edi' } })
  expect(await findAlerts(world)).toEqual([
    {
      code: 'file-unmatched',
      message: 'no route takes /inbox/van/day.x12: it does not match "*.edi" of inbox van',
    },
  ])
})

test('a file that should have come is missed at the inbox once, and not at each of its routes', async () => {
  const world = await anEdiInbox()
  const start = new Date(world.clock.now())
  await findAlerts(world)
  changeInbox(world, { from: { expectFile: { by: '07:00', zone: 'UTC', days: [1, 2, 3, 4, 5, 6, 7] } } })
  world.clock.skip(2 * DAY_MS)

  const day = new Date(start.getTime() + 2 * DAY_MS).toISOString().slice(0, 10)
  expect(await findAlerts(world)).toEqual([
    {
      code: 'expected-file-missing',
      route: 'inbox:van',
      message: `no file came for inbox van on ${day} by 07:00 (UTC); none ever came`,
    },
  ])

  await world.drop('inbox/van', 'day.x12', ONE_DAY)
  await world.run()
  expect((await findAlerts(world)).map(({ code }) => code)).not.toContain('expected-file-missing')
})

test('a file without its marker waits at the inbox', async () => {
  const world = await anEdiInbox()
  changeInbox(world, { from: { ready: { when: 'marker', sidecar: '{name}.done' } } })
  await dropAged(world, 'inbox/van', 'day.x12', HOUR_MS)

  expect(await findAlerts(world)).toEqual([
    expect.objectContaining({ code: 'file-waiting', route: 'inbox:van' }),
  ])
})

test('interchanges beside the inbox are misplaced, and answers in the folder of a partner are not', async () => {
  const world = await anEdiInbox()
  await dropAged(world, 'inbox', 'high.x12', HOUR_MS)
  await dropAged(world, 'outbox/haven', '997-000000001.x12', HOUR_MS)
  await dropAged(world, 'outbox/haven', 'day.x12', HOUR_MS)

  expect(await findAlerts(world)).toEqual([
    {
      code: 'file-misplaced',
      message: '/inbox/high.x12 is in no inbox; inbox van takes such names from inbox/van',
    },
    {
      code: 'file-misplaced',
      message: '/outbox/haven/day.x12 is in no inbox; inbox van takes such names from inbox/van',
    },
  ])
})

test('results of the inbox that nobody fetches are told', async () => {
  const world = await anEdiInbox()
  changeInbox(world, { results: { folder: 'edi-results', alertIfNotEmptiedMs: 3 * DAY_MS } })
  await dropAged(world, 'edi-results', 'day.x12.sets.csv', 10 * DAY_MS)

  expect(await findAlerts(world)).toEqual([
    expect.objectContaining({
      code: 'folder-not-emptied',
      message: expect.stringContaining('exchange:edi-results for more than 3 days'),
    }),
  ])
})

test('an archived file that grew is told once, and not at each of its routes', async () => {
  const world = await anEdiInbox()
  await world.drop('inbox/van', 'day.x12', ONE_DAY)
  await world.run()
  const bridge = await world.open()
  const [file] = await bridge.journal.listRecentFiles(1, 'inbox:van')
  await bridge.close()
  await appendFile(join(world.folder, 'exchange', file?.archivedAs ?? ''), 'ISA*')

  const grown = (await findAlerts(world)).filter(({ code }) => code === 'file-appended')
  expect(grown).toEqual([
    { code: 'file-appended', route: 'inbox:van', message: expect.stringContaining('has grown') },
  ])
})
