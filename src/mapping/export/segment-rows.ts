/** Runs compiled `segments`: an API record becomes the segments of a set. */
import { COMPONENT_MARK, type Envelope } from '../../domain/format.ts'
import { type Problem, problem, type ProblemCode } from '../../domain/problem.ts'
import type { ComposedRows } from '../../domain/translator.ts'
import type { LoopRule, TreeRule } from '../../edi/grammar.ts'
import type { ApiRecord } from './composer.ts'
import { REQUIRED_FIX } from './cell.ts'
import {
  type ClashRule,
  createDelimiterTest,
  type DelimiterTest,
  type ElementPlan,
  type ElementRun,
  formatText,
  listDelimiters,
} from './segment-elements.ts'
import type { DocumentPlan, EachPlan, EntryPlan, SegmentPlan } from './segments.ts'

/** The composing of one record. */
interface Run extends ElementRun {
  readonly record: ApiRecord
  readonly rows: (readonly string[])[]
  /** How many segments of an id came before these rows, in a set of several records. */
  readonly countBefore: (id: string) => number
  readonly problems: Problem[]
  /** The levels of the tree that are open, from the outermost, by their numbers. */
  readonly levels: number[]
  lastLevel: number
  /** The position of the item that fills the element. */
  index: number
  /** Gets what becomes of each segment; undefined while files are written. */
  readonly trace: TracedSegment[] | undefined
  /** The segment that is filled, where there is a trace. */
  traced: TraceDraft | undefined
}

/** What became of a segment of the mapping, for tools that explain one. */
export interface TracedSegment {
  readonly plan: SegmentPlan
  /** The item of the list that its loop stands for; undefined outside of one. */
  readonly item: unknown
  /** The text of each element as the file has it, in the order of the plan; blank where it is refused. */
  readonly texts: readonly string[]
  /** Why each element cannot be written; mostly nothing. */
  readonly refused: readonly (readonly string[])[]
  /** The segment itself; absent where it is left out. */
  readonly row?: readonly string[]
  /** Why it is left out: its condition, or because the record fills none of its values. */
  readonly absent?: 'condition' | 'blank'
}

type TraceDraft = { -readonly [Key in keyof TracedSegment]: TracedSegment[Key] } & {
  readonly texts: string[]
  readonly refused: (readonly string[])[]
}

export interface SegmentOptions {
  readonly clash: ClashRule
  /** Undefined for EDIFACT, which has a release character. */
  readonly unsafe: DelimiterTest | undefined
  /** The values of the envelope, where an element names them. */
  readonly values: Readonly<Record<string, string>> | undefined
  /** The row that begins a set; absent where all records share one. */
  readonly beginning?: string | undefined
  /** Gets what becomes of each segment of the mapping, in the order of the document. */
  readonly trace?: TracedSegment[]
}

/** How the values of a document are written. */
export interface ValueRules {
  readonly clash: ClashRule
  /** That of the mapping. */
  readonly version: string
}

/** What all sets of a file have in common. */
export function createSegmentOptions(
  { grammar, namesEnvelope }: DocumentPlan,
  envelope: Envelope,
  { clash, version }: ValueRules,
): SegmentOptions {
  const isX12 = grammar.syntax === 'x12'
  return {
    clash,
    unsafe: isX12 ? createDelimiterTest(listDelimiters(envelope, version)) : undefined,
    values: namesEnvelope ? toEnvelopeValues(envelope) : undefined,
  }
}

const NOTHING_BEFORE = () => 0
const NO_ITEM = { item: undefined, index: 0 }

/** `rule`: what a whole set must have. */
export function composeSegments(
  plans: readonly EntryPlan[],
  record: ApiRecord,
  { clash, unsafe, values, beginning, trace }: SegmentOptions,
  {
    rule,
    countBefore = NOTHING_BEFORE,
  }: { readonly rule?: LoopRule | undefined; readonly countBefore?: (id: string) => number } = {},
): ComposedRows {
  const run: Run = {
    record: values === undefined ? record : { ...record, ...values },
    rows: [],
    countBefore,
    problems: [],
    warnings: [],
    unsafe,
    clash,
    levels: [],
    lastLevel: 0,
    element: undefined,
    index: 0,
    trace,
    traced: undefined,
    refuse: (code, message, fix) => noteRefused(run, { code, message, fix }),
  }
  const counts = rule && [...rule.zeros]
  composeInto(counts, run, plans, NO_ITEM)
  if (rule !== undefined && counts !== undefined) checkCounts(run, rule, '', counts)
  if (run.problems.length > 0) return { problems: run.problems }
  const rows = beginning === undefined ? run.rows : [[beginning], ...run.rows]
  return run.warnings.length === 0 ? { rows } : { rows, warnings: run.warnings }
}

function noteRefused(
  { problems, element, index }: Run,
  { code, message, fix }: { code: ProblemCode; message: string; fix: string | undefined },
): string {
  const { field = '', perItem = false } = element?.cell ?? {}
  const own = perItem ? field.replace(/^[^.]+/, `$&[${index}]`) : field
  problems.push(problem(code, { column: element?.path ?? '', field: own }, message, fix))
  return ''
}

/** The values of an envelope, by the names that elements call them. */
export function toEnvelopeValues({ numbers, at }: Envelope): Readonly<Record<string, string>> {
  return {
    $interchange: String(numbers.interchange),
    $group: String(numbers.group),
    $date: new Date(at).toISOString(),
  }
}

/** How many segments were written right in a loop, by its places; undefined where they are not counted. */
type SegmentCounts = number[] | undefined

function composeInto(
  counts: SegmentCounts,
  run: Run,
  plans: readonly EntryPlan[],
  { item, index }: { readonly item: unknown; readonly index: number },
): void {
  for (const plan of plans) {
    if (plan.kind === 'each') composeItems(counts, run, plan)
    else if (composeSegment(run, plan, item, index) && plan.slot !== undefined && counts !== undefined)
      counts[plan.slot] = (counts[plan.slot] ?? 0) + 1
  }
}

function composeItems(counts: SegmentCounts, run: Run, { each, items: read, makesLines, inside }: EachPlan) {
  const items = read(run.record)
  if (items.length === 0 && makesLines) {
    const message = `The record has nothing in ${each}, so the document would have no line.`
    run.problems.push(problem('value-missing', { field: each }, message, 'Check the record at the API.'))
  }
  for (const [index, item] of items.entries()) composeInto(counts, run, inside, { item, index })
}

/** Refuses a loop without a segment that it must have, or with more of one than it may have. */
function checkCounts(run: Run, { limits }: LoopRule, path: string, counts: readonly number[]): void {
  for (const { id, index, min, max } of limits) {
    const count = counts[index] ?? 0
    if (count >= min && count <= max) continue
    const place = { column: path === '' ? id : `${path}/${id}`, field: '' }
    if (count < min) {
      const message = `The record has nothing for ${id}, which must be there.`
      run.problems.push(problem('value-missing', place, message))
    } else {
      const message = `The record makes ${count} segments ${id}, and ${max} may stand there.`
      run.problems.push(problem('value-too-wide', place, message))
    }
  }
}

const NO_ROW: readonly string[] = []

/** Leaves out a segment of which nothing but constants is filled, unless it has no other elements. Returns whether it is there. */
function composeSegment(run: Run, plan: SegmentPlan, item: unknown, index: number): boolean {
  const { rows, record, problems } = run
  const { loop, inside } = plan
  const tree = loop?.tree
  const traced = run.trace && startTrace(run.trace, plan, item)
  if (plan.holds?.(record, item) === false) {
    if (traced !== undefined) traced.absent = 'condition'
    return false
  }
  const rowsBefore = rows.length
  const problemsBefore = problems.length
  const row: DraftRow = plan.template.slice()
  run.index = index
  run.traced = traced
  const isFilled = fillRow(run, plan, row, item)
  rows.push(NO_ROW)
  if (tree !== undefined) {
    run.lastLevel += 1
    run.levels.push(run.lastLevel)
  }
  const counts = loop && [...loop.zeros]
  if (inside.length > 0) composeInto(counts, run, inside, { item, index })
  const hasInside = rows.length > rowsBefore + 1
  if (tree !== undefined) fillLevel(run, { tree, id: plan.id, row, from: rowsBefore + 1 })
  // A value that was refused is there, and its problem holds the record.
  const isRefused = problems.length > problemsBefore
  if (!isFilled && !hasInside && !isRefused && tree === undefined) {
    rows.length = rowsBefore
    if (traced !== undefined) traced.absent = 'blank'
    return false
  }
  if (plan.mandatory.length > 0) checkMandatory(run, plan, row)
  if (loop !== undefined && counts !== undefined) checkCounts(run, loop, plan.path, counts)
  const joined = joinComponents(row)
  rows[rowsBefore] = joined
  if (traced !== undefined) traced.row = joined
  return true
}

/** Elements of the template have their texts from the beginning. */
function startTrace(trace: TracedSegment[], plan: SegmentPlan, item: unknown): TraceDraft {
  const { elements, filled, template } = plan
  const texts = elements.map((element) =>
    element.target.kind === 'element' && !filled.includes(element)
      ? (template[element.target.element] ?? '')
      : '',
  )
  const traced: TraceDraft = { plan, item, texts, refused: elements.map(() => []) }
  trace.push(traced)
  return traced
}

function traceElement(
  { plan, texts, refused }: TraceDraft,
  element: ElementPlan,
  text: string,
  why: readonly Problem[],
) {
  const at = plan.elements.indexOf(element)
  texts[at] = text
  refused[at] = why.map(({ message }) => message)
}

/** A row whose elements may have several components. */
type DraftRow = (string | string[])[]

function setElement(
  row: DraftRow,
  { element, component }: { element: number; component?: number },
  text: string,
) {
  while (row.length <= element) row.push('')
  if (component === undefined) {
    const there = row[element]
    if (Array.isArray(there)) there[0] = text
    else row[element] = text
    return
  }
  const there = row[element] ?? ''
  const parts = Array.isArray(there) ? there : [there]
  while (parts.length < component) parts.push('')
  parts[component - 1] = text
  row[element] = parts
}

function joinComponents(row: DraftRow): readonly string[] {
  if (isPlainRow(row)) return row
  return row.map((element) => (Array.isArray(element) ? element.join(COMPONENT_MARK) : element))
}

function isPlainRow(row: DraftRow): row is string[] {
  for (const element of row) if (typeof element !== 'string') return false
  return true
}

/** Returns whether the segment is written: it has a value of the record, or nothing but constants. */
function fillRow(run: Run, plan: SegmentPlan, row: DraftRow, item: unknown): boolean {
  let isFilled = plan.isConstant
  let pairs = 0
  for (const element of plan.filled) {
    const { target, cell, counted } = element
    run.element = element
    const refused = run.problems.length
    const text = counted === undefined ? readText(run, element, item) : String(countSegments(run, counted))
    if (run.traced !== undefined) traceElement(run.traced, element, text, run.problems.slice(refused))
    if (text === '') continue
    if (!isFilled && (counted !== undefined || cell.field !== '')) isFilled = isThere(run, element, item)
    if (target.kind === 'element') setElement(row, target, text)
    else if (target.kind === 'date') setDate(row, target.places, text)
    else {
      setPair(row, target, text, pairs)
      pairs += 1
    }
  }
  return isFilled
}

/** A default alone does not make a segment. */
function isThere({ record }: Run, { cell, counted }: ElementPlan, item: unknown): boolean {
  if (!cell.hasDefault || counted !== undefined || cell.values.length === 0) return true
  return cell.values.some(({ read }) => {
    const value = read(record, item)
    return value !== undefined && value !== null && value !== ''
  })
}

function countSegments({ rows, countBefore }: Run, id: string): number {
  let count = countBefore(id)
  for (const [first] of rows) if (first === id) count += 1
  return count
}

function readText(run: Run, element: ElementPlan, item: unknown): string {
  const { cell, path } = element
  const refused = run.problems.length
  const written = cell.text(run.record, item, run.refuse)
  const text = written === '' ? '' : formatText(run, element, written)
  // Of controls and delimiters alone nothing is left.
  if (text !== '' || !cell.isRequired || run.problems.length > refused) return text
  return run.refuse('value-missing', `column "${path}" is blank`, REQUIRED_FIX)
}

// Pairs, dates, levels of trees, and what must be there.

function setPair(
  row: DraftRow,
  { qualifier, pairs }: Extract<ElementPlan['target'], { kind: 'pair' }>,
  text: string,
  position: number,
): void {
  if ('value' in pairs) {
    const element = pairs.from + position
    setElement(row, { element, component: pairs.value }, text)
    setElement(row, { element, component: pairs.qualifier }, qualifier)
    return
  }
  setElement(row, { element: pairs.from + 2 * position }, qualifier)
  setElement(row, { element: pairs.from + 2 * position + 1 }, text)
}

/** A date as `20261124`, with a time as `202611241405`. EDIFACT has both in one composite with the code of their form. */
function setDate(row: DraftRow, { date, time }: { date: number; time?: number }, text: string): void {
  if (row[0] === 'DTM' && time === undefined) {
    setElement(row, { element: date, component: 2 }, text)
    setElement(row, { element: date, component: 3 }, DATE_FORMS[text.length] ?? '102')
    return
  }
  setElement(row, { element: date }, text.slice(0, DAY_LENGTH))
  if (time !== undefined && text.length > DAY_LENGTH)
    setElement(row, { element: time }, text.slice(DAY_LENGTH))
}

const DAY_LENGTH = 8
/** The codes of forms by their lengths: days, minutes, seconds. */
const DATE_FORMS: Readonly<Record<number, string>> = { 8: '102', 12: '203', 14: '204' }

/** Numbers the level, names the one around it, and says whether it has levels itself. */
function fillLevel(
  run: Run,
  { tree, id, row, from }: { tree: TreeRule; id: string; row: DraftRow; from: number },
): void {
  const own = run.levels.pop()
  const parent = run.levels.at(-1)
  if (own === undefined) return
  setElement(row, { element: tree.id }, String(own))
  if (parent !== undefined) setElement(row, { element: tree.parent }, String(parent))
  const hasLevels = run.rows.slice(from).some(([first]) => first === id)
  if (tree.level !== undefined) setElement(row, { element: tree.level + 1 }, hasLevels ? '1' : '0')
}

function checkMandatory(run: Run, { mandatory, elements }: SegmentPlan, row: DraftRow): void {
  for (const { element, path } of mandatory) {
    const value = row[element] ?? ''
    if (Array.isArray(value) ? value.some((part) => part !== '') : value !== '') continue
    const { cell } =
      elements.find(({ target }) => target.kind === 'element' && target.element === element) ?? {}
    const place = { column: path, field: cell?.field ?? '' }
    const isRefused = run.problems.some(({ place: { column } }) => column === path)
    if (!isRefused)
      run.problems.push(problem('value-missing', place, `${path} is blank, and it must be there.`))
  }
}
