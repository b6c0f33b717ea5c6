/** The folders of an SFTP mailbox: found on the server, made where they are missing, and never outside of the root. */
import { BridgeError } from '../../support/errors.ts'
import { CLAIMED_FOLDER } from '../names.ts'
import type { Attributes, Calls, Entry } from './calls.ts'
import type { Connection } from './connection.ts'
import type { Lines } from './lines.ts'
import type { SftpOptions } from './options.ts'
import { asking, isRefusal, STATUS } from './refusals.ts'

export interface Place {
  readonly options: SftpOptions
  readonly lines: Lines
  /** The folders that were rid of left-over files, by their real paths. */
  readonly swept: Set<string>
  /** Working names that are gone because their files were given their own. */
  readonly named: Set<string>
}

/** How people call what is at the path. */
export function addressOf({ host, port }: SftpOptions, path: string): string {
  return `sftp://${host}${port === 22 ? '' : `:${port}`}${path.startsWith('/') ? '' : '/~/'}${path}`
}

export function joined(folder: string, ...names: readonly string[]): string {
  return [folder === '/' ? '' : folder, ...names].join('/')
}

/** Asked before a folder is made, by its name; with what it throws it is not. */
export type MayMake = (name: string) => Promise<void>

/** The real path of a folder, made when it is missing. The root itself is never made: what is not there is away, not empty. */
export async function openFolder(
  { options }: Place,
  connection: Connection,
  segments: readonly string[],
  mayMake?: MayMake,
): Promise<string> {
  const root = await openRoot(options, connection)
  let place = root
  for (const [index] of segments.entries()) {
    const steps = segments.slice(0, index + 1)
    const known = connection.folders.get(steps.join('/'))
    place = known ?? (await openStep({ options, connection, root, mayMake }, place, steps))
    connection.folders.set(steps.join('/'), place)
  }
  return place
}

/** As it was found before on this connection, or is found now; undefined where there is no such folder, and none is made. */
export async function knownFolder(
  place: Place,
  connection: Connection,
  segments: readonly string[],
): Promise<string | undefined> {
  const steps = segments.join('/')
  const known = connection.folders.get(steps) ?? (await foundFolder(place, connection, segments))
  if (known !== undefined) connection.folders.set(steps, known)
  return known
}

/** Undefined where there is no such folder; none is made. */
export async function foundFolder(
  { options }: Place,
  connection: Connection,
  segments: readonly string[],
): Promise<string | undefined> {
  const root = await openRoot(options, connection)
  let place = root
  for (const segment of segments) {
    const found = await folderAt({ options, connection, root }, joined(place, segment))
    if (found === undefined) return undefined
    place = found
  }
  return place
}

async function openRoot(options: SftpOptions, { calls, folders }: Connection): Promise<string> {
  const known = folders.get('')
  if (known !== undefined) return known
  const { root } = options
  const what = `The mailbox folder ${addressOf(options, root)} cannot be reached`
  return asking('mailbox-unreachable', what, async () => {
    const path = await calls.realpath(root)
    const found = await calls.follow(path)
    if (found.kind !== 'folder') throw new BridgeError('mailbox-unreachable', `${what}: it is no folder.`)
    folders.set('', path)
    return path
  })
}

interface Step {
  readonly options: SftpOptions
  readonly connection: Connection
  readonly root: string
  readonly mayMake?: MayMake | undefined
}

async function openStep(step: Step, parent: string, steps: readonly string[]): Promise<string> {
  const path = joined(parent, steps.at(-1) ?? '')
  const found = await folderAt(step, path)
  if (found !== undefined) return found
  await step.mayMake?.(steps.at(-1) ?? '')
  return madeFolder(step, path)
}

/** Where a folder really is; undefined when nothing is there. */
async function folderAt({ options, connection, root }: Step, path: string): Promise<string | undefined> {
  const { calls } = connection
  const address = addressOf(options, path)
  return asking('mailbox-unreachable', `The folder ${address} cannot be reached`, async () => {
    const found = await calls.look(path)
    if (found === undefined || found.kind === 'folder') return found && path
    if (found.kind !== 'link')
      throw new BridgeError('mailbox-unreachable', `${address} is a file where a folder should be.`)
    const real = await realFolder(calls, path)
    if (real !== undefined && isInside(root, real)) return real
    const message = `The folder ${address} is a link that leads out of the mailbox.`
    throw new BridgeError('configuration-invalid', message)
  })
}

/** Where a link to a folder leads; undefined when it leads to none. */
async function realFolder(calls: Calls, path: string): Promise<string | undefined> {
  try {
    const real = await calls.realpath(path)
    const found = await calls.look(real)
    return found?.kind === 'folder' ? real : undefined
  } catch (error) {
    if (isRefusal(error, STATUS.noSuchFile, STATUS.failure)) return undefined
    throw error
  }
}

async function madeFolder(step: Step, path: string): Promise<string> {
  const { options, connection } = step
  const what = `The folder ${addressOf(options, path)} cannot be made`
  const help = path.endsWith(`/${CLAIMED_FOLDER}`)
    ? 'Where files may be read but not moved, write `claim: leave` in the mailbox.'
    : 'Have it made by whoever runs the server.'
  return asking(
    'cannot-write',
    what,
    async () => {
      try {
        await connection.calls.mkdir(path)
      } catch (error) {
        // another bridge may have just made it
        const found = isRefusal(error) ? await folderAt(step, path) : undefined
        if (found === undefined) throw error
        return found
      }
      return path
    },
    help,
  )
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`)
}

/** More than any folder that people would call one; a server that never ends its listing is cut off. */
const ENTRIES_MAX = 1_000_000

/** All that is in a folder, with what the listing says of it: nothing is asked for each entry. */
export async function entriesOf({ calls }: Connection, path: string): Promise<Entry[]> {
  const handle = await calls.opendir(path)
  const entries: Entry[] = []
  try {
    for (let round = 0; round < ENTRIES_MAX && entries.length < ENTRIES_MAX; round++) {
      const more = await calls.readdir(handle)
      if (more === undefined) return entries
      for (const entry of more) entries.push(entry)
    }
    throw new BridgeError('mailbox-unreachable', `The listing of ${path} does not come to an end.`)
  } finally {
    await calls.close(handle).catch(() => {}) // what was listed is listed
  }
}

export function isSameFile(one: Attributes, other: Attributes | undefined): boolean {
  return other?.kind === 'file' && one.size === other.size && one.modifiedAt === other.modifiedAt
}
