/** The API as the pipelines see it. */

/** A call by the name of its endpoint in the contract. */
export interface Call {
  readonly endpoint: string
  /** Values for the placeholders of the path, such as `retailer_id`. */
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, string | number | boolean | readonly (string | number)[]>>
  /** JSON text of the body, made once and sent as it is. */
  readonly body?: string
}

/**
 * What is known after a call that changes something. Decided by where the failure happened, never by message text.
 * - `answered`: the API gave a readable answer; the status says what it means (2xx done, 4xx refused).
 * - `not-applied`: nothing was sent, or the API said that it did not act; sending again is safe.
 * - `unknown`: the request may have been processed; only looking it up can tell.
 */
export type CallResult =
  | { readonly certainty: 'answered'; readonly status: number; readonly body: unknown; readonly text: string }
  | {
      readonly certainty: 'not-applied'
      readonly status?: number
      readonly detail: string
      readonly retryAfterMs?: number
      /** What to do, where more is known than to try again later. */
      readonly fix?: string
    }
  | { readonly certainty: 'unknown'; readonly status?: number; readonly detail: string }

/** The right to send. A process that was stopped and wakes up late must not send what another may be sending. */
export interface LeaseCheck {
  /** Asked at the moment the request is written: with false, nothing of it leaves. */
  isValid(): boolean
  /** Asked before an attempt when it does not hold any more. What it throws ends the call, with nothing sent by this attempt. */
  renew(): Promise<void>
}

/** One resource as the API shows it: unknown keys kept, nothing assumed but that it is an object. */
export type Resource = Readonly<Record<string, unknown>>

/** A file the API makes, such as a label; or that it makes none, in its own words. */
export type DocumentAnswer =
  | { readonly made: true; readonly contentType: string; readonly bytes: Uint8Array }
  | { readonly made: false; readonly status: number; readonly detail: string }

/**
 * Throws `credentials-refused` (401 after a renewed token, 403 on a list: on a record it may be about the record), `api-redirected`, and for reads that fail for good
 * `api-unreachable` or `api-answer-unusable`.
 */
export interface Api {
  /**
   * A call that changes something. Retried only while nothing was applied, within the client's own bounds. Also
   * `not-applied` when no token could be had. Each attempt leaves only while the permit holds.
   */
  send(call: Call, permit?: LeaseCheck): Promise<CallResult>
  /** One resource; undefined when the API answers 404. Retried on anything that passes. */
  get(call: Call): Promise<Resource | undefined>
  /** A file, whole in memory and of bounded size. Retried on anything that passes; a refusal is an answer. */
  document(call: Call): Promise<DocumentAnswer>
  /**
   * Pages of a list, first to last, each resource once. Retried on anything that passes. A list without end fails with
   * `api-answer-unusable` rather than ending early: what is missing could look like proven absent.
   */
  list(call: Call): AsyncIterable<readonly Resource[]>
  /** How far the API's clock is ahead of ours, in milliseconds, from its latest answer; 0 until there is one. */
  clockOffsetMs(): number
  close(): Promise<void>
}
