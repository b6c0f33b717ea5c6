/** Scans of inboxes with few rights: the bridge may not list, or may not move a file. */
import { expect, onTestFinished, test } from 'vitest'
import { openJournal } from '../../src/journal/open.ts'
import { createFileTracker } from '../../src/pipeline/inbound/file-tracker.ts'
import { FIX_ORPHANED, scanInbox, type ScanContext, SKIP_REASONS } from '../../src/pipeline/inbound/inbox.ts'
import { instantClock } from '../fixtures/instant-clock.ts'
import { reportedFiles, runInbox } from '../fixtures/own-inbox.ts'
import { sftpExchange } from '../fixtures/sftp-exchange.ts'
import { smallOrders } from '../fixtures/small-orders.ts'
import { aWorld } from '../fixtures/world.ts'

const INBOX = 'inbox/orders'

/** A server that refuses listings. */
async function unlistable() {
  const { server, exchange } = await sftpExchange()
  const world = await aWorld({ routes: ['orders'], exchange })
  server.misbehave = ({ kind }) => (kind === 'opendir' ? 'no rights' : undefined)
  return world
}

test.each(['marker', 'manifest'] as const)(
  'without the right to list, the one file of a route is taken once its %s is beside it',
  async (when) => {
    const world = await unlistable()
    const from = { match: 'orders.csv', ready: { when, sidecar: '{name}.more' } }
    const text = smallOrders(100)
    await world.drop(INBOX, 'orders.csv', text)
    expect(reportedFiles(await runInbox(world, from))).toEqual([])
    await world.drop(INBOX, 'orders.csv.more', `bytes: ${Buffer.byteLength(text)}\n`)
    expect(reportedFiles(await runInbox(world, from))).toEqual(['orders.csv'])
    expect(await world.list(INBOX)).toEqual([])
  },
)

test('without the right to list, a mailbox whose routes name single files is not reported as away', async () => {
  const world = await unlistable()
  await world.drop(INBOX, 'other.txt', '')
  const away = async (match: string) => {
    for (const route of world.configuration.routes)
      if (route.direction === 'inbound') Object.assign(route, { from: { ...route.from, match } })
    const bridge = await world.open()
    const { alerts } = await bridge.takeSnapshotAndPublishAlerts()
    await bridge.close()
    return alerts.map(({ code }) => code).filter((code) => code === 'mailbox-away')
  }
  expect(await away('orders.csv')).toEqual([])
  expect(await away('*.csv')).toEqual(['mailbox-away'])
})

test('a scan gives each skipped file its code, its fix and when it may be stable', async () => {
  const clock = instantClock()
  const journal = await openJournal({ path: ':memory:', clock })
  onTestFinished(() => journal.close())
  const names = [
    'orders-1.csv',
    'orders-1.csv.done',
    'orders-3.csv',
    'orders-3.csv.done',
    'orders-4.csv',
    'orders-5.csv.done',
  ]
  const listed = names.map((name) => ({ folder: 'in', name, size: 1, modifiedAt: 0 }))
  const scan = async (more: object) => {
    const own = { name: 'orders', folder: 'in', matches: (name: string) => name.endsWith('.csv') }
    const context = {
      clock,
      journal,
      source: {
        claimsInPlace: false,
        list: () => Promise.resolve(listed),
        describe: (folder: string, name: string) => `${folder}/${name}`,
      },
      route: { ...own, stableForMs: 1000, ...more },
    } as unknown as ScanContext
    const { skippedFiles } = await scanInbox(context, createFileTracker())
    return skippedFiles.map(({ file, ...reason }) => [file.name, reason] as const)
  }
  const sidecarNameOf = (name: string) => `${name}.done`
  const isSidecar = (name: string) => name.endsWith('.done')
  const numberIn = (name: string) => Number(/\d+/.exec(name)?.[0])

  const arriving = await scan({})
  const marked = await scan({
    ready: { when: 'marker', sidecarNameOf, isSidecar },
    sequence: { numberIn, start: 1 },
  })

  expect(arriving[0]).toEqual([
    'orders-1.csv',
    {
      code: 'still-changing',
      message: 'it has just arrived',
      fix: SKIP_REASONS['still-changing'].fix,
      isUsual: true,
      untilMs: 999,
    },
  ])
  expect(marked).toEqual([
    [
      'orders-4.csv',
      {
        code: 'sidecar-missing',
        message: 'its marker in/orders-4.csv.done is missing',
        fix: SKIP_REASONS['sidecar-missing'].fix,
        isUsual: false,
      },
    ],
    [
      'orders-3.csv',
      {
        code: 'out-of-sequence',
        message: 'number 2 of the sequence has not come; if it never will, write start: 3 under `sequence`',
        fix: SKIP_REASONS['out-of-sequence'].fix,
        isUsual: false,
      },
    ],
    [
      'orders-5.csv.done',
      {
        code: 'is-sidecar',
        message: 'the data file of this marker is missing',
        fix: FIX_ORPHANED,
        isUsual: false,
      },
    ],
  ])
})

test('a file that is claimed in place is not taken again, however many routes have its name', async () => {
  let now = Date.parse('2026-11-21T00:00:00Z')
  const clock = { now: () => now, sleep: () => Promise.resolve() }
  const journal = await openJournal({ path: ':memory:', clock })
  onTestFinished(() => journal.close())
  const name = 'inventory.csv'
  for (let n = 1; n <= 6; n++) {
    const lease = await journal.acquireLease(`partner-${n}`, 'me', 60_000, () => true)
    await journal.startClaims(lease, [
      { id: `f${n}`, folder: 'in', name, size: 10 + n, modifiedAt: 1000 * n },
    ])
    await journal.markFileReceived(lease, `f${n}`, { sha256: `${n}`, bytes: 10 + n, mayRepeat: true })
  }
  const taken = { folder: 'in', name, size: 11, modifiedAt: 1000 }
  const replaced = { ...taken, modifiedAt: 2000 }
  const readyOf = async (info: typeof taken) => {
    const parts = {
      clock,
      journal,
      source: { claimsInPlace: true, list: () => Promise.resolve([info]) },
      route: { name: 'partner-1', folder: 'in', matches: () => true, stableForMs: 1000 },
    } as unknown as ScanContext
    const tracker = createFileTracker()
    await scanInbox(parts, tracker)
    now += 60_000
    return (await scanInbox(parts, tracker)).ready
  }
  expect(await readyOf(taken)).toEqual([])
  expect(await readyOf(replaced)).toEqual([replaced])
})
