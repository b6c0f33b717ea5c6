/** Reads the values of a few paths from each set, to decide which route takes it. */
import type { OutlineQuestion } from '../../domain/interchange.ts'
import { DICTIONARIES, findGrammar } from '../../edi/documents.ts'
import type { LoopRule } from '../../edi/grammar.ts'
import { compileLoopTest, compilePath, type EdiPath, leadsInto } from '../../edi/paths.ts'
import type { Segment, Syntax } from '../../edi/segment.ts'
import type { TransactionSet } from './envelopes.ts'
import { MAX_RECORD_SEGMENTS } from './structure-check.ts'
import { LoopPlacer } from './loops.ts'
import { type Envelope, findValue } from './path-reader.ts'
import { compileReading, type ReadingPlan } from './reading-plan.ts'

/** The bytes of a set beyond which none of its values is read. */
const MAX_SET_BYTES = 16 * 1024 * 1024

/** How often the values of a set are looked for before its end. */
const MAX_LOOKS = 64

/** Says why the path leads to no single value of the document. */
export function findPathError({
  syntax,
  document,
  path,
}: Omit<OutlineQuestion, 'paths'> & { readonly path: string }): string | undefined {
  const grammar = findGrammar(syntax, document)
  if (grammar === undefined) return `there is no grammar for ${document}, so no path leads into it`
  const context = { grammar, dictionary: DICTIONARIES[syntax] }
  const compiled = compilePath(path, context)
  if (typeof compiled === 'string') return compiled
  const { lines, records = [] } = grammar.definition
  for (const text of [lines, ...records]) {
    const loop = compileLoopTest(text, context)
    if (typeof loop !== 'string' && loop.id !== grammar.root.id && leadsInto(compiled, loop, grammar.root))
      return `${path} has a value for each ${loop.id}, and none for the whole document`
  }
  return undefined
}

/** The paths that are asked of the sets of one document. */
interface AskedPaths {
  readonly rule: LoopRule
  readonly paths: readonly EdiPath[]
  readonly indexes: readonly number[]
  readonly blanks: readonly string[]
  /** The ids of the segments that hold the values. */
  readonly ids: ReadonlySet<string>
  /** Those, and of segments that values go on in. */
  readonly kept: ReadonlySet<string>
  /** Whether a value that was found stays the first one, whatever stands behind it. */
  readonly isFinal: boolean
}

/** Reads the values of one set after the other. Keeps at most one set. */
export class SetValues {
  readonly #asked = new Map<string, AskedPaths>()
  #open: OpenSet | undefined

  /** Throws `configuration-invalid` for paths that lead nowhere. Of several questions about a document, the values follow each other. */
  constructor(questions: readonly OutlineQuestion[]) {
    for (const { syntax, document } of questions) {
      const paths = questions.flatMap((each) =>
        each.syntax === syntax && each.document === document ? each.paths : [],
      )
      if (paths.length > 0) this.#asked.set(`${syntax}/${document}`, compile({ syntax, document, paths }))
    }
  }

  begin(set: TransactionSet): void {
    const asked = this.#asked.get(`${set.segment.delimiters.syntax}/${set.document}`)
    this.#open = asked === undefined ? undefined : new OpenSet(asked, set)
  }

  take(segment: Segment): void {
    this.#open?.take(segment)
  }

  /** The values of the set that ends; none where nothing is asked of its document. */
  end(): readonly string[] {
    const values = this.#open?.end() ?? []
    this.#open = undefined
    return values
  }
}

function compile(question: OutlineQuestion): AskedPaths {
  const plan = compileWholeSet(question.syntax, question)
  const paths = plan.recordColumns.map(({ path }) => path)
  const hasTree = [...plan.rule.loops.values()].some(({ tree }) => tree !== undefined)
  return {
    rule: plan.rule,
    paths,
    indexes: paths.map((_, index) => index),
    blanks: paths.map(() => ''),
    kept: plan.ids,
    ids: new Set(paths.map(({ segment }) => segment.id)),
    // Levels of a tree may belong to one that stands far above them.
    isFinal: !hasTree || paths.every(({ scope, loops }) => scope !== 'any' && loops.length === 0),
  }
}

function compileWholeSet(syntax: Syntax, { document, paths }: Omit<OutlineQuestion, 'syntax'>): ReadingPlan {
  const recordColumns = paths.map((path) => ({ name: path, path }))
  return compileReading(syntax, { document, recordColumns, lineColumns: [] })
}

class OpenSet {
  readonly #asked: AskedPaths
  readonly #envelope: Envelope
  readonly #values: string[]
  /** The paths of which no value was found so far. */
  #missing: readonly number[]
  #placer: LoopPlacer | undefined
  #segments = 1
  #bytes = 0
  #looks = 0

  constructor(asked: AskedPaths, { segment, group }: TransactionSet) {
    const { interchange } = group
    this.#asked = asked
    this.#envelope =
      group.segment === undefined ? [interchange.segment] : [interchange.segment, group.segment]
    this.#values = [...asked.blanks]
    this.#missing = asked.indexes
    this.#placer = new LoopPlacer(asked.rule, segment, { keeps: asked.kept })
    for (const { id } of this.#envelope) this.#look(id)
    this.#look(segment.id)
  }

  take(segment: Segment): void {
    const placer = this.#placer
    if (placer === undefined) return
    this.#segments += 1
    this.#bytes += segment.length
    if (this.#segments > MAX_RECORD_SEGMENTS || this.#bytes > MAX_SET_BYTES) {
      this.#placer = undefined
      this.#values.fill('')
      return
    }
    placer.place(segment)
    this.#look(segment.id)
  }

  end(): readonly string[] {
    const root = this.#placer?.root
    if (root === undefined) return this.#values
    for (const index of this.#missing) {
      const path = this.#asked.paths[index]
      if (path !== undefined) this.#values[index] = findValue(path, root, this.#envelope)?.text.trim() ?? ''
    }
    return this.#values
  }

  /** Looks for the values that a segment with the id may have. Once all are found, the rest of the set need not be kept. */
  #look(id: string): void {
    const { paths, ids, isFinal } = this.#asked
    if (!isFinal || !ids.has(id)) return
    const root = this.#placer?.root
    if (root === undefined || this.#looks >= MAX_LOOKS) return
    this.#looks += 1
    this.#missing = this.#missing.filter((index) => {
      const path = paths[index]
      if (path === undefined || path.segment.id !== id) return true
      const hit = findValue(path, root, this.#envelope)
      // A segment may lack the pair that is asked for, and another one have it.
      if (hit === undefined || (path.value.kind === 'pair' && hit.element === undefined)) return true
      this.#values[index] = hit.text.trim()
      return false
    })
    if (this.#missing.length === 0) this.#placer = undefined
  }
}
