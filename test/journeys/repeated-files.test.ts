/** Files that come again, in every form in which people and programs bring them back: each order once, each row reported. */
import { execFileSync } from 'node:child_process'
import {
  appendFile,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { InboundRoute, Route } from '../../src/config/routes.ts'
import type { Mailbox } from '../../src/domain/mailbox.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 5, orders: 4, damageEvery: 0 })
const TEXT = ordersFile(ORDERS).text
const POS = ORDERS.map(({ po }) => po)

const inbox = (world: World, name = '') => join(world.folder, 'exchange/inbox/orders', name)

/** Each row of the results: its order and its status. */
async function outcomes(world: World, file: string): Promise<(string | undefined)[][]> {
  const rows = parseCsv(await world.read(`results/${file}.results.csv`))
  return rows.map((row) => [row['PO Number'], row['_status']])
}

const all = (status: string, orders: readonly string[] = POS) => orders.map((po) => [po, status])

async function ordersAtService(world: World): Promise<string[]> {
  return (await world.orders()).map((order) => order.purchase_order_number).toSorted()
}

/** A world in which the file has come and all its orders are accepted. */
async function finishedWorld(text: string = TEXT): Promise<World> {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.csv', text)
  await world.run('orders')
  return world
}

/** Runs a pass in which something happens to the inbox right before or after a call of the mailbox. */
async function runWith(
  world: World,
  hooks: Partial<Record<keyof Mailbox, () => Promise<void>>>,
): Promise<void> {
  const left = { ...hooks }
  const bridge = await world.open({
    mailbox: (mailbox) => ({
      ...mailbox,
      claim: async (claim) => {
        const { claim: happens } = left
        delete left.claim
        await happens?.()
        return mailbox.claim(claim)
      },
      read: async function* (claim) {
        const { read: happens } = left
        delete left.read
        for await (const chunk of mailbox.read(claim)) yield chunk
        await happens?.()
      },
    }),
  })
  await bridge.run(['orders'], new AbortController().signal)
  await bridge.close()
}

test('moved back from the archive, renamed or touched, a file is a duplicate of the first and sends nothing', async () => {
  const world = await finishedWorld()
  const [archived = ''] = await archivedFiles(world)
  await rename(archived, inbox(world, 'orders.csv'))
  expect((await world.run('orders')).exit).toBe(0)
  await world.drop('inbox/orders', 'renamed.csv', TEXT)
  expect((await world.run('orders')).exit).toBe(0)
  await world.drop('inbox/orders', 'touched.csv', TEXT)
  await utimes(inbox(world, 'touched.csv'), 1_700_000_000, 1_700_000_000)
  expect((await world.run('orders')).exit).toBe(0)

  expect(await ordersAtService(world)).toEqual(POS)
  for (const name of ['orders.csv~2', 'renamed.csv', 'touched.csv']) {
    const [row] = parseCsv(await world.read(`results/${name}.results.csv`))
    expect(row?.['_status'], name).toBe('duplicate')
    expect(row?.['_message'], name).toContain('came before as orders.csv')
  }
})

test('sent again with one more order, only that one is new', async () => {
  const world = await finishedWorld(ordersFile(ORDERS.slice(0, 3)).text)
  await world.drop('inbox/orders', 'orders.csv', TEXT)
  await world.run('orders')

  expect(await outcomes(world, 'orders.csv~2')).toEqual([
    ...all('duplicate', POS.slice(0, 3)),
    [POS[3], 'accepted'],
  ])
  expect(await ordersAtService(world)).toEqual(POS)
})

test('sent again with one order changed, that one is refused as a conflict with the first and the others are duplicates', async () => {
  const world = await finishedWorld()
  const changed = structuredClone(ORDERS)
  for (const row of changed[1]?.rows ?? []) row['Ship To Name'] = 'Somebody Else'
  await world.drop('inbox/orders', 'corrected.csv', ordersFile(changed).text)
  expect((await world.run('orders')).exit).toBe(2)

  const rows = parseCsv(await world.read('results/corrected.csv.results.csv'))
  expect(rows.map((row) => row['_status'])).toEqual(['duplicate', 'rejected', 'duplicate', 'duplicate'])
  expect(rows[1]?.['_code']).toBe('key-conflict')
  expect(rows[1]?.['_message']).toContain('orders.csv')
  expect(rows[1]?.['_fix']).toBe(
    `To correct it: dropbridge undo ${POS[1]}, then a new number. Then, or if not: dropbridge dismiss corrected.csv --by NAME --why TEXT.`,
  )
  expect(await ordersAtService(world)).toEqual(POS)
})

test('the first half and later the whole: the half is duplicates, the rest is accepted', async () => {
  const world = await finishedWorld(ordersFile(ORDERS.slice(0, 2)).text)
  await world.drop('inbox/orders', 'whole.csv', TEXT)
  await world.run('orders')

  expect(await outcomes(world, 'whole.csv')).toEqual([
    ...all('duplicate', POS.slice(0, 2)),
    ...all('accepted', POS.slice(2)),
  ])
  expect(await ordersAtService(world)).toEqual(POS)
})

test('cut in the middle of a row and later whole: the cut order is refused at first and accepted then', async () => {
  const { text } = ordersFile(ORDERS)
  const lastRow = text.trimEnd().lastIndexOf('\n') + 1
  const world = await finishedWorld(text.slice(0, lastRow + 30))
  const cut = parseCsv(await world.read('results/orders.csv.results.csv'))
  expect(cut.at(-1)?.['_status']).toBe('rejected')
  const accepted = cut.filter((row) => row['_status'] === 'accepted').map((row) => row['PO Number'])
  expect(await ordersAtService(world)).toEqual(accepted)

  await world.drop('inbox/orders', 'orders.csv', text)
  expect((await world.run('orders')).exit).toBe(0)
  expect(await ordersAtService(world)).toEqual(POS)
})

test('replaced by another one between the listing and the claim, the file that is taken is the one that is posted', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS.slice(0, 1)).text)
  await runWith(world, {
    claim: async () => {
      await writeFile(inbox(world, '.new'), TEXT)
      await rename(inbox(world, '.new'), inbox(world, 'orders.csv'))
    },
  })
  expect(await outcomes(world, 'orders.csv')).toEqual(all('accepted'))
  expect(await ordersAtService(world)).toEqual(POS)
})

test('a file that comes under the same name while the first is copied is a file of its own', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS.slice(0, 2)).text)
  await runWith(world, {
    read: () => world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS.slice(2)).text),
  })
  expect(await outcomes(world, 'orders.csv')).toEqual(all('accepted', POS.slice(0, 2)))
  await world.run('orders')
  expect(await outcomes(world, 'orders.csv~2')).toEqual(all('accepted', POS.slice(2)))
  expect(await ordersAtService(world)).toEqual(POS)
})

test('a program that still has a claimed file open and writes to it loses nothing of it', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const half = ordersFile(ORDERS.slice(0, 2)).text
  await world.drop('inbox/orders', 'orders.csv', half)
  await runWith(world, {
    claim: () => appendFile(inbox(world, 'orders.csv'), TEXT.slice(half.length)),
  })
  expect(await outcomes(world, 'orders.csv')).toEqual(all('accepted'))
})

test('the same file for two routes with the same operation and account is posted once', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const [first] = world.configuration.routes as InboundRoute[]
  const second = {
    ...first,
    name: 'more-orders',
    from: { ...first?.from, folder: 'inbox/more' },
  } as InboundRoute
  ;(world.configuration.routes as Route[]).push(second)
  await world.drop('inbox/orders', 'orders.csv', TEXT)
  await world.drop('inbox/more', 'same.csv', TEXT)
  expect((await world.run()).exit).toBe(0)

  expect(await outcomes(world, 'orders.csv')).toEqual(all('accepted'))
  expect(await outcomes(world, 'same.csv')).toEqual(all('duplicate'))
  expect(await ordersAtService(world)).toEqual(POS)
})

test('names that differ in case alone are two files, each with results of its own', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS.slice(0, 2)).text)
  await world.drop('inbox/orders', 'ORDERS.csv', ordersFile(ORDERS.slice(1)).text)
  await world.run('orders')

  const states = [...(await outcomes(world, 'orders.csv')), ...(await outcomes(world, 'ORDERS.csv'))]
  expect(
    states
      .filter(([, status]) => status === 'accepted')
      .map(([po]) => po)
      .toSorted(),
  ).toEqual(POS)
  expect(states.filter(([, status]) => status === 'duplicate')).toEqual([[POS[1], 'duplicate']])
  expect(await ordersAtService(world)).toEqual(POS)
})

test('a second name for the file that was posted, as a hard link, is a duplicate', async () => {
  const world = await finishedWorld()
  const [archived = ''] = await archivedFiles(world)
  await link(archived, inbox(world, 'linked.csv'))
  await world.run('orders')
  expect((await outcomes(world, 'linked.csv'))[0]?.[1]).toBe('duplicate')
  expect(await ordersAtService(world)).toEqual(POS)
})

test('folders, links and pipes with the name of a file are ignored, and files beside them are taken', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await mkdir(inbox(world, 'folder.csv'), { recursive: true })
  await writeFile(join(world.folder, 'outside.csv'), TEXT)
  await symlink(join(world.folder, 'outside.csv'), inbox(world, 'link.csv'))
  execFileSync('mkfifo', [inbox(world, 'pipe.csv')])
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS.slice(0, 1)).text)
  expect((await world.run('orders')).exit).toBe(0)

  expect(await ordersAtService(world)).toEqual(POS.slice(0, 1))
  expect(await world.list('inbox/orders')).toEqual(['folder.csv', 'link.csv', 'pipe.csv'])
  expect(await readFile(join(world.folder, 'outside.csv'), 'utf8')).toBe(TEXT)
})

test.each([
  ['a folder', (path: string) => mkdir(path)],
  ['a link', (path: string) => symlink('/etc/hostname', path)],
  ['a pipe', (path: string) => Promise.resolve(void execFileSync('mkfifo', [path]))],
])(
  'a file that was replaced by %s when it is claimed has vanished, and nothing else is touched',
  async (_, put) => {
    const world = await aWorld({ routes: ['orders'] })
    await world.drop('inbox/orders', 'orders.csv', TEXT)
    await runWith(world, {
      claim: async () => {
        await rm(inbox(world, 'orders.csv'))
        await put(inbox(world, 'orders.csv'))
      },
    })
    expect(await ordersAtService(world)).toEqual([])
    expect(await world.list('inbox/orders')).toEqual(['orders.csv'])
    expect((await world.run('orders')).exit).toBe(0)
  },
)

test('an empty file comes back as unusable, and is posted when it is filled later under the same name', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.csv', '')
  const { exit } = await world.run('orders')
  const [row] = parseCsv(await world.read('results/orders.csv.results.csv'))
  expect({ exit, status: row?.['_status'] }).toEqual({ exit: 65, status: 'rejected' })
  await world.drop('inbox/orders', 'orders.csv', TEXT)
  expect((await world.run('orders')).exit).toBe(0)
  expect(await outcomes(world, 'orders.csv~2')).toEqual(all('accepted'))
})

test('a file that a stopped bridge claimed wrongly, because its name is that of a finished one, is released', async () => {
  const world = await finishedWorld(ordersFile(ORDERS.slice(0, 1)).text)
  const bridge = await world.open()
  const [done] = await bridge.journal.listRecentFiles(1)
  await bridge.close()
  await world.drop('inbox/orders', 'orders.csv', TEXT)
  await rename(inbox(world, 'orders.csv'), inbox(world, `.claimed/${done?.id}-orders.csv`))

  await world.run('orders')
  expect(await outcomes(world, 'orders.csv~2')).toEqual([
    [POS[0], 'duplicate'],
    ...all('accepted', POS.slice(1)),
  ])
  expect(await readdir(inbox(world, '.claimed'))).toEqual([])
})

async function archivedFiles(world: World): Promise<string[]> {
  const folder = join(world.folder, 'exchange/archive/orders')
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  return names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}
