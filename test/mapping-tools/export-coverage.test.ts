/** What `map coverage` says of API records and the document that carries them. */
import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import type { ExportCoverage } from '../../src/mapping-tools/edi/export-coverage.ts'
import { loadExport, ROOT } from '../formats/edi/exported.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { runCommand } from '../fixtures/terminal.ts'

const MAPPING = `operation: export-invoices
write: { format: x12, document: 810 }
segments:
  - BIG: { '01': invoiced_at, '02': invoice_number, '04': { from: purchase_order_number, required: true } }
  - CUR: { '01': { const: SE }, '02': { from: currency, when: { brand.code: filled } } }
  - N1*RI: { '02': { firstOf: [remit_to.name1, remit_to.name2] } }
  - N1*RE: { when: { terms_net_days_due: '30' }, '02': remit_to.street1 }
  - each: invoice_lines
    in: [IT1: { '02': invoice_lines.quantity, UP: invoice_lines.variant.upc, SK: invoice_lines.variant.identifier }]
  - TDS: { '01': due_amount }
  - CTT: { '01': { count: IT1 }, '02': { sum: invoice_lines.quantity } }
`
const INVOICE = {
  id: 7,
  purchase_order_number: 'P-1',
  invoice_number: 'N-1',
  invoiced_at: '2026-11-20T03:15:00Z',
  currency: 'USD',
  brand: { code: 'NORTH', name: null },
  terms_net_days_due: 10,
  remit_to: { name1: 'Acme', name2: 'East', street1: '1 Dock Rd' },
  due_amount: '50.57',
  charges: [],
  invoice_lines: [
    { quantity: 2, variant: { upc: '086000100018', identifier: null, media: [{ url: 'https://a' }] } },
    { quantity: 1, variant: { upc: null, identifier: null, media: [] } },
  ],
}

async function covered(records: readonly unknown[], ...args: readonly string[]) {
  const folder = await tempFolder()
  await writeFile(join(folder, 'm.yaml'), MAPPING)
  await writeFile(join(folder, 'records.json'), JSON.stringify(records))
  return runCommand({ folder }, ['map', 'coverage', 'records.json', '-m', 'm.yaml', ...args])
}

test('each value of the records is carried by elements, asked for by a condition, or left out', async () => {
  const { exit, out, err } = await covered([INVOICE, { ...INVOICE, remit_to: null }])

  expect(exit).toBe(0)
  expect(out).toMatchInlineSnapshot(`
    "value                            filled  status     where, or an example
    ───────────────────────────────  ──────  ─────────  ────────────────────
    id                               2 of 2  left out   "7"
    purchase_order_number            2 of 2  carried    BIG.04
    invoice_number                   2 of 2  carried    BIG.02
    invoiced_at                      2 of 2  carried    BIG.01
    currency                         2 of 2  carried    CUR.02
    brand.code                       2 of 2  condition  condition of CUR.02
    terms_net_days_due               2 of 2  condition  condition of N1*RE
    remit_to.name1                   1 of 2  carried    N1*RI.02
    remit_to.name2                   1 of 2  left out   "East"
    remit_to.street1                 1 of 2  left out   "1 Dock Rd"
    due_amount                       2 of 2  carried    TDS.01
    invoice_lines.quantity           4 of 4  carried    IT1.02, CTT.02
    invoice_lines.variant.upc        2 of 4  carried    IT1.UP
    invoice_lines.variant.media.url  2 of 2  left out   "https://a""
  `)
  expect(err).toMatchInlineSnapshot(`
    "Of 14 values in 2 records: 8 carried, 4 left out.
    Segments of the mapping that these records never write: N1*RE.
    Elements of other segments that they never fill: IT1.SK."
  `)
})

test('a record that is held is named with its problem, and carries nothing', async () => {
  const { exit, out, err } = await covered([{ ...INVOICE, purchase_order_number: null }], '--json')
  const { carried, held, values, neverWritten } = JSON.parse(out) as ExportCoverage

  expect([exit, carried, held[0]?.number]).toEqual([2, 0, 1])
  expect(held[0]?.problems.map(({ code }) => code)).toContain('value-missing')
  expect(values.find(({ path }) => path === 'invoice_number')).toMatchObject({
    filled: 1,
    of: 1,
    elements: [],
  })
  expect(neverWritten).toContain('BIG')
  expect(err).toBe('')
})

const READY = ['x12', 'edifact'].flatMap((folder) =>
  readdirSync(join(ROOT, 'mappings', folder))
    .filter((file) => file.endsWith('-export.yaml'))
    .map((file) => `${folder}/${file.replace('.yaml', '')}`),
)

test.each(READY)('each value of the example of %s is accounted for', async (name) => {
  const mapping = await loadExport(name)
  const path = join(ROOT, 'mappings', `${name}.yaml`)
  const input = resolve(dirname(path), mapping.examples[0]?.input ?? '')
  const { exit, out } = await runCommand({ folder: ROOT }, ['map', 'coverage', input, '-m', path, '--json'])
  const covering = JSON.parse(out) as ExportCoverage

  expect([exit, covering.held]).toEqual([0, []])
  expect(covering.carried).toBeGreaterThan(3)
  expect(covering.values.every(({ filled, of }) => filled > 0 && filled <= of)).toBe(true)
  const used = covering.values.filter(({ elements, conditions }) => elements.length + conditions.length > 0)
  expect(used.length + covering.leftOut).toBe(covering.values.length)
})

test('a table and a segment that is asked for are refused', async () => {
  const table = await runCommand({ folder: ROOT }, [
    'map',
    'coverage',
    'samples/exports/orders.json',
    '-m',
    'mappings/orders-export.yaml',
  ])
  const asked = await covered([INVOICE], '--segment', '3')
  const none = await covered([])

  expect([table.exit, asked.exit, none.exit]).toEqual([64, 64, 64])
  expect(asked.err).toContain('--segment is for interchanges that come in')
})
