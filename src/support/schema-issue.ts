/** Says in plain words what is wrong with a value that fits no schema; how to check a value once. */
import type { z } from 'zod'
import { findSimilarName } from './text.ts'

type Issue = z.core.$ZodIssue

/** For what is checked once: else zod makes code for each schema at its first check, which pays only after many. */
export const CHECKED_ONCE = { jitless: true } as const

/** Messages of the schema library itself; any other was written for the value. */
const LIBRARY_MESSAGE = /^(Invalid|Too (small|big)|Unrecognized)\b/

/** Whether the message is that of the library, and says nothing of the value. */
export function hasLibraryMessage({ message }: Issue): boolean {
  return LIBRARY_MESSAGE.test(message)
}

/** `must be a whole number`; without a full stop at its end. */
export function describeIssue(issue: Issue): string {
  const { code, message } = issue
  if (!hasLibraryMessage(issue)) return message
  const choices = getChoices(issue)
  if (choices.length > 0) return `must be ${formatChoices(choices)}`
  if (code === 'invalid_type') return TYPE_MESSAGES[issue.expected] ?? `must be of the type ${issue.expected}`
  if (code === 'too_small') return `must ${formatBound(issue.origin, 'at least', issue.minimum)}`
  if (code === 'too_big') return `must ${formatBound(issue.origin, 'at most', issue.maximum)}`
  if (code === 'invalid_format') return `must be written as ${issue.format}`
  return 'has a form that fits nothing here'
}

function formatBound(origin: string, bound: 'at least' | 'at most', limit: number | bigint): string {
  const isOne = Number(limit) === 1
  if (bound === 'at least' && isOne && (origin === 'string' || origin === 'array')) return 'not be empty'
  if (origin === 'array') return `have ${bound} ${limit} ${isOne ? 'entry' : 'entries'}`
  return origin === 'string' ? `have ${bound} ${limit} character${isOne ? '' : 's'}` : `be ${bound} ${limit}`
}

const TYPE_MESSAGES: Readonly<Record<string, string>> = {
  string: 'must be text; put it in quotes',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must hold keys and values',
  record: 'must hold names and their settings',
}

/** The texts that the value may be; none where it is not a choice. */
export function getChoices(issue: Issue): string[] {
  if (issue.code === 'invalid_value') return issue.values.map(formatChoice)
  if (issue.code === 'invalid_union' && 'options' in issue) return (issue.options ?? []).map(String)
  return []
}

/** Line ends and other characters without a shape are shown as they are written in quotes. */
function formatChoice(value: z.core.util.Primitive): string {
  return typeof value === 'string' && /\s|\p{Cc}/u.test(value) ? JSON.stringify(value) : String(value)
}

export function formatChoices(choices: readonly string[]): string {
  return choices.length === 1 ? `${choices[0]}` : `one of ${choices.join(', ')}`
}

/** The path of a key as one text. */
export function joinPath(path: readonly PropertyKey[]): string {
  return path.map(String).join('\n')
}

/**
 * The paths, as `joinPath` writes them, of the keys that misspelled ones mean: the error of the spelling says enough of a
 * key that is missing for it. `listKnown` lists the keys at a path.
 */
export function listMeantPaths(
  issue: Issue,
  listKnown: (path: readonly PropertyKey[]) => readonly string[],
): string[] {
  if (issue.code !== 'unrecognized_keys') return []
  const known = listKnown(issue.path)
  return issue.keys.flatMap((key) => {
    const meant = findSimilarName(key, known)
    return meant === undefined ? [] : [joinPath([...issue.path, meant])]
  })
}
