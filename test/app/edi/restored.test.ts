/** A journal with an inbox of interchanges that was restored from a backup while files were answered. */
import { cp, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { BridgeEvent } from '../../../src/domain/event.ts'
import { anEdiInbox } from '../../fixtures/edi-inbox.ts'
import type { World } from '../../fixtures/world.ts'

const ONE_DAY = await readFile(new URL('../../../samples/edi/850-one-day.x12', import.meta.url), 'utf8')

const sendDay = async (world: World, day: number) => {
  // Another interchange of other orders each day.
  const text = ONE_DAY.replaceAll('000001126', `00000112${day}`).replaceAll('HV-4', `HV-${day}`)
  await world.drop('inbox/van', `day-${day}.x12`, text)
  await world.run()
}

/** Saves the state folder, and puts it back as a person does who says so. */
const backupOf = (world: World) => {
  const state = dirname(world.configuration.journal.path)
  const copy = join(world.folder, 'backup')
  return {
    save: () => cp(state, copy, { recursive: true }),
    restore: async () => {
      await rm(state, { recursive: true })
      await cp(copy, state, { recursive: true })
      const bridge = await world.open()
      const restored = await bridge.declareRestored({ by: 'Ada', why: 'a fire', skip: 1000, dryRun: false })
      await bridge.close()
      return restored
    },
  }
}

/** One pass that ends when the bridge has taken a file. */
const takeOnly = async (world: World) => {
  const stopping = new AbortController()
  const notify = ({ kind }: BridgeEvent) => kind === 'file-received' && stopping.abort()
  const bridge = await world.open(undefined, { notify })
  await bridge.run([], stopping.signal)
  await bridge.close()
}

test('gives no control number again that an answer since the backup may have', async () => {
  const world = await anEdiInbox()
  const backup = backupOf(world)
  await sendDay(world, 1)
  await backup.save()
  await sendDay(world, 2)

  expect(await backup.restore()).toMatchObject({ counters: 1 })
  await sendDay(world, 3)

  expect(await world.list('outbox/haven')).toEqual([
    '997-000000001.x12',
    '997-000000002.x12',
    '997-000001002.x12',
  ])
})

test('holds the answer to a file that was taken before, for it may have been delivered since', async () => {
  const world = await anEdiInbox()
  const backup = backupOf(world)
  await world.drop('inbox/van', 'day-1.x12', ONE_DAY)
  await takeOnly(world)
  await backup.save()
  await world.run()
  expect(await world.list('outbox/haven')).toEqual(['997-000000001.x12'])

  await backup.restore()
  await world.run()

  expect(await world.list('outbox/haven')).toEqual(['997-000000001.x12'])
  const bridge = await world.open()
  expect(await bridge.journal.listHeldDeliveries(9)).toMatchObject([
    { route: 'inbox:van', name: '997-000001001.x12', sequence: 1001 },
  ])
  await bridge.close()
})
