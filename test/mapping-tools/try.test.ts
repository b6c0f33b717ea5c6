/** What `map try` shows of a record: the text after every step, as the mapping computes it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { explainRecord, readRecords, type TriedRecord } from '../../src/mapping-tools/translate-file.ts'
import { createFormats } from '../../src/formats/formats.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { mappingOf } from '../mapping/sheet.ts'

async function tried(mapping: string, file: string): Promise<TriedRecord[]> {
  const path = join(await tempFolder(), 'file.csv')
  await writeFile(path, file)
  const compiled = await mappingOf(mapping)
  if (compiled.direction !== 'inbound') throw new Error('not an inbound mapping')
  const read = await readRecords(path, createFormats(), compiled, () => true)
  if ('problems' in read) throw new Error(read.problems.map(({ message }) => message).join('\n'))
  const records: TriedRecord[] = []
  for await (const each of read.records) records.push(explainRecord(each))
  return records
}

/** `trimmed=ab-1 > case upper=AB-1` of one field. */
function steps(record: TriedRecord | undefined, field: string): string {
  const found = record?.fields.find((each) => each.field === field)
  if (found === undefined)
    throw new Error(`no ${field} among ${record?.fields.map((each) => each.field).join()}`)
  return found.steps.map(({ does, text, refused }) => `${does}=${text ?? refused ?? ''}`).join(' > ')
}

const HEAD = 'PO,Date,First,Last,Bill,Street,City,State,Zip,Via,SKU,Qty,Cost,Freight'

function mapping({ above = '' } = {}): string {
  return `
operation: create-order
group: PO
${above}
body:
  purchase_order_number: { from: PO, match: '^#?([\\w-]+)', case: upper, pad: { to: 6, with: "0" } }
  ordered_at: { from: Date, format: [MM/dd/yyyy, yyyyMMdd], zone: America/New_York }
  ship_to:
    name1: { all: [First, Last] }
    name2: { firstOf: [Bill, Last], blanks: [n/a] }
    street1: { from: Street, wrap: 10, at: 1 }
    street2: { from: Street, wrap: 10, at: 2 }
    city: City
    province: State
    postal_code: { from: Zip, digits: 5 }
    country: { from: Country, default: US }
  shipping_method:
    code: { from: Via, split: " - ", at: 2, table: via, pick: method }
    carrier: { code: { oneOf: [{ when: { Via: 'UPS - Ground' }, const: UPSN }, { from: Via, table: via, pick: carrier }] } }
  order_lines:
    - variant: { identifier: { from: SKU, case: upper } }
      quantity: Qty
      net_price: { calc: 'round([Cost] * 0.9, 2)' }
      price: { from: Cost, decimal: "," }
tables:
  via:
    rows:
      Ground: { method: UPS_GROUND, carrier: UPSN }
      FDX - Ground: { method: FEDEX_GROUND, carrier: FDEG }
`
}

const ROW = '  #ab-1 ,20261116,Ada,Park,N/A,12 Mill Road,Portland,Maine,4101,UPS - Ground,hv-1,2,9,0'

test('every step is shown with the text after it, from the cell of the file to the value', async () => {
  const [record] = await tried(mapping(), `${HEAD}\n${ROW}\n`)

  expect(record?.problems).toEqual([])
  expect(steps(record, 'purchase_order_number')).toBe(
    'trimmed=#ab-1 > match ^#?([\\w-]+)=ab-1 > case upper=AB-1 > pad to 6 with "0"=00AB-1',
  )
  expect(record?.fields[0]?.cells).toEqual([{ column: 'PO', text: '  #ab-1 ' }])
  expect(record?.fields[0]?.value).toBe('00AB-1')
  expect(steps(record, 'ordered_at')).toBe(
    'format MM/dd/yyyy or yyyyMMdd, zone America/New_York=2026-11-16T05:00:00Z',
  )
  expect(steps(record, 'ship_to.name1')).toBe('all=Ada Park')
  expect(steps(record, 'ship_to.name2')).toBe('firstOf Last=Park')
  expect(steps(record, 'ship_to.street2')).toBe('wrap 10 at 2=Road')
  expect(steps(record, 'ship_to.province')).toBe('as a state or province of US=ME')
  expect(steps(record, 'ship_to.postal_code')).toBe('digits 5=04101')
  expect(steps(record, 'ship_to.country')).toBe('default US=US')
  expect(steps(record, 'shipping_method.code')).toBe(
    'split " - " at 2=Ground > table via pick method=UPS_GROUND',
  )
  expect(steps(record, 'shipping_method.carrier.code')).toBe('const=UPSN')
  expect(steps(record, 'order_lines[0].net_price')).toBe(
    'calc round([Cost] * 0.9, 2)=8.1 > as US dollars, such as 12.50=8.10',
  )
})

test('a value that a condition chose says which, and objects that are left out say why', async () => {
  const buyer =
    'name1: Bill, street1: Bill, city: Bill, province: Bill, postal_code: Bill, country: { const: US }'
  const file = `${HEAD}\n${ROW.replace('N/A', '')}\n`
  const withBuyer = (object: string) =>
    tried(mapping().replace('  order_lines:', `  sold_to: { ${object} }\n  order_lines:`), file)
  const [unfilled] = await withBuyer(buyer)
  const [conditional] = await withBuyer(`when: { Bill: filled }, ${buyer}`)

  const noteOf = (record: TriedRecord | undefined, name: string) => {
    const { note, value } = record?.fields.find(({ field }) => field === name) ?? {}
    return { note, value }
  }
  expect(noteOf(unfilled, 'shipping_method.carrier.code')).toEqual({
    note: 'when Via is UPS - Ground',
    value: 'UPSN',
  })
  expect(noteOf(unfilled, 'sold_to.country')).toEqual({ note: 'left out: no cell of sold_to is filled' })
  expect(noteOf(conditional, 'sold_to.country')).toEqual({ note: 'left out: it takes that Bill is filled' })
})

test('the step that refuses a text is the last one, and the record says so too', async () => {
  const [record] = await tried(mapping(), `${HEAD}\n${ROW.replace('UPS - Ground', 'UPS - Truck')}\n`)

  expect(record?.outcome).toBe('refused')
  expect(steps(record, 'shipping_method.code')).toBe(
    'split " - " at 2=Truck > table via pick method=lookup-missed',
  )
  expect(record?.fields.find(({ field }) => field === 'shipping_method.code')?.problems).toMatchObject([
    { code: 'lookup-missed' },
  ])
})

test('lines that are packed into one row are shown one by one, each with its own part of the cell', async () => {
  const packed = mapping({ above: 'lines: { split: "|", columns: [SKU, Qty, Cost] }' })
  const [record] = await tried(packed, `${HEAD}\n${ROW.replace('hv-1,2,9', 'hv-1|hv-2,2|3,9|10')}\n`)

  expect(record?.outcome).toBe('translated')
  expect(record?.lines).toEqual([2])
  expect(steps(record, 'order_lines[0].variant.identifier')).toBe('case upper=HV-1')
  expect(steps(record, 'order_lines[1].variant.identifier')).toBe('case upper=HV-2')
  const second = record?.fields.find(({ field }) => field === 'order_lines[1].quantity')
  expect(second).toMatchObject({ cells: [{ column: 'Qty', text: '3' }], value: 3 })
})

test('numbered columns are shown line by line too', async () => {
  const numbered = mapping({ above: 'lines: { columns: ["SKU{n}", "Qty{n}", "Cost{n}"] }' })
    .replace('from: SKU', 'from: "SKU{n}"')
    .replace('quantity: Qty', 'quantity: "Qty{n}"')
    .replaceAll('from: Cost', 'from: "Cost{n}"')
    .replace('[Cost]', '[Cost{n}]')
  const head = HEAD.replace('SKU,Qty,Cost', 'SKU1,Qty1,Cost1,SKU2,Qty2,Cost2')
  const [record] = await tried(numbered, `${head}\n${ROW.replace('hv-1,2,9', 'hv-1,2,9,hv-2,3,10')}\n`)

  expect(record?.fields.find(({ field }) => field === 'order_lines[1].variant.identifier')).toMatchObject({
    cells: [{ column: 'SKU2', text: 'hv-2' }],
    value: 'HV-2',
  })
})

test('lines of the same item show how their quantity came together, and sums the cells of all rows', async () => {
  const added = mapping({ above: 'lines: { same: add }' })
  const [record] = await tried(added, `${HEAD}\n${ROW}\n${ROW.replace('hv-1,2', 'hv-1,5')}\n`)

  expect(steps(record, 'order_lines[0].quantity')).toBe('lines same add=7')
  expect(record?.fields.find(({ field }) => field === 'order_lines[0].quantity')?.value).toBe(7)
  expect(record?.fields.some(({ field }) => field.startsWith('order_lines[1]'))).toBe(false)
})

test('a row that makes no line is shown with the reason', async () => {
  const conditional = mapping().replace(
    '    - variant: { identifier: { from: SKU, case: upper } }',
    '    - when: { SKU: { not: FREIGHT } }\n      variant: { identifier: { from: SKU, case: upper } }',
  )
  const [record] = await tried(conditional, `${HEAD}\n${ROW}\n${ROW.replace('hv-1', 'FREIGHT')}\n`)

  expect(record?.outcome).toBe('translated')
  expect(record?.fields.at(-1)).toEqual({
    field: 'order_lines[]',
    cells: [],
    steps: [],
    note: 'line 3 is left out: it takes that SKU is not FREIGHT',
    problems: [],
  })
})

test('a calculation shows the cells it is made of, those of a sum row by row', async () => {
  const invoices = `
operation: create-invoice
group: PO
body:
  purchase_order_number: PO
  invoice_number: SKU
  terms_net_days_due: { const: 30 }
  terms_date_due: { calc: '[Date] + 30 days', format: yyyyMMdd }
  due_amount: { calc: 'sum([Qty] * [Cost]) + [Freight]' }
  invoice_lines:
    - variant: { identifier: SKU }
      quantity: Qty
      net_price: Cost
`
  const [record] = await tried(invoices, `PO,Date,SKU,Qty,Cost,Freight\nP1,20261116,A,1,2.50,\nP1,,A,3,1,4\n`)

  const total = record?.fields.find(({ field }) => field === 'due_amount')
  expect(total?.cells).toEqual([
    { column: 'Freight', text: '4' },
    { column: 'Qty', text: '1, 3' },
    { column: 'Cost', text: '2.50, 1' },
  ])
  expect(steps(record, 'due_amount')).toBe(
    'calc sum([Qty] * [Cost]) + [Freight]=9.5 > as US dollars, such as 12.50=9.50',
  )
  expect(steps(record, 'terms_date_due')).toBe(
    'calc [Date] + 30 days, format yyyyMMdd=2026-12-16T00:00:00 > as a date=2026-12-16',
  )
})
