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

// Documents of X12 and EDIFACT: elements in place of columns, segments in place of rows.

const INVOICES = `operation: export-invoices
write: { format: x12, document: 810 }
segments:
  - BIG: { '01': { from: invoiced_at, zone: America/New_York }, '02': invoice_number }
  - REF*VR: { '02': { from: brand.code, when: { currency: EUR } } }
  - N1*RI: { '02': remit_to.name1, in: [N3: { '01': remit_to.street1 }] }
  - each: invoice_lines
    in: [IT1: { '02': invoice_lines.quantity, '03': { const: EA }, '04': invoice_lines.price, in: [PID*F: { '05': invoice_lines.variant.name }] }]
  - TDS: { '01': due_amount }
  - CTT: { '01': { count: IT1 } }
`
const INVOICE = {
  invoiced_at: '2026-11-20T03:15:00Z',
  invoice_number: 'N-1',
  due_amount: '22.48',
  currency: 'USD',
  invoice_lines: [
    { quantity: 2, price: '11.24', variant: { name: 'Lamp' } },
    { quantity: 1, price: '3.00', variant: { name: null } },
  ],
}

async function triedDocument(mapping: string, records: unknown, ...args: readonly string[]) {
  await writeFile(join(folder, 'export.yaml'), mapping)
  return tried(records, ...args)
}

test('the segments of a document are shown in their order, with what stands in the file, and those left out by name', async () => {
  const { exit, out } = await triedDocument(INVOICES, [INVOICE])

  expect(exit).toBe(0)
  expect(out).toMatchInlineSnapshot(`
    [
      "record 1 (invoice N-1)",
      "BIG*20261119*N-1",
      "  element  field           value → steps → text",
      "  BIG.01   invoiced_at     "2026-11-20T03:15:00Z" → written "20261119"",
      "  BIG.02   invoice_number  "N-1"",
      "IT1**2*EA*11.24",
      "  element  field                   value → steps → text",
      "  IT1.02   invoice_lines.quantity  2 → written "2"",
      "  IT1.03   -                       cell "EA"",
      "  IT1.04   invoice_lines.price     "11.24"",
      "PID*F****Lamp",
      "  element       field                       value → steps → text",
      "  IT1/PID*F.05  invoice_lines.variant.name  "Lamp"",
      "IT1**1*EA*3",
      "  element  field                   value → steps → text",
      "  IT1.02   invoice_lines.quantity  1 → written "1"",
      "  IT1.03   -                       cell "EA"",
      "  IT1.04   invoice_lines.price     "3.00" → element "3"",
      "TDS*2248",
      "  element  field       value → steps → text",
      "  TDS.01   due_amount  "22.48" → element "2248"",
      "CTT*2",
      "  element  field  value → steps → text",
      "  CTT.01   -      count IT1 "2"",
      "Left out, because the record fills nothing of them: REF*VR, N1*RI, N1*RI/N3, IT1/PID*F (1 of 2)",
      "",
    ]
  `)
})

test('a segment is shown as it stands in the file, its components too', async () => {
  const mapping = `operation: export-shipments
write: { format: edifact, document: DESADV }
segments:
  - BGM: { '1001': { const: '351' }, '1004': id }
  - DTM+137: { date: shipped_at }
  - CPS: { in: [{ each: shipment_lines, in: [LIN: { '1082': shipment_lines.order_line_number }] }] }
`
  const { out } = await triedDocument(
    mapping,
    [{ id: 'A:1', shipped_at: '2026-11-20T03:15:00Z', shipment_lines: [] }],
    '--json',
  )
  const { rows } = JSON.parse(out.join('')) as { rows: { segment?: string }[] }

  expect(rows.flatMap(({ segment }) => segment ?? [])).toEqual([
    'BGM+351+A?:1',
    'DTM+137:202611200315:203',
    'CPS+1',
  ])
})

test('an element that cannot be written is wrong at its place, and the segments around the records are shown once', async () => {
  const text = `operation: export-variants
write: { format: x12, document: 846, set: file }
segments:
  - BIA: { '01': { const: '00' }, '02': { const: DD }, '03': $interchange, '04': $date }
  - { each: record, in: [LIN: { UP: upc, in: [QTY*33: { '02': attributes.inventory }] }] }
  - CTT: { '01': { count: LIN } }
`
  const variant = (inventory: unknown) => ({
    identifier: 'V',
    upc: '086000100018',
    attributes: [{ code: 'inventory', values: [{ value: inventory }] }],
  })
  const { exit, out } = await triedDocument(text, [variant('7'), variant('seven')])

  expect(exit).toBe(2)
  expect(out).toMatchInlineSnapshot(`
    [
      "Before the records",
      "BIA*00*DD*1*20260105",
      "  element  field         value → steps → text",
      "  BIA.01   -             cell "00"",
      "  BIA.02   -             cell "DD"",
      "  BIA.03   $interchange  "1"",
      "  BIA.04   $date         "2026-01-05T12:00:00.000Z" → written "20260105"",
      "",
      "record 1 (variant V)",
      "LIN**UP*086000100018",
      "  element  field  value → steps → text",
      "  LIN.UP   upc    "086000100018"",
      "QTY*33*7",
      "  element        field                 value → steps → text",
      "  LIN/QTY*33.02  attributes.inventory  "7"",
      "",
      "record 2 (variant V): held",
      "LIN**UP*086000100018",
      "  element  field  value → steps → text",
      "  LIN.UP   upc    "086000100018"",
      "QTY*33",
      "  element        field                 value → steps → text",
      "  LIN/QTY*33.02  attributes.inventory  "seven" → WRONG: "seven" is no number, and LIN/QTY*33.02 takes one.",
      "",
      "Behind the records",
      "CTT*1",
      "  element  field  value → steps → text",
      "  CTT.01   -      count LIN "1"",
      "",
    ]
  `)
})
