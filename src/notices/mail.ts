/** Notices by mail, over SMTP. */
import type { Message, Notifier } from '../domain/notice.ts'
import { deadlineAfter } from '../support/deadline.ts'

export interface MailOptions {
  readonly to: readonly string[]
  readonly from: string
  /** What every subject begins with. */
  readonly subject: string
  readonly timeoutMs: number
  readonly smtp: {
    readonly host: string
    readonly port: number
    readonly security: 'starttls' | 'tls' | 'none'
    readonly login?: { readonly username: string; readonly password: string }
  }
}

export function mailNotifier(options: MailOptions): Notifier {
  return {
    async send(message, signal) {
      // Loaded when it is wanted: most commands send no mail.
      const { createTransport } = await import('nodemailer')
      const transport = createTransport(transportOptions(options))
      const deadline = deadlineAfter(options.timeoutMs, signal)
      try {
        await transport.sendMail({ ...mailOf(message, options), signal: deadline.signal })
      } catch (error) {
        if (signal.aborted) throw new Error('the program was asked to stop', { cause: error })
        if (deadline.isOver()) {
          throw new Error(`no answer within ${options.timeoutMs / 1000} seconds`, { cause: error })
        }
        throw error
      } finally {
        deadline.end()
        transport.close()
      }
    },
  }
}

/** The library's own limits on parts of a sending come later than the one on the whole, which says how long it was. */
const LATER = 2

function transportOptions({ smtp, timeoutMs }: MailOptions) {
  const { host, port, security, login } = smtp
  return {
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    connectionTimeout: LATER * timeoutMs,
    greetingTimeout: LATER * timeoutMs,
    socketTimeout: LATER * timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(login === undefined ? {} : { auth: { user: login.username, pass: login.password } }),
  }
}

/** A message that comes again has the same Message-ID, and mail programs show it once. */
function mailOf({ id, subject, text }: Message, options: MailOptions) {
  const domain = options.from.slice(options.from.lastIndexOf('@') + 1)
  return {
    from: options.from,
    to: [...options.to],
    subject: `${options.subject}: ${subject}`,
    text,
    messageId: `<${id}.dropbridge@${domain}>`,
    // No answers of machines to a machine.
    headers: { 'Auto-Submitted': 'auto-generated', 'Dropbridge-Notice': id },
  }
}
