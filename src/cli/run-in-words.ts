/** What a run does and came to, for people. */
import type { Done, RouteResult, RunResult, TurnsOfPass } from '../bridge/outcome.ts'
import type { BridgeEvent } from '../domain/event.ts'
import { isoTime } from '../support/clock.ts'
import { didYouMean } from '../support/nearest.ts'
import { retentionInWords } from './forgotten-in-words.ts'
import { outboundInWords } from './outbound-in-words.ts'
import { archivedInWords, reportInWords, waitingInWords } from './report-in-words.ts'

/** What is worth a word while it happens. */
export function eventInWords(event: BridgeEvent): string | undefined {
  if (event.kind === 'columns-differ') return `${event.route}: ${event.file} ${columnsInWords(event)}`
  if (event.kind === 'file-left-alone') return `${event.route}: ${event.file} is left alone: ${event.why}`
  if (event.kind === 'attention-raised') return attentionInWords(event)
  if (event.kind !== 'waiting') return undefined
  const seconds = Math.round(event.ms / 1000)
  if (seconds === 0) return undefined
  const time = seconds === 1 ? '1 second' : `${seconds} seconds`
  return `${event.route}: ${event.file}: waiting ${time} until late answers are out of the question`
}

/** What the words about a file or a delivery have just said is not said again. */
export function attentionInWords({
  code,
  message,
  cure,
}: Extract<BridgeEvent, { kind: 'attention-raised' }>): string | undefined {
  return code === 'records-held' || code === 'route-failing'
    ? undefined
    : `needs a person: ${message}; what to do: ${cure}`
}

/** What happened, a line or a few for each route. `terse`: nothing of routes that had nothing to do. */
export function runInWords(result: RunResult, { terse = false } = {}): string[] {
  const stranded = result.stranded.map(
    (route) =>
      `${route}: this route is not in the configuration any more, and it has unfinished work: give it back its name, or see dropbridge status`,
  )
  const isUsedUp = result.limit?.isReached === true
  const limit = isUsedUp
    ? [
        `${result.limit.records} records were sent, as many as --max-records allows; the next run sends the rest`,
      ]
    : []
  return [
    ...result.routes.flatMap((each) => routeInWords(each, { terse, isUsedUp })),
    ...limit,
    ...stranded,
    ...retentionInWords(result.retention),
  ]
}

interface Manner {
  readonly terse: boolean
  /** No more records could be sent in this run. */
  readonly isUsedUp: boolean
}

function routeInWords(result: RouteResult, { terse, isUsedUp }: Manner): string[] {
  const { route, turns } = result
  const lines = turns === undefined ? [] : turnsInWords(route, turns)
  switch (result.kind) {
    case 'failed': {
      const { failure } = result
      const details = failure.details.map((detail) => `    ${detail}`)
      const before = endedInWords(result)
      return [
        ...lines,
        ...before,
        `${route}: ${failure.message}`,
        ...details,
        `    what to do: ${failure.cure}`,
      ]
    }
    case 'idle':
      return terse ? lines : [...lines, idleInWords(route, turns)]
    case 'busy':
      return terse ? lines : [...lines, `${route}: left to another bridge: ${result.why}`]
    case 'inbound':
    case 'outbound': {
      const told = doneInWords(route, result, { terse, isUsedUp })
      const nothing = terse ? [] : [`${route}: nothing to do`]
      return [...lines, ...(told.length > 0 ? told : nothing)]
    }
  }
}

/** What was brought to its end before the route failed. */
export function endedInWords({ route, done }: Extract<RouteResult, { kind: 'failed' }>): string[] {
  if (done === undefined) return []
  const ended: Done = done.kind === 'inbound' ? { ...done, pass: { ...done.pass, open: [] } } : done
  return doneInWords(route, ended, { terse: true, isUsedUp: false })
}

function doneInWords(route: string, done: Done, { terse, isUsedUp }: Manner): string[] {
  if (done.kind === 'outbound') return outboundInWords(route, done.pass, terse)
  const { reported, open, waiting, archived = [] } = done.pass
  const why = isUsedUp ? 'not all of it could be sent' : 'some answers are not known yet. Run again later'
  const unfinished = open.map((file) => `${route}: ${file.name} is not finished: ${why}`)
  const waits = terse ? [] : waiting.map(waitingInWords)
  const ended = archived.map((file) => archivedInWords(route, file))
  return [...ended, ...reported.flatMap(reportInWords), ...unfinished, ...waits]
}

function turnsInWords(route: string, { done = [], missed = [] }: TurnsOfPass): string[] {
  const names = missed.length > 3 ? `${missed[0]} to ${missed.at(-1)}` : missed.join(', ')
  return [
    ...(missed.length > 0 ? [`${route}: missed for good, because it is too long ago: ${names}`] : []),
    ...(done.length > 1 ? [`${route}: makes up for ${done.slice(0, -1).join(', ')}`] : []),
  ]
}

/** Why a report was not made, and how it is made all the same. */
function idleInWords(route: string, { last, nextAt }: TurnsOfPass = {}): string {
  const next = nextAt === undefined || nextAt === Infinity ? '' : `; the next turn is at ${isoTime(nextAt)}`
  if (last === undefined) return `${route}: nothing is due${next}`
  return `${route}: nothing is due: the turn of ${last} is over${next}. --again makes a report once more`
}

/** What a misspelled column looks like: one the mapping names is not there, and others are there unused. */
export function columnsInWords({
  absent,
  unused,
}: {
  absent: readonly string[]
  unused: readonly string[]
}): string {
  const listed = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ')
  const others = unused.length === 0 ? '' : `; not used: ${listed(unused)}`
  const meant = absent.map((name) => didYouMean(name, unused)).find((words) => words !== '') ?? ''
  return `has no column ${listed(absent)}, which the mapping names${others}${meant === '' ? '' : `.${meant}`}`
}
