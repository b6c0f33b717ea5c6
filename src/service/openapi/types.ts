/** The parts of OpenAPI 3.1 that the document uses, as types. */
import type { z } from 'zod'
import type { JsonSchema } from './json-schema.ts'

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
