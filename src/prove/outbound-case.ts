/** Proves an outbound route: creates records at the service, and counts them in the delivered files. */
import { join } from 'node:path'
import type { OutboundRoute } from '../config/routes.ts'
import type { EndpointName } from '../contract/endpoints.ts'
import { OPERATIONS, type OutboundOperation, type OutboundOperationName } from '../contract/operations.ts'
import type { Format } from '../domain/format.ts'
import type { OutboundMapping } from '../mapping/load.ts'
import { runInParallel } from '../support/async.ts'
import { createDefect, type Defect, type RoundCount } from './criteria.ts'
import { openDeliveryFolder, readBytesAsText } from './delivered-files.ts'
import { pickItem } from './fixture.ts'
import type { Recording } from './request-recorder.ts'
import type { ProofCase, Round } from './rounds.ts'
import type { StagedOrder, Staging } from './staging.ts'
import { mailboxFolder, type World } from './world.ts'

interface OutboundCaseInput {
  readonly route: OutboundRoute
  readonly mapping: OutboundMapping
  readonly format: Format
}

interface ExpectedRecord {
  readonly id: string
  /** The bytes of its rows as a file must contain them, one character for each. */
  readonly block: string
}

export function createOutboundCase(parts: OutboundCaseInput): ProofCase {
  const { route } = parts
  const operation: OutboundOperation = OPERATIONS[route.operation]
  /** Records of earlier rounds must not come again either. */
  const known = new WeakMap<World, Map<string, ExpectedRecord>>()
  return {
    route: route.name,
    names: [route.name],
    hasFixedRecords: false,
    async prepare(world, records): Promise<Round> {
      const earlier = known.get(world) ?? new Map<string, ExpectedRecord>()
      known.set(world, earlier)
      const outlet = openDeliveryFolder(
        mailboxFolder(world, route.to.mailbox, route.to.folder),
        join(world.folder, 'taken', String(world.setup.serial())),
      )
      await createListedRecords(world, route, records)
      const expected = await listExpectedRecords(world, parts, operation, earlier)
      const blocks = new Map(expected.map(({ id, block }) => [id, block]))
      const early: Defect[] = []
      const newTexts = () => outlet.files().map(readBytesAsText)
      const arrived = (endpoint: EndpointName, id: string) => {
        const block = blocks.get(id)
        if (endpoint !== operation.acknowledge || block === undefined) return
        if (newTexts().some((text) => countOccurrences(text, block) > 0)) return
        const what = 'it was acknowledged before it stood in a whole file'
        early.push(createDefect('early', `${route.operation} ${id}`, what))
      }
      const count = async (watch: Recording): Promise<RoundCount> => {
        const seen = { expected, texts: newTexts(), watch, earlier: [...earlier.values()] }
        const found = findDefects(parts, operation, seen)
        for (const each of expected) earlier.set(each.id, each)
        return { records: expected.length, findings: [...found, ...early], left: 0 }
      }
      return {
        watch: { arrived },
        outlet,
        count,
        asBaseline: (watch) => {
          const none = 'the service has no record for it that its mapping could turn into rows'
          return expected.length === 0 ? Promise.resolve(none) : count(watch)
        },
      }
    },
  }
}

/** The listed records that were not known before, each as the rows it must become. */
async function listExpectedRecords(
  world: World,
  { route, mapping, format }: OutboundCaseInput,
  operation: OutboundOperation,
  earlier: ReadonlyMap<string, ExpectedRecord>,
): Promise<ExpectedRecord[]> {
  const { composer } = mapping
  const writer = format.createWriter(composer.columns, composer.write)
  const call = {
    endpoint: operation.list,
    params: { [`${route.party.kind}_id`]: route.party.id },
    query: route.report?.select.fixed ?? operation.query,
  }
  const expected: ExpectedRecord[] = []
  for await (const page of world.staging.as(route.party).list(call)) {
    for (const record of page) {
      const id = String(record['id'])
      const composed = composer.composeRows(record)
      if (!('rows' in composed) || (route.report === undefined && earlier.has(id))) continue
      expected.push({ id, block: Buffer.from(writer.formatRows(composed.rows)).toString('latin1') })
    }
  }
  return expected
}

interface RoundEvidence {
  readonly expected: readonly ExpectedRecord[]
  readonly texts: readonly string[]
  readonly watch: Recording
  readonly earlier: readonly ExpectedRecord[]
}

function findDefects(
  { route }: OutboundCaseInput,
  operation: OutboundOperation,
  { expected, texts, watch, earlier }: RoundEvidence,
): Defect[] {
  const name = ({ id }: ExpectedRecord) => `${route.operation} ${id}`
  // A report shows all there is each time, so each of its files is checked by itself.
  if (route.report !== undefined) {
    if (texts.length === 0)
      return expected.map((each) => createDefect('lost', name(each), 'there is no report'))
    return texts.flatMap((text) => expected.flatMap((each) => checkPlacement(each, [text], name(each))))
  }
  const placed = expected.flatMap((each) => checkPlacement(each, texts, name(each)))
  const again = earlier
    .filter(({ block }) => texts.some((text) => countOccurrences(text, block) > 0))
    .map((each) => createDefect('twice', name(each), 'it was delivered in an earlier round and came again'))
  if (route.acknowledge === 'never') return [...placed, ...again]
  const acknowledged = new Set(
    [...watch.effects.values()]
      .filter(({ endpoint, applied }) => endpoint === operation.acknowledge && applied > 0)
      .map(({ path }) => /\/(\d+)\/acknowledge\/$/.exec(path)?.[1] ?? ''),
  )
  const unacknowledged = expected.filter(({ id }) => !acknowledged.has(id))
  const silent = unacknowledged.map((each) => createDefect('lost', name(each), 'it was never acknowledged'))
  return [...placed, ...again, ...silent]
}

function checkPlacement({ block }: ExpectedRecord, texts: readonly string[], name: string): Defect[] {
  const times = texts.reduce((sum, text) => sum + countOccurrences(text, block), 0)
  if (times === 1) return []
  if (times === 0) return [createDefect('lost', name, 'it is in no delivered file')]
  return [createDefect('twice', name, `it is ${times} times in the delivered files`)]
}

/** How often a file contains the rows, each time at the beginning of a line. */
function countOccurrences(text: string, block: string): number {
  let times = 0
  for (let at = text.indexOf(block); at !== -1; at = text.indexOf(block, at + block.length)) {
    if (at === 0 || /[\n\r\0]/.test(text[at - 1] ?? '')) times++
  }
  return times
}

// Creates the records that the list of an export shows.

type RecordCreator = (staging: Staging, order: StagedOrder) => Promise<unknown>

/** The work on an order that adds one record to the list; left out where the fixture alone fills the list. */
const RECORD_CREATORS: Partial<Record<OutboundOperationName, RecordCreator>> = {
  'export-orders': () => Promise.resolve(),
  'export-retailer-orders': () => Promise.resolve(),
  'export-shipments': shipOrder,
  'export-invoices': invoiceOrder,
  'export-brand-invoices': invoiceOrder,
  'export-cancels': (staging, order) => staging.cancel(order),
}

const RECORDS_AT_ONCE = 8

async function createListedRecords(world: World, route: OutboundRoute, records: number): Promise<void> {
  const { staging, setup } = world
  const { fixture, serial } = setup
  const make = RECORD_CREATORS[route.operation]
  if (make === undefined) return offerItems(world, route, records)
  const { party } = route
  const brand = party.kind === 'brand' ? party.id : fixture.brands[0]
  const retailer = party.kind === 'retailer' ? party.id : fixture.retailers[0]
  const one = async (index: number) => {
    const items = [index, ...(index % 2 ? [index + 1] : [])].map((each) => pickItem(fixture, brand, each))
    const order = await staging.placeOrder({
      purchaseOrder: `PROOF-${serial()}`,
      retailer,
      brand,
      lines: items.flatMap((item, line) => (item === undefined ? [] : [{ item, quantity: 1 + line }])),
    })
    await make(staging, order)
  }
  await runInParallel([...Array(records).keys()], RECORDS_AT_ONCE, one)
}

async function offerItems({ staging, setup }: World, route: OutboundRoute, records: number): Promise<void> {
  const offers = ['export-variants', 'export-brand-variants'].includes(route.operation)
  const brand = route.party.kind === 'brand' ? route.party.id : setup.fixture.brands[0]
  for (let made = 0; offers && made < records; made++) await staging.offer(brand, `PROOF-${setup.serial()}`)
}

function shipOrder(staging: Staging, order: StagedOrder): Promise<unknown> {
  return staging.ship(order, `T-${order.purchaseOrder}`)
}

async function invoiceOrder(staging: Staging, order: StagedOrder): Promise<unknown> {
  await shipOrder(staging, order)
  return staging.invoice(order, `N-${order.purchaseOrder}`)
}
