/** Checks a part of a mapping file against a schema; what does not fit becomes a mistake with its place. */
import { z } from 'zod'
import { didYouMean } from '../../support/nearest.ts'
import { keyPlace, type Mistakes, nodeAt, type SourceNode, toPlain } from './source.ts'

/** The part as the schema's type, or undefined after its mistakes were noted. */
export function checkPart<Schema extends z.ZodType>(
  schema: Schema,
  node: SourceNode,
  mistakes: Mistakes,
): z.infer<Schema> | undefined {
  const checked = schema.safeParse(toPlain(node))
  if (checked.success) return checked.data
  for (const issue of checked.error.issues) noteIssue(issue, { schema, node, keys: [] }, mistakes)
  return undefined
}

interface Context {
  readonly schema: z.core.$ZodType
  readonly node: SourceNode
  /** Keys that lead from the node to where the issue's own path begins. */
  readonly keys: readonly PropertyKey[]
}

function noteIssue(issue: z.core.$ZodIssue, context: Context, mistakes: Mistakes): void {
  const keys = [...context.keys, ...issue.path]
  const where = nodeAt(context.node, keys)
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(context.schema, keys)
    for (const key of issue.keys) {
      const place = where.kind === 'map' ? keyPlace(where, key) : where
      mistakes.add(place, `there is no such key here.${didYouMean(key, known) || allowed(known)}`)
    }
    return
  }
  const inner = issue.code === 'invalid_union' ? closestBranch(issue.errors) : undefined
  if (inner !== undefined) {
    for (const each of inner) noteIssue(each, { ...context, keys }, mistakes)
    return
  }
  mistakes.add(where, inWords(issue))
}

/** Of a union's members the one that got furthest; undefined when none got beyond the value's own type. */
function closestBranch(
  branches: readonly (readonly z.core.$ZodIssue[])[],
): readonly z.core.$ZodIssue[] | undefined {
  return branches.find((issues) =>
    issues.some((issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys'),
  )
}

function inWords(issue: z.core.$ZodIssue): string {
  const missing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined')
  return missing ? `${String(issue.path.at(-1) ?? 'it')} is missing` : lowerFirst(issue.message)
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function allowed(known: readonly string[]): string {
  return known.length === 0 ? '' : ` Known are ${known.join(', ')}.`
}

/** The keys an object schema knows at the end of the path. */
function knownKeys(schema: z.core.$ZodType, keys: readonly PropertyKey[]): string[] {
  const [key, ...rest] = keys
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return knownKeys(schema.unwrap(), keys)
  if (schema instanceof z.ZodUnion) {
    return [...new Set(schema.options.flatMap((option) => knownKeys(option, keys)))]
  }
  if (schema instanceof z.ZodObject) {
    if (key === undefined) return Object.keys(schema.shape)
    const below = schema.shape[String(key)]
    return below === undefined ? [] : knownKeys(below, rest)
  }
  if (key === undefined) return []
  if (schema instanceof z.ZodArray) return knownKeys(schema.element, rest)
  if (schema instanceof z.ZodRecord) return knownKeys(schema.valueType, rest)
  return []
}
