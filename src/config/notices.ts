/** Who is told what came of the work, and how: the `notices` of the configuration. */
import { resolve } from 'node:path'
import { z } from 'zod'
import { checkedMs, DURATION_PATTERN, durationMs } from './duration.ts'

const Text = z.string().min(1)

const Duration = z
  .string()
  .refine((text) => (durationMs(text) ?? 0) > 0, 'must be a duration such as 30s, 15m or 1h')
  .meta({ pattern: DURATION_PATTERN })

const Address = z
  .string()
  .regex(/^[^\s@<>,;]+@[^\s@<>,;]+$/, 'must be a mail address such as ops@example.com')

const commonShape = {
  on: z
    .enum(['trouble', 'always'])
    .default('trouble')
    .describe('Whether a notice is sent only when something needs a person, or whenever something was done.'),
  routes: z.array(Text).min(1).optional().describe('Only what these routes did; all when left out.'),
  every: Duration.default('15m').describe('While the bridge watches: at most one notice in this time.'),
  timeout: Duration.default('30s').describe('How long one try may take.'),
}

const MailFile = z.strictObject({
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

const WebhookFile = z.strictObject({
  type: z.literal('webhook'),
  url: z
    .string()
    .refine(
      (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
      'must be an http or https address',
    )
    .describe('Where the notice is posted as JSON.'),
  secret: Text.optional().describe(
    'Signs the body: the header Dropbridge-Signature is sha256= and its HMAC in hex.',
  ),
  ...commonShape,
})

const CommandFile = z.strictObject({
  type: z.literal('command'),
  run: z
    .array(Text)
    .min(1)
    .describe('The program and its arguments. No shell reads them; the notice comes as JSON on its input.'),
  ...commonShape,
})

const NoticeFile = z
  .discriminatedUnion('type', [MailFile, WebhookFile, CommandFile])
  .refine((notice) => notice.type !== 'mail' || isLoginWhole(notice.smtp), {
    path: ['smtp'],
    message: 'has a username without a password, or the other way round',
  })
  .refine((notice) => notice.type !== 'mail' || !(notice.smtp.security === 'none' && notice.smtp.password), {
    path: ['smtp', 'security'],
    message: 'is none, which would send the password for everybody to read: use starttls or tls',
  })

export const NoticesFile = z.record(z.string().regex(/^[a-z0-9-]+$/), NoticeFile)

interface NoticeBase {
  readonly name: string
  readonly on: 'trouble' | 'always'
  /** All when left out. */
  readonly routes?: readonly string[]
  readonly everyMs: number
  readonly timeoutMs: number
}

export interface MailNotice extends NoticeBase {
  readonly type: 'mail'
  readonly to: readonly string[]
  readonly from: string
  readonly subject: string
  readonly smtp: {
    readonly host: string
    readonly port: number
    readonly security: 'starttls' | 'tls' | 'none'
    readonly login?: { readonly username: string; readonly password: string }
  }
}

export interface WebhookNotice extends NoticeBase {
  readonly type: 'webhook'
  readonly url: string
  readonly secret?: string
}

export interface CommandNotice extends NoticeBase {
  readonly type: 'command'
  readonly command: string
  readonly args: readonly string[]
  /** Where it is started. */
  readonly folder: string
}

export type NoticeConfiguration = MailNotice | WebhookNotice | CommandNotice

const USUAL_PORT = { starttls: 587, tls: 465, none: 25 } as const

export function toNotices(file: z.output<typeof NoticesFile>, folder: string): NoticeConfiguration[] {
  return Object.entries(file).map(([name, notice]) => {
    const { on, routes, every, timeout } = notice
    const base: NoticeBase = {
      name,
      on,
      ...(routes === undefined ? {} : { routes }),
      everyMs: checkedMs(every),
      timeoutMs: checkedMs(timeout),
    }
    switch (notice.type) {
      case 'mail':
        return toMail(base, notice)
      case 'webhook': {
        const { type, url, secret } = notice
        return { ...base, type, url, ...(secret === undefined ? {} : { secret }) }
      }
      case 'command': {
        const [program = '', ...args] = notice.run
        // A bare name is looked for where programs are; a path is relative to the configuration.
        const command = /[/\\]/.test(program) ? resolve(folder, program) : program
        return { ...base, type: notice.type, command, args, folder }
      }
    }
  })
}

function toMail(base: NoticeBase, { type, to, from, subject, smtp }: z.output<typeof MailFile>): MailNotice {
  const { host, security, port = USUAL_PORT[security], username, password } = smtp
  const login = username === undefined || password === undefined ? {} : { login: { username, password } }
  return {
    ...base,
    type,
    to: typeof to === 'string' ? [to] : to,
    from,
    subject,
    smtp: { host, port, security, ...login },
  }
}

function isLoginWhole({
  username,
  password,
}: {
  username?: string | undefined
  password?: string | undefined
}) {
  return (username === undefined) === (password === undefined)
}
