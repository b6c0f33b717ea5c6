/** Records the requests that reach the service and those that took effect, whatever became of the answers. */
import type { FastifyRequest } from 'fastify'
import { ENDPOINTS, type EndpointName } from '../contract/endpoints.ts'
import type { Service } from '../service/service.ts'

/** What one request, word for word, came to. */
export interface RecordedRequest {
  readonly endpoint: EndpointName
  readonly path: string
  readonly body: string
  /** How often it took effect. */
  applied: number
  /** How often it was sent again after it had taken effect, whatever the service said to that. */
  again: number
  /** The ids of what it made. */
  readonly ids: string[]
}

export interface Recording {
  /** By endpoint, path and body. */
  readonly effects: ReadonlyMap<string, RecordedRequest>
  /** How many requests that change something have arrived. */
  readonly arrivals: () => number
}

export interface RecordingOptions {
  /** Told the moment a request that changes something arrives, before anything is done about it. */
  readonly arrived?: (endpoint: EndpointName, id: string) => void
}

/** To be hired before the service listens. */
export function createRequestRecorder({ app }: Service) {
  let open:
    | { readonly effects: Map<string, RecordedRequest>; arrivals: number; readonly options: RecordingOptions }
    | undefined
  const handled = new WeakMap<FastifyRequest, RecordedRequest>()

  const applied = (request: FastifyRequest, payload: unknown) => {
    const effect = handled.get(request)
    if (effect === undefined) return
    handled.delete(request)
    effect.applied++
    const id = payload !== null && typeof payload === 'object' && 'id' in payload ? payload.id : undefined
    if (typeof id === 'number' || typeof id === 'string') effect.ids.push(String(id))
  }

  app.addHook('onRequest', async (request) => {
    const endpoint = findChangingEndpoint(request)
    if (open === undefined || endpoint === undefined) return
    open.arrivals++
    open.options.arrived?.(endpoint, (request.params as Record<string, string | undefined>)['id'] ?? '')
  })
  // What a fault strikes before its work does not come here.
  app.addHook('preHandler', async (request) => {
    const endpoint = findChangingEndpoint(request)
    if (open === undefined || endpoint === undefined) return
    const path = request.url
    const body = JSON.stringify(request.body ?? null)
    const key = `${endpoint} ${path} ${body}`
    const effect = open.effects.get(key) ?? { endpoint, path, body, applied: 0, again: 0, ids: [] }
    open.effects.set(key, effect)
    if (effect.applied > 0) effect.again++
    handled.set(request, effect)
  })
  // The answer as the handler gave it, before any fault that takes its place.
  app.addHook('preSerialization', async (request, reply, payload) => {
    if (reply.statusCode < 400) applied(request, payload)
    return payload
  })
  // An answer without a body does not come by there; of those, only what took effect can be struck by a fault.
  app.addHook('onSend', async (request, reply, payload) => {
    if (reply.statusCode < 400 || reply.statusCode >= 500) applied(request, undefined)
    return payload
  })

  return {
    /** Listens anew; what was heard before belongs to the watch before. */
    start(options: RecordingOptions = {}): Recording {
      const heard = { effects: new Map<string, RecordedRequest>(), arrivals: 0, options }
      open = heard
      return { effects: heard.effects, arrivals: () => heard.arrivals }
    },
    stop: () => {
      open = undefined
    },
  }
}

/** Undefined for reads, tokens and what is no endpoint of the API. */
function findChangingEndpoint(request: FastifyRequest): EndpointName | undefined {
  const { endpoint } = request.routeOptions.config
  if (endpoint === undefined || !Object.hasOwn(ENDPOINTS, endpoint)) return undefined
  const name = endpoint as EndpointName
  const { method, kind } = ENDPOINTS[name]
  return method === 'GET' || kind === 'token' ? undefined : name
}
