/** The rules that keep a file in an inbox from being taken. Each rule only reads. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { toNamePattern } from '../../alerts/context.ts'
import type { Configuration } from '../../config/configuration.ts'
import { formatIntakeKey } from '../../config/edi.ts'
import { fillNameTemplate } from '../../config/file-name.ts'
import type { InboundRoute, ScannedInbox } from '../../config/routes.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import type { Journal } from '../../domain/journal.ts'
import { formatLeaseOwner } from '../../domain/lease.ts'
import type { FileInfo, Mailbox } from '../../domain/mailbox.ts'
import { PROBLEMS } from '../../domain/problem.ts'
import { createFormats } from '../../formats/formats.ts'
import { isOwnerAlive } from '../../journal/heartbeat.ts'
import { inspectFile, type Inspection } from '../../mailboxes/directory/inspect.ts'
import { matchTemporaryName } from '../../mailboxes/names.ts'
import type { Mapping } from '../../mapping/load.ts'
import { createFileTracker } from '../../pipeline/inbound/file-tracker.ts'
import { FIX_ORPHANED, refuseToCreateFolder, scanUntilStable } from '../../pipeline/inbound/inbox.ts'
import { compareWithManifest } from '../../pipeline/inbound/manifest.ts'
import { findDueRuns, findNextRunAfter, findNextRunAt, isOneRunPerDate } from '../../schedule/schedule.ts'
import { buildIntakeRoute, buildReadyRule } from '../../pipeline/route-settings.ts'
import { compileFilePattern } from '../../support/name-pattern.ts'
import { type Clock, isoTime } from '../../support/clock.ts'
import { BridgeError, EXIT } from '../../support/errors.ts'
import { computeSha256, readFileBytes } from '../../support/files.ts'
import { findSimilarName, quoteForShell } from '../../support/text.ts'
import type { LocalInbox, OpenInbox, RemoteInbox } from './inboxes.ts'
import { createReason, createRefusalReasons, type Reason, REASONS, toReason } from './reasons.ts'

export interface DiagnosisControls {
  readonly clock: Clock
  readonly signal: AbortSignal
}

export interface DiagnosisContext extends DiagnosisControls {
  /** A new one in memory where no journal exists. */
  readonly journal: Journal
  /** The mailboxes on this machine, by name. */
  readonly mailboxes: ReadonlyMap<string, Mailbox>
  /** Throws what keeps a run from the work on the inbox, as its mailbox shows. */
  readonly checkInbox: (inbox: ScannedInbox, mailbox: Mailbox) => Promise<void>
  readonly configuration: Configuration
  readonly mappings: LoadedMappings
  readonly name: string
  readonly inboxes: readonly LocalInbox[]
  /** Inboxes on servers that may have the file. */
  readonly remote: readonly RemoteInbox[]
  /** Set when the file was named by its address on a server: then only the inboxes of that folder are meant. */
  readonly isAddress: boolean
}

export type LoadedMappings = { readonly loaded: ReadonlyMap<string, Mapping> } | { readonly wrong: Reason }

/** `place`: left out for an inbox on a server, which is diagnosed by itself. */
export function findNameReasons(
  { name, inboxes }: DiagnosisContext,
  { key, from, place }: ScannedInbox & { readonly place?: string },
): Reason[] {
  const { match } = from
  if (compileFilePattern(match)(name)) return []
  const patterns = inboxes.filter((each) => each.place === place).map((each) => each.from.match)
  const nearest = findSimilarName(name, patterns) ?? match
  const fix = nearest === match ? '' : `; the nearest pattern is "${nearest}"`
  return [createReason('name-differs', `its name does not match "${match}" of ${formatIntakeKey(key)}${fix}`)]
}

/** For a file with an unfinished name that would be taken under its final name. */
export function findUnfinishedNameReason(name: string, match: string): Reason | undefined {
  const { ends = '' } = matchTemporaryName(name) ?? {}
  if (ends === '' || !compileFilePattern(match)(name.slice(0, -ends.length))) return undefined
  const message = `its name ends with "${ends}", as names do while files are written`
  return createReason('entry-ignored', message, UNFINISHED_FIX)
}

const UNFINISHED_FIX =
  'Wait until its writer renames it. If that never happens, let it be sent again, or rename it yourself.'

type PresentFile = Extract<Inspection, { what: 'file' }>

export function findPermissionReasons(
  { isReadable, isMovable }: Pick<PresentFile, 'isReadable' | 'isMovable'>,
  path: string,
): Reason[] {
  const missing = [...(isReadable ? [] : ['read']), ...(isMovable ? [] : ['moved out of its folder'])]
  return missing.map((right) => createReason('no-rights', `${path} may not be ${right} by this user`))
}

export async function findDuplicateReasons(
  { name, journal }: DiagnosisContext,
  { key, route, place }: LocalInbox,
): Promise<Reason[]> {
  if (route !== undefined && OPERATIONS[route.operation].repeatable) return []
  const sha256 = await computeSha256(readFileBytes(join(place, name)))
  const first = await journal.findFirstWithContents(key, sha256)
  if (first === undefined) return []
  const message = `the same bytes came before as ${first.name} on ${isoTime(first.receivedAt)} (id ${first.id}): the next run takes the file, reports it as a duplicate and sends nothing`
  return [{ code: 'file-repeated', message, fix: PROBLEMS['file-repeated'].fix, exit: EXIT.rejects }]
}

/** Why no pass over the route or inbox begins now. */
export async function findLeaseReasons({ journal }: DiagnosisContext, key: string): Promise<Reason[]> {
  const pause = await journal.findPause(key)
  if (pause !== undefined) {
    const message = `${pause.by} paused route ${key} until ${isoTime(pause.until)}: ${pause.why}`
    return [createReason('paused', message, REASONS.paused.fix.replace('ROUTE', key))]
  }
  const held = await journal.getLeaseOwner(key)
  if (held === undefined || !isOwnerAlive(held.owner)) return []
  const message = `${formatLeaseOwner(held.owner)} is working on ${formatIntakeKey(key)}; its last sign of life was at ${isoTime(held.renewedAt)}`
  return [toReason(new BridgeError('lease-held', message))]
}

/** A watch and `run --due` take files of a route with a schedule only when a run of it is due. */
export async function findScheduleReasons(
  { journal, clock }: DiagnosisContext,
  route: InboundRoute | undefined,
): Promise<Reason[]> {
  if (route?.schedule === undefined) return []
  const now = clock.now()
  const known = await journal.getKnownRuns(route.name)
  const { before } = findDueRuns(route.schedule, known, { now, oneByOne: isOneRunPerDate(route) })
  // The first pass of a new route only notes what was never due.
  const dueAt =
    before === undefined ? findNextRunAt(route, known, now) : findNextRunAfter(route.schedule, known, now)
  if (dueAt <= now) return []
  const last = known.latestDate ?? known.latestInstant
  const over = last === undefined ? '' : `the run of ${last} is over, and `
  const message = `route ${route.name} follows a schedule: ${over}its next run is due at ${isoTime(dueAt)}`
  return [createReason('not-due', message, REASONS['not-due'].fix.replace('ROUTE', route.name))]
}

export async function noteQueuedFiles({ name, journal }: DiagnosisContext, { key }: ScannedInbox) {
  // A run that was stopped right before its claim has noted this very file, which is still there.
  const open = (await journal.listUnfinishedFiles(key)).filter(
    (file) => file.name !== name || file.state !== 'claiming',
  )
  const [first] = open
  const [before] = (await journal.findFilesByName(name, 1)).filter(
    (file) => file.route === key && file.state === 'closed',
  )
  const who =
    open.length === 1 ? 'an earlier file of the route goes' : `${open.length} earlier files of the route go`
  const queue = `${who} first, such as ${first?.name} (${first?.state}); while the API cannot be reached, this one waits`
  const taken = isoTime(before?.receivedAt ?? before?.claimedAt ?? 0)
  const namesake = `another file of this name was taken on ${taken}; this one is a file of its own`
  return [...(first === undefined ? [] : [queue]), ...(before === undefined ? [] : [namesake])]
}

// Completeness and order: stability, marker or manifest, sequence.

/**
 * Scans the inbox as a run does, and creates no folder. A name that the route does not match is judged all the same.
 * Undefined for a file that is taken: it has gone meanwhile, or was claimed in place.
 */
export async function findScanReasons(
  { journal, clock, signal, name }: DiagnosisContext,
  inbox: OpenInbox,
): Promise<Reason[] | undefined> {
  const { mailbox } = inbox
  const route = buildIntakeRoute(inbox)
  const isNamed = (file: FileInfo) => file.name === name
  const matches = (each: string) => each === name || route.matches(each)
  let wasListed = false
  const list: Mailbox['list'] = async (folder, only) => {
    const files = await mailbox.list(folder, only, () => refuseToCreateFolder(folder))
    wasListed ||= files.some(isNamed)
    return files
  }
  const source = { ...mailbox, list }
  const scanned = { route: { ...route, matches }, source, journal, clock, signal }
  const { ready, skippedFiles } = await scanUntilStable(scanned, createFileTracker())
  if (!wasListed) {
    const message = 'it is no plain file, or has such a name as files have while they are written'
    return [createReason('entry-ignored', message)]
  }
  const skipped = skippedFiles.filter(({ file }) => isNamed(file))
  if (skipped.length === 0 && !ready.some(isNamed)) return undefined
  return skipped.map(({ code, message, fix }) => createReason(code, message, fix))
}

/** For the marker or manifest of a file, which no run takes by itself. */
export async function findSidecarReason({ name }: DiagnosisContext, { from, mailbox }: OpenInbox) {
  const { ready, match, folder } = from
  if (ready === undefined || !('sidecar' in ready)) return undefined
  const { when, sidecar } = ready
  if (!compileFilePattern(toNamePattern(sidecar))(name)) return undefined
  const names = [...((await mailbox.listNames(folder)) ?? [])].filter(compileFilePattern(match))
  const data = names.find((each) => fillNameTemplate(sidecar, each) === name)
  if (data !== undefined)
    return createReason(
      'is-sidecar',
      `it is the ${when} of ${data}`,
      `See \`dropbridge why-not ${quoteForShell(data)}\`.`,
    )
  const [begin = '', end = ''] = sidecar.split(/\{(?:name|stem)\}/)
  const stem = name.slice(begin.length, name.length - end.length)
  const missing = sidecar.includes('{stem}') ? `${stem}.*` : stem
  return createReason('is-sidecar', `it is the ${when} of ${missing}, which is not there`, FIX_ORPHANED)
}

/** A watch waits for the first row of an empty file, unless another file says that it is complete. */
export function noteEmptyFile({ from }: LocalInbox, { info }: PresentFile): string[] {
  if (info.size > 0 || buildReadyRule(from) !== undefined) return []
  return ['a watch takes an empty file only when it has stayed empty for a quarter of an hour']
}

/** The problems that a run would find when it compares the file with its manifest. */
export async function findManifestReasons(
  { name, mappings }: DiagnosisContext,
  { root, key, from, place }: LocalInbox,
): Promise<Reason[]> {
  const ready = buildReadyRule(from)
  const mapping = 'loaded' in mappings ? mappings.loaded.get(key) : undefined
  if (ready?.when !== 'manifest' || mapping?.direction !== 'inbound') return []
  const sidecar = ready.sidecarNameOf(name)
  const found = await inspectFile(root, from.folder, sidecar)
  if (found.what !== 'file' || !found.isReadable) return []
  const path = join(place, name)
  const { size } = await stat(path)
  const sha256 = await computeSha256(readFileBytes(path))
  const read = () => createFormats().read(readFileBytes(path), mapping.translator.read)
  const manifest = { manifestFile: sidecar, bytes: await readFile(join(place, sidecar)) }
  const problems = await compareWithManifest(manifest, { size, sha256, read })
  return createRefusalReasons(problems)
}
