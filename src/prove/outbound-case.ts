/** Proves an outbound route: creates records at the service, and counts them in the delivered files. */
import { join } from 'node:path'
import type { OutboundRoute } from '../config/routes.ts'
import type { EndpointName } from '../contract/endpoints.ts'
import { OPERATIONS, type OutboundOperation, type OutboundOperationName } from '../contract/operations.ts'
import type { Resource } from '../domain/api.ts'
import type { Format } from '../domain/format.ts'
import { createInterchangeFormat } from '../formats/formats.ts'
import type { OutboundMapping } from '../mapping/load.ts'
import type { OutgoingInterchanges } from '../pipeline/context.ts'
import { runInParallel } from '../support/async.ts'
import { createDefect, type Defect, type RoundCount } from './results.ts'
import {
  type DeliveryFolder,
  type FileRecords,
  joinFolders,
  openDeliveryFolder,
  readBytesAsText,
  type RecordReader,
} from './delivered-files.ts'
import {
  compareNumbers,
  createDocumentReader,
  type DeliveredInterchange,
  readControlNumbers,
} from './delivered-interchanges.ts'
import { pickItem } from './fixture.ts'
import type { Recording } from './request-recorder.ts'
import type { ProofCase, Round } from './rounds.ts'
import type { StagedOrder, Staging } from './staging.ts'
import { mailboxFolder, type World } from './world.ts'

export interface OutboundCaseInput {
  readonly route: OutboundRoute
  readonly mapping: OutboundMapping
  readonly format: Format
  /** What the route writes to its partner, where it writes interchanges. */
  readonly interchanges?: OutgoingInterchanges
}

/** One route of a case, and how its records are recognized. */
interface Exporter extends OutboundCaseInput {
  readonly operation: OutboundOperation
  readonly reader: RecordReader
}

interface ExpectedRecord {
  readonly id: string
  /** What a file must hold of it. */
  readonly mark: string
}

type RecordsById = Map<string, ExpectedRecord>

/** What one route has to deliver in a round. */
interface ExportRound {
  readonly exporter: Exporter
  readonly expected: readonly ExpectedRecord[]
  /** Records of earlier rounds must not come again either. */
  readonly earlier: RecordsById
  /** Why its records cannot be recognized. */
  readonly why?: string
}

/** An acknowledge request, with the whole files that were there when it arrived. */
interface Acknowledging {
  readonly round: ExportRound
  readonly record: ExpectedRecord
  readonly texts: readonly string[]
}

/** The first route is the one that is proven. The others write to the same partner and work beside it. */
export function createOutboundCase(inputs: readonly [OutboundCaseInput, ...OutboundCaseInput[]]): ProofCase {
  const [{ route }, ...others] = inputs
  const exporters = inputs.map(createExporter)
  const known = new WeakMap<World, Map<string, RecordsById>>()
  const lastNumbers: LastNumbers = new WeakMap()
  return {
    route: route.name,
    names: [route.name, ...others.map((other) => other.route.name)],
    hasFixedRecords: false,
    async prepare(world, records): Promise<Round> {
      const ofWorld = known.get(world) ?? new Map<string, RecordsById>()
      known.set(world, ofWorld)
      const outlet = openOutlet(world, inputs)
      for (const each of inputs) await createListedRecords(world, each.route, records)
      const rounds: ExportRound[] = []
      for (const exporter of exporters) {
        const { name } = exporter.route
        const earlier = ofWorld.get(name) ?? new Map<string, ExpectedRecord>()
        ofWorld.set(name, earlier)
        rounds.push({ exporter, earlier, ...(await listExpectedRecords(world, exporter, earlier)) })
      }
      const readTexts = () => outlet.files().map(readBytesAsText)
      const acknowledgings: Acknowledging[] = []
      const arrived = (endpoint: EndpointName, id: string) => {
        for (const round of rounds) {
          const record = round.expected.find((each) => each.id === id)
          if (endpoint !== round.exporter.operation.acknowledge || record === undefined) continue
          acknowledgings.push({ round, record, texts: readTexts() })
        }
      }
      const count = async (watch: Recording): Promise<RoundCount> => {
        const texts = readTexts()
        const found: Defect[] = []
        for (const round of rounds) found.push(...(await findDefects(round, { texts, watch })))
        found.push(...(await findEarly(acknowledgings)))
        const numbers = await countNumbers(world, inputs, { texts, lastNumbers })
        for (const { expected, earlier } of rounds) for (const each of expected) earlier.set(each.id, each)
        const total = rounds.reduce((sum, { expected }) => sum + expected.length, 0)
        const findings = [...found, ...numbers.findings]
        return { records: total, findings, left: 0, numbers: numbers.counted }
      }
      return {
        watch: { arrived },
        outlet,
        count,
        asBaseline: (watch) => {
          const [first] = rounds
          const none =
            first?.expected.length === 0
              ? 'the service has no record for it that its mapping could turn into rows'
              : undefined
          const why = rounds.find((round) => round.why !== undefined)?.why ?? none
          return why === undefined ? count(watch) : Promise.resolve(why)
        },
      }
    },
  }
}

function createExporter(input: OutboundCaseInput): Exporter {
  const { route, mapping, format, interchanges } = input
  const operation: OutboundOperation = OPERATIONS[route.operation]
  if (interchanges === undefined) return { ...input, operation, reader: createRowReader(input) }
  const envelope = { ...interchanges.envelope, at: 0, numbers: { interchange: 1, group: 1 } }
  return { ...input, operation, reader: createDocumentReader({ mapping, format, envelope }) }
}

/** The folders that the routes deliver to, each once. */
function openOutlet(world: World, inputs: readonly OutboundCaseInput[]): DeliveryFolder {
  const folders = new Set(inputs.map(({ route: { to } }) => mailboxFolder(world, to.mailbox, to.folder)))
  const taken = join(world.folder, 'taken', String(world.setup.serial()))
  return joinFolders([...folders].map((folder, index) => openDeliveryFolder(folder, `${taken}-${index}`)))
}

/** Recognizes each record by the bytes of its rows. */
function createRowReader({ mapping: { composer }, format }: OutboundCaseInput): RecordReader {
  const writer = format.createWriter(composer.columns, composer.write)
  const describe = (record: Resource) => {
    const composed = composer.composeRows(record)
    if (!('rows' in composed)) return undefined
    return Buffer.from(writer.formatRows(composed.rows)).toString('latin1')
  }
  return {
    describe: (records) => Promise.resolve(records.map(describe)),
    read: (text) =>
      Promise.resolve({ count: (mark) => countOccurrences(text, mark), faults: [], isOwn: true }),
  }
}

/** The listed records that were not known before, each with what a file must hold of it. */
async function listExpectedRecords(
  world: World,
  { route, operation, reader }: Exporter,
  earlier: ReadonlyMap<string, unknown>,
): Promise<Pick<ExportRound, 'expected' | 'why'>> {
  const call = {
    endpoint: operation.list,
    params: { [`${route.party.kind}_id`]: route.party.id },
    query: route.report?.select.fixed ?? operation.query,
  }
  const records: Resource[] = []
  for await (const page of world.staging.as(route.party).list(call)) {
    records.push(...page.filter(({ id }) => route.report !== undefined || !earlier.has(String(id))))
  }
  const marks = records.length === 0 ? [] : await reader.describe(records)
  if (typeof marks === 'string') return { expected: [], why: marks }
  const expected = records.flatMap((record, index): ExpectedRecord[] => {
    const mark = marks[index]
    return mark === undefined ? [] : [{ id: String(record['id']), mark }]
  })
  return { expected }
}

async function findDefects(
  { exporter, expected, earlier, why }: ExportRound,
  { texts, watch }: { readonly texts: readonly string[]; readonly watch: Recording },
): Promise<Defect[]> {
  const { route, operation, reader } = exporter
  if (why !== undefined) return [createDefect('lost', route.name, why)]
  const all = await Promise.all(texts.map((text) => reader.read(text)))
  const files = all.filter(({ isOwn }) => isOwn)
  const name = ({ id }: ExpectedRecord) => `${route.operation} ${id}`
  const faults = all
    .flatMap((file) => file.faults)
    .map((fault) => createDefect('lost', `a file of ${route.name}`, `its reader refuses it: ${fault}`))
  const placements = (some: readonly FileRecords[]) =>
    expected.flatMap((each) => checkPlacement(each, some, name(each)))
  // A report shows all there is each time, so each of its files is checked by itself.
  if (route.report !== undefined) {
    if (files.length === 0)
      return [...faults, ...expected.map((each) => createDefect('lost', name(each), 'there is no report'))]
    return [...faults, ...files.flatMap((file) => placements([file]))]
  }
  const again = [...earlier.values()]
    .filter(({ mark }) => files.some((file) => file.count(mark) > 0))
    .map((each) => createDefect('twice', name(each), 'it was delivered in an earlier round and came again'))
  const delivered = [...faults, ...placements(files), ...again]
  if (route.acknowledge === 'never') return delivered
  const acknowledged = new Set(
    [...watch.effects.values()]
      .filter(({ endpoint, applied }) => endpoint === operation.acknowledge && applied > 0)
      .map(({ path }) => /\/(\d+)\/acknowledge\/$/.exec(path)?.[1] ?? ''),
  )
  const unacknowledged = expected.filter(({ id }) => !acknowledged.has(id))
  return [
    ...delivered,
    ...unacknowledged.map((each) => createDefect('lost', name(each), 'it was never acknowledged')),
  ]
}

function checkPlacement({ mark }: ExpectedRecord, files: readonly FileRecords[], name: string): Defect[] {
  const times = files.reduce((sum, file) => sum + file.count(mark), 0)
  if (times === 1) return []
  if (times === 0) return [createDefect('lost', name, 'it is in no delivered file')]
  return [createDefect('twice', name, `it is ${times} times in the delivered files`)]
}

/** A record was acknowledged early where no whole file held it when the request arrived. */
async function findEarly(acknowledgings: readonly Acknowledging[]): Promise<Defect[]> {
  const read = new Map<string, Promise<FileRecords>>()
  const early: Defect[] = []
  for (const { round, record, texts } of acknowledgings) {
    const { route, reader } = round.exporter
    let isThere = false
    for (const text of texts) {
      const key = `${route.name} ${text}`
      const file = read.get(key) ?? reader.read(text)
      read.set(key, file)
      isThere ||= (await file).count(record.mark) > 0
    }
    const what = 'it was acknowledged before it stood in a whole file'
    if (!isThere) early.push(createDefect('early', `${route.operation} ${record.id}`, what))
  }
  return early
}

/** How often a file contains the rows, each time at the beginning of a line. */
function countOccurrences(text: string, block: string): number {
  let times = 0
  for (let at = text.indexOf(block); at !== -1; at = text.indexOf(block, at + block.length)) {
    if (at === 0 || /[\n\r\0]/.test(text[at - 1] ?? '')) times++
  }
  return times
}

/** The last control number of each counter, which goes on from round to round of a world. */
type LastNumbers = WeakMap<World, Map<string, number>>

/** Compares the control numbers of the delivered interchanges with those of earlier rounds, each counter by itself. */
async function countNumbers(
  world: World,
  inputs: readonly OutboundCaseInput[],
  { texts, lastNumbers }: { readonly texts: readonly string[]; readonly lastNumbers: LastNumbers },
): Promise<{ readonly counted: number; readonly findings: readonly Defect[] }> {
  const documents = inputs.flatMap(({ mapping }) => mapping.composer.write.edi ?? [])
  const [first] = inputs.flatMap(({ interchanges }) => interchanges ?? [])
  const format = createInterchangeFormat()
  if (first === undefined) return { counted: 0, findings: [] }
  const last = lastNumbers.get(world) ?? new Map<string, number>()
  lastNumbers.set(world, last)
  const found: DeliveredInterchange[] = []
  for (const text of texts) found.push(...(await readControlNumbers(format, text, documents)))
  const counters = new Map<string, { readonly name: string; readonly numbers: number[] }>()
  const add = (scope: string, name: string, numbers: readonly number[]) => {
    const key = `${name} of ${scope}`
    const counter = counters.get(key) ?? { name, numbers: [] }
    counters.set(key, counter)
    counter.numbers.push(...numbers)
  }
  for (const { scope, interchange, groups } of found) {
    add(scope, 'control number', [interchange])
    add(scope, 'group number', groups)
  }
  const findings = [...counters].flatMap(([key, { name, numbers }]) => {
    // The routes of a case write to one partner.
    const before = last.get(key) ?? first.start - 1
    last.set(key, Math.max(before, ...numbers))
    return compareNumbers(numbers, before, { name, carrier: 'interchange' })
  })
  return { counted: found.length, findings }
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

/** Exports of items, which are offered. */
const ITEM_EXPORTS: readonly OutboundOperationName[] = ['export-variants', 'export-brand-variants']

/** Whether records can be created that the list of the route shows. */
export function canFillList({ operation }: OutboundRoute): boolean {
  return RECORD_CREATORS[operation] !== undefined || ITEM_EXPORTS.includes(operation)
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
  const offers = ITEM_EXPORTS.includes(route.operation)
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
