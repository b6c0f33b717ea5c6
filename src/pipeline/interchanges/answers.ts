/** Answers a file of interchanges: decides when an answer is due, reserves its numbers, composes and delivers it exactly once. */
import type { Partner } from '../../config/edi.ts'
import type { DeliveryEntry, NewDeliveryResolution } from '../../domain/delivery.ts'
import type { FileEntry } from '../../domain/file.ts'
import type { AnswerEntry, InterchangeEntry } from '../../domain/interchange-journal.ts'
import { addNameSuffix } from '../../domain/mailbox.ts'
import { readPages, repeatable } from '../../support/async.ts'
import { assert, BridgeError, hasCode } from '../../support/errors.ts'
import { gunzipIfNeeded } from '../../support/gunzip.ts'
import { PASS_FATAL } from '../failures.ts'
import type { FilePassProgress } from '../inbound/file-pass.ts'
import { getSpoolName } from '../inbound/intake.ts'
import { getDeliverySpoolName } from '../outbound/compose.ts'
import { deliverOnce } from '../outbound/naming.ts'
import { getFolderPlace } from '../outbound/outbox.ts'
import {
  type ComposeAgain,
  deliverAgain,
  finishRedelivery,
  type RedeliveryRequest,
  type RedeliveryResult,
} from '../outbound/redeliver.ts'
import type { AnswerPlace, InterchangeContext } from './context.ts'
import { listReadings, readJudgedRecords } from './judged-records.ts'

/** An answer that this pass delivered. */
export interface DeliveredAnswer {
  readonly partner: string
  /** The control number of its first interchange. */
  readonly number: number
  /** The path of its file, for people. */
  readonly path: string
  /** The id of the delivery. */
  readonly delivery: string
}

/** An answer that is due and could not be delivered. */
export interface FailedAnswer {
  readonly partner: string
  readonly failure: unknown
}

/** Failures that end the pass. A partner that refuses the login at its mailbox only delays its own answers. */
export const INBOX_FATAL = PASS_FATAL.filter((code) => code !== 'credentials-refused')

/**
 * Delivers the answers of the file that are due, and adds them to `delivered`. After a crash at any point, the same answer is
 * delivered once. An answer that fails does not stop those to other partners; returns those that failed.
 */
export async function deliverAnswers(
  context: InterchangeContext,
  file: FileEntry,
  delivered: DeliveredAnswer[],
): Promise<readonly FailedAnswer[]> {
  const { journal } = context
  const answers = await journal.listAnswers(file.id)
  if (answers.length === 0) return []
  const parts = await journal.listParts(file.id)
  const failed: FailedAnswer[] = []
  for (const answer of answers) {
    try {
      const done = await continueAnswer(context, { file, answer, parts })
      if (done !== undefined) delivered.push(done)
    } catch (error) {
      if (hasCode(error, ...INBOX_FATAL)) throw error
      failed.push({ partner: answer.partner, failure: error })
    }
  }
  return failed
}

interface AnswerWork<Answer = DecidedAnswer> {
  readonly file: FileEntry
  readonly answer: Answer
  readonly parts: readonly FileEntry[]
}

type DecidedAnswer = AnswerEntry & Required<Pick<AnswerEntry, 'decided'>>

/** Returns the answer when this pass delivered it. One that is in place needs its partner no more, and a held one waits. */
async function continueAnswer(
  context: InterchangeContext,
  work: AnswerWork<AnswerEntry>,
): Promise<DeliveredAnswer | undefined> {
  const { answer, parts } = work
  const known = answer.delivery === undefined ? undefined : await context.journal.getDelivery(answer.delivery)
  // A person said that it was delivered, and the bridge stopped before it was done.
  if (known?.state === 'delivered') await finishDeliveredAnswer(context, known)
  if (known !== undefined && (known.state !== 'composed' || known.held !== undefined)) return undefined
  const decided = await decide(context, answer, parts)
  if (decided === undefined) return undefined
  const done = await deliverAnswer(context, { ...work, answer: decided }, known)
  if (done === undefined) return undefined
  return { partner: answer.partner, number: decided.decided.numbers.interchange, ...done }
}

/** Undefined where the answer is not due. */
async function decide(
  context: InterchangeContext,
  answer: AnswerEntry,
  parts: readonly FileEntry[],
): Promise<DecidedAnswer | undefined> {
  const { journal, lease, clock } = context
  const isPlanned = parts.every(({ state }) => state !== 'claiming' && state !== 'received')
  if (answer.decided === undefined && !isPlanned && clock.now() < answer.dueAt) return undefined
  const { answer: rules, firstNumber } = findPartnerOf(context, answer)
  const byStructure = rules.when === 'syntax' || !isPlanned
  const decision = { byStructure, start: firstNumber }
  const entry = answer.decided === undefined ? await journal.decideAnswer(lease, answer.id, decision) : answer
  assert(entry.decided, `Answer ${answer.id} has no numbers although it was decided.`)
  return { ...entry, decided: entry.decided }
}

function findPartnerOf({ partners }: InterchangeContext, { partner: name }: AnswerEntry): Partner {
  const partner = partners.find((each) => each.name === name)
  if (partner?.to !== undefined) return partner
  throw new BridgeError(
    'configuration-invalid',
    `an answer to partner ${name} is due, and it says no place for it`,
    {
      fix: `Put partner ${name} back with \`to\`, until its answers are delivered.`,
    },
  )
}

/** Returns its delivery and the path of its file when this pass delivered it. */
async function deliverAnswer(
  context: InterchangeContext,
  work: AnswerWork,
  known: DeliveryEntry | undefined,
): Promise<Pick<DeliveredAnswer, 'delivery' | 'path'> | undefined> {
  const place = context.findAnswerPlace(findPartnerOf(context, work.answer))
  const delivery = known ?? (await composeAnswer(context, work, place))
  // After a restoration of the journal it may be held from the beginning.
  if (delivery.held !== undefined) return undefined
  const named = { delivery, place, isNew: known === undefined }
  const path = await context.placeBackoff.use(place, () => nameAnswer(context, work, named))
  return path === undefined ? undefined : { delivery: delivery.id, path }
}

/** A crash before the journal has the delivery only leaves a file in the spool. */
async function composeAnswer(context: InterchangeContext, work: AnswerWork, place: AnswerPlace) {
  const { journal, lease, spool, newId } = context
  const { answer } = work
  const id = newId()
  const { sha256, bytes } = await spool.put(getDeliverySpoolName(id), writeAnswer(context, work))
  assert(bytes > 0, `Answer ${answer.id} would be an empty file.`)
  const { at, numbers } = answer.decided
  const kind = answer.groups === 0 ? 'TA1' : findPartnerOf(context, answer).answer.kind
  const isX12 = answer.scope.syntax === 'x12'
  const named = { number: numbers.interchange, at, kind: isX12 ? kind : 'CONTRL' }
  return journal.createAnswerDelivery(lease, answer.id, {
    id,
    nameFor: (sequence, attempt) => addNameSuffix(place.nameFor({ ...named, sequence }), attempt),
    folder: place.folder,
    sha256,
    rows: answer.interchanges.length,
    records: answer.groups,
  })
}

/** The same bytes each time: they rest on the file, on what planning refused, and on what was decided. */
async function* writeAnswer(
  context: InterchangeContext,
  { file, answer, parts }: AnswerWork,
  input: AsyncIterable<Uint8Array> = context.spool.read(getSpoolName(file.id)),
): AsyncGenerator<Uint8Array> {
  const { interchanges, journal } = context
  const { at, numbers, byStructure } = answer.decided
  const partner = findPartnerOf(context, answer)
  const { kind, ta1, echoes } = partner.answer
  const isRefusing = partner.unrouted === 'refuse'
  yield* interchanges.answer(input, {
    interchanges: answer.interchanges,
    at,
    zone: partner.outgoing.zone,
    numbers,
    kind,
    ta1,
    echoes,
    reused: await findReused(context, file),
    readings: await listReadings(context, parts),
    ...(byStructure ? {} : { records: readJudgedRecords(context, parts) }),
    ...(isRefusing ? { unrouted: (await journal.getUnrouted(file.id)).unrouted } : {}),
  })
}

const INTERCHANGES_PAGE = 1000

/** The ordinals of the interchanges that are refused because another one had their number. */
export async function findReused({ journal }: InterchangeContext, file: FileEntry): Promise<Set<number>> {
  const reused = new Set<number>()
  for await (const page of readInterchanges(journal, file.id))
    for (const { ordinal, verdict } of page) if (verdict === 'reused') reused.add(ordinal)
  return reused
}

export function readInterchanges(
  journal: InterchangeContext['journal'],
  fileId: string,
): AsyncIterable<readonly InterchangeEntry[]> {
  const read = (after: number) => journal.listInterchanges(fileId, after, INTERCHANGES_PAGE)
  return readPages(read, 0, ({ ordinal }) => ordinal)
}

const REASON_MAX = 200

async function nameAnswer(
  context: InterchangeContext,
  work: AnswerWork,
  {
    delivery,
    place,
    isNew,
  }: { readonly delivery: DeliveryEntry; readonly place: AnswerPlace; readonly isNew: boolean },
): Promise<string | undefined> {
  const { journal, lease, spool, route, notify } = context
  const { target } = place
  const spooled = getDeliverySpoolName(delivery.id)
  let path: string | undefined
  await deliverOnce(
    { ...context, target },
    {
      ...delivery,
      spooled,
      isNew,
      compose: async () => {
        if (await spool.has(spooled)) return
        const { sha256 } = await spool.put(spooled, writeAnswer(context, work))
        if (sha256 === delivery.sha256) return
        await spool.remove(spooled)
        throw new BridgeError('cannot-write', `the answer ${delivery.name} cannot be made again as it was`)
      },
      rename: async (tries) => {
        const name = addNameSuffix(delivery.name, tries + 1)
        await journal.renameDelivery(lease, delivery.id, name)
        return name
      },
      finish: async (name) => {
        await journal.markDeliveryDone(lease, delivery.id, getFolderPlace(target, delivery.folder))
        path = target.describe(delivery.folder, name)
        const records = delivery.records
        return () => notify({ kind: 'delivered', route: route.name, file: path ?? name, records })
      },
      hold: (why) => {
        const reason = `the bridge stopped while it was delivered, and ${why}`
        return journal.holdDelivery(lease, delivery.id, reason.slice(0, REASON_MAX))
      },
    },
  )
  // A held answer stays in the spool: a person may say that it is to be delivered after all.
  if (path !== undefined) await spool.remove(spooled)
  return path
}

// A delivered answer once more: the spool may have the incoming file no more, and the archive has it.

/** Puts the bytes of a delivered answer into the spool; false where they cannot be made again as they were. */
export async function composeAnswerAgain(
  context: InterchangeContext,
  delivery: DeliveryEntry,
  spooled: string,
): Promise<boolean> {
  const { journal, spool } = context
  const answer = await journal.findAnswerOfDelivery(delivery.id)
  const file = answer && (await journal.getFile(answer.file))
  if (answer?.decided === undefined || file === undefined) return false
  const input = await findSource(context, file)
  if (input === undefined) return false
  const work = {
    file,
    answer: { ...answer, decided: answer.decided },
    parts: await journal.listParts(file.id),
  }
  const { sha256 } = await spool.put(spooled, writeAnswer(context, work, input))
  if (sha256 === delivery.sha256) return true
  await spool.remove(spooled)
  return false
}

/** The bytes of an incoming file, unpacked; undefined where they are gone. */
async function findSource(
  { spool, source }: InterchangeContext,
  { id, archivedAs = '' }: FileEntry,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  if (await spool.has(getSpoolName(id))) return spool.read(getSpoolName(id))
  if (!(await source.getArchivedSizes([archivedAs])).has(archivedAs)) return undefined
  return repeatable(() => gunzipIfNeeded(source.read({ archivedAs })))
}

/** Continues redeliveries that a stop left open; a person asked for them. One that fails stops nothing else. */
export async function continueAnswerRedeliveries(
  context: InterchangeContext,
  { failures, earlierFailures }: Pick<FilePassProgress, 'failures' | 'earlierFailures'>,
): Promise<void> {
  const { fileBackoff, journal, placeBackoff } = context
  const composeAgain: ComposeAgain = (of, spooled) => composeAnswerAgain(context, of, spooled)
  for (const redelivery of await journal.listOpenRedeliveries(context.route.name)) {
    const earlier = fileBackoff?.getFailure(redelivery.id)
    if (earlier !== undefined) {
      earlierFailures.push(earlier)
      continue
    }
    try {
      const place = await findPlaceOf(context, redelivery.delivery)
      const own = { ...context, target: place.target }
      await placeBackoff.use(place, () => finishRedelivery(own, redelivery, { isNew: false, composeAgain }))
    } catch (error) {
      if (hasCode(error, ...INBOX_FATAL)) throw error
      failures.push(error)
      fileBackoff?.noteFailureElsewhere(redelivery.id, error)
    }
  }
}

/** Where the answer of the delivery goes, as its partner says now. */
async function findPlaceOf(context: InterchangeContext, delivery: string): Promise<AnswerPlace> {
  return context.findAnswerPlace(findPartnerOf(context, await getAnswerOf(context, delivery)))
}

async function getAnswerOf({ journal }: InterchangeContext, delivery: string): Promise<AnswerEntry> {
  const answer = await journal.findAnswerOfDelivery(delivery)
  assert(answer, `Delivery ${delivery} is no answer.`)
  return answer
}

/** For the journal; undefined where the partner is gone: what a person said of its answer counts all the same. */
async function describePlaceOf(
  context: InterchangeContext,
  { id, folder }: DeliveryEntry,
): Promise<string | undefined> {
  const { partner: name } = await getAnswerOf(context, id)
  const partner = context.partners.find((each) => each.name === name)
  if (partner?.to === undefined) return undefined
  return getFolderPlace(context.findAnswerPlace(partner).target, folder)
}

/** Delivers a delivered answer once more, under a name of its own. */
export async function redeliverAnswer(
  context: InterchangeContext,
  delivery: DeliveryEntry,
  asked: RedeliveryRequest,
): Promise<RedeliveryResult> {
  const { target, folder } = await findPlaceOf(context, delivery.id)
  const composeAgain: ComposeAgain = (of, spooled) => composeAnswerAgain(context, of, spooled)
  return deliverAgain({ ...context, target }, delivery, { ...asked, folder, composeAgain })
}

/** A person said of a held answer whether it was delivered. Returns false where it is not held any more. */
export async function resolveAnswer(
  context: InterchangeContext,
  delivery: DeliveryEntry,
  decision: Omit<NewDeliveryResolution, 'place'>,
): Promise<boolean> {
  const { journal, lease } = context
  const place = await describePlaceOf(context, delivery)
  const resolved = await journal.resolveHeldDelivery(lease, delivery.id, {
    ...decision,
    ...(place && { place }),
  })
  if (resolved?.state === 'delivered') await finishDeliveredAnswer(context, resolved)
  return resolved !== undefined
}

/** delivered → done: an answer acknowledges no records. */
async function finishDeliveredAnswer(context: InterchangeContext, delivery: DeliveryEntry): Promise<void> {
  const place = await describePlaceOf(context, delivery)
  await context.journal.markDeliveryDone(context.lease, delivery.id, place)
}
