/** The parts of OpenAPI 3.1 that the document uses, as types. */
import type { z } from 'zod'
import type { JsonSchema } from './json-schema.ts'

export interface OpenApi {
  readonly openapi: '3.1.0'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  /** By path, then by method in small letters. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly responses: Readonly<Record<string, Response>>
    readonly securitySchemes: Readonly<Record<string, unknown>>
  }
}

export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required: true; readonly content: Content }
  /** By status. */
  readonly responses: Readonly<Record<string, Response | ResponseRef>>
}

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
