/** What a handler is, and how one that takes a body gets a right one. */
import type { z } from 'zod'
import type { Answer } from './answer.ts'
import type { ListCall } from './lists.ts'
import type { Normalise } from './normalise.ts'
import { validated } from './validation.ts'

/** A request that may be served: the caller owns the party of the path. */
export interface ServiceCall extends ListCall {
  readonly account: number
  /** The retailer's or brand's id in the path; 0 where there is none. */
  readonly party: number
  /** The resource's id in the path; 0 where there is none. */
  readonly id: number
  /** The text `{name}` in the path of an administration endpoint; empty where there is none. */
  readonly name: string
  readonly body: unknown
  /** Whether the token has the scope `write`. */
  readonly mayWrite: boolean
}

/** Runs from start to end with nobody in between. */
export type Handler = (call: ServiceCall) => Answer

/** What a route calls: what it changes is on the disk when the promise resolves. */
export type QueuedHandler = (call: ServiceCall) => Answer | Promise<Answer>

/** A body that is right is handed to the rules; no body at all is a body without fields. */
export function takes<Schema extends z.ZodType>(
  schema: Schema,
  handle: (party: number, body: z.output<Schema>, id: number) => Answer,
  normalise: Normalise = (body) => body,
): Handler {
  return ({ party, body, id }) => {
    const checked = validated(schema, normalise(body ?? {}))
    return 'refusal' in checked ? checked.refusal : handle(party, checked.value, id)
  }
}
