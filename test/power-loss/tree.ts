/** A tree of files in memory, written to the disk or compared with it. */
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  lstatSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Tree, TreeNode } from './crash.ts'
import type { Identities } from './disk.ts'

/** SQLite's shared memory is made anew by the first process that opens the database. */
export const isSharedMemory = (name: string): boolean => name.endsWith('-shm')

/**
 * Replaces the contents of the folder. Two names of one file are two names of one file again. Old files go to the other folder,
 * so that their inodes are not used again. Returns the identities by which a program must recognise the files.
 */
export function putTree(folder: string, tree: Tree, replaced: string): Identities {
  mkdirSync(replaced)
  for (const name of readdirSync(folder)) renameSync(join(folder, name), join(replaced, name))
  const paths = new Map<TreeNode, string>()
  put(folder, tree, paths)
  return new Map([...paths].map(([node, path]) => identityOf(node, path)))
}

function identityOf(node: TreeNode, path: string) {
  const { ino, ctimeNs } = lstatSync(path, { bigint: true })
  const changed = node.kind === 'file' ? node.changed : ctimeNs
  return [Number(ino), { inode: node.inode, changed, reallyChanged: ctimeNs }] as const
}

function put(folder: string, tree: Tree, paths: Map<TreeNode, string>): void {
  for (const [name, node] of tree) {
    const path = join(folder, name)
    if (node.kind === 'folder') {
      mkdirSync(path)
      paths.set(node, path)
      put(path, node.entries, paths)
      chmodSync(path, node.mode)
    } else if (!isSharedMemory(name)) {
      putFile(path, node, paths)
    }
  }
}

function putFile(path: string, node: TreeNode & { kind: 'file' }, paths: Map<TreeNode, string>): void {
  const known = paths.get(node)
  if (known !== undefined) return linkSync(known, path)
  paths.set(node, path)
  writeFileSync(path, node.bytes)
  chmodSync(path, node.mode)
  if (node.modified !== undefined) utimesSync(path, node.modified, node.modified)
}

/** The paths at which the tree and the folder differ: none when the record was complete. */
export function differences(folder: string, tree: Tree): string[] {
  const names = new Set([...tree.keys(), ...readdirSync(folder)])
  return [...names].flatMap((name) => {
    const path = join(folder, name)
    const node = tree.get(name)
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (isSharedMemory(name)) return []
    if (node === undefined || stats === undefined || stats.isDirectory() !== (node.kind === 'folder'))
      return [path]
    if (node.kind === 'folder') return differences(path, node.entries)
    return node.bytes.equals(readFileSync(path)) ? [] : [path]
  })
}
