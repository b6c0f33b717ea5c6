/** Which segments a document has, in which loops, and what makes its records and their lines. */
import type { Dictionary } from './dictionary.ts'
import { ById, type SegmentTest, type Syntax } from './segment.ts'

/** A segment, or a loop that is named by its first segment: `REF 0..n`, `{ 'N1 0..200': ['N2 0..2', 'N3 0..2'] }`. */
export type GrammarEntry = string | Readonly<Record<string, readonly GrammarEntry[] | TreeDefinition>>

/** A loop whose occurrences name their parents, such as HL and CPS. */
export interface TreeDefinition {
  readonly tree: TreeRule
  readonly segments: readonly GrammarEntry[]
}

export interface TreeRule {
  /** The elements that hold the id of a level, the id of the level above it, and the kind of the level. */
  readonly id: number
  readonly parent: number
  /** Absent where levels have no kinds: CPS. */
  readonly level?: number
  /** The kinds of levels from the outermost to the innermost, for levels that do not name their parent. */
  readonly ranks: readonly string[]
}

/** A grammar as data: see `grammars/`. Written from public guides; it is not the standard. */
export interface GrammarDefinition {
  /** `x12/850`, `edifact/ORDERS`. */
  readonly document: string
  /** The code of the group in GS01; only X12. */
  readonly group?: string
  readonly title: string
  /** The versions that public guides show: `004010`, `D.96A`. Others are read alike. */
  readonly versions: readonly string[]
  /** The loops that make a record, such as `['HL*P', 'HL*O']`; of loops inside each other the innermost. Else the set. */
  readonly records?: readonly string[]
  /** The loop that makes a line. */
  readonly lines: string
  /**
   * For documents whose records are parts of it: where the number of its lines stands, and which loops that may count. Any
   * of them will do. The totals of other documents are for the mapping to check.
   */
  readonly total?: { readonly place: string; readonly loops: readonly string[] }
  readonly segments: readonly GrammarEntry[]
}

interface Bounds {
  readonly min: number
  readonly max: number
}

export interface LoopRule extends Bounds {
  /** The id of its first segment; `ST` or `UNH` for the whole set. */
  readonly id: string
  /** Its segments without the first, by id. */
  readonly segments: ReadonlyMap<string, Bounds>
  readonly loops: ReadonlyMap<string, LoopRule>
  /** Both, by id. */
  readonly places: ReadonlyMap<string, LoopPlace>
  /** A zero for each place, to count from. */
  readonly zeros: readonly number[]
  /** The ids that must be there: those of segments first. */
  readonly required: readonly LoopPlace[]
  /** How often what stands at a place must and may stand there, segments and loops together; without those that are free. */
  readonly limits: readonly (Bounds & { readonly id: string; readonly index: number })[]
  /** The ids of its segments and loops in the order in which they stand. */
  readonly order: readonly string[]
  readonly tree?: TreeRule
  /** The element of its first segment that says what the loop is about: 1 for N1. */
  readonly qualifier?: number
  /** Where segments go while the loop is the innermost one that is open; found when an id is first met. */
  readonly steps: ById<LoopStep>
}

/** Where a segment goes while loops are open. */
export interface LoopStep {
  /** The index of the open loop that takes it; those behind it end. */
  readonly level: number
  /** The loop that it begins there. */
  readonly opens: LoopRule | undefined
  /** Where it stands otherwise; undefined where it has no place in any of the loops. */
  readonly place: LoopPlace | undefined
}

/** What a loop has under one id. */
export interface LoopPlace {
  readonly id: string
  /** Counts the places of a loop from 0. */
  readonly index: number
  readonly segment: Bounds | undefined
  readonly loop: LoopRule | undefined
}

/** What a rule of a grammar is about: a segment, or with `value` an element of it. */
export interface SegmentPlace {
  /** As the grammar spells it: `N1*ST/N3`. */
  readonly text: string
  /** The loops that it leads through, from the outermost. */
  readonly loops: readonly SegmentTest[]
  readonly segment: SegmentTest
  readonly value?: { readonly element: number; readonly component?: number }
}

/** What a partner asks of each document besides the segments that must be there. */
export interface GrammarChecks {
  /** Documents hold no other segments than the grammar, and no more of each. */
  readonly isClosed: boolean
  /** The beginnings of the versions that are expected; empty for any. */
  readonly versions: readonly string[]
  /** What each loop through which a place leads must hold. */
  readonly required: readonly SegmentPlace[]
  /** The texts that an element may have where it is not blank. */
  readonly codes: readonly { readonly place: SegmentPlace; readonly allowed: ReadonlySet<string> }[]
}

export interface Grammar {
  readonly syntax: Syntax
  /** `850`, `ORDERS`. */
  readonly document: string
  readonly definition: GrammarDefinition
  readonly root: LoopRule
  /** The ids of all its segments. */
  readonly ids: ReadonlySet<string>
  /** What is known of its segments. */
  readonly dictionary: Dictionary
  /** Where the document says how many lines it has. */
  readonly total?: { readonly place: SegmentPlace; readonly loops: readonly SegmentTest[] }
  /** What a partner's grammar asks of each document; the built-in ones ask nothing. */
  readonly checks?: GrammarChecks
}

export function compileGrammar(definition: GrammarDefinition, dictionary: Dictionary): Grammar {
  const [syntax, document = ''] = definition.document.split('/')
  const isX12 = syntax === 'x12'
  const context = { ids: new Set<string>(), dictionary }
  const root = compileLoop({ id: isX12 ? 'ST' : 'UNH', min: 1, max: 1 }, definition.segments, context)
  return { syntax: isX12 ? 'x12' : 'edifact', document, definition, root, ids: context.ids, dictionary }
}

function compileLoop(
  own: Pick<LoopRule, 'id' | 'min' | 'max'>,
  entries: readonly GrammarEntry[],
  context: { readonly ids: Set<string>; readonly dictionary: Dictionary },
  tree?: TreeRule,
): LoopRule {
  const { ids, dictionary } = context
  ids.add(own.id)
  const segments = new Map<string, Bounds>()
  const loops = new Map<string, LoopRule>()
  for (const entry of entries) {
    if (typeof entry === 'string') {
      const { id, min, max } = parseCount(entry)
      segments.set(id, { min, max })
      ids.add(id)
      continue
    }
    for (const [written, inside] of Object.entries(entry)) {
      const counted = parseCount(written)
      const isTree = 'tree' in inside
      const rule = compileLoop(
        counted,
        isTree ? inside.segments : inside,
        context,
        isTree ? inside.tree : undefined,
      )
      loops.set(counted.id, rule)
    }
  }
  const order = entries.flatMap((entry) =>
    (typeof entry === 'string' ? [entry] : Object.keys(entry)).map((written) => parseCount(written).id),
  )
  const places = new Map(
    [...new Set([...segments.keys(), ...loops.keys()])].map((id, index) => [
      id,
      { id, index, segment: segments.get(id), loop: loops.get(id) },
    ]),
  )
  const required = [...places.values()].filter(
    ({ segment, loop }) => (segment?.min ?? 0) > 0 || (loop?.min ?? 0) > 0,
  )
  const limits = [...places.values()].flatMap(({ id, index, segment, loop }) => {
    const min = Math.max(segment?.min ?? 0, loop?.min ?? 0)
    const max = (segment?.max ?? 0) + (loop?.max ?? 0)
    return min === 0 && max === Infinity ? [] : [{ id, index, min, max }]
  })
  const zeros = [...places].map(() => 0)
  const { qualifier } = dictionary.find(own.id) ?? {}
  return {
    ...own,
    segments,
    loops,
    places,
    zeros,
    required,
    limits,
    order,
    ...(tree === undefined ? {} : { tree }),
    ...(qualifier === undefined ? {} : { qualifier }),
    steps: new ById(),
  }
}

/** A segment and how often it may stand there: `REF 0..n`, `BEG 1`. */
export const COUNTED_SEGMENT = /^([A-Z][A-Z0-9]{1,2}) (\d{1,9})(?:\.\.(\d{1,9}|n))?$/

/** Parses `REF 0..n`, `BEG 1`. */
export function parseCount(written: string) {
  const match = COUNTED_SEGMENT.exec(written)
  if (match === null) throw new Error(`A segment of a grammar is not written as "REF 0..n": ${written}`)
  const [, id = '', min = '', max = min] = match
  return { id, min: Number(min), max: max === 'n' ? Infinity : Number(max) }
}
