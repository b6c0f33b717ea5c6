/** Runs compiled `segments`: an API record becomes the segments of a set. */
import { COMPONENT_MARK, type Envelope, SET_BEGINNING } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import type { ComposedRows, Composer, SetFrame } from '../../domain/translator.ts'
import type { LoopRule, TreeRule } from '../../edi/grammar.ts'
import type { Syntax } from '../../edi/segment.ts'
import { assert, BridgeError } from '../../support/errors.ts'
import type { RefuseCell } from './cell-format.ts'
import { type ApiRecord, createComposerFrame, type OutboundPlan } from './composer.ts'
import {
  type ClashRule,
  type ElementContext,
  type ElementPlan,
  listDelimiters,
  readElementText,
} from './segment-elements.ts'
import type { DocumentPlan, EntryPlan, SegmentPlan } from './segments.ts'

/** Creates the composer of a document: each record has a set of its own, or all share one. */
export function createDocumentComposer(
  { grammar, record: plans, frame }: DocumentPlan,
  { clash, ...common }: Omit<OutboundPlan, 'columns' | 'trailer'> & Pick<SegmentOptions, 'clash'>,
): Composer {
  const { syntax } = grammar
  const beginning = SET_BEGINNING[syntax]
  const version = common.write.edi?.version ?? ''
  return {
    ...createComposerFrame(common),
    columns: [],
    composeRows(record, envelope) {
      assert(envelope, 'A document was to be composed without an envelope.')
      const own = frame === undefined ? beginning : undefined
      const options = { syntax, envelope, clash, version, beginning: own }
      const composed = composeSegments(plans, record, options, { rule: own && grammar.root })
      return 'rows' in composed && composed.rows.length === 0 ? refuseEmpty() : composed
    },
    ...(frame && {
      frame: (envelope: Envelope) => createSetFrame(frame, beginning, { syntax, envelope, clash, version }),
    }),
  }
}

/** The bridge would acknowledge a record without a segment, and its reader would never see it. */
export function refuseEmpty(): { readonly problems: readonly Problem[] } {
  const message = 'The record has nothing that the document shows, so there is no segment to write.'
  return { problems: [problem('value-missing', {}, message, 'Check the record at the API.')] }
}

interface Run extends ElementContext {
  readonly rows: (readonly string[])[]
  /** How many segments of an id came before these rows, in a set of several records. */
  readonly countBefore: (id: string) => number
  readonly problems: Problem[]
  /** Gets what became of each segment, for tools; absent while files are written. */
  readonly trace: TracedSegment[] | undefined
  /** The levels of the tree that are open, from the outermost, by their numbers. */
  readonly levels: number[]
  lastLevel: number
}

export interface SegmentOptions {
  readonly syntax: Syntax
  readonly envelope: Envelope
  readonly clash: ClashRule
  /** That of the mapping. */
  readonly version: string
  /** Gets what became of each segment of the mapping, in the order of the document. */
  readonly trace?: TracedSegment[]
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
  readonly refused: string[][]
}

/** `beginning`: the row that begins a set; absent where all records share one. `rule`: what a whole set must have. */
export function composeSegments(
  plans: readonly EntryPlan[],
  record: ApiRecord,
  {
    syntax,
    envelope,
    clash,
    version,
    beginning,
    trace,
  }: SegmentOptions & { readonly beginning?: string | undefined },
  {
    rule,
    countBefore = () => 0,
  }: { readonly rule?: LoopRule | undefined; readonly countBefore?: (id: string) => number } = {},
): ComposedRows {
  const run: Run = {
    record: { ...record, ...toEnvelopeValues(envelope) },
    rows: [],
    countBefore,
    problems: [],
    warnings: [],
    delimiters: syntax === 'x12' ? listDelimiters(envelope, version) : [],
    clash,
    trace,
    levels: [],
    lastLevel: 0,
  }
  const counts = composeEntries(run, plans, undefined, 0)
  if (rule !== undefined) checkCounts(run, rule, '', counts)
  if (run.problems.length > 0) return { problems: run.problems }
  const rows = beginning === undefined ? run.rows : [[beginning], ...run.rows]
  return run.warnings.length === 0 ? { rows } : { rows, warnings: run.warnings }
}

/** The values of an envelope, by the names that elements call them. */
export function toEnvelopeValues({ numbers, at }: Envelope): Readonly<Record<string, string>> {
  return {
    $interchange: String(numbers.interchange),
    $group: String(numbers.group),
    $date: new Date(at).toISOString(),
  }
}

/** Returns how many segments of each id were written right in the loop. */
function composeEntries(
  run: Run,
  plans: readonly EntryPlan[],
  item: unknown,
  index: number,
): Map<string, number> {
  const counts = new Map<string, number>()
  const compose = (plan: EntryPlan, own: unknown, position: number) => {
    if (plan.kind === 'segment') {
      if (composeSegment(run, plan, own, position)) counts.set(plan.id, (counts.get(plan.id) ?? 0) + 1)
      return
    }
    const items = plan.items(run.record)
    if (items.length === 0 && plan.makesLines) {
      const message = `The record has nothing in ${plan.each}, so the document would have no line.`
      run.problems.push(
        problem('value-missing', { field: plan.each }, message, 'Check the record at the API.'),
      )
    }
    for (const [at, each] of items.entries()) for (const inside of plan.inside) compose(inside, each, at)
  }
  for (const plan of plans) compose(plan, item, index)
  return counts
}

/** Refuses a loop without a segment that it must have, or with more of one than it may have. */
function checkCounts(run: Run, rule: LoopRule, path: string, counts: ReadonlyMap<string, number>): void {
  for (const { id, segment, loop } of rule.places.values()) {
    const count = counts.get(id) ?? 0
    const min = Math.max(segment?.min ?? 0, loop?.min ?? 0)
    const max = (segment?.max ?? 0) + (loop?.max ?? 0)
    const place = { column: path === '' ? id : `${path}/${id}`, field: '' }
    if (count < min)
      run.problems.push(
        problem('value-missing', place, `The record has nothing for ${id}, which must be there.`),
      )
    if (count > max) {
      const message = `The record makes ${count} segments ${id}, and ${max} may stand there.`
      run.problems.push(problem('value-too-wide', place, message))
    }
  }
}

/** Leaves out a segment of which nothing but constants is filled, unless it has no other elements. Returns whether it is there. */
function composeSegment(run: Run, plan: SegmentPlan, item: unknown, index: number): boolean {
  const { rows, record, levels } = run
  const { loop } = plan
  const tree = loop?.tree
  const traced: TraceDraft = { plan, item, texts: [], refused: [] }
  run.trace?.push(traced)
  if (plan.holds?.(record, item) === false) {
    traced.absent = 'condition'
    return false
  }
  const before = { rows: rows.length, problems: run.problems.length }
  const row = createRow(plan)
  const isFilled = fillRow(run, { plan, row, item, index, traced })
  rows.push([])
  if (tree !== undefined) {
    run.lastLevel += 1
    levels.push(run.lastLevel)
  }
  const counts = composeEntries(run, plan.inside, item, index)
  const hasInside = rows.length > before.rows + 1
  if (tree !== undefined) fillLevel(run, { tree, id: plan.id, row, from: before.rows + 1 })
  // A value that was refused is there, and its problem holds the record.
  const isRefused = run.problems.length > before.problems
  if (!isFilled && !hasInside && !isRefused && tree === undefined) {
    rows.length = before.rows
    traced.absent = 'blank'
    return false
  }
  checkMandatory(run, plan, row)
  if (loop !== undefined) checkCounts(run, loop, plan.path, counts)
  traced.row = rows[before.rows] = joinComponents(row)
  return true
}

/** A row whose elements may have several components. */
type DraftRow = (string | string[])[]

function createRow({ id, qualifier }: SegmentPlan): DraftRow {
  const row: DraftRow = [id]
  if (qualifier !== undefined) setElement(row, qualifier, qualifier.text)
  return row
}

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

function joinComponents(row: DraftRow): string[] {
  return row.map((element) => (Array.isArray(element) ? element.join(COMPONENT_MARK) : element))
}

interface Filling {
  readonly plan: SegmentPlan
  readonly row: DraftRow
  readonly item: unknown
  readonly index: number
  readonly traced: TraceDraft
}

/** Returns whether the segment is written: it has a value of the record, or nothing but constants. */
function fillRow(run: Run, { plan, row, item, index, traced }: Filling): boolean {
  let hasValues = false
  let isFilled = false
  let pairs = 0
  for (const element of plan.elements) {
    const { target, cell, counted } = element
    const problems = run.problems.length
    const refuse = createRefusal(run, element, index)
    const text =
      counted === undefined
        ? readElementText(run, element, item, refuse)
        : String(countSegments(run, counted))
    if (run.trace !== undefined) {
      traced.texts.push(text)
      traced.refused.push(run.problems.slice(problems).map(({ message }) => message))
    }
    const isValue = counted !== undefined || cell.field !== ''
    hasValues ||= isValue
    if (isValue && isThere(run, element, item, text)) isFilled = true
    if (text === '') continue
    if (target.kind === 'element') setElement(row, target, text)
    else if (target.kind === 'date') setDate(row, target.places, text)
    else {
      setPair(row, target, text, pairs)
      pairs += 1
    }
  }
  // A segment of its qualifier alone stands for what is inside it.
  const isOpener = plan.elements.length === 0 && plan.inside.length > 0
  return isFilled || (!hasValues && !isOpener)
}

/** A default alone does not make a segment. */
function isThere({ record }: Run, { cell, counted }: ElementPlan, item: unknown, text: string): boolean {
  if (text === '') return false
  if (counted !== undefined || cell.values.length === 0) return true
  return cell.values.some(({ read }) => {
    const value = read(record, item)
    return value !== undefined && value !== null && value !== ''
  })
}

function createRefusal(run: Run, { path, cell }: ElementPlan, index: number): RefuseCell {
  return (code, message, fix) => {
    const field = cell.perItem ? cell.field.replace(/^[^.]+/, `$&[${index}]`) : cell.field
    run.problems.push(problem(code, { column: path, field }, message, fix))
    return ''
  }
}

function countSegments({ rows, countBefore }: Run, id: string): number {
  return countBefore(id) + rows.filter(([first]) => first === id).length
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

// A set with all records.

/** Throws where the mapping's segments around the records cannot be written: they rest on no record. */
export function createSetFrame(
  frame: NonNullable<DocumentPlan['frame']>,
  beginning: string,
  options: SegmentOptions,
): SetFrame {
  const counts = new Map<string, number>()
  const add = (rows: readonly (readonly string[])[]) => {
    for (const [id = ''] of rows) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  const compose = (plans: readonly EntryPlan[], first: string | undefined) => {
    const own = { ...options, beginning: first }
    const composed = composeSegments(plans, {}, own, { countBefore: (id) => counts.get(id) ?? 0 })
    if ('rows' in composed) return composed.rows
    const why = composed.problems.map(({ message }) => message).join(' ')
    throw new BridgeError('mapping-invalid', `the segments around the records cannot be written: ${why}`)
  }
  const begin = compose(frame.begin, beginning)
  add(begin)
  return { begin, addRecord: add, createEnd: () => compose(frame.end, undefined) }
}
