/** Taking an archived file again: its bytes may repeat, its records may not. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { atEachEffect, crashAt } from '../fixtures/crash-after.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { commandsOf } from '../fixtures/office.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

/** Four orders, of which one is refused. */
const ORDERS = sampleOrders({ seed: 5, orders: 4, damageEvery: 3 })
const GOOD = ORDERS.filter(({ damage }) => damage.length === 0).map(({ po }) => po)
const TEXT = ordersFile(ORDERS).text

const MAPPING = new URL('../../mappings/retailer-orders.yaml', import.meta.url).pathname

async function anArchivedFile(): Promise<World> {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.csv', TEXT)
  await world.run('orders')
  return world
}

const statuses = async (world: World, name: string) => {
  const rows = parseCsv(await world.read(`results/${name}.results.csv`))
  return Object.fromEntries(rows.map((row) => [row['PO Number'], row['_status']]))
}

const posted = async (world: World) =>
  (await world.orders()).map((order) => order.purchase_order_number).toSorted()

test('accepted records are duplicates, and the refused one is judged anew by the mapping as it is now', async () => {
  const world = await anArchivedFile()
  const run = await commandsOf(world)
  const [bad = ''] = ORDERS.filter(({ po }) => !GOOD.includes(po)).map(({ po }) => po)
  const same = await run('retake', 'orders.csv')
  // The mended mapping: the unknown state of the refused order is read as one that the API knows.
  const mended = join(world.folder, 'mended.yaml')
  await writeFile(
    mended,
    `extends: ${MAPPING}\ntables: { states: { rows: { ZZ: NY } } }\nbody: { ship_to: { province: { from: State, table: states, miss: keep } } }\n`,
  )
  Object.assign(world.configuration.routes[0] ?? {}, { mappingPath: mended })
  const again = await commandsOf(world)

  const { exit, err } = await again('retake', 'orders.csv')

  expect(same.exit).toBe(2)
  expect(same.err).toContain('3 duplicate, 1 rejected')
  expect(err).toContain('orders: orders.csv is taken again from archive/orders/')
  expect({ exit, results: await statuses(world, 'orders.csv~3') }).toEqual({
    exit: 0,
    results: { ...Object.fromEntries(GOOD.map((po) => [po, 'duplicate'])), [bad]: 'accepted' },
  })
  expect(await posted(world)).toEqual(ORDERS.map(({ po }) => po).toSorted())
  expect((await again('audit', 'verify')).exit).toBe(0)
})

test('a command that takes a file which was archived says where it lies now', async () => {
  const world = await anArchivedFile()
  const run = await commandsOf(world)

  const { exit, err } = await run('edi', 'fix', 'exchange/inbox/orders/orders.csv', '--out', 'one.x12')
  const [, command = ''] = /fix: Name its archived copy: `dropbridge (.+)`\./.exec(err) ?? []
  const followed = await run(...command.split(' '))
  const unknown = await run('edi', 'fix', 'exchange/inbox/orders/other.csv', '--out', 'one.x12')

  expect(exit).toBe(64)
  expect(err).toContain('orders.csv that can be read: route orders took a file of this name on ')
  expect(followed.err).toContain('holds no interchange')
  expect(unknown.err).toContain('fix: Correct the path of the file.')
})

test('what was refused is not open any more, also where the mended mapping knows the record by another key', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const wrong = join(world.folder, 'wrong.yaml')
  await writeFile(wrong, `extends: ${MAPPING}\ngroup: Ship To Name\n`)
  const right = world.configuration.routes[0]?.mappingPath
  Object.assign(world.configuration.routes[0] ?? {}, { mappingPath: wrong })
  // Two orders of one person: rows of one record that contradict each other.
  const rows = TEXT.split(/(?<=\n)/)
  const name = (rows[1] ?? '').split(',')[3] ?? ''
  const other = (rows[1] ?? '').replace(/^[^,]+/, 'HV-99999')
  expect(name).not.toBe('')
  await world.drop('inbox/orders', 'two.csv', `${rows[0] ?? ''}${rows[1] ?? ''}${other}`)
  await world.run('orders')
  const refused = await (await commandsOf(world))('status')
  Object.assign(world.configuration.routes[0] ?? {}, { mappingPath: right })
  const run = await commandsOf(world)

  const again = await run('retake', 'two.csv')

  expect(refused.out).toContain('two.csv: 1 record is rejected and not corrected')
  expect(again.exit, again.err).toBe(0)
  expect(await posted(world)).toHaveLength(2)
  expect((await run('status')).out).not.toContain('rejected and not corrected')
})

test('the archive keeps its one copy, and the same bytes in the inbox are a duplicate as before', async () => {
  const world = await anArchivedFile()
  const run = await commandsOf(world)
  const day = `archive/orders/${new Date(world.clock.now()).toISOString().slice(0, 10).replaceAll('-', '/')}`
  const archived = await world.list(day)

  await run('retake', archived[0] ?? '')
  await world.drop('inbox/orders', 'orders.csv', TEXT)
  await world.run('orders')

  expect(await world.list(day)).toHaveLength(2)
  expect(await world.list(day)).toEqual(expect.arrayContaining(archived))
  expect((await run('trace', 'orders.csv')).out).toContain('the same bytes came before')
  expect(await posted(world)).toEqual(GOOD.toSorted())
})

test('a file that is not known, not archived any more or changed since is refused with the reason', async () => {
  const world = await anArchivedFile()
  const run = await commandsOf(world)
  const day = `archive/orders/${new Date(world.clock.now()).toISOString().slice(0, 10).replaceAll('-', '/')}`
  const [name = ''] = await world.list(day)
  const path = join(world.folder, 'exchange', day, name)

  const unknown = await run('retake', 'other.csv')
  const begun = await run('retake', 'order')
  await writeFile(path, TEXT.replace('HV', 'XX'))
  const changed = await run('retake', 'orders.csv')
  await rm(path)
  const gone = await run('retake', 'orders.csv')

  expect([unknown.exit, changed.exit, gone.exit]).toEqual([2, 2, 2])
  expect(unknown.err).toContain('no file "other.csv" is known')
  expect(begun.err).toContain('similar names: orders.csv')
  expect(changed.err).toContain('was changed or removed')
  expect(gone.err).toContain('is not in the archive any more')
  expect(await posted(world)).toEqual(GOOD.toSorted())
})

test.each(['ORDERS.csv', 'orders.txt', 'rders'])(
  'the unknown name %s is answered with the name that it is like, and that one can be written',
  async (name) => {
    const world = await anArchivedFile()
    const run = await commandsOf(world)

    const { exit, err } = await run('retake', name)
    const traced = await run('trace', name)
    const undone = await run('undo', name)
    const [, meant = ''] = /^ {2}similar names: (\S+)$/m.exec(err) ?? []

    expect(exit).toBe(2)
    expect(err).toContain('fix: Name the file that is meant, as it is written here.')
    expect((await run('retake', meant)).err).toContain('orders: orders.csv is taken again')
    expect(traced.out + traced.err).toContain('orders.csv')
    expect(undone.err).toContain('Similar names: orders.csv')
  },
)

test('an unknown name that is like no other is answered with how to list the files', async () => {
  const run = await commandsOf(await anArchivedFile())

  const { err } = await run('retake', 'xyzzy')

  expect(err).toContain('fix: `dropbridge status` lists the latest files;')
  expect((await run('status')).out).toContain('orders.csv')
})

test('several archived files of one name are listed with their ids, and one goes by its id', async () => {
  const world = await anArchivedFile()
  const other = sampleOrders({ seed: 6, orders: 1, damageEvery: 0, firstNumber: 30_001 })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(other).text)
  await world.run('orders')
  const run = await commandsOf(world)

  const both = await run('retake', 'orders.csv')
  const [id = ''] = /\S+(?=: received)/.exec(both.err) ?? []
  const one = await run('retake', id, '--json')

  expect(both.exit).toBe(64)
  expect(JSON.parse(one.out)).toMatchObject({ file: { id }, records: { duplicate: 1 }, exit: 0 })
})

test.each(['before', 'after'] as const)(
  'a command that dies right %s any effect takes the file at most once more, and posts nothing twice',
  async (moment) => {
    const archived = await anArchivedFile()
    const effects = await atEachEffect(moment, async (effect) => {
      const world = await archived.fork()
      const plan = crashAt(effect, moment)
      const dying = await world.open(plan.wrap)
      await dying.retake('orders.csv', new AbortController().signal).catch((error: unknown) => {
        if (plan.diedAt() === undefined) throw error
      })
      await dying.close()
      const context = `${plan.diedAt()} (effect ${effect})`
      world.clock.skip(60_000)

      const { exit } = await world.run('orders')
      const results = (await world.list('results')).filter((name) => name.endsWith('.results.csv'))

      expect([0, 2], context).toContain(exit)
      expect(results.length, context).toBeLessThanOrEqual(2)
      expect(await posted(world), context).toEqual(GOOD.toSorted())
      expect(await world.list('inbox/orders'), context).toEqual([])
      return plan.diedAt()
    })
    expect(effects).toBeGreaterThan(15)
  },
  120_000,
)
