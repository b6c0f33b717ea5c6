/** A mapping knows the name and folder of its file wherever the file is read. */
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { findExampleFailures } from '../../src/mapping-tools/examples.ts'
import { translateFile } from '../../src/mapping-tools/translate-file.ts'
import { createFileSource } from '../../src/pipeline/inbound/steps.ts'
import { createCsvFormat } from '../../src/formats/csv/format.ts'
import { loadMapping } from '../../src/mapping/load.ts'

const MAPPING = `
operation: create-invoice
group: PO
body:
  purchase_order_number: PO
  invoice_number: { from: $file, match: '^inv_([A-Z0-9]+)_' }
  terms_net_days_due: { const: 30 }
  terms_date_due: { const: 2026-12-20 }
  due_amount: { calc: "sum([Qty] * [Cost])" }
  invoice_lines:
    - variant: { identifier: { all: [$folder, SKU], with: "/" } }
      quantity: Qty
      net_price: Cost
examples: [{ input: inv_A77_20261120.csv, expect: expected.json }]
`

test('a file is translated, and an example checked, with its own name and the name of its folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dropbridge-'))
  const file = join(folder, 'inv_A77_20261120.csv')
  const line = { variant: { identifier: `${basename(folder)}/HV-1` }, quantity: 2, net_price: '1.25' }
  const body = {
    purchase_order_number: 'P1',
    invoice_number: 'A77',
    terms_net_days_due: 30,
    terms_date_due: '2026-12-20',
    due_amount: '2.50',
    invoice_lines: [line],
  }
  await writeFile(file, 'PO,SKU,Qty,Cost\nP1,HV-1,2,1.25\n')
  await writeFile(join(folder, 'invoices.yaml'), MAPPING)
  await writeFile(join(folder, 'expected.json'), JSON.stringify([body]))
  const mapping = await loadMapping(join(folder, 'invoices.yaml'))
  if (mapping.direction !== 'inbound') throw new Error('not inbound')

  const translation = await translateFile(file, createCsvFormat(), mapping.translator)
  if ('unusable' in translation) throw new Error('unusable')
  const bodies: unknown[] = []
  for await (const drafts of translation.drafts) bodies.push(...drafts.map((draft) => draft.body))

  expect(bodies).toEqual([body])
  expect(await findExampleFailures(mapping, join(folder, 'invoices.yaml'), createCsvFormat())).toEqual([])
})

test('a route knows the folder by its own name, without those above it', () => {
  const route = { folder: '/data/partners/acme/' } as Parameters<typeof createFileSource>[0]['route']
  const file = { name: 'inv_A77.csv' } as Parameters<typeof createFileSource>[1]

  expect(createFileSource({ route }, file)).toEqual({ file: 'inv_A77.csv', folder: 'acme' })
})
