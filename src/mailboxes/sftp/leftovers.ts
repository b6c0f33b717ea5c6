/** What this bridge staged in a folder on a server and nobody needs any more. */
import { LEFTOVER_AGE_MS, withoutNoted } from '../leftovers.ts'
import { isWorkingNameOf } from '../names.ts'
import type { Entry } from './calls.ts'
import type { Connection } from './connection.ts'
import { entriesOf, joined, type Place } from './place.ts'
import { isRefusal } from './refusals.ts'
import { removeIfAllowed } from './rename.ts'

/**
 * Removes what crashes left behind in a folder, before the first delivery of this run into it. Files of other bridges stay, and those that a note
 * of the journal speaks of: they tell whether a file got its name.
 */
export async function sweepOnce(place: Place, connection: Connection, path: string): Promise<void> {
  const { options, swept } = place
  if (swept.has(path)) return
  const old = (await listedIfAllowed(connection, path)).filter(
    ({ name, attributes }) =>
      isWorkingNameOf(options.working.owner, name) &&
      attributes?.kind === 'file' &&
      attributes.modifiedAt <= options.clock.now() - LEFTOVER_AGE_MS,
  )
  const names = old.map(({ name }) => name)
  for (const name of await withoutNoted(options.working, names)) {
    await removeIfAllowed(connection.calls, joined(path, name))
  }
  swept.add(path)
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
