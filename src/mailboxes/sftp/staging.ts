/**
 * Files that are left on a server in two halves, so that after a crash in between it is known what came of each. A file is
 * uploaded under a working name; the journal notes it; then it is renamed. After a crash a working name that is there means
 * that the file did not get its name. One that is gone means that it did, even where its reader has taken it since.
 */
import type { Staging } from '../../domain/mailbox.ts'
import type { Naming, NamingFate, NamingOutcome, NoteEvidence, StagedFile } from '../../domain/naming.ts'
import { refuseToMake } from '../failures.ts'
import { assertSafeName, folderSegments, workingName } from '../names.ts'
import type { Calls, Handle } from './calls.ts'
import type { Connection } from './connection.ts'
import { hasContentsOf, OPEN } from './contents.ts'
import { giveNameDirectly, settleDirect, stageDirect } from './direct.ts'
import { sweepOnce } from './leftovers.ts'
import { addressOf, joined, openFolder, type Place } from './place.ts'
import { asking, ConnectionLost, isRefusal } from './refusals.ts'
import { removeIfAllowed, renameOnServer } from './rename.ts'
import { narrower, WIDTH } from './transfer.ts'
import { flushed, newUploading, uploadTo, withSource } from './upload.ts'

export async function stage(
  place: Place,
  { source, folder }: Pick<StagedFile, 'source' | 'folder'>,
  how: Staging,
): Promise<StagedFile> {
  const { options, lines } = place
  assertSafeName(how.name)
  const segments = folderSegments(folder) // refuses those that would leave the mailbox
  const into = (connection: Connection) => openFolder(place, connection, segments, how.mayMake)
  if (options.deliver === 'direct') {
    await lines.use(into)
    return stageDirect({ source, folder }, how.earlier)
  }
  if (how.earlier !== undefined) return { ...how.earlier, source, folder, isEarlier: true }
  const working = workingName(options.working.owner, options.newId(), how.name)
  await withSource(source, async (file, size) => {
    const uploading = newUploading({ file, size, verify: options.verify, width: WIDTH })
    const upload = async (connection: Connection) => {
      const { calls } = connection
      const path = await into(connection)
      const what = `${addressOf(options, joined(path, how.name))} cannot be written`
      await asking('cannot-write', what, async () => {
        await sweepOnce(place, connection, path)
        const staged = joined(path, working)
        try {
          await uploadTo(calls, staged, uploading)
        } catch (error) {
          if (error instanceof ConnectionLost) uploading.width = narrower(uploading.width)
          else if (uploading.isBegun) await removeIfAllowed(calls, staged)
          throw error
        }
      })
    }
    await lines.use(upload, () => uploading.reached)
  })
  return { source, folder, working, evidence: { by: 'rename' } }
}

const DIRECT_HELP = 'Where nobody may rename, write `deliver: direct` in the mailbox.'

export async function giveName(
  place: Place,
  staged: StagedFile,
  { name, note }: { readonly name: string; readonly note: NoteEvidence | undefined },
): Promise<NamingOutcome> {
  assertSafeName(name)
  const { options, lines } = place
  if (options.deliver === 'direct') return giveNameDirectly(place, staged, { name, note })
  let tries = 0
  const named = await lines.use(async (connection) => {
    const path = await openFolder(place, connection, folderSegments(staged.folder), refuseToMake)
    const final = joined(path, name)
    const what = `${addressOf(options, final)} gets no name`
    const naming = { calls: connection.calls, working: joined(path, staged.working), final }
    const rename = () =>
      tries++ === 0 ? renamed(naming, staged.source) : renamedAgain(naming, staged.source)
    return asking('cannot-write', what, rename, DIRECT_HELP)
  })
  if (named === 'delivered') place.named.add(staged.working)
  return named
}

interface Renaming {
  readonly calls: Calls
  readonly working: string
  readonly final: string
}

async function renamed({ calls, working, final }: Renaming, source: string): Promise<NamingOutcome> {
  // Some servers replace what has the name.
  if ((await calls.look(final)) !== undefined) return whatStands({ calls, working, final }, source)
  const handle = await openedToFlush(calls, working)
  try {
    const outcome = await renameOnServer(calls, working, final)
    if (outcome === 'gone') return 'lost'
    if (outcome === 'taken') return await whatStands({ calls, working, final }, source)
    await flushName(calls, handle)
    return 'delivered'
  } finally {
    if (handle !== undefined) await calls.close(handle).catch(() => {}) // its name is what matters
  }
}

/** The answer to the first try was lost. Nobody but a successor renames the file too, and then this bridge has lost its lease. */
async function renamedAgain(renaming: Renaming, source: string): Promise<NamingOutcome> {
  const { calls, working, final } = renaming
  if ((await calls.look(working)) !== undefined) return renamed(renaming, source)
  const handle = await openedToFlush(calls, final)
  await flushName(calls, handle)
  if (handle !== undefined) await calls.close(handle).catch(() => {})
  return 'delivered'
}

/** A handle stays with the file when its name changes. */
async function openedToFlush(calls: Calls, path: string): Promise<Handle | undefined> {
  try {
    return await calls.open(path, OPEN.read)
  } catch (error) {
    if (!isRefusal(error)) throw error
    return undefined
  }
}

/**
 * The protocol has no call that flushes a folder. On the usual file systems of Linux a flush of the file after its rename makes
 * its new name durable too.
 */
async function flushName(calls: Calls, handle: Handle | undefined): Promise<void> {
  if (handle === undefined) return
  try {
    await flushed(calls, handle)
  } catch (error) {
    if (!isRefusal(error)) throw error // some flush no file that is open for reading
  }
}

/** The same bytes under the name count as delivered. */
async function whatStands({ calls, working, final }: Renaming, source: string): Promise<NamingOutcome> {
  if (!(await withSource(source, (file) => hasContentsOf(calls, final, file)))) return 'occupied'
  await removeIfAllowed(calls, working)
  return 'delivered'
}

export async function settleNaming(place: Place, folder: string, naming: Naming): Promise<NamingFate> {
  const { options, lines } = place
  assertSafeName(naming.name)
  return lines.use(async (connection) => {
    const { calls } = connection
    const path = await openFolder(place, connection, folderSegments(folder), refuseToMake)
    const final = joined(path, naming.name)
    const what = `${addressOf(options, final)} cannot be looked at`
    return asking('mailbox-unreachable', what, async () => {
      if (naming.evidence['by'] === 'direct') return settleDirect(calls, final, naming.evidence)
      if ((await calls.look(joined(path, naming.working))) !== undefined) return 'not-named'
      // Where the folder itself is gone, nothing in it tells anything; it may be one that was known before.
      if ((await calls.look(path))?.kind !== 'folder') await refuseToMake(addressOf(options, path))
      return 'named'
    })
  })
}

export async function discard(
  place: Place,
  { folder, working }: Pick<StagedFile, 'folder' | 'working'>,
): Promise<void> {
  if (working === '' || place.named.delete(working)) return
  await place.lines.use(async (connection) => {
    const path = await openFolder(place, connection, folderSegments(folder), refuseToMake)
    await removeIfAllowed(connection.calls, joined(path, working))
  })
}
