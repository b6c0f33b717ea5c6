import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Configuration } from '../../src/config/configuration.ts'
import { loadConfiguration } from '../../src/config/load.ts'
import { BridgeError } from '../../src/support/errors.ts'
import { asUser } from '../fixtures/as-user.ts'

let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dropbridge-config-'))
  path = join(folder, 'dropbridge.yaml')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const ENV = { API_URL: 'https://api.example.com/', CLIENT_ID: 'acme', CLIENT_SECRET: 's3cret' }

const API = `api:
  baseUrl: \${API_URL}
  clientId: \${CLIENT_ID}
  clientSecret: \${CLIENT_SECRET}
`
const MAILBOXES = `mailboxes:
  erp: { type: directory, path: ./exchange }
`
const ORDERS_IN = `  orders-in:
    retailer: 1000
    operation: create-order
    from: { mailbox: erp, folder: inbox/orders }
    mapping: mappings/orders.yaml
    results: { mailbox: erp }
`
const SHIPMENTS_OUT = `  shipments-out:
    retailer: 1000
    operation: export-shipments
    mapping: mappings/shipments-export.yaml
    to: { mailbox: erp, folder: out, name: "shipments-{date:yyyyMMdd-HHmmss}-{seq}.csv" }
`
const WHOLE = `${API}${MAILBOXES}routes:\n${ORDERS_IN}${SHIPMENTS_OUT}`

const OPERATIONS =
  'create-order, create-cancel, acknowledge-order, create-shipment, close-order, reopen-order, create-invoice, ' +
  'create-variant, update-variant, acknowledge-shipment, acknowledge-invoice, acknowledge-cancel, ' +
  'acknowledge-credit, acknowledge-return, acknowledge-variant, export-orders, export-shipments, ' +
  'export-invoices, export-cancels, export-credits, export-returns, export-variants, export-retailer-orders, ' +
  'export-brand-invoices, export-brand-variants, export-carriers, export-connections, export-retailers, ' +
  'export-brands'

async function load(text: string, env: NodeJS.ProcessEnv = ENV): Promise<Configuration> {
  await writeFile(path, text)
  return loadConfiguration(path, env)
}

/** The places and messages of the refusal, without the path of the file. */
async function errorsOf(text: string, env: NodeJS.ProcessEnv = ENV): Promise<string[]> {
  const error: unknown = await load(text, env).catch((thrown: unknown) => thrown)
  if (!(error instanceof BridgeError)) throw new Error('the configuration was accepted', { cause: error })
  expect(error.code).toBe('configuration-invalid')
  return error.details.map((detail) => detail.replace(`${path}:`, ''))
}

describe('a configuration without errors', () => {
  test('is loaded with its defaults, absolute paths and milliseconds', async () => {
    const credentials = { clientId: 'acme', clientSecret: 's3cret' }
    const { source, ...loaded } = await load(WHOLE)
    expect(source).toMatchObject({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(loaded).toEqual({
      api: {
        baseUrl: 'https://api.example.com',
        credentials,
        timeoutMs: 30_000,
        connections: 16,
        lateAnswerMs: 180_000,
        trusts503: false,
      },
      journal: { type: 'sqlite', path: join(folder, 'state', 'journal.db') },
      stateFolder: join(folder, 'state'),
      diskAlertBytes: 1e9,
      watch: { scanMs: 30_000, atOnce: 4 },
      console: {
        host: '127.0.0.1',
        port: 9466,
        names: [],
        idleMs: 1_800_000,
        atMostMs: 43_200_000,
        hasActions: true,
        recordsViews: false,
        personal: { viewer: 'masked', operator: 'shown', admin: 'shown' },
        personalFields: [],
      },
      mailboxes: { erp: { type: 'directory', path: join(folder, 'exchange') } },
      routes: [
        {
          direction: 'inbound',
          name: 'orders-in',
          party: { kind: 'retailer', id: 1000 },
          credentials,
          operation: 'create-order',
          mappingPath: join(folder, 'mappings', 'orders.yaml'),
          from: {
            mailbox: 'erp',
            folder: 'inbox/orders',
            match: '*.csv',
            archive: 'archive/orders-in',
            stableForMs: 2000,
          },
          results: { mailbox: 'erp', folder: 'results', alertIfNotEmptiedMs: 2_592_000_000 },
          rules: {
            totals: 'warn',
            dates: 'warn',
            prices: 'warn',
            stock: 'off',
            addresses: 'warn',
            numbers: 'warn',
            closings: 'warn',
          },
          circuitBreaker: { sameRefusal: 20 },
        },
        {
          direction: 'outbound',
          name: 'shipments-out',
          party: { kind: 'retailer', id: 1000 },
          credentials,
          operation: 'export-shipments',
          mappingPath: join(folder, 'mappings', 'shipments-export.yaml'),
          to: {
            mailbox: 'erp',
            folder: 'out',
            name: 'shipments-{date:yyyyMMdd-HHmmss}-{seq}.csv',
            alertIfNotEmptiedMs: 2_592_000_000,
          },
          acknowledge: 'delivered',
          verifyBeforeAck: false,
        },
      ],
      mappingPlaces: new Map([
        [join(folder, 'mappings', 'orders.yaml'), `${path}:12:14`],
        [join(folder, 'mappings', 'shipments-export.yaml'), `${path}:17:14`],
      ]),
    })
  })

  test('is loaded as it says where it says more', async () => {
    const { api, journal, stateFolder, routes } = await load(`
api: { baseUrl: "http://localhost:8080/v1//", clientId: a, clientSecret: b, timeout: 1m, connections: 64, lateAnswer: 500ms, trust503: true }
journal: sqlite:/var/lib/dropbridge/journal.db
state: /var/lib/dropbridge
${MAILBOXES}routes:
  orders-out:
    brand: 7
    operation: export-orders
    api: { clientId: supplier, clientSecret: other }
    mapping: /etc/orders.yaml
    to: { mailbox: erp, folder: ./out/, name: "{route}-{seq}.csv" }
  shipments-in:
    brand: 7
    operation: create-shipment
    from: { mailbox: erp, folder: ., match: "SHIP*.txt", archive: done/shipments/, stableFor: 1h }
    mapping: shipments.yaml
    results: { mailbox: erp, folder: answers }
`)
    expect(api).toEqual({
      baseUrl: 'http://localhost:8080/v1',
      credentials: { clientId: 'a', clientSecret: 'b' },
      timeoutMs: 60_000,
      connections: 64,
      lateAnswerMs: 500,
      trusts503: true,
    })
    expect(journal.path).toBe('/var/lib/dropbridge/journal.db')
    expect(stateFolder).toBe('/var/lib/dropbridge')
    expect(routes).toMatchObject([
      {
        party: { kind: 'brand', id: 7 },
        credentials: { clientId: 'supplier', clientSecret: 'other' },
        mappingPath: '/etc/orders.yaml',
        to: { folder: 'out' },
        verifyBeforeAck: true,
      },
      {
        credentials: { clientId: 'a', clientSecret: 'b' },
        from: { folder: '.', match: 'SHIP*.txt', archive: 'done/shipments', stableForMs: 3_600_000 },
        results: { folder: 'answers' },
      },
    ])
  })

  test('may say verifyBeforeAck for itself', async () => {
    const { routes } = await load(`${WHOLE}    verifyBeforeAck: true\n`)
    expect(routes[1]).toMatchObject({ verifyBeforeAck: true })
  })
})

describe('variables', () => {
  test('replace a part of a text, a file beside the configuration, or a number', async () => {
    await mkdir(join(folder, 'secrets'))
    await writeFile(join(folder, 'secrets', 'client'), 'from-a-file\n')
    const text = WHOLE.replace('${API_URL}', 'https://${HOST}/v1')
      .replace('${CLIENT_SECRET}', '${file:secrets/client}')
      .replace('retailer: 1000', 'retailer: ${RETAILER}')
    const { api, routes } = await load(text, { ...ENV, HOST: 'api.example.org', RETAILER: '4711' })
    expect(api.baseUrl).toBe('https://api.example.org/v1')
    expect(api.credentials.clientSecret).toBe('from-a-file')
    expect(routes[0]?.party).toEqual({ kind: 'retailer', id: 4711 })
  })

  test('stay text where text is wanted, and are not expanded again', async () => {
    const { api } = await load(WHOLE, { ...ENV, CLIENT_ID: '0042', CLIENT_SECRET: '${CLIENT_ID}: #"' })
    expect(api.credentials).toEqual({ clientId: '0042', clientSecret: '${CLIENT_ID}: #"' })
  })

  test('are not meant where the dollar sign is doubled', async () => {
    const { api } = await load(WHOLE.replace('${CLIENT_SECRET}', () => 'a$${b}$c'))
    expect(api.credentials.clientSecret).toBe('a${b}$c')
  })

  test('a misspelled key is one error, and not a missing key as well', async () => {
    const text = `
api: { baseUrl: "https://api.example.com", clientId: acme, clientSecret: s3cret }
mailboxes: { erp: { type: directory, path: ./exchange } }
routes:
  orders:
    retailer: 1000
    operation: create-order
    from: { mailbox: erp, folder: inbox }
    maping: orders.yaml
    results: { mailbox: erp }
`
    expect(await errorsOf(text)).toEqual([
      expect.stringMatching(/routes\.orders\.maping: unknown key\. Did you mean "mapping"\?$/),
    ])
  })

  test('that cannot be filled in are all named with their places', async () => {
    const text = WHOLE.replace('${API_URL}', 'https://${HOST}.${DOMAIN}')
      .replace('${CLIENT_ID}', '${CLIENT ID}')
      .replace('${CLIENT_SECRET}', '"${file:missing}"')
      .replace('mappings/orders.yaml', '${OPEN')
      .replace('operation: export-shipments', 'operation: ${OPERATION}')
    expect(await errorsOf(text)).toEqual([
      '2:12 api.baseUrl: the environment variable HOST is not set.',
      '2:12 api.baseUrl: the environment variable DOMAIN is not set.',
      '3:13 api.clientId: "${…}" must hold the name of an environment variable, or file: and a path.',
      `4:17 api.clientSecret: the file ${join(folder, 'missing')} is not there.`,
      '12:14 routes.orders-in.mapping: a "${" has no "}" after it. Write $${ for these two characters themselves.',
      '16:16 routes.shipments-out.operation: the environment variable OPERATION is not set.',
    ])
  })

  test('for the API may be missing where it is not called, and no others', async () => {
    await writeFile(path, WHOLE.replace('operation: export-shipments', 'operation: ${OPERATION}'))
    const { api } = await loadConfiguration(path, { OPERATION: 'export-shipments' }, { withoutApi: true })

    expect(new URL(api.baseUrl).hostname).toBe('unknown.invalid')
    await expect(loadConfiguration(path, {}, { withoutApi: true })).rejects.toMatchObject({
      details: [expect.stringContaining('the environment variable OPERATION is not set.')],
    })
  })

  test('that are set to nothing are as good as a blank', async () => {
    expect(await errorsOf(WHOLE, { ...ENV, CLIENT_SECRET: '' })).toEqual([
      '4:17 api.clientSecret: the environment variable CLIENT_SECRET is set, but it is empty.',
    ])
  })

  test.each([
    ['"x"', 'is in quotes; remove them'],
    ["'x'", 'is in quotes; remove them'],
    ['x ', 'has a blank at its end; remove it'],
    [' x', 'has a blank at its beginning; remove it'],
    ['x\r', 'has a line break at its end; remove it'],
    ['x\ny', 'has more than one line; leave only the value'],
    ['\uFEFFx', 'begins with a byte order mark; save it without one'],
  ])('with %j, which no secret of an API is, are named without their value', async (value, what) => {
    expect(await errorsOf(WHOLE, { ...ENV, CLIENT_SECRET: value })).toEqual([
      `4:17 api.clientSecret: the environment variable CLIENT_SECRET ${what}.`,
    ])
  })

  test('of a file may end with one line break, and with nothing else', async () => {
    const from = (name: string) => WHOLE.replace('${CLIENT_SECRET}', `\${file:${name}}`)
    const odd = { right: 'x\r\n', blank: 'x \n', wide: Buffer.from('\uFEFFx\r\n', 'utf16le') }
    for (const [name, content] of Object.entries(odd)) await writeFile(join(folder, name), content)

    expect((await load(from('right'))).api.credentials.clientSecret).toBe('x')
    expect(await errorsOf(from('blank'))).toEqual([
      '4:17 api.clientSecret: the file blank has a blank at its end; remove it.',
    ])
    expect(await errorsOf(from('wide'))).toEqual([
      '4:17 api.clientSecret: the file wide is not in UTF-8; save it as UTF-8.',
    ])
  })

  test('whose value has the wrong form are named behind the error', async () => {
    expect(await errorsOf(WHOLE, { ...ENV, API_URL: 'api.example.com' })).toEqual([
      expect.stringMatching(/^2:12 api.baseUrl: .*It comes from the environment variable API_URL\.$/),
    ])
  })
})

test('http to another machine is refused, unless the configuration says that it is meant', async () => {
  const at = (url: string, more = '') => WHOLE.replace('baseUrl: ${API_URL}', `baseUrl: ${url}${more}`)

  expect(await errorsOf(at('http://api.example.com'))).toEqual([
    '2:12 api.baseUrl: sends the secret to another machine in plain text: write https://, or allowHttp: true where that is meant.',
  ])
  for (const own of ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080']) {
    expect((await load(at(own))).api.baseUrl).toBe(own)
  }
  const meant = await load(at('http://api.example.com', '\n  allowHttp: true'))
  expect(meant.api.baseUrl).toBe('http://api.example.com')
})

test('a webhook by http to another machine is refused, unless the configuration says that it is meant', async () => {
  const at = (more: string) => `${WHOLE}\nnotifications:\n  ops: { type: webhook, ${more} }\n`

  expect(await errorsOf(at('url: "http://hooks.example.com/x?token=1"'))).toEqual([
    expect.stringContaining(
      'notifications.ops.url: sends what the notification says to another machine in plain text: write https://, or allowHttp: true where that is meant.',
    ),
  ])
  for (const meant of ['url: "http://127.0.0.1:9/x"', 'url: "http://hooks.example.com", allowHttp: true'])
    expect((await load(at(meant))).notifications).toHaveLength(1)
})

test.each([
  ['many brackets', `a: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`],
  ['many indented lines', Array.from({ length: 1400 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
])('%s in each other are said to be nested too deep', async (_what, text) => {
  expect(await errorsOf(text)).toEqual([expect.stringMatching(/^\d+:\d+ this is nested too deep: .*\.$/)])
})

describe('errors', () => {
  test('of every kind are reported together, each with its place and what to do', async () => {
    const text = `api:
  baseUrl: ftp://api.example.com
  clientId: 12345
  clientSecret:
  timeout: 30 seconds
  lateAnswer: 48h
  conections: 4
  connections: 5000
journal: postgres://db/journal
mailbox: {}
mailboxes:
  erp: { type: directory, path: ./exchange }
  ERP 2: { type: directory, path: ./exchange }
  legacy: { type: ftps, path: /out }
routes:
  orders-in:
    retialer: 1000
    operation: create-order
    from: { mailbox: erpp, folder: ../inbox, match: "a/*.csv" }
    results: { mailbox: erp, folder: results }
  shipments-in:
    retailer: 1000
    brand: 7
    operation: create-shipmnt
    from: { mailbox: erp, folder: inbox, stableFor: soon, archives: old }
    mapping: shipments.yaml
    results: { mailbox: erp, folder: inbox }
  invoices-in:
    retailer: 1000
    operation: create-invoice
    from: { mailbox: erp, folder: inbox/, match: "*.CSV", archive: inbox }
    mapping: invoices.yaml
    results: { mailbox: erp }
  orders-out:
    brand: 1.5
    operation: export-orders
    mapping: orders.yaml
    to: { mailbox: erp, folder: out, name: "orders/{dya}.csv" }
    acknowledge: always
    verifyBeforeAck: maybe
  nothing:
`
    expect(await errorsOf(text)).toEqual([
      '2:12 api.baseUrl: must be an address such as https://api.example.com, without a password, "?" or "#".',
      '3:13 api.clientId: must be text; put it in quotes.',
      '4:16 api.clientSecret: has no value.',
      '5:12 api.timeout: must be a duration of at most a day, such as 500ms, 30s, 15m or 1h.',
      '6:15 api.lateAnswer: must be a duration of at most a day, such as 500ms, 30s, 15m or 1h.',
      '7:3 api.conections: unknown key. Did you mean "connections"?',
      '8:16 api.connections: must be at most 512.',
      '9:10 journal: must be sqlite: and a path, such as sqlite:./state/journal.db.',
      '10:1 mailbox: unknown key. Did you mean "mailboxes"?',
      '13:3 mailboxes.ERP 2: a name holds lower-case letters, digits and hyphens only, such as erp-2.',
      '14:19 mailboxes.legacy.type: must be one of directory, sftp. Did you mean "sftp"?',
      '16:3 routes.orders-in.mapping: is missing: write it such as `mapping: mappings/orders.yaml`.',
      '16:3 routes.orders-in: says nothing of its retailer: write "retailer:" and the id.',
      '17:5 routes.orders-in.retialer: unknown key. Did you mean "retailer"?',
      '19:22 routes.orders-in.from.mailbox: there is no such mailbox. Did you mean "erp"?',
      '19:36 routes.orders-in.from.folder: must be a folder within the mailbox, such as inbox/orders: relative, with "/" and without "..".',
      '19:53 routes.orders-in.from.match: matches names of files, with * and ? for any letters: it cannot hold "/" or "\\".',
      '23:5 routes.shipments-in.brand: a route is for a retailer or for a brand, not both.',
      '24:16 routes.shipments-in.operation: "create-shipmnt" is not known. Did you mean "create-shipment"?',
      '25:53 routes.shipments-in.from.stableFor: must be a duration of at most a day, such as 500ms, 30s, 15m or 1h.',
      '25:59 routes.shipments-in.from.archives: unknown key. Did you mean "archive"?',
      '27:38 routes.shipments-in.results.folder: results would be left where the route shipments-in takes files from; use another folder.',
      '29:5 routes.invoices-in.retailer: create-invoice is done by a brand: write "brand:" and its id instead of "retailer:".',
      '31:5 routes.invoices-in.from: takes the same files as the route shipments-in: give one of them another folder, or another match.',
      '31:68 routes.invoices-in.from.archive: done files would be left where the route shipments-in takes files from; use another folder.',
      '35:12 routes.orders-out.brand: must be a whole number.',
      '38:44 routes.orders-out.to.name: has {dya}, which is not a placeholder: use {date:…}, {day:…}, {seq}, {route} or a field of the record.',
      '38:44 routes.orders-out.to.name: is the name of a file: it cannot hold / \\ < > : " | ? *.',
      '38:44 routes.orders-out.to.name: needs {seq}, {date:…} or {day:…}, or every file would have the same name.',
      '39:18 routes.orders-out.acknowledge: must be one of delivered, picked-up, receipt, never.',
      '40:22 routes.orders-out.verifyBeforeAck: must be true or false.',
      '41:11 routes.nothing: has no value.',
    ])
  })

  test.each([
    [
      'folder: inbox/orders }',
      'folder: inbox/orders, match: "^.*csv$" }',
      'from.match: is no regular expression: only * and ? stand',
    ],
    ['retailer: 1000', 'retailer: "1000"', 'retailer: must be a number: write it without quotes.'],
    ['results: { mailbox: erp }', 'results: erp', 'results: must hold keys and values, those of mailbox,'],
    [
      'results: { mailbox: erp }',
      'results: { mailbox: erp }\n    steps: [close-order]',
      'steps.0: must hold keys and values, such as { operation: close-order }.',
    ],
  ])('say which form is meant where %j is written as %j', async (right, wrong, error) => {
    expect(WHOLE).toContain(right)

    expect((await errorsOf(WHOLE.replace(right, wrong))).join('\n')).toContain(`routes.orders-in.${error}`)
  })

  test('of a route with a wrong name do not hide behind the name', async () => {
    const text = WHOLE.replace('  orders-in:', '  Orders In:').replace(
      'operation: create-order',
      'operation: create-ordr',
    )

    expect(await errorsOf(text)).toEqual([
      expect.stringMatching(/ routes\.Orders In: a name holds .* only, such as orders-in\.$/),
      expect.stringMatching(/ routes\.Orders In\.operation: .* Did you mean "create-order"\?$/),
    ])
  })

  test('of a missing part name the part', async () => {
    expect(await errorsOf('state: ./state\n')).toEqual([
      '1:1 api: is missing.',
      '1:1 mailboxes: is missing.',
      '1:1 routes: is missing.',
    ])
  })

  test('in a route without an operation name the operations there are', async () => {
    const [first] = await errorsOf(WHOLE.replace('    operation: create-order\n', ''))
    expect(first).toBe(`8:3 routes.orders-in.operation: is missing: it must be one of ${OPERATIONS}.`)
  })

  test('of two export routes whose files would collide are reported', async () => {
    const twice = `${WHOLE}${SHIPMENTS_OUT.replace('shipments-out', 'shipments-too').replace('retailer: 1000', 'retailer: 1001')}`
    expect(await errorsOf(twice)).toEqual([
      '23:38 routes.shipments-too.to.name: gives files the same names as the route shipments-out; put {route} into the name.',
    ])
    expect((await load(twice.replaceAll('-{seq}', '-{seq}-{route}'))).routes).toHaveLength(3)
  })

  test('of two routes that could take one file are reported with the name of such a file', async () => {
    const other = (folder: string) =>
      ORDERS_IN.replace('orders-in', 'others-in').replace('inbox/orders', folder)
    expect(await errorsOf(`${WHOLE}${other('inbox/orders, match: "acme-*.csv"')}`)).toEqual([
      '22:5 routes.others-in.from: takes files that the route orders-in takes, too, such as acme-.csv: let no name match both, or give one of them its own folder.',
    ])
    expect((await load(`${WHOLE}${other('inbox/orders, match: "*.txt"')}`)).routes).toHaveLength(3)
  })

  test('folders of this machine are compared by their real place, whichever mailbox names them', async () => {
    const same = JSON.stringify(join(dirname(path), 'exchange/inbox'))
    const folders = `${API}mailboxes:\n  erp: { type: directory, path: ./exchange }\n  inbox: { type: directory, path: ${same} }\nroutes:\n`
    const others = ORDERS_IN.replace('orders-in', 'others-in').replace(
      'mailbox: erp, folder: inbox/orders',
      'mailbox: inbox, folder: orders',
    )
    expect(await errorsOf(`${folders}${ORDERS_IN}${others}`)).toEqual([
      '18:5 routes.others-in.from: takes the same files as the route orders-in: give one of them another folder, or another match.',
    ])
  })

  test('a results folder may not be where another route takes files from', async () => {
    const text = `${WHOLE}${ORDERS_IN.replace('orders-in', 'corrections').replace('inbox/orders', './results/')}`
    expect(await errorsOf(text)).toEqual([
      '13:5 routes.orders-in.results.folder: results would be left where the route corrections takes files from; use another folder.',
      '24:5 routes.corrections.results.folder: results would be left where the route corrections takes files from; use another folder.',
    ])
  })

  test('an inbox in the results folder of several other routes is one error, at the inbox', async () => {
    const others = ['one', 'two'].map((name) =>
      ORDERS_IN.replace('orders-in', name).replace('inbox/orders', `inbox/${name}`),
    )
    const wrong = ORDERS_IN.replace('orders-in', 'corrections').replace('inbox/orders', 'results')
    expect(await errorsOf(`${WHOLE}${others.join('')}${wrong}`)).toEqual([
      expect.stringMatching(
        /^\d+:\d+ routes\.corrections\.from\.folder: is where the results of routes\.orders-in, routes\.one, routes\.two are left, so no files may be taken from there; use another folder\.$/,
      ),
    ])
  })

  test('a name from the language itself is no mailbox', async () => {
    expect(await errorsOf(WHOLE.replace('to: { mailbox: erp', 'to: { mailbox: constructor'))).toEqual([
      '18:20 routes.shipments-out.to.mailbox: there is no such mailbox. Known: erp.',
    ])
  })

  test('a timeout of nothing is refused', async () => {
    expect(await errorsOf(WHOLE.replace('api:\n', 'api:\n  timeout: 0s\n'))).toEqual([
      '2:12 api.timeout: must be longer than nothing.',
    ])
  })

  test.each([
    ['user: acme', 'user: unknown key. Did you mean "username"?'],
    ['username: acme, path: out, pass: x', 'pass: unknown key. Did you mean "password'],
  ])('the beginning of a setting means it, and not one that is set: %s', async (login, error) => {
    const erp = `{ type: sftp, host: sftp.example.com, ${login} }`

    const errors = await errorsOf(WHOLE.replace('{ type: directory, path: ./exchange }', erp))

    expect(errors.join('\n')).toContain(error)
  })

  test.each(['orders-[0-9]*.csv', '[a-z', '*.{csv,txt}'])(
    'a pattern with a choice of letters is refused, because it would match itself only: %s',
    async (pattern) => {
      const from = `inbox/orders, match: "${pattern}" }`
      const [error = '', ...others] = await errorsOf(WHOLE.replace('inbox/orders }', from))

      expect(error).toContain('orders-in.from.match: only * and ? stand for other letters: write ? for each')
      expect(others).toEqual([])
    },
  )
})

describe('names and patterns that fit nothing', () => {
  test.each(['*.csv, *.txt', '*.csv;*.txt', '*.csv|*.txt'])(
    'several patterns in one are refused, because no file would match them: %s',
    async (pattern) => {
      const from = `inbox/orders, match: "${pattern}" }`

      const errors = await errorsOf(WHOLE.replace('inbox/orders }', from))

      expect(errors.join('\n')).toContain(
        'orders-in.from.match: is one pattern: write one that fits all files',
      )
      expect(errors).toHaveLength(1)
    },
  )

  test('an unknown mailbox is refused with the known ones', async () => {
    const errors = await errorsOf(WHOLE.replace('from: { mailbox: erp', 'from: { mailbox: warehouse'))

    expect(errors.join('\n')).toContain('orders-in.from.mailbox: there is no such mailbox. Known: erp.')
  })

  test('a variable that is not set is named with the one that is spelt like it', async () => {
    await writeFile(path, WHOLE)

    await expect(
      loadConfiguration(path, { API_URL: 'https://a.example', CLIENT_ID: 'x', CLIENT_SECRT: 'y' }),
    ).rejects.toMatchObject({
      details: [expect.stringContaining('CLIENT_SECRET is not set. Did you mean "CLIENT_SECRT"?')],
    })
  })

  test('a variable that stands elsewhere in the configuration is not proposed for one that is not set', async () => {
    await writeFile(path, WHOLE)

    await expect(
      loadConfiguration(path, { API_URL: 'https://a.example', CLIENT_ID: 'x' }),
    ).rejects.toMatchObject({ details: [expect.stringMatching(/CLIENT_SECRET is not set\.$/)] })
  })

  test('the name of a variable without braces is refused where there is such a variable', async () => {
    await writeFile(path, WHOLE.replace('${CLIENT_ID}', '$CLIENT_ID'))

    await expect(
      loadConfiguration(path, { API_URL: 'https://a.example', CLIENT_ID: 'x', CLIENT_SECRET: 'y' }),
    ).rejects.toMatchObject({
      details: [
        expect.stringContaining(
          '"$CLIENT_ID" stands for itself. Write ${CLIENT_ID} for the environment variable.',
        ),
      ],
    })
  })
})

describe('a file that is no configuration at all', () => {
  test('says so when it is missing', async () => {
    await expect(loadConfiguration(path, ENV)).rejects.toMatchObject({
      code: 'configuration-invalid',
      message: `The configuration file ${path} cannot be read.`,
      fix: 'Name the configuration file with --config, or write a new one: `dropbridge init`.',
      cause: expect.objectContaining({ code: 'ENOENT' }),
    })
  })

  test('names the one that is there under a name like it', async () => {
    await writeFile(path, 'api: {}\n')
    const wrong = `${path.slice(0, -'.yaml'.length)}.yml`
    await expect(loadConfiguration(wrong, ENV)).rejects.toMatchObject({
      message: `The configuration file ${wrong} cannot be read. Did you mean "${basename(path)}"?`,
    })
  })

  test('asks for the right to read it, and for no new one, where that is what lacks', async () => {
    await writeFile(path, 'api: {}\n', { mode: 0 })
    await chmod(folder, 0o755)

    await expect(asUser(() => loadConfiguration(path, ENV))).rejects.toMatchObject({
      code: 'configuration-invalid',
      fix: 'Let the user that runs dropbridge read the file.',
    })
  })

  test.each([
    ['', '1:1 the file is empty.'],
    ['just text', '1:1 the file must hold keys and values.'],
    ['state: a: b\n', '1:8 a value with ": " in it must be in quotes.'],
    [
      'api: {\n',
      '2:1 the indentation does not fit the lines above, or a bracket, brace or quote there is not closed. The rest was not checked.',
    ],
    ['api: "a\n', '2:1 a character is missing here: a quote, a bracket, a brace, a comma or a colon.'],
    ['api:\n\tbaseUrl: x\n', '2:1 a tab cannot indent; use spaces. The rest was not checked.'],
    [
      'api: *gone\n',
      '1:6 a value that starts with * stands for an anchor, and there is none of that name; put text in quotes.',
    ],
    ['api: {}\n---\napi: {}\n', '2:1 a second document starts here; there must be one.'],
  ])('says what is wrong with %j', async (text, error) => {
    expect(await errorsOf(text)).toContain(error)
  })

  test.each([
    ['\toperation: create-order', '10:1 a tab cannot indent; use spaces.'],
    [' \toperation: create-order', '10:1 a tab cannot indent; use spaces.'],
    [
      '   operation: create-order',
      '10:1 the indentation does not fit the lines above, or a bracket, brace or quote there is not closed.',
    ],
    ['      operation: create-order', '9:15 this line is indented too little, or the next line too far.'],
    [
      '    operation create-order',
      '10:5 a key without a colon and a blank behind it, or a quote that is not closed.',
    ],
  ])('names only the first place where %j breaks the structure', async (line, error) => {
    const broken = WHOLE.replace('    operation: create-order', line)
    expect(await errorsOf(broken)).toEqual([`${error} The rest was not checked.`])
  })

  test('says the form of a time at once where a number stands', async () => {
    const text = WHOLE.replace('baseUrl: ${API_URL}', 'baseUrl: ${API_URL}\n  timeout: 5')
    expect(await errorsOf(text)).toEqual([
      '3:12 api.timeout: must be a duration of at most a day, such as 500ms, 30s, 15m or 1h.',
    ])
  })

  test('names a key that occurs twice, beside the other errors', async () => {
    expect(await errorsOf(`${WHOLE}${ORDERS_IN}    extra: 1\n`)).toEqual([
      '19:3 the key orders-in appears twice; name one of them otherwise, put both parts under one, or remove one.',
      expect.stringMatching(/^25:5 routes\.orders-in\.extra: unknown key\. Known here: .*every, cron, daily/),
    ])
    expect((await errorsOf(`${WHOLE}routes:\n  other: {}\n`))[0]).toMatch(
      /^\d+:\d+ the key routes appears twice; name one of them otherwise, put both parts under one, or remove one\.$/,
    )
  })
})

describe('secrets', () => {
  test.each([
    ['a value of the wrong kind', 'baseUrl: ${CLIENT_SECRET}'],
    ['a wrong choice', 'baseUrl: x\n  timeout: ${CLIENT_SECRET}\n  connections: ${CLIENT_SECRET}'],
    ['a tag', 'baseUrl: !s3cret x'],
    ['an alias', 'baseUrl: *s3cret'],
    ['a broken text', 'baseUrl: "s3cret'],
    ['a forbidden start', 'baseUrl: @s3cret'],
    ['a broken escape', 'baseUrl: "s3cret\\q"'],
    ['an address with a password', 'baseUrl: https://me:s3cret@api.example.com'],
  ])('never appear in a message about %s', async (_, line) => {
    const error: unknown = await load(WHOLE.replace('baseUrl: ${API_URL}', line)).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(BridgeError)
    const message =
      error instanceof BridgeError ? [error.message, ...error.details, String(error.cause)].join('\n') : ''
    expect(message).toContain(path)
    expect(message).not.toContain('s3cret')
  })
})
