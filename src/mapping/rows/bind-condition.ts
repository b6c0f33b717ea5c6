/** Binds conditions to the columns of one file: of the row being built, or of the record as a whole. */
import { type Problem, problem } from '../../domain/problem.ts'
import type { Place } from '../../domain/place.ts'
import { type BindContext, locate } from '../binding/record-builder.ts'
import { type Column, resolveColumnName } from './columns.ts'
import type { Check, ColumnTest, Condition } from './conditions.ts'
import { type ReadText, createTextReader } from '../binding/text-source.ts'
import { isKnownName, type KnownName, bindKnownText } from './known-values.ts'
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
  return {
    holds: () => numbersLast.every((test) => test.holds()),
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
    const { problems } = context.builder
    for (const { condition, brokenWhen, say } of bound) {
      const before = problems.length
      if (condition.holds() !== brokenWhen || problems.length > before) continue
      // The mapping's own text is the whole message, so there is no fix.
      problems.push(problem('check-failed', condition.place(), say, ''))
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
  const broken = (rules: typeof whole): Problem[] =>
    rules
      .filter(({ condition, brokenWhen }) => condition.holds() === brokenWhen)
      .map(({ condition, say }) => problem('held-by-mapping', condition.place(), say))
  return () => {
    const ofLines = builder.itemRows.flatMap((row, index) => {
      builder.row = row
      builder.index = index
      return broken(single)
    })
    return [...broken(whole), ...ofLines]
  }
}

function bindTest(test: ColumnTest, { perRow, needed }: TestTarget, context: BindContext): BoundTest {
  const { builder, header, items, typed, missing } = context
  if (isKnownName(test.column)) return bindKnownTest(test, test.column, perRow, context)
  const names = [test.column]
  const ofRow = perRow ? items.find(names) : undefined
  const ofRecord = ofRow !== undefined || (perRow && !typed) ? undefined : header.find(names)
  if (ofRecord !== undefined) return bindRecordTest(test, ofRecord, context)
  if (ofRow === undefined) {
    if (needed !== undefined) missing.push({ names, field: needed, columns: perRow ? items : header })
    const always = test.holds('')
    return { holds: () => always, place: () => ({ column: test.column }), text: () => '' }
  }
  const read = createTextReader([ofRow], context.blanks)
  const text = () => read(builder.row?.values ?? [])
  const place = () => locate(builder, true, { column: resolveColumnName(builder.row, ofRow) })
  const holds = () => evaluateTest(test, text(), place, builder)
  return { holds, text, place, isNumber: test.unclear !== undefined }
}

/** Runs the test; adds a problem where the text should be a number and is not. */
function evaluateTest(
  test: ColumnTest,
  text: string,
  place: () => Place,
  { problems }: BindContext['builder'],
): boolean {
  if (test.holds(text)) return true
  const why = test.unclear?.(text)
  if (why === undefined) return false
  const asks = `The mapping asks whether it ${test.description}.`
  const message = why.why === undefined ? `${quoteText(text)} is not a number. ${asks}` : `${why.why} ${asks}`
  problems.push(problem('decimal-expected', place(), message, why.fix))
  return false
}

/** Binds a test of a value that is known without a column. */
function bindKnownTest(test: ColumnTest, name: KnownName, perRow: boolean, context: BindContext): BoundTest {
  const { builder } = context
  const text = bindKnownText(name, perRow, context)
  return { holds: () => test.holds(text()), text, place: () => locate(builder, perRow, { column: name }) }
}

/** Tests the first filled cell of the record; a later cell with another outcome is a problem. */
function bindRecordTest(test: ColumnTest, column: Column, { builder, blanks }: BindContext): BoundTest {
  const read: ReadText = createTextReader([column], blanks)
  const findFilledRow = () =>
    builder.headerRows.find(({ values }) => read(values) !== '') ?? builder.headerRows[0]
  const text = () => read(findFilledRow()?.values ?? [])
  const place = () => {
    const line = findFilledRow()?.line
    return { ...(line === undefined ? {} : { line }), column: column.name }
  }
  return {
    text,
    place,
    isNumber: test.unclear !== undefined,
    holds() {
      const first = findFilledRow()
      const firstText = read(first?.values ?? [])
      const holds = evaluateTest(test, firstText, place, builder)
      if (builder.firstCounts || first === undefined) return holds
      for (const row of builder.headerRows) {
        const other = read(row.values)
        if (other === '' || other === firstText || test.holds(other) === holds) continue
        const message = `${quoteText(other)} stands here, but ${quoteText(firstText)} in line ${first.line} of the same record.`
        builder.problems.push(problem('rows-disagree', { line: row.line, column: column.name }, message))
        break
      }
      return holds
    },
  }
}
