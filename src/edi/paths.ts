/** Paths to values of an EDI document, as people who do EDI write them: `REF*CO.02`, `N1*ST/N4.02`, `NAD+DP.3042`. */
import { didYouMean } from '../support/text.ts'
import type { Dictionary, SegmentInfo } from './dictionary.ts'
import type { Grammar, LoopRule, SegmentPlace } from './grammar.ts'
import { type SegmentTest, shareText, toIdBit } from './segment.ts'

export type PathValue =
  | {
      readonly kind: 'element'
      readonly element: number
      readonly component?: number
      /** Where a data element stands that a segment has several times; for paths that take all values. */
      readonly places?: readonly { readonly element: number; readonly component?: number }[]
    }
  /** The value of a pair, by its qualifier. */
  | { readonly kind: 'pair'; readonly qualifier: string; readonly pairs: NonNullable<SegmentInfo['pairs']> }
  | { readonly kind: 'date'; readonly places: NonNullable<SegmentInfo['date']> }
  /** All elements. */
  | { readonly kind: 'text' }

export interface EdiPath {
  /** As the mapping spells it. */
  readonly text: string
  /** `any`: in every loop of the record; `envelope`: a segment around the set. */
  readonly scope: 'near' | 'any' | 'envelope'
  /** The loops that it leads through, from the outermost. */
  readonly loops: readonly SegmentTest[]
  readonly segment: SegmentTest
  readonly value: PathValue
  /** For an element that is a number: its implied decimals, which count where it has no point. */
  readonly number?: { readonly implied: number }
}

/** A loop that makes records or lines: `HL*P`, `PO1`. */
export type LoopTest = SegmentTest

const ENVELOPES: readonly string[] = ['ISA', 'GS', 'UNB', 'UNG']

/** What a path may lead to. */
export interface PathContext {
  readonly grammar: Grammar
  readonly dictionary: Dictionary
}

/** Compiles a path, or returns why the text is not a path of the document. */
export function compilePath(text: string, context: PathContext): EdiPath | string {
  const { dictionary } = context
  const steps = text.split('/')
  const isAny = steps.length > 1 && steps[0] === 'any'
  if (isAny) steps.shift()
  const last = steps.pop() ?? ''
  const loops = compileSteps(steps, context)
  if (typeof loops === 'string') return loops
  const [written, valueText] = splitValue(last, dictionary)
  const isEnvelope = ENVELOPES.includes(written)
  const segment = isEnvelope ? createTest(written) : compileSegment(written, context)
  if (typeof segment === 'string') return segment
  const info = dictionary.find(segment.id)
  if (valueText === undefined) return `${text} names no value: write an element, such as ${written}.02`
  const value = compileValue(valueText, segment.id, info)
  if (typeof value === 'string') return value
  const error = isAny ? undefined : explainOutside(loops, segment, context)
  if (error !== undefined) return `${error} Write any/${last} to look in every loop.`
  const scope = isEnvelope ? 'envelope' : isAny ? 'any' : 'near'
  const implied = countImplied(value, info)
  return { text, scope, loops, segment, value, ...(implied === undefined ? {} : { number: { implied } }) }
}

/** Compiles `N1*ST/N3` and `BEG.02`, or returns why the document has no such place. */
export function compilePlace(text: string, context: PathContext): SegmentPlace | string {
  const steps = text.split('/')
  const last = steps.pop() ?? ''
  const loops = compileSteps(steps, context)
  if (typeof loops === 'string') return loops
  const [written, valueText] = splitValue(last, context.dictionary)
  const segment = compileSegment(written, context)
  if (typeof segment === 'string') return segment
  const error = explainOutside(loops, segment, context)
  if (error !== undefined) return error
  const second = [...loops, segment].find(({ nth }) => nth !== 1)
  if (second !== undefined) return `the rule is for every ${second.id}: leave #${second.nth} out`
  if (valueText === undefined) return { text, loops, segment }
  const value = compileValue(valueText, segment.id, context.dictionary.find(segment.id))
  if (typeof value === 'string') return value
  if (value.kind === 'element') {
    const { element, component } = value
    return { text, loops, segment, value: { element, ...(component === undefined ? {} : { component }) } }
  }
  return `"${valueText}" is no element of ${segment.id}: write its number, such as ${segment.id}.02`
}

/** Compiles a loop of `records` or `lines`, or returns why the document has no such loop. `ST` and `UNH` mean the whole set. */
export function compileLoopTest(text: string, context: PathContext): LoopTest | string {
  const loop = compileSegment(text, context)
  if (typeof loop === 'string') return loop
  const { root, document } = context.grammar
  if (loop.id === root.id || isLoop(root, loop.id)) return loop
  return `${loop.id} begins no loop of ${document}.${didYouMean(loop.id, listLoops(root))}`
}

/** Whether the path, without `/`, leads into the loop: its values differ from line to line. */
export function leadsInto({ scope, loops, segment }: EdiPath, loop: LoopTest, root: LoopRule): boolean {
  if (scope !== 'near') return false
  const first = loops[0]?.id ?? segment.id
  if (first === loop.id) return loop.qualifiers.length === 0
  const rule = findLoop(root, loop.id)
  return rule !== undefined && isOnlyInside(root, rule, first)
}

/** Compiles the loops that a path leads through. */
function compileSteps(steps: readonly string[], context: PathContext): SegmentTest[] | string {
  const { root, document } = context.grammar
  const loops: SegmentTest[] = []
  for (const step of steps) {
    const loop = compileSegment(step, context)
    if (typeof loop === 'string') return loop
    if (!isLoop(root, loop.id))
      return `${loop.id} begins no loop of ${document}, so nothing is in it.${didYouMean(loop.id, listLoops(root))}`
    loops.push(loop)
  }
  return loops
}

/** Why a path through the loops cannot lead to the segment. */
function explainOutside(
  [outer]: readonly SegmentTest[],
  segment: SegmentTest,
  { grammar: { root, document } }: PathContext,
): string | undefined {
  if (outer === undefined || isInside(root, outer.id, segment.id)) return undefined
  return `the loop of ${outer.id} in ${document} has no ${segment.id}.`
}

function createTest(id: string): SegmentTest {
  return { id: shareText(id), idBit: toIdBit(id), qualifiers: [], qualifier: 1, conditions: [], nth: 1 }
}

const SEGMENT =
  /^([A-Z][A-Z0-9]{1,2})(?:[*+]((?!\d{1,2}=)[^*+#=]+))?((?:[*+]\d{1,2}=[^*+#]+)*)(?:#(\d{1,3}))?$/

function compileSegment(text: string, { grammar, dictionary }: PathContext): SegmentTest | string {
  const match = SEGMENT.exec(text)
  if (match === null) {
    return `"${text}" is no segment: write its id, and a qualifier behind * or +, such as N1*ST`
  }
  const [, id = '', qualifiers, conditions = '', nth = '1'] = match
  if (!grammar.ids.has(id)) {
    return `${grammar.document} has no segment ${id}.${didYouMean(id, [...grammar.ids])}`
  }
  const { qualifier } = dictionary.find(id) ?? {}
  if (qualifiers !== undefined && qualifier === undefined) {
    return `${id} has no qualifier: write ${id}*01=${qualifiers} if its element 01 is meant`
  }
  return {
    id: shareText(id),
    idBit: toIdBit(id),
    qualifiers: qualifiers?.split('|') ?? [],
    qualifier: qualifier ?? 1,
    conditions: [...conditions.matchAll(/[*+](\d{1,2})=([^*+#]+)/g)].map(([, element, value = '']) => ({
      element: Number(element),
      text: value,
    })),
    nth: Number(nth),
  }
}

/** `BEG.03` and `BEG03`; a qualifier may hold a point. */
function splitValue(last: string, dictionary: Dictionary): [segment: string, value: string | undefined] {
  const point = /^(.+)\.([^.*+/]+)$/.exec(last)
  if (point !== null) return [point[1] ?? '', point[2]]
  const joined = /^([A-Z][A-Z0-9]{1,2})(\d\d)$/.exec(last)
  if (joined !== null && dictionary.find(last) === undefined) return [joined[1] ?? '', joined[2]]
  return [last, undefined]
}

function compileValue(text: string, id: string, info: SegmentInfo | undefined): PathValue | string {
  const element = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(text)
  if (element !== null) return compileElement(Number(element[1]), element[2], id, info)
  const numbered = /^([A-Z]?\d{2,4})(?:#(\d))?$/.exec(text)
  if (numbered !== null) return findNumbered(numbered[1] ?? '', numbered[2], id, info)
  if (text === 'text') return { kind: 'text' }
  if (text === 'date') {
    return info?.date === undefined ? `${id} holds no date` : { kind: 'date', places: info.date }
  }
  if (!/^[A-Z0-9]{1,3}$/.test(text))
    return `"${text}" is no value of ${id}: write an element, such as ${id}.02`
  if (info?.pairs === undefined) return `${id} has no pairs, so ${id}.${text} means nothing`
  return { kind: 'pair', qualifier: text, pairs: info.pairs }
}

function compileElement(
  element: number,
  component: string | undefined,
  id: string,
  info: SegmentInfo | undefined,
): PathValue | string {
  const known = info?.elements.length
  if (element === 0 || (known !== undefined && element > known)) {
    return `${id} has ${known === undefined ? 'elements from 01' : `${known} elements`}, and no ${String(element).padStart(2, '0')}`
  }
  if (component === undefined) return { kind: 'element', element }
  const components = info?.elements[element - 1]?.components.length ?? 0
  if (components > 0 && Number(component) > components) {
    return `element ${element} of ${id} has ${components} components, and no ${component}`
  }
  return { kind: 'element', element, component: Number(component) }
}

/** Finds a data element by its number. */
function findNumbered(
  number: string,
  nth: string | undefined,
  id: string,
  info: SegmentInfo | undefined,
): PathValue | string {
  const places = (info?.elements ?? []).flatMap(
    (element, index): { readonly element: number; readonly component?: number }[] => {
      if (element.number === number) return [{ element: index + 1 }]
      return element.components.flatMap((component, position) =>
        component.number === number ? [{ element: index + 1, component: position + 1 }] : [],
      )
    },
  )
  const found = places[Number(nth ?? 1) - 1]
  if (found !== undefined) return { kind: 'element', ...found, ...(nth === undefined ? { places } : {}) }
  const numbers = (info?.elements ?? []).flatMap((element) =>
    element.components.length === 0 ? [element.number] : element.components.map((each) => each.number),
  )
  return places.length === 0
    ? `${id} has no data element ${number}. It has ${numbers.filter((each) => each !== '').join(', ')}.`
    : `${id} has the data element ${number} ${places.length} times`
}

/** How many decimals the last digits of a number are where it holds no point; undefined for what is no number. */
function countImplied(value: PathValue, info: SegmentInfo | undefined): number | undefined {
  if (value.kind !== 'element') return undefined
  const element = info?.elements[value.element - 1]
  const { type = '' } =
    (value.component === undefined ? element : element?.components[value.component - 1]) ?? {}
  if (type === 'R') return 0
  return /^N\d$/.test(type) ? Number(type.slice(1)) : undefined
}

// Loops of a grammar.

function listLoops(rule: LoopRule): string[] {
  return [...rule.loops.values()].flatMap((loop) => [loop.id, ...listLoops(loop)])
}

function findLoop(rule: LoopRule, id: string): LoopRule | undefined {
  for (const loop of rule.loops.values()) {
    const found = loop.id === id ? loop : findLoop(loop, id)
    if (found !== undefined) return found
  }
  return undefined
}

function isLoop(rule: LoopRule, id: string): boolean {
  return findLoop(rule, id) !== undefined
}

/** Whether any loop of this name has the segment, at any depth. */
function isInside(root: LoopRule, loop: string, id: string): boolean {
  return listRules(root).some((rule) => rule.id === loop && (rule.id === id || hasSegment(rule, id)))
}

function listRules(rule: LoopRule): LoopRule[] {
  return [rule, ...[...rule.loops.values()].flatMap(listRules)]
}

function hasSegment(rule: LoopRule, id: string): boolean {
  // Levels of a tree stand inside each other.
  if (rule.tree !== undefined && rule.id === id) return true
  return (
    rule.segments.has(id) || [...rule.loops.values()].some((loop) => loop.id === id || hasSegment(loop, id))
  )
}

function isOnlyInside(root: LoopRule, inside: LoopRule, id: string): boolean {
  if (inside.id !== id && !hasSegment(inside, id)) return false
  const isElsewhere = (rule: LoopRule): boolean =>
    rule !== inside &&
    (rule.segments.has(id) ||
      [...rule.loops.values()].some((loop) => (loop !== inside && loop.id === id) || isElsewhere(loop)))
  return !isElsewhere(root)
}

/** Adds the total of the definition; a grammar of a partner may have taken it away. */
export function addLineTotal(grammar: Grammar): Grammar {
  const { total } = grammar.definition
  if (total === undefined) return grammar
  const context = { grammar, dictionary: grammar.dictionary }
  const place = compilePlace(total.place, context)
  const loops = total.loops
    .map((loop) => compileLoopTest(loop, context))
    .filter((loop) => typeof loop !== 'string')
  if (typeof place === 'string' || loops.length === 0) return grammar
  return { ...grammar, total: { place, loops } }
}
