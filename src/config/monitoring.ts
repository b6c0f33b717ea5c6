/** How others see how the bridge is: the `health` and `status` of the configuration. */
import { resolve } from 'node:path'
import { z } from 'zod'

const LISTEN_PATTERN = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+)):(\d{1,5})$/i

export const HealthFile = z
  .strictObject({
    listen: z
      .string()
      .refine(
        (text) => addressOf(text) !== undefined,
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
  })
  .refine(({ listen, toNetwork }) => toNetwork || isLoopback(addressOf(listen)?.host ?? 'localhost'), {
    path: ['listen'],
    message:
      'is reached from other machines, and there is no password. Say toNetwork: true where that is meant, or listen on 127.0.0.1',
  })

export const StatusFile = z.strictObject({
  page: z
    .string()
    .min(1)
    .refine((path) => /\.html?$/i.test(path), 'must be the path of a page, such as ./STATUS.html')
    .optional()
    .describe(
      'A page for people without a command line, such as ./exchange/STATUS.html: written by run, and kept fresh by watch.',
    ),
})

export interface HealthConfiguration {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
}

export function toHealth({ listen }: z.output<typeof HealthFile>): HealthConfiguration | undefined {
  return addressOf(listen)
}

/** The absolute path of the page. */
export function toPage({ page }: z.output<typeof StatusFile>, folder: string): string | undefined {
  return page === undefined ? undefined : resolve(folder, page)
}

function addressOf(text: string): HealthConfiguration | undefined {
  const [, six, host = six, port] = LISTEN_PATTERN.exec(text) ?? []
  if (host === undefined || Number(port) > 65_535) return undefined
  return { host, port: Number(port) }
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host)
}
