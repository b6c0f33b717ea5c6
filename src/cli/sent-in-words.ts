/** The sendings of a record, and what was found out where their answers were lost. */
import type { TracedStory } from '../bridge/trace.ts'
import type { TracedAttempt, TracedLookUp } from '../domain/trace.ts'
import { isoTime } from '../support/clock.ts'

type Fact = readonly [name: string, value: string]

/** In the order of time. */
export function sentInWords({ call = '', record, attempts, lookUps }: TracedStory): Fact[] {
  const told = [
    ...attempts.map((attempt) => ({ at: attempt.beganAt, fact: attemptInWords(call, attempt) })),
    ...lookUps.map((lookUp) => ({ at: lookUp.at, fact: lookUpInWords(lookUp) })),
  ].toSorted((one, other) => one.at - other.at)
  const more = record.attempts - attempts.length
  const before = more > 0 && attempts.length > 0 ? [['sent', `${more} times before`] as const] : []
  return [...before, ...told.map(({ fact }) => fact)]
}

function attemptInWords(call: string, attempt: TracedAttempt): Fact {
  const { beganAt, endedAt, http, result } = attempt
  if (attempt.isPresumed === true)
    return ['restored', `${isoTime(beganAt)} from a backup of then: it may have been sent since`]
  const answer = http === undefined ? '' : `HTTP ${http}, `
  const end =
    endedAt === undefined ? 'no answer was noted' : `${answer}${result ?? ''} at ${isoTime(endedAt)}`
  return ['sent', `${isoTime(beganAt)} ${call} → ${end}`]
}

function lookUpInWords({ at, state, apiId }: TracedLookUp): Fact {
  const found = FOUND[state] ?? `it came to ${state}`
  return ['looked up', `${isoTime(at)} ${found}${apiId === undefined ? '' : ` as ${apiId}`}`]
}

const FOUND: Readonly<Partial<Record<TracedLookUp['state'], string>>> = {
  accepted: 'found at the API',
  planned: 'proven absent at the API, to be sent again',
  held: 'the API proves neither that it is there nor that it is not, so a person must tell',
  uncertain: 'not known yet, to be looked up again',
}
