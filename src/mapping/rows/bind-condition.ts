/** Binds conditions to the columns of one file: of the row being built, or of the record as a whole. */
import type { Row } from '../../domain/format.ts'
import type { Place } from '../../domain/place.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { type BindContext, locate } from '../binding/record-builder.ts'
import { type Column, resolveColumnName } from './columns.ts'
import type { Check, ColumnTest, Condition, ReadOther } from './conditions.ts'
import { type ReadText, createTextReader } from '../binding/text-source.ts'
import { isKnownName, type KnownName, bindKnownText } from './columns.ts'
import { quoteText } from '../values/text.ts'

export interface BoundCondition {
  holds(): boolean
  /** Returns the place of the first test that fails, or of the first test when all hold. */
  place(): Place
  text(): string
}

interface TestTarget {
  /** Whether the condition is about the row being built and not the record. */
  readonly perRow: boolean
  /** Why the columns must be in the file; without it, an absent column is blank. */
  readonly needed?: string
}

/** No test of an empty condition fails. */
const EMPTY_TEST: BoundTest = { holds: () => true, place: () => ({}), text: () => '' }

interface BoundTest extends BoundCondition {
  readonly isNumber?: boolean
}

export function bindCondition({ tests }: Condition, where: TestTarget, context: BindContext): BoundCondition {
  const bound = tests.map((test) => bindTest(test, where, context))
  // Number tests run last: where another test fails, the text need not be a number.
  const numbersLast = bound.toSorted((a, b) => Number(a.isNumber ?? false) - Number(b.isNumber ?? false))
  const findDecidingTest = () => numbersLast.find((test) => !test.holds()) ?? bound[0] ?? EMPTY_TEST
  const [first, second] = numbersLast
  return {
    holds:
      first !== undefined && second === undefined
        ? () => first.holds()
        : () => numbersLast.every((test) => test.holds()),
    place: () => findDecidingTest().place(),
    text: () => findDecidingTest().text(),
  }
}

function bindEach(checks: readonly Check[], where: TestTarget, context: BindContext) {
  return checks.map((check) => ({ ...check, condition: bindCondition(check.condition, where, context) }))
}

/** Runs the checks on the current row, or on the record. */
export function bindChecks(checks: readonly Check[], perRow: boolean, context: BindContext): () => void {
  const bound = bindEach(checks, { perRow, needed: 'check' }, context)
  return () => {
    const { problems, warnings } = context.builder
    for (const { condition, brokenWhen, say, warns } of bound) {
      const before = problems.length
      const isBroken = condition.holds() === brokenWhen
      const isUnclear = problems.length > before
      // What a warning cannot decide is no reason to refuse the record.
      if (warns) problems.length = before
      if (!isBroken || isUnclear) continue
      // The mapping's own text is the whole message, so there is no fix.
      const found = problem('check-failed', condition.place(), say, '')
      if (warns) warnings.push({ ...found, severity: 'warning' })
      else problems.push(found)
    }
  }
}

/** Binds the rules that hold a record for a person; undefined without rules. Rows that `when` leaves out count too. */
export function bindHolds(
  { ofRecord, ofRows }: { readonly ofRecord: readonly Check[]; readonly ofRows: readonly Check[] },
  context: BindContext,
): (() => readonly Problem[]) | undefined {
  if (ofRecord.length + ofRows.length === 0) return undefined
  const { builder } = context
  const whole = bindEach(ofRecord, { perRow: false, needed: 'hold' }, context)
  const single = bindEach(ofRows, { perRow: true, needed: 'hold' }, context)
  const addBroken = (rules: typeof whole, reasons: Problem[]) => {
    for (const { condition, brokenWhen, say } of rules) {
      if (condition.holds() === brokenWhen) reasons.push(problem('held-by-mapping', condition.place(), say))
    }
  }
  return () => {
    const ofLines: Problem[] = []
    if (single.length > 0) {
      for (const [index, row] of builder.itemRows.entries()) {
        builder.row = row
        builder.index = index
        addBroken(single, ofLines)
      }
    }
    const reasons: Problem[] = []
    addBroken(whole, reasons)
    return [...reasons, ...ofLines]
  }
}

function bindTest(test: ColumnTest, where: TestTarget, context: BindContext): BoundTest {
  const { builder } = context
  if (isKnownName(test.column)) return bindKnownTest(test, test.column, where.perRow, context)
  const { ofRow, ofRecord } = findTestColumn(test.column, where, context)
  const readOther = bindOthers(test, where, context)
  if (ofRecord !== undefined) return bindRecordTest(test, ofRecord, readOther, context)
  if (ofRow === undefined) {
    const holds = () => test.holds('', (other) => readOther(other, builder.row))
    return { holds, place: () => ({ column: test.column }), text: () => '' }
  }
  const read = createTextReader([ofRow], context.blanks)
  const text = () => read(builder.row?.values ?? [])
  const place = () => locate(builder, true, { column: resolveColumnName(builder.row, ofRow) })
  const readOtherHere = (other: string) => readOther(other, builder.row)
  const holds = () => evaluateTest(test, text(), { readOther: readOtherHere, place, builder })
  return { holds, text, place, isNumber: test.unclear !== undefined }
}

/** Finds the column of a test: inside the array in the rows first, else in the rows of the record. */
function findTestColumn(name: string, { perRow, needed }: TestTarget, context: BindContext) {
  const { header, items, typed, missing } = context
  const names = [name]
  const ofRow = perRow ? items.find(names) : undefined
  const ofRecord = ofRow !== undefined || (perRow && !typed) ? undefined : header.find(names)
  if (ofRow === undefined && ofRecord === undefined && needed !== undefined)
    missing.push({ names, field: needed, columns: perRow ? items : header })
  return { ofRow, ofRecord }
}

/** Reads a column that a test compares with, from the row; where it is blank there, from the record. */
type ReadOtherOfRow = (column: string, row: Row | undefined) => string

function bindOthers({ others }: ColumnTest, where: TestTarget, context: BindContext): ReadOtherOfRow {
  const { builder, blanks } = context
  const readers = new Map(
    others.map((name) => {
      const { ofRow, ofRecord } = findTestColumn(name, where, context)
      const column = ofRow ?? ofRecord
      const read = column === undefined ? () => '' : createTextReader([column], blanks)
      const readRecord = () =>
        builder.headerRows.map(({ values }) => read(values)).find((text) => text !== '') ?? ''
      const isOwn = ofRow !== undefined || !where.perRow
      return [name, { read, isOwn, readRecord: ofRow === undefined ? readRecord : () => '' }] as const
    }),
  )
  return (name, row) => {
    const reader = readers.get(name)
    const own = reader?.isOwn === true && row !== undefined ? reader.read(row.values) : ''
    return own === '' ? (reader?.readRecord() ?? '') : own
  }
}

interface TestContext {
  readonly readOther: ReadOther
  readonly place: () => Place
  readonly builder: BindContext['builder']
}

/** Runs the test; adds a problem where the text should be a number and is not. */
function evaluateTest(test: ColumnTest, text: string, { readOther, place, builder }: TestContext): boolean {
  if (test.holds(text, readOther)) return true
  const why = test.unclear?.(text, readOther)
  if (why === undefined) return false
  const asks = `The mapping asks whether it ${test.description}.`
  const message = why.why === undefined ? `${quoteText(text)} is not a number. ${asks}` : `${why.why} ${asks}`
  builder.problems.push(problem('decimal-expected', place(), message, why.fix))
  return false
}

/** Binds a test of a value that is known without a column. */
function bindKnownTest(test: ColumnTest, name: KnownName, perRow: boolean, context: BindContext): BoundTest {
  const { builder } = context
  const text = bindKnownText(name, perRow, context)
  const readOther = bindOthers(test, { perRow }, context)
  const rowOf = () => (perRow ? builder.row : builder.headerRows[0])
  return {
    holds: () => test.holds(text(), (other) => readOther(other, rowOf())),
    text,
    place: () => locate(builder, perRow, { column: name }),
  }
}

/** Tests the first filled cell of the record; a later cell with another outcome is a problem. */
function bindRecordTest(
  test: ColumnTest,
  column: Column,
  readOther: ReadOtherOfRow,
  { builder, blanks }: BindContext,
): BoundTest {
  const read: ReadText = createTextReader([column], blanks)
  const findFilledRow = () =>
    builder.headerRows.find(({ values }) => read(values) !== '') ?? builder.headerRows[0]
  const text = () => read(findFilledRow()?.values ?? [])
  const place = () => {
    const line = findFilledRow()?.line
    return { ...(line === undefined ? {} : { line }), column: column.name }
  }
  const hasOthers = test.others.length > 0
  return {
    text,
    place,
    isNumber: test.unclear !== undefined,
    holds() {
      const rows = builder.headerRows
      const first = rows.length === 1 ? rows[0] : findFilledRow()
      const firstText = first === undefined ? '' : read(first.values)
      const holds = evaluateTest(test, firstText, {
        readOther: hasOthers ? (other) => readOther(other, first) : readNothing,
        place,
        builder,
      })
      if (rows.length === 1 || builder.firstCounts || first === undefined) return holds
      for (const row of builder.headerRows) {
        const other = read(row.values)
        if (other === '' || (other === firstText && test.others.length === 0)) continue
        if (test.holds(other, (name) => readOther(name, row)) === holds) continue
        const message = `${quoteText(other)} stands here, but ${quoteText(firstText)} in line ${first.line} of the same record.`
        builder.problems.push(problem('rows-disagree', { line: row.line, column: column.name }, message))
        break
      }
      return holds
    },
  }
}

const readNothing: ReadOther = () => ''
