/** Parses mapping files into trees with a place for each part, and collects their errors. */
import { type Document, isAlias, isMap, isScalar, isSeq, type LineCounter } from 'yaml'
import { parseYaml } from '../../support/yaml.ts'

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

/**
 * Collects the errors of a mapping with file, line and column. Its files share one range of offsets, one file after
 * another, so that an offset alone identifies the file.
 */
export type MappingErrors = ReturnType<typeof collectErrors>

export type NoteOption<Option extends string = string> = (option: Option, message: string) => void

/** More than any real mapping has; stops YAML aliases that multiply or refer to themselves. */
const MAX_NODES = 50_000
const MAX_DEPTH = 50

export type SourceReader = ReturnType<typeof openSourceReader>

/** Reads mapping files; the errors of all of them are collected together. */
export function openSourceReader() {
  const files: SourceFile[] = []
  const errors = collectErrors(files)
  return {
    errors,
    /** Parses the YAML text of the file called `name` and notes its YAML errors. */
    read(text: string, name: string) {
      const last = files.at(-1)
      const start = last === undefined ? 0 : last.start + last.length + 1
      const { document, counter, errors: found } = parseYaml(text)
      files.push({ name, start, length: text.length, counter })
      for (const { offset, message } of found) errors.add({ offset: start + offset, path: '' }, message)
      return found.length > 0 ? undefined : toTree(document, start, errors)
    },
  }
}

/** The node under these keys, or the nearest one above it that exists. */
export function nodeAt(root: SourceNode, ...keys: readonly PropertyKey[]): SourceNode {
  let node = root
  for (const key of keys) {
    const below = node.kind === 'list' ? node.items[Number(key)] : getEntry(node, String(key))
    if (below === undefined) return node
    node = below
  }
  return node
}

export function getEntry(node: SourceNode, key: string): SourceNode | undefined {
  return node.kind === 'map' ? node.entries.get(key)?.node : undefined
}

export function getEntryText(node: SourceNode, key: string): string | undefined {
  const entry = getEntry(node, key)
  return entry?.kind === 'text' ? entry.text : undefined
}

/** Returns the place of the key of an entry, for errors about the key itself. */
export function locateKey(map: MapNode, key: string): { offset: number; path: string } {
  return { offset: map.entries.get(key)?.keyOffset ?? map.offset, path: joinPath(map.path, key) }
}

export function toPlain(node: SourceNode): unknown {
  if (node.kind === 'text') return node.value
  if (node.kind === 'list') return node.items.map(toPlain)
  return Object.fromEntries([...node.entries].map(([key, entry]) => [key, toPlain(entry.node)]))
}

function joinPath(parent: string, key: string): string {
  return parent === '' ? key : `${parent}.${key}`
}

interface SourceFile {
  readonly name: string
  readonly start: number
  readonly length: number
  readonly counter: LineCounter
}

export type ErrorPlace = Pick<SourceNode, 'offset' | 'path'>

function collectErrors(files: readonly SourceFile[]) {
  const offsets = new Map<string, number>()
  const locate = ({ offset, path }: ErrorPlace) => {
    const file = files.findLast(({ start }) => start <= offset)
    const { line, col } = file?.counter.linePos(offset - file.start) ?? { line: 0, col: 0 }
    return `${file?.name ?? ''}:${line}:${col} ${path === '' ? '' : `${path}: `}`
  }
  return {
    count: () => offsets.size,
    lines: () => [...offsets].toSorted(([, a], [, b]) => a - b).map(([line]) => line),
    /** Returns undefined, as the result of the part with the error. */
    add(place: ErrorPlace, message: string): undefined {
      offsets.set(`${locate(place)}${message}`, place.offset)
      return undefined
    },
    /** The same in the place of what was noted there: it says more. */
    replace(place: ErrorPlace, message: string): undefined {
      const noted = [...offsets.keys()].filter((line) => line.startsWith(locate(place)))
      for (const line of noted) offsets.delete(line)
      offsets.set(`${locate(place)}${message}`, place.offset)
      return undefined
    },
    locate,
    /** The file without its folders, and the line: `orders.yaml:12`. */
    formatLine: ({ offset }: ErrorPlace) => locate({ offset, path: '' }).replace(/^.*[/\\]|:\d+ $/g, ''),
  }
}

function toTree(document: Document, fileStart: number, errors: MappingErrors): SourceNode | undefined {
  let count = 0
  let depth = 0
  let tooMuch = false
  const placeOf = (node: unknown) => {
    const start = getRangeStart(node)
    return start === undefined ? undefined : fileStart + start
  }
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
    const start = placeOf(node) ?? offset
    if (isMap(target)) {
      const entries = new Map<string, { keyOffset: number; node: SourceNode }>()
      for (const { key, value } of target.items) {
        const name = isScalar(key) ? getScalarText(key) : String(key)
        const keyOffset = placeOf(key) ?? start
        entries.set(name, { keyOffset, node: walk(value, joinPath(path, name), keyOffset) })
      }
      return { kind: 'map', entries, path, offset: start }
    }
    if (isSeq(target)) {
      const items = target.items.map((item, index) => walk(item, `${path}[${index}]`, start))
      return { kind: 'list', items, path, offset: start }
    }
    const [text, value] = isScalar(target) ? [getScalarText(target), target.value] : ['', null]
    return { kind: 'text', text, value: value ?? null, path, offset: start }
  }
  if (document.contents === null) return undefined
  const root = walk(document.contents, '', fileStart)
  if (!tooMuch) return root
  const limits = `more than ${MAX_NODES} parts, or is nested more than ${MAX_DEPTH} deep`
  return errors.add({ offset: fileStart, path: '' }, `the mapping has ${limits}`)
}

function getScalarText(scalar: { readonly source?: string; readonly value: unknown }): string {
  return scalar.source ?? (typeof scalar.value === 'string' ? scalar.value : '')
}

function getRangeStart(node: unknown): number | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node)) return undefined
  return Array.isArray(node.range) && typeof node.range[0] === 'number' ? node.range[0] : undefined
}
