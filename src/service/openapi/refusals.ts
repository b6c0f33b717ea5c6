/** The refusals. Spec: "Error status codes, error body shape": not shown; these are our choice. */
import type { Endpoint } from '../../contract/endpoints.ts'
import { type JsonSchema, refTo, type Response, type ResponseRef } from './json-schema.ts'
const textSchema: JsonSchema = { type: 'string' }

export const REFUSAL_SCHEMAS = {
  Detail: {
    type: 'object',
    description: 'A refusal where no field is to blame.',
    required: ['detail'],
    properties: { detail: { ...textSchema, description: 'What is wrong, for people.' } },
  },
  FieldErrors: {
    type: 'object',
    description:
      'What is wrong with a body or query, shaped like the body: messages by field, nested objects nested, and a list of objects as a list in which `{}` is an object that is fine. What is about no single field is under `non_field_errors`.',
    additionalProperties: {
      anyOf: [
        { type: 'array', items: textSchema },
        refTo('FieldErrors'),
        { type: 'array', items: refTo('FieldErrors') },
      ],
    },
  },
  TokenError: {
    type: 'object',
    description: 'A refusal in the words of OAuth 2.0.',
    required: ['error'],
    properties: {
      error: { ...textSchema, description: 'Such as `invalid_client`.' },
    },
  },
} as const satisfies Record<string, JsonSchema>

export const REFUSALS = {
  BadRequest: {
    description:
      'The body, the query or the state of the resource is wrong; everything that is wrong is named.',
    content: {
      'application/json': {
        schema: { anyOf: [refTo('FieldErrors'), refTo('Detail')] },
        examples: {
          fields: {
            summary: 'A line without a quantity, and an address without a city',
            value: {
              ship_to: { city: ['This field is required.'] },
              order_lines: [{}, { quantity: ['This field is required.'] }],
            },
          },
        },
      },
    },
  },
  TokenRefused: {
    description: 'The grant, the client or the scope is wrong.',
    content: {
      'application/json': {
        schema: refTo('TokenError'),
        examples: { client: { summary: 'Wrong credentials', value: { error: 'invalid_client' } } },
      },
    },
  },
  Unauthorized: {
    ...createDetailResponse(
      'There is no token, or it is not in force.',
      'Authentication credentials were not provided.',
    ),
    headers: { 'WWW-Authenticate': { description: 'How to authenticate.', schema: textSchema } },
  },
  Forbidden: createDetailResponse(
    "The id in the path is not of the caller's account, or the scope of the token is not enough.",
    'You do not have permission to perform this action.',
  ),
  NotFound: createDetailResponse(
    'There is no such resource, or it is of another party, or there is no such page.',
    'Not found.',
  ),
  MethodNotAllowed: {
    ...createDetailResponse('The address knows other methods.', 'Method "DELETE" not allowed.'),
    headers: { Allow: { description: 'The methods it knows.', schema: textSchema } },
  },
  ContentTooLarge: createDetailResponse('The body is larger than 1 MiB.', 'Request body is too large.'),
  UnsupportedMediaType: createDetailResponse(
    'The body is of another content type.',
    'Unsupported media type "text/csv" in request.',
  ),
  TooManyRequests: {
    ...createDetailResponse(
      'The client has made too many requests. There is no limit unless the service is started with one.',
      'Request was throttled. Expected available in 3 seconds.',
    ),
    headers: { 'Retry-After': { description: 'When to come back: seconds, or a date.', schema: textSchema } },
  },
} as const satisfies Record<string, Response>

/** The refusals of an endpoint, by status. */
export function createRefusals(endpoint: Endpoint): Record<string, ResponseRef> {
  const { kind, path } = endpoint
  const hasBody = endpoint.request !== undefined
  if (kind === 'token') {
    return toResponseRefs({
      400: 'TokenRefused',
      401: 'TokenRefused',
      413: 'ContentTooLarge',
      415: 'UnsupportedMediaType',
    })
  }
  return toResponseRefs({
    ...(kind === 'one' ? {} : { 400: 'BadRequest' }),
    401: 'Unauthorized',
    403: 'Forbidden',
    ...(path.includes('{') || kind === 'list' ? { 404: 'NotFound' } : {}),
    ...(hasBody ? { 413: 'ContentTooLarge', 415: 'UnsupportedMediaType' } : {}),
    429: 'TooManyRequests',
  })
}

function toResponseRefs(names: Readonly<Record<string, keyof typeof REFUSALS>>): Record<string, ResponseRef> {
  return Object.fromEntries(
    Object.entries(names).map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]),
  )
}

function createDetailResponse(description: string, example: string): Response {
  return {
    description,
    content: {
      'application/json': {
        schema: refTo('Detail'),
        examples: { detail: { summary: 'Such as', value: { detail: example } } },
      },
    },
  }
}
