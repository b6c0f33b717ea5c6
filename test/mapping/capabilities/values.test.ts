/** What partners write into their cells, and the values that must come of it. */
import { describe, expect, test } from 'vitest'
import type { FileSource } from '../../../src/domain/translator.ts'
import {
  draftsOf,
  HEADER,
  ORDERS,
  orderSheet,
  placesOf,
  sheet,
  translateAll,
  translatorOf,
  typedSheet,
} from '../sheet.ts'

/** The mapping of orders with one line of it written otherwise. */
function orders(line: string, written: string): string {
  if (!ORDERS.includes(line)) throw new Error(`no such line: ${line}`)
  return ORDERS.replace(line, () => written)
}

/** One part of the body of the only record, or the places of its problems. */
async function built(text: string, cells: Readonly<Record<string, string>>, path: string): Promise<unknown> {
  const [draft] = await draftsOf(text, orderSheet(cells))
  if (draft?.body === undefined) return placesOf(draft)
  return at(draft.body, path)
}

function at(body: unknown, path: string): unknown {
  return path.split('.').reduce((value, key) => (value as Record<string, unknown>)?.[key], body)
}

const LINE = 'order_lines.0'

describe('V1: a constant, a default, the first of several columns', () => {
  test('each says the value where the file does not', async () => {
    const text = orders('name1: Name', 'name1: { firstOf: [Gift, Name] }')
      .replace('street2: Address 2', 'street2: { from: Address 2, default: Dock 4 }')
      .replace('city: City', 'city: { const: Troy }')
    const [draft] = await draftsOf(text, orderSheet({}))

    expect(draft?.body?.['ship_to']).toMatchObject({ name1: 'Ada Park', street2: 'Dock 4', city: 'Troy' })
  })
})

describe('V2: columns are put together', () => {
  const HEAD = `${HEADER},First Name,Last Name,Street,House Number`
  const withCells = (...cells: string[]) =>
    sheet(`${HEAD}
${orderLine()},${cells.join(',')}`)
  const orderLine = () => orderSheet({}).rows[0]?.values.join(',') ?? ''
  const text = orders('name1: Name', 'name1: { all: [First Name, Last Name] }').replace(
    'street1: Address 1',
    'street1: { all: [Street, [House No, House Number]], with: ", " }',
  )

  test('with a blank between them, or with what the mapping says', async () => {
    const [draft] = await draftsOf(text, withCells('Ada', 'Park', 'Hauptstr.', '12'))

    expect(draft?.body?.['ship_to']).toMatchObject({ name1: 'Ada Park', street1: 'Hauptstr., 12' })
  })

  test('blank ones are skipped', async () => {
    const [draft] = await draftsOf(text, withCells('', 'Park', 'Hauptstr.', ''))

    expect(draft?.body?.['ship_to']).toMatchObject({ name1: 'Park', street1: 'Hauptstr.' })
  })

  test('where all are blank the field is blank, and none of them in the file is one problem', async () => {
    const [draft] = await draftsOf(text, withCells('', '', 'Hauptstr.', ''))
    const problems = (await translatorOf(text)).bind(orderSheet({}).layouts)

    expect(placesOf(draft)).toEqual(['value-missing@2:First Name ship_to.name1'])
    expect(problems).toMatchObject([
      { code: 'column-missing', place: { column: 'First Name', field: 'ship_to.name1' } },
      { code: 'column-missing', place: { column: 'Street', field: 'ship_to.street1' } },
    ])
  })

  test('in files of typed records a row and its header may be put together', async () => {
    const invoices = `
operation: create-invoice
read:
  format: csv
  records:
    H: { as: header, columns: [PO, Invoice, Due] }
    D: { as: detail, columns: [Item, Quantity, Cost] }
body:
  purchase_order_number: PO
  invoice_number: { all: [PO, Invoice], with: "-" }
  terms_net_days_due: { const: 30 }
  terms_date_due: Due
  due_amount: { calc: "sum([Quantity] * [Cost])" }
  invoice_lines:
    - variant: { identifier: { all: [PO, Item, $row], with: "/" } }
      quantity: Quantity
      net_price: Cost
`
    const layouts = [
      { recordType: 'H', columns: ['PO', 'Invoice', 'Due'] },
      { recordType: 'D', columns: ['Item', 'Quantity', 'Cost'] },
    ]
    const rows = typedSheet('H,P1,77,2026-12-01\nD,A,2,1.25\nD,B,3,2.00', layouts)
    const [draft] = await draftsOf(invoices, rows)

    expect(draft?.body).toMatchObject({ invoice_number: 'P1-77', due_amount: '8.50' })
    expect(at(draft?.body, 'invoice_lines.1.variant.identifier')).toBe('P1/B/2')
  })
})

describe('V3: a part of a cell', () => {
  const order = orders(
    'purchase_order_number: PO Number',
    "purchase_order_number: { from: PO Number, match: '^#?(\\d+)$' }",
  )

  test.each([
    ['#1001', '1001'],
    ['1001', '1001'],
    ['HV-1001', ['text-unmatched@2:PO Number purchase_order_number']],
  ])('the first brackets of the expression take from %j %j', async (cell, value) => {
    expect(await built(order, { 'PO Number': cell }, 'purchase_order_number')).toEqual(value)
  })

  test('without brackets all that is found counts, and with a default what does not match is no problem', async () => {
    const text = orders(
      'street2: Address 2',
      "street2: { from: Address 2, match: 'Unit \\d+', default: House }",
    )

    expect(await built(text, { 'Address 2': 'the red door, Unit 12' }, 'ship_to.street2')).toBe('Unit 12')
    expect(await built(text, { 'Address 2': 'the red door' }, 'ship_to.street2')).toBe('House')
  })

  test('a long text is searched by an expression that hardly repeats', async () => {
    const text = orders('name1: Name', "name1: { from: Gift, match: 'Deliver to ([A-Z][a-z]+)' }")
    const gift = `${'far away '.repeat(150)}Deliver to Zoe, ${'and more '.repeat(150)}`

    expect(await built(text.replace('  gift_message: Gift\n', ''), { Gift: gift }, 'ship_to.name1')).toBe(
      'Zoe',
    )
  })

  test('a long text is searched by an expression that repeats often, too', async () => {
    const text = orders('name1: Name', "name1: { from: Name, match: '^(.*?) (.*) (.*) (.*) (.*) (.*)$' }")

    expect(await built(text, { Name: 'a b c d '.repeat(400) }, 'ship_to.name1')).toBe('a')
  })

  test('a separator behind the escape is part of the text, and so is the escape itself', async () => {
    const text = orders(
      'name1: Name',
      String.raw`name1: { from: Name, split: "/", escape: "\\", at: 2 }`,
    ).replace('gift_message: Gift', String.raw`gift_message: { from: Gift, split: "|", escape: "\\" }`)
    const cells = { Name: String.raw`1/A\/B\\ c:\dir/3`, Gift: String.raw`To Ada\|Bo|with love\\` }

    expect(await built(text, cells, 'ship_to.name1')).toBe(String.raw`A/B\ c:\dir`)
    expect(await built(text, cells, 'gift_message')).toEqual(['To Ada|Bo', String.raw`with love\ `.trim()])
  })

  test('carrier and service in one cell are taken apart', async () => {
    const text = orders(
      'code: { from: Ship Via, table: ship-via, pick: method }',
      'code: { from: Ship Via, split: " - ", at: 2, table: ship-via, pick: method }',
    ).replace('from: Ship Via, table: ship-via, pick: carrier', 'from: Ship Via, split: " - ", at: 1')
    const cells = { 'Ship Via': 'UPSN - UPS Ground' }

    expect(await built(text, cells, 'shipping_method')).toEqual({
      code: 'UPS_GROUND',
      carrier: { code: 'UPSN' },
    })
    expect(await built(text, { 'Ship Via': 'UPSN' }, '')).toEqual([
      'value-missing@2:Ship Via shipping_method.code',
    ])
  })
})

describe('V4: capitals and padding', () => {
  test('letters become capitals, and a number of a store gets its zeros', async () => {
    const text = orders(
      'identifier: SKU',
      'identifier: { from: SKU, case: upper, pad: { to: 10, with: "0" } }',
    )

    expect(await built(text, { SKU: 'hv-1002' }, `${LINE}.variant.identifier`)).toBe('000HV-1002')
  })
})

describe('V5: texts that mean nothing', () => {
  test('are blank where the mapping says so, and text everywhere else', async () => {
    const text = orders('street2: Address 2', 'street2: { from: Address 2, blanks: [".", N/A, "NULL"] }')

    for (const nothing of ['.', 'n/a', 'NULL', '']) {
      expect(await built(text, { 'Address 2': nothing }, 'ship_to.street2')).toBeUndefined()
    }
    expect(await built(text, { 'Address 2': 'NULLARBOR' }, 'ship_to.street2')).toBe('NULLARBOR')
    expect(await built(ORDERS, { 'Address 2': '.' }, 'ship_to.street2')).toBe('.')
  })
})

describe('V6 and V7: lookups', () => {
  const CODE = 'code: { from: Ship Via, table: ship-via, pick: method }'
  const OTHER = { 'Ship Via': 'OWN_TRUCK' }

  test.each([
    ['refuse', ['lookup-missed@2:Ship Via shipping_method.code']],
    ['keep', 'OWN_TRUCK'],
    ['blank', 'PICKUP'],
  ])('V6: with `miss: %s` a text that is not in the table makes %j', async (miss, value) => {
    const text = orders(
      CODE,
      `code: { from: Ship Via, table: ship-via, pick: method, miss: ${miss}, default: PICKUP }`,
    ).replace(
      'carrier: { code: { from: Ship Via, table: ship-via, pick: carrier } }',
      'carrier: { code: { const: OWN } }',
    )

    expect(await built(text, OTHER, 'shipping_method.code')).toEqual(value)
    expect(await built(text, { 'Ship Via': 'ups ground' }, 'shipping_method.code')).toBe('UPS_GROUND')
  })

  test('V7: carrier and service together are the key, in the mapping or in a file with two key columns', async () => {
    const text = orders(CODE, 'code: { all: [Gift, Ship Via], table: methods }')
    const rows = `${text}  methods:\n    rows: { "FedEx | Ground": FEDEX_GROUND, "UPS | Ground": UPS_GROUND }\n`
    const file = `${text}  methods: { file: methods.csv, keys: 2 }\n`
    const tables = {
      'methods.csv':
        'carrier,service,method\nFedEx,Ground,FEDEX_GROUND\nUPS,Ground,UPS_GROUND\n,Freight,LTL\n',
    }
    const carrier = ['from: Ship Via, table: ship-via, pick: carrier', 'from: Gift'] as const
    const order = (gift: string, service: string) => orderSheet({ Gift: gift, 'Ship Via': service })

    for (const mapping of [rows, file]) {
      const [draft] = await draftsOf(mapping.replace(...carrier), order('ups', 'ground'), tables)
      expect(at(draft?.body, 'shipping_method.code')).toBe('UPS_GROUND')
    }
    const [freight] = await draftsOf(
      file.replace(carrier[0], 'const: X').replace('{ from: const: X }', '{ const: X }'),
      order('', 'Freight'),
      tables,
    )
    const [missed] = await draftsOf(file.replace(...carrier), order('DHL', 'Ground'), tables)
    expect(at(freight?.body, 'shipping_method.code')).toBe('LTL')
    expect(missed?.problems[0]?.message).toContain('"DHL | Ground" is not in the table "methods".')
  })
})

describe('V9: dates in many forms', () => {
  test.each([
    ['yyyyDDD', '2026325', '2026-11-21T00:00:00Z'],
    ['yyDDD', '24366', '2024-12-31T00:00:00Z'],
    ['yyyyDDD', '2026366', ['date-expected@2:Order Date ordered_at']],
    ['yyyyDDD', '2026000', ['date-expected@2:Order Date ordered_at']],
    ['M/d/yy', '7/4/26', '2026-07-04T00:00:00Z'],
    ['dd/MM/yyyy', '04/07/2026', '2026-07-04T00:00:00Z'],
    ['MMM-dd-yy', 'Jul-21-25', '2025-07-21T00:00:00Z'],
    ['X', '1795227300', '2026-11-21T02:15:00Z'],
    ['x', '1795227300123', '2026-11-21T02:15:00Z'],
    ['X', '1795227300123', ['date-expected@2:Order Date ordered_at']],
    [
      '[yyyy/MM/dd HH:mm:ss ZZZ, yyyy-MM-dd HH:mm:ss ZZZ]',
      '2014/05/26 15:27:46 -0400',
      '2014-05-26T19:27:46Z',
    ],
  ])('in the format %s the text %j is %j', async (format, cell, value) => {
    const text = orders('ordered_at: Order Date', `ordered_at: { from: Order Date, format: ${format} }`)

    expect(await built(text, { 'Order Date': cell }, 'ordered_at')).toEqual(value)
  })
})

describe('V10: the hours at the change of the clocks', () => {
  const text = orders('ordered_at: Order Date', 'ordered_at: { from: Order Date, zone: America/New_York }')

  test('a time that was skipped is refused, and of one that came twice the first is taken', async () => {
    expect(await built(text, { 'Order Date': '2026-03-08 02:30:00' }, '')).toEqual([
      'date-expected@2:Order Date ordered_at',
    ])
    expect(await built(text, { 'Order Date': '2026-11-01 01:30:00' }, 'ordered_at')).toBe(
      '2026-11-01T05:30:00Z',
    )
  })
})

describe('V11, V12, V13: numbers', () => {
  const refused = (code: string, column: string, field: string) => [
    `${code}@2:${column} order_lines[0].${field}`,
  ]

  test.each([
    ['decimal: ","', '4900,00', '4900.00'],
    ['decimal: ","', '1.433,66', '1433.66'],
    ['decimal: ","', '1.433', '1433.00'],
    ['decimal: ","', '1 234,5', '1234.50'],
    ['decimal: ","', '1\u202f234,5', '1234.50'],
    ['decimal: ","', "1'234,50", '1234.50'],
    ['decimal: ","', '1.234 567', refused('decimal-expected', 'Cost', 'net_price')],
    ['decimal: ","', '12.50', refused('decimal-expected', 'Cost', 'net_price')],
    ['decimal: "."', '1,234', '1234.00'],
    ['decimal: "."', "1'234.50", '1234.50'],
    ['implied: 2', '184997', '1849.97'],
    ['implied: 2', '7', '0.07'],
    ['implied: 2', '1849.97', refused('decimal-expected', 'Cost', 'net_price')],
    ['round: half-up', '1.005', '1.01'],
    ['round: half-even', '1.005', '1.00'],
    ['round: half-even', '1.015', '1.02'],
    ['round: down', '1.009', '1.00'],
    ['blanks: [x]', '1.005', refused('decimal-expected', 'Cost', 'net_price')],
    ['blanks: [x]', '$ 1,433.66', '1433.66'],
    ['blanks: [x]', '1433.66 USD', '1433.66'],
    ['blanks: [x]', '12.50$', '12.50'],
    ['blanks: [x]', '€12.50', refused('decimal-expected', 'Cost', 'net_price')],
    ['blanks: [x]', '($5.00)', refused('number-out-of-range', 'Cost', 'net_price')],
    ['blanks: [x]', '5.00-', refused('number-out-of-range', 'Cost', 'net_price')],
  ])('V11: with %s the amount %j is %j', async (option, cell, value) => {
    const text = orders('net_price: Cost', `net_price: { from: Cost, ${option} }`)

    expect(await built(text, { Cost: cell }, `${LINE}.net_price`)).toEqual(value)
  })

  test('V12: no digit is lost where a float would lose it', async () => {
    expect(await built(ORDERS, { Cost: '999999.10' }, `${LINE}.net_price`)).toBe('999999.10')
    expect(
      await built(
        orders('net_price: Cost', 'net_price: { calc: "[Cost] * 3" }'),
        { Cost: '0.1' },
        `${LINE}.net_price`,
      ),
    ).toBe('0.30')
  })

  test.each([
    ['blanks: [x]', '10.00', 10],
    ['decimal: "."', '1.000', 1],
    ['decimal: "."', '1,000', 1000],
    ['decimal: ","', '1.000', 1000],
    ['decimal: ","', '1,000', 1],
    ['round: half-up', '2.5', 3],
    ['implied: 2', '000200', 2],
    ['blanks: [x]', '1,000', refused('integer-expected', 'Qty', 'quantity')],
    ['blanks: [x]', '(2)', refused('number-out-of-range', 'Qty', 'quantity')],
  ])('V13: with %s the whole number %j is %j', async (option, cell, value) => {
    const text = orders('quantity: Qty', `quantity: { from: Qty, ${option} }`)

    expect(await built(text, { Qty: cell }, `${LINE}.quantity`)).toEqual(value)
  })
})

describe('V15: UPCs that a spreadsheet had in its hands', () => {
  const text = orders('upc: UPC', 'upc: { from: UPC, digits: 12 }')

  test.each([
    ['12345678905', '012345678905'],
    ['="012345678905"', '012345678905'],
    ["'012345678905", '012345678905'],
    ['012345678904', ['check-digit-wrong@2:UPC order_lines[0].variant.upc']],
    ['1234567890', ['check-digit-wrong@2:UPC order_lines[0].variant.upc']],
    ['4006381333931', ['check-digit-wrong@2:UPC order_lines[0].variant.upc']],
    ['1.23457E+11', ['number-in-exponent-form@2:UPC order_lines[0].variant.upc']],
  ])('%j is %j', async (cell, value) => {
    expect(await built(text, { UPC: cell }, `${LINE}.variant.upc`)).toEqual(value)
  })

  test('without `digits` a number is taken as written', async () => {
    expect(await built(ORDERS, { UPC: '12345678905' }, `${LINE}.variant.upc`)).toBe('12345678905')
  })
})

describe('texts that a spreadsheet left in place of a value', () => {
  const ERRORS = [
    '#N/A',
    '#REF!',
    '#VALUE!',
    '#DIV/0!',
    '#NAME?',
    '#NUM!',
    '#NULL!',
    '########',
    '#n/a',
    '#NV',
    '#BEZUG!',
    '#¡REF!',
    '#VALEUR!',
  ]

  test.each(ERRORS)('%s is refused as the whole text of a cell', async (cell) => {
    expect(await built(ORDERS, { City: ` ${cell} ` }, 'ship_to.city')).toEqual([
      'spreadsheet-error@2:City ship_to.city',
    ])
  })

  test.each(['#1 Main St', 'C#', 'Unit #N/A', '##', '#NVX', '#Zahl'])('%s is a text', async (cell) => {
    expect(await built(ORDERS, { City: cell }, 'ship_to.city')).toBe(cell)
  })

  test('a mapping can send them, take them for blank, or look them up in a table', async () => {
    const sent = await built(
      `${ORDERS}\nread: { format: csv, damaged: allow }`,
      { City: '#N/A' },
      'ship_to.city',
    )
    const blank = orders('city: City', 'city: { from: City, blanks: ["#N/A"], default: Boston }')
    const table = orders('city: City', 'city: { from: City, table: cities, pick: city }')
    const looked = table.replace(
      '\ntables:\n',
      '\ntables:\n  cities: { rows: { "#N/A": { city: Boston } } }\n',
    )

    expect(sent).toBe('#N/A')
    expect(await built(blank, { City: '#N/A' }, 'ship_to.city')).toBe('Boston')
    expect(await built(looked, { City: '#N/A' }, 'ship_to.city')).toBe('Boston')
    expect(await built(orders('city: City', 'city: { const: "#N/A" }'), {}, 'ship_to.city')).toBe('#N/A')
  })
})

test.each(['7.946E+11', '1,001E+03', '1E+12'])(
  'a purchase order number such as %s is refused, because its last digits are gone',
  async (cell) => {
    const place = 'number-in-exponent-form@2:PO Number purchase_order_number'
    expect(await built(ORDERS, { 'PO Number': cell }, 'purchase_order_number')).toEqual([place])
  },
)

test('a postal code in exponent form is refused: the order would go to an address that does not exist', async () => {
  const place = 'number-in-exponent-form@2:Zip ship_to.postal_code'
  expect(await built(ORDERS, { Zip: '8.02E+04' }, 'ship_to.postal_code')).toEqual([place])
})

test.each(['12E3', '1E12', 'E+11'])('a purchase order number may be %s', async (cell) => {
  expect(await built(ORDERS, { 'PO Number': cell }, 'purchase_order_number')).toBe(cell)
})

describe('V16: postal codes that lost their zero', () => {
  const text = orders('postal_code: Zip', 'postal_code: { from: Zip, digits: 5 }')

  test.each([
    ['2134', '02134'],
    ['02134', '02134'],
    ['02134-1000', '02134-1000'],
    ['K1A 0B1', 'K1A 0B1'],
  ])('%j is %j', async (cell, value) => {
    expect(await built(text, { Zip: cell }, 'ship_to.postal_code')).toBe(value)
  })
})

test.each([
  ['United States', 'New York', { country: 'US', province: 'NY' }],
  ['USA', 'ny', { country: 'US', province: 'NY' }],
  ['Canada', 'Québec', { country: 'CA', province: 'QC' }],
])('V17: %s and %s are codes', async (Country, State, codes) => {
  expect(await built(ORDERS, { Country, State }, 'ship_to')).toMatchObject(codes)
})

describe('V18: texts that are too long', () => {
  const spilled = orders('street1: Address 1', 'street1: { from: Address 1, wrap: 20, at: 1 }').replace(
    'street2: Address 2',
    'street2: { from: Address 1, wrap: 20, at: 2 }',
  )

  test('a long street continues in the second field', async () => {
    const cells = { 'Address 1': 'Building 7, 1200 Old Mill Road' }

    expect(await built(spilled, cells, 'ship_to')).toMatchObject({
      street1: 'Building 7, 1200 Old',
      street2: 'Mill Road',
    })
    expect(await built(spilled, { 'Address 1': '1 Dock Road' }, 'ship_to')).not.toHaveProperty('street2')
  })

  test('what does not fit into the last of the fields is refused, and not lost', async () => {
    const cells = { 'Address 1': 'Building 7, 1200 Old Mill Road, behind the station' }

    expect(await built(spilled, cells, '')).toEqual(['value-too-long@2:Address 1 ship_to.street2'])
    expect(await built(spilled.replace('at: 2', 'at: 2, long: cut'), cells, 'ship_to.street2')).toBe(
      'Mill Road, behind',
    )
  })

  test('a text is cut where the mapping says so, and never inside one character', async () => {
    const text = orders('identifier: SKU', 'identifier: { from: SKU, long: cut }')

    expect(await built(ORDERS, { SKU: 'x'.repeat(129) }, '')).toEqual([
      'value-too-long@2:SKU order_lines[0].variant.identifier',
    ])
    expect(await built(text, { SKU: `${'x'.repeat(127)}😀y` }, `${LINE}.variant.identifier`)).toBe(
      'x'.repeat(127),
    )
  })
})

describe('V20: calculations', () => {
  const INVOICES = `
operation: create-invoice
group: Invoice
body:
  purchase_order_number: PO
  invoice_number: Invoice
  terms_net_days_due: Net Days
  terms_date_due: { calc: "[Invoice Date] + [Net Days] days", format: MM/dd/yyyy }
  due_amount: { calc: "sum([Qty] * [Unit Cost]) + [Freight]" }
  invoice_lines:
    - variant: { identifier: SKU }
      quantity: Qty
      net_price: Unit Cost
`
  const HEAD = 'PO,Invoice,Invoice Date,Net Days,Freight,SKU,Qty,Unit Cost'
  const two = (second: string) => sheet(`${HEAD}\nP1,I1,11/20/2026,30,4.50,A,2,12.25\n${second}`)
  const INVOICE = two('P1,I1,11/20/2026,30,4.50,B,1,0.10')

  test('the amount due is the sum of the lines and the freight, and the day is days after the invoice', async () => {
    const [draft] = await draftsOf(INVOICES, INVOICE)

    expect(draft?.body).toMatchObject({ due_amount: '29.10', terms_date_due: '2026-12-20' })
  })

  test('a sum passes over blank cells; elsewhere a blank makes the result blank', async () => {
    const noCost = INVOICES.replace('net_price: Unit Cost', 'net_price: { from: Unit Cost, default: 0 }')
    const [blankInSum] = await draftsOf(noCost, two('P1,I1,11/20/2026,30,4.50,B,1,'))
    const freight = sheet(`${HEAD}\nP1,I1,11/20/2026,30,,A,2,12.25`)
    const [blankOutside] = await draftsOf(INVOICES, freight)

    expect(blankInSum?.body).toMatchObject({ due_amount: '29.00' })
    expect(placesOf(blankOutside)).toEqual(['value-missing@2:Freight due_amount'])
  })

  test('a cell that is no number is reported with its own place, once', async () => {
    const [draft] = await draftsOf(INVOICES, two('P1,I1,11/20/2026,30,4.50,B,one,0.10'))

    expect(placesOf(draft)).toEqual(['decimal-expected@3:Qty due_amount'])
  })

  test.each([
    ['sum([Qty]) * 2 - count()', '4.00'],
    ['-(3 - [Freight] * 2) + 1', '7.00'],
    ['round(sum([Qty] * [Unit Cost]) * 0.333, 2)', '8.19'],
    ['sum(round([Unit Cost] * 0.5, 0))', '6.00'],
  ])('%s is worked out exactly', async (calc, amount) => {
    const text = INVOICES.replace('sum([Qty] * [Unit Cost]) + [Freight]', calc)
    const [draft] = await draftsOf(text, INVOICE)

    expect(draft?.body?.['due_amount']).toBe(amount)
  })

  test('digits that the API would lose are refused unless the mapping rounds', async () => {
    const text = INVOICES.replace('"sum([Qty] * [Unit Cost]) + [Freight]"', '"sum([Unit Cost]) * 0.333"')
    const [refused] = await draftsOf(text, INVOICE)
    const [rounded] = await draftsOf(text.replace('0.333"', '0.333", round: half-up'), INVOICE)

    expect(refused?.problems.map(({ code }) => code)).toEqual(['decimal-expected'])
    expect(rounded?.body?.['due_amount']).toBe('4.11')
  })

  test('decimal commas and implied decimals are understood in the columns', async () => {
    const commas = INVOICES.replace('Freight]"', 'Freight]", decimal: ","').replace(
      'net_price: Unit Cost',
      'net_price: { from: Unit Cost, decimal: "," }',
    )
    const [draft] = await draftsOf(commas, sheet(`${HEAD}\nP1,I1,11/20/2026,30,"4,50",A,2,"12,25"`))

    expect(draft?.body?.['due_amount']).toBe('29.00')
  })

  describe('a quotient', () => {
    const price = (calc: string, more = '') => orders('price: Retail', `price: { calc: "${calc}"${more} }`)
    const priced = (text: string, cells: Readonly<Record<string, string>>) =>
      built(text, cells, `${LINE}.price`)

    test('is the price of one where the file has that of all', async () => {
      expect(await priced(price('[Retail] / [Qty]'), { Retail: '24.99', Qty: '3' })).toBe('8.33')
      expect(await priced(price('[Retail] / [Qty] * 6'), { Retail: '1.00', Qty: '3' })).toBe('2.00')
      expect(await priced(price('-[Retail] / (2 - [Qty]) - 1'), { Retail: '24.50', Qty: '4' })).toBe('11.25')
    })

    test('that the field cannot hold exactly is refused, and the message shows its value', async () => {
      const [draft] = await draftsOf(price('[Retail] / [Qty]'), orderSheet({ Retail: '10.00', Qty: '3' }))

      expect(draft?.problems.map(({ code, message, place }) => [code, message, place.column])).toEqual([
        ['decimal-expected', 'The result 3.333333… has too many decimals.', 'Retail'],
      ])
      expect(await priced(price('[Retail] / [Qty]'), { Retail: '1.00', Qty: '8' })).toEqual([
        'decimal-expected@2:Retail order_lines[0].price',
      ])
    })

    test('is rounded where the mapping says how, and not before', async () => {
      const cells = { Retail: '10.00', Qty: '3' }

      expect(await priced(price('round([Retail] / [Qty], 2)'), cells)).toBe('3.33')
      expect(await priced(price('round([Retail] / [Qty] * 0.0015, 2)'), cells)).toBe('0.01')
      expect(await priced(price('[Retail] / [Qty]', ', round: half-up'), { ...cells, Retail: '20.00' })).toBe(
        '6.67',
      )
      expect(await priced(price('[Retail] / [Qty]', ', round: down'), { ...cells, Retail: '20.00' })).toBe(
        '6.66',
      )
      expect(
        await priced(price('[Retail] / [Qty]', ', round: half-even'), { Retail: '1.00', Qty: '8' }),
      ).toBe('0.12')
    })

    test('by nothing is refused, and by a blank is blank', async () => {
      const [draft] = await draftsOf(price('[Retail] / [Cost]'), orderSheet({ Cost: '0.00' }))

      expect(draft?.problems.map(({ code, message, place }) => [code, message, place.column])).toEqual([
        ['number-out-of-range', 'The calculation divides by it, and it is 0.', 'Cost'],
      ])
      expect(await priced(price('[Retail] / [Gift]', ', default: 5'), {})).toBe('5.00')
    })

    test('is rounded row by row inside of a sum', async () => {
      const text = INVOICES.replace(
        /due_amount: .*/,
        'due_amount: { calc: "sum(round([Qty] / [Unit Cost], 2))" }',
      )
      const draftOf = async (second: string) => (await draftsOf(text, two(second)))[0]

      // 2 / 12.25 is 0.163…, 1 / 3 is 0.333….
      expect((await draftOf('P1,I1,11/20/2026,30,4.50,B,1,3'))?.body?.['due_amount']).toBe('0.49')
      expect(placesOf(await draftOf('P1,I1,11/20/2026,30,4.50,B,1,0.00'))).toEqual([
        'number-out-of-range@3:Unit Cost due_amount',
      ])
    })
  })

  test('days are added to a date with a time in its own zone', async () => {
    const text = orders(
      'ordered_at: Order Date',
      'ordered_at: { calc: "[Order Date] - 1 day", zone: America/New_York }',
    )

    expect(await built(text, { 'Order Date': '2026-03-09 12:00:00' }, 'ordered_at')).toBe(
      '2026-03-08T16:00:00Z',
    )
    expect(await built(text, { 'Order Date': '2026-03-01T00:30:00-05:00' }, 'ordered_at')).toBe(
      '2026-02-28T05:30:00Z',
    )
    expect(await built(text, { 'Order Date': 'soon' }, '')).toEqual(['date-expected@2:Order Date ordered_at'])
  })

  test('a column that the file does not have is missing', async () => {
    const problems = (await translatorOf(INVOICES)).bind(sheet(HEAD.replace('Freight', 'Fright')).layouts)

    expect(problems).toMatchObject([
      { code: 'column-missing', place: { column: 'Freight', field: 'due_amount' } },
    ])
  })
})

describe('V21 and V22: what is known without a column', () => {
  const SOURCE: FileSource = { file: 'ord_HV7_20261121.csv', folder: 'acme' }
  const draftOf = async (text: string, rows = orderSheet({}, { SKU: 'HV-10004' })) => {
    const bound = (await translatorOf(text)).bind(rows.layouts, SOURCE)
    if (!('keyColumns' in bound)) throw new Error('not bound')
    return [...bound.translateRows(rows.rows), ...bound.finish()]
  }

  test('V21: rows, records and lines are numbered', async () => {
    const text = orders('identifier: SKU', 'identifier: { all: [SKU, $record, $row, $line], with: "/" }')
    const rows = orderSheet({}, { SKU: 'B' }, { 'PO Number': 'HV-20002', SKU: 'C' })
    const identifiers = (await draftOf(text, rows)).map(({ body }) =>
      ((body?.['order_lines'] ?? []) as { variant: unknown }[]).map(({ variant }) => variant),
    )

    expect(identifiers).toEqual([
      [{ identifier: 'HV-10002/1/1/2' }, { identifier: 'B/1/2/3' }],
      [{ identifier: 'C/2/1/4' }],
    ])
  })

  test('V22: a part of the name of the file, and its folder', async () => {
    const text = orders('name1: Name', 'name1: Name\n    name2: $folder').replace(
      '  ordered_at: Order',
      "  customer_order_number: { from: $file, match: '^ord_([A-Z0-9]+)_' }\n  ordered_at: Order",
    )
    const [draft] = await draftOf(text)

    expect(draft?.body).toMatchObject({ customer_order_number: 'HV7', ship_to: { name2: 'acme' } })
  })

  test('V22: where the name of the file is not known it is blank', async () => {
    const [draft] = await draftsOf(orders('name1: Name', 'name1: Name\n    name2: $file'), orderSheet({}))

    expect(draft?.body?.['ship_to']).not.toHaveProperty('name2')
  })
})

describe('V22: known values may follow columns', () => {
  const SOURCE: FileSource = { file: 'ord_HV7.csv', folder: 'acme' }
  const bodiesOf = async (text: string, rows = orderSheet({ SKU: '' }, { SKU: 'HV-2' })) => {
    const bound = (await translatorOf(text)).bind(rows.layouts, SOURCE)
    if (!('keyColumns' in bound)) throw new Error(bound.map(({ message }) => message).join())
    return [...bound.translateRows(rows.rows), ...bound.finish()].map(
      (draft) => draft.body ?? placesOf(draft),
    )
  }

  test('it is taken in rows in which the columns are blank', async () => {
    const text = orders('identifier: SKU', 'identifier: { firstOf: [SKU, $line] }')

    expect(await bodiesOf(text)).toMatchObject([
      { order_lines: [{ variant: { identifier: '2' } }, { variant: { identifier: 'HV-2' } }] },
    ])
  })

  test('it is taken where the file has none of the columns', async () => {
    const text = orders('identifier: SKU', 'identifier: [Item, Article, $row]').replace(
      'name1: Name',
      'name1: { firstOf: [[Recipient, $folder], Name] }\n    name2: [Name, $file]',
    )

    expect(await bodiesOf(text)).toMatchObject([
      {
        ship_to: { name1: 'acme', name2: 'Ada Park' },
        order_lines: [{ variant: { identifier: '1' } }, { variant: { identifier: '2' } }],
      },
    ])
  })

  test('an alias is chosen by the columns of the file and not by what a row has in it', async () => {
    const text = orders('street2: Address 2', 'street2: [Address 2, $file]')

    const [body] = await bodiesOf(text)

    expect(body).not.toHaveProperty('ship_to.street2')
  })

  test('it alone does not fill an optional object', async () => {
    const text = orders(
      '  gift_message: Gift',
      `  sold_to:
    name1: { firstOf: [Gift, $record] }
    street1: { const: 1 Dock Road }
    city: { const: Albany }
    postal_code: { const: '12207' }
    country: { const: US }
    province: { const: NY }`,
    )

    expect((await bodiesOf(text))[0]).not.toHaveProperty('sold_to')
    expect((await bodiesOf(text, orderSheet({ Gift: 'Bo' })))[0]).toHaveProperty('sold_to.name1', 'Bo')
  })

  test('rows of one record that say different things are refused all the same', async () => {
    const text = orders('name1: Name', 'name1: { firstOf: [Name, $file] }')

    expect(await bodiesOf(text, orderSheet({}, { Name: 'Bo', SKU: 'X' }))).toEqual([
      ['rows-disagree@3:Name ship_to.name1'],
    ])
  })
})

describe('V22: conditions may use known values', () => {
  const SOURCE: FileSource = { file: 'returns_7.csv', folder: 'acme' }
  const draftsWith = async (text: string, source = SOURCE) => {
    const rows = orderSheet({}, { SKU: 'HV-2', Gift: 'x' }, { 'PO Number': 'HV-20002' })
    const bound = (await translatorOf(text)).bind(rows.layouts, source)
    if (!('keyColumns' in bound)) throw new Error(bound.map(({ message }) => message).join())
    return [...bound.translateRows(rows.rows), ...bound.finish()]
  }

  test('the name of the file decides about its records, and messages say so', async () => {
    const text = orders('body:', "only: { $file: { matches: '^ord_' } }\nbody:")

    const [returned] = await draftsWith(text)
    const [ordered] = await draftsWith(text, { ...SOURCE, file: 'ORD_8.csv' })

    expect(returned).toMatchObject({
      skipped: true,
      problems: [
        {
          place: { line: 2, column: '$file' },
          message: '"$file" is "returns_7.csv"; the mapping takes records of which $file matches ^ord_.',
        },
      ],
    })
    expect(ordered?.problems).toEqual([])
  })

  test('the numbers of records and rows decide about values, lines and rules', async () => {
    const text = orders('- variant:', '- when: { $row: { below: 2 } }\n      variant:')
      .replace('name1: Name', 'name1: Name\n    name2: { const: First, when: { $record: 1, $folder: ACME } }')
      .replace('quantity: Qty', 'quantity: { oneOf: [{ when: { $line: 4 }, const: 9 }, Qty] }')
      .replace('body:', 'lines: { check: [{ when: { $record: 2, $row: 1 }, say: Never. }] }\nbody:')

    const [first, second] = await draftsWith(text)

    expect(first?.body).toMatchObject({ ship_to: { name2: 'First' }, order_lines: [{ quantity: 2 }] })
    expect(first?.body?.['order_lines']).toHaveLength(1)
    expect(placesOf(second)).toEqual(['check-failed@4:$record'])
  })
})

describe('V11: the decimal sign is set once for the file', () => {
  const FILE = 'operation: create-order\nread: { format: csv, decimal: "," }'
  const european = (text: string) => text.replace('operation: create-order', FILE)

  test('it holds for amounts and whole numbers; a value may say otherwise', async () => {
    const text = european(orders('price: Retail', 'price: { from: Retail, decimal: "." }'))
    const [draft] = await draftsOf(text, orderSheet({ Qty: '1.200', Cost: '1.433,66', Retail: '1,433.66' }))

    expect(at(draft?.body, LINE)).toMatchObject({ quantity: 1200, net_price: '1433.66', price: '1433.66' })
    expect(
      placesOf((await draftsOf(european(ORDERS), orderSheet({ Cost: '12.50', Retail: '1,5' })))[0]),
    ).toEqual(['decimal-expected@2:Cost order_lines[0].net_price'])
  })

  test('it holds in calculations and conditions, but not for numbers in the mapping', async () => {
    const text = european(
      orders('net_price: Cost', 'net_price: { calc: "[Cost] * 0.5" }')
        .replace('price: Retail', 'price: { from: SKU, table: prices, default: 7.25 }')
        .replace('body:', 'check: [{ when: { Retail: { above: 1.5, below: 1000.5 } }, say: Out. }]\nbody:')
        .replace('tables:', 'tables:\n  prices: { rows: { A-1: 12.50 } }'),
    )
    const run = async (cells: Readonly<Record<string, string>>) =>
      (await draftsOf(text, orderSheet(cells)))[0]

    expect(at((await run({ SKU: 'A-1', Cost: '3,10', Retail: '1,5' }))?.body, LINE)).toMatchObject({
      net_price: '1.55',
      price: '12.50',
    })
    expect(placesOf(await run({ SKU: 'A-1', Cost: '3,10', Retail: '1.000,25' }))).toEqual([
      'check-failed@2:Retail',
    ])
    expect(placesOf(await run({ SKU: 'A-1', Cost: '3,10', Retail: '1.000,75' }))).toEqual([])
  })

  test('it holds for the totals of the file', async () => {
    const text = european(
      orders('body:', 'totals: { when: { PO Number: SUM }, rows: Qty, sum: { Cost: Cost } }\nbody:'),
    )
    const { layouts, rows } = orderSheet(
      { Cost: '1.000,25' },
      { Cost: '0,50', SKU: 'HV-2' },
      { 'PO Number': 'SUM', Qty: '2,0', Cost: '1.000,75' },
    )
    const { drafts, problems } = translateAll(await translatorOf(text), layouts, rows)

    expect([drafts.length, problems]).toEqual([1, []])
  })

  test('numbers with implied decimals have none', async () => {
    const text = european(orders('net_price: Cost', 'net_price: { from: Cost, implied: 2 }'))

    expect(await built(text, { Cost: '1250', Retail: '5' }, `${LINE}.net_price`)).toBe('12.50')
  })
})

describe('R8: columns of the same name', () => {
  const HEAD = HEADER.replace('Address 2', 'Address 1')

  test('its number selects the one that is meant', async () => {
    const text = orders('street1: Address 1', 'street1: { from: Address 1, nth: 1 }').replace(
      'street2: Address 2',
      'street2: { from: Address 1, nth: 2 }',
    )
    const [draft] = await draftsOf(
      text,
      sheet(`${HEAD}\n${orderSheet({ 'Address 2': 'Unit 4' }).rows[0]?.values.join(',')}`),
    )

    expect(draft?.body?.['ship_to']).toMatchObject({ street1: '12 Mill Road', street2: 'Unit 4' })
  })

  test('without a number it cannot be known which one is meant', async () => {
    const problems = (await translatorOf(ORDERS)).bind(sheet(HEAD).layouts)

    expect(problems).toMatchObject([{ code: 'header-duplicate', place: { column: 'Address 1' } }])
  })
})
