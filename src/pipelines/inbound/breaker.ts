/** When the rest of a file is not sent: the API refuses record after record, so something is wrong with all of them. */
import type { AnswersSoFar } from '../../domain/held.ts'
import { describePlace, type Problem, problem } from '../../domain/problem.ts'
import type { RecordResult } from '../../domain/record.ts'
import type { Restraint } from '../gate.ts'

/** What stops a route; a rule that is left out is off. */
export interface StopRules {
  /** So many records, the first of a file to be answered, all refused for the same reason. */
  readonly sameRefusal?: number
  /** More than this part of the answered records is refused; counts from `SHARE_COUNTS_FROM` answers on. */
  readonly refusedShare?: number
  /** So many records are sent alone; the others go when one of them was accepted. */
  readonly canary?: number
}

/** Fewer answers say nothing about a share. */
export const SHARE_COUNTS_FROM = 50

/** Gives room to as many records as may be sent before their answers decide about the others. */
export interface Breaker extends Restraint {
  /** Why the rest must be held, once it must. */
  reason(): Problem | undefined
}

/** How many refusals must be known from before to go on as if nothing had come between. */
export function refusalsNeeded({ sameRefusal = 1 }: StopRules): number {
  return sameRefusal
}

/** A breaker that has seen these answers already, from before the program was started. */
export function openBreaker(rules: StopRules, before: AnswersSoFar): Breaker {
  let accepted = before.accepted
  let refused = 0
  /** As long as all of them, and nothing but them, are alike. */
  let alike: { readonly sign: string; readonly words: string } | undefined
  let differ = accepted > 0
  let reason: Problem | undefined

  const refuse = (refusal: Refusal) => {
    refused++
    const sign = signOf(refusal)
    alike ??= { sign, words: inWords(refusal) }
    if (alike.sign !== sign) differ = true
  }
  const judge = () => {
    reason ??= tripped(rules, { accepted, refused, alike: differ ? undefined : alike?.words })
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
    look(result) {
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

interface Counted {
  readonly accepted: number
  readonly refused: number
  /** What the refusals say, when all answers are the same refusal. */
  readonly alike: string | undefined
}

function tripped(rules: StopRules, { accepted, refused, alike }: Counted): Problem | undefined {
  const { sameRefusal = Infinity, refusedShare = 1, canary = Infinity } = rules
  const answered = accepted + refused
  if (alike !== undefined && refused >= sameRefusal) {
    const first =
      refused === 1
        ? 'The first record that was sent was'
        : `The first ${refused} records that were sent were all`
    return stopped(`${first} refused for the same reason: ${alike}.`)
  }
  if (accepted === 0 && refused >= canary) {
    const why = alike === undefined ? 'for several reasons' : `for the same reason: ${alike}`
    return stopped(
      `None of the first ${refused} records, which were sent alone, was accepted; they were refused ${why}.`,
    )
  }
  if (answered >= SHARE_COUNTS_FROM && refused / answered > refusedShare) {
    const most = `${Number((refusedShare * 100).toFixed(2))}%`
    return stopped(`The API refused ${refused} of ${answered} records, which is more than ${most}.`)
  }
  return undefined
}

function stopped(message: string): Problem {
  return problem('route-stopped', {}, `${message} The rest of the file is held.`)
}

/** Refusals with the same sign are the same, whatever they say and whichever line they are about. */
function signOf({ http, problems }: Refusal): string {
  const parts = problems.map(({ code, place }) => `${code} ${(place.field ?? '').replace(/\[\d+\]/g, '[]')}`)
  return [http ?? '', ...new Set(parts.toSorted())].join('\n')
}

/** One record can be refused for very many reasons. */
const TOLD_MAX = 3

function inWords({ http, problems }: Refusal): string {
  const told = problems.slice(0, TOLD_MAX).map(({ place: { column, field }, message }) => {
    const where = column === undefined ? (field ?? '') : describePlace({ column })
    return `${where === '' ? '' : `${where}: `}${message.replace(/\.$/, '')}`
  })
  return [...(http === undefined ? [] : [`HTTP ${http}`]), ...new Set(told)].join(', ')
}
