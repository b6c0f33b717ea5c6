/** Formats what came of the files of an inbox of interchanges, and what a trace shows of interchanges. */
import type { RedeliveryEntry } from '../../domain/delivery.ts'
import { type FileEntry, isPartOf } from '../../domain/file.ts'
import type { InterchangeOutcome, WaitingInterchanges } from '../../pipeline/interchanges/interchange-pass.ts'
import type { ReceivedSummary, ReportedSets, SetsSummary } from '../../pipeline/interchanges/sets-report.ts'
import { formatCodedProblem, formatCount, formatCounts, formatNotes } from './text.ts'
import type { RecordHistory } from '../../app/trace.ts'
import type {
  TracedAnswer,
  TracedEarlierSending,
  TracedInterchange,
  TracedInterchanges,
  TracedSending,
} from '../../app/trace-interchanges.ts'
import { type AnswerNumbers, MAX_CONTROL_NUMBER } from '../../domain/interchange.ts'
import type { AnswerEntry, InterchangeEntry, ReceivedAnswerEntry } from '../../domain/interchange-journal.ts'
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
  const { total, given = 0, answer = 0 } = summary.sets
  const isPlain = summary.outcome === 'processed' && total === given + answer
  return [
    ...formatSummary(route, summary),
    ...formatNotes(summary.notes),
    ...(isPlain ? [] : [`    where each set went: ${sets}`]),
    ...(rejects === undefined ? [] : [`    to correct and drop in under its name: ${rejects}`]),
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
  const problems = summary.problems.map((each) => `    ${formatCodedProblem(each, summary.file)}`)
  if (outcome === 'unusable') return [`${route}: ${file} cannot be used`, ...problems]
  const { total: _, ...counts } = summary.sets
  const routes = Object.entries(summary.routes).map(
    ([name, count]) => `    ${formatCount(count, 'set')} to route ${name}`,
  )
  const reasons = summary.reasons.map(
    (reason) =>
      `    ${formatCount(reason.sets, 'set')} to no route: ${formatCodedProblem(reason, summary.file)}`,
  )
  const faults = (summary.faults ?? []).map((each) => `    also wrong: ${formatCodedProblem(each)}`)
  const received = (summary.received ?? []).map((each) => `    ${formatReceived(each)}`)
  const about = Object.keys(counts).length === 0 && received.length > 0 ? 'answers' : formatCounts(counts)
  return [`${route}: ${file}: ${about}`, ...problems, ...reasons, ...faults, ...routes, ...received]
}

/** `997 on group 17 (850-000000017.x12): 2 documents accepted, 1 refused` */
export function formatReceived(answer: ReceivedSummary): string {
  const { kind, number, verdict, outcome, accepted, refused, delivery } = answer
  const of = kind === '997' || kind === '999' ? 'group' : 'interchange'
  const about = `${kind} on ${of} ${number}${delivery === undefined ? '' : ` (${delivery})`}`
  if (outcome !== 'matched') return `${about}: ${ANSWER_OUTCOMES[outcome]}`
  if (verdict === 'received') return `${about}: received, not judged yet`
  return `${about}: ${formatCount(accepted, 'document')} accepted, ${refused} refused`
}

const ANSWER_OUTCOMES = {
  repeated: 'known already, nothing changes',
  contradicts: 'an earlier answer said otherwise, which counts; ask the partner',
  unmatched: 'nothing was sent to its sender that it could mean; ask the partner',
  unreadable: 'it cannot be read; ask the partner to send it again',
  'of-answer': 'it is about an answer of ours, nothing changes',
  'answer-refused': 'it refuses an answer of ours; ask the partner',
} as const

function formatOpenFile(route: string, waiting: WaitingInterchanges): string {
  const { file, routes, isWaiting, answers, failed = [] } = waiting
  if (isWaiting)
    return `${route}: ${file.name} waits: its records of ${routes.join(', ')} wait for their orders`
  const waits = [
    ...(routes.length > 0 ? [`it waits for ${routes.join(', ')}`] : []),
    ...(answers > 0 ? [`${formatCount(answers, 'answer')} not delivered yet`] : []),
    ...failed.map(({ partner, why }) => `to ${partner}: ${why.replace(/\.$/, '')}`),
  ]
  return `${route}: ${file.name} is not finished: ${waits.join('; ')}. Run again later`
}

// Formats what a trace knows of interchanges, their parts and their answers.

export type Fact = readonly [name: string, value: string]

/** The lines of the chain of an order; none for a record that was in no interchange. `document`: what it is called. */
export function listChainRows(
  story: Pick<RecordHistory, 'from' | 'interchange' | 'into' | 'sent' | 'sentBefore'>,
  { document, state }: { readonly document: string; readonly state: string },
): string[][] {
  const { from, interchange, into, sent, sentBefore = [] } = story
  if (interchange !== undefined) {
    const { file, interchange: own, answer } = interchange
    const { delivery } = answer ?? {}
    const said =
      delivery?.deliveredAt === undefined ? 'none yet' : `${delivery.name} ${isoTime(delivery.deliveredAt)}`
    const when = isoTime(from?.receivedAt ?? file.receivedAt ?? file.claimedAt)
    const outcome = `${state} here`
    return [
      [when, document, file.name, `in ${own.number}`, outcome, answer === undefined ? 'none is due' : said],
    ]
  }
  const last = sent === undefined || into === undefined ? [] : [{ into, sent }]
  return [...sentBefore, ...last].flatMap((each) => listSentRows(each, document))
}

/** The interchange, and each time that its bytes went out once more. */
function listSentRows({ into, sent }: TracedEarlierSending, document: string): string[][] {
  const { numbers, verdict, verdictBy: by, redeliveries = [] } = sent
  const said = by === undefined ? 'none yet' : `${by.kind} ${by.file.name} ${isoTime(by.receivedAt)}`
  const outcome = verdict === undefined ? 'not answered yet' : `${SET_VERDICTS[verdict]} by partner`
  const number = `out ${numbers.interchange}`
  const again = redeliveries.map(({ beganAt, name }) => {
    return [isoTime(beganAt), document, name, number, 'the same once more', '']
  })
  return [
    [isoTime(into.deliveredAt ?? into.composedAt), document, into.name, number, outcome, said],
    ...again,
  ]
}

const SET_VERDICTS = { A: 'accepted', E: 'accepted with errors', R: 'refused' } as const

/** The interchange in which a record came, and the answer to it. */
export function listInterchangeFacts({ file, interchange, answer }: TracedInterchange): Fact[] {
  const came: Fact = ['came in', `file ${file.id}, ${formatInterchange(interchange)}`]
  return answer === undefined ? [came] : [came, ['answer', formatAnswer(answer)]]
}

/** What a file of interchanges brought. */
export function listBroughtFacts({ interchanges, parts, answers, received }: TracedInterchanges): Fact[] {
  return [
    ...interchanges.map((each): Fact => ['brought', formatInterchange(each)]),
    ...parts.map(({ id, route, state }): Fact => ['part', `id ${id}, for ${route}, ${state}`]),
    ...answers.map((each): Fact => ['answer', formatAnswer(each)]),
    ...received.map(({ delivery, ...each }): Fact => {
      return ['received', formatReceived({ ...each, ...(delivery && { delivery: delivery.name }) })]
    }),
  ]
}

/** The interchange that a delivery is, and what its partner answered. */
export function listSendingFacts({ numbers, receiver, answers, redeliveries = [] }: TracedSending): Fact[] {
  const sent = `interchange ${numbers.interchange}, group ${numbers.group}, to ${receiver}`
  const none: Fact = ['answer', 'none yet']
  const facts = answers.map((each): Fact => ['answer', formatAnswerOf(each)])
  const again = redeliveries.map(formatRedeliveryFact)
  return [['sent in', sent], ...(facts.length === 0 ? [none] : facts), ...again]
}

/** The bytes of a delivery once more. */
export function formatRedeliveryFact({ folder, name, state, beganAt }: RedeliveryEntry): Fact {
  return ['again', `${folder}/${name}, ${state}, asked for on ${isoTime(beganAt)}`]
}

/** `997 on group 17: 2 documents accepted, 1 refused; fa.x12, id 7, received 2026-03-08T…` */
function formatAnswerOf(entry: ReceivedAnswerEntry): string {
  const { file, receivedAt, reasons, kind, number, verdict, outcome, accepted, refused } = entry
  const why = reasons.length === 0 ? '' : ` (${reasons.join('; ')})`
  const answer = formatReceived({ kind, number, verdict, outcome, accepted, refused })
  return `${answer}${why}; ${file.name}, id ${file.id}, received ${isoTime(receivedAt)}`
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
