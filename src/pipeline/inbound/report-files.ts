/** Delivers the reports of a file to the results folder. After a crash no report is delivered twice. */
import type { FileEntry } from '../../domain/file.ts'
import {
  type Naming,
  type StagedFile,
  type StageOptions,
  toNaming,
  NAMES_MAX,
  namesTakenError,
} from '../../domain/mailbox.ts'
import { BridgeError } from '../../support/errors.ts'
import type { IntakeContext } from '../context.ts'
import { createLeaseGuard } from '../failures.ts'
import { assertInboxExists, assertResultsUnused, getResultsPlace } from './inbox.ts'

/** A report that lies in the spool. */
export interface ReportFile {
  /** What follows the name of the source in its name. */
  readonly suffix: string
  readonly spooled: string
}

/**
 * submitted → reported. Delivers the reports in this order, under one base name, and returns their paths. Reports that
 * already have their names after a crash are not delivered again. `baseName` is the name of the source, or the like.
 */
export async function deliverReports(
  context: IntakeContext,
  file: FileEntry,
  { baseName, reports }: { readonly baseName: string; readonly reports: readonly ReportFile[] },
): Promise<readonly string[]> {
  const { journal, lease } = context
  const progress = await beginReports(context, file, reports)
  const base = limitName(baseName, file.id)
  let name = file.reportName
  // Each report of the same file gets a name of its own, so that readers do not confuse them.
  const firstSuffix = 1 + (file.reports ?? 0)
  for (let suffix = firstSuffix; suffix < firstSuffix + NAMES_MAX; suffix++) {
    name ??= suffix === 1 ? base : `${base}~${suffix}`
    if (await nameReports(context, progress, name)) {
      await notePlace(context)
      await journal.markFileReported(lease, file.id)
      await discardWorkingFiles(context, progress)
      return listReportPaths(context, progress)
    }
    name = undefined
  }
  const [{ suffix } = { suffix: '' }] = reports
  throw namesTakenError(context.results.describe(context.route.resultsFolder, `${file.name}${suffix}`))
}

/** From now on the folder is not created again. */
async function notePlace({ journal, lease, results, route }: IntakeContext): Promise<void> {
  const place = getResultsPlace(results, route.resultsFolder)
  if (!(await journal.isPlaceKnown(place))) await journal.savePlace(lease, place)
}

/** File systems take names of 255 bytes; the suffixes and a number must fit behind it. */
const NAME_BYTES_MAX = 230

/** A name that is too long is cut, and gets the file's id to stay unique. */
function limitName(name: string, id: string): string {
  if (Buffer.byteLength(name) <= NAME_BYTES_MAX) return name
  const letters = [...new Intl.Segmenter().segment(name)].map(({ segment }) => segment)
  const room = NAME_BYTES_MAX - id.length - 1
  while (Buffer.byteLength(letters.join('')) > room) letters.pop()
  return `${letters.join('')}~${id}`
}

interface ReportsInProgress {
  readonly file: FileEntry
  readonly reports: readonly ReportFile[]
  readonly staged: Map<string, StagedFile>
  readonly named: Map<string, Naming>
  /** Reports that an earlier pass did not name, by the name that they were to have. */
  readonly unnamed: ReadonlyMap<string, Naming>
}

/** A report that an earlier pass named is not delivered again, even if its reader has removed it since. */
async function beginReports(
  { journal, results, route }: IntakeContext,
  file: FileEntry,
  reports: readonly ReportFile[],
): Promise<ReportsInProgress> {
  const [named, unnamed] = [new Map<string, Naming>(), new Map<string, Naming>()]
  const earlier = file.reportName === undefined ? [] : await journal.listNamings(file.id)
  for (const naming of earlier) {
    const state = await results.inspectNaming(route.resultsFolder, naming)
    const report = reports.find(({ suffix }) => naming.name.endsWith(suffix))
    if (state === 'named' && report !== undefined) named.set(report.suffix, naming)
    // A report in an unknown state is delivered again: two reports are better than none.
    if (state === 'not-named') unnamed.set(naming.name, naming)
  }
  return { file, reports, staged: new Map(), named, unnamed }
}

function listReportPaths({ results, route }: IntakeContext, { reports, named }: ReportsInProgress) {
  const names = reports.flatMap(({ suffix }) => named.get(suffix)?.name ?? [])
  return names.map((name) => results.describe(route.resultsFolder, name))
}

/** Names the rest; stages all first, so that one note covers them. False when a name is taken: try another base name. */
async function nameReports(context: IntakeContext, progress: ReportsInProgress, base: string) {
  const { journal, lease } = context
  const { file, reports, staged, named } = progress
  if (await isNameTaken(context, progress, base)) return false
  await stageMissing(context, progress, base)
  const pending = new Map([...staged].map(([suffix, each]) => [suffix, toNaming(each, base + suffix)]))
  const all = () => [...named.values(), ...pending.values()]
  await journal.saveReportName(lease, file.id, base, all())
  const { assertHeld } = createLeaseGuard(context)
  for (const { suffix } of reports) {
    const each = staged.get(suffix)
    if (each === undefined) continue
    await assertHeld()
    const outcome = await context.results.giveName(each, base + suffix, {
      moreFollow: staged.size > 1,
      note: (evidence) => {
        pending.set(suffix, toNaming({ ...each, evidence }, base + suffix))
        return journal.saveNamings(lease, file.id, all())
      },
    })
    if (outcome === 'occupied') return false
    const naming = pending.get(suffix)
    // A bridge that paused may have named a staged file of an earlier pass: the next pass finds out by its note.
    if (outcome === 'delivered' || each.isEarlier !== true) pending.delete(suffix)
    staged.delete(suffix)
    if (outcome === 'delivered' && naming !== undefined) named.set(suffix, naming)
    else await failLostReport(context, file.id, base + suffix, all())
  }
  return true
}

/** Whether another file has one of the names. Once some reports are named, the rest takes any name that is free. */
async function isNameTaken(context: IntakeContext, { reports, named }: ReportsInProgress, base: string) {
  const { results, route } = context
  if (named.size > 0) return false
  for (const { suffix } of reports.slice(1)) {
    if (await results.hasEntry(route.resultsFolder, base + suffix)) return true
  }
  return false
}

/** Corrects the note first: it must not say that the report got its name. */
async function failLostReport(
  { journal, lease, results, route }: IntakeContext,
  id: string,
  name: string,
  all: readonly Naming[],
): Promise<never> {
  await journal.saveNamings(lease, id, all)
  const final = results.describe(route.resultsFolder, name)
  throw new BridgeError('cannot-write', `another program removed ${final} before it was complete`)
}

async function stageMissing(context: IntakeContext, progress: ReportsInProgress, base: string) {
  const { reports, staged, named, unnamed } = progress
  const missing = reports.filter(({ suffix }) => !named.has(suffix) && !staged.has(suffix))
  const known = (suffix: string) => unnamed.get(base + suffix)
  const toCopy = missing.filter(({ suffix }) => known(suffix) === undefined)
  for (const { suffix, spooled } of missing) {
    const earlier = known(suffix)
    const name = base + suffix
    const moreFollow = suffix !== toCopy.at(-1)?.suffix
    const how = earlier === undefined ? { name, moreFollow } : { name, earlier }
    staged.set(suffix, await stageReport(context, spooled, how))
  }
}

/** Creates a missing folder only if the inbox exists: both may be on one share that is not mounted. */
async function stageReport(context: IntakeContext, spooled: string, how: StageOptions): Promise<StagedFile> {
  const { results, spool, route } = context
  const stage = (may: Pick<StageOptions, 'beforeCreate'>) =>
    results.stage(spool.path(spooled), route.resultsFolder, { ...how, ...may })
  let isMissing = false
  const beforeCreate = () => {
    isMissing = true
    return Promise.reject(new Error('asked first whether the inbox is there'))
  }
  try {
    return await stage({ beforeCreate })
  } catch (error) {
    if (!isMissing) throw error
    // Only now, outside of staging: a mailbox may have a single connection, which staging uses.
    await assertInboxExists(context)
    await assertResultsUnused(context)
    return stage({})
  }
}

/** Removes the working files once the journal knows that all reports have their names. */
async function discardWorkingFiles({ results, route }: IntakeContext, { named }: ReportsInProgress) {
  for (const { working } of named.values())
    await results.removeStaged({ folder: route.resultsFolder, working })
}
