/** Reads the values of a few paths from each set, to decide which route takes it. */
import type { OutlineQuestion } from '../../domain/interchange.ts'
import { DICTIONARIES, findGrammar } from '../../edi/documents.ts'
import { compileLoopTest, compilePath, type EdiPath, leadsInto } from '../../edi/paths.ts'
import { ById, type Segment, type Syntax } from '../../edi/segment.ts'
import type { TransactionSet } from './envelopes.ts'
import { isTooLarge } from './structure-check.ts'
import type { KeptSegments, Loop, LoopPlacer } from './loops.ts'
import { type Envelope, findValue, fits } from './path-reader.ts'
import { compileReading, type ReadingPlan } from './reading-plan.ts'

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
  readonly paths: readonly EdiPath[]
  /** The indexes of the paths by the ids of the segments that hold their values. */
  readonly byId: ById<readonly number[]>
  /** Those segments, and those that values go on in. */
  readonly keeps: KeptSegments
  /** Whether a value that was found stays the first one, whatever stands behind it. */
  readonly isFinal: boolean
}

/** Reads the values of one set after the other, from the loops into which its segments are placed. Keeps at most one set. */
export class SetValues {
  readonly #asked: Readonly<Record<Syntax, Map<string, AskedPaths>>> = { x12: new Map(), edifact: new Map() }
  #open: OpenSet | undefined

  /** Throws `configuration-invalid` for paths that lead nowhere. Of several questions about a document, the values follow each other. */
  constructor(questions: readonly OutlineQuestion[]) {
    for (const { syntax, document } of questions) {
      const paths = questions.flatMap((each) =>
        each.syntax === syntax && each.document === document ? each.paths : [],
      )
      if (paths.length > 0) this.#asked[syntax].set(document, compile({ syntax, document, paths }))
    }
  }

  /** The segments that its placer has to keep. */
  findKept(set: TransactionSet): KeptSegments | undefined {
    return this.#find(set)?.keeps
  }

  begin(set: TransactionSet, placer: LoopPlacer | undefined): void {
    const asked = this.#find(set)
    this.#open = asked === undefined || placer === undefined ? undefined : new OpenSet(asked, set, placer)
  }

  #find({ segment, document }: TransactionSet): AskedPaths | undefined {
    return this.#asked[segment.delimiters.syntax].get(document)
  }

  /** Takes a segment that was placed. */
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
    paths,
    keeps: plan.keeps,
    byId: groupById(paths),
    // Levels of a tree may belong to one that stands far above them.
    isFinal: !hasTree || paths.every(({ scope, loops }) => scope !== 'any' && loops.length === 0),
  }
}

function compileWholeSet(syntax: Syntax, { document, paths }: Omit<OutlineQuestion, 'syntax'>): ReadingPlan {
  const recordColumns = paths.map((path) => ({ name: path, path }))
  return compileReading(syntax, { document, recordColumns, lineColumns: [] })
}

function groupById(paths: readonly EdiPath[]): ById<readonly number[]> {
  const indexes = (id: string) => paths.flatMap(({ segment }, index) => (segment.id === id ? [index] : []))
  return new ById(paths.map(({ segment: { id } }) => [id, indexes(id)]))
}

class OpenSet {
  readonly #asked: AskedPaths
  readonly #envelope: Envelope
  /** Undefined for a value that was not found so far. */
  readonly #values: (string | undefined)[]
  #missing: number
  #placer: LoopPlacer | undefined
  readonly #size = { segments: 1, bytes: 0 }
  #looks = 0

  constructor(asked: AskedPaths, { segment, group }: TransactionSet, placer: LoopPlacer) {
    const { interchange } = group
    this.#asked = asked
    this.#envelope =
      group.segment === undefined ? [interchange.segment] : [interchange.segment, group.segment]
    this.#values = asked.paths.map(() => undefined)
    this.#missing = asked.paths.length
    this.#placer = placer
    for (const each of this.#envelope) this.#look(each, placer.root)
    this.#look(segment, placer.root)
  }

  take(segment: Segment): void {
    const placer = this.#placer
    if (placer === undefined) return
    this.#size.segments += 1
    this.#size.bytes += segment.end - segment.at
    if (!isTooLarge(this.#size)) return this.#look(segment, placer.root)
    this.#values.fill('')
    this.#finish()
  }

  end(): readonly string[] {
    const root = this.#placer?.root
    return this.#values.map((known, index) => {
      const path = this.#asked.paths[index]
      if (known !== undefined || root === undefined || path === undefined) return known ?? ''
      return findValue(path, root, this.#envelope)?.text.trim() ?? ''
    })
  }

  /** Looks for the values that the segment may have. Once all are found, the rest of the set need not be kept. */
  #look(segment: Segment, root: Loop): void {
    const { paths, byId, isFinal } = this.#asked
    const indexes = byId.find(segment)
    if (indexes === undefined || !isFinal || this.#looks >= MAX_LOOKS) return
    this.#looks += 1
    for (const index of indexes) {
      const path = paths[index]
      // Without the segment, the value was not there before.
      if (path === undefined || this.#values[index] !== undefined || !fits(segment, path.segment)) continue
      const hit = findValue(path, root, this.#envelope)
      // A segment may lack the pair that is asked for, and another one have it.
      if (hit === undefined || (path.value.kind === 'pair' && hit.element === undefined)) continue
      this.#values[index] = hit.text.trim()
      this.#missing -= 1
    }
    if (this.#missing === 0) this.#finish()
  }

  #finish(): void {
    this.#placer?.stopKeeping()
    this.#placer = undefined
  }
}
