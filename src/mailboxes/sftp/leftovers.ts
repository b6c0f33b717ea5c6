/** What is half-written in a folder under working names of ours, by those that crashed or stand still. */
import { isNamingNote, isOwnTemporary, isTemporaryFor, speaksOf } from '../names.ts'
import type { Calls, Entry } from './calls.ts'
import type { Connection } from './connection.ts'
import { removeIfThere } from './naming-note.ts'
import { entriesOf, joined, type Place } from './place.ts'
import { isRefusal } from './refusals.ts'

/** Without its working name, whoever wakes up late has nothing left to give the final name to. Notes stay. */
export async function withdraw(
  connection: Connection,
  path: string,
  { name, own }: { readonly name: string; readonly own: string },
): Promise<void> {
  const ofOthers = (found: Entry) =>
    isTemporaryFor(found.name, name) && found.name !== own && !isNamingNote(found.name)
  for (const found of (await listedIfAllowed(connection, path)).filter(ofOthers)) {
    await removeIfThere(connection.calls, joined(path, found.name))
  }
}

/** Far longer than any delivery pauses, and than clocks of two machines differ. */
const LEFTOVER_AGE_MS = 24 * 60 * 60 * 1000

/**
 * Removes what crashes left half-written in a folder, before the first delivery of this run into it. What a note speaks of
 * stays, because it tells whether a file got its name.
 */
export async function sweepOnce(place: Place, connection: Connection, path: string): Promise<void> {
  const { options, swept } = place
  if (swept.has(path)) return
  const entries = await listedIfAllowed(connection, path)
  const hasNotes = entries.some(({ name }) => isNamingNote(name))
  for (const { name, attributes } of entries) {
    if (!isOwnTemporary(name) || isNamingNote(name) || attributes?.kind !== 'file') continue
    if (attributes.modifiedAt > options.clock.now() - LEFTOVER_AGE_MS) continue
    if (hasNotes && entries.some((note) => speaksOf(note.name, name))) continue
    await removeTolerantly(connection.calls, joined(path, name))
  }
  swept.add(path)
}

/** A left-over file does no harm, so one that cannot be removed stays. */
async function removeTolerantly(calls: Calls, path: string): Promise<void> {
  try {
    await calls.unlink(path)
  } catch (error) {
    if (!isRefusal(error)) throw error
  }
}

/** Where nobody may list, what was left over stays. */
export async function listedIfAllowed(connection: Connection, path: string): Promise<Entry[]> {
  try {
    return await entriesOf(connection, path)
  } catch (error) {
    if (isRefusal(error)) return []
    throw error
  }
}
