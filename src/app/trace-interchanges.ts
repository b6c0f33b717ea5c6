/** Collects what the journal knows of interchanges for a trace: which one brought a record, and how it was answered. */
import type { Configuration } from '../config/configuration.ts'
import type { DecisionEntry } from '../domain/decision.ts'
import type { DeliveryEntry, RedeliveryEntry } from '../domain/delivery.ts'
import type { FileEntry } from '../domain/file.ts'
import type { AnsweredSet, AnswerNumbers } from '../domain/interchange.ts'
import type { AnswerEntry, InterchangeEntry, ReceivedAnswerEntry } from '../domain/interchange-journal.ts'
import type { Journal } from '../domain/journal.ts'
import type { TracedRecord } from '../domain/trace.ts'
import { BridgeError } from '../support/errors.ts'
import { omitUndefined } from '../support/object-paths.ts'
import { listMappedSteps } from './context.ts'

export interface TracedAnswer {
  readonly answer: AnswerEntry
  /** Absent while it is not composed. */
  readonly delivery?: DeliveryEntry
}

/** The interchange in which a record came. */
export interface TracedInterchange {
  /** The file that brought it. */
  readonly file: FileEntry
  readonly interchange: InterchangeEntry
  /** Absent where it is not answered. */
  readonly answer?: TracedAnswer
}

/** What a file of interchanges brought. */
export interface TracedInterchanges {
  /** The first of them. */
  readonly interchanges: readonly InterchangeEntry[]
  readonly parts: readonly FileEntry[]
  readonly answers: readonly TracedAnswer[]
  /** What partners answered in it. */
  readonly received: readonly ReceivedAnswerEntry[]
}

/** More do not fit on a screen. */
const INTERCHANGES_MAX = 20

/** Undefined for a record whose file is no part. */
export async function traceInterchange(
  journal: Journal,
  { lines: [range] }: TracedRecord,
  from: FileEntry | undefined,
): Promise<TracedInterchange | undefined> {
  if (from?.partOf === undefined || range === undefined) return undefined
  const file = await journal.getFile(from.partOf)
  const interchange = await journal.findInterchangeAt(from.partOf, range[0])
  if (file === undefined || interchange === undefined) return undefined
  const answers = await journal.listAnswers(file.id)
  const own = answers.find(({ interchanges }) => interchanges.includes(interchange.ordinal))
  const answer = own && (await traceAnswer(journal, own))
  return omitUndefined({ file, interchange, answer })
}

/** Undefined for a file that brought none. */
export async function traceInterchanges(
  journal: Journal,
  { id }: FileEntry,
): Promise<TracedInterchanges | undefined> {
  const interchanges = await journal.listInterchanges(id, 0, INTERCHANGES_MAX)
  if (interchanges.length === 0) return undefined
  const answers = await journal.listAnswers(id)
  return {
    interchanges,
    parts: await journal.listParts(id),
    answers: await Promise.all(answers.map((answer) => traceAnswer(journal, answer))),
    received: await journal.listReceivedAnswers({ file: id }, RECEIVED_MAX),
  }
}

async function traceAnswer(journal: Journal, answer: AnswerEntry): Promise<TracedAnswer> {
  const delivery = answer.delivery === undefined ? undefined : await journal.getDelivery(answer.delivery)
  return omitUndefined({ answer, delivery })
}

/** The interchange in which records went out, and what its partner answered. */
export interface TracedSending {
  readonly numbers: AnswerNumbers
  /** The address that it was sent to. */
  readonly receiver: string
  /** The first of them. */
  readonly answers: readonly ReceivedAnswerEntry[]
  /** What the partner says of the set of the record; absent where it says nothing of it, and of a whole delivery. */
  readonly verdict?: AnsweredSet['verdict']
  /** The answer that says so: others may repeat it, contradict it, or be unreadable. */
  readonly verdictBy?: ReceivedAnswerEntry
  /** The same bytes once more, as persons asked; left out where there are none. */
  readonly redeliveries?: readonly RedeliveryEntry[]
}

/** An interchange in which a record went out before a person had it sent anew. */
export interface TracedEarlierSending {
  readonly into: DeliveryEntry
  readonly sent: TracedSending
}

/** Answers to one delivery that are shown. */
const RECEIVED_MAX = 10

/** Undefined for a delivery that is no interchange. */
export async function traceSending(
  journal: Journal,
  deliveryId: string | undefined,
): Promise<TracedSending | undefined> {
  const reserved = deliveryId === undefined ? undefined : await journal.findReservation(deliveryId)
  if (deliveryId === undefined || reserved === undefined) return undefined
  const answers = await journal.listReceivedAnswers({ delivery: deliveryId }, RECEIVED_MAX)
  return { numbers: reserved.numbers, receiver: reserved.scope.receiver, answers }
}

/** The same of one record of the delivery, with what the partner says of its set. */
export async function traceRecordSending(
  journal: Journal,
  { delivery, number }: TracedRecord,
): Promise<TracedSending | undefined> {
  const sent = await traceSending(journal, delivery)
  if (sent === undefined || delivery === undefined) return undefined
  const { verdict, answer: verdictBy } = (await journal.findSetVerdict(delivery, number)) ?? {}
  const all = await journal.listRedeliveries(delivery)
  const redeliveries = all.length === 0 ? undefined : all
  return { ...sent, ...omitUndefined({ verdict, verdictBy, redeliveries }) }
}

/** A release takes the record out of its delivery, so only the decision says in which one it was. Oldest first. */
export async function traceEarlierSendings(
  journal: Journal,
  { direction, delivery }: TracedRecord,
  decisions: readonly DecisionEntry[],
): Promise<readonly TracedEarlierSending[]> {
  if (direction === 'incoming') return []
  const released = decisions.filter(({ action, file }) => action === 'release' && file !== delivery)
  const found: TracedEarlierSending[] = []
  for (const id of new Set(released.map(({ file }) => file))) {
    const into = await journal.getDelivery(id)
    const sent = await traceSending(journal, id)
    const all = await journal.listRedeliveries(id)
    const redeliveries = all.length === 0 ? undefined : all
    // Only what was refused is released.
    const verdictBy = sent?.answers.findLast(({ refused }) => refused > 0)
    if (into && sent)
      found.push({ into, sent: { ...sent, verdict: 'R', ...omitUndefined({ verdictBy, redeliveries }) } })
  }
  return found.toSorted((one, other) => one.into.composedAt - other.into.composedAt)
}

/** The file that a delivery answers; undefined for any other delivery. */
export async function traceAnsweredFile(
  journal: Journal,
  { id }: DeliveryEntry,
): Promise<{ readonly answer: AnswerEntry; readonly file: FileEntry } | undefined> {
  const answer = await journal.findAnswerOfDelivery(id)
  const file = answer && (await journal.getFile(answer.file))
  return file && { answer, file }
}

/** Of these routes, those that read or write documents, such as 850, by name. A mapping that is broken says nothing. */
export async function listRouteDocuments(
  { routes }: Configuration,
  names: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  // Loaded where it is needed: most commands load this module and read no mapping.
  const { loadMapping } = await import('../mapping/load.ts')
  for (const { name, mappingPath } of routes
    .filter((route) => names.has(route.name))
    .flatMap(listMappedSteps)) {
    try {
      const mapping = await loadMapping(mappingPath)
      const { edi } = mapping.direction === 'inbound' ? mapping.translator.read : mapping.composer.write
      if (edi !== undefined) found.set(name, edi.document)
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error
    }
  }
  return found
}
