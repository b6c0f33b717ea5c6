/** Holds the rest of a file when the API refuses record after record. */
import type { AnswerSummary } from '../../domain/decision.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { formatPlace } from '../../domain/place.ts'
import type { RecordResult } from '../../domain/record.ts'

/** The rules that stop a file; a rule that is left out is off. */
export interface CircuitBreakerRules {
  /** So many records, the first answered ones of a file, are all refused for the same reason. */
  readonly sameRefusal?: number
  /** More than this share of the answered records is refused; applies from `SHARE_ANSWERS_MIN` answers. */
  readonly refusedShare?: number
  /** So many records are sent first; the others follow when one of them was accepted. */
  readonly canary?: number
}

/** A share of fewer answers means nothing. */
export const SHARE_ANSWERS_MIN = 50

/** Limits sending, depending on the answers so far. */
export interface SendLimit {
  /** Returns how many more records may start. 0 with nothing in flight means that sending has stopped. */
  room(inFlight: number): number
  observe(result: RecordResult): void
}

/** Lets as many records start as may be sent before their answers decide about the others. */
export interface CircuitBreaker extends SendLimit {
  /** Why the rest must be held, once the breaker has tripped. */
  reason(): Problem | undefined
}

/** Makes a breaker that already counts these answers, from before the program was started. */
export function createCircuitBreaker(rules: CircuitBreakerRules, before: AnswerSummary): CircuitBreaker {
  let accepted = before.accepted
  let refused = 0
  /** Set while all answers are the same refusal. */
  let same: SameRefusal | undefined
  let differ = accepted > 0
  let reason: Problem | undefined

  const refuse = (refusal: Refusal) => {
    refused++
    const signature = getRefusalSignature(refusal)
    same ??= { signature, text: formatRefusal(refusal), fix: chooseFix(refusal) }
    if (same.signature !== signature) differ = true
  }
  const updateReason = () => {
    reason ??= findTripReason(rules, { accepted, refused, alike: differ ? undefined : same })
  }
  for (const refusal of before.refusals) refuse(refusal)
  refused = before.refused
  updateReason()

  return {
    room(inFlight) {
      if (reason !== undefined) return 0
      const limits = [
        ...(rules.sameRefusal === undefined || differ ? [] : [rules.sameRefusal]),
        ...(rules.canary === undefined || accepted > 0 ? [] : [rules.canary]),
      ]
      return Math.max(0, Math.min(Infinity, ...limits) - refused - inFlight)
    },
    observe(result) {
      if (result.state === 'accepted') {
        accepted++
        differ = true
      } else if (result.state === 'rejected' && result.http !== undefined) refuse(result)
      else return
      updateReason()
    },
    reason: () => reason,
  }
}

type Refusal = Pick<RecordResult, 'http' | 'problems'>

type SameRefusal = { readonly signature: string; readonly text: string; readonly fix: string | undefined }

/** `alike`: what all answers have in common, when all are the same refusal. */
type AnswerCounts = Readonly<
  Record<'accepted' | 'refused', number> & Record<'alike', SameRefusal | undefined>
>

function findTripReason(rules: CircuitBreakerRules, { accepted, refused, alike }: AnswerCounts) {
  const { sameRefusal = Infinity, refusedShare = 1, canary = Infinity } = rules
  const answered = accepted + refused
  if (alike !== undefined && refused >= sameRefusal) {
    const all = `The first ${refused} records that were sent were all`
    const first = refused === 1 ? 'The first record that was sent was' : all
    return createStopProblem(`${first} refused for the same reason: ${alike.text}.`, alike.fix)
  }
  if (accepted === 0 && refused >= canary) {
    const why = alike === undefined ? 'for several reasons' : `for the same reason: ${alike.text}`
    const none = `None of the first ${refused} records, which were sent alone, was accepted`
    return createStopProblem(`${none}; they were refused ${why}.`, alike?.fix)
  }
  if (answered >= SHARE_ANSWERS_MIN && refused / answered > refusedShare) {
    const part = `${Number((refusedShare * 100).toFixed(2))}%`
    return createStopProblem(`The API refused ${refused} of ${answered} records, which is more than ${part}.`)
  }
  return undefined
}

/** A release sends the cells as they are. */
function chooseFix({ problems }: Refusal): string | undefined {
  return problems.some(({ place }) => place.column !== undefined)
    ? 'Wrong cells: dropbridge discard FILE --by NAME --why TEXT; correct the new rejects file, drop it in.'
    : undefined
}

function createStopProblem(message: string, fix?: string): Problem {
  return problem('circuit-breaker-open', {}, `${message} The rest of the file is held.`, fix)
}

/** Refusals with the same signature count as the same, whatever their message and their line. */
function getRefusalSignature({ http, problems }: Refusal): string {
  const signs = problems.map(({ code, place }) => `${code} ${place.field?.replace(/\[\d+\]/g, '[]') ?? ''}`)
  return [http ?? '', ...new Set(signs.toSorted())].join('\n')
}

/** One record can be refused for very many reasons; the message gives the first. */
const MESSAGES_MAX = 3

function formatRefusal({ http, problems }: Refusal): string {
  const messages = problems.slice(0, MESSAGES_MAX).map(({ place: { column, field }, message }) => {
    const where = column === undefined ? (field ?? '') : formatPlace({ column })
    return `${where === '' ? '' : `${where}: `}${message.replace(/\.$/, '')}`
  })
  return [...(http === undefined ? [] : [`HTTP ${http}`]), ...new Set(messages)].join(', ')
}
