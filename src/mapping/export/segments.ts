/** Compiles `segments` of an export: which segments a record makes, in which loops, and the source of each element. */
import { findCodes, type SegmentInfo } from '../../edi/dictionary.ts'
import { findGrammar } from '../../edi/documents.ts'
import type { Grammar, LoopRule } from '../../edi/grammar.ts'
import { compilePath } from '../../edi/paths.ts'
import type { SegmentTest } from '../../edi/segment.ts'
import { didYouMean } from '../../support/text.ts'
import { quoteText } from '../values/text.ts'
import { followPath } from './paths.ts'
import type { ObjectShape } from '../shape.ts'
import {
  getEntry,
  getEntryText,
  type ListNode,
  locateKey,
  type MapNode,
  type MappingErrors,
  nodeAt,
  type SourceNode,
  toPlain,
} from '../source/source.ts'
import { type CellCondition, compileCellCondition, type ExportContext } from './cell.ts'
import type { RowScope } from './cell-source.ts'
import { createItemReader, type RowPlan } from './composer.ts'
import {
  compileElements,
  type ElementPlan,
  type ElementTarget,
  type SegmentContext,
  warnOfCode,
} from './segment-elements.ts'

interface Qualifier {
  readonly element: number
  readonly text: string
}

export interface SegmentPlan {
  readonly kind: 'segment'
  readonly id: string
  readonly path: string
  /** Where its number is among those of the loop that it stands in; undefined for a level in a level. */
  readonly slot: number | undefined
  /** The element of the qualifier, and its text; absent where the mapping names none. */
  readonly qualifier: Qualifier | undefined
  readonly elements: readonly ElementPlan[]
  /** The id, the qualifier and plain constants, which are the same for all records; and the elements that are not in it. */
  readonly template: readonly string[]
  readonly filled: readonly ElementPlan[]
  /** It has no other elements than constants, so it is there although none is of the record. */
  readonly isConstant: boolean
  /** Elements that must not be blank. */
  readonly mandatory: readonly { readonly element: number; readonly path: string }[]
  readonly holds: CellCondition | undefined
  /** That condition as the mapping writes it. */
  readonly when: unknown
  /** The loop that it opens. A level of a tree numbers itself. */
  readonly loop: LoopRule | undefined
  readonly inside: readonly EntryPlan[]
}

export interface EachPlan {
  readonly kind: 'each'
  /** The path of the list. */
  readonly each: string
  readonly items: RowPlan['items']
  /** Its segments are the lines of the document, of which there must be some. */
  readonly makesLines: boolean
  readonly inside: readonly EntryPlan[]
}

export type EntryPlan = SegmentPlan | EachPlan

export interface DocumentPlan {
  readonly grammar: Grammar
  /** What may be wrong, with its line and column. */
  readonly warnings: readonly string[]
  /** The segments of each record. */
  readonly record: readonly EntryPlan[]
  /** The segments before and after those of the records, where all records share one set. */
  readonly frame: { readonly begin: readonly EntryPlan[]; readonly end: readonly EntryPlan[] } | undefined
  /** Whether values of the envelope stand in it, such as `$interchange`. */
  readonly namesEnvelope: boolean
}

/** What the segments of one list stand in. */
interface Place {
  readonly rule: LoopRule
  /** For paths in messages: `N1*ST/`. */
  readonly prefix: string
  readonly scope: RowScope
}

/** Undefined after noting errors. */
export function compileSegments(
  root: MapNode,
  document: { readonly syntax: 'x12' | 'edifact'; readonly name: string; readonly sharesSet: boolean },
  context: ExportContext,
): DocumentPlan | undefined {
  const { errors } = context
  const node = getEntry(root, 'segments')
  if (node?.kind !== 'list') return errors.add(node ?? root, 'write the segments of a set as a list')
  const grammar = findGrammar(document.syntax, document.name)
  if (grammar === undefined) return undefined
  const firstPartsOnly = getEntryText(root, 'parts') !== 'all'
  const warnings: string[] = []
  const own: SegmentContext = { ...context, grammar, firstPartsOnly, warnings }
  const scope = { record: context.record, each: undefined, item: undefined }
  const place = { rule: grammar.root, prefix: '', scope }
  if (!document.sharesSet) {
    const record = compileList(node, place, own)
    return { grammar, warnings, record, frame: undefined, namesEnvelope: namesEnvelope(node) }
  }
  if ([...grammar.root.loops.values()].some(({ tree }) => tree !== undefined))
    errors.add(node, `\`set: file\` is for documents without levels, and ${document.name} has them`)
  return compileFrame(node, place, own)
}

function namesEnvelope(node: SourceNode): boolean {
  return /\$(?:interchange|group|date)\b/.test(JSON.stringify(toPlain(node)))
}

/** `each: record` divides the segments of a set that all records share. */
function compileFrame(node: ListNode, place: Place, context: SegmentContext): DocumentPlan | undefined {
  const { errors } = context
  const at = node.items.findIndex((item) => getEntryText(item, 'each') === 'record')
  const entry = node.items[at]
  const inside = entry && getEntry(entry, 'in')
  if (inside?.kind !== 'list')
    return errors.add(entry ?? node, 'with `set: file`, one entry is `{ each: record, in: [ … ] }`')
  const empty = { kind: 'object', fields: new Map(), rules: [], required: true } satisfies ObjectShape
  const outer = { ...place, scope: { ...place.scope, record: empty } }
  const around = { ...context, record: empty }
  checkOrder([...node.items.slice(0, at), ...inside.items, ...node.items.slice(at + 1)], place, context)
  const compileAround = (items: readonly SourceNode[]) =>
    items.flatMap((item) => compileEntry(item, outer, around) ?? [])
  return {
    grammar: context.grammar,
    warnings: context.warnings,
    record: inside.items.flatMap((item) => compileEntry(item, place, context) ?? []),
    frame: { begin: compileAround(node.items.slice(0, at)), end: compileAround(node.items.slice(at + 1)) },
    namesEnvelope: namesEnvelope(node),
  }
}

function compileList(node: ListNode, place: Place, context: SegmentContext): EntryPlan[] {
  checkOrder(node.items, place, context)
  return node.items.flatMap((item) => compileEntry(item, place, context) ?? [])
}

function compileEntry(node: SourceNode, place: Place, context: SegmentContext): EntryPlan | undefined {
  const { errors } = context
  if (node.kind !== 'map')
    return errors.add(node, 'write a segment and its elements, such as `- BEG: { 01: … }`')
  if (node.entries.has('each')) return compileEach(node, place, context)
  const [[written, entry] = [], ...others] = node.entries
  if (written === undefined || entry === undefined) return errors.add(node, 'a segment is missing here')
  for (const [key] of others)
    errors.add(locateKey(node, key), 'each segment is an entry of the list of its own')
  if (entry.node.kind !== 'map')
    return errors.add(entry.node, 'write the elements of the segment: `{ 01: … }`')
  return compileSegment({ written, at: locateKey(node, written), node: entry.node }, place, context)
}

function compileEach(node: MapNode, place: Place, context: SegmentContext): EachPlan | undefined {
  const { errors } = context
  const each = getEntryText(node, 'each') ?? ''
  const inside = getEntry(node, 'in')
  for (const key of node.entries.keys())
    if (key !== 'each' && key !== 'in') errors.add(locateKey(node, key), 'beside `each` stands only `in`')
  if (inside?.kind !== 'list') return errors.add(node, '`each` needs `in`: the segments of each item')
  if (place.scope.each !== undefined) return errors.add(node, 'one `each` cannot stand in another')
  const followed = followPath(place.scope.record, each)
  if ('error' in followed) return errors.add(nodeAt(node, 'each'), followed.error)
  const { found } = followed
  if (found.kind !== 'list' || (found.item.kind !== 'object' && found.item.kind !== 'field'))
    return errors.add(nodeAt(node, 'each'), `${each} is no list`)
  const ids = new Set(inside.items.flatMap((item) => readId(item) ?? []))
  if (ids.size > 1)
    return errors.add(
      inside,
      `the segments of all items stand together, so ${[...ids].join(' and ')} each need an \`each\` of their own`,
    )
  const scope = { ...place.scope, each, item: found.item }
  const hasParts = found.item.kind === 'object' && found.item.fields.has('part')
  const items = createItemReader(each, context.firstPartsOnly && hasParts)
  const entries = inside.items.flatMap((item) => compileEntry(item, { ...place, scope }, context) ?? [])
  const { lines } = context.grammar.definition
  // Where the document must have a line, one that is missing is a problem anyway.
  const isRequired = place.rule.required.some(({ id }) => ids.has(id))
  const makesLines = !isRequired && entries.some((entry) => holdsLine(entry, lines))
  return { kind: 'each', each, items, makesLines, inside: entries }
}

/** Whether the entry is a line of the document, or one stands in it: an 855 has its lines, the ACKs, in the PO1. */
function holdsLine(entry: EntryPlan, lines: string): boolean {
  if (entry.kind === 'each') return false
  const own = entry.path.slice(entry.path.lastIndexOf('/') + 1)
  const isLine = own === lines || own.startsWith(`${lines}*`) || own.startsWith(`${lines}+`)
  return isLine || entry.inside.some((inside) => holdsLine(inside, lines))
}

function compileSegment(
  { written, at, node }: { written: string; at: { offset: number; path: string }; node: MapNode },
  { rule, prefix, scope }: Place,
  context: SegmentContext,
): SegmentPlan | undefined {
  const { errors, grammar } = context
  const test = parseSegment(written, grammar)
  if (typeof test === 'string') return errors.add(at, test)
  const isLevel = rule.tree !== undefined && rule.id === test.id
  const found = rule.places.get(test.id)
  if (found === undefined && !isLevel) {
    const where = rule === grammar.root ? grammar.document : `the loop of ${rule.id}`
    return errors.add(at, `${where} has no ${test.id}.${didYouMean(test.id, [...rule.places.keys()])}`)
  }
  const own = isLevel ? rule : found?.loop
  const path = prefix + written
  const info = grammar.dictionary.find(test.id)
  const [text] = test.qualifiers
  const qualifier = text === undefined ? undefined : { element: test.qualifier, text }
  checkQualifier(at, { text, info, path, element: test.qualifier }, errors)
  const codes = info && findCodes(info, test.qualifier, 1)
  if (text !== undefined)
    warnOfCode(at, { code: text, path: formatElementPath(path, test.qualifier), codes }, context)
  const elements = compileElements(node, { test, path, info, scope, rule }, context)
  const inside = getEntry(node, 'in')
  const condition = getEntry(node, 'when')
  if (inside !== undefined && (inside.kind !== 'list' || own === undefined))
    errors.add(
      inside,
      own === undefined ? `${test.id} begins no loop, so nothing stands in it` : 'expected a list',
    )
  const tree = own?.tree
  const mandatory = listMandatory(info, tree)
  checkMandatory(node, { mandatory, elements, qualifier, path }, errors)
  // A segment of its qualifier alone stands for what is inside it.
  const isOpener = elements.length === 0 && inside !== undefined
  return {
    kind: 'segment',
    id: test.id,
    path,
    slot: found?.index,
    qualifier,
    elements,
    ...createTemplate(test.id, qualifier, elements),
    isConstant:
      !isOpener && elements.every((element) => element.counted === undefined && isConstant(element)),
    mandatory: mandatory.map((element) => ({ element, path: formatElementPath(path, element) })),
    holds: compileCellCondition(node, scope, errors),
    when: condition && toPlain(condition),
    loop: own,
    inside:
      inside?.kind === 'list' && own !== undefined
        ? compileList(inside, { rule: own, prefix: `${path}/`, scope }, context)
        : [],
  }
}

/** Notes a qualifier that is longer or shorter than its element. */
function checkQualifier(
  at: { offset: number; path: string },
  {
    text,
    info,
    path,
    element,
  }: { text: string | undefined; info: SegmentInfo | undefined; path: string; element: number },
  errors: MappingErrors,
): void {
  const known = info?.elements[element - 1]
  const { min = 0, max = Infinity } = known?.components[0] ?? known ?? {}
  if (text === undefined || (text.length >= min && text.length <= max)) return
  const takes = min === max ? String(max) : `${min} to ${max}`
  errors.add(
    at,
    `${quoteText(text)} has ${text.length} characters; ${formatElementPath(path, element)} takes ${takes}`,
  )
}

function createTemplate(id: string, qualifier: Qualifier | undefined, elements: readonly ElementPlan[]) {
  const template = [id]
  const set = (element: number, text: string) => {
    while (template.length <= element) template.push('')
    template[element] = text
  }
  if (qualifier !== undefined) set(qualifier.element, qualifier.text)
  const filled = elements.filter((element) => {
    const { target, cell, form, info, counted } = element
    const isPlain =
      isConstant(element) &&
      counted === undefined &&
      target.kind === 'element' &&
      target.component === undefined
    if (!isPlain || form !== 'text' || cell.holds !== undefined) return true
    const text = cell.text({}, undefined, () => '')
    // Letters and digits are no delimiters, whatever the partner wants.
    if (!/^[A-Za-z0-9]+$/.test(text) || text.length < (info?.min ?? 0)) return true
    set(target.element, text)
    return false
  })
  return { template, filled }
}

/** A constant names no field. */
function isConstant({ cell }: ElementPlan): boolean {
  return cell.field === ''
}

/** The id and at most one qualifier. */
function parseSegment(written: string, grammar: Grammar): SegmentTest | string {
  // A path has a value; element 01 is there in every segment.
  const path = compilePath(`any/${written}.01`, { grammar, dictionary: grammar.dictionary })
  if (typeof path === 'string') return path
  const { segment } = path
  const isPlain = segment.qualifiers.length <= 1 && segment.conditions.length === 0 && segment.nth === 1
  return isPlain ? segment : `write the id of the segment, and at most one qualifier: ${segment.id}*…`
}

/** Elements behind the begin of the pairs are filled in twos, and the elements of a tree fill themselves. */
function listMandatory(info: SegmentInfo | undefined, tree: LoopRule['tree']): number[] {
  if (info === undefined || tree !== undefined) return []
  const end = info.pairs?.from ?? Infinity
  return info.elements.flatMap(({ isMandatory }, index) =>
    isMandatory && index + 1 < end ? [index + 1] : [],
  )
}

function checkMandatory(
  node: MapNode,
  {
    mandatory,
    elements,
    qualifier,
    path,
  }: { mandatory: readonly number[]; path: string } & Pick<SegmentPlan, 'elements' | 'qualifier'>,
  errors: MappingErrors,
): void {
  const filled = new Set(elements.flatMap(({ target }) => listFilled(target)))
  if (qualifier !== undefined) filled.add(qualifier.element)
  for (const element of mandatory) {
    if (!filled.has(element))
      errors.add(node, `${formatElementPath(path, element)} must be there: say what stands in it`)
  }
}

function listFilled(target: ElementTarget): number[] {
  if (target.kind === 'element') return [target.element]
  if (target.kind === 'pair') return [target.pairs.from]
  const { date, time } = target.places
  return time === undefined ? [date] : [date, time]
}

export function formatElementPath(path: string, element: number): string {
  return `${path}.${String(element).padStart(2, '0')}`
}

/** The id of a segment as the mapping writes it: `N1` of `N1*ST`. */
function readId(node: SourceNode): string | undefined {
  const [key = ''] = node.kind === 'map' ? node.entries.keys() : []
  return /^[A-Z0-9]+/.exec(key)?.[0]
}

/** Notes segments that stand before one that comes earlier in the document, and those that are missing. */
function checkOrder(items: readonly SourceNode[], { rule, prefix }: Place, context: SegmentContext): void {
  const { errors, grammar } = context
  let last = { index: -1, id: '' }
  const seen = new Set<string>()
  const visit = (list: readonly SourceNode[]) => {
    for (const item of list) {
      if (item.kind !== 'map') continue
      const inside = item.entries.has('each') ? getEntry(item, 'in') : undefined
      if (inside?.kind === 'list') visit(inside.items)
      const [key = ''] = item.entries.keys()
      const id = readId(item) ?? ''
      seen.add(id)
      const index = rule.order.indexOf(id)
      if (index === -1) continue
      if (index < last.index)
        errors.add(locateKey(item, key), `${id} stands before ${last.id} in the document`)
      else last = { index, id }
    }
  }
  visit(items)
  const [first] = items
  for (const { id } of rule.required) {
    const name = prefix === '' ? grammar.document : prefix.slice(0, -1)
    if (!seen.has(id) && first !== undefined) errors.add(first, `${name} needs the segment ${id}`)
  }
}

/** A segment whose elements are the cells of a row, for tools that explain a mapping. */
export interface SegmentRow extends RowPlan {
  readonly plan: SegmentPlan
}

/** Lists the segments in their order, those around the records too. */
export function listSegmentRows({ record, frame }: DocumentPlan): SegmentRow[] {
  const walk = (entry: EntryPlan, each?: EachPlan): SegmentRow[] => {
    if (entry.kind === 'each') return entry.inside.flatMap((inside) => walk(inside, entry))
    const cells = entry.elements.map(({ cell }) => cell)
    const items = each?.items ?? (() => [undefined])
    const row = { type: entry.path, each: each?.each, items, cells, plan: entry }
    return [row, ...entry.inside.flatMap((inside) => walk(inside, each))]
  }
  const entries = [...(frame?.begin ?? []), ...record, ...(frame?.end ?? [])]
  return entries.flatMap((entry) => walk(entry))
}
