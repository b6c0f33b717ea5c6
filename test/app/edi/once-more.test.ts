/** What an inbox took or answered, once more: retake, redeliver, resolve and undo on the sample bridge. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openJournal } from '../../../src/journal/open.ts'
import { parseCsv } from '../../fixtures/csv.ts'
import { crashAt } from '../../fixtures/crash-after.ts'
import { runUntilQuiet } from '../../fixtures/edi-chaos.ts'
import { anEdiInbox, aPartner, ORDER_ROUTES } from '../../fixtures/edi-inbox.ts'
import type { World } from '../../fixtures/world.ts'
import { aSampleBridge, type SampleBridge } from '../../fixtures/sample-bridge.ts'

const ONE_DAY = await readFile(new URL('../../../samples/edi/850-one-day.x12', import.meta.url), 'utf8')

const SAMPLE_846 = new URL('../../../samples/edi/846-inventory.x12', import.meta.url)

async function aBridgeThatTookADay(): Promise<SampleBridge> {
  const bridge = await aSampleBridge()
  await bridge.drop('van/in/day.x12', ONE_DAY)
  await bridge.run('run')
  return bridge
}

const statuses = async (bridge: SampleBridge, name: string) =>
  parseCsv(await bridge.read(`erp/results/${name}.results.csv`)).map((row) => row['_status'])

describe('a file that an inbox took', () => {
  test('is taken again from the archive: accepted orders are duplicates, refused ones are judged anew', async () => {
    const bridge = await aBridgeThatTookADay()
    expect(await statuses(bridge, 'day.x12.orders-in')).toEqual(['accepted', 'rejected', 'accepted'])
    // The mended mapping reads the quantity that was refused.
    const mapping = join(bridge.folder, '../../mappings/x12/850-orders.yaml')
    const mended = (await readFile(mapping, 'utf8'))
      .replace('quantity: PO1.02', 'quantity: { from: PO1.02, table: words, miss: keep }')
      .replace('tables:', 'tables:\n  words: { rows: { two: 2 } }')
    await writeFile(mapping, mended)

    const { exit, err } = await bridge.run('retake', 'day.x12')

    expect(err).toContain('inbox:van: day.x12 is taken again from archive/van/')
    expect(await statuses(bridge, 'day.x12.orders-in~2')).toEqual(['duplicate', 'accepted', 'duplicate'])
    expect(exit).toBe(0)
    // Nobody is answered twice, and the archive keeps its one copy.
    expect(await bridge.list('van/out')).toEqual(['997-haven-000000001.edi'])
    expect((await bridge.run('audit', 'verify')).exit).toBe(0)
    expect((await bridge.run('trace', 'day.x12')).out).toContain('results day.x12~2.sets.csv')
  })

  test('is not taken again where a route that may repeat could get sets that none got before', async () => {
    const inboxRoutes = [
      {
        name: 'stock',
        document: '846',
        operation: 'update-variant',
        mapping: 'x12/846-inventory',
        partner: 'haven',
      },
    ] as const
    const world = await anEdiInbox({ partners: [aPartner('other', 'ZZ:OTHER')], inboxRoutes })
    await world.drop('inbox/van', 'stock.x12', await readFile(SAMPLE_846))
    await world.run()
    const { edi } = world.configuration
    // Newer stock may have come from elsewhere since.
    Object.assign(world.configuration, { edi: { ...edi, partners: [aPartner('haven', 'ZZ:HAVENRETAIL')] } })

    const bridge = await world.open()
    const taken = bridge.retake('stock.x12', new AbortController().signal)

    await expect(taken).rejects.toMatchObject({
      code: 'not-repeatable',
      message: expect.stringContaining('its values may be older than those of later files') as string,
    })
    await bridge.close()
    expect(await world.list('results')).toEqual([
      'stock.x12.exceptions.x12',
      'stock.x12.sets.csv',
      'stock.x12.summary.json',
    ])
  })

  test('is not taken again where its archived copy was changed', async () => {
    const bridge = await aBridgeThatTookADay()
    const [copy = ''] = await listFiles(join(bridge.folder, 'van/archive'))
    await writeFile(copy, ONE_DAY.replace('two', '2'))

    const { exit, err } = await bridge.run('retake', 'day.x12')

    expect(exit).toBe(2)
    expect(err).toContain('was changed or removed')
  })

  test('is not taken again where its archived copy is gone', async () => {
    const bridge = await aSampleBridge()
    await bridge.drop('van/in/day.x12', ONE_DAY)
    await bridge.run('run')
    await rm(join(bridge.folder, 'van/archive'), { recursive: true })

    expect((await bridge.run('retake', 'day.x12')).err).toContain('is not in the archive any more')
  })
})

describe('a file of which no partner was answered', () => {
  const SIGNAL = new AbortController().signal

  /** Its sender was unknown when it came, and is a partner by now. */
  async function aWorldWithAStranger(text = ONE_DAY) {
    const inboxRoutes = ORDER_ROUTES.map((route) => ({ ...route, partner: 'haven' }))
    const world = await anEdiInbox({ partners: [aPartner('other', 'ZZ:OTHER')], inboxRoutes })
    await world.drop('inbox/van', 'day.x12', text)
    await world.run()
    expect(await world.list('outbox')).toEqual([])
    const { edi } = world.configuration
    Object.assign(world.configuration, { edi: { ...edi, partners: [aPartner('haven', 'ZZ:HAVENRETAIL')] } })
    return world
  }

  async function retake(world: World, wrap?: Parameters<World['open']>[0]): Promise<void> {
    const bridge = await world.open(wrap)
    try {
      await bridge.retake('day.x12', SIGNAL)
    } finally {
      await bridge.close()
    }
  }

  test('is answered once when it is taken again, and never a second time', async () => {
    const world = await aWorldWithAStranger()

    await retake(world)
    expect(await world.list('outbox/haven')).toEqual(['997-000000001.x12'])
    expect(await world.read('outbox/haven/997-000000001.x12')).toContain('AK9*P*3*3*2~')

    await retake(world)
    // The sender, who had no answer, sends the same interchange again.
    await world.drop('inbox/van', 'again.x12', `${ONE_DAY}\n`)
    await world.run()
    await world.drop('inbox/van', 'day.rejects.x12', `${ONE_DAY}\n\n`)
    await world.run()

    expect(await world.list('outbox/haven')).toEqual(['997-000000001.x12'])
    expect(await world.read('results/again.x12.sets.csv')).toContain('edi-duplicate')
  })

  test('is not answered when it is taken again after the same interchange was answered in another file', async () => {
    const world = await aWorldWithAStranger()
    await world.drop('inbox/van', 'again.x12', `${ONE_DAY}\n`)
    await world.run()
    expect(await world.list('outbox/haven')).toEqual(['997-000000001.x12'])

    await retake(world)

    expect(await world.list('outbox/haven')).toEqual(['997-000000001.x12'])
  })

  test('is answered once for an interchange that stands in it twice', async () => {
    const world = await aWorldWithAStranger(ONE_DAY + ONE_DAY)

    await retake(world)

    expect(await world.list('outbox/haven')).toEqual(['997-000000001.x12'])
    expect((await world.read('outbox/haven/997-000000001.x12')).match(/^AK1/gm)).toHaveLength(1)
  })

  test.each(['journal.markFileUnbundled', 'journal.decideAnswer', 'mailbox.giveName'])(
    'is answered once although the bridge dies after %s while it is taken again',
    async (effect) => {
      const world = await aWorldWithAStranger()
      const crash = crashAt(1, 'after', effect)

      await retake(world, crash.wrap).catch(() => undefined)
      expect(crash.diedAt()).toBe(`after ${effect}`)
      await runUntilQuiet(world)

      expect(await world.list('outbox/haven')).toEqual(['997-000000001.x12'])
      await retake(world)
      expect(await world.list('outbox/haven')).toEqual(['997-000000001.x12'])
    },
  )
})

const openSampleJournal = ({ folder, clock }: SampleBridge) =>
  openJournal({ path: join(folder, 'state/journal.db'), clock })

describe('an answer that an inbox delivered', () => {
  test('is delivered once more with the same bytes, made again from the archived file', async () => {
    const bridge = await aBridgeThatTookADay()
    await rm(join(bridge.folder, 'van/out/997-haven-000000001.edi'))

    const { exit, err } = await bridge.run('redeliver', '997-haven-000000001.edi')
    const again = await bridge.run('redeliver', '997-haven-000000001.edi')

    expect({ exit, again: again.exit }).toEqual({ exit: 0, again: 0 })
    expect(err).toContain('the bytes of the answer 997-haven-000000001.edi once more')
    expect(await bridge.list('van/out')).toEqual(['997-haven-000000001~2.edi', '997-haven-000000001~3.edi'])
    const text = await bridge.read('van/out/997-haven-000000001~2.edi')
    expect(text).toContain('AK9*P*3*3*2~')
    expect(await bridge.read('van/out/997-haven-000000001~3.edi')).toBe(text)
    expect((await bridge.run('audit', 'verify')).exit).toBe(0)
  })

  test('is not delivered once more where its incoming file is gone', async () => {
    const bridge = await aBridgeThatTookADay()
    await rm(join(bridge.folder, 'van/archive'), { recursive: true })

    const { exit, err } = await bridge.run('redeliver', '997-haven-000000001.edi')

    expect(exit).toBe(2)
    expect(err).toContain('The bytes of 997-haven-000000001.edi cannot be made again')
    expect(await bridge.list('van/out')).toEqual(['997-haven-000000001.edi'])
  })

  test('that a stop left half delivered once more is continued by the next run', async () => {
    const bridge = await aBridgeThatTookADay()
    const journal = await openSampleJournal(bridge)
    const lease = await journal.acquireLease('inbox:van', 'test', 60_000, () => false)
    const [delivery] = await journal.findDeliveriesByName('997-haven-000000001.edi', 1)
    const nameFor = (attempt: number) => `again-${attempt}.edi`
    await journal.startRedelivery(lease, { id: 'r1', delivery: delivery!.id, folder: 'out', nameFor })
    await journal.releaseLease(lease)
    await journal.close()

    await bridge.run('run')

    expect(await bridge.read('van/out/again-1.edi')).toBe(
      await bridge.read('van/out/997-haven-000000001.edi'),
    )
  })
})

describe('an answer that is held', () => {
  /** The bridge could not deliver it, and then it was held. */
  async function aHeldAnswer(): Promise<SampleBridge> {
    const bridge = await aSampleBridge()
    await bridge.drop('van/in/day.x12', ONE_DAY)
    // A file in place of the folder.
    await bridge.drop('van/out', 'in the way')
    await bridge.run('run')
    const journal = await openSampleJournal(bridge)
    const lease = await journal.acquireLease('inbox:van', 'test', 60_000, () => false)
    const [delivery] = await journal.findDeliveriesByName('997-haven-000000001.edi', 1)
    await journal.holdDelivery(lease, delivery!.id, 'it may have been delivered')
    await journal.releaseLease(lease)
    await journal.close()
    await rm(join(bridge.folder, 'van/out'))
    await bridge.run('run')
    expect(await bridge.list('van/out')).toEqual([])
    return bridge
  }
  const who = ['--by', 'Ada', '--why', 'asked the partner']

  test('is delivered when a person says so, and its file is reported and archived', async () => {
    const bridge = await aHeldAnswer()

    const { exit, err } = await bridge.run('resolve', '997-haven-000000001.edi', '--again', ...who)

    expect(err).toContain('997-haven-000000001.edi: released to be delivered')
    expect(await bridge.list('van/out')).toEqual(['997-haven-000000001.edi'])
    expect(await bridge.list('erp/edi-results')).toEqual(['day.x12.sets.csv', 'day.x12.summary.json'])
    expect(exit).toBe(2)
    expect((await bridge.run('run')).exit).toBe(0)
    expect((await bridge.run('audit', 'verify')).exit).toBe(0)
  })

  test('is not delivered when a person says that the partner has it, and its file is done', async () => {
    const bridge = await aHeldAnswer()

    const { err } = await bridge.run('resolve', '997-haven-000000001.edi', '--delivered', ...who)

    expect(err).toContain('997-haven-000000001.edi: resolved as delivered')
    expect(await bridge.list('van/out')).toEqual([])
    expect(await bridge.list('erp/edi-results')).toEqual(['day.x12.sets.csv', 'day.x12.summary.json'])
    expect((await bridge.run('run')).exit).toBe(0)
    expect((await bridge.run('status')).out).toContain('997-haven-000000001.edi')
    expect((await bridge.run('resolve', '997-haven-000000001.edi', '--again', ...who)).err).toContain(
      'no delivery "997-haven-000000001.edi" is held',
    )
    expect((await bridge.run('audit', 'verify')).exit).toBe(0)
  })
})

test('the file that undoes an order comes to a mailbox of our own, not to that of the partner', async () => {
  const bridge = await aBridgeThatTookADay()

  const { out } = await bridge.run('undo', 'HV-41001')

  expect(out).toContain('from: { mailbox: erp, folder: inbox/undo-create-cancel }')
  expect(out).toContain('results: { mailbox: erp }')
  expect(out).not.toContain('mailbox: van')
})

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}
