/** A mailbox that is a folder on an SFTP server. */
import type { Claim, Mailbox, PassedOver, Sighting } from '../../domain/mailbox.ts'
import {
  apart,
  assertSafeName,
  CLAIMED_FOLDER,
  folderSegments,
  idOfClaimed,
  isGarbled,
  isListedName,
} from '../names.ts'
import type { Attributes, Entry } from './calls.ts'
import type { Connection } from './connection.ts'
import { listedIfAllowed } from './leftovers.ts'
import { leaveFile } from './leave.ts'
import { openLines } from './lines.ts'
import type { SftpOptions } from './options.ts'
import { addressOf, entriesOf, foundFolder, joined, knownFolder, openFolder, type Place } from './place.ts'
import { readClaimed } from './read.ts'
import { asking, isRefusal } from './refusals.ts'
import { claimedPath, giveBack, putAway, take } from './take.ts'

export function sftpMailbox(options: SftpOptions): Mailbox {
  const { connections, clock, random, isImpatient = false } = options
  const lines = openLines({ server: options, connections, clock, random, isImpatient })
  const place: Place = { options, lines, swept: new Set() }
  return {
    leaves: options.claim === 'leave',
    list: (folder, only, mayMake) =>
      lines.use((connection) => list(place, connection, { folder, only, mayMake })),
    claim: (claim) => checked(claim, () => lines.use((connection) => take(place, connection, claim))),
    read: (claim) => readClaimed(place, claim),
    claims: (folder) => lines.use((connection) => claims(place, connection, folder)),
    sizeOf: (claim) => checked(claim, () => lines.use((connection) => sizeOf(place, connection, claim))),
    unclaim: (claim) => checked(claim, () => lines.use((connection) => giveBack(place, connection, claim))),
    archive: (claim, folder) =>
      checked({ ...claim, folder }, () =>
        lines.use((connection) => putAway(place, connection, { claim, folder })),
      ),
    sizesInArchive: (paths) => lines.use((connection) => sizesInArchive(place, connection, paths)),
    deliver: (source, folder, name, handover) => leaveFile(place, { source, folder, name, handover }),
    has: (folder) =>
      lines.use(async (connection) => {
        return (await foundFolder(place, connection, folderSegments(folder))) !== undefined
      }),
    names: (folder) => lines.use((connection) => names(place, connection, folder)),
    passedOver: (folder) => lines.use((connection) => passedOver(place, connection, folder)),
    mark: (folder, name) => lines.use((connection) => mark(place, connection, { folder, name })),
    describe: (folder, name) => {
      assertSafeName(name)
      return addressOf(options, joined(options.root, ...folderSegments(folder), name))
    },
    close: () => lines.close(),
  }
}

/** What would leave the mailbox is refused before the server is asked anything. */
async function checked<Result>(
  { folder, name }: Pick<Claim, 'folder' | 'name'>,
  work: () => Promise<Result>,
): Promise<Result> {
  assertSafeName(name)
  folderSegments(folder)
  return work()
}

interface Listing {
  readonly folder: string
  readonly only: readonly string[] | undefined
  readonly mayMake: (() => Promise<void>) | undefined
}

/** One listing, whatever the number of files: what it says of each file is enough. */
async function list(
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
        if (!isListedName(name) || isGarbled(name)) continue
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

function oldestFirst(a: Sighting, b: Sighting): number {
  return a.modifiedAt - b.modifiedAt || (a.name < b.name ? -1 : 1)
}

async function sizeOf(place: Place, connection: Connection, claim: Claim): Promise<number | undefined> {
  // One that stays in its folder is sighted there, with its new size.
  if (place.options.claim === 'leave') return undefined
  const path = await claimedPath(place, connection, claim)
  const what = `The claimed file ${addressOf(place.options, path)} cannot be looked at`
  return asking('mailbox-unreachable', what, async () => (await connection.calls.look(path))?.size)
}

/** More files of one folder than this are listed, and not looked at one by one. */
const LOOKS_MAX = 8

async function sizesInArchive(
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
      if (attributes?.kind === 'file') sizes.set(joined(folder, name), attributes.size)
    }
  }
  return sizes
}

function byFolder(paths: readonly string[]): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>()
  for (const path of paths) {
    const { folder, name } = apart(path)
    const names = folders.get(folder) ?? new Set()
    folders.set(folder, names.add(name))
  }
  return folders
}

/** Those of the names that are there; where there are many, by one listing. */
async function entriesCalled(
  connection: Connection,
  path: string,
  names: ReadonlySet<string>,
): Promise<Entry[]> {
  if (names.size > LOOKS_MAX) {
    const listed = (await listedIfAllowed(connection, path)).filter(({ name }) => names.has(name))
    if (listed.length > 0 && listed.every(({ attributes }) => attributes !== undefined)) return listed
  }
  const look = async (name: string) => ({ name, attributes: await connection.calls.look(joined(path, name)) })
  return Promise.all([...names].map(look))
}

async function claims(place: Place, connection: Connection, folder: string): Promise<string[]> {
  const inbox = await knownFolder(place, connection, folderSegments(folder))
  if (inbox === undefined || place.options.claim === 'leave') return []
  const path = joined(inbox, CLAIMED_FOLDER)
  return asking(
    'mailbox-unreachable',
    `The folder ${addressOf(place.options, path)} cannot be listed`,
    async () => {
      if ((await connection.calls.look(path)) === undefined) return []
      const entries = await listedIfAllowed(connection, path)
      return entries.flatMap(({ name }) => idOfClaimed(name) ?? [])
    },
  )
}

async function names(
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

/** By one listing. What a server says nothing of is passed over by its name alone. */
async function passedOver(place: Place, connection: Connection, folder: string): Promise<PassedOver[]> {
  const path = await foundFolder(place, connection, folderSegments(folder))
  if (path === undefined) return []
  const what = `The folder ${addressOf(place.options, path)} cannot be listed`
  return asking('mailbox-unreachable', what, async () => {
    const found = (await entriesOf(connection, path)).flatMap(({ name, attributes }) => {
      const { kind = 'file', modifiedAt = 0 } = attributes ?? {}
      return kind === 'file' && isListedName(name) && !isGarbled(name) ? [] : [{ name, kind, modifiedAt }]
    })
    return found.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  })
}

async function mark(
  place: Place,
  connection: Connection,
  { folder, name }: Pick<Sighting, 'folder' | 'name'>,
): Promise<void> {
  assertSafeName(name)
  const path = joined(await openFolder(place, connection, folderSegments(folder)), name)
  await asking('cannot-write', `The folder ${addressOf(place.options, path)} cannot be made`, async () => {
    try {
      await connection.calls.mkdir(path)
    } catch (error) {
      if (!isRefusal(error) || (await connection.calls.look(path))?.kind !== 'folder') throw error
    }
  })
}
