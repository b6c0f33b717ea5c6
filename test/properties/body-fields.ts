/** The fields of a body by their paths, and the smallest valid body that has a given one. */
import type { z } from 'zod'
import type { FieldRule } from '../../src/contract/fields.ts'
import { type Shape, toShape } from '../../src/mapping/shape.ts'

export type Plain = Readonly<Record<string, unknown>>

export interface BodyField {
  /** `order_lines[].variant.upc` */
  readonly path: string
  readonly rule: FieldRule
  /** Whether the field is a list of such values. */
  readonly list: boolean
  readonly required: boolean
  /** Objects above it that may be left out. */
  readonly within: readonly string[]
}

/** Every field of the body, in the order of the contract. */
export function fieldsOf(body: z.ZodType): BodyField[] {
  const walk = (shape: Shape, path: string, within: readonly string[]): BodyField[] => {
    if (shape.kind === 'object') {
      const around = shape.required || path === '' ? within : [...within, path]
      return [...shape.fields].flatMap(([name, field]) =>
        walk(field, path === '' ? name : `${path}.${name}`, around),
      )
    }
    if (shape.kind === 'list' && shape.item.kind === 'object') return walk(shape.item, `${path}[]`, within)
    const field = shape.kind === 'list' ? shape.item : shape
    if (field.kind !== 'field' || field.rule === undefined) return []
    return [{ path, rule: field.rule, list: shape.kind === 'list', required: shape.required, within }]
  }
  return walk(toShape(body), '', [])
}

/** The body, or the template of one, with the value at the path. */
export function put(body: Plain, path: string, value: unknown): Plain {
  const [step = '', ...rest] = path.split('.')
  const name = step.replace('[]', '')
  if (rest.length === 0) return { ...body, [name]: value }
  const below = body[name]
  const inner = (Array.isArray(below) ? below[0] : below) as Plain | undefined
  const changed = put(inner ?? {}, rest.join('.'), value)
  return { ...body, [name]: step.endsWith('[]') ? [changed] : changed }
}

/** Values by path that make a valid body with the field in it, and no more than it needs. */
export function smallestWith(field: BodyField, schema: z.ZodType): ReadonlyMap<string, unknown> {
  const fields = fieldsOf(schema)
  let chosen = withNeeded(
    fields.filter(({ path }) => path === field.path),
    fields,
  )
  for (let round = 0; round < 10; round++) {
    const [issue] = issuesOf(chosen, schema)
    if (issue === undefined) return new Map(chosen.map((each) => [each.path, sampleOf(each)]))
    const missing = fields.find(({ path }) => issue.startsWith(`${path} `))
    const helps = missing ?? bestHelp(issue, chosen, fields, schema)
    if (helps === undefined || chosen.includes(helps)) throw new Error(`no body with ${field.path}: ${issue}`)
    chosen = withNeeded([...chosen, helps], fields)
  }
  throw new Error(`no body with ${field.path}`)
}

/** The field that removes the issue and leaves the fewest others. */
function bestHelp(
  issue: string,
  chosen: readonly BodyField[],
  fields: readonly BodyField[],
  schema: z.ZodType,
): BodyField | undefined {
  const tried = fields
    .filter((each) => !chosen.includes(each))
    .map((each) => ({ each, left: issuesOf(withNeeded([...chosen, each], fields), schema) }))
    .filter(({ left }) => !left.includes(issue))
  return tried.toSorted((one, other) => one.left.length - other.left.length)[0]?.each
}

function withNeeded(chosen: readonly BodyField[], fields: readonly BodyField[]): readonly BodyField[] {
  const isThere = (object: string) => chosen.some(({ path }) => path.startsWith(`${object}.`))
  return fields.filter((each) => chosen.includes(each) || (each.required && each.within.every(isThere)))
}

function issuesOf(chosen: readonly BodyField[], schema: z.ZodType): string[] {
  const body = chosen.reduce<Plain>((all, field) => put(all, field.path, sampleOf(field)), {})
  return (schema.safeParse(body).error?.issues ?? []).map(
    ({ path, message }) => `${path.join('.')} ${message}`,
  )
}

function sampleOf({ rule, list, path }: BodyField): unknown {
  const value = sampleValue(rule, path)
  return list ? [value] : value
}

function sampleValue(rule: FieldRule, path: string): unknown {
  switch (rule.kind) {
    case 'text':
      return isImage(path) ? 'https://img.example/1.jpg' : rule.code === 'upc' ? '012345678905' : 'Acme'
    case 'integer':
      return Math.max(rule.min, 1)
    case 'money':
      return '12.50'
    case 'decimal':
      return '2.5'
    case 'dateTime':
      return '2026-11-20T10:00:00Z'
    case 'date':
      return '2026-11-20'
    case 'boolean':
      return true
    case 'choice':
      return rule.values[0]
    case 'country':
      return 'US'
    case 'province':
      return 'NY'
  }
}

/** Attributes of items that hold an address, which no rule of a field says. */
export function isImage(path: string): boolean {
  return /^attributes\.(?:image|.*_image)/.test(path)
}
