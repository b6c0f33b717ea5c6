/** The list of outgoing files, and one of them with its records. */
import {
  type DeliveryEntry,
  DELIVERY_STATES,
  type DeliveryState,
  type RedeliveryDecision,
  type RedeliveryEntry,
} from '../../domain/delivery.ts'
import { isInboxKey } from '../../config/edi.ts'
import { addNameSuffix } from '../../domain/mailbox.ts'
import type { DeliveryQuery } from '../../domain/journal.ts'
import type { RecordState, StateCounts } from '../../domain/record.ts'
import type { TracedRecord } from '../../domain/trace.ts'
import { identifyRedeliveries } from '../../pipeline/outbound/redeliver.ts'
import { isAwaitingConfirmation, waitsForConfirmation } from '../../pipeline/outbound/confirmation-rules.ts'
import { BridgeError } from '../../support/errors.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { assertRepeatable } from '../redeliver.ts'
import { traceAnsweredFile, traceSending } from '../trace-interchanges.ts'
import { nameRecord } from '../trace.ts'
import type { ConsoleContext } from './context.ts'
import { type FileDownload, type Obstacle, readDeliveryContents, toDownload } from './contents.ts'
import { readDeliveryDismissal } from './deciding.ts'
import { COUNTED_MAX, formatKey, formatPlace, parsePlace, type Total, toTotal } from './lists.ts'
import { type Audience, type ShownProblem, showProblem } from './masks.ts'
import { type NamedWork, type ShownSending, showSending } from './records.ts'

export interface ListedDelivery extends NamedWork {
  readonly route: string
  readonly folder: string
  readonly records: number
  readonly rows: number
  readonly state: DeliveryState
  readonly composedAt: number
  readonly deliveredAt?: number
  readonly acknowledgedAt?: number
  /** `picked-up`, or the name of the receipt. */
  readonly confirmedBy?: string
  readonly confirmedAt?: number
  /** Its records are acknowledged once its reader takes it, which was not seen yet. */
  readonly isAwaited: boolean
  /** The route watches whether its reader takes it. */
  readonly isWatched: boolean
  /** When the first of its records should be acknowledged; left out where all of them are. */
  readonly acknowledgeBy?: number
  /** Why it waits for a person. */
  readonly held?: string
  /** The control numbers of an interchange, and what its partner answered. */
  readonly sending?: ShownSending
  /** Of an answer: what it answers. */
  readonly answers?: AnsweredFile
  /** How often it was delivered again, or is being; left out for never. */
  readonly again?: number
  /** Its bytes can be delivered once more, as far as the journal knows. */
  readonly isRepeatable: boolean
}

/** The file that an answer is for, and how much of it the answer is about. */
export interface AnsweredFile extends NamedWork {
  readonly interchanges: number
  readonly sets: number
}

export interface DeliveriesPage {
  /** Newest first. */
  readonly deliveries: readonly ListedDelivery[]
  readonly total: Total
  /** The id after which the next page begins; left out on the last one. */
  readonly next?: string
  /** All routes that deliver files, for the choice. */
  readonly routes: readonly string[]
}

export interface DeliveriesRequest {
  readonly route?: string
  /** A state of deliveries, `waiting` or `held`; others are left out of account. */
  readonly state?: string
  /** The id of the last delivery of the page before. */
  readonly after?: string
}

const DELIVERIES_ON_A_PAGE = 50

export const DELIVERY_CHOICES = [
  'waiting',
  'held',
  ...(Object.keys(DELIVERY_STATES) as DeliveryState[]),
] as const

export async function listDeliveries(
  context: ConsoleContext,
  { route, state: asked, after }: DeliveriesRequest,
): Promise<DeliveriesPage> {
  const { journal, configuration } = context
  const state = DELIVERY_CHOICES.find((each) => each === asked)
  const query: DeliveryQuery = omitUndefined({ route, state })
  const found = await journal.listDeliveries(query, after, DELIVERIES_ON_A_PAGE + 1)
  const deliveries: ListedDelivery[] = []
  for (const entry of found.slice(0, DELIVERIES_ON_A_PAGE))
    deliveries.push(await showDelivery(context, entry))
  return omitUndefined({
    deliveries,
    total: toTotal(await journal.countDeliveries(query, COUNTED_MAX + 1)),
    next: found.length > DELIVERIES_ON_A_PAGE ? deliveries.at(-1)?.id : undefined,
    routes: configuration.routes.filter(({ direction }) => direction === 'outbound').map(({ name }) => name),
  })
}

type ShownEntry = DeliveryEntry & { readonly acknowledgeBy?: number }

async function showDelivery(context: ConsoleContext, entry: ShownEntry): Promise<ListedDelivery> {
  const { journal, configuration } = context
  const { id, name, route, folder, records, rows, state, composedAt, held, acknowledgeBy } = entry
  const { deliveredAt, acknowledgedAt, confirmedAt, confirmedBy } = entry
  const found = configuration.routes.find((each) => each.name === route)
  const isAwaited = found?.direction === 'outbound' && isAwaitingConfirmation({ route: found }, entry)
  const isWatched = found?.direction === 'outbound' && waitsForConfirmation(found)
  const isDue =
    acknowledgeBy !== undefined &&
    (state !== 'acknowledged' || (await journal.listUnacknowledgedRecords(1, id)).length > 0)
  const sending = await traceSending(journal, id)
  const again = (await journal.listRedeliveries(id)).length
  return omitUndefined({
    id,
    name,
    route,
    folder,
    records,
    rows,
    state,
    composedAt,
    held,
    acknowledgeBy: isDue ? acknowledgeBy : undefined,
    deliveredAt,
    acknowledgedAt,
    confirmedAt,
    confirmedBy,
    isAwaited,
    isWatched,
    sending: sending && showSending(sending),
    answers: await readAnswered(journal, entry),
    again: again === 0 ? undefined : again,
    isRepeatable: (await findRepeatObstacle(context, entry)) === undefined,
  })
}

/** So many interchanges of one answer are counted. */
const INTERCHANGES_MAX = 1000

/** Undefined for a delivery that is no answer to interchanges, or one to more of them than are counted. */
export async function readAnswered(
  journal: ConsoleContext['journal'],
  entry: DeliveryEntry,
): Promise<AnsweredFile | undefined> {
  if (!isInboxKey(entry.route)) return undefined
  const { answer, file } = (await traceAnsweredFile(journal, entry)) ?? {}
  if (answer === undefined || file === undefined) return undefined
  const { interchanges: ordinals } = answer
  const first = Math.min(...ordinals)
  const span = Math.max(...ordinals) - first + 1
  if (span > INTERCHANGES_MAX) return undefined
  const found = await journal.listInterchanges(file.id, first - 1, span)
  const own = found.filter(({ ordinal }) => ordinals.includes(ordinal))
  const sets = own.reduce((sum, each) => sum + each.sets, 0)
  return { id: file.id, name: file.name, interchanges: ordinals.length, sets }
}

// One delivery.

export interface DeliveredRecord {
  readonly id: number
  readonly number: number
  /** As it is called on paper, else its id at the API. */
  readonly key: string
  readonly purchaseOrder?: string
  readonly apiId?: string
  readonly operation: string
  readonly state: RecordState
  readonly problems: readonly ShownProblem[]
}

export interface DeliveryPage extends ListedDelivery {
  readonly sequence: number
  readonly counts: StateCounts
  readonly prunedAt?: number
  /** Those with trouble first. */
  readonly page: readonly DeliveredRecord[]
  /** Where the next page of records begins; left out on the last one. */
  readonly next?: string
  /** The same bytes once more, as persons asked; the oldest first. */
  readonly redeliveries: readonly ShownRedelivery[]
  /** Something of it waits for a person, who may dismiss it. */
  readonly isDismissible: boolean
}

export type ShownRedelivery = Pick<RedeliveryEntry, 'name' | 'folder' | 'state' | 'beganAt'> & {
  /** Who wanted it, and why. */
  readonly decided?: Omit<RedeliveryDecision, 'at'>
}

const RECORDS_ON_A_PAGE = 100

/** Undefined where the journal has no such delivery. */
export async function readDeliveryPage(
  context: ConsoleContext,
  request: { readonly id: string; readonly after?: string },
  audience: Audience,
): Promise<DeliveryPage | undefined> {
  const { journal } = context
  const [entry] = await journal.listDeliveries({ id: request.id }, undefined, 1)
  if (entry === undefined) return undefined
  const work = { delivery: entry.id }
  const query = omitUndefined({ after: parsePlace(request.after) })
  const found = await journal.listRecords(work, query, RECORDS_ON_A_PAGE + 1)
  const records = found.slice(0, RECORDS_ON_A_PAGE)
  const details = await journal.traceDetails(records.map(({ id }) => id))
  const bodies = new Map(details.map(({ record, body }) => [record, body]))
  return omitUndefined({
    ...(await showDelivery(context, entry)),
    sequence: entry.sequence,
    counts: await journal.countRecords(work),
    prunedAt: entry.prunedAt,
    page: records.map((record) => showRecord(record, bodies.get(record.id), audience)),
    next: found.length > RECORDS_ON_A_PAGE ? formatPlace(records.at(-1)) : undefined,
    redeliveries: await listShownRedeliveries(journal, await journal.listRedeliveries(entry.id)),
    isDismissible: ((await readDeliveryDismissal(context, entry.id))?.open.length ?? 0) > 0,
  })
}

/** Of one delivery. A decision is about the last one that began until then; the first decision about it is the one that wanted it. */
async function listShownRedeliveries(
  journal: ConsoleContext['journal'],
  all: readonly RedeliveryEntry[],
): Promise<readonly ShownRedelivery[]> {
  const [first] = all
  if (first === undefined) return []
  const decisions = await journal.listRedeliveryDecisions(first.delivery)
  return all.map((each, index) => {
    const next = all[index + 1]?.beganAt ?? Infinity
    const found = decisions.find(({ at }) => at >= each.beganAt && at < next)
    const decided = found && { id: found.id, by: found.by, why: found.why }
    return omitUndefined({ ...showRedelivery(each), decided })
  })
}

export function showRedelivery({ name, folder, state, beganAt }: RedeliveryEntry): ShownRedelivery {
  return { name, folder, state, beganAt }
}

/** Why its bytes cannot be delivered once more. */
export async function findRepeatObstacle(
  context: ConsoleContext,
  delivery: DeliveryEntry,
): Promise<BridgeError | undefined> {
  try {
    await assertRepeatable(context, delivery)
    return undefined
  } catch (error) {
    if (error instanceof BridgeError) return error
    throw error
  }
}

function showRecord(record: TracedRecord, body: string | undefined, audience: Audience): DeliveredRecord {
  const { id, number, apiId, operation, state } = record
  const { called, purchaseOrder } = nameRecord(record, body)
  const problems = record.problems.map((each) => showProblem(each, audience))
  const key = called ?? formatKey(record)
  return omitUndefined({ id, number, key, purchaseOrder, apiId, operation, state, problems })
}

// The same bytes once more, as a person asks.

export interface RedeliveryPreview {
  readonly delivery: ListedDelivery
  /** The mailbox and folder that it goes to; left out for an answer, which goes where its partner has them. */
  readonly to?: string
  /** Its name, unless another file has it. */
  readonly name: string
  /** The earlier ones, the oldest first. */
  readonly redeliveries: readonly ShownRedelivery[]
  /** One that a stop left open: it is finished in place of a new one. */
  readonly open?: ShownRedelivery
  /** Why it cannot be done. */
  readonly obstacle?: Obstacle
  /** What the person saw: another text after each redelivery. */
  readonly seen: string
}

/** Undefined where the journal has no such delivery. */
export async function readRedeliveryPreview(
  context: ConsoleContext,
  id: string,
): Promise<RedeliveryPreview | undefined> {
  const { journal, configuration } = context
  const [entry] = await journal.listDeliveries({ id }, undefined, 1)
  if (entry === undefined) return undefined
  const all = await journal.listRedeliveries(id)
  const open = all.find(({ state }) => state === 'begun')
  const route = configuration.routes.find(({ name }) => name === entry.route)
  const obstacle = await findRepeatObstacle(context, entry)
  return omitUndefined({
    delivery: await showDelivery(context, entry),
    to: route?.direction === 'outbound' ? `${route.to.mailbox}: ${route.to.folder}` : undefined,
    name: open?.name ?? addNameSuffix(entry.name, all.length + 2),
    redeliveries: (await listShownRedeliveries(journal, all)).filter((_, index) => all[index] !== open),
    open: open && showRedelivery(open),
    obstacle: obstacle && { message: obstacle.message, fix: obstacle.fix },
    seen: identifyRedeliveries(all),
  })
}

// What is in it.

/** A row of a delivered file, and whose it is. */
export interface PreviewedRow {
  readonly cells: readonly string[]
  /** Left out where the row is a line of a file whose records the journal does not keep. */
  readonly record?: Pick<DeliveredRecord, 'id' | 'key' | 'purchaseOrder'>
}

export interface DeliveryPreview {
  readonly delivery: ListedDelivery
  /** Empty for lines and segments. */
  readonly columns: readonly string[]
  /** The first rows of records: without a header, a trailer, and the segments around them. */
  readonly rows: readonly PreviewedRow[]
  readonly size?: number
  /** Why there is nothing to show. */
  readonly missing?: Obstacle
}

const PREVIEWED_ROWS = 100

/** Undefined where the journal has no such delivery. */
export async function readDeliveryPreview(
  context: ConsoleContext,
  id: string,
  audience: Audience,
): Promise<DeliveryPreview | undefined> {
  const [entry] = await context.journal.listDeliveries({ id }, undefined, 1)
  if (entry === undefined) return undefined
  const delivery = await showDelivery(context, entry)
  const found = await readDeliveryContents(context, entry, { rowsMax: PREVIEWED_ROWS, ...audience })
  if ('missing' in found) return { delivery, columns: [], rows: [], missing: found.missing }
  const { bytes, composed } = found
  if (composed === undefined) {
    if (audience.isMasked)
      return { delivery, columns: [], rows: [], size: bytes.length, missing: NOT_FOR_VIEWERS }
    const lines = bytes.toString('latin1').split(/\r?\n/, PREVIEWED_ROWS)
    const decoded = lines.map((line) => Buffer.from(line, 'latin1').toString())
    return { delivery, columns: [], rows: decoded.map((line) => ({ cells: [line] })), size: bytes.length }
  }
  const { columns, rows, bodies } = composed
  const ids = [...new Set(rows.map(({ record }) => record))]
  const traced = await context.journal.listTracedRecords(ids)
  const records = new Map(traced.map((each) => [each.id, showRecord(each, bodies.get(each.id), audience)]))
  return {
    delivery,
    columns,
    rows: rows.map(({ record, cells }) => ({ cells, record: nameRowRecord(record, records.get(record)) })),
    size: bytes.length,
  }
}

const NOT_FOR_VIEWERS: Obstacle = {
  message: 'Its rows are of no records that the journal keeps, so personal data in them cannot be hidden.',
  fix: 'Ask a person whose role sees personal data.',
}

function nameRowRecord(id: number, record: DeliveredRecord | undefined): NonNullable<PreviewedRow['record']> {
  return omitUndefined({ id, key: record?.key ?? '', purchaseOrder: record?.purchaseOrder })
}

/** Undefined where the journal has no such delivery. */
export async function readDeliveryDownload(
  context: ConsoleContext,
  id: string,
): Promise<FileDownload | undefined> {
  const [entry] = await context.journal.listDeliveries({ id }, undefined, 1)
  if (entry === undefined) return undefined
  return toDownload(entry, entry.name, await readDeliveryContents(context, entry))
}
