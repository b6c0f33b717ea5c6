/** The rows of one record become its draft: a body, a list of problems, or a record that was left out on purpose. */
import type { Row } from '../../domain/document.ts'
import { type Problem, type ProblemCode, problem } from '../../domain/problem.ts'
import type { Draft, LineRange } from '../../domain/translator.ts'
import type { BoundCondition } from './bind-condition.ts'
import type { BoundObject, BoundRows, Building } from '../binding/building.ts'
import { type Gathered, type KeyColumn, opensRecord } from './gather.ts'
import type { Grouping } from '../fields/plan.ts'
import { quoted } from '../values/text.ts'

/** What the drafts of one file are made with. */
export interface Drafting {
  readonly grouping: Grouping
  readonly headerLayout: number
  readonly building: Building
  readonly body: BoundObject
  /** The field of the body that says which order the record is about, where it is about one. */
  readonly orderField: string
  /** Its array, when it is mapped. */
  readonly lines: BoundRows | undefined
  readonly keys: readonly KeyColumn[]
  /** What is remembered beside the order that the record creates. */
  readonly keep: BoundObject | undefined
  /** Which records are taken, and the same in words; without it, all are. */
  readonly only: { readonly condition: BoundCondition; readonly words: string } | undefined
  /** Why the record waits for a person; empty when it does not. */
  readonly hold: (() => readonly Problem[]) | undefined
  /** Holds the record to the user's own rules. */
  readonly check: (() => void) | undefined
}

export function draftOf(gathered: Gathered, number: number, drafting: Drafting): Draft {
  const { building, body, keys, lines: array } = drafting
  const { rows } = gathered
  const isBroken = prepare(rows, drafting)
  building.number = number
  const keyRow = keyRowOf(rows, drafting)
  const keyValues = keys.map(({ read }) => read(keyRow?.values ?? []))
  const isSound = !isBroken && gathered.problems.length === 0
  const leftOut = isSound ? reasonToLeaveOut(rows, drafting) : undefined
  if (leftOut !== undefined) {
    const lines = rows.map(rangeOf)
    return { number, lines, keyValues, references: [], problems: [leftOut], skipped: true }
  }
  const holding = isSound ? reasonsToHold(drafting) : []
  if (holding.length > 0) {
    const about = aboutOrder(drafting, body.build())
    const references = building.references.filter(({ kind }) => kind === 'order')
    return {
      number,
      lines: rows.map(rangeOf),
      keyValues,
      references,
      ...about,
      problems: holding,
      held: true,
    }
  }
  if (!isSound) array?.choose()
  const built = building.headerRows.length > 0 ? body.build() : undefined
  if (built !== undefined) drafting.check?.()
  const keep = built === undefined ? undefined : drafting.keep?.build()
  const lines = linesOf(rows, building)
  const { references, awaits, problems: found } = building
  if (built !== undefined && isSound && found.length === 0) {
    const more = { ...(awaits.length === 0 ? {} : { awaits }), ...keptIn(keep) }
    return { number, lines, keyValues, body: built, references, ...more, problems: [] }
  }
  // A value that seems to be missing may stand in the row that cannot be read.
  const sure = isBroken ? found.filter(({ code }) => code !== 'value-missing') : found
  const ofRows = rows.flatMap((row) => row.problems ?? [])
  const problems = withoutRepeats([...gathered.problems, ...ofRows, ...sure])
  return { number, lines, keyValues, references, ...aboutOrder(drafting, built), problems }
}

/** A value that could not be made is an object, and so is one that is found later. */
function aboutOrder(
  { orderField }: Drafting,
  built: Record<string, unknown> | undefined,
): Pick<Draft, 'about'> {
  const value = built?.[orderField]
  return typeof value === 'number' || typeof value === 'string' ? { about: { [orderField]: value } } : {}
}

function keptIn(keep: Record<string, unknown> | undefined): Pick<Draft, 'keep'> {
  if (keep === undefined || Object.keys(keep).length === 0) return {}
  return { keep: Object.fromEntries(Object.entries(keep).map(([name, value]) => [name, String(value)])) }
}

/** Makes the rows those of the record being built; tells whether some cannot be used. */
function prepare(rows: readonly Row[], { building, grouping, headerLayout }: Drafting): boolean {
  const isBroken = rows.some(({ problems }) => problems !== undefined)
  const usable = isBroken ? rows.filter(({ problems }) => problems === undefined) : rows
  const isTyped = grouping.kind === 'records'
  building.headerRows = isTyped ? usable.filter(({ layout }) => layout === headerLayout) : usable
  building.itemRows = isTyped ? rows.filter((row) => row.layout !== headerLayout || row !== rows[0]) : rows
  building.lineRows = building.itemRows
  building.bodyRows = building.itemRows
  building.filled = 0
  building.references = []
  building.awaits = []
  building.problems.length = 0
  return isBroken
}

/** Why the record is none of those the mapping takes; rows that disagree about it are a problem instead. */
function reasonToLeaveOut(rows: readonly Row[], { only, building, lines }: Drafting): Problem | undefined {
  if (building.headerRows.length === 0) return undefined
  if (only?.condition.holds() === false && building.problems.length === 0) {
    const place = only.condition.place()
    const text = only.condition.text()
    const is = text === '' ? 'is blank' : `is ${quoted(text)}`
    const message = `"${place.column ?? ''}" ${is}; the mapping takes records of which ${only.words}.`
    return problem('left-out', place, message)
  }
  lines?.choose()
  if (building.problems.length > 0) return undefined
  const [first] = rows
  if (first === undefined || building.itemRows.length === 0 || building.lineRows.length > 0) return undefined
  const message = 'Each row of the record is left out by the `when` of its lines.'
  return problem('left-out', { line: first.line }, message)
}

/** Why a person has to look at the record; rows that disagree about it are a problem instead. */
function reasonsToHold({ hold, building }: Drafting): readonly Problem[] {
  if (hold === undefined || building.headerRows.length === 0) return []
  const reasons = hold()
  return building.problems.length > 0 ? [] : withoutRepeats(reasons)
}

/** The row whose key columns name the record. */
function keyRowOf(rows: readonly Row[], { grouping, headerLayout }: Drafting): Row | undefined {
  const [first] = rows
  if (grouping.kind === 'keys' || first === undefined) return first
  return first.layout === headerLayout && opensRecord(first) ? first : undefined
}

/** The lines of the file in the order of the lines of the record, so that those of its messages can be found. */
function linesOf(rows: readonly Row[], { itemRows, bodyRows }: Building): LineRange[] {
  if (bodyRows === itemRows) return rows.map(rangeOf)
  const items = new Set(itemRows)
  const made = new Set(bodyRows)
  const opening = rows.filter((row) => !items.has(row))
  const others = itemRows.filter((row) => !made.has(row))
  return [...opening, ...bodyRows, ...others].map(rangeOf)
}

function rangeOf({ line, lastLine }: Row): LineRange {
  return [line, lastLine]
}

/** What is wrong with a cell whatever field it feeds: that it is blank, or that its text is no number. */
function ofTheCell(code: ProblemCode, message: string): string | undefined {
  if (code === 'value-missing') return code
  if (code !== 'decimal-expected' && code !== 'integer-expected') return undefined
  const text = /^"[^"]*"/.exec(message)?.[0]
  return text && `number ${text}`
}

/** One cell may feed several fields; what is wrong with it is said once. */
export function withoutRepeats(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>()
  return problems.filter(({ code, message, place }) => {
    const said = place.column === undefined ? undefined : ofTheCell(code, message)
    const key = [said ?? code, place.line, place.column, said === undefined ? message : ''].join('\u0000')
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
