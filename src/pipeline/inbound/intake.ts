/** Takes files in: claims stable files with their sidecars, copies them to the spool and unpacks them. */
import type { FileEntry } from '../../domain/file.ts'
import type { Claim, FileInfo, Mailbox } from '../../domain/mailbox.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { BridgeError, hasCode, throwIfStopped } from '../../support/errors.ts'
import { DamagedGzip, gunzipIfNeeded, isGzipped } from '../../support/gunzip.ts'
import type { SpooledBlob } from '../../support/spool.ts'
import type { IntakeContext } from '../context.ts'
import { createFileTracker, type FileTracker } from './file-tracker.ts'
import { type InboxScan, scanInbox, scanUntilStable, type SkippedFile } from './inbox.ts'
import { cleanDocumentSpool } from '../documents/delivery.ts'

/** A file that keeps growing after it was claimed is copied again at most this often before its intake fails. */
const COPIES_MAX = 20

/** How many files one pass of a watch takes, so that a full inbox does not delay other routes. */
const CLAIMS_MAX = 500

/** Notes the intent to claim the files that are ready; returns how many. Without a tracker it scans twice. */
export function createFileClaimer(context: IntakeContext): () => Promise<number> {
  const { fileTracker, clock, signal } = context
  if (fileTracker !== undefined) {
    let left = CLAIMS_MAX
    return async () => {
      if (left === 0) return 0
      const { ready, skippedFiles } = await scanInbox(context, fileTracker)
      const taken = await beginClaims(context, ready.slice(0, left))
      for (const name of taken) fileTracker.noteClaim(name)
      left -= taken.length
      notifySkippedFiles(context, skippedFiles, fileTracker)
      return taken.length
    }
  }
  const ownTracker = createFileTracker()
  let remaining: Set<string> | undefined
  return async () => {
    const isFirst = remaining === undefined
    let scan = await (isFirst ? scanUntilStable(context, ownTracker) : scanInbox(context, ownTracker))
    const known = [...scan.ready, ...listOpenEnded(scan).map(({ file }) => file)]
    const candidates = (remaining ??= new Set(known.map(({ name }) => name)))
    const isCandidate = ({ name }: FileInfo) => candidates.has(name)
    let taken = await beginClaims(context, scan.ready.filter(isCandidate))
    const waiting = listOpenEnded(scan).filter(({ file }) => isCandidate(file))
    if (taken.length === 0 && waiting.length > 0) {
      notifySkippedFiles(context, waiting)
      await clock.sleep(Math.max(...waiting.map(({ untilMs = 0 }) => untilMs)), signal)
      throwIfStopped(signal)
      scan = await scanInbox(context, ownTracker)
      taken = await beginClaims(context, scan.ready.filter(isCandidate))
    }
    for (const name of taken) candidates.delete(name)
    const isLast = taken.length === 0
    const reported = scan.skippedFiles.filter(({ isUsual, file: { name } }) =>
      // What is wrong with a file is reported at the end: the file that it waits for may arrive or finish meanwhile.
      isUsual ? isFirst || candidates.has(name) : isLast,
    )
    notifySkippedFiles(context, reported)
    return taken.length
  }
}

/** Files that a single run waits for, after it has taken the others. */
function listOpenEnded({ skippedFiles }: InboxScan) {
  return skippedFiles.filter(({ code }) => code === 'line-end-missing')
}

/** Returns the names of the files whose claims it noted. */
async function beginClaims(context: IntakeContext, ready: readonly FileInfo[]): Promise<readonly string[]> {
  const { journal, lease, route, signal } = context
  const open = await journal.listUnfinishedFiles(route.name)
  // For a file that could not be claimed before, the intent is in the journal already.
  const claiming = open.filter(({ state, retakeOf }) => state === 'claiming' && retakeOf === undefined)
  const begun = new Set(claiming.map(({ name }) => name))
  // In a strict sequence, a file is claimed only after the one before it is finished.
  const limit = route.sequence === undefined ? CLAIMS_MAX : 1
  const next = ready.filter(({ name }) => !begun.has(name)).slice(0, limit)
  if (next.length === 0) return []
  throwIfStopped(signal)
  const files = next.map((file) => ({ id: context.newId(), ...file }))
  await journal.startClaims(lease, files)
  return next.map(({ name }) => name)
}

/** A file that waits for another file is reported only after this time. */
const REPORT_AFTER_MS = 5 * 60_000

/** A single run reports every file that it skips. A watch sees all files arrive and reports only odd ones, once each. */
export function notifySkippedFiles(
  { source, route, notify }: Pick<IntakeContext, 'source' | 'route' | 'notify'>,
  skippedFiles: readonly SkippedFile[],
  tracker?: FileTracker,
): void {
  for (const { file, message: why, isUsual } of skippedFiles) {
    const { name } = file
    if (tracker !== undefined) {
      const { thereMs = 0 } = tracker.get(name) ?? {}
      if (isUsual || thereMs < REPORT_AFTER_MS || !tracker.isFirstReport(name, why)) continue
    }
    notify({ kind: 'file-skipped', route: route.name, file: source.describe(route.folder, name), why })
  }
}

/** Releases claims of closed files: a process that woke up late may have claimed a later file of the same name. */
export async function releaseStrayClaims(context: IntakeContext, unfinished: ReadonlySet<string>) {
  const { journal, source, route } = context
  for (const id of await source.listClaims(route.folder)) {
    if (unfinished.has(id)) continue
    const file = await journal.getFile(id)
    if (file?.state !== 'closed' || file.route !== route.name) continue
    await releaseFile(context, file)
  }
}

/** Returns the file and its sidecar to the inbox. If the name is taken there, the claim stays for a later pass. */
export async function releaseFile(context: IntakeContext, file: FileEntry): Promise<void> {
  const sidecar = getSidecarClaim(context, file)
  if (sidecar !== undefined) await context.source.releaseClaim(sidecar)
  await context.source.releaseClaim(toClaim(file))
}

/** claiming → received, or closed when the file was gone. May be repeated from the start after a crash. */
export async function receiveFile(context: IntakeContext, file: FileEntry): Promise<void> {
  if (file.retakeOf !== undefined) return receiveArchivedFile(context, file, file.retakeOf)
  const { journal, lease, source, route } = context
  const claim = toClaim(file)
  const isWhole = (await source.claim(claim)) === 'claimed' && (await claimSidecar(context, file))
  if (!isWhole) {
    // A process that paused and lost the route must not release what its successor has claimed.
    await journal.renewLease(lease)
    // Has no effect if the file itself was gone.
    await source.releaseClaim(claim)
    await journal.markFileVanished(lease, file.id)
    context.notify({ kind: 'file-closed', route: route.name, file: file.name, outcome: 'vanished' })
    return
  }
  const blob = await copyToSpool(context, claim, file.size)
  await noteReceived(context, file, blob, route.contentsMayRepeat === true)
}

async function noteReceived(context: IntakeContext, file: FileEntry, blob: SpooledBlob, mayRepeat: boolean) {
  const { journal, lease, route, notify } = context
  await journal.markFileReceived(lease, file.id, { ...blob, mayRepeat })
  notify({ kind: 'file-received', route: route.name, file: file.name, bytes: blob.bytes })
}

/**
 * The bytes of a retake come from the archive. They may repeat, which is its point: only the keys of the records decide what
 * is sent. Bytes that are gone or not those of the first time count as a file that vanished.
 */
async function receiveArchivedFile(context: IntakeContext, file: FileEntry, first: string): Promise<void> {
  const { journal, lease, source, spool, route, notify } = context
  const { archivedAs = '' } = file
  const { sha256 } = (await journal.getFile(first)) ?? {}
  const isThere = (await source.getArchivedSizes([archivedAs])).has(archivedAs)
  const copy = () => spool.put(getSpoolName(file.id), stopOnSignal(context, source.read({ archivedAs })))
  const blob = isThere ? await copy() : undefined
  if (blob !== undefined && blob.sha256 === sha256) return noteReceived(context, file, blob, true)
  await journal.markFileVanished(lease, file.id)
  await spool.remove(getSpoolName(file.id))
  notify({ kind: 'file-closed', route: route.name, file: file.name, outcome: 'vanished' })
}

/** A writer may continue after the claim, so the copy is repeated until it has the size that was expected. */
async function copyToSpool(context: IntakeContext, claim: Claim, listedSize: number): Promise<SpooledBlob> {
  let expected = listedSize
  const { spool, source, clock, route, signal } = context
  for (let copies = 0; copies < COPIES_MAX; copies++) {
    const blob = await spool.put(getSpoolName(claim.id), stopOnSignal(context, source.read(claim)))
    if (blob.bytes === expected) return blob
    expected = blob.bytes
    await clock.sleep(route.stableForMs, signal)
    throwIfStopped(signal)
  }
  const why = `${claim.name} keeps growing although it was claimed; it is left in place`
  throw new BridgeError('mailbox-unreachable', why)
}

/** Copying a large file takes longer than the program may take to stop. */
async function* stopOnSignal({ signal }: IntakeContext, chunks: AsyncIterable<Uint8Array>) {
  for await (const chunk of chunks) {
    throwIfStopped(signal)
    yield chunk
  }
}

export function getSpoolName(fileId: string): string {
  return `${fileId}.in`
}

// The sidecar (marker or manifest) of a file is claimed under the same id and archived beside it.

function toClaim({ id, folder, name }: FileEntry): Claim {
  return { id, folder, name }
}

/** The claim of the sidecar; undefined where files of the route have none. */
function getSidecarClaim({ route: { ready } }: IntakeContext, file: Claim): Claim | undefined {
  if (ready === undefined || !('sidecarNameOf' in ready)) return undefined
  return { id: file.id, folder: file.folder, name: ready.sidecarNameOf(file.name) }
}

export function manifestSpoolName(fileId: string): string {
  return `${fileId}.manifest`
}

/** Claims the sidecar. False when a manifest is gone: without it the file cannot be checked. */
async function claimSidecar(context: IntakeContext, file: Claim): Promise<boolean> {
  const sidecar = getSidecarClaim(context, file)
  if (sidecar === undefined) return true
  const claimed = await context.source.claim(sidecar)
  if (context.route.ready?.when !== 'manifest') return true
  if (claimed === 'gone') return false
  await context.spool.put(manifestSpoolName(file.id), limitBytes(context.source.read(sidecar)))
  return true
}

/** A sidecar that is no manifest may be of any size; parsing finds out that the rest was cut off. */
const MANIFEST_BYTES_MAX = 64 * 1024

async function* limitBytes(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of chunks) {
    yield chunk.subarray(0, MANIFEST_BYTES_MAX - bytes)
    bytes += chunk.length
    if (bytes >= MANIFEST_BYTES_MAX) return
  }
}

/** Call it after the file itself is archived: a claim under its id is then that of the sidecar, not of the next file. */
export async function archiveSidecar(context: IntakeContext, file: Claim, folder: string): Promise<void> {
  const sidecar = getSidecarClaim(context, file)
  if (sidecar === undefined) return
  const claims = await context.source.listClaims(file.folder)
  if (claims.includes(file.id)) await context.source.archive(sidecar, folder)
}

// A packed file is unpacked in the spool, so that all later steps read plain text.

/** Unpacks before the file is read, so that a truncated file is found before its first record. Returns why it cannot. */
export async function unpackFile({ spool }: IntakeContext, file: FileEntry): Promise<readonly Problem[]> {
  const name = getSpoolName(file.id)
  let head: Uint8Array = Buffer.alloc(0)
  for await (const chunk of spool.read(name)) {
    head = chunk
    break
  }
  if (!isGzipped(head)) return []
  try {
    await spool.put(name, gunzipIfNeeded(spool.read(name)))
    return []
  } catch (error) {
    if (!(error instanceof DamagedGzip)) throw error
    return [problem('file-damaged', {}, `The file is packed with gzip, and ${error.message}.`)]
  }
}

/** reported → closed: archives the source, unless it was archived before, and clears the spool. */
export async function archiveFile(context: IntakeContext, file: FileEntry): Promise<void> {
  const { source, journal, lease, route, clock } = context
  if (file.partOf !== undefined) return closePart(context, file)
  if (await hasAppendedRows(context, file)) return returnAppendedFile(context, file)
  const day = new Date(file.receivedAt ?? clock.now()).toISOString().slice(0, 10).replaceAll('-', '/')
  const folder = `${route.archiveFolder}/${day}`
  const archivedAs = file.archivedAs ?? (await archiveClaim(source, toClaim(file), folder))
  await archiveSidecar(context, file, folder)
  await journal.markFileClosed(lease, file.id, archivedAs, archivedAs === undefined)
  await removeSpooled(context, file.id)
  const { name, outcome = 'processed' } = file
  context.notify({ kind: 'file-closed', route: route.name, file: name, outcome })
}

/** Its source is archived once, by the inbox of the whole file. */
async function closePart(context: IntakeContext, file: FileEntry): Promise<void> {
  const { journal, lease, route, notify } = context
  await journal.markFileClosed(lease, file.id)
  await removeSpooled(context, file.id)
  const { name, outcome = 'processed' } = file
  notify({ kind: 'file-closed', route: route.name, file: name, outcome })
}

/** Returns the path in the archive; undefined where another program removed the claimed file. */
export async function archiveClaim(mailbox: Mailbox, claim: Claim, folder: string) {
  try {
    return await mailbox.archive(claim, folder)
  } catch (error) {
    if (!hasCode(error, 'mailbox-unreachable')) throw error
    // A file that vanished with its whole folder is most likely on a share that is not mounted.
    if (mailbox.claimsInPlace || !(await mailbox.hasFolder(claim.folder))) throw error
    if ((await mailbox.listClaims(claim.folder)).includes(claim.id)) throw error
    return undefined
  }
}

/** A writer that had the file open may have appended rows after the copy was made; these were never read. */
async function hasAppendedRows({ source }: IntakeContext, file: FileEntry) {
  if (file.archivedAs !== undefined) return false
  return ((await source.getClaimSize(toClaim(file))) ?? 0) > file.size
}

/** reported → closed: returns the file to the inbox, to be taken again; records that were sent are duplicates then. */
async function returnAppendedFile(context: IntakeContext, file: FileEntry): Promise<void> {
  const { source, journal, lease, route } = context
  await journal.markFileClosed(lease, file.id)
  await releaseFile(context, file)
  await removeSpooled(context, file.id)
  const path = source.describe(route.folder, file.name)
  const why =
    'more was written to it after it was taken; it was returned to the inbox and will be taken again as a whole'
  context.notify({ kind: 'file-skipped', route: route.name, file: path, why })
}

/** Keeps the copy of a file with held records: their outcomes are reported later, with their rows. */
async function removeSpooled({ spool, journal }: IntakeContext, fileId: string): Promise<void> {
  const held = await journal.listHeldFiles(1, fileId)
  if (held.length === 0) await spool.remove(getSpoolName(fileId))
  for (const suffix of ['results', 'rejects', 'exceptions', 'summary', 'manifest']) {
    await spool.remove(`${fileId}.${suffix}`)
  }
}

/** Removes the remains of files that were closed right before a crash. */
export async function cleanSpool(context: IntakeContext): Promise<void> {
  const ids = new Set((await context.spool.list()).map((name) => name.split('.', 1)[0] ?? ''))
  if (ids.size > 0) await context.journal.renewLease(context.lease)
  for (const id of ids) {
    const file = await context.journal.getFile(id)
    if (file?.state !== 'closed') continue
    await removeSpooled(context, id)
    await cleanDocumentSpool(context, id)
  }
}
