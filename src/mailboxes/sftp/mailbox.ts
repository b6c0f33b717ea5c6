/** A mailbox that is a folder on an SFTP server. */
import type { Claim, Mailbox, Sighting } from '../../domain/mailbox.ts'
import { assertSafeName, CLAIMED_FOLDER, folderSegments, idOfClaimed } from '../names.ts'
import type { Connection } from './connection.ts'
import { listedIfAllowed } from './leftovers.ts'
import { openLines } from './lines.ts'
import { hasName, list, names, passedOver, sizesInArchive } from './listing.ts'
import type { SftpOptions } from './options.ts'
import { addressOf, foundFolder, joined, knownFolder, openFolder, type Place } from './place.ts'
import { readClaimed } from './read.ts'
import { asking, isRefusal } from './refusals.ts'
import { discard, giveName, settleNaming, stage } from './staging.ts'
import { claimedPath, giveBack, putAway, take } from './take.ts'

export function sftpMailbox(options: SftpOptions): Mailbox {
  const { connections, clock, random, isImpatient = false } = options
  const lines = openLines({ server: options, connections, clock, random, isImpatient })
  const place: Place = { options, lines, swept: new Set(), named: new Set() }
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
    stage: (source, folder, how) => stage(place, { source, folder }, how),
    giveName: (staged, name, how) => giveName(place, staged, { name, note: how?.note }),
    settleNaming: (folder, naming) => settleNaming(place, folder, naming),
    discard: (staged) => discard(place, staged),
    has: (folder) =>
      lines.use(async (connection) => {
        return (await foundFolder(place, connection, folderSegments(folder))) !== undefined
      }),
    names: (folder) => lines.use((connection) => names(place, connection, folder)),
    stands: (folder, name) =>
      checked({ folder, name }, () =>
        lines.use((connection) => hasName(place, connection, { folder, name })),
      ),
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

async function sizeOf(place: Place, connection: Connection, claim: Claim): Promise<number | undefined> {
  // One that stays in its folder is sighted there, with its new size.
  if (place.options.claim === 'leave') return undefined
  const path = await claimedPath(place, connection, claim)
  const what = `The claimed file ${addressOf(place.options, path)} cannot be looked at`
  return asking('mailbox-unreachable', what, async () => (await connection.calls.look(path))?.size)
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
