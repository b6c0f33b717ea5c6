/** What lies in folders of the server: by listings, and by looks at single files where there are few or nobody may list. */
import type { PassedOver, Sighting } from '../../domain/mailbox.ts'
import { byName, oldestFirst } from '../in-order.ts'
import { byFolder, folderSegments, isListedName } from '../names.ts'
import type { Attributes, Entry } from './calls.ts'
import type { Connection } from './connection.ts'
import { listedIfAllowed } from './leftovers.ts'
import { addressOf, entriesOf, foundFolder, joined, knownFolder, openFolder, type Place } from './place.ts'
import { asking, isRefusal } from './refusals.ts'

export interface Listing {
  readonly folder: string
  readonly only: readonly string[] | undefined
  readonly mayMake: (() => Promise<void>) | undefined
}

/** One listing, whatever the number of files: what it says of each file is enough. */
export async function list(
  place: Place,
  connection: Connection,
  { folder, only, mayMake }: Listing,
): Promise<Sighting[]> {
  const path = await openFolder(place, connection, folderSegments(folder), mayMake)
  const what = `The folder ${addressOf(place.options, path)} cannot be listed`
  return asking(
    'mailbox-unreachable',
    what,
    async () => {
      const sightings: Sighting[] = []
      for (const { name, attributes } of await entriesOrOnly(connection, path, only)) {
        if (!isListedName(name)) continue
        const found = attributes ?? (await connection.calls.look(joined(path, name)))
        if (found?.kind === 'file') sightings.push(sightingOf({ folder, name }, found))
      }
      return sightings.toSorted(oldestFirst)
    },
    LIST_HELP,
  )
}

const LIST_HELP =
  'Where nobody may list, write the whole name of the file as `match` of the route, without * and ?.'

/** Where nobody may list, files can still be asked for by their names. */
async function entriesOrOnly(
  connection: Connection,
  path: string,
  only: readonly string[] | undefined,
): Promise<Entry[]> {
  try {
    return await entriesOf(connection, path)
  } catch (error) {
    if (only === undefined || !isRefusal(error)) throw error
    const found: Entry[] = []
    for (const name of only) {
      const attributes = await connection.calls.look(joined(path, name))
      if (attributes !== undefined) found.push({ name, attributes })
    }
    return found
  }
}

function sightingOf(
  { folder, name }: Pick<Sighting, 'folder' | 'name'>,
  { size, modifiedAt }: Attributes,
): Sighting {
  return { folder, name, size, modifiedAt }
}

export async function names(
  place: Place,
  connection: Connection,
  folder: string,
): Promise<ReadonlySet<string> | undefined> {
  const path = await foundFolder(place, connection, folderSegments(folder))
  if (path === undefined) return undefined
  const what = `The folder ${addressOf(place.options, path)} cannot be listed`
  return asking('mailbox-unreachable', what, async () => {
    return new Set((await entriesOf(connection, path)).map(({ name }) => name))
  })
}

/** A server that refuses to look is a failure: only "no such file" says that nothing is there. */
export async function hasName(
  place: Place,
  connection: Connection,
  { folder, name }: Pick<Sighting, 'folder' | 'name'>,
): Promise<boolean> {
  const found = await foundFolder(place, connection, folderSegments(folder))
  if (found === undefined) return false
  const path = joined(found, name)
  const what = `The file ${addressOf(place.options, path)} cannot be looked at`
  return asking('mailbox-unreachable', what, async () => (await connection.calls.look(path)) !== undefined)
}

/** By one listing. What a server says nothing of is passed over by its name alone. */
export async function passedOver(
  place: Place,
  connection: Connection,
  folder: string,
): Promise<PassedOver[]> {
  const path = await foundFolder(place, connection, folderSegments(folder))
  if (path === undefined) return []
  const what = `The folder ${addressOf(place.options, path)} cannot be listed`
  return asking('mailbox-unreachable', what, async () => {
    const found = (await entriesOf(connection, path)).flatMap(({ name, attributes }) => {
      const { kind = 'file', modifiedAt = 0 } = attributes ?? {}
      return kind === 'file' && isListedName(name) ? [] : [{ name, kind, modifiedAt }]
    })
    return found.toSorted(byName)
  })
}

/** More files of one folder than this are listed, and not looked at one by one. */
const LOOKS_MAX = 8

export async function sizesInArchive(
  place: Place,
  connection: Connection,
  paths: readonly string[],
): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for (const [folder, names] of byFolder(paths)) {
    const found = await knownFolder(place, connection, folderSegments(folder))
    if (found === undefined) continue
    const what = `What is in the folder ${addressOf(place.options, found)} cannot be looked at`
    const entries = await asking('mailbox-unreachable', what, () => entriesCalled(connection, found, names))
    for (const { name, attributes } of entries) {
      const path = names.get(name)
      if (path !== undefined && attributes?.kind === 'file') sizes.set(path, attributes.size)
    }
  }
  return sizes
}

/** Those of the names that are there; where there are many, by one listing. */
async function entriesCalled(
  connection: Connection,
  path: string,
  names: ReadonlyMap<string, string>,
): Promise<Entry[]> {
  if (names.size > LOOKS_MAX) {
    const listed = (await listedIfAllowed(connection, path)).filter(({ name }) => names.has(name))
    if (listed.length > 0 && listed.every(({ attributes }) => attributes !== undefined)) return listed
  }
  const look = async (name: string) => ({ name, attributes: await connection.calls.look(joined(path, name)) })
  return Promise.all([...names.keys()].map(look))
}
