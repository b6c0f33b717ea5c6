/** A disk that runs full is reported, also where the journal cannot store anything about it. */
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Snapshot } from '../../src/domain/snapshot.ts'
import { commandsOf } from '../fixtures/office.ts'
import { smallDisk } from '../fixtures/small-disk.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = ordersFile(sampleOrders({ seed: 3, orders: 2, damageEvery: 0 })).text

/** A world with a status page, and a notification command that writes into a file; `small` is on a disk of its own. */
async function aWorldOnSmallDisk(small: string) {
  const world = await aWorld({ routes: ['orders'] })
  const disk = await smallDisk(join(world.folder, small))
  const dropbridge = await commandsOf(world)
  await writeFile(join(world.folder, 'send.sh'), `cat >> ${join(world.folder, 'sent')}\n`)
  await appendFile(
    join(world.folder, 'dropbridge.yaml'),
    `
status: { page: ./STATUS.html }
notifications:
  ops: { type: command, run: [sh, send.sh] }
`,
  )
  return { world, disk, dropbridge }
}

const readSent = (world: World) => readFile(join(world.folder, 'sent'), 'utf8').catch(() => '')
const readPage = (world: World) => readFile(join(world.folder, 'STATUS.html'), 'utf8')

test('with a full state disk status, the status page and a notification say so, although nothing can be stored', async () => {
  const { world, disk, dropbridge } = await aWorldOnSmallDisk('state')
  expect(await dropbridge('run')).toMatchObject({ exit: 0 })
  expect(await readPage(world)).toContain('all is well')
  const watching = await world.open()
  await world.drop('inbox/orders', 'orders.csv', ORDERS)
  await disk.fill()

  expect((await dropbridge('run')).exit).toBe(74)

  const status = await dropbridge('status')
  await watching.close()
  expect({ exit: status.exit, out: status.out }).toEqual({
    exit: 74,
    out: expect.stringMatching(/the disk of \S+\/state is full: .* \(disk-full, since/),
  })
  expect(await readPage(world)).not.toContain('all is well')
  expect(await readPage(world)).toContain('disk-full')
  expect(await readSent(world)).toContain('disk-full')
})

test('a journal that cannot even be opened on its full disk is named on the page and in one notification an hour', async () => {
  const { world, disk, dropbridge } = await aWorldOnSmallDisk('state')
  await dropbridge('run')
  await disk.fill()

  const runs = [await dropbridge('run'), await dropbridge('run')]
  world.clock.skip(61 * 60_000)
  await dropbridge('run')

  expect(runs.map(({ exit }) => exit)).toEqual([74, 74])
  expect(await dropbridge('status')).toMatchObject({ exit: 74, err: expect.stringContaining('disk is full') })
  expect(await readPage(world)).toContain('disk-full')
  const sent = (await readSent(world)).trimEnd().split('\n')
  expect(sent).toHaveLength(2)
  expect(sent[0]).toContain('disk-full, bridge-failing')
})

test('a disk with less room than the threshold is an alert before it is full, and status --json has its size', async () => {
  const { world, disk, dropbridge } = await aWorldOnSmallDisk('exchange/archive/orders')
  expect((await dropbridge('run')).exit).toBe(0)
  await appendFile(join(world.folder, 'dropbridge.yaml'), 'alertIfDiskBelow: 500MB\n')
  const archive = join(world.folder, 'exchange/archive/orders')
  await writeFile(join(archive, 'large'), Buffer.alloc(7_800_000))

  const nearly = await dropbridge('status')

  expect(nearly.exit).toBe(2)
  expect(nearly.out).toMatch(/the disk of exchange:archive\/orders is nearly full: 0.6 MB of 8.4 MB are free/)
  expect(nearly.out).toContain('disk-nearly-full')
  await disk.fill()
  expect((await dropbridge('status')).out).toContain('(disk-full, since')
  await disk.empty()
  const json = (await dropbridge('status', '--json')).out
  const { disks } = JSON.parse(json) as Snapshot
  expect(disks.find(({ places }) => places[0] === 'exchange:archive/orders')).toMatchObject({
    sizeBytes: 8 * 1024 * 1024,
    isFull: false,
  })
})

test('a disk of a few kilobytes is not full while it has room', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const disk = await smallDisk(join(world.folder, 'exchange/archive/orders'), { size: 64 * 1024 })
  const dropbridge = await commandsOf(world)
  await dropbridge('run')

  const empty = await dropbridge('status')
  await disk.fill()
  const full = await dropbridge('status')

  expect(empty).toMatchObject({ exit: 0, out: expect.not.stringContaining('disk-') })
  expect(full).toMatchObject({
    exit: 74,
    out: expect.stringContaining('is full: 0 MB of 66 kB are free (disk-full'),
  })
})
