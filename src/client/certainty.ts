/** Classifies how a request ended, and whether sending it again is safe: the table in `docs/certainty.md`. */
import { readApiErrors } from '../contract/api-errors.ts'
import type { CallResult } from '../domain/api.ts'
import type { RetryHint } from './retry.ts'
import { type Answer, type Exchange, getHeader } from './transport.ts'

// The table of all ways in which a request can end, and what the client may do then.

/**
 * The knowledge about a call after its request.
 * - `done`, `refused`: the API has answered.
 * - `nothing-done`: nothing was sent, or the API stated that it did not act.
 * - `unknown`: the API may have carried it out.
 */
export type Known = 'done' | 'refused' | 'nothing-done' | 'unknown'

interface RequestEnding {
  /** What happened, for people. */
  readonly when: string
  /** Its statuses; absent without an answer, or for an unusable answer. */
  readonly status?: { readonly from: number; readonly to: number }
  /** Only for an answer with `Retry-After`. */
  readonly whenAskedToWait?: true
  /** Only for a list: for a record the answer may be about the record, for a list only about the account. */
  readonly ofList?: true
  readonly known: Known
  /** A special reaction that does not follow from `known`. */
  readonly but?: 'one-renewal' | 'credentials-refused' | 'api-redirected'
}

/** Decided by where the failure happened, never by the text of a message. The first row that fits a status counts. */
export const REQUEST_ENDINGS = {
  done: {
    when: 'Success, with a body that can be read; of an acknowledge also without one',
    status: { from: 200, to: 299 },
    known: 'done',
  },
  'never-connected': {
    when: 'No connection came about (refused, no such host, no encryption, too slow), or the bridge took the request back before a byte of it left',
    known: 'nothing-done',
  },
  'token-refused': {
    when: 'The token is refused',
    status: { from: 401, to: 401 },
    known: 'nothing-done',
    but: 'one-renewal',
  },
  'account-refused': {
    when: 'The account may not see a list of the party',
    status: { from: 403, to: 403 },
    ofList: true,
    known: 'nothing-done',
    but: 'credentials-refused',
  },
  // These two redirect the same call to another address, so this one did not carry it out.
  redirected: {
    when: 'The call belongs to another address',
    status: { from: 307, to: 308 },
    known: 'nothing-done',
    but: 'api-redirected',
  },
  // Servers answer so after the work too: an accepted form leads to the next page, an expired session to the login.
  'sent-elsewhere': {
    when: 'Another redirect, in answer to a call that changes something; in answer to a read it counts as the one above',
    status: { from: 300, to: 399 },
    known: 'unknown',
  },
  'slowed-down': { when: 'Too many requests', status: { from: 429, to: 429 }, known: 'nothing-done' },
  'asked-to-wait': {
    when: 'The API is away and says when to come back (`Retry-After`). Gateways say so after the work too: a web page never counts, and in answer to a create it counts only with `api.trust503`',
    status: { from: 503, to: 503 },
    whenAskedToWait: true,
    known: 'nothing-done',
  },
  'never-answered': {
    when: 'The request may have left, and no status came back: the connection broke, or the deadline passed',
    known: 'unknown',
  },
  // The server reports that it gave up reading; a proxy reports the same when the API behind it is slow.
  'gave-up-reading': {
    when: 'The API, or a proxy before it, gave up waiting for the request',
    status: { from: 408, to: 408 },
    known: 'unknown',
  },
  // 500 may come after the commit; 502, 503 and 504 may come from a gateway whose API continues to work.
  failed: { when: 'The API or a gateway failed', status: { from: 500, to: 599 }, known: 'unknown' },
  unreadable: {
    when: 'A success whose body cannot be read: cut short, no JSON, a web page',
    known: 'unknown',
  },
  refused: { when: 'The API refuses it', status: { from: 400, to: 499 }, known: 'refused' },
} as const satisfies Record<string, RequestEnding>

export type EndingName = keyof typeof REQUEST_ENDINGS

/** `hasRetryAfter`: whether the answer has `Retry-After`. */
type EndingContext = Readonly<Record<'isList' | 'hasRetryAfter', boolean>>

/** Finds how an exchange ended, as far as its status shows. */
export function findEnding(exchange: Exchange, asked: EndingContext): EndingName {
  if (exchange.ended !== 'answer') {
    return exchange.ended === 'nothing-sent' ? 'never-connected' : 'never-answered'
  }
  const { status } = exchange
  return ENDINGS_IN_ORDER.find(([, ending]) => matchesEnding(ending, status, asked))?.[0] ?? 'failed'
}

const ENDINGS_IN_ORDER = Object.entries(REQUEST_ENDINGS) as [EndingName, RequestEnding][]

function matchesEnding(
  { status: range, whenAskedToWait, ofList }: RequestEnding,
  status: number,
  asked: EndingContext,
): boolean {
  if (range === undefined || status < range.from || status > range.to) return false
  return (asked.hasRetryAfter || whenAskedToWait !== true) && (asked.isList || ofList !== true)
}

/** A result within the client: a readable answer comes with the header that names the next page, or with its file. */
export type ClientResult =
  | (Extract<CallResult, { certainty: 'answered' }> & {
      readonly link?: string
      readonly file?: { readonly contentType: string; readonly bytes: Uint8Array }
    })
  | (Exclude<CallResult, { certainty: 'answered' }> & {
      /** Not tried, because the host is paused; trying again now is useless. */
      readonly resting?: true
    })

/** `now`: the bridge's time, for a date in `Retry-After`. `trusts503`: a 503 with `Retry-After` means that nothing was done. */
export function classifyExchange(
  exchange: Exchange,
  { method, now, trusts503 }: { method: string; now: number; trusts503: boolean },
): ClientResult {
  const waitMs = getRetryAfter(exchange, now)
  const hasRetryAfter = waitMs !== undefined && trusts503 && !isWebPage(exchange)
  const ending = findEnding(exchange, { isList: false, hasRetryAfter })
  if (exchange.ended !== 'answer') {
    const outcome = exchange.ended === 'nothing-sent' ? 'the request was not sent' : 'the answer was lost'
    const certainty = REQUEST_ENDINGS[ending].known === 'nothing-done' ? 'not-applied' : 'unknown'
    return { certainty, detail: `${outcome}: ${describeCause(exchange.cause)}` }
  }
  const { status } = exchange
  // A 401 here answers a token request and concerns its credentials: an answer like any other.
  if (ending === 'token-refused') return toRefused(exchange)
  switch (REQUEST_ENDINGS[ending].known) {
    case 'done':
      return classifySuccess(method, exchange)
    case 'refused':
      return toRefused(exchange)
    case 'unknown':
      return { certainty: 'unknown', status, detail: describeAnswer(exchange) }
    case 'nothing-done': {
      const wait = waitMs !== undefined && { retryAfterMs: waitMs }
      return { certainty: 'not-applied', status, detail: describeAnswer(exchange), ...wait }
    }
  }
}

/** A success with an unreadable body does not prove its effect. Spec: not shown, a PUT may answer without a body. */
function classifySuccess(method: string, answer: Answer): ClientResult {
  const { status, text, whole, bytes } = answer
  if (!whole) return { certainty: 'unknown', status, detail: `HTTP ${status}, but the body was cut short` }
  if (bytes !== undefined) return classifyFile(answer, bytes)
  if (method === 'PUT' && text.trim() === '') return { certainty: 'answered', status, body: undefined, text }
  const body = parseJson(text)
  if (body === undefined) {
    const shown = readApiErrors(undefined, text)[0]?.message ?? 'it is empty'
    const detail = `HTTP ${status}, but the body is not JSON: ${shown}`
    return { certainty: 'unknown', status, detail }
  }
  const link = getHeader(answer, 'link')
  return link === undefined
    ? { certainty: 'answered', status, body, text }
    : { certainty: 'answered', status, body, text, link }
}

/** A web page instead of a file comes from a proxy or a login page, and not from the API. */
function classifyFile(answer: Answer, bytes: Uint8Array): ClientResult {
  const { status } = answer
  const contentType = getHeader(answer, 'content-type') ?? ''
  if (bytes.length === 0) {
    return { certainty: 'unknown', status, detail: `HTTP ${status}, but the file is empty` }
  }
  if (/^text\/html\b/i.test(contentType)) {
    return { certainty: 'unknown', status, detail: `HTTP ${status}, but it is a web page and no file` }
  }
  return { certainty: 'answered', status, body: undefined, text: '', file: { contentType, bytes } }
}

/** The status alone shows the refusal; the body, even a partial one, is for people. */
function toRefused({ status, text }: Answer): ClientResult {
  return { certainty: 'answered', status, body: parseJson(text), text }
}

/** Repeats a call that changes something only while it had no effect. */
export function retryIfNotApplied(result: ClientResult): RetryHint {
  return result.certainty === 'not-applied' ? toRetryHint(result) : undefined
}

/** Repeats a read after every kind of failure. */
export function retryUnlessAnswered(result: ClientResult): RetryHint {
  return result.certainty === 'answered' ? undefined : toRetryHint(result)
}

function toRetryHint(result: ClientResult): RetryHint {
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

/** JSON, or undefined. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text)
  } catch {
    return undefined
  }
}

/** Whether a web page answered. For too many requests it does not matter: nothing was done. */
export function isWebPage(exchange: Exchange): boolean {
  return exchange.ended === 'answer' && /^text\/html\b/i.test(getHeader(exchange, 'content-type') ?? '')
}

/** Gateways of the API itself answer with a web page too, while it is away. */
const GATEWAY_STATUSES: readonly number[] = [429, 502, 503, 504]

/** Whether a web page answered that is no gateway's: the address may be that of another server. */
export function isOtherServer(exchange: Exchange): exchange is Answer {
  return isWebPage(exchange) && exchange.ended === 'answer' && !GATEWAY_STATUSES.includes(exchange.status)
}

/** Returns how long the answer asks to wait; undefined without `Retry-After`, or for an answer that has no retry. */
function getRetryAfter(exchange: Exchange, now: number): number | undefined {
  if (exchange.ended !== 'answer') return undefined
  return exchange.status === 429 || exchange.status === 503 ? parseRetryAfter(exchange, now) : undefined
}

/** Seconds, or a date, which is measured by the clock of the server that wrote it. */
function parseRetryAfter(answer: Answer, now: number): number | undefined {
  const value = getHeader(answer, 'retry-after')?.trim()
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const until = Date.parse(value)
  if (Number.isNaN(until)) return undefined
  const serverTime = Date.parse(getHeader(answer, 'date') ?? '')
  return Math.max(0, until - (Number.isNaN(serverTime) ? now : serverTime))
}

// What to do when no connection comes about: by the system's or the TLS library's code of the cause.

/** The first row whose pattern fits the code counts. A fix has at most 100 characters. */
const CONNECTION_FIXES: readonly { readonly codes: RegExp; readonly fix: string }[] = [
  {
    codes: /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/,
    fix: 'The server speaks http at this port: write http://, or the port of https, in api.baseUrl.',
  },
  {
    codes: /^(ENOTFOUND|EAI_AGAIN|EAI_NONAME)$/,
    fix: 'Check the host name in api.baseUrl, and whether this machine can resolve it.',
  },
  {
    codes: /^ECONNREFUSED$/,
    fix: 'Nothing listens there: start the API, or correct api.baseUrl; then run again, nothing is lost.',
  },
  {
    codes: /^(EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/,
    fix: 'Check host and port in api.baseUrl. If they are right, run again later; nothing is lost.',
  },
  {
    codes: /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/,
    fix: 'Start with NODE_EXTRA_CA_CERTS=FILE, where FILE has the certificate of its authority.',
  },
  {
    codes: /^(ERR_TLS_CERT_ALTNAME_INVALID|CERT_\w+)$/,
    fix: 'Check the host name in api.baseUrl, and ask the operator of the API for its certificate.',
  },
]

const TIMEOUT_FIX = 'Run again later; nothing is lost. If the API is always so slow, raise api.timeout.'

/** An https port gives a request without TLS no answer, or one that is not HTTP. */
const CLOSED_WITHOUT_TLS = /^(UND_ERR_SOCKET|ECONNRESET|HPE_\w+)$/

/**
 * The fix for a connection that failed, undefined where nothing better is known than to run again later.
 * `isPlain`: the address begins with http://.
 */
export function findConnectionFix(cause: Error, { isPlain }: { isPlain: boolean }): string | undefined {
  if (cause.message.includes('api.timeout')) return TIMEOUT_FIX
  const code = getCode(cause)
  if (code === undefined) return undefined
  if (isPlain && CLOSED_WITHOUT_TLS.test(code)) {
    return 'If the API speaks https, write https:// in api.baseUrl; else run again later.'
  }
  return CONNECTION_FIXES.find(({ codes }) => codes.test(code))?.fix
}

/** The cause in one line, with its code. OpenSSL's own message is a line of its source; its reason says the same. */
export function describeCause(cause: Error): string {
  const code = getCode(cause)
  const text = code?.startsWith('ERR_SSL_') && 'reason' in cause ? String(cause.reason) : cause.message
  if (text === '') return code ?? cause.name
  return code === undefined || text.includes(code) ? text : `${text} (${code})`
}

function getCode(cause: Error): string | undefined {
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
}
