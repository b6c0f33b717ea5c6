/** Composes the file of a delivery or report in the spool, before it is delivered. */
import type { Resource } from '../../domain/api.ts'
import type { DeliveryEntry } from '../../domain/delivery.ts'
import { addNameSuffix } from '../../domain/name-suffix.ts'
import type { OutgoingRecord } from '../../domain/record.ts'
import { throwIfStopped } from '../../support/errors.ts'
import type { OutboundContext } from '../context.ts'
import { addAttributesToPages, addOrderAttributes } from '../references/order-attributes.ts'
import { readSelected } from './listing.ts'
import {
  createTally,
  type FileContents,
  type ReportTally,
  type UnwrittenRecord,
  writeReportLines,
  writeRows,
} from './file-rows.ts'

/** How many records are turned into rows at once. */
const PAGE = 250

/** A record that is in no file, because it could not be turned into rows. */
export interface HeldRecord extends UnwrittenRecord {
  readonly id: number
}

/** How far a pass has read the waiting records. */
export interface ComposeProgress {
  /** The last record that was read. */
  upToRecord: number
  /** All records that could not be turned into rows, for any file of the pass. */
  readonly held: HeldRecord[]
}

/** How many records one file of the route holds at most; undefined: all waiting records. */
export function getRecordsPerFile({ route, composer }: OutboundContext): number | undefined {
  return route.namesRecord ? 1 : composer.recordsPerFile
}

/** Makes one delivery of the waiting records, up to one file. Until the journal has it, a crash only leaves a spool file. */
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
  const delivery = await journal.createDelivery(lease, {
    id,
    nameFor: (sequence, run) => addNameSuffix(route.nameFor(sequence, composedAt, found.first ?? {}), run),
    folder: route.folder,
    sha256: blob.sha256,
    rows: found.rows,
    upToRecord: progress.upToRecord,
    // The mark also covers records that are held for an earlier file of the pass.
    held: progress.held,
  })
  reportFormulas(context, delivery.name, found)
  return delivery
}

function reportFormulas({ notify, route }: OutboundContext, file: string, { formulas }: FileContents): void {
  if (formulas === undefined) return
  const { cells, first, apiId } = formulas
  const { column = '' } = first.place
  notify({ kind: 'formulas-exported', route: route.name, file, cells, column, apiId })
}

/** The bytes of the file, record after record; updates its contents and the progress. */
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

/** The waiting records after those already read, until the file is full. */
async function* readWaitingPages(context: OutboundContext, progress: ComposeProgress, found: FileContents) {
  const limit = getRecordsPerFile(context) ?? Number.POSITIVE_INFINITY
  while (found.records < limit) {
    const size = Math.min(PAGE, limit - found.records)
    const page = await context.journal.listUndeliveredRecords(context.route.name, progress.upToRecord, size)
    if (page.length === 0) return
    yield page
  }
}

export function getDeliverySpoolName(id: string): string {
  return `${id}.out`
}

export function isDeliverySpoolName(name: string): boolean {
  return name.endsWith('.out')
}

// A report is all that the list shows right now, in a file of its own. The journal keeps no record of its contents.

interface ComposedReport {
  /** Left out when there were no records to write. */
  readonly delivery?: DeliveryEntry
  readonly tally: ReportTally
  /** Names of the selection that the API does not show. */
  readonly missing: readonly string[]
}

export type ReportOptions = NonNullable<OutboundContext['route']['report']>

/** A crash before `createReportDelivery` only leaves a file in the spool; after it, the file goes out as it is. */
export async function composeReport(context: OutboundContext, rules: ReportOptions): Promise<ComposedReport> {
  const { api, journal, lease, spool, route, clock } = context
  const id = context.newId()
  const tally = createTally()
  const { pages, missing } = readSelected(api, route, await rules.select(clock.now()))
  const shown = addAttributesToPages(context, trackProgress(context, pages))
  const lines = writeReportLines({ ...context, operation: route.operation }, shown, tally)
  const blob = await spool.put(getDeliverySpoolName(id), lines)
  if (tally.records === 0 && rules.empty === 'skip') {
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
  reportFormulas(context, delivery.name, tally)
  return { delivery, tally, missing: missing() }
}

/** Reports how many records are read, and stops reading at a signal. */
export async function* trackProgress(
  { signal, notify, route }: Pick<OutboundContext, 'signal' | 'notify'> & { route: { name: string } },
  pages: AsyncIterable<readonly Resource[]>,
): AsyncGenerator<readonly Resource[], void, undefined> {
  let done = 0
  for await (const page of pages) {
    throwIfStopped(signal)
    done += page.length
    notify({ kind: 'progress', route: route.name, file: '', phase: 'collecting', done })
    yield page
  }
}
