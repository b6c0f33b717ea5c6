/** Leaves a local file on the server: whole or not at all, never over another one, and never twice. */
import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Handover } from '../../domain/mailbox.ts'
import { BridgeError } from '../../support/errors.ts'
import { writing } from '../failures.ts'
import { assertSafeName, folderSegments, namingNote, temporaryName } from '../names.ts'
import type { Calls } from './calls.ts'
import type { Connection } from './connection.ts'
import { hasContentsOf, localHash } from './contents.ts'
import { leaveDirect } from './leave-direct.ts'
import { sweepOnce, withdraw } from './leftovers.ts'
import { notedNaming, noteNaming, removeIfThere } from './naming-note.ts'
import { addressOf, joined, openFolder, type Place } from './place.ts'
import { asking, ConnectionLost, isRefusal } from './refusals.ts'
import { giveName } from './rename.ts'
import { narrower, WIDTH } from './transfer.ts'
import { type Uploading, uploadTo } from './upload.ts'

export interface Leaving {
  readonly source: string
  readonly folder: string
  readonly name: string
  readonly handover: Handover | undefined
}

/** `occupied` when other bytes stand at the final name; the same bytes there count as delivered. */
export async function leaveFile(place: Place, leaving: Leaving): Promise<'delivered' | 'occupied'> {
  const { source, name } = leaving
  assertSafeName(name)
  folderSegments(leaving.folder) // refuses those that would leave the mailbox
  const { verify, newId } = place.options
  const isDirect = place.options.deliver === 'direct'
  const file = await writing(`${source} cannot be read`, () => open(source, 'r'))
  try {
    const { size } = await writing(`${source} cannot be read`, () => file.stat())
    const uploading: Uploading = {
      file,
      size,
      verify,
      temporary: temporaryName(newId(), name),
      isBegun: false,
      reached: 0,
      isWhole: false,
      isComplete: false,
      mayBeTaken: isDirect,
      // One after the other, what is there is always the beginning of the file.
      width: isDirect ? 1 : WIDTH,
    }
    const identity = isDirect ? '' : await writing(`${source} cannot be read`, () => identityOf(source, file))
    return await place.lines.use(
      (connection) => leaveOver(place, connection, { ...leaving, uploading, identity }),
      () => uploading.reached,
    )
  } finally {
    await file.close()
  }
}

const IDENTITY_LETTERS = 24

/** The same when it is left again after a crash; another one where only the bytes, or only the final name, are the same. */
async function identityOf(source: string, file: FileHandle): Promise<string> {
  const hash = createHash('sha256').update(`${basename(source)}\n${await localHash(file)}`)
  return hash.digest('hex').slice(0, IDENTITY_LETTERS)
}

interface Begun extends Leaving {
  readonly uploading: Uploading
  /** Of this very file. */
  readonly identity: string
}

interface Target {
  readonly folder: string
  readonly name: string
  readonly final: string
  readonly note: string
  readonly temporary: string
  readonly uploading: Uploading
  readonly handover: Handover | undefined
}

/** All of it on one connection; what an earlier one had done already is found. */
async function leaveOver(
  place: Place,
  connection: Connection,
  { folder, name, handover, uploading, identity }: Begun,
): Promise<'delivered' | 'occupied'> {
  const { calls } = connection
  const path = await openFolder(place, connection, folderSegments(folder), handover?.mayMake)
  const what = `${addressOf(place.options, joined(path, name))} cannot be written`
  return asking('cannot-write', what, async () => {
    const final = joined(path, name)
    if (place.options.deliver === 'direct') return leaveDirect(calls, { final, uploading, handover })
    await sweepOnce(place, connection, path)
    const target: Target = {
      folder: path,
      name,
      final,
      note: joined(path, namingNote(name, identity)),
      temporary: joined(path, uploading.temporary),
      uploading,
      handover,
    }
    try {
      const noted = await settleNote(calls, target)
      if (noted === 'delivered') return noted
      if (handover?.takenOver === true) await withdraw(connection, path, { name, own: uploading.temporary })
      return await finish(calls, target, noted)
    } catch (error) {
      if (error instanceof ConnectionLost) uploading.width = narrower(uploading.width)
      else await discard(calls, target)
      throw error
    }
  })
}

const DIRECT_HELP = 'Where nobody may rename, write `deliver: direct` in the mailbox.'

/** What came of an earlier attempt, of this process or of another one. */
async function settleNote(calls: Calls, target: Target): Promise<'not-begun' | 'not-done' | 'delivered'> {
  const { folder, name, note, temporary, handover } = target
  const noted = await notedNaming(calls, note, name)
  if (noted === undefined) return 'not-begun'
  const waiting = joined(folder, noted)
  if ((await calls.look(waiting)) === undefined) {
    // It got its name. When nothing stands there any more, or another file, a consumer has taken it.
    await removeNote(calls, note)
    return 'delivered'
  }
  if (waiting === temporary) return 'not-done'
  if (handover?.takenOver === true) {
    // In this order: a note of a file that is not there would say that it was delivered.
    await removeIfThere(calls, note)
    await removeIfThere(calls, waiting)
  }
  return 'not-begun'
}

async function finish(
  calls: Calls,
  target: Target,
  noted: 'not-begun' | 'not-done',
): Promise<'delivered' | 'occupied'> {
  const { name, final, note, temporary, uploading, handover } = target
  const standing = await whatStands(calls, target)
  if (standing !== undefined) {
    await discard(calls, target)
    return standing
  }
  await uploadTo(calls, temporary, uploading)
  await handover?.stillOurs()
  if (noted === 'not-begun') await noteNaming(calls, note, { temporary: uploading.temporary, name })
  const rename = () => giveName(calls, temporary, final)
  const named = await asking('cannot-write', `${final} gets no name`, rename, DIRECT_HELP)
  if (named === 'gone') {
    throw new BridgeError('cannot-write', `${final} gets no name: another bridge has taken over.`)
  }
  if (named === 'taken') {
    const outcome = await whatStands(calls, target)
    await discard(calls, target)
    return outcome ?? 'occupied'
  }
  await removeNote(calls, note)
  return 'delivered'
}

/** Undefined when the name is free. */
async function whatStands(
  calls: Calls,
  { final, uploading }: Target,
): Promise<'delivered' | 'occupied' | undefined> {
  if ((await calls.look(final)) === undefined) return undefined
  if (await hasContentsOf(calls, final, uploading.file)) return 'delivered'
  // A consumer may take it away while it is looked at.
  return (await calls.look(final)) === undefined ? undefined : 'occupied'
}

/** What the note says of this very file is true, and stays so: one that cannot be removed does no harm. */
async function removeNote(calls: Calls, note: string): Promise<void> {
  try {
    await calls.unlink(note)
  } catch (error) {
    if (!isRefusal(error)) throw error
  }
}

/** Takes away what is half-done, as far as that goes; the rest is swept away a day later. */
async function discard(calls: Calls, { note, name, temporary, uploading }: Target): Promise<void> {
  if (!uploading.isBegun) return
  try {
    if ((await notedNaming(calls, note, name)) === uploading.temporary) await removeIfThere(calls, note)
    await removeIfThere(calls, temporary)
    Object.assign(uploading, { isBegun: false, isWhole: false, reached: 0 })
  } catch (error) {
    if (!isRefusal(error) && !(error instanceof ConnectionLost)) throw error
  }
}
