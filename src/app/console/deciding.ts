/** What a person sees before a decision: exactly the records that it is about, and what would become of each. */
import { isInboxKey } from '../../config/edi.ts'
import type { DecisionAction, HeldFile, RejectedFile } from '../../domain/decision.ts'
import type { StateCounts } from '../../domain/record.ts'
import type { TracedRecord } from '../../domain/trace.ts'
import type { LineRange } from '../../domain/translator.ts'
import { createDecisionDigest } from '../../journal/decisions.ts'
import { yieldToEventLoop } from '../../journal/store.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import type { ConsoleContext } from './context.ts'
import { formatKey } from './lists.ts'
import { type Audience, type ShownProblem, showProblem } from './masks.ts'
import { DISMISSIBLE_MAX, isDecided, type NamedWork, readRecordPage, type RecordStory } from './records.ts'

/** A record that the decision is about. */
interface PreviewedRecord {
  readonly id: number
  readonly number: number
  readonly key: string
  readonly lines: readonly LineRange[]
  readonly becomes: TracedRecord['state']
  /** Why it would not be sent; empty for one that would. */
  readonly verdict: readonly ShownProblem[]
}

export interface DecisionPreview {
  readonly action: DecisionAction
  readonly file: NamedWork
  readonly route: string
  /** Where it is about this record alone. */
  readonly record?: { readonly id: number; readonly key: string }
  /** The id of the file, or the record as `ROUTE/#NUMBER`. */
  readonly what: string
  readonly total: number
  /** How many there are of what would become of them. */
  readonly becomes: StateCounts
  /** Why they wait, and how many for each reason. */
  readonly reasons: readonly { readonly problem: ShownProblem; readonly records: number }[]
  readonly records: readonly PreviewedRecord[]
  /** The number of the record after which the next page begins; left out on the last one. */
  readonly next?: number
  /** Of all records of the decision, and of what would become of them. */
  readonly digest: string
}

export interface DecisionQuery {
  readonly action: DecisionAction
  readonly file?: string
  readonly record?: number
  /** As in `next`. */
  readonly after?: number
}

const RECORDS_ON_A_PAGE = 200

/** So many are read at once; between them other pages are answered. */
const BATCH_SIZE = 500

const REASONS_MAX = 10

/** Undefined where the journal has no such file or record, or none that anything can be decided about. */
export async function readDecisionPreview(
  { journal }: ConsoleContext,
  { action, file: fileId, record: recordId, after = 0 }: DecisionQuery,
  audience: Audience,
): Promise<DecisionPreview | undefined> {
  const [record] = recordId === undefined ? [] : await journal.listTracedRecords([recordId])
  const file = await journal.getFile(record?.file ?? fileId ?? '')
  if (file === undefined || isInboxKey(file.route)) return undefined
  const scope = omitUndefined({ action, record: record?.id })
  const digest = createDecisionDigest()
  const becomes: Record<string, number> = {}
  const reasons = new Map<string, { readonly problem: ShownProblem; records: number }>()
  const records: PreviewedRecord[] = []
  let total = 0
  for (let last = 0; ; await yieldToEventLoop()) {
    const batch = await journal.listDecidableRecords(file.id, scope, last, BATCH_SIZE)
    digest.add(batch)
    total += batch.length
    for (const each of batch) {
      becomes[each.becomes] = (becomes[each.becomes] ?? 0) + 1
      const [first] = each.problems
      const problem = first && showProblem({ ...first, place: {} }, audience)
      const known = problem && reasons.get(problem.message)
      if (known !== undefined) known.records++
      else if (problem !== undefined && reasons.size < REASONS_MAX)
        reasons.set(problem.message, { problem, records: 1 })
      if (each.number <= after || records.length > RECORDS_ON_A_PAGE) continue
      const { id, number, lines } = each
      const verdict = each.verdict.map((why) => showProblem(why, audience))
      records.push({ id, number, lines, key: formatKey(each), becomes: each.becomes, verdict })
    }
    if (batch.length < BATCH_SIZE) break
    last = batch.at(-1)?.number ?? last
  }
  const page = records.slice(0, RECORDS_ON_A_PAGE)
  return omitUndefined({
    action,
    file: { id: file.id, name: file.name },
    route: file.route,
    record: record && { id: record.id, key: formatKey(record) },
    what: record === undefined ? file.id : `${file.route}/#${record.id}`,
    total,
    becomes,
    reasons: [...reasons.values()],
    records: page,
    next: records.length > RECORDS_ON_A_PAGE ? page.at(-1)?.number : undefined,
    digest: digest.finish(),
  })
}

export interface ResolutionPreview {
  readonly record: RecordStory
  /** As `ROUTE/#NUMBER`. */
  readonly what: string
  /** What came of it is not known yet. */
  readonly isOpen: boolean
  /** A late answer may still come for so long; only an id of the API can be noted now. */
  readonly waitMs: number
  /** How long a late answer is waited for in all. */
  readonly lateAnswerMs: number
}

/** Undefined where the journal has no such incoming record. */
export async function readResolutionPreview(
  context: ConsoleContext,
  id: number,
  audience: Audience,
): Promise<ResolutionPreview | undefined> {
  const { journal, configuration, clock } = context
  const page = await readRecordPage(context, id, audience)
  if (page?.record.direction !== 'incoming') return undefined
  const { record } = page
  const [open] = await journal.listUnresolvedRecords(1, { key: `#${id}`, route: record.route })
  const { lateAnswerMs } = configuration.api
  const waitMs = open?.state === 'uncertain' ? open.since + lateAnswerMs - clock.now() : 0
  return {
    record,
    what: `${record.route}/#${id}`,
    isOpen: open !== undefined,
    waitMs: Math.min(Math.max(0, waitMs), lateAnswerMs),
    lateAnswerMs,
  }
}

/** How many records of a file a person can decide about. */
export type DecidableCounts = Readonly<Record<DecisionAction, number>>

/** `waiting`: how many wait for their orders, which only a discard ends. */
export function countDecidable(
  held: readonly Pick<HeldFile, 'code' | 'records'>[],
  waiting: readonly { readonly records: number }[] = [],
): DecidableCounts {
  const count = (action: DecisionAction) =>
    held.reduce((sum, { code, records }) => sum + (isDecided(action, code) ? records : 0), 0)
  const waits = waiting.reduce((sum, { records }) => sum + records, 0)
  return { release: count('release'), discard: count('discard') + waits }
}

// What a person wants no correction of.

export interface DismissalPreview {
  readonly of: NamedWork
  readonly route: string
  readonly direction: 'incoming' | 'outgoing'
  /** The id of the file or delivery, or the record as `ROUTE/#NUMBER`. */
  readonly what: string
  /** Where it is about this record alone. */
  readonly record?: { readonly id: number; readonly key: string }
  /** Each of what waits for a person, in words; empty where nothing does. */
  readonly open: readonly { readonly records: number; readonly why: string }[]
  /** The first of the refused records that it is about. */
  readonly records: readonly RefusedRecord[]
  /** Records whose corrected file is in the inbox or in work: they stay as they are. */
  readonly underWay: number
  /** Another text when something of it changed. */
  readonly seen: string
}

interface RefusedRecord {
  readonly id: number
  readonly key: string
  readonly lines: readonly LineRange[]
  readonly problems: readonly ShownProblem[]
}

/** How many of what waits is listed by its reason. */
const OPEN_MAX = 1_000

const REFUSED_MAX = 200

const OPEN_WORDS: Readonly<Record<RejectedFile['what'], string>> = {
  rejected: 'rejected, and not corrected',
  unusable: 'the whole file is unusable',
  vanished: 'it was gone before it could be taken',
  'source-removed': 'its source was removed before it was finished',
  unrouted: 'no route takes these documents',
  unknown: 'their sender or receiver is not known',
  reused: 'the control number of an interchange came before, with other contents',
  answer: 'nothing came of what a partner answers in it',
}

/** Undefined where the journal has no such file. */
export async function readFileDismissal(
  { journal }: ConsoleContext,
  id: string,
  audience: Audience,
): Promise<DismissalPreview | undefined> {
  const file = await journal.getFile(id)
  if (file === undefined) return undefined
  const { open: refused, underWay } = await journal.countRefused(id)
  const found = await journal.listRejectedFiles(OPEN_MAX, id)
  const open = found
    .map(({ what, records }) => ({ records: what === 'rejected' ? refused : records, what }))
    .filter(({ what, records }) => what !== 'rejected' || records > 0)
    .map(({ what, records }) => ({ records, why: OPEN_WORDS[what] }))
  const all = await journal.listCorrectableRecords(id, REFUSED_MAX + underWay)
  const records = all.filter(({ state, correction }) => state === 'rejected' && correction === undefined)
  return {
    of: { id, name: file.name },
    route: file.route,
    direction: 'incoming',
    what: id,
    open,
    records: records.slice(0, REFUSED_MAX).map((record) => showRefused(record, audience)),
    underWay,
    seen: toSeen(open),
  }
}

/** Undefined where the journal has no such incoming record. */
export async function readRecordDismissal(
  { journal }: ConsoleContext,
  id: string,
  audience: Audience,
): Promise<DismissalPreview | undefined> {
  const [record] = /^\d{1,15}$/.test(id) ? await journal.listTracedRecords([Number(id)]) : []
  const file = record?.file === undefined ? undefined : await journal.getFile(record.file)
  if (record === undefined || file === undefined) return undefined
  const all = await journal.listCorrectableRecords(file.id, DISMISSIBLE_MAX)
  const found = all.find((each) => each.id === record.id)
  const isOpen = found !== undefined && found.correction === undefined
  const open = isOpen ? [{ records: 1, why: OPEN_WORDS.rejected }] : []
  return {
    of: { id: file.id, name: file.name },
    route: record.route,
    direction: 'incoming',
    what: `${record.route}/#${id}`,
    record: { id: record.id, key: formatKey(record) },
    open,
    records: isOpen ? [showRefused(record, audience)] : [],
    underWay: found?.correction === undefined ? 0 : 1,
    seen: toSeen(open),
  }
}

function showRefused(
  record: Pick<TracedRecord, 'id' | 'keyValues' | 'lines' | 'problems'>,
  audience: Audience,
): RefusedRecord {
  const { id, lines, problems } = record
  return { id, key: formatKey(record), lines, problems: problems.map((each) => showProblem(each, audience)) }
}

/** Undefined where the journal has no such delivery. */
export async function readDeliveryDismissal(
  { journal }: ConsoleContext,
  id: string,
): Promise<DismissalPreview | undefined> {
  const delivery = await journal.getDelivery(id)
  if (delivery === undefined) return undefined
  const found = await journal.listUnacknowledgedRecords(OPEN_MAX, id)
  const counted = (['held', 'rejected'] as const).map((state) => ({
    records: found.filter((each) => each.state === state).length,
    why: state === 'held' ? 'changed before it was acknowledged' : 'its acknowledgement was refused',
  }))
  const open = [
    ...counted.filter(({ records }) => records > 0),
    ...((await journal.isAwaitingDecision(id))
      ? [{ records: 0, why: 'refused or not answered by the partner' }]
      : []),
  ]
  return {
    of: { id, name: delivery.name },
    route: delivery.route,
    direction: 'outgoing',
    what: id,
    open,
    records: [],
    underWay: 0,
    seen: toSeen(open),
  }
}

function toSeen(open: DismissalPreview['open']): string {
  return open.map(({ records, why }) => `${records} ${why}`).join('; ')
}
