/** What a request came to, by the table of endings: whether sending again is safe. */
import { readApiErrors } from '../contract/api-errors.ts'
import type { CallResult } from '../domain/api.ts'
import { endingOf, ENDINGS } from './endings.ts'
import type { Again } from './retry.ts'
import { type Answer, type Exchange, headerOf } from './wire.ts'

/** A result as the client sees it: a readable answer brings the header that names the next page, or its file. */
export type Judged =
  | (Extract<CallResult, { certainty: 'answered' }> & {
      readonly link?: string
      readonly file?: AnsweredFile
    })
  | (Exclude<CallResult, { certainty: 'answered' }> & {
      /** Not even tried, because the host is left in peace; trying again now is of no use. */
      readonly resting?: true
    })

export interface AnsweredFile {
  readonly contentType: string
  readonly bytes: Uint8Array
}

export interface Judging {
  readonly method: string
  /** Ours, for a time to come back that is given as a date. */
  readonly now: number
  /** Whether a 503 that names a time to come back means that nothing was done; a gateway may say so after the work. */
  readonly trusts503: boolean
}

/** Of a request that is neither redirected nor about the account. */
export function judge(exchange: Exchange, { method, now, trusts503 }: Judging): Judged {
  const waitMs = waitOf(exchange, now)
  const toWait = waitMs !== undefined && trusts503 && !isWebPage(exchange)
  const ending = endingOf(exchange, { isList: false, toWait })
  if (exchange.ended !== 'answer') {
    const words = exchange.ended === 'nothing-sent' ? 'the request was not sent' : 'the answer was lost'
    const certainty = ENDINGS[ending].known === 'nothing-done' ? 'not-applied' : 'unknown'
    return { certainty, detail: `${words}: ${describeCause(exchange.cause)}` }
  }
  const { status } = exchange
  // A 401 that comes here is about the credentials that a token was asked for with: an answer like any other.
  if (ending === 'token-refused') return refused(exchange)
  switch (ENDINGS[ending].known) {
    case 'done':
      return judgeSuccess(method, exchange)
    case 'refused':
      return refused(exchange)
    case 'unknown':
      return { certainty: 'unknown', status, detail: describeAnswer(exchange) }
    case 'nothing-done': {
      const wait = waitMs === undefined ? {} : { retryAfterMs: waitMs }
      return { certainty: 'not-applied', status, detail: describeAnswer(exchange), ...wait }
    }
  }
}

/** A success whose body cannot be read is no proof of what it did. Spec: not shown, a PUT may answer without a body. */
function judgeSuccess(method: string, answer: Answer): Judged {
  const { status, text, whole, bytes } = answer
  if (!whole) return { certainty: 'unknown', status, detail: `HTTP ${status}, but the body was cut short` }
  if (bytes !== undefined) return judgeFile(answer, bytes)
  if (method === 'PUT' && text.trim() === '') return { certainty: 'answered', status, body: undefined, text }
  const body = parseJson(text)
  if (body === undefined) {
    return {
      certainty: 'unknown',
      status,
      detail: `HTTP ${status}, but the body is not JSON: ${shown(text)}`,
    }
  }
  const link = headerOf(answer, 'link')
  return link === undefined
    ? { certainty: 'answered', status, body, text }
    : { certainty: 'answered', status, body, text, link }
}

/** A web page instead of a file comes from a proxy or a login page, and not from the API. */
function judgeFile(answer: Answer, bytes: Uint8Array): Judged {
  const { status } = answer
  const contentType = headerOf(answer, 'content-type') ?? ''
  if (bytes.length === 0) {
    return { certainty: 'unknown', status, detail: `HTTP ${status}, but the file is empty` }
  }
  if (/^text\/html\b/i.test(contentType)) {
    return { certainty: 'unknown', status, detail: `HTTP ${status}, but it is a web page and no file` }
  }
  return { certainty: 'answered', status, body: undefined, text: '', file: { contentType, bytes } }
}

/** The status alone says that it was refused; of the body whatever came is for people. */
function refused({ status, text }: Answer): Judged {
  return { certainty: 'answered', status, body: parseJson(text), text }
}

/** A call that changes something is repeated only while nothing has changed. */
export function againWhenNotApplied(result: Judged): Again {
  return result.certainty === 'not-applied' ? waitAskedFor(result) : undefined
}

/** A read may be repeated whatever happened. */
export function againUnlessAnswered(result: Judged): Again {
  return result.certainty === 'answered' ? undefined : waitAskedFor(result)
}

function waitAskedFor(result: Judged): Again {
  if ('resting' in result) return undefined
  return 'retryAfterMs' in result && result.retryAfterMs !== undefined ? { afterMs: result.retryAfterMs } : {}
}

export function isSuccess(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300
}

/** `HTTP 400: quantity: This field is required.`: an answer in one line. */
export function describeAnswer({ status, text }: { readonly status: number; readonly text: string }): string {
  const errors = readApiErrors(parseJson(text), text)
  const lines = errors.slice(0, 3).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  return lines.length === 0 ? `HTTP ${status}` : `HTTP ${status}: ${lines.join('; ')}`
}

function shown(text: string): string {
  return readApiErrors(undefined, text)[0]?.message ?? 'it is empty'
}

function describeCause(cause: Error): string {
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
  if (cause.message === '') return code ?? cause.name
  return code === undefined || cause.message.includes(code) ? cause.message : `${cause.message} (${code})`
}

/** JSON, or undefined. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text)
  } catch {
    return undefined
  }
}

/** Of too many requests it makes no difference who says so; nothing was done. */
function isWebPage(exchange: Exchange): boolean {
  return exchange.ended === 'answer' && /^text\/html\b/i.test(headerOf(exchange, 'content-type') ?? '')
}

/** How long the answer asks to wait; undefined where it does not say, or where nobody is to come back. */
function waitOf(exchange: Exchange, now: number): number | undefined {
  if (exchange.ended !== 'answer') return undefined
  return exchange.status === 429 || exchange.status === 503 ? retryAfterMs(exchange, now) : undefined
}

/** Seconds, or a date, which is measured by the clock of the server that wrote it. */
function retryAfterMs(answer: Answer, now: number): number | undefined {
  const value = headerOf(answer, 'retry-after')?.trim()
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const until = Date.parse(value)
  if (Number.isNaN(until)) return undefined
  const theirs = Date.parse(headerOf(answer, 'date') ?? '')
  return Math.max(0, until - (Number.isNaN(theirs) ? now : theirs))
}
