/** `dropbridge prove`: what it proves with, how it reports a route that it cannot prove, and what it never touches. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { formatProof, proofToJson, proveCommand } from '../../src/cli/commands/prove.ts'
import type { Proof } from '../../src/prove/proof.ts'
import { createSample } from '../../src/prove/sample.ts'
import { createFormats } from '../../src/formats/formats.ts'
import { loadMapping } from '../../src/mapping/load.ts'
import { parseCsv } from '../fixtures/csv.ts'
import {
  configureForDocuments,
  configureForExports,
  DOCUMENTS,
  EDI_BRIDGE,
  EXPORTS,
  proving,
  READY,
} from '../fixtures/proving.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { listeningTerminal } from '../fixtures/terminal.ts'

const repository = new URL('../..', import.meta.url).pathname
const SAMPLE = join(repository, 'samples/orders/retailer-orders.csv')

/** A configuration with mappings given as text. */
async function configured(
  routes: Readonly<Record<string, { route: string; mapping: string }>>,
): Promise<string> {
  const folder = await tempFolder()
  const lines = ['api: { baseUrl: "${NOWHERE}", clientId: "${NOBODY}", clientSecret: "${NOTHING}" }']
  lines.push('mailboxes: { exchange: { type: directory, path: ./exchange } }', 'routes:')
  for (const [name, { route, mapping }] of Object.entries(routes)) {
    await writeFile(join(folder, `${name}.yaml`), mapping)
    lines.push(`  ${name}: { ${route}, mapping: ${name}.yaml }`)
  }
  await writeFile(join(folder, 'dropbridge.yaml'), `${lines.join('\n')}\n`)
  return folder
}

async function dropbridge(folder: string, ...args: readonly string[]) {
  const { terminal, out, err } = listeningTerminal({ folder })
  const exit = await runCommandLine(terminal, ['prove', ...args])
  return { exit, out: out.join('\n'), err: err.join('\n') }
}

const ORDERS_IN =
  'retailer: 1000, operation: create-order, from: { mailbox: exchange, folder: inbox }, results: { mailbox: exchange, folder: results }'

/** Orders of a shop whose retailer, items and carrier the sample market does not know. */
const OWN_ORDERS = `operation: create-order
group: Nr
body:
  purchase_order_number: Nr
  ordered_at: When
  ship_to: { name1: Name, street1: Street, city: City, province: State, postal_code: Zip, country: { const: US } }
  shipping_method: { code: { const: OVERNIGHT }, carrier: { code: { const: PIGEON } } }
  order_lines:
    - { variant: { identifier: Item }, quantity: Qty, net_price: Cost, price: Price }
`
const OWN_FILE = `Nr,When,Name,Street,City,State,Zip,Item,Qty,Cost,Price
A/1,2026-11-16T09:05:00Z,Ada,1 Elm St,Portland,ME,04101,LAMP-A,2,10.00,20.00
A/2,2026-11-16T09:06:00Z,Bo,2 Elm St,Portland,ME,04101,LAMP-B,1,11.00,22.00
`

test('every ready mapping can be proven: in a calm run its files are accepted and delivered', async () => {
  const { routes } = await proving({ only: [] })

  expect(routes.map(({ route, unproven, failures }) => ({ route, unproven, failures }))).toEqual(
    READY.map((route) => ({ route, unproven: undefined, failures: [] })),
  )
  const several = routes.filter(({ route }) => route !== 'stock-in')
  expect(several.every(({ records }) => records >= 44)).toBe(true)
}, 90_000)

test('a route is proven with parties, items and carriers that only its own file names', async () => {
  const route = ORDERS_IN.replace('1000', '4711')
  const folder = await configured({ mine: { route, mapping: OWN_ORDERS } })
  const file = join(folder, 'mine.csv')
  await writeFile(file, OWN_FILE)
  await writeFile(
    join(folder, 'dropbridge.yaml'),
    (await readFile(join(folder, 'dropbridge.yaml'), 'utf8')).replace(
      /\$\{\w+\}/g,
      'https://api.example.com',
    ),
  )

  const { routes } = await proving({
    only: [],
    path: join(folder, 'dropbridge.yaml'),
    files: new Map([['mine', file]]),
  })

  // Two files of the route alone, one larger, and a small one for it and for its twin, each with a damaged record.
  expect(routes).toEqual([expect.objectContaining({ route: 'mine', records: 56, failures: [] })])
  expect(routes[0]).not.toHaveProperty('unproven')
}, 90_000)

test('a route that cannot be proven is reported with the reason and decides the exit code; nothing of the user is touched', async () => {
  const folder = await configured({ mine: { route: ORDERS_IN, mapping: OWN_ORDERS } })

  const { exit, out } = await dropbridge(folder, '--for', '1s')

  expect(exit).toBe(2)
  expect(out).toContain(
    'mine is not proven: its mapping carries no example to make files of; name a file with --file ROUTE=PATH',
  )
  expect(out).toContain(
    'lost 0, doubled 0, acknowledged early 0, delivered twice 0; 0 kills, 0 of them of real processes, 0 faults',
  )
  expect((await readdir(folder)).toSorted()).toEqual(['dropbridge.yaml', 'mine.yaml'])
})

test.each(['x12', 'edifact'])(
  'routes that write interchanges of %s can be proven: in a calm run their records are delivered under control numbers',
  async (syntax) => {
    const names = Object.keys(EXPORTS).filter((name) => name.startsWith(syntax))

    const { routes } = await proving({ path: await configureForExports(names), only: [] })

    expect(routes.map(({ route, unproven, failures }) => ({ route, unproven, failures }))).toEqual(
      names.map((name) => ({ route: name.replace('/', '-'), unproven: undefined, failures: [] })),
    )
    expect(routes.every(({ records, numbers }) => records >= 44 && numbers >= 2)).toBe(true)
  },
  90_000,
)

test('the report has the control numbers that were compared, where routes write interchanges', async () => {
  const countsOf = async (proof: Proof) => {
    const [head = '', , row = ''] = formatProof(proof)
    const [labels, cells] = [head, row].map((line) => line.trim().split(/ {2,}/))
    return { labels, cells, totals: formatProof(proof).at(-1) }
  }
  const path = await configureForExports(['edifact/desadv-export'])
  const ofExport = await proving({ path, only: [] })
  const ofTable = await proving({ only: [], routes: ['shipments-out'] })

  const { labels, cells, totals } = await countsOf(ofExport)

  expect(labels?.slice(0, 4)).toEqual(['route', 'records', 'control numbers', 'kills'])
  expect(cells?.slice(0, 4)).toEqual(['edifact-desadv-export', '44', '2', '0'])
  expect(totals).toBe(
    'lost 0, doubled 0, acknowledged early 0, delivered twice 0; 2 control numbers, 0 kills, 0 of them of real processes, 0 faults, seed 1',
  )
  expect(proofToJson(ofExport, undefined)).toMatchObject({ routes: [{ numbers: 2 }] })
  expect((await countsOf(ofTable)).labels?.slice(0, 3)).toEqual(['route', 'records', 'kills'])
})

test('a file without an accepted record is reported with the first refusal', async () => {
  const folder = await configured({
    mine: {
      route: ORDERS_IN,
      mapping: OWN_ORDERS.replace('country: { const: US }', 'country: { const: US }, name2: Item'),
    },
  })
  const file = join(folder, 'bad.csv')
  await writeFile(file, OWN_FILE.replaceAll(/LAMP-.,\d/g, ',1'))

  const { exit, out } = await dropbridge(folder, '--for', '1s', '--file', `mine=${file}`, '--json')

  expect(exit).toBe(2)
  const report = JSON.parse(out) as { proven: boolean; routes: { unproven: string }[] }
  expect(report.proven).toBe(false)
  expect(report.routes[0]?.unproven).toBe(`${file} holds no record that could be sent`)
})

test('wrong options are refused before prove makes anything', async () => {
  const folder = await configured({ mine: { route: ORDERS_IN, mapping: OWN_ORDERS } })

  expect(await dropbridge(folder, '--for', 'ever')).toMatchObject({
    exit: 64,
    err: expect.stringContaining('--for takes a length of time such as 30s, 10m or 2h') as string,
  })
  expect(await dropbridge(folder, '--route', 'yours')).toMatchObject({
    exit: 64,
    err: expect.stringContaining('there is no route "yours"; known: mine.') as string,
  })
  expect(await dropbridge(folder, '--file', 'mine')).toMatchObject({
    exit: 64,
    err: expect.stringContaining('--file takes ROUTE=PATH, not mine') as string,
  })
  expect(await dropbridge(folder, '--seed', '1.5')).toMatchObject({ exit: 64 })
})

test('files made of an example repeat its records under new numbers, with one damaged record among them', async () => {
  const mapping = await loadMapping(join(repository, 'mappings/retailer-orders.yaml'))
  if (mapping.direction !== 'inbound') throw new Error('an export')
  let number = 500_000
  const sample = await createSample({
    mappings: [mapping],
    path: SAMPLE,
    format: createFormats(),
    serial: () => ++number,
  })
  if (typeof sample === 'string') throw new Error(sample)

  const texts = [sample.file(6), sample.file(6)].map((bytes) => Buffer.from(bytes).toString())

  const numbers = texts.map((text) => [...new Set(parseCsv(text).map((row) => row['PO Number'] ?? ''))])
  expect(numbers[0]).toHaveLength(7)
  expect(new Set(numbers.flat()).size).toBe(14)
  expect(numbers.flat().every((po) => /^HV-50\d{4}$/.test(po))).toBe(true)
  const drafts = await sample.drafts(Buffer.from(texts[0] ?? ''), mapping)
  expect(
    drafts.filter(({ problems }) => problems.length > 0).map((draft) => draft.problems[0]?.code),
  ).toEqual(['date-expected'])
})

test('routes of interchanges can be proven: in a calm run their records are accepted', async () => {
  const path = await configureForDocuments(Object.keys(DOCUMENTS))

  const { routes } = await proving({ path, only: [] })

  expect(routes.map(({ route, unproven }) => [route, unproven])).toEqual(
    Object.keys(DOCUMENTS).map((name) => [name.replace('/', '-'), undefined]),
  )
})

test.each([
  ['x12/850-orders', 'integer-expected'],
  ['edifact/orders', 'value-missing'],
])(
  'interchanges made of the example of %s repeat its sets under new numbers, with a damaged one among them',
  async (name, code) => {
    const mapping = await loadMapping(join(repository, `mappings/${name}.yaml`))
    if (mapping.direction !== 'inbound') throw new Error('an export')
    let number = 500_000
    const sample = await createSample({
      mappings: [mapping],
      path: join(repository, 'mappings', name, '..', mapping.examples[0]?.input ?? ''),
      format: createFormats(),
      serial: () => ++number,
    })
    if (typeof sample === 'string') throw new Error(sample)

    const files = [sample.file(6), sample.file(6)]
    const drafts = await Promise.all(files.map((bytes) => sample.drafts(bytes, mapping)))

    const good = drafts.map((some) => some.filter(({ problems }) => problems.length === 0))
    expect(good.map((some) => some.length >= 6)).toEqual([true, true])
    const numbers = good.flat().map(({ keyValues }) => keyValues.join())
    expect(new Set(numbers).size).toBe(numbers.length)
    const bad = drafts[0]?.filter(({ problems }) => problems.length > 0) ?? []
    expect(bad.map(({ problems }) => problems[0]?.code)).toEqual([code])
    const controls = files.map(
      (bytes) => /(?:IEA\*1\*|UNZ\+\d+\+)(\d+)/.exec(Buffer.from(bytes).toString())?.[1],
    )
    expect(new Set(controls).size).toBe(2)
  },
)

test('docs/prove.md names every option', async () => {
  const page = await readFile(join(repository, 'docs/prove.md'), 'utf8')

  const options = Object.keys(proveCommand.options ?? {})

  expect(options).toContain('kills')
  expect(options.filter((option) => !page.includes(`--${option}`))).toEqual([])
})

test('routes of an inbox of interchanges are proven through it, and their partners are answered', async () => {
  const proof = await proving({ ...EDI_BRIDGE, only: [] })

  expect(proof.routes.every(({ numbers }) => numbers > 0)).toBe(true)
  expect(proof.routes.map(({ route, unproven, failures }) => [route, unproven, failures])).toEqual([
    ['orders-in', undefined, []],
    ['cancels-in', undefined, []],
    ['shipments-in', undefined, []],
  ])
})
