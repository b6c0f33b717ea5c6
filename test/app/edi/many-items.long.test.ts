/** A stock report of very many items in one set, three of them bad: all others reach the service, and the three come back. */
import { readFile as readMapping } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createClient } from '../../../src/client/client.ts'
import { sampleSeed } from '../../../src/service/sample-seed.ts'
import { anEdiInbox, aPartner, OUR_ADDRESS } from '../../fixtures/edi-inbox.ts'
import { dress, make846, makeInterchange } from '../../fixtures/edi-maker.ts'
import { answerFile, inBatches, judgeRecords } from '../../formats/edi/interchange-tools.ts'
import { copyRanges, readFile } from '../../formats/edi/tools.ts'
import { BRAND, type World } from '../../fixtures/world.ts'

const ITEMS = 2000
const BAD = [5, ITEMS / 2, ITEMS]

const sku = (number: number) => `MANY-${String(number).padStart(6, '0')}`
const stockOf = (number: number) => (number % 900) + 1

/** A report about as many items. */
const reportOf = (items: number, bad: readonly number[]) =>
  dress(
    makeInterchange({
      syntax: 'x12',
      groups: [
        {
          sets: [
            make846({
              number: 'STOCK-1',
              items: Array.from({ length: items }, (_, index) => ({
                pairs: [['VN', sku(index + 1)]],
                quantities: { '33': bad.includes(index + 1) ? 'many' : stockOf(index + 1) },
              })),
            }),
          ],
        },
      ],
    }),
    { newline: '\n' },
  )

const linesOfRejects = (bad: readonly number[]) => [
  'ST*846*0001~',
  'BIA*00*DD*STOCK-1*20261120*0600~',
  ...bad.flatMap((number) => [`LIN*${number}*VN*${sku(number)}~`, 'QTY*33*many*EA~']),
  'CTT*3~',
  'SE*10*0001~',
]

const linesOfAnswer = (bad: readonly number[]) => [
  'AK2*846*0001~',
  ...bad.flatMap((number) => [`AK3*QTY*${2 + 2 * number}*QTY*8~`, 'AK4*2*380*6*many~']),
  'AK5*E*5~',
  'AK9*E*1*1*1~',
]

const variants = Array.from({ length: ITEMS }, (_, index) => {
  const number = index + 1
  return {
    id: 100_000 + number,
    brandId: BRAND,
    brandIdentifier: sku(number),
    retailerItems: [],
    upc: null,
    name: `Item ${number}`,
    description: null,
    size: null,
    color: null,
    leadTimeDays: 1,
  }
})

/** The stock of each item, by its id. */
async function readStock({ configuration, credentials, clock }: World): Promise<Map<number, number>> {
  const { baseUrl } = configuration.api
  const client = createClient({ baseUrl, ...credentials.brand, clock, random: Math.random })
  const stock = new Map<number, number>()
  const call = { endpoint: 'listBrandVariants', params: { brand_id: BRAND } } as const
  for await (const page of client.list(call)) {
    for (const { id, inventory } of page as { id: number; inventory: { inventory: number } }[])
      stock.set(id, inventory.inventory)
  }
  await client.close()
  return stock
}

test('a set of very many items has all but its bad items posted, and these come back in a set of their own', async () => {
  const world = await anEdiInbox({
    seed: { ...sampleSeed(), variants },
    partners: [aPartner('northlight', OUR_ADDRESS)],
    inboxRoutes: [
      {
        name: 'stock',
        document: '846',
        operation: 'update-variant',
        mapping: 'x12/846-inventory',
        partner: 'northlight',
      },
    ],
  })
  await world.drop('inbox/van', 'stock.x12', reportOf(ITEMS, BAD))

  await world.run()

  expect(JSON.parse(await world.read('results/stock.x12.stock.summary.json'))).toMatchObject({
    records: { total: ITEMS, accepted: ITEMS - BAD.length, rejected: BAD.length },
  })
  const stock = await readStock(world)
  expect([...stock].toSorted(([a], [b]) => a - b)).toEqual(
    variants.map(({ id }, index) => [id, BAD.includes(index + 1) ? 0 : stockOf(index + 1)]),
  )
  const rejects = await world.read('results/stock.x12.stock.rejects.x12')
  expect(rejects.split('\n').slice(2, -3)).toEqual(linesOfRejects(BAD))
  const answer = await world.read('outbox/northlight/997-000000001.x12')
  expect(answer.split('\n').slice(4, -4)).toEqual(linesOfAnswer(BAD))
})

test('of a set of 100 000 items all but three become bodies, and these come back and are answered', async () => {
  const bad = [5, 50_000, 100_000]
  const mapping = await readMapping(
    new URL('../../../mappings/x12/846-inventory.yaml', import.meta.url),
    'utf8',
  )
  const file = reportOf(100_000, bad)

  const { drafts } = await readFile(mapping, file)
  const refused = drafts.filter(({ body }) => body === undefined)
  const records = inBatches(await judgeRecords(mapping, file), 1000)
  const ranges = refused.flatMap(({ lines }) => lines.map((range) => [range[0], range[1]] as const))

  expect([drafts.length, refused.length]).toEqual([100_000, 3])
  expect((await copyRanges(mapping, file, ranges)).toString('latin1').split('\n').slice(2, -3)).toEqual(
    linesOfRejects(bad),
  )
  expect((await answerFile(file, { records })).split('\n').slice(4, -4)).toEqual(linesOfAnswer(bad))
})
