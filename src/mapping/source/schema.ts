/** Tables of keys as schemas, and the check of a part of a mapping file against one. */
import { z } from 'zod'
import { describeIssue, hasLibraryMessage, joinPath, listMeantPaths } from '../../support/schema-issue.ts'
import { didYouMean } from '../../support/text.ts'
import { getEntry, locateKey, type MappingErrors, nodeAt, type SourceNode, toPlain } from './source.ts'

export const Text = z.string().min(1)
export const Character = z.string().length(1, 'expected one character in quotes, such as ";" or "\\t"')

// Each key says how it is checked, what it means and shows an example: for the compiler, the schema and the docs.

/** A row of a table of keys. A tested example comes with its input and its result. */
export interface KeyRow {
  readonly schema: z.ZodType
  readonly summary: string
  readonly example: string
  /** The input of the example: columns of a file, or fields of a record; a list means several lines. */
  readonly of?: readonly (readonly [name: string, value: unknown])[]
  /** The result in the body, or in the cell. */
  readonly gives?: unknown
}

/** The examples of keys, for the errors of values that are no text, list or number as they must be. */
const EXAMPLES = new WeakMap<z.core.$ZodType, string>()

type KeyTable = Readonly<Record<string, KeyRow>>

type OptionalKeys<T extends KeyTable> = { readonly [Key in keyof T]: z.ZodOptional<T[Key]['schema']> }

/** Makes the keys of a table optional, each with its summary. */
export function optionalKeys<Table extends KeyTable>(table: Table): OptionalKeys<Table> {
  const keys = Object.entries(table).map(([key, row]) => {
    const schema = row.schema.optional().describe(row.summary)
    EXAMPLES.set(schema, row.example)
    return [key, schema]
  })
  return Object.fromEntries(keys) as OptionalKeys<Table>
}

export function pickKeys<Table extends object, Key extends keyof Table>(table: Table, ...keys: Key[]) {
  return Object.fromEntries(keys.map((key) => [key, table[key]])) as Pick<Table, Key>
}

/** Parses the part with the schema; undefined after noting its errors. */
export function checkPart<Schema extends z.ZodType>(schema: Schema, node: SourceNode, errors: MappingErrors) {
  const checked = schema.safeParse(toPlain(node))
  if (checked.success) return checked.data
  const misspelled = new Set(
    checked.error.issues.flatMap((issue) => listMeantPaths(issue, (path) => listKnownKeys(schema, path))),
  )
  for (const issue of checked.error.issues)
    if (!isMissing(issue) || !misspelled.has(joinPath(issue.path)))
      reportIssue(issue, { schema, node, keys: [] }, errors)
  return undefined
}

/** Checks the part under a key alone, so that an error elsewhere does not hide its errors; undefined where it is absent. */
export function checkEntry<Schema extends z.ZodType>(
  schema: Schema,
  root: SourceNode,
  key: string,
  errors: MappingErrors,
) {
  const node = getEntry(root, key)
  return node && checkPart(schema, node, errors)
}

/** Notes an issue. `keys` lead from the node to the start of the issue's own path. */
function reportIssue(
  issue: z.core.$ZodIssue,
  context: {
    readonly schema: z.core.$ZodType
    readonly node: SourceNode
    readonly keys: readonly PropertyKey[]
  },
  errors: MappingErrors,
): void {
  const keys = [...context.keys, ...issue.path]
  const where = nodeAt(context.node, ...keys)
  if (issue.code === 'unrecognized_keys') {
    const known = listKnownKeys(context.schema, keys)
    const allKnown = known.length === 0 ? '' : ` Known are ${known.join(', ')}.`
    for (const key of issue.keys) {
      const place = where.kind === 'map' ? locateKey(where, key) : where
      const split = describeSplitText(key, getEntry(where, key))
      errors.add(place, split ?? `there is no such key here.${didYouMean(key, known) || allKnown}`)
    }
    return
  }
  const inner = issue.code === 'invalid_union' ? findClosestBranch(issue.errors) : undefined
  if (inner !== undefined) {
    for (const each of inner) reportIssue(each, { ...context, keys }, errors)
    return
  }
  const name = issue.path.at(-1)
  const message = `${formatIssue(issue)}${exemplify(issue, context.schema, keys)}`
  // Without the value, the place is that of what surrounds it, which does not name it.
  const isUnnamed = typeof name === 'string' && where === nodeAt(context.node, ...keys.slice(0, -1))
  errors.add(where, isUnnamed && !message.includes('missing') ? `${name} is missing: ${message}` : message)
}

/** In braces a comma ends a text without quotes, and what follows it is a key without a value. */
function describeSplitText(key: string, node: SourceNode | undefined): string | undefined {
  const isNumber = /^\d/.test(key) && node?.kind === 'text' && node.value === null
  return isNumber
    ? `a comma ends the text before "${key}": write a decimal point, such as 1.1, or put the text in quotes`
    : undefined
}

/** `, such as ...`: the example of the key whose value has a wrong type. */
function exemplify(issue: z.core.$ZodIssue, schema: z.core.$ZodType, keys: readonly PropertyKey[]): string {
  if (issue.code !== 'invalid_type' || !hasLibraryMessage(issue) || isMissing(issue)) return ''
  let example: string | undefined
  let of: z.core.$ZodType | undefined = schema
  for (const key of keys) {
    if (of instanceof z.ZodOptional) of = of.unwrap()
    of = of instanceof z.ZodObject ? (of.shape as Record<string, z.ZodType>)[String(key)] : undefined
    example = (of && EXAMPLES.get(of)) ?? example
  }
  return example === undefined ? '' : `, such as \`${example}\``
}

/** Finds the union member that matches furthest; undefined when none gets beyond the value's type. */
function findClosestBranch(branches: readonly (readonly z.core.$ZodIssue[])[]) {
  const isForeign = (issue: z.core.$ZodIssue) => issue.code === 'unrecognized_keys' && issue.path.length === 0
  const reached = branches.filter((issues) => issues.some((each) => each.path.length > 0 || isForeign(each)))
  // A member that knows all the keys is the one that was meant.
  return reached.find((issues) => !issues.some(isForeign)) ?? reached[0]
}

function isMissing(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'invalid_type' && issue.message.endsWith('received undefined')
}

function formatIssue(issue: z.core.$ZodIssue): string {
  if (isMissing(issue)) return `${String(issue.path.at(-1) ?? 'it')} is missing`
  const description = describeIssue(issue)
  return description.charAt(0).toLowerCase() + description.slice(1)
}

function listKnownKeys(schema: z.core.$ZodType, keys: readonly PropertyKey[]): string[] {
  const [key, ...rest] = keys
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return listKnownKeys(schema.unwrap(), keys)
  if (schema instanceof z.ZodUnion) {
    return [...new Set(schema.options.flatMap((option) => listKnownKeys(option, keys)))]
  }
  if (schema instanceof z.ZodObject) {
    if (key === undefined) return Object.keys(schema.shape)
    const below = schema.shape[String(key)]
    return below === undefined ? [] : listKnownKeys(below, rest)
  }
  if (key === undefined) return []
  if (schema instanceof z.ZodArray) return listKnownKeys(schema.element, rest)
  if (schema instanceof z.ZodRecord) return listKnownKeys(schema.valueType, rest)
  return []
}
