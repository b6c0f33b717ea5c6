/**
 * A model of a file system that receives every call: it separates durable changes from those that may still be lost.
 *
 * The contents of a file are durable up to its last fsync. An entry of a folder is durable when the folder was flushed after the
 * entry changed; flushing a file says nothing of its name. Both are less than ext4 or xfs promise.
 */
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import type { Operation } from './operations.ts'

export type FileChange =
  | { readonly kind: 'write'; readonly offset: number; readonly data: Buffer }
  | { readonly kind: 'size'; readonly size: number }

/** The identity by which a program recognises a file. No power loss changes it, so a file that is made anew must keep it. */
export interface Identity {
  readonly inode: number
  /** The change time, in nanoseconds. */
  readonly changed: bigint
}

/** The identities of the inodes of a disk that was made again, with the change times that they really have. */
export type Identities = ReadonlyMap<number, Identity & { readonly reallyChanged: bigint }>

export interface FileNode {
  readonly kind: 'file'
  readonly inode: number
  /** The change time that is durable, and the one that the program sees. */
  durablyChanged: bigint
  changed: bigint
  readonly mode: number
  readonly modified: Date | undefined
  /** The contents at the last fsync. */
  durable: Buffer
  /** The writes since then, in order. */
  pending: FileChange[]
}

export interface FolderNode {
  readonly kind: 'folder'
  readonly inode: number
  readonly mode: number
  readonly durable: Map<string, Node>
  /** The contents that the program sees. */
  readonly live: Map<string, Node>
}

export type Node = FileNode | FolderNode

/** One entry of a folder that was set or removed and is not durable yet. */
export interface EntryChange {
  readonly folder: FolderNode
  readonly name: string
  /** Undefined when the entry was removed. */
  readonly node: Node | undefined
  /** The file whose name it is, and its change time with the change. */
  readonly file: FileNode | undefined
  readonly changed: bigint
  /** The removal of a rename needs its new name: no file system loses a file because it is renamed. */
  readonly needs: EntryChange | undefined
}

export interface Disk {
  readonly root: FolderNode
  /** In the order of the calls. */
  readonly pending: readonly EntryChange[]
  apply(operation: Operation): void
}

/** A disk on which everything below the folder is durable. */
export function diskOf(folder: string, identities: Identities = new Map()): Disk {
  const byInode = new Map<number, Node>()
  const root = loaded(folder, { byInode, identities })
  if (root.kind !== 'folder') throw new Error(`${folder} is no folder`)
  let pending: EntryChange[] = []

  const walk = (path: string): Node => {
    let node: Node = root
    for (const name of stepsTo(folder, path)) {
      const next: Node | undefined = node.kind === 'folder' ? node.live.get(name) : undefined
      if (next === undefined) throw new Error(`the model has no ${path}`)
      node = next
    }
    return node
  }
  const nodeAt = (path: string): Node | undefined => {
    const parent = walk(dirname(path))
    return parent.kind === 'folder' ? parent.live.get(basename(path)) : undefined
  }
  const change = (path: string, node: Node | undefined, { changed, needs }: Changing): EntryChange => {
    const parent = walk(dirname(path))
    if (parent.kind !== 'folder') throw new Error(`${path} is not in a folder`)
    const name = basename(path)
    const touched = node ?? parent.live.get(name)
    const file = touched?.kind === 'file' ? touched : undefined
    if (file !== undefined) file.changed = changed
    const entry = { folder: parent, name, node, file, changed, needs }
    if (node === undefined) parent.live.delete(entry.name)
    else parent.live.set(entry.name, node)
    pending.push(entry)
    return entry
  }
  const known = (inode: number): Node => {
    const node = byInode.get(inode)
    if (node === undefined) throw new Error(`the model has no inode ${inode}`)
    return node
  }
  const addChange = ({ inode, changed }: { inode: number; changed: bigint }, added: FileChange) => {
    const file = fileOf(inode)
    file.pending.push(added)
    file.changed = changed
  }
  const fileOf = (inode: number): FileNode => {
    const node = known(inode)
    if (node.kind !== 'file') throw new Error(`inode ${inode} is no file`)
    return node
  }
  const syncFolder = (node: FolderNode) => {
    const flushed = new Set<EntryChange>()
    for (const entry of pending) if (entry.folder === node) addWithNeeds(entry, flushed)
    for (const entry of pending) {
      if (!flushed.has(entry)) continue
      if (entry.node === undefined) entry.folder.durable.delete(entry.name)
      else entry.folder.durable.set(entry.name, entry.node)
      if (entry.file !== undefined)
        entry.file.durablyChanged = latest(entry.file.durablyChanged, entry.changed)
    }
    pending = pending.filter((entry) => !flushed.has(entry))
  }
  const sync = (node: Node) => {
    if (node.kind === 'folder') return syncFolder(node)
    node.durable = contentsOf(node.durable, node.pending)
    node.pending = []
    node.durablyChanged = node.changed
  }
  return {
    root,
    get pending() {
      return pending
    },
    apply(operation) {
      switch (operation.kind) {
        case 'create':
        case 'mkdir': {
          const { inode, mode, path, changed } = operation
          const made = operation.kind === 'create' ? newFile(operation) : newFolder(inode, mode)
          byInode.set(inode, made)
          return void change(path, made, { changed })
        }
        case 'write':
          return addChange(operation, operation)
        case 'truncate':
          return addChange(operation, { kind: 'size', size: operation.size })
        case 'sync':
          return sync(known(operation.inode))
        case 'link':
          return void change(operation.to, walk(operation.from), operation)
        case 'rename': {
          // Of two names of one file, rename removes none.
          if (nodeAt(operation.to) === walk(operation.from)) return
          const { changed } = operation
          const needs = change(operation.to, walk(operation.from), { changed })
          return void change(operation.from, undefined, { changed, needs })
        }
        case 'unlink':
        case 'rmdir':
          return void change(operation.path, undefined, operation)
        case 'take': {
          const taken = change(operation.path, undefined, operation)
          if (operation.synced) syncFolder(taken.folder)
        }
      }
    },
  }
}

function addWithNeeds(entry: EntryChange, to: Set<EntryChange>): void {
  to.add(entry)
  if (entry.needs !== undefined) to.add(entry.needs)
}

/** Adds the change times that an entry changes. */
interface Changing {
  readonly changed: bigint
  readonly needs?: EntryChange
}

function latest(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

interface Made {
  readonly inode: number
  readonly mode: number
  readonly changed: bigint
}

function newFile({ inode, mode, changed }: Made): FileNode {
  const start = { durable: Buffer.alloc(0), pending: [], modified: undefined }
  return { kind: 'file', inode, mode, changed, durablyChanged: changed, ...start }
}

function newFolder(inode: number, mode: number): FolderNode {
  return { kind: 'folder', inode, mode, durable: new Map(), live: new Map() }
}

export function stepsTo(folder: string, path: string): string[] {
  const normal = normalize(path)
  if (normal === folder) return []
  if (!normal.startsWith(`${folder}/`)) throw new Error(`${path} is not below ${folder}`)
  return normal.slice(folder.length + 1).split('/')
}

/** The contents of a file after the changes. Bytes that were never written are zeros. */
export function contentsOf(start: Buffer, changes: readonly FileChange[]): Buffer {
  let size = start.length
  let room = size
  for (const change of changes) {
    const end = change.kind === 'size' ? change.size : change.offset + change.data.length
    room = Math.max(room, end)
  }
  const bytes = Buffer.alloc(room)
  start.copy(bytes)
  for (const change of changes) {
    if (change.kind === 'size') {
      if (change.size < size) bytes.fill(0, change.size, size)
      size = change.size
    } else {
      change.data.copy(bytes, change.offset)
      size = Math.max(size, change.offset + change.data.length)
    }
  }
  return bytes.subarray(0, size)
}

interface Loading {
  readonly byInode: Map<number, Node>
  readonly identities: Identities
}

function loaded(path: string, { byInode, identities }: Loading): Node {
  const stats = lstatSync(path, { bigint: true })
  const inode = Number(stats.ino)
  const known = byInode.get(inode)
  if (known !== undefined) return known
  const identity = identities.get(inode)
  const changed = identity?.reallyChanged === stats.ctimeNs ? identity.changed : stats.ctimeNs
  const mode = Number(stats.mode) & 0o7777
  const as = { inode: identity?.inode ?? inode, mode }
  const node: Node = stats.isDirectory()
    ? folderOf(path, as, { byInode, identities })
    : { ...newFile({ ...as, changed }), modified: stats.mtime, durable: readFileSync(path) }
  byInode.set(inode, node)
  return node
}

function folderOf(path: string, as: { inode: number; mode: number }, loading: Loading): FolderNode {
  const entries = readdirSync(path).map((name) => [name, loaded(join(path, name), loading)] as const)
  return { kind: 'folder', ...as, durable: new Map(entries), live: new Map(entries) }
}
