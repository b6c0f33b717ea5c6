/** Shows the refused rows of a file for correction: their cells, problems in groups, and what would become of what is typed. */
import type { Correction, WaitingCorrection } from '../../domain/decision.ts'
import type { Problem } from '../../domain/problem.ts'
import { classifyWatches } from '../../journal/heartbeat.ts'
import { foldColumnName } from '../../mapping/rows/columns.ts'
import { listScheduledRoutes } from '../../schedule/schedule.ts'
import { BridgeError } from '../../support/errors.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { loadMappings, openMailbox } from '../context.ts'
import type { ConsoleContext } from './context.ts'
import type { CellChange, CellError } from './correct-cells.ts'
import type { EditableRow } from './correct-rows.ts'
import {
  type CorrectionContext,
  type CorrectionUnit,
  findCorrectableRoute,
  findObstacle,
  openCorrection,
  type OpenCorrection,
} from './correct-source.ts'
import { checkCorrection, type CorrectionDraft, listRealChanges, type UnitVerdict } from './correct-try.ts'
import { formatKey } from './lists.ts'
import { type ShownProblem, showProblem } from './masks.ts'

/** What a person typed and chose so far. */
export interface CorrectionForm extends CorrectionDraft {
  /** From 1. */
  readonly page: number
  /** Shows the page with this line of the source instead. */
  readonly line?: number
  /** Try it, and say what would be sent. */
  readonly isCheck?: boolean
  /** Type this text into all cells of a problem group. */
  readonly apply?: Replacement
  /** What was typed beside the groups: a check types it into those of their cells that nothing else was typed into. */
  readonly replacements?: readonly Replacement[]
}

export interface Replacement {
  readonly group: number
  readonly text: string
}

export interface CorrectionPage {
  readonly id: string
  readonly name: string
  readonly route: string
  /** Why nothing can be corrected here. */
  readonly missing?: string
  readonly encoding?: string
  readonly records: number
  /** How many of them are in a correction that is not finished. */
  readonly underWay: number
  readonly rows: number
  readonly groups: readonly CorrectionGroup[]
  readonly units: readonly ShownUnit[]
  readonly page: number
  readonly pages: number
  /** All real changes, those on other pages included. */
  readonly changes: readonly CellChange[]
  readonly asTheyAre: readonly number[]
  /** After a check. */
  readonly check?: ShownCheck
  readonly corrections: readonly ShownCorrection[]
  /** How its corrected files are taken, where they wait for that. */
  readonly taking: Taking
}

/** Refused records with the same problem of the same text in the same column. */
export interface CorrectionGroup {
  readonly number: number
  readonly problem: ShownProblem
  readonly column?: string
  readonly text?: string
  readonly records: number
  /** The first of the records, with the row that each begins with. */
  readonly units: readonly { readonly line: number; readonly key: string }[]
  /** The cells to type another text into; empty where the problem is of no column. */
  readonly cells: readonly Omit<CellChange, 'text'>[]
}

export interface ShownUnit {
  readonly line: number
  readonly key: string
  readonly records: number
  readonly problems: readonly ShownProblem[]
  readonly rows: readonly EditableRow[]
  /** The cells that are wrong; of what was typed since, the next check says it. */
  readonly marks: readonly CellMark[]
  /** It is in a correction that is not finished. */
  readonly isUnderWay: boolean
  readonly verdict?: ShownVerdict
}

/** What is wrong with a cell. An order repeats a cell in each of its rows: `isRepeated` says that the first one has the words. */
export interface CellMark extends CellError {
  readonly isRepeated?: true
}

export interface ShownVerdict {
  readonly what: UnitVerdict['what']
  readonly problems: readonly ShownProblem[]
  readonly warnings: readonly ShownProblem[]
  readonly errors: readonly CellError[]
}

export interface ShownCheck {
  /** How many records would be sent. */
  readonly ready: number
  readonly units: number
  /** How many records stay refused. */
  readonly leftOut: number
  /** How many of the ready units have warnings. */
  readonly warned: number
  readonly name?: string
  /** Of the file as it would be left; sending asks for the same one. */
  readonly sha256?: string
}

export interface ShownCorrection extends Pick<
  Correction,
  'id' | 'folder' | 'name' | 'by' | 'why' | 'at' | 'records' | 'leftAt' | 'givenUpAt'
> {
  readonly takenAs?: string
  readonly isFinished: boolean
}

/** How the bridge comes to take a file that lies in the inbox of a route. */
export interface Taking {
  readonly route: string
  /** A watch looks after the route. */
  readonly isWatched: boolean
  /** When its next scheduled run is; left out without a schedule. */
  readonly nextAt?: number
  /** That time is over. */
  readonly isDue: boolean
  /** Nothing is taken before. */
  readonly pausedUntil?: number
}

export type ShownWaiting = WaitingCorrection & { readonly taking: Taking }

export async function readTaking(
  { journal, configuration, clock }: ConsoleContext,
  route: string,
): Promise<Taking> {
  const now = clock.now()
  const { alive } = classifyWatches(await journal.listWatchers(), now)
  const routes = configuration.routes.filter(({ name }) => name === route)
  const [scheduled] = await listScheduledRoutes(journal, { ...configuration, routes }, now)
  const pause = (await journal.listPauses()).find((each) => each.route === route)
  return omitUndefined({
    route,
    isWatched: alive.some(({ routes: watched }) => watched.includes(route)),
    nextAt: scheduled?.nextAt,
    isDue: scheduled?.nextAt !== undefined && scheduled.nextAt <= now,
    pausedUntil: pause?.until,
  })
}

const WAITING_MAX = 100

/** The corrected files that lie in an inbox: of one file or of all. */
export async function listWaiting(context: ConsoleContext, file?: string): Promise<ShownWaiting[]> {
  const found: ShownWaiting[] = []
  for (const each of await context.journal.listWaitingCorrections(WAITING_MAX, file))
    found.push({ ...each, taking: await readTaking(context, each.route) })
  return found
}

const UNITS_ON_A_PAGE = 50

/** The page shows no more. */
const SHOWN_CORRECTIONS_MAX = 20

/** Only people who see personal data get here. */
const AUDIENCE = { isMasked: false }

/** Writes nothing. Undefined where the journal has no such file. */
export async function readCorrectionPage(
  context: ConsoleContext,
  id: string,
  form: CorrectionForm,
): Promise<CorrectionPage | undefined> {
  const { journal, configuration } = context
  const file = await journal.getFile(id)
  if (file === undefined) return undefined
  const corrections = (await journal.listCorrections(id, SHOWN_CORRECTIONS_MAX)).map(showCorrection)
  const taking = await readTaking(context, file.route)
  const common = { id, name: file.name, route: file.route, corrections, taking, ...NOTHING }
  const obstacle = findObstacle(file, findCorrectableRoute(configuration, file.route))
  if (obstacle !== undefined) return { ...common, missing: obstacle }
  const shown = await withCorrectionContext(context, file.route, async (own) => {
    const opened = await openCorrection(own, file)
    return 'missing' in opened ? opened : showOpened(own, opened, form)
  })
  return { ...common, ...shown }
}

const NOTHING = {
  records: 0,
  underWay: 0,
  rows: 0,
  groups: [],
  units: [],
  page: 1,
  pages: 1,
  changes: [],
  asTheyAre: [],
}

export function showCorrection({ takenAs, ...correction }: Correction): ShownCorrection {
  const { id, folder, name, by, why, at, records, leftAt, givenUpAt } = correction
  const isFinished = takenAs?.isFinished === true
  return omitUndefined({
    id,
    folder,
    name,
    by,
    why,
    at,
    records,
    leftAt,
    givenUpAt,
    isFinished,
    takenAs: takenAs?.id,
  })
}

/** Opens the mailbox and the mappings of the route for as long as the work takes. */
async function withCorrectionContext<Result>(
  { journal, configuration, clock }: ConsoleContext,
  name: string,
  work: (context: CorrectionContext) => Promise<Result>,
): Promise<Result | { readonly missing: string }> {
  const route = findCorrectableRoute(configuration, name)
  const settings = route && configuration.mailboxes[route.from.mailbox]
  if (route === undefined || settings === undefined) return { missing: 'Its mailbox is not configured.' }
  try {
    const mappings = await loadMappings({ ...configuration, routes: [route] })
    const options = { clock, random: Math.random, newId: () => 'console', isImpatient: true }
    const mailbox = await openMailbox(route.from.mailbox, settings, options)
    try {
      return await work({ journal, configuration, clock, mailbox, mappings })
    } finally {
      await mailbox.close()
    }
  } catch (error) {
    if (error instanceof BridgeError && !error.code.startsWith('journal-'))
      return { missing: `It cannot be opened: ${error.message}` }
    throw error
  }
}

async function showOpened(
  context: CorrectionContext,
  opened: OpenCorrection,
  form: CorrectionForm,
): Promise<Omit<CorrectionPage, 'id' | 'name' | 'route' | 'corrections' | 'taking'>> {
  const { units } = opened
  const groups = groupProblems(opened)
  const applied = applyToGroups(groups, form, listRealChanges(opened, form.changes))
  const changes = listRealChanges(opened, [...form.changes, ...applied])
  const lines = new Set(units.map(({ line }) => line))
  const asTheyAre = form.asTheyAre.filter((line) => lines.has(line))
  const checked =
    form.isCheck === true ? await checkCorrection(context, opened, { changes, asTheyAre }) : undefined
  const pages = Math.max(1, Math.ceil(units.length / UNITS_ON_A_PAGE))
  const at = units.findIndex(({ ranges }) => ranges.some(([from, to]) => isWithin(form.line, from, to)))
  const asked = at < 0 ? form.page : Math.floor(at / UNITS_ON_A_PAGE) + 1
  const page = Math.min(Math.max(1, asked), pages)
  const shown = units.slice((page - 1) * UNITS_ON_A_PAGE, page * UNITS_ON_A_PAGE)
  const records = countRecords(units)
  const underWay = countRecords(units.filter(({ correction }) => correction !== undefined))
  const ready = countRecords(checked?.ready ?? [])
  return omitUndefined({
    encoding: opened.encoding,
    records,
    underWay,
    rows: units.reduce((sum, each) => sum + each.rows.length, 0),
    groups,
    units: shown.map((unit) => showUnit(unit, changes, checked?.verdicts.get(unit.line))),
    page,
    pages,
    changes,
    asTheyAre,
    check:
      checked &&
      omitUndefined({
        ready,
        units: checked.ready.length,
        leftOut: records - underWay - ready,
        warned: checked.ready.filter(({ line }) => (checked.verdicts.get(line)?.warnings.length ?? 0) > 0)
          .length,
        name: checked.file?.name,
        sha256: checked.file?.sha256,
      }),
  })
}

function isWithin(line: number | undefined, first: number, last: number): boolean {
  return line !== undefined && first <= line && line <= last
}

function countRecords(units: readonly CorrectionUnit[]): number {
  return units.reduce((sum, { records }) => sum + records.length, 0)
}

function showUnit(
  unit: CorrectionUnit,
  changes: readonly CellChange[],
  verdict: UnitVerdict | undefined,
): ShownUnit {
  const { line, records, rows, correction } = unit
  const problems = records.flatMap((record) => record.problems)
  return omitUndefined({
    line,
    key: nameUnit(unit),
    records: records.length,
    problems: showAll(problems),
    rows,
    marks: markCells(unit, changes, verdict),
    isUnderWay: correction !== undefined,
    verdict: verdict && {
      what: verdict.what,
      problems: showAll(verdict.problems),
      warnings: showAll(verdict.warnings),
      errors: verdict.errors,
    },
  })
}

function markCells(
  unit: CorrectionUnit,
  changes: readonly CellChange[],
  verdict: UnitVerdict | undefined,
): CellMark[] {
  if (verdict !== undefined && verdict.errors.length > 0) return [...verdict.errors]
  const isChecked = verdict !== undefined && verdict.what !== 'left-out'
  const problems = isChecked ? verdict.problems : unit.records.flatMap((record) => record.problems)
  const marks = new Map<string, CellMark>()
  for (const found of problems)
    for (const [index, { line, cell }] of findCells(unit, found).entries()) {
      const isTyped = changes.some((each) => each.line === line && each.cell === cell)
      const key = `${line} ${cell}`
      if (marks.has(key) || (isTyped && !isChecked)) continue
      marks.set(key, { line, cell, message: found.message, ...(index > 0 && { isRepeated: true }) })
    }
  return [...marks.values()]
}

function showAll(problems: readonly Problem[]): ShownProblem[] {
  return problems.map((each) => showProblem(each, AUDIENCE))
}

// Groups: what one gesture corrects.

function groupProblems({ units }: OpenCorrection): CorrectionGroup[] {
  const groups = new Map<
    string,
    Omit<CorrectionGroup, 'number' | 'records' | 'units'> & { readonly units: Map<number, string> }
  >()
  for (const unit of units.filter(({ correction }) => correction === undefined)) {
    for (const found of unit.records.flatMap(({ problems }) => problems)) {
      const cells = findCells(unit, found)
      const text = cells[0]?.text
      const column = cells[0]?.column ?? found.place.column
      const key = JSON.stringify([found.code, column, text])
      const before = groups.get(key)
      const places = cells.map(({ line, cell }) => ({ line, cell }))
      const shown = showProblem(found, AUDIENCE)
      // What a message says of one record is not true of the others.
      const isShared = before === undefined || before.problem.message === shown.message
      const problem = isShared ? shown : { ...shown, message: shown.title }
      groups.set(key, {
        ...omitUndefined({ problem, column, text }),
        cells: mergeCells(before?.cells ?? [], places),
        units: (before?.units ?? new Map<number, string>()).set(unit.line, nameUnit(unit)),
      })
    }
  }
  return [...groups.values()]
    .map(({ units: own, ...group }) => ({
      ...group,
      records: own.size,
      units: [...own].slice(0, NAMED_MAX).map(([line, key]) => ({ line, key })),
    }))
    .toSorted((one, other) => other.records - one.records)
    .map((group, index) => ({ number: index + 1, ...group }))
}

/** A person sees which ones they are; of many, the first. */
const NAMED_MAX = 10

function nameUnit({ records: [first] }: CorrectionUnit): string {
  return first === undefined ? '' : formatKey({ keyValues: first.keyValues })
}

type Place = Omit<CellChange, 'text'>

function mergeCells(before: readonly Place[], more: readonly Place[]): readonly Place[] {
  const known = new Set(before.map(({ line, cell }) => `${line} ${cell}`))
  return [...before, ...more.filter(({ line, cell }) => !known.has(`${line} ${cell}`))]
}

/** The cell of the problem, and those of the record in its column with the same text: an order repeats them in each row. */
function findCells({ rows }: CorrectionUnit, { place }: Problem) {
  const { column } = place
  if (column === undefined) return []
  const name = foldColumnName(column)
  const cells = rows.flatMap(({ line, lastLine, cells: own }) =>
    own
      .filter((cell) =>
        cell.column === '' ? column === String(cell.cell + 1) : foldColumnName(cell.column) === name,
      )
      .map(({ cell, column: written, text }) => ({ line, lastLine, cell, column: written, text })),
  )
  const blamed =
    cells.find(
      ({ line, lastLine }) => place.line !== undefined && line <= place.line && place.line <= lastLine,
    ) ?? cells[0]
  return cells.filter(({ text }) => text === blamed?.text)
}

function applyToGroups(
  groups: readonly CorrectionGroup[],
  { apply, replacements = [] }: CorrectionForm,
  changes: readonly CellChange[],
): CellChange[] {
  const typed = new Set(changes.map(({ line, cell }) => `${line} ${cell}`))
  return groups.flatMap(({ number, text, cells }) => {
    if (apply?.group === number) return cells.map((each) => ({ ...each, text: apply.text }))
    const replacement = replacements.find(({ group }) => group === number)
    if (replacement === undefined || replacement.text === text) return []
    const left = cells.filter(({ line, cell }) => !typed.has(`${line} ${cell}`))
    return left.map((each) => ({ ...each, text: replacement.text }))
  })
}
