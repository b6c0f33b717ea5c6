/** Formats what came of the files of an inbox of interchanges, and what a trace shows of interchanges. */
import { type FileEntry, isPartOf } from '../../domain/file.ts'
import type { InterchangeOutcome, WaitingInterchanges } from '../../pipeline/interchanges/interchange-pass.ts'
import type { ReportedSets, SetsSummary } from '../../pipeline/interchanges/sets-report.ts'
import { formatCodedProblem, formatCount, formatCounts, formatNotes } from './text.ts'
import type { TracedAnswer, TracedInterchange, TracedInterchanges } from '../../app/trace-interchanges.ts'
import { type AnswerNumbers, MAX_CONTROL_NUMBER } from '../../domain/interchange.ts'
import type { AnswerEntry, InterchangeEntry } from '../../domain/interchange-journal.ts'
import { isoTime } from '../../support/clock.ts'

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

function formatOpenFile(route: string, waiting: WaitingInterchanges): string {
  const { file, routes, answers, failed = [] } = waiting
  const waits = [
    ...(routes.length > 0 ? [`it waits for ${routes.join(', ')}`] : []),
    ...(answers > 0 ? [`${formatCount(answers, 'answer')} not delivered yet`] : []),
    ...failed.map(({ partner, why }) => `to ${partner}: ${why.replace(/\.$/, '')}`),
  ]
  return `${route}: ${file.name} is not finished: ${waits.join('; ')}. Run again later`
}

// Formats what a trace knows of interchanges, their parts and their answers.

export type Fact = readonly [name: string, value: string]

/** The interchange in which a record came, and the answer to it. */
export function listInterchangeFacts({ file, interchange, answer }: TracedInterchange): Fact[] {
  const came: Fact = ['came in', `file ${file.id}, ${formatInterchange(interchange)}`]
  return answer === undefined ? [came] : [came, ['answer', formatAnswer(answer)]]
}

/** What a file of interchanges brought. */
export function listBroughtFacts({ interchanges, parts, answers }: TracedInterchanges): Fact[] {
  return [
    ...interchanges.map((each): Fact => ['brought', formatInterchange(each)]),
    ...parts.map(({ id, route, state }): Fact => ['part', `id ${id}, for ${route}, ${state}`]),
    ...answers.map((each): Fact => ['answer', formatAnswer(each)]),
  ]
}

/** What a delivery answers. */
export function formatAnsweredFile({
  answer,
  file,
}: {
  readonly answer: AnswerEntry
  readonly file: FileEntry
}): string {
  const { interchanges, partner } = answer
  const count = formatCount(interchanges.length, 'interchange')
  return `${count} of ${partner} in ${file.name}, id ${file.id}${formatNumbers(answer)}`
}

/** `interchange 000000101 of 12:7755550100 to ZZ:HAVEN, test, 2 sets, taken, partner northlight` */
function formatInterchange(entry: InterchangeEntry): string {
  const { number, sender, receiver, usage, sets, verdict, partner, earlier } = entry
  return [
    `interchange ${number} of ${sender} to ${receiver}`,
    ...(usage === 'test' ? ['test'] : []),
    formatCount(sets, 'set'),
    earlier === undefined ? VERDICTS[verdict] : `${VERDICTS[verdict]} ${earlier.name}, id ${earlier.file}`,
    ...(partner === undefined ? [] : [`partner ${partner}`]),
  ].join(', ')
}

const VERDICTS = {
  taken: 'taken',
  refused: 'refused, its envelope is damaged',
  answer: 'answers only',
  duplicate: 'came before in',
  reused: 'has the number of another one in',
  unknown: 'of no known partner',
} as const satisfies Record<InterchangeEntry['verdict'], string>

/** `997-7.x12, done, delivered 2026-03-08T…, number 7` */
function formatAnswer({ answer, delivery }: TracedAnswer): string {
  const { dueAt, decided } = answer
  if (delivery !== undefined) {
    const { folder, name, state, deliveredAt, held } = delivery
    const delivered = deliveredAt === undefined ? 'not in place yet' : `delivered ${isoTime(deliveredAt)}`
    const waits = held === undefined ? '' : ', held'
    return `${folder}/${name}, ${state}${waits}: ${delivered}${formatNumbers(answer)}`
  }
  const due = `due ${isoTime(dueAt)}`
  return decided === undefined ? `${due}, not decided yet` : `${due}, in no file yet${formatNumbers(answer)}`
}

/** `, number 7 decided 2026-03-08T…, by structure alone`; empty before it is decided. */
function formatNumbers({ decided, interchanges: { length } }: AnswerEntry): string {
  if (decided === undefined) return ''
  const { at, numbers, byStructure } = decided
  const which = length === 1 ? `number ${numbers.interchange}` : `numbers ${formatRange(numbers, length)}`
  return `, ${which} given ${isoTime(at)}${byStructure ? ', by structure alone' : ''}`
}

function formatRange({ interchange: first }: AnswerNumbers, count: number): string {
  return `${first} to ${((first + count - 2) % MAX_CONTROL_NUMBER) + 1}`
}
