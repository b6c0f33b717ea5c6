/** Taking files out of a folder on the server: claimed, given back, archived. Each call looks first what has been done already. */
import type { Claim } from '../../domain/mailbox.ts'
import { BridgeError } from '../../support/errors.ts'
import { refuseToMake } from '../failures.ts'
import {
  archivedName,
  assertSafeName,
  CLAIMED_FOLDER,
  claimedName,
  folderSegments,
  workingName,
} from '../names.ts'
import type { Calls } from './calls.ts'
import type { Connection } from './connection.ts'
import { haveSameContents, OPEN } from './contents.ts'
import { addressOf, isSameFile, joined, openFolder, type Place } from './place.ts'
import { asking, isRefusal, STATUS } from './refusals.ts'
import { removeIfThere, renameOnServer } from './rename.ts'
import { download } from './transfer.ts'

const LEAVE_HELP = 'Where files may be read but not moved, write `claim: leave` in the mailbox.'

export async function take(place: Place, connection: Connection, claim: Claim): Promise<'claimed' | 'gone'> {
  const { calls } = connection
  if (place.options.claim === 'leave') return stands(place, connection, claim)
  const [source, target] = await pathsOf(place, connection, claim)
  const what = `${addressOf(place.options, source)} cannot be claimed`
  return asking('cannot-write', what, async () => {
    const [standing, claimed] = await Promise.all([calls.look(source), calls.look(target)])
    if (claimed !== undefined) return 'claimed'
    if (standing?.kind !== 'file') return 'gone'
    const rename = () => renameOnServer(calls, source, target)
    if ((await asking('cannot-write', what, rename, LEAVE_HELP)) === 'gone') return 'gone'
    if ((await calls.look(target))?.kind === 'file') return 'claimed'
    // put in the place of the file since it was looked at; it is nothing that can be read
    await renameOnServer(calls, target, source)
    return 'gone'
  })
}

/** A file that nobody may move is taken by knowing that it is there. */
async function stands(place: Place, connection: Connection, claim: Claim): Promise<'claimed' | 'gone'> {
  const path = await claimedPath(place, connection, claim)
  const what = `${addressOf(place.options, path)} cannot be looked at`
  return asking('mailbox-unreachable', what, async () => {
    return (await connection.calls.look(path))?.kind === 'file' ? 'claimed' : 'gone'
  })
}

/** Where a claimed file lies. */
export async function claimedPath(place: Place, connection: Connection, claim: Claim): Promise<string> {
  const { id, folder, name } = claim
  const inbox = folderSegments(folder)
  if (place.options.claim === 'leave')
    return joined(await openFolder(place, connection, inbox, refuseToMake), name)
  const steps = [...inbox, CLAIMED_FOLDER]
  const path = await openFolder(place, connection, steps, async (missing) => {
    if (missing !== CLAIMED_FOLDER) await refuseToMake(missing)
  })
  return joined(path, claimedName(id, name))
}

export async function giveBack(
  place: Place,
  connection: Connection,
  claim: Claim,
): Promise<'returned' | 'occupied'> {
  const { calls } = connection
  if (place.options.claim === 'leave') return 'returned'
  const [target, source] = await pathsOf(place, connection, claim)
  return asking('cannot-write', `${addressOf(place.options, target)} cannot be given back`, async () => {
    const [claimed, standing] = await Promise.all([calls.look(source), calls.look(target)])
    if (claimed === undefined) return 'returned'
    const named = standing === undefined ? await renameOnServer(calls, source, target) : 'taken'
    if (named !== 'taken') return 'returned'
    try {
      const isOurs =
        isSameFile(claimed, await calls.look(target)) && (await haveSameContents(calls, source, target))
      if (!isOurs) return (await calls.look(source)) === undefined ? 'returned' : 'occupied'
      // Some servers give a name by a link and die before they take away the old one; the bytes stand where they belong.
      await removeIfThere(calls, source)
    } catch (error) {
      if ((await calls.look(source)) !== undefined) throw error // otherwise another one has given it back
    }
    return 'returned'
  })
}

/** Gives the path of the claimed file within the mailbox. */
export async function putAway(
  place: Place,
  connection: Connection,
  { claim, folder }: { readonly claim: Claim; readonly folder: string },
): Promise<string> {
  const { calls } = connection
  if (place.options.claim === 'leave') return [...folderSegments(claim.folder), claim.name].join('/')
  const [, source] = await pathsOf(place, connection, claim)
  const name = archivedName(claim.id, claim.name)
  const path = await openFolder(place, connection, folderSegments(folder))
  const target = joined(path, name)
  const address = addressOf(place.options, source)
  await asking('cannot-write', `The claimed file ${address} cannot be archived`, async () => {
    const [claimed, archived] = await Promise.all([calls.look(source), calls.look(target)])
    if (claimed === undefined && archived !== undefined) return // archived before
    if (claimed === undefined)
      throw new BridgeError('mailbox-unreachable', `The claimed file ${address} is missing.`)
    try {
      const moved = archived === undefined ? await move(place, calls, { source, target, path }) : 'taken'
      if (moved === 'taken') await removeCopied(place, calls, { source, target })
    } catch (error) {
      // One that was stopped and woke up, or its successor, has archived it since it was looked for.
      const [still, there] = await Promise.all([calls.look(source), calls.look(target)])
      if (still !== undefined || there === undefined) throw error
    }
  })
  return [...folderSegments(folder), name].join('/')
}

/** The same bytes in the archive are the file, left by a crash in both places. */
async function removeCopied(
  place: Place,
  calls: Calls,
  { source, target }: Pick<Move, 'source' | 'target'>,
): Promise<void> {
  if (!(await haveSameContents(calls, source, target))) {
    const occupied = addressOf(place.options, target)
    throw new BridgeError('cannot-write', `Another file already stands at ${occupied}.`)
  }
  await removeIfThere(calls, source)
}

interface Move {
  readonly source: string
  readonly target: string
  /** The folder of the target. */
  readonly path: string
}

/** The archive may be a disk of its own, where no file can be renamed to. */
async function move(
  place: Place,
  calls: Calls,
  { source, target, path }: Move,
): Promise<'named' | 'taken' | 'gone'> {
  try {
    return await renameOnServer(calls, source, target)
  } catch (error) {
    if (!isRefusal(error, STATUS.failure, STATUS.notSupported)) throw error
    const temporary = joined(
      path,
      workingName(place.options.working.owner, place.options.newId(), 'archiving'),
    )
    try {
      await copyOnServer(calls, source, temporary)
      const named = await renameOnServer(calls, temporary, target)
      if (named === 'named') await removeIfThere(calls, source)
      return named
    } finally {
      await removeIfThere(calls, temporary).catch(() => {}) // swept away a day later
    }
  }
}

/** The protocol has no call for it: the bytes come here and go back. */
async function copyOnServer(calls: Calls, source: string, target: string): Promise<void> {
  const size = (await calls.look(source))?.size ?? 0
  const from = await calls.open(source, OPEN.read)
  try {
    const to = await calls.open(target, OPEN.write | OPEN.create | OPEN.exclusive)
    let position = 0
    for await (const chunk of download(calls, from, { from: 0, size })) {
      await calls.write(to, chunk, position)
      position += chunk.length
    }
    await calls.close(to)
  } finally {
    await calls.close(from).catch(() => {})
  }
}

/** Where the file is dropped, and where it lies claimed. */
async function pathsOf(
  place: Place,
  connection: Connection,
  claim: Claim,
): Promise<readonly [string, string]> {
  assertSafeName(claim.name)
  const inbox = await openFolder(place, connection, folderSegments(claim.folder), refuseToMake)
  return [joined(inbox, claim.name), await claimedPath(place, connection, claim)]
}
