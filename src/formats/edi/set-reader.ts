/** Turns the segments of each set into rows: those of its records, or one that says why it is not read. */
import type { Row } from '../../domain/format.ts'
import type { Spot } from '../../domain/place.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import type { LoopTest } from '../../edi/paths.ts'
import type { Segment } from '../../edi/segment.ts'
import { ColumnReader } from './column-reader.ts'
import { showText, type TransactionSet } from './envelopes.ts'
import type { Inspection } from './inspection.ts'
import { LEFT_OUT, type Loop, LoopPlacer, NO_LIMIT, type PlacerOptions } from './loops.ts'
import { type Envelope, findValue, fits } from './path-reader.ts'
import type { CompiledColumn, ReadingPlan } from './reading-plan.ts'
import { isAbove, listLines, listLoopsWithLinesBeside, listRecords } from './records.ts'
import { createFaultProblem, createSpot, createValueSpot } from './spots.ts'
import { describeLimit, isTooLarge } from './structure-check.ts'

/** The layouts of the rows. */
export const RECORD_LAYOUT = 0
const LINE_LAYOUT = 1

/** Turns the segments of each set into rows. */
export class SetReader {
  readonly #plan: ReadingPlan
  readonly #inspection: Inspection
  readonly #emit: (row: Row) => void
  readonly #layouts: readonly [record: RowLayout, line: RowLayout]
  readonly #placing: { readonly whole: PlacerOptions; readonly flat: PlacerOptions }
  #set: TransactionSet | undefined
  #envelope: Envelope = []
  #placer: LoopPlacer | undefined
  /** Why the whole set is one record that is not sent. */
  #refused: Pick<Row, 'problems' | 'verdict'> | undefined
  /** The flat record that is read while its set goes on. */
  #open: Loop | undefined
  /** Of a flat record: its segments and bytes so far. */
  #size = { segments: 0, bytes: 0 }
  /** The number of the last segment. */
  #last = 0
  /** A line that was left out, within a flat record that holds others. */
  #lineLeftOut: Loop | undefined
  /** The values of `same` of the record before, in this set. */
  #before: string | undefined
  #hasRecords = false

  constructor(plan: ReadingPlan, inspection: Inspection, emit: (row: Row) => void) {
    const { recordColumns, lineColumns } = plan
    this.#plan = plan
    this.#inspection = inspection
    this.#emit = emit
    this.#layouts = [createLayout(RECORD_LAYOUT, recordColumns), createLayout(LINE_LAYOUT, lineColumns)]
    this.#placing = { whole: {}, flat: { onClosed: (loop) => this.#closeFlat(loop) } }
  }

  begin(set: TransactionSet): void {
    const { rule, isFlat, keeps } = this.#plan
    const { group } = set
    this.#set = set
    this.#envelope =
      group.segment === undefined ? [group.interchange.segment] : [group.interchange.segment, group.segment]
    this.#size = { segments: 0, bytes: 0 }
    this.#before = undefined
    this.#hasRecords = false
    for (const { reader } of this.#layouts) reader.clear()
    this.#refused = this.#judge(set)
    const { flat, whole } = this.#placing
    this.#placer =
      this.#refused?.verdict === undefined
        ? new LoopPlacer(rule, set.segment, isFlat && this.#refused === undefined ? flat : whole, keeps)
        : undefined
  }

  take(segment: Segment): void {
    this.#size.segments += 1
    this.#size.bytes += segment.end - segment.at
    // The beginning of a record that is too large identifies it; where records are parts of a set, the next one follows.
    const isKept = !this.#isTooLarge() || (this.#plan.isFlat && this.#beginsRecord(segment))
    if (isKept) this.#placer?.place(segment)
    this.#last = segment.number
  }

  #isTooLarge(): boolean {
    return isTooLarge(this.#size)
  }

  #beginsRecord(segment: Segment): boolean {
    return this.#plan.records.some((test) => fits(segment, test))
  }

  /** Why a record cannot be read whose end was left out. */
  #tooLarge(first: Segment): Pick<Row, 'problems'> | undefined {
    if (!this.#isTooLarge()) return undefined
    return this.#refuse(first, `The record has more than ${describeLimit(this.#size)}.`)
  }

  #refuse(first: Segment, message: string): Pick<Row, 'problems'> {
    const place = { line: first.number, spot: createSpot(first, this.#set) }
    return { problems: [problem('record-too-large', place, message)] }
  }

  end(trailer: Segment | undefined): void {
    const set = this.#set
    if (set === undefined) return
    const root = this.#placer?.end()
    const last = trailer?.number ?? root?.last ?? set.segment.number
    const { recordColumns, isFlat } = this.#plan
    const rest = { line: set.segment.number, lastLine: last }
    this.#refused ??= isFlat ? undefined : this.#tooLarge(set.segment)
    if (this.#refused !== undefined) {
      // The row opens a record also where nothing of the set was read.
      const values = root === undefined ? recordColumns.map(() => '') : this.#readRecord(root)
      this.#emit({ ...rest, values, ...this.#refused, layout: RECORD_LAYOUT })
    } else if (root !== undefined && !isFlat) this.#emitSet(root, last)
    else if (root !== undefined && !this.#hasRecords) this.#emit(this.#withoutRecords(root, rest))
    this.#set = undefined
    this.#placer = undefined
  }

  /** Undefined when the set is to be read. */
  #judge(set: TransactionSet): Pick<Row, 'problems' | 'verdict'> | undefined {
    const { document, usage, elsewhere, mappingName } = this.#plan
    const { segment, group } = set
    const faults = this.#inspection.findFaults(set)
    if (faults.length > 0) {
      return { problems: faults.map((fault) => createFaultProblem(fault, set)) }
    }
    const isWanted = usage === 'any' || group.interchange.isTest === (usage === 'test')
    if (isWanted && set.document === document) return undefined
    const place = { line: segment.number, spot: createSpot(segment, set) }
    if (!isWanted) {
      const what = group.interchange.isTest ? 'a test' : 'production'
      const found = problem(
        'edi-test',
        place,
        `The interchange is marked as ${what}, and the mapping takes only ${usage}.`,
        mappingName === undefined
          ? undefined
          : `Nothing to do. To post tests too, write \`usage: any\` under \`read\` in ${mappingName}.`,
      )
      return { problems: [found], verdict: 'skipped' }
    }
    const isAnswer = ['997', '999', 'CONTRL'].includes(set.document)
    const found = `The set is a ${showText(set.document)}, and the mapping reads ${document}.`
    const other = elsewhere?.get(set.document)
    const message = other === undefined ? found : `${found} Route ${other.route} reads it.`
    const inbox = other?.inbox ?? 'the inbox of a route that reads it'
    const fix = `Drop the exceptions file into ${inbox}, then: dropbridge discard FILE --by NAME --why TEXT.`
    return {
      problems: [problem('edi-document-unrouted', place, message, fix)],
      verdict: isAnswer ? 'skipped' : 'held',
    }
  }

  /** Emits the records of a set that was kept whole. */
  #emitSet(root: Loop, last: number): void {
    const { records, rule } = this.#plan
    const isSet = records.some(({ id }) => id === rule.id)
    const loops = isSet ? [root] : listRecords(root, records)
    if (loops.length === 0) {
      this.#emit(this.#withoutRecords(root, { line: root.first.number, lastLine: last }))
      return
    }
    // The levels around a record are parts of it, so all records of a tree share the lines of their set.
    for (const loop of loops) this.#emitRecord(loop, root.first.number, last)
    if (isSet) return
    const beside = listLoopsWithLinesBeside(root, this.#plan.lines, new Set(loops))
    for (const loop of beside) this.#emitLinesBeside(loop, root.first.number, last)
  }

  #withoutRecords(root: Loop, rest: Pick<Row, 'line' | 'lastLine'>): Row {
    const names = this.#plan.records.map(formatLoop).join(' or ')
    const place = { line: root.first.number, spot: createSpot(root.first, this.#set) }
    const values = this.#readRecord(root)
    const message = `The set has no ${names}, so it holds no record.`
    return { ...rest, layout: RECORD_LAYOUT, values, problems: [problem('segment-missing', place, message)] }
  }

  /**
   * A record that is closed is read and not kept; nor is a loop with records. Of what follows them a little is kept, for later
   * ones: these are refused where it is not all of it.
   */
  #closeFlat(loop: Loop): void {
    const makesRecord = this.#beginsRecord(loop.first)
    const isAround = loop.room !== NO_LIMIT
    if (makesRecord && isAround) this.#endAround(loop)
    else if (makesRecord) this.#emitFlat(loop)
    const { parent } = loop
    if (parent === undefined) return
    const hasRecords = makesRecord || isAround
    const isLeftOut = !hasRecords && parent.items.length > parent.room
    if ((hasRecords || isLeftOut) && parent.items.at(-1) === loop) parent.items.pop()
    if (hasRecords && parent.room === NO_LIMIT) parent.room = parent.items.length + MAX_BEHIND
    if (!isLeftOut) return
    parent.room = LEFT_OUT
    if (fits(loop.first, this.#plan.lines)) this.#lineLeftOut ??= loop
  }

  /** Lines that stand in a loop beside the records in it belong to no record: they would be lost without a word. */
  #endAround(loop: Loop): void {
    const beside = listLoopsWithLinesBeside(loop, this.#plan.lines, new Set())
    const isBeside = beside.size > 0 || this.#lineLeftOut !== undefined
    const tooLarge = this.#tooLarge(loop.first)
    if (tooLarge !== undefined) this.#emitRefused(loop, tooLarge)
    else if (isBeside) this.#emitLinesBeside(loop, loop.first.number, loop.last)
    this.#lineLeftOut = undefined
    this.#size = { segments: 0, bytes: 0 }
  }

  #emitFlat(loop: Loop): void {
    this.#open = loop
    const refused = this.#tooLarge(loop.first) ?? this.#findLeftOut(loop)
    if (refused === undefined) this.#emitRecord(loop, loop.first.number, loop.last)
    else this.#emitRefused(loop, refused)
    this.#open = undefined
    this.#size = { segments: 0, bytes: 0 }
  }

  #emitRefused(loop: Loop, refused: Pick<Row, 'problems'>): void {
    this.#hasRecords = true
    const place = { line: loop.first.number, lastLine: this.#isTooLarge() ? this.#last : loop.last }
    this.#emit({ ...place, values: this.#readRecord(loop), ...refused, layout: RECORD_LAYOUT })
  }

  /** Why a record cannot be read of whose surroundings something was left out: its values may stand there. */
  #findLeftOut({ first, parent }: Loop): Pick<Row, 'problems'> | undefined {
    for (let around = parent; around !== undefined; around = around.parent) {
      if (around.room !== LEFT_OUT) continue
      const message = `More than ${MAX_BEHIND} segments stand in ${around.first.id} between its records.`
      return this.#refuse(first, message)
    }
    return undefined
  }

  #emitRecord(loop: Loop, line: number, lastLine: number): void {
    const { lines, same } = this.#plan
    const [record, ofLine] = this.#layouts
    this.#hasRecords = true
    const key = same.length === 0 ? undefined : this.#readKey(loop)
    const continues = key !== undefined && key === this.#before
    this.#before = key
    const row = this.#createRow(loop, record, { line, lastLine })
    const found = listLines(loop, lines)
    if (found.some((each) => isAbove(each, loop)) && this.#isShared(loop, lines)) {
      row.problems = [this.#unclearProblem(loop, IS_SHARED)]
      row.verdict = 'held'
    }
    if (continues) row.continues = true
    this.#emit(row)
    for (const each of found) {
      if (each === loop && ofLine.columns.length === 0) continue
      const place = { line: each.first.number, lastLine: each.last }
      this.#emit(this.#createRow(each, ofLine, place))
    }
  }

  /** Whether a line above the record is above other records too: its quantity in each of them is not said. */
  #isShared(loop: Loop, lines: LoopTest): boolean {
    let above = loop.parent
    while (above !== undefined && !fits(above.first, lines)) above = above.parent
    return above !== undefined && listRecords(above, this.#plan.records).length > 1
  }

  #unclearProblem(loop: Loop, message: string): Problem {
    const place = { line: loop.first.number, spot: createSpot(loop.first, this.#set) }
    return problem('hierarchy-unclear', place, message)
  }

  /** Emits a record that is refused, for the lines of the loop that no record has. */
  #emitLinesBeside(loop: Loop, line: number, lastLine: number): void {
    const message = 'An item stands beside the records and not in one of them.'
    const values = this.#readRecord(loop)
    const problems = [this.#unclearProblem(loop, message)]
    this.#emit({ line, lastLine, values, problems, layout: RECORD_LAYOUT })
  }

  #readKey(loop: Loop): string {
    const texts = this.#plan.same.map((paths) => {
      for (const path of paths) {
        const text = findValue(path, loop, this.#envelope)?.text.trim() ?? ''
        if (text !== '') return text
      }
      return ''
    })
    return JSON.stringify(texts)
  }

  #createRow(
    loop: Loop,
    { index, columns, reader }: RowLayout,
    place: Pick<Row, 'line' | 'lastLine'>,
  ): EdiRow {
    const values = reader.read(loop, this.#envelope, this.#open)
    return new EdiRow({ layout: index, ...place, values }, columns, {
      loop,
      set: this.#set,
      envelope: this.#envelope,
    })
  }

  #readRecord(root: Loop): readonly string[] {
    return this.#layouts[RECORD_LAYOUT].reader.read(root, this.#envelope, this.#open)
  }
}

/** The columns of one layout, and what reads them. */
interface RowLayout {
  readonly index: number
  readonly columns: readonly CompiledColumn[]
  readonly reader: ColumnReader
}

function createLayout(index: number, columns: readonly CompiledColumn[]): RowLayout {
  return { index, columns, reader: new ColumnReader(columns) }
}

interface RowSource {
  readonly loop: Loop
  readonly set: TransactionSet | undefined
  readonly envelope: Envelope
}

/** A row that finds the places of its values when they are asked for. */
class EdiRow implements Row {
  readonly layout: number
  readonly line: number
  readonly lastLine: number
  readonly values: readonly string[]
  problems?: readonly Problem[]
  verdict?: 'held'
  continues?: true
  readonly #columns: readonly CompiledColumn[]
  readonly #source: RowSource

  constructor(
    { layout, line, lastLine, values }: Pick<Row, 'layout' | 'line' | 'lastLine' | 'values'>,
    columns: readonly CompiledColumn[],
    source: RowSource,
  ) {
    this.layout = layout
    this.line = line
    this.lastLine = lastLine
    this.values = values
    this.#columns = columns
    this.#source = source
  }

  findSpot(name: string): Spot | undefined {
    const column = this.#columns.find((each) => each.name === name)
    if (column === undefined) return undefined
    const { loop, set, envelope } = this.#source
    return createValueSpot(column.path, findValue(column.path, loop, envelope), loop, set)
  }
}

const IS_SHARED = 'An item stands above several packs, so how many of it are in each pack is not said.'

/** How much of what stands behind a record is kept for those after it. */
const MAX_BEHIND = 100

function formatLoop({ id, qualifiers }: LoopTest): string {
  return qualifiers.length === 0 ? id : `${id}*${qualifiers.join('|')}`
}
