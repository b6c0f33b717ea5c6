/** The documents that can be read: which grammars there are, and the dictionaries of their segments. */
import { createDictionary, type Dictionary, type SegmentDefinition } from './dictionary.ts'
import { compileGrammar, type Grammar, type GrammarDefinition } from './grammar.ts'
import { EDIFACT_GRAMMARS } from './grammars/edifact.ts'
import { X12_GRAMMARS } from './grammars/x12.ts'
import { addLineTotal } from './paths.ts'
import type { Syntax } from './segment.ts'
import { EDIFACT_AMOUNTS } from './segments/edifact-amounts.ts'
import { EDIFACT_ENVELOPE } from './segments/edifact-envelope.ts'
import { EDIFACT_GENERAL } from './segments/edifact-general.ts'
import { EDIFACT_LINES } from './segments/edifact-lines.ts'
import { EDIFACT_TRANSPORT } from './segments/edifact-transport.ts'
import { X12_ENVELOPE } from './segments/x12-envelope.ts'
import { X12_GENERAL } from './segments/x12-general.ts'
import { X12_LINES } from './segments/x12-lines.ts'
import { X12_SET } from './segments/x12-set.ts'
import { X12_TRANSPORT } from './segments/x12-transport.ts'

// The dictionary of EDIFACT: the segments that our grammars name and the service segments. Names and meanings are our
// own words. Lengths are those of D.96A: what fits them fits later directories too, but these allow longer references,
// texts and numbers. Codes are those of the first component of an element; at the first composite of pairs they are
// those of the qualifier.

const EDIFACT_SEGMENTS: Readonly<Record<string, SegmentDefinition>> = {
  ...EDIFACT_ENVELOPE,
  ...EDIFACT_GENERAL,
  ...EDIFACT_AMOUNTS,
  ...EDIFACT_TRANSPORT,
  ...EDIFACT_LINES,
}

// The dictionary of X12: the segments that our grammars name and those of the envelope. Names and meanings are our own
// words. Lengths are those of 004010: what fits them fits later versions too, but these allow longer references, texts
// and numbers. Codes that stand at the first element of pairs are the meanings of all their qualifiers.

const X12_SEGMENTS: Readonly<Record<string, SegmentDefinition>> = {
  ...X12_ENVELOPE,
  ...X12_SET,
  ...X12_GENERAL,
  ...X12_TRANSPORT,
  ...X12_LINES,
}

/** What is known of segments, by syntax. A dictionary does not change. */
export const DICTIONARIES: Readonly<Record<Syntax, Dictionary>> = {
  x12: createDictionary(X12_SEGMENTS),
  edifact: createDictionary(EDIFACT_SEGMENTS),
}

/** Finds known segments that begin at line breaks within the text of a segment, with the index of their ids. */
export function findSegmentsAtLines(
  text: string,
  { syntax, element }: { readonly syntax: Syntax; readonly element: string },
): { readonly id: string; readonly index: number }[] {
  return [...text.matchAll(/(?<=[\r\n])[A-Z][A-Z0-9]{1,2}/g)].flatMap(({ 0: id, index }) => {
    const isSegment =
      text.startsWith(element, index + id.length) && DICTIONARIES[syntax].find(id) !== undefined
    return isSegment ? [{ id, index }] : []
  })
}

/**
 * Whether a segment of EDIFACT may be the rest of a text that an apostrophe without a release character ended. `text`: its
 * id can be none. `unknown`: no dictionary here knows it.
 */
export function judgeTag(id: string): 'text' | 'unknown' | undefined {
  if (DICTIONARIES.edifact.find(id) !== undefined || findWrongSeparator(id, 'edifact')) return undefined
  return /^[A-Za-z][A-Za-z0-9]{2}$/.test(id) ? 'unknown' : 'text'
}

/** Finds a known id and another separator behind it, where a segment has a text in place of an id: `N1|ST|Ada`. */
export function findWrongSeparator(text: string, syntax: Syntax) {
  const [, id = '', found = ''] = /^([A-Z][A-Z0-9]{1,2})([*|+^~:;,\t])/.exec(text) ?? []
  return DICTIONARIES[syntax].find(id) === undefined ? undefined : { id, found }
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
