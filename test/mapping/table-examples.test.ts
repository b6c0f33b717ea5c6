/** The examples in the tables of docs/mapping.md have the results that the tables show. */
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { CALC_FORMS } from '../../src/mapping/calc/calculation.ts'
import { COLUMN_OPTIONS } from '../../src/mapping/export/column-options.ts'
import { COMMON_KEYS, INBOUND_KEYS, OUTBOUND_KEYS } from '../../src/mapping/file.ts'
import type { KeyRow } from '../../src/mapping/source/schema.ts'
import { toExampleBody } from '../../src/mapping/examples.ts'
import { LEAF_OPTIONS } from '../../src/mapping/fields/options.ts'
import { CONDITION_FORMS } from '../../src/mapping/rows/conditions.ts'
import { GROUP_FORMS } from '../../src/mapping/rows/grouping.ts'
import { DATE_TOKENS } from '../../src/mapping/values/date-format.ts'
import { dress, makeInterchange, type MadeSegment } from '../fixtures/edi-maker.ts'
import { readFile } from '../formats/edi/tools.ts'
import { type BODIES, constantBody, constantMapping, type Plain, recordOf } from './ready-bodies.ts'
import { mappingOf, errorsOf, ORDERS } from './sheet.ts'

const TABLES = {
  carriers: { rows: { FedEx: 'FDEG' } },
  'ship-via': { rows: { Ground: { method: 'FEDEX_GROUND', carrier: 'FDEG' } } },
}

/** The field an option is tried on, where it is not for any text. */
const FIELDS: Readonly<Record<string, readonly [keyof typeof BODIES, string]>> = {
  calc: ['create-invoice', 'due_amount'],
  decimal: ['create-invoice', 'due_amount'],
  implied: ['create-invoice', 'due_amount'],
  round: ['create-invoice', 'due_amount'],
  format: ['create-order', 'ordered_at'],
  zone: ['create-order', 'ordered_at'],
  find: ['create-shipment', 'order_id'],
  order: ['create-shipment', 'label_reference'],
  kept: ['create-shipment', 'label_reference'],
}

type Row = Required<KeyRow>

/** Options whose values come from paths of a document, and not from columns. */
const OF_DOCUMENTS: readonly string[] = ['every', 'sum']

const allLeafRows = Object.entries<KeyRow>(LEAF_OPTIONS).map(
  ([name, row]) => ({ name, ...row }) as Row & { name: string },
)
const leafRows = allLeafRows.filter(({ name }) => !OF_DOCUMENTS.includes(name))

test.each(allLeafRows.filter(({ name }) => OF_DOCUMENTS.includes(name)))(
  'option $name of documents: $example gives what the table shows',
  async ({ example, of, gives }) => {
    const body = constantBody('create-order', { customer_order_number: parse(example) as unknown })
    const mapping = stringify({ operation: 'create-order', read: { format: 'x12', document: 850 }, body })

    const { drafts } = await readFile(mapping, orderWith(of))

    expect(drafts.map(({ problems }) => problems)).toEqual([[]])
    expect(drafts[0] && toExampleBody(drafts[0])['customer_order_number']).toEqual(gives)
  },
)

/** An 850 with a segment for each value of a path such as `N9*L1/MSG.01`. */
function orderWith(of: Row['of']): Buffer {
  const own = of.flatMap(([path, cells]): MadeSegment[] => {
    const steps = path.split('/')
    const [id = '', element = ''] = steps.pop()?.split('.') ?? []
    const loops = steps.map((step) => step.split('*') as MadeSegment)
    const blanks = Array.from({ length: Number(element) - 1 }, () => '')
    return [...loops, ...[cells].flat().map((cell): MadeSegment => [id, ...blanks, String(cell)])]
  })
  const lines: MadeSegment[] = own.some(([id]) => id === 'PO1') ? [] : [['PO1', '1']]
  const segments: MadeSegment[] = [['BEG', '00', 'DS', 'HV-1'], ...own, ...lines]
  return dress(makeInterchange({ syntax: 'x12', groups: [{ sets: [{ document: '850', segments }] }] }))
}

test.each(leafRows)(
  'option $name: $example gives what the table shows',
  async ({ name, example, of, gives }) => {
    const [operation, field] = FIELDS[name] ?? ['create-order', 'customer_order_number']

    const draft = await recordOf(
      constantMapping(operation, { [field]: parse(example) as unknown }, { tables: TABLES }),
      of,
    )

    expect(draft?.problems).toEqual([])
    expect(draft && toExampleBody(draft)[field]).toEqual(gives)
  },
)

const columnRows = Object.entries<KeyRow>(COLUMN_OPTIONS).map(
  ([name, row]) => ({ name, ...row }) as Row & { name: string },
)

test.each(columnRows)(
  'export option $name: $example gives what the table shows',
  async ({ name, example, of, gives }) => {
    const write = { format: name === 'align' ? 'fixed' : 'csv' }

    // Both numbers are of one line.
    const isOfLine = name === 'minus'
    const line = Object.fromEntries(of.map(([path, value]) => [path.replace('order_lines.', ''), value]))
    const record = isOfLine ? { order_lines: [line] } : recordFrom(of)
    expect(await cellOf(example, { record, write, ...(isOfLine && { each: 'order_lines' }) })).toBe(gives)
  },
)

/** The cell of the column. */
async function cellOf(
  column: string,
  { record, write = { format: 'csv' }, each }: { record: Plain; write?: Plain; each?: string },
) {
  const columns = { Cell: parse(column) as unknown }
  const rows = { ...(each !== undefined && { each }), columns }
  const mapping = await mappingOf(stringify({ operation: 'export-orders', write, ...rows, tables: TABLES }))
  if (mapping.direction !== 'outbound') throw new Error('not an export')
  const composed = mapping.composer.composeRows(record)
  return 'rows' in composed ? composed.rows[0]?.[0] : composed.problems
}

/** The record with these values at their paths; a list adds as many items to the list on its path. */
function recordFrom(values: Row['of']): Plain {
  const [[path, value] = ['', undefined]] = values
  const [first = '', ...rest] = path.split('.')
  const at = (inner: unknown, names: readonly string[]): unknown =>
    names.reduceRight((below, name) => ({ [name]: below }), inner)
  return { [first]: Array.isArray(value) ? value.map((item) => at(item, rest)) : at(value, rest) }
}

test.each(Object.entries(DATE_TOKENS))(
  'date token %s is written as the table shows',
  async (token, { example }) => {
    const record = { ordered_at: '2026-07-05T01:05:06Z' }

    const cell = await cellOf(`{ from: ordered_at, format: ${token}, zone: America/New_York }`, { record })

    expect(cell).toBe(example)
  },
)

test.each(CALC_FORMS)('calculation $example gives what the table shows', async ({ example, of, gives }) => {
  const field = example.includes('days') ? 'terms_date_due' : 'due_amount'

  const draft = await recordOf(constantMapping('create-invoice', { [field]: { calc: example } }), of)

  expect(draft?.body?.[field]).toBe(gives)
})

const cells = CONDITION_FORMS.flatMap(({ example, holds, fails, beside = {} }) => [
  ...holds.map((cell) => ({ example, cell, beside, holds: true })),
  ...fails.map((cell) => ({ example, cell, beside, holds: false })),
])

test.each(cells)('condition $example for a cell $cell: $holds', async ({ example, cell, beside, holds }) => {
  const only = parse(example) as Plain
  const [column = ''] = Object.keys(only)

  const draft = await recordOf(constantMapping('create-order', {}, { only }), [
    [column, cell],
    ...Object.entries(beside),
  ])

  expect(draft?.skipped === true).toBe(!holds)
})

test.each(GROUP_FORMS)('$example compiles', async ({ example }) => {
  const { group } = parse(example) as Plain

  expect(await errorsOf(constantMapping('create-order', {}, { group }))).toEqual([])
})

describe('keys of a mapping', () => {
  const COLUMNS = { 'PO Number': 'purchase_order_number' }
  const files = {
    'base-orders.yaml': ORDERS,
    'tables/ship-via.csv': 'ship_via,method,carrier\nGround,FEDEX_GROUND,FDEG\n',
  }

  test.each(Object.entries({ ...COMMON_KEYS, ...INBOUND_KEYS }))('%s', async (name, { example }) => {
    const key = parse(example) as Plain
    const written =
      name === 'body'
        ? constantMapping('create-order', key['body'])
        : constantMapping('create-order', {}, key)

    expect(await errorsOf(name === 'extends' ? example : written, files)).toEqual([])
  })

  test.each(Object.entries(OUTBOUND_KEYS))('%s', async (name, { example }) => {
    const text = stringify({
      ...(name === 'segments' ? { write: { format: 'x12', document: 810 } } : {}),
      ...(name === 'parts'
        ? { operation: 'export-shipments', each: 'shipment_lines' }
        : { operation: name === 'segments' ? 'export-invoices' : 'export-orders' }),
      ...(name === 'records' || name === 'segments' ? {} : { columns: COLUMNS }),
      ...(parse(example) as Plain),
    })

    expect(await errorsOf(text)).toEqual([])
  })
})
