/** When the circuit breaker holds the rest of a file: the decision alone, answer by answer. */
import { describe, expect, test } from 'vitest'
import type { AnswerSummary } from '../../src/domain/decision.ts'
import { problem } from '../../src/domain/problem.ts'
import type { Place } from '../../src/domain/place.ts'
import type { RecordResult } from '../../src/domain/record.ts'
import { createCircuitBreaker, type CircuitBreakerRules } from '../../src/pipeline/send/circuit-breaker.ts'

const NONE: AnswerSummary = { accepted: 0, refused: 0, refusals: [] }

const accepted: RecordResult = { id: 1, state: 'accepted', http: 201, problems: [] }

/** A refusal by the API; its text differs every time. */
const refused = (field: string, http = 400, text = Math.random().toString()): RecordResult => ({
  id: 1,
  state: 'rejected',
  http,
  problems: [problem('api-refused', { field }, text)],
})

/** Feeds the answers until the breaker has its reason; returns how many answers it took, and the reason's message. */
function answersUntilStop(rules: CircuitBreakerRules, answers: readonly RecordResult[], before = NONE) {
  const breaker = createCircuitBreaker(rules, before)
  const message = () => breaker.reason()?.message
  if (message() !== undefined) return { after: 0, message: message() }
  for (const [index, answer] of answers.entries()) {
    breaker.observe(answer)
    if (message() !== undefined) return { after: index + 1, message: message() }
  }
  return { after: undefined, message: undefined }
}

const times = (count: number, answer: () => RecordResult) => Array.from({ length: count }, answer)

describe('the same refusal', () => {
  test('stops a file at exactly the configured number of records, whatever the messages of the refusals', () => {
    const answers = times(9, () => refused('ship_to.country'))

    expect(answersUntilStop({ sameRefusal: 5 }, answers).after).toBe(5)
  })

  test('is the same one whichever line of the record it is about', () => {
    const answers = [0, 3, 1].map((line) => refused(`order_lines[${line}].variant`, 400, 'No such item.'))

    expect(answersUntilStop({ sameRefusal: 3 }, answers)).toEqual({
      after: 3,
      message:
        'The first 3 records that were sent were all refused for the same reason: HTTP 400, order_lines[0].variant: No such item. The rest of the file is held.',
    })
  })

  test.each([
    ['a record is accepted', [refused('a'), accepted, refused('a'), refused('a'), refused('a')]],
    ['another field is named', [refused('a'), refused('b'), refused('a'), refused('a'), refused('a')]],
    ['another status comes', [refused('a'), refused('a', 404), refused('a'), refused('a'), refused('a')]],
  ])('does not stop a file of whose first records %s', (_, answers) => {
    expect(answersUntilStop({ sameRefusal: 3 }, answers).after).toBeUndefined()
  })

  test('has a fix that begins with the file where it names a cell, and with the API where it does not', () => {
    const fixFor = (place: Place) => {
      const breaker = createCircuitBreaker({ sameRefusal: 1 }, NONE)
      breaker.observe({
        id: 1,
        state: 'rejected',
        http: 400,
        problems: [problem('api-refused', place, 'No.')],
      })
      return breaker.reason()?.fix
    }

    expect(fixFor({ line: 2, column: 'SKU' })).toBe(
      'Wrong cells: dropbridge discard FILE --by NAME --why TEXT; correct the new rejects file, drop it in.',
    )
    expect(fixFor({ field: 'ship_to.country' })).toBe(
      'If the API was at fault: dropbridge release FILE --by NAME --why TEXT. If not: discard and correct.',
    )
  })

  test('excludes lost answers and records that the bridge itself refused', () => {
    const lost: RecordResult = { id: 1, state: 'uncertain', problems: [] }
    const own: RecordResult = { id: 1, state: 'rejected', problems: [problem('not-sent', {}, 'x')] }
    const answers = [refused('a'), lost, own, refused('a')]

    expect(answersUntilStop({ sameRefusal: 2 }, answers).after).toBe(4)
  })

  test('is known from before a crash, and may stop the file before anything more is sent', () => {
    const refusals = times(3, () => refused('a'))

    expect(answersUntilStop({ sameRefusal: 3 }, [], { accepted: 0, refused: 3, refusals }).after).toBe(0)
    expect(answersUntilStop({ sameRefusal: 4 }, refusals, { accepted: 0, refused: 3, refusals }).after).toBe(
      1,
    )
    expect(
      answersUntilStop({ sameRefusal: 4 }, refusals, { accepted: 1, refused: 3, refusals }).after,
    ).toBeUndefined()
  })

  test('lets no more records be in flight than it takes to stop the file, until one answer differs', () => {
    const breaker = createCircuitBreaker({ sameRefusal: 5 }, NONE)

    expect([breaker.room(0), breaker.room(3), breaker.room(5)]).toEqual([5, 2, 0])
    breaker.observe(refused('a'))
    expect(breaker.room(4)).toBe(0)
    breaker.observe(refused('b'))
    expect(breaker.room(100)).toBe(Infinity)
  })
})

describe('the share of refusals', () => {
  const mixed = (count: number, refusedOf: (index: number) => boolean) =>
    Array.from({ length: count }, (_, index) => (refusedOf(index) ? refused(`f${index}`) : accepted))

  test('counts from fifty answers on', () => {
    const answers = mixed(80, (index) => index % 2 === 0)

    expect(answersUntilStop({ refusedShare: 0.3 }, answers)).toEqual({
      after: 50,
      message: 'The API refused 25 of 50 records, which is more than 30%. The rest of the file is held.',
    })
  })

  test('stops a file when it is above the limit, and not when it is equal', () => {
    const atTheLimit = mixed(100, (index) => index % 10 >= 7)

    expect(answersUntilStop({ refusedShare: 0.3 }, atTheLimit).after).toBeUndefined()
    expect(answersUntilStop({ refusedShare: 0.29 }, atTheLimit).after).toBe(50)
  })

  test('continues to count after a crash', () => {
    const before: AnswerSummary = { accepted: 30, refused: 19, refusals: [] }

    expect(answersUntilStop({ refusedShare: 0.3 }, [refused('a')], before)).toMatchObject({ after: 1 })
  })
})

describe('a canary', () => {
  test('sends the first records alone, and the others once one of them was accepted', () => {
    const breaker = createCircuitBreaker({ canary: 3 }, NONE)

    expect([breaker.room(0), breaker.room(3)]).toEqual([3, 0])
    breaker.observe(refused('a'))
    breaker.observe(refused('b'))
    expect(breaker.room(1)).toBe(0)
    breaker.observe(accepted)
    expect(breaker.room(0)).toBe(Infinity)
    expect(breaker.reason()).toBeUndefined()
  })

  test('holds the rest when all of them are refused, for whatever reasons', () => {
    expect(answersUntilStop({ canary: 2 }, [refused('a'), refused('b'), accepted])).toEqual({
      after: 2,
      message:
        'None of the first 2 records, which were sent alone, was accepted; they were refused for several reasons. The rest of the file is held.',
    })
  })

  test('sends another record for one that got no answer', () => {
    const breaker = createCircuitBreaker({ canary: 1 }, NONE)
    breaker.observe({ id: 1, state: 'deferred', problems: [] })

    expect(breaker.room(0)).toBe(1)
  })
})

test('with every rule off, nothing is held back', () => {
  const breaker = createCircuitBreaker({}, NONE)
  for (const answer of times(300, () => refused('a'))) breaker.observe(answer)

  expect(breaker.room(200)).toBe(Infinity)
  expect(breaker.reason()).toBeUndefined()
})
