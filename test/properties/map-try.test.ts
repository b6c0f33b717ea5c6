/** `map try` never misleads: whatever the cells, the last step of every field is the value in the body. */
import { readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import fc from 'fast-check'
import Papa from 'papaparse'
import { expect, test } from 'vitest'
import { readRecords, getValueAt, type ExplainedRecord } from '../../src/mapping-tools/translate-file.ts'
import { createFormats } from '../../src/formats/formats.ts'
import { formatValue } from '../../src/mapping/binding/explained.ts'
import type { TranslatedRecord } from '../../src/mapping/binding/explained.ts'
import { toExampleBody } from '../../src/mapping/examples.ts'
import { loadMapping } from '../../src/mapping/load.ts'
import { mappingOf, sheet } from '../mapping/sheet.ts'

const FOLDER = new URL('../../mappings', import.meta.url).pathname
const ALL = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'))
const LOADED = await Promise.all(
  ALL.map(async (name) => ({ name, mapping: await loadMapping(join(FOLDER, name)) })),
)
const INBOUND = LOADED.flatMap(({ name, mapping }) =>
  mapping.direction === 'inbound' ? [{ name, mapping }] : [],
)

/** The paths of the values in a body; a list of texts is one value. */
function pathsIn(value: unknown, path = ''): string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'object')) {
    return value.flatMap((item, index) => pathsIn(item, `${path}[${index}]`))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path]
  if ('find' in value || isAwaited(value)) return [path]
  return Object.entries(value).flatMap(([name, item]) =>
    pathsIn(item, path === '' ? name : `${path}.${name}`),
  )
}

/** Values that only the order itself will give: `{ "order": "order_lines" }`. */
function isAwaited(value: unknown): boolean {
  const [key, ...others] = typeof value === 'object' && value !== null ? Object.keys(value) : []
  return others.length === 0 && (key === 'order' || key === 'kept')
}

/** Fails where the explained fields and the body differ. */
function expectAgreement({ draft, fields }: Pick<ExplainedRecord, 'draft' | 'fields'>): void {
  if (draft.body === undefined) return
  const body = toExampleBody(draft)
  const present = fields.filter(({ field }) => getValueAt(body, field) !== undefined)
  expect(present.map(({ field }) => field).toSorted()).toEqual(pathsIn(body).toSorted())
  for (const { field, cells, steps, value } of fields) {
    const inBody = getValueAt(body, field)
    expect(value, field).toEqual(inBody)
    if (inBody === undefined || isAwaited(inBody)) continue
    const last = steps.at(-1)?.text ?? cells[0]?.text
    const key = typeof inBody === 'object' && inBody !== null && 'key' in inBody ? inBody.key : inBody
    expect(last, field).toBe(formatValue(key))
  }
}

test.each(INBOUND)(
  '$name: the steps of every field of its examples end in the value of the body',
  async (ready) => {
    const { name, mapping } = ready
    let records = 0
    for (const { input } of mapping.examples) {
      const path = resolve(dirname(join(FOLDER, name)), input)
      const read = await readRecords(path, createFormats(), mapping, () => true)
      if ('problems' in read) throw new Error(read.problems.map(({ message }) => message).join('\n'))
      for await (const record of read.records) {
        records += 1
        expectAgreement(record)
      }
    }
    expect(records).toBeGreaterThan(0)
  },
)

const MAPPING = `
operation: create-invoice
group: PO
lines: { same: add }
body:
  purchase_order_number: { from: PO, match: '^\\W*(.+)', case: upper }
  invoice_number: { firstOf: [Invoice, Second], blanks: [none], long: cut }
  terms_net_days_due: { oneOf: [{ when: { Terms: filled }, from: Terms, table: terms, miss: keep }, { const: 30 }] }
  terms_date_due: { from: Due, format: [MM/dd/yyyy, yyyy-MM-dd], default: 2026-12-31 }
  due_amount: { calc: 'sum([Qty] * [Cost]) + [Freight]', decimal: ",", round: half-up }
  invoice_lines:
    - variant: { identifier: { all: [SKU, Size], with: "-" }, upc: { from: UPC, digits: 12 } }
      quantity: Qty
      net_price: { from: Cost, decimal: "," }
tables:
  terms: { rows: { Net 15: 15, net 60: 60 } }
`
const COLUMNS = ['PO', 'Invoice', 'Second', 'Terms', 'Due', 'Freight', 'SKU', 'Size', 'UPC', 'Qty', 'Cost']

const CELLS: Readonly<Record<string, readonly string[]>> = {
  PO: ['#hv-1', ' HV-2 ', 'É3'],
  Invoice: ['I-1', 'none', ' INV 1', 'x'.repeat(40)],
  Second: ['S-8', 'S-9', '=" 77"'],
  Terms: ['', 'net 15', 'Net 60 ', '45', '50'],
  Due: ['', '11/30/2026', '2026-11-30'],
  Freight: ['0', '12,505', ' 3'],
  SKU: ['HV-1', 'hv-1', ' HV-2'],
  Size: ['', 'L'],
  UPC: ['', '86000100100', '086000100100'],
  Qty: ['1', '2', ' 3'],
  Cost: ['1', '9,50', '1.234,50'],
}

test('whatever the cells, the steps of a record that is taken end in its body', async () => {
  const mapping = await mappingOf(MAPPING)
  if (mapping.direction !== 'inbound') throw new Error('not an inbound mapping')
  const cellOf = (name: string) =>
    fc.oneof(
      { weight: 60, arbitrary: fc.constantFrom(...(CELLS[name] ?? [])) },
      { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
    )
  const rowsOfRecord = fc
    .tuple(
      fc.tuple(...COLUMNS.slice(0, 6).map(cellOf)),
      fc.array(fc.tuple(...COLUMNS.slice(6).map(cellOf)), { minLength: 1, maxLength: 3 }),
    )
    .map(([head, lines]) => lines.map((line) => [...head, ...line]))
  let taken = 0
  fc.assert(
    fc.property(fc.array(rowsOfRecord, { minLength: 1, maxLength: 4 }), (records) => {
      const { layouts, rows: read } = sheet(Papa.unparse([COLUMNS, ...records.flat()]))
      const watch = ({ draft, fields }: TranslatedRecord) => {
        const explained = fields()
        if (draft.body !== undefined) taken += 1
        expectAgreement({ draft, fields: explained })
      }
      const bound = mapping.translator.bind(layouts, undefined, watch)
      const unwatched = mapping.translator.bind(layouts)
      if (!('keyColumns' in bound) || !('keyColumns' in unwatched)) throw new Error('the columns are there')
      const drafts = [...bound.translateRows(read), ...bound.finish()]

      expect(drafts).toEqual([...unwatched.translateRows(read), ...unwatched.finish()])
    }),
  )
  expect(taken).toBeGreaterThan(20)
})
