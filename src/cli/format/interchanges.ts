/** Formats what came of the files of an inbox of interchanges. */
import { isPartOf } from '../../domain/file.ts'
import type { InterchangeOutcome, WaitingInterchanges } from '../../pipeline/interchanges/interchange-pass.ts'
import type { ReportedSets, SetsSummary } from '../../pipeline/interchanges/sets-report.ts'
import { formatCodedProblem, formatCount, formatCounts, formatNotes } from './text.ts'

export function formatInterchanges({ route, reported, answers, open }: InterchangeOutcome): string[] {
  const delivered = answers.map(
    ({ partner, number, path }) => `${route}: answer ${number} to ${partner}: ${path}`,
  )
  return [
    ...delivered,
    ...reported.flatMap((each) => formatReportedSets(route, each)),
    ...open.map((each) => formatOpenFile(route, each)),
  ]
}

function formatReportedSets(route: string, { summary, paths }: ReportedSets): string[] {
  const [sets] = paths
  const rejects = paths.find((path) => isPartOf(path, 'rejects'))
  const exceptions = paths.find((path) => isPartOf(path, 'exceptions'))
  const isPlain = summary.outcome === 'processed' && summary.sets.total === (summary.sets.given ?? 0)
  return [
    ...formatSummary(route, summary),
    ...formatNotes(summary.notes),
    ...(isPlain ? [] : [`    where each set went: ${sets}`]),
    ...(rejects === undefined ? [] : [`    to correct and drop in again: ${rejects}`]),
    ...(exceptions === undefined
      ? []
      : [`    taken by no route; drop it in again once one does: ${exceptions}`]),
  ]
}

function formatSummary(route: string, summary: SetsSummary): string[] {
  const { file, outcome, duplicateOf } = summary
  if (outcome === 'duplicate' && duplicateOf) {
    const first = `${duplicateOf.file}, received ${duplicateOf.receivedAt}`
    return [`${route}: ${file} has the same bytes as ${first}; nothing was given to a route`]
  }
  const problems = summary.problems.map((each) => `    ${formatCodedProblem(each)}`)
  if (outcome === 'unusable') return [`${route}: ${file} cannot be used`, ...problems]
  const { total: _, ...counts } = summary.sets
  const routes = Object.entries(summary.routes).map(
    ([name, count]) => `    ${formatCount(count, 'set')} to route ${name}`,
  )
  const reasons = summary.reasons.map(
    (reason) => `    ${formatCount(reason.sets, 'set')} to no route: ${formatCodedProblem(reason)}`,
  )
  return [`${route}: ${file}: ${formatCounts(counts)}`, ...problems, ...reasons, ...routes]
}

function formatOpenFile(route: string, { file, routes, answers }: WaitingInterchanges): string {
  const waits = [
    ...(routes.length > 0 ? [`it waits for ${routes.join(', ')}`] : []),
    ...(answers > 0 ? [`${formatCount(answers, 'answer')} not delivered yet`] : []),
  ]
  return `${route}: ${file.name} is not finished: ${waits.join('; ')}. Run again later`
}
