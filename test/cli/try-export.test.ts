/** `dropbridge map try` with the mapping of an export: columns beside their values, with the text after each step. */
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { listeningTerminal } from '../fixtures/terminal.ts'

const ORDER = {
  id: 16,
  purchase_order_number: 'HV-30015',
  ordered_at: '2026-11-21T02:15:00Z',
  gift_message: [],
  ship_to: { name1: 'Zoë Park', city: 'Albany', province: 'NY' },
  shipping_method: { code: 'FEDEX_GROUND', carrier: { code: null } },
  order_lines: [{ quantity: 2, price: '1249.50', variant: { identifier: 'HV-1' } }],
}
const MAPPING = `operation: export-orders
write: { format: csv, fold: ascii }
each: order_lines
columns:
  PO: purchase_order_number
  Date: { from: ordered_at, format: MM/dd/yyyy, zone: America/New_York }
  Name: { from: ship_to.name1, case: upper, width: 5, long: cut }
  Via: { from: shipping_method.code, table: via, reverse: true, pad: { to: 4, with: "." } }
  Place: { all: [ship_to.city, ship_to.province], with: ", " }
  Price: { from: order_lines.price, decimal: ",", grouping: "." }
  Gift: { filled: gift_message, yes: Y, no: N }
  Units: { sum: order_lines.quantity }
  Source: { const: API }
  Account: { from: customer_order_number, default: none }
  Carrier: { from: shipping_method.carrier.code, required: true }
tables: { via: { rows: { G: FEDEX_GROUND } } }
`

let folder: string

beforeEach(async () => {
  folder = await tempFolder()
  await writeFile(join(folder, 'export.yaml'), MAPPING)
})

async function tried(records: unknown, ...args: readonly string[]) {
  await writeFile(join(folder, 'records.json'), JSON.stringify(records))
  const { terminal, out, err } = listeningTerminal({ folder })
  const command = ['map', 'try', 'records.json', '-m', 'export.yaml', ...args]
  const exit = await runCommandLine(terminal, command)
  return { exit, out, err }
}

test('each column is shown beside its field, its value and the text after every step', async () => {
  const { exit, out } = await tried([ORDER])

  expect(exit).toBe(2)
  expect(out).toEqual(
    [
      'record 1 (order HV-30015): held',
      'row 1',
      '  column   field                         value → steps → cell',
      '  PO       purchase_order_number         "HV-30015"',
      '  Date     ordered_at                    "2026-11-21T02:15:00Z" → written "11/20/2026"',
      '  Name     ship_to.name1                 "Zoë Park" → case upper "ZOË PARK" → characters "ZOE PARK" → width "ZOE P"',
      '  Via      shipping_method.code          "FEDEX_GROUND" → table via "G" → pad "...G"',
      '  Place    ship_to.city + ship_to.province  "Albany" + "NY" → written "Albany, NY"',
      '  Price    order_lines.price             "1249.50" → written "1.249,50"',
      '  Gift     -                             filled "N"',
      '  Units    -                             sum "2"',
      '  Source   -                             cell "API"',
      '  Account  customer_order_number         null → written "" → cell "none"',
      '  Carrier  shipping_method.carrier.code  null → written "" → WRONG: column "Carrier" is blank',
      '',
    ].map((line) =>
      expect.stringMatching(
        new RegExp(`^${line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/ {2,}/g, ' +')}$`),
      ),
    ),
  )
})

test('three records are shown, or the one that is named, and a missing record is reported', async () => {
  const orders = [1, 2, 3, 4].map((id) => ({ ...ORDER, id, purchase_order_number: `HV-${id}` }))
  const names = (lines: readonly string[]) => lines.filter((line) => line.startsWith('record'))

  const first = await tried(orders)
  const fourth = await tried(orders, '--record', '4')
  const none = await tried(orders, '--record', '5')

  expect(names(first.out)).toHaveLength(3)
  expect(first.err).toEqual(['The first 3 of 4 records are shown; --record N shows another one.'])
  expect(names(fourth.out)).toEqual(['record 4 (order HV-4): held'])
  expect([none.exit, none.err[0]]).toEqual([
    64,
    'dropbridge: records.json has 4 records; there is no record 5',
  ])
})

test('the last step agrees with the cell of the file, for every ready export and its example', async () => {
  const repository = new URL('../..', import.meta.url).pathname
  for (const [mapping, sample] of [
    ['orders-export', 'orders'],
    ['invoices-export', 'invoices'],
    ['shipments-export', 'shipments'],
  ] as const) {
    const text = readFileSync(join(repository, `mappings/${mapping}.yaml`), 'utf8')
    await writeFile(
      join(folder, 'export.yaml'),
      text.replaceAll('file: tables/', `file: ${repository}mappings/tables/`),
    )
    const records = JSON.parse(
      readFileSync(join(repository, `samples/exports/${sample}.json`), 'utf8'),
    ) as unknown

    const { exit, out } = await tried(records, '--json')

    expect(exit).toBe(0)
    const rows = out.flatMap((line) => (JSON.parse(line) as { rows: { cells: Cell[] }[] }).rows)
    expect(rows.length).toBeGreaterThan(0)
    const shown = rows.flatMap(({ cells }) =>
      cells.filter(({ steps, text: cell }) => cell !== '' && (steps.at(-1)?.text ?? '') !== ''),
    )
    expect(shown.length).toBeGreaterThan(rows.length)
    expect(shown.map(({ steps }) => steps.at(-1)?.text)).toEqual(shown.map((cell) => cell.text))
  }
})

interface Cell {
  readonly steps: readonly { readonly text: string }[]
  readonly text: string
}
