/** The `notifications` of the configuration: the receivers of alerts and results. */
import { resolve } from 'node:path'
import { z } from 'zod'
import { isPlainHttp } from './observability.ts'
import { durationText, Text, toMs } from './time-values.ts'

const Duration = durationText('must be a duration such as 30s, 15m or 1h', 1)

const Address = z
  .string()
  .regex(/^[^\s@<>,;]+@[^\s@<>,;]+$/, 'must be a mail address such as ops@example.com')

const commonShape = {
  on: z
    .enum(['trouble', 'always'])
    .default('trouble')
    .describe(
      'Whether a notification is sent only when something needs a person, or whenever something was done.',
    ),
  routes: z.array(Text).min(1).exactOptional().describe('Only what these routes did; all when left out.'),
  every: Duration.default('15m').describe('While the bridge watches: at most one notification in this time.'),
  timeout: Duration.default('30s').describe('How long one try may take.'),
}

const MailSettings = z.strictObject({
  type: z.literal('mail'),
  to: z.union([Address, z.array(Address).min(1).max(50)]).describe('One address, or several.'),
  from: Address.describe('The address it comes from.'),
  subject: Text.max(100)
    .default('dropbridge')
    .describe('What the subject begins with, to tell one bridge from another.'),
  smtp: z
    .strictObject({
      host: Text.describe('The mail server.'),
      port: z.int().min(1).max(65_535).optional().describe('587, or 465 with tls, or 25 with none.'),
      security: z
        .enum(['starttls', 'tls', 'none'])
        .default('starttls')
        .describe(
          'starttls and tls refuse a server that does not encrypt; none is for a server on this machine.',
        ),
      username: Text.optional().describe('Who logs in, where the server wants it.'),
      password: Text.optional().describe('From ${NAME} or ${file:PATH}.'),
    })
    .describe('How the mail server is reached.'),
  ...commonShape,
})

const WebhookSettings = z.strictObject({
  type: z.literal('webhook'),
  url: z
    .string()
    .refine(
      (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
      'must be an http or https address',
    )
    .describe('Where the notification is posted as JSON.'),
  secret: Text.exactOptional().describe(
    'Signs the body: the header Dropbridge-Signature is sha256= and its HMAC in hex.',
  ),
  allowHttp: z
    .boolean()
    .default(false)
    .describe('Whether an address of another machine may be http, which sends all of it in plain text.'),
  ...commonShape,
})

const CommandSettings = z.strictObject({
  type: z.literal('command'),
  run: z
    .array(Text)
    .min(1)
    .describe(
      'The program and its arguments. No shell reads them; the notification comes as JSON on its input.',
    ),
  ...commonShape,
})

const NotificationSettings = z
  .discriminatedUnion('type', [MailSettings, WebhookSettings, CommandSettings])
  .refine(
    (it) => it.type !== 'mail' || (it.smtp.username === undefined) === (it.smtp.password === undefined),
    { path: ['smtp'], message: 'has a username without a password, or the other way round' },
  )
  .refine(
    (notification) =>
      notification.type !== 'mail' || !(notification.smtp.security === 'none' && notification.smtp.password),
    {
      path: ['smtp', 'security'],
      message: 'is `none`, which sends the password unencrypted: use starttls or tls',
    },
  )
  .refine((it) => it.type !== 'webhook' || it.allowHttp || !isPlainHttp(it.url), {
    path: ['url'],
    message:
      'sends what the notification says to another machine in plain text: write https://, or allowHttp: true where that is meant',
  })

export const NotificationsSettings = z.record(z.string().regex(/^[a-z0-9-]+$/), NotificationSettings)

export type NotificationConfiguration = ReturnType<typeof toNotification>

/** The notifications by their names. Relative paths are relative to `folder`. */
export function toNotifications(file: z.output<typeof NotificationsSettings>, folder: string) {
  return Object.entries(file).map(([name, settings]) => toNotification(name, settings, folder))
}

const DEFAULT_PORTS = { starttls: 587, tls: 465, none: 25 } as const

function toNotification(name: string, settings: z.output<typeof NotificationSettings>, folder: string) {
  const { every, timeout, ...rest } = settings
  const times = { name, everyMs: toMs(every), timeoutMs: toMs(timeout) }
  if (rest.type === 'webhook') {
    const { allowHttp: _, ...webhook } = rest
    return { ...webhook, ...times }
  }
  if (rest.type === 'mail') {
    const { username, password, host, security, port = DEFAULT_PORTS[security] } = rest.smtp
    const login = username !== undefined && password !== undefined && { login: { username, password } }
    return { ...rest, ...times, to: [rest.to].flat(), smtp: { host, port, security, ...login } }
  }
  const { run, ...commandSettings } = rest
  const [program = '', ...args] = run
  // The system finds a bare program name; a path is relative to the configuration.
  const command = /[/\\]/.test(program) ? resolve(folder, program) : program
  return { ...commandSettings, ...times, command, args, folder }
}
