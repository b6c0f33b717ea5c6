/** When the API says a resource was made: what is older than the attempt is not what the attempt made. */
import type { Api, Resource } from '../../domain/api.ts'
import type { SentRecord } from './operation.ts'

/** How far a time of the API may be off: our clock may have been wrong when the record was sent, and right now. */
export const CLOCK_MARGIN_MS = 24 * 60 * 60 * 1000

/**
 * The fields that the API sets itself when a resource is made; the first that shows a time counts. Times that its sender
 * may set, such as `ordered_at` and `shipped_at`, tell nothing.
 */
export type MadeFields = readonly string[]

/** In words, that it was made before the record was sent; undefined where it was not, or shows no such time. */
export function madeBefore(
  api: Pick<Api, 'clockOffsetMs'>,
  { sentAt }: Pick<SentRecord, 'sentAt'>,
  resource: Resource,
  fields: MadeFields,
): string | undefined {
  const [made] = fields.map((field) => timeIn(resource[field])).filter((time) => time !== undefined)
  if (made === undefined || made >= sentAt + api.clockOffsetMs() - CLOCK_MARGIN_MS) return undefined
  return `was made ${new Date(made).toISOString()}, before this was sent`
}

/** Milliseconds; undefined for what is no time. */
export function timeIn(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : NaN
  return Number.isNaN(time) ? undefined : time
}
