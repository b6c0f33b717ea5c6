/** JSON Schema and OpenAPI as the document holds them: made from zod, then made shorter and easier to read. */
import { z } from 'zod'
import { FIELD_RULES, type FieldRule } from '../../contract/fields.ts'
import { omitUndefined } from '../../support/object-paths.ts'

/** What the document uses of JSON Schema, draft 2020-12. */
export interface JsonSchema {
  $ref?: string
  type?: string | string[]
  description?: string
  format?: string
  pattern?: string
  contentMediaType?: string
  const?: unknown
  enum?: unknown[]
  default?: unknown
  examples?: unknown[]
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  items?: JsonSchema
  anyOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: boolean | JsonSchema
  deprecated?: boolean
}

/** By component name; other schemas refer to a named one. */
export type NamedSchemas = ReadonlyMap<string, z.ZodType>

const COMPONENTS = '#/components/schemas/'

export function refTo(name: string): JsonSchema {
  return { $ref: COMPONENTS + name }
}

export function refName({ $ref }: JsonSchema): string | undefined {
  return $ref?.startsWith(COMPONENTS) === true ? $ref.slice(COMPONENTS.length) : undefined
}

/** `input` for requests, `output` for answers. */
export function toJsonSchemas(named: NamedSchemas, io: 'input' | 'output'): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of named) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, {
    io,
    uri: (id) => COMPONENTS + id,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const rule = FIELD_RULES.get(zodSchema)
      const isUpc = rule?.kind === 'text' && rule.code === 'upc'
      if (rule !== undefined) Object.assign(jsonSchema, isUpc ? UPC_FACTS : RULE_FACTS[rule.kind])
      // answers may get further keys one day
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, simplifySchema(schema as JsonSchema)]),
  )
}

/** Facts of a field's rule that its schema lacks, or states in an unreadable form. */
const RULE_FACTS: Readonly<Partial<Record<FieldRule['kind'], JsonSchema>>> = {
  money: { description: 'US dollars with two decimals.', examples: ['12.50'] },
  decimal: { description: 'Above zero.', examples: ['2.5'] },
  dateTime: { description: 'ISO 8601, in UTC.', pattern: 'Z$', examples: ['2026-11-21T02:15:00Z'] },
  date: { description: 'YYYY-MM-DD.', pattern: String.raw`^\d{4}-\d{2}-\d{2}$`, examples: ['2026-12-21'] },
  country: { description: 'ISO 3166-1, in capitals.', pattern: '^[A-Z]{2}$', examples: ['US'] },
  province: { description: 'ISO 3166-2 without the country, of the same country.', examples: ['NY'] },
}

const UPC_FACTS: JsonSchema = { description: 'Text: leading zeros count.', examples: ['036000291452'] }

/** Writes nullable types in one line where possible, and drops the origin of a schema. */
function simplifySchema({
  $id: _id,
  $schema: _dialect,
  ...schema
}: JsonSchema & { $id?: string; $schema?: string }): JsonSchema {
  const { type, items, properties, additionalProperties, anyOf, ...rest } = schema
  const options = anyOf?.map(simplifySchema)
  return {
    ...omitUndefined({ type }),
    ...(options === undefined ? {} : toNullable(options)),
    ...rest,
    ...omitUndefined({
      items: items && simplifySchema(items),
      properties: properties && simplifyProperties(properties),
      additionalProperties:
        typeof additionalProperties === 'object'
          ? simplifySchema(additionalProperties)
          : additionalProperties,
    }),
  }
}

function simplifyProperties(properties: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, simplifySchema(schema)]),
  )
}

function toNullable(options: readonly JsonSchema[]): JsonSchema {
  const [first, second] = options
  if (options.length === 2 && typeof first?.type === 'string' && second?.type === 'null') {
    return { ...first, type: [first.type, 'null'], ...(first.enum && { enum: [...first.enum, null] }) }
  }
  return { anyOf: [...options] }
}

// The parts of OpenAPI 3.1 that the document uses, as types.

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly description: string
  readonly schema: JsonSchema
  readonly style?: 'form'
  readonly explode?: boolean
}

export interface Example {
  readonly summary: string
  readonly value: unknown
}

/** Example bodies for every endpoint of a table that takes a body. */
export type ExamplesOf<Table> = {
  readonly [
    Name in keyof Table as Table[Name] extends { request: z.ZodType } ? Name : never
  ]: Table[Name] extends { request: infer Request extends z.ZodType }
    ? Readonly<Record<string, Example & { readonly value: z.input<Request> }>>
    : never
}

/** By content type. */
export type Content = Readonly<
  Record<string, { readonly schema?: JsonSchema; readonly examples?: Readonly<Record<string, Example>> }>
>

export interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>
  readonly content?: Content
}

export interface ResponseRef {
  readonly $ref: string
}
