/** Reads the grammar of a partner that a mapping names; its errors are reported like those of the mapping. */
import { normalize } from 'node:path'
import type { EdiGrammarChanges } from '../../domain/format.ts'
import type { Grammar } from '../../edi/grammar.ts'
import { GrammarFile } from '../../edi/grammar-file.ts'
import { compilePartnerGrammar } from '../../edi/partner-grammar.ts'
import { describeUnreadablePart } from '../../support/errors.ts'
import { checkPart } from '../source/schema.ts'
import { locateKey, type MapNode, type MappingErrors, nodeAt, type SourceNode } from '../source/source.ts'

export interface GrammarContext {
  readonly errors: MappingErrors
  /** Reads a YAML file by its path relative to the mapping; undefined after noting its errors. */
  readonly readSource: (path: string) => Promise<SourceNode | undefined>
}

export interface PartnerGrammar {
  /** As the file says it. */
  readonly changes: EdiGrammarChanges
  readonly grammar: Grammar
}

/** Undefined after noting the errors of the file. */
export async function readPartnerGrammar(
  path: string,
  root: MapNode,
  { errors, readSource }: GrammarContext,
): Promise<PartnerGrammar | undefined> {
  const place = nodeAt(root, 'read', 'grammar')
  let source: SourceNode | undefined
  const before = errors.count()
  try {
    source = await readSource(normalize(path))
  } catch (error) {
    return errors.add(place, `the grammar file ${describeUnreadablePart(path, error)}`)
  }
  if (source === undefined)
    return errors.count() > before ? undefined : errors.add(place, 'the grammar file is empty')
  const file = keepTexts(source)
  const changes = checkPart(GrammarFile, file, errors)
  if (changes === undefined) return undefined
  const grammar = compilePartnerGrammar(changes, (keys, message) => {
    const above = nodeAt(file, ...keys.slice(0, -1))
    const key = String(keys.at(-1))
    const isKey = above.kind === 'map' && above.entries.get(key)?.node.kind !== 'text'
    errors.add(isKey ? locateKey(above, key) : nodeAt(file, ...keys), message)
  })
  return grammar && { changes, grammar }
}

/** Codes and versions such as 00 and 004010 are texts, though they look like numbers. */
function keepTexts(node: SourceNode): SourceNode {
  if (node.kind === 'text') return typeof node.value === 'number' ? { ...node, value: node.text } : node
  if (node.kind === 'list') return { ...node, items: node.items.map(keepTexts) }
  const entries = [...node.entries].map(
    ([key, entry]) => [key, { ...entry, node: keepTexts(entry.node) }] as const,
  )
  return { ...node, entries: new Map(entries) }
}
