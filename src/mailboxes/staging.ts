/**
 * Files that are left in a directory in two halves, so that after a crash in between it is known what came of each.
 *
 * 1. The file is staged: copied under a working name and flushed. The inode with its change time, as they are then, is the evidence.
 * 2. The journal notes the final name, the working name and the evidence.
 * 3. The file gets its final name as a second link, and keeps the working name.
 * 4. The journal notes that the file is in place. Only then does the working name go.
 *
 * After a crash the working file of a noted naming is still there. A second link, or a change time other than the noted one,
 * means that it got its name, even where its reader has removed it since. Otherwise it did not, and goes on from step 2. A
 * working file that is gone was removed by somebody else, and nothing can be told.
 *
 * Where the file system has no links, step 3 is a rename: a working name that is there means that the file did not get its
 * name, and one that is gone means that it did.
 */
import { type BigIntStats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { GivingName, Staging } from '../domain/mailbox.ts'
import type { Naming, NamingEvidence, NamingFate, NamingOutcome, StagedFile } from '../domain/naming.ts'
import { hasSystemCode } from '../support/errors.ts'
import { syncFolder } from '../support/durable.ts'
import { removeFile } from '../support/remove-file.ts'
import { reaching, refuseToMake, writing } from './failures.ts'
import { openFolder, openRoot } from './folders.ts'
import { compared, copyDurably, linkTo, renameIfFree } from './leave.ts'
import { sweepOnce } from './leftovers.ts'
import { assertSafeName, folderSegments, workingName } from './names.ts'
import { pathOf, type Place } from './place.ts'

export async function stage(
  place: Place,
  { source, folder }: Pick<StagedFile, 'source' | 'folder'>,
  { name, earlier, mayMake, moreFollow }: Staging,
): Promise<StagedFile> {
  if (earlier !== undefined) return { ...earlier, source, folder, isEarlier: true }
  const final = await pathOf(place, { folder, name }, mayMake)
  const path = dirname(final)
  await sweepOnce(place, path)
  const working = workingName(place.working.owner, place.newId(), name)
  const staged = join(path, working)
  return writing(`${final} cannot be written`, async () => {
    try {
      await copyDurably(source, staged)
      // A missing working name tells something after a crash, so it must not be missing because of a power cut.
      if (moreFollow !== true) await syncFolder(path)
      return { source, folder, working, evidence: await evidenceOf(place, path, staged) }
    } catch (error) {
      await removeFile(staged)
      throw error
    }
  })
}

async function evidenceOf(place: Place, folder: string, staged: string): Promise<NamingEvidence> {
  if (!hasLinks(place, folder)) return BY_RENAME
  const [file, around] = await Promise.all([lookAt(staged), lookAt(folder)])
  return {
    by: 'link',
    inode: String(file?.ino),
    changed: String(file?.ctimeNs),
    rights: rightsOf(file),
    folder: String(around?.ino),
  }
}

const BY_RENAME: NamingEvidence = { by: 'rename' }

function hasLinks({ hardLinks, withoutLinks }: Place, folder: string): boolean {
  return hardLinks && !withoutLinks.has(folder)
}

/** These change the change time too. */
function rightsOf(file: BigIntStats | undefined): string {
  return `${file?.mode}:${file?.uid}:${file?.gid}`
}

export async function giveName(
  place: Place,
  file: StagedFile,
  { name, note, moreFollow }: GivingName & { readonly name: string },
): Promise<NamingOutcome> {
  assertSafeName(name)
  const path = await openFolder(place, folderSegments(file.folder), refuseToMake)
  const [staged, final] = [join(path, file.working), join(path, name)]
  const outcome = await writing(`${final} cannot be written`, async (): Promise<NamingOutcome> => {
    try {
      const placing = { staged, final, ...(note === undefined ? {} : { note }) }
      const changed = await outcomeOfChange(place, file, placing)
      if (changed !== undefined && changed !== 'delivered') return changed
      const isThere = changed === 'delivered' || (await isPlaced(place, file, placing))
      if (!isThere) return await compared({ ...file, final })
      if (moreFollow !== true) await syncFolder(path)
      return 'delivered'
    } catch (error) {
      if (hasSystemCode(error, 'ENOENT') && (await lookAt(staged)) === undefined) return 'lost'
      throw error
    }
  })
  // What was left just when the share went away is in the folder below it, where nobody looks.
  if (place.mounted) await openRoot(place)
  return outcome
}

interface Placing {
  readonly staged: string
  readonly final: string
  readonly note?: GivingName['note']
}

/**
 * Right before the name is given: undefined when the working file is as it was noted. A change of one that this pass has staged is of
 * somebody who only touched it, such as a scanner or a backup, or else of a successor: noting the new evidence tells, because it
 * fails where the lease is lost. A change of one of an earlier pass is of that pass, which stood still.
 */
async function outcomeOfChange(
  place: Place,
  { evidence, isEarlier }: StagedFile,
  { staged, final, note }: Placing,
): Promise<NamingOutcome | undefined> {
  const fate = await fateOf(staged, evidence)
  if (fate === 'not-named') return undefined
  if (isEarlier === true) return fate === 'named' ? 'delivered' : fate
  const found = await lookAt(staged)
  if (found === undefined) return 'lost'
  if (String(found.ino) !== evidence['inode']) return fate === 'named' ? 'lost' : fate
  await note?.(await evidenceOf(place, dirname(final), staged))
  return undefined
}

async function isPlaced(
  place: Place,
  { evidence }: StagedFile,
  { staged, final, note }: Placing,
): Promise<boolean> {
  const folder = dirname(final)
  if (hasLinks(place, folder)) {
    const linked = await linkTo(staged, final)
    if (linked !== 'no-links') return linked === 'linked'
    place.withoutLinks.add(folder)
  }
  // Noted before links were found not to work.
  if (evidence['by'] === 'link') await note?.(BY_RENAME)
  return renameIfFree(staged, final)
}

export async function settleNaming(place: Place, folder: string, naming: Naming): Promise<NamingFate> {
  const path = await openFolder(place, folderSegments(folder), refuseToMake)
  return reaching(`The folder ${path} cannot be looked at`, async () => {
    const fate = await namingFate(path, naming)
    // The crash may have come before its flush.
    if (fate === 'named') await syncFolder(path)
    return fate
  })
}

async function namingFate(path: string, { working, name, evidence }: Naming): Promise<NamingFate> {
  const staged = join(path, working)
  if (evidence['by'] === 'rename') return (await lookAt(staged)) === undefined ? 'named' : 'not-named'
  if (await isInode(join(path, name), evidence)) return 'named'
  const fate = await fateOf(staged, evidence)
  if (fate === 'named' || fate === 'not-named') return fate
  const isElsewhere = String((await lookAt(path))?.ino) !== evidence['folder']
  return isElsewhere ? { unclear: `${path} is another folder than before` } : fate
}

/** What the working file tells of itself. */
async function fateOf(staged: string, evidence: NamingEvidence): Promise<NamingFate> {
  if (evidence['by'] === 'rename') return 'not-named'
  const found = await lookAt(staged)
  if (found === undefined) return { unclear: `${staged} was removed` }
  if (String(found.ino) !== evidence['inode']) return { unclear: `${staged} is another file than before` }
  if (found.nlink > 1n) return 'named'
  if (String(found.ctimeNs) === evidence['changed']) return 'not-named'
  return rightsOf(found) === evidence['rights']
    ? 'named'
    : { unclear: `the rights of ${staged} were changed` }
}

async function isInode(path: string, evidence: NamingEvidence): Promise<boolean> {
  const found = await lookAt(path)
  return found !== undefined && String(found.ino) === evidence['inode']
}

export async function discard(
  place: Place,
  { folder, working }: Pick<StagedFile, 'folder' | 'working'>,
): Promise<void> {
  const path = join(await openFolder(place, folderSegments(folder), refuseToMake), working)
  await writing(`${path} cannot be removed`, () => removeFile(path))
}

async function lookAt(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true })
  } catch (error) {
    if (hasSystemCode(error, 'ENOENT')) return undefined
    throw error
  }
}
