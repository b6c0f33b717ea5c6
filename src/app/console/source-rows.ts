/** Reads rows of an incoming file from its archive, to show them beside what came of them. */
import type { InboundRoute } from '../../config/routes.ts'
import type { FileEntry } from '../../domain/file.ts'
import { type FileReading, isUnreadable, type Layout, type Row } from '../../domain/format.ts'
import type { LineRange } from '../../domain/translator.ts'
import { createFormats } from '../../formats/formats.ts'
import { listMappedFields } from '../../mapping-tools/mapped-fields.ts'
import { yieldToEventLoop } from '../../journal/store.ts'
import type { InboundMapping } from '../../mapping/load.ts'
import { BridgeError } from '../../support/errors.ts'
import { DamagedGzip, gunzipIfNeeded } from '../../support/gunzip.ts'
import { readFromMailbox } from './contents.ts'
import type { ConsoleContext } from './context.ts'
import { type Audience, listOpenColumns, MASK, normalizeColumn } from './masks.ts'

/** A row of the source. Columns and cells are in the order of the file. */
export interface SourceRow {
  readonly line: number
  readonly lastLine: number
  readonly columns: readonly string[]
  readonly cells: readonly string[]
}

/** The rows of the asked lines; or why they cannot be shown. */
export type SourceRows = { readonly rows: readonly SourceRow[] } | { readonly missing: string }

/** A page is drawn in one go: a longer file is not read for it. */
const BYTES_MAX = 16 * 1024 * 1024

const UNPACKED_MAX = 4 * BYTES_MAX

/** The lines of a page of records, with all lines of each. */
const ROWS_MAX = 2000

/** Reads up to the last of the lines. `ranges` need no order. */
export async function readSourceRows(
  context: ConsoleContext,
  file: FileEntry,
  ranges: readonly LineRange[],
  audience: Audience,
): Promise<SourceRows> {
  if (file.outcome === 'vanished') return { missing: 'It was gone before it could be taken.' }
  if (file.partOf !== undefined)
    return { missing: 'It is a part of a file of interchanges, which is read as a whole.' }
  if (file.archivedAs === undefined) return { missing: 'It is not in the archive yet.' }
  if (file.size > BYTES_MAX) return { missing: 'It is too long to be read for a page.' }
  const route = context.configuration.routes.find(({ name }) => name === file.route)
  if (route?.direction !== 'inbound') return { missing: 'Its route is not in the configuration any more.' }
  const settings = context.configuration.mailboxes[route.from.mailbox]
  if (settings?.type !== 'directory')
    return { missing: 'Its archive is on a server, which pages do not wait for.' }
  if (ranges.length === 0) return { rows: [] }
  try {
    const { archivedAs, sha256 } = file
    const found = await readFromMailbox(context, route.from.mailbox, {
      archivedAs,
      ...(sha256 !== undefined && { sha256 }),
    })
    if ('missing' in found) return { missing: found.missing.message }
    return await readRows({ route, bytes: found.bytes }, ranges, audience)
  } catch (error) {
    if (error instanceof TooLong) return { missing: 'It is too long to be read for a page.' }
    if (error instanceof DamagedGzip) return { missing: 'Its compressed contents are damaged.' }
    if (error instanceof BridgeError) return { missing: `It cannot be read: ${error.message}` }
    throw error
  }
}

interface Source {
  readonly route: InboundRoute
  readonly bytes: Buffer
}

async function readRows(
  { route, bytes }: Source,
  ranges: readonly LineRange[],
  audience: Audience,
): Promise<SourceRows> {
  // Loading the compiler takes a fifth of a start, and other pages need none.
  const { loadMapping } = await import('../../mapping/load.ts')
  const user = { route: route.name, operation: route.operation }
  const mapping = await loadMapping(route.mappingPath, user)
  if (mapping.direction !== 'inbound') return { missing: 'Its mapping reads no files.' }
  const unpacked = { [Symbol.asyncIterator]: () => stopAtMax(gunzipIfNeeded(cut(bytes))) }
  const reading = await createFormats().read(unpacked, mapping.translator.read)
  if (isUnreadable(reading)) return { missing: 'Its mapping cannot read it.' }
  const showRow = createRowFilter(
    reading.layouts,
    audience.isMasked ? listReadableColumns(mapping, audience) : undefined,
  )
  try {
    return { rows: await pickRows(reading.batches, ranges, showRow) }
  } finally {
    await reading.close()
  }
}

const CHUNK_BYTES = 64 * 1024

/** Other pages are answered between the pieces. */
async function* cut(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    yield bytes.subarray(at, at + CHUNK_BYTES)
    await yieldToEventLoop()
  }
}

class TooLong extends Error {}

/** Sixteen packed megabytes may be gigabytes. */
async function* stopAtMax(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > UNPACKED_MAX) throw new TooLong()
    yield chunk
  }
}

type ShowRow = (row: Row) => SourceRow

async function pickRows(
  batches: FileReading['batches'],
  ranges: readonly LineRange[],
  showRow: ShowRow,
): Promise<SourceRow[]> {
  const isAsked = createLineFilter(ranges)
  const rows: SourceRow[] = []
  for await (const batch of batches) {
    const asked = batch.filter(({ line, lastLine }) => isAsked.has(line, lastLine))
    rows.push(...asked.slice(0, ROWS_MAX - rows.length).map(showRow))
    if ((batch.at(-1)?.line ?? 0) > isAsked.last || rows.length === ROWS_MAX) break
  }
  return rows
}

/** Without `open`, all cells are shown; else those of these columns. */
function createRowFilter(layouts: readonly Layout[], open?: ReadonlySet<string>): ShowRow {
  return ({ layout, line, lastLine, values }) => {
    const columns = layouts[layout]?.columns ?? []
    const isOpen = (at: number) => open === undefined || open.has(normalizeColumn(columns[at] ?? ''))
    const cells = values.map((cell, at) => (cell === '' || isOpen(at) ? cell : MASK))
    return { line, lastLine, columns, cells }
  }
}

function listReadableColumns(mapping: InboundMapping, audience: Audience): ReadonlySet<string> {
  return listOpenColumns(
    listMappedFields(mapping).map(({ field, branches }) => ({
      field,
      columns: branches.flatMap(({ sources }) => sources.flat()),
    })),
    audience,
  )
}

function createLineFilter(ranges: readonly LineRange[]) {
  const lines = new Set<number>()
  for (const [first, last] of ranges)
    for (let line = first; line <= last && lines.size < ROWS_MAX * 10; line++) lines.add(line)
  return {
    has: (first: number, last: number) => {
      for (let line = first; line <= last; line++) if (lines.has(line)) return true
      return false
    },
    last: Math.max(...ranges.map(([, last]) => last)),
  }
}
