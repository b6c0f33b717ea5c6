/** The records of an example beside those expected of it: in order, and without one difference making the rest differ. */
import { isDeepStrictEqual } from 'node:util'
import { describePlace } from '../domain/problem.ts'
import type { Draft } from '../domain/translator.ts'
import { withValueAt } from '../support/paths.ts'

/** What differs, one line each. Of a record that should be refused the codes of its problems stand in place of a body. */
export function recordDifferences(drafts: readonly Draft[], expected: readonly unknown[]): string[] {
  const came = drafts.map((draft) => ({ draft, shown: shownOf(draft) }))
  const wanted = expected.map(sortedCodes)
  const differences: string[] = []
  let at = 0
  let next = 0
  while (at < came.length && next < wanted.length) {
    const { draft, shown } = came[at] ?? { draft: undefined, shown: undefined }
    if (draft === undefined) break
    const moreCame = came.length - at - (wanted.length - next)
    if (isDeepStrictEqual(shown, wanted[next])) {
      next += 1
      at += 1
    } else if (moreCame > 0 && isDeepStrictEqual(came[at + 1]?.shown, wanted[next])) {
      differences.push(...unexpected(draft))
      at += 1
    } else if (moreCame < 0 && isDeepStrictEqual(shown, wanted[next + 1])) {
      differences.push(`A record was expected before record ${draft.number}: ${show(wanted[next])}.`)
      next += 1
    } else {
      differences.push(...differencesOf(draft, wanted[next]))
      next += 1
      at += 1
    }
  }
  return [...differences, ...came.slice(at).flatMap(({ draft }) => unexpected(draft))]
}

/**
 * The body as examples show it: what is still to be found is `{ "find": "order", "key": "…" }`, and what is taken from
 * the order `{ "order": "customer_order_number" }`.
 */
export function exampleBody({ body = {}, references, awaits = [] }: Draft): Record<string, unknown> {
  const found = references.map(({ field, kind, key }) => [field, { find: kind, key }])
  const shown: Record<string, unknown> = { ...Object.fromEntries(found), ...body }
  return awaits.reduce((filled, { field, from, name }) => withValueAt(filled, field, { [from]: name }), shown)
}

function shownOf(draft: Draft): unknown {
  return draft.body === undefined
    ? sortedCodes({ refused: draft.problems.map(({ code }) => code) })
    : exampleBody(draft)
}

interface Refused {
  readonly refused: readonly unknown[]
}

function isRefused(value: unknown): value is Refused {
  return isObject(value) && Object.keys(value).length === 1 && Array.isArray(value['refused'])
}

/** Each code once: several cells of a record may be wrong in the same way. */
function sortedCodes(value: unknown): unknown {
  return isRefused(value) ? { refused: [...new Set(value.refused)].map(String).toSorted() } : value
}

function unexpected(draft: Draft): string[] {
  return draft.body === undefined ? refusals(draft) : [`Record ${draft.number} was not expected.`]
}

function refusals({ number, problems }: Draft): string[] {
  return problems.map(
    ({ place, message }) =>
      `Record ${number} was refused: ${[describePlace(place), message].filter((part) => part !== '').join(': ')}`,
  )
}

function differencesOf(draft: Draft, wanted: unknown): string[] {
  const record = `Record ${draft.number}`
  if (draft.body === undefined) {
    if (!isRefused(wanted)) return refusals(draft)
    const codes = new Set(draft.problems.map(({ code }) => code))
    return [`${record} was refused for ${[...codes].join(', ')}; expected was ${wanted.refused.join(', ')}.`]
  }
  if (isRefused(wanted)) {
    return [`${record} was expected to be refused for ${wanted.refused.join(', ')}, and it is not.`]
  }
  return compare(exampleBody(draft), wanted, '').map((difference) => `${record}: ${difference}`)
}

function compare(actual: unknown, expected: unknown, path: string): string[] {
  if (isDeepStrictEqual(actual, expected)) return []
  if (!isObject(actual) || !isObject(expected)) {
    return [`${path || 'the body'} is ${show(actual)}; expected was ${show(expected)}.`]
  }
  const keys = new Set([...Object.keys(actual), ...Object.keys(expected)])
  return [...keys].flatMap((key) => compare(actual[key], expected[key], path === '' ? key : `${path}.${key}`))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function show(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(value)
}
