/** Heartbeats: which watches are alive, and which ones are missing. */
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { classifyWatches, createOwnerId } from '../../../src/journal/heartbeat.ts'
import type { Watcher } from '../../../src/domain/lease.ts'
import { BridgeError } from '../../../src/support/errors.ts'
import { aWorld } from '../../fixtures/world.ts'
import { watchWorld } from '../../fixtures/watching.ts'
import { ordersFile, sampleOrders } from '../../samples/orders.ts'

const NOW = Date.parse('2026-11-21T08:00:00Z')
const MINUTE_MS = 60_000
const ELSEWHERE_HOST = `not-${hostname()}`
const ELSEWHERE = `${ELSEWHERE_HOST}/7/x`

function entry(owner: string, routes: readonly string[], seenMinutesAgo: number): Watcher {
  return { owner, routes, beganAt: NOW - 3600_000, seenAt: NOW - seenMinutesAgo * MINUTE_MS }
}

const subjectOf = (host: string) =>
  expect.stringMatching(new RegExp(`^process 7 on ${host}, since 20`)) as string
const owners = (entries: readonly Watcher[]) => entries.map(({ owner }) => owner)

test('a watch is alive as long as its heartbeat is recent, on whatever machine it runs', () => {
  const watches = [entry(ELSEWHERE, ['orders'], 9), entry(createOwnerId('y'), ['stock'], 0)]
  expect(classifyWatches(watches, NOW)).toEqual({ alive: watches, stale: [], unreplaced: [] })
})

test('a watch without a heartbeat for ten minutes is gone, and at once when its process is', () => {
  const killed = createOwnerId('z').replace(`/${process.pid}/`, '/4194999/')
  const watches = [entry(ELSEWHERE, ['orders'], 10), entry(killed, ['stock'], 0)]
  const { alive, unreplaced } = classifyWatches(watches, NOW)
  expect([alive, owners(unreplaced)]).toEqual([[], [ELSEWHERE, killed]])
})

test('a watch whose routes other watches cover is not missing', () => {
  const watches = [
    entry(ELSEWHERE, ['orders', 'stock'], 20),
    entry(`${ELSEWHERE}2`, ['orders'], 1),
    entry(`${ELSEWHERE}3`, ['stock', 'invoices'], 1),
    entry(`${ELSEWHERE}4`, ['orders', 'returns'], 20),
  ]
  const { stale, unreplaced } = classifyWatches(watches, NOW)
  expect(owners(stale)).toEqual([ELSEWHERE, `${ELSEWHERE}4`])
  expect(owners(unreplaced)).toEqual([`${ELSEWHERE}4`])
})

test('a clock that was set back makes no watch count as gone', () => {
  expect(classifyWatches([entry(ELSEWHERE, ['orders'], -300)], NOW).unreplaced).toEqual([])
})

test('a watch is shown while it is alive, replaces one that is gone, and unregisters when it ends', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const before = await world.open()
  await before.journal.saveHeartbeat(ELSEWHERE, ['orders'])
  await before.journal.saveHeartbeat(`${ELSEWHERE_HOST}2/7/x`, ['orders', 'stock'])
  world.clock.skip(20 * MINUTE_MS)
  const missing = await before.snapshot()
  await before.close()
  const watching = await watchWorld(world)
  await watching.until(async () => {
    const known = owners(await watching.bridge.journal.listWatchers())
    return known.length === 2 && known.some((owner) => owner.includes(`/${process.pid}/`))
  })
  const during = await watching.bridge.snapshot()
  await watching.stop()
  const after = await world.open()
  const left = await after.journal.listWatchers()
  await after.close()

  expect(missing.watches).toEqual([])
  expect(missing.alerts).toMatchObject([
    { code: 'watcher-lost', subject: subjectOf(ELSEWHERE_HOST) },
    { code: 'watcher-lost', subject: subjectOf(`${ELSEWHERE_HOST}2`) },
  ])
  expect(during.watches).toMatchObject([
    { owner: expect.stringContaining(`/${process.pid}/`), routes: ['orders'] },
  ])
  expect(during.alerts.map(({ subject }) => subject)).toEqual([subjectOf(`${ELSEWHERE_HOST}2`)])
  expect(owners(left)).toEqual([`${ELSEWHERE_HOST}2/7/x`])
})

/** A watch that was asked to reload while it sends; the API answers when it may. */
async function aReloadingWatch(answer: () => void) {
  const world = await aWorld({ routes: ['orders'] })
  const state = { isSending: false, mayAnswer: () => {} }
  const allowed = new Promise<void>((resolve) => {
    state.mayAnswer = resolve
  })
  const watching = await watchWorld(world, {
    speed: 100,
    wrap: {
      api: (api) => ({
        ...api,
        send: async (...call) => {
          state.isSending = true
          await allowed
          answer()
          return api.send(...call)
        },
      }),
    },
    configuration: (as) => ({
      ...as,
      source: {
        path: join(world.folder, 'dropbridge.yaml'),
        sha256: '',
        withoutSecrets: {},
        load: () => Promise.resolve(as),
      },
    }),
  })
  await world.drop(
    'inbox/orders',
    'orders.csv',
    ordersFile(sampleOrders({ seed: 9, orders: 1, damageEvery: 0 })).text,
  )
  await watching.until(() => state.isSending)
  const { journal } = watching.bridge
  await journal.requestReload(owners(await journal.listWatchers()))
  await watching.until(() => watching.events.some(({ kind }) => kind === 'reload-started'))
  return { world, watching, journal, mayAnswer: state.mayAnswer }
}

test('a watch that finishes a long file before its reload is not missed', async () => {
  const { world, watching, journal, mayAnswer } = await aReloadingWatch(() => undefined)
  const [before] = await journal.listWatchers()

  world.clock.skip(20 * MINUTE_MS)
  const skipped = world.clock.now()
  await watching.until(async () => ((await journal.listWatchers())[0]?.seenAt ?? 0) >= skipped)
  mayAnswer()

  expect(await watching.ended).toMatchObject({ continued: { owner: before?.owner, routes: ['orders'] } })
  expect(owners(await journal.listWatchers())).toEqual([before?.owner])
})

test('a watch that gives up before its reload unregisters', async () => {
  const { watching, journal, mayAnswer } = await aReloadingWatch(() => {
    throw new BridgeError('journal-altered', 'The journal was changed.')
  })

  mayAnswer()

  await expect(watching.ended).rejects.toThrow('The journal was changed.')
  expect(await journal.listWatchers()).toEqual([])
  expect(watching.events.at(-1)).toMatchObject({ kind: 'watch-stopped' })
})
