/** A partner whose mailbox is down: its answers wait, and nothing else of the inbox does. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Mailbox } from '../../../src/domain/mailbox.ts'
import { BridgeError } from '../../../src/support/errors.ts'
import { HARBOR, makeOrder } from '../../fixtures/edi-chaos.ts'
import { anEdiInbox, aPartner, ORDER_ROUTES } from '../../fixtures/edi-inbox.ts'
import { dress } from '../../fixtures/edi-maker/dress.ts'
import { HAVEN, makeInterchange, type MadeParty } from '../../fixtures/edi-maker/envelope.ts'
import { commandsOf } from '../../fixtures/office.ts'
import { watchWorld } from '../../fixtures/watching.ts'
import type { World } from '../../fixtures/world.ts'

const ANSWER = { withinMs: 3_600_000, kind: '997', ta1: 'asked', echoes: true } as const
const AT_ONCE = { answer: { ...ANSWER, when: 'syntax' } } as const

const toOwn = (name: string) => ({
  to: { mailbox: 'exchange', folder: `outbox/${name}`, name: `{kind}-${name}-{icn}.x12` },
})

const PARTNERS = [
  aPartner('haven', 'ZZ:HAVENRETAIL', toOwn('haven')),
  aPartner('harbor', '01:HARBORSHOPS', { ...AT_ONCE, ...toOwn('harbor') }),
]

const makeFrom = (sender: MadeParty, number: number, po: string) =>
  makeInterchange({ syntax: 'x12', number, sender, groups: [{ sets: [makeOrder(po)] }] })

const places = ({ folder }: World) => ({
  harbor: join(folder, 'exchange/outbox/harbor'),
  haven: join(folder, 'exchange/outbox/haven'),
})

/** A file stands in place of the folder of the answers. */
async function block(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
  await mkdir(join(path, '..'), { recursive: true })
  await writeFile(path, 'in the way')
}

const numbersOf = async (world: World) =>
  (await world.orders()).map(({ purchase_order_number: number }) => number).toSorted()

test('a run answers, reports and archives the files of other partners, and says which answer waits', async () => {
  const world = await anEdiInbox({ partners: PARTNERS })
  const run = await commandsOf(world)
  await block(places(world).harbor)
  await world.drop('inbox/van', 'a.x12', dress(makeFrom(HARBOR, 1, 'H-1')))
  await world.drop('inbox/van', 'b.x12', dress(makeFrom(HAVEN, 2, 'H-2')))

  const { err, exit } = await run('run')

  expect(await numbersOf(world)).toEqual(['H-1', 'H-2'])
  expect(await world.list('outbox/haven')).toEqual(['997-haven-000000001.x12'])
  expect(await world.list('results')).toContain('b.x12.summary.json')
  expect(await world.list('results')).not.toContain('a.x12.summary.json')
  expect(exit).not.toBe(0)
  expect(err).toMatch(/a\.x12 is not finished: 1 answer not delivered yet; to harbor: .+outbox\/harbor/)
  expect((await run('status')).out).toContain(
    'it waits for the answer 997-harbor-000000001.x12 to harbor (not delivered)',
  )
  expect((await run('why-not', 'a.x12')).out).toContain(
    'the answer 997-harbor-000000001.x12 to harbor (not delivered)',
  )

  await rm(places(world).harbor)
  expect((await run('run')).exit).toBe(0)
  expect(await world.list('outbox/harbor')).toEqual(['997-harbor-000000001.x12'])
  expect(await world.list('results')).toContain('a.x12.summary.json')
})

test('a partner whose server refuses the login delays its own answers only', async () => {
  const world = await anEdiInbox({ partners: PARTNERS })
  let tries = 0
  const refusing = (mailbox: Mailbox): Mailbox => ({
    ...mailbox,
    stage: (source, folder, options) => {
      if (folder !== 'outbox/harbor') return mailbox.stage(source, folder, options)
      tries += 1
      return Promise.reject(new BridgeError('credentials-refused', 'The server refuses the key.'))
    },
  })
  for (const number of [1, 2, 3])
    await world.drop('inbox/van', `a${number}.x12`, dress(makeFrom(HARBOR, number, `H-${number}`)))
  await world.drop('inbox/van', 'b.x12', dress(makeFrom(HAVEN, 4, 'H-4')))
  const bridge = await world.open({ mailbox: refusing })

  await bridge.run([], new AbortController().signal)
  await bridge.close()

  expect(await numbersOf(world)).toEqual(['H-1', 'H-2', 'H-3', 'H-4'])
  expect(await world.list('outbox/haven')).toEqual(['997-haven-000000001.x12'])
  // A place that is down is not tried again for each file: every try may take as long as a connection.
  expect(tries).toBe(1)
})

/** An answer of haven was delivered, and a stop left it half delivered once more, when its folder was blocked. */
async function anInterruptedRedelivery(): Promise<World> {
  const world = await anEdiInbox({ partners: PARTNERS })
  await world.drop('inbox/van', 'one.x12', dress(makeFrom(HAVEN, 1, 'H-1')))
  await world.run()
  const bridge = await world.open()
  const lease = await bridge.journal.acquireLease('inbox:van', 'test', 60_000, () => false)
  const [delivery] = await bridge.journal.findDeliveriesByName('997-haven-000000001.x12', 1)
  const nameFor = (attempt: number) => `again-${attempt}.x12`
  const redelivery = { id: 'r1', delivery: delivery?.id ?? '', folder: 'outbox/haven', nameFor }
  await bridge.journal.startRedelivery(lease, redelivery)
  await bridge.journal.releaseLease(lease)
  await bridge.close()
  await block(places(world).haven)
  return world
}

test('a redelivery to a partner that is down does not pause the inbox of a watch', async () => {
  const world = await anInterruptedRedelivery()
  const watching = await watchWorld(world)
  const countFailures = () =>
    watching.events.filter((each) => each.kind === 'pass-ended' && each.failure !== undefined).length
  // The pauses after a pass that fails as a whole grow from 5 seconds.
  await watching.until(() => countFailures() >= 2)

  const began = performance.now()
  await world.drop('inbox/van', 'two.x12', dress(makeFrom(HARBOR, 2, 'H-2')))
  await watching.until(async () => (await world.list('results')).includes('two.x12.summary.json'))

  expect(performance.now() - began).toBeLessThan(4000)
  expect(await world.list('outbox/harbor')).toEqual(['997-harbor-000000001.x12'])
  await rm(places(world).haven)
  await mkdir(places(world).haven)
  await watching.until(async () => (await world.list('outbox/haven')).includes('again-1.x12'))
}, 60_000)

test('an answer that is due goes out in time although another answer of the same file fails', async () => {
  const within = { answer: { ...ANSWER, when: 'understood', withinMs: 8000 } } as const
  const partners = [
    aPartner('haven', 'ZZ:HAVENRETAIL', within),
    aPartner('harbor', '01:HARBORSHOPS', AT_ONCE),
  ]
  const world = await anEdiInbox({ partners, inboxRoutes: ORDER_ROUTES })
  await block(places(world).harbor)
  const both = [makeFrom(HARBOR, 1, 'H-1'), makeFrom(HAVEN, 2, 'H-2')]
  const other = await world.open()
  const busy = await other.journal.acquireLease('edi-orders', 'other/1/1', 1e9, () => true)
  await world.drop('inbox/van', 'both.x12', dress(both))
  const droppedAt = performance.now()

  const watching = await watchWorld(world)
  await watching.until(async () => (await world.list('outbox/haven')).length > 0)

  expect(performance.now() - droppedAt).toBeLessThan(10_500)
  await other.journal.releaseLease(busy)
  await other.close()
}, 60_000)
