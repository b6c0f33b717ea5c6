/**
 * Delivers files into a directory in two halves, so that the outcome of each half is known after a crash.
 *
 * 1. The bridge stages the file: it copies it under a working name and flushes it. The evidence is the
 * inode and its change time at this moment.
 * 2. The journal notes the final name, the working name and the evidence.
 * 3. The bridge gives the file its final name as a second link. The file keeps the working name.
 * 4. The journal notes that the file is in place. Only then does the bridge remove the working name.
 *
 * After a crash the working file of a noted naming is still there. A second link, or a change time other
 * than the noted one, means that the file got its name, even where its reader has removed it since.
 * Otherwise it did not, and the bridge continues from step 2. If the working file is gone, another
 * program removed it, and the outcome is unknown.
 *
 * Where the file system has no links, step 3 is a rename. An existing working name means that the file
 * did not get its name; a missing one means that it did.
 */
import type { BigIntStats } from 'node:fs'
import { lstat, open, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type {
  GiveNameOptions,
  Naming,
  NamingEvidence,
  NamingInspection,
  NamingOutcome,
  StagedFile,
  StageOptions,
} from '../../domain/mailbox.ts'
import { hasSystemCode } from '../../support/errors.ts'
import {
  computeSha256,
  ignoreCodes,
  pathIsFree,
  readFileBytes,
  removeFile,
  syncFolder,
  tryLink,
} from '../../support/files.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { cleanLeftoversOnce, mapAccessErrors, mapWriteErrors, refuseToCreate } from '../staged.ts'
import { assertSafeName, makeWorkingName, splitFolder } from '../names.ts'
import { type DirectoryContext, ensureFolder, resolveRoot, resolveTargetPath } from './folders.ts'

export async function stageFile(
  place: DirectoryContext,
  source: string,
  folder: string,
  { name, earlier, beforeCreate, moreFollow }: StageOptions,
): Promise<StagedFile> {
  if (earlier !== undefined) return { ...earlier, source, folder, isEarlier: true }
  const final = await resolveTargetPath(place, { folder, name }, beforeCreate)
  const path = dirname(final)
  await cleanLeftoversOnce(place, path)
  const working = makeWorkingName(place.working.owner, place.newId(), name)
  const staged = join(path, working)
  return mapWriteErrors(`${final} cannot be written`, async () => {
    try {
      await copyDurably(source, staged)
      // A missing working name is evidence after a crash, so a power cut must not remove it.
      if (moreFollow !== true) await syncFolder(path)
      return { source, folder, working, evidence: await collectEvidence(place, staged) }
    } catch (error) {
      await removeFile(staged)
      throw error
    }
  })
}

async function collectEvidence(place: DirectoryContext, staged: string): Promise<NamingEvidence> {
  const folder = dirname(staged)
  if (!supportsLinks(place, folder)) return BY_RENAME
  const [file, around] = await Promise.all([statIfPresent(staged), statIfPresent(folder)])
  return {
    by: 'link',
    inode: String(file?.ino),
    changed: String(file?.ctimeNs),
    rights: formatRights(file),
    folder: String(around?.ino),
  }
}

const BY_RENAME: NamingEvidence = { by: 'rename' }

function supportsLinks({ hardLinks, foldersWithoutLinks }: DirectoryContext, folder: string): boolean {
  return hardLinks && !foldersWithoutLinks.has(folder)
}

/** Formats owner and mode: setting them changes the change time as well. */
function formatRights(file: BigIntStats | undefined): string {
  return `${file?.mode}:${file?.uid}:${file?.gid}`
}

export async function giveName(
  place: DirectoryContext,
  file: StagedFile,
  name: string,
  { note, moreFollow }: GiveNameOptions = {},
): Promise<NamingOutcome> {
  assertSafeName(name)
  const path = await ensureFolder(place, splitFolder(file.folder), refuseToCreate)
  const [staged, final] = [join(path, file.working), join(path, name)]
  const outcome = await mapWriteErrors(`${final} cannot be written`, async (): Promise<NamingOutcome> => {
    try {
      const placing = { staged, final, ...omitUndefined({ note }) }
      const changed = await checkStagedUnchanged(place, file, placing)
      if (changed !== undefined && changed !== 'delivered') return changed
      const isThere = changed === 'delivered' || (await placeFile(place, file, placing))
      if (!isThere) return await compareWithExisting(file.source, final)
      if (moreFollow !== true) await syncFolder(path)
      return 'delivered'
    } catch (error) {
      if (hasSystemCode(error, 'ENOENT') && (await statIfPresent(staged)) === undefined) return 'lost'
      throw error
    }
  })
  // A file delivered while the share is unmounted is in the folder beneath the mount, where no reader looks.
  if (place.mounted) await resolveRoot(place)
  return outcome
}

type Placement = Pick<GiveNameOptions, 'note'> & { readonly staged: string; readonly final: string }

/**
 * Returns undefined when the working file is unchanged right before it gets its name. A changed file that this pass staged was
 * touched by a scanner or a backup, or by a successor. Noting the new evidence decides: it fails where the lease is lost. A
 * changed file of an earlier pass was changed by that pass, which was stalled.
 */
async function checkStagedUnchanged(
  place: DirectoryContext,
  { evidence, isEarlier }: StagedFile,
  { staged, note }: Placement,
): Promise<NamingOutcome | undefined> {
  const outcome = await inspectWorkingFile(staged, evidence)
  if (outcome === 'not-named') return undefined
  if (isEarlier === true) return outcome === 'named' ? 'delivered' : outcome
  const found = await statIfPresent(staged)
  if (found === undefined) return 'lost'
  if (String(found.ino) !== evidence['inode']) return outcome === 'named' ? 'lost' : outcome
  await note?.(await collectEvidence(place, staged))
  return undefined
}

async function placeFile(
  place: DirectoryContext,
  { evidence }: StagedFile,
  { staged, final, note }: Placement,
): Promise<boolean> {
  const folder = dirname(final)
  if (supportsLinks(place, folder)) {
    const linked = await tryLink(staged, final)
    if (linked !== 'no-links') return linked === 'linked'
    place.foldersWithoutLinks.add(folder)
  }
  // The evidence is older than the finding that links do not work here.
  if (evidence['by'] === 'link') await note?.(BY_RENAME)
  return renameIfFree(staged, final)
}

export async function inspectNaming(place: DirectoryContext, folder: string, naming: Naming) {
  const path = await ensureFolder(place, splitFolder(folder), refuseToCreate)
  return mapAccessErrors(`The folder ${path} cannot be inspected`, async () => {
    const outcome = await inspectEarlierNaming(path, naming)
    // The crash may have come before the flush.
    if (outcome === 'named') await syncFolder(path)
    return outcome
  })
}

async function inspectEarlierNaming(
  path: string,
  { working, name, evidence }: Naming,
): Promise<NamingInspection> {
  const staged = join(path, working)
  if (evidence['by'] === 'rename') return (await statIfPresent(staged)) === undefined ? 'named' : 'not-named'
  const final = await statIfPresent(join(path, name))
  if (final !== undefined && String(final.ino) === evidence['inode']) return 'named'
  const outcome = await inspectWorkingFile(staged, evidence)
  if (outcome === 'named' || outcome === 'not-named') return outcome
  const isElsewhere = String((await statIfPresent(path))?.ino) !== evidence['folder']
  return isElsewhere ? { unclear: `${path} is another folder than before` } : outcome
}

async function inspectWorkingFile(staged: string, evidence: NamingEvidence): Promise<NamingInspection> {
  if (evidence['by'] === 'rename') return 'not-named'
  const found = await statIfPresent(staged)
  if (found === undefined) return { unclear: `${staged} was removed` }
  if (String(found.ino) !== evidence['inode']) return { unclear: `${staged} is another file than before` }
  if (found.nlink > 1n) return 'named'
  if (String(found.ctimeNs) === evidence['changed']) return 'not-named'
  return formatRights(found) === evidence['rights']
    ? 'named'
    : { unclear: `the rights of ${staged} were changed` }
}

export async function removeStaged(place: DirectoryContext, folder: string, working: string): Promise<void> {
  const path = join(await ensureFolder(place, splitFolder(folder), refuseToCreate), working)
  await mapWriteErrors(`${path} cannot be removed`, () => removeFile(path))
}

function statIfPresent(path: string): Promise<BigIntStats | undefined> {
  return lstat(path, { bigint: true }).catch(ignoreCodes('ENOENT'))
}

// Gives a file a name on the disk: whole or not at all, and never over another file.

/** `temporary`: a free working name beside the final one. `occupied`: a file with other bytes is there. May be repeated. */
export async function deliverCopy(source: string, temporary: string, final: string, hardLinks: boolean) {
  return mapWriteErrors(`${final} cannot be written`, async () => {
    try {
      if (!(await pathIsFree(final))) return await compareWithExisting(source, final)
      await copyDurably(source, temporary)
      const placed = await linkOrRename(temporary, final, hardLinks)
      return placed ? 'delivered' : await compareWithExisting(source, final)
    } finally {
      await removeFile(temporary)
      await syncFolder(dirname(final))
    }
  })
}

/** Writes a new file instead of a clone, so that the copy gets the rights of its folder and not those of the source. */
async function copyDurably(source: string, target: string): Promise<void> {
  const handle = await open(target, 'wx')
  try {
    await writeFile(handle, readFileBytes(source))
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Renames a whole file; false when the name is taken. Until then, and after a crash, it has its old name. */
export async function moveWithoutReplacing(source: string, final: string, hardLinks: boolean) {
  const placed = await linkOrRename(source, final, hardLinks)
  if (!placed && !(await isSameFile(source, final))) return false
  await syncFolder(dirname(final))
  await removeFile(source)
  await syncFolder(dirname(source))
  return true
}

/** Whether both names are links to one file, as after a crash between link and unlink. */
async function isSameFile(one: string, other: string): Promise<boolean> {
  const [here, there] = await Promise.all([lstat(one), lstat(other)])
  return here.isFile() && here.ino === there.ino && here.dev === there.dev
}

/** Gives the file its final name by a link where possible; false when the name was taken meanwhile. */
async function linkOrRename(temporary: string, final: string, hardLinks: boolean): Promise<boolean> {
  const linked = hardLinks ? await tryLink(temporary, final) : 'no-links'
  return linked === 'no-links' ? renameIfFree(temporary, final) : linked === 'linked'
}

/** False when the name is taken. Two calls at once may both find it free; the later one then replaces the file. */
async function renameIfFree(path: string, final: string): Promise<boolean> {
  if (!(await pathIsFree(final))) return false
  await rename(path, final)
  return true
}

/** Whether the entry at the final name has the bytes of the source. */
async function compareWithExisting(source: string, final: string): Promise<'delivered' | 'occupied'> {
  const [local, existing] = await Promise.all([lstat(source), lstat(final)])
  if (!existing.isFile() || local.size !== existing.size) return 'occupied'
  const hash = (path: string) => computeSha256(readFileBytes(path))
  const [localHash, existingHash] = await Promise.all([hash(source), hash(final)])
  return localHash === existingHash ? 'delivered' : 'occupied'
}
