/** Mistakes in the configuration file, in plain words. None ever repeats a value: it could be a secret. */
import type { z } from 'zod'
import { didYouMean } from '../support/nearest.ts'
import { configurationJsonSchema, keysAt } from './json-schema.ts'
import { ConfigurationFile, InboundRouteFile, OutboundRouteFile } from './schema.ts'

export interface Mistake {
  readonly path: readonly PropertyKey[]
  /** Whether the key or its value is wrong. */
  readonly at: 'key' | 'value'
  readonly message: string
}

type Issue = z.core.$ZodIssue

/** The file when it fits the schema, or everything about it that does not. */
export function checkShape(
  raw: unknown,
): { readonly file: ConfigurationFile } | { readonly mistakes: Mistake[] } {
  const checked = ConfigurationFile.safeParse(raw)
  if (checked.success) return { file: checked.data }
  const issues = [...checked.error.issues, ...issuesBehindUnknownOperations(raw)]
  return { mistakes: issues.flatMap((issue) => toMistakes(issue, valueAt(raw, issue.path))) }
}

/** The schema stops at an unknown operation; the rest of the route is checked as the kind it looks like. */
function issuesBehindUnknownOperations(raw: unknown): Issue[] {
  const known: unknown[] = [
    ...InboundRouteFile.shape.operation.options,
    ...OutboundRouteFile.shape.operation.options,
  ]
  return Object.entries(objectAt(raw, ['routes'])).flatMap(([name, route]) => {
    const fields = objectAt(route, [])
    if (Object.keys(fields).length === 0 || known.includes(fields['operation'])) return []
    const checked =
      'to' in fields
        ? OutboundRouteFile.safeParse({ ...fields, operation: 'export-orders' })
        : InboundRouteFile.safeParse({ ...fields, operation: 'create-order' })
    return (checked.error?.issues ?? []).map((issue) => ({ ...issue, path: ['routes', name, ...issue.path] }))
  })
}

/** The mistakes behind one issue, at which this value stands. */
export function toMistakes(issue: Issue, value: unknown): Mistake[] {
  const { path } = issue
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(configurationJsonSchema(), path)
    return issue.keys.map((key) => ({
      path: [...path, key],
      at: 'key',
      message: known.includes(key)
        ? 'does not belong here: it is for other operations.'
        : `unknown key.${didYouMean(key, known)}`,
    }))
  }
  if (issue.code === 'invalid_key') {
    return [{ path, at: 'key', message: 'a name holds lower-case letters, digits and hyphens only.' }]
  }
  if (value === undefined) return [{ path, at: 'value', message: `is missing${choiceOf(issue)}.` }]
  if (value === null) {
    const blank = path.length === 0 ? 'is empty' : 'has no value'
    return [{ path, at: 'value', message: `${blank}${choiceOf(issue)}.` }]
  }
  const said = describe(issue)
  const sentence = /[.?]$/.test(said) ? said : `${said}.`
  return [{ path, at: 'value', message: `${sentence}${suggestion(issue, value)}` }]
}

function describe(issue: Issue): string {
  if (issue.code === 'invalid_type')
    return EXPECTED[issue.expected] ?? `must be of the type ${issue.expected}`
  if (issue.code === 'too_small') {
    return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`
  }
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}`
  const choices = choicesOf(issue)
  return choices.length > 0 ? `must be ${wordsFor(choices)}` : issue.message
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'must be text; put it in quotes',
  number: 'must be a whole number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  object: 'must hold keys and values',
  record: 'must hold names and their settings',
}

function choicesOf(issue: Issue): string[] {
  if (issue.code === 'invalid_value') return issue.values.map(String)
  if (issue.code === 'invalid_union' && 'options' in issue) return (issue.options ?? []).map(String)
  return []
}

function choiceOf(issue: Issue): string {
  const choices = choicesOf(issue)
  return choices.length > 0 ? `: it must be ${wordsFor(choices)}` : ''
}

function wordsFor(choices: readonly string[]): string {
  return choices.length === 1 ? `${choices[0]}` : `one of ${choices.join(', ')}`
}

function suggestion(issue: Issue, value: unknown): string {
  return typeof value === 'string' ? didYouMean(value, choicesOf(issue)) : ''
}

export function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((value, step) => objectAt(value, [])[String(step)], raw)
}

function objectAt(raw: unknown, path: readonly PropertyKey[]): Readonly<Record<string, unknown>> {
  const value = path.length === 0 ? raw : valueAt(raw, path)
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
