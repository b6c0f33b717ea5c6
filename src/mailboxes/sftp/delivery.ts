/**
 * Delivers files to a server in two halves, so that the outcome of each half is known after a crash. The
 * bridge uploads a file under a working name; the journal notes it; then the bridge renames it. A working
 * name that exists after a crash means that the file did not get its name. A missing one means that it did,
 * even where its reader has taken it since.
 */
import type {
  Naming,
  NamingEvidence,
  NamingOutcome,
  SaveEvidence,
  StagedFile,
  StageOptions,
} from '../../domain/mailbox.ts'
import { refuseToCreate } from '../staged.ts'
import { assertSafeName, makeWorkingName, splitFolder } from '../names.ts'
import {
  createUpload,
  flushIfSupported,
  INITIAL_WINDOW,
  isPrefixOfLocalFile,
  isTaken,
  matchesLocalFile,
  narrowWindow,
  OPEN_MODES,
  removeIfAllowed,
  renameOnServer,
  uploadFile,
  type UploadState,
  withLocalFile,
} from './files.ts'
import {
  cleanLeftoversOnce,
  ensureFolder,
  formatAddress,
  joinPath,
  type SftpContext,
  type SftpSession,
  useSession,
} from './folders.ts'
import {
  ConnectionLost,
  type Handle,
  ignoreRefusal,
  isRefusal,
  mapAccessRefusals,
  mapWriteRefusals,
  type SftpCalls,
} from './protocol.ts'

export async function stageFile(
  place: SftpContext,
  source: string,
  folder: string,
  how: StageOptions,
): Promise<StagedFile> {
  const { options } = place
  assertSafeName(how.name)
  const segments = splitFolder(folder) // refuses folders outside of the mailbox
  const into = (session: SftpSession) => ensureFolder(session, segments, how.beforeCreate)
  if (options.deliver === 'direct') {
    await useSession(place, into)
    return stageDirect(source, folder, how.earlier)
  }
  if (how.earlier !== undefined) return { ...how.earlier, source, folder, isEarlier: true }
  const working = makeWorkingName(options.working.owner, options.newId(), how.name)
  await withLocalFile(source, async (file, size) => {
    const uploading = createUpload({ file, size, verify: options.verify, width: INITIAL_WINDOW })
    const upload = async (session: SftpSession) => {
      const path = await into(session)
      const final = formatAddress(options, joinPath(path, how.name))
      await mapWriteRefusals(`${final} cannot be written`, async () => {
        await cleanLeftoversOnce(session, path)
        const staged = joinPath(path, working)
        try {
          await uploadFile(session.calls, staged, uploading)
        } catch (error) {
          if (error instanceof ConnectionLost) uploading.width = narrowWindow(uploading.width)
          else if (uploading.isBegun) await removeIfAllowed(session.calls, staged)
          throw error
        }
      })
    }
    await useSession(place, upload, () => uploading.reached)
  })
  return { source, folder, working, evidence: { by: 'rename' } }
}

const DIRECT_HELP = 'Without the right to rename, write `deliver: direct` in the mailbox.'

export async function giveName(place: SftpContext, staged: StagedFile, name: string, note?: SaveEvidence) {
  assertSafeName(name)
  if (place.options.deliver === 'direct') return giveNameDirectly(place, staged, name, note)
  let tries = 0
  const named = await useSession(place, async (session) => {
    const { calls, options } = session
    const path = await ensureFolder(session, splitFolder(staged.folder), refuseToCreate)
    const final = joinPath(path, name)
    const job = { calls, working: joinPath(path, staged.working), final, source: staged.source }
    const rename = () => (tries++ === 0 ? renameStaged(job) : retryRename(job))
    return mapWriteRefusals(`${formatAddress(options, final)} gets no name`, rename, DIRECT_HELP)
  })
  if (named === 'delivered') place.renamedWorkingNames.add(staged.working)
  return named
}

interface RenameJob {
  readonly calls: SftpCalls
  readonly working: string
  readonly final: string
  /** The local file. */
  readonly source: string
}

async function renameStaged(job: RenameJob): Promise<NamingOutcome> {
  const { calls, working, final } = job
  // Some servers replace a file that has the name.
  if ((await calls.lstat(final)) !== undefined) return compareWithExisting(job)
  const handle = await openForFlush(calls, working)
  try {
    const outcome = await renameOnServer(calls, working, final)
    if (outcome === 'gone') return 'lost'
    if (outcome === 'taken') return await compareWithExisting(job)
    await flushName(calls, handle)
    return 'delivered'
  } finally {
    if (handle !== undefined) await calls.close(handle).catch(() => {}) // its name is what matters
  }
}

/** Retries after a lost answer. Only a successor could rename the file too, and then this bridge has lost its lease. */
async function retryRename(job: RenameJob): Promise<NamingOutcome> {
  const { calls, working, final } = job
  if ((await calls.lstat(working)) !== undefined) return renameStaged(job)
  const handle = await openForFlush(calls, final)
  await flushName(calls, handle)
  if (handle !== undefined) await calls.close(handle).catch(() => {})
  return 'delivered'
}

/** A handle stays with the file when its name changes. */
function openForFlush(calls: SftpCalls, path: string): Promise<Handle | undefined> {
  return calls.open(path, OPEN_MODES.read).catch(ignoreRefusal())
}

/** The protocol flushes no folder; on Linux a flush after the rename makes the name durable. Some servers refuse it. */
async function flushName(calls: SftpCalls, handle: Handle | undefined): Promise<void> {
  if (handle !== undefined) await flushIfSupported(calls, handle).catch(ignoreRefusal())
}

/** The same bytes under the name count as delivered. */
async function compareWithExisting({ calls, working, final, source }: RenameJob): Promise<NamingOutcome> {
  if (!(await withLocalFile(source, (file) => matchesLocalFile(calls, final, file)))) return 'occupied'
  await removeIfAllowed(calls, working)
  return 'delivered'
}

export async function inspectNaming(place: SftpContext, folder: string, { name, working, evidence }: Naming) {
  const { options } = place
  assertSafeName(name)
  return useSession(place, async (session) => {
    const { calls } = session
    const path = await ensureFolder(session, splitFolder(folder), refuseToCreate)
    const final = joinPath(path, name)
    return mapAccessRefusals(`${formatAddress(options, final)} cannot be inspected`, async () => {
      if (evidence['by'] === 'direct') return inspectDirect(calls, final, evidence)
      if ((await calls.lstat(joinPath(path, working))) !== undefined) return 'not-named'
      // A missing folder gives no evidence; the bridge may have known it before.
      if ((await calls.lstat(path))?.kind !== 'folder') await refuseToCreate(formatAddress(options, path))
      return 'named'
    })
  })
}

export async function removeStaged(place: SftpContext, folder: string, working: string): Promise<void> {
  if (working === '' || place.renamedWorkingNames.delete(working)) return
  await useSession(place, async (session) => {
    const path = await ensureFolder(session, splitFolder(folder), refuseToCreate)
    await removeIfAllowed(session.calls, joinPath(path, working))
  })
}

// On a server that allows no renames, the bridge writes files directly under their names: never over
// another file, and resuming after a lost connection or a crash. A reader may see the
// beginning of such a file.
// The evidence says how far it came: `begun` is noted when the file is open and before its first byte,
// `complete` when all of it is flushed. So the evidence shows whether the reader of a missing file has all
// of it, a part of it, or nothing.

const NOT_BEGUN: NamingEvidence = { by: 'direct' }

const PARTLY_TAKEN = { unclear: 'another program removed it before it was complete' } as const

/** Writes nothing yet. Continues an earlier naming. */
function stageDirect(source: string, folder: string, earlier: Naming | undefined): StagedFile {
  const isDirect = earlier?.evidence['by'] === 'direct'
  const evidence = isDirect ? { ...earlier.evidence, name: earlier.name } : NOT_BEGUN
  return { source, folder, working: '', evidence }
}

/** How far the file came under its name. `mayBeOpen`: a file that is empty may be the one that was opened. */
type DirectProgress = Record<'mayBeOpen' | 'isBegun', boolean>

async function giveNameDirectly(
  place: SftpContext,
  { source, folder, evidence }: StagedFile,
  name: string,
  note: SaveEvidence | undefined,
): Promise<NamingOutcome> {
  const { options } = place
  const isEarlier = evidence['name'] === name
  const { reached } = isEarlier ? evidence : NOT_BEGUN
  const progress: DirectProgress = { mayBeOpen: isEarlier, isBegun: reached !== undefined }
  const noteProgress = async (far: 'begun' | 'complete') => note?.({ ...NOT_BEGUN, reached: far })
  return withLocalFile(source, (file, size) => {
    const uploading = createUpload({
      file,
      size,
      verify: options.verify,
      // With one request at a time, the bytes on the server are always the beginning of the file.
      width: 1,
      mayBeTaken: true,
      isComplete: reached === 'complete',
      onBegun: async () => {
        if (!progress.isBegun) await noteProgress('begun')
        progress.isBegun = true
      },
      onComplete: () => noteProgress('complete'),
    })
    const write = async (session: SftpSession) => {
      const path = await ensureFolder(session, splitFolder(folder), refuseToCreate)
      const final = joinPath(path, name)
      const writing = { calls: session.calls, final, uploading, progress, note }
      const what = `${formatAddress(options, final)} cannot be written`
      return mapWriteRefusals(what, () => writeDirectly(writing))
    }
    return useSession(place, write, () => uploading.reached)
  })
}

interface DirectWrite {
  readonly calls: SftpCalls
  readonly final: string
  readonly uploading: UploadState
  readonly progress: DirectProgress
  readonly note: SaveEvidence | undefined
}

async function writeDirectly(writing: DirectWrite): Promise<NamingOutcome> {
  const { calls, final, uploading, progress } = writing
  const there = await calls.lstat(final)
  if (there !== undefined && (await matchesLocalFile(calls, final, uploading.file))) return 'delivered'
  if (await isTaken(calls, final, uploading)) return 'delivered'
  if (there === undefined && progress.isBegun) return PARTLY_TAKEN
  if (there !== undefined) {
    const isOwnFile = progress.isBegun || ((progress.mayBeOpen || uploading.isBegun) && there.size === 0)
    if (!isOwnFile) return 'occupied'
    if (!(await isPrefixOfLocalFile(calls, final, uploading.file))) return PARTLY_TAKEN
    Object.assign(uploading, { isBegun: true, reached: there.size })
  }
  try {
    await uploadFile(calls, final, uploading)
    return 'delivered'
  } catch (error) {
    const isOccupied = isRefusal(error) && !uploading.isBegun && (await calls.lstat(final)) !== undefined
    if (isOccupied) return (await matchesLocalFile(calls, final, uploading.file)) ? 'delivered' : 'occupied'
    if (uploading.isBegun && !(error instanceof ConnectionLost)) await removePartial(writing)
    throw error
  }
}

/** Removes a partial file. No reader has a part of it only if it was still there. */
async function removePartial({ calls, final, uploading, progress, note }: DirectWrite): Promise<void> {
  try {
    await calls.unlink(final)
    Object.assign(uploading, { isBegun: false, isComplete: false, reached: 0 })
    Object.assign(progress, { mayBeOpen: false, isBegun: false })
    await note?.(NOT_BEGUN)
  } catch (error) {
    if (!isRefusal(error) && !(error instanceof ConnectionLost)) throw error
  }
}

async function inspectDirect(calls: SftpCalls, final: string, { reached }: NamingEvidence) {
  if (reached === undefined || (await calls.lstat(final)) !== undefined) return 'not-named'
  return reached === 'complete' ? 'named' : PARTLY_TAKEN
}
