/** A bridge that dies while it names a file and its reader continues: the reader gets the file once, whatever it did. */
import { mkdir, readFile, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { BridgeOptions } from '../../src/app/context.ts'
import { isTemporaryName } from '../../src/mailboxes/names.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { change } from '../fixtures/partner.ts'
import { sftpExchange } from '../fixtures/sftp-exchange.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, type SampleOrder, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 171, orders: 3, damageEvery: 0 })

class Died extends Error {}

/** Where the bridge dies: right before the call or right after it, the n-th time. */
interface Death {
  readonly call: 'stage' | 'giveName' | 'removeStaged'
  readonly when: 'before' | 'after'
  readonly time: number
}

/** From then on no call of the bridge has any effect, in the mailboxes and in the journal. */
function dying({ call, when, time }: Death): BridgeOptions['wrap'] {
  let times = 0
  let isDead = false
  const dying = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, property) {
        const member: unknown = Reflect.get(target, property)
        if (typeof member !== 'function' || ['close', 'describe', 'read'].includes(String(property)))
          return member
        return async (...args: unknown[]): Promise<unknown> => {
          if (isDead) throw new Died()
          const isIt = property === call && ++times === time
          if (isIt && when === 'before') isDead = true
          if (isDead) throw new Died()
          const answer: unknown = await Reflect.apply(member, target, args)
          if (isIt) isDead = true
          if (isDead) throw new Died()
          return answer
        }
      },
    })
  return { mailbox: dying, journal: dying }
}

async function runDying(world: World, route: string, death: Death): Promise<void> {
  const bridge = await world.open(dying(death))
  await expect(bridge.run([route], new AbortController().signal)).rejects.toThrow(Died)
  await bridge.close()
  world.clock.skip(60_000) // the lease of the dead bridge expires
}

/** Takes every whole file away from a folder of the exchange. */
async function readerTakes(world: World, folder: string): Promise<void> {
  const from = join(world.folder, 'exchange', folder)
  const to = join(world.folder, 'taken', folder)
  await mkdir(to, { recursive: true })
  await mkdir(from, { recursive: true })
  for (const name of await readdir(from)) {
    if (!isTemporaryName(name)) await rename(join(from, name), join(to, `${name} ${Math.random()}`))
  }
}

/** All that the reader got, taken or still in the folder: names without the marks of copies, and texts. */
async function readIn(world: World, folder: string) {
  await readerTakes(world, folder)
  const taken = join(world.folder, 'taken', folder)
  const names = (await readdir(taken)).toSorted()
  const texts = await Promise.all(names.map((name) => readFile(join(taken, name), 'utf8')))
  return { names: names.map((name) => name.split(' ')[0] ?? ''), texts }
}

const around = (call: Death['call'], time: number): Death[] => [
  { call, when: 'before', time },
  { call, when: 'after', time },
]
const OF_ONE_FILE = [...around('stage', 1), ...around('giveName', 1), ...around('removeStaged', 1)]
const OF_REPORTS = [...OF_ONE_FILE, ...around('giveName', 2), ...around('giveName', 3)]

const describeDeath = ({ call, when, time }: Death) => `right ${when} ${call} number ${time}`

describe.each(['a directory', 'an SFTP server', 'an SFTP server that lets nobody rename'] as const)(
  'a reader of %s',
  (place) => {
    const inPlace = async (routes: readonly string[]): Promise<World> => {
      if (place === 'a directory') return aWorld({ routes: [...routes] })
      const deliver = place.includes('nobody') ? 'direct' : 'rename'
      const { exchange } = await sftpExchange({ deliver })
      return aWorld({ routes: [...routes], exchange })
    }

    test.each(OF_ONE_FILE.map((death) => [describeDeath(death), death] as const))(
      'has every exported order in one file when the bridge died %s',
      async (_, death) => {
        const world = await inPlace(['orders', 'orders-out'])
        change(world, { acknowledge: 'delivered' })
        await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
        await world.run('orders')

        await runDying(world, 'orders-out', death)
        await readerTakes(world, 'outbox')
        const { exit } = await world.run('orders-out')
        await readerTakes(world, 'outbox')
        await world.run('orders-out')

        const { texts } = await readIn(world, 'outbox')
        expect(exit).toBe(0)
        expect(numbersIn(texts)).toEqual(ORDERS.map(({ po }: SampleOrder) => po).toSorted())
        expect(world.service.counts().acknowledgedOrders).toBe(ORDERS.length)
      },
    )

    test('has every exported order in one file when bridge after bridge died before its name was given', async () => {
      const world = await inPlace(['orders', 'orders-out'])
      change(world, { acknowledge: 'delivered' })
      await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
      await world.run('orders')

      for (const when of ['before', 'before'] as const) {
        await runDying(world, 'orders-out', { call: 'giveName', when, time: 1 })
      }
      const { exit } = await world.run('orders-out')

      const { texts } = await readIn(world, 'outbox')
      expect(exit).toBe(0)
      expect(numbersIn(texts)).toEqual(ORDERS.map(({ po }) => po).toSorted())
    })

    test.each(OF_REPORTS.map((death) => [describeDeath(death), death] as const))(
      'has the results of a file once when the bridge died %s',
      async (_, death) => {
        const world = await inPlace(['orders'])
        const damaged = sampleOrders({ seed: 172, orders: 3, damageEvery: 3 })
        await world.drop('inbox/orders', 'orders.csv', ordersFile(damaged).text)
        await readerTakes(world, 'results')

        await runDying(world, 'orders', death)
        await readerTakes(world, 'results')
        await world.run('orders')
        await readerTakes(world, 'results')
        await world.run('orders')

        const { names } = await readIn(world, 'results')
        expect(names).toEqual(['orders.csv.rejects.csv', 'orders.csv.results.csv', 'orders.csv.summary.json'])
        expect(world.service.counts().orders).toBe(damaged.filter(({ damage }) => damage.length === 0).length)
      },
    )
  },
)

function numbersIn(texts: readonly string[]): string[] {
  return texts.flatMap((text) => [...new Set(parseCsv(text).map((row) => row['PO Number'] ?? ''))]).toSorted()
}
