/** Binds conditions to the columns of one file: of the row being built, or of the record as a whole. */
import { type Place, type Problem, problem } from '../../domain/problem.ts'
import type { BindContext } from '../binding/building.ts'
import { type Column, nameIn } from './columns.ts'
import type { Check, ColumnTest, Condition } from './conditions.ts'
import { type ReadText, textReader } from '../binding/text-reader.ts'
import { isKnown, type KnownName, knownText } from './known.ts'
import { quoted } from '../values/text.ts'

export interface BoundCondition {
  holds(): boolean
  /** The place of the first test that fails, or of the first that holds when all do. */
  place(): Place
  /** The text there. */
  text(): string
}

export interface ConditionPlace {
  /** Whether the row being built is meant, not the record. */
  readonly perRow: boolean
  /** What the columns are needed for, when they must be in the file; others are blank when they are not. */
  readonly needed?: string
}

/** No test of an empty condition fails. */
const NOTHING: BoundTest = { holds: () => true, place: () => ({}), text: () => '' }

interface BoundTest extends BoundCondition {
  readonly isNumber?: boolean
}

export function bindWhen({ tests }: Condition, where: ConditionPlace, context: BindContext): BoundCondition {
  const bound = tests.map((test) => bindTest(test, where, context))
  // Where another test fails, a text that should be a number need not be one.
  const numbersLast = bound.toSorted((a, b) => Number(a.isNumber ?? false) - Number(b.isNumber ?? false))
  const telling = () => numbersLast.find((test) => !test.holds()) ?? bound[0] ?? NOTHING
  return {
    holds: () => numbersLast.every((test) => test.holds()),
    place: () => telling().place(),
    text: () => telling().text(),
  }
}

/** Runs the checks on the current row, or on the record. */
export function bindChecks(checks: readonly Check[], perRow: boolean, context: BindContext): () => void {
  const bound = checks.map(({ condition, ...check }) => ({
    ...check,
    condition: bindWhen(condition, { perRow, needed: 'check' }, context),
  }))
  return () => {
    const { problems } = context.building
    for (const { condition, brokenWhen, say } of bound) {
      const before = problems.length
      if (condition.holds() !== brokenWhen || problems.length > before) continue
      // The mapping's own words are all there is to say.
      problems.push(problem('check-failed', condition.place(), say, ''))
    }
  }
}

/**
 * Makes the function that says why the current record waits for a person; undefined where no rule is. A row that the
 * `when` of its lines leaves out counts too: what must be told is told.
 */
export function bindHolds(
  { ofRecord, ofRows }: { readonly ofRecord: readonly Check[]; readonly ofRows: readonly Check[] },
  context: BindContext,
): (() => readonly Problem[]) | undefined {
  if (ofRecord.length + ofRows.length === 0) return undefined
  const { building } = context
  const bind = (perRow: boolean) => (check: Check) => ({
    ...check,
    condition: bindWhen(check.condition, { perRow, needed: 'hold' }, context),
  })
  const whole = ofRecord.map(bind(false))
  const single = ofRows.map(bind(true))
  const broken = (rules: typeof whole): Problem[] =>
    rules
      .filter(({ condition, brokenWhen }) => condition.holds() === brokenWhen)
      .map(({ condition, say }) => problem('held-by-mapping', condition.place(), say))
  return () => {
    const ofLines = building.itemRows.flatMap((row, index) => {
      building.row = row
      building.index = index
      return broken(single)
    })
    return [...broken(whole), ...ofLines]
  }
}

function bindTest(test: ColumnTest, { perRow, needed }: ConditionPlace, context: BindContext): BoundTest {
  const { building, header, items, typed, missing } = context
  if (isKnown(test.column)) return knownTest(test, test.column, perRow, context)
  const names = [test.column]
  const ofRow = perRow ? items.find(names) : undefined
  const ofRecord = ofRow !== undefined || (perRow && !typed) ? undefined : header.find(names)
  if (ofRecord !== undefined) return recordTest(test, ofRecord, context)
  if (ofRow === undefined) {
    if (needed !== undefined) missing.push({ names, field: needed, columns: perRow ? items : header })
    const always = test.holds('')
    return { holds: () => always, place: () => ({ column: test.column }), text: () => '' }
  }
  const read = textReader([ofRow], context.blanks)
  const text = () => read(building.row?.values ?? [])
  const place = () => ({
    ...(building.row === undefined ? {} : { line: building.row.line }),
    column: nameIn(building.row, ofRow),
  })
  const holds = () => isMet(test, text(), place, building)
  return { holds, text, place, isNumber: test.unclear !== undefined }
}

/** Whether the test holds for the text; nothing is quietly false of a text that should be a number. */
function isMet(
  test: ColumnTest,
  text: string,
  place: () => Place,
  { problems }: BindContext['building'],
): boolean {
  if (test.holds(text)) return true
  const why = test.unclear?.(text)
  if (why === undefined) return false
  const asks = `The mapping asks whether it ${test.words}.`
  const message = why.why === undefined ? `${quoted(text)} is not a number. ${asks}` : `${why.why} ${asks}`
  problems.push(problem('decimal-expected', place(), message, why.hint))
  return false
}

/** What is known of the row, or the record, without a column. */
function knownTest(test: ColumnTest, name: KnownName, perRow: boolean, context: BindContext): BoundTest {
  const { building } = context
  const text = knownText(name, perRow, context)
  return {
    holds: () => test.holds(text()),
    text,
    place() {
      const line = (perRow ? building.row : building.headerRows[0])?.line
      return { ...(line === undefined ? {} : { line }), column: name }
    },
  }
}

/** The first cell that is filled speaks for the record; another that would decide otherwise is a problem. */
function recordTest(test: ColumnTest, column: Column, { building, blanks }: BindContext): BoundTest {
  const read: ReadText = textReader([column], blanks)
  const speaking = () =>
    building.headerRows.find(({ values }) => read(values) !== '') ?? building.headerRows[0]
  const text = () => read(speaking()?.values ?? [])
  const place = () => {
    const line = speaking()?.line
    return { ...(line === undefined ? {} : { line }), column: column.name }
  }
  return {
    text,
    place,
    isNumber: test.unclear !== undefined,
    holds() {
      const first = speaking()
      const told = read(first?.values ?? [])
      const holds = isMet(test, told, place, building)
      if (building.firstCounts || first === undefined) return holds
      for (const row of building.headerRows) {
        const other = read(row.values)
        if (other === '' || other === told || test.holds(other) === holds) continue
        const message = `${quoted(other)} stands here, but ${quoted(told)} in line ${first.line} of the same record.`
        const place = { line: row.line, column: column.name }
        building.problems.push(problem('rows-disagree', place, message))
        break
      }
      return holds
    },
  }
}
