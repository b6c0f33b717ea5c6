/** A console over a journal of its own, with three people, asked without a socket. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openConsole } from '../../src/app/console/context.ts'
import { createHand } from '../../src/app/console/hand.ts'
import type { Configuration } from '../../src/config/configuration.ts'
import { loadConfiguration } from '../../src/config/load.ts'
import { openJournal } from '../../src/journal/open.ts'
import type { Clock } from '../../src/support/clock.ts'
import type { Page } from '../../src/web/page.ts'
import { hashPassword } from '../../src/web/passwords.ts'
import { getPeoplePath, openPeople } from '../../src/web/people.ts'
import { ROLES, type Role } from '../../src/web/permissions.ts'
import { createConsoleServer } from '../../src/web/server.ts'
import type { Proxy } from '../../src/web/sessions.ts'
import { handHere } from '../fixtures/hand.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { testClock } from '../suites/journal.suite.ts'

export const PASSWORD = 'correct horse battery'

/** Hashing takes a fifth of a second. */
// A hash names its own cost; that of the program takes half a second on a busy machine.
const hashed = hashPassword(PASSWORD, { log2N: 4, r: 1, p: 1 })

const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' }

export interface ConsoleOptions {
  readonly configuration?: Configuration
  readonly clock?: Clock & { advance?: (ms: number) => void }
  readonly pages?: readonly Page<unknown>[]
  /** Whether no bridge has made the journal yet. */
  readonly isWithoutJournal?: boolean
  readonly isReadOnly?: boolean
  readonly proxy?: Proxy
}

export async function configurationAt(
  folder: string,
  lines = '',
  mailbox = '{ type: directory, path: ./exchange }',
): Promise<Configuration> {
  const path = join(folder, 'dropbridge.yaml')
  await mkdir(join(folder, 'exchange'), { recursive: true })
  await writeFile(
    path,
    `${lines}
mailboxes: { erp: ${mailbox} }
api: { baseUrl: "https://api.example.com", clientId: acme, clientSecret: s3cret-of-the-api }
routes:
  orders:
    retailer: 1000
    operation: create-order
    from: { mailbox: erp, folder: inbox }
    mapping: orders.yaml
    results: { mailbox: erp }
`,
  )
  return loadConfiguration(path, {})
}

export async function aConsole(options: ConsoleOptions = {}) {
  const clock = options.clock ?? testClock()
  const configuration = options.configuration ?? (await configurationAt(await tempFolder()))
  const { path } = configuration.journal
  if (options.isWithoutJournal !== true) await (await openJournal({ path, clock })).close()
  const peopleOptions = {
    path: getPeoplePath(configuration),
    clock,
    limits: { idleMs: 30 * 60_000, atMostMs: 12 * 60 * 60_000 },
  }
  const writable = openPeople(peopleOptions)
  const tokens = new Map<Role, string>()
  for (const role of ROLES) {
    writable.add(role, role, await hashed)
    tokens.set(role, writable.startSession(role))
  }
  const people = options.isReadOnly === true ? openPeople({ ...peopleOptions, isReadOnly: true }) : writable
  const opened = openConsole({ configuration, clock })
  const said: string[] = []
  const server = await createConsoleServer({
    opened,
    people,
    hand: createHand(handHere({ configuration, clock })),
    clock,
    names: [],
    say: (line) => said.push(line),
    ...(options.pages && { pages: options.pages }),
    ...(options.proxy && { proxy: options.proxy }),
  })
  onTestFinished(async () => {
    await server.close()
    await opened.close()
    people.close()
    if (people !== writable) writable.close()
  })
  const cookieOf = (role: Role | undefined): Record<string, string> =>
    role === undefined ? {} : { cookie: `__Host-dropbridge=${tokens.get(role)}` }
  return {
    server,
    said,
    people: writable,
    opened,
    configuration,
    clock,
    cookieOf,
    get: (url: string, role?: Role, headers: Record<string, string> = {}) =>
      server.inject({ url, headers: { host: 'localhost', ...cookieOf(role), ...headers } }),
    post: (
      url: string,
      form: Record<string, string>,
      { role, headers = SAME_ORIGIN }: { role?: Role; headers?: Record<string, string> } = {},
    ) =>
      server.inject({
        url,
        method: 'POST',
        headers: {
          host: 'localhost',
          'content-type': 'application/x-www-form-urlencoded',
          ...cookieOf(role),
          ...headers,
        },
        payload: new URLSearchParams(form).toString(),
      }),
    /** The token of the forms of a page. */
    async csrfOf(role: Role): Promise<string> {
      const { body } = await this.get('/', role)
      return /name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? ''
    },
  }
}
