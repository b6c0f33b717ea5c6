/** The elements of a segment that is written: where each stands, what fills it, and the form of its text. */
import type { Envelope } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { type ElementInfo, findCodes, type SegmentInfo } from '../../edi/dictionary.ts'
import type { Grammar, LoopRule } from '../../edi/grammar.ts'
import { compilePath, type PathValue } from '../../edi/paths.ts'
import type { SegmentTest } from '../../edi/segment.ts'
import { formatDecimal, formatShortDecimal, parseDecimal, rescaleExactly } from '../../support/decimal.ts'
import {
  type ErrorPlace,
  getEntry,
  getEntryText,
  locateKey,
  type MapNode,
  type MappingErrors,
  nodeAt,
  type SourceNode,
} from '../source/source.ts'
import { quoteText } from '../values/text.ts'
import { noteRefused, type RefuseCell } from './cell-format.ts'
import { type CellPlan, compileCell, type ExportContext } from './cell.ts'
import { compilePart, type RowScope } from './cell-source.ts'

/** Where a value stands in its segment. */
export type ElementTarget =
  | { readonly kind: 'element'; readonly element: number; readonly component?: number }
  /** A qualifier and its value in the next pair that is free. */
  | { readonly kind: 'pair'; readonly qualifier: string; readonly pairs: NonNullable<SegmentInfo['pairs']> }
  | { readonly kind: 'date'; readonly places: NonNullable<SegmentInfo['date']> }

export interface ElementPlan {
  /** For messages: `N1*ST/N4.02`. */
  readonly path: string
  readonly target: ElementTarget
  /** What is known of the element; absent where the dictionary does not know it. */
  readonly info: ElementInfo | undefined
  /** What its text must be: digits of a date with its time, of a day, of a time; a number; or any text. */
  readonly form: 'date' | 'day' | 'time' | 'number' | 'text'
  readonly cell: CellPlan
  /** The segments of the set that are counted instead, by id. */
  readonly counted: string | undefined
}

export interface SegmentContext extends ExportContext {
  readonly grammar: Grammar
  readonly firstPartsOnly: boolean
  /** Gets what may be wrong, with its line and column. */
  readonly warnings: string[]
}

/** The keys of a segment that are no elements. */
const SEGMENT_OPTIONS: readonly string[] = ['in', 'when']

export function compileElements(
  node: MapNode,
  {
    test,
    path,
    info,
    scope,
    rule,
  }: { test: SegmentTest; path: string; info: SegmentInfo | undefined; scope: RowScope; rule: LoopRule },
  context: SegmentContext,
): ElementPlan[] {
  const { errors, grammar } = context
  const elements: ElementPlan[] = []
  for (const [key, { node: leaf }] of node.entries) {
    if (SEGMENT_OPTIONS.includes(key)) continue
    const place = `${path}.${key}`
    const compiled = compilePath(`any/${test.id}.${key}`, { grammar, dictionary: grammar.dictionary })
    const target = typeof compiled === 'string' ? compiled : toTarget(compiled.value, key)
    if (typeof target === 'string') {
      errors.add(locateKey(node, key), target)
      continue
    }
    if (target.kind === 'pair') {
      const codes =
        info && findCodes(info, target.pairs.from, 'qualifier' in target.pairs ? target.pairs.qualifier : 1)
      warnOfCode(locateKey(node, key), { code: target.qualifier, path: place, codes }, context)
    }
    const counted = findCounted(leaf, grammar)
    checkCount(leaf, { counted, id: test.id, rule }, context)
    const elementInfo = findElementInfo(target, info)
    const isNumber = elementInfo !== undefined && isNumeric(elementInfo)
    const width = isNumber ? Infinity : (elementInfo?.max ?? Infinity)
    const limits = { ...context.limits, ...(Number.isFinite(width) ? { width } : {}) }
    const dated = addDateFormat(leaf, { target, info: elementInfo }, scope)
    const cell =
      counted === undefined
        ? compileCell(place, dated, { ...context, ...scope, limits })
        : createCountCell(place, counted)
    if (cell === undefined) continue
    const form = findForm(target, elementInfo)
    const element = { path: place, target, info: elementInfo, form, cell, counted }
    checkConstants(leaf, element, context)
    checkCodes(leaf, element, { info, context })
    elements.push(element)
  }
  checkPairs(node, elements, info, errors)
  return elements
}

/** The options whose text stands in the element as the mapping has it. */
const CONSTANT_OPTIONS = ['const', 'default', 'yes', 'no'] as const

/** Notes constants that do not fit the element: records would be held for them, one by one. */
function checkConstants(leaf: SourceNode, element: ElementPlan, { errors, limits }: SegmentContext): void {
  const { info, path } = element
  const hasTable = getEntry(leaf, 'table') !== undefined
  for (const option of CONSTANT_OPTIONS) {
    const written = getEntryText(leaf, option) ?? ''
    const isLookedUp = hasTable && (option === 'yes' || option === 'no')
    if (written === '' || isLookedUp) continue
    const refuse = noteRefused(nodeAt(leaf, option), errors)
    // What the file cannot hold is noted where the cell is compiled.
    const text = limits.fit?.(written, () => '') ?? written
    const length = Array.from(text).length
    const isFlag = option === 'yes' || option === 'no'
    if (isFlag && info !== undefined && !isNumeric(info) && length > info.max)
      errors.add(
        nodeAt(leaf, option),
        `${quoteText(text)} has ${length} characters; ${path} takes ${info.max}`,
      )
    else if (text !== '') formatText({ ...ANY_PARTNER, warnings: [], element, refuse }, element, text)
  }
}

/** Warns of codes that are not known here: they may be a partner's own, or a typing error. */
function checkCodes(
  leaf: SourceNode,
  { target, path }: ElementPlan,
  { info, context }: { info: SegmentInfo | undefined; context: SegmentContext },
): void {
  if (info === undefined || target.kind !== 'element') return
  const { element, component = 1 } = target
  for (const option of CONSTANT_OPTIONS) {
    const code = getEntryText(leaf, option) ?? ''
    if (code !== '')
      warnOfCode(nodeAt(leaf, option), { code, path, codes: findCodes(info, element, component) }, context)
  }
}

/** Nothing is said of an element whose codes are not known at all. */
export function warnOfCode(
  place: ErrorPlace,
  { code, path, codes }: { code: string; path: string; codes: Readonly<Record<string, string>> | undefined },
  { errors, warnings }: Pick<SegmentContext, 'errors' | 'warnings'>,
): void {
  if (codes === undefined || Object.hasOwn(codes, code)) return
  const known = Object.entries(codes).map(([each, meaning]) => `${each} (${meaning})`)
  const shown =
    known.length > CODES_SHOWN ? `${known.slice(0, CODES_SHOWN).join(', ')} and others` : known.join(', ')
  warnings.push(
    `${errors.locate(place)}${quoteText(code)} is no code of ${path} that is known here: ${shown}`,
  )
}

const CODES_SHOWN = 8

/** Delimiters are those of the partner, so that it is not known here whether a constant holds one. */
const ANY_PARTNER = { unsafe: undefined, clash: { replace: ' ' } } as const

/** Notes more pairs than the segment has room for, and elements that stand in their place. */
function checkPairs(
  node: MapNode,
  elements: readonly ElementPlan[],
  info: SegmentInfo | undefined,
  errors: MappingErrors,
): void {
  const pairs = info?.pairs
  const count = elements.filter(({ target }) => target.kind === 'pair').length
  if (info === undefined || pairs === undefined || count === 0) return
  const isComposite = 'value' in pairs
  const behind = info.elements.slice(pairs.from - 1)
  const others = isComposite ? behind.findIndex(({ number }) => number !== behind[0]?.number) : -1
  const room = isComposite ? (others === -1 ? behind.length : others) : Math.floor(behind.length / 2)
  const more = isComposite && pairs.more !== undefined ? `: write others in ${pairs.more.id}` : ''
  if (count > room)
    errors.add(node, `${info.id} has room for ${room} ${room === 1 ? 'pair' : 'pairs'}${more}`)
  const end = pairs.from + (isComposite ? count : 2 * count)
  for (const { target, path } of elements) {
    if (target.kind === 'element' && target.element >= pairs.from && target.element < end)
      errors.add(node, `${path} stands where the pairs stand: write it as a pair, by its qualifier`)
  }
}

/** Notes a count of segments with other options, or in front of what it counts. */
function checkCount(
  leaf: SourceNode,
  { counted, id, rule }: { counted: string | undefined; id: string; rule: LoopRule },
  { errors, grammar }: SegmentContext,
): void {
  const written = getEntryText(leaf, 'count')
  if (counted === undefined) {
    if (written !== undefined && /^[A-Z][A-Z0-9]{1,2}$/.test(written))
      errors.add(nodeAt(leaf, 'count'), `${grammar.document} has no segment ${written}`)
    return
  }
  for (const key of leaf.kind === 'map' ? leaf.entries.keys() : [])
    if (key !== 'count') errors.add(nodeAt(leaf, key), `a count of segments takes no \`${key}\``)
  const own = rule.order.indexOf(id)
  const isLater = rule.order
    .slice(own + 1)
    .some((each) => each === counted || holdsSegment(rule.loops.get(each), counted))
  if (rule === grammar.root && isLater)
    errors.add(leaf, `${counted} is counted before it is written: count it behind the last of them`)
}

function holdsSegment(loop: LoopRule | undefined, id: string): boolean {
  if (loop === undefined) return false
  return (
    loop.segments.has(id) ||
    loop.loops.has(id) ||
    [...loop.loops.values()].some((each) => holdsSegment(each, id))
  )
}

/** Dates and times are written as their element has them, unless the mapping says a format. */
function addDateFormat(
  leaf: SourceNode,
  { target, info }: Pick<ElementPlan, 'target' | 'info'>,
  scope: RowScope,
): SourceNode {
  const path = leaf.kind === 'text' ? leaf.text : getFirstPath(leaf)
  const part = path === undefined ? '' : compilePart(path, scope, false)
  if (getEntry(leaf, 'format') !== undefined || typeof part === 'string') return leaf
  if (part.kind !== 'dateTime' && part.kind !== 'date') return leaf
  const both = part.kind === 'date' ? 'yyyyMMdd' : 'yyyyMMddHHmm'
  const format = target.kind === 'date' ? both : DATE_FORMATS[info?.type ?? '']
  if (format === undefined) return leaf
  const { path: place, offset } = leaf
  const entry = (text: string) => ({
    keyOffset: offset,
    node: { kind: 'text' as const, text, value: text, path: place, offset },
  })
  const before = leaf.kind === 'map' ? leaf.entries : new Map([['from', { keyOffset: offset, node: leaf }]])
  return { kind: 'map', path: place, offset, entries: new Map([...before, ['format', entry(format)]]) }
}

const DATE_FORMATS: Readonly<Record<string, string>> = { DT: 'yyyyMMdd', TM: 'HHmm' }

function getFirstPath(leaf: SourceNode): string | undefined {
  const first = nodeAt(leaf, 'firstOf', 0)
  return getEntryText(leaf, 'from') ?? (first.kind === 'text' ? first.text : undefined)
}

/** `{ count: IT1 }` counts segments of the set; any other `count` a list of the record. */
function findCounted(leaf: SourceNode, grammar: Grammar): string | undefined {
  const counted = getEntryText(leaf, 'count')
  return counted !== undefined && grammar.ids.has(counted) ? counted : undefined
}

function createCountCell(name: string, counted: string): CellPlan {
  return {
    name,
    title: name,
    field: '',
    perItem: false,
    values: [],
    steps: [],
    text: () => '',
    isOpenFormula: () => false,
    holds: undefined,
    isRequired: false,
    hasDefault: false,
    written: { count: counted },
  }
}

function toTarget(value: PathValue, key: string): ElementTarget | string {
  if (value.kind === 'text') return 'write each element by its number, such as 01'
  if (value.kind !== 'element') return value
  const { element, component } = value
  if (element > 99) return `there is no element ${key}`
  return { kind: 'element', element, ...(component === undefined ? {} : { component }) }
}

function findElementInfo(target: ElementTarget, info: SegmentInfo | undefined): ElementInfo | undefined {
  if (target.kind === 'date') return undefined
  if (target.kind === 'element') {
    const element = info?.elements[target.element - 1]
    return target.component === undefined || element?.components.length === 0
      ? element
      : element?.components[target.component - 1]
  }
  const { pairs } = target
  if ('value' in pairs) return info?.elements[pairs.from - 1]?.components[pairs.value - 1]
  return info?.elements[pairs.from]
}

function findForm(target: ElementTarget, info: ElementInfo | undefined): ElementPlan['form'] {
  if (target.kind === 'date') return 'date'
  if (info?.type === 'DT') return 'day'
  if (info?.type === 'TM') return 'time'
  return info !== undefined && isNumeric(info) ? 'number' : 'text'
}

function isNumeric({ type }: ElementInfo): boolean {
  return type === 'R' || /^N\d$/.test(type)
}

// The text of an element: within its length, a number in its form, without delimiters.

/** How values are written that hold a delimiter, which X12 cannot make data. */
export interface ClashRule {
  /** What stands for it; undefined: the record is held. */
  readonly replace: string | undefined
}

/** The delimiters, which no value of X12 may hold. */
export interface DelimiterTest {
  readonly delimiters: readonly string[]
  /** Finds each of them. */
  readonly pattern: RegExp
}

export function createDelimiterTest(delimiters: readonly string[]): DelimiterTest {
  const characters = delimiters.map((each) => `\\u{${(each.codePointAt(0) ?? 0).toString(16)}}`)
  return { delimiters, pattern: new RegExp(`[${characters.join('')}]`, 'u') }
}

/** In X12 a delimiter is never data. Elements repeat from 00402 on. */
export function listDelimiters({ delimiters, version = '' }: Envelope, ofMapping: string): string[] {
  const { element, component, repetition, segment } = delimiters
  const repeats = (version || ofMapping) >= '00402'
  return [element, component, segment, ...(repeats ? [repetition] : [])].filter((each) => each !== '')
}

/** What fills elements. One refusal serves them all. */
export interface ElementRun {
  readonly warnings: Problem[]
  readonly unsafe: DelimiterTest | undefined
  readonly clash: ClashRule
  /** The element that is filled. */
  element: ElementPlan | undefined
  readonly refuse: RefuseCell
}

export function formatText(run: ElementRun, element: ElementPlan, written: string): string {
  const { info, form, path } = element
  if (form === 'number') return formatNumber(written, element, run.refuse)
  if (form !== 'text' && !DATE_DIGITS[form].test(written))
    return run.refuse('date-expected', `${quoteText(written)} is no date as ${path} takes it.`, DATE_FIX)
  if (form === 'date') return written
  const text = run.unsafe?.pattern.test(written) ? removeDelimiters(run, run.unsafe, written) : written
  if (info === undefined || text === '' || text.length >= info.min) return text
  return run.refuse(
    'value-not-allowed',
    `${quoteText(text)} has ${text.length} characters; ${path} takes at least ${info.min}.`,
  )
}

/** The digits that elements of dates and times take. */
const DATE_DIGITS = { date: /^\d{8}(?:\d{4}|\d{6})?$/, day: /^(?:\d\d)?\d{6}$/, time: /^\d{4,8}$/ } as const

const DATE_FIX = 'Give the element a value of the API that is a date, or `format: yyyyMMdd`.'

/** N0, N1, N2 have implied decimals; R has a point where it has decimals. */
function formatNumber(text: string, { info, path }: ElementPlan, refuse: RefuseCell): string {
  const { type = '', max = Infinity, min = 0 } = info ?? {}
  if (type === 'R' && min <= 1 && text.length <= max && SHORT_NUMBER.test(text)) return text
  const number = parseDecimal(text)
  if (number === undefined)
    return refuse('decimal-expected', `${quoteText(text)} is no number, and ${path} takes one.`)
  const implied = /^N(\d)$/.exec(type)?.[1]
  const scaled = implied === undefined ? undefined : rescaleExactly(number, Number(implied))
  if (implied !== undefined && scaled === undefined)
    return refuse('decimal-expected', `${quoteText(text)} has more than the ${implied} decimals of ${path}.`)
  const written = scaled === undefined ? formatShortDecimal(number) : formatDecimal({ ...scaled, scale: 0 })
  const digits = written.replace(/[-.]/g, '')
  if (digits.length > max)
    return refuse('value-too-wide', `${written} has ${digits.length} digits; ${path} takes ${max}.`)
  return digits.length >= min ? written : written.replace(digits, digits.padStart(min, '0'))
}

/** Written as it stands. */
const SHORT_NUMBER = /^(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/

function removeDelimiters(run: ElementRun, { delimiters }: DelimiterTest, text: string): string {
  const found = delimiters.find((each) => text.includes(each))
  const { replace } = run.clash
  const message = `${quoteText(text)} holds ${quoteText(found ?? '')}, which separates the parts of the file.`
  if (replace === undefined) return run.refuse('character-unwritable', message)
  const column = run.element?.path ?? ''
  run.warnings.push({ ...problem('character-replaced', { column }, message), severity: 'warning' })
  let clean = text
  const safe = delimiters.includes(replace) ? ' ' : replace
  for (const each of delimiters) clean = clean.replaceAll(each, safe)
  return clean.trim()
}
