/** The calls of the SFTP protocol as promises with deadlines, and their errors. */
import type { SFTPWrapper, Stats } from 'ssh2'
import { BridgeError, type FailureCode, getErrorMessage } from '../../support/errors.ts'

export interface Attributes {
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly size: number
  /** Milliseconds; the protocol knows whole seconds. */
  readonly modifiedAt: number
}

/** An entry of a folder. What a server leaves unsaid is undefined. */
export interface Entry {
  readonly name: string
  readonly attributes: Attributes | undefined
}

export type Handle = Buffer

/** What can be asked of a server. What it refuses is thrown as a `Refusal`, what it does not answer as a `ConnectionLost`. */
export type SftpCalls = ReturnType<typeof createCalls>

export function createCalls(sftp: SFTPWrapper, { ask }: ReturnType<typeof trackPendingCalls>) {
  const requireAnswer = async <Answer>(what: string, send: SendCall<Answer>): Promise<Answer> => {
    const answer = await ask(what, send)
    if (answer === undefined) throw createRefusal(STATUS.failure, 'its answer says nothing')
    return answer
  }
  const done = (what: string, send: SendCall<never>) => ask<void>(what, send as never)
  const stat = (what: string, send: SendCall<Stats>) => requireAnswer(what, send).then(toAttributes)
  return {
    realpath: (path: string) => requireAnswer<string>('realpath', (settle) => sftp.realpath(path, settle)),
    /** Of the thing itself, where it is a link; undefined when nothing is there. */
    lstat: (path: string) =>
      stat('lstat', (settle) => sftp.lstat(path, settle)).catch(ignoreRefusal(STATUS.noSuchFile)),
    /** Of what the path leads to in the end. */
    stat: (path: string) => stat('stat', (settle) => sftp.stat(path, settle)),
    opendir: (path: string) => requireAnswer<Handle>('opendir', (settle) => sftp.opendir(path, settle)),
    /** Undefined at the end. */
    readdir: (handle: Handle) =>
      requireAnswer<RawEntry[]>('readdir', (settle) => readdirFull(sftp, handle, settle))
        .then(toEntries)
        .catch(ignoreRefusal(END_OF_FILE)),
    mkdir: (path: string) => done('mkdir', (settle) => sftp.mkdir(path, settle)),
    open: (path: string, mode: number) =>
      requireAnswer<Handle>('open', (settle) => sftp.open(path, mode, settle)),
    /** The attributes of an open file. */
    fstat: (handle: Handle) => stat('fstat', (settle) => sftp.fstat(handle, settle)),
    /** How many bytes came; none at the end. */
    read: (handle: Handle, into: Buffer, position: number) =>
      ask<number>('read', (settle) => sftp.read(handle, into, 0, into.length, position, settle)),
    write: (handle: Handle, bytes: Buffer, position: number) =>
      done('write', (settle) => sftp.write(handle, bytes, 0, bytes.length, position, settle)),
    fsync: (handle: Handle) => done('fsync', (settle) => sftp.ext_openssh_fsync(handle, settle)),
    close: (handle: Handle) => done('close', (settle) => sftp.close(handle, settle)),
    /** As the protocol has it: most servers refuse when the new name is taken, some replace. */
    rename: (from: string, to: string) => done('rename', (settle) => sftp.rename(from, to, settle)),
    /** Replaces what has the new name. */
    posixRename: (from: string, to: string) =>
      done('posix-rename', (settle) => sftp.ext_openssh_rename(from, to, settle)),
    unlink: (path: string) => done('remove', (settle) => sftp.unlink(path, settle)),
  }
}

const FILE_TYPE = 0o170_000

const KINDS: Readonly<Record<number, Attributes['kind']>> = {
  0o100_000: 'file',
  0o040_000: 'folder',
  0o120_000: 'link',
}

/** A server that does not say what something is has not said that it is a file. */
function toAttributes({ mode, size, mtime }: Stats): Attributes {
  return { kind: toKind(mode) ?? 'other', size: size ?? 0, modifiedAt: (mtime ?? 0) * 1000 }
}

function toKind(mode: number | undefined): Attributes['kind'] | undefined {
  return mode === undefined || (mode & FILE_TYPE) === 0 ? undefined : (KINDS[mode & FILE_TYPE] ?? 'other')
}

/** As the library has it, when it is reported to leave out nothing: whatever the server says is in it. */
interface RawEntry {
  readonly filename?: string
  readonly longname?: string
  readonly attrs: Partial<Stats>
}

/** Without `full` the library itself stumbles over an answer that is no list, in a place where nobody can catch it. */
function readdirFull(sftp: SFTPWrapper, handle: Handle, settle: AnswerCallback<RawEntry[]>): void {
  type Full = (handle: Handle, options: { full: true }, done: AnswerCallback<RawEntry[]>) => void
  const readdir = sftp.readdir.bind(sftp) as unknown as Full
  readdir(handle, { full: true }, settle)
}

const END_OF_FILE = 1

function toEntries(listing: readonly RawEntry[]): Entry[] {
  return listing.flatMap(({ filename: name, attrs }) => {
    if (name === undefined || name === '.' || name === '..') return []
    const { mode, size, mtime } = attrs
    const kind = toKind(mode)
    const isWhole = kind !== undefined && size !== undefined && mtime !== undefined
    return [{ name, attributes: isWhole ? { kind, size, modifiedAt: mtime * 1000 } : undefined }]
  })
}

// Open calls: each ends with its answer, at its deadline, or with its connection.

/** What the library calls with an answer. */
type AnswerCallback<Answer> = (error: Error | null | undefined, answer?: Answer) => void

type SendCall<Answer> = (done: AnswerCallback<Answer>) => void

/** Without any answer for this long while calls are open, it calls `lose`. Each answer is a sign of life for all. */
export function trackPendingCalls(who: string, timeoutMs: number, lose: (lost: ConnectionLost) => void) {
  const open = new Map<(lost: ConnectionLost) => void, string>()
  let lost: ConnectionLost | undefined
  let timer: NodeJS.Timeout | undefined
  const watch = () => {
    clearTimeout(timer)
    if (open.size === 0) return
    const [first = ''] = open.values()
    const why = `${who} did not answer within ${timeoutMs / 1000} seconds (${first})`
    timer = setTimeout(() => lose(new ConnectionLost(why)), timeoutMs)
  }
  return {
    /** Sends one request and gives its answer. */
    ask: <Answer>(what: string, send: SendCall<Answer>): Promise<Answer> =>
      new Promise((resolve, reject) => {
        if (lost) return reject(lost)
        const forget = () => {
          open.delete(reject)
          watch()
        }
        open.set(reject, what)
        if (open.size === 1) watch()
        try {
          send((error, answer) => {
            if (!open.has(reject)) return // ended already, by its deadline or with its connection
            forget()
            if (!error) return resolve(answer as Answer)
            reject(toCallError(who, error))
          })
        } catch (error) {
          forget()
          // The library throws when the server has not offered what is asked for.
          const isUnknown = /does not support/.test(getErrorMessage(error))
          reject(isUnknown ? createRefusal(STATUS.notSupported, '') : error)
        }
      }),
    /** Ends every open call, and every later one at once. */
    end: (why: ConnectionLost) => {
      lost ??= why
      clearTimeout(timer)
      for (const reject of open.keys()) reject(lost)
      open.clear()
    },
  }
}

/** How a server says that what is behind it does not answer. */
const UNREACHABLE_STATUSES = [6, 7]

/** An answer has a status; all else is the library's way to say that none will come. */
function toCallError(who: string, error: Error): Error {
  const code = 'code' in error && typeof error.code === 'number' ? error.code : undefined
  if (code !== undefined && !UNREACHABLE_STATUSES.includes(code)) return createRefusal(code, error.message)
  return new ConnectionLost(`${who} broke off the connection (${error.message})`, error)
}

// Errors: a server that refuses, a connection that is lost, and the failures that people see of both.

/** The answers of the protocol that mean something here; SFTP version 3, section 7. */
export const STATUS = { noSuchFile: 2, permissionDenied: 3, failure: 4, notSupported: 8 } as const

/** The server has answered, and the answer is no. */
class Refusal extends Error {
  readonly status: number

  constructor(status: number, words: string) {
    super(words)
    this.name = 'Refusal'
    this.status = status
  }
}

/** There was no answer: whether the server did what it was asked for is not known. */
export class ConnectionLost extends Error {
  constructor(why: string, cause?: unknown) {
    super(why, cause === undefined ? undefined : { cause })
    this.name = 'ConnectionLost'
  }
}

export function isRefusal(error: unknown, ...statuses: number[]): error is Refusal {
  return error instanceof Refusal && (statuses.length === 0 || statuses.includes(error.status))
}

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  [STATUS.noSuchFile]: 'no such file or folder',
  [STATUS.permissionDenied]: 'permission denied',
  [STATUS.failure]: 'failure',
  [STATUS.notSupported]: 'it does not know this operation',
}

const SHOWN_MAX = 200

/** The status in our words and what the server adds of its own, fit to be shown. */
function createRefusal(status: number, message: string): Refusal {
  const ours = STATUS_TEXTS[status] ?? `status ${status}`
  const theirs = message
    .replaceAll(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, SHOWN_MAX)
  const adds = theirs !== '' && !theirs.toLowerCase().startsWith(ours) && !isGenericMessage(theirs)
  return new Refusal(status, adds ? `${ours} (${theirs})` : ours)
}

/** What servers say to every one of these. */
function isGenericMessage(text: string): boolean {
  return /^(no such file( or directory)?|permission denied|failure|operation unsupported)$/i.test(text)
}

/** Does the work; what the server refuses becomes `cannot-write`, with a word on what would help. */
export const mapWriteRefusals = <T>(what: string, work: () => Promise<T>, help = '') =>
  mapRefusals('cannot-write', what, work, help)

/** Does the work; what the server refuses becomes `mailbox-unreachable`, with a word on what would help. */
export const mapAccessRefusals = <T>(what: string, work: () => Promise<T>, help = '') =>
  mapRefusals('mailbox-unreachable', what, work, help)

async function mapRefusals<T>(code: FailureCode, what: string, work: () => Promise<T>, help: string) {
  try {
    return await work()
  } catch (error) {
    if (!isRefusal(error)) throw error
    const message = `${what}: the server says ${error.message}.${help && ` ${help}`}`
    throw new BridgeError(code, message, { cause: error })
  }
}

/** For `catch`: gives undefined where the server refused, with one of these statuses if there are any. */
export function ignoreRefusal(...statuses: number[]): (error: unknown) => undefined {
  return (error) => {
    if (!isRefusal(error, ...statuses)) throw error
  }
}
