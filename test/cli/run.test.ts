/** The built program against the real service: what a scheduler and the operator see. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { formatRun } from '../../src/cli/format/run.ts'
import type { Summary } from '../../src/pipeline/inbound/summary.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { writeConfigurationFile } from '../fixtures/configuration-file.ts'
import { type Finished, runProgram, startProgram } from '../fixtures/program.ts'
import { runHere } from '../fixtures/terminal.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const DAMAGED = sampleOrders({ seed: 81, orders: 8, damageEvery: 4 })
const GOOD = DAMAGED.filter((order) => order.damage.length === 0)
const ROUTES = ['orders', 'orders-out']

interface Office {
  readonly world: World
  readonly env: NodeJS.ProcessEnv
  /** Runs the program and checks that it shows no secret and no stack trace. */
  run(args: readonly string[], changed?: NodeJS.ProcessEnv): Promise<Finished>
}

async function anOffice(): Promise<Office> {
  const world = await aWorld({ routes: ROUTES })
  const env = await writeConfigurationFile(world)
  return {
    world,
    env,
    async run(args, changed = {}) {
      const finished = await runHere(world.folder, args, { ...env, ...changed })
      expectNothingSecret(finished, { ...env, ...changed })
      return finished
    },
  }
}

function expectNothingSecret({ stdout, stderr }: Finished, env: NodeJS.ProcessEnv): void {
  const output = stdout + stderr
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith('CLIENT_SECRET') && value !== undefined) expect(output).not.toContain(value)
  }
  expect(output).not.toMatch(/Bearer [^ ]+|^\s+at .*\(/m)
}

const dropOrders = (world: World, name = 'orders.csv', orders = DAMAGED) =>
  world.drop('inbox/orders', name, ordersFile(orders).text)

test('a run prints a line per file and a line per export, and exits 2 when records were refused', async () => {
  const { world, run } = await anOffice()
  await dropOrders(world)

  const first = await run(['run'])
  const second = await run(['run'])

  expect(first.stderr.trimEnd().split('\n')).toEqual([
    'orders: orders.csv: 6 accepted, 2 rejected',
    // The first reason with its fix.
    expect.stringMatching(/^    the first: line \d+, .*\. [A-Z].*\.  \[[a-z-]+\]$/),
    `    results: ${join(world.folder, 'exchange/results/orders.csv.results.csv')}`,
    `    to correct and drop in under its name: ${join(world.folder, 'exchange/results/orders.csv.rejects.csv')}`,
    `orders-out: ${join(world.folder, 'exchange/outbox/orders-1.csv')}: 6 records, 6 acknowledged`,
  ])
  expect({ exit: first.exit, stdout: first.stdout }).toEqual({ exit: 2, stdout: '' })
  expect(second).toEqual({
    exit: 0,
    stdout: '',
    stderr: 'orders: nothing to do\norders-out: nothing to do\n',
  })
})

test('a file with a header and no rows is said to hold no records, with a code, in all its reports', async () => {
  const { world, run } = await anOffice()
  const [header = ''] = ordersFile(DAMAGED).text.split('\n')
  await world.drop('inbox/orders', 'empty.csv', `${header}\n`)

  const { exit, stderr } = await run(['run', 'orders'])

  expect(exit).toBe(0)
  expect(stderr).toContain(
    'orders: empty.csv: no records\n    The file has no rows of data. Nothing to do if there were none. If there were, have it sent again with its rows.  [file-without-records]\n',
  )
  const [row, ...more] = parseCsv(await world.read('results/empty.csv.results.csv'))
  expect(row).toMatchObject({ _status: 'skipped', _code: 'file-without-records' })
  expect(more).toEqual([])
  expect(JSON.parse(await world.read('results/empty.csv.summary.json'))).toMatchObject({
    outcome: 'processed',
    problems: [{ code: 'file-without-records', severity: 'warning' }],
    codes: { 'file-without-records': 1 },
  })
  expect(await world.list('results')).toEqual(['empty.csv.results.csv', 'empty.csv.summary.json'])
  expect((await run(['status'])).stdout).toMatch(/^empty\.csv +orders .* closed +no records$/m)
})

test('dates that read both ways are counted where another row shows that day and month may be swapped', async () => {
  const { world, run } = await anOffice()
  const text = ordersFile(GOOD).text.replaceAll(/\d\d\/\d\d\/(\d{4}) /g, '03/04/$1 ')
  await world.drop('inbox/orders', 'same.csv', text)
  await run(['run', 'orders'])
  const [date = ''] = /03\/04\/[\d :]+/.exec(text) ?? []
  const other = text
    .replaceAll(/^[^,\n]*-\d+(?=,)/gm, '$&-B')
    .replaceAll(date, date.replace('03/04/', '25/04/'))
  await world.drop('inbox/orders', 'swapped.csv', other)

  const { exit, stderr } = await run(['run', 'orders'])

  expect(exit).toBe(2)
  expect(stderr).toMatch(
    /    line 2, column "Order Date": "25\/04\/\d{4} \d\d:\d\d" is a date as dd\/MM\/yyyy HH:mm alone, and 5 dates of its column read both ways, and were taken as MM\/dd\/yyyy HH:mm\. If swapped: correct `format` in the mapping; `dropbridge undo KEY` says how to cancel what was sent\.  \[date-order-doubtful\]\n/,
  )
  expect(stderr).toMatch(
    /such as 12\/31\/2026 \d\d:\d\d; as dd\/MM\/yyyy HH:mm it is one\. If the file is right, /,
  )
  const readCodes = async (name: string) =>
    (JSON.parse(await world.read(`results/${name}.summary.json`)) as Summary).codes
  expect(await readCodes('swapped.csv')).toEqual({ 'date-expected': 1, 'date-order-doubtful': 1 })
  expect(await readCodes('same.csv')).toEqual({})
})

test('a file that is no text gets no rejects file to correct, and one in another encoding does', async () => {
  const { world, run } = await anOffice()
  const damaged = gzipSync(ordersFile(DAMAGED).text).subarray(0, 60)
  await world.drop('inbox/orders', 'book.csv', Buffer.from('PK\u0003\u0004[Content_Types].xml'))
  await world.drop('inbox/orders', 'cut.csv', damaged)
  await world.drop('inbox/orders', 'latin.csv', Buffer.from('PO Number,Gr\u00f6\u00dfe\n1,2\n', 'latin1'))

  const { exit, stderr } = await run(['run', 'orders'])

  expect(exit).toBe(65)
  expect(stderr).toMatch(
    /orders: book\.csv cannot be used\n +The file is an Excel workbook or zip archive, not CSV text\. Save it as CSV .* \[file-not-text\]/,
  )
  expect((await world.list('results')).filter((name) => name.includes('rejects'))).toEqual([
    'latin.csv.rejects.csv',
  ])
})

test('warnings are counted in the lines of a run, in the summary and in status', async () => {
  const { world, run } = await anOffice()
  const text = ordersFile(GOOD).text.replaceAll('/2026 ', '/2046 ')
  await world.drop('inbox/orders', 'late.csv', text)

  const { exit, stderr } = await run(['run', 'orders'])
  const quiet = await run(['status'])

  expect(exit).toBe(0)
  const results = join(world.folder, 'exchange/results/late.csv.results.csv')
  expect(stderr).toContain(`    6 warnings (date-implausible), see column _message of ${results}\n`)
  expect(stderr).toMatch(/ {4}the first: line 2, column "Order Date": .*in the future\. Sent as it is\./)
  expect(quiet.stdout).toMatch(/^late\.csv +orders .* 6 accepted, 6 warnings$/m)
  const summary = JSON.parse(await world.read('results/late.csv.summary.json')) as Summary
  expect(summary.warnings).toEqual({ 'date-implausible': 6 })
})

test('with --json stdout is one JSON document and stderr is empty', async () => {
  const { world, run } = await anOffice()
  await dropOrders(world)

  const { exit, stdout, stderr } = await run(['run', '--json'])

  const report = JSON.parse(stdout) as {
    exit: number
    routes: { route: string; files?: Summary[]; held?: number }[]
  }
  expect(stderr).toBe('')
  expect(report.exit).toBe(exit)
  expect(report.routes.map(({ route }) => route)).toEqual(['orders', 'orders-out'])
  expect(report.routes[0]?.files?.[0]?.records).toEqual({ total: 8, accepted: 6, rejected: 2 })
  expect(report.routes[1]?.held).toBe(0)
})

test('a file that cannot be used is reported with its reason, and the run exits 65', async () => {
  const { world, env } = await anOffice()
  await world.drop('inbox/orders', 'wrong.csv', 'Name,\u001b]0;mine\u0007Colour\nTable,red\n')

  const { exit, stderr } = await runProgram(world.folder, ['run', 'orders'], env)

  expect(exit).toBe(65)
  expect(stderr).toMatch(/^orders: wrong\.csv cannot be used\n {4}line 1: .*"PO Number"/m)
  expect(stderr, 'what a file says must not reach the terminal as it is').toContain(
    '\\u001b]0;mine\\u0007Colour',
  )
  expect(stderr).not.toContain('\u001b')
})

test('status shows what is done, and names a file that no route takes', async () => {
  const { world, run } = await anOffice()
  await dropOrders(world)
  await run(['run'])
  await world.drop('inbox/orders', 'orders.csv.bak', 'x')

  const { exit, stdout } = await run(['status'])
  const data = await run(['status', '--json'])

  // Rejected records, and a file that no route takes, need a person.
  expect(exit).toBe(2)
  expect(stdout).toMatch(/^orders +6 accepted, 2 rejected +no records +idle$/m)
  expect(stdout).toMatch(/^orders-out +no records +6 acknowledged +idle$/m)
  // Under another clock the dates of the sample are implausible.
  expect(stdout).toMatch(/^orders\.csv +orders .* closed +6 accepted, 2 rejected(, 6 warnings)?$/m)
  expect(stdout).toMatch(/^orders-1\.csv +orders-out +6 .* acknowledged$/m)
  expect(stdout).toContain(`no route takes ${join(world.folder, 'exchange/inbox/orders/orders.csv.bak')}`)
  const report = JSON.parse(data.stdout) as { routes: unknown[]; unmatchedFiles: unknown[] }
  expect([report.routes.length, report.unmatchedFiles.length, data.stderr]).toEqual([2, 1, ''])
})

test('commands that only read need no credentials of the API, and run does', async () => {
  const { world, run } = await anOffice()
  await dropOrders(world)
  await run(['run'])
  const unset = { CLIENT_ID_RETAILER: undefined, CLIENT_SECRET_RETAILER: undefined }
  const readingCommands = [['status'], ['trace', 'orders.csv'], ['audit', 'verify'], ['notifications']]
  const exits = []
  for (const args of readingCommands) exits.push((await run(args, unset)).exit)
  const working = await run(['run'], unset)

  expect(exits).toEqual([2, 0, 0, 0])
  expect(working.exit).toBe(78)
  expect(working.stderr).toContain('the environment variable CLIENT_SECRET_RETAILER is not set.')
})

test('wrong credentials exit 77 with the work kept, and right ones finish it', async () => {
  const { world, run } = await anOffice()
  await dropOrders(world)

  const wrong = await run(['run', 'orders'], { CLIENT_SECRET_RETAILER: 'not-the-secret-of-anybody' })
  const after = world.service.counts().orders
  const right = await run(['run', 'orders'])

  expect(wrong.exit).toBe(77)
  expect(wrong.stderr).toContain('Check clientId and clientSecret under `api`')
  expect(after).toBe(0)
  expect(right.exit).toBe(2)
  expect(world.service.counts().orders).toBe(GOOD.length)
})

test('an API that is down exits 69 with the work kept, and a later run finishes it', async () => {
  const { world, env, run } = await anOffice()
  await dropOrders(world)
  const address = world.configuration.api.baseUrl
  const configure = async (baseUrl: string) => {
    Object.assign(world.configuration.api, { baseUrl })
    await writeConfigurationFile(world)
  }

  await configure('http://127.0.0.1:9')
  const down = await run(['run', 'orders'])
  await configure(address)
  const inboxMeanwhile = await world.list('inbox/orders')
  const up = await run(['run', 'orders'])

  expect(Object.keys(env)).toContain('CLIENT_SECRET_RETAILER')
  expect(down.exit).toBe(69)
  expect(down.stderr).toContain('The work is kept')
  expect(inboxMeanwhile).toEqual([])
  expect(up.exit).toBe(2)
  expect(world.service.counts().orders).toBe(GOOD.length)
  expect(await world.list('results')).toEqual([
    'orders.csv.rejects.csv',
    'orders.csv.results.csv',
    'orders.csv.summary.json',
  ])
})

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)(
  '%s ends a run with %i after a clean stop, and the next run finishes the file',
  async (name, exit) => {
    const { world, env, run } = await anOffice()
    const orders = sampleOrders({ seed: 82, orders: 150, damageEvery: 0 })
    await dropOrders(world, 'orders.csv', orders)
    // The API is slow enough that the signal comes in the middle on any machine.
    world.service.switches.latencyMs = 1
    const { sleep } = world.clock
    world.clock.sleep = async () => void (await new Promise((resolve) => setTimeout(resolve, 100)))
    const running = startProgram(world.folder, ['run', 'orders'], env)
    while (world.service.counts().orders < 20) await new Promise((resolve) => setTimeout(resolve, 5))

    running.process.kill(name)
    const stopped = await running.finished
    const posted = world.service.counts().orders
    world.clock.sleep = sleep
    world.service.switches.latencyMs = 0
    const next = await run(['run', 'orders'])

    expect(stopped.exit).toBe(exit)
    expect(stopped.stderr).toContain('orders: stopped by a signal')
    expect(stopped.stderr.split('\n')[0]).toBe('finishing what is in flight; a second signal ends it at once')
    expect(stopped.stderr).not.toContain('was finished')
    expect(posted).toBeLessThan(150)
    expect(next.exit).toBe(0)
    expect((await world.orders()).map((order) => order.purchase_order_number).toSorted()).toEqual(
      orders.map((order) => order.po),
    )
  },
)

test('the exit code of a signal can be mapped too, and the result as data has the one of the program', async () => {
  const { world, env } = await anOffice()
  await dropOrders(world, 'orders.csv', sampleOrders({ seed: 82, orders: 150, damageEvery: 0 }))
  world.service.switches.latencyMs = 50
  const args = ['run', 'orders', '--json', '--exit-map', '130=1,143=0']
  const running = startProgram(world.folder, args, env)
  while (world.service.counts().orders < 5) await new Promise((resolve) => setTimeout(resolve, 5))
  running.process.kill('SIGTERM')
  const stopped = await running.finished

  expect(stopped.exit).toBe(0)
  expect(JSON.parse(stopped.stdout)).toMatchObject({ exit: 143 })
})

test('a second signal ends a run at once, says so, and the next run posts nothing twice', async () => {
  const { world, env, run } = await anOffice()
  await dropOrders(world, 'orders.csv', GOOD)
  world.service.switches.latencyMs = 1
  let isAsked = false
  const { sleep } = world.clock
  world.clock.sleep = async () => {
    isAsked = true
    await new Promise((resolve) => setTimeout(resolve, 5_000))
  }
  const running = startProgram(world.folder, ['run', 'orders'], env)
  while (!isAsked) await new Promise((resolve) => setTimeout(resolve, 5))
  const firstOutput = new Promise((resolve) => running.process.stderr?.once('data', resolve))

  running.process.kill('SIGINT')
  await firstOutput
  running.process.kill('SIGINT')
  const { exit, stderr } = await running.finished
  world.clock.sleep = sleep
  world.service.switches.latencyMs = 0
  const next = await run(['run', 'orders'])

  expect(exit).toBe(130)
  expect(stderr.trimEnd().split('\n')).toEqual([
    'finishing what is in flight; a second signal ends it at once',
    'stopped at once; the next run continues from the journal',
  ])
  expect(next.exit).toBe(0)
  expect(world.service.counts().orders).toBe(GOOD.length)
})

test('a run that waits for late answers says how long it waits', async () => {
  const { world, env } = await anOffice()
  await writeConfigurationFile(world, '2s')
  await dropOrders(world, 'orders.csv', GOOD.slice(0, 1))
  world.service.switches.loseAnswer = 1
  const running = startProgram(world.folder, ['run', 'orders'], env)
  while (world.service.counts().orders === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  world.service.switches.loseAnswer = 0

  const { exit, stderr } = await running.finished

  expect(exit).toBe(0)
  expect(
    stderr
      .replace(/until [\d:]{8} UTC/, 'until TIME UTC')
      .trimEnd()
      .split('\n'),
  ).toEqual([
    'orders: orders.csv: waiting 2 seconds, until TIME UTC, before the first lookup of requests whose answers were lost (a late request could still take effect; it is safe to stop)',
    'orders: orders.csv: 1 accepted',
  ])
})

test('a run that waits after errors of the service names their status', async () => {
  const { world, env } = await anOffice()
  await writeConfigurationFile(world, '2s')
  await dropOrders(world, 'orders.csv', GOOD.slice(0, 1))
  world.service.switches.error500After = 1
  const running = startProgram(world.folder, ['run', 'orders'], env)
  while (world.service.counts().orders === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  world.service.switches.error500After = 0

  const { exit, stderr } = await running.finished

  expect(exit).toBe(0)
  expect(stderr.replace(/until [\d:]{8} UTC/, 'until TIME UTC')).toContain(
    'waiting 2 seconds, until TIME UTC, before the first lookup of requests that the API answered with HTTP 500 (a late request could still take effect; it is safe to stop)',
  )
})

test('two programs started at once on one folder post each order once', async () => {
  const { world, env } = await anOffice()
  await dropOrders(world)
  const start = () => runProgram(world.folder, ['run', 'orders'], env)

  const both = await Promise.all([start(), start()])

  // The slower one may start when the first has finished already; then it finds nothing to do.
  for (const { exit, stderr } of both) expect([0, 2, 75], stderr).toContain(exit)
  expect(both.filter(({ exit }) => exit === 2)).toHaveLength(1)
  expect(world.service.counts().orders).toBe(GOOD.length)
})

test('a reader that goes away, like head, is no failure: of stdout, of stderr, or of both', async () => {
  const { world, run } = await anOffice()
  const orders = sampleOrders({ seed: 83, orders: 600, damageEvery: 2 })
  await mkdir(join(world.folder, 'mine'))
  await writeFile(join(world.folder, 'mine', 'orders.csv'), ordersFile(orders).text)
  const mapping = world.configuration.routes[0]?.mappingPath ?? ''
  const command = `"${process.execPath}" "${MAIN}" translate mine/orders.csv -m "${mapping}"`

  const outcomes = await Promise.all([
    shell(world.folder, `set -o pipefail; ${command} 2>err1 | head -n 1`),
    shell(world.folder, `set -o pipefail; ${command} 2>&1 >/dev/null | head -n 1`),
    shell(world.folder, `set -o pipefail; ${command} 2>&1 | head -n 1`),
  ])

  for (const { exit, stdout, stderr } of outcomes) {
    expect(stderr).toBe('')
    expect(exit).toBe(2)
    expect(stdout.split('\n')).toHaveLength(2)
  }
  expect(outcomes[0]?.stdout).toContain('"purchase_order_number"')
  expect((await readdir(world.folder)).includes('err1')).toBe(true)
  expect((await run(['status'])).exit).toBe(0)
})

function shell(folder: string, command: string): Promise<Finished> {
  const child = spawn('bash', ['-c', command], { cwd: folder })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  return new Promise((resolve) => child.on('close', (exit) => resolve({ exit, stdout, stderr })))
}

test('the service makes no clients when another program has its port', async () => {
  const { world } = await anOffice()
  const port = new URL(world.service.baseUrl).port

  const { exit, stdout, stderr } = await startProgram(world.folder, ['service', '--port', port]).finished

  expect({ exit, stdout }).toEqual({ exit: 64, stdout: '' })
  expect(stderr).toContain(
    `The service cannot listen on 127.0.0.1, port ${port}: another program listens there.`,
  )
  expect(stderr).not.toContain('client secret')
  expect(existsSync(join(world.folder, 'service-data'))).toBe(false)
})

test('the service as a program prints where it listens and who may log in, and stops cleanly', async () => {
  const { world } = await anOffice()
  const running = startProgram(world.folder, ['service', '--port', '0', '--data', 'market', '--json'])
  const line = await new Promise<string>((resolve) =>
    running.process.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString())),
  )

  const { baseUrl, parties } = JSON.parse(line) as {
    baseUrl: string
    parties: { kind: string; clientSecret?: string }[]
  }
  const answer = await fetch(`${baseUrl}/v1/retailers/`)
  running.process.kill('SIGTERM')
  const { exit, stderr } = await running.finished

  expect(answer.status).toBe(401)
  expect(parties.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['retailer', 'brand']))
  expect(parties.every(({ clientSecret }) => (clientSecret ?? '').length > 20)).toBe(true)
  expect({ exit, stderr }).toEqual({
    exit: 143,
    stderr: 'finishing what is in flight; a second signal ends it at once\n',
  })
})

test('the service prints the variables of a new configuration, ready to be copied', async () => {
  const { world } = await anOffice()
  const running = startProgram(world.folder, ['service', '--port', '0', '--data', 'market'])
  let out = ''
  await new Promise<void>((resolve) =>
    running.process.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString()
      if (/^ {2}export DROPBRIDGE_CLIENT_ID=/m.test(out)) resolve()
    }),
  )
  running.process.kill('SIGTERM')
  await running.finished

  expect(out).toMatch(/^ {2}export DROPBRIDGE_API_URL=http:\/\/127\.0\.0\.1:\d+$/m)
  expect(out).toMatch(
    /^ {2}export DROPBRIDGE_CLIENT_ID=\S+ DROPBRIDGE_CLIENT_SECRET=\S{21,} {2}# retailer \d+$/m,
  )
})

/** An office whose route has a mapping of its own, which may be changed. */
async function anOfficeWithOwnMapping() {
  const world = await aWorld({ routes: ['orders'] })
  const [route] = world.configuration.routes
  const from = route?.mappingPath ?? ''
  await cp(dirname(from), join(world.folder, 'own'), { recursive: true })
  const mapping = join(world.folder, 'own', basename(from))
  const text = await readFile(mapping, 'utf8')
  Object.assign(route ?? {}, { mappingPath: mapping })
  const env = await writeConfigurationFile(world)
  return { world, mapping, text, run: (...args: string[]) => runHere(world.folder, args, env) }
}

test('a mapping that a run accepted is checked again when it changes, and a mistake ends the next run at its start', async () => {
  const { world, mapping, text, run } = await anOfficeWithOwnMapping()
  expect((await run('run')).exit).toBe(0)
  await writeFile(mapping, `${text}\nno_such_key: 1\n`)
  await dropOrders(world, 'orders.csv', GOOD)

  const broken = await run('run')
  await writeFile(mapping, text)
  const mended = await run('run')

  expect([broken.exit, mended.exit]).toEqual([78, 0])
  expect(broken.stderr).toContain(mapping)
  expect(broken.stderr).toContain('no_such_key')
  expect(world.service.counts().orders).toBe(GOOD.length)
})

test('a run that compiled nothing at its start translates the files that came with the accepted mapping', async () => {
  const { world, run } = await anOfficeWithOwnMapping()
  const idle = [await run('run'), await run('run')]
  const before = await run('status')
  await dropOrders(world, 'orders.csv', GOOD)
  const working = await run('run')

  expect([...idle, before, working].map(({ exit }) => exit)).toEqual([0, 0, 0, 0])
  expect(idle.map(({ stderr }) => stderr)).toEqual(idle.map(() => expect.stringContaining('nothing to do')))
  expect(before.stdout).toMatch(/^orders .*idle$/m)
  expect(world.service.counts().orders).toBe(GOOD.length)
})

test('from twenty routes without work on, one line counts them', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const [orders] = world.configuration.routes
  if (orders?.direction !== 'inbound') throw new Error('no such route')
  const routes = Array.from({ length: 21 }, (_, index) => ({
    ...orders,
    name: `orders-${index}`,
    from: { ...orders.from, folder: `inbox/${index}` },
  }))
  Object.assign(world.configuration, { routes })
  await world.drop('inbox/7', 'a.csv', ordersFile(sampleOrders({ seed: 8, orders: 1, damageEvery: 0 })).text)

  const lines = formatRun(await world.run())
  const few = formatRun(await world.run(...routes.slice(0, 19).map(({ name }) => name)))

  expect(lines).toContain('20 routes: nothing to do')
  expect(lines.filter((line) => line.endsWith(': nothing to do'))).toHaveLength(1)
  expect(lines.join()).toContain('orders-7: a.csv: 1 accepted')
  expect(few.filter((line) => line.endsWith(': nothing to do'))).toHaveLength(19)
  expect(few).not.toContain('19 routes: nothing to do')
})
