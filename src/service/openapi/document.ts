/** The API as an OpenAPI 3.1 document, made from the table of endpoints. */
import type { Endpoint } from '../../contract/endpoints.ts'
import { SERVED_ENDPOINTS } from '../endpoints.ts'
import { createSchemas, findSchemaName, type Schemas } from './schemas.ts'
import { REQUEST_EXAMPLES } from './examples.ts'
import { type Content, type JsonSchema, refTo, type Response, type ResponseRef } from './json-schema.ts'
import { createParameters } from './parameters.ts'
import { REFUSALS, createRefusals } from './refusals.ts'
import {
  ADMIN_ENDPOINT_DESCRIPTIONS,
  API_ENDPOINT_DESCRIPTIONS,
  type EndpointDescription,
  findTag,
  TAGS,
} from './descriptions/endpoints.ts'

type Endpoints = Readonly<Record<string, Endpoint>>

export type OpenApi = ReturnType<typeof createOpenApi>

export type Operation = ReturnType<typeof createOperation>

/** By default of all endpoints, with a relative server address. */
export function createOpenApi({
  endpoints = SERVED_ENDPOINTS,
  serverUrl = '/',
}: { readonly endpoints?: Endpoints; readonly serverUrl?: string } = {}) {
  const parts = createSchemas(endpoints)
  const tags = new Set(Object.values(endpoints).map(findTag))
  return {
    openapi: '3.1.0',
    // Spec: "The version is the path prefix /v1/ on all resource paths."
    info: {
      title: 'Retailer and Supplier Order-Fulfillment API',
      version: 'v1',
      description: API_DESCRIPTION,
    },
    servers: [{ url: serverUrl }],
    tags: Object.entries(TAGS).flatMap(([name, description]) =>
      [...tags].some((tag) => tag === name) ? [{ name, description }] : [],
    ),
    paths: createPaths(endpoints, parts),
    components: {
      schemas: { ...parts.schemas, ...createPageSchemas(endpoints, parts) },
      responses: REFUSALS as Readonly<Record<string, Response>>,
      securitySchemes: { oauth2: OAUTH2 },
    },
  }
}

const API_DESCRIPTION = [
  'Connects retailers with suppliers (brands) for drop-ship order fulfillment.',
  'A party polls a list with `is_acknowledged=0`, processes the records, then acknowledges each one.',
  'Times are ISO 8601 in UTC, money is US dollars as decimal text with two decimals, and in answers every key is present, null when empty.',
  'Paths end with a slash. Another method than those of a path is answered with 405.',
  'This is what the service does as long as no switch is turned.',
].join(' ')

const OAUTH2 = {
  type: 'oauth2',
  description: 'The token goes into the header `Authorization: Bearer <ACCESS_TOKEN>`.',
  flows: {
    clientCredentials: {
      tokenUrl: '/auth/token/',
      scopes: { read: 'For GET.', write: 'For everything that changes something.' },
    },
  },
} as const

/** By path, then by method in small letters. */
function createPaths(endpoints: Endpoints, parts: Schemas) {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const methods = (paths[endpoint.path] ??= {})
    methods[endpoint.method.toLowerCase()] = createOperation(name, endpoint, parts)
  }
  return paths
}

const ENDPOINT_DESCRIPTIONS: ReadonlyMap<string, EndpointDescription> = new Map(
  Object.entries<EndpointDescription>({ ...API_ENDPOINT_DESCRIPTIONS, ...ADMIN_ENDPOINT_DESCRIPTIONS }),
)

function createOperation(name: string, endpoint: Endpoint, parts: Schemas) {
  const [summary, description] = ENDPOINT_DESCRIPTIONS.get(name) ?? [name, name]
  const content = createBody(name, endpoint, parts)
  const responses: Readonly<Record<string, Response | ResponseRef>> = {
    [endpoint.success]: createSuccess(name, endpoint, parts),
    ...createRefusals(endpoint),
  }
  return {
    operationId: name,
    tags: [findTag(endpoint)],
    summary,
    description,
    security: endpoint.kind === 'token' ? [] : [{ oauth2: [endpoint.method === 'GET' ? 'read' : 'write'] }],
    parameters: createParameters(endpoint),
    ...(content === undefined ? {} : { requestBody: { required: true, content } as const }),
    responses,
  }
}

function createBody(name: string, { kind, request }: Endpoint, { requests }: Schemas): Content | undefined {
  if (request === undefined) return undefined
  const examples = REQUEST_EXAMPLES.get(name)
  return {
    [kind === 'token' ? 'application/x-www-form-urlencoded' : 'application/json']: {
      schema: refTo(findSchemaName(requests, request)),
      ...(examples === undefined ? {} : { examples }),
    },
  }
}

const DOCUMENTS: ReadonlyMap<string, Content> = new Map<string, Content>([
  ['getPackingSlip', { 'application/pdf': {} }],
  ['getShippingLabel', { 'application/pdf': {}, 'image/png': {}, 'application/zpl': {} }],
])

function createSuccess(name: string, { kind, response }: Endpoint, { responses }: Schemas): Response {
  if (response === undefined) return { description: 'The file.', content: DOCUMENTS.get(name) ?? {} }
  const resource = findSchemaName(responses, response)
  const schema = refTo(kind === 'list' ? pageName(resource) : resource)
  return { description: SUCCESS_DESCRIPTIONS[kind], content: { 'application/json': { schema } } }
}

const SUCCESS_DESCRIPTIONS: Readonly<Record<Endpoint['kind'], string>> = {
  token: 'A token.',
  one: 'The resource.',
  list: 'A page of those that match.',
  create: 'The new resource.',
  update: 'The resource as it is now.',
  act: 'The resource as it is now.',
  document: 'The file.',
}

function pageName(resource: string): string {
  return `${resource}Page`
}

function createPageSchemas(endpoints: Endpoints, { responses }: Schemas): Record<string, JsonSchema> {
  const listed = Object.values(endpoints).flatMap(({ kind, response }) =>
    kind === 'list' && response !== undefined ? [findSchemaName(responses, response)] : [],
  )
  return Object.fromEntries(listed.map((resource) => [pageName(resource), createPageSchema(resource)]))
}

/** Spec: "The envelope of a list response and the pagination mechanism: not shown." */
function createPageSchema(resource: string): JsonSchema {
  const link = (description: string) => ({ type: ['string', 'null'], format: 'uri', description })
  return {
    type: 'object',
    description: 'A page of a list.',
    required: ['count', 'next', 'previous', 'results'],
    properties: {
      count: { type: 'integer', minimum: 0, description: 'How many match in all.' },
      next: link('The address of the next page; null on the last.'),
      previous: link('The address of the page before; null on the first.'),
      results: { type: 'array', items: refTo(resource), description: 'In the order of their ids.' },
    },
  }
}
