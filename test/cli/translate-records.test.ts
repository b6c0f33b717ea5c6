/** `dropbridge translate` with the mapping of an export: the file it would write, from records in a file. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { listeningTerminal } from '../fixtures/terminal.ts'

const ORDERS = [
  { id: 15, purchase_order_number: 'HV-30014', shipping_method: { carrier: { code: 'FDEG' } } },
  { id: 16, purchase_order_number: 'HV-30015', shipping_method: { carrier: { code: null } } },
]
const MAPPING = `operation: export-orders
columns:
  PO: purchase_order_number
  Carrier: { from: shipping_method.carrier.code, required: true }
`

let folder: string

beforeEach(async () => {
  folder = await tempFolder()
  await writeFile(join(folder, 'export.yaml'), MAPPING)
})

async function translate(records: unknown, ...args: readonly string[]) {
  const text = typeof records === 'string' ? records : JSON.stringify(records)
  await writeFile(join(folder, 'records.json'), text)
  return dropbridge('translate', 'records.json', '-m', 'export.yaml', ...args)
}

async function dropbridge(...args: readonly string[]) {
  const out: Uint8Array[] = []
  const { terminal, err } = listeningTerminal({
    folder,
    out: (line: string) => void out.push(Buffer.from(`${line}\n`)),
    outBytes: (bytes: Uint8Array) => Promise.resolve(void out.push(bytes)),
  })
  const exit = await runCommandLine(terminal, args)
  return { exit, out: Buffer.concat(out).toString(), err }
}

const [FIRST] = ORDERS

test('records of a list, of an answer of the API, or one on each line make the file of the export', async () => {
  const file = 'PO,Carrier\r\nHV-30014,FDEG\r\n'
  const expected = { exit: 0, out: file, err: ['1 record, 1 row'] }

  expect(await translate([FIRST])).toEqual(expected)
  expect(await translate({ count: 1, next: null, results: [FIRST] })).toEqual(expected)
  expect(await translate(`${JSON.stringify(FIRST)}\n`)).toEqual(expected)
  expect((await translate(ORDERS.map((each) => JSON.stringify(each)).join('\n'))).out).toBe(file)
})

test('a record that would be held is named by its number and its id, and the others are in the file', async () => {
  const { exit, out, err } = await translate(ORDERS)

  expect([exit, out]).toEqual([2, 'PO,Carrier\r\nHV-30014,FDEG\r\n'])
  expect(err).toEqual([
    '1 record, 1 row; 1 held',
    'order HV-30015 (id 16) is held: column "Carrier" is blank. Fill the value in at the API, or give the column a `default` in the mapping.',
  ])
})

test('with --out the file is written, and never over another one', async () => {
  const first = await translate([FIRST], '--out', 'out.csv')
  const again = await translate([FIRST], '--out', 'out.csv')

  expect([first.exit, first.out, first.err]).toEqual([0, '', ['out.csv: 1 record, 1 row']])
  expect(await readFile(join(folder, 'out.csv'), 'utf8')).toBe('PO,Carrier\r\nHV-30014,FDEG\r\n')
  expect(again.exit).toBe(74)
})

test('with --json it prints the rows or the problems of each record', async () => {
  const { exit, out } = await translate(ORDERS, '--json')

  expect(exit).toBe(2)
  expect(
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    { number: 1, name: 'order HV-30014', rows: [['HV-30014', 'FDEG']] },
    {
      number: 2,
      name: 'order HV-30015',
      problems: [expect.objectContaining({ code: 'value-missing', message: 'column "Carrier" is blank' })],
    },
  ])
})

test('text that is no list of records is refused, and the message names the command that prints one', async () => {
  for (const wrong of [
    'PO,Carrier\nHV-1,FDEG\n',
    '',
    '[1, 2]',
    '{"results": 3}',
    '{"detail": "Not found."}',
  ]) {
    const { exit, err } = await translate(wrong)

    expect([exit, err[0]]).toEqual([
      64,
      `dropbridge: ${join(folder, 'records.json')} is no JSON list of records as the API shows them, and the mapping is for an export; \`dropbridge export ROUTE --json\` prints such records`,
    ])
  }
})

test('--out is refused for a mapping that is for no export', async () => {
  await writeFile(
    join(folder, 'acts.yaml'),
    'operation: acknowledge-order\ngroup: PO\nread: { format: csv }\nbody: { order_id: { from: PO, find: order } }\n',
  )
  const { exit, err } = await dropbridge('translate', 'records.json', '-m', 'acts.yaml', '--out', 'x')

  expect([exit, err[0]]).toEqual([64, 'dropbridge: --out is for exports; the bodies of a file go to stdout'])
})

test('of a document the segments are shown as they stand in the file, and no rows are counted', async () => {
  await writeFile(
    join(folder, 'export.yaml'),
    `operation: export-orders
write: { format: edifact, document: ORDERS }
segments:
  - BGM: { '1001': { const: '220' }, '1004': { from: purchase_order_number, required: true } }
  - DTM+137: { date: ordered_at }
  - each: order_lines
    in: [LIN: { '1082': order_lines.order_line_number }]
`,
  )
  const order = {
    purchase_order_number: 'A:1',
    ordered_at: '2026-11-20T03:15:00Z',
    order_lines: [{ order_line_number: 1 }],
  }
  const held = { ...order, purchase_order_number: null }

  const { exit, out, err } = await translate([order, held], '--json')
  const file = await translate([order, held])

  expect([exit, err]).toEqual([2, []])
  const [first, second] = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(first?.['segments']).toEqual(['BGM+220+A?:1', 'DTM+137:202611200315:203', 'LIN+1'])
  expect(second).toHaveProperty('problems')
  expect(file.err[0]).toBe('1 record; 1 held')
})
