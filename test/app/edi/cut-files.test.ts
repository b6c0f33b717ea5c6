/** Files that end in the middle, at each of their bytes: what is not whole is never posted, and what is whole is never lost. */
import { expect, test } from 'vitest'
import type { InboundRoute } from '../../../src/config/routes.ts'
import { isUnreadable } from '../../../src/domain/format.ts'
import { createInterchangeFormat } from '../../../src/formats/edi/interchanges.ts'
import { createFormats } from '../../../src/formats/formats.ts'
import { type InboundMapping, loadMapping } from '../../../src/mapping/load.ts'
import { repeatable } from '../../../src/support/async.ts'
import { readAnswers } from '../../fixtures/edi-answers.ts'
import { makeOrder } from '../../fixtures/edi-chaos.ts'
import { anEdiInbox } from '../../fixtures/edi-inbox.ts'
import { dress } from '../../fixtures/edi-maker/dress.ts'
import { HAVEN, listSets, makeInterchange, type Syntax } from '../../fixtures/edi-maker/envelope.ts'
import { makeFaultBase } from '../../fixtures/edi-maker/faults.ts'
import { aWorld } from '../../fixtures/world.ts'

const MAPPINGS = { x12: 'x12/850-orders', edifact: 'edifact/orders' } as const

/** Two interchanges: one of a group with two orders and a group with one, and one of an order. */
function makeFile(syntax: Syntax) {
  const document = syntax === 'x12' ? '850' : 'ORDERS'
  const [first, second, third, fourth] = listSets(makeFaultBase(syntax)).map(({ body }) => ({
    document,
    segments: body,
  }))
  if (!first || !second || !third || !fourth) throw new Error('the base has too few sets')
  const make = (number: number, groups: { sets: (typeof first)[] }[]) =>
    makeInterchange({ syntax, number, groups, isGrouped: true })
  const interchanges = [
    make(201, [{ sets: [first, second] }, { sets: [third] }]),
    make(303, [{ sets: [fourth] }]),
  ]
  const how = { newline: '\n' }
  const [one, both] = [dress(interchanges.slice(0, 1), how), dress(interchanges, how)]
  // An end without its terminator is an end.
  return { bytes: both, wholeFrom: [one.length - 2, both.length - 2], sets: [3, 4] }
}

const format = createFormats()
const interchanges = createInterchangeFormat()

const readBytes = (bytes: Buffer) =>
  repeatable(async function* () {
    yield await Promise.resolve(bytes)
  })

/** The records of the file that would be sent. */
async function countPostable(bytes: Buffer, { translator }: InboundMapping): Promise<number> {
  const reading = await format.read(readBytes(bytes), translator.read)
  if (isUnreadable(reading)) return 0
  const bound = translator.bind(reading.layouts, { file: 'cut.edi', folder: 'in' })
  if (!('keyColumns' in bound)) throw new Error('the mapping does not fit')
  const drafts = []
  for await (const rows of reading.batches) drafts.push(...bound.translateRows(rows))
  drafts.push(...bound.finish())
  return drafts.filter(({ problems, body }) => problems.length === 0 && body !== undefined).length
}

/** A trailer that is cut off in its number or count has another one. */
const CUT_CODES = new Set(['edi-cut-off', 'edi-number-mismatch', 'edi-count'])

/** The verdicts on the sets, and where the file is said to end. */
async function judge(bytes: Buffer) {
  const verdicts: string[] = []
  const ends: number[] = []
  for await (const batch of interchanges.judge(readBytes(bytes), { reused: new Set() })) {
    for (const { verdict, problems } of batch) {
      verdicts.push(verdict)
      for (const { code, place } of problems)
        if (CUT_CODES.has(code) && place.spot !== undefined) ends.push(place.spot.at)
    }
  }
  return { verdicts, ends }
}

test.each(['x12', 'edifact'] as const)(
  'of %s that is cut off at any byte, whole interchanges are posted and the rest is not, and it is said where the file ends',
  async (syntax) => {
    const mapping = await loadMapping(`mappings/${MAPPINGS[syntax]}.yaml`)
    if (mapping.direction !== 'inbound') throw new Error('not inbound')
    const { bytes, wholeFrom, sets } = makeFile(syntax)
    for (let length = 0; length <= bytes.length; length++) {
      const cut = bytes.subarray(0, length)
      const whole = wholeFrom.filter((from) => length >= from).length
      const postable = sets[whole - 1] ?? 0

      expect(await countPostable(cut, mapping), `cut at ${length}`).toBe(postable)
      const { verdicts, ends } = await judge(cut)
      expect(verdicts.filter((verdict) => verdict === 'A').length, `cut at ${length}`).toBe(postable)
      if (verdicts.length === postable) continue
      // The last segment with a terminator, or what is left of the next one.
      expect(Math.max(...ends), `cut at ${length}`).toBeGreaterThanOrEqual(findLastSegment(cut))
      expect(Math.max(...ends), `cut at ${length}`).toBeLessThanOrEqual(length)
    }
  },
  120_000,
)

/** Where the last segment begins that has a terminator. */
function findLastSegment(bytes: Buffer): number {
  const text = bytes.toString('latin1')
  const end = Math.max(text.lastIndexOf('~'), text.lastIndexOf("'"))
  return Math.max(text.lastIndexOf('\n', end), 0)
}

test('a bridge answers a file that was cut off with a TA1, posts nothing of it, and posts all of the whole one that comes later', async () => {
  const world = await anEdiInbox()
  const make = (number: number) =>
    dress(
      makeInterchange({
        syntax: 'x12',
        number,
        sender: HAVEN,
        groups: [{ sets: [makeOrder(`CUT-${number}-1`), makeOrder(`CUT-${number}-2`)] }],
      }),
      { newline: '\n' },
    )
  const numbers = [201, 303, 404, 505, 606, 707]
  const whole = numbers.map(make)
  const cuts = [120, 200, 400, 550]
  const lengths = whole.map((bytes, at) => cuts[at] ?? bytes.length - (at === 4 ? 15 : 3))
  for (const [at, bytes] of whole.entries())
    await world.drop('inbox/van', `cut-${at}.x12`, bytes.subarray(0, lengths[at]))

  await world.run()

  expect(await world.orders()).toEqual([])
  const refusals = (await readAnswers(world, ['haven'])).flatMap(({ envelopes }) => envelopes)
  expect(refusals.toSorted()).toEqual(
    numbers.map((number) => `000000${number} R ${number === 707 ? '001' : '023'}`),
  )
  for (const [at, bytes] of whole.entries()) await world.drop('inbox/van', `whole-${at}.x12`, bytes)
  await world.run()
  const orders = await world.orders()
  expect(orders.map((order) => order.purchase_order_number).toSorted()).toEqual(
    numbers.flatMap((number) => [`CUT-${number}-1`, `CUT-${number}-2`]),
  )
  expect((await readAnswers(world, ['haven'])).flatMap(({ groups }) => groups).length).toBe(numbers.length)
})

test.each([' within a segment', ' behind a segment'])(
  'the rejects file of a file that was cut%s brings in the set that is whole, and gives the other one back once more',
  async (where) => {
    const world = await aWorld({ routes: ['orders'] })
    const [route] = world.configuration.routes as InboundRoute[]
    const mappingPath = new URL('../../../mappings/x12/850-orders.yaml', import.meta.url).pathname
    Object.assign(route!, { mappingPath, from: { ...route!.from, match: '*' } })
    const sets = [makeOrder('CUT-1'), makeOrder('CUT-2')]
    const whole = makeInterchange({ syntax: 'x12', number: 201, sender: HAVEN, groups: [{ sets }] })
    const bytes = dress(whole, { newline: '\n' })
    const second = bytes.indexOf('CUT-2')
    const end = where === ' within a segment' ? second + 3 : bytes.indexOf('~', second) + 1
    await world.drop('inbox/orders', 'cut.x12', bytes.subarray(0, end))
    await world.run()
    expect(await world.orders()).toEqual([])

    await world.drop('inbox/orders', 'cut.x12.rejects.x12', await world.read('results/cut.x12.rejects.x12'))
    await world.run()

    const orders = await world.orders()
    expect(orders.map((order) => order.purchase_order_number)).toEqual(['CUT-1'])
    const left = await world.read('results/cut.x12.rejects.x12.rejects.x12')
    expect(left.match(/^ST\*/gm)).toHaveLength(1)
  },
)
