/** The rules that keep a file in an inbox from being taken. Each rule only reads. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toNamePattern } from '../../alerts/context.ts'
import type { Configuration } from '../../config/configuration.ts'
import { fillNameTemplate } from '../../config/file-name.ts'
import type { InboundRoute } from '../../config/routes.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import type { Journal } from '../../domain/journal.ts'
import { formatLeaseOwner } from '../../domain/lease.ts'
import type { Mailbox } from '../../domain/mailbox.ts'
import { PROBLEMS } from '../../domain/problem.ts'
import { createFormats } from '../../formats/formats.ts'
import { isOwnerAlive } from '../../journal/heartbeat.ts'
import { inspectFile, type Inspection, listNamesIfAllowed } from '../../mailboxes/directory/inspect.ts'
import { matchTemporaryName } from '../../mailboxes/names.ts'
import type { Mapping } from '../../mapping/load.ts'
import { listTakenFiles, splitBySequence } from '../../pipeline/inbound/inbox.ts'
import { compareWithManifest } from '../../pipeline/inbound/manifest.ts'
import { buildInboundRoute, buildReadyRule, compileFilePattern } from '../../pipeline/route-settings.ts'
import { type Clock, isoTime } from '../../support/clock.ts'
import { BridgeError, EXIT } from '../../support/errors.ts'
import { computeSha256, readFileBytes } from '../../support/files.ts'
import { findSimilarName } from '../../support/text.ts'
import type { LocalInbox } from './inboxes.ts'
import { createReason, createRefusalReasons, type Reason, toReason } from './reasons.ts'

export interface DiagnosisControls {
  readonly clock: Clock
  readonly signal: AbortSignal
}

export interface DiagnosisContext extends DiagnosisControls {
  /** A new one in memory where no journal exists. */
  readonly journal: Journal
  /** Throws what keeps a run from the work of the route, as its mailbox shows. */
  readonly checkRoute: (route: InboundRoute, mailbox: Mailbox) => Promise<void>
  readonly configuration: Configuration
  readonly mappings: LoadedMappings
  readonly name: string
  readonly inboxes: readonly LocalInbox[]
  /** Inboxes on servers that may have the file. */
  readonly remote: readonly RemoteInbox[]
}

export type LoadedMappings = { readonly loaded: ReadonlyMap<string, Mapping> } | { readonly wrong: Reason }

/** `place`: left out for an inbox on a server, which is diagnosed by itself. */
export function findNameReasons(
  { name, inboxes }: DiagnosisContext,
  { route, place }: { readonly route: InboundRoute; readonly place?: string },
): Reason[] {
  const { match } = route.from
  if (compileFilePattern(match)(name)) return []
  const patterns = inboxes.filter((each) => each.place === place).map((each) => each.route.from.match)
  const nearest = findSimilarName(name, patterns) ?? match
  const fix = nearest === match ? '' : `; the nearest pattern is "${nearest}"`
  return [createReason('name-differs', `its name does not match "${match}" of route ${route.name}${fix}`)]
}

/** For a file with an unfinished name that the route would take under its final name. */
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

/** As in a run, two checks must find the file unchanged. */
async function findStabilityReasons(
  { clock, signal, name }: DiagnosisContext,
  { route, root }: LocalInbox,
  first: PresentFile,
): Promise<Reason[]> {
  const { stableForMs, folder } = route.from
  await clock.sleep(stableForMs, signal)
  const second = await inspectFile(root, folder, name)
  if (second.what !== 'file')
    return [createReason('still-changing', 'it has just gone from its place; a run may have taken it')]
  const [before, after] = [first.info, second.info]
  if (before.size === after.size && before.modifiedAt === after.modifiedAt) return []
  const sizes =
    before.size === after.size ? 'its time changed' : `it grew from ${before.size} to ${after.size} bytes`
  return [createReason('still-changing', `it is still being written: within ${stableForMs} ms ${sizes}`)]
}

export async function findDuplicateReasons(
  { journal }: DiagnosisContext,
  { route }: LocalInbox,
  path: string,
): Promise<Reason[]> {
  if (OPERATIONS[route.operation].repeatable) return []
  const first = await journal.findFirstWithContents(route.name, await computeSha256(readFileBytes(path)))
  if (first === undefined) return []
  const message = `the same bytes came before as ${first.name} on ${isoTime(first.receivedAt)} (id ${first.id}): the next run takes the file, reports it as a duplicate and sends nothing`
  return [{ code: 'file-repeated', message, fix: PROBLEMS['file-repeated'].fix, exit: EXIT.rejects }]
}

export async function findLeaseReasons({ journal }: DiagnosisContext, route: string): Promise<Reason[]> {
  const held = await journal.getLeaseOwner(route)
  if (held === undefined || !isOwnerAlive(held.owner)) return []
  const message = `${formatLeaseOwner(held.owner)} is working on route ${route}; its last sign of life was at ${isoTime(held.renewedAt)}`
  return [toReason(new BridgeError('lease-held', message))]
}

export async function noteQueuedFiles(
  { name, journal }: DiagnosisContext,
  { route }: Pick<LocalInbox, 'route'>,
) {
  // A run that was stopped right before its claim has noted this very file, which is still there.
  const open = (await journal.listUnfinishedFiles(route.name)).filter(
    (file) => file.name !== name || file.state !== 'claiming',
  )
  const [first] = open
  const [before] = (await journal.findFilesByName(name, 1)).filter(
    (file) => file.route === route.name && file.state === 'closed',
  )
  const who =
    open.length === 1 ? 'an earlier file of the route goes' : `${open.length} earlier files of the route go`
  const queue = `${who} first, such as ${first?.name} (${first?.state}); while the API cannot be reached, this one waits`
  const taken = isoTime(before?.receivedAt ?? before?.claimedAt ?? 0)
  const namesake = `another file of this name was taken on ${taken}; this one is a file of its own`
  return [...(first === undefined ? [] : [queue]), ...(before === undefined ? [] : [namesake])]
}

// Completeness and order: stability, marker or manifest, sequence.

/** Applies the route's rule: the file is stable, or another file says that it is complete. */
export async function findCompletenessReasons(
  context: DiagnosisContext,
  inbox: LocalInbox,
  file: PresentFile,
): Promise<Reason[]> {
  const { root, route } = inbox
  const ready = buildReadyRule(route.from)
  if (ready === undefined) return findStabilityReasons(context, inbox, file)
  if (!('sidecarNameOf' in ready)) return []
  const sidecar = ready.sidecarNameOf(context.name)
  const isThere = (await inspectFile(root, route.from.folder, sidecar)).what === 'file'
  if (isThere) return ready.when === 'manifest' ? findStabilityReasons(context, inbox, file) : []
  const message = `its ${ready.when} ${sidecar} is missing; the file is taken when that file is there`
  return [createReason('sidecar-missing', message)]
}

/** For the marker or manifest of a file, which no run takes by itself. */
export async function findSidecarReason({ name }: DiagnosisContext, { route, place }: LocalInbox) {
  const { ready, match } = route.from
  if (ready === undefined || !('sidecar' in ready)) return undefined
  const { when, sidecar } = ready
  if (!compileFilePattern(toNamePattern(sidecar))(name)) return undefined
  const names = (await listNamesIfAllowed(place)).filter(compileFilePattern(match))
  const data = names.find((each) => fillNameTemplate(sidecar, each) === name)
  if (data !== undefined)
    return createReason('is-sidecar', `it is the ${when} of ${data}`, `See \`dropbridge why-not ${data}\`.`)
  const [begin = '', end = ''] = sidecar.split(/\{(?:name|stem)\}/)
  const stem = name.slice(begin.length, name.length - end.length)
  const missing = sidecar.includes('{stem}') ? `${stem}.*` : stem
  return createReason('is-sidecar', `it is the ${when} of ${missing}, which is not there`)
}

/** A watch waits for the first row of an empty file, unless another file says that it is complete. */
export function noteEmptyFile({ route }: LocalInbox, { info }: PresentFile): string[] {
  if (info.size > 0 || buildReadyRule(route.from) !== undefined) return []
  return ['a watch takes an empty file only when it has stayed empty for a quarter of an hour']
}

/** The problems that a run would find when it compares the file with its manifest. */
export async function findManifestReasons(
  { name, mappings }: DiagnosisContext,
  { root, route, place }: LocalInbox,
): Promise<Reason[]> {
  const ready = buildReadyRule(route.from)
  const mapping = 'loaded' in mappings ? mappings.loaded.get(route.name) : undefined
  if (ready?.when !== 'manifest' || mapping?.direction !== 'inbound') return []
  const sidecar = ready.sidecarNameOf(name)
  const found = await inspectFile(root, route.from.folder, sidecar)
  if (found.what !== 'file' || !found.isReadable) return []
  const path = join(place, name)
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of readFileBytes(path)) {
    hash.update(chunk as Uint8Array)
    size += (chunk as Uint8Array).length
  }
  const read = () => createFormats().read(readFileBytes(path), mapping.translator.read)
  const manifest = { manifestFile: sidecar, bytes: await readFile(join(place, sidecar)) }
  const problems = await compareWithManifest(manifest, { size, sha256: hash.digest('hex'), read })
  return createRefusalReasons(problems)
}

/** For a route with a strict sequence: which number must come first. */
export async function findSequenceReasons(context: DiagnosisContext, { route, place }: LocalInbox) {
  const { configuration, name, journal } = context
  const { sequence, matches, folder } = buildInboundRoute(configuration, route)
  if (sequence === undefined) return []
  const names = (await listNamesIfAllowed(place)).filter(matches)
  const files = names.map((each) => ({ folder, name: each, size: 0, modifiedAt: 0 }))
  const taken = await listTakenFiles(journal, route.name)
  const { behind } = splitBySequence(files, sequence, { taken, coming: [] })
  const waits = behind.find(({ file }) => file.name === name)
  if (waits === undefined) return []
  const fix = sequence.numberIn(name) === undefined ? UNNUMBERED_FIX : undefined
  return [createReason('out-of-sequence', waits.why, fix)]
}

const UNNUMBERED_FIX =
  'Rename it so that its number is where `sequence` says, or move it to the inbox of another route.'

export interface RemoteInbox {
  readonly route: InboundRoute
  /** Connects with the first call. */
  readonly open: () => Promise<Mailbox>
}
