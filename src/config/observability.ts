/** The settings of the log, the health server and the status page. */
import { z } from 'zod'
import { assert } from '../support/errors.ts'
import { LOG_FORMATS, LOG_LEVELS } from '../support/log.ts'

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

export const HealthSettings = z
  .strictObject({
    listen: z
      .string()
      .refine(
        (text) => parseListenAddress(text) !== undefined,
        'must be an address and a port, such as 127.0.0.1:9465',
      )
      .default('127.0.0.1:9465')
      .describe('The address and port of /livez, /readyz and /metrics, while the bridge watches.'),
    toNetwork: z
      .boolean()
      .default(false)
      .describe(
        'Let it be an address that other machines reach. There is no password: anybody there reads the names of routes and how much goes through them.',
      ),
    hostNames: z
      .array(
        z.string().regex(/^[a-z0-9.-]+$/i, 'must be a host name without a port, such as bridge.example.com'),
      )
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
    assert(address !== undefined, 'an address that is none passed the checks')
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
