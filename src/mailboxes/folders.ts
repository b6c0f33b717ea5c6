/** Finds the folders of a mailbox on the disk, makes missing ones, and never leaves the root. */
import { mkdir, realpath, stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { BridgeError, hasCode, hasSystemCode } from '../support/errors.ts'
import { syncFolder } from '../support/durable.ts'
import { isFree } from '../support/is-free.ts'
import { isMountPoint } from '../support/mount-point.ts'
import { reaching, writing } from './failures.ts'

/** The folder of a mailbox as the user names it. */
export interface Root {
  readonly root: string
  /** Where nothing is mounted at the root, it is away. */
  readonly mounted: boolean
  /** The folders that were found to be within the root, without a link on the way, by their paths below it. */
  readonly standing: Map<string, StandingFolder>
}

export interface StandingFolder {
  readonly path: string
  readonly identity: string
}

/** Asked before the folder at the path is made; with what it throws it is not. */
export type MayMake = (path: string) => Promise<void>

/**
 * The real path of a folder, made when it is missing. The root itself is never made: a share that is not mounted must
 * look away, not empty. A link that leads out of the root is refused.
 */
export async function openFolder(
  root: Root,
  segments: readonly string[],
  mayMake?: MayMake,
): Promise<string> {
  const standing = await standingFolder(root, segments)
  if (standing !== undefined) return standing
  const realRoot = await openRoot(root)
  return whereItIs(root, async () => {
    let place = realRoot
    for (const segment of segments) {
      place = await openStep(realRoot, join(place, segment), mayMake)
    }
    return place
  })
}

/** The real path of a folder; undefined where there is no such folder, and none is made. */
export async function foundFolder(root: Root, segments: readonly string[]): Promise<string | undefined> {
  const standing = await standingFolder(root, segments)
  if (standing !== undefined) return standing
  const realRoot = await openRoot(root)
  let place = realRoot
  for (const segment of segments) {
    const path = join(place, segment)
    const found = await folderAt(path)
    if (found === undefined) return undefined
    place = within(realRoot, path, found)
  }
  return place
}

/**
 * Mostly everything is there without a link on the way, and few looks tell; where not, going step by step tells what is missing, or
 * where a link leads. One look tells that a path still leads to the same folder as before.
 */
async function standingFolder(
  { root, mounted, standing }: Root,
  segments: readonly string[],
): Promise<string | undefined> {
  try {
    // What is mounted is asked on the longer way, which tells why not.
    if (mounted) return undefined
    const path = join(root, ...segments)
    const known = standing.get(path)
    if (known !== undefined && (await identityAt(path)) === known.identity) return known.path
    const [realRoot, place] = await Promise.all([realpath(root), realpath(path)])
    const identity = place === join(realRoot, ...segments) ? await identityAt(place) : undefined
    if (identity === undefined) return undefined
    standing.set(path, { path: place, identity })
    return place
  } catch {
    return undefined
  }
}

/** Undefined of what is no folder. */
async function identityAt(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true })
  return found.isDirectory() ? `${found.dev}:${found.ino}` : undefined
}

/** What cannot be written because the whole place went away meanwhile is a place that cannot be reached. */
export async function whereItIs<Result>(root: Root, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (hasCode(error, 'cannot-write')) await openRoot(root)
    throw error
  }
}

export async function openRoot({ root, mounted }: Root): Promise<string> {
  return reaching(`The mailbox folder ${root} cannot be reached`, async () => {
    const real = await realFolder(root)
    if (!mounted || (await isMountPoint(real))) return real
    throw new BridgeError('mailbox-unreachable', `Nothing is mounted at ${root}.`)
  })
}

async function openStep(realRoot: string, path: string, mayMake?: MayMake): Promise<string> {
  const there = await folderAt(path)
  if (there !== undefined) return within(realRoot, path, there)
  await mayMake?.(path)
  const made = await madeFolder(path)
  if (made === undefined && (await isFree(path))) {
    throw new BridgeError('mailbox-unreachable', `The folder ${path} went away while it was made.`)
  }
  return within(realRoot, path, made)
}

function within(realRoot: string, path: string, found: string | undefined): string {
  if (found !== undefined && isInside(realRoot, found)) return found
  throw new BridgeError(
    'configuration-invalid',
    `The folder ${path} is a link that leads out of the mailbox.`,
  )
}

/** Undefined when nothing, or a link that leads nowhere, stands at the path. */
async function folderAt(path: string): Promise<string | undefined> {
  return reaching(`The folder ${path} cannot be reached`, async () => {
    try {
      return await realFolder(path)
    } catch (error) {
      if (hasSystemCode(error, 'ENOENT')) return undefined
      throw error
    }
  })
}

async function realFolder(path: string): Promise<string> {
  const real = await realpath(path)
  if ((await stat(real)).isDirectory()) return real
  throw new BridgeError('mailbox-unreachable', `${path} is a file where a folder should be.`)
}

async function madeFolder(path: string): Promise<string | undefined> {
  await writing(`The folder ${path} cannot be made`, async () => {
    try {
      await mkdir(path)
      await syncFolder(dirname(path))
    } catch (error) {
      if (!hasSystemCode(error, 'EEXIST')) throw error // another bridge has just made it, or it is a broken link
    }
  })
  return folderAt(path)
}

function isInside(realRoot: string, path: string): boolean {
  return path === realRoot || path.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep)
}
