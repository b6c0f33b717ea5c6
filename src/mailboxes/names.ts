/** Checks names and folders that come from outside, makes the names that the bridge gives, and sorts listings. */
import { createHash } from 'node:crypto'
import type { FileInfo } from '../domain/mailbox.ts'
import { assert, BridgeError } from '../support/errors.ts'

/** Where claimed files wait, inside the folder they came from. No folder from outside may be called so. */
export const CLAIMED_FOLDER = '.claimed'

const TEMPORARY_STARTS = ['.', '~$']

const TEMPORARY_ENDS = ['.tmp', '.part', '.partial', '.filepart', '.writing', '.crdownload']

/** Whether a program that writes the file still calls it by a working name. */
export function isTemporaryName(name: string): boolean {
  return matchTemporaryName(name) !== undefined
}

/** How a working name begins or ends, if it is one. Compared without case. */
export function matchTemporaryName(name: string) {
  const lowered = name.toLowerCase()
  const begins = TEMPORARY_STARTS.find((start) => lowered.startsWith(start))
  if (begins !== undefined) return { begins }
  const ends = TEMPORARY_ENDS.find((end) => lowered.endsWith(end))
  return ends === undefined ? undefined : { ends }
}

const SEPARATOR_OR_CONTROL = /[/\\\p{Cc}]/u

/** Whether the name is one plain step inside its folder on every system, and can be shown to people as it is. */
export function isSafeName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !SEPARATOR_OR_CONTROL.test(name)
}

/** Whether the bytes of the name are not UTF-8: then no call can use the decoded name. */
export function hasInvalidUtf8(name: string): boolean {
  return name.includes('\u{fffd}')
}

/** Whether a listing shows a file of this name. */
export function isListedName(name: string): boolean {
  return isSafeName(name) && !isTemporaryName(name) && !hasInvalidUtf8(name)
}

export function assertSafeName(name: string): void {
  if (isSafeName(name)) return
  throw new BridgeError('configuration-invalid', `${JSON.stringify(name)} cannot be the name of a file.`)
}

/** The steps of a folder relative to the mailbox; none for the mailbox itself, written `.` or empty. */
export function splitFolder(folder: string): string[] {
  if (folder === '' || folder === '.') return []
  const segments = folder.split('/')
  const first = segments[0] ?? ''
  const isSafe = (segment: string) => isSafeName(segment) && segment.toLowerCase() !== CLAIMED_FOLDER
  if (segments.every(isSafe) && !/^[a-z]:/i.test(first)) return segments
  throw new BridgeError(
    'configuration-invalid',
    `${JSON.stringify(folder)} cannot be a folder of a mailbox: write a relative path such as "inbox/orders".`,
  )
}

/** Nothing claims two files under one id, so this name is free. */
export function makeClaimedName(id: string, name: string): string {
  return fitName(`${checkId(id)}-`, name, '')
}

/** The id in such a name; ids that are to be found again have no dash. */
export function parseClaimedId(claimed: string): string | undefined {
  return /^(\w{1,64})-/.exec(claimed)?.[1]
}

const EXTENSION = /^(.+?)(\.[^.]{1,16})?$/

/** `orders~<id>.csv`: unique, and computable again after a crash. */
export function makeArchivedName(id: string, name: string): string {
  const [, stem = name, extension = ''] = EXTENSION.exec(name) ?? []
  return fitName('', stem, `~${checkId(id)}${extension}`)
}

/** The id in the name of an archived file. */
export function parseArchivedId(archived: string): string | undefined {
  return /~(\w{1,64})(?:\.[^.]{1,16})?$/.exec(archived)?.[1]
}

/** Groups paths within a mailbox by folder and name, and checks the names. */
/** The folder and the name of a path within the mailbox. */
export function splitPath(path: string): { readonly folder: string; readonly name: string } {
  const cut = path.lastIndexOf('/')
  const name = path.slice(cut + 1)
  assertSafeName(name)
  return { folder: path.slice(0, Math.max(cut, 0)), name }
}

export function groupByFolder(paths: readonly string[]): Map<string, Map<string, string>> {
  const folders = new Map<string, Map<string, string>>()
  for (const path of paths) {
    const { folder, name } = splitPath(path)
    const known = folders.get(folder) ?? new Map<string, string>()
    folders.set(folder, known.set(name, path))
  }
  return folders
}

const WORKING_END = '.dropbridge.tmp'
const NAME_IN_WORKING_BYTES = 160

/** The working name of a file on its way to its final one. Only its owner, the bridge that made it, may remove it. */
export function makeWorkingName(owner: string, id: string, name: string): string {
  return `.${truncateToBytes(name, NAME_IN_WORKING_BYTES)}.${checkId(owner)}.${checkId(id)}${WORKING_END}`
}

/** Whether the bridge of this identity made the working name. */
export function isOwnWorkingName(owner: string, candidate: string): boolean {
  if (!candidate.startsWith('.') || !candidate.endsWith(WORKING_END)) return false
  return candidate.slice(0, -WORKING_END.length).split('.').at(-2) === owner
}

const PLAIN_ID = /^[\w-]{1,64}$/

/** Ids are the bridge's own parts of names, so any other letters are a bug. */
function checkId(id: string): string {
  assert(PLAIN_ID.test(id), `the id ${JSON.stringify(id)} cannot stand in a file name`)
  return id
}

/** The limit of Linux and most shares; a longer name would make a claim fail forever. */
const NAME_BYTES_MAX = 255

/** Replaces a cut part by a hash: a file and its sidecar share an id and may begin alike. */
function fitName(before: string, name: string, after: string): string {
  const room = NAME_BYTES_MAX - Buffer.byteLength(before) - Buffer.byteLength(after)
  if (Buffer.byteLength(name) <= room) return before + name + after
  const mark = `~${createHash('sha256').update(name).digest('hex').slice(0, 12)}`
  return before + truncateToBytes(name, room - mark.length) + mark + after
}

function truncateToBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text
  let kept = ''
  let used = 0
  for (const letter of text) {
    used += Buffer.byteLength(letter)
    if (used > bytes) break
    kept += letter
  }
  return kept
}

type AgedEntry = Pick<FileInfo, 'name' | 'modifiedAt'>

export function compareByAge(one: AgedEntry, other: AgedEntry): number {
  return one.modifiedAt - other.modifiedAt || compareByName(one, other)
}

export function compareByName(one: { name: string }, other: { name: string }): number {
  return one.name < other.name ? -1 : 1
}
