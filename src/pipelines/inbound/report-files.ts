/** The files in which a sender is told: which there are, and leaving them in the folder of the results. */
import { partSuffix } from '../../domain/file-parts.ts'
import type { FileEntry } from '../../domain/journal.ts'
import type { Staging } from '../../domain/mailbox.ts'
import { type Naming, namingOf, type StagedFile } from '../../domain/naming.ts'
import { BridgeError } from '../../support/errors.ts'
import { keepLease } from '../lease-keeper.ts'
import type { InboundParts } from '../parts.ts'
import { assertInboxThere } from './inbox-gone.ts'
import type { Summary } from './summary.ts'

interface Report {
  readonly suffix: string
  readonly spooled: string
}

/** The reports of a file; results first, because a reader that waits for the summary then finds everything. */
function reportsOf(file: FileEntry, summary: Summary): readonly Report[] {
  const results = { suffix: '.results.csv', spooled: `${file.id}.results` }
  const rejects = { suffix: partSuffix('rejects', file.name), spooled: `${file.id}.rejects` }
  const exceptions = { suffix: partSuffix('exceptions', file.name), spooled: `${file.id}.exceptions` }
  const total = { suffix: '.summary.json', spooled: `${file.id}.summary` }
  return [
    results,
    ...(summary.refusedLines > 0 || isRefusedWhole(summary) ? [rejects] : []),
    ...(summary.heldLines > 0 ? [exceptions] : []),
    total,
  ]
}

/** Of a file that holds nothing there is nothing to correct. */
function isRefusedWhole({ outcome, problems }: Summary): boolean {
  return outcome === 'unusable' && problems.every(({ code }) => code !== 'file-empty')
}

/** Reports on their way to their names. */
export interface ReportsUnderWay {
  readonly file: FileEntry
  readonly reports: readonly Report[]
  /** Ready in the folder of the results, by what follows the base name. */
  readonly staged: Map<string, StagedFile>
  /** Those that were given their names, by what follows the base name. */
  readonly named: Map<string, Naming>
  /** Those of an earlier pass that were not, by the name that they were to have. */
  readonly unnamed: ReadonlyMap<string, Naming>
}

/** What an earlier pass gave a name is not left again, even where its reader has taken it since. */
export async function beginReports(
  { journal, results, route }: InboundParts,
  file: FileEntry,
  summary: Summary,
): Promise<ReportsUnderWay> {
  const reports = reportsOf(file, summary)
  const [named, unnamed] = [new Map<string, Naming>(), new Map<string, Naming>()]
  const earlier = file.reportName === undefined ? [] : await journal.namingsOf(file.id)
  for (const naming of earlier) {
    const fate = await results.settleNaming(route.resultsFolder, naming)
    const report = reports.find(({ suffix }) => naming.name.endsWith(suffix))
    if (fate === 'named' && report !== undefined) named.set(report.suffix, naming)
    // One of which it cannot be told is left again: its reader is better told twice than never.
    if (fate === 'not-named') unnamed.set(naming.name, naming)
  }
  return { file, reports, staged: new Map(), named, unnamed }
}

/** Where the reports are, for people: the results first. */
export function pathsOf({ results, route }: InboundParts, { reports, named }: ReportsUnderWay): string[] {
  return reports.flatMap(({ suffix }) => {
    const name = named.get(suffix)?.name
    return name === undefined ? [] : [results.describe(route.resultsFolder, name)]
  })
}

/**
 * Gives those that have none yet their names, in their order. All are copied before the first gets its name, so that one note speaks of
 * all. False when another file stands at one of the names; then the rest may be given names with another base.
 */
export async function nameReports(
  parts: InboundParts,
  underWay: ReportsUnderWay,
  base: string,
): Promise<boolean> {
  const { journal, lease } = parts
  const { file, reports, staged, named } = underWay
  if (await isTaken(parts, underWay, base)) return false
  await stageMissing(parts, underWay, base)
  const pending = new Map([...staged].map(([suffix, each]) => [suffix, namingOf(each, base + suffix)]))
  const all = () => [...named.values(), ...pending.values()]
  await journal.nameReport(lease, file.id, base, all())
  const { fresh } = keepLease(parts)
  for (const { suffix } of reports) {
    const each = staged.get(suffix)
    if (each === undefined) continue
    await fresh()
    const outcome = await parts.results.giveName(each, base + suffix, {
      moreFollow: staged.size > 1,
      note: (evidence) => {
        pending.set(suffix, namingOf({ ...each, evidence }, base + suffix))
        return journal.noteNamings(lease, file.id, all())
      },
    })
    if (outcome === 'occupied') return false
    const naming = pending.get(suffix)
    // A file of an earlier pass may have been named by a bridge that stood still: the next pass settles it by its note.
    if (outcome === 'delivered' || each.isEarlier !== true) pending.delete(suffix)
    staged.delete(suffix)
    if (outcome === 'delivered' && naming !== undefined) named.set(suffix, naming)
    else await refuseLost(parts, { id: file.id, name: base + suffix, all: all() })
  }
  return true
}

/**
 * Whether another report stands at one of the names, such as that of an earlier file of which a reader has taken the results
 * alone. The first name shows it when it is given; once some have theirs, the rest takes what is free.
 */
async function isTaken(
  { results, route }: InboundParts,
  { reports, named }: ReportsUnderWay,
  base: string,
): Promise<boolean> {
  if (named.size > 0) return false
  for (const { suffix } of reports.slice(1)) {
    if (await results.stands(route.resultsFolder, base + suffix)) return true
  }
  return false
}

/** Nothing was given the name, and the note must not say that it was. */
async function refuseLost(
  { journal, lease, results, route }: InboundParts,
  { id, name, all }: { readonly id: string; readonly name: string; readonly all: readonly Naming[] },
): Promise<never> {
  await journal.noteNamings(lease, id, all)
  const final = results.describe(route.resultsFolder, name)
  throw new BridgeError('cannot-write', `${final} was taken away by somebody else before it was whole`)
}

/** Those that have neither their name nor a copy in the folder. */
async function stageMissing(
  parts: InboundParts,
  { reports, staged, named, unnamed }: ReportsUnderWay,
  base: string,
): Promise<void> {
  const missing = reports.filter(({ suffix }) => !named.has(suffix) && !staged.has(suffix))
  const known = (suffix: string) => unnamed.get(base + suffix)
  const toCopy = missing.filter(({ suffix }) => known(suffix) === undefined)
  for (const { suffix, spooled } of missing) {
    const earlier = known(suffix)
    const name = base + suffix
    const moreFollow = suffix !== toCopy.at(-1)?.suffix
    const how = earlier === undefined ? { name, moreFollow } : { name, earlier }
    staged.set(suffix, await stageReport(parts, spooled, how))
  }
}

/** A folder that is missing is made only while the file's inbox is there: both may be on one share, which is away. */
async function stageReport(parts: InboundParts, spooled: string, how: Staging): Promise<StagedFile> {
  const { results, spool, route } = parts
  const stage = (may: Pick<Staging, 'mayMake'>) =>
    results.stage(spool.path(spooled), route.resultsFolder, { ...how, ...may })
  let isMissing = false
  const mayMake = () => {
    isMissing = true
    return Promise.reject(new Error('asked first whether the inbox is there'))
  }
  try {
    return await stage({ mayMake })
  } catch (error) {
    if (!isMissing) throw error
    // Asked only now: a mailbox may have a single connection, which was in use.
    await assertInboxThere(parts)
    return stage({})
  }
}

/** The working files go once the journal knows that all have their names. */
export async function discardReports(
  { results, route }: InboundParts,
  { named }: ReportsUnderWay,
): Promise<void> {
  for (const { working } of named.values()) await results.discard({ folder: route.resultsFolder, working })
}
