/** The schema of `dropbridge.yaml` as JSON Schema, for editors and for finding the keys that may stand at a place. */
import { z } from 'zod'
import { ConfigurationFile } from './schema.ts'

export type JsonSchema = z.core.JSONSchema.BaseSchema

/** Draft 07, the newest that the YAML language server reads. */
export function configurationJsonSchema(): JsonSchema {
  return z.toJSONSchema(ConfigurationFile, {
    target: 'draft-7',
    io: 'input',
    override: ({ jsonSchema }) => letVariablesStand(jsonSchema),
  })
}

/** `${NAME}` may stand for a number or a switch too, and only becomes one when the file is loaded. */
function letVariablesStand(schema: JsonSchema): void {
  if (schema.type !== 'integer' && schema.type !== 'boolean') return
  Object.assign(schema, { type: [schema.type, 'string'], pattern: '\\$\\{' })
}

/** The schemas that may apply at a path, first to last; none where nothing is known of it. */
export function schemasAt(schema: JsonSchema, path: readonly PropertyKey[]): JsonSchema[] {
  return path.reduce<JsonSchema[]>(
    (places, step) => places.flatMap((place) => alternatives(stepInto(place, String(step)))),
    alternatives(schema),
  )
}

function stepInto(schema: JsonSchema, step: string): JsonSchema | undefined {
  const { properties, additionalProperties } = schema
  const next =
    properties !== undefined && Object.hasOwn(properties, step) ? properties[step] : additionalProperties
  return typeof next === 'object' ? next : undefined
}

function alternatives(schema: JsonSchema | undefined): JsonSchema[] {
  if (schema === undefined) return []
  const options = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]
  return [schema, ...options.flatMap((option) => alternatives(option as JsonSchema))]
}

/** The keys that may stand in the object at a path. */
export function keysAt(schema: JsonSchema, path: readonly PropertyKey[]): string[] {
  return [...new Set(schemasAt(schema, path).flatMap(({ properties }) => Object.keys(properties ?? {})))]
}
