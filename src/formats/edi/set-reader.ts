/** Turns the segments of each set into rows: those of its records, or one that says why it is not read. */
import type { Row } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import type { LoopTest } from '../../edi/paths.ts'
import type { Segment } from '../../edi/segment.ts'
import { addDecimals, formatDecimal, parseDecimal } from '../../support/decimal.ts'
import type { TransactionSet } from './envelopes.ts'
import type { Inspection } from './inspection.ts'
import { type Loop, LoopPlacer } from './loops.ts'
import { type Envelope, findValue, fits, listValues } from './path-reader.ts'
import type { CompiledColumn, ReadingPlan } from './reading-plan.ts'
import { isAbove, listLines, listRecords } from './records.ts'
import { createFaultProblem, createSpot, createValueSpot } from './spots.ts'
import { MAX_RECORD_SEGMENTS } from './structure-check.ts'

/** The layouts of the rows. */
export const RECORD_LAYOUT = 0
const LINE_LAYOUT = 1

/** Turns the segments of each set into rows. */
export class SetReader {
  readonly #plan: ReadingPlan
  readonly #inspection: Inspection
  readonly #emit: (row: Row) => void
  #set: TransactionSet | undefined
  #placer: LoopPlacer | undefined
  /** Why the whole set is one record that is not sent. */
  #refused: Pick<Row, 'problems' | 'verdict'> | undefined
  /** Of a flat record: its segments so far. */
  #size = 0
  /** The number of the last segment. */
  #last = 0
  /** The values of `same` of the record before, in this set. */
  #before: string | undefined

  constructor(plan: ReadingPlan, inspection: Inspection, emit: (row: Row) => void) {
    this.#plan = plan
    this.#inspection = inspection
    this.#emit = emit
  }

  begin(set: TransactionSet): void {
    const { rule, isFlat } = this.#plan
    this.#set = set
    this.#size = 0
    this.#before = undefined
    this.#refused = this.#judge(set)
    if (this.#refused?.verdict !== undefined) {
      this.#placer = undefined
      return
    }
    this.#placer = new LoopPlacer(rule, set.segment, {
      keeps: true,
      ...(isFlat && this.#refused === undefined ? { onClosed: (loop) => this.#emitFlat(loop) } : {}),
    })
  }

  take(segment: Segment): void {
    this.#size += 1
    // The beginning of a record that is too large identifies it; where records are parts of a set, the next one follows.
    const isKept = this.#size <= MAX_RECORD_SEGMENTS || (this.#plan.isFlat && this.#beginsRecord(segment))
    if (isKept) this.#placer?.place(segment)
    this.#last = segment.number
  }

  #beginsRecord(segment: Segment): boolean {
    return this.#plan.records.some((test) => fits(segment, test))
  }

  /** Why a record cannot be read whose end was left out. */
  #tooLarge(first: Segment): Pick<Row, 'problems'> | undefined {
    if (this.#size <= MAX_RECORD_SEGMENTS) return undefined
    const place = { line: first.number, spot: createSpot(first, this.#set) }
    const message = `The record has more than ${MAX_RECORD_SEGMENTS} segments.`
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
      const values = root === undefined ? recordColumns.map(() => '') : this.#readValues(recordColumns, root)
      this.#emit({ ...rest, values, ...this.#refused, layout: RECORD_LAYOUT })
    } else if (root !== undefined && !this.#plan.isFlat) this.#emitSet(root, last)
    else if (root !== undefined && this.#before === undefined && !this.#hasRecords)
      this.#emit(this.#withoutRecords(root, rest))
    this.#set = undefined
    this.#placer = undefined
    this.#hasRecords = false
  }

  #hasRecords = false

  /** Undefined when the set is to be read. */
  #judge(set: TransactionSet): Pick<Row, 'problems' | 'verdict'> | undefined {
    const { document, usage, elsewhere } = this.#plan
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
      )
      return { problems: [found], verdict: 'skipped' }
    }
    const isAnswer = ['997', '999', 'CONTRL'].includes(set.document)
    const found = `The set is a ${set.document}, and the mapping reads ${document}.`
    const other = elsewhere?.get(set.document)
    const message = other === undefined ? found : `${found} Route ${other.route} reads it.`
    const fix =
      other &&
      `Drop the exceptions file into ${other.inbox}, then: dropbridge discard FILE --by NAME --why TEXT.`
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
  }

  #withoutRecords(root: Loop, rest: Pick<Row, 'line' | 'lastLine'>): Row {
    const names = this.#plan.records.map(formatLoop).join(' or ')
    const place = { line: root.first.number, spot: createSpot(root.first, this.#set) }
    const values = this.#readValues(this.#plan.recordColumns, root)
    const message = `The set has no ${names}, so it holds no record.`
    return { ...rest, layout: RECORD_LAYOUT, values, problems: [problem('segment-missing', place, message)] }
  }

  #emitFlat(loop: Loop): void {
    if (!this.#beginsRecord(loop.first)) return
    const tooLarge = this.#tooLarge(loop.first)
    const place = { line: loop.first.number, lastLine: this.#last }
    if (tooLarge === undefined) this.#emitRecord(loop, loop.first.number, loop.last)
    else {
      const { recordColumns } = this.#plan
      const values = this.#readValues(recordColumns, loop)
      this.#hasRecords = true
      this.#emit({ ...place, values, ...tooLarge, layout: RECORD_LAYOUT })
    }
    const items = loop.parent?.items
    if (items?.at(-1) === loop) items.pop()
    this.#size = 0
  }

  #emitRecord(loop: Loop, line: number, lastLine: number): void {
    const { recordColumns, lineColumns, lines, same } = this.#plan
    this.#hasRecords = true
    const key = same.length === 0 ? undefined : this.#readKey(loop)
    const continues = key !== undefined && key === this.#before
    this.#before = key
    const record = this.#createRow(loop, RECORD_LAYOUT, recordColumns, { line, lastLine })
    const found = listLines(loop, lines)
    const unclear = found.some((each) => isAbove(each, loop)) && this.#isShared(loop, lines)
    const problems = unclear ? { problems: [this.#unclearProblem(loop)], verdict: 'held' as const } : {}
    this.#emit({ ...record, ...problems, ...(continues ? { continues: true } : {}) })
    for (const each of found) {
      if (each === loop && lineColumns.length === 0) continue
      const place = { line: each.first.number, lastLine: each.last }
      this.#emit(this.#createRow(each, LINE_LAYOUT, lineColumns, place))
    }
  }

  /** Whether a line above the record is above other records too: its quantity in each of them is not said. */
  #isShared(loop: Loop, lines: LoopTest): boolean {
    let above = loop.parent
    while (above !== undefined && !fits(above.first, lines)) above = above.parent
    return above !== undefined && listRecords(above, this.#plan.records).length > 1
  }

  #unclearProblem(loop: Loop): Problem {
    const place = { line: loop.first.number, spot: createSpot(loop.first, this.#set) }
    const message = 'An item stands above several packs, so how many of it are in each pack is not said.'
    return problem('hierarchy-unclear', place, message)
  }

  #readKey(loop: Loop): string {
    const envelope = this.#envelope()
    const texts = this.#plan.same.map((paths) => {
      for (const path of paths) {
        const text = findValue(path, loop, envelope)?.text.trim() ?? ''
        if (text !== '') return text
      }
      return ''
    })
    return JSON.stringify(texts)
  }

  #createRow(
    loop: Loop,
    layout: number,
    columns: readonly CompiledColumn[],
    place: Pick<Row, 'line' | 'lastLine'>,
  ): Row {
    const set = this.#set
    const envelope = this.#envelope()
    return {
      layout,
      ...place,
      values: this.#readValues(columns, loop),
      findSpot(name) {
        const column = columns.find((each) => each.name === name)
        if (column === undefined) return undefined
        return createValueSpot(column.path, findValue(column.path, loop, envelope), loop, set)
      },
    }
  }

  #readValues(columns: readonly CompiledColumn[], loop: Loop): readonly string[] {
    const envelope = this.#envelope()
    return columns.map(({ path, every }) => {
      if (every === undefined) return findValue(path, loop, envelope)?.text ?? ''
      const texts = listValues(path, loop, envelope).map(({ text }) => text.trim())
      if (every === 'count') return String(texts.length)
      return every === 'sum' ? addUp(texts) : texts.join(every.with)
    })
  }

  #envelope(): Envelope {
    const { group } = this.#set ?? {}
    if (group === undefined) return []
    return group.segment === undefined
      ? [group.interchange.segment]
      : [group.interchange.segment, group.segment]
  }
}

function formatLoop({ id, qualifiers }: LoopTest): string {
  return qualifiers.length === 0 ? id : `${id}*${qualifiers.join('|')}`
}

/** Adds decimals. A text that is no number takes the place of the sum, so that the mapping refuses it. */
function addUp(texts: readonly string[]): string {
  const numbers = texts.map((text) =>
    parseDecimal(text.replace(/^([+-]?)\./, '$10.').replace(/^\+|\.$/g, '')),
  )
  const wrong = numbers.indexOf(undefined)
  if (wrong !== -1) return texts[wrong] ?? ''
  const known = numbers.filter((number) => number !== undefined)
  return known.length === 0 ? '' : formatDecimal(known.reduce(addDecimals))
}
