import { appendFile, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { BridgeEvent } from '../../../src/domain/event.ts'
import type { Mailbox } from '../../../src/domain/mailbox.ts'
import { createDirectoryMailbox } from '../../../src/mailboxes/directory/mailbox.ts'
import { BridgeError } from '../../../src/support/errors.ts'
import { smallOrders } from '../../fixtures/small-orders.ts'
import { STABLE_FOR_MS, watchWorld } from '../../fixtures/watching.ts'
import { aWorld } from '../../fixtures/world.ts'

const ORDERS = { routes: ['orders'] }

function kinds(events: readonly BridgeEvent[], ...wanted: BridgeEvent['kind'][]): string[] {
  return events.map(({ kind }) => kind).filter((kind) => wanted.includes(kind))
}

test('files from before the start and files that come later are all sent, each once', async () => {
  const world = await aWorld(ORDERS)
  await world.drop('inbox/orders', 'early.csv', smallOrders(100, 2))
  const watching = await watchWorld(world, ORDERS)
  await watching.untilClosed(1)
  for (const number of [200, 300, 400]) {
    await world.drop('inbox/orders', `late-${number}.csv`, smallOrders(number, 1))
  }
  await watching.untilClosed(4)
  await watching.stop()
  const numbers = (await world.orders()).map((order) => order.purchase_order_number)
  expect(new Set(numbers).size).toBe(5)
  expect(numbers.length).toBe(5)
  expect(await world.list('inbox/orders')).toEqual([])
  expect((await world.list('results')).filter((name) => name.endsWith('.results.csv')).length).toBe(4)
})

test('a file that is being written is not taken, and whole files beside it are taken meanwhile', async () => {
  const world = await aWorld(ORDERS)
  const text = smallOrders(100, 100)
  const path = join(world.folder, 'exchange', 'inbox/orders', 'slow.csv')
  let written = 300
  await world.drop('inbox/orders', 'slow.csv', text.slice(0, written))
  const watching = await watchWorld(world, ORDERS)
  const isReceived = (name: string) =>
    watching.events.some((event) => event.kind === 'file-received' && event.file === name)
  let wasEarly = false
  let longestPause = 0
  let lastAt = performance.now()
  while (!isReceived('other.csv') && written < text.length) {
    await appendFile(path, text.slice(written, (written += 60)))
    longestPause = Math.max(longestPause, performance.now() - lastAt)
    lastAt = performance.now()
    if (written === 420) await world.drop('inbox/orders', 'other.csv', smallOrders(900, 1))
    await new Promise((resolve) => setTimeout(resolve, STABLE_FOR_MS / 3))
    wasEarly ||= isReceived('slow.csv')
  }
  expect(isReceived('other.csv')).toBe(true)
  // On a busy machine the writer itself may pause for longer than `stableFor`.
  expect(wasEarly && longestPause < STABLE_FOR_MS / 2).toBe(false)
  await appendFile(path, text.slice(written))
  await watching.untilClosed(2)
  expect((await world.orders()).length).toBe(101)
  // Nothing is unusual, so the watch logs nothing.
  expect(kinds(watching.events, 'file-skipped', 'watcher-unreliable')).toEqual([])
})

test('a folder that goes away is reported once, and is watched again when it is back', async () => {
  const world = await aWorld(ORDERS)
  const watching = await watchWorld(world, { ...ORDERS, scanMs: 100 })
  const exchange = join(world.folder, 'exchange')
  await watching.until(() => kinds(watching.events, 'watch-started').length === 1)
  await rename(exchange, `${exchange}-unmounted`)
  await watching.until(() => kinds(watching.events, 'route-failed').length === 1)
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(kinds(watching.events, 'route-failed', 'route-recovered')).toEqual(['route-failed'])
  await rename(`${exchange}-unmounted`, exchange)
  await world.drop('inbox/orders', 'a.csv', smallOrders(100))
  await watching.untilClosed(1)
  expect(kinds(watching.events, 'route-failed', 'route-recovered')).toEqual([
    'route-failed',
    'route-recovered',
  ])
})

test('a failed scan is a failed pass, and a scan of an empty inbox is a good pass', async () => {
  const world = await aWorld(ORDERS)
  let isRefused = true
  const watching = await watchWorld(world, {
    ...ORDERS,
    scanMs: 50,
    wrap: {
      mailbox: (mailbox) => ({
        ...mailbox,
        list: (folder) =>
          isRefused
            ? Promise.reject(new BridgeError('credentials-refused', 'the login is refused'))
            : mailbox.list(folder),
      }),
    },
  })
  const passes = () =>
    watching.events.flatMap((event) => (event.kind === 'pass-ended' ? [event.failure ?? 'done'] : []))
  await watching.until(() => passes().length >= 3)
  expect(new Set(passes())).toEqual(new Set(['credentials-refused']))
  isRefused = false
  await watching.until(() => passes().includes('done'))
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(passes().filter((outcome) => outcome === 'done')).toEqual(['done'])
})

test('an inbox that is replaced by another folder of its name is still watched', async () => {
  const world = await aWorld(ORDERS)
  const watching = await watchWorld(world, { ...ORDERS, scanMs: 300 })
  await world.drop('inbox/orders', 'a.csv', smallOrders(100))
  await watching.untilClosed(1)
  await rm(join(world.folder, 'exchange', 'inbox'), { recursive: true })
  await mkdir(join(world.folder, 'exchange', 'inbox/orders'), { recursive: true })
  await world.drop('inbox/orders', 'b.csv', smallOrders(200))
  await watching.untilClosed(2)
  expect((await world.orders()).length).toBe(2)
})

test('a share without file-system events is scanned, and the watch says once that there are no events', async () => {
  const world = await aWorld(ORDERS)
  // The file-system watcher is started at a folder in which nothing ever happens.
  const silent = join(world.folder, 'share')
  await mkdir(join(world.folder, 'exchange', 'inbox/orders'), { recursive: true })
  await mkdir(silent)
  const watching = await watchWorld(world, {
    ...ORDERS,
    scanMs: 150,
    wrap: { mailbox: () => createDirectoryMailbox({ root: silent }) },
  })
  for (const number of [100, 200, 300]) {
    await mkdir(join(silent, 'inbox/orders'), { recursive: true })
    await writeFile(join(silent, 'inbox/orders', `${number}.csv`), smallOrders(number))
    await watching.untilClosed(number / 100)
    await new Promise((resolve) => setTimeout(resolve, 600))
  }
  expect((await world.orders()).length).toBe(3)
  const [unreliable, ...others] = watching.events.filter((event) => event.kind === 'watcher-unreliable')
  expect(unreliable).toMatchObject({ route: 'orders', why: 'the system did not report a file that came' })
  expect(others).toEqual([])
})

test('a share that reports only changes made on this machine counts as unreliable, and the watch says so once', async () => {
  const world = await aWorld(ORDERS)
  const silent = join(world.folder, 'share')
  await mkdir(join(silent, 'inbox/orders'), { recursive: true })
  let claims = 0
  const watching = await watchWorld(world, {
    ...ORDERS,
    speed: 4,
    scanMs: 4000,
    from: { stableForMs: 1300 },
    configuration: (as) => ({ ...as, mailboxes: { exchange: { type: 'directory', path: silent } } }),
    wrap: {
      mailbox: () => {
        const mailbox = createDirectoryMailbox({ root: join(world.folder, 'exchange') })
        return {
          ...mailbox,
          claim: async (claim) => {
            await writeFile(join(silent, 'inbox/orders', `claim-${++claims}`), '')
            return mailbox.claim(claim)
          },
        }
      },
    },
  })
  for (const number of [100, 200, 300]) {
    // The file-system events from before are long over.
    await new Promise((resolve) => setTimeout(resolve, 600))
    await world.drop('inbox/orders', `${number}.csv`, smallOrders(number))
    await watching.untilClosed(number / 100)
  }
  expect(kinds(watching.events, 'watcher-unreliable')).toEqual(['watcher-unreliable'])
}, 20_000)

test('a watch that finds nothing to do writes nothing into the journal and asks the API nothing', async () => {
  const world = await aWorld(ORDERS)
  let asked = 0
  const changes: string[] = []
  const watching = await watchWorld(world, {
    ...ORDERS,
    scanMs: 40,
    wrap: {
      api: (api) =>
        new Proxy(api, {
          get: (target, name) => {
            asked++
            return Reflect.get(target, name) as unknown
          },
        }),
      journal: (journal) =>
        new Proxy(journal, {
          get: (target, name) => {
            if (!['listUnfinishedRoutes', 'listRecentFiles', 'then', 'close'].includes(String(name)))
              changes.push(String(name))
            return Reflect.get(target, name) as unknown
          },
        }),
    },
  })
  await world.drop('inbox/orders', 'a.csv', smallOrders(100))
  await world.drop('inbox/orders', 'notes.txt', 'of no route')
  await watching.untilClosed(1)
  await new Promise((resolve) => setTimeout(resolve, 300))
  const before = { asked, changes: changes.length }
  expect(before.changes).toBeGreaterThan(10)
  await new Promise((resolve) => setTimeout(resolve, 600))
  expect({ asked, changes: changes.slice(before.changes) }).toEqual({ asked: before.asked, changes: [] })
})

test('an API that is away is reported once, however often it is tried, and once when it is back', async () => {
  const world = await aWorld(ORDERS)
  let tries = 0
  let isAway = true
  const watching = await watchWorld(world, {
    ...ORDERS,
    speed: 10,
    wrap: {
      api: (api) => ({
        ...api,
        send: (...args) => {
          tries++
          if (isAway) throw new BridgeError('api-unreachable', 'the API is away')
          return api.send(...args)
        },
      }),
    },
  })
  await world.drop('inbox/orders', 'a.csv', smallOrders(100))
  await watching.until(() => tries >= 3)
  expect(kinds(watching.events, 'route-failed', 'route-recovered')).toEqual(['route-failed'])
  isAway = false
  await watching.untilClosed(1)
  await watching.until(() => watching.events.some(({ kind }) => kind === 'route-recovered'))
  expect(kinds(watching.events, 'route-failed', 'route-recovered')).toEqual([
    'route-failed',
    'route-recovered',
  ])
}, 20_000)

test('a slow route holds up no other route', async () => {
  const world = await aWorld({ routes: ['orders', 'shopify', 'dropstream'] })
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  const watching = await watchWorld(world, {
    wrap: {
      mailbox: (mailbox): Mailbox => ({
        ...mailbox,
        claim: async (claim) => {
          if (claim.folder === 'inbox/shopify') await held
          return mailbox.claim(claim)
        },
      }),
    },
  })
  await world.drop('inbox/shopify', 'stuck.csv', 'Name\n#1\n')
  await world.drop('inbox/orders', 'a.csv', smallOrders(100))
  await watching.untilClosed(1)
  expect(watching.events.flatMap((event) => (event.kind === 'file-closed' ? [event.file] : []))).toEqual([
    'a.csv',
  ])
  release()
  await watching.untilClosed(2)
})

test('two watches on one folder send every order once', async () => {
  const world = await aWorld(ORDERS)
  const watches = [
    await watchWorld(world, { ...ORDERS, scanMs: 200 }),
    await watchWorld(world, { ...ORDERS, scanMs: 200 }),
  ]
  for (let file = 1; file <= 12; file++)
    await world.drop('inbox/orders', `${file}.csv`, smallOrders(file * 100, 2))
  const closed = () => watches.flatMap(({ events }) => events.filter(({ kind }) => kind === 'file-closed'))
  await watches[0]?.until(
    async () => closed().length >= 12 && (await world.list('inbox/orders')).length === 0,
  )
  for (const { stop } of watches) await stop()
  const numbers = (await world.orders()).map((order) => order.purchase_order_number)
  expect(numbers.length).toBe(24)
  expect(new Set(numbers).size).toBe(24)
  expect(watches.flatMap(({ events }) => kinds(events, 'route-failed'))).toEqual([])
}, 30_000)

test('work that a stopped run left is continued at the start, without a new file', async () => {
  const world = await aWorld(ORDERS)
  await world.drop('inbox/orders', 'a.csv', smallOrders(100))
  const broken = await world.open({
    mailbox: (mailbox) => ({
      ...mailbox,
      archive: () => Promise.reject(new BridgeError('cannot-write', 'full')),
    }),
  })
  const { routes } = await broken.run([], new AbortController().signal)
  expect(routes.map(({ kind }) => kind)).toEqual(['failed'])
  await broken.close()
  const watching = await watchWorld(world, ORDERS)
  await watching.untilClosed(1)
  expect((await world.orders()).length).toBe(1)
})

test('work in progress continues even while the inbox is away', async () => {
  const world = await aWorld(ORDERS)
  await world.drop('inbox/orders', 'a.csv', smallOrders(100, 3))
  const broken = await world.open({
    api: (api) => ({ ...api, send: () => Promise.reject(new Error('power cut')) }),
  })
  await broken.run([], new AbortController().signal)
  await broken.close()
  expect(world.service.counts().orders).toBe(0)
  const watching = await watchWorld(world, {
    ...ORDERS,
    scanMs: 100,
    speed: 20,
    wrap: {
      mailbox: (mailbox) => ({
        ...mailbox,
        list: () => Promise.reject(new BridgeError('mailbox-unreachable', 'the share is away')),
      }),
    },
  })
  await watching.until(() => world.service.counts().orders === 3)
})

test('a file that cannot be taken delays no other, is tried less and less often, and is reported once', async () => {
  const world = await aWorld(ORDERS)
  await world.drop('inbox/orders', 'bad.csv', smallOrders(900))
  let tries = 0
  let isLocked = true
  const watching = await watchWorld(world, {
    ...ORDERS,
    speed: 8,
    wrap: {
      mailbox: (mailbox) => ({
        ...mailbox,
        claim: (claim) => {
          if (claim.name !== 'bad.csv' || !isLocked) return mailbox.claim(claim)
          tries++
          return Promise.reject(new BridgeError('cannot-write', 'bad.csv cannot be claimed'))
        },
      }),
    },
  })
  await watching.until(() => tries === 3)
  // The watch would try the file again only after twenty seconds.
  await world.drop('inbox/orders', 'good.csv', smallOrders(100))
  await watching.untilClosed(1)
  expect(tries).toBe(3)
  expect(kinds(watching.events, 'route-failed', 'route-recovered')).toEqual(['route-failed'])
  isLocked = false
  await watching.untilClosed(2)
  await watching.until(() => watching.events.some(({ kind }) => kind === 'route-recovered'))
  const passes = watching.events.filter(({ kind }) => kind === 'pass-ended').length
  expect(passes).toBeLessThan(15)
}, 30_000)

test('a journal that is damaged ends the watch with the reason', async () => {
  const world = await aWorld(ORDERS)
  const watching = await watchWorld(world, {
    ...ORDERS,
    wrap: {
      journal: (journal) => ({
        ...journal,
        listUnfinishedRoutes: () =>
          Promise.reject(new BridgeError('journal-damaged', 'The journal is damaged.')),
      }),
    },
  })
  await expect(watching.ended).rejects.toThrow('The journal is damaged.')
})

test('routes without an inbox run at the start and then by the clock', async () => {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  const watching = await watchWorld(world, {})
  await watching.until(() =>
    watching.events.some((event) => event.kind === 'pass-ended' && event.route === 'orders-out'),
  )
  await new Promise((resolve) => setTimeout(resolve, 300))
  const passes = watching.events.filter(
    (event) => event.kind === 'pass-ended' && event.route === 'orders-out',
  )
  expect(passes.length).toBe(1)
  expect(watching.results).toEqual([])
})

test('a file that is made empty and filled long afterwards is taken when it is filled', async () => {
  const world = await aWorld(ORDERS)
  await world.drop('inbox/orders', 'query.csv', '')
  const watching = await watchWorld(world, { ...ORDERS, speed: 100 })
  await world.drop('inbox/orders', 'other.csv', smallOrders(900, 1))
  await watching.untilClosed(1)
  await appendFile(join(world.folder, 'exchange', 'inbox/orders', 'query.csv'), smallOrders(100, 3))
  await watching.untilClosed(2)
  expect((await world.orders()).length).toBe(4)
  expect(kinds(watching.events, 'file-skipped')).toEqual([])
})

test('a file that stays empty for a quarter of an hour comes back as empty', async () => {
  const world = await aWorld(ORDERS)
  const speed = 400
  const began = performance.now()
  const watching = await watchWorld(world, { ...ORDERS, speed })
  await world.drop('inbox/orders', 'query.csv', '')
  await watching.untilClosed(1)
  expect((performance.now() - began) * speed).toBeGreaterThan(15 * 60_000)
  expect(await world.read('results/query.csv.results.csv')).toContain('file-empty')
})

test('setting the time of day forward makes no file stable early', async () => {
  const world = await aWorld(ORDERS)
  const text = smallOrders(100, 2)
  const watching = await watchWorld(world, { ...ORDERS, scanMs: 50, from: { stableForMs: 1000 } })
  await world.drop('inbox/orders', 'a.csv', text.slice(0, 200))
  await new Promise((resolve) => setTimeout(resolve, 200))
  world.clock.skip(3_600_000)
  await new Promise((resolve) => setTimeout(resolve, 300))
  await appendFile(join(world.folder, 'exchange', 'inbox/orders', 'a.csv'), text.slice(200))
  await watching.untilClosed(1)
  expect((await world.orders()).length).toBe(2)
  expect(await world.list('results')).toEqual(['a.csv.results.csv', 'a.csv.summary.json'])
})

test('a file that is replaced right after it was taken is another file, and both are sent', async () => {
  const world = await aWorld(ORDERS)
  await world.drop('inbox/orders', 'a.csv', smallOrders(100))
  const watching = await watchWorld(world, ORDERS)
  await watching.until(() => watching.events.some(({ kind }) => kind === 'file-received'))
  await world.drop('inbox/orders', 'a.csv', smallOrders(200))
  await watching.untilClosed(2)
  expect((await world.orders()).length).toBe(2)
  expect((await world.list('results')).filter((name) => name.endsWith('.results.csv')).length).toBe(2)
})

test('sixty files that come at once are all reported after a few passes, and events do not multiply the scans', async () => {
  const world = await aWorld(ORDERS)
  let scans = 0
  const watching = await watchWorld(world, {
    ...ORDERS,
    wrap: {
      mailbox: (mailbox) => ({
        ...mailbox,
        list: (folder) => {
          scans++
          return mailbox.list(folder)
        },
      }),
    },
  })
  for (let file = 0; file < 60; file++) await world.drop('inbox/orders', `${file}.csv`, '\n')
  await watching.untilClosed(60)
  const passes = watching.events.filter(({ kind }) => kind === 'pass-ended').length
  expect(passes).toBeLessThan(10)
  expect(scans).toBeLessThan(150)
}, 120_000)

test('a file that another program keeps open is tried again after a while, and not at once', async () => {
  const world = await aWorld(ORDERS)
  let tries = 0
  const watching = await watchWorld(world, {
    ...ORDERS,
    speed: 20,
    wrap: {
      mailbox: (mailbox) => ({
        ...mailbox,
        claim: (claim) => (++tries < 3 ? Promise.resolve('gone') : mailbox.claim(claim)),
      }),
    },
  })
  await world.drop('inbox/orders', 'a.csv', smallOrders(100))
  await watching.until(() => tries === 1)
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(tries).toBe(1)
  await watching.until(async () => (await world.orders()).length === 1)
  expect(tries).toBe(3)
}, 20_000)

test('a file that comes after the first scan and before the file-system watcher starts is taken without a further scan', async () => {
  const world = await aWorld(ORDERS)
  let hasCome = false
  const watching = await watchWorld(world, {
    ...ORDERS,
    wrap: {
      mailbox: (mailbox) => ({
        ...mailbox,
        list: async (folder) => {
          const listed = await mailbox.list(folder)
          if (!hasCome) await world.drop('inbox/orders', 'a.csv', smallOrders(100))
          hasCome = true
          return listed
        },
      }),
    },
  })
  await watching.untilClosed(1)
  expect((await world.orders()).length).toBe(1)
})
