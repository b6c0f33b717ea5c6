/** Bodies checked against the contract, with the refusals in the service's words. */
import { isAbsent } from '../absent.ts'
import type { z } from 'zod'
import type { Answer } from './answer.ts'
import { createFieldErrors, type FieldErrors, type FieldPath } from './field-errors.ts'

/** A body of nonsense can be wrong in a hundred thousand places; nobody reads more than these. */
const MOST_ISSUES = 1000

/** The valid body, or the refusal that names everything that is wrong with it. */
export function validated<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): { readonly value: z.output<Schema> } | { readonly refusal: Answer } {
  const tooLong = findLongList(body)
  if (tooLong !== undefined) {
    const errors = createFieldErrors()
    errors.add(tooLong, `Ensure this list has no more than ${MOST_ITEMS} items.`)
    return { refusal: errors.answer() }
  }
  const result = schema.safeParse(body, { reportInput: true })
  if (result.success) return { value: result.data }
  const errors = createFieldErrors()
  for (const issue of result.error.issues.slice(0, MOST_ISSUES)) addIssue(errors, issue)
  return { refusal: errors.answer() }
}

/** Spec: not shown. More lines than any order has; looking at hundreds of thousands would keep the others waiting. */
const MOST_ITEMS = 1000

/** Bodies are not nested as deep; below, nothing is looked at anyway. */
const DEEPEST = 6

function findLongList(value: unknown, path: FieldPath = []): FieldPath | undefined {
  if (typeof value !== 'object' || value === null || path.length > DEEPEST) return undefined
  if (Array.isArray(value) && value.length > MOST_ITEMS) return path
  for (const [key, below] of Object.entries(value)) {
    const found = findLongList(below, [...path, Array.isArray(value) ? Number(key) : key])
    if (found !== undefined) return found
  }
  return undefined
}

type Issue = z.core.$ZodIssue

function addIssue(errors: FieldErrors, issue: Issue): void {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
  const isWrongObject = issue.code === 'invalid_type' && issue.expected === 'object' && !isAbsent(issue.input)
  const where: FieldPath = isWrongObject ? [...path, 'non_field_errors'] : path
  errors.add(where, messageOf(issue))
}

function messageOf(issue: Issue): string {
  if (issue.code !== 'custom' && isAbsent(issue.input)) return issue.input === null ? NULL : MISSING
  if (issue.code === 'invalid_type') return wrongTypeMessage(issue.expected, issue.input)
  if (issue.code === 'too_small') {
    if (issue.origin === 'string') return 'This field may not be blank.'
    if (issue.origin === 'array') return 'This list may not be empty.'
    return `Ensure this value is greater than or equal to ${issue.minimum}.`
  }
  if (issue.code === 'too_big') {
    if (issue.origin === 'string') return `Ensure this field has no more than ${issue.maximum} characters.`
    if (issue.origin === 'array') return `Ensure this list has no more than ${issue.maximum} items.`
    return `Ensure this value is less than or equal to ${issue.maximum}.`
  }
  if (issue.code === 'invalid_value') {
    return `Must be one of: ${issue.values.map(String).join('; ')}.`
  }
  if (issue.code === 'custom' && issue.params?.['violation'] === 'value-missing') return MISSING
  return (issue.code === 'invalid_format' && FORMAT_MESSAGES[issue.format]) || asSentence(issue.message)
}

const MISSING = 'This field is required.'
const NULL = 'This field may not be null.'

const FORMAT_MESSAGES: Readonly<Record<string, string>> = {
  datetime: 'Datetime has wrong format. Use this format instead: YYYY-MM-DDThh:mm:ssZ.',
  date: 'Date has wrong format. Use this format instead: YYYY-MM-DD.',
}

/** The numbers of the API's bodies are all whole. */
const TYPE_MESSAGES: Readonly<Record<string, string>> = {
  string: 'Not a valid string.',
  int: 'A valid integer is required.',
  number: 'A valid integer is required.',
  boolean: 'Must be a valid boolean.',
}

function wrongTypeMessage(expected: string, input: unknown): string {
  const given = Array.isArray(input) ? 'list' : typeof input
  if (expected === 'object') return `Invalid data. Expected a dictionary, but got ${given}.`
  if (expected === 'array') return `Expected a list of items but got type "${given}".`
  return TYPE_MESSAGES[expected] ?? 'This value is of the wrong type.'
}

/** The contract's messages are fragments, to be put into any sentence. */
function asSentence(message: string): string {
  const sentence = message.charAt(0).toUpperCase() + message.slice(1)
  return sentence.endsWith('.') ? sentence : `${sentence}.`
}
