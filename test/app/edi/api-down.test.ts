/** An API that is down while partners wait for their answers: they are answered in time, once, and nothing is lost. */
import { createServer } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createRequestRecorder } from '../../../src/prove/request-recorder.ts'
import { readAnswers } from '../../fixtures/edi-answers.ts'
import { makeOrder } from '../../fixtures/edi-chaos.ts'
import { anEdiInbox, aPartner } from '../../fixtures/edi-inbox.ts'
import { dress } from '../../fixtures/edi-maker/dress.ts'
import { HAVEN, makeInterchange } from '../../fixtures/edi-maker/envelope.ts'
import { make860 } from '../../fixtures/edi-maker/x12-orders.ts'
import { json, startMisbehavingServer } from '../../fixtures/misbehaving-server.ts'
import type { World } from '../../fixtures/world.ts'

const WITHIN_MS = 1_800_000

/** The cancel names an order that the API must be asked for. */
const makeDay = (number: number) =>
  dress(
    makeInterchange({
      syntax: 'x12',
      number,
      sender: HAVEN,
      groups: [
        { sets: [makeOrder(`DAY-${number}-1`), makeOrder(`DAY-${number}-2`, true)] },
        { sets: [make860({ po: 'BASE-1' })] },
      ],
    }),
  )

async function aWaitingPartner() {
  let recorder: ReturnType<typeof createRequestRecorder> | undefined
  const world = await anEdiInbox({
    partners: [
      aPartner('haven', 'ZZ:HAVENRETAIL', {
        answer: { when: 'understood', withinMs: WITHIN_MS, kind: '997', ta1: 'asked', echoes: true },
      }),
    ],
    beforeListening: (service) => (recorder = createRequestRecorder(service)),
  })
  const base = makeInterchange({
    syntax: 'x12',
    number: 1,
    sender: HAVEN,
    groups: [{ sets: [makeOrder('BASE-1')] }],
  })
  await world.drop('inbox/van', 'base.x12', dress(base))
  await world.run()
  await world.drop('inbox/van', 'day.x12', makeDay(2))
  const recording = recorder?.start()
  if (recording === undefined) throw new Error('the service was not recorded')
  return { world, recording }
}

const listGroups = async (world: World) =>
  (await readAnswers(world, ['haven'])).flatMap(({ number, groups }) =>
    groups.map(({ group, verdict, counts }) => `${number} ${group} ${verdict} ${counts}`),
  )

type Waiting = Awaited<ReturnType<typeof aWaitingPartner>>

/** Orders are there once, and the cancel took effect once. */
async function expectPostedOnce({ world, recording }: Waiting): Promise<void> {
  const orders = await world.orders()
  expect(orders.map(({ purchase_order_number: po, status }) => `${po} ${status}`).toSorted()).toEqual([
    'BASE-1 canceled',
    'DAY-2-1 open',
  ])
  const effects = [...recording.effects.values()].map(({ applied, again }) => [applied, again])
  expect(effects).toEqual([
    [1, 0],
    [1, 0],
  ])
  expect(await world.list('results')).toContain('day.x12.sets.csv')
}

const DOWN = {
  'answers 503': async () => {
    const server = await startMisbehavingServer()
    onTestFinished(() => server.close())
    server.next(json(503, { detail: 'down for maintenance' }))
    return server.url
  },
  'gives no token': async () => {
    const server = await startMisbehavingServer()
    onTestFinished(() => server.close())
    server.nextToken(json(503, { detail: 'down for maintenance' }))
    return server.url
  },
  'refuses connections': async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    return `http://127.0.0.1:${port}`
  },
}

test.each(Object.entries(DOWN))(
  'an API that %s: the answer goes out in time by the structure, and once it is back nothing is answered again',
  async (_, startDown) => {
    const waiting = await aWaitingPartner()
    const { world } = waiting
    const { baseUrl } = world.service
    Object.assign(world.configuration.api, { baseUrl: await startDown() })
    const base = await listGroups(world)
    expect(base).toEqual(['1 PO 1 A 1 1 1'])

    await world.run()
    expect(await listGroups(world)).toEqual(base)

    world.clock.skip(WITHIN_MS)
    await world.run()
    const inTime = [...base, '2 PO 2 A 2 2 2', '2 PC 3 A 1 1 1']
    expect(await listGroups(world)).toEqual(inTime)
    await world.run()
    expect(await listGroups(world)).toEqual(inTime)

    Object.assign(world.configuration.api, { baseUrl })
    world.clock.skip(3_600_000)
    await world.run()
    await world.run()
    await expectPostedOnce(waiting)
    expect(await listGroups(world)).toEqual(inTime)
  },
)

test.each([1, 2, 3, 5, 9])(
  'an API that is back after %i requests in the middle of a pass: partners are answered once, and each set is posted once',
  async (faultLimit) => {
    for (const fault of ['resetBefore', 'error500Before', 'html502Before'] as const) {
      const waiting = await aWaitingPartner()
      const { world } = waiting
      Object.assign(world.service.switches, { [fault]: 1, faultsStrike: 'all', faultLimit })

      await world.run()
      for (let pass = 0; pass < 4; pass++) {
        world.clock.skip(60_000)
        await world.run()
      }

      await expectPostedOnce(waiting)
      expect(await listGroups(world), fault).toEqual(['1 PO 1 A 1 1 1', '2 PO 2 P 2 2 1', '2 PC 3 A 1 1 1'])
    }
  },
)
