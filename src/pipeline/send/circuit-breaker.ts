/** Holds the rest of a file when the API refuses record after record. */
import type { AnswerSummary } from '../../domain/decision.ts'
import { formatPlace, type Problem, problem } from '../../domain/problem.ts'
import type { RecordResult } from '../../domain/record.ts'

/** What stops a route; a rule that is left out is off. */
export interface CircuitBreakerRules {
  /** So many records, the first of a file to be answered, all refused for the same reason. */
  readonly sameRefusal?: number
  /** More than this part of the answered records is refused; counts from `SHARE_ANSWERS_MIN` answers on. */
  readonly refusedShare?: number
  /** So many records are sent alone; the others go when one of them was accepted. */
  readonly canary?: number
}

/** Fewer answers say nothing about a share. */
export const SHARE_ANSWERS_MIN = 50

/** Holds sending back, depending on the answers so far. */
export interface SendLimit {
  /** How many more records may be begun while so many are under way; none although none is: nothing more is sent. */
  room(underWay: number): number
  observe(result: RecordResult): void
}

/** Gives room to as many records as may be sent before their answers decide about the others. */
export interface CircuitBreaker extends SendLimit {
  /** Why the rest must be held, once it must. */
  reason(): Problem | undefined
}

/** How many refusals must be known from before to go on as if nothing had come between. */
export function countRefusalsNeeded({ sameRefusal = 1 }: CircuitBreakerRules): number {
  return sameRefusal
}

/** A breaker that has seen these answers already, from before the program was started. */
export function createCircuitBreaker(rules: CircuitBreakerRules, before: AnswerSummary): CircuitBreaker {
  let accepted = before.accepted
  let refused = 0
  /** As long as all of them, and nothing but them, are alike. */
  let alike: { readonly sign: string; readonly words: string } | undefined
  let differ = accepted > 0
  let reason: Problem | undefined

  const refuse = (refusal: Refusal) => {
    refused++
    const sign = getRefusalSignature(refusal)
    alike ??= { sign, words: formatRefusal(refusal) }
    if (alike.sign !== sign) differ = true
  }
  const judge = () => {
    reason ??= findTripReason(rules, { accepted, refused, alike: differ ? undefined : alike?.words })
  }
  for (const refusal of before.refusals) refuse(refusal)
  refused = before.refused
  judge()

  return {
    room(underWay) {
      if (reason !== undefined) return 0
      const limits = [
        ...(rules.sameRefusal === undefined || differ ? [] : [rules.sameRefusal]),
        ...(rules.canary === undefined || accepted > 0 ? [] : [rules.canary]),
      ]
      return Math.max(0, Math.min(Infinity, ...limits) - refused - underWay)
    },
    observe(result) {
      if (result.state === 'accepted') {
        accepted++
        differ = true
      } else if (result.state === 'rejected' && result.http !== undefined) refuse(result)
      else return
      judge()
    },
    reason: () => reason,
  }
}

type Refusal = Pick<RecordResult, 'http' | 'problems'>

/** `alike`: what the refusals say, when all answers are the same refusal. */
type AnswerCounts = Readonly<Record<'accepted' | 'refused', number>> & { readonly alike: string | undefined }

function findTripReason(rules: CircuitBreakerRules, { accepted, refused, alike }: AnswerCounts) {
  const { sameRefusal = Infinity, refusedShare = 1, canary = Infinity } = rules
  const answered = accepted + refused
  if (alike !== undefined && refused >= sameRefusal) {
    const all = `The first ${refused} records that were sent were all`
    const first = refused === 1 ? 'The first record that was sent was' : all
    return createStopProblem(`${first} refused for the same reason: ${alike}.`)
  }
  if (accepted === 0 && refused >= canary) {
    const why = alike === undefined ? 'for several reasons' : `for the same reason: ${alike}`
    const none = `None of the first ${refused} records, which were sent alone, was accepted`
    return createStopProblem(`${none}; they were refused ${why}.`)
  }
  if (answered >= SHARE_ANSWERS_MIN && refused / answered > refusedShare) {
    const most = `${Number((refusedShare * 100).toFixed(2))}%`
    return createStopProblem(`The API refused ${refused} of ${answered} records, which is more than ${most}.`)
  }
  return undefined
}

function createStopProblem(message: string): Problem {
  return problem('circuit-breaker-open', {}, `${message} The rest of the file is held.`)
}

/** Refusals with the same sign are the same, whatever they say and whichever line they are about. */
function getRefusalSignature({ http, problems }: Refusal): string {
  const signs = problems.map(({ code, place }) => `${code} ${place.field?.replace(/\[\d+\]/g, '[]') ?? ''}`)
  return [http ?? '', ...new Set(signs.toSorted())].join('\n')
}

/** One record can be refused for very many reasons. */
const MESSAGES_MAX = 3

function formatRefusal({ http, problems }: Refusal): string {
  const told = problems.slice(0, MESSAGES_MAX).map(({ place: { column, field }, message }) => {
    const where = column === undefined ? (field ?? '') : formatPlace({ column })
    return `${where === '' ? '' : `${where}: `}${message.replace(/\.$/, '')}`
  })
  return [...(http === undefined ? [] : [`HTTP ${http}`]), ...new Set(told)].join(', ')
}
