/** A person says what became of an answer that is held, beside other answers of its file, or when its partner is gone. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { DeliveryResolution } from '../../../src/domain/delivery.ts'
import { HARBOR, makeOrder } from '../../fixtures/edi-chaos.ts'
import { anEdiInbox, aPartner } from '../../fixtures/edi-inbox.ts'
import { dress } from '../../fixtures/edi-maker/dress.ts'
import { HAVEN, makeInterchange, type MadeParty } from '../../fixtures/edi-maker/envelope.ts'
import type { World } from '../../fixtures/world.ts'

const partner = (name: string, address: string) =>
  aPartner(name, address, {
    to: { mailbox: 'exchange', folder: `outbox/${name}`, name: `{kind}-${name}.x12` },
  })

const makeFrom = (sender: MadeParty, number: number) =>
  makeInterchange({ syntax: 'x12', number, sender, groups: [{ sets: [makeOrder(`R-${number}`)] }] })

const folderOf = ({ folder }: World, name: string) => join(folder, 'exchange/outbox', name)

/** A file of two partners: neither could be answered, and the answer to the second one is held. */
async function aWorldWithAHeldAnswer(): Promise<World> {
  const world = await anEdiInbox({
    partners: [partner('haven', 'ZZ:HAVENRETAIL'), partner('harbor', '01:HARBORSHOPS')],
  })
  await mkdir(folderOf(world, '.'), { recursive: true })
  for (const name of ['haven', 'harbor']) await writeFile(folderOf(world, name), 'in the way')
  await world.drop('inbox/van', 'both.x12', dress([makeFrom(HAVEN, 1), makeFrom(HARBOR, 2)]))
  await world.run()
  const bridge = await world.open()
  const lease = await bridge.journal.acquireLease('inbox:van', 'test', 60_000, () => false)
  const [delivery] = await bridge.journal.findDeliveriesByName('997-harbor.x12', 1)
  await bridge.journal.holdDelivery(lease, delivery?.id ?? '', 'it may have been delivered')
  await bridge.journal.releaseLease(lease)
  await bridge.close()
  return world
}

const free = (world: World, name: string) => rm(folderOf(world, name))

async function resolve(world: World, action: DeliveryResolution) {
  const bridge = await world.open()
  const request = { what: '997-harbor.x12', action, by: 'Ada', why: 'asked them' }
  try {
    return await bridge.resolveDelivery(request, new AbortController().signal)
  } finally {
    await bridge.close()
  }
}

test('the path that is shown is that of the answer, although another one of its file is delivered before it', async () => {
  const world = await aWorldWithAHeldAnswer()
  await free(world, 'haven')
  await free(world, 'harbor')

  const { result, exit } = await resolve(world, 'resolve-again')

  expect(result).toMatchObject({
    isNewlyDelivered: true,
    path: join(folderOf(world, 'harbor'), '997-harbor.x12'),
  })
  expect(exit).toBe(0)
  expect(await world.list('outbox/haven')).toEqual(['997-haven.x12'])
})

test('the answer is resolved although another one of its file cannot be delivered', async () => {
  const world = await aWorldWithAHeldAnswer()

  const { result, delivery, exit } = await resolve(world, 'resolve-delivered')

  expect(delivery.state).toBe('done')
  expect(result).toMatchObject({ isNewlyDelivered: false })
  expect(exit).not.toBe(0)
})

test('an answer that a person has resolved ends without its partner', async () => {
  const world = await aWorldWithAHeldAnswer()
  await free(world, 'haven')
  const { edi } = world.configuration
  const [haven] = edi?.partners ?? []
  Object.assign(world.configuration, { edi: { ...edi, partners: [haven] } })

  const { delivery } = await resolve(world, 'resolve-delivered')

  expect(delivery.state).toBe('done')
  expect((await world.run()).exit).toBe(0)
  expect(await world.list('results')).toContain('both.x12.summary.json')
  expect(await world.list('outbox/haven')).toEqual(['997-haven.x12'])
  const bridge = await world.open()
  expect((await bridge.journal.verifyChain({})).findings).toEqual([])
  await bridge.close()
})
