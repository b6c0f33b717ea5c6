/** The API as the pipelines see it. */
import type { Renewal } from '../support/clock.ts'

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
 * - `answered`: the API gave a readable answer; its status separates success (2xx) from refusal (4xx).
 * - `not-applied`: nothing was sent, or the API stated that it did not act; sending again is safe.
 * - `unknown`: the request may have been processed; only a lookup can show.
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

/** The right to send. A process that wakes up late must not send a record that another may be sending. */
export interface LeaseCheck {
  /** Called at the moment the request is written; with false, no byte of it is sent. */
  isValid(): boolean
  /** What `isValid` compares, for a thread that cannot call it. */
  readonly renewal?: Renewal
  /** Called before an attempt without a valid lease. An error ends the call before the attempt sends anything. */
  renew(): Promise<void>
}

/** One resource as the API shows it: unknown keys kept, nothing assumed but that it is an object. */
export type Resource = Readonly<Record<string, unknown>>

/** A file of the API, such as a label; or its refusal, in its own text. */
export type DocumentAnswer =
  | { readonly made: true; readonly contentType: string; readonly bytes: Uint8Array }
  | { readonly made: false; readonly status: number; readonly detail: string }

/**
 * Throws `credentials-refused` (401 after a renewed token, 403 on a list; on a record, 403 may be about the record),
 * `api-redirected`, and for reads that fail for good `api-unreachable` or `api-answer-unusable`.
 */
export interface Api {
  /**
   * A call that changes something. Retried only while nothing was applied, within the client's own bounds. Also
   * `not-applied` when there was no token. Each attempt is sent only while the permit is valid.
   */
  send(call: Call, permit?: LeaseCheck): Promise<CallResult>
  /** One resource; undefined when the API answers 404. Retried on every temporary failure. */
  get(call: Call): Promise<Resource | undefined>
  /** A file, whole in memory and of bounded size. Retried on every temporary failure; a refusal is an answer. */
  document(call: Call): Promise<DocumentAnswer>
  /**
   * Pages of a list, first to last, each resource once. Retried on every temporary failure. An endless list fails with
   * `api-answer-unusable` rather than ending early: a missing resource could look like proven absent.
   */
  list(call: Call): AsyncIterable<readonly Resource[]>
  /**
   * How many calls more than there are connections may be under way, so that the next one is there when a connection is free. They
   * wait in the client, and the lease is asked for when they leave. None when left out.
   */
  spareCalls?(): number
  /** How far the API's clock is ahead of the bridge's, in milliseconds, by its latest answer; 0 before the first. */
  clockOffsetMs(): number
  close(): Promise<void>
}
