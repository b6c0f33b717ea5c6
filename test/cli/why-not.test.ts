/** Why a file is not taken: each rule that could stop it, shown with its fix; the question changes nothing. */
import {
  appendFile,
  chmod,
  cp,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { createOwnerId } from '../../src/journal/heartbeat.ts'
import { findPermissionReasons } from '../../src/app/diagnose/rules.ts'
import { diagnoseFile } from '../../src/app/diagnose/diagnose.ts'
import { openJournal } from '../../src/journal/open.ts'
import { inspectFile } from '../../src/mailboxes/directory/inspect.ts'
import { asUser } from '../fixtures/as-user.ts'
import { commandsOf, runUnheard } from '../fixtures/office.ts'
import type { CommandResult } from '../fixtures/terminal.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { sampleShipments, shipmentsFile } from '../samples/fulfilment.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = ordersFile(sampleOrders({ seed: 5, orders: 4, damageEvery: 3 })).text

async function anInbox(): Promise<{
  world: World
  inbox: string
  ask: (...args: string[]) => Promise<CommandResult>
}> {
  const world = await aWorld({ routes: ['orders', 'shopify'] })
  const run = await commandsOf(world)
  const inbox = join(world.folder, 'exchange', 'inbox', 'orders')
  await mkdir(inbox, { recursive: true })
  return { world, inbox, ask: (...args) => run('why-not', ...args) }
}

/** The codes in brackets, in their order. */
const codes = ({ out }: CommandResult) => [...out.matchAll(/\[([a-z-]+)\]$/gm)].map(([, code]) => code)

test('the name alone finds a file in a folder within the inbox', async () => {
  const { world, inbox, ask } = await anInbox()
  await world.drop('inbox/orders/monday/late', 'y.csv', ORDERS)
  await world.drop('archive/orders/2026', 'z.csv', ORDERS)

  const within = await ask('y.csv')

  expect(codes(within)).toEqual(['not-in-inbox'])
  expect(within.out).toContain(
    `${join(inbox, 'monday/late/y.csv')} is in a folder within the inbox ${inbox} of route orders`,
  )
  expect(within.out).toContain(`Move it into ${inbox} itself, whole at once.`)
  expect(codes(await ask('z.csv'))).toEqual(['no-such-file'])
})

test('a file that no rule stops is taken by the next run; why-not takes and makes nothing', async () => {
  const { world, inbox, ask } = await anInbox()
  await world.drop('inbox/orders', 'orders.csv', ORDERS)

  const result = await ask('orders.csv')

  expect(result.exit).toBe(0)
  expect(result.out.split('\n')).toEqual([
    `orders: ${join(inbox, 'orders.csv')}: nothing keeps it: the next run takes it`,
    '    create-order: 3 to be sent, 1 refused by the mapping',
  ])
  expect(await readdir(inbox)).toEqual(['orders.csv'])
  expect(await world.list('../state')).toEqual([])
  expect(await world.list('inbox')).toEqual(['orders'])
  const run = await commandsOf(world)
  expect((await run('run', 'orders')).err).toContain('orders: orders.csv: 3 accepted, 1 rejected')
})

test('a file that is taken while why-not reads it is shown as taken', async () => {
  const { world } = await anInbox()
  await world.run('orders')
  await world.drop('inbox/orders', 'orders.csv', ORDERS)
  const clock = { ...world.clock, sleep: async () => void (await world.run('orders')) }
  const eyes = { clock, signal: new AbortController().signal }

  const { verdicts } = await diagnoseFile(
    world.configuration,
    { file: 'orders.csv', from: world.folder },
    eyes,
  )

  expect(verdicts.flatMap(({ reasons }) => reasons)).toMatchObject([
    { code: 'finished', message: expect.stringContaining('was taken by route orders') },
  ])
})

test('a name that the pattern of the route does not match', async () => {
  const { world, ask } = await anInbox()
  await world.drop('inbox/orders', 'orders.txt', ORDERS)

  const result = await ask('orders.txt')

  expect(result.exit).toBe(2)
  expect(codes(result)).toEqual(['name-differs'])
  expect(result.out).toContain('its name does not match "*.csv" of route orders')
  expect(result.out).toContain('fix: Rename the file, or change `match` of the route.')
})

test.each([
  ['.orders.csv', 'its name begins with "."'],
  ['orders.csv.part', 'its name ends with ".part"'],
  ['~$orders.csv', 'its name begins with "~$"'],
])('the working name %s', async (name, why) => {
  const { world, ask } = await anInbox()
  await world.drop('inbox/orders', name, ORDERS)

  const result = await ask(name)

  expect(result.exit).toBe(2)
  expect(codes(result)).toContain('entry-ignored')
  expect(result.out).toContain(why)
  const run = await commandsOf(world)
  expect((await run('run', 'orders')).err).toBe('orders: nothing to do')
})

test('a name with control characters is reported of its own inbox alone, with the characters escaped', async () => {
  const { world, inbox, ask } = await anInbox()
  await world.drop('inbox/orders', 'p\u001b1.csv', ORDERS)

  const result = await ask('p\u001b1.csv')
  const nowhere = await ask('q\u001b1.csv')

  expect(result.exit).toBe(2)
  expect(result.out).toContain(`orders: ${inbox}/p\\u001b1.csv:`)
  expect(codes(result)).toEqual(['entry-ignored'])
  expect(result.out).not.toContain('shopify')
  expect(codes(nowhere)).toEqual(['no-such-file'])
  expect(result.out + nowhere.out).not.toContain('\u001b')
})

test('a folder, and a link', async () => {
  const { world, inbox, ask } = await anInbox()
  await mkdir(join(inbox, 'folder.csv'))
  await writeFile(join(world.folder, 'real.csv'), ORDERS)
  await symlink(join(world.folder, 'real.csv'), join(inbox, 'link.csv'))

  expect((await ask('folder.csv')).out).toContain('it is a folder; a run does not read folders in an inbox')
  expect((await ask('link.csv')).out).toContain('it is a link; only files themselves are taken')
})

test('a file that is still being written', async () => {
  const { world, inbox } = await anInbox()
  const path = join(inbox, 'orders.csv')
  await writeFile(path, ORDERS)
  const sleep = async (ms: number) => {
    await appendFile(path, '\r\n')
    await world.clock.sleep(ms)
  }
  const run = await commandsOf(world, { clock: { ...world.clock, sleep } })

  const result = await run('why-not', 'orders.csv')

  expect(result.exit).toBe(75)
  expect(codes(result)).toEqual(['still-changing'])
})

test('a file outside any inbox is shown the nearest one; one below an inbox and one in the archive are recognised', async () => {
  const { world, inbox, ask } = await anInbox()
  await mkdir(join(inbox, 'deep'))
  await writeFile(join(inbox, 'deep', 'orders.csv'), ORDERS)
  await writeFile(join(world.folder, 'exchange', 'orders.csv'), ORDERS)
  await writeFile(join(world.folder, 'exchange', 'other.csv'), 'x')

  const beside = await ask('exchange/other.csv')
  const known = await ask('exchange/orders.csv')
  const below = await ask('exchange/inbox/orders/deep/orders.csv')

  expect([beside.exit, below.exit]).toEqual([2, 2])
  expect(beside.out).toContain(`is in no inbox; the nearest is ${inbox} of route orders  [not-in-inbox]`)
  expect(known.out).toContain(
    `Move it into ${join(world.folder, 'exchange/inbox/orders')}, the inbox of route orders, whole at once.`,
  )
  expect(below.out).toContain('a run does not read folders in an inbox')
})

test('an inbox itself is shown as one, with its route and its files, and not as an unmatched file', async () => {
  const { world, inbox, ask } = await anInbox()
  await world.drop('inbox/orders', 'orders.csv', ORDERS)
  await world.drop('inbox/orders', 'notes.txt', 'x')

  const result = await ask('exchange/inbox/orders')

  expect(result.exit).toBe(2)
  expect(codes(result)).toEqual(['is-folder'])
  expect(result.out).toContain(
    `${inbox} is itself an inbox, that of route orders, with 2 files, of which 1 match "*.csv"`,
  )
})

test('why-not does not promise to send known records, whether their contents are the same or not', async () => {
  const { world, ask } = await anInbox()
  await world.drop('inbox/orders', 'orders.csv', ORDERS)
  await world.run('orders')
  const [first] = sampleOrders({ seed: 5, orders: 4, damageEvery: 3 })
  const city = first?.rows[0]?.['City'] ?? ''
  await world.drop('inbox/orders', 'again.csv', ORDERS.replaceAll(city, 'Elsewhere'))

  const result = await ask('again.csv')

  expect(result.exit).toBe(0)
  expect(result.out).toContain('create-order: 0 to be sent, 3 known already, 1 refused by the mapping')
  expect(result.out).toContain('what is known already is not sent again')
  const run = await commandsOf(world)
  const { err } = await run('run', 'orders')
  expect(err).toContain('orders: again.csv: 3 rejected, 1 duplicate')
})

test('parcels of a known order are recognised by the order and their tracking number', async () => {
  const world = await aWorld({ routes: ['orders', 'orders-out', 'shipments'] })
  const orders = sampleOrders({ seed: 5, orders: 2, damageEvery: 0 })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  await world.run('orders', 'orders-out')
  const parcels = sampleShipments(orders, { seed: 1, damageEvery: 0 })
  await world.drop('inbox/shipments', 'first.csv', shipmentsFile(parcels.slice(0, 1)))
  await world.run('shipments')
  await world.drop('inbox/shipments', 'both.csv', shipmentsFile(parcels))
  const run = await commandsOf(world)

  const result = await run('why-not', 'both.csv')

  expect(result.out).toContain(`create-shipment: ${parcels.length - 1} to be sent, 1 known already`)
})

test.each([
  ['two versions', (quantity: string) => String(Number(quantity) + 1), 2, ''],
  ['a version and a refused one', () => 'two', 1, ', 1 refused by the mapping'],
])('why-not promises to send none of %s of one order in a file', async (_, change, refused, more) => {
  const { world, ask } = await anInbox()
  const [order] = sampleOrders({ seed: 5, orders: 1, damageEvery: 0 })
  const text = ordersFile(order === undefined ? [] : [order]).text
  const [head = '', ...rows] = text.trimEnd().split('\r\n')
  const other = ordersFile(sampleOrders({ seed: 6, orders: 2, damageEvery: 0 }))
    .text.trimEnd()
    .split('\r\n')
  const between = other.slice(1).filter((row) => !row.startsWith(order?.po ?? ''))
  const version = rows.map((row) =>
    row.replace(/,(\d+)(?=,\d+\.\d\d,)/, (_, quantity) => `,${change(String(quantity))}`),
  )
  await world.drop('inbox/orders', 'two.csv', [head, ...rows, ...between, ...version, ''].join('\r\n'))

  const result = await ask('two.csv')

  expect(result.out).toContain(
    `1 to be sent, ${refused} refused because the file has them twice with different contents${more}`,
  )
})

test('for a file that was taken and closed why-not says when, and where its results are', async () => {
  const { world, ask } = await anInbox()
  await world.drop('inbox/orders', 'orders.csv', ORDERS)
  await world.run('orders')

  const result = await ask('orders.csv')

  expect(result.exit).toBe(2)
  expect(codes(result)).toEqual(['finished'])
  expect(result.out).toMatch(
    /was taken by route orders on \S+Z \(id \S+\) and closed on \S+Z, processed; results: orders\.csv\.results\.csv; archived as archive\/orders\//,
  )
  const [, id = ''] = /\(id (\S+)\)/.exec(result.out) ?? []
  expect(result.out).toContain(`\`dropbridge trace ${id}\` shows what came of it`)
})

test('the same bytes as an earlier file are named, and a new file of an old name is one of its own', async () => {
  const { world, ask } = await anInbox()
  await world.drop('inbox/orders', 'orders.csv', ORDERS)
  await world.run('orders')
  await world.drop('inbox/orders', 'copy.csv', ORDERS)
  await world.drop('inbox/orders', 'orders.csv', `${ORDERS}\r\n`)

  const copy = await ask('copy.csv')
  const other = await ask('orders.csv')

  expect(copy.exit).toBe(2)
  expect(codes(copy)).toEqual(['file-repeated'])
  expect(copy.out).toMatch(/the same bytes came before as orders\.csv on \S+Z/)
  expect(other.exit).toBe(0)
  expect(other.out).toContain('this one is a file of its own')
})

test('for a file that is not finished why-not says what it waits for', async () => {
  const { world, ask } = await anInbox()
  await world.drop('inbox/orders', 'orders.csv', ORDERS)
  await world.service.close()
  await world.run('orders')

  const result = await ask('orders.csv')

  expect(result.exit).toBe(75)
  expect(codes(result)).toEqual(['in-progress'])
  expect(result.out).toContain('and is planned. Its records are in the journal and are sent next;')
})

test('for a file whose answers were lost why-not says that they are looked up before anything is sent', async () => {
  const { world, ask } = await anInbox()
  await world.drop('inbox/orders', 'orders.csv', ORDERS)
  await runUnheard(world, 'orders', { arrives: true, canLookUp: false })

  const result = await ask('orders.csv')

  expect(result.exit).toBe(75)
  expect(codes(result)).toEqual(['in-progress'])
  expect(result.out).toContain('the lost answers are looked up at the API before anything is sent')
  expect(result.out).not.toContain('sent next')
})

test('a file whose route was taken out of the configuration', async () => {
  const { world, ask } = await anInbox()
  await world.drop('inbox/orders', 'orders.csv', ORDERS)
  await world.service.close()
  await world.run('orders')
  const path = join(world.folder, 'dropbridge.yaml')
  await writeFile(path, (await readFile(path, 'utf8')).replace('  orders:', '  bestellungen:'))

  const result = await ask('orders.csv')

  expect(result.exit).toBe(78)
  expect(codes(result)).toEqual(['route-not-configured'])
})

test('a file claimed by a bridge with another journal', async () => {
  const { world, inbox, ask } = await anInbox()
  await world.drop('inbox/orders', 'first.csv', ORDERS)
  await world.run('orders')
  await world.drop('inbox/orders', 'orders.csv', ORDERS)
  await mkdir(join(inbox, '.claimed'), { recursive: true })
  await rename(join(inbox, 'orders.csv'), join(inbox, '.claimed', 'abc123-orders.csv'))

  const result = await ask('orders.csv')

  expect(codes(result)).toEqual(['claimed-elsewhere'])
  expect(result.out).toContain('under the id abc123, which this journal does not know')
})

test('for a route that another bridge works on why-not names the bridge and its last sign of life', async () => {
  const { world, ask } = await anInbox()
  await world.drop('inbox/orders', 'orders.csv', ORDERS)
  const journal = await openJournal({ path: world.configuration.journal.path, clock: world.clock })
  const owner = createOwnerId('other')
  await journal.acquireLease('orders', owner, 60_000, () => true)
  await journal.close()

  const result = await ask('orders.csv')

  expect(result.exit).toBe(75)
  expect(codes(result)).toEqual(['lease-held'])
  expect(result.out).toContain(
    `process ${process.pid} on ${hostname()} is working on route orders; its last sign of life was at 20`,
  )
})

test('a file that the mapping refuses as a whole, and a mapping that is wrong itself', async () => {
  const { world, ask } = await anInbox()
  await world.drop('inbox/orders', 'bad.csv', 'a,b\n1,2\n')

  const refused = await ask('bad.csv')
  const path = join(world.folder, 'dropbridge.yaml')
  await writeFile(join(world.folder, 'wrong.yaml'), 'operation: create-order\nbody: { no_such_field: X }\n')
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.replace(/mapping: .*shopify-orders.yaml/, 'mapping: wrong.yaml'))
  const wrong = await ask('bad.csv')

  expect(refused.exit).toBe(65)
  expect(codes(refused)).toEqual(['header-missing'])
  expect(wrong.exit).toBe(78)
  expect(codes(wrong)).toEqual(['mapping-invalid'])
})

test('a mailbox that is away, and a journal that cannot be opened', async () => {
  const { world, ask } = await anInbox()
  await mkdir(world.configuration.journal.path, { recursive: true })
  const broken = await ask('orders.csv')
  await rm(world.configuration.journal.path, { recursive: true })
  await rm(join(world.folder, 'exchange'), { recursive: true })
  const away = await ask('orders.csv')

  expect([broken.exit, away.exit]).toEqual([74, 69])
  expect([codes(broken), codes(away)]).toEqual([['journal-unusable'], ['mailbox-unreachable']])
})

test('a journal that a run refuses keeps the file, whether it is older, gone or unreadable', async () => {
  const { world, ask } = await anInbox()
  const { path } = world.configuration.journal
  const remove = async (...ends: string[]) => {
    for (const end of ['', '-wal', '-shm', ...ends]) await rm(`${path}${end}`, { force: true })
  }
  const run = await commandsOf(world)
  const verdicts: unknown[] = []
  const judge = async () => {
    const result = await ask('orders.csv')
    const { exit, err } = await run('run')
    verdicts.push([codes(result).join(), result.exit === exit, err.includes(`explain ${codes(result)[0]}`)])
  }
  await world.drop('inbox/orders', 'first.csv', ORDERS)
  await world.run('orders')
  await cp(path, `${path}.backup`)
  await world.drop('inbox/orders', 'second.csv', `${ORDERS}\r\n`)
  await world.run('orders')
  await world.drop('inbox/orders', 'orders.csv', `${ORDERS}\r\n\r\n`)
  expect((await ask('orders.csv')).exit).toBe(0)

  await remove()
  await cp(`${path}.backup`, path)
  await judge()
  await remove()
  await judge()
  await remove('.mark')
  await judge()
  await remove()
  await writeFile(path, 'no database at all, but long enough to be read as one')
  await judge()

  expect(verdicts).toEqual([
    ['journal-older', true, true],
    ['journal-missing', true, true],
    ['journal-missing', true, true],
    ['journal-damaged', true, true],
  ])
  expect(await readFile(path, 'utf8')).toContain('no database at all')
})

test('why-not writes no mark and makes no journal', async () => {
  const { world, ask } = await anInbox()
  await world.drop('inbox/orders', 'orders.csv', ORDERS)
  await world.run('orders')
  const mark = await readFile(`${world.configuration.journal.path}.mark`, 'utf8')
  await world.drop('inbox/orders', 'orders.csv', `${ORDERS}\r\n`)

  expect((await ask('orders.csv')).exit).toBe(0)
  expect(await readFile(`${world.configuration.journal.path}.mark`, 'utf8')).toBe(mark)
})

test('an inbox that files came from before, and that is gone now, keeps the file', async () => {
  const { world, inbox, ask } = await anInbox()
  await world.drop('inbox/orders', 'orders.csv', ORDERS)
  await world.run('orders')
  await rm(inbox, { recursive: true })

  const other = await ask('later.csv', '--route', 'orders')
  const same = await ask('orders.csv')
  const unused = await ask('later.csv', '--route', 'shopify')

  expect([other.exit, same.exit, unused.exit]).toEqual([69, 69, 2])
  expect(other.out).toContain('The inbox of route orders is gone')
  expect(other.out).toContain(
    'fix: Mount its share, or make inbox/orders in the folder of its mailbox again.',
  )
  expect(codes(same)).toEqual(['mailbox-unreachable'])
  expect(unused.out).toContain('shopify (not there; a run makes it)')
})

test('a folder that is no inbox is shown as one, with the inboxes', async () => {
  const { inbox, ask } = await anInbox()

  const result = await ask('exchange/inbox')

  expect(result.exit).toBe(2)
  expect(codes(result)).toEqual(['is-folder'])
  expect(result.out).toContain(`inbox is a folder and no inbox; the inboxes are ${inbox}, `)
})

test.skipIf(process.platform === 'win32')('a file that may not be read', async () => {
  const { world, inbox } = await anInbox()
  await world.drop('inbox/orders', 'orders.csv', ORDERS)
  const path = join(inbox, 'orders.csv')
  await chmod(path, 0o000)
  for (const folder of [world.folder, join(world.folder, 'exchange'), dirname(inbox), inbox])
    await chmod(folder, 0o755)

  const info = await asUser(() => inspectFile(join(world.folder, 'exchange'), 'inbox/orders', 'orders.csv'))

  expect(info).toMatchObject({ what: 'file', isReadable: false })
  expect(findPermissionReasons({ isReadable: false, isMovable: true }, path)).toMatchObject([
    { code: 'no-rights', message: `${path} may not be read by this user` },
  ])
})

test('the number of an order is no file, and why-not names the command that knows it', async () => {
  const { world, ask } = await anInbox()
  await world.drop('inbox/orders', 'orders.csv', ORDERS)
  await world.run('orders')
  const [order] = await world.orders()
  const number = order?.purchase_order_number ?? ''
  expect(number).not.toBe('')

  const { exit, out } = await ask(number)

  expect(exit).toBe(2)
  expect(out).toContain(`${number} is no file: the bridge knows it as the number of an order`)
  expect(out).toContain(`dropbridge trace ${number}`)
  expect(out).not.toContain('taken')
})

test('a file that exists only under its working name is named', async () => {
  const { world, ask } = await anInbox()
  await world.drop('inbox/orders', 'orders.csv.filepart', ORDERS)

  const result = await ask('orders.csv')

  expect(result.exit).toBe(2)
  expect(result.out).toContain(
    'similar names: orders.csv.filepart (still being written, or its sending broke off). Looked in ',
  )
})

test('for an unknown name why-not says where it looked and suggests similar ones; --json says the same', async () => {
  const { world, inbox, ask } = await anInbox()
  await world.drop('inbox/orders', 'orders.csv', ORDERS)

  const result = await ask('ordres.csv', '--route', 'orders')
  const data = JSON.parse((await ask('ordres.csv', '--json')).out) as unknown

  expect(result.exit).toBe(2)
  expect(result.out).toContain(`similar names: orders.csv. Looked in ${inbox}  [no-such-file]`)
  expect(data).toMatchObject({ exit: 2, verdicts: [{ reasons: [{ code: 'no-such-file' }] }] })
  expect((await ask('orders.csv', '--route', 'ordres')).exit).toBe(64)
})

test('earlier unfinished files of the route are shown as what comes first', async () => {
  const { world, ask } = await anInbox()
  await world.drop('inbox/orders', 'first.csv', ORDERS)
  await world.service.close()
  await world.run('orders')
  await world.drop('inbox/orders', 'second.csv', `${ORDERS}\r\n`)

  const result = await ask('second.csv')

  expect(result.exit).toBe(0)
  expect(result.out).toContain(
    'an earlier file of the route goes first, such as first.csv (planned); while the API cannot be reached, this one waits',
  )
})

test('a file whose last line has no line end waits, with the setting that takes it', async () => {
  const { world, ask } = await anInbox()
  await world.drop('inbox/orders', 'orders.csv', ORDERS.trimEnd())

  const result = await ask('orders.csv')

  expect(codes(result)).toEqual(['line-end-missing'])
  expect(result.exit).toBe(75)
  expect(result.out).toContain('set `lastLineEnd: optional` under `from`')
})

test('a file of a route whose daily run is over waits for the next one, and why-not says when that is', async () => {
  const { world, ask } = await anInbox()
  const run = await commandsOf(world)
  const path = join(world.folder, 'dropbridge.yaml')
  const text = await readFile(path, 'utf8')
  const daily = '    daily: { after: "06:30", zone: UTC }\n'
  await writeFile(
    path,
    text.replace(/^ {4}from: .*inbox\/orders.*\n/m, (line) => `${daily}${line}`),
  )
  await world.drop('inbox/orders', 'orders.csv', ORDERS)

  // Today's run is due and was not made yet.
  expect(await ask('orders.csv')).toMatchObject({ exit: 0 })
  await run('run', '--due', 'orders')
  await world.drop(
    'inbox/orders',
    'later.csv',
    ordersFile(sampleOrders({ seed: 6, orders: 2, damageEvery: 0 })).text,
  )
  const later = await ask('later.csv')
  await run('run', '--due', 'orders')

  expect(later.exit).toBe(75)
  expect(codes(later)).toEqual(['not-due'])
  expect(later.out).toContain(
    'the run of 2026-11-21 is over, and its next run is due at 2026-11-22T06:30:00.000Z',
  )
  expect(later.out).toContain('fix: Wait for it, or: `dropbridge run orders`.')
  expect(await world.list('inbox/orders')).toContain('later.csv')
})

test('a workbook is only to be saved as CSV, whatever its name', async () => {
  const { world, ask } = await anInbox()
  const workbook = Buffer.from('504b0304140000000800000021000000', 'hex')
  await world.drop('inbox/orders', 'orders.csv', workbook)
  await world.drop('inbox/orders', 'orders.xlsx', workbook)

  for (const name of ['orders.csv', 'orders.xlsx']) {
    const result = await ask(name, '--route', 'orders')
    expect(codes(result)).toEqual(['file-not-text'])
    expect(result.out).toContain('Save')
  }
})
