/** What a mapping file as a whole can do: inherit, carry its examples, and report its errors by line. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { findExampleFailures } from '../../../src/mapping-tools/examples.ts'
import { createFormats } from '../../../src/formats/formats.ts'
import { createMappingSchema } from '../../../src/mapping/json-schema.ts'
import { loadMapping } from '../../../src/mapping/load.ts'
import { tempFolder } from '../../fixtures/temp-folder.ts'
import { errorsOf } from '../sheet.ts'

const BASE = `operation: create-invoice
read: { format: csv }
group: [PO, Invoice]
body:
  purchase_order_number: PO
  invoice_number: Invoice
  terms_net_days_due: { from: Terms, default: 30 }
  terms_date_due: { from: Due, format: MM/dd/yyyy }
  due_amount: Total
  invoice_lines:
    - { variant: { identifier: Item }, quantity: Qty, net_price: Cost }
`

test('O13: a partner whose dates are written otherwise is a mapping of four lines', async () => {
  const folder = await tempFolder()
  await mkdir(join(folder, 'partners'))
  await writeFile(join(folder, 'invoices.yaml'), BASE)
  await writeFile(
    join(folder, 'partners/nordlicht.yaml'),
    `extends: ../invoices.yaml
body:
  terms_date_due: { format: dd.MM.yyyy }
  terms_net_days_due: { const: 14 }
examples: [{ input: nordlicht.csv, expect: nordlicht.json }]
`,
  )
  await writeFile(
    join(folder, 'partners/nordlicht.csv'),
    'PO,Invoice,Due,Total,Item,Qty,Cost\nHV-1,N-77,04.12.2026,$25.00,NL-0007,2,12.50\n',
  )
  const body = {
    purchase_order_number: 'HV-1',
    invoice_number: 'N-77',
    terms_net_days_due: 14,
    terms_date_due: '2026-12-04',
    due_amount: '25.00',
    invoice_lines: [{ variant: { identifier: 'NL-0007' }, quantity: 2, net_price: '12.50' }],
  }
  await writeFile(join(folder, 'partners/nordlicht.json'), JSON.stringify([body]))
  const path = join(folder, 'partners/nordlicht.yaml')
  const mapping = await loadMapping(path)

  expect(await findExampleFailures(mapping, path, createFormats())).toEqual([])
  expect(mapping.warnings).toEqual([])
})

test('O13: an editor takes a mapping that extends another, and nulls in it', () => {
  const schema = z.fromJSONSchema(createMappingSchema() as never)

  expect(schema.safeParse({ extends: './base.yaml', body: { ship_to: { fax: null } } }).success).toBe(true)
  expect(schema.safeParse({ extends: './base.yaml', boddy: {} }).success).toBe(false)
})

test('O14: an example file that is not there is named with the place that names it', async () => {
  const folder = await tempFolder()
  const path = join(folder, 'invoices.yaml')
  await writeFile(path, `${BASE}examples: [{ input: in.csv, expect: out.json }]\n`)
  const mapping = await loadMapping(path)

  await expect(findExampleFailures(mapping, path, createFormats())).rejects.toMatchObject({
    code: 'mapping-invalid',
    details: [
      expect.stringMatching(
        /invoices\.yaml:\d+:21 examples\[0\]\.input: the file .*in\.csv is not there: copy it too, or remove `examples`$/,
      ),
    ],
  })
})

test('O14: differences from an example are reported field by field', async () => {
  const folder = await tempFolder()
  await writeFile(join(folder, 'invoices.yaml'), `${BASE}examples: [{ input: in.csv, expect: out.json }]\n`)
  await writeFile(
    join(folder, 'in.csv'),
    'PO,Invoice,Terms,Due,Total,Item,Qty,Cost\nHV-1,N-77,,12/04/2026,25.00,NL-0007,2,12.50\n',
  )
  await writeFile(join(folder, 'out.json'), JSON.stringify([{ purchase_order_number: 'HV-2' }]))
  const path = join(folder, 'invoices.yaml')

  const failures = await findExampleFailures(await loadMapping(path), path, createFormats())

  expect(failures[0]).toBe(
    `${path}: example in.csv: Record 1: purchase_order_number is "HV-1"; expected was "HV-2".`,
  )
})

test('O15: errors are reported all at once, by line and column, in the file they were made in', async () => {
  const lines = await errorsOf('extends: base.yaml\nbody: { due_amont: Total }\n', {
    'base.yaml': BASE.replace('dd/', 'DD/').replace('quantity: Qty', 'quantity: 2'),
  })

  expect(lines).toEqual([
    '2:9 body.due_amont: the API has no such field. Did you mean "due_amount"?',
    expect.stringMatching(
      /^base\.yaml:8:\d+ body\.terms_date_due\.format: write MM\/dd\/yyyy, or dd\/MM\/yyyy where the day comes first, instead: "DD" is not/,
    ) as string,
    'base.yaml:11:50 body.invoice_lines[0].quantity: "2" is not a column name: put a name in quotes, or write { const: 2 }',
  ])
})
