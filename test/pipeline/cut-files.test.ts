/** Files whose last line has no line end: they may be cut inside their last cell, and still be valid. */
import { appendFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Mailbox } from '../../src/domain/mailbox.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { leftAlone, reportedFiles, runInbox } from '../fixtures/own-inbox.ts'
import { smallOrders } from '../fixtures/small-orders.ts'
import { aWorld, type World } from '../fixtures/world.ts'

const INBOX = 'inbox/orders'
/** Its last cell, the gift message, is filled. */
const BODY = `${smallOrders(100, 3).trimEnd()}Best wishes`
const WHOLE = `${BODY}\r\n`
/** Its last cell lacks its end, and is still valid. */
const CUT = BODY.slice(0, -6)
const ORDERS = { routes: ['orders'] }

const outcomes = async (world: World, name: string) =>
  parseCsv(await world.read(`results/${name}.results.csv`)).map((row) =>
    `${row['_status']} ${row['_code'] ?? ''}`.trim(),
  )

const withBridge = async <T>(
  world: World,
  work: (bridge: Awaited<ReturnType<World['open']>>) => Promise<T>,
) => {
  const bridge = await world.open()
  try {
    return await work(bridge)
  } finally {
    await bridge.close()
  }
}

const decide = (world: World, action: 'release' | 'discard', what: string) =>
  withBridge(world, (bridge) =>
    bridge.decide({ action, what, by: 'ada', why: 'compared with the ERP' }, new AbortController().signal),
  )

const heldFiles = (world: World) =>
  withBridge(world, async (bridge) =>
    (await bridge.snapshot()).held.map(({ name, code }) => `${name} ${code}`),
  )

const auditFindings = (world: World) =>
  withBridge(world, async ({ journal }) => (await journal.verifyChain({})).findings)

const posted = async (world: World) => (await world.orders()).length

test('the record of a last line without a line end is held, and the records before it are posted', async () => {
  const world = await aWorld(ORDERS)
  await world.drop(INBOX, 'cut.csv', CUT)

  await world.run()
  await world.run()

  expect(await outcomes(world, 'cut.csv')).toEqual(['accepted', 'accepted', 'held file-perhaps-cut'])
  expect(await posted(world)).toBe(2)
  expect(await heldFiles(world)).toEqual(['cut.csv file-perhaps-cut'])
})

test('the record before the last line is held too, where that line may belong to it by a key that is cut', async () => {
  const world = await aWorld(ORDERS)
  const rows = WHOLE.split('\r\n').filter((row) => row !== '')
  // The key becomes the last column, as in the rows of a file that ends with its order number.
  const moved = rows.map((row) => {
    const [key = ''] = row.split(',')
    return `${row.slice(key.length + 1)},${key.replace('\uFEFF', '')}`
  })
  const text = moved.slice(0, -1).join('\r\n')
  await world.drop(INBOX, 'cut.csv', text.slice(0, -1))

  await world.run()

  expect(await outcomes(world, 'cut.csv')).toEqual([
    'accepted',
    'held file-perhaps-cut',
    'held file-perhaps-cut',
  ])
})

test('a release posts the held record once', async () => {
  const world = await aWorld(ORDERS)
  await world.drop(INBOX, 'open.csv', BODY)
  await world.run()

  expect(await auditFindings(world)).toEqual([])
  await decide(world, 'release', 'open.csv')
  await world.run()

  expect(await posted(world)).toBe(3)
  expect(await heldFiles(world)).toEqual([])
  expect(await auditFindings(world)).toEqual([])
})

test('the whole file posts the record that was held of the cut one, and no decision is left', async () => {
  const world = await aWorld(ORDERS)
  await world.drop(INBOX, 'cut.csv', CUT)
  await world.run()

  await world.drop(INBOX, 'whole.csv', WHOLE)
  await world.run()

  expect(await outcomes(world, 'whole.csv')).toEqual([
    'duplicate record-repeated',
    'duplicate record-repeated',
    'accepted',
  ])
  expect(await posted(world)).toBe(3)
  expect(await heldFiles(world)).toEqual([])
})

test('a last line without a line end is a duplicate where the same record is known, and a conflict where it differs', async () => {
  const world = await aWorld(ORDERS)
  await world.drop(INBOX, 'whole.csv', WHOLE)
  await world.run()

  await world.drop(INBOX, 'open.csv', BODY)
  await world.drop(INBOX, 'cut.csv', CUT)
  await world.run()

  expect((await outcomes(world, 'open.csv')).at(-1)).toMatch(/^duplicate/)
  expect((await outcomes(world, 'cut.csv')).at(-1)).toMatch(/^rejected key-conflict/)
  expect(await posted(world)).toBe(3)
})

test.each([
  ['a route whose files end so', 'open.csv', BODY, { lastLineEnd: 'optional' }],
  ['a file with Ctrl-Z behind its last line', 'dos.csv', `${BODY}\u001A`, {}],
] as const)('nothing is held of %s', async (_, name, text, from) => {
  const world = await aWorld(ORDERS)
  await world.drop(INBOX, name, text)

  await runInbox(world, from)

  expect(await outcomes(world, name)).toEqual(['accepted', 'accepted', 'accepted'])
})

test('a packed file is judged by its text', async () => {
  const world = await aWorld(ORDERS)
  await world.drop(INBOX, 'cut.csv.gz', gzipSync(CUT))

  await runInbox(world, { match: '*' })

  expect((await outcomes(world, 'cut.csv.gz')).at(-1)).toBe('held file-perhaps-cut')
})

test('a single run takes the other files first, and waits ten times the stable time for one without a line end', async () => {
  const world = await aWorld(ORDERS)
  await world.drop(INBOX, 'a-cut.csv', CUT)
  await world.drop(INBOX, 'b-whole.csv', smallOrders(500))
  const before = world.clock.now()

  const result = await world.run()

  expect(reportedFiles(result)).toEqual(['b-whole.csv', 'a-cut.csv'])
  expect(leftAlone(world)['a-cut.csv']).toMatch(
    /^its last line has no line end, so more of it may come; it is taken once it has not changed for \d+ s$/,
  )
  expect(world.clock.now() - before).toBeGreaterThanOrEqual(10_000)
})

test('a file that its writer completes during that wait is taken as a whole', async () => {
  const world = await aWorld(ORDERS)
  const path = join(world.folder, 'exchange', INBOX, 'slow.csv')
  await world.drop(INBOX, 'slow.csv', CUT)
  let tails = 0
  const mailbox = (own: Mailbox): Mailbox => ({
    ...own,
    async readTail(...args) {
      const tail = await own.readTail(...args)
      tails += 1
      await appendFile(path, WHOLE.slice(CUT.length))
      return tail
    },
  })

  await runInbox(world, {}, { mailbox })
  await world.run()

  expect(tails).toBe(1)
  expect(await outcomes(world, 'slow.csv')).toEqual(['accepted', 'accepted', 'accepted'])
})

test('a file that grows after it was taken gets a fix that works: moved back, it posts what was held', async () => {
  const world = await aWorld(ORDERS)
  await world.drop(INBOX, 'slow.csv', CUT)
  await world.run()
  const alertsOf = () =>
    withBridge(world, async (bridge) => (await bridge.takeSnapshotAndPublishAlerts()).alerts)
  const [archived = ''] = await listArchive(world)
  await appendFile(archived, WHOLE.slice(CUT.length))

  const alert = (await alertsOf()).find(({ code }) => code === 'file-appended')
  expect(alert?.fix).toContain(`into ${INBOX} as slow.csv`)
  await rm(archived)
  await writeFile(join(world.folder, 'exchange', INBOX, 'slow.csv'), WHOLE)
  await world.run()

  expect(await posted(world)).toBe(3)
  expect(await heldFiles(world)).toEqual([])
  expect((await alertsOf()).map(({ code }) => code)).not.toContain('file-appended')
})

async function listArchive(world: World): Promise<string[]> {
  const root = join(world.folder, 'exchange/archive')
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}
