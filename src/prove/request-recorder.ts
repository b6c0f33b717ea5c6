/** Records the requests that reach the service and those that took effect, whatever became of the answers. */
import type { FastifyRequest } from 'fastify'
import { ENDPOINTS, type EndpointName } from '../contract/endpoints.ts'
import type { Service } from '../service/service.ts'

/** One request, word for word, and its effects. */
export interface RecordedRequest {
  readonly endpoint: EndpointName
  readonly path: string
  readonly body: string
  /** How often it took effect. */
  applied: number
  /** How often it was sent again after it had taken effect, whatever the service said to that. */
  again: number
  /** The ids of the resources that it created. */
  readonly ids: string[]
}

export interface Recording {
  /** By endpoint, path and body. */
  readonly effects: ReadonlyMap<string, RecordedRequest>
  /** How many requests that change something have arrived. */
  readonly arrivals: () => number
}

export interface RecordingOptions {
  /** Called when a request that changes something arrives, before the service acts on it. */
  readonly arrived?: (endpoint: EndpointName, id: string) => void
}

/** Must be called before the service listens. */
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
  // A request that a fault ends before its work does not reach this hook.
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
  // An answer without a body skips the hook above; of those, faults strike only requests that took effect.
  app.addHook('onSend', async (request, reply, payload) => {
    if (reply.statusCode < 400 || reply.statusCode >= 500) applied(request, undefined)
    return payload
  })

  return {
    /** Starts a new recording; earlier requests belong to the earlier one. */
    start(options: RecordingOptions = {}): Recording {
      const recording = { effects: new Map<string, RecordedRequest>(), arrivals: 0, options }
      open = recording
      return { effects: recording.effects, arrivals: () => recording.arrivals }
    },
    stop: () => {
      open = undefined
    },
  }
}

/** Undefined for reads, tokens and paths that are no endpoint of the API. */
function findChangingEndpoint(request: FastifyRequest): EndpointName | undefined {
  const { endpoint } = request.routeOptions.config
  if (endpoint === undefined || !Object.hasOwn(ENDPOINTS, endpoint)) return undefined
  const name = endpoint as EndpointName
  const { method, kind } = ENDPOINTS[name]
  return method === 'GET' || kind === 'token' ? undefined : name
}
