/** Notices by mail, over SMTP. */
import type { Message, Notifier } from '../domain/notice.ts'
import { withinTime } from './deadline.ts'

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
      try {
        await withinTime(options.timeoutMs, transport.sendMail(mailOf(message, options)), signal)
      } finally {
        transport.close()
      }
    },
  }
}

function transportOptions({ smtp, timeoutMs }: MailOptions) {
  const { host, port, security, login } = smtp
  return {
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
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
