/** Notifiers send a message by mail, webhook or command, as the configuration names them. */
import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import type { request } from 'undici'
import type { NotificationConfiguration } from '../../config/notifications.ts'
import type { Message, Notifier } from '../../domain/notification.ts'
import { startDeadline } from '../../support/async.ts'
import type { Clock } from '../../support/clock.ts'
import { maskSecrets } from '../../support/process.ts'

/** The settings of one way to send; when and of what to notify is decided before. */
type OptionsOf<Type extends NotificationConfiguration['type']> = Omit<
  Extract<NotificationConfiguration, { type: Type }>,
  'type' | 'name' | 'on' | 'routes' | 'everyMs'
>

export function createNotifier(
  options: NotificationConfiguration,
  given: { readonly clock: Clock; readonly version: string },
): Notifier {
  switch (options.type) {
    case 'mail':
      return createMailNotifier(options)
    case 'webhook':
      return createWebhookNotifier({ ...options, ...given })
    case 'command':
      return createCommandNotifier(options)
  }
}

// Mail, over SMTP.

export type MailOptions = OptionsOf<'mail'>

export function createMailNotifier(options: MailOptions): Notifier {
  return {
    async send(message, signal) {
      // Loaded on demand: most commands send no mail.
      const { createTransport } = await import('nodemailer')
      const transport = createTransport(buildTransportOptions(options))
      const deadline = startDeadline(options.timeoutMs, signal)
      try {
        await transport.sendMail({ ...buildMail(message, options), signal: deadline.signal })
      } catch (error) {
        if (signal.aborted) throw new Error('the program was asked to stop', { cause: error })
        if (deadline.isOver()) {
          throw new Error(`no answer within ${options.timeoutMs / 1000} seconds`, { cause: error })
        }
        throw error
      } finally {
        deadline.clear()
        transport.close()
      }
    },
  }
}

/** The library's limits on parts of a sending end later than the limit on the whole, whose message says how long it was. */
const LIBRARY_TIMEOUT_FACTOR = 2

function buildTransportOptions({ smtp, timeoutMs }: MailOptions) {
  const { host, port, security, login } = smtp
  return {
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    connectionTimeout: LIBRARY_TIMEOUT_FACTOR * timeoutMs,
    greetingTimeout: LIBRARY_TIMEOUT_FACTOR * timeoutMs,
    socketTimeout: LIBRARY_TIMEOUT_FACTOR * timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(login === undefined ? {} : { auth: { user: login.username, pass: login.password } }),
  }
}

/** A repeated message has the same Message-ID, so that mail programs show it once. */
function buildMail({ id, subject, text }: Message, options: MailOptions) {
  const domain = options.from.slice(options.from.lastIndexOf('@') + 1)
  return {
    from: options.from,
    to: [...options.to],
    subject: `${options.subject}: ${subject}`,
    text,
    messageId: `<${id}.dropbridge@${domain}>`,
    // Keeps automatic programs from answering.
    headers: { 'Auto-Submitted': 'auto-generated', 'Dropbridge-Notification': id },
  }
}

// Webhook: posted as JSON, signed where a secret is set.

interface WebhookOptions extends OptionsOf<'webhook'> {
  readonly version: string
  readonly clock: Clock
}

/** The waits between tries. */
const RETRY_WAITS_MS = [1000, 4000]

export function createWebhookNotifier(options: WebhookOptions): Notifier {
  return {
    async send({ id, subject, text, data }, signal, { once } = { once: false }) {
      const body = JSON.stringify({ id, subject, text, digest: data })
      const { Agent, request } = await import('undici')
      // A connection of its own, which must not outlive the notification.
      const dispatcher = new Agent({ connections: 1, pipelining: 1 })
      try {
        for (const wait of [...(once ? [] : RETRY_WAITS_MS), undefined]) {
          const failure = await postOnce(options, {
            id,
            body,
            signal,
            post: (url, sent) => request(url, { ...sent, dispatcher }),
          })
          if (failure === undefined) return
          if (wait === undefined || !failure.isTransient) throw new Error(failure.why)
          await options.clock.sleep(wait, signal)
        }
      } finally {
        await dispatcher.destroy()
      }
    },
  }
}

interface PostFailure {
  readonly why: string
  /** Whether another try may succeed. */
  readonly isTransient: boolean
}

interface Posting {
  readonly id: string
  readonly body: string
  readonly signal: AbortSignal
  readonly post: typeof request
}

async function postOnce(
  { url, secret, timeoutMs, version }: WebhookOptions,
  { id, body, signal, post }: Posting,
): Promise<PostFailure | undefined> {
  const { host } = new URL(url)
  const deadline = startDeadline(timeoutMs, signal)
  try {
    const answer = await post(url, {
      method: 'POST',
      body,
      signal: deadline.signal,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': `dropbridge/${version}`,
        'dropbridge-notification': id,
        ...(secret !== undefined && {
          'dropbridge-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
        }),
      },
    })
    await answer.body.dump({ limit: 64 * 1024 })
    return classifyStatus(answer.statusCode, host)
  } catch (error) {
    // The address may hold a secret in its path, so only the host is reported.
    const why = deadline.isOver() ? `the time of ${timeoutMs / 1000} seconds was over` : describeError(error)
    return { why: `${host} gave no answer: ${why}`, isTransient: !signal.aborted }
  } finally {
    deadline.clear()
  }
}

function classifyStatus(status: number, host: string): PostFailure | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status >= 300 && status < 400) {
    const why = `${host} answered with a redirect (HTTP ${status}), which is not followed`
    return { why, isTransient: false }
  }
  const isTransient = status >= 500 || status === 429 || status === 408
  return { why: `${host} answered with HTTP ${status}`, isTransient }
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'AbortError') return 'the program was asked to stop'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}

// Command: a program of the user, started without a shell, with the notification as JSON on its input.

/** How much of its stderr is reported. */
const COMPLAINT_MAX = 500

/** How much of its stderr is searched for secrets. */
const COMPLAINT_READ = 8 * COMPLAINT_MAX

/** The time between asking it to end and ending it. */
const KILL_GRACE_MS = 2000

/** The time for output right before it ended. */
const STDERR_GRACE_MS = 300

export function createCommandNotifier(options: OptionsOf<'command'>): Notifier {
  return {
    send: ({ id, subject, text, data }, signal) =>
      runCommand(options, JSON.stringify({ id, subject, text, digest: data }), signal),
  }
}

function runCommand(
  { command, args, folder, timeoutMs }: OptionsOf<'command'>,
  input: string,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], {
      cwd: folder,
      stdio: ['pipe', 'ignore', 'pipe'],
      windowsHide: true,
    })
    const timers: NodeJS.Timeout[] = []
    let complaint = ''
    let isLate = false
    const late = () => {
      isLate = true
      child.kill('SIGTERM')
      timers.push(setTimeout(() => child.kill('SIGKILL'), KILL_GRACE_MS))
    }
    const end = (code: number | null, killed: NodeJS.Signals | null) => {
      signal.removeEventListener('abort', late)
      for (const timer of timers) clearTimeout(timer)
      child.stderr.destroy()
      const why = signal.aborted ? 'was asked to stop' : `took longer than ${timeoutMs / 1000} seconds`
      const ended = code === null ? `was ended by ${killed ?? 'a signal'}` : `ended with exit code ${code}`
      const how = isLate ? why : ended
      if (code === 0) resolve()
      else reject(new Error(`${command} ${how}${formatComplaint(complaint)}`))
    }
    timers.push(setTimeout(late, timeoutMs))
    signal.addEventListener('abort', late)
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(0, COMPLAINT_READ)
    })
    child.on('error', (error) => {
      signal.removeEventListener('abort', late)
      for (const timer of timers) clearTimeout(timer)
      reject(new Error(`${command} cannot be started: ${error.message}`, { cause: error }))
    })
    child.on('close', end)
    // A background process that it left running may hold its pipes open for ever.
    child.on('exit', (code, killed) => timers.push(setTimeout(() => end(code, killed), STDERR_GRACE_MS)))
    // A program that reads nothing of its input is no failure.
    child.stdin.on('error', () => undefined)
    child.stdin.end(`${input}\n`)
  })
}

/** In one line. A script that shows what it runs shows its secrets too, and a cut may leave half of a secret. */
function formatComplaint(complaint: string): string {
  const whole = complaint.length < COMPLAINT_READ ? complaint : complaint.replace(/\S+$/, '')
  const text = maskSecrets(whole).replace(/\s+/g, ' ').trim().slice(0, COMPLAINT_MAX)
  return text === '' ? '' : `: ${text}`
}
