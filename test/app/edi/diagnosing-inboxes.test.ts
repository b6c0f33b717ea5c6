/** `why-not` of a file in an inbox of interchanges: before it is taken, while its routes work, and afterwards. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { diagnoseFile } from '../../../src/app/diagnose/diagnose.ts'
import { anEdiInbox, aPartner, ORDER_ROUTES, OUR_ADDRESS } from '../../fixtures/edi-inbox.ts'
import type { World } from '../../fixtures/world.ts'

const samples = new URL('../../../samples/edi/', import.meta.url)
const ONE_DAY = await readFile(new URL('850-one-day.x12', samples))
const SHIPMENTS = await readFile(new URL('856-shipments.x12', samples))
const [ORDERS, CANCELS] = ORDER_ROUTES

async function diagnose(world: World, file: string, route?: string) {
  const request = { file, from: world.folder, ...(route === undefined ? {} : { route }) }
  const controls = { clock: world.clock, signal: new AbortController().signal }
  const { verdicts, exit } = await diagnoseFile(world.configuration, request, controls)
  const mask = (text: string) =>
    text
      .replaceAll(join(world.folder, 'exchange'), '')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/[0-9a-f]+id\d+x\d+x\d+/g, 'ID')
  return {
    exit,
    verdicts: verdicts.map(({ route: of, path, reasons, notes }) => ({
      of,
      path: mask(path),
      reasons: reasons.map(({ code, message, fix }) => `${code}: ${mask(message)} | ${mask(fix)}`),
      notes: notes.map(mask),
    })),
  }
}

test('a file in the inbox is taken, and the diagnosis says which route gets which sets', async () => {
  const world = await anEdiInbox({
    inboxRoutes: [{ ...ORDERS, when: { 'BEG.03': ['HV-41001', 'HV-41003'] } }, CANCELS],
  })
  await world.drop('inbox/van', 'day.x12', ONE_DAY)

  const found = { of: 'inbox:van', path: '/inbox/van/day.x12', reasons: [], notes: expect.anything() }
  expect(await diagnose(world, 'day.x12')).toEqual({ exit: 0, verdicts: [found] })
  expect((await diagnose(world, 'day.x12')).verdicts[0]?.notes).toEqual([
    '2 sets to route edi-orders',
    'no route takes 1 set of 850 from haven',
  ])
  // A route that takes sets of the inbox leads to it, and so does the inbox itself.
  expect((await diagnose(world, 'day.x12', 'edi-cancels')).verdicts).toEqual([found])
  expect((await diagnose(world, 'day.x12', 'inbox:van')).verdicts).toEqual([found])
})

test('senders and receivers that are unknown are named before the file is taken', async () => {
  const world = await anEdiInbox({
    ourAddresses: [OUR_ADDRESS],
    inboxRoutes: [{ ...ORDERS, partner: 'haven' }],
  })
  await world.drop('inbox/van', 'shipments.x12', SHIPMENTS)

  const unknown = await diagnose(world, 'shipments.x12')
  expect(unknown.verdicts[0]?.notes).toMatchInlineSnapshot(`
    [
      "interchange 000000502 from 12:7755550100 to ZZ:HAVENRETAIL: one of these addresses is unknown",
      "no route takes 3 sets of 856 from 12:7755550100",
    ]
  `)
})

test('documents that no route takes are named with their partner', async () => {
  const world = await anEdiInbox({ partners: [aPartner('northlight', '12:7755550100')] })
  await world.drop('inbox/van', 'shipments.x12', SHIPMENTS)
  expect((await diagnose(world, 'shipments.x12')).verdicts[0]?.notes).toEqual([
    'no route takes 3 sets of 856 from northlight',
  ])
})

test('two routes that could take the same set are named before the file is taken', async () => {
  const world = await anEdiInbox({
    inboxRoutes: [
      { ...ORDERS, name: 'all', when: { 'BEG.01': ['00'] } },
      { ...ORDERS, name: 'drop-shipped', when: { 'BEG.02': ['DS'] } },
    ],
  })
  await world.drop('inbox/van', 'day.x12', ONE_DAY)
  expect((await diagnose(world, 'day.x12')).verdicts[0]?.notes).toMatchInlineSnapshot(`
    [
      "more than one route could take 3 sets of 850 from haven",
    ]
  `)
})

test('a file that is no interchange is refused as a whole', async () => {
  const world = await anEdiInbox()
  await world.drop('inbox/van', 'orders.csv', 'a,b\n1,2\n')
  expect((await diagnose(world, 'orders.csv')).verdicts[0]?.reasons).toMatchInlineSnapshot(`
    [
      "edi-not-found: once it is taken, it is refused as a whole: The file begins with "a,b 1,2" and not with ISA, UNA or UNB. | Send a file that begins with ISA (X12), or with UNA or UNB (EDIFACT).",
    ]
  `)
})

test('while a route works on its sets, the file waits for it', async () => {
  const world = await anEdiInbox()
  await world.drop('inbox/van', 'day.x12', ONE_DAY)
  const bridge = await world.open()
  await bridge.journal.acquireLease('edi-orders', 'other/1/1', 1e9, () => true)
  await bridge.run([], new AbortController().signal)
  await bridge.close()

  expect((await diagnose(world, 'day.x12')).verdicts[0]?.reasons).toMatchInlineSnapshot(`
    [
      "in-progress: was taken by inbox van on TIME (id ID) and is planned. Its sets are with their routes; it waits for route edi-orders (received). | Run again: \`dropbridge trace ID\` says how far it is.",
    ]
  `)
})

test('a file that was taken says which route got how many sets, and why no route got the others', async () => {
  const world = await anEdiInbox({
    inboxRoutes: [{ ...ORDERS, when: { 'BEG.03': ['HV-41001', 'HV-41003'] } }, CANCELS],
  })
  await world.drop('inbox/van', 'day.x12', ONE_DAY)
  await world.run()
  expect((await diagnose(world, 'day.x12')).verdicts).toMatchInlineSnapshot(`
    [
      {
        "notes": [],
        "of": "inbox:van",
        "path": "day.x12",
        "reasons": [
          "finished: was taken by inbox van on TIME (id ID) and closed on TIME, processed; 2 sets to route edi-orders; no route took 1 set; where each set went: day.x12.sets.csv; archived as archive/van/2026/11/21/day~ID.x12 | Add a route for it and drop the exceptions file in, or \`dropbridge dismiss FILE\`.",
        ],
      },
    ]
  `)

  await world.drop('inbox/van', 'again.x12', Buffer.concat([ONE_DAY, Buffer.from('\n')]))
  expect((await diagnose(world, 'again.x12')).verdicts[0]?.notes).toMatchInlineSnapshot(`
    [
      "interchange 000001126 from ZZ:HAVENRETAIL came before in day.x12, and nothing of it is taken",
    ]
  `)
  await world.run()
  expect((await diagnose(world, 'again.x12', 'edi-orders')).verdicts[0]?.reasons).toMatchInlineSnapshot(`
    [
      "finished: was taken by inbox van on TIME (id ID) and closed on TIME, processed; no route got a set of it; interchange 000001126 from ZZ:HAVENRETAIL came before in day.x12, and nothing of it is taken; where each set went: again.x12.sets.csv; archived as archive/van/2026/11/21/again~ID.x12 | If that is wrong: \`dropbridge trace ID\` shows what came of it.",
    ]
  `)
})

test('a name that the inbox does not take, and a folder beside it, are named with the inbox', async () => {
  const world = await anEdiInbox({ partners: [aPartner('haven', 'ZZ:HAVENRETAIL')] })
  Object.assign(world.configuration.edi?.inboxes[0]?.from ?? {}, { match: '*.x12' })
  await world.drop('inbox/van', 'day.edi', ONE_DAY)
  await world.drop('inbox/vans', 'day.x12', ONE_DAY)
  expect((await diagnose(world, 'day.edi')).verdicts[0]?.reasons).toMatchInlineSnapshot(`
    [
      "name-differs: its name does not match "*.x12" of inbox van | Rename the file, or change \`match\` of the route.",
    ]
  `)
  const beside = join(world.folder, 'exchange/inbox/vans/day.x12')
  expect((await diagnose(world, beside)).verdicts[0]?.reasons).toMatchInlineSnapshot(`
    [
      "not-in-inbox: /inbox/vans/day.x12 is in no inbox; the file has documents that route edi-orders reads (850) | Move it into inbox/van, the inbox of route edi-orders, whole at once.",
    ]
  `)
  expect((await diagnose(world, join(world.folder, 'exchange/inbox/van'))).verdicts[0]?.reasons)
    .toMatchInlineSnapshot(`
    [
      "is-folder: /inbox/van is itself an inbox, that of inbox van, with 1 file, of which 0 match "*.x12" | Name a file in an inbox: dropbridge why-not FILE.",
    ]
  `)
})
