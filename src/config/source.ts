/** The text of a YAML file of the configuration, with the lines and columns of what stands in it. */
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type Node, type Scalar } from 'yaml'
import { BridgeError } from '../support/errors.ts'
import { parseYaml } from '../support/yaml.ts'
import type { ConfigError } from './errors.ts'

export interface LocatedError {
  /** As the user names it. */
  readonly file: string
  readonly line: number
  readonly column: number
  /** The path in the file, when there is one, and the message. */
  readonly text: string
}

export type ConfigSource = ReturnType<typeof parseSource>

/** `file` is its path as the user names it. */
export function parseSource(file: string, text: string) {
  const { document, counter, errors, hasFatalErrors } = parseYaml(text, { stringKeys: true })
  const locate = (offset: number) => {
    const { line, col: column } = counter.linePos(offset)
    return { file, line, column }
  }
  const located = errors.map(({ offset, message }): LocatedError => ({ ...locate(offset), text: message }))
  return { file, document, locate, errors: located, hasFatalErrors }
}

export function toPlainData({ document, file }: ConfigSource): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch (cause) {
    throw new BridgeError('configuration-invalid', `${file} uses too many aliases.`, { cause })
  }
}

export function locateError(
  { document, locate }: ConfigSource,
  { path, at, message }: ConfigError,
): LocatedError {
  const dotted = path.map(String).join('.')
  const text = dotted === '' ? `the file ${message}` : `${dotted}: ${message}`
  return { ...locate(findPlace(document, path, at).offset), text }
}

/** Calls for each setting and each value of the document, keys left out, in their order. An alias is not followed. */
export function walkDocument({ contents }: Pick<Document, 'contents'>, on: DocumentWalk): void {
  const walk = (node: unknown): void => {
    if (isScalar(node)) on.value?.(node)
    else if (isSeq(node)) node.items.forEach(walk)
    else if (isMap(node)) {
      for (const { key, value } of node.items) {
        on.setting?.(key, value)
        walk(value)
      }
    }
  }
  walk(contents)
}

interface DocumentWalk {
  readonly setting?: (key: unknown, value: unknown) => void
  readonly value?: (value: Scalar) => void
}

/** How many steps of the path the file has. */
export function measureDepth({ document }: ConfigSource, path: readonly PropertyKey[]): number {
  return findPlace(document, path, 'key').depth
}

/** The place that the path leads to, as far as it is there. */
function findPlace(document: Document, path: readonly PropertyKey[], at: 'key' | 'value') {
  let node: Node | null | undefined = document.contents
  let offset = node?.range?.[0] ?? 0
  let depth = 0
  for (const step of path) {
    const pair = findPair(document, node, String(step))
    if (pair === undefined) break
    depth += 1
    offset = getStart(pair.key) ?? offset
    node = isNode(pair.value) ? pair.value : undefined
    if (depth === path.length && at === 'value') offset = getStart(node) ?? offset
  }
  return { offset, depth }
}

/** The entry of a map, or that of a list, which is its own key. */
function findPair(document: Document, node: unknown, key: string) {
  const target = isAlias(node) ? node.resolve(document) : node
  if (isSeq(target)) {
    const item = target.items[Number(key)]
    return item === undefined ? undefined : { key: item, value: item }
  }
  if (!isMap(target)) return undefined
  // of a repeated key, the last one counts
  return target.items.findLast((pair) => isScalar(pair.key) && String(pair.key.value) === key)
}

export function getStart(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined
}
