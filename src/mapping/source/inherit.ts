/** A mapping that extends another: the base's tree with what the extending file says laid over it. */
import { dirname, isAbsolute, join, normalize } from 'node:path'
import { didYouMean } from '../../support/nearest.ts'
import {
  keyPlace,
  type ListNode,
  type MapNode,
  type Mistakes,
  type SourceNode,
  type SourceReader,
} from './source.ts'

export interface Inheriting {
  readonly reader: SourceReader
  /** Reads a file by its path relative to the extending mapping. */
  readonly readFile: (path: string) => Promise<string>
}

/** One file of the chain. Its path is relative to the first one's folder; that of the first is empty. */
interface Link {
  readonly path: string
  readonly root: SourceNode
}

/** So many files may stand behind one another. */
const MAX_BASES = 5

/** Keys of which a value has one: the one that the extending file names takes the place of the base's. */
const ALTERNATIVES: readonly (readonly string[])[] = [
  ['from', 'firstOf', 'all', 'const', 'calc', 'oneOf', 'sum', 'count'],
  ['file', 'rows'],
]

/** A null at these places is a value of its own and takes nothing away. */
const MEANING_NULLS: ReadonlySet<string> = new Set(['read.quote', 'write.quote'])

/** The tree of the mapping called `name`, with its bases under it; undefined after a mistake was noted. */
export async function readWithBases(
  text: string,
  name: string,
  inheriting: Inheriting,
): Promise<SourceNode | undefined> {
  const { mistakes } = inheriting.reader
  const links: Link[] = []
  let next: { readonly path: string; readonly text: string } | undefined = { path: '', text }
  while (next !== undefined) {
    const root = inheriting.reader.read(next.text, nameOf(next.path, name))
    if (root === undefined) return undefined
    links.push({ path: next.path, root })
    next = await baseOf(links, name, inheriting)
  }
  const [first, ...bases] = links
  const isExtending = first?.root.kind === 'map' && first.root.entries.has('extends')
  if (first === undefined || (isExtending && mistakes.count() > 0)) return undefined
  let merged: SourceNode | undefined
  for (const base of bases.toReversed()) {
    const own = withoutKeys(withTablesFrom(base), ['extends', 'examples'])
    merged = merged === undefined ? own : laidOver(merged, own, mistakes)
  }
  const own = withoutKeys(first.root, ['extends'])
  return merged === undefined ? own : laidOver(merged, own, mistakes)
}

/** The file that the last one extends; undefined when there is none, or a mistake was noted. */
async function baseOf(
  links: readonly Link[],
  name: string,
  { reader, readFile }: Inheriting,
): Promise<{ readonly path: string; readonly text: string } | undefined> {
  const last = links.at(-1)
  const written = last?.root.kind === 'map' ? last.root.entries.get('extends')?.node : undefined
  if (last === undefined || written === undefined) return undefined
  const note = (message: string) => {
    reader.mistakes.add(written, message)
    return undefined
  }
  if (written.kind !== 'text' || typeof written.value !== 'string' || written.value === '') {
    return note('expected the path of the mapping file that is extended')
  }
  const path = isAbsolute(written.value) ? written.value : join(dirname(last.path), written.value)
  const known = links.map((link) => normalize(nameOf(link.path, name)))
  if (known.includes(normalize(nameOf(path, name)))) return note('a mapping cannot extend itself')
  if (links.length > MAX_BASES) return note(`at most ${MAX_BASES} mappings may stand behind one another`)
  try {
    return { path, text: await readFile(path) }
  } catch (error) {
    return note(`the mapping cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function nameOf(path: string, first: string): string {
  if (path === '') return first
  return isAbsolute(path) ? path : join(dirname(first), path)
}

/** The base with the paths of its tables as seen from the extending file. */
function withTablesFrom({ path, root }: Link): SourceNode {
  const folder = dirname(path)
  const tables = root.kind === 'map' ? root.entries.get('tables') : undefined
  if (root.kind !== 'map' || tables?.node.kind !== 'map' || folder === '.') return root
  const moved = new Map(tables.node.entries)
  for (const [name, { keyOffset, node }] of tables.node.entries) {
    const file = node.kind === 'map' ? node.entries.get('file') : undefined
    if (node.kind !== 'map' || file?.node.kind !== 'text' || isAbsolute(file.node.text)) continue
    const text = join(folder, file.node.text)
    const entries = new Map(node.entries).set('file', { ...file, node: { ...file.node, text, value: text } })
    moved.set(name, { keyOffset, node: { ...node, entries } })
  }
  const node: MapNode = { ...tables.node, entries: moved }
  return { ...root, entries: new Map(root.entries).set('tables', { ...tables, node }) }
}

function withoutKeys(node: SourceNode, keys: readonly string[]): SourceNode {
  if (node.kind !== 'map') return node
  return { ...node, entries: new Map([...node.entries].filter(([key]) => !keys.includes(key))) }
}

/** Lists whose items have names of their own, by which a map can say something of single ones. */
const NAMED_LISTS = /^(?:records|read\.columns|read\.records\.[^.]+\.columns)$/

/** The list with what the map says of some of its items: another name, more of what is in them, or null. */
function laidOverList(base: ListNode, over: MapNode, mistakes: Mistakes): SourceNode {
  const items = base.items.map((item): { readonly name: string; node: SourceNode | undefined } => ({
    name: nameOfItem(item),
    node: item,
  }))
  for (const [key, { node }] of over.entries) {
    const item = items.find(({ name }) => name === key)
    if (item === undefined) {
      const known = didYouMean(
        key,
        items.map(({ name }) => name),
      )
      mistakes.add(keyPlace(over, key), `the list that is extended has no "${key}".${known}`)
    } else if (node.kind === 'text' && node.value === null) {
      item.node = undefined
    } else if (item.node !== undefined) {
      item.node = laidOverItem(item.node, node, mistakes)
    }
  }
  return { ...base, items: items.flatMap(({ node }) => node ?? []) }
}

function laidOverItem(item: SourceNode, over: SourceNode, mistakes: Mistakes): SourceNode {
  const name = item.kind === 'map' && over.kind === 'text' ? item.entries.get('name') : undefined
  if (item.kind !== 'map' || name === undefined) return laidOver(item, over, mistakes)
  return { ...item, entries: new Map(item.entries).set('name', { ...name, node: over }) }
}

function nameOfItem(item: SourceNode): string {
  const named = item.kind === 'map' ? (item.entries.get('type') ?? item.entries.get('name'))?.node : item
  return named?.kind === 'text' ? named.text : ''
}

/** Maps are merged key by key; a list or a text takes the place of what is under it; null takes a key away. */
function laidOver(base: SourceNode, over: SourceNode, mistakes: Mistakes): SourceNode {
  if (base.kind === 'list' && over.kind === 'map' && NAMED_LISTS.test(over.path)) {
    return laidOverList(base, over, mistakes)
  }
  if (base.kind !== 'map' || over.kind !== 'map') return over
  const entries = new Map(base.entries)
  // A constant takes no other options, so none of the base's may stay beside it.
  if (over.entries.has('const') && !base.entries.has('const') && !isFreelyNamed(over.path)) return over
  for (const key of isFreelyNamed(over.path) ? [] : replacedBy(over)) entries.delete(key)
  for (const [key, { keyOffset, node }] of over.entries) {
    const below = entries.get(key)?.node
    const takesAway = node.kind === 'text' && node.value === null && !MEANING_NULLS.has(node.path)
    if (!takesAway) {
      entries.set(key, { keyOffset, node: below === undefined ? node : laidOver(below, node, mistakes) })
    } else if (!entries.delete(key)) {
      const known = [...base.entries.keys()]
      mistakes.add(
        keyPlace(over, key),
        `the mapping that is extended has nothing here to take away.${didYouMean(key, known)}`,
      )
    }
  }
  return { ...over, entries }
}

/** The keys of the base that have another in their place. */
function replacedBy({ entries }: MapNode): string[] {
  const named = ALTERNATIVES.filter((keys) => keys.some((key) => entries.has(key)))
  return named.flat().filter((key) => !entries.has(key))
}

/** Where the keys are names that people choose: columns of a file, tables and their rows. */
function isFreelyNamed(path: string): boolean {
  return /^(?:columns|records\.[^.]+\.columns|tables|tables\.[^.]+\.rows)$/.test(path)
}
