/** The documents that can be read: which grammars there are, and the dictionaries of their segments. */
import { createDictionary, type Dictionary } from './dictionary.ts'
import { compileGrammar, type Grammar, type GrammarDefinition } from './grammar.ts'
import { EDIFACT_GRAMMARS } from './grammars/edifact.ts'
import { X12_GRAMMARS } from './grammars/x12.ts'
import { addLineTotal } from './line-totals.ts'
import type { Syntax } from './segment.ts'
import { EDIFACT_SEGMENTS } from './segments/edifact.ts'
import { X12_SEGMENTS } from './segments/x12.ts'

/** What is known of segments, by syntax. A dictionary does not change. */
export const DICTIONARIES: Readonly<Record<Syntax, Dictionary>> = {
  x12: createDictionary(X12_SEGMENTS),
  edifact: createDictionary(EDIFACT_SEGMENTS),
}

/** The code in GS01 of the group that holds a document, also of documents that have no grammar here. */
export const GROUP_CODES: Readonly<Record<string, string>> = {
  180: 'AN',
  810: 'IN',
  812: 'CD',
  846: 'IB',
  850: 'PO',
  855: 'PR',
  856: 'SH',
  860: 'PC',
  865: 'CA',
  870: 'RS',
  997: 'FA',
  999: 'FA',
}

const DEFINITIONS: Readonly<Record<string, GrammarDefinition>> = Object.fromEntries(
  [...X12_GRAMMARS, ...EDIFACT_GRAMMARS].map((definition) => [definition.document, definition]),
)

/** Grammars do not change, so each is compiled once. */
const compiled = new Map<string, Grammar>()

/**
 * Finds the grammar of a document such as `850` or `ORDERS`: the built-in one, or that of a partner. `ordinal`: that of the
 * set in its file, where the sets of several partners are read.
 */
export type FindGrammar = (syntax: Syntax, document: string, ordinal?: number) => Grammar | undefined

/** Returns the built-in grammar of a document such as `850` or `ORDERS`; undefined for a document without a grammar. */
export function findGrammar(syntax: Syntax, document: string): Grammar | undefined {
  const name = `${syntax}/${document}`
  const known = compiled.get(name)
  const definition = Object.hasOwn(DEFINITIONS, name) ? DEFINITIONS[name] : undefined
  if (known !== undefined || definition === undefined) return known
  const grammar = addLineTotal(compileGrammar(definition, DICTIONARIES[syntax]))
  compiled.set(name, grammar)
  return grammar
}

/** All documents that have a grammar: those of X12 first, in the order of their numbers. */
export function listDocuments(): readonly Pick<
  GrammarDefinition,
  'document' | 'group' | 'title' | 'versions'
>[] {
  return Object.values(DEFINITIONS)
}
