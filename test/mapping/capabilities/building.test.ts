/** Which rows make a record, which records a mapping takes, and what it builds from them. */
import { describe, expect, test } from 'vitest'
import type { Draft } from '../../../src/domain/translator.ts'
import { draftsOf, placesOf, sheet, translateAll, translatorOf, typedSheet } from '../sheet.ts'

const ORDERS = `
operation: create-order
group: PO
body:
  purchase_order_number: PO
  ordered_at: Date
  ship_to:
    name1: Name
    street1: Street
    city: City
    province: State
    postal_code: Zip
    country: { const: US }
  shipping_method: { code: { const: GROUND }, carrier: { code: { const: FDEG } } }
  order_lines:
    - variant: { identifier: SKU }
      quantity: Qty
      net_price: Cost
      price: { const: '9.99' }
`

const HEADER = 'PO,Date,Name,Street,City,State,Zip,SKU,Qty,Cost'
const ADA = '2026-11-20,Ada Park,12 Mill Road,Albany,NY,12207'
const BO = '2026-11-21,Bo Lind,4 Hill Street,Boston,MA,02108'

const SHIPMENTS = `
operation: create-shipment
group: [PO, Tracking]
body:
  order_id: { from: PO, find: order }
  ship_from_name1: { const: Northwind }
  ship_from_street1: { const: 1 Dock Road }
  ship_from_city: { const: Albany }
  ship_from_province: { const: NY }
  ship_from_postal_code: { const: '12207' }
  ship_from_country: { const: US }
  shipped_at: Shipped
  carrier_id: { const: 1 }
  shipping_method_id: { const: 2 }
  tracking_number: Tracking
  shipment_lines:
    - variant: { brand_identifier: SKU }
      quantity: Qty
`

/** The lines of a body: item and quantity. */
function itemsOf({ body }: Draft): unknown[] {
  const lines = (body?.['order_lines'] ?? body?.['shipment_lines'] ?? []) as Record<string, unknown>[]
  return lines.map(({ variant, quantity }) => [...Object.values(variant as object), quantity])
}

/** The mapping with more keys before its body. */
function withKeys(text: string, keys: string): string {
  return text.replace('body:', `${keys}\nbody:`)
}

describe('which rows make a record', () => {
  test('R18: rows that share a list of columns make one record', async () => {
    const rows = sheet(`PO,Tracking,Shipped,SKU,Qty
HV-20001,1Z001,2026-11-22,NL-0002,1
HV-20001,1Z001,2026-11-22,NL-0004,2
HV-20001,1Z002,2026-11-22,NL-0006,1`)

    expect((await draftsOf(SHIPMENTS, rows)).map(itemsOf)).toEqual([
      [
        ['NL-0002', 1],
        ['NL-0004', 2],
      ],
      [['NL-0006', 1]],
    ])
  })

  test('R18: a blank order number falls back on the record number, as in an eBay report', async () => {
    const text = ORDERS.replace('group: PO', 'group: [{ firstOf: [PO, Record] }]').replace(
      'purchase_order_number: PO',
      'purchase_order_number: { firstOf: [PO, Record] }',
    )
    const rows = sheet(`Record,${HEADER}\n41,,${ADA},NL-1,1,5\n41,,${ADA},NL-2,1,5\n42,HV-7,${BO},NL-3,1,5`)

    const drafts = await draftsOf(text, rows)

    expect(drafts.map(({ body }) => body?.['purchase_order_number'])).toEqual(['41', 'HV-7'])
  })

  test('R18: a blank key continues the order above, as in a Shopify export', async () => {
    const text = ORDERS.replace('group: PO', 'group: { by: PO, blank: continues }')
    const rows = sheet(`${HEADER}\n#1001,${ADA},NL-1,1,5\n,,,,,,,NL-2,3,5\n#1002,${BO},NL-1,1,5`)

    expect((await draftsOf(text, rows)).map(itemsOf)).toEqual([
      [
        ['NL-1', 1],
        ['NL-2', 3],
      ],
      [['NL-1', 1]],
    ])
  })

  const TWO_NAMES = `${HEADER}\nHV-1,${ADA},NL-1,1,5\nHV-1,${ADA.replace('Ada Park', 'A. Park')},NL-2,1,5`

  test('R19: rows of one order that name two recipients are refused', async () => {
    const [draft] = await draftsOf(ORDERS, sheet(TWO_NAMES))

    expect(draft?.problems.map(({ message }) => message)).toEqual([
      '"A. Park" stands here, but "Ada Park" in line 2 of the same record.',
    ])
  })

  test('R19: with `differing: first` the first row says who gets the order', async () => {
    const text = ORDERS.replace('group: PO', 'group: { by: PO, differing: first }')

    const [draft] = await draftsOf(text, sheet(TWO_NAMES))

    expect(draft?.body?.['ship_to']).toMatchObject({ name1: 'Ada Park' })
    expect(draft && itemsOf(draft)).toEqual([
      ['NL-1', 1],
      ['NL-2', 1],
    ])
  })

  test('O2: one file holds a shipment per carton of one order', async () => {
    const rows = sheet(`PO,Tracking,Shipped,SKU,Qty
HV-20001,1Z001,2026-11-22,NL-0002,1
HV-20001,1Z002,2026-11-22,NL-0002,1
HV-20002,1Z003,2026-11-22,NL-0002,4`)

    const drafts = await draftsOf(SHIPMENTS, rows)

    expect(drafts.map(({ body, references }) => [references[0]?.key, body?.['tracking_number']])).toEqual([
      ['HV-20001', '1Z001'],
      ['HV-20001', '1Z002'],
      ['HV-20002', '1Z003'],
    ])
  })
})

describe('several lines in one row', () => {
  test('R20: cells that hold lists are unpacked into lines, as WooCommerce packs them', async () => {
    const text = withKeys(ORDERS, 'lines: { split: "|", columns: [SKU, Qty, Cost] }')
    const rows = sheet(`${HEADER}\nHV-1,${ADA},NL-1|NL-2|NL-3,1 | 2|3|,5|6|7\nHV-2,${BO},NL-4,1,8`)

    const drafts = await draftsOf(text, rows)

    expect(drafts.map(itemsOf)).toEqual([
      [
        ['NL-1', 1],
        ['NL-2', 2],
        ['NL-3', 3],
      ],
      [['NL-4', 1]],
    ])
    expect(drafts[0]?.lines).toEqual([
      [2, 2],
      [2, 2],
      [2, 2],
    ])
  })

  test('R20: the separator of a list is text where the escape comes before it', async () => {
    const text = withKeys(ORDERS, `lines: { split: "|", escape: '\\', columns: [SKU, Qty, Cost] }`)
    const rows = sheet(`${HEADER}\nHV-1,${ADA},NL\\|1|NL-2,1|3,5|6`)

    expect((await draftsOf(text, rows)).map(itemsOf)).toEqual([
      [
        ['NL|1', 1],
        ['NL-2', 3],
      ],
    ])
  })

  test('R20: lists of different length are refused, because their items cannot be matched', async () => {
    const text = withKeys(ORDERS, 'lines: { split: "|", columns: [SKU, Qty, Cost] }')

    const [draft] = await draftsOf(text, sheet(`${HEADER}\nHV-1,${ADA},NL-1|NL-2,4,5|6`))

    expect(placesOf(draft)).toEqual(['lines-uneven@2:Qty'])
    expect(draft?.problems[0]?.message).toBe('"SKU" holds 2 lines, but "Qty" only 1.')
  })

  test('R20: a list with a blank last part lacks that value and is not uneven', async () => {
    const text = withKeys(ORDERS, 'lines: { split: "|", columns: [SKU, Qty, Cost] }')

    const [draft] = await draftsOf(text, sheet(`${HEADER}\nHV-1,${ADA},NL-1|NL-2,4|,5|6`))

    expect(placesOf(draft)).toEqual(['value-missing@2:Qty order_lines[1].quantity'])
  })

  const NUMBERED = withKeys(
    ORDERS.replace('identifier: SKU', 'identifier: "SKU{n}"')
      .replace('quantity: Qty', 'quantity: "Qty {n}"')
      .replace('net_price: Cost', 'net_price: { const: 5 }'),
    'lines: { columns: ["SKU{n}", "Qty {n}"] }',
  )

  test('R20: numbered columns are unpacked into lines; those that are blank make none', async () => {
    const header = HEADER.replace('SKU,Qty,Cost', 'SKU1,Qty 1,SKU2,Qty 2,sku_10,qty_10')
    const rows = sheet(`${header}\nHV-1,${ADA},NL-1,1,,,NL-3,3\nHV-2,${BO},,,NL-2,2,,`)

    const translator = await translatorOf(NUMBERED)
    const { drafts, problems } = translateAll(translator, rows.layouts, rows.rows)
    const bound = translator.bind(rows.layouts)

    expect(problems).toEqual([])
    expect(drafts.map(itemsOf)).toEqual([
      [
        ['NL-1', 1],
        ['NL-3', 3],
      ],
      [['NL-2', 2]],
    ])
    expect(bound).toMatchObject({ unusedColumns: [], absentColumns: [] })
  })

  test('R20: a file without any of the numbered columns does not fit the mapping', async () => {
    const rows = sheet(`${HEADER}\nHV-1,${ADA},NL-1,1,5`)

    await expect(draftsOf(NUMBERED, rows)).rejects.toThrow('The file has no column "SKU{n}"')
  })

  test('R21: the same item twice in one order is refused by default', async () => {
    const rows = sheet(`${HEADER}\nHV-1,${ADA},NL-1,1,5\nHV-1,${ADA},NL-1,2,5`)

    expect(placesOf((await draftsOf(ORDERS, rows))[0])).toEqual([
      expect.stringMatching(/^item-repeated@3:SKU/),
    ])
  })

  const ADDED = withKeys(ORDERS, 'lines: { same: add }')

  test('R21: with `same: add` the quantities of one item are added up', async () => {
    const rows = sheet(
      `${HEADER}\nHV-1,${ADA},NL-1,1,5\nHV-1,${ADA},NL-2,4,5\nHV-1,${ADA},NL-1,2,5.00\nHV-1,${ADA},NL-3,1,5`,
    )

    const [draft] = await draftsOf(ADDED, rows)

    expect(draft && itemsOf(draft)).toEqual([
      ['NL-1', 3],
      ['NL-2', 4],
      ['NL-3', 1],
    ])
    // A message of the API about order_lines[2] leads to its place here.
    expect(draft?.lines).toEqual([
      [2, 2],
      [3, 3],
      [5, 5],
      [4, 4],
    ])
  })

  test('R21: lines of one item at two prices are not added up', async () => {
    const rows = sheet(`${HEADER}\nHV-1,${ADA},NL-1,1,5\nHV-1,${ADA},NL-1,2,6`)

    expect(placesOf((await draftsOf(ADDED, rows))[0])).toEqual([
      expect.stringMatching(/^item-repeated@3:SKU/),
    ])
  })
})

describe('conditions', () => {
  const CHOSEN = ORDERS.replace(
    'shipping_method: { code: { const: GROUND }, carrier: { code: { const: FDEG } } }',
    `shipping_method:
    carrier: { code: { const: FDEG } }
    code:
      oneOf:
        - { when: { Name: { matches: '^Bo ' } }, const: BOAT }
        - { when: { State: [ny, NJ], Name: filled }, const: TRUCK }
        - SKU`,
  )

  test('V8: a value is the first of several whose condition holds', async () => {
    const rows = sheet(
      `${HEADER}\nHV-1,${ADA},NL-1,1,5\nHV-2,${BO},NL-1,1,5\nHV-3,${BO.replace('Bo', 'Cy')},NL-9,1,5`,
    )

    expect((await draftsOf(CHOSEN, rows)).map(({ body }) => body?.['shipping_method'])).toEqual([
      { code: 'TRUCK', carrier: { code: 'FDEG' } },
      { code: 'BOAT', carrier: { code: 'FDEG' } },
      { code: 'NL-9', carrier: { code: 'FDEG' } },
    ])
  })

  test('V8: a field whose condition does not hold is as if it were not in the mapping', async () => {
    const text = ORDERS.replace('    city: City', '    city: { from: City, when: { State: NY } }').replace(
      '    name1: Name',
      '    name1: Name\n    name2: { from: City, when: { State: { not: [NY, NJ] } } }',
    )
    const rows = sheet(`${HEADER}\nHV-1,${ADA},NL-1,1,5\nHV-2,${BO},NL-1,1,5`)

    const [inNewYork, inBoston] = await draftsOf(text, rows)

    expect(inNewYork?.body?.['ship_to']).toEqual({
      name1: 'Ada Park',
      street1: '12 Mill Road',
      city: 'Albany',
      province: 'NY',
      postal_code: '12207',
      country: 'US',
    })
    expect(placesOf(inBoston)).toEqual(['value-missing@3:State ship_to.city'])
    expect(inBoston?.problems[0]?.message).toBe(
      'No condition for it holds, and the API requires ship_to.city.',
    )
  })

  test('V8: rows of which only some pass make lines only of those', async () => {
    const text = ORDERS.replace('- variant:', '- when: { SKU: { not: [FREIGHT, GIFTWRAP] } }\n      variant:')
    const rows = sheet(
      `${HEADER}\nHV-1,${ADA},FREIGHT,1,5\nHV-1,${ADA},NL-1,x,5\nHV-1,${ADA},NL-2,2,5\nHV-2,${BO},FREIGHT,1,9`,
    )

    const [mixed, nothing] = await draftsOf(text, rows)

    expect(placesOf(mixed)).toEqual(['integer-expected@3:Qty order_lines[0].quantity'])
    expect(mixed?.lines).toEqual([
      [3, 3],
      [4, 4],
      [2, 2],
    ])
    expect(nothing).toMatchObject({ skipped: true, problems: [{ code: 'left-out', place: { line: 5 } }] })
  })

  test('V8: numbers are compared as numbers', async () => {
    const text = ORDERS.replace(
      '- variant:',
      '- when: { Cost: { above: 4.99, below: 1000 } }\n      variant:',
    )
    const cells = ['4.99', '5', '$999.99', '"1,000.00"', '']
    const rows = sheet(
      `${HEADER}\n${cells.map((cost, index) => `HV-1,${ADA},NL-${index},1,${cost}`).join('\n')}`,
    )

    const [draft] = await draftsOf(text, rows)

    expect(draft && itemsOf(draft)).toEqual([
      ['NL-1', 1],
      ['NL-2', 1],
    ])
  })

  test('O4: a shipment names its tracking number, or its account with weight and size, as the row decides', async () => {
    const text = SHIPMENTS.replace('group: [PO, Tracking]', 'group: PO').replace(
      /  carrier_id.*\n  shipping_method_id.*\n  tracking_number.*\n/,
      `  carrier_id: { const: 1, when: { Tracking: filled } }
  tracking_number: Tracking
  shipping_method_id: { const: 2 }
  shipping_account_id: { const: 7, when: { Tracking: blank } }
  ship_weight: { from: Weight, when: { Tracking: blank } }
  ship_width: { const: 10, when: { Tracking: blank } }
  ship_length: { const: 12, when: { Tracking: blank } }
  ship_height: { const: 4, when: { Tracking: blank } }
`,
    )
    const rows = sheet(`PO,Tracking,Shipped,Weight,SKU,Qty
HV-1,1Z001,2026-11-22,2.5,NL-1,1
HV-2,,2026-11-22,2.5,NL-1,1`)

    const [byTracking, byAccount] = await draftsOf(text, rows)

    expect([byTracking?.problems, byAccount?.problems]).toEqual([[], []])
    expect(byTracking?.body).toMatchObject({ carrier_id: 1, tracking_number: '1Z001' })
    expect(byTracking?.body).not.toHaveProperty('ship_weight')
    expect(byAccount?.body).toMatchObject({ shipping_account_id: 7, ship_weight: '2.5' })
    expect(byAccount?.body).not.toHaveProperty('carrier_id')
  })

  test('O4: an object is left out when its condition does not hold', async () => {
    const text = ORDERS.replace(
      '  shipping_method: { code: { const: GROUND }, carrier: { code: { const: FDEG } } }',
      `  shipping_method: { code: { const: GROUND }, carrier: { code: { const: FDEG } } }
  sold_to:
    when: { Buyer: { not: SAME } }
    name1: Buyer
    street1: Street
    city: City
    province: State
    postal_code: Zip
    country: { const: US }`,
    )
    const rows = sheet(`Buyer,${HEADER}\nsame,HV-1,${ADA},NL-1,1,5\nEve Gray,HV-2,${BO},NL-1,1,5`)

    const [same, other] = await draftsOf(text, rows)

    expect(same?.body).not.toHaveProperty('sold_to')
    expect(other?.body?.['sold_to']).toMatchObject({ name1: 'Eve Gray', city: 'Boston' })
  })

  test('V8: rows of one record that decide a condition differently are refused', async () => {
    const text = ORDERS.replace('    city: City', '    city: { from: City, when: { Type: Sale } }')
    const rows = sheet(`Type,${HEADER}\nSale,HV-1,${ADA},NL-1,1,5\nReturn,HV-1,${ADA},NL-2,1,5`)

    expect(placesOf((await draftsOf(text, rows))[0])).toEqual(['rows-disagree@3:Type'])
  })
})

describe('which records are taken', () => {
  const ONLY = withKeys(ORDERS, 'only: { Status: [Ready, New] }')

  test('O8: a record the mapping does not take is skipped with the reason', async () => {
    const rows = sheet(
      `Status,${HEADER}\nready ,HV-1,${ADA},NL-1,1,5\nCancelled,HV-2,${BO},NL-1,x,5\n,HV-3,${BO},NL-1,1,5`,
    )

    const drafts = await draftsOf(ONLY, rows)

    expect(drafts.map(({ body, skipped }) => [body !== undefined, skipped])).toEqual([
      [true, undefined],
      [false, true],
      [false, true],
    ])
    expect(drafts[1]?.problems.map(({ code, message }) => [code, message])).toEqual([
      ['left-out', '"Status" is "Cancelled"; the mapping takes records of which Status is Ready or New.'],
    ])
    expect(drafts[2]?.problems[0]?.message).toBe(
      '"Status" is blank; the mapping takes records of which Status is Ready or New.',
    )
  })

  test('O8: the first row decides for the record, so that an order never loses the lines below', async () => {
    const rows = sheet(`Status,${HEADER}\nReady,HV-1,${ADA},NL-1,1,5\n,HV-1,${ADA},NL-2,1,5`)

    expect((await draftsOf(ONLY, rows)).map(itemsOf)).toEqual([
      [
        ['NL-1', 1],
        ['NL-2', 1],
      ],
    ])
  })

  test('O8: rows of one record of which only some would be taken are refused', async () => {
    const rows = sheet(`Status,${HEADER}\nReady,HV-1,${ADA},NL-1,1,5\nVoid,HV-1,${ADA},NL-2,1,5`)

    expect(placesOf((await draftsOf(ONLY, rows))[0])).toEqual(['rows-disagree@3:Status'])
  })

  test('O8: a file without the column is refused, and nothing of it is skipped in silence', async () => {
    await expect(draftsOf(ONLY, sheet(`${HEADER}\nHV-1,${ADA},NL-1,1,5`))).rejects.toThrow(
      'The file has no column "Status".',
    )
  })

  test('O8: in typed records the header row decides', async () => {
    const text = `
operation: create-invoice
read:
  format: csv
  records:
    H: { as: header, columns: [PO, Invoice, Due, Total, Kind] }
    D: { as: detail, columns: [SKU, Qty, Cost] }
only: { Kind: { not: CREDIT } }
body:
  purchase_order_number: PO
  invoice_number: Invoice
  terms_net_days_due: { const: 30 }
  terms_date_due: Due
  due_amount: Total
  invoice_lines:
    - when: { Kind: INVOICE, Qty: { above: 0 } }
      variant: { identifier: SKU }
      quantity: Qty
      net_price: Cost
`
    const layouts = [
      { recordType: 'H', columns: ['PO', 'Invoice', 'Due', 'Total', 'Kind'] },
      { recordType: 'D', columns: ['SKU', 'Qty', 'Cost'] },
    ]
    const rows = typedSheet(
      'H,P1,I1,2026-12-20,25,INVOICE\nD,NL-0,0,1\nD,NL-1,2,12.5\nH,P2,I2,2026-12-20,5,Credit\nD,NL-2,1,5',
      layouts,
    )

    const [invoice, credit] = await draftsOf(text, rows)

    expect(invoice?.body?.['invoice_lines']).toEqual([
      { variant: { identifier: 'NL-1' }, quantity: 2, net_price: '12.50' },
    ])
    expect(invoice?.lines).toEqual([
      [1, 1],
      [3, 3],
      [2, 2],
    ])
    expect(credit).toMatchObject({ skipped: true, keyValues: ['P2', 'I2'] })
  })
})

describe('rules of the user', () => {
  test('V23: a record that breaks a rule is refused in the words of the rule', async () => {
    const text = withKeys(
      ORDERS,
      `check:
  - { when: { State: [AK, HI] }, say: We do not ship to Alaska and Hawaii. }
  - { unless: { Zip: { matches: '^\\d{5}' } }, say: The zip code needs five digits. }`,
    )
    const rows = sheet(
      `${HEADER}\nHV-1,${ADA.replace('NY', 'HI').replace('12207', '1220')},NL-1,1,5\nHV-2,${BO},NL-1,1,5`,
    )

    const [refused, taken] = await draftsOf(text, rows)

    expect(refused?.problems.map(({ code, place, message }) => [code, place, message])).toEqual([
      ['check-failed', { line: 2, column: 'State' }, 'We do not ship to Alaska and Hawaii.'],
      ['check-failed', { line: 2, column: 'Zip' }, 'The zip code needs five digits.'],
    ])
    expect(taken?.problems).toEqual([])
  })

  test('V23: a rule of the lines is held against each row', async () => {
    const text = withKeys(
      ORDERS,
      'lines: { check: [{ unless: { Qty: { below: 100 } }, say: Call us for a hundred and more. }] }',
    )
    const rows = sheet(`${HEADER}\nHV-1,${ADA},NL-1,99,5\nHV-1,${ADA},NL-2,100,5\nHV-1,${ADA},NL-3,250,5`)

    expect(placesOf((await draftsOf(text, rows))[0])).toEqual(['check-failed@3:Qty', 'check-failed@4:Qty'])
  })
})

describe('control totals', () => {
  const TOTALS = withKeys(
    ORDERS,
    'totals: { when: { PO: TOTALS }, rows: Date, records: Name, sum: { Qty: Qty, Cost: Cost } }',
  )
  const ROWS = `${HEADER}\nHV-1,${ADA},NL-1,1,5.25\nHV-1,${ADA},NL-2,2,1\nHV-2,${BO},NL-1,1,"$1,000"`

  /** The problems of the file as a whole. */
  async function disagreements(text: string): Promise<string[]> {
    const { layouts, rows } = sheet(text)
    const { problems } = translateAll(await translatorOf(TOTALS), layouts, rows)
    return problems.map(({ code, place, message }) => {
      expect(code).toBe('control-total-wrong')
      return `${place.line ?? ''} ${message}`.trim()
    })
  }

  test('R23: a file that holds what its last row says is taken, and that row makes no record', async () => {
    const rows = sheet(`${ROWS}\nTOTALS,3,2,,,,,,4,1006.25`)

    expect((await draftsOf(TOTALS, rows)).map(({ keyValues }) => keyValues[0])).toEqual(['HV-1', 'HV-2'])
  })

  test('R23: every total that does not agree is reported', async () => {
    expect(await disagreements(`${ROWS}\nTOTALS,4,1,,,,,,5,1006.24`)).toEqual([
      '5 The totals say "4", but the file holds 3 rows.',
      '5 The totals say "1", but the file holds 2 records.',
      '5 The totals say "5", but "Qty" adds up to 4.',
      '5 The totals say "1006.24", but "Cost" adds up to 1006.25.',
    ])
  })

  test('R23: a file whose end is missing is refused', async () => {
    expect(await disagreements(ROWS)).toEqual([
      'The file has no row of totals, of which PO is TOTALS: its end may be missing.',
    ])
  })

  test('R23: a row behind the totals is not part of what they say', async () => {
    expect(await disagreements(`${ROWS}\nTOTALS,3,2,,,,,,4,1006.25\nTOTALS,3,2,,,,,,4,1006.25`)).toEqual([
      '6 The row stands behind the totals of the file in line 5.',
    ])
  })

  test('R23: in typed records a type of its own holds the totals', async () => {
    const text = `
operation: create-invoice
read:
  format: csv
  records:
    H: { as: header, columns: [PO, Invoice, Due, Total] }
    D: { as: detail, columns: [SKU, Qty, Cost] }
    T: { as: totals, columns: [Invoices, Amount, Pieces] }
totals: { records: Invoices, sum: { Total: Amount, Qty: Pieces } }
body:
  purchase_order_number: PO
  invoice_number: Invoice
  terms_net_days_due: { const: 30 }
  terms_date_due: Due
  due_amount: Total
  invoice_lines:
    - { variant: { identifier: SKU }, quantity: Qty, net_price: Cost }
`
    const layouts = [
      { recordType: 'H', columns: ['PO', 'Invoice', 'Due', 'Total'] },
      { recordType: 'D', columns: ['SKU', 'Qty', 'Cost'] },
      { recordType: 'T', columns: ['Invoices', 'Amount', 'Pieces'] },
    ]
    const file = 'H,P1,I1,2026-12-20,25\nD,NL-1,2,12.5\nH,P2,I2,2026-12-20,5\nD,NL-2,1,5\n'
    const translator = await translatorOf(text)
    const check = (trailer: string) => {
      const { rows } = typedSheet(file + trailer, layouts)
      const { drafts, problems } = translateAll(translator, layouts, rows)
      return [drafts.map(({ keyValues }) => keyValues[0]), problems.map(({ message }) => message)]
    }

    expect(check('T,2,30.00,3')).toEqual([['P1', 'P2'], []])
    expect(check('T,2,30.01,4')).toEqual([
      ['P1', 'P2'],
      ['The totals say "30.01", but "Total" adds up to 30.', 'The totals say "4", but "Qty" adds up to 3.'],
    ])
    expect(check('')).toEqual([['P1', 'P2'], ['The file has no row of totals: its end may be missing.']])
  })

  test('R23: a cell that is no number cannot be added up', async () => {
    expect(await disagreements(`${ROWS.replace('2,1\n', 'two,1\n')}\nTOTALS,3,2,,,,,,4,1006.25`)).toEqual([
      '3 "two" is no number, so the total cannot be checked.',
    ])
  })
})

describe('bodies', () => {
  test('O1: values go to their places in the template, lines only into the array', async () => {
    const [draft] = await draftsOf(ORDERS, sheet(`${HEADER}\nHV-1,${ADA},NL-1,2,5`))

    expect(draft?.body).toEqual({
      purchase_order_number: 'HV-1',
      ordered_at: '2026-11-20T00:00:00Z',
      ship_to: {
        name1: 'Ada Park',
        street1: '12 Mill Road',
        city: 'Albany',
        province: 'NY',
        postal_code: '12207',
        country: 'US',
      },
      shipping_method: { code: 'GROUND', carrier: { code: 'FDEG' } },
      order_lines: [{ variant: { identifier: 'NL-1' }, quantity: 2, net_price: '5.00', price: '9.99' }],
    })
  })

  test('O5: blank cells are left out, and so is an optional object of which all are blank', async () => {
    const text = ORDERS.replace(
      '  shipping_method:',
      `  sold_to: { name1: Buyer, street1: S, city: C, province: P, postal_code: Z, country: { const: US } }
  shipping_method:`,
    ).replace('    name1: Name', '    name1: Name\n    name2: Buyer')
    const [draft] = await draftsOf(text, sheet(`Buyer,S,C,P,Z,${HEADER}\n,,,,,HV-1,${ADA},NL-1,2,5`))

    expect(draft?.body).not.toHaveProperty('sold_to')
    expect(draft?.body?.['ship_to']).not.toHaveProperty('name2')
  })
})
