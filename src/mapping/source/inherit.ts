/** Merges a mapping that extends another over the tree of its base. */
import { dirname, isAbsolute, join, normalize } from 'node:path'
import { describeUnreadablePart } from '../../support/errors.ts'
import { didYouMean } from '../../support/text.ts'
import {
  getEntry,
  getEntryText,
  locateKey,
  type ListNode,
  type MapNode,
  type MappingErrors,
  type SourceNode,
  type SourceReader,
} from './source.ts'

interface InheritContext {
  readonly reader: SourceReader
  readonly readFile: (path: string) => Promise<string>
}

/** One file of the chain. Its path is relative to the folder of the first file, whose own path is empty. */
interface MappingLink {
  readonly path: string
  readonly root: SourceNode
}

const MAX_BASE_DEPTH = 5

/** Exclusive keys: the key of the extending file replaces that of the base. */
const EXCLUSIVE_KEYS: readonly (readonly string[])[] = [
  ['from', 'firstOf', 'all', 'const', 'calc', 'oneOf', 'sum', 'count'],
  ['file', 'rows'],
]

/** At these places null is a value and does not remove the key. */
const MEANINGFUL_NULLS: ReadonlySet<string> = new Set(['read.quote', 'write.quote'])

/** Reads the mapping called `name` merged over its bases; undefined after noting an error. */
export async function readWithBases(text: string, name: string, inheriting: InheritContext) {
  const { errors } = inheriting.reader
  const links: MappingLink[] = []
  let next: { readonly path: string; readonly text: string } | undefined = { path: '', text }
  while (next !== undefined) {
    const root = inheriting.reader.read(next.text, resolveFileName(next.path, name))
    if (root === undefined) return undefined
    links.push({ path: next.path, root })
    next = await readBase(links, name, inheriting)
  }
  const [first, ...bases] = links
  const isExtending = first?.root.kind === 'map' && first.root.entries.has('extends')
  if (first === undefined || (isExtending && errors.count() > 0)) return undefined
  let merged: SourceNode | undefined
  for (const base of bases.toReversed()) {
    const own = removeKeys(relocateFiles(base), ['extends', 'examples'])
    merged = merged === undefined ? own : mergeOver(merged, own, errors)
  }
  const own = removeKeys(first.root, ['extends'])
  return merged === undefined ? own : mergeOver(merged, own, errors)
}

/** Reads the base of the last file; undefined without one, or after noting an error. */
async function readBase(links: readonly MappingLink[], name: string, { reader, readFile }: InheritContext) {
  const last = links.at(-1)
  const written = last && getEntry(last.root, 'extends')
  if (last === undefined || written === undefined) return undefined
  const note = (message: string) => reader.errors.add(written, message)
  if (written.kind !== 'text' || typeof written.value !== 'string' || written.value === '') {
    return note('expected the path of the mapping file that is extended')
  }
  const path = isAbsolute(written.value) ? written.value : join(dirname(last.path), written.value)
  const known = links.map((link) => normalize(resolveFileName(link.path, name)))
  if (known.includes(normalize(resolveFileName(path, name)))) return note('a mapping cannot extend itself')
  if (links.length > MAX_BASE_DEPTH)
    return note(`at most ${MAX_BASE_DEPTH} mappings may stand behind one another`)
  try {
    return { path, text: await readFile(path) }
  } catch (error) {
    return note(`the mapping ${describeUnreadablePart(written.value, error)}`)
  }
}

export function resolveFileName(path: string, first: string): string {
  if (path === '') return first
  return isAbsolute(path) ? path : join(dirname(first), path)
}

/** Makes the paths that the base names, of tables and of a grammar, relative to the extending file. */
function relocateFiles({ path, root }: MappingLink): SourceNode {
  const folder = dirname(path)
  if (folder === '.') return root
  const relocate = (file: SourceNode): SourceNode => {
    if (file.kind !== 'text' || isAbsolute(file.text)) return file
    const text = join(folder, file.text)
    return { ...file, text, value: text }
  }
  const withGrammar = changeEntry(root, 'read', (read) => changeEntry(read, 'grammar', relocate))
  return changeEntry(withGrammar, 'tables', (tables) => {
    const names = tables.kind === 'map' ? [...tables.entries.keys()] : []
    const relocateTable = (table: SourceNode) => changeEntry(table, 'file', relocate)
    return names.reduce((moved, name) => changeEntry(moved, name, relocateTable), tables)
  })
}

function changeEntry(node: SourceNode, key: string, change: (below: SourceNode) => SourceNode): SourceNode {
  const entry = node.kind === 'map' ? node.entries.get(key) : undefined
  if (node.kind !== 'map' || entry === undefined) return node
  return { ...node, entries: new Map(node.entries).set(key, { ...entry, node: change(entry.node) }) }
}

function removeKeys(node: SourceNode, keys: readonly string[]): SourceNode {
  if (node.kind !== 'map') return node
  return { ...node, entries: new Map([...node.entries].filter(([key]) => !keys.includes(key))) }
}

/** Lists with named items: a map in the extending file can change single items. */
const NAMED_LISTS = /^(?:records|read\.columns|read\.records\.[^.]+\.columns)$/

/** Merges a map of item names into the list: another name, changed keys, or null to remove the item. */
function mergeList(base: ListNode, over: MapNode, errors: MappingErrors): SourceNode {
  const names = base.items.map(getItemName)
  const items: (SourceNode | undefined)[] = [...base.items]
  for (const [key, { node }] of over.entries) {
    const at = names.indexOf(key)
    const item = items[at]
    if (at === -1) {
      errors.add(locateKey(over, key), `the list that is extended has no "${key}".${didYouMean(key, names)}`)
    } else if (node.kind === 'text' && node.value === null) {
      items[at] = undefined
    } else if (item !== undefined) {
      items[at] = mergeItem(item, node, errors)
    }
  }
  return { ...base, items: items.flatMap((item) => item ?? []) }
}

function mergeItem(item: SourceNode, over: SourceNode, errors: MappingErrors): SourceNode {
  const name = item.kind === 'map' && over.kind === 'text' ? item.entries.get('name') : undefined
  if (item.kind !== 'map' || name === undefined) return mergeOver(item, over, errors)
  return { ...item, entries: new Map(item.entries).set('name', { ...name, node: over }) }
}

function getItemName(item: SourceNode): string {
  if (item.kind === 'text') return item.text
  return getEntryText(item, getEntry(item, 'type') === undefined ? 'name' : 'type') ?? ''
}

/** Merges maps key by key; a list or a text replaces the base's value; null removes a key. */
function mergeOver(base: SourceNode, over: SourceNode, errors: MappingErrors): SourceNode {
  if (base.kind === 'list' && over.kind === 'map' && NAMED_LISTS.test(over.path)) {
    return mergeList(base, over, errors)
  }
  if (base.kind !== 'map' || over.kind !== 'map') return over
  const entries = new Map(base.entries)
  // A constant takes no other options, so it replaces all of the base's.
  if (over.entries.has('const') && !base.entries.has('const') && !hasFreeKeys(over.path)) return over
  for (const key of hasFreeKeys(over.path) ? [] : listReplacedKeys(over)) entries.delete(key)
  for (const [key, { keyOffset, node }] of over.entries) {
    const below = entries.get(key)?.node
    const takesAway = node.kind === 'text' && node.value === null && !MEANINGFUL_NULLS.has(node.path)
    if (!takesAway) {
      entries.set(key, { keyOffset, node: below === undefined ? node : mergeOver(below, node, errors) })
    } else if (!entries.delete(key)) {
      const known = didYouMean(key, [...base.entries.keys()])
      errors.add(locateKey(over, key), `the mapping that is extended has nothing here to take away.${known}`)
    }
  }
  return { ...over, entries }
}

function listReplacedKeys({ entries }: MapNode): string[] {
  const named = EXCLUSIVE_KEYS.filter((keys) => keys.some((key) => entries.has(key)))
  return named.flat().filter((key) => !entries.has(key))
}

/** Whether people choose the keys at the path: columns of a file, tables and their rows. */
function hasFreeKeys(path: string): boolean {
  return /^(?:columns|records\.[^.]+\.columns|tables|tables\.[^.]+\.rows)$/.test(path)
}
