/** The calls of the protocol as promises: each with its deadline, and none that is still open when the connection is lost. */
import type { SFTPWrapper, Stats } from 'ssh2'
import type { Asked, Done } from './deadlines.ts'
import { isRefusal, refusalOf, STATUS } from './refusals.ts'

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
export interface Calls {
  realpath(path: string): Promise<string>
  /** Of the thing itself, where it is a link; undefined when nothing is there. */
  look(path: string): Promise<Attributes | undefined>
  /** Of what the path leads to in the end. */
  follow(path: string): Promise<Attributes>
  opendir(path: string): Promise<Handle>
  /** Undefined at the end. */
  readdir(handle: Handle): Promise<Entry[] | undefined>
  mkdir(path: string): Promise<void>
  open(path: string, mode: number): Promise<Handle>
  /** The attributes of an open file. */
  fstat(handle: Handle): Promise<Attributes>
  /** How many bytes came; none at the end. */
  read(handle: Handle, into: Buffer, position: number): Promise<number>
  write(handle: Handle, bytes: Buffer, position: number): Promise<void>
  fsync(handle: Handle): Promise<void>
  close(handle: Handle): Promise<void>
  /** As the protocol has it: most servers refuse when the new name is taken, some replace. */
  rename(from: string, to: string): Promise<void>
  /** Replaces what has the new name. */
  posixRename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
}

export function callsOver(sftp: SFTPWrapper, asked: Asked): Calls {
  const ask = <Answer>(what: string, send: (done: Done<Answer>) => void) => asked.ask(what, send)
  const told = async <Answer>(what: string, send: (done: Done<Answer>) => void): Promise<Answer> => {
    const answer = await ask(what, send)
    if (answer === undefined) throw refusalOf(STATUS.failure, 'its answer says nothing')
    return answer
  }
  const done = (what: string, send: (settle: Done<never>) => void) => ask<void>(what, send as never)
  return {
    realpath: (path) => told('realpath', (settle) => sftp.realpath(path, settle)),
    look: (path) => unlessMissing(told<Stats>('lstat', (settle) => sftp.lstat(path, settle)).then(plain)),
    follow: (path) => told<Stats>('stat', (settle) => sftp.stat(path, settle)).then(plain),
    opendir: (path) => told('opendir', (settle) => sftp.opendir(path, settle)),
    readdir: (handle) => unlessEnd(told<Listed[]>('readdir', (settle) => readAll(sftp, handle, settle))),
    mkdir: (path) => done('mkdir', (settle) => sftp.mkdir(path, settle)),
    open: (path, mode) => told('open', (settle) => sftp.open(path, mode, settle)),
    fstat: (handle) => told<Stats>('fstat', (settle) => sftp.fstat(handle, settle)).then(plain),
    read: (handle, into, position) =>
      ask<number>('read', (settle) => sftp.read(handle, into, 0, into.length, position, settle)),
    write: (handle, bytes, position) =>
      done('write', (settle) => sftp.write(handle, bytes, 0, bytes.length, position, settle)),
    fsync: (handle) => done('fsync', (settle) => sftp.ext_openssh_fsync(handle, settle)),
    close: (handle) => done('close', (settle) => sftp.close(handle, settle)),
    rename: (from, to) => done('rename', (settle) => sftp.rename(from, to, settle)),
    posixRename: (from, to) => done('posix-rename', (settle) => sftp.ext_openssh_rename(from, to, settle)),
    unlink: (path) => done('remove', (settle) => sftp.unlink(path, settle)),
  }
}

const FILE_TYPE = 0o170_000
const KINDS: Readonly<Record<number, Attributes['kind']>> = {
  0o100_000: 'file',
  0o040_000: 'folder',
  0o120_000: 'link',
}

/** A server that does not say what something is has not said that it is a file. */
function plain({ mode, size, mtime }: Stats): Attributes {
  return { kind: kindOf(mode) ?? 'other', size: size ?? 0, modifiedAt: (mtime ?? 0) * 1000 }
}

function kindOf(mode: number | undefined): Attributes['kind'] | undefined {
  return mode === undefined || (mode & FILE_TYPE) === 0 ? undefined : (KINDS[mode & FILE_TYPE] ?? 'other')
}

/** As the library has it, when it is told to leave out nothing: whatever the server says is in it. */
interface Listed {
  readonly filename?: string
  readonly longname?: string
  readonly attrs: Partial<Stats>
}

/** Without `full` the library itself stumbles over an answer that is no list, in a place where nobody can catch it. */
function readAll(sftp: SFTPWrapper, handle: Handle, settle: Done<Listed[]>): void {
  type Full = (handle: Handle, options: { full: true }, done: Done<Listed[]>) => void
  const readdir = sftp.readdir.bind(sftp) as unknown as Full
  readdir(handle, { full: true }, settle)
}

const END_OF_FILE = 1

async function unlessEnd(listing: Promise<Listed[]>): Promise<Entry[] | undefined> {
  try {
    return (await listing).flatMap(({ filename: name, attrs }) => {
      if (name === undefined || name === '.' || name === '..') return []
      const { mode, size, mtime } = attrs
      const kind = kindOf(mode)
      const isWhole = kind !== undefined && size !== undefined && mtime !== undefined
      return [{ name, attributes: isWhole ? { kind, size, modifiedAt: mtime * 1000 } : undefined }]
    })
  } catch (error) {
    if (isRefusal(error, END_OF_FILE)) return undefined
    throw error
  }
}

async function unlessMissing(looking: Promise<Attributes>): Promise<Attributes | undefined> {
  try {
    return await looking
  } catch (error) {
    if (isRefusal(error, STATUS.noSuchFile)) return undefined
    throw error
  }
}
