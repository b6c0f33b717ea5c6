/**
 * A week of a retailer and a supplier, each with a bridge and a journal of its own, who trade through one exchange folder and the real
 * service: 850, 860, 855, 856, 810, 846, 865, 180 and 812, each group answered by a 997. The bridges die and the service fails.
 */
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Bridge, openBridge } from '../../src/app/bridge.ts'
import type { Configuration } from '../../src/config/configuration.ts'
import { loadConfiguration } from '../../src/config/load.ts'
import { createInterchangeFormat } from '../../src/formats/edi/interchanges.ts'
import { sampleSeed } from '../../src/service/sample-seed.ts'
import { openDatabase } from '../../src/support/sqlite.ts'
import { crashAt } from '../fixtures/crash-after.ts'
import { caller, type Json } from '../fixtures/day.ts'
import { parseAnswers } from '../fixtures/edi-answers.ts'
import { dress } from '../fixtures/edi-maker/dress.ts'
import { type MadeDocument, makeInterchange, type MadeSegment } from '../fixtures/edi-maker/envelope.ts'
import { make810, make846, make856, makeLevels } from '../fixtures/edi-maker/x12-fulfilment.ts'
import { make850, make855, make860 } from '../fixtures/edi-maker/x12-orders.ts'
import { aWorld, type World } from '../fixtures/world.ts'

const MAPPINGS = new URL('../../mappings/x12/', import.meta.url).pathname
const DAYS = 5
const ORDERS_A_DAY = 6
const UPC = '086000100025'
const ITEM = 'NL-0002'

/** Both bridges leave files in the one folder `trade`, and take them from it. */
const configure = (party: 'retailer' | 'brand', routes: string) => `
api:
  baseUrl: "\${API}"
  clientId: "\${ID}"
  clientSecret: "\${SECRET}"
  lateAnswer: 300ms
journal: sqlite:./${party}-state/journal.db
state: ./${party}-state
mailboxes:
  trade: { type: directory, path: ./trade }
edi:
  us: { platform: { qualifier: ZZ, id: ${party.toUpperCase()}BRIDGE } }
  partners:
    erp:
      ids: [{ qualifier: ZZ, id: ${party.toUpperCase()}ERP }]
      to: { mailbox: trade, folder: ${party}/from-bridge, name: "{kind}-{icn}.x12" }
  inboxes:
    van:
      from: { mailbox: trade, folder: ${party}/to-bridge, archive: ${party}/archive, stableFor: 10ms }
      results: { mailbox: trade, folder: ${party}/results }
routes:
${routes}`

interface RouteLine {
  readonly party: string
  readonly name: string
  readonly operation: string
  /** Below `mappings/x12`. */
  readonly mapping: string
}

const receive = (document: string, { party, name, operation, mapping }: RouteLine) => `
  ${name}:
    ${party}
    operation: ${operation}
    from: { inbox: van, partner: erp, document: ${document} }
    mapping: ${MAPPINGS}${mapping}.yaml
    results: { mailbox: trade, folder: results/${name} }`

const send = (acknowledge: string, { party, name, operation, mapping }: RouteLine) => `
  ${name}:
    ${party}
    operation: ${operation}
    partner: erp
    mapping: ${MAPPINGS}${mapping}.yaml
    acknowledge: ${acknowledge}`

const BY_ANSWER = 'receipt\n    receipt: { by: edi }\n    verifyBeforeAck: false'

const RETAILER_ROUTES = [
  receive('850', {
    party: 'retailer: 1000',
    name: 'orders-in',
    operation: 'create-order',
    mapping: '850-orders',
  }),
  receive('860', {
    party: 'retailer: 1000',
    name: 'cancels-in',
    operation: 'create-cancel',
    mapping: '860-cancel-whole',
  }),
  send(BY_ANSWER, {
    party: 'retailer: 1000',
    name: 'shipments-out',
    operation: 'export-shipments',
    mapping: '856-export',
  }),
  send(BY_ANSWER, {
    party: 'retailer: 1000',
    name: 'invoices-out',
    operation: 'export-invoices',
    mapping: '810-export',
  }),
  send(BY_ANSWER, {
    party: 'retailer: 1000',
    name: 'stock-out',
    operation: 'export-variants',
    mapping: '846-export',
  }),
  send(BY_ANSWER, {
    party: 'retailer: 1000',
    name: 'returns-out',
    operation: 'export-returns',
    mapping: '180-export',
  }),
  send(BY_ANSWER, {
    party: 'retailer: 1000',
    name: 'credits-out',
    operation: 'export-credits',
    mapping: '812-export',
  }),
].join('')

const SUPPLIER_ROUTES = [
  send('never', {
    party: 'brand: 2000',
    name: 'orders-out',
    operation: 'export-orders',
    mapping: '850-export',
  }),
  receive('855', {
    party: 'brand: 2000',
    name: 'answers-in',
    operation: 'acknowledge-order',
    mapping: '855-acknowledgements',
  }),
  receive('856', {
    party: 'brand: 2000',
    name: 'shipments-in',
    operation: 'create-shipment',
    mapping: '856-shipments',
  }),
  receive('810', {
    party: 'brand: 2000',
    name: 'invoices-in',
    operation: 'create-invoice',
    mapping: '810-invoices',
  }),
  receive('846', {
    party: 'brand: 2000',
    name: 'stock-in',
    operation: 'update-variant',
    mapping: '846-inventory',
  }),
].join('')

type PartyName = 'retailer' | 'brand'

interface Party {
  readonly name: PartyName
  readonly configuration: Configuration
}

async function aParty(world: World, name: PartyName): Promise<Party> {
  const { clientId, clientSecret } = world.credentials[name]
  const path = join(world.folder, `${name}.yaml`)
  await writeFile(path, configure(name, name === 'retailer' ? RETAILER_ROUTES : SUPPLIER_ROUTES))
  for (const folder of ['from-bridge', 'to-bridge'])
    await mkdir(join(world.folder, 'trade', name, folder), { recursive: true })
  const env = { API: world.service.baseUrl, ID: clientId, SECRET: clientSecret }
  return { name, configuration: await loadConfiguration(path, env) }
}

/** Numbers that look random, and are the same each time. */
function createDice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * sides)
  }
}

/** One pass of a new bridge over all routes; it may die at some effect. */
function createRunner(world: World, dice: (sides: number) => number) {
  let ids = 0
  let deaths = 0
  const pass = async (party: Party, effect?: number) => {
    const plan = effect === undefined ? undefined : crashAt(effect, dice(2) === 0 ? 'before' : 'after')
    let bridge: Bridge | undefined
    try {
      bridge = await openBridge(party.configuration, {
        clock: world.clock,
        random: Math.random,
        newId: (tag = '') => `${tag}${party.name}${++ids}`,
        notify: () => undefined,
        version: 'test',
        ...(plan && { wrap: plan.wrap }),
      })
      await bridge.run([], new AbortController().signal)
    } catch (error) {
      if (plan?.diedAt() === undefined) throw error
    }
    await bridge?.close().catch(() => undefined)
    if (plan?.diedAt() === undefined) return
    deaths += 1
    // The leases of the dead process end.
    world.clock.skip(60_000)
  }
  return {
    getDeaths: () => deaths,
    /** Dies now and then, and is started again. */
    async run(party: Party): Promise<void> {
      for (let tries = dice(3); tries > 0; tries -= 1) await pass(party, 1 + dice(36))
      await pass(party)
    },
  }
}

/** The system of one party: it reads what its bridge leaves, answers each interchange once, and writes documents of its own. */
function createErp(world: World, party: PartyName) {
  const folder = (name: string) => join(world.folder, 'trade', party, name)
  const format = createInterchangeFormat()
  const read = new Set<string>()
  const sentGroups: string[] = []
  const answeredSets = new Map<string, number>()
  const interchanges: number[] = []
  const answeredGroups: string[] = []
  let number = 100
  const drop = async (name: string, bytes: Uint8Array) => {
    await writeFile(folder(`.${name}`), bytes)
    await rename(folder(`.${name}`), join(folder('to-bridge'), name))
  }
  const us = { qualifier: 'ZZ', id: `${party.toUpperCase()}ERP`, group: `${party.toUpperCase()}ERP` }
  const bridge = {
    qualifier: 'ZZ',
    id: `${party.toUpperCase()}BRIDGE`,
    group: `${party.toUpperCase()}BRIDGE`,
  }
  return {
    sentGroups,
    answeredGroups,
    answeredSets,
    interchanges,
    async send(sets: readonly MadeDocument[]): Promise<void> {
      number += 1
      const made = makeInterchange({
        syntax: 'x12',
        number,
        sender: us,
        receiver: bridge,
        groups: [{ sets }],
      })
      const code =
        { 850: 'PO', 860: 'PC', 855: 'PR', 856: 'SH', 810: 'IN', 846: 'IB' }[sets[0]?.document ?? ''] ?? ''
      sentGroups.push(`${code} ${number}`)
      await drop(`${sets[0]?.document}-${number}.x12`, dress(made))
    },
    /** Returns the texts of documents that it had not read before. */
    async work(): Promise<readonly string[]> {
      const texts: string[] = []
      for (const name of (await readdir(folder('from-bridge'))).toSorted()) {
        if (name.startsWith('.') || read.has(name)) continue
        read.add(name)
        const bytes = await readFile(join(folder('from-bridge'), name))
        const text = bytes.toString('latin1')
        interchanges.push(Number(/IEA\*\d+\*(\d+)/.exec(text)?.[1]))
        if (name.startsWith('997')) {
          for (const { groups } of parseAnswers(name, text))
            for (const group of groups) answeredGroups.push(group.group)
          continue
        }
        texts.push(text)
        const [, document = ''] = /ST\*(\d{3})\*/.exec(text) ?? []
        number += 1
        const numbers = { interchange: number, group: number }
        const request = {
          interchanges: [1],
          at: world.clock.now(),
          numbers,
          kind: '997',
          ta1: 'asked',
          echoes: true,
          reused: new Set<number>(),
        } as const
        const chunks: Uint8Array[] = []
        const input = {
          [Symbol.asyncIterator]: () => [bytes].values() as unknown as AsyncIterator<Uint8Array>,
        }
        for await (const chunk of format.answer(input, request)) chunks.push(chunk)
        const records = document === '846' ? /^LIN\*/gm : /^ST\*/gm
        answeredSets.set(document, (answeredSets.get(document) ?? 0) + (text.match(records) ?? []).length)
        await drop(`997-${number}.x12`, Buffer.concat(chunks))
      }
      return texts
    },
  }
}

const LINE = {
  quantity: 1,
  price: '11.24',
  pairs: [
    ['UP', UPC],
    ['SK', 'HV-10001'],
  ],
} as const

const TD5: MadeSegment = ['TD5', '', '2', 'FDEG', 'M', 'FedEx Ground']

function makeOrder(po: string): MadeDocument {
  const [street, city, province, postalCode] = ['12 Mill Lane', 'Portland', 'ME', '04101']
  const to = {
    role: 'ST',
    name: 'Ada Whitfield',
    street: [street],
    city,
    province,
    postalCode,
    country: 'US',
  }
  const line = { ...LINE, retail: '23.47' }
  return make850({ po, carrier: TD5, dates: { '004': '20261116' }, addresses: [to], lines: [line] })
}

/** What a supplier sends for an order: it takes it on, ships it and invoices it. */
function makeFulfilment(po: string): readonly (readonly MadeDocument[])[] {
  const consignment = {
    carrier: TD5,
    dates: { '011': '20261121 1200 PT' },
    orders: [
      {
        po,
        packs: [
          {
            tracking: `7946${po.replace(/\D/g, '').padStart(8, '0')}`,
            items: [
              {
                ...LINE,
                pairs: [
                  ['UP', UPC],
                  ['VN', ITEM],
                ],
              },
            ],
          },
        ],
      },
    ],
  } as const
  return [
    [make855({ po, lines: [LINE] })],
    [make856({ number: `SN-${po}`, levels: makeLevels(consignment) })],
    [make810({ number: `INV-${po}`, po, lines: [{ ...LINE, name: 'Lamp' }] })],
  ]
}

/** How often each list was acknowledged, and whether more than its partner had answered by then. */
function watchAcknowledgements(world: World, answered: () => ReadonlyMap<string, number>) {
  const counts = new Map<string, Set<string>>()
  const early: string[] = []
  const documents: Readonly<Record<string, string>> = {
    shipments: '856',
    invoices: '810',
    variants: '846',
    rmas: '180',
    credits: '812',
  }
  world.service.app.server.prependListener('request', (request: { method?: string; url?: string }) => {
    const [, list = '', id = ''] =
      /^\/v1\/retailers\/\d+\/(\w+)\/(\d+)\/acknowledge\/$/.exec(request.url ?? '') ?? []
    if (request.method !== 'PUT' || list === '') return
    const seen = counts.get(list) ?? new Set()
    counts.set(list, seen.add(id))
    const allowed = answered().get(documents[list] ?? '') ?? 0
    if (seen.size > allowed) early.push(`${list} ${id}: ${seen.size} acknowledged, ${allowed} answered`)
  })
  return { counts, early }
}

test('a week of two bridges: everything once, each group answered once, nothing acknowledged before its 997', async () => {
  const market = sampleSeed()
  const seed = { ...market, variants: market.variants.slice(0, 3) }
  const world = await aWorld({ routes: [], seed })
  const ask = caller(world)
  const dice = createDice(20_261_126)
  const [retailer, supplier] = [await aParty(world, 'retailer'), await aParty(world, 'brand')]
  const [haven, northlight] = [createErp(world, 'retailer'), createErp(world, 'brand')]
  const watched = watchAcknowledgements(world, () => haven.answeredSets)
  const runner = createRunner(world, dice)
  const canceled = new Set<string>()
  const all: string[] = []
  Object.assign(world.service.switches, { error500Before: 0.02, loseAnswer: 0.02, resetBefore: 0.02 })

  const work = async () => {
    await runner.run(retailer)
    await haven.work()
    await runner.run(supplier)
    for (const text of await northlight.work()) {
      const orders = [...text.matchAll(/^BEG\*00\*DS\*([^*~]+)/gm)].map(([, po = '']) => po)
      for (const po of orders) for (const sets of makeFulfilment(po)) await northlight.send(sets)
    }
    world.clock.skip(3_600_000)
  }
  for (let day = 1; day <= DAYS; day += 1) {
    const orders = Array.from(
      { length: ORDERS_A_DAY },
      (_, at) => `WK-${day}${String(at + 1).padStart(2, '0')}`,
    )
    all.push(...orders)
    await haven.send(orders.map(makeOrder))
    await runner.run(retailer)
    const gone = orders.at(-1) ?? ''
    canceled.add(gone)
    await haven.send([make860({ po: gone })])
    await runner.run(retailer)
    const item = { pairs: [['VN', ITEM]], quantities: { '33': 10 + day } } as const
    await northlight.send([make846({ number: `ST-${day}`, items: [item] })])
    await work()
    await work()
  }
  const [returned] = (await ask('retailer', 'GET', '/v1/retailers/1000/orders/'))['results'] as Json[]
  const { id: rma } = await ask('operator', 'POST', `/admin/orders/${String(returned?.['id'])}/rmas/`, {
    created_by: 'retailer',
    reason: 'Item was damaged or defective',
    rma_number: 'RMA-1',
    rma_lines: [{ variant: { upc: UPC }, quantity: 1 }],
  })
  await ask('operator', 'PUT', `/admin/rmas/${String(rma)}/accept/`)
  await ask('operator', 'POST', `/admin/rmas/${String(rma)}/credits/`, { credit_number: 'CM-1' })
  Object.assign(world.service.switches, { error500Before: 0, loseAnswer: 0, resetBefore: 0 })
  for (let rest = 0; rest < 4; rest += 1) await work()

  expect(runner.getDeaths()).toBeGreaterThan(10)
  // Every order once, shipped and invoiced once, or canceled.
  const listed = async (path: string) =>
    (await ask('retailer', 'GET', `/v1/retailers/1000/${path}/?limit=250`))['results'] as Json[]
  const orders = await listed('orders')
  expect(orders.map((each) => each['purchase_order_number']).toSorted()).toEqual(all.toSorted())
  const open = all.filter((po) => !canceled.has(po))
  const shipments = await listed('shipments')
  expect(shipments).toHaveLength(open.length)
  expect(new Set(shipments.map((each) => each['order_id'] ?? (each['order'] as Json)['id'])).size).toBe(
    open.length,
  )
  const invoices = await listed('invoices')
  expect(invoices.map((each) => each['invoice_number']).toSorted()).toEqual(
    open.map((po) => `INV-${po}`).toSorted(),
  )
  for (const po of canceled) {
    const order = orders.find((each) => each['purchase_order_number'] === po)
    expect(String(order?.['status']).toLowerCase(), po).toBe('canceled')
  }
  // What the retailer received is acknowledged, each once its 997 was there.
  expect(watched.early).toEqual([])
  expect(watched.counts.get('shipments')?.size).toBe(open.length)
  expect(watched.counts.get('invoices')?.size).toBe(open.length)
  expect(watched.counts.get('rmas')?.size).toBe(1)
  expect(watched.counts.get('credits')?.size).toBe(1)
  for (const path of ['shipments', 'invoices', 'rmas', 'credits'])
    expect(new Set((await listed(path)).map((each) => each['is_acknowledged'])), path).toEqual(
      new Set([true]),
    )
  // Each group answered once, under control numbers without gaps.
  for (const erp of [haven, northlight]) {
    expect(erp.answeredGroups.toSorted()).toEqual(erp.sentGroups.toSorted())
    expect(erp.interchanges.toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: erp.interchanges.length }, (_, at) => at + 1),
    )
  }
  for (const party of [retailer, supplier]) {
    const bridge = await openBridge(party.configuration, {
      clock: world.clock,
      random: Math.random,
      newId: () => 'look',
      notify: () => undefined,
      version: 'test',
    })
    const { alerts } = await bridge.takeSnapshotAndPublishAlerts()
    expect(
      alerts.map(({ code, message }) => `${code}: ${message}`),
      party.name,
    ).toEqual([])
    expect((await bridge.journal.verifyChain({})).findings, party.name).toEqual([])
    await bridge.close()
    const database = openDatabase(join(world.folder, `${party.name}-state`, 'journal.db'))
    const unanswered = database
      .prepare(
        'select count(*) as count from number_reservations where delivery_id is not null and answered_at is null',
      )
      .get()
    database.close()
    expect(unanswered, party.name).toEqual({ count: 0 })
  }
}, 600_000)
