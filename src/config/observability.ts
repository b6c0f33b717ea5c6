/** The settings of the log, the health server, the status page and the console. */
import { resolve } from 'node:path'
import { z } from 'zod'
import { classifyField } from '../contract/personal.ts'
import { assert } from '../support/errors.ts'
import { LOG_FORMATS, LOG_LEVELS } from '../support/log.ts'
import { NonZeroDuration, Text, toMs } from './time-values.ts'

export const LogSettings = z
  .strictObject({
    level: z
      .enum(LOG_LEVELS)
      .default('info')
      .describe(
        'The least that is worth a line. From info on, no line holds contents of files or of the API.',
      ),
    format: z
      .enum(['auto', ...LOG_FORMATS])
      .default('auto')
      .describe('human lines or json; auto: human on a terminal, json elsewhere.'),
    file: z
      .string()
      .min(1)
      .exactOptional()
      .describe(
        'A file that lines are added to, json unless format says human; it may be moved away at any time. Not in a mailbox.',
      ),
  })
  // Left out, the format depends on where the lines go.
  .transform(({ format, ...log }) => ({ ...log, ...(format !== 'auto' && { format }) }))

const LISTEN_PATTERN = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+)):(\d{1,5})$/i

function listenAddress(usual: string) {
  return z
    .string()
    .refine(
      (text) => parseListenAddress(text) !== undefined,
      `must be an address and a port, such as ${usual}`,
    )
    .default(usual)
}

const HostName = z
  .string()
  .regex(/^[a-z0-9.-]+$/i, 'must be a host name without a port, such as bridge.example.com')

export const HealthSettings = z
  .strictObject({
    listen: listenAddress('127.0.0.1:9465').describe(
      'The address and port of /livez, /readyz and /metrics, while the bridge watches.',
    ),
    toNetwork: z
      .boolean()
      .default(false)
      .describe(
        'Let it be an address that other machines reach. There is no password: anybody there reads the names of routes and how much goes through them.',
      ),
    hostNames: z
      .array(HostName)
      .default([])
      .describe('Names under which it answers, beside localhost, the name of the machine and all addresses.'),
  })
  .refine(
    ({ listen, toNetwork }) => toNetwork || isLoopback(parseListenAddress(listen)?.host ?? 'localhost'),
    {
      path: ['listen'],
      message:
        'is reached from other machines, and there is no password. Say toNetwork: true where that is meant, or listen on 127.0.0.1',
    },
  )
  .transform(({ listen, hostNames }) => {
    const address = parseListenAddress(listen)
    assert(address !== undefined, 'a listen address that cannot be parsed passed the checks')
    return { ...address, hostNames }
  })

export const StatusSettings = z.strictObject({
  page: z
    .string()
    .min(1)
    .refine((path) => /\.html?$/i.test(path), 'must be the path of a page, such as ./STATUS.html')
    .optional()
    .describe(
      'A page for people without a command line, such as ./exchange/STATUS.html: written by run, and kept fresh by watch.',
    ),
})

const Groups = z.array(Text).default([])

/** A header name in small letters, as Node has them. */
const HeaderName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'must be the name of a header')
  .transform((name) => name.toLowerCase())

const SECRET_MIN = 16

const ProxySettings = z.strictObject({
  from: z
    .array(z.union([z.ipv4(), z.ipv6()]))
    .min(1)
    .describe('The addresses from which the proxy connects.'),
  secret: z
    .string()
    .min(SECRET_MIN, `must have at least ${SECRET_MIN} characters`)
    .describe('What the proxy sends in `secretHeader`; from ${NAME} or ${file:PATH}.'),
  secretHeader: HeaderName.default('x-dropbridge-secret').describe('The header with the secret.'),
  user: HeaderName.default('x-auth-request-user').describe('The header with the name of the person.'),
  groups: HeaderName.default('x-auth-request-groups').describe(
    'The header with the groups of the person, with commas between them.',
  ),
  roles: z
    .strictObject({
      admin: Groups.describe('Groups of admins.'),
      operator: Groups.describe('Groups of operators.'),
      viewer: Groups.describe('Groups of viewers; `"*"` is everybody whom the proxy lets in.'),
    })
    .refine(({ admin, operator, viewer }) => admin.length + operator.length + viewer.length > 0, {
      message: 'needs a group for a role, such as viewer: ["*"]',
    })
    .describe('The groups of each role; of several, the one that may do most.'),
})

const PersonalData = z.enum(['shown', 'masked'], { error: 'must be shown or masked' })

const OnOff = z.enum(['on', 'off'], { error: 'must be on or off' })

const PersonalSettings = z.strictObject({
  viewer: PersonalData.default('masked').describe('What viewers see of personal data.'),
  operator: PersonalData.default('shown').describe(
    'What operators see of them; without them they neither correct rows nor download files.',
  ),
  admin: PersonalData.default('shown').describe('What admins see of them; as for operators.'),
  fields: z
    .array(
      z.string().refine((name) => classifyField(name) !== 'unknown', {
        error: 'must be a field of the API, such as customer_order_number',
      }),
    )
    .default([])
    .describe('Fields of the API that count as personal too, beside names, addresses, phones and messages.'),
})

export const ConsoleSettings = z
  .strictObject({
    listen: listenAddress('127.0.0.1:9466').describe('The address and port of dropbridge console.'),
    names: z
      .array(HostName)
      .default([])
      .describe('Host names under which it answers, beside localhost, 127.0.0.1 and [::1].'),
    toNetwork: z
      .boolean()
      .default(false)
      .describe('Let it be an address that other machines reach; only with `names`, and `tls` or `proxy`.'),
    tls: z
      .strictObject({
        cert: Text.describe('The file of the certificate, with those between it and the root; PEM.'),
        key: Text.describe('The file of its private key; PEM.'),
      })
      .optional()
      .describe('Answer by https.'),
    sessions: z
      .strictObject({
        idle: NonZeroDuration.default('30m').describe(
          'A person who did nothing for this long signs in again.',
        ),
        atMost: NonZeroDuration.default('12h').describe(
          'A person signs in again after this long in any case.',
        ),
      })
      .prefault({})
      .describe('How long a person stays signed in.'),
    personal: PersonalSettings.prefault({}).describe(
      'Which role sees personal data; where they are masked, they never reach the browser.',
    ),
    actions: OnOff.default('on').describe(
      'With `off` the console only shows: no action is offered or accepted, whatever the role.',
    ),
    recordViews: OnOff.default('off').describe(
      'Note in the access log which person saw the personal data of which record, file or delivery first.',
    ),
    proxy: ProxySettings.optional().describe(
      'People sign in at a proxy before the console, and not here; see [console.md](console.md#sign-in-by-a-proxy).',
    ),
  })
  .superRefine(({ listen, toNetwork, tls, names, proxy }, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['listen'], message })
    const { host = 'localhost' } = parseListenAddress(listen) ?? {}
    if (isLoopback(host)) return
    if (!toNetwork)
      refuse(
        'is reached from other machines. Say toNetwork: true where that is meant, or listen on 127.0.0.1',
      )
    else if (tls === undefined && proxy === undefined)
      refuse('sends passwords to other machines in plain text: write tls with cert and key, too')
    else if (names.length === 0)
      refuse('needs names: under which other machines reach it, such as [edi.example.com]')
  })

export interface ConsoleConfiguration {
  readonly host: string
  readonly port: number
  readonly names: readonly string[]
  /** Absolute paths. */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** Signs people in. */
  readonly proxy?: z.output<typeof ProxySettings>
  readonly idleMs: number
  readonly atMostMs: number
  /** What each role sees of personal data. */
  readonly personal: Readonly<Record<'viewer' | 'operator' | 'admin', z.output<typeof PersonalData>>>
  /** Fields that count as personal beside those of the contract. */
  readonly personalFields: readonly string[]
  /** False: it only shows. */
  readonly hasActions: boolean
  /** Views of personal data are noted. */
  readonly recordsViews: boolean
}

export function toConsole(settings: z.output<typeof ConsoleSettings>, folder: string): ConsoleConfiguration {
  const { listen, names, tls, sessions, proxy } = settings
  const { fields, ...personal } = settings.personal
  const address = parseListenAddress(listen)
  assert(address !== undefined, 'a listen address that cannot be parsed passed the checks')
  return {
    ...address,
    names,
    ...(tls && { tls: { cert: resolve(folder, tls.cert), key: resolve(folder, tls.key) } }),
    ...(proxy && { proxy }),
    idleMs: toMs(sessions.idle),
    atMostMs: toMs(sessions.atMost),
    personal,
    personalFields: fields,
    hasActions: settings.actions === 'on',
    recordsViews: settings.recordViews === 'on',
  }
}

/** Port 0 takes a free one. */
function parseListenAddress(text: string) {
  const [, six, host = six, port] = LISTEN_PATTERN.exec(text) ?? []
  return host === undefined || Number(port) > 65_535 ? undefined : { host, port: Number(port) }
}

/** Whether it is the http address of another machine. */
export function isPlainHttp(url: string): boolean {
  return /^http:/i.test(url) && URL.canParse(url) && !isLoopback(new URL(url).hostname)
}

/** Whether the host is this machine itself. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(host)
}
