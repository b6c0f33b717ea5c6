/** Proves an inbound route: drops a file, and counts its records at the service and in the results. */
import { join } from 'node:path'
import type { EdiConfiguration } from '../config/edi.ts'
import type { InboundRoute } from '../config/routes.ts'
import { ENDPOINTS } from '../contract/endpoints.ts'
import type { InboundOperationName } from '../contract/operations.ts'
import type { Draft } from '../domain/translator.ts'
import type { InboundMapping } from '../mapping/load.ts'
import type { SeedVariant } from '../service/seed.ts'
import { runInParallel } from '../support/async.ts'
import { groupBy } from '../support/collections.ts'
import { createDefect, type Defect, type RoundCount } from './results.ts'
import {
  compareReports,
  type DroppedFile,
  groupReports,
  openDeliveryFolder,
  type ResultLine,
} from './delivered-files.ts'
import { type Fixture, type ItemName, listItemNames, pickItem } from './fixture.ts'
import { type AnsweredFile, type LastNumbers, watchInbox } from './inbox-answers.ts'
import type { RecordedRequest, Recording } from './request-recorder.ts'
import type { ProofCase, Round } from './rounds.ts'
import type { Sample } from './document-sample.ts'
import { createFileName, dropFile, mailboxFolder, type World } from './world.ts'

export interface InboundCaseInput {
  readonly route: InboundRoute
  /** The same route with an inbox of its own: it gets a file of the same name, and writes its results to the same folder. */
  readonly twin: InboundRoute
  /** The steps that have a mapping, the first one first. */
  readonly steps: readonly { readonly operation: InboundOperationName; readonly mapping: InboundMapping }[]
  readonly sample: Sample
  /** Of a route that an inbox of interchanges feeds: that inbox. It has no twin. */
  readonly edi?: EdiConfiguration
}

/** The results of a file without faults, with which all others of its size are compared. */
type Baseline = ReturnType<typeof createBaseline> & { readonly answered?: AnsweredFile }

/** The route alone, and beside its twin. */
export function createInboundCases(parts: InboundCaseInput): Record<'alone' | 'beside', ProofCase> {
  const { route, twin } = parts
  const baselines = new Map<number, Baseline>()
  return {
    alone: createInboundCase(parts, [route], baselines),
    beside: createInboundCase(parts, [route, twin], baselines),
  }
}

function createInboundCase(
  parts: InboundCaseInput,
  routes: readonly [InboundRoute, ...InboundRoute[]],
  baselines: Map<number, Baseline>,
): ProofCase {
  const [route, ...twins] = routes
  const { edi } = parts
  const lastNumbers: LastNumbers = new WeakMap()
  return {
    route: route.name,
    names: [route.name, ...twins.map(({ name }) => name)],
    hasFixedRecords: parts.sample.hasFixedRecords,
    async prepare(world, records): Promise<Round> {
      const number = world.setup.serial()
      const drops: DroppedFile[] = []
      for (const each of routes)
        drops.push(await placeFile(world, parts, each, { name: `proof${number}`, records }))
      const folder = mailboxFolder(world, route.results.mailbox, route.results.folder)
      const taken = join(world.folder, 'taken', String(number))
      const own = openDeliveryFolder(folder, taken)
      const isNamed = route.from.interchanges?.partner !== undefined
      const inbox = edi && watchInbox(world, edi, { isNamed, takenFolder: `${taken}-inbox` })
      const outlet = inbox?.join(own) ?? own
      const count = async (watch: Recording, baseline: Baseline): Promise<RoundCount> => {
        const seen = { watch, ...(await groupReports(drops, outlet.files())) }
        const counted = countDefects(seen, baseline)
        const [drop] = drops
        if (inbox === undefined || drop === undefined || baseline.answered === undefined) return counted
        const { findings, numbers } = await inbox.count(drop, baseline.answered, lastNumbers)
        return { ...counted, findings: [...counted.findings, ...findings], numbers }
      }
      return {
        watch: {},
        outlet,
        count: async (watch) => {
          const baseline = baselines.get(records)
          return baseline === undefined ? { records: 0, findings: [], left: 0 } : count(watch, baseline)
        },
        asBaseline: async (watch) => {
          const known = baselines.get(records)
          if (known !== undefined) return count(watch, known)
          const [set] = (await groupReports(drops, outlet.files())).sets
          if (set?.lines === undefined) {
            const why = 'a run without any fault left no result file'
            return edi === undefined ? why : `${why}; its example may hold no set that the route takes`
          }
          const answered = await inbox?.readBaseline()
          if (typeof answered === 'string') return answered
          const baseline = { ...createBaseline(watch, set.lines, set.kinds), ...(answered && { answered }) }
          baselines.set(records, baseline)
          return findReasonUnprovable(set.lines) ?? count(watch, baseline)
        },
      }
    },
  }
}

/** Drops a file, and creates the orders that its records refer to. */
async function placeFile(
  world: World,
  { steps, sample }: InboundCaseInput,
  route: InboundRoute,
  { name: word, records }: { readonly name: string; readonly records: number },
): Promise<DroppedFile> {
  const bytes = sample.file(records)
  const made: StepDrafts[] = []
  for (const { operation, mapping } of steps)
    made.push({ operation, drafts: await sample.drafts(bytes, mapping) })
  const needs = collectNeeds(world.setup.fixture, route, made)
  await runInParallel([...needs.values()], ORDERS_AT_ONCE, (need) => createNeededOrder(world, route, need))
  const name = createFileName(route.from.match, word)
  await dropFile(mailboxFolder(world, route.from.mailbox, route.from.folder), name, bytes)
  return { route: route.name, name, text: Buffer.from(bytes).toString('latin1') }
}

function createBaseline(watch: Recording, lines: readonly ResultLine[], kinds: ReadonlyMap<string, number>) {
  const times = [...watch.effects.values()].map(({ applied }) => applied)
  return {
    statuses: new Map(lines.map(({ record, status }) => [record, status])),
    effects: times.reduce((sum, applied) => sum + applied, 0),
    /** How often the same request may take effect: files may hold two boxes alike. */
    alike: Math.max(1, ...times),
    /** Lines with an id that no effect had, such as those of records that existed before. */
    unheard: findLinesWithoutEffect(lines, [...watch.effects.values()]).length,
    /** How many reports of each kind the file has, by their suffix. */
    kinds,
  }
}

function findReasonUnprovable(lines: readonly ResultLine[]): string | undefined {
  if (lines.some(({ status }) => status === 'accepted')) return undefined
  const [first] = lines
  const reason = first === undefined ? '' : `: the first record is ${first.status} (${first.code})`
  return `not one record of its sample is accepted in a run without any fault${reason}`
}

type RoundEvidence = Awaited<ReturnType<typeof groupReports>> & { readonly watch: Recording }

function countDefects({ watch, sets, strays }: RoundEvidence, baseline: Baseline): RoundCount {
  const effects = [...watch.effects.values()]
  const lines = sets.flatMap((set) => set.lines ?? [])
  const doubled = effects.flatMap((effect) => findDoubledPosts(effect, baseline.alike))
  const wrongLines = sets.flatMap((set) => compareLines(set.lines ?? [], baseline, set.drop))
  const left = lines.filter((line) => isLeftToPerson(line, baseline))
  const there = effects.reduce((sum, { applied }) => sum + Math.min(applied, baseline.alike), 0)
  const missing = baseline.effects * sets.length - there - left.length
  const claimed = findLinesWithoutEffect(lines, effects)
  const lost = Array.from({ length: Math.max(0, missing) }, (_, index) =>
    createDefect('lost', claimed[index]?.key ?? sets[0]?.drop.name ?? '', 'it had no effect at the service'),
  )
  const misled = claimed
    .slice(baseline.unheard * sets.length)
    .map(({ key, id }) =>
      createDefect('lost', key, `the results say accepted as ${id}, and no effect had that id`),
    )
  // One lost record may show in several ways; it counts once.
  const [lostOnce = []] = [lost, wrongLines, misled].toSorted((one, other) => other.length - one.length)
  const reports = [
    ...sets.flatMap((set) => compareReports(set, baseline.kinds)),
    ...strays.map((name) => createDefect('twice', name, 'it reports on no file of this round')),
  ]
  const findings = [...lostOnce, ...doubled, ...reports]
  return { records: baseline.statuses.size * sets.length, findings, left: left.length }
}

/** Repeatable calls double nothing. A refused second post counts too: another API would have accepted it. */
function findDoubledPosts({ endpoint, path, body, applied, again }: RecordedRequest, alike: number) {
  if (ENDPOINTS[endpoint].kind !== 'create') return []
  const extra = Math.max(again, applied - 1) - (alike - 1)
  const what = `POST ${path} took effect ${applied} times, and came ${again} times after it had taken effect`
  return Array.from({ length: Math.max(0, extra) }, () =>
    createDefect('doubled', formatRecordKey(body), what),
  )
}

/** The key of the request's record, as people call it. */
function formatRecordKey(body: string): string {
  const sent = JSON.parse(body) as Readonly<Record<string, unknown>>
  const keys = ['purchase_order_number', 'order_id', 'tracking_number', 'invoice_number'].flatMap((field) => {
    const value = sent[field]
    if (typeof value === 'number') return [`${field} ${value}`]
    return typeof value === 'string' ? [value] : []
  })
  return keys.length > 0 ? keys.join(' ') : body.slice(0, 120)
}

function compareLines(lines: readonly ResultLine[], baseline: Baseline, { name }: DroppedFile): Defect[] {
  const found = groupBy(lines, (line) => line.record)
  return [...baseline.statuses].flatMap(([record, status]) => {
    const [line, second] = found.get(record) ?? []
    const lost = (key: string, what: string) => [createDefect('lost', key, what)]
    if (line === undefined) return lost(`record ${record} of ${name}`, 'it has no line in the results')
    if (second !== undefined) return lost(line.key, 'it has more than one line in the results')
    if (line.status === status || isLeftToPerson(line, baseline)) return []
    return lost(line.key, `the results say ${line.status} (${line.code}) instead of ${status}`)
  })
}

/** Held because the API shows neither that it has the record nor that it has not: then a person must find out. */
function isLeftToPerson({ record, status, code }: ResultLine, { statuses }: Baseline): boolean {
  if (status !== 'held' || statuses.get(record) === 'held') return false
  return code.split(' | ').includes('outcome-unprovable')
}

/** Lines that claim an effect which the service did not have. */
function findLinesWithoutEffect(lines: readonly ResultLine[], effects: readonly RecordedRequest[]) {
  const made = new Set(effects.flatMap(({ ids }) => ids))
  return lines.filter(({ status, id }) => status === 'accepted' && id !== '' && !made.has(id))
}

// Orders, shipments and invoices that the records of a file refer to

/** The drafts that one step of a route makes from a file. */
interface StepDrafts {
  readonly operation: InboundOperationName
  readonly drafts: readonly Draft[]
}

interface OrderNeed {
  readonly purchaseOrder: string
  readonly lines: Map<SeedVariant, number>
  isShipped: boolean
  tracking?: string
  invoice?: string
}

const ORDERS_AT_ONCE = 8

function collectNeeds(fixture: Fixture, route: InboundRoute, steps: readonly StepDrafts[]) {
  const needs = new Map<string, OrderNeed>()
  const [first] = steps
  for (const { operation, drafts } of steps) {
    const isFirst = operation === first?.operation
    for (const draft of drafts) {
      const named = findReferencedOrder(operation, draft)
      if (draft.problems.length > 0 || named === undefined) continue
      const need = needs.get(named.purchaseOrder) ?? { ...named, lines: new Map<SeedVariant, number>() }
      needs.set(named.purchaseOrder, need)
      // The first step has already named what a later step says of an order.
      if (!isFirst) continue
      const brand = route.party.kind === 'brand' ? route.party.id : undefined
      addLines(need, draft, quantityFactor(operation, route), (name) => fixture.catalogue.find(name, brand))
    }
  }
  return needs
}

/** The state that each operation needs its order in; `none` where it needs no order. */
const REQUIRED_STATES: Readonly<Record<InboundOperationName, 'placed' | 'shipped' | 'none'>> = {
  'create-order': 'none',
  'create-cancel': 'placed',
  'acknowledge-order': 'placed',
  'create-shipment': 'placed',
  'close-order': 'placed',
  'reopen-order': 'shipped',
  'create-invoice': 'shipped',
  'create-variant': 'none',
  'update-variant': 'none',
  'acknowledge-shipment': 'shipped',
  'acknowledge-invoice': 'shipped',
  'acknowledge-cancel': 'none',
  'acknowledge-credit': 'none',
  'acknowledge-return': 'none',
  'acknowledge-variant': 'none',
}

/** Undefined where a record needs no order, or does not name it. */
function findReferencedOrder(operation: InboundOperationName, { body = {}, references }: Draft) {
  const needed = REQUIRED_STATES[operation]
  if (needed === 'none') return undefined
  const isShipped = needed === 'shipped'
  const keyOf = (kind: string) => references.find((reference) => reference.kind === kind)?.key
  const [tracking, invoice] = [keyOf('shipment'), keyOf('invoice')]
  if (tracking !== undefined) return { purchaseOrder: createOrderNumber('S', tracking), isShipped, tracking }
  if (invoice !== undefined) return { purchaseOrder: createOrderNumber('I', invoice), isShipped, invoice }
  const written = body['purchase_order_number']
  const purchaseOrder = keyOf('order') ?? (typeof written === 'string' ? written : undefined)
  return purchaseOrder === undefined ? undefined : { purchaseOrder, isShipped }
}

/** The number for an order that the file does not name; no longer than a purchase order number may be. */
function createOrderNumber(letter: string, key: string): string {
  return `${letter}${key.slice(-31)}`
}

/** Orders twice the quantity, so that a second parcel would be accepted, except where the order must be complete. */
function quantityFactor(operation: InboundOperationName, { next, when }: InboundRoute): number {
  const mustBeWhole = operation === 'create-invoice' || next !== undefined || when !== undefined
  return mustBeWhole ? 1 : 2
}

function addLines(
  need: OrderNeed,
  { body = {} }: Draft,
  roomFor: number,
  findItem: (name: ItemName) => SeedVariant | undefined,
): void {
  const lines = ['shipment_lines', 'invoice_lines', 'cancel_lines']
    .map((field) => body[field])
    .find(Array.isArray)
  if (lines === undefined) return
  for (const [index, name] of listItemNames(lines).entries()) {
    const item = findItem(name)
    const { quantity } = (lines as readonly { quantity?: unknown }[])[index] ?? {}
    if (item !== undefined)
      need.lines.set(item, (need.lines.get(item) ?? 0) + Number(quantity ?? 1) * roomFor)
  }
}

async function createNeededOrder(
  { staging, setup: { fixture } }: World,
  { party }: InboundRoute,
  need: OrderNeed,
): Promise<void> {
  const [retailer] = fixture.retailers
  const [named] = need.lines.keys()
  const brand = party.kind === 'brand' ? party.id : (named?.brandId ?? fixture.brands[0])
  const usual = pickItem(fixture, brand, 0)
  if (need.lines.size === 0 && usual !== undefined) need.lines.set(usual, 2)
  const order = await staging.placeOrder({
    purchaseOrder: need.purchaseOrder,
    retailer: party.kind === 'retailer' ? party.id : retailer,
    brand,
    lines: [...need.lines].map(([item, quantity]) => ({ item, quantity })),
  })
  if (need.isShipped) await staging.ship(order, need.tracking ?? `T${need.purchaseOrder}`)
  if (need.invoice !== undefined) await staging.invoice(order, need.invoice)
}
