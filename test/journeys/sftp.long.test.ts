/** The whole bridge over SFTP, with real servers that are killed, frozen and started again in the middle of every kind of call. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Bridge, openBridge } from '../../src/app/bridge.ts'
import type { Configuration } from '../../src/config/configuration.ts'
import type { InboundRoute } from '../../src/config/routes.ts'
import { hasCode } from '../../src/support/errors.ts'
import { parseCsv } from '../fixtures/csv.ts'
import type { RealServer } from '../fixtures/real-server.ts'
import { describeWithServers } from '../fixtures/real-servers.ts'
import { smallOrders } from '../fixtures/small-orders.ts'
import { watchedMailbox } from '../fixtures/watched-mailbox.ts'
import { type Blow, BLOWS, type Spot, type Wire, wireTo } from '../fixtures/wire.ts'
import { aWorld, type World, type WorldOptions } from '../fixtures/world.ts'

const TIMEOUT_MS = 1000
/** The time for all tries of a call, and for the connection after each. */
const CALL_MS_MAX = 2 * 4 * TIMEOUT_MS + 2000
const PASSES_MAX = 6
/** No call sends more pieces to the server than this. */
const PIECES_MAX = 60
/** Bytes of a large file after which some of it has arrived and some has not. */
const MIDDLE_BYTES = 20_000

interface Aim {
  readonly call: string
  readonly at: Spot
  readonly blow: Blow
}

interface Stage {
  readonly world: World
  readonly wire: Wire
  readonly bridge: () => Bridge
  /** Strikes the next calls of this name at this spot; returns whether that happened. */
  readonly strike: (aim: Aim, work: () => Promise<void>) => Promise<boolean>
  readonly seen: Set<string>
  readonly longest: () => number
  readonly close: () => Promise<void>
  /** Continues with another bridge, without a connection. */
  readonly reopen: () => Promise<void>
}

async function aStage(real: RealServer, options: WorldOptions): Promise<Stage> {
  onTestFinished(real.remove)
  const wire = await wireTo(real, real.server.port)
  const { host, username, login } = real.server
  const world = await aWorld({
    ...options,
    exchange: (root) => ({
      type: 'sftp',
      host,
      port: wire.port,
      username,
      login,
      trust: { knownHostsFile: real.knownHostsFile },
      timeoutMs: TIMEOUT_MS,
      root,
      connections: 1,
      verify: 'size',
      claim: 'rename',
      deliver: 'rename',
    }),
  })
  await real.writeKnownHosts(['ed25519'], wire.port)
  const seen = new Set<string>()
  let longest = 0
  let aim: Aim | undefined
  const open = () =>
    world.open({
      mailbox: (mailbox) =>
        watchedMailbox(mailbox, {
          began: (call) => {
            seen.add(call)
            if (aim?.call === call) wire.arm(aim.at, aim.blow)
          },
          ended: (call, ms) => {
            longest = Math.max(longest, ms)
            if (aim?.call === call && wire.disarm().hasStruck) aim = undefined
          },
        }),
    })
  let bridge: Bridge | undefined = await open()
  const close = async () => {
    const closing = bridge
    bridge = undefined
    await closing?.close()
  }
  onTestFinished(close)
  return {
    world,
    wire,
    bridge: () => {
      if (bridge === undefined) throw new Error('the bridge is closed')
      return bridge
    },
    seen,
    longest: () => longest,
    close,
    reopen: async () => {
      await close()
      bridge = await open()
    },
    strike: async (meant, work) => {
      aim = meant
      await work()
      const hasStruck = aim === undefined
      aim = undefined
      await wire.idle()
      return hasStruck
    },
  }
}

const never = new AbortController().signal

/** Runs passes until nothing is left to do. A pass may find the server away, and no other failure is allowed. */
async function runToRest({ bridge, wire, world }: Stage, isAtRest: () => Promise<boolean>): Promise<void> {
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const { routes, exit } = await bridge().run([], never)
    for (const route of routes) {
      const failure: Error | undefined = route.kind === 'failed' ? route.failure : undefined
      if (failure !== undefined && !hasCode(failure, 'mailbox-unreachable')) throw failure
    }
    expect([0, 69, 75]).toContain(exit)
    if (await isAtRest()) return
    await wire.idle()
    world.clock.skip(60_000)
  }
  throw new Error(`not at rest after ${PASSES_MAX} passes`)
}

interface Days {
  /** Drops a file with orders of its own, and runs passes until they are posted, exported, and archived. */
  readonly pass: (count: number) => Promise<void>
  /** Checks that every file is in one piece in its place, and every order once at the API and in one exported file. */
  readonly check: () => Promise<void>
}

function daysOf(stage: Stage): Days {
  const { world } = stage
  const files: string[] = []
  let sent = 0
  return {
    pass: async (count) => {
      const file = `orders-${files.push('') - 1}.csv`
      files[files.length - 1] = file
      await world.drop('inbox/orders', file, smallOrders(1000 + sent, count))
      sent += count
      world.clock.skip(5000)
      await runToRest(stage, async () => {
        const { orders, acknowledgedOrders } = world.service.counts()
        const claimed = await world.list('inbox/orders/.claimed')
        return claimed.length === 0 && orders === sent && acknowledgedOrders === orders
      })
      const results = parseCsv(await world.read(`results/${file}.results.csv`))
      expect(results).toHaveLength(count)
      expect(new Set(results.map((row) => row['_status']))).toEqual(new Set(['accepted']))
    },
    check: async () => {
      expect(world.service.counts().orders).toBe(sent)
      const [archive = ''] = await foldersBelow(world, 'archive/orders')
      const archived = await world.list(archive)
      expect(archived.map((name) => name.replace(/~\w+/, '')).toSorted()).toEqual(files.toSorted())
      const reports = files.flatMap((file) => [`${file}.results.csv`, `${file}.summary.json`])
      expect(await world.list('results')).toEqual(reports.toSorted())
      const names = await world.list('outbox')
      const exported = await Promise.all(names.map((name) => world.read(`outbox/${name}`)))
      const ids = exported.flatMap((text) => [...new Set(parseCsv(text).map((row) => row['Order Id']))])
      expect(ids).toHaveLength(sent)
      expect(new Set(ids).size).toBe(sent)
    },
  }
}

/** The archive has a folder for each day; the whole test is one day. */
async function foldersBelow(world: World, folder: string): Promise<string[]> {
  const names = await world.list(folder)
  if (names.some((name) => name.endsWith('.csv'))) return [folder]
  return (await Promise.all(names.map((name) => foldersBelow(world, `${folder}/${name}`)))).flat()
}

const ROUTES = ['orders', 'orders-out']
/** The calls that differ between servers: ProFTPD knows no hard links, for one, and lets no client write to an existing file. */
const RENAMING = /^(claim|stage|giveName|archive) /

/** Calls of every pass, or of every file. Calls at the start of a bridge, and calls without a request, are left out. */
const AGAIN = /^(list inbox|claim inbox|read inbox|stage |giveName |stands |archive |sizeOf )/

describeWithServers('a bridge over SFTP with', ({ name, start }) => {
  test(`loses nothing and does nothing twice, whatever happens to ${name} in the middle of a call`, async () => {
    const stage = await aStage(await start(), { routes: ROUTES })
    const days = daysOf(stage)
    await days.pass(2)
    const isAll = name === 'OpenSSH'
    const calls = [...stage.seen].filter((call) => AGAIN.test(call) && (isAll || RENAMING.test(call)))
    const blows = isAll ? BLOWS : BLOWS.filter((blow) => blow !== 'kill-before')
    const struck = new Set<string>()
    for (const call of calls) {
      for (const blow of blows) {
        for (let piece = 1; piece <= PIECES_MAX; piece++) {
          if (!(await stage.strike({ call, at: { piece }, blow }, () => days.pass(2)))) break
          struck.add(call)
        }
      }
    }

    expect([...struck]).toEqual(calls)
    expect(calls).toEqual(
      expect.arrayContaining(['claim inbox/orders', 'giveName results', 'giveName outbox']),
    )
    expect(stage.longest()).toBeLessThan(CALL_MS_MAX)
    await days.check()
  }, 600_000)

  test(`recovers from whatever happens to ${name} while it connects and logs in`, async () => {
    const stage = await aStage(await start(), { routes: ROUTES })
    const days = daysOf(stage)
    await days.pass(1)
    const [first = ''] = stage.seen
    let strikes = 0
    for (let piece = 1; piece <= PIECES_MAX; piece++) {
      await stage.reopen()
      const blow = BLOWS[piece % BLOWS.length] ?? 'freeze'
      if (!(await stage.strike({ call: first, at: { piece }, blow }, () => days.pass(1)))) break
      strikes++
    }

    // Greeting, keys, name, key of the user, channel and what the call itself asks for.
    expect(strikes).toBeGreaterThan(6)
    expect(stage.longest()).toBeLessThan(CALL_MS_MAX)
    await days.check()
  })

  test(`takes in and delivers large files, whatever happens to ${name} while they are on the way`, async () => {
    const stage = await aStage(await start(), { routes: ROUTES })
    const days = daysOf(stage)
    const calls = ['read inbox/orders', 'stage results', 'stage outbox']
    let struck = 0
    for (const [index, call] of calls.entries()) {
      const blow = BLOWS[index % BLOWS.length] ?? 'freeze'
      if (await stage.strike({ call, at: { bytes: MIDDLE_BYTES }, blow }, () => days.pass(300))) struck++
    }
    expect(struck).toBe(calls.length)
    expect(stage.longest()).toBeLessThan(CALL_MS_MAX)
    await days.check()
  })

  test(`sends nothing to ${name} once it shows another host key, and continues with the other mailboxes`, async () => {
    const real = await start()
    const stage = await aStage(real, { routes: ROUTES })
    const days = daysOf(stage)
    await days.pass(2)
    await stage.close()
    const old = await real.fingerprint('ed25519')
    await real.changeHostKeys()
    await real.kill()
    await real.start()
    const { world } = stage
    const orders = world.service.counts().orders
    await world.drop('inbox/orders', 'late.csv', smallOrders(5000, 2))
    const local = join(world.folder, 'local')
    await mkdir(join(local, 'inbox', 'orders'), { recursive: true })
    await writeFile(join(local, 'inbox', 'orders', 'local.csv'), smallOrders(6000, 1))
    world.clock.skip(5000)
    const bridge = await openBridge(withLocalOrders(world.configuration, local), {
      clock: world.clock,
      random: Math.random,
      newId: () => `late${performance.now()}`.replace('.', 'x'),
      notify: () => {},
      version: 'test',
    })
    onTestFinished(() => bridge.close())

    const { routes, exit } = await bridge.run([], never)

    const failures = routes.flatMap((route) => (route.kind === 'failed' ? [route.failure] : []))
    expect(failures.map(({ code }) => code)).toEqual(['host-key-changed'])
    expect(failures[0]?.message).toContain(`Trusted: ED25519 ${old}`)
    expect(failures[0]?.message).toContain(`Shown now: ED25519 ${await real.fingerprint('ed25519')}`)
    expect(exit).toBe(77)
    expect(await world.list('inbox/orders')).toEqual(['late.csv'])
    expect(world.service.counts().orders).toBe(orders + 1)

    await real.writeKnownHosts(['ed25519'], stage.wire.port)
    expect((await bridge.run([], never)).exit).toBe(0)
    expect(world.service.counts().orders).toBe(orders + 3)
  })
})

describeWithServers(
  'a bridge over SFTP with',
  ({ start }) => {
    test('gives up within its deadlines when the server freezes and stays so, and continues later', async () => {
      const stage = await aStage(await start(), { routes: ROUTES })
      const days = daysOf(stage)
      await days.pass(1)
      const kinds = /^(list inbox|claim |read |stage |giveName |archive )/
      const calls = [...stage.seen].filter((call) => kinds.test(call))
      for (const call of calls) {
        const aim = { call, at: { piece: 2 }, blow: 'freeze-long' } as const
        expect(await stage.strike(aim, () => days.pass(1))).toBe(true)
      }

      expect(stage.longest()).toBeGreaterThan(TIMEOUT_MS)
      expect(stage.longest()).toBeLessThan(CALL_MS_MAX)
      await days.check()
    })
  },
  ['OpenSSH'],
)

/** The same routes, and one more that takes orders from a folder of this machine. */
function withLocalOrders(configuration: Configuration, path: string): Configuration {
  const [orders] = configuration.routes
  if (orders?.direction !== 'inbound') throw new Error('the first route takes orders in')
  const local: InboundRoute = {
    ...orders,
    name: 'local-orders',
    from: { ...orders.from, mailbox: 'local' },
    results: { ...orders.results, mailbox: 'local' },
  }
  return {
    ...configuration,
    mailboxes: { ...configuration.mailboxes, local: { type: 'directory', path } },
    routes: [...configuration.routes, local],
  }
}
