/** Makes the draft of a record from its rows: a body, a list of problems, or a skip. */
import type { Row } from '../../domain/format.ts'
import type { Place } from '../../domain/place.ts'
import { type Problem, problem, type ProblemCode, PROBLEMS } from '../../domain/problem.ts'
import type { Draft, LineRange, ScannedRecord } from '../../domain/translator.ts'
import type { BoundCondition } from './bind-condition.ts'
import type { BoundLeaf, BoundObject, BoundRows, RecordBuilder } from '../binding/record-builder.ts'
import { type RecordRows, type KeyColumn, opensRecord } from './grouping.ts'
import type { Grouping } from '../fields/plan.ts'
import { quoteNames } from '../../support/text.ts'
import { quoteText } from '../values/text.ts'

export interface DraftContext {
  readonly grouping: Grouping
  readonly headerLayout: number
  readonly builder: RecordBuilder
  readonly body: BoundObject
  /** The field of the body that names the record's order, where there is one. */
  readonly orderField: string
  readonly lines: BoundRows | undefined
  readonly keys: readonly KeyColumn[]
  /** In a file of typed rows: the columns that detail rows and their header row have in common, and must agree in. */
  readonly details: { readonly layout: number; readonly shared: readonly SharedColumn[] } | undefined
  /** The values to keep beside the order that the record creates. */
  readonly keep: BoundObject | undefined
  /** Which records are taken, with a description for people; without it, all are. */
  readonly only: { readonly condition: BoundCondition; readonly description: string } | undefined
  /** Returns why the record waits for a person; empty when it does not. */
  readonly hold: (() => readonly Problem[]) | undefined
  readonly check: () => void
}

/** A column that header rows and detail rows have under one name. */
export interface SharedColumn {
  readonly header: KeyColumn
  readonly detail: KeyColumn
  /** Whether the mapping knows the record by it; otherwise the name may be a coincidence. */
  readonly isKey: boolean
}

const FIX_SHARED = 'Correct the row. If the columns are not the same, name them differently under `records`.'

const FIX_BLANK_ELEMENT = 'Have the sender fill in the element.'

/** Makes the draft of a record. In documents of X12 and EDIFACT its problems say where in the interchange they are. */
export function createDraft(record: RecordRows, number: number, context: DraftContext): Draft {
  const draft = createPlainDraft(record, number, context)
  const { references, problems, warnings = [] } = draft
  const isPlain = problems.length + references.length + warnings.length === 0
  if (isPlain || record.rows[0]?.findSpot === undefined) return draft
  const locate = (found: Problem) => {
    const { code, fix } = found
    const ofCell = code === 'value-missing' && fix === PROBLEMS[code].fix
    const place = addSpot(found.place, record.rows)
    if (place.spot?.isAbsent !== true)
      return { ...found, ...(ofCell ? { fix: FIX_BLANK_ELEMENT } : {}), place }
    const { isAbsent, ...spot } = place.spot
    return ofCell && isAbsent
      ? { ...found, ...describeAbsent(found.message, spot.id), place: { ...place, spot } }
      : { ...found, place: { ...place, spot } }
  }
  return {
    ...draft,
    problems: problems.map(locate),
    ...(warnings.length === 0 ? {} : { warnings: removeRepeats(warnings.map(locate)) }),
    references: references.map((reference) => {
      const { line, column } = reference
      return { ...reference, line: addSpot({ line, column }, record.rows).line ?? line }
    }),
  }
}

/** A blank element is asked for by name; a segment that is not there has no elements. */
function describeAbsent(message: string, id: string): Pick<Problem, 'message' | 'fix'> {
  const says = message.replace(/^The element is blank/, `There is no ${id} behind this segment`)
  return { message: says, fix: says === message ? FIX_BLANK_ELEMENT : `Have the sender add ${id}.` }
}

function addSpot(place: Place, rows: readonly Row[]): Place {
  const { line, column } = place
  if (place.spot !== undefined || line === undefined || column === undefined) return place
  for (const row of rows) {
    const spot = row.line === line ? row.findSpot?.(column) : undefined
    if (spot !== undefined) return { ...place, line: spot.segment, spot }
  }
  return place
}

/** Reads the key cells of a record, and the value of one of its fields. */
export function scanRecord({ rows }: RecordRows, leaf: BoundLeaf, context: DraftContext): ScannedRecord {
  const { builder, keys } = context
  prepareBuilder(rows, context)
  const keyRow = findKeyRow(rows, context)
  const keyValues = keys.map(({ read }) => read(keyRow?.values ?? []))
  const value = builder.headerRows.length > 0 ? leaf.build() : undefined
  return { keyValues, name: typeof value === 'string' ? value : undefined }
}

function createPlainDraft(record: RecordRows, number: number, context: DraftContext): Draft {
  const { builder, body, keys, lines: array } = context
  const { rows, totals = [] } = record
  const isBroken = prepareBuilder(rows, context)
  builder.number = number
  const keyRow = findKeyRow(rows, context)
  const keyValues = keys.map(({ read }) => read(keyRow?.values ?? []))
  const { verdict, problems: reasons = [] } = rows.find((row) => row.verdict !== undefined) ?? {}
  if (verdict !== undefined) {
    const lines = rows.map(toLineRange)
    return { number, lines, keyValues, references: [], problems: reasons, [verdict]: true }
  }
  const strays = listStrayDetails(rows, keyRow, context)
  const isSound = !isBroken && record.problems.length + strays.length === 0
  const skip = (leftOut: Problem): Draft => {
    return {
      number,
      lines: [...rows, ...totals].map(toLineRange),
      keyValues,
      references: [],
      problems: [leftOut],
      skipped: true,
    }
  }
  const leftOut = isSound ? findSkipReason(context) : undefined
  if (leftOut !== undefined) return skip(leftOut)
  // Rows that the lines leave out count for holding, too.
  const holding = isSound ? findHoldReasons(context) : []
  if (holding.length > 0) {
    const about = readOrderReference(context, body.build())
    const references = builder.references.filter(({ kind }) => kind === 'order')
    const lines = [...rows, ...totals].map(toLineRange)
    return { number, lines, keyValues, references, ...about, problems: holding, held: true }
  }
  const withoutLines = isSound ? findEmptyReason(rows, context) : undefined
  if (withoutLines !== undefined) return skip(withoutLines)
  const repeated = rows.filter(({ isHeader }) => isHeader === true)
  if (repeated.length > 0) {
    // Alone it is no record, and what is said of one makes no sense.
    const others = repeated.length === rows.length ? [] : record.problems
    const problems = [...others, ...repeated.map(toRepeatedHeaderProblem)]
    return { number, lines: rows.map(toLineRange), keyValues, references: [], problems }
  }
  if (!isSound) array?.choose()
  const built = builder.headerRows.length > 0 ? body.build() : undefined
  if (built !== undefined) context.check()
  const keep = built === undefined ? undefined : context.keep?.build()
  const lines = [...listLineRanges(rows, builder), ...totals.map(toLineRange)]
  const { references, deferred, problems: found, warnings } = builder
  const warned = {
    ...(warnings.length === 0 ? {} : { warnings: removeRepeats(warnings) }),
    ...(builder.dateOrders.length === 0 ? {} : { dateOrders: builder.dateOrders }),
  }
  if (built !== undefined && isSound && found.length === 0) {
    const more = { ...(deferred.length === 0 ? {} : { deferred }), ...toKeptValues(keep), ...warned }
    return { number, lines, keyValues, body: built, references, ...more, problems: [] }
  }
  // A missing value may be in the unreadable row, so it is not reported.
  const sure = isBroken ? found.filter(({ code }) => code !== 'value-missing') : found
  const problems = joinDisagreements(
    removeRepeats([
      ...record.problems,
      ...strays,
      ...rows.flatMap((row) => row.problems ?? []),
      ...(findTotalLine(rows, sure) ?? sure),
    ]),
  )
  return { number, lines, keyValues, references, ...readOrderReference(context, built), problems, ...warned }
}

const FIX_TWO_RECORDS =
  'If they are two records, give them two numbers; if one, write the same values in its rows.'

const FIX_SAME_ITEM = 'If the rows are one record, add the quantities up in one line, or remove one.'

/** Rows that disagree in several columns are two records under one number, or one: both are said at once, each only once. */
function joinDisagreements(problems: readonly Problem[]): Problem[] {
  const [first, ...others] = problems.filter(({ code }) => code === 'rows-disagree')
  const columns = [...new Set(others.flatMap(({ place: { column } }) => column ?? []))]
  if (first === undefined || columns.length === 0) return [...problems]
  const message = `${first.message.replace(/\.$/, '')}; more columns differ: ${quoteNames(columns)}.`
  return problems.flatMap((each) => {
    if (each === first) return [{ ...first, message, fix: FIX_TWO_RECORDS }]
    if (each.code === 'item-repeated') return [{ ...each, fix: FIX_SAME_ITEM }]
    return each.code === 'rows-disagree' ? [] : [each]
  })
}

function toRepeatedHeaderProblem({ line }: Row): Problem {
  return problem('header-repeated', { line }, 'The line repeats the header, and holds no data.')
}

/** Reads the order field. Placeholders for failed and deferred values are objects, so only plain values count. */
function readOrderReference({ orderField }: DraftContext, built: Record<string, unknown> | undefined) {
  const value = built?.[orderField]
  return typeof value === 'number' || typeof value === 'string' ? { about: { [orderField]: value } } : {}
}

function toKeptValues(keep: Record<string, unknown> | undefined): Pick<Draft, 'keep'> {
  if (keep === undefined || Object.keys(keep).length === 0) return {}
  return { keep: Object.fromEntries(Object.entries(keep).map(([name, value]) => [name, String(value)])) }
}

/** Gives the rows to the record builder; returns whether some are unusable. */
function prepareBuilder(rows: readonly Row[], { builder, grouping, headerLayout }: DraftContext): boolean {
  const isBroken = rows.some(({ problems }) => problems !== undefined)
  const usable = isBroken ? rows.filter(({ problems }) => problems === undefined) : rows
  const isTyped = grouping.kind === 'records'
  builder.headerRows = isTyped ? usable.filter(({ layout }) => layout === headerLayout) : usable
  const hasDetails = isTyped && grouping.detail !== undefined
  const isHeader = (row: Row) => row.layout === headerLayout && (row === rows[0] || row.continues === true)
  builder.itemRows = hasDetails ? rows.filter((row) => !isHeader(row)) : rows
  builder.lineRows = builder.itemRows
  builder.bodyRows = builder.itemRows
  builder.filled = 0
  builder.references = []
  builder.deferred = []
  builder.dateOrders = []
  builder.problems.length = 0
  builder.warnings.length = 0
  return isBroken
}

/** Returns why the mapping skips the record; rows that disagree about it are a problem instead. */
function findSkipReason({ only, builder }: DraftContext): Problem | undefined {
  if (builder.headerRows.length === 0) return undefined
  if (only?.condition.holds() === false && builder.problems.length === 0) {
    const place = only.condition.place()
    const text = only.condition.text()
    const is = text === '' ? 'is blank' : `is ${quoteText(text)}`
    const message = `"${place.column ?? ''}" ${is}; the mapping takes records of which ${only.description}.`
    return problem('left-out', place, message)
  }
  return undefined
}

/** Chooses the lines of the record; returns why it is skipped when there are none left. */
function findEmptyReason(rows: readonly Row[], { builder, lines }: DraftContext): Problem | undefined {
  if (builder.headerRows.length === 0) return undefined
  lines?.choose()
  if (builder.problems.length > 0) return undefined
  const [first] = rows
  if (first === undefined || builder.itemRows.length === 0 || builder.lineRows.length > 0) return undefined
  const message = 'Each row of the record is left out by the `when` of its lines.'
  return problem('left-out', { line: first.line }, message)
}

/** Returns why the record waits for a person; rows that disagree about it are a problem instead. */
function findHoldReasons({ hold, builder }: DraftContext): readonly Problem[] {
  if (hold === undefined || builder.headerRows.length === 0) return []
  const reasons = hold()
  return builder.problems.length > 0 || reasons.length === 0 ? [] : removeRepeats(reasons)
}

/** Detail rows that say otherwise than the header row above them: their own is missing, or they are misplaced. */
function listStrayDetails(
  rows: readonly Row[],
  headerRow: Row | undefined,
  { details }: DraftContext,
): Problem[] {
  if (details === undefined || headerRow === undefined || details.shared.length === 0) return []
  const wanted = details.shared.map(({ header }) => header.read(headerRow.values))
  return rows.flatMap((row) => {
    if (row.layout !== details.layout || row.problems !== undefined) return []
    return details.shared.flatMap(({ header, detail, isKey }, index) => {
      const own = detail.read(row.values)
      const above = wanted[index] ?? ''
      if (own === '' || above === '' || own === above) return []
      const place = { line: row.line, column: detail.name }
      const message = `The row is of ${quoteText(own)}, and the header row above it says ${quoteText(above)} in "${header.name}".`
      return problem('detail-of-other-record', place, message, isKey ? undefined : FIX_SHARED)
    })
  })
}

function findKeyRow(rows: readonly Row[], { grouping, headerLayout }: DraftContext): Row | undefined {
  const [first] = rows
  if (grouping.kind === 'keys' || first === undefined) return first
  return first.layout === headerLayout && opensRecord(first) ? first : undefined
}

/** How many values a total line lacks at least. */
const MISSING_IN_TOTALS = 3

const TOTAL_WORDS = /^\W*(?:(?:grand|sub) ?-?)?(?:totals?|totale|totaux|summe|gesamt(?:summe)?|somme)\W*$/i

/** One problem in the place of many blank values, where a record is a single row that says it is a total. */
function findTotalLine([row, ...more]: readonly Row[], found: readonly Problem[]): Problem[] | undefined {
  const word = row?.values.find((cell) => TOTAL_WORDS.test(cell))
  const missing = found.filter(({ code }) => code === 'value-missing')
  if (row === undefined || word === undefined || more.length > 0) return undefined
  if (missing.length < MISSING_IN_TOTALS) return undefined
  const message = `The row looks like a total line: a cell says ${quoteText(word.trim())}, and ${missing.length} values are blank.`
  return [problem('value-missing', { line: row.line }, message, FIX_TOTAL_LINE)]
}

const FIX_TOTAL_LINE = 'Remove the line from the file, or name it in the mapping under `totals`.'

/** Lists the file lines in the order of the record's lines, to place the API's messages. */
function listLineRanges(rows: readonly Row[], { itemRows, bodyRows }: RecordBuilder): LineRange[] {
  if (bodyRows === itemRows) return rows.map(toLineRange)
  const items = new Set(itemRows)
  const made = new Set(bodyRows)
  const opening = rows.filter((row) => !items.has(row))
  return [...opening, ...bodyRows, ...itemRows.filter((row) => !made.has(row))].map(toLineRange)
}

function toLineRange({ line, lastLine }: Row): LineRange {
  return [line, lastLine]
}

/** Returns a key for problems of the cell itself, whatever field it fills: it is blank, or not a number. */
function toCellProblemKey(code: ProblemCode, message: string): string | undefined {
  if (code === 'value-missing') return code
  if (code !== 'decimal-expected' && code !== 'integer-expected') return undefined
  const text = /^"[^"]*"/.exec(message)?.[0]
  return text && `number ${text}`
}

/** Reports a problem of a cell once, even where the cell fills several fields. */
export function removeRepeats(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>()
  return problems.filter(({ code, message, place }) => {
    const cellProblemKey = place.column === undefined ? undefined : toCellProblemKey(code, message)
    const key = [
      cellProblemKey ?? code,
      place.line,
      place.column,
      cellProblemKey === undefined ? message : '',
    ].join('\u0000')
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
