/** Takes an archived file again, as a person asks: its records are judged by their keys, as those of any file. */
import { OPERATIONS } from '../contract/operations.ts'
import type { FileEntry } from '../domain/file.ts'
import type { StateCounts } from '../domain/record.ts'
import { type InboundOutcome, resumeFile } from '../pipeline/inbound/inbound.ts'
import type { InboundContext } from '../pipeline/context.ts'
import { isoTime } from '../support/clock.ts'
import { assert, BridgeError, type ExitCode } from '../support/errors.ts'
import type { BridgeContext } from './context.ts'
import { chooseOnly, getInboundRoute } from './decide.ts'
import { chooseExitCode } from './outcome.ts'
import { runRoute } from './run-route.ts'
import { findFilesByName } from './trace.ts'

export interface RetakeResult {
  /** The file that was archived, and the one that was taken from the archive. */
  readonly first: FileEntry
  readonly file: FileEntry
  readonly records: StateCounts
  readonly pass: InboundOutcome
  readonly exit: ExitCode
}

/** How many files of one name a message lists. */
const AMBIGUOUS_MAX = 20

/** Throws `not-known` and `not-repeatable`, and every failure that keeps the file from being finished. */
export async function retakeFile(
  context: BridgeContext,
  what: string,
  signal: AbortSignal,
): Promise<RetakeResult> {
  const { journal, configuration } = context
  const first = await findArchived(context, what)
  const route = getInboundRoute(configuration, first.route)
  assert(route.direction === 'inbound', `${route.name} takes no files`)
  if (OPERATIONS[route.operation].repeatable)
    throw refusal(
      first,
      `${route.operation} may repeat, and its values may be older than those of later files`,
      'If they are right, copy the file from the archive into the inbox: it is taken like any file.',
    )
  let id = ''
  const inbound = async (parts: InboundContext) => {
    id = await startRetake(parts, first)
    return resumeFile(parts, id)
  }
  const result = await runRoute(context, route, signal, { inbound })
  if (result.kind === 'failed') throw result.failure
  assert(result.kind === 'inbound', `${route.name} takes no files`)
  const file = await journal.getFile(id)
  assert(file, `file ${id} is not in the journal`)
  if (file.outcome === 'vanished')
    throw refusal(first, `${first.archivedAs} was changed or removed`, RESTORE_FIX)
  const records = await journal.countRecords({ file: id })
  return { first, file, records, pass: result.pass, exit: chooseExitCode([result], []) }
}

const RESTORE_FIX = 'Put the archived file back from a backup, or have the file sent again.'

/** Notes the intent. A retake of the file that a crash left open is continued in place of a new one. */
async function startRetake({ journal, lease, source, newId, route }: InboundContext, first: FileEntry) {
  const unfinished = await journal.listUnfinishedFiles(route.name)
  const open = unfinished.find(({ retakeOf }) => retakeOf === first.id)
  if (open !== undefined) return open.id
  const { archivedAs = '' } = first
  const size = (await source.getArchivedSizes([archivedAs])).get(archivedAs)
  if (size === undefined) throw refusal(first, `${archivedAs} is not in the archive any more`, RESTORE_FIX)
  const id = newId()
  await journal.startRetake(lease, id, first.id)
  return id
}

/** The file as it was taken from its inbox: a retake goes by the file that it was made from. */
async function findArchived({ journal }: BridgeContext, what: string): Promise<FileEntry> {
  const originals = new Map<string, FileEntry>()
  for (const file of await findFilesByName(journal, what, AMBIGUOUS_MAX)) {
    const original = file.retakeOf === undefined ? file : await journal.getFile(file.retakeOf)
    if (original !== undefined) originals.set(original.id, original)
  }
  const files = [...originals.values()]
  const archived = files.filter(({ state, archivedAs = '' }) => state === 'closed' && archivedAs !== '')
  const file = chooseOnly(
    archived,
    `several archived files are called ${what}; name the one that is meant by its id`,
    ({ id, receivedAt, claimedAt, route }) =>
      `${id}: received ${isoTime(receivedAt ?? claimedAt)} on ${route}`,
  )
  if (file !== undefined) return file
  const [other] = files
  if (other === undefined) {
    const fix =
      'See `dropbridge status` for the latest files; one goes by its name, its id or its archived name.'
    throw new BridgeError('not-known', `no file "${what}" is known`, { fix })
  }
  if (other.state !== 'closed')
    throw refusal(
      other,
      'it is not finished yet',
      `Run \`dropbridge run ${other.route}\`: it continues the file.`,
    )
  throw refusal(other, 'the bridge did not archive it', 'Drop the file into the inbox again.')
}

function refusal({ name }: FileEntry, why: string, fix: string): BridgeError {
  return new BridgeError('not-repeatable', `${name} is not taken again: ${why}.`, { fix })
}
