/** What a power cut may leave of a disk, chosen by chance among all that the model allows. */
import type { Dice } from '../samples/random.ts'
import {
  contentsOf,
  type Disk,
  type EntryChange,
  type FileChange,
  type FileNode,
  type FolderNode,
  type Node,
} from './disk.ts'

/**
 * `ordered`: of each folder the changes up to some moment survive, as with a journal, and a rename is one step; of a file the
 * early writes. `independent`: each entry and each sector survives or not by itself, and a rename may leave both names.
 */
export type Variant = 'ordered' | 'independent'

export type Tree = Map<string, TreeNode>
export type TreeNode =
  | {
      readonly kind: 'file'
      readonly bytes: Buffer
      readonly mode: number
      readonly modified: Date | undefined
      readonly inode: number
      readonly changed: bigint
    }
  | { readonly kind: 'folder'; readonly mode: number; readonly entries: Tree; readonly inode: number }

export interface CrashState {
  readonly tree: Tree
  /** Which of the pending changes survived, for a person who reads a finding. */
  readonly changes: readonly string[]
}

const SECTOR = 512

/** The state that the program sees: all pending changes survive. */
export function liveTree(disk: Disk): Tree {
  return treeOf(
    disk.root,
    (folder) => folder.live,
    (file) => ({ bytes: contentsOf(file.durable, file.pending), changed: file.changed }),
    new Map(),
  )
}

export function crash(disk: Disk, variant: Variant, dice: Dice): CrashState {
  const kept =
    variant === 'ordered' ? orderedEntries(disk.pending, dice) : independentEntries(disk.pending, dice)
  const entries = new Map<FolderNode, Map<string, Node>>()
  for (const change of disk.pending) {
    if (!kept.has(change)) continue
    const known = entries.get(change.folder) ?? new Map(change.folder.durable)
    entries.set(change.folder, known)
    if (change.node === undefined) known.delete(change.name)
    else known.set(change.name, change.node)
  }
  const tree = treeOf(
    disk.root,
    (folder) => entries.get(folder) ?? folder.durable,
    (file) => {
      const survived = survivingChanges(file, variant, dice)
      // A change time is written together with what changed it.
      const times = [...kept].flatMap((change) => (change.file === file ? [change.changed] : []))
      if (survived.length > 0) times.push(file.changed)
      const changed = times.reduce((one, other) => (one > other ? one : other), file.durablyChanged)
      return { bytes: contentsOf(file.durable, survived), changed }
    },
    new Map(),
  )
  const changes = disk.pending.map(
    (change) =>
      `${kept.has(change) ? 'kept' : 'lost'}: ${change.node === undefined ? 'removal' : 'entry'} ${change.name}`,
  )
  return { tree, changes }
}

/** Of each folder's changes a prefix; the two halves of a rename survive together. */
function orderedEntries(pending: readonly EntryChange[], dice: Dice): Set<EntryChange> {
  const isPending = new Set(pending)
  const partners = new Map<EntryChange, EntryChange>()
  for (const change of pending) {
    if (change.needs === undefined || !isPending.has(change.needs)) continue
    partners.set(change, change.needs)
    partners.set(change.needs, change)
  }
  // The new name was flushed with its folder, so the removal of the old one survives too.
  const halves = pending.filter(({ needs }) => needs !== undefined && !isPending.has(needs))
  const kept = new Set<EntryChange>()
  const keep = (change: EntryChange): void => {
    if (kept.has(change)) return
    kept.add(change)
    const partner = partners.get(change)
    if (partner !== undefined) keep(partner)
    for (const earlier of pending) {
      if (earlier === change) return
      if (earlier.folder === change.folder) keep(earlier)
    }
  }
  for (const change of halves) keep(change)
  const share = dice.pick([0, 10, 50])
  for (const change of pending) if (dice.between(1, 100) <= share) keep(change)
  // Often the last change is the one that matters.
  const last = dice.pick([undefined, pending.at(-1)])
  if (last !== undefined) keep(last)
  return kept
}

/** Each change by itself. */
function independentEntries(pending: readonly EntryChange[], dice: Dice): Set<EntryChange> {
  const share = dice.pick([0, 10, 50, 90, 100])
  const kept = new Set<EntryChange>()
  for (const change of pending) {
    const hasNeeds = change.needs === undefined || !pending.includes(change.needs) || kept.has(change.needs)
    if (hasNeeds && dice.between(1, 100) <= share) kept.add(change)
  }
  return kept
}

function survivingChanges(file: FileNode, variant: Variant, dice: Dice): FileChange[] {
  const { pending } = file
  const length = dice.pick([0, pending.length, dice.between(0, pending.length)])
  if (variant === 'ordered') {
    const torn = pending[length]
    return [...pending.slice(0, length), ...(torn?.kind === 'write' ? [tornWrite(torn, dice)] : [])]
  }
  return pending.slice(0, length).flatMap((change) => {
    if (change.kind === 'size') return dice.between(0, 1) === 1 ? [change] : []
    return scatteredSectors(change, dice)
  })
}

/** The first sectors of a write. */
function tornWrite(change: FileChange & { kind: 'write' }, dice: Dice): FileChange {
  const sectors = Math.ceil(change.data.length / SECTOR)
  return { ...change, data: change.data.subarray(0, dice.between(0, sectors) * SECTOR) }
}

/** Some sectors of a write. The file may have its new size with zeros where the data is lost. */
function scatteredSectors(change: FileChange & { kind: 'write' }, dice: Dice): FileChange[] {
  const share = dice.pick([0, 50, 100])
  const sectors: FileChange[] = []
  for (let at = 0; at < change.data.length; at += SECTOR) {
    if (dice.between(1, 100) > share) continue
    sectors.push({ kind: 'write', offset: change.offset + at, data: change.data.subarray(at, at + SECTOR) })
  }
  if (dice.between(0, 1) === 1) {
    sectors.push({ kind: 'write', offset: change.offset + change.data.length, data: Buffer.alloc(0) })
  }
  return sectors
}

interface Left {
  readonly bytes: Buffer
  readonly changed: bigint
}

function treeOf(
  folder: FolderNode,
  entriesOf: (folder: FolderNode) => ReadonlyMap<string, Node>,
  leftOf: (file: FileNode) => Left,
  made: Map<Node, TreeNode>,
): Tree {
  const copyOf = (node: Node): TreeNode => {
    if (node.kind === 'folder') {
      const entries = treeOf(node, entriesOf, leftOf, made)
      return { kind: 'folder', mode: node.mode, entries, inode: node.inode }
    }
    const { kind, mode, modified, inode } = node
    return { kind, mode, modified, inode, ...leftOf(node) }
  }
  const tree: Tree = new Map()
  for (const [name, node] of entriesOf(folder)) {
    const copy = made.get(node) ?? copyOf(node)
    made.set(node, copy)
    tree.set(name, copy)
  }
  return tree
}
