/** Formats the results of incoming files, and how a person decides about held records. */
import type { HeldFile } from '../../domain/decision.ts'
import { isPartOf } from '../../domain/file.ts'
import { type Problem, type ProblemCode, PROBLEMS } from '../../domain/problem.ts'
import type { WaitingFile } from '../../domain/record.ts'
import type { ArchivedFile } from '../../pipeline/inbound/inbound.ts'
import type { ReportedFile } from '../../pipeline/inbound/report.ts'
import type { Summary } from '../../pipeline/inbound/summary.ts'
import { quoteForShell } from '../../support/text.ts'
import { formatCodedProblem, formatCount, formatCounts, formatNotes, formatWarnings } from './text.ts'

/** What happened, and where the sender reads more when there is more. */
export function formatReport({ summary, paths, isPart, ...firsts }: ReportedFile): string[] {
  const { firstReason, firstWarning, firstSkip } = firsts
  const [results, ...otherPaths] = paths
  const rejects = otherPaths.find((path) => isPartOf(path, 'rejects'))
  const exceptions = otherPaths.find((path) => isPartOf(path, 'exceptions'))
  const held = Object.entries(summary.heldFor).map(([why, count]) => `    ${count} held: ${why}`)
  const isHeld = (summary.records.held ?? 0) > 0
  const read = [
    `    results: ${results}`,
    ...(rejects === undefined ? [] : [`    to correct and drop in under its name: ${rejects}`]),
    ...(exceptions === undefined ? [] : [`    held, for a person to decide: ${exceptions}`]),
    ...held,
    ...(isHeld ? formatNextSteps(Object.keys(summary.codes), summary.file) : []),
  ]
  const isAllThere = (summary.documents?.missing ?? 0) + (summary.documents?.refused ?? 0) === 0
  const isPlain = isAllThere && (summary.records.total ?? 0) === (summary.records.accepted ?? 0)
  const codes = Object.keys(summary.warnings).join(', ')
  const warnings = formatWarnings(countWarnings(summary)).map(
    (count) => `    ${count} (${codes}), see column _message of ${results}`,
  )
  const reason =
    firstReason === undefined ? [] : [`    the first: ${formatCodedProblem(firstReason, summary.file)}`]
  return [
    ...formatSummary(summary),
    ...reason,
    ...formatSkipReasons(summary, firstSkip),
    ...warnings,
    ...(firstWarning === undefined || warnings.length === 0
      ? []
      : [`    the first: ${formatCodedProblem(firstWarning, summary.file)}`]),
    ...(isPart ? [] : formatNotes(summary.notes)),
    ...(isPlain && summary.outcome === 'processed' ? [] : read),
  ]
}

/** Why records are skipped; the results say it of each of them. */
function formatSkipReasons({ records, codes }: Summary, first?: Problem): string[] {
  if ((records.skipped ?? 0) === 0) return []
  return SKIP_CODES.filter((code) => (codes[code] ?? 0) > 0).map(
    (code) =>
      `    skipped: ${PROBLEMS[code].title} ${first?.code === code ? first.fix : PROBLEMS[code].fix}  [${code}]`,
  )
}

/** Codes that records have only where they are skipped. */
const SKIP_CODES = ['left-out', 'superseded', 'edi-test'] as const satisfies readonly ProblemCode[]

export function countWarnings({ warnings }: Summary): number {
  return Object.values(warnings).reduce((sum, count) => sum + count, 0)
}

/** A file that an earlier run reported before it failed. */
export function formatArchivedFile(route: string, { file, records }: ArchivedFile): string {
  const { name, outcome = 'processed' } = file
  const came = outcome === 'processed' ? formatCounts(records) : outcome
  return `${route}: ${name} is done: ${came}; its results were delivered by an earlier run`
}

/** A file that is finished except for records that wait for their orders. */
export function formatWaitingFile({ route, name, records, message }: WaitingFile): string {
  const isOne = records === 1
  const how = `${formatCount(records, 'record')} ${isOne ? 'waits for its order' : 'wait for their orders'}`
  return `${route}: ${name}: ${how}; the next runs look again. ${isOne ? '' : 'The first: '}${message}`
}

function formatSummary(summary: Summary): string[] {
  const { route, file, outcome, duplicateOf } = summary
  if (outcome === 'duplicate' && duplicateOf) {
    const first = `${duplicateOf.file}, received ${duplicateOf.receivedAt}`
    return [`${route}: ${file} has the same bytes as ${first}; nothing was sent`]
  }
  const problems = summary.problems.map((each) => `    ${formatCodedProblem(each, file)}`)
  if (outcome === 'unusable') return [`${route}: ${file} cannot be used`, ...problems]
  const { delivered = 0, missing = 0, refused = 0 } = summary.documents ?? {}
  const lacking = missing + refused
  const documents = [
    ...(delivered > 0 ? [`    ${delivered} packing slips and labels delivered`] : []),
    ...(lacking > 0 ? [`    ${formatMissingDocuments(lacking)}: dropbridge labels`] : []),
  ]
  const operations = Object.entries(summary.operations ?? {}).map(
    ([operation, counts]) => `    ${operation}: ${formatCounts(counts)}`,
  )
  return [`${route}: ${file}: ${formatCounts(summary.records)}`, ...problems, ...operations, ...documents]
}

function formatMissingDocuments(count: number): string {
  return count === 1 ? '1 packing slip or label is missing' : `${count} packing slips or labels are missing`
}

// Held records: the fix depends on the reason.

const DECISION_ARGUMENTS = '--by NAME --why TEXT'

const HELD_FIXES: Readonly<Partial<Record<ProblemCode, (file: string) => string>>> = {
  'file-perhaps-cut': (file) =>
    `its last line has no line end; if it is cut, send the whole file again; if it is whole: dropbridge release ${file} ${DECISION_ARGUMENTS}; if all files of the route end so, set lastLineEnd: optional under from`,
  'circuit-breaker-open': (file) =>
    `if the file or the mapping is wrong: dropbridge discard ${file} ${DECISION_ARGUMENTS}, correct the new rejects file or the mapping, and drop that file in; if the API was at fault: dropbridge release ${file} ${DECISION_ARGUMENTS}`,
  'held-by-mapping': (file) =>
    `there is nothing to send of them; when they are dealt with: dropbridge discard ${file} ${DECISION_ARGUMENTS}`,
  'edi-document-unrouted': (file) =>
    `drop the exceptions file into the inbox of a route that reads them; then: dropbridge discard ${file} ${DECISION_ARGUMENTS}`,
  'hierarchy-unclear': (file) =>
    `have the sender correct the levels and send the document again; then: dropbridge discard ${file} ${DECISION_ARGUMENTS}`,
  'earlier-step-failed': (file) =>
    `correct the rejects file and drop it in again, it has all rows of their orders; when the earlier step is resolved in another way: dropbridge release ${file} ${DECISION_ARGUMENTS}`,
  'outcome-unprovable': (file) =>
    `their answers were lost, so they may have taken effect: check the API, then say of each what it has: dropbridge resolve KEY --accepted ID ${DECISION_ARGUMENTS}, or --absent or --discard in place of --accepted ID; to have them looked up again: dropbridge release ${file} ${DECISION_ARGUMENTS}`,
}

/** `5 held (held-by-mapping): there is nothing to send of them; …` */
export function formatHeld({ code, records, name }: Pick<HeldFile, 'code' | 'records' | 'name'>): string {
  return `${records} held (${code}): ${heldFix(code, name)}`
}

/** One line for each reason, however many files there are. */
export function formatHeldFixes(held: readonly HeldFile[]): string[] {
  return [...new Set(held.map(({ code }) => code))].map((code) => `${code}: ${heldFix(code)}`)
}

/** What can be done about a file that was just reported; `codes` are all that occurred in it. */
function formatNextSteps(codes: readonly string[], name: string): string[] {
  return HELD_CODES.filter((code) => codes.includes(code)).map(
    (code) => `    what to do (${code}): ${heldFix(code, name)}`,
  )
}

/** Codes that records have only while they are held. */
const HELD_CODES = [
  'file-perhaps-cut',
  'circuit-breaker-open',
  'held-by-mapping',
  'edi-document-unrouted',
  'hierarchy-unclear',
  'earlier-step-failed',
  'outcome-unprovable',
] as const

/** The command as a person can type it; without a name, FILE stands for any of the listed files. */
function heldFix(code: ProblemCode, name = 'FILE'): string {
  const file = quoteForShell(name)
  return HELD_FIXES[code]?.(file) ?? `dropbridge release ${file} ${DECISION_ARGUMENTS} sends them`
}
