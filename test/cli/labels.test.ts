/** `dropbridge labels`: a person fetches packing slips and labels again. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { writeConfigurationFile } from '../fixtures/configuration-file.ts'
import { aShippingWorld } from '../fixtures/shipping.ts'
import { listeningTerminal } from '../fixtures/terminal.ts'

/** A world whose two orders were shipped, and the program in its folder. */
async function shipped({ away = false } = {}) {
  const { world, purchaseOrders, fileOf } = await aShippingWorld({
    orders: 2,
    documents: { packingSlips: false },
  })
  world.service.switches.labelFormat = 'zpl'
  if (away) await rm(join(world.folder, 'labels'), { recursive: true })
  await world.drop('inbox/shipments', 'today.csv', fileOf(purchaseOrders.map((po) => ({ po }))))
  await world.run('shipments')
  const env = await writeConfigurationFile(world)
  const path = join(world.folder, 'dropbridge.yaml')
  const text = (await readFile(path, 'utf8')).replace(
    'mailboxes:\n',
    'mailboxes:\n  labels: { type: directory, path: ./labels }\n',
  )
  await writeFile(
    path,
    `${text.trimEnd()}\n    documents: { mailbox: labels, folder: today, packingSlips: false }\n`,
  )

  const dropbridge = async (...args: readonly string[]) => {
    const { terminal, out, err } = listeningTerminal({ folder: world.folder, clock: world.clock, env })
    const exit = await runCommandLine(terminal, ['labels', ...args])
    return { exit, out, err }
  }
  return { world, dropbridge }
}

test('says that nothing is missing when nothing is', async () => {
  const { dropbridge } = await shipped()

  expect(await dropbridge()).toEqual({ exit: 0, out: [], err: ['No packing slip or label is missing.'] })
})

test('puts missing documents into the folder of the route, once its mailbox is back', async () => {
  const { world, dropbridge } = await shipped({ away: true })
  const failed = await dropbridge()
  await mkdir(join(world.folder, 'labels'))

  const { exit, out, err } = await dropbridge()

  expect(failed.exit).toBe(69)
  expect(failed.err.at(-1)).toBe('0 fetched, 2 missing')
  expect(failed.err[0]).toMatch(/^shipments: today\.csv, HV-10001 1: the label could not be fetched: /)
  expect({ exit, out, err }).toEqual({
    exit: 0,
    out: [
      join(world.folder, 'labels/today/HV-10001-FDEG000000000001-label.zpl'),
      join(world.folder, 'labels/today/HV-10002-FDEG000000000002-label.zpl'),
    ],
    err: ['2 fetched'],
  })
})

test("writes copies of one order's documents into a folder, and data for programs", async () => {
  const { world, dropbridge } = await shipped()

  const { exit, out } = await dropbridge('--po', 'HV-10002', '--out', 'copies', '--json')

  const path = join(world.folder, 'copies', 'HV-10002-FDEG000000000002-label.zpl')
  expect(exit).toBe(0)
  expect(out.map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      route: 'shipments',
      file: 'today.csv',
      keyValues: ['HV-10002', '1'],
      shipment: '2',
      document: 'label',
      path,
    },
  ])
  expect(await readFile(path, 'latin1')).toMatch(/^\^XA/)
})

test.each([
  [
    ['--shipment', '77'],
    2,
    'No shipment like this was accepted from a file, or it has no packing slip or label.',
  ],
  [['--route', 'orders'], 64, 'no route "orders" creates shipments; the routes that do are shipments.'],
  [['--po', 'A', '--po', 'B'], 64, '--po is given more than once.'],
])('%j exits with %i and says why', async (args, code, why) => {
  const { dropbridge } = await shipped()

  const { exit, err } = await dropbridge(...args)

  expect(exit).toBe(code)
  expect(err.join('\n')).toContain(why)
})

test('refuses documents that it could only name wrongly, once the contents of the file are pruned', async () => {
  const { world, dropbridge } = await shipped()
  const bridge = await world.open()
  const { signal } = new AbortController()
  expect(await bridge.journal.prune({ before: world.clock.now() + 1, signal })).toMatchObject({ files: 2 })
  await bridge.close()

  const named = await dropbridge('--shipment', '1', '--out', 'copies')
  const again = await dropbridge('--file', 'today.csv')
  const ordered = await dropbridge('--po', 'HV-10001')

  expect(named).toEqual({
    exit: 2,
    out: [],
    err: [
      'shipments: today.csv, shipment 1: what was sent and answered of shipment 1 was pruned, so its packing slip and label are not fetched again. Get the documents from the API by the id, or use the delivered copies.',
      '0 fetched, 1 refused',
    ],
  })
  expect(await readdir(join(world.folder, 'copies'))).toEqual([])
  expect(again).toMatchObject({ exit: 2, out: [] })
  expect(again.err.at(-1)).toBe('0 fetched, 2 refused')
  expect(ordered.err.at(-1)).toContain('found by --shipment and --file only')
})

test('a shipment of a route without documents is said to be one, with what to add', async () => {
  const { world, purchaseOrders, fileOf } = await aShippingWorld({ orders: 1, documents: null })
  await world.drop('inbox/shipments', 'today.csv', fileOf(purchaseOrders.map((po) => ({ po }))))
  await world.run('shipments')
  // Another route has documents, so that the command has somewhere to look.
  const route = world.configuration.routes.find(({ name }) => name === 'shipments')
  const documents = { mailbox: 'labels', folder: 'today', labels: true, packingSlips: true, name: '{id}' }
  if (route)
    Object.assign(world.configuration, {
      routes: [...world.configuration.routes, { ...route, name: 'other', documents }],
    })
  const bridge = await world.open()
  const work = { signal: new AbortController().signal, onDocument: () => undefined }

  const refused = bridge.fetchLabels({ purchaseOrderNumber: purchaseOrders[0] ?? '' }, work)

  await expect(refused).rejects.toMatchObject({
    message: 'Route shipments has no `documents`, so packing slips and labels go nowhere.',
    fix: 'Add `documents: { mailbox: NAME, folder: labels }` under `routes.shipments`, or name a folder with --out.',
  })
  await bridge.fetchLabels({ purchaseOrderNumber: 'HV-99999' }, work)
  await bridge.close()
})
