/** The type of handlers, and the check of a body against the contract before its handler runs. */
import type { z } from 'zod'
import { isAbsent } from '../values.ts'
import { type Answer, gatherErrors, type FieldErrors, type FieldPath, refuseField } from './answers.ts'
import type { Query } from './filters.ts'
import type { Normalise } from './normalization.ts'

/** A request that may be served: the caller owns the party of the path. */
export interface ServiceCall {
  readonly account: number
  /** The retailer's or brand's id in the path; 0 where there is none. */
  readonly party: number
  /** The resource's id in the path; 0 where there is none. */
  readonly id: number
  /** The text `{name}` in the path of an administration endpoint; empty where there is none. */
  readonly name: string
  readonly query: Query
  /** The address of the request, without the query. */
  readonly address: string
  readonly body: unknown
  /** The address of the caller's machine. */
  readonly ip: string
  /** Whether the token has the scope `write`. */
  readonly mayWrite: boolean
}

/** Runs synchronously, so no other request can come in between. */
export type Handler = (call: ServiceCall) => Answer

/** The handler of a route: its changes are on the disk when the promise resolves. */
export type QueuedHandler = (call: ServiceCall) => Answer | Promise<Answer>

/** Checks the body and calls the handler with it; a missing body counts as one without fields. */
export function withBody<Schema extends z.ZodType>(
  { request }: { readonly request: Schema },
  handle: (call: ServiceCall, body: z.output<Schema>) => Answer,
  normalise: Normalise = (body) => body,
): Handler {
  return (call) => {
    const checked = validateBody(request, normalise(call.body ?? {}))
    return 'refusal' in checked ? checked.refusal : handle(call, checked.value)
  }
}

// Formats the refusals of the contract as Django REST framework does.

/** A nonsense body can have a hundred thousand errors; more than these are not reported. */
const MAX_ISSUES = 1000

/** Returns the valid body, or a refusal with all its errors. */
export function validateBody<Schema extends z.ZodType>(schema: Schema, body: unknown) {
  const tooLong = findLongList(body)
  if (tooLong !== undefined)
    return { refusal: refuseField(tooLong, `Ensure this list has no more than ${MAX_ITEMS} items.`) }
  const result = schema.safeParse(body, { reportInput: true })
  if (result.success) return { value: result.data }
  const errors = gatherErrors()
  for (const issue of result.error.issues.slice(0, MAX_ISSUES)) addIssue(errors, issue)
  return { refusal: errors.toAnswer() }
}

/** Spec: not shown. More lines than any order has; hundreds of thousands would keep other requests waiting. */
const MAX_ITEMS = 1000

/** Bodies are not nested this deep; deeper values are not checked anyway. */
const MAX_DEPTH = 6

function findLongList(value: unknown, path: FieldPath = []): FieldPath | undefined {
  if (typeof value !== 'object' || value === null || path.length > MAX_DEPTH) return undefined
  if (Array.isArray(value) && value.length > MAX_ITEMS) return path
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
  errors.add(where, formatIssue(issue))
}

function formatIssue(issue: Issue): string {
  if (issue.code !== 'custom' && isAbsent(issue.input))
    return issue.input === null ? NULL_MESSAGE : MISSING_MESSAGE
  if (issue.code === 'invalid_type') return formatWrongType(issue.expected, issue.input)
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
  if (issue.code === 'invalid_value') return `Must be one of: ${issue.values.map(String).join('; ')}.`
  if (issue.code === 'custom' && issue.params?.['violation'] === 'value-missing') return MISSING_MESSAGE
  return (issue.code === 'invalid_format' && FORMAT_MESSAGES[issue.format]) || toSentence(issue.message)
}

const MISSING_MESSAGE = 'This field is required.'

const NULL_MESSAGE = 'This field may not be null.'

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

function formatWrongType(expected: string, input: unknown): string {
  const given = Array.isArray(input) ? 'list' : typeof input
  if (expected === 'object') return `Invalid data. Expected a dictionary, but got ${given}.`
  if (expected === 'array') return `Expected a list of items but got type "${given}".`
  return TYPE_MESSAGES[expected] ?? 'This value is of the wrong type.'
}

/** Makes a sentence of a message of the contract, which is a fragment. */
function toSentence(message: string): string {
  const sentence = message.charAt(0).toUpperCase() + message.slice(1)
  return sentence.endsWith('.') ? sentence : `${sentence}.`
}
