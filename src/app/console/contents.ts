/** Reads the bytes that were delivered, taken or refused, to show or to download them: each only where they are the same bytes. */
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import type { OutboundRoute } from '../../config/routes.ts'
import type { DeliveryEntry } from '../../domain/delivery.ts'
import type { ArchivedFile } from '../../domain/mailbox.ts'
import type { OutgoingRecord } from '../../domain/record.ts'
import type { Composer } from '../../domain/translator.ts'
import { createFormats, createInterchangeFormat } from '../../formats/formats.ts'
import { yieldToEventLoop } from '../../journal/store.ts'
import type { ComposeContext } from '../../pipeline/outbound/compose.ts'
import { writeDeliveryAgain } from '../../pipeline/outbound/deliver.ts'
import { buildOutgoingInterchanges } from '../../pipeline/route-settings.ts'
import { isoTime } from '../../support/clock.ts'
import { BridgeError } from '../../support/errors.ts'
import { openMailbox } from '../context.ts'
import type { ConsoleContext } from './context.ts'
import { type Audience, MASK, maskBody } from './masks.ts'
import type { NamedWork } from './records.ts'

/** Why bytes are not there, and what to do. */
export interface Obstacle {
  readonly message: string
  readonly fix: string
}

export type Contents = { readonly bytes: Buffer } | { readonly missing: Obstacle }

/** A file to keep: its bytes, or why they are not there. */
export interface FileDownload {
  readonly name: string
  /** What it is of. */
  readonly of: NamedWork
  readonly size?: number
  readonly missing?: Obstacle
  /** A function, so that the bytes are no part of the data of the page. */
  readonly take?: () => Buffer
}

export function toDownload({ id, name: of }: NamedWork, name: string, contents: Contents): FileDownload {
  const own = { name, of: { id, name: of } }
  if ('missing' in contents) return { ...own, missing: contents.missing }
  return { ...own, size: contents.bytes.length, take: () => contents.bytes }
}

/** More is not kept in memory for a page. */
const BYTES_MAX = 64 * 1024 * 1024

const TOO_LONG = 'It is longer than 64 MiB, which is too long for a page.'

/** Reads a file of a mailbox; why not, where it is on a server, which pages do not wait for, or has other bytes by now. */
export async function readFromMailbox(
  { configuration, clock }: Pick<ConsoleContext, 'configuration' | 'clock'>,
  name: string,
  { archivedAs, sha256 }: ArchivedFile & { readonly sha256?: string },
): Promise<Contents> {
  const settings = configuration.mailboxes[name]
  const look = `See ${archivedAs} in mailbox ${name}.`
  if (settings === undefined)
    return toMissing(`The mailbox ${name} is not in the configuration any more.`, 'Put it back.')
  if (settings.type !== 'directory') return toMissing('It is on a server, which pages do not wait for.', look)
  const mailbox = await openMailbox(name, settings, { clock, random: Math.random, newId: () => 'console' })
  try {
    const found = await collect(mailbox.read({ archivedAs }))
    if (found === undefined) return toMissing(TOO_LONG, look)
    if (sha256 !== undefined && found.sha256 !== sha256)
      return toMissing(`${archivedAs} has other bytes by now.`, look)
    return { bytes: found.bytes }
  } catch (error) {
    if (error instanceof BridgeError) return toMissing(`It cannot be read: ${error.message}`, error.fix)
    throw error
  } finally {
    await mailbox.close()
  }
}

/** Why bytes are not there, in place of them. */
export function toMissing(message: string, fix: string): { readonly missing: Obstacle } {
  return { missing: { message, fix } }
}

// Deliveries.

/** A row of a delivery with the record that it is of. */
export interface ComposedRow {
  readonly record: number
  readonly cells: readonly string[]
}

/** The first rows, with the bodies of their records; without records where they are lines of the file. */
export interface ComposedRows {
  readonly columns: readonly string[]
  readonly rows: readonly ComposedRow[]
  readonly bodies: ReadonlyMap<number, string>
}

export type DeliveryContents =
  | (Extract<Contents, { readonly bytes: Buffer }> & { readonly composed?: ComposedRows })
  | { readonly missing: Obstacle }

/** How many of the first rows are wanted, and for whom. */
interface RowsRequest extends Audience {
  readonly rowsMax: number
}

/**
 * The bytes of a delivery: made again from its records, as `dropbridge redeliver` makes them, or read where they were
 * delivered. Only the same bytes count. Writes nothing.
 */
export async function readDeliveryContents(
  context: ConsoleContext,
  delivery: DeliveryEntry,
  asked: RowsRequest = { rowsMax: 0, isMasked: false },
): Promise<DeliveryContents> {
  const { routes, edi } = context.configuration
  if (edi?.inboxes.some(({ key }) => key === delivery.route) === true) return toMissing(ANSWER, ANSWER_FIX)
  const route = routes.find(({ name }) => name === delivery.route)
  if (route?.direction !== 'outbound')
    return toMissing(
      `Its route ${delivery.route} is not in the configuration any more.`,
      'Put the route back.',
    )
  const made = await composeFromRecords(context, route, { delivery, asked })
  if (!('missing' in made)) return made
  const archivedAs = posix.join(delivery.folder, delivery.name)
  const left =
    delivery.state === 'composed'
      ? undefined
      : await readFromMailbox(context, route.to.mailbox, { archivedAs, sha256: delivery.sha256 })
  return left !== undefined && 'bytes' in left ? left : made
}

const ANSWER = 'It is an answer to interchanges, which the bridge makes again from the file that it answers.'

const ANSWER_FIX = 'See it in its folder, or deliver it again: the second file has the same bytes.'

async function composeFromRecords(
  context: ConsoleContext,
  route: OutboundRoute,
  { delivery, asked }: { readonly delivery: DeliveryEntry; readonly asked: RowsRequest },
): Promise<DeliveryContents> {
  const { journal, configuration } = context
  const exported = `Write the records anew: \`dropbridge export ${route.name} --out FILE\`.`
  if (delivery.prunedAt !== undefined)
    return toMissing(`Its contents were pruned on ${isoTime(delivery.prunedAt)}.`, exported)
  const first = await journal.listDeliveryRecords(delivery.id, 0, Math.max(1, asked.rowsMax))
  if (first.length === 0)
    return toMissing(
      'It is a report, whose contents the journal does not keep, and its file is gone.',
      exported,
    )
  // Loading the compiler takes a fifth of a start, and other pages need none.
  const { loadMapping } = await import('../../mapping/load.ts')
  const mapping = await loadMapping(route.mappingPath, { route: route.name, operation: route.operation })
  if (mapping.direction !== 'outbound') return toMissing('Its mapping writes no files any more.', CHANGED_FIX)
  const { write } = mapping.composer
  const interchanges = buildOutgoingInterchanges(configuration, route, write, createInterchangeFormat())
  const collector = collectRows(mapping.composer, first, asked)
  const parts: ComposeContext = {
    journal,
    route,
    format: createFormats(),
    composer: collector.composer,
    ...(interchanges && { interchanges }),
  }
  const lines = await writeDeliveryAgain(parts, delivery)
  const found = lines && (await collect(lines))
  if (lines !== undefined && found === undefined) return toMissing(TOO_LONG, 'See it in its folder.')
  if (found?.sha256 !== delivery.sha256) return toMissing(CHANGED, CHANGED_FIX)
  return { bytes: found.bytes, composed: collector.finish() }
}

const CHANGED = 'Its bytes cannot be made again: the mapping or the partner has changed since.'

const CHANGED_FIX =
  'Put the mapping or the partner back as it was; or write the records anew with `dropbridge export`.'

/** Composes as the composer does, and keeps the first rows with their records. */
function collectRows(
  composer: Composer,
  first: readonly OutgoingRecord[],
  { rowsMax, ...audience }: RowsRequest,
) {
  const rows: ComposedRow[] = []
  let at = 0
  const composeRows: Composer['composeRows'] = (record, envelope) => {
    const composed = composer.composeRows(record, envelope)
    const source = first[at++]
    if ('problems' in composed || source === undefined || rows.length >= rowsMax) return composed
    const shown = audience.isMasked
      ? maskRows(composer.composeRows(maskRecord(record, audience), envelope), composed)
      : composed
    const own = shown.rows.map((cells) => ({ record: source.id, cells }))
    rows.push(...own.slice(0, rowsMax - rows.length))
    return composed
  }
  return {
    composer: { ...composer, composeRows },
    finish: (): ComposedRows => ({
      columns: composer.columns,
      rows,
      bodies: new Map(first.map(({ id, body }) => [id, body])),
    }),
  }
}

type Rows = Extract<ReturnType<Composer['composeRows']>, { readonly rows: unknown }>

/** Made of a body without personal data, so that no rule of a mapping can show them. */
function maskRecord(
  record: Readonly<Record<string, unknown>>,
  audience: Audience,
): Readonly<Record<string, unknown>> {
  const { kept, ...body } = record
  const masked = maskBody(body, audience) as Readonly<Record<string, unknown>>
  if (typeof kept !== 'object' || kept === null) return masked
  return { ...masked, kept: Object.fromEntries(Object.keys(kept).map((name) => [name, MASK])) }
}

/** A mapping may refuse what is masked; then no cell is shown. */
function maskRows(masked: ReturnType<Composer['composeRows']>, { rows }: Rows): Pick<Rows, 'rows'> {
  if ('rows' in masked) return masked
  return { rows: rows.map((cells) => cells.map((cell) => (cell === '' ? '' : MASK))) }
}

/** Undefined where there are too many bytes. */
async function collect(
  source: AsyncIterable<Uint8Array>,
): Promise<{ readonly bytes: Buffer; readonly sha256: string } | undefined> {
  const chunks: Uint8Array[] = []
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (size > BYTES_MAX) return undefined
    hash.update(chunk)
    chunks.push(chunk)
    // The journal answers at once: without a pause no other page would be served meanwhile.
    await yieldToEventLoop()
  }
  return { bytes: Buffer.concat(chunks), sha256: hash.digest('hex') }
}
