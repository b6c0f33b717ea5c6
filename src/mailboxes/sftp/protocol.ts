/** The calls of the SFTP protocol as promises with deadlines, and their errors. */
import type { SFTPWrapper, Stats } from 'ssh2'
import { BridgeError, type FailureCode, getErrorMessage } from '../../support/errors.ts'

export interface Attributes {
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly size: number
  /** Milliseconds; the protocol knows whole seconds. */
  readonly modifiedAt: number
}

/** An entry of a folder. Attributes that the server omits are undefined. */
export interface Entry {
  readonly name: string
  readonly attributes: Attributes | undefined
}

export type Handle = Buffer

/** The calls to a server. A refused call throws a `Refusal`, an unanswered one a `ConnectionLost`. */
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
    /** The attributes of the entry itself, even of a link; undefined for a free path. */
    lstat: (path: string) =>
      stat('lstat', (settle) => sftp.lstat(path, settle)).catch(ignoreRefusal(STATUS.noSuchFile)),
    /** The attributes of the final target of the path. */
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
    fstat: (handle: Handle) => stat('fstat', (settle) => sftp.fstat(handle, settle)),
    /** How many bytes came; none at the end. */
    read: (handle: Handle, into: Buffer, position: number) =>
      ask<number>('read', (settle) => sftp.read(handle, into, 0, into.length, position, settle)),
    write: (handle: Handle, bytes: Buffer, position: number) =>
      done('write', (settle) => sftp.write(handle, bytes, 0, bytes.length, position, settle)),
    fsync: (handle: Handle) => done('fsync', (settle) => sftp.ext_openssh_fsync(handle, settle)),
    close: (handle: Handle) => done('close', (settle) => sftp.close(handle, settle)),
    /** The rename of the protocol: most servers refuse when the new name is taken, some replace the file. */
    rename: (from: string, to: string) => done('rename', (settle) => sftp.rename(from, to, settle)),
    /** Replaces a file that has the new name. */
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

/** Without a mode, the kind is unknown and does not count as a file. */
function toAttributes({ mode, size, mtime }: Stats): Attributes {
  return { kind: toKind(mode) ?? 'other', size: size ?? 0, modifiedAt: (mtime ?? 0) * 1000 }
}

function toKind(mode: number | undefined): Attributes['kind'] | undefined {
  return mode === undefined || (mode & FILE_TYPE) === 0 ? undefined : (KINDS[mode & FILE_TYPE] ?? 'other')
}

/** An entry of the library with all answers of the server in it, by the option `full`. */
interface RawEntry {
  readonly filename?: string
  readonly longname?: string
  readonly attrs: Partial<Stats>
}

/** Without `full`, the library throws for an answer that is not a list, where no caller can catch it. */
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

/** The library's callback for an answer. */
type AnswerCallback<Answer> = (error: Error | null | undefined, answer?: Answer) => void

type SendCall<Answer> = (done: AnswerCallback<Answer>) => void

/** Calls `lose` when there is no answer for this long while calls are open. Any answer resets the time for all. */
export function trackPendingCalls(server: string, timeoutMs: number, lose: (lost: ConnectionLost) => void) {
  const open = new Map<(lost: ConnectionLost) => void, string>()
  let lost: ConnectionLost | undefined
  let timer: NodeJS.Timeout | undefined
  const watch = () => {
    clearTimeout(timer)
    if (open.size === 0) return
    const [first = ''] = open.values()
    const why = `${server} did not answer within ${timeoutMs / 1000} seconds (${first})`
    timer = setTimeout(() => lose(new ConnectionLost(why)), timeoutMs)
  }
  return {
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
            reject(toCallError(server, error))
          })
        } catch (error) {
          forget()
          // The library throws when the server does not offer the requested extension.
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

/** The statuses of a server whose storage does not answer. */
const UNREACHABLE_STATUSES = [6, 7]

/** An answer has a status; other errors of the library mean that there will be no answer. */
function toCallError(server: string, error: Error): Error {
  const code = 'code' in error && typeof error.code === 'number' ? error.code : undefined
  if (code !== undefined && !UNREACHABLE_STATUSES.includes(code)) return createRefusal(code, error.message)
  return new ConnectionLost(`${server} broke off the connection (${error.message})`, error)
}

// Errors: refusals, lost connections, and the failures that people see of both.

/** The answers of the protocol that mean something here; SFTP version 3, section 7. */
export const STATUS = { noSuchFile: 2, permissionDenied: 3, failure: 4, notSupported: 8 } as const

class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'Refusal'
    this.status = status
  }
}

/** There was no answer: whether the server carried out the call is unknown. */
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

/** Creates a refusal with our text for the status and the server's own text, escaped. */
function createRefusal(status: number, message: string): Refusal {
  const statusText = STATUS_TEXTS[status] ?? `status ${status}`
  const serverText = message
    .replaceAll(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, SHOWN_MAX)
  const adds =
    serverText !== '' && !serverText.toLowerCase().startsWith(statusText) && !isGenericMessage(serverText)
  return new Refusal(status, adds ? `${statusText} (${serverText})` : statusText)
}

/** Whether the server's text only repeats a status. */
function isGenericMessage(text: string): boolean {
  return /^(no such file( or directory)?|permission denied|failure|operation unsupported)$/i.test(text)
}

/** Converts refusals of the work to `cannot-write`, with the help given. */
export const mapWriteRefusals = <T>(what: string, work: () => Promise<T>, help = '') =>
  mapRefusals('cannot-write', what, work, help)

/** Converts refusals of the work to `mailbox-unreachable`, with the help given. */
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

/** For `catch`: returns undefined for a refusal, or only for these statuses if any are given. */
export function ignoreRefusal(...statuses: number[]): (error: unknown) => undefined {
  return (error) => {
    if (!isRefusal(error, ...statuses)) throw error
  }
}
