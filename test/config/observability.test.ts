/** `log`, `health`, `status` and `notifications` of the configuration: their defaults and their errors. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Configuration } from '../../src/config/configuration.ts'
import { loadConfiguration } from '../../src/config/load.ts'
import { BridgeError } from '../../src/support/errors.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

/** The configuration of one route with these lines in front, and the folder it is in. */
async function load(lines: string): Promise<Configuration & { folder: string }> {
  const folder = await tempFolder()
  const path = join(folder, 'dropbridge.yaml')
  await writeFile(
    path,
    `${lines}
${lines.includes('mailboxes:') ? '' : 'mailboxes: { erp: { type: directory, path: ./exchange } }'}
api: { baseUrl: "https://api.example.com", clientId: acme, clientSecret: secret }
routes:
  orders-in:
    retailer: 1000
    operation: create-order
    from: { mailbox: erp, folder: inbox }
    mapping: orders.yaml
    results: { mailbox: erp }
`,
  )
  return {
    ...(await loadConfiguration(path, { HOOK: 'https://hooks.example.com/T0/x', PASS: 'pa55' })),
    folder,
  }
}

async function errorOf(lines: string): Promise<string> {
  const error: unknown = await load(lines).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(BridgeError)
  return (error as BridgeError).details.join('\n')
}

test('without these settings the bridge serves, writes and sends nothing', async () => {
  const { log, health, statusPage, notifications } = await load('')

  expect({ log, health, statusPage, notifications }).toEqual({})
})

test('paths are relative to the file, and health is for this machine alone', async () => {
  const { folder, log, health, statusPage } = await load(
    'log: { file: logs/bridge.log }\nhealth: {}\nstatus: { page: exchange/STATUS.html }',
  )

  expect(log).toEqual({ level: 'info', file: join(folder, 'logs', 'bridge.log') })
  expect(health).toEqual({ host: '127.0.0.1', port: 9465, hostNames: [] })
  expect(statusPage).toBe(join(folder, 'exchange', 'STATUS.html'))
})

test.each([
  ['"0.0.0.0:9465", toNetwork: true', { host: '0.0.0.0', port: 9465, hostNames: [] }],
  ['"[::1]:0"', { host: '::1', port: 0, hostNames: [] }],
  ['"localhost:80", hostNames: [a.example]', { host: 'localhost', port: 80, hostNames: ['a.example'] }],
])('health listens on %s', async (listen, address) => {
  const { health } = await load(`health: { listen: ${listen} }`)

  expect(health).toEqual(address)
})

test('the console is for this machine alone, and a person signs in again after half an hour', async () => {
  const { console } = await load('')

  expect(console).toEqual({
    host: '127.0.0.1',
    port: 9466,
    names: [],
    idleMs: 1_800_000,
    atMostMs: 43_200_000,
    hasActions: true,
    recordsViews: false,
    personal: { viewer: 'masked', operator: 'shown', admin: 'shown' },
    personalFields: [],
  })
})

test('the console listens to other machines by https alone, and says under which names', async () => {
  const tls = 'tls: { cert: tls/cert.pem, key: tls/key.pem }'
  const { console, folder } = await load(
    `console: { listen: "0.0.0.0:443", toNetwork: true, names: [edi.acme.example], ${tls} }`,
  )

  expect(console).toMatchObject({ host: '0.0.0.0', port: 443, names: ['edi.acme.example'] })
  expect(console?.tls).toEqual({ cert: join(folder, 'tls', 'cert.pem'), key: join(folder, 'tls', 'key.pem') })
  const errors = await Promise.all(
    [
      `listen: "0.0.0.0:443", names: [a.example], ${tls}`,
      'listen: "192.168.0.7:9466", toNetwork: true, names: [a.example]',
      `listen: "edi.acme.example:443", toNetwork: true, ${tls}`,
    ].map((settings) => errorOf(`console: { ${settings} }`)),
  )
  expect(errors[0]).toContain('Say toNetwork: true where that is meant')
  expect(errors[1]).toContain('sends passwords to other machines in plain text')
  expect(errors[2]).toContain('needs names')
})

test('notifications are read with their defaults', async () => {
  const configuration = await load(`notifications:
  ops: { type: mail, to: ops@acme.example, from: b@acme.example, smtp: { host: mail.acme.example, username: u, password: "\${PASS}" } }
  hook: { type: webhook, url: "\${HOOK}", secret: s3cret, on: always, routes: [orders-in], every: 1h }
  own: { type: command, run: [./tell.sh, --now] }
  known: { type: command, run: [logger] }`)
  const common = { on: 'trouble', everyMs: 900_000, timeoutMs: 30_000 }
  const { folder } = configuration

  expect(configuration.notifications).toEqual([
    {
      ...common,
      name: 'ops',
      type: 'mail',
      to: ['ops@acme.example'],
      from: 'b@acme.example',
      subject: 'dropbridge',
      smtp: {
        host: 'mail.acme.example',
        port: 587,
        security: 'starttls',
        login: { username: 'u', password: 'pa55' },
      },
    },
    {
      ...common,
      name: 'hook',
      type: 'webhook',
      url: 'https://hooks.example.com/T0/x',
      secret: 's3cret',
      on: 'always',
      routes: ['orders-in'],
      everyMs: 3_600_000,
    },
    { ...common, name: 'own', type: 'command', command: join(folder, 'tell.sh'), args: ['--now'], folder },
    { ...common, name: 'known', type: 'command', command: 'logger', args: [], folder },
  ])
})

test('where the configuration itself is in a mailbox, what the bridge writes may be there too', async () => {
  const { folder, log } = await load(
    'log: { file: logs/bridge.log }\njournal: sqlite:journal.db\nmailboxes: { erp: { type: directory, path: . } }',
  )

  expect(log?.file).toBe(join(folder, 'logs', 'bridge.log'))
})

test.each([
  ['health: { listen: "0.0.0.0:9465" }', 'health.listen: is reached from other machines'],
  ['health: { listen: "9465" }', 'health.listen: must be an address and a port'],
  ['health: { listen: "127.0.0.1:70000" }', 'health.listen: must be an address and a port'],
  ['log: { level: loud }', 'log.level: must be one of debug, info, warn, error'],
  ['status: { page: ./status.txt }', 'status.page: must be the path of a page'],
  [
    'status: { page: ./exchange/inbox/STATUS.html }',
    'status.page: would be left where the route orders-in takes',
  ],
  ['log: { file: ./exchange/logs/bridge.log }', 'log.file: would lie in the mailbox erp'],
  ['journal: sqlite:exchange/journal.db', 'journal: would lie in the mailbox erp'],
  ['state: ./exchange', 'state: would lie in the mailbox erp'],
  ['notifications: { ops: { type: fax } }', 'notifications.ops.type: must be one of mail, webhook, command'],
  ['notifications: { x: { type: command, run: [a], routes: [orders-im] } }', 'Did you mean "orders-in"?'],
  [
    'notifications: { x: { type: webhook, url: "ftp://a/b" } }',
    'notifications.x.url: must be an http or https address',
  ],
  [
    'notifications: { x: { type: mail, to: ops, from: a@b.c, smtp: { host: h } } }',
    'notifications.x.to: must be a mail address',
  ],
  [
    'notifications: { x: { type: mail, to: o@b.c, from: a@b.c, smtp: { host: h, username: u } } }',
    'notifications.x.smtp: has a username without a password',
  ],
  [
    'notifications: { x: { type: mail, to: o@b.c, from: a@b.c, smtp: { host: h, username: u, password: p, security: none } } }',
    'sends the password unencrypted',
  ],
])('%s is an error', async (lines, message) => {
  expect(await errorOf(lines)).toContain(message)
})
