/** Proves an outbound route: creates records at the service, and counts them in the delivered files. */
import { join } from 'node:path'
import type { InterchangeInbox } from '../config/edi.ts'
import type { OutboundRoute } from '../config/routes.ts'
import type { EndpointName } from '../contract/endpoints.ts'
import { OPERATIONS, type OutboundOperation } from '../contract/operations.ts'
import type { Resource } from '../domain/api.ts'
import type { Format } from '../domain/format.ts'
import { createInterchangeFormat } from '../formats/formats.ts'
import type { OutboundMapping } from '../mapping/load.ts'
import type { OutgoingInterchanges } from '../pipeline/context.ts'
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
  type AnsweredFile,
  chooseManner,
  compareNumbers,
  createAnsweringPartner,
  createDocumentReader,
  type DeliveredInterchange,
  FIRST_MANNER,
  readControlNumbers,
} from './delivered-interchanges.ts'
import { createRandom } from './fault-plan.ts'
import type { Recording } from './request-recorder.ts'
import type { ProofCase, Round } from './rounds.ts'
import { createListedRecords } from './staging.ts'
import { createFileName, mailboxFolder, type World } from './world.ts'

export interface OutboundCaseInput {
  readonly route: OutboundRoute
  readonly mapping: OutboundMapping
  readonly format: Format
  /** What the route writes to its partner, where it writes interchanges. */
  readonly interchanges?: OutgoingInterchanges
  /** Where the answers of the partner come, of a route that acknowledges what these accept. */
  readonly answers?: InterchangeInbox
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
  /** Reads a whole file once. */
  readonly read: (text: string) => Promise<FileRecords>
}

/** An acknowledge request, with the whole files and the answers that were there when it arrived. */
interface Acknowledging {
  readonly round: ExportRound
  readonly record: ExpectedRecord
  readonly texts: readonly string[]
  readonly answered: readonly AnsweredFile[]
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
      for (const each of inputs) await createListedRecords(world.staging, world.setup, each.route, records)
      const rounds: ExportRound[] = []
      for (const exporter of exporters) {
        const { name } = exporter.route
        const earlier = ofWorld.get(name) ?? new Map<string, ExpectedRecord>()
        const read = readOnce(exporter.reader)
        rounds.push({ exporter, earlier, read, ...(await listExpectedRecords(world, exporter, earlier)) })
      }
      const readTexts = () => outlet.files().map(readBytesAsText)
      const partner = openPartner(world, inputs, { readTexts, isFirst: ofWorld.size === 0 })
      for (const { exporter, earlier } of rounds) ofWorld.set(exporter.route.name, earlier)
      const acknowledgings: Acknowledging[] = []
      const arrived = (endpoint: EndpointName, id: string) => {
        for (const round of rounds) {
          const record = round.expected.find((each) => each.id === id)
          if (endpoint !== round.exporter.operation.acknowledge || record === undefined) continue
          acknowledgings.push({ round, record, texts: readTexts(), answered: partner?.answered() ?? [] })
        }
      }
      const count = async (watch: Recording): Promise<RoundCount> => {
        const texts = readTexts()
        const answered = partner?.answered() ?? []
        const held = partner && (await listRefused(world))
        const found: Defect[] = []
        for (const round of rounds)
          found.push(...(await findDefects(round, { texts, watch, answered, ...(held && { held }) })))
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
        ...(partner && { answerNew: partner.answerNew }),
        asBaseline: async (watch) => {
          const [first] = rounds
          const none =
            first?.expected.length === 0
              ? 'the service has no record for it that its mapping could turn into rows'
              : undefined
          const why = rounds.find((round) => round.why !== undefined)?.why ?? none
          if (why !== undefined) return why
          const counted = await count(watch)
          return { ...counted, findings: [...counted.findings, ...findRepeated(rounds, watch)] }
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

/** Undefined where no route waits for answers. */
function openPartner(
  world: World,
  inputs: readonly OutboundCaseInput[],
  { readTexts, isFirst }: { readonly readTexts: () => readonly string[]; readonly isFirst: boolean },
) {
  const [first] = inputs.filter(({ answers }) => answers !== undefined)
  if (first?.answers === undefined) return undefined
  const { from } = first.answers
  const { serial } = world.setup
  let answered = 0
  const partner = createAnsweringPartner({
    format: createInterchangeFormat(),
    listTexts: readTexts,
    folder: mailboxFolder(world, from.mailbox, from.folder),
    nameFor: (number) => createFileName(from.match, `answer${number}`),
    now: world.now,
    nextNumber: serial,
    // The baseline has all that can go wrong without a fault.
    chooseManner: () =>
      isFirst && answered++ === 0 ? FIRST_MANNER : chooseManner(createRandom('answers', serial())),
  })
  return {
    ...partner,
    /** Returns once a bridge takes what was dropped. */
    answerNew: async () => {
      const dropped = await partner.answerNew()
      if (dropped > 0) await world.waitForStability()
      return dropped
    },
  }
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
      Promise.resolve({
        count: (mark) => countOccurrences(text, mark),
        findSets: () => [],
        faults: [],
        isOwn: true,
      }),
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

function readOnce(reader: RecordReader): RecordReader['read'] {
  const known = new Map<string, Promise<FileRecords>>()
  return (text) => {
    const file = known.get(text) ?? reader.read(text)
    known.set(text, file)
    return file
  }
}

interface ExportEvidence {
  readonly texts: readonly string[]
  readonly watch: Recording
  readonly answered: readonly AnsweredFile[]
  /** The ids of the records that the bridge holds because they were refused; absent where no route waits for answers. */
  readonly held?: ReadonlySet<string>
}

async function findDefects(
  round: ExportRound,
  { texts, watch, answered, held }: ExportEvidence,
): Promise<Defect[]> {
  const { exporter, expected, earlier, why, read } = round
  const { route, operation } = exporter
  if (why !== undefined) return [createDefect('lost', route.name, why)]
  const all = await Promise.all(texts.map(read))
  const files = all.filter(({ isOwn }) => isOwn)
  const name = ({ id }: ExpectedRecord) => nameRecord(round, id)
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
      .map(({ path }) => readAcknowledgedId(path)),
  )
  const unacknowledged: Defect[] = []
  for (const each of expected) {
    const isRefused = waitsForAnswers(round) && (await findVerdict(round, each, answered)) === 'refused'
    if (isRefused && held?.has(each.id) !== true)
      unacknowledged.push(createDefect('lost', name(each), 'its partner refused it, and it is not held'))
    if (!isRefused && !acknowledged.has(each.id))
      unacknowledged.push(createDefect('lost', name(each), 'it was never acknowledged'))
  }
  return [...delivered, ...unacknowledged]
}

function nameRecord({ exporter: { route } }: ExportRound, id: string): string {
  return `${route.operation} ${id}`
}

function waitsForAnswers({ exporter: { answers } }: ExportRound): boolean {
  return answers !== undefined
}

/** What the partner said of the set that holds the record; undefined where it has not answered it. */
async function findVerdict(
  { read }: ExportRound,
  { mark }: ExpectedRecord,
  answered: readonly AnsweredFile[],
): Promise<'accepted' | 'refused' | undefined> {
  for (const { text, accepted, refused } of answered) {
    for (const set of (await read(text)).findSets(mark)) {
      if (refused.includes(set)) return 'refused'
      if (accepted.includes(set)) return 'accepted'
    }
  }
  return undefined
}

/** The ids of the records that the bridge holds because their partner refused them. */
async function listRefused(world: World): Promise<ReadonlySet<string>> {
  const bridge = await world.open()
  try {
    const held = await bridge.journal.listUnacknowledgedRecords(HELD_MAX)
    const isRefused = (problems: (typeof held)[number]['problems']) =>
      problems.some(({ code }) => code === 'edi-refused-by-partner')
    return new Set(held.filter(({ problems }) => isRefused(problems)).map(({ apiId }) => apiId))
  } finally {
    await bridge.close()
  }
}

/** More than the rounds of one world come to. */
const HELD_MAX = 100_000

/**
 * Where nothing is lost, nothing is a reason to acknowledge a record again. In a baseline run neither faults nor impatience
 * lose an answer of the API.
 */
function findRepeated(rounds: readonly ExportRound[], watch: Recording): Defect[] {
  return rounds.filter(waitsForAnswers).flatMap((round) =>
    [...watch.effects.values()].flatMap(({ endpoint, path, applied }) => {
      const id = readAcknowledgedId(path)
      const isOwn = endpoint === round.exporter.operation.acknowledge
      if (!isOwn || applied < 2 || !round.expected.some((each) => each.id === id)) return []
      return [createDefect('doubled', nameRecord(round, id), `it was acknowledged ${applied} times`)]
    }),
  )
}

function readAcknowledgedId(path: string): string {
  return /\/(\d+)\/acknowledge\/$/.exec(path)?.[1] ?? ''
}

function checkPlacement({ mark }: ExpectedRecord, files: readonly FileRecords[], name: string): Defect[] {
  const times = files.reduce((sum, file) => sum + file.count(mark), 0)
  if (times === 1) return []
  if (times === 0) return [createDefect('lost', name, 'it is in no delivered file')]
  return [createDefect('twice', name, `it is ${times} times in the delivered files`)]
}

/**
 * A record was acknowledged early where no whole file held it when the request arrived, or where its partner had not accepted
 * it.
 */
async function findEarly(acknowledgings: readonly Acknowledging[]): Promise<Defect[]> {
  const early: Defect[] = []
  for (const { round, record, texts, answered } of acknowledgings) {
    const name = nameRecord(round, record.id)
    const files = await Promise.all(texts.map(round.read))
    if (!files.some((file) => file.count(record.mark) > 0))
      early.push(createDefect('early', name, 'it was acknowledged before it stood in a whole file'))
    if (!waitsForAnswers(round)) continue
    const verdict = await findVerdict(round, record, answered)
    if (verdict === 'refused')
      early.push(createDefect('early', name, 'it was acknowledged although its partner had refused it'))
    if (verdict === undefined)
      early.push(createDefect('early', name, 'it was acknowledged before its partner answered'))
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
