/** `check` and `check --online`: exit codes, and a fix for each failure. */
import { spawnSync } from 'node:child_process'
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { makeCertificate } from '../fixtures/certificate.ts'
import { writeConfigurationFile } from '../fixtures/configuration-file.ts'
import { commandsOf } from '../fixtures/office.ts'
import { aWorld } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

test.each([
  ['nothing', /$^/, '', 0],
  ['a secret that is refused', /clientSecret: "[^"]*"/, 'clientSecret: wrong', 77],
  ['the id of somebody else', /retailer: \d+/, 'retailer: 4711', 78],
])('%s', async (_what, right, wrong, exit) => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  const path = join(world.folder, 'dropbridge.yaml')
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.replace(right, wrong))

  const result = await run('check', '--online')

  expect(result.exit).toBe(exit)
  expect(result.err).toContain(exit === 0 ? 'are right' : 'The configuration has errors.')
})

test.each([
  ['300ms', 'warning: api.lateAnswer is 0.3s'],
  ['149s', 'Set it to 150s or more'],
  ['150s', ''],
])('a lateAnswer of %s beside a timeout of 30 s: "%s"', async (lateAnswer, warning) => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  const path = join(world.folder, 'dropbridge.yaml')
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.replace('lateAnswer: 300ms', `lateAnswer: ${lateAnswer}`))

  const result = await run('check')

  expect(result.exit).toBe(0)
  expect(result.err).toContain(warning)
  expect(result.err.includes('api.lateAnswer')).toBe(warning !== '')
})

test('an example whose last line has no line end is a warning, unless the files of the route end so', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  const path = join(world.folder, 'dropbridge.yaml')
  const configuration = await readFile(path, 'utf8')
  const mappingPath = /mapping: (\S+)/.exec(configuration)?.[1] ?? ''
  const mapping = join(world.folder, 'open.yaml')
  await writeFile(join(world.folder, 'open.csv'), 'PO Number,Qty\nHV-1,2\nHV-2,12')
  await writeFile(join(world.folder, 'open.json'), '[]')
  const own = `extends: ${mappingPath}\nexamples: [{ input: open.csv, expect: open.json }]\n`
  await writeFile(mapping, own)
  await writeFile(path, configuration.replace(mappingPath, mapping))
  const warning = 'the last line of the example open.csv has no line end'

  expect((await run('check')).err).toContain(warning)
  const ending = configuration
    .replace(mappingPath, mapping)
    .replace('from: {', 'from: { lastLineEnd: optional,')
  await writeFile(path, ending)
  expect((await run('check')).err).not.toContain(warning)
})

/** The port of a server that answers 404 to everything. */
async function listen(server: Server): Promise<number> {
  server.on('request', (_, response) => response.writeHead(404).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const closedPort = async () => {
  const server = createHttpServer()
  const port = await listen(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

test.each([
  [
    'https to an http port',
    async () => `https://127.0.0.1:${await listen(createHttpServer())}`,
    'The server speaks http at this port: write http://, or the port of https, in api.baseUrl.',
  ],
  [
    'http to an https port',
    async () => `http://127.0.0.1:${await listen(createHttpsServer(makeCertificate()))}`,
    'If the API speaks https, write https:// in api.baseUrl; else run again later.',
  ],
  [
    'a host name that does not exist',
    () => Promise.resolve('https://no-such-host.invalid'),
    'Check the host name in api.baseUrl, and whether this machine can resolve it.',
  ],
  [
    'a refused connection',
    async () => `http://127.0.0.1:${await closedPort()}`,
    'Nothing listens there: start the API, or correct api.baseUrl; then run again, nothing is lost.',
  ],
  [
    'a self-signed certificate',
    async () => `https://127.0.0.1:${await listen(createHttpsServer(makeCertificate()))}`,
    'Start with NODE_EXTRA_CA_CERTS=FILE, where FILE has the certificate of its authority.',
  ],
  [
    'an address without the API',
    async () => `http://127.0.0.1:${await listen(createHttpServer())}`,
    'Check that api.baseUrl names the API itself, not a proxy or a login page.',
  ],
])('%s: run and check --online end with the right fix', async (_what, address, fix) => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  const path = join(world.folder, 'dropbridge.yaml')
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.replace(/baseUrl: .*/, `baseUrl: ${await address()}`))
  await world.drop(
    'inbox/orders',
    'orders.csv',
    ordersFile(sampleOrders({ seed: 61, orders: 1, damageEvery: 0 })).text,
  )

  const [check, work] = [await run('check', '--online'), await run('run')]

  expect(check.err).toContain(`fix: ${fix}`)
  expect(check.err).not.toContain('The configuration and the mappings')
  expect(work.err).toContain(fix)
})

test('a refused login is followed by its fix', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  const path = join(world.folder, 'dropbridge.yaml')
  await writeFile(
    path,
    (await readFile(path, 'utf8')).replace(/clientSecret: "[^"]*"/, 'clientSecret: wrong'),
  )

  const { err } = await run('check', '--online')

  expect(err).toMatch(/^wrong: route orders: .*\n    fix: Check clientId and clientSecret under `api`/m)
})

test('a journal that is a folder, another file, below a file, or not there yet', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  const { path } = world.configuration.journal

  const absent = await run('check')
  await mkdir(path, { recursive: true })
  const folder = await run('check')
  await rm(path, { recursive: true })
  await writeFile(path, 'Dear diary, '.repeat(500))
  const other = await run('check')
  await rm(dirname(path), { recursive: true })
  await writeFile(dirname(path), '')
  const below = await run('check')

  expect([absent.exit, folder.exit, other.exit, below.exit]).toEqual([0, 78, 78, 78])
  expect(absent.out).toContain(`journal: ${path} is not there; the first run creates it`)
  const inbox = join(world.folder, 'exchange', 'inbox', 'orders')
  expect(absent.out).toContain(`orders: the inbox ${inbox} is not there; the first run creates it`)
  expect(folder.err).toContain(
    `wrong: The journal ${path} is a folder.\n    fix: Name a file in the folder: \`journal: sqlite:${path}/journal.db\`. Keep the journal that you have.`,
  )
  expect(other.err).toContain('file is not a database')
  expect(other.err).toContain('    fix: Correct the path, put a backup back, or move the file away and:')
  expect(below.err).toContain('    fix: Move that file away, or write another path in `journal`.')
})

test('an inbox that is gone after files came from it', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  await world.drop(
    'inbox/orders',
    'orders.csv',
    ordersFile(sampleOrders({ seed: 61, orders: 1, damageEvery: 0 })).text,
  )
  await world.run('orders')
  await rm(join(world.folder, 'exchange/inbox/orders'), { recursive: true })

  const [check, work] = [await run('check'), await run('run')]

  expect([check.exit, work.exit]).toEqual([78, 69])
  for (const text of [check.err, work.err]) {
    expect(text).toContain('The inbox of route orders is gone')
    expect(text).toContain('fix: Mount its share, or make inbox/orders in the folder of its mailbox again.')
  }
})

test('a mailbox whose folder is not there is named with what to do', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  await rm(join(world.folder, 'exchange'), { recursive: true, force: true })

  const { exit, err } = await run('check')

  expect(exit).toBe(78)
  expect(err).toContain('exchange is not there: make it, mount it, or correct `path`')
})

test('a file at the place of a folder that a route uses is named with its fix', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  const paths = ['inbox/orders', 'results'].map((folder) => join(world.folder, 'exchange', folder))
  for (const path of paths) {
    await rm(path, { recursive: true, force: true })
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, '')
  }

  const check = await run('check', '--online')

  expect(check.exit).toBe(78)
  for (const path of paths) {
    expect(check.err).toContain(
      `wrong: ${path} is a file where a folder should be.\n    fix: Remove or rename that file, or name another folder`,
    )
  }
})

test('a folder of results or of the archive that this user cannot write is named with its fix', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const env = await writeConfigurationFile(world)
  const results = join(world.folder, 'exchange/results')
  await mkdir(results, { recursive: true })
  await chmod(results, 0o555)
  await chmod(world.folder, 0o755)
  for (const each of ['exchange', 'dropbridge.yaml']) await chmod(join(world.folder, each), 0o755)

  // Permissions do not bind root, so that the program runs as another user where the tests run as root.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'check'], {
    cwd: world.folder,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    ...user,
  })
  await chmod(results, 0o700)

  expect(stderr).toContain(
    `wrong: ${results} cannot be written by the user that runs this check.\n    fix: Let that user write there`,
  )
  expect(status).toBe(78)
})

test('an empty inbox beside a folder of nearly its name with files is named by check, run and status', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  await world.drop('inbox/order', 'new.csv', ordersFile([]).text)
  const message =
    'route orders reads inbox/orders, which is not there; 1 file in inbox/order beside it, which no route reads'
  const fix =
    'If inbox/order is meant, correct `folder` under `from`; if not, move its files into inbox/orders.'

  const checked = await run('check')
  const ran = await run('run', 'orders')
  const again = await run('run', 'orders')
  const status = await run('status')
  await rm(join(world.folder, 'exchange/inbox/order'), { recursive: true })
  const emptied = await run('run', 'orders')

  expect(checked).toMatchObject({ exit: 0, err: expect.stringContaining(`warning: ${message}. ${fix}`) })
  for (const each of [ran, again]) {
    expect(each.exit).toBe(0)
    expect(each.err.split('which no route reads')).toHaveLength(2)
    expect(each.err).toContain(`    fix: ${fix}`)
  }
  expect(status.out).toContain('1 file in inbox/order beside it, which no route reads (inbox-mistyped')
  expect(status.out).not.toContain('file-misplaced')
  expect(emptied.err).not.toContain('no route reads')
})

test('a folder that begins with the path of its mailbox is named with the one that has the files', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  const path = join(world.folder, 'dropbridge.yaml')
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.replace('folder: inbox/orders', 'folder: exchange/inbox/orders'))
  await world.drop('inbox/orders', 'new.csv', ordersFile([]).text)
  const message =
    'route orders reads exchange/inbox/orders, which is not there; 1 file in inbox/orders, which no route reads'
  const fix = 'Write `folder: inbox/orders`: the path of its mailbox exchange ends with the rest already.'

  const checked = await run('check')
  const ran = await run('run', 'orders')

  expect(checked).toMatchObject({ exit: 0, err: expect.stringContaining(`warning: ${message}. ${fix}`) })
  expect(ran.err).toContain('which is empty; 1 file in inbox/orders, which no route reads')
  expect(ran.err).toContain(`    fix: ${fix}`)
})

test('a mapping of another operation than its route does is named alone, and not with the fields of that operation', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  const path = join(world.folder, 'dropbridge.yaml')
  const configuration = await readFile(path, 'utf8')
  const mappingPath = /mapping: (\S+)/.exec(configuration)?.[1] ?? ''
  const own = join(world.folder, 'own.yaml')
  const text = await readFile(mappingPath, 'utf8')
  await writeFile(own, text.replace(/^operation: create-order$/m, 'operation: create-shipment'))
  await writeFile(path, configuration.replace(mappingPath, own))

  const result = await run('check')

  expect(result.exit).toBe(78)
  const found = result.err.split('\n').filter((line) => line.startsWith('  ') && !line.startsWith('  fix'))
  const wrong = 'route orders does create-order, and this mapping is for create-shipment: correct one of them'
  expect(found).toEqual([expect.stringMatching(new RegExp(`own\\.yaml:\\d+:12 operation: ${wrong}$`))])
})

test('a mapping file that is not there is named with the one of its folder that was meant', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  const path = join(world.folder, 'dropbridge.yaml')
  const text = await readFile(path, 'utf8')
  for (const [written, meant] of [
    ['retailer-ordres.yaml', 'retailer-orders.yaml'],
    ['retailer-orders', 'retailer-orders.yaml'],
    ['quite-another-name.yaml', ''],
  ] as const) {
    await writeFile(path, text.replace(/retailer-orders\.yaml/g, written))

    const { exit, err } = await run('check')

    expect(exit).toBe(78)
    expect(err).toContain(`${written} is not there`)
    expect(/Did you mean "(.*?)"/.exec(err)?.[1] ?? '').toBe(meant)
  }
})

/** A copy of the ready mapping of orders, with one change, and the output of a check of it. */
async function checkChanged(before: string, after: string) {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  const path = join(world.folder, 'dropbridge.yaml')
  const configuration = await readFile(path, 'utf8')
  const mappingPath = /mapping: (\S+)/.exec(configuration)?.[1] ?? ''
  const folder = dirname(mappingPath)
  const text = (await readFile(mappingPath, 'utf8'))
    .replace('file: tables', `file: ${folder}/tables`)
    .replaceAll('../samples', `${dirname(folder)}/samples`)
  await writeFile(join(world.folder, 'own.yaml'), text.replace(before, after))
  await writeFile(path, configuration.replace(mappingPath, join(world.folder, 'own.yaml')))
  return run('check')
}

test('an example that is not there is named with the mapping and its line', async () => {
  const { exit, err } = await checkChanged('retailer-orders.csv', 'none.csv')

  expect(exit).toBe(78)
  expect(err).toMatch(/own\.yaml:\d+:\d+ examples\[0\]\.input: the file \S+ is not there: copy it too/)
})

test('a column that the example does not have is followed by what to correct', async () => {
  const { exit, err } = await checkChanged('quantity: Qty', 'quantity: Quantity')

  expect(exit).toBe(78)
  expect(err).toContain('Add the column, or correct body.order_lines[].quantity in the mapping.')
})

test('unfinished work of a route that was renamed is a warning with its name, how many files, and the fix', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  const path = join(world.folder, 'dropbridge.yaml')
  const text = await readFile(path, 'utf8')
  await world.drop(
    'inbox/orders',
    'a.csv',
    ordersFile(sampleOrders({ seed: 5, orders: 2, damageEvery: 0 })).text,
  )
  await world.service.close()
  await run('run')
  const before = await run('check')
  await writeFile(path, text.replace('\n  orders:', '\n  purchases:'))

  const { exit, err } = await run('check')
  const status = await run('status')

  expect(before.err).not.toContain('unfinished work')
  expect(exit).toBe(0)
  expect(err).toContain(
    'warning: the configuration has no route orders any more, and it has unfinished work: 1 file.' +
      ' Give the route back its name, orders, at least until its work is done.',
  )
  expect(status.out).toContain('it has unfinished work: 1 file (route-not-configured')
})

test.each([
  ['acknowledges what it delivers', '', true],
  ['leaves the acknowledging to that route', 'acknowledge: never', false],
])('beside a route that acknowledges orders from files, an export that %s', async (_what, setting, warns) => {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  const run = await commandsOf(world)
  const path = join(world.folder, 'dropbridge.yaml')
  const text = await readFile(path, 'utf8')
  const mapping = join(process.cwd(), 'mappings/supplier-acknowledgements.yaml')
  const lines = text.split('\n')
  const at = lines.findIndex((line) => line.startsWith('  orders-out:'))
  const brand = lines.slice(at).find((line) => line.trim().startsWith('brand:')) ?? ''
  const answers = [
    '  order-answers:',
    brand,
    '    operation: acknowledge-order',
    `    mapping: ${JSON.stringify(mapping)}`,
    '    from: { mailbox: exchange, folder: inbox/answers }',
    '    results: { mailbox: exchange, folder: results }',
  ]
  lines.splice(at + 1, 0, ...(setting === '' ? [] : [`    ${setting}`]))
  lines.splice(at, 0, ...answers)
  await writeFile(path, lines.join('\n'))

  const result = await run('check')

  expect([result.exit, result.err], result.err).toEqual([0, expect.any(String)])
  const warning =
    'routes.orders-out acknowledges what it delivers, before the files of order-answers do: write `acknowledge: never` at routes.orders-out, and leave `receipt` out.'
  expect(result.err.replaceAll(/\s+/g, ' ').includes(warning)).toBe(warns)
})

test('the configuration of a supplier in docs/edi.md passes the check as it stands', async () => {
  const page = await readFile(new URL('../../docs/edi.md', import.meta.url), 'utf8')
  const section = page.slice(page.indexOf('## A supplier from start to end'))
  const [configuration = '', partner = ''] = [...section.matchAll(/```yaml\n([\s\S]*?)```/g)].map(
    ([, block]) => block ?? '',
  )
  const world = await aWorld({ routes: ['orders'] })
  const run = await commandsOf(world)
  const head =
    'api: { baseUrl: "http://127.0.0.1:1", clientId: x, clientSecret: y }\njournal: sqlite:./new/journal.db'
  const mappings = new URL('../../mappings/', import.meta.url).pathname
  await writeFile(
    join(world.folder, 'dropbridge.yaml'),
    `${head}\n${configuration.replaceAll('mapping: mappings/', `mapping: ${mappings}`)}`,
  )
  await mkdir(join(world.folder, 'partners'), { recursive: true })
  await writeFile(join(world.folder, 'partners', 'erp.yaml'), partner)
  await mkdir(join(world.folder, 'erp', 'in'), { recursive: true })

  const { exit, out, err } = await run('check')

  expect([exit, err]).toEqual([0, expect.stringContaining('are right')])
  expect(out).toContain('855 of erp to order-answers, 856 of erp to shipments-in')
})
