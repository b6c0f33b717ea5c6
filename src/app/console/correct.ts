/** Shows the refused rows of a file for correction: their cells, problems in groups, and what would become of what is typed. */
import type { Correction, WaitingCorrection } from '../../domain/decision.ts'
import type { Problem } from '../../domain/problem.ts'
import { classifyWatches } from '../../journal/heartbeat.ts'
import { listScheduledRoutes } from '../../schedule/schedule.ts'
import { BridgeError } from '../../support/errors.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { loadMappings, openMailbox } from '../context.ts'
import type { ConsoleContext } from './context.ts'
import type { CellChange, CellError } from './correct-cells.ts'
import {
  applyToGroups,
  AUDIENCE,
  type CorrectionGroup,
  findCells,
  groupProblems,
  nameUnit,
  type TypedReplacements,
} from './correct-groups.ts'
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
import { type ShownProblem, showProblem } from './masks.ts'

/** What a person typed and chose so far. */
export interface CorrectionForm extends CorrectionDraft, TypedReplacements {
  /** From 1. */
  readonly page: number
  /** Shows the page with this line of the source instead. */
  readonly line?: number
  /** Try it, and say what would be sent. */
  readonly isCheck?: boolean
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
  /** The first of them, and why. */
  readonly left: readonly LeftUnit[]
  /** How many more are not named. */
  readonly leftMore: number
  /** How many of the ready units have warnings. */
  readonly warned: number
  readonly name?: string
  /** Of the file as it would be left; sending asks for the same one. */
  readonly sha256?: string
}

/** Refused records that a check leaves out. */
export interface LeftUnit {
  readonly line: number
  readonly key: string
  readonly what: Exclude<UnitVerdict['what'], 'sent'>
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
        ...listLeft(units, checked.verdicts),
        warned: checked.ready.filter(({ line }) => (checked.verdicts.get(line)?.warnings.length ?? 0) > 0)
          .length,
        name: checked.file?.name,
        sha256: checked.file?.sha256,
      }),
  })
}

/** So many are named. */
const LEFT_MAX = 30

function listLeft(
  units: readonly CorrectionUnit[],
  verdicts: ReadonlyMap<number, UnitVerdict>,
): Pick<ShownCheck, 'left' | 'leftMore'> {
  const left = units.flatMap((unit): LeftUnit[] => {
    const { what = 'left-out' } = verdicts.get(unit.line) ?? {}
    if (what === 'sent' || unit.correction !== undefined) return []
    return [{ line: unit.line, key: nameUnit(unit), what }]
  })
  // What a person worked on comes first.
  const isTouched = ({ what }: LeftUnit) => what !== 'left-out'
  const inOrder = [...left.filter(isTouched), ...left.filter((each) => !isTouched(each))]
  return { left: inOrder.slice(0, LEFT_MAX), leftMore: Math.max(0, left.length - LEFT_MAX) }
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
