/** Takes an archived file again, as a person asks: its records are judged by their keys, as those of any file. */
import type { InterchangeInbox } from '../config/edi.ts'
import type { Route } from '../config/routes.ts'
import { OPERATIONS } from '../contract/operations.ts'
import type { FileEntry } from '../domain/file.ts'
import type { StateCounts } from '../domain/record.ts'
import { resumeFile } from '../pipeline/inbound/inbound.ts'
import type { InboundContext, IntakeContext } from '../pipeline/context.ts'
import { INBOX_FATAL, readInterchanges } from '../pipeline/interchanges/answers.ts'
import { resumeInterchanges } from '../pipeline/interchanges/interchange-pass.ts'
import { isoTime } from '../support/clock.ts'
import { assert, BridgeError, type ExitCode, hasCode } from '../support/errors.ts'
import type { BridgeContext } from './context.ts'
import { chooseOnly, formatRunOf, getInboundRoute } from './decide.ts'
import { chooseExitCode, type RouteResult } from './outcome.ts'
import { joinInboxResults } from './run.ts'
import { runInbox } from './run-inbox.ts'
import { runRoute } from './run-route.ts'
import { findFilesByName } from './trace.ts'

export interface RetakeResult {
  /** The file that was archived, and the one that was taken from the archive. */
  readonly first: FileEntry
  readonly file: FileEntry
  /** Of a file of interchanges: the records of all its parts. */
  readonly records: StateCounts
  /** The route of the file; of a file of interchanges, the inbox and the routes that got its sets. */
  readonly results: readonly RouteResult[]
  readonly exit: ExitCode
}

/** How many files of one name a message lists. */
const AMBIGUOUS_MAX = 20

const SIMILAR_MAX = 3

/** Throws `not-known` and `not-repeatable`, and every failure that keeps the file from being finished. */
export async function retakeFile(
  context: BridgeContext,
  what: string,
  signal: AbortSignal,
): Promise<RetakeResult> {
  const { journal, configuration } = context
  const first = await findArchived(context, what)
  const inbox = configuration.edi?.inboxes.find(({ key }) => key === first.route)
  if (inbox !== undefined) return retakeInterchanges(context, { first, inbox }, signal)
  const route = getInboundRoute(configuration, first.route)
  assertRepeatable(first, route)
  let id = ''
  const inbound = async (parts: InboundContext) => {
    id = await startRetake(parts, first)
    return resumeFile(parts, id)
  }
  const result = await runRoute(context, route, signal, { inbound })
  if (result.kind === 'failed') throw result.failure
  assert(result.kind === 'inbound', `${route.name} takes no files`)
  const file = await getRetaken(journal, first, id)
  const records = await journal.countRecords({ file: id })
  return { first, file, records, results: [result], exit: chooseExitCode([result], []) }
}

/** The inbox gives the sets to the routes again; each judges their records by the keys. Each interchange is answered once. */
async function retakeInterchanges(
  context: BridgeContext,
  { first, inbox }: { readonly first: FileEntry; readonly inbox: InterchangeInbox },
  signal: AbortSignal,
): Promise<RetakeResult> {
  const { journal, configuration } = context
  for (const part of await journal.listParts(first.id))
    assertRepeatable(first, getInboundRoute(configuration, part.route))
  if (await hasUngiven(context, first)) {
    const fed = configuration.routes.filter(
      (route) => route.direction === 'inbound' && route.from.interchanges?.inbox === inbox.name,
    )
    for (const route of fed) assertRepeatable(first, route)
  }
  let id = ''
  const taking = await runInbox(context, inbox, signal, async (own, progress) => {
    id = await startRetake(own, first)
    return resumeInterchanges(own, id, progress)
  })
  // An answer that failed does not keep the routes from their sets; the second pass tries it again, and fails at the end.
  const isGiven = ((await journal.getFile(id))?.plannedAt ?? 0) > 0
  if (taking.kind === 'failed' && (!isGiven || hasCode(taking.failure, ...INBOX_FATAL))) throw taking.failure
  const file = await getRetaken(journal, first, id)
  const parts = await journal.listParts(id)
  const routes: RouteResult[] = []
  for (const part of parts) {
    const route = getInboundRoute(configuration, part.route)
    const inbound = (own: InboundContext) => resumeFile(own, part.id)
    routes.push(await runRoute(context, route, signal, { inbound }))
  }
  const finishing = await runInbox(context, inbox, signal, (own, progress) =>
    resumeInterchanges(own, id, progress),
  )
  const isMended = taking.kind === 'failed' && finishing.kind !== 'failed'
  const results = [isMended ? finishing : joinInboxResults(taking, finishing), ...routes]
  const counts = await Promise.all(parts.map((part) => journal.countRecords({ file: part.id })))
  const ended = (await journal.getFile(id)) ?? file
  return { first, file: ended, records: addCounts(counts), results, exit: chooseExitCode(results, []) }
}

/** Whether sets of the file went to no route: taken again, any route of the inbox may get them. */
async function hasUngiven({ journal }: BridgeContext, first: FileEntry): Promise<boolean> {
  const { unrouted, ambiguous } = await journal.getUnrouted(first.id)
  if (unrouted.length + ambiguous.length > 0) return true
  for await (const entry of readInterchanges(journal, first.id))
    if (entry.some(({ verdict }) => verdict === 'reused' || verdict === 'duplicate' || verdict === 'unknown'))
      return true
  return false
}

function addCounts(counts: readonly StateCounts[]): StateCounts {
  const sums = new Map<string, number>()
  for (const [state, count] of counts.flatMap((each) => Object.entries(each)))
    sums.set(state, (sums.get(state) ?? 0) + count)
  return Object.fromEntries(sums)
}

/** A change that may come again could undo newer values. */
function assertRepeatable(first: FileEntry, route: Route): void {
  assert(route.direction === 'inbound', `${route.name} takes no files`)
  if (!OPERATIONS[route.operation].repeatable) return
  throw refusal(
    first,
    `${route.operation} may repeat, and its values may be older than those of later files`,
    route.from.interchanges === undefined
      ? 'If they are right, copy the file from the archive into the inbox: it is taken like any file.'
      : 'If they are right, copy the file from the archive into the inbox, with `.rejects.` in its name.',
  )
}

async function getRetaken(journal: BridgeContext['journal'], first: FileEntry, id: string) {
  const file = await journal.getFile(id)
  assert(file, `file ${id} is not in the journal`)
  if (file.outcome !== 'vanished') return file
  throw refusal(first, `${first.archivedAs} was changed or removed`, RESTORE_FIX)
}

const RESTORE_FIX = 'Put the archived file back from a backup, or have the file sent again.'

/** Notes the intent. A retake of the file that a crash left open is continued in place of a new one. */
async function startRetake({ journal, lease, source, newId, route }: IntakeContext, first: FileEntry) {
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
    const near = await findSimilarFiles(journal, what)
    const fix = near.length === 0 ? LIST_FILES_FIX : 'Name the file that is meant, as it is written here.'
    const details = near.length === 0 ? [] : [`similar names: ${near.join(', ')}`]
    throw new BridgeError('not-known', `no file "${what}" is known`, { fix, details })
  }
  if (other.state !== 'closed')
    throw refusal(
      other,
      'it is not finished yet',
      `Run \`${formatRunOf(other.route)}\`: it continues the file.`,
    )
  throw refusal(other, 'the bridge did not archive it', 'Drop the file into the inbox again.')
}

const LIST_FILES_FIX =
  '`dropbridge status` lists the latest files; write the name, the id or the archived name of one.'

/** Files whose names begin with the text, or differ from it by a typing error. */
async function findSimilarFiles(journal: BridgeContext['journal'], what: string): Promise<string[]> {
  const begun = await journal.findNamesByPrefix(what, SIMILAR_MAX)
  const near = new Set(begun.flatMap(({ kind, name }) => (kind === 'file' ? [name] : [])))
  for (const name of await journal.findSimilarNames(what, SIMILAR_MAX))
    if ((await journal.findFilesByName(name, 1)).length > 0) near.add(name)
  return [...near].slice(0, SIMILAR_MAX)
}

function refusal({ name }: FileEntry, why: string, fix: string): BridgeError {
  return new BridgeError('not-repeatable', `${name} is not taken again: ${why}.`, { fix })
}
