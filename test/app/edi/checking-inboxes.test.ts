/** What is found of inboxes of interchanges before any work: by `check`, and by the guard of the journal. */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkConfiguration, checkJournal } from '../../../src/app/check.ts'
import { loadMappings } from '../../../src/app/context.ts'
import { anEdiInbox, aPartner, ORDER_ROUTES } from '../../fixtures/edi-inbox.ts'
import { instantClock } from '../../fixtures/instant-clock.ts'
import type { World } from '../../fixtures/world.ts'

const ONE_DAY = await readFile(new URL('../../../samples/edi/850-one-day.x12', import.meta.url))
const [ORDERS, CANCELS] = ORDER_ROUTES

const detailsOf = async (world: World) => {
  const error = await loadMappings(world.configuration).catch((thrown: unknown) => thrown)
  const { details } = error as { details: readonly string[] }
  return details.map((detail) => detail.replaceAll(/\S*\/mappings\//g, 'mappings/'))
}

test('a route that takes another document than its mapping reads is refused', async () => {
  const world = await anEdiInbox({
    inboxRoutes: [
      { ...ORDERS, document: '855' },
      { ...CANCELS, mapping: 'retailer-cancels' },
    ],
  })
  expect(await detailsOf(world)).toEqual([
    'route edi-orders takes 855 of the inbox van, but mappings/x12/850-orders.yaml reads 850; its `read` must say `document: 855`',
    'route edi-cancels takes 860 of the inbox van, but mappings/retailer-cancels.yaml reads files of the format csv; its `read` must say `document: 860`',
  ])
})

test('a check lists each inbox with the routes that take of it, and the partners of whom nothing is taken', async () => {
  const world = await anEdiInbox({
    partners: [aPartner('haven', 'ZZ:HAVENRETAIL'), aPartner('harbor', 'ZZ:HARBOR')],
    inboxRoutes: [
      { ...ORDERS, partner: 'haven' },
      { ...CANCELS, partner: 'haven' },
    ],
  })
  const { inboxes, warnings } = await checkConfiguration(world.configuration)
  expect(inboxes).toEqual([
    {
      inbox: 'van',
      from: 'exchange:inbox/van',
      routes: [
        { route: 'edi-orders', document: '850', partner: 'haven' },
        { route: 'edi-cancels', document: '860', partner: 'haven' },
      ],
    },
  ])
  expect(warnings.filter((each) => each.startsWith('edi.'))).toEqual([
    'edi.partners.harbor: no route takes what it sends, so that each of its sets is held: add a route with `partner: harbor`, or take the partner away.',
  ])
})

test('an inbox that is not there yet is named once, by itself', async () => {
  const world = await anEdiInbox()
  const options = { clock: instantClock(), random: Math.random, newId: () => 'id' }
  const { missing } = await checkJournal(world.configuration, options)
  expect(missing).toEqual([{ route: 'inbox:van', path: join(world.folder, 'exchange/inbox/van') }])
})

test('a new journal is refused where another one took files from the inbox', async () => {
  const world = await anEdiInbox()
  await world.drop('inbox/van', 'day.x12', ONE_DAY)
  await world.run()
  const { path } = world.configuration.journal
  for (const each of ['', '-wal', '-shm', '.mark']) await rm(`${path}${each}`, { force: true })

  await expect(world.run()).rejects.toThrow('was taken with another journal')
})
