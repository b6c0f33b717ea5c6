/** The whole life of a record, or of all records of an order, in the order of time. */
import type { ListedDecision } from '../../domain/journal.ts'
import { type CorrectionLink, type DecisionAction, DECISIONS } from '../../domain/decision.ts'
import type { ProblemCode } from '../../domain/problem.ts'
import type { RedeliveryEntry } from '../../domain/delivery.ts'
import type { RecordState } from '../../domain/record.ts'
import type { TracedAttempt, TracedRecord } from '../../domain/trace.ts'
import type { LineRange } from '../../domain/translator.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import type { TracedSending } from '../trace-interchanges.ts'
import { type RecordHistory, traceRecords } from '../trace.ts'
import type { ConsoleContext } from './context.ts'
import { readTaking, type Taking } from './correct.ts'
import { findCorrectable } from './correct-source.ts'
import { type OrderClock, readOrderClocks } from './clocks.ts'
import { formatKey } from './lists.ts'
import { type Audience, maskBody, type ShownProblem, showProblem } from './masks.ts'

/** A file or delivery by its name. */
export interface NamedWork {
  readonly id: string
  readonly name: string
}

/** Something that happened to a record. */
export type LifeEvent = { readonly at: number } & (
  | { readonly what: 'came'; readonly file: NamedWork; readonly lines: readonly LineRange[] }
  | { readonly what: 'planned' }
  | { readonly what: 'sent'; readonly attempt: number }
  /** Taken back before its request, or refused before it could leave. */
  | { readonly what: 'not-sent'; readonly attempt: number }
  | { readonly what: 'answered'; readonly attempt: number; readonly http?: number; readonly result: string }
  | { readonly what: 'no-answer'; readonly attempt: number }
  /** The journal was restored from a backup of then: it may have been sent since. */
  | { readonly what: 'restored' }
  | { readonly what: 'looked-up'; readonly found: RecordState; readonly apiId?: string }
  | {
      readonly what: 'decided'
      readonly action: ListedDecision['action']
      readonly by: string
      readonly why: string
    }
  | { readonly what: 'composed' | 'delivered' | 'delivery-acknowledged'; readonly delivery: NamedWork }
  | { readonly what: 'delivered-again'; readonly delivery: NamedWork; readonly name: string }
  | { readonly what: 'confirmed'; readonly delivery: NamedWork; readonly confirmedBy: string }
  | { readonly what: 'state'; readonly state: RecordState }
)

/** The interchange of EDI in which a record came, and what was answered. */
export interface ShownInterchange {
  readonly file: NamedWork
  readonly number: string
  readonly sender: string
  readonly receiver: string
  readonly verdict: string
  readonly answer?: NamedWork
}

/** The interchange in which a record went out, and what its partner answered. */
export interface ShownSending {
  readonly interchange: number
  readonly group: number
  readonly receiver: string
  readonly verdict?: string
  readonly answers: readonly { readonly file: NamedWork; readonly verdict: string; readonly at: number }[]
}

export interface RecordStory {
  /** The journal's number of it. */
  readonly id: number
  readonly number: number
  readonly key: string
  readonly operation: string
  readonly direction: 'incoming' | 'outgoing'
  readonly route: string
  readonly account: string
  readonly step?: number
  readonly state: RecordState
  /** It was refused, and a later file has it or a person gave it up. */
  readonly isCorrected?: true
  readonly apiId?: string
  readonly http?: number
  readonly problems: readonly ShownProblem[]
  readonly life: readonly LifeEvent[]
  /** Requests that left, or may have left. */
  readonly timesSent: number
  /** How often it took effect; left out where it is not known yet. */
  readonly timesEffective?: 0 | 1
  /** Method and path of its call. */
  readonly call?: string
  readonly body?: unknown
  /** What the journal keeps of the last answer, beside its status, its id and the words of a refusal. */
  readonly answer?: unknown
  readonly prunedAt?: number
  readonly file?: NamedWork
  readonly delivery?: NamedWork
  /** Of a duplicate: the record that has the key. */
  readonly first?: { readonly id: number; readonly key: string; readonly file?: NamedWork }
  readonly interchange?: ShownInterchange
  readonly sending?: ShownSending
  readonly documents: readonly {
    readonly kind: string
    readonly state: string
    readonly folder: string
    readonly name?: string
    readonly problem?: ShownProblem
  }[]
  /** What a person can decide about it. */
  readonly possible: readonly (DecisionAction | 'resolve')[]
  /**
   * Of a refused record that waits for a correction: the file and the line on whose page it is corrected, or why it cannot be
   * corrected there.
   */
  readonly correcting?: { readonly file: string; readonly line: number } | { readonly missing: string }
  /** It is refused and waits for a correction that a person may not want. */
  readonly isDismissible?: true
  /** Of a refused record: the corrections that a person made of it, newest first. */
  readonly corrections: readonly RecordCorrection[]
  /** Of a record in a corrected file: what it corrects. */
  readonly correctionOf?: RecordCorrection
}

/** Who corrected a refused record, and the record on the other side of it. */
export interface RecordCorrection {
  readonly decision: number
  readonly by: string
  readonly why: string
  readonly at: number
  /** Its file: the one with the corrected rows, or the one whose rows were corrected; only its name until it is taken. */
  readonly file: { readonly id?: string; readonly name: string }
  /** Left out where it is not known which record of the file it is. */
  readonly record?: Pick<TracedRecord, 'id' | 'number' | 'state' | 'apiId'> & { readonly key: string }
  readonly state: 'begun' | 'waiting' | 'given-up' | 'taken'
  /** Of one that waits: what takes its file. */
  readonly taking?: Taking
}

/** Another record of the same order. */
export interface RelatedRecord {
  readonly id: number
  readonly key: string
  readonly operation: string
  readonly state: RecordState
  /** As of a record. */
  readonly isCorrected?: true
  readonly apiId?: string
  readonly changedAt: number
}

export interface RecordPage {
  readonly record: RecordStory
  /** The others of the same order, oldest first. */
  readonly related: readonly RelatedRecord[]
  /** As of an order. */
  readonly clocks: readonly OrderClock[]
}

export interface OrderPage {
  readonly key: string
  /** What is still to do with it, and by when, as the API last showed the order. */
  readonly clocks: readonly OrderClock[]
  /** Oldest first. */
  readonly records: readonly RecordStory[]
  /** How many earlier ones are not shown. */
  readonly earlier: number
  /** None of its records was accepted, or may have been, and the API showed none. */
  readonly isRefusedWhole: boolean
}

const RECORDS_MAX = 20

/** Undefined where the journal has no such record. */
export async function readRecordPage(
  context: ConsoleContext,
  id: number,
  audience: Audience,
): Promise<RecordPage | undefined> {
  const { journal } = context
  const [story] = await traceRecords(journal, await journal.listTracedRecords([id]))
  if (story === undefined) return undefined
  const { records, resources } = await journal.traceKey(`#${id}`, { limit: RECORDS_MAX, isQuick: true })
  const others = records.filter((each) => each.id !== id)
  const clocks = await readOrderClocks(context, resources)
  const beside = await readBeside(context, [story])
  return { record: tellStory(story, beside, audience), related: others.map(showRelated), clocks }
}

/** All records of one order, or with one key. Undefined where none is known. */
export async function readOrderPage(
  context: ConsoleContext,
  key: string,
  audience: Audience,
): Promise<OrderPage | undefined> {
  const { journal } = context
  const { records, earlier, resources } = await journal.traceKey(key, { limit: RECORDS_MAX, isQuick: true })
  if (records.length === 0) return undefined
  const stories = await traceRecords(journal, records)
  const beside = await readBeside(context, stories)
  const clocks = await readOrderClocks(context, resources)
  const isRefused = records.every(({ state }) => state === 'rejected' || state === 'held')
  const isRefusedWhole = isRefused && earlier === 0 && resources.length === 0
  const shown = stories.map((story) => tellStory(story, beside, audience))
  return { key, clocks, records: shown, earlier, isRefusedWhole }
}

interface Beside {
  /** Of the deliveries that the records are in, by their ids. */
  readonly redeliveries: ReadonlyMap<string, readonly RedeliveryEntry[]>
  readonly links: readonly CorrectionLink[]
  readonly records: ReadonlyMap<number, TracedRecord>
  readonly correcting: ReadonlyMap<number, NonNullable<RecordStory['correcting']>>
  readonly dismissible: ReadonlySet<number>
  /** How corrected files that wait are taken, by route. */
  readonly takings: ReadonlyMap<string, Taking>
}

/**
 * What stands beside these records: their corrections, the records on their other sides, which ones wait for a correction, and what
 * was delivered once more.
 */
async function readBeside(context: ConsoleContext, stories: readonly RecordHistory[]): Promise<Beside> {
  const { journal } = context
  const links = await journal.listCorrectionLinks(stories.map(({ record }) => record.id))
  const paired = links.flatMap(({ pairs }) => pairs.flatMap(({ from, to = from }) => [from, to]))
  const records = await journal.listTracedRecords([...new Set(paired)])
  const correcting = new Map<number, NonNullable<RecordStory['correcting']>>()
  const dismissible = new Set<number>()
  const redeliveries = new Map<string, readonly RedeliveryEntry[]>()
  const takings = new Map<string, Taking>()
  for (const { record, from, into } of stories) {
    if (into !== undefined && !redeliveries.has(into.id))
      redeliveries.set(into.id, await journal.listRedeliveries(into.id))
    if (record.state !== 'rejected' || from === undefined) continue
    if (links.length > 0) takings.set(record.route, await readTaking(context, record.route))
    const refused = await journal.listCorrectableRecords(from.id, DISMISSIBLE_MAX)
    // One that is corrected and on the way may be at the API soon.
    if (refused.some(({ id, correction }) => id === record.id && correction === undefined))
      dismissible.add(record.id)
    const found = await findCorrectable(context, from)
    const line = Math.min(...record.lines.map(([first]) => first))
    if ('missing' in found) correcting.set(record.id, found)
    else if (found.open.some(({ id }) => id === record.id)) correcting.set(record.id, { file: from.id, line })
  }
  const others = new Map(records.map((record) => [record.id, record]))
  return { redeliveries, links, records: others, correcting, dismissible, takings }
}

/** Of a file with more refused records, the later ones are dismissed with the file, or from the command line. */
export const DISMISSIBLE_MAX = 10_000

function listCorrectionsOf({ id, file, route }: TracedRecord, known: Beside) {
  const { links, records, correcting, dismissible, takings } = known
  const show = (
    link: CorrectionLink,
    other: RecordCorrection['file'],
    recordId?: number,
  ): RecordCorrection => {
    const { id: decision, by, why, at, into, leftAt, givenUpAt } = link
    const record = recordId === undefined ? undefined : records.get(recordId)
    const state: RecordCorrection['state'] =
      into !== undefined
        ? 'taken'
        : givenUpAt !== undefined
          ? 'given-up'
          : leftAt === undefined
            ? 'begun'
            : 'waiting'
    return omitUndefined({
      decision,
      by,
      why,
      at,
      file: other,
      record: record && nameRecordOf(record),
      state,
      taking: state === 'waiting' ? takings.get(route) : undefined,
    })
  }
  const corrections = links.flatMap((link) => {
    const pair = link.pairs.find(({ from }) => from === id)
    return pair === undefined ? [] : [show(link, link.into ?? { name: link.name }, pair.to)]
  })
  const brought = links.find(({ into }) => into !== undefined && into.id === file)
  const source = brought?.pairs.find(({ to }) => to === id)?.from
  const correctionOf = brought && show(brought, brought.from, source)
  const isDismissible = dismissible.has(id) ? (true as const) : undefined
  return { corrections, correctionOf, correcting: correcting.get(id), isDismissible }
}

function nameRecordOf(record: TracedRecord): NonNullable<RecordCorrection['record']> {
  const { id, number, state, apiId } = record
  return omitUndefined({ id, number, state, apiId, key: formatKey(record) })
}

function showRelated(record: TracedRecord): RelatedRecord {
  const { id, operation, state, isCorrected, apiId, changedAt } = record
  return omitUndefined({ id, key: formatKey(record), operation, state, isCorrected, apiId, changedAt })
}

function tellStory(story: RecordHistory, known: Beside, audience: Audience): RecordStory {
  const { record, from, into, first, body, answer, prunedAt, call, documents } = story
  const { id, number, operation, direction, route, account, step, state, isCorrected, apiId, http } = record
  return omitUndefined({
    id,
    number,
    operation,
    direction,
    route,
    account,
    step,
    state,
    isCorrected,
    apiId,
    http,
    prunedAt,
    call,
    key: formatKey(record),
    possible: listDecisionsOf(record),
    ...listCorrectionsOf(record, known),
    problems: [...record.problems, ...record.warnings].map((each) => showProblem(each, audience)),
    life: listLife(story, known),
    timesSent: countSendings(story),
    timesEffective: countEffects(record),
    body: audience.isMasked ? maskBody(body, audience) : body,
    answer: audience.isMasked ? maskBody(answer, audience) : answer,
    file: from && nameWork(from),
    delivery: into && nameWork(into),
    first:
      first &&
      omitUndefined({
        id: first.record.id,
        key: formatKey(first.record),
        file: first.from && nameWork(first.from),
      }),
    interchange: showInterchange(story),
    sending: story.sent && showSending(story.sent),
    documents: documents.map(({ kind, state: has, folder, name, problem }) =>
      omitUndefined({ kind, state: has, folder, name, problem: problem && showProblem(problem, audience) }),
    ),
  })
}

/** What a person can decide about a record. */
function listDecisionsOf({ state, direction, problems }: TracedRecord): RecordStory['possible'] {
  if (direction !== 'incoming') return []
  const code = problems[0]?.code
  if (state === 'uncertain' || (state === 'held' && code === 'outcome-unprovable')) return ['resolve']
  if ((state !== 'held' && state !== 'deferred') || code === undefined) return []
  return (Object.keys(DECISIONS) as DecisionAction[]).filter((action) => isDecided(action, code))
}

/** Whether the decision is about records that are held with the code. */
export function isDecided(action: DecisionAction, code: ProblemCode): boolean {
  return (DECISIONS[action].codes as readonly ProblemCode[]).includes(code)
}

function nameWork({ id, name }: NamedWork): NamedWork {
  return { id, name }
}

/** In the order of time. Of one millisecond, a lookup comes before the attempt that it allows. */
function listLife(
  { record, from, into, attempts, lookUps, decisions }: RecordHistory,
  { redeliveries }: Beside,
): LifeEvent[] {
  const life: LifeEvent[] = []
  if (from !== undefined) {
    const at = from.receivedAt ?? from.claimedAt
    life.push({ what: 'came', at, file: nameWork(from), lines: record.lines })
  }
  if (into !== undefined) {
    const delivery = nameWork(into)
    life.push({ what: 'composed', at: into.composedAt, delivery })
    if (into.deliveredAt !== undefined) life.push({ what: 'delivered', at: into.deliveredAt, delivery })
    for (const { name, state, beganAt, endedAt = beganAt } of redeliveries.get(into.id) ?? [])
      if (state === 'delivered') life.push({ what: 'delivered-again', at: endedAt, delivery, name })
    if (into.confirmedAt !== undefined)
      life.push({ what: 'confirmed', at: into.confirmedAt, delivery, confirmedBy: into.confirmedBy ?? '' })
    if (into.acknowledgedAt !== undefined)
      life.push({ what: 'delivery-acknowledged', at: into.acknowledgedAt, delivery })
  }
  for (const { at, state, apiId } of lookUps)
    life.push(omitUndefined({ what: 'looked-up' as const, at, found: state, apiId }))
  for (const { at, action, by, why } of decisions) life.push({ what: 'decided', at, action, by, why })
  for (const attempt of attempts) life.push(...listAttempt(attempt))
  if (attempts.length === 0) life.push({ what: 'state', at: record.changedAt, state: record.state })
  // What was refused when its file was read was never planned.
  const isDiscarded = decisions.some(({ action }) => action === 'discard' || action === 'resolve-discard')
  const isRefusedAtOnce = record.state === 'rejected' && attempts.length === 0 && !isDiscarded
  if (from?.plannedAt !== undefined && !isRefusedAtOnce) {
    // The file is planned when its last record is: what became of this one may have been earlier.
    const later = life.flatMap(({ what, at }) => (what === 'came' ? [] : [at]))
    life.splice(1, 0, { what: 'planned', at: Math.min(from.plannedAt, ...later) })
  }
  return life.toSorted((one, other) => one.at - other.at)
}

function listAttempt(tried: TracedAttempt): LifeEvent[] {
  const { attempt, beganAt: at, endedAt, http, result = '' } = tried
  if (tried.isPresumed === true) return [{ what: 'restored', at }]
  if (isUnsent(tried)) return [{ what: 'not-sent', at, attempt }]
  const sent: LifeEvent = { what: 'sent', at, attempt }
  if (endedAt === undefined || (http === undefined && result === 'uncertain'))
    return [sent, { what: 'no-answer', at: endedAt ?? at, attempt }]
  return [sent, omitUndefined({ what: 'answered' as const, at: endedAt, attempt, http, result })]
}

/** Without an answer of the API, what is deferred was never sent; what is planned again was taken back before its request. */
export function isUnsent({ result, http }: Pick<TracedAttempt, 'result' | 'http'>): boolean {
  return result === 'planned' || result === 'collected' || (result === 'deferred' && http === undefined)
}

export function countSendings({ record, attempts }: RecordHistory): number {
  const earlier = Math.max(0, record.attempts - attempts.length)
  return earlier + attempts.filter((each) => !isUnsent(each)).length
}

const UNKNOWN_EFFECT: readonly RecordState[] = ['uncertain', 'sending']

/** What another record took care of had no effect of its own. */
export function countEffects({ state, problems }: TracedRecord): 0 | 1 | undefined {
  if (state === 'accepted') return 1
  const isUnprovable = problems.some(({ code }) => code === 'outcome-unprovable')
  return UNKNOWN_EFFECT.includes(state) || isUnprovable ? undefined : 0
}

function showInterchange({ interchange: brought }: RecordHistory): ShownInterchange | undefined {
  if (brought === undefined) return undefined
  const { file, interchange, answer } = brought
  const { number, sender, receiver, verdict } = interchange
  const delivery = answer?.delivery && nameWork(answer.delivery)
  return omitUndefined({ file: nameWork(file), number, sender, receiver, verdict, answer: delivery })
}

export function showSending({ numbers, receiver, verdict, answers }: TracedSending): ShownSending {
  return omitUndefined({
    ...numbers,
    receiver,
    verdict,
    answers: answers.map((each) => ({
      file: each.file,
      verdict: String(each.verdict ?? each.outcome),
      at: each.receivedAt,
    })),
  })
}
