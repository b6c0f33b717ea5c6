/** What `map test` reports as untried by the examples of a mapping. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Coverage, measureCoverage } from '../../src/mapping-tools/coverage.ts'
import { createFormats } from '../../src/formats/formats.ts'
import { loadMapping } from '../../src/mapping/load.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

async function covered(mapping: string, input: string): Promise<Coverage> {
  const { path, loaded } = await withExample(mapping, input)
  if (loaded.direction !== 'inbound') throw new Error('not an inbound mapping')
  return measureCoverage(loaded, path, createFormats())
}

async function exported(mapping: string, records: readonly unknown[]): Promise<Coverage> {
  const { path, loaded } = await withExample(mapping, JSON.stringify(records))
  if (loaded.direction !== 'outbound') throw new Error('not an export')
  return measureCoverage(loaded, path, createFormats())
}

async function withExample(mapping: string, input: string) {
  const folder = await tempFolder()
  await mkdir(join(folder, 'samples'))
  await writeFile(join(folder, 'samples/in'), input)
  const path = join(folder, 'm.yaml')
  await writeFile(path, `${mapping}\nexamples: [{ input: samples/in, expect: samples/none }]\n`)
  return { path, loaded: await loadMapping(path) }
}

const HEAD = 'PO,Date,Name,Bill,Street,City,State,Zip,Via,Type,SKU,Qty,Cost'

const ORDERS = `
operation: create-order
group: { by: PO, blank: continues }
only: { Type: { not: Test } }
lines: { same: add }
body:
  purchase_order_number: { from: PO, match: '#(\\w+)', default: NONE }
  ordered_at: { from: Date, format: [MM/dd/yyyy, yyyy-MM-dd] }
  gift_message: { from: Name, when: { Type: Gift }, wrap: 10 }
  sold_to: { when: { Bill: filled }, name1: Bill, street1: Street, city: City, province: State, postal_code: Zip, country: { const: US } }
  ship_to:
    name1: { firstOf: [Bill, Name], blanks: [n/a], long: cut }
    street1: { from: Street, wrap: 12, at: 1 }
    street2: { from: Street, wrap: 12, at: 2 }
    city: { from: City, case: upper }
    province: State
    postal_code: { from: Zip, digits: 5 }
    country: { const: US }
  shipping_method:
    code: { oneOf: [{ when: { Type: Gift }, const: GIFT }, { from: Via, table: via, pick: method, miss: keep }] }
    carrier: { code: { from: Via, table: via, pick: carrier, miss: blank, default: FDEG } }
  order_lines:
    - when: { SKU: { not: FREIGHT } }
      variant: { identifier: SKU }
      quantity: Qty
      net_price: { from: Cost, round: half-up }
      price: { const: '9.00' }
tables:
  via:
    rows:
      Ground: { method: UPS_GROUND, carrier: UPSN }
      Air: { method: UPS_AIR, carrier: UPSN }
      Truck: { method: TRUCK, carrier: FDEG }
`

test('an example with nothing odd in it leaves every option, branch and key that it does not take untried', async () => {
  const plain = '#1,11/16/2026,Ada,,12 Mill Road,Portland,ME,04101,ground,Sale,HV-1,1,2.50'

  const { unfilledFields, untakenOptions, untakenKeys } = await covered(ORDERS, `${HEAD}\n${plain}\n`)

  expect(unfilledFields?.toSorted()).toEqual([
    'gift_message',
    'ship_to.street2',
    'sold_to.city',
    'sold_to.country',
    'sold_to.name1',
    'sold_to.postal_code',
    'sold_to.province',
    'sold_to.street1',
  ])
  expect(untakenOptions.toSorted()).toEqual(
    [
      'purchase_order_number: default',
      'purchase_order_number: match that finds nothing',
      'ordered_at: format yyyy-MM-dd',
      'gift_message: when Type Gift',
      'gift_message: wrap',
      'ship_to.name1: blanks n/a',
      'ship_to.name1: firstOf Bill',
      'ship_to.name1: long',
      'ship_to.street1: wrap',
      'ship_to.street2: wrap',
      'ship_to.postal_code: digits',
      'shipping_method.code: when Type Gift',
      'shipping_method.code: miss keep',
      'shipping_method.carrier.code: default',
      'shipping_method.carrier.code: miss blank',
      'order_lines[].net_price: round',
      'order_lines[]: not when SKU not FREIGHT',
      'only: a record that is left out',
      'lines: same add',
      'group: blank continues',
    ].toSorted(),
  )
  expect(untakenKeys).toEqual([{ table: 'via', keys: ['Air', 'Truck'], of: 3 }])
})

test('an example that takes them all leaves nothing untried', async () => {
  const rows = [
    '#1,11/16/2026,Ada Park of Portland,n/a,12 Mill Lane East,Portland,ME,4101,ground,Sale,HV-1,1,2.505',
    ',,,,,,,,,,HV-1,2,2.505',
    ',,,,,,,,,,FREIGHT,1,9',
    `1,2026-11-16,${'Ada Whitfield '.repeat(20)},,12 Mill Road,Portland,ME,04101,Air,Sale,HV-1,1,2`,
    '#3,11/16/2026,Ada Park of Portland,Tom Reed,12 Mill Road,Portland,ME,04101,Truck,Gift,HV-1,1,2',
    '#4,11/16/2026,Ada Park,Tom Reed,12 Mill Road,Portland,ME,04101,By owl,Sale,HV-1,1,2',
    '#5,11/16/2026,Ada Park,Tom Reed,12 Mill Road,Portland,ME,04101,Air,Test,HV-1,1,2',
  ]

  const coverage = await covered(ORDERS, `${HEAD}\n${rows.join('\n')}\n`)

  expect(coverage).toEqual({
    unusedColumns: [],
    absentColumns: [],
    unfilledFields: [],
    untakenOptions: [],
    untakenKeys: [],
  })
})

test('lines that are packed into one row count as tried once a row holds several', async () => {
  const packed = ORDERS.replace('lines: { same: add }', 'lines: { split: "|", columns: [SKU, Qty] }')
  const row = (lines: string) => `#1,11/16/2026,Ada,,12 Mill Road,Portland,ME,04101,ground,Sale,${lines},2.50`

  const one = await covered(packed, `${HEAD}\n${row('HV-1,1')}\n`)
  const two = await covered(packed, `${HEAD}\n${row('HV-1|HV-2,1|2')}\n`)

  expect(one.untakenOptions).toContain('lines: several in one row')
  expect(two.untakenOptions).not.toContain('lines: several in one row')
})

test('held records count as a try of `hold`, and a table that only the order lines use is not checked', async () => {
  const holding = ORDERS.replace(
    'lines: { same: add }',
    'hold: [{ when: { Type: Odd }, say: Ask. }]',
  ).replace('tables:', 'tables:\n  spare: { rows: { A: B } }')
  const row = (type: string) => `#1,11/16/2026,Ada,,12 Mill Road,Portland,ME,04101,ground,${type},HV-1,1,2.50`

  const none = await covered(holding, `${HEAD}\n${row('Sale')}\n`)
  const one = await covered(holding, `${HEAD}\n${row('Odd')}\n`)

  expect(none.untakenOptions).toContain('hold: a record that is held')
  expect(one.untakenOptions).not.toContain('hold: a record that is held')
  expect(none.untakenKeys.map(({ table }) => table)).toEqual(['via'])
})

const EXPORT = `
operation: export-orders
write: { format: csv }
each: order_lines
columns:
  PO: purchase_order_number
  Name: { from: ship_to.name1, width: 10, long: cut, formulas: guard }
  Company: { firstOf: [ship_to.name2, ship_to.name1], default: none }
  Method: { from: shipping_method.code, table: via, reverse: true, miss: keep }
  Seen: { from: is_acknowledged, yes: Y, no: N }
  SKU: order_lines.variant.identifier
  Qty: { from: order_lines.quantity, when: { status: Open } }
  Note: gift_message
  Lines: { count: order_lines }
tables:
  via: { rows: { Ground: UPS_GROUND, Air: UPS_AIR } }
`
const RECORD = {
  id: 7,
  purchase_order_number: 'HV-1',
  status: 'Open',
  is_acknowledged: false,
  retailer: { id: 1, name: 'Harbor Vine', code: null },
  ship_to: { name1: 'Ada Park', name2: null, city: 'Portland' },
  shipping_method: { code: 'UPS_GROUND' },
  gift_message: null,
  order_lines: [{ id: 1, quantity: 2, variant: { identifier: 'A', brand: { id: 3, name: 'B' } } }],
}

test('of an export it names fields that no column prints, columns that stay blank, and options without effect', async () => {
  expect(await exported(EXPORT, [RECORD])).toEqual({
    unprintedFields: [
      'id',
      'status',
      'retailer',
      'ship_to.city',
      'order_lines.id',
      'order_lines.variant.brand',
    ],
    unfilledColumns: ['Note'],
    untakenOptions: [
      'Name: long',
      'Name: formulas',
      'Company: default',
      'Company: firstOf ship_to.name2',
      'Method: miss keep',
      'Seen: yes',
      'Qty: not when status Open',
    ],
    untakenKeys: [{ table: 'via', keys: ['Air'], of: 2 }],
  })
})

test('an option of a column is not tried by a row in which the condition of the column does not hold', async () => {
  const conditional = `
operation: export-orders
write: { format: csv }
columns:
  PO: purchase_order_number
  Name: { firstOf: [ship_to.name1, ship_to.name2], when: { status: Closed } }
`
  expect((await exported(conditional, [RECORD])).untakenOptions).toEqual([
    'Name: when status Closed',
    'Name: firstOf ship_to.name1',
    'Name: firstOf ship_to.name2',
  ])
})

test('of an export whose rows have types each kind of row is checked by itself', async () => {
  const typed = `
operation: export-orders
write: { format: csv }
records:
  - { type: PH, columns: { PO: purchase_order_number, Note: gift_message } }
  - { type: PD, each: order_lines, columns: { SKU: order_lines.variant.identifier, Size: order_lines.variant.size } }
`
  const { unfilledColumns, unprintedFields } = await exported(typed, [
    { ...RECORD, gift_message: ['Hi'], retailer: null },
  ])

  expect(unfilledColumns).toEqual(['Size'])
  expect(unprintedFields).toEqual([
    'id',
    'status',
    'is_acknowledged',
    'ship_to',
    'shipping_method',
    'order_lines.id',
    'order_lines.quantity',
    'order_lines.variant.brand',
  ])
})

test('a document fills what it counts, and the elements around the records; a segment that is left out fills nothing', async () => {
  const gaps = await exported(
    `operation: export-variants
write: { format: x12, document: 846, set: file }
segments:
  - BIA: { '01': { const: '00' }, '02': { const: DD }, '03': $interchange, '04': $date }
  - each: record
    in: [LIN: { UP: upc, in: [PID*F: { '05': name }, CTP*MSR: { '02': { const: PUR }, '03': attributes.msrp }, QTY*33: { '02': id, '03': { const: EA } }] }]
  - CTT: { '01': { count: LIN } }
`,
    [{ id: 1, upc: '086000100018', attributes: [] }],
  )

  expect(gaps.unfilledColumns).toEqual(['LIN/PID*F.05', 'LIN/CTP*MSR.02', 'LIN/CTP*MSR.03'])
})
