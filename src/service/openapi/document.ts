/** The API as an OpenAPI 3.1 document, made from the table of endpoints. */
import { SERVED, type ServedEndpoint } from '../http/served.ts'
import { nameIn } from './components.ts'
import { REQUEST_EXAMPLES } from './examples.ts'
import { type JsonSchema, refTo } from './json-schema.ts'
import { parametersOf } from './parameters.ts'
import { REFUSALS, refusalsOf } from './refusals.ts'
import { makeSchemas, type Schemas } from './schemas.ts'
import type { Content, OpenApi, Operation, Response } from './shape.ts'
import { ADMIN_WORDS } from './words/admin-endpoints.ts'
import { ENDPOINT_WORDS, type EndpointWords } from './words/endpoints.ts'
import { TAGS, tagOf } from './words/tags.ts'

type Endpoints = Readonly<Record<string, ServedEndpoint>>

export interface OpenApiOptions {
  /** All that the service serves unless told. */
  readonly endpoints?: Endpoints
  /** Where the service is; where the document came from unless told. */
  readonly serverUrl?: string
}

export function createOpenApi({ endpoints = SERVED, serverUrl = '/' }: OpenApiOptions = {}): OpenApi {
  const parts = makeSchemas(endpoints)
  const tags = new Set(Object.values(endpoints).map(tagOf))
  return {
    openapi: '3.1.0',
    // Spec: "The version is the path prefix /v1/ on all resource paths."
    info: { title: 'Retailer and Supplier Order-Fulfillment API', version: 'v1', description: ABOUT },
    servers: [{ url: serverUrl }],
    tags: Object.entries(TAGS).flatMap(([name, description]) =>
      [...tags].some((tag) => tag === name) ? [{ name, description }] : [],
    ),
    paths: pathsOf(endpoints, parts),
    components: {
      schemas: { ...parts.schemas, ...pageSchemas(endpoints, parts) },
      responses: REFUSALS,
      securitySchemes: { oauth2: OAUTH2 },
    },
  }
}

const ABOUT = [
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

function pathsOf(endpoints: Endpoints, parts: Schemas): OpenApi['paths'] {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const methods = (paths[endpoint.path] ??= {})
    methods[endpoint.method.toLowerCase()] = operationOf(name, endpoint, parts)
  }
  return paths
}

const WORDS: ReadonlyMap<string, EndpointWords> = new Map(
  Object.entries({ ...ENDPOINT_WORDS, ...ADMIN_WORDS }),
)

function operationOf(name: string, endpoint: ServedEndpoint, parts: Schemas): Operation {
  const { summary, description } = WORDS.get(name) ?? { summary: name, description: name }
  const content = requestContent(name, endpoint, parts)
  return {
    operationId: name,
    tags: [tagOf(endpoint)],
    summary,
    description,
    security: endpoint.kind === 'token' ? [] : [{ oauth2: [endpoint.method === 'GET' ? 'read' : 'write'] }],
    parameters: parametersOf(endpoint),
    ...(content === undefined ? {} : { requestBody: { required: true, content } }),
    responses: { [endpoint.success]: successOf(name, endpoint, parts), ...refusalsOf(endpoint) },
  }
}

function requestContent(
  name: string,
  { kind, request }: ServedEndpoint,
  { requests }: Schemas,
): Content | undefined {
  if (request === undefined) return undefined
  const examples = REQUEST_EXAMPLES.get(name)
  return {
    [kind === 'token' ? 'application/x-www-form-urlencoded' : 'application/json']: {
      schema: refTo(nameIn(requests, request)),
      ...(examples === undefined ? {} : { examples }),
    },
  }
}

const DOCUMENTS: ReadonlyMap<string, Content> = new Map<string, Content>([
  ['getPackingSlip', { 'application/pdf': {} }],
  ['getShippingLabel', { 'application/pdf': {}, 'image/png': {}, 'application/zpl': {} }],
])

function successOf(name: string, { kind, response }: ServedEndpoint, { responses }: Schemas): Response {
  if (response === undefined) return { description: 'The file.', content: DOCUMENTS.get(name) ?? {} }
  const resource = nameIn(responses, response)
  const schema = refTo(kind === 'list' ? pageName(resource) : resource)
  return { description: SUCCESS_WORDS[kind], content: { 'application/json': { schema } } }
}

const SUCCESS_WORDS: Readonly<Record<ServedEndpoint['kind'], string>> = {
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

function pageSchemas(endpoints: Endpoints, { responses }: Schemas): Record<string, JsonSchema> {
  const listed = Object.values(endpoints).flatMap(({ kind, response }) =>
    kind === 'list' && response !== undefined ? [nameIn(responses, response)] : [],
  )
  return Object.fromEntries(listed.map((resource) => [pageName(resource), pageOf(resource)]))
}

/** Spec: "The envelope of a list response and the pagination mechanism: not shown." */
function pageOf(resource: string): JsonSchema {
  const link = (words: string): JsonSchema => ({
    type: ['string', 'null'],
    format: 'uri',
    description: words,
  })
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
