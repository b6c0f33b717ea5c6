/** Makes the grammar of a partner: a built-in one with what the partner does otherwise. */
import type { EdiGrammarChanges, EdiGrammarEntry } from '../domain/format.ts'
import { didYouMean } from '../support/text.ts'
import type { Dictionary } from './dictionary.ts'
import { findGrammar, listDocuments } from './documents.ts'
import {
  compileGrammar,
  COUNTED_SEGMENT,
  type Grammar,
  type GrammarChecks,
  type GrammarDefinition,
  type GrammarEntry,
  parseCount,
  type SegmentPlace,
  type TreeRule,
} from './grammar.ts'
import { addLineTotal, compileLoopTest, compilePlace, type PathContext } from './paths.ts'

/** Reports an error of the file: the keys that lead to it, and what is wrong there. */
export type ReportGrammarError = (keys: readonly PropertyKey[], message: string) => void

/** Reports every error; undefined where there is one. */
export function compilePartnerGrammar(
  changes: EdiGrammarChanges,
  report: ReportGrammarError,
): Grammar | undefined {
  let isRight = true
  const note: ReportGrammarError = (keys, message) => {
    isRight = false
    report(keys, message)
  }
  const base = findBase(changes.extends, note)
  if (base === undefined) return undefined
  const definition = changeDefinition(base, changes, note)
  if (!isRight) return undefined
  const dictionary = changeDictionary(base.dictionary, changes)
  const grammar = addLineTotal(compileGrammar(definition, dictionary))
  const context: PathContext = { grammar, dictionary }
  for (const [id, qualifier] of Object.entries(changes.qualifiers ?? {})) {
    const error = checkQualifier(id, qualifier, context)
    if (error !== undefined) note(['qualifiers', id], error)
  }
  for (const loop of [...(definition.records ?? []), definition.lines]) {
    const test = compileLoopTest(loop, context)
    if (typeof test === 'string')
      note(['segments'], `the records and lines of ${grammar.document} need ${loop}: ${test}`)
  }
  const checks = compileChecks(changes, context, note)
  return isRight ? { ...grammar, checks } : undefined
}

function findBase(name: string, note: ReportGrammarError): Grammar | undefined {
  const [syntax = '', document = ''] = name.split('/')
  const base = syntax === 'x12' || syntax === 'edifact' ? findGrammar(syntax, document) : undefined
  if (base !== undefined) return base
  const known = listDocuments().map((each) => each.document)
  const example = didYouMean(name, known) || ' Write it as x12/850 or edifact/ORDERS.'
  note(['extends'], `there is no grammar "${name}".${example}`)
  return undefined
}

// The segments.

/** An entry of a grammar, taken apart. */
interface Entry {
  readonly id: string
  /** `0..n` */
  readonly count: string
  /** Of a loop. */
  readonly inside?: readonly Entry[]
  readonly tree?: TreeRule
}

function changeDefinition(
  { definition, root }: Grammar,
  changes: EdiGrammarChanges,
  note: ReportGrammarError,
): GrammarDefinition {
  let entries: readonly Entry[] = parseEntries(definition.segments)
  for (const [loop, written] of Object.entries(changes.segments ?? {})) {
    const keys = ['segments', loop]
    const errors = listCountErrors(written, keys)
    for (const error of errors) note(error.keys, error.message)
    if (errors.length > 0) continue
    const steps = loop === root.id ? [] : loop.split('/')
    const changed = changeLoop(entries, steps, parseEntries(written))
    if (changed === undefined) {
      const known = [root.id, ...listLoops(entries)]
      note(
        keys,
        `${definition.document} has no loop ${loop}.${didYouMean(loop, known) || ` There are ${known.join(', ')}.`}`,
      )
    } else entries = changed
  }
  if (changes.ranks !== undefined) {
    const ranked = changeRanks(entries, changes.ranks)
    if (ranked === undefined) note(['ranks'], `${definition.document} has no levels of several kinds`)
    else entries = ranked
  }
  const { versions = definition.versions } = changes
  return { ...definition, versions, segments: printEntries(entries) }
}

interface CountError {
  readonly keys: readonly PropertyKey[]
  readonly message: string
}

/** The segments and loops that do not say how often they may stand there. */
function listCountErrors(
  entries: readonly EdiGrammarEntry[],
  keys: readonly PropertyKey[],
): readonly CountError[] {
  return entries.flatMap((entry, index) => {
    const place = [...keys, index]
    if (typeof entry === 'string') return checkCount(entry, place)
    return Object.entries(entry).flatMap(([loop, inside]) => [
      ...checkCount(loop, [...place, loop]),
      ...listCountErrors(inside, [...place, loop]),
    ])
  })
}

function checkCount(written: string, keys: readonly PropertyKey[]): readonly CountError[] {
  const isCounted = COUNTED_SEGMENT.test(written)
  const { min, max } = isCounted ? parseCount(written) : { min: 1, max: 0 }
  if (min <= max) return []
  const message = isCounted
    ? 'the smaller number stands first'
    : 'expected a segment and how often it may stand there'
  return [{ keys, message: `${message}, such as "N1 0..200"` }]
}

/** Undefined where a loop of the steps is not there. */
function changeLoop(
  entries: readonly Entry[],
  [step, ...rest]: readonly string[],
  changes: readonly Entry[],
): readonly Entry[] | undefined {
  if (step === undefined) return mergeEntries(entries, changes)
  const at = entries.findIndex(({ id, inside }) => id === step && inside !== undefined)
  const loop = entries[at]
  const inside = loop?.inside && changeLoop(loop.inside, rest, changes)
  return loop && inside && entries.with(at, { ...loop, inside })
}

/** An entry takes the place of that of its id; one that may not stand there takes it away. */
function mergeEntries(entries: readonly Entry[], changes: readonly Entry[]): readonly Entry[] {
  let merged = entries
  for (const change of changes) {
    const at = merged.findIndex(({ id }) => id === change.id)
    const known = merged[at]
    if (parseCount(`${change.id} ${change.count}`).max === 0)
      merged = merged.filter(({ id }) => id !== change.id)
    // Without segments of its own, only the number of a loop is another.
    else if (known !== undefined) merged = merged.with(at, { ...known, ...change })
    else merged = [...merged, change]
  }
  return merged
}

function changeRanks(entries: readonly Entry[], ranks: readonly string[]): readonly Entry[] | undefined {
  const at = entries.findIndex(({ tree }) => tree?.level !== undefined)
  const found = entries[at]
  return found?.tree && entries.with(at, { ...found, tree: { ...found.tree, ranks } })
}

function listLoops(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ id, inside }) =>
    inside === undefined ? [] : [id, ...listLoops(inside).map((loop) => `${id}/${loop}`)],
  )
}

function parseEntries(entries: readonly GrammarEntry[]): Entry[] {
  return entries.flatMap((entry) => {
    if (typeof entry === 'string') return [splitCount(entry)]
    return Object.entries(entry).map(([written, inside]): Entry => {
      const own = splitCount(written)
      return 'tree' in inside
        ? { ...own, inside: parseEntries(inside.segments), tree: inside.tree }
        : { ...own, inside: parseEntries(inside) }
    })
  })
}

function splitCount(written: string): Pick<Entry, 'id' | 'count'> {
  const [id = '', count = ''] = written.split(' ')
  return { id, count }
}

function printEntries(entries: readonly Entry[]): GrammarEntry[] {
  return entries.map(({ id, count, inside, tree }) => {
    const written = `${id} ${count}`
    if (inside === undefined) return written
    const segments = printEntries(inside)
    return { [written]: tree === undefined ? segments : { tree, segments } }
  })
}

// What is known of segments.

function changeDictionary(base: Dictionary, { qualifiers = {} }: EdiGrammarChanges): Dictionary {
  const changed = new Map(
    Object.entries(qualifiers).flatMap(([id, qualifier]) => {
      const info = base.find(id)
      return info === undefined ? [] : [[id, { ...info, qualifier }] as const]
    }),
  )
  return changed.size === 0 ? base : { ids: base.ids, find: (id) => changed.get(id) ?? base.find(id) }
}

function checkQualifier(id: string, qualifier: number, { grammar, dictionary }: PathContext) {
  if (!grammar.ids.has(id))
    return `${grammar.document} has no segment ${id}.${didYouMean(id, [...grammar.ids])}`
  const { length } = dictionary.find(id)?.elements ?? []
  if (length === 0) return `nothing is known of ${id}: write the element in paths, such as ${id}*01=…`
  return qualifier > length ? `${id} has ${length} elements, and no ${qualifier}` : undefined
}

// What is asked of each document.

function compileChecks(
  { required = [], codes = {}, versions = [], closed = false }: EdiGrammarChanges,
  context: PathContext,
  note: ReportGrammarError,
): GrammarChecks {
  const compile = (text: string, keys: readonly PropertyKey[]): SegmentPlace[] => {
    const place = compilePlace(text, context)
    if (typeof place !== 'string') return [place]
    note(keys, place)
    return []
  }
  return {
    isClosed: closed,
    versions,
    required: required.flatMap((text, index) => {
      const keys = ['required', index]
      const places = compile(text, keys)
      const [place] = places
      const levels = place && [...place.loops, place.segment].filter(({ id }) => isTree(context, id))
      if (levels !== undefined && levels.length > 1)
        note(keys, 'a level stands behind the one above it, and not in it: name the innermost level alone')
      return places
    }),
    codes: Object.entries(codes).flatMap(([text, allowed]) => {
      const keys = ['codes', text]
      return compile(text, keys).flatMap((place) => {
        if (place.value !== undefined) return [{ place, allowed: new Set(allowed) }]
        note(keys, `${text} names no element: write it as ${text}.02`)
        return []
      })
    }),
  }
}

function isTree({ grammar }: PathContext, id: string): boolean {
  return grammar.root.loops.get(id)?.tree !== undefined
}
