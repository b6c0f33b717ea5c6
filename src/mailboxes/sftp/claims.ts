/** Claims, releases, archives and reads files of a server. Each call first looks up what has been done already. */
import type { ArchivedFile, Claim, FileInfo } from '../../domain/mailbox.ts'
import { BridgeError } from '../../support/errors.ts'
import { refuseToCreate } from '../staged.ts'
import {
  assertSafeName,
  CLAIMED_FOLDER,
  makeArchivedName,
  makeClaimedName,
  makeWorkingName,
  parseClaimedId,
  splitFolder,
  splitPath,
} from '../names.ts'
import {
  download,
  haveSameContents,
  INITIAL_WINDOW,
  narrowWindow,
  OPEN_MODES,
  readFully,
  removeIfPresent,
  renameOnServer,
} from './files.ts'
import {
  CLAIM_IN_PLACE_HELP,
  ensureFolder,
  findCachedFolder,
  formatAddress,
  hasSameStat,
  joinPath,
  listEntriesIfAllowed,
  type SftpContext,
  type SftpSession,
  useSession,
} from './folders.ts'
import {
  ignoreRefusal,
  isRefusal,
  mapAccessRefusals,
  mapWriteRefusals,
  type SftpCalls,
  STATUS,
} from './protocol.ts'

export async function claimFile(session: SftpSession, claim: Claim): Promise<'claimed' | 'gone'> {
  const { options, calls } = session
  if (options.claim === 'leave') return claimInPlace(session, claim)
  const [source, target] = await resolvePaths(session, claim)
  const what = `${formatAddress(options, source)} cannot be claimed`
  return mapWriteRefusals(what, async () => {
    const [standing, claimed] = await Promise.all([calls.lstat(source), calls.lstat(target)])
    if (claimed !== undefined) return 'claimed'
    if (standing?.kind !== 'file') return 'gone'
    const rename = () => renameOnServer(calls, source, target)
    if ((await mapWriteRefusals(what, rename, CLAIM_IN_PLACE_HELP)) === 'gone') return 'gone'
    if ((await calls.lstat(target))?.kind === 'file') return 'claimed'
    // another entry, which is not a file, has replaced the file since the stat
    await renameOnServer(calls, target, source)
    return 'gone'
  })
}

/** The claim reports why a file cannot be read. */
export async function readTail(session: SftpSession, file: FileInfo, bytes: number) {
  const { calls } = session
  const inbox = await ensureFolder(session, splitFolder(file.folder), refuseToCreate)
  const handle = await calls.open(joinPath(inbox, file.name), OPEN_MODES.read).catch(ignoreRefusal())
  if (handle === undefined) return undefined
  try {
    const from = Math.max(0, file.size - bytes)
    return await readFully(calls, handle, from, file.size - from).catch(ignoreRefusal())
  } finally {
    await calls.close(handle).catch(ignoreRefusal())
  }
}

/** Claims a file that cannot be moved, by checking that it exists. */
async function claimInPlace(session: SftpSession, claim: Claim): Promise<'claimed' | 'gone'> {
  const path = await resolveClaimedPath(session, claim)
  return mapAccessRefusals(`${formatAddress(session.options, path)} cannot be inspected`, async () => {
    return (await session.calls.lstat(path))?.kind === 'file' ? 'claimed' : 'gone'
  })
}

async function resolveClaimedPath(session: SftpSession, { id, folder, name }: Claim): Promise<string> {
  const inbox = splitFolder(folder)
  if (session.options.claim === 'leave') {
    return joinPath(await ensureFolder(session, inbox, refuseToCreate), name)
  }
  const path = await ensureFolder(session, [...inbox, CLAIMED_FOLDER], async (missing) => {
    if (missing !== CLAIMED_FOLDER) await refuseToCreate(missing)
  })
  return joinPath(path, makeClaimedName(id, name))
}

export async function listClaims(session: SftpSession, folder: string): Promise<string[]> {
  const { options, calls } = session
  const inbox = await findCachedFolder(session, splitFolder(folder))
  if (inbox === undefined || options.claim === 'leave') return []
  const path = joinPath(inbox, CLAIMED_FOLDER)
  return mapAccessRefusals(`The folder ${formatAddress(options, path)} cannot be listed`, async () => {
    if ((await calls.lstat(path)) === undefined) return []
    return (await listEntriesIfAllowed(calls, path)).flatMap(({ name }) => parseClaimedId(name) ?? [])
  })
}

export async function getClaimSize(session: SftpSession, claim: Claim): Promise<number | undefined> {
  const { options, calls } = session
  // A file claimed in place is listed again with its new size.
  if (options.claim === 'leave') return undefined
  const path = await resolveClaimedPath(session, claim)
  const what = `The claimed file ${formatAddress(options, path)} cannot be inspected`
  return mapAccessRefusals(what, async () => (await calls.lstat(path))?.size)
}

export async function releaseClaim(session: SftpSession, claim: Claim): Promise<'returned' | 'occupied'> {
  const { options, calls } = session
  if (options.claim === 'leave') return 'returned'
  const [target, source] = await resolvePaths(session, claim)
  return mapWriteRefusals(`${formatAddress(options, target)} cannot be given back`, async () => {
    const [claimed, standing] = await Promise.all([calls.lstat(source), calls.lstat(target)])
    if (claimed === undefined) return 'returned'
    const named = standing === undefined ? await renameOnServer(calls, source, target) : 'taken'
    if (named !== 'taken') return 'returned'
    try {
      const isSameFile =
        hasSameStat(claimed, await calls.lstat(target)) && (await haveSameContents(calls, source, target))
      if (!isSameFile) return (await calls.lstat(source)) === undefined ? 'returned' : 'occupied'
      // Some servers rename by a link and stop before they remove the old name; the file is complete under its new name.
      await removeIfPresent(calls, source)
    } catch (error) {
      if ((await calls.lstat(source)) !== undefined) throw error // otherwise another process has released it
    }
    return 'returned'
  })
}

/** Archives a claimed file; returns its path within the mailbox. */
export async function archiveClaim(session: SftpSession, claim: Claim, folder: string): Promise<string> {
  const { options, calls } = session
  if (options.claim === 'leave') return [...splitFolder(claim.folder), claim.name].join('/')
  const [, source] = await resolvePaths(session, claim)
  const name = makeArchivedName(claim.id, claim.name)
  const path = await ensureFolder(session, splitFolder(folder))
  const target = joinPath(path, name)
  const address = formatAddress(options, source)
  await mapWriteRefusals(`The claimed file ${address} cannot be archived`, async () => {
    const [claimed, archived] = await Promise.all([calls.lstat(source), calls.lstat(target)])
    if (claimed === undefined && archived !== undefined) return // archived before
    if (claimed === undefined)
      throw new BridgeError('mailbox-unreachable', `The claimed file ${address} is missing.`)
    try {
      const moved = archived === undefined ? await moveToArchive(session, source, target, path) : 'taken'
      if (moved === 'taken') await removeArchivedSource(session, source, target)
    } catch (error) {
      // A stalled process or its successor has archived it since the check.
      const [still, there] = await Promise.all([calls.lstat(source), calls.lstat(target)])
      if (still !== undefined || there === undefined) throw error
    }
  })
  return [...splitFolder(folder), name].join('/')
}

/** Removes the source where the archive has the same bytes: a crash left the file in both places. */
async function removeArchivedSource({ options, calls }: SftpSession, source: string, target: string) {
  if (!(await haveSameContents(calls, source, target))) {
    const occupied = formatAddress(options, target)
    throw new BridgeError('cannot-write', `Another file already stands at ${occupied}.`)
  }
  await removeIfPresent(calls, source)
}

/** Moves the file. The archive, the folder `path`, may be another disk, where a rename fails. */
async function moveToArchive({ options, calls }: SftpSession, source: string, target: string, path: string) {
  try {
    return await renameOnServer(calls, source, target)
  } catch (error) {
    if (!isRefusal(error, STATUS.failure, STATUS.notSupported)) throw error
    const temporary = joinPath(path, makeWorkingName(options.working.owner, options.newId(), 'archiving'))
    try {
      await copyOnServer(calls, source, temporary)
      const named = await renameOnServer(calls, temporary, target)
      if (named === 'named') await removeIfPresent(calls, source)
      return named
    } finally {
      await removeIfPresent(calls, temporary).catch(() => {}) // otherwise removed as a leftover a day later
    }
  }
}

/** Copies a file; the protocol has no call for it, so the bytes are downloaded and uploaded. */
async function copyOnServer(calls: SftpCalls, source: string, target: string): Promise<void> {
  const size = (await calls.lstat(source))?.size ?? 0
  const from = await calls.open(source, OPEN_MODES.read)
  try {
    const to = await calls.open(target, OPEN_MODES.write | OPEN_MODES.create | OPEN_MODES.exclusive)
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

/** Returns the path of the dropped file, and that of the claimed file. */
async function resolvePaths(session: SftpSession, claim: Claim): Promise<readonly [string, string]> {
  assertSafeName(claim.name)
  const inbox = await ensureFolder(session, splitFolder(claim.folder), refuseToCreate)
  return [joinPath(inbox, claim.name), await resolveClaimedPath(session, claim)]
}

// Reads a claimed file: counts its bytes, checks it at the end, and continues after a lost connection.

type ClaimedFile = Awaited<ReturnType<typeof findTakenFile>>

/** Reads a claimed file, or an archived one by its path. */
export async function* readTakenFile(place: SftpContext, file: Claim | ArchivedFile) {
  const { folder, name } = 'archivedAs' in file ? splitPath(file.archivedAs) : file
  assertSafeName(name)
  splitFolder(folder)
  const found = await useSession(place, (session) => findTakenFile(session, file))
  const what = formatReadFailure(place, found.path)
  let from = 0
  let width = INITIAL_WINDOW
  for (let tries = 1; ; tries += 1) {
    try {
      for await (const chunk of readRemaining(place, found, from, width)) {
        yield chunk
        from += chunk.length
        tries = 1
      }
      return
    } catch (error) {
      width = narrowWindow(width)
      await mapAccessRefusals(what, () => place.pool.waitForRetry(error, tries))
    }
  }
}

async function findTakenFile(session: SftpSession, file: Claim | ArchivedFile) {
  const path =
    'archivedAs' in file ? await resolveArchived(session, file) : await resolveClaimedPath(session, file)
  const what = formatReadFailure(session, path)
  return mapAccessRefusals(what, async () => {
    const attributes = await session.calls.lstat(path)
    if (attributes?.kind === 'file') return { path, attributes }
    const why = attributes === undefined ? 'it is not there' : 'it is no plain file'
    throw new BridgeError('mailbox-unreachable', `${what}: ${why}.`)
  })
}

async function resolveArchived(session: SftpSession, { archivedAs }: ArchivedFile): Promise<string> {
  const { folder, name } = splitPath(archivedAs)
  return joinPath(await ensureFolder(session, splitFolder(folder), refuseToCreate), name)
}

function formatReadFailure({ options }: SftpContext, path: string): string {
  return `The file ${formatAddress(options, path)} cannot be read`
}

/** Reads the bytes from `from` on, over one connection. */
async function* readRemaining(
  { pool, options }: SftpContext,
  { path, attributes }: ClaimedFile,
  from: number,
  width: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { size } = attributes
  const connection = await pool.borrow()
  try {
    const { calls } = connection
    const handle = await calls.open(path, OPEN_MODES.read)
    let count = from
    try {
      for await (const chunk of download(calls, handle, { from, size, width })) {
        count += chunk.length
        yield chunk
      }
    } finally {
      await calls.close(handle).catch(() => {}) // only the bytes read matter
    }
    const address = formatAddress(options, path)
    if (count < size) {
      const message = `The server says that ${address} has ${size} bytes, and gave ${count}.`
      throw new BridgeError('mailbox-unreachable', message)
    }
    if (count > size || !hasSameStat(attributes, await calls.lstat(path))) {
      throw new BridgeError('mailbox-unreachable', `${address} changed while it was read.`)
    }
  } finally {
    pool.release(connection)
  }
}
