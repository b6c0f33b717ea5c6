/** Composes the file of a delivery or report in the spool, before anybody sees it. */
import type { Resource } from '../../domain/api.ts'
import type { DeliveryEntry } from '../../domain/delivery.ts'
import type { OutgoingRecord } from '../../domain/record.ts'
import { BridgeError } from '../../support/errors.ts'
import type { OutboundContext } from '../context.ts'
import { addAttributesToPages, addOrderAttributes } from '../references/order-attributes.ts'
import { readSelected } from './listing.ts'
import { addNameSuffix } from './outbox.ts'
import {
  createTally,
  type FileContents,
  type ReportTally,
  type UnwrittenRecord,
  writeReportLines,
  writeRows,
} from './report-rows.ts'

/** How many records are turned into rows at once. */
const PAGE = 250

/** A record that is in no file, because it could not be turned into rows. */
export interface HeldRecord extends UnwrittenRecord {
  readonly id: number
}

/** How far a pass has come through the waiting records. */
export interface ComposeProgress {
  /** The last record that was looked at. */
  upToRecord: number
  /** All that could not be turned into rows, whichever file they were meant for. */
  readonly held: HeldRecord[]
}

/** How many records one file of the route holds at most; undefined: all that wait. */
export function getRecordsPerFile({ route, composer }: OutboundContext): number | undefined {
  return route.namesRecord ? 1 : composer.recordsPerFile
}

/** Makes one delivery of what waits, or of what one file holds. A crash before only leaves a file in the spool. */
export async function composeDelivery(context: OutboundContext, progress: ComposeProgress) {
  const { journal, lease, spool, route, clock } = context
  const id = context.newId()
  const found: FileContents = { records: 0, rows: 0 }
  const lines = writeDeliveryLines(context, readWaitingPages(context, progress, found), { progress, found })
  const blob = await spool.put(getDeliverySpoolName(id), lines)
  if (found.records === 0) {
    if (progress.held.length > 0) await journal.holdRecords(lease, progress.held)
    await spool.remove(getDeliverySpoolName(id))
    return undefined
  }
  const composedAt = clock.now()
  return journal.createDelivery(lease, {
    id,
    nameFor: (sequence, run) => addNameSuffix(route.nameFor(sequence, composedAt, found.first ?? {}), run),
    folder: route.folder,
    sha256: blob.sha256,
    rows: found.rows,
    upToRecord: progress.upToRecord,
    // Those held for an earlier file of the pass lie before the mark too.
    held: progress.held,
  })
}

/** The bytes of the file, record after record; notes what it came to hold, and how far it came. */
export function writeDeliveryLines(
  context: OutboundContext,
  pages: AsyncIterable<readonly OutgoingRecord[]>,
  { progress, found }: { readonly progress: ComposeProgress; readonly found: FileContents },
): AsyncGenerator<Uint8Array> {
  let current: readonly OutgoingRecord[] = []
  async function* readBodies() {
    for await (const page of pages) {
      current = page
      yield await addOrderAttributes(
        context,
        page.map(({ body }) => JSON.parse(body) as Resource),
      )
      // Records collected while composing are beyond the mark and wait for the next delivery.
      progress.upToRecord = page.at(-1)?.id ?? progress.upToRecord
    }
  }
  const { operation } = context.route
  return writeRows({ ...context, operation }, readBodies(), found, (unwritten, _, index) => {
    const { id = 0, apiId = '' } = current[index] ?? {}
    progress.held.push({ id, apiId, ...unwritten })
  })
}

/** The waiting records behind those looked at, until the file is full. */
async function* readWaitingPages(context: OutboundContext, progress: ComposeProgress, found: FileContents) {
  const most = getRecordsPerFile(context) ?? Number.POSITIVE_INFINITY
  while (found.records < most) {
    const limit = Math.min(PAGE, most - found.records)
    const page = await context.journal.listUndeliveredRecords(context.route.name, progress.upToRecord, limit)
    if (page.length === 0) return
    yield page
  }
}

/** The name of a delivery's file in the spool. */
export function getDeliverySpoolName(id: string): string {
  return `${id}.out`
}

// A report is all that the list shows right now, in a file of its own. The journal keeps no record of it.

interface ComposedReport {
  /** Left out when there was nothing to write. */
  readonly delivery?: DeliveryEntry
  readonly tally: ReportTally
  /** What was named and is not there. */
  readonly missing: readonly string[]
}

export type ReportOptions = NonNullable<OutboundContext['route']['report']>

/** Before the journal has the delivery, a crash only leaves a file in the spool; after it, the file goes out as it is. */
export async function composeReport(context: OutboundContext, how: ReportOptions): Promise<ComposedReport> {
  const { api, journal, lease, spool, route, clock } = context
  const id = context.newId()
  const tally = createTally()
  const { pages, missing } = readSelected(api, route, await how.select(clock.now()))
  const shown = addAttributesToPages(context, trackProgress(context, pages))
  const lines = writeReportLines({ ...context, operation: route.operation }, shown, tally)
  const blob = await spool.put(getDeliverySpoolName(id), lines)
  if (tally.records === 0 && how.empty === 'skip') {
    await spool.remove(getDeliverySpoolName(id))
    return { tally, missing: missing() }
  }
  const composedAt = clock.now()
  const delivery = await journal.createReportDelivery(lease, {
    id,
    nameFor: (sequence, run) => addNameSuffix(route.nameFor(sequence, composedAt, {}), run),
    folder: route.folder,
    sha256: blob.sha256,
    rows: tally.rows,
    records: tally.records,
    ...(context.scheduledRun === undefined ? {} : { scheduledRun: context.scheduledRun.name }),
  })
  return { delivery, tally, missing: missing() }
}

/** Tells how far the reading is, and ends it at a signal. */
export async function* trackProgress(
  { signal, notify, route }: Pick<OutboundContext, 'signal' | 'notify'> & { route: { name: string } },
  pages: AsyncIterable<readonly Resource[]>,
): AsyncGenerator<readonly Resource[], void, undefined> {
  let done = 0
  for await (const page of pages) {
    if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    done += page.length
    notify({ kind: 'progress', route: route.name, file: '', phase: 'collecting', done })
    yield page
  }
}
