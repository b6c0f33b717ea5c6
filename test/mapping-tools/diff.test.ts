/** What `map diff` shows of two mappings on the same file. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compareFile, type RecordChange } from '../../src/mapping-tools/diff.ts'
import { createFormats } from '../../src/formats/formats.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { mappingOf } from '../mapping/sheet.ts'

async function differences(before: string, after: string, text: string): Promise<RecordChange[]> {
  const path = join(await tempFolder(), 'in')
  await writeFile(path, text)
  const mappings = { old: await mappingOf(before), new: await mappingOf(after) }
  return compareFile({ path, name: 'in' }, mappings, createFormats())
}

const INVOICES = `
operation: create-invoice
group: PO
body:
  purchase_order_number: PO
  invoice_number: Invoice
  terms_net_days_due: { const: 30 }
  terms_date_due: Due
  due_amount: Total
  invoice_lines:
    - variant: { identifier: SKU }
      quantity: Qty
      net_price: Cost
`
const FILE = `PO,Invoice,Due,Total,SKU,Qty,Cost
P1,I1,2026-11-30,10,A,1,10
P2,I2,2026-11-30,20,A,2,10
`

test('records that one of the mappings skips are shown as skipped, not as refused', async () => {
  const only = INVOICES.replace('group: PO', 'group: PO\nonly: { Qty: 1 }')

  const skipped = await differences(INVOICES, only, FILE)

  expect(skipped).toEqual([
    {
      file: 'in',
      key: 'P2',
      kind: 'skipped',
      was: 'taken',
      fields: [],
      problems: ['line 3, column "Qty": "Qty" is "2"; the mapping takes records of which Qty is 1.'],
    },
  ])
  expect(await differences(only, INVOICES, FILE)).toMatchObject([
    { key: 'P2', kind: 'taken', was: 'skipped' },
  ])
  expect(await differences(only, only, FILE)).toEqual([])
})

test('a file that one mapping does not fit is refused, and its records are gone', async () => {
  const changes = await differences(INVOICES, INVOICES.replace('Total', 'Grand Sum'), FILE)

  expect(changes.map(({ key, kind }) => `${key} ${kind}`)).toEqual([
    'P1 removed',
    'P2 removed',
    'the file refused',
  ])
  expect(changes[2]?.problems).toEqual([
    'column "Grand Sum": The file has no column "Grand Sum". The mapping does not use "Total".',
  ])
})

const EXPORT = `
operation: export-orders
write: { format: csv }
each: order_lines
columns:
  PO: purchase_order_number
  Name: ship_to.name1
  Qty: order_lines.quantity
trailer:
  columns: { Orders: { count: records }, Units: { sum: order_lines.quantity } }
`
const RECORDS = JSON.stringify([
  { purchase_order_number: 'P1', ship_to: { name1: 'Ada' }, order_lines: [{ quantity: 1 }, { quantity: 2 }] },
  { purchase_order_number: 'P2', ship_to: { name1: 'Mei Chen' }, order_lines: [{ quantity: 1 }] },
])

test('rows of exports are compared cell by cell, and what belongs to the whole file by itself', async () => {
  const after = EXPORT.replace('ship_to.name1', '{ from: ship_to.name1, case: upper, width: 5 }').replace(
    '{ format: csv }',
    '{ format: csv, delimiter: ";" }',
  )

  expect(await differences(EXPORT, EXPORT, RECORDS)).toEqual([])
  expect(await differences(EXPORT, after, RECORDS)).toEqual([
    {
      file: 'in',
      key: 'P1',
      kind: 'changed',
      was: 'taken',
      fields: [
        { field: 'rows[0].Name', old: 'Ada', new: 'ADA' },
        { field: 'rows[1].Name', old: 'Ada', new: 'ADA' },
      ],
      problems: [],
    },
    {
      file: 'in',
      key: 'P2',
      kind: 'held',
      was: 'taken',
      fields: [],
      problems: ['column "Name": "MEI CHEN" has 8 characters; the column takes 5.'],
    },
    {
      file: 'in',
      key: 'the file',
      kind: 'changed',
      was: 'taken',
      fields: [
        { field: 'write.delimiter', new: ';' },
        { field: 'trailer[0]', old: '2', new: '1' },
        { field: 'trailer[1]', old: '4', new: '3' },
      ],
      problems: [],
    },
  ])
})

test('rows of several kinds are compared under their types, and columns that come and go are shown', async () => {
  const typed = (columns: string) => `
operation: export-orders
write: { format: csv }
records:
  - { type: PH, columns: { PO: purchase_order_number } }
  - { type: PD, each: order_lines, columns: { ${columns} } }
`
  const changes = await differences(
    typed('Qty: order_lines.quantity'),
    typed('Units: order_lines.quantity'),
    RECORDS,
  )

  expect(changes[1]).toMatchObject({
    key: 'P2',
    fields: [
      { field: 'PD[0].Qty', old: '1' },
      { field: 'PD[0].Units', new: '1' },
    ],
  })
})

test('text that is no list of records is reported as none', async () => {
  await expect(differences(EXPORT, EXPORT, '{ "detail": "Not found." }')).rejects.toThrow(
    /is no JSON list of records/,
  )
})
