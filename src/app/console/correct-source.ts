/** Opens the refused rows of a file for correction: from its archive, as records that are corrected as a whole. */
import { createHash } from 'node:crypto'
import { isInboxKey } from '../../config/edi.ts'
import type { Configuration } from '../../config/configuration.ts'
import type { InboundRoute } from '../../config/routes.ts'
import type { CorrectableRecord } from '../../domain/decision.ts'
import type { FileEntry } from '../../domain/file.ts'
import type { Journal } from '../../domain/journal.ts'
import type { Mailbox } from '../../domain/mailbox.ts'
import type { LineRange } from '../../domain/translator.ts'
import { createFormats } from '../../formats/formats.ts'
import type { InboundMapping, Mapping } from '../../mapping/load.ts'
import { isHeldDependent } from '../../pipeline/inbound/summary.ts'
import { mergeRanges } from '../../pipeline/inbound/returned-rows.ts'
import type { Clock } from '../../support/clock.ts'
import { BridgeError } from '../../support/errors.ts'
import { DamagedGzip, gunzipIfNeeded } from '../../support/gunzip.ts'
import type { CellChange, CellError } from './correct-cells.ts'
import { type EditableFile, type EditableRow, openEditable } from './correct-rows.ts'
import { toStream } from '../../support/async.ts'

export interface CorrectionContext {
  readonly journal: Journal
  readonly configuration: Configuration
  readonly clock: Clock
  /** That of the inbox of the route. */
  readonly mailbox: Mailbox
  readonly mappings: ReadonlyMap<string, Mapping>
}

/** Refused records that share rows, with what follows them in later steps. They are corrected and sent together. */
export interface CorrectionUnit {
  /** Its first line in the source, which names it. */
  readonly line: number
  readonly ranges: readonly LineRange[]
  readonly rows: readonly EditableRow[]
  readonly records: readonly CorrectableRecord[]
  /** The unfinished correction that it is in. */
  readonly correction?: number
}

/** A file whose refused rows are open for correction. */
export interface OpenCorrection {
  readonly file: FileEntry
  readonly route: InboundRoute
  readonly mapping: InboundMapping
  readonly encoding: string
  readonly units: readonly CorrectionUnit[]
  /** The file with the rows of these units, some of their cells changed. */
  compose(units: readonly CorrectionUnit[], changes: readonly CellChange[]): ComposedFile
}

export interface ComposedFile {
  readonly bytes: Buffer
  /** The line of the source from which each line comes. */
  readonly lines: readonly number[]
  readonly errors: readonly CellError[]
}

/** Why nothing can be corrected here. */
export interface NotCorrectable {
  readonly missing: string
}

/** A longer file is not read for a correction. */
const SOURCE_BYTES_MAX = 64 * 1024 * 1024

const REFUSED_BYTES_MAX = 8 * 1024 * 1024

/** More refused records are corrected in their rejects file. */
const RECORDS_MAX = 2_000

const USE_REJECTS = 'Correct its rejects file and drop it into the inbox.'

/** Undefined where the route takes no files, or is not in the configuration any more. */
export function findCorrectableRoute(configuration: Configuration, name: string): InboundRoute | undefined {
  const route = configuration.routes.find((each) => each.name === name)
  return route?.direction === 'inbound' ? route : undefined
}

/** Why the file cannot be corrected, as far as its entry says. */
export function findObstacle(file: FileEntry, route: InboundRoute | undefined): string | undefined {
  if (file.partOf !== undefined || isInboxKey(file.route) || route?.from.interchanges !== undefined)
    return NO_INTERCHANGES
  if (route === undefined) return 'Its route is not in the configuration any more.'
  if (file.outcome === 'unusable') return `Nothing of it could be read. ${USE_REJECTS}`
  if (file.outcome === 'vanished' || file.outcome === 'duplicate') return 'It has no records.'
  if (file.state !== 'closed') return 'It is not finished yet.'
  if (file.archivedAs === undefined) return `Its archived copy is gone. ${USE_REJECTS}`
  if (file.size > SOURCE_BYTES_MAX) return `It is too long to be corrected here. ${USE_REJECTS}`
  return undefined
}

/** The refused records of a file that can be corrected here, up to so many as a page shows; or why none can. */
export async function findCorrectable(
  { journal, configuration }: Pick<CorrectionContext, 'journal' | 'configuration'>,
  file: FileEntry,
): Promise<{ readonly open: readonly CorrectableRecord[] } | NotCorrectable> {
  const missing = findObstacle(file, findCorrectableRoute(configuration, file.route))
  if (missing !== undefined) return { missing }
  const found = await journal.listCorrectableRecords(file.id, RECORDS_MAX + 1)
  const isOpen = ({ state, correction }: CorrectableRecord) =>
    state === 'rejected' && correction === undefined
  return { open: found.filter(isOpen) }
}

/** Reads the archived file and checks that its bytes are those that were taken. */
export async function openCorrection(
  context: CorrectionContext,
  file: FileEntry,
): Promise<OpenCorrection | NotCorrectable> {
  const route = findCorrectableRoute(context.configuration, file.route)
  const obstacle = findObstacle(file, route)
  const mapping = context.mappings.get(file.route)
  if (obstacle !== undefined || route === undefined) return { missing: obstacle ?? '' }
  if (mapping?.direction !== 'inbound') return { missing: 'Its mapping reads no files.' }
  if (mapping.translator.read.edi !== undefined) return { missing: NO_INTERCHANGES }
  const records = await context.journal.listCorrectableRecords(file.id, RECORDS_MAX + 1)
  if (records.length > RECORDS_MAX)
    return { missing: `More than ${RECORDS_MAX} of its records are refused. ${USE_REJECTS}` }
  const groups = groupRecords(records)
  if (groups.length === 0) return openNothing({ file, route, mapping })
  try {
    return await openRows(context, { file, route, mapping }, groups)
  } catch (error) {
    if (error instanceof DamagedGzip) return { missing: 'Its compressed contents are damaged.' }
    if (!(error instanceof BridgeError)) throw error
    return { missing: `It cannot be read: ${error.message} ${USE_REJECTS}` }
  }
}

const NO_INTERCHANGES =
  'It holds EDI documents. Refused documents are corrected by the sender, who sends them again.'

type OpenedFile = Pick<OpenCorrection, 'file' | 'route' | 'mapping'>

function openNothing(opened: OpenedFile): OpenCorrection {
  const compose = () => ({ bytes: Buffer.alloc(0), lines: [], errors: [] })
  return { ...opened, encoding: opened.file.encoding ?? 'utf-8', units: [], compose }
}

interface RecordGroup {
  readonly lines: readonly number[]
  readonly records: readonly CorrectableRecord[]
}

/** Records that share a row are one group. What follows an accepted record in a later step is in none. */
function groupRecords(records: readonly CorrectableRecord[]): RecordGroup[] {
  const groupOf = new Map<number, { lines: Set<number>; records: CorrectableRecord[] }>()
  const add = (record: CorrectableRecord, mayBegin: boolean) => {
    const lines = record.lines.flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, index) => first + index),
    )
    const touched = [...new Set(lines.flatMap((line) => groupOf.get(line) ?? []))]
    if (lines.length === 0 || (touched.length === 0 && !mayBegin)) return
    const group = {
      lines: new Set([...touched.flatMap((each) => [...each.lines]), ...lines]),
      records: [...touched.flatMap((each) => each.records), record],
    }
    for (const line of group.lines) groupOf.set(line, group)
  }
  for (const record of records) if (record.state === 'rejected') add(record, true)
  for (const record of records) if (isHeldDependent(record)) add(record, false)
  return [...new Set(groupOf.values())].map(({ lines, records: own }) => ({
    lines: [...lines].toSorted((a, b) => a - b),
    records: own.toSorted((a, b) => a.number - b.number),
  }))
}

async function openRows(
  context: CorrectionContext,
  opened: OpenedFile,
  groups: readonly RecordGroup[],
): Promise<OpenCorrection | NotCorrectable> {
  const { file, mapping } = opened
  const { read } = mapping.translator
  const { encoding = 'utf-8', headerLines, archivedAs = '' } = file
  const { chunks, sha256 } = await readWhole(context.mailbox.read({ archivedAs }))
  if (sha256 !== file.sha256) return { missing: `Its archived copy has other bytes by now. ${USE_REJECTS}` }
  const ranges = mergeRanges(groups.flatMap(({ lines }) => lines.map((line) => [line, line] as const)))
  const input = gunzipIfNeeded(toStream(...chunks))
  const copied = createFormats().copyRecords(input, { read, encoding, headerLines, ranges })
  const bytes = await collect(copied, REFUSED_BYTES_MAX)
  if (bytes === undefined)
    return { missing: `Its refused rows are too long to be corrected here. ${USE_REJECTS}` }
  const below = ranges.flatMap(([first, last]) => listNumbers(Math.max(first, headerLines + 1), last))
  const numbers = [...listNumbers(1, headerLines), ...below]
  const editable = await openEditable({ bytes, numbers }, { ...read, encoding })
  if ('problems' in editable) return { missing: `Its mapping cannot read it any more. ${USE_REJECTS}` }
  const units = groups.map((group) => toUnit(group, editable)).toSorted((a, b) => a.line - b.line)
  return {
    ...opened,
    encoding: editable.encoding,
    units,
    compose: (chosen, changes) => composeFile(editable, chosen, changes),
  }
}

function toUnit({ lines, records }: RecordGroup, { rows }: EditableFile): CorrectionUnit {
  const own = new Set(lines)
  const correction = records.find((record) => record.correction !== undefined)?.correction
  return {
    line: lines[0] ?? 0,
    ranges: mergeRanges(lines.map((line) => [line, line] as const)),
    rows: rows.filter(({ line }) => own.has(line)),
    records,
    ...(correction === undefined ? {} : { correction }),
  }
}

/** The header, and the rows of the units in the order of the source. */
function composeFile(
  editable: EditableFile,
  units: readonly CorrectionUnit[],
  changes: readonly CellChange[],
): ComposedFile {
  const { head, headLines, lineEnd } = editable
  const parts: Uint8Array[] = [head]
  const lines = listNumbers(1, headLines)
  const errors: CellError[] = []
  for (const range of mergeRanges(units.flatMap(({ ranges }) => ranges))) {
    const own = changes.filter(({ line }) => line >= range[0] && line <= range[1])
    const rewritten = editable.rewrite(range, own)
    parts.push(rewritten.bytes)
    lines.push(...rewritten.lines)
    errors.push(...rewritten.errors)
  }
  // A person has seen the last row, so it is not cut: without a line end it would be held as if it were.
  if (!endsLine(parts.at(-1), editable.encoding)) parts.push(lineEnd)
  return { bytes: Buffer.concat(parts), lines, errors }
}

function endsLine(bytes: Uint8Array | undefined, encoding: string): boolean {
  const last = bytes?.at(encoding === 'utf-16le' ? -2 : -1)
  return last === 0x0a || last === 0x0d
}

function listNumbers(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
}

async function readWhole(source: AsyncIterable<Uint8Array>) {
  const chunks: Uint8Array[] = []
  const hash = createHash('sha256')
  for await (const chunk of source) {
    hash.update(chunk)
    chunks.push(chunk)
  }
  return { chunks, sha256: hash.digest('hex') }
}

async function collect(source: AsyncIterable<Uint8Array>, max: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (size > max) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
