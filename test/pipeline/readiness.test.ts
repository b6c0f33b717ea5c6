/** When a file of an inbox is complete, and which one comes next: markers, manifests, renaming, order and sequence. */
import { createHash } from 'node:crypto'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { BridgeOptions } from '../../src/app/context.ts'
import { leftAlone, reportedFiles, runInbox } from '../fixtures/own-inbox.ts'
import { smallOrders } from '../fixtures/small-orders.ts'
import { aWorld, type World } from '../fixtures/world.ts'

const ORDERS = { routes: ['orders'] }
const INBOX = 'inbox/orders'
const MARKER = { ready: { when: 'marker', sidecar: '{name}.done' } } as const
const MANIFEST = { ready: { when: 'manifest', sidecar: '{stem}.manifest' } } as const

async function archived(world: World): Promise<string[]> {
  const found = await readdir(join(world.folder, 'exchange', 'archive'), {
    recursive: true,
    withFileTypes: true,
  })
  const names = found.filter((entry) => entry.isFile()).map((entry) => entry.name)
  return names.map((name) => name.replace(/~[^.]+/, '')).toSorted()
}

test('a file without its marker is not taken, and with it both are taken and archived side by side', async () => {
  const world = await aWorld(ORDERS)
  await world.drop(INBOX, 'a.csv', smallOrders(100))
  expect(reportedFiles(await runInbox(world, MARKER))).toEqual([])
  expect(leftAlone(world)['a.csv']).toMatch(/^its marker .*inbox\/orders\/a\.csv\.done is missing$/)
  await world.drop(INBOX, 'a.csv.done', '')
  expect(reportedFiles(await runInbox(world, MARKER))).toEqual(['a.csv'])
  expect(await world.list(INBOX)).toEqual([])
  expect(await archived(world)).toEqual(['a.csv', 'a.csv.done'])
  expect(await readdir(join(world.folder, 'exchange', INBOX, '.claimed'))).toEqual([])
})

test('a marker may have the name of its file with another ending', async () => {
  const world = await aWorld(ORDERS)
  await world.drop(INBOX, 'week 47.csv', smallOrders(100))
  await world.drop(INBOX, 'week 47.ok', 'whatever')
  const from = { ready: { when: 'marker', sidecar: '{stem}.ok' } } as const
  expect(reportedFiles(await runInbox(world, from))).toEqual(['week 47.csv'])
})

test('a marker that matches the route itself is no file of the route', async () => {
  const world = await aWorld(ORDERS)
  await world.drop(INBOX, 'a.csv', smallOrders(100))
  await world.drop(INBOX, 'a.csv.done', '')
  await world.drop(INBOX, 'b.csv.done', '')
  expect(reportedFiles(await runInbox(world, { ...MARKER, match: '*' }))).toEqual(['a.csv'])
  expect(await world.list(INBOX)).toEqual(['b.csv.done'])
})

test('a file that is renamed into place is taken at the first scan', async () => {
  const world = await aWorld(ORDERS)
  await world.drop(INBOX, 'a.csv', smallOrders(100))
  const before = world.clock.now()
  expect(
    reportedFiles(await runInbox(world, { ready: { when: 'renamed' }, stableForMs: 3_600_000 })),
  ).toEqual(['a.csv'])
  expect(world.clock.now() - before).toBeLessThan(3_600_000)
})

test('a file with a long name is held against its manifest, and not against itself', async () => {
  const world = await aWorld(ORDERS)
  const text = smallOrders(100, 2)
  const name = `${'x'.repeat(241)}.csv`
  await world.drop(INBOX, name, text)
  await world.drop(INBOX, `${name}.manifest`, `bytes: ${Buffer.byteLength(text)}\n`)
  const result = await runInbox(world, { ready: { when: 'manifest', sidecar: '{name}.manifest' } })
  expect(reportedFiles(result)).toEqual([name])
  expect(result.exit).toBe(0)
  expect(await world.list(INBOX)).toEqual([])
})

test('a manifest that is right lets its file pass', async () => {
  const world = await aWorld(ORDERS)
  const text = smallOrders(100, 3)
  const rows = text.trim().split('\n').length - 1
  const [, ...lines] = text.trim().split('\n')
  const quantities = lines.map((line) => Number(line.split(',').at(-4)))
  const sum = quantities.reduce((total, quantity) => total + quantity, 0)
  const sha256 = createHash('sha256').update(text).digest('hex')
  const manifest = { rows, bytes: Buffer.byteLength(text), sha256, sum: { Qty: sum }, created_by: 'the ERP' }
  await world.drop(INBOX, 'a.csv', text)
  await world.drop(INBOX, 'a.manifest', JSON.stringify(manifest))
  const result = await runInbox(world, MANIFEST)
  expect(reportedFiles(result)).toEqual(['a.csv'])
  expect(result.exit).toBe(0)
  expect((await world.orders()).length).toBe(3)
  expect(await archived(world)).toEqual(['a.csv', 'a.manifest'])
})

test('a file that contradicts its manifest is refused as a whole, with every figure on both sides', async () => {
  const world = await aWorld(ORDERS)
  const text = 'PO Number,Qty\nA,1\nB,2.50\n'
  await world.drop(INBOX, 'a.csv', text)
  const sha256 = createHash('sha256').update('another file').digest('hex')
  await world.drop(INBOX, 'a.manifest', `rows: 3\nbytes = 99\nSHA256: ${sha256}\nsum.Qty: 4\nsum.Cost: 1\n`)
  const { exit, routes } = await runInbox(world, MANIFEST)
  expect(exit).toBe(65)
  const [result] = routes
  const messages =
    result?.kind === 'inbound' ? result.pass.summaries[0]?.problems.map(({ message }) => message) : []
  expect(messages).toEqual([
    'The manifest says 99 bytes, and the file has 25.',
    `The manifest says the SHA-256 ${sha256}, and the file has ${createHash('sha256').update(text).digest('hex')}.`,
    'The manifest says 3 rows, and the file has 2.',
    'The manifest says that "Qty" sums up to 4, and the file has 3.50.',
    'The manifest sums the column "Cost", which the file does not have.',
  ])
  expect(await world.read('results/a.csv.rejects.csv')).toBe(text)
  expect(await world.orders()).toEqual([])
  expect(await world.list(INBOX)).toEqual([])
})

test.each([
  ['', 'is empty'],
  ['{"rows": ', 'begins with "{" and is no JSON object'],
  ['name: a.csv\n', 'says nothing of rows, bytes, sha256 or a sum'],
  ['rows: many\n', 'says rows: "many", which is no whole number'],
  ['sha256: abc\n', 'says sha256: "abc", which is no SHA-256 of 64 hexadecimal digits'],
  ['sum.Qty: a lot\n', 'says sum.Qty: "a lot", which is no plain number'],
])('a manifest %j refuses its file, because it %s', async (manifest, why) => {
  const world = await aWorld(ORDERS)
  await world.drop(INBOX, 'a.csv', smallOrders(100))
  await world.drop(INBOX, 'a.manifest', manifest)
  const { routes } = await runInbox(world, MANIFEST)
  const [result] = routes
  const problems = result?.kind === 'inbound' ? result.pass.summaries[0]?.problems : []
  expect(problems?.map(({ code, message }) => ({ code, message }))).toEqual([
    { code: 'manifest-unusable', message: `The manifest a.manifest ${why}.` },
  ])
  expect(await world.orders()).toEqual([])
})

test('the output of sha256sum is a manifest', async () => {
  const world = await aWorld(ORDERS)
  const text = smallOrders(100)
  await world.drop(INBOX, 'a.csv', text)
  await world.drop(INBOX, 'a.manifest', `${createHash('sha256').update(text).digest('hex')}  a.csv\n`)
  expect((await runInbox(world, MANIFEST)).exit).toBe(0)
})

test('a manifest that is removed before the file is read leaves the file where it was', async () => {
  const world = await aWorld(ORDERS)
  await world.drop(INBOX, 'a.csv', smallOrders(100))
  await world.drop(INBOX, 'a.manifest', 'rows: 1')
  await runInbox(world, MANIFEST, {
    mailbox: (mailbox) => ({
      ...mailbox,
      claim: async (claim) => {
        if (claim.name === 'a.manifest')
          await rm(join(world.folder, 'exchange', INBOX, 'a.manifest'), { force: true })
        return mailbox.claim(claim)
      },
    }),
  })
  expect(await world.list(INBOX)).toEqual(['a.csv'])
  expect(await world.orders()).toEqual([])
  await world.drop(INBOX, 'a.manifest', `bytes: ${Buffer.byteLength(smallOrders(100))}`)
  expect(reportedFiles(await runInbox(world, MANIFEST))).toEqual(['a.csv'])
})

test.each([
  ['oldest', ['b-10.csv', 'a-9.csv', 'b-2.csv']],
  ['name', ['a-9.csv', 'b-10.csv', 'b-2.csv']],
  ['number', ['a-9.csv', 'b-2.csv', 'b-10.csv']],
] as const)('files are taken by %s', async (order, expected) => {
  const world = await aWorld(ORDERS)
  for (const [index, name] of ['b-10.csv', 'a-9.csv', 'b-2.csv'].entries()) {
    await world.drop(INBOX, name, smallOrders(100 * (index + 1)))
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const from = order === 'oldest' ? {} : { order }
  expect(reportedFiles(await runInbox(world, from))).toEqual(expected)
})

test('of a strict sequence no file after a missing number is taken, and the number is reported', async () => {
  const world = await aWorld(ORDERS)
  const from = { sequence: { name: 'orders-{number}.csv', start: 1 } }
  for (const number of [4, 2, 1]) await world.drop(INBOX, `orders-00${number}.csv`, smallOrders(number * 100))
  await world.drop(INBOX, 'orders.csv', smallOrders(900))
  expect(reportedFiles(await runInbox(world, from))).toEqual(['orders-001.csv', 'orders-002.csv'])
  expect(leftAlone(world)).toEqual({
    'orders-004.csv':
      'number 3 of the sequence has not come; if it never will, write start: 4 under `sequence`',
    'orders.csv': 'its name has no number where `sequence` says, and the route takes files by their number',
  })
  await world.drop(INBOX, 'orders-003.csv', smallOrders(300))
  expect(reportedFiles(await runInbox(world, from))).toEqual(['orders-003.csv', 'orders-004.csv'])
})

test('the start of the sequence skips a number that will never come', async () => {
  const world = await aWorld(ORDERS)
  await world.drop(INBOX, 'orders-7.csv', smallOrders(100))
  const sequence = { name: 'orders-{number}.csv', start: 1 }
  expect(reportedFiles(await runInbox(world, { sequence }))).toEqual([])
  expect(reportedFiles(await runInbox(world, { sequence: { ...sequence, start: 7 } }))).toEqual([
    'orders-7.csv',
  ])
  // The start is only the first number: it does not hold back later ones.
  await world.drop(INBOX, 'orders-8.csv', smallOrders(200))
  expect(reportedFiles(await runInbox(world, { sequence }))).toEqual(['orders-8.csv'])
})

test('a corrected file of an earlier number is taken although later ones are done', async () => {
  const world = await aWorld(ORDERS)
  const from = { sequence: { name: 'orders-{number}.csv', start: 1 } }
  await world.drop(INBOX, 'orders-1.csv', 'no header of ours\n')
  await world.drop(INBOX, 'orders-2.csv', smallOrders(200))
  expect(reportedFiles(await runInbox(world, from))).toEqual(['orders-1.csv', 'orders-2.csv'])
  await world.drop(INBOX, 'orders-1.csv', smallOrders(100))
  expect(reportedFiles(await runInbox(world, from))).toEqual(['orders-1.csv'])
  expect((await world.orders()).length).toBe(2)
})

test('while a file of a sequence is not done, the next one is not taken', async () => {
  const world = await aWorld(ORDERS)
  const from = { sequence: { name: 'orders-{number}.csv', start: 1 } }
  for (const number of [1, 2]) await world.drop(INBOX, `orders-${number}.csv`, smallOrders(number * 100))
  const unheard: NonNullable<BridgeOptions['wrap']> = {
    api: (api) => ({
      ...api,
      send: () => Promise.resolve({ certainty: 'unknown', detail: 'the connection broke' }),
      list: async function* () {},
    }),
  }
  await runInbox(world, from, unheard)
  expect(await world.list(INBOX)).toEqual(['orders-2.csv'])
  expect(leftAlone(world)['orders-2.csv']).toBe(
    'orders-1.csv comes before it in the sequence and is not done',
  )
  world.clock.skip(60_000)
  expect(reportedFiles(await runInbox(world, from))).toEqual(['orders-1.csv', 'orders-2.csv'])
  expect((await world.orders()).length).toBe(2)
})

test.each([
  ['Bestellungen für Köln.csv', 'NFC'],
  ['Bestellungen für Köln.csv', 'NFD'],
  ['注文 2026.csv', 'NFC'],
  ['заказы.csv', 'NFC'],
  ['🧺 $& %s.csv', 'NFC'],
] as const)('a name such as %s, written in %s, is taken and used for its results', async (name, form) => {
  const world = await aWorld(ORDERS)
  const written = name.normalize(form)
  await world.drop(INBOX, written, smallOrders(100))
  const match = `${name.slice(0, -4).normalize('NFC')}*`
  expect(reportedFiles(await runInbox(world, { match }))).toEqual([written])
  expect(await world.list('results')).toEqual([`${written}.results.csv`, `${written}.summary.json`])
})

test('a file with control characters in its name is reported with them escaped, and its working copies are not', async () => {
  const world = await aWorld(ORDERS)
  await world.drop(INBOX, 'p\u001b[31m1.csv', 'x')
  await world.drop(INBOX, '.p\u001b2.csv', 'x')
  const bridge = await world.open()
  const { alerts } = await bridge.snapshot()
  await bridge.close()
  expect(alerts.map(({ code, subject, message, fix }) => ({ code, subject, message, fix }))).toEqual([
    {
      code: 'file-unmatched',
      subject: 'exchange:inbox/orders/p\\u001b[31m1.csv',
      message:
        'exchange:inbox/orders holds a file whose name has a control character or "\\" in it, and is shown here as p\\u001b[31m1.csv: it cannot be taken',
      fix: 'Rename it, with plain letters and digits; `match` makes no difference.',
    },
  ])
})

test.each([
  ['short', [0xfc]],
  ['so long that nobody can ask for it', Array.from({ length: 90 }, () => 0xcf)],
])('a %s name that is no UTF-8 is not taken, stops nothing, and is an alert', async (_, bytes) => {
  const world = await aWorld(ORDERS)
  await world.drop(INBOX, 'a.csv', smallOrders(100))
  const inbox = join(world.folder, 'exchange', INBOX)
  await writeFile(
    Buffer.concat([Buffer.from(`${inbox}/b`), Buffer.from(bytes), Buffer.from('cher.csv')]),
    'x',
  )
  expect(reportedFiles(await runInbox(world, {}))).toEqual(['a.csv'])
  const bridge = await world.open()
  const { alerts } = await bridge.snapshot()
  await bridge.close()
  expect(alerts.map(({ code, message, fix }) => ({ code, message, fix }))).toEqual([
    {
      code: 'file-unmatched',
      message: `exchange:inbox/orders holds a file whose name is no UTF-8, and reads about like b${'\uFFFD'.repeat(bytes.length)}cher.csv: it cannot be taken`,
      fix: 'Rename it, with plain letters and digits; `match` makes no difference.',
    },
  ])
})
