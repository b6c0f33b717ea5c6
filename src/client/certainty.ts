/** What is known after a request ended: the one table that decides whether sending again is safe. */
import { readApiErrors } from '../contract/api-errors.ts'
import type { CallResult } from '../domain/api.ts'
import type { Again } from './retry.ts'
import { type Answer, type Exchange, headerOf } from './wire.ts'

type Certainty = CallResult['certainty']

/** A result as the client sees it: a readable answer brings the header that names the next page, or its file. */
export type Judged =
  | (Extract<CallResult, { certainty: 'answered' }> & {
      readonly link?: string
      readonly file?: AnsweredFile
    })
  | Exclude<CallResult, { certainty: 'answered' }>

export interface AnsweredFile {
  readonly contentType: string
  readonly bytes: Uint8Array
}

/** Without a status. */
const BY_ENDING = {
  'nothing-sent': { certainty: 'not-applied', words: 'nothing was sent' },
  'no-answer': { certainty: 'unknown', words: 'the answer was lost' },
} as const satisfies Record<Exclude<Exchange['ended'], 'answer'>, { certainty: Certainty; words: string }>

interface StatusMeaning {
  readonly from: number
  readonly to: number
  /** Only when the answer names a time to come back. */
  readonly whenAskedToWait?: true
  readonly certainty: Certainty
}

/** With a status: the first row that fits counts. Redirects, 401 and a list's 403 do not come here. */
const BY_STATUS: readonly StatusMeaning[] = [
  { from: 200, to: 299, certainty: 'answered' },
  // the server gave up reading, or so it says; a proxy says it too when the API behind it was slow
  { from: 408, to: 408, certainty: 'unknown' },
  { from: 429, to: 429, certainty: 'not-applied' },
  { from: 400, to: 499, certainty: 'answered' },
  { from: 503, to: 503, whenAskedToWait: true, certainty: 'not-applied' },
  // 500 may come after the commit; 502, 503 and 504 may come from a gateway whose API went on working
  { from: 500, to: 599, certainty: 'unknown' },
]

/** `now` is ours, for a time to come back that is given as a date. */
export function judge(method: string, exchange: Exchange, now: number): Judged {
  if (exchange.ended !== 'answer') {
    const { certainty, words } = BY_ENDING[exchange.ended]
    return { certainty, detail: `${words}: ${describeCause(exchange.cause)}` }
  }
  const { status } = exchange
  const waitMs = status === 429 || status === 503 ? retryAfterMs(exchange, now) : undefined
  const certainty = meaningOf(status, waitMs !== undefined)
  switch (certainty) {
    case 'answered':
      return status < 300 ? judgeSuccess(method, exchange) : refused(exchange)
    case 'not-applied':
      return {
        certainty,
        status,
        detail: describeAnswer(exchange),
        ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
      }
    case 'unknown':
      return { certainty, status, detail: describeAnswer(exchange) }
  }
}

function meaningOf(status: number, askedToWait: boolean): Certainty {
  const meaning = BY_STATUS.find(
    ({ from, to, whenAskedToWait }) => status >= from && status <= to && (askedToWait || !whenAskedToWait),
  )
  return meaning?.certainty ?? 'unknown'
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
