/** Notices by HTTP: posted as JSON, signed where a secret is set. */
import { createHmac } from 'node:crypto'
import { Agent, request } from 'undici'
import type { Message, Notifier } from '../domain/notice.ts'
import type { Clock } from '../support/clock.ts'
import { deadlineAfter } from '../support/deadline.ts'

export interface WebhookOptions {
  readonly url: string
  readonly secret?: string
  /** Of each try. */
  readonly timeoutMs: number
  readonly version: string
  readonly clock: Clock
}

/** The waits between tries. */
const WAITS_MS = [1000, 4000]

export function webhookNotifier(options: WebhookOptions): Notifier {
  return {
    async send(message, signal, { once } = { once: false }) {
      const body = JSON.stringify({
        id: message.id,
        subject: message.subject,
        text: message.text,
        digest: message.data,
      })
      // Of its own: the connection must not outlive the notice.
      const dispatcher = new Agent({ connections: 1, pipelining: 1 })
      try {
        await tryAll(options, message, { body, dispatcher, signal, waits: once ? [] : WAITS_MS })
      } finally {
        await dispatcher.destroy()
      }
    },
  }
}

interface Posting {
  readonly body: string
  readonly dispatcher: Agent
  readonly signal: AbortSignal
  /** Between tries; one more than these are made. */
  readonly waits: readonly number[]
}

async function tryAll(options: WebhookOptions, { id }: Message, posting: Posting): Promise<void> {
  for (const wait of [...posting.waits, undefined]) {
    const failure = await tryOnce(options, id, posting)
    if (failure === undefined) return
    if (wait === undefined || !failure.mayPass) throw new Error(failure.why)
    await options.clock.sleep(wait, posting.signal)
  }
}

interface Failure {
  readonly why: string
  /** Whether another try may go better. */
  readonly mayPass: boolean
}

async function tryOnce(
  options: WebhookOptions,
  id: string,
  { body, dispatcher, signal }: Posting,
): Promise<Failure | undefined> {
  const { url, secret, timeoutMs, version } = options
  const { host } = new URL(url)
  const deadline = deadlineAfter(timeoutMs, signal)
  try {
    const answer = await request(url, {
      method: 'POST',
      dispatcher,
      body,
      signal: deadline.signal,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': `dropbridge/${version}`,
        'dropbridge-notice': id,
        ...(secret === undefined ? {} : { 'dropbridge-signature': `sha256=${signatureOf(body, secret)}` }),
      },
    })
    await answer.body.dump({ limit: 64 * 1024 })
    return failureOf(answer.statusCode, host)
  } catch (error) {
    // The address may hold a secret in its path, so only the host is told.
    const why = deadline.isOver() ? `the time of ${timeoutMs / 1000} seconds was over` : reasonOf(error)
    return { why: `${host} gave no answer: ${why}`, mayPass: !signal.aborted }
  } finally {
    deadline.end()
  }
}

function failureOf(status: number, host: string): Failure | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status >= 300 && status < 400) {
    return { why: `${host} answered with a redirect (HTTP ${status}), which is not followed`, mayPass: false }
  }
  return {
    why: `${host} answered with HTTP ${status}`,
    mayPass: status >= 500 || status === 429 || status === 408,
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'AbortError') return 'the program was asked to stop'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}

function signatureOf(body: string, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex')
}
