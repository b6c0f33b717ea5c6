/** The text of a mapping file as a tree whose every part knows where it stands, and the list of mistakes made in it. */
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'

export interface TextNode {
  readonly kind: 'text'
  /** As written: `00123` keeps its zeros. */
  readonly text: string
  readonly value: unknown
  readonly path: string
  readonly offset: number
}

export interface ListNode {
  readonly kind: 'list'
  readonly items: readonly SourceNode[]
  readonly path: string
  readonly offset: number
}

export interface MapNode {
  readonly kind: 'map'
  readonly entries: ReadonlyMap<string, { readonly keyOffset: number; readonly node: SourceNode }>
  readonly path: string
  readonly offset: number
}

export type SourceNode = TextNode | ListNode | MapNode

/** Collects what is wrong with a mapping, each with its line and column. */
export interface Mistakes {
  count(): number
  /** In the order in which they stand in the file. */
  lines(): string[]
  add(where: { readonly offset: number; readonly path: string }, message: string): void
}

export interface Source {
  /** Undefined when the text is no YAML at all. */
  readonly root: SourceNode | undefined
  readonly mistakes: Mistakes
}

/** More than any real mapping; stops aliases that multiply or lead to themselves. */
const MAX_NODES = 50_000
const MAX_DEPTH = 50

/** Reads the YAML text of the mapping called `name`; what is wrong with it as YAML is among the mistakes. */
export function readSource(text: string, name: string): Source {
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false })
  const mistakes = collectMistakes(name, counter)
  for (const { message, pos } of [...document.errors, ...document.warnings]) {
    mistakes.add({ offset: pos[0], path: '' }, message)
  }
  if (document.errors.length > 0) return { root: undefined, mistakes }
  const root = toTree(document, mistakes)
  return { root, mistakes }
}

/** The node under these keys, or the nearest one above it that exists. */
export function nodeAt(root: SourceNode, keys: readonly PropertyKey[]): SourceNode {
  let node = root
  for (const key of keys) {
    const next = node.kind === 'map' ? node.entries.get(String(key))?.node : undefined
    const item = node.kind === 'list' ? node.items[Number(key)] : undefined
    const below = next ?? item
    if (below === undefined) return node
    node = below
  }
  return node
}

/** Where the key of an entry stands, for mistakes about the key itself. */
export function keyPlace(map: MapNode, key: string): { offset: number; path: string } {
  return { offset: map.entries.get(key)?.keyOffset ?? map.offset, path: pathOf(map.path, key) }
}

/** The tree as plain values. */
export function toPlain(node: SourceNode): unknown {
  if (node.kind === 'text') return node.value
  if (node.kind === 'list') return node.items.map(toPlain)
  return Object.fromEntries([...node.entries].map(([key, entry]) => [key, toPlain(entry.node)]))
}

function pathOf(parent: string, key: string): string {
  return parent === '' ? key : `${parent}.${key}`
}

function collectMistakes(name: string, counter: LineCounter): Mistakes {
  const offsets = new Map<string, number>()
  return {
    count: () => offsets.size,
    lines: () => [...offsets].toSorted(([, a], [, b]) => a - b).map(([line]) => line),
    add({ offset, path }, message) {
      const { line, col } = counter.linePos(offset)
      const place = `${name}:${line}:${col}`
      offsets.set(`${place} ${path === '' ? '' : `${path}: `}${message}`, offset)
    },
  }
}

function toTree(document: Document, mistakes: Mistakes): SourceNode | undefined {
  let count = 0
  let depth = 0
  let tooMuch = false
  const walk = (node: unknown, path: string, offset: number): SourceNode => {
    count += 1
    tooMuch ||= count > MAX_NODES || depth > MAX_DEPTH
    if (tooMuch) return { kind: 'text', text: '', value: null, path, offset }
    depth += 1
    const tree = walkInto(node, path, offset)
    depth -= 1
    return tree
  }
  const walkInto = (node: unknown, path: string, offset: number): SourceNode => {
    const target = isAlias(node) ? node.resolve(document) : node
    const start = rangeStart(node) ?? offset
    if (isMap(target)) {
      const entries = new Map<string, { keyOffset: number; node: SourceNode }>()
      for (const { key, value } of target.items) {
        const name = isScalar(key) ? textOf(key) : String(key)
        const keyOffset = rangeStart(key) ?? start
        entries.set(name, { keyOffset, node: walk(value, pathOf(path, name), keyOffset) })
      }
      return { kind: 'map', entries, path, offset: start }
    }
    if (isSeq(target)) {
      const items = target.items.map((item, index) => walk(item, `${path}[${index}]`, start))
      return { kind: 'list', items, path, offset: start }
    }
    const scalar = isScalar(target) ? target : undefined
    return {
      kind: 'text',
      text: scalar === undefined ? '' : textOf(scalar),
      value: scalar?.value ?? null,
      path,
      offset: start,
    }
  }
  if (document.contents === null) return undefined
  const root = walk(document.contents, '', 0)
  if (tooMuch) {
    mistakes.add(
      { offset: 0, path: '' },
      `the mapping has more than ${MAX_NODES} parts, or is nested more than ${MAX_DEPTH} deep`,
    )
    return undefined
  }
  return root
}

function textOf(scalar: { readonly source?: string; readonly value: unknown }): string {
  return scalar.source ?? (typeof scalar.value === 'string' ? scalar.value : '')
}

function rangeStart(node: unknown): number | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node)) return undefined
  return Array.isArray(node.range) && typeof node.range[0] === 'number' ? node.range[0] : undefined
}
