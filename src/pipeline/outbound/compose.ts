/** Composes the file of a delivery or report in the spool, before it is delivered. */
import type { Resource } from '../../domain/api.ts'
import type { DeliveryEntry } from '../../domain/delivery.ts'
import { addNameSuffix } from '../../domain/mailbox.ts'
import type { OutgoingRecord } from '../../domain/record.ts'
import type { Envelope } from '../../domain/format.ts'
import type { WrittenCheck } from '../../domain/interchange.ts'
import type { NumberReservation } from '../../domain/interchange-journal.ts'
import { formatPlace } from '../../domain/place.ts'
import type { Problem } from '../../domain/problem.ts'
import { GROUP_CODES } from '../../edi/documents.ts'
import { BridgeError, throwIfStopped } from '../../support/errors.ts'
import type { SpooledBlob } from '../../support/spool.ts'
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
  const { upToRecord } = progress
  // Without a record to compose, no control numbers are reserved.
  if (context.interchanges !== undefined) {
    const next = await journal.listUndeliveredRecords(route.name, upToRecord, 1)
    if (next.length === 0) return undefined
  }
  const numbers = await reserveNumbers(context)
  const id = context.newId()
  const found: FileContents = { records: 0, rows: 0 }
  const pages = readWaitingPages(context, progress, found)
  const lines = writeDeliveryLines(context, pages, { progress, found, numbers })
  const blob = await spoolFile(context, { name: getDeliverySpoolName(id), lines, found })
  if (found.records === 0) {
    if (progress.held.length > 0) await journal.holdRecords(lease, progress.held)
    await spool.remove(getDeliverySpoolName(id))
    return undefined
  }
  const composedAt = clock.now()
  const icn = numbers?.numbers.interchange
  const delivery = await journal.createDelivery(lease, {
    id,
    nameFor: (sequence, run) =>
      addNameSuffix(route.nameFor(sequence, composedAt, found.first ?? {}, icn), run),
    folder: route.folder,
    sha256: blob.sha256,
    rows: found.rows,
    upToRecord: progress.upToRecord,
    // The mark also covers records that are held for an earlier file of the pass.
    held: progress.held,
    ...(numbers && { reservation: describeInterchange(context, numbers, found.records) }),
  })
  reportWarned(context, delivery.name, found)
  return delivery
}

function reportWarned({ notify, route }: OutboundContext, file: string, { warned }: FileContents): void {
  if (warned === undefined) return
  const { cells, code, first, apiId } = warned
  const { column = '' } = first.place
  notify({ kind: 'cells-warned', route: route.name, file, code, cells, column, apiId })
}

interface ComposedFile {
  readonly progress: ComposeProgress
  readonly found: FileContents
  /** The control numbers of its interchange. */
  readonly numbers: NumberReservation | undefined
}

/** What the bytes of a file come from. */
export type ComposeContext = Pick<OutboundContext, 'journal' | 'composer' | 'format' | 'interchanges'> & {
  readonly route: Pick<OutboundContext['route'], 'party' | 'operation'>
}

/** The bytes of the file, record after record; updates its contents and the progress. */
export function writeDeliveryLines(
  context: ComposeContext,
  pages: AsyncIterable<readonly OutgoingRecord[]>,
  { progress, found, numbers }: ComposedFile,
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
  const rows = { ...context, operation: context.route.operation, envelope: buildEnvelope(context, numbers) }
  return writeRows(rows, readBodies(), found, (unwritten, _, index) => {
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
  const numbers = await reserveNumbers(context)
  const around = { operation: route.operation, envelope: buildEnvelope(context, numbers) }
  const lines = writeReportLines({ ...context, ...around }, shown, tally)
  const blob = await spoolFile(context, { name: getDeliverySpoolName(id), lines, found: tally })
  // An interchange needs a set.
  if (tally.records === 0 && (rules.empty === 'skip' || numbers !== undefined)) {
    await spool.remove(getDeliverySpoolName(id))
    return { tally, missing: missing() }
  }
  const composedAt = clock.now()
  const icn = numbers?.numbers.interchange
  const delivery = await journal.createReportDelivery(lease, {
    id,
    nameFor: (sequence, run) => addNameSuffix(route.nameFor(sequence, composedAt, {}, icn), run),
    folder: route.folder,
    sha256: blob.sha256,
    rows: tally.rows,
    records: tally.records,
    ...(numbers && { reservation: describeInterchange(context, numbers, tally.records) }),
    ...(context.scheduledRun === undefined ? {} : { scheduledRun: context.scheduledRun.name }),
  })
  reportWarned(context, delivery.name, tally)
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

// Interchanges: their control numbers are reserved before the first byte is composed, and they are checked before anything else.

/** Undefined where the route writes no interchanges. */
async function reserveNumbers({ journal, lease, interchanges }: OutboundContext) {
  if (interchanges === undefined) return undefined
  const { scope, start, groupFollows } = interchanges
  return journal.reserveNumbers(lease, scope, { start, groupFollows })
}

/** The same reservation gives the same envelope, so that a delivery is composed again to the same bytes. */
function buildEnvelope(
  { interchanges }: Pick<OutboundContext, 'interchanges'>,
  reserved: Pick<NumberReservation, 'at' | 'numbers'> | undefined,
): Envelope | undefined {
  if (interchanges === undefined || reserved === undefined) return undefined
  return { ...interchanges.envelope, at: reserved.at, numbers: reserved.numbers }
}

/** What the journal must know of a composed interchange to match the answer of its partner. */
function describeInterchange({ composer }: OutboundContext, { id }: NumberReservation, records: number) {
  const { syntax, document = '' } = composer.write.edi ?? {}
  const code = syntax === 'x12' ? (GROUP_CODES[document] ?? '') : ''
  return { id, sets: countSets({ composer }, records), code }
}

/** One set may hold all records. */
function countSets({ composer }: Pick<OutboundContext, 'composer'>, records: number): number {
  return composer.frame === undefined ? records : 1
}

/**
 * Writes the file into the spool. An interchange is checked while it is written: with a fault it throws `edi-self-check`, there
 * is no file in the spool, and its records stay undelivered.
 */
export async function spoolFile(
  {
    interchanges,
    composer,
    spool,
    route,
  }: Pick<OutboundContext, 'interchanges' | 'composer' | 'spool'> & {
    readonly route: { readonly name: string }
  },
  {
    name,
    lines,
    found,
  }: { readonly name: string; readonly lines: AsyncIterable<Uint8Array>; readonly found: FileContents },
): Promise<SpooledBlob> {
  if (interchanges === undefined) return spool.put(name, lines)
  const check = interchanges.format.createWrittenCheck()
  async function* checkLines() {
    for await (const piece of lines) {
      check.take(piece)
      yield piece
    }
    // A file without records is empty, and is not delivered.
    if (found.records === 0) return
    const fault = findFault(check, countSets({ composer }, found.records))
    if (fault === undefined) return
    throw new BridgeError('edi-self-check', `Route ${route.name} wrote an interchange with faults: ${fault}`)
  }
  return spool.put(name, checkLines())
}

function findFault(check: WrittenCheck, expected: number): string | undefined {
  const { interchanges, sets, fault } = check.finish()
  if (fault !== undefined) return formatFault(fault)
  if (interchanges === 1 && sets === expected) return undefined
  return `it has ${interchanges} interchanges with ${sets} sets in place of 1 with ${expected}.`
}

function formatFault({ message, place }: Problem): string {
  const where = formatPlace(place)
  return where === '' ? message : `${message} (${where})`
}
