/** The built program as people use it: what it prints, where it prints it, and its exit codes. */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { REASONS } from '../../src/app/diagnose/reasons.ts'
import { PROBLEMS } from '../../src/domain/problem.ts'
import { FAILURES } from '../../src/support/errors.ts'
import { runProgram } from '../fixtures/program.ts'
import { runHere } from '../fixtures/terminal.ts'
import { aWorld } from '../fixtures/world.ts'
import { sampleShipments, shipmentsFile } from '../samples/fulfilment.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

const repository = new URL('../..', import.meta.url).pathname
const MAPPING = join(repository, 'mappings/retailer-orders.yaml')
const SAMPLE = join(repository, 'samples/orders/retailer-orders.csv')

/** No output of a refusal shows how the program is built. */
const STACK = /^\s+at .*\(|node:internal|\.ts:\d+/m

describe('translate', () => {
  test('prints one body per record on stdout, and how many on stderr', async () => {
    const { exit, stdout, stderr } = await runHere(await tempFolder(), ['translate', SAMPLE, '-m', MAPPING])

    const expected = JSON.parse(await readFile(SAMPLE.replace('.csv', '.expected.json'), 'utf8')) as unknown[]
    expect(exit).toBe(0)
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(expected)
    expect(stderr).toContain('3 records translated, 0 refused\n')
  })

  test('reports every problem of a refused record on stderr with its place, reason and fix, and exits 2', async () => {
    const folder = await tempFolder()
    const text = await readFile(SAMPLE, 'utf8')
    const [header, ...rows] = text.split('\n')
    const first = rows[0]?.split(',')[0] ?? ''
    const damaged = rows.map((row) =>
      row.startsWith(first) ? row.replace(/,(\d+),(\d+\.\d\d),/, ',some,$2,') : row,
    )
    await writeFile(join(folder, 'damaged.csv'), [header, ...damaged].join('\n'))

    const { exit, stdout, stderr } = await runHere(folder, ['translate', 'damaged.csv', '-m', MAPPING])

    expect(exit).toBe(2)
    expect(stdout.trimEnd().split('\n')).toHaveLength(2)
    expect(stdout).not.toContain(first)
    expect(stderr).toContain(`record 1 (${first}) is refused:`)
    expect(stderr).toMatch(/line 2, column "Qty".*some.*whole number.*\[integer-expected\]/)
    expect(stderr).toContain('2 records translated, 1 refused')
    expect(stderr).not.toContain('..')
  })

  test('warns as a run does of what needs no API, such as prices, and says what it cannot know', async () => {
    const folder = await tempFolder()
    const text = await readFile(SAMPLE, 'utf8')
    const cheap = text.replaceAll(/,(\d+),(\d+\.\d\d),(\d+\.\d\d),/g, ',$1,$3,$2,')
    expect(cheap).not.toBe(text)
    await writeFile(join(folder, 'swapped.csv'), cheap)

    const { exit, stderr } = await runHere(folder, ['translate', 'swapped.csv', '-m', MAPPING])
    const json = await runHere(folder, ['translate', 'swapped.csv', '-m', MAPPING, '--json'])

    expect(exit).toBe(0)
    expect(stderr).toMatch(
      /^record 1 \(.*\), warning: line \d+, column "Cost": the net price is [\d.]+, above the price of the consumer/m,
    )
    expect(stderr).toContain('`rules: { prices: refuse }`')
    expect(stderr).toContain(
      '3 records translated, 0 refused\nNot checked here: what only the API and the journal',
    )
    expect(json.stdout).toContain('"code":"price-implausible"')
  })

  test('with --json prints every record with its lines, its body or its problems', async () => {
    const { stdout } = await runHere(await tempFolder(), ['translate', SAMPLE, '-m', MAPPING, '--json'])

    const drafts = stdout
      .trimEnd()
      .split('\n')
      .map(
        (line) =>
          JSON.parse(line) as { number: number; lines: number[][]; body: unknown; problems: unknown[] },
      )
    expect(drafts.map((draft) => draft.number)).toEqual([1, 2, 3])
    expect(drafts[0]?.lines[0]?.[0]).toBe(2)
    expect(drafts.every((draft) => draft.body !== undefined && draft.problems.length === 0)).toBe(true)
  })

  test('says that a file which is no order file cannot be used, and exits 65', async () => {
    const folder = await tempFolder()
    await writeFile(join(folder, 'wrong.csv'), 'Name,Colour\nTable,red\n')

    const { exit, stdout, stderr } = await runHere(folder, ['translate', 'wrong.csv', '-m', MAPPING])

    expect(exit).toBe(65)
    expect(stdout).toBe('')
    expect(stderr).toContain('wrong.csv: ')
    expect(stderr).toContain('"PO Number"')
    expect(stderr).not.toMatch(STACK)
  })

  test('says which file is not there', async () => {
    const { exit, stderr } = await runHere(await tempFolder(), ['translate', 'missing.csv', '-m', MAPPING])

    expect(exit).not.toBe(0)
    expect(stderr).toContain('missing.csv')
    expect(stderr).not.toMatch(STACK)
  })

  test('refuses the mapping of an export', async () => {
    const { exit, stderr } = await runHere(await tempFolder(), [
      'translate',
      SAMPLE,
      '-m',
      join(repository, 'mappings/orders-export.yaml'),
    ])

    expect(exit).toBe(64)
    expect(stderr).toContain('is for an export')
  })
})

const ENV = {
  DROPBRIDGE_API_URL: 'http://127.0.0.1:9',
  DROPBRIDGE_CLIENT_ID: 'our-client',
  DROPBRIDGE_CLIENT_SECRET: 'a-secret-nobody-may-see',
}

describe('init', () => {
  test('writes a folder in which check passes, and refuses to touch it again', async () => {
    const folder = await tempFolder()

    const first = await runHere(folder, ['init', 'work'])
    const work = join(folder, 'work')
    const checked = await runHere(work, ['check'], ENV)
    const configuration = await readFile(join(work, 'dropbridge.yaml'), 'utf8')
    await writeFile(join(work, 'dropbridge.yaml'), `${configuration}# mine\n`)
    const second = await runHere(folder, ['init', 'work'])

    expect(first).toMatchObject({ exit: 0, stdout: '' })
    expect(checked.exit, checked.stderr).toBe(0)
    expect(checked.stdout).toMatch(/^orders-in: .*retailer-orders\.yaml: one example$/m)
    expect(checked.stderr).toContain('The configuration and the mappings are right.')
    expect(second.exit).toBe(64)
    expect(second.stderr).toContain('nothing was changed')
    expect(await readFile(join(work, 'dropbridge.yaml'), 'utf8')).toBe(`${configuration}# mine\n`)
    expect((await stat(join(work, 'exchange/inbox/orders'))).isDirectory()).toBe(true)
    expect(await readdir(join(work, 'exchange/inbox'))).toEqual(['orders'])
    expect(configuration).toContain('"${DROPBRIDGE_BRAND_CLIENT_ID}"')
  })

  test('with --brand writes the start of a supplier, which runs at once against the service', async () => {
    const world = await aWorld({ routes: ['orders', 'orders-out'] })
    const orders = sampleOrders({ seed: 3, orders: 2, damageEvery: 0 })
    await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
    await world.run('orders')
    const { credentials } = world.configuration.routes.find(({ name }) => name === 'orders-out') ?? {}
    const env = {
      DROPBRIDGE_API_URL: world.service.baseUrl,
      DROPBRIDGE_CLIENT_ID: credentials?.clientId ?? '',
      DROPBRIDGE_CLIENT_SECRET: credentials?.clientSecret ?? '',
    }
    const folder = await tempFolder()

    const made = await runHere(folder, ['init', '--brand', 'work'])
    const work = join(folder, 'work')
    const checked = await runHere(work, ['check', '--online'], env)
    const first = await runHere(work, ['run'], env)
    const parcels = sampleShipments(orders, { seed: 1, damageEvery: 0 })
    await writeFile(join(work, 'exchange/inbox/shipments/shipped.csv'), shipmentsFile(parcels))
    const second = await runHere(work, ['run'], env)

    expect(made.exit).toBe(0)
    expect(checked.exit, checked.stderr).toBe(0)
    expect(first.exit, first.stderr).toBe(0)
    expect(await readdir(join(work, 'exchange/outbox'))).toEqual([expect.stringMatching(/^orders-.*\.csv$/)])
    expect(second.exit, second.stderr).toBe(0)
    const results = await readFile(join(work, 'exchange/results/shipped.csv.results.csv'), 'utf8')
    expect(results.match(/accepted/g)).toHaveLength(parcels.length)
    // Documents are named by their mailbox and folder: whoever reads the results has no paths of this machine.
    expect(results).toContain('exchange:documents/')
    expect(results).not.toContain(folder)
  })
})

describe('check', () => {
  /** A folder from `init`, in which a test breaks something. */
  async function initialised(): Promise<string> {
    const folder = await tempFolder()
    await cp(fresh, folder, { recursive: true })
    return folder
  }

  let fresh = ''
  beforeAll(async () => {
    fresh = await mkdtemp(join(tmpdir(), 'dropbridge-'))
    await runHere(fresh, ['init'])
  })
  afterAll(() => rm(fresh, { recursive: true }))

  test('names the variables that are not set, all of them, with their places', async () => {
    const { exit, stdout, stderr } = await runHere(await initialised(), ['check'])

    expect(exit).toBe(78)
    expect(stdout).toBe('')
    for (const [line, name] of [
      [5, 'DROPBRIDGE_API_URL'],
      [6, 'DROPBRIDGE_CLIENT_ID'],
      [7, 'DROPBRIDGE_CLIENT_SECRET'],
    ] as const) {
      expect(stderr).toMatch(new RegExp(`dropbridge\\.yaml:${line}:\\d+ .*${name}`))
    }
    expect(stderr).not.toMatch(STACK)
  })

  test('lists every error of a mapping with its line and column', async () => {
    const folder = await initialised()
    await writeFile(
      join(folder, 'mappings/retailer-orders.yaml'),
      [
        'operation: create-order',
        'group: PO Number',
        'body:',
        '  purchase_order_numbr: PO Number',
        '  order_lines:',
        '    - quantity: { from: Qty, tabel: units }',
        '',
      ].join('\n'),
    )

    const { exit, stderr } = await runHere(folder, ['check'], ENV)

    expect(exit).toBe(78)
    expect(stderr).toMatch(/retailer-orders\.yaml:4:3 .*purchase_order_numbr.*purchase_order_number/)
    expect(stderr).toMatch(/retailer-orders\.yaml:6:\d+ .*tabel.*table/)
    expect(stderr).not.toMatch(STACK)
  })

  test('says what an example gives instead of what it expects', async () => {
    const folder = await initialised()
    const expected = join(folder, 'samples/orders/retailer-orders.expected.json')
    await writeFile(expected, (await readFile(expected, 'utf8')).replace('"ME"', '"MA"'))

    const { exit, stderr } = await runHere(folder, ['check'], ENV)

    expect(exit).toBe(78)
    expect(stderr).toMatch(
      /^wrong: .*retailer-orders\.yaml: example .*retailer-orders\.csv: .*ship_to\.province is "ME"; expected was "MA"/m,
    )
    expect(stderr).toContain('The configuration has errors.')
  })

  test('says when no share is mounted where the configuration says that a mailbox is mounted', async () => {
    const folder = await initialised()
    const path = join(folder, 'dropbridge.yaml')
    const mounted = (await readFile(path, 'utf8')).replace(/path: \.?\/?exchange/, '$&, mounted: true')
    await writeFile(path, mounted)

    const { exit, stderr } = await runHere(folder, ['check'], ENV)

    expect(exit, stderr).toBe(78)
    expect(stderr).toMatch(/^wrong: mailbox exchange: nothing is mounted at .*exchange: mount it$/m)
  })

  test('with --json prints what it found and nothing else', async () => {
    const { exit, stdout, stderr } = await runHere(await initialised(), ['check', '--json'], ENV)

    const found = JSON.parse(stdout) as { routes: { route: string; examples: number }[]; failures: string[] }
    expect(exit).toBe(0)
    expect(found.failures).toEqual([])
    expect(found.routes.map(({ route, examples }) => [route, examples])).toEqual([
      ['orders-in', 1],
      ['shipments-out', 1],
      ['invoices-out', 1],
    ])
    expect(stderr).toBe('')
  })

  test('--online with an API that is away exits 69 and says that the check is not complete', async () => {
    const { exit, stderr } = await runHere(await initialised(), ['check', '--online'], ENV)

    expect(exit).toBe(69)
    expect(stderr).toMatch(
      /^no answer: routes orders-in, shipments-out, invoices-out: http:\/\/127\.0\.0\.1:9: /m,
    )
    expect(stderr).toContain('    fix: Nothing listens there: start the API, or correct api.baseUrl;')
    expect(stderr).toContain('The check is not complete')
    expect(stderr).not.toContain('needs work')
  })

  test('never shows the secret, whatever is wrong', async () => {
    const folder = await initialised()
    const text = await readFile(join(folder, 'dropbridge.yaml'), 'utf8')
    await writeFile(
      join(folder, 'dropbridge.yaml'),
      text.replace('${DROPBRIDGE_API_URL}', '${DROPBRIDGE_CLIENT_SECRET}'),
    )

    const { exit, stdout, stderr } = await runHere(folder, ['check'], ENV)

    expect(exit).toBe(78)
    expect(stdout + stderr).not.toContain(ENV.DROPBRIDGE_CLIENT_SECRET)
  })
})

describe('explain', () => {
  test('says what a code means and what to do', async () => {
    const { exit, stdout } = await runHere(await tempFolder(), ['explain', 'key-conflict'])

    expect(exit).toBe(0)
    expect(stdout).toContain(PROBLEMS['key-conflict'].title)
    expect(stdout).toContain(PROBLEMS['key-conflict'].fix)
  })

  test('lists every code when none is named', async () => {
    const { exit, stdout } = await runHere(await tempFolder(), ['explain', '--json'])

    const codes = (JSON.parse(stdout) as { code: string }[]).map(({ code }) => code)
    expect(exit).toBe(0)
    expect(codes).toEqual(
      expect.arrayContaining([...Object.keys(PROBLEMS), ...Object.keys(FAILURES), 'accepted', 'held']),
    )
  })

  test.each(Object.keys(REASONS))('knows the reason %s of why-not, with its fix', async (code) => {
    const { exit, stdout } = await runHere(await tempFolder(), ['explain', code])

    expect(exit).toBe(0)
    expect(stdout).toContain(REASONS[code as keyof typeof REASONS].fix)
  })

  test('suggests the code that an unknown one was meant to be', async () => {
    const { exit, stdout, stderr } = await runHere(await tempFolder(), ['explain', 'key-conflit'])

    expect({ exit, stdout }).toEqual({ exit: 64, stdout: '' })
    expect(stderr).toContain('Did you mean "key-conflict"?')
  })
})

describe('a wrong command line', () => {
  test.each([
    [['rnu'], 'Unknown command: rnu. Did you mean "run"?'],
    [['xyzzy'], 'Unknown command: xyzzy; known: run, watch, '],
    [['run', '--jsno'], 'Unknown argument: jsno. Did you mean "--json"?'],
    [['check', '--confg=x.yaml'], 'Unknown argument: confg. Did you mean "--config"?'],
    [['translate', SAMPLE], 'Missing: --mapping'],
    [['map', 'learn', SAMPLE], 'Missing: --operation with one of create-order, '],
    [['map', 'learn', SAMPLE, '--operation', 'create-ordr'], 'Did you mean "create-order"?'],
    [['run', '--log-level', 'loud'], '--log-level cannot be "loud"; known: '],
    [['console', 'user', 'add', 'x', '--role', 'boss'], 'known: viewer, operator, admin'],
    [['discard', 'a.csv'], 'Missing: --by; --why'],
    [
      ['pause', 'orders', '--untl', '1h'],
      'Missing: --until; --by; --why. Unknown: --untl. Did you mean "--until"?',
    ],
    [['resolve', 'V1', '--accepted', '--by', 'A', '--why', 'B'], '--accepted has no value; it takes the id'],
    [[], 'Name a command.'],
    [['why-not'], 'The FILE is missing after dropbridge why-not'],
    [['map', 'diff', 'old.yaml'], 'The OLD or NEW mapping is missing after dropbridge map diff'],
    [['check', '--onlin'], 'Unknown argument: onlin. Did you mean "--online"?'],
    [['service', '--swich', 'a=b'], 'Unknown argument: swich. Did you mean "--switch"?'],
    [['service', '--new-client'], 'Did you mean "--new-clients"?'],
    [['service', '--port', '80x'], '--port is no port.\n  fix: Write a number from 1 to 65535, '],
    [['service', '--port', '70000'], '--port is no port.\n  fix: Write a number from 1 to 65535, '],
    [['audit', 'verfy'], 'Did you mean "verify"?'],
    [
      ['resolve', 'HV-1', '--accepted'],
      'Write `dropbridge resolve HV-1 --accepted ID --by NAME --why TEXT`.',
    ],
    [['service', '--switch'], 'The value is missing: --switch'],
    [['export', 'shipments-out', '--po'], 'The value is missing: --po'],
    [
      ['map', 'learn', SAMPLE, '--operation', 'create-order', '--operation', 'create-shipment'],
      '--operation is given more than once.',
    ],
    [
      ['map', 'try', SAMPLE, '-m', MAPPING, '--record', '1', '--record', '2'],
      '--record is given more than once.',
    ],
    [['map', 'diff', MAPPING, MAPPING, '--on', SAMPLE, '--on', SAMPLE], '--on is given more than once.'],
    [['run', '--log-level', 'info', '--log-level', 'warn'], '--log-level is given more than once.'],
    [['run', '--log-format', 'json', '--log-format', 'human'], '--log-format is given more than once.'],
  ])('%j is refused with 64 and a fix', async (args, message) => {
    const { exit, stdout, stderr } = await runHere(await tempFolder(), args)

    expect({ exit, stdout }).toEqual({ exit: 64, stdout: '' })
    expect(stderr).toContain(message)
    // The checkout may be anywhere.
    expect(stderr.replaceAll(repository, '')).toMatch(
      /^ {2}fix: (Write|Correct) .{4,91}\. {2}\(dropbridge explain usage-wrong\)$/m,
    )
    expect(stderr).not.toContain('--help')
    expect(stderr).not.toMatch(STACK)
  })

  test.each([
    [['export-orders'], 'Run the route that has `operation: export-orders`: `dropbridge run ROUTE`.'],
    [['run', '--rout', 'auftraege'], 'Write `dropbridge run auftraege`.'],
    [['run', '--route=my orders', '--json'], "Write `dropbridge run 'my orders' --json`."],
    [['watch', '--rout'], 'Write `dropbridge watch ROUTE`.'],
    [['retake', '--file', 'a.csv'], 'Write `dropbridge retake a.csv`.'],
    [['retake', 'a.csv', '--route', 'orders'], 'Leave --route out, or write a known one.'],
    [['map', 'try', '.', '-m', MAPPING], 'Name a file in it.'],
    [['run', '--max-records', 'x'], 'Write it with digits, such as `--max-records 500`.'],
    [['map', 'diff', 'old.yaml'], 'Write `dropbridge map diff OLD NEW --on FILE`.'],
    [['why-not'], 'Write `dropbridge why-not FILE`.'],
    [['audit'], 'Write `dropbridge audit verify`.'],
    [['console', 'user', 'add', 'bob'], 'Write `dropbridge console user add bob --role ROLE`.'],
    [['map'], 'Write `dropbridge map learn|docs|schema|try|test|coverage|diff`.'],
    [['discard', 'a b.csv'], "Write `dropbridge discard 'a b.csv' --by NAME --why TEXT`."],
    [['discard', 'a.csv', '--by=Ann'], 'Write `dropbridge discard a.csv --by=Ann --why TEXT`.'],
    [['discard', 'a'.repeat(90)], 'Write `dropbridge discard WHAT --by NAME --why TEXT`.'],
    [
      ['pause', 'orders', '--untl', '1h'],
      'Write `dropbridge pause ROUTE --until TIME --by NAME --why TEXT`.',
    ],
    [['translate', SAMPLE.slice(-40)], `Write \`dropbridge translate ${SAMPLE.slice(-40)} --mapping FILE\`.`],
    [['service', '--switch'], 'Write `dropbridge service --switch VALUE`.'],
    [[], 'Write such as `dropbridge init`, `dropbridge run` or `dropbridge status`.'],
    [['xyzzy'], 'Write one of the known names.'],
    [['rnu'], 'Write "run" instead of "rnu".'],
    [['check', '--onlin'], 'Write "--online" instead of "--onlin".'],
    [['explain', 'key-conflit'], 'Write "key-conflict" instead of "key-conflit".'],
  ])('the fix for %j names the form of the command, or the word that was meant', async (args, fix) => {
    const { stderr } = await runHere(await tempFolder(), args)

    expect(stderr).toContain(`fix: ${fix}  (`)
  })

  test('a configuration that is not there is named, with 78', async () => {
    const { exit, stderr } = await runHere(await tempFolder(), ['run', '--config', 'nowhere.yaml'])

    expect(exit).toBe(78)
    expect(stderr).toContain('nowhere.yaml cannot be read')
    expect(stderr).toContain('fix: Name the configuration file with --config, or write a new one')
    expect(stderr).not.toMatch(STACK)
  })

  test('help and version are data, and no error', async () => {
    const folder = await tempFolder()
    const [help, version] = await Promise.all([
      runProgram(folder, ['--help']),
      runProgram(folder, ['--version']),
    ])

    expect([help.exit, version.exit]).toEqual([0, 0])
    for (const command of ['run', 'translate', 'check', 'status', 'explain', 'init', 'service', 'demo'])
      expect(help.stdout).toMatch(new RegExp(`dropbridge ${command}\\b`))
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

test('a folder of the work may be anywhere and have any name', async () => {
  const folder = join(await tempFolder(), 'Bestellungen März (neu)')
  await mkdir(folder, { recursive: true })
  await cp(SAMPLE, join(folder, 'aufträge.csv'))

  const { exit, stdout } = await runProgram(folder, ['translate', 'aufträge.csv', '-m', MAPPING])

  expect(exit).toBe(0)
  expect(stdout.trimEnd().split('\n')).toHaveLength(3)
})
