/**
 * A thousand exports of two routes to one partner, by bridges and processes that die again and again: the interchanges that are
 * delivered carry 1…N, each once, and none is missing.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { MAX_CONTROL_NUMBER } from '../../src/domain/interchange.ts'
import { isEffect } from '../../src/prove/crash-point.ts'
import { loadMapping } from '../../src/mapping/load.ts'
import { atEachEffect, crashAt } from '../fixtures/crash-after.ts'
import {
  anExportsWorld,
  type ExportsWorld,
  numbersOf,
  order,
  ordersOf,
  passOver,
} from '../fixtures/edi-exports.ts'
import { addReport } from '../fixtures/reports.ts'
import { type Dice, dice } from '../samples/random.ts'

/** One order in each file. */
const ORDERS = `operation: export-orders
write: { format: x12, document: 850 }
file: { records: 1 }
segments:
  - BEG: { '01': { const: '00' }, '02': { const: DS }, '03': purchase_order_number, '05': ordered_at }
  - each: order_lines
    in: [PO1: { '02': order_lines.quantity, '03': { const: EA }, UP: order_lines.variant.upc }]
  - CTT: { '01': { count: PO1 } }
`
/** A file of a few records, whenever it is asked for. */
const CARRIERS = `write: { format: x12, document: 850, set: file }
segments:
  - BEG: { '01': { const: '00' }, '02': { const: DS }, '03': $interchange, '05': $date }
  - each: record
    in: [PO1: { '02': { const: '1' }, '03': { const: EA }, SK: code }]
`
const NAME = '{route}-{icn}-{seq}.x12'

async function aCrowdedPartner(firstNumber = 1): Promise<ExportsWorld> {
  const own = await anExportsWorld()
  const { world } = own
  const path = join(world.folder, 'orders-850.yaml')
  await writeFile(path, ORDERS)
  const report = await addReport(world, { operation: 'export-carriers', mapping: CARRIERS, party: 'brand' })
  Object.assign(report, { partner: 'northlight', to: { ...report.to, name: NAME } })
  for (const route of world.configuration.routes)
    if (route.direction === 'outbound' && route.name === 'orders-out')
      Object.assign(route, { mappingPath: path, to: { ...route.to, name: NAME } })
  for (const partner of world.configuration.edi?.partners ?? []) Object.assign(partner, { firstNumber })
  const mappings = new Map(own.mappings)
  mappings.set('orders-out', await loadMapping(path))
  mappings.set('report', await loadMapping(report.mappingPath))
  return { world, mappings }
}

/** The numbers of the interchanges and of their groups, in the order of their numbers from the first one on. */
async function listNumbers({ world }: ExportsWorld, first = 1) {
  const toStep = (number: number) => (number - first + MAX_CONTROL_NUMBER) % MAX_CONTROL_NUMBER
  const pairs = (await numbersOf(world)).map((each) => each.split('/').map(Number))
  const sorted = (at: number) =>
    pairs.map((pair) => pair[at] ?? 0).toSorted((one, other) => toStep(one) - toStep(other))
  return { interchanges: sorted(0), groups: sorted(1) }
}

const countOn = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => ((first + at - 1) % MAX_CONTROL_NUMBER) + 1)

async function expectGapless(own: ExportsWorld, orders: number, first = 1): Promise<number> {
  const { interchanges, groups } = await listNumbers(own, first)
  expect(interchanges).toEqual(countOn(first, interchanges.length))
  expect(groups).toEqual(countOn(first, groups.length))
  const delivered = (await ordersOf(own.world)).filter((po) => po.startsWith('HV-'))
  expect(delivered).toHaveLength(orders)
  expect(new Set(delivered).size).toBe(orders)
  expect(own.world.service.counts().acknowledgedOrders).toBe(orders)
  return interchanges.length
}

/** Longer than what the jumping clock skips while both bridges are alive. */
const LEASE_MS = 600_000

/** The steps of a pass that reserve numbers, compose, and deliver. */
const EXPORT_STEPS = new Set([
  'journal.reserveNumbers',
  'spool.put',
  'journal.createDelivery',
  'journal.createReportDelivery',
  'journal.startNaming',
  'journal.markDeliveryDone',
  'mailbox.stage',
  'mailbox.giveName',
  'mailbox.removeStaged',
])

/** A pass of a bridge that dies on its way. Returns where, when it did. */
async function live(own: ExportsWorld, route: string, chance: Dice): Promise<string | undefined> {
  const only = chance.chance(0.5) ? isEffect : (name: string) => EXPORT_STEPS.has(name)
  const crash = crashAt(
    chance.between(1, route === 'report' ? 8 : 120),
    chance.pick(['before', 'after']),
    only,
  )
  const bridge = await own.world.open(crash.wrap, { mappings: own.mappings, leaseMs: LEASE_MS })
  try {
    await bridge.run([route], new AbortController().signal)
  } catch (error) {
    if (crash.diedAt() === undefined) throw error
  } finally {
    await bridge.close()
  }
  return crash.diedAt()
}

const STARTS_MAX = 6

async function runUntilQuiet(own: ExportsWorld, route: string): Promise<void> {
  for (let start = 0; start < STARTS_MAX; start++) {
    own.world.clock.skip(LEASE_MS) // the leases of the dead expire
    if ((await passOver(own, route)).exit === 0) return
  }
  throw new Error(`${route} did not come to rest`)
}

const ROUNDS = 12
const ORDERS_PER_ROUND = 84
const LIVES_PER_ROUND = 4

test('bridges that die at random steps of a thousand exports of two routes leave no number out and give none twice', async () => {
  const chance = dice(25)
  const own = await aCrowdedPartner()
  const deaths: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await order(own, 10_001 + 1000 * round, ORDERS_PER_ROUND)
    for (let life = 0; life < LIVES_PER_ROUND; life++) {
      const died = await Promise.all([
        live(own, 'orders-out', chance),
        live(own, 'report', chance),
        live(own, 'orders-out', chance),
      ])
      deaths.push(...died.filter((name) => name !== undefined))
      own.world.clock.skip(LEASE_MS)
    }
    await runUntilQuiet(own, 'orders-out')
  }
  // A number that a dead report had reserved is in the next one.
  await runUntilQuiet(own, 'report')

  expect(await expectGapless(own, ROUNDS * ORDERS_PER_ROUND)).toBeGreaterThanOrEqual(1000)
  expect(deaths.length).toBeGreaterThan(ROUNDS * LIVES_PER_ROUND)
  for (const step of ['journal.reserveNumbers', 'spool.put', 'journal.createDelivery', 'mailbox.stage'])
    expect(deaths.join(), step).toContain(step)
})

test.each(['before', 'after'] as const)(
  'behind 999999999 comes 1, also where the bridge dies right %s any effect',
  async (moment) => {
    const first = MAX_CONTROL_NUMBER - 1
    const ordered = await aCrowdedPartner(first)
    await order(ordered, 10_001, 2)
    const effects = await atEachEffect(moment, async (effect) => {
      const own = { ...ordered, world: await ordered.world.fork() }
      const crash = crashAt(effect, moment)
      await passOver(own, 'orders-out', crash.wrap).catch((error: unknown) => {
        if (crash.diedAt() === undefined) throw error
      })
      await runUntilQuiet(own, 'orders-out')
      await runUntilQuiet(own, 'report')

      expect(await expectGapless(own, 2, first), crash.diedAt()).toBe(3)
      expect((await listNumbers(own, first)).interchanges, crash.diedAt()).toEqual([first, first + 1, 1])
      return crash.diedAt()
    })
    expect(effects).toBeGreaterThan(12)
  },
  180_000,
)

const CHILD = fileURLToPath(new URL('../../dist/prove/child.js', import.meta.url))
const PROCESS_ORDERS = 40
const KILLS = 10
const PROCESS_LEASE_MS = 500

/** A pass of the built bridge in a process of its own. `effect`: it kills itself with SIGKILL there. */
async function runProcess({ world }: ExportsWorld, death?: { effect: number; moment: 'before' | 'after' }) {
  const child = fork(CHILD, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const { configuration } = world
  // Selections of reports are functions, and only this route is run.
  const routes = configuration.routes.filter(({ name }) => name === 'orders-out')
  child.send({
    configuration: { ...configuration, routes },
    route: 'orders-out',
    leaseMs: PROCESS_LEASE_MS,
    untilQuietMs: 20_000,
    ...(death && { death }),
  })
  const [exit, signal] = (await once(child, 'exit')) as [number | null, string | null]
  return { exit, signal }
}

test('two processes that are killed in the middle of exports, beside a report, leave no number out and give none twice', async () => {
  const chance = dice(26)
  const own = await aCrowdedPartner()
  await order(own, 10_001, PROCESS_ORDERS)
  let kills = 0
  let isKilling = true
  const kill = async () => {
    for (let at = 0; at < KILLS / 2; at++) {
      const death = { effect: chance.between(3, 60), moment: chance.pick(['before', 'after'] as const) }
      if ((await runProcess(own, death)).signal === 'SIGKILL') kills += 1
    }
  }
  const report = async () => {
    while (isKilling) await passOver(own, 'report')
  }
  const reports = report()
  await Promise.all([kill(), kill()])
  isKilling = false
  await reports
  const { exit } = await runProcess(own)

  expect(exit).toBe(0)
  expect(kills).toBeGreaterThan(KILLS / 2)
  expect(await expectGapless(own, PROCESS_ORDERS)).toBeGreaterThan(PROCESS_ORDERS)
})
