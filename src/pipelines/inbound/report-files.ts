/** The files in which a sender is told: which there are, and leaving them in the folder of the results. */
import { partSuffix } from '../../domain/file-parts.ts'
import type { FileEntry } from '../../domain/journal.ts'
import type { Handover } from '../../domain/mailbox.ts'
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

/** Where the reports are, for people: the results first. */
export function pathsOf(
  { results, route }: InboundParts,
  file: FileEntry,
  summary: Summary,
  name: string,
): string[] {
  return reportsOf(file, summary).map(({ suffix }) => results.describe(route.resultsFolder, name + suffix))
}

/** False when another file stands at one of the names. May be repeated after a crash. */
export async function leaveReports(
  parts: InboundParts,
  file: FileEntry,
  summary: Summary,
  name: string,
): Promise<boolean> {
  const handover = { stillOurs: keepLease(parts).fresh, takenOver: file.reportName === name }
  for (const { suffix, spooled } of reportsOf(file, summary)) {
    const outcome = await leaveReport(parts, { spooled, name: name + suffix, handover })
    if (outcome === 'occupied') return false
  }
  return true
}

interface Leaving {
  readonly spooled: string
  readonly name: string
  readonly handover: Handover
}

/** A folder that is missing is made only while the file's inbox is there: both may be on one share, which is away. */
async function leaveReport(
  parts: InboundParts,
  { spooled, name, handover }: Leaving,
): Promise<'delivered' | 'occupied'> {
  const { results, spool, route } = parts
  const leave = (how: Handover) => results.deliver(spool.path(spooled), route.resultsFolder, name, how)
  let isMissing = false
  const mayMake = () => {
    isMissing = true
    return Promise.reject(new Error('asked first whether the inbox is there'))
  }
  try {
    return await leave({ ...handover, mayMake })
  } catch (error) {
    if (!isMissing) throw error
    // Asked only now: a mailbox may have a single connection, which was in use.
    await assertInboxThere(parts)
    return leave(handover)
  }
}
