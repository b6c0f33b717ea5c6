/** The text of the configuration file: what it says, and at which line and column. */
import {
  type Document,
  type ErrorCode,
  LineCounter,
  type Node,
  isAlias,
  isMap,
  isNode,
  isScalar,
  parseDocument,
  visit,
} from 'yaml'

export interface Position {
  readonly line: number
  readonly column: number
}

export interface Source {
  readonly document: Document
  /** What is wrong with the text as YAML; after a fatal error nothing else can be said of the file. */
  readonly errors: readonly {
    readonly position: Position
    readonly message: string
    readonly fatal: boolean
  }[]
  /** Where the key or value at a path stands; of what is missing, where it should have been. */
  position(path: readonly PropertyKey[], at: 'key' | 'value'): Position
}

export function readSource(text: string): Source {
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, stringKeys: true })
  const toPosition = (offset: number): Position => {
    const { line, col } = counter.linePos(offset)
    return { line, column: col }
  }
  return {
    document,
    errors: [
      ...unresolvedAliases(document).map((offset) => ({
        position: toPosition(offset),
        message: UNRESOLVED,
        fatal: true,
      })),
      ...[...document.errors, ...document.warnings].map(({ name, code, pos }) => ({
        position: toPosition(pos[0]),
        message: YAML_ERRORS[code] ?? UNCLEAR,
        fatal: name === 'YAMLParseError' && code !== 'DUPLICATE_KEY',
      })),
    ],
    position: (path, at) => toPosition(offsetOf(document, path, at)),
  }
}

const UNRESOLVED =
  'a value that starts with * stands for an anchor, and there is none of that name; put text in quotes.'

const UNCLEAR =
  'this is not valid YAML: a wrong indentation, or a bracket or quote that is not closed, here or in the lines above.'

/** Our own words, because those of the parser may quote the text, and the text may be a secret. */
const YAML_ERRORS: Readonly<Partial<Record<ErrorCode, string>>> = {
  BAD_ALIAS:
    'a value that starts with * stands for an anchor, and there is none of that name; put text in quotes.',
  BAD_DQ_ESCAPE: 'a backslash in double quotes starts no known escape; write it twice, or use single quotes.',
  BAD_INDENT:
    'the indentation does not fit the lines above, or a bracket, brace or quote there is not closed.',
  BAD_SCALAR_START: 'a value cannot start with this character; put it in quotes.',
  BLOCK_AS_IMPLICIT_KEY: 'a value with ": " in it must be in quotes.',
  DUPLICATE_KEY: 'this key stands here twice.',
  KEY_OVER_1024_CHARS: 'a key is longer than 1024 characters.',
  MISSING_CHAR: 'a character is missing here: a quote, a bracket, a brace, a comma or a colon.',
  MULTIPLE_DOCS: 'a second document starts here; there must be one.',
  NON_STRING_KEY: 'a key must be text; put it in quotes.',
  TAB_AS_INDENT: 'a tab cannot indent; use spaces.',
  TAG_RESOLVE_FAILED: 'a value that starts with ! is a tag, and it is unknown; put text in quotes.',
}

/** The parser finds these only when the values are taken out, and then quotes them. */
function unresolvedAliases(document: Document): number[] {
  const offsets: number[] = []
  visit(document, {
    Alias: (_, alias) => {
      if (alias.resolve(document) === undefined) offsets.push(startOf(alias) ?? 0)
    },
  })
  return offsets
}

function offsetOf(document: Document, path: readonly PropertyKey[], at: 'key' | 'value'): number {
  let node: Node | null | undefined = document.contents
  let offset = node?.range?.[0] ?? 0
  for (const [depth, step] of path.entries()) {
    const pair = pairOf(document, node, String(step))
    if (pair === undefined) break
    offset = startOf(pair.key) ?? offset
    node = isNode(pair.value) ? pair.value : undefined
    if (depth === path.length - 1 && at === 'value') offset = startOf(node) ?? offset
  }
  return offset
}

function pairOf(document: Document, node: unknown, key: string) {
  const target = isAlias(node) ? node.resolve(document) : node
  if (!isMap(target)) return undefined
  // of a repeated key, the last one counts
  return target.items.findLast((pair) => isScalar(pair.key) && String(pair.key.value) === key)
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined
}
