import { describe, expect, test } from 'vitest'
import type { Problem } from '../../src/domain/problem.ts'
import { draftsOf, HEADER, ORDERS, orderRow, orderSheet, placesOf, sheet, translatorOf } from './sheet.ts'

describe('a record', () => {
  test('the rows with one purchase order number make one order, a line each', async () => {
    const drafts = await draftsOf(
      ORDERS,
      orderSheet(
        {},
        { SKU: 'HV-10004', Qty: '1', Cost: '8', Retail: '$1,015.5' },
        { 'PO Number': 'HV-20002' },
      ),
    )

    expect(drafts.map(({ number, lines, keyValues }) => ({ number, lines, keyValues }))).toEqual([
      {
        number: 1,
        lines: [
          [2, 2],
          [3, 3],
        ],
        keyValues: ['HV-20001'],
      },
      { number: 2, lines: [[4, 4]], keyValues: ['HV-20002'] },
    ])
    expect(drafts[0]?.body).toEqual({
      purchase_order_number: 'HV-20001',
      ordered_at: '2026-11-20T00:00:00Z',
      ship_to: {
        name1: 'Ada Park',
        street1: '12 Mill Road',
        city: 'Albany',
        province: 'NY',
        postal_code: '12207',
        country: 'US',
      },
      shipping_method: { code: 'FEDEX_GROUND', carrier: { code: 'FDEG' } },
      order_lines: [
        { variant: { identifier: 'HV-10002' }, quantity: 2, net_price: '12.50', price: '24.99' },
        { variant: { identifier: 'HV-10004' }, quantity: 1, net_price: '8.00', price: '1015.50' },
      ],
    })
  })

  test('the order of fields in the mapping does not change the text of the body', async () => {
    const reversed = ORDERS.replace('  purchase_order_number: PO Number\n', '').replace(
      'tables:',
      '  purchase_order_number: PO Number\ntables:',
    )

    const [asWritten] = await draftsOf(ORDERS, orderSheet({}))
    const [moved] = await draftsOf(reversed, orderSheet({}))

    expect(JSON.stringify(moved?.body)).toBe(JSON.stringify(asWritten?.body))
    expect(Object.keys(moved?.body ?? {})[0]).toBe('purchase_order_number')
  })

  test('records completed across batches of rows are the same as in one batch', async () => {
    const { layouts, rows } = orderSheet({}, { SKU: 'HV-10004' }, { 'PO Number': 'HV-20002' })
    const bound = (await translatorOf(ORDERS)).bind(layouts)
    if (!('keyColumns' in bound)) throw new Error('not bound')

    const counts = [...rows.map((row) => bound.translateRows([row]).length), bound.finish().length]

    expect(counts).toEqual([0, 0, 1, 1])
  })

  test('a key that comes again later makes a second record', async () => {
    const drafts = await draftsOf(ORDERS, orderSheet({}, { 'PO Number': 'HV-20002' }, {}))

    expect(drafts.map(({ keyValues }) => keyValues[0])).toEqual(['HV-20001', 'HV-20002', 'HV-20001'])
  })

  test('all problems of a record are reported at once, each with line, column and field', async () => {
    const [draft] = await draftsOf(
      ORDERS,
      orderSheet(
        { State: 'XX', 'Ship Via': 'Fedex Grond', City: ' ' },
        { State: 'XX', 'Ship Via': 'Fedex Grond', City: '', SKU: 'HV-10004', Qty: 'two', Cost: '1.005' },
        { State: 'XX', 'Ship Via': 'Fedex Grond', City: '', SKU: '' },
      ),
    )

    expect(draft?.body).toBeUndefined()
    expect(placesOf(draft)).toEqual([
      'value-missing@2:City ship_to.city',
      'province-unknown@2:State ship_to.province',
      'lookup-missed@2:Ship Via shipping_method.code',
      'integer-expected@3:Qty order_lines[1].quantity',
      'decimal-expected@3:Cost order_lines[1].net_price',
      'item-missing@4:SKU order_lines[2].variant',
    ])
    expect(draft?.problems.map(({ message }) => message)).toEqual([
      'The cell is blank, and the API requires ship_to.city.',
      '"XX" is not a state or province of US, such as AK (Alaska), AL (Alabama), AR (Arkansas).',
      '"Fedex Grond" is not in the table "ship-via". Did you mean "FedEx Ground"?',
      '"two" is not a whole number.',
      '"1.005" has more than two decimals; the API would lose digits.',
      'An item needs at least one of id, identifier, upc.',
    ])
  })

  test('a line that names the same item as another is reported with the cell that names it', async () => {
    const upc = { SKU: '', UPC: '012345678905' }

    const [draft] = await draftsOf(ORDERS, orderSheet(upc, {}, upc))

    expect(placesOf(draft)).toEqual(['item-repeated@4:UPC order_lines[2].variant'])
  })

  test('two orders under one number are said once, with all columns, and asked for two numbers', async () => {
    const other = { Name: 'Bob Smith', 'Address 1': '3 Other St', City: 'Bangor', SKU: 'HV-10009' }
    const [draft] = await draftsOf(ORDERS, orderSheet({}, other))

    expect(draft?.problems).toEqual([
      expect.objectContaining({
        code: 'rows-disagree',
        message: expect.stringMatching(
          /^"Bob Smith" stands here, but ".+" in line 2 of the same record; more columns differ: "Address 1", "City"\.$/,
        ),
        fix: 'If they are two records, give them two numbers; if one, write the same values in its rows.',
      }),
    ])
  })

  test('rows of one order that differ in several columns and name one item say both at once', async () => {
    const other = { Name: 'Bob Smith', City: 'Bangor', SKU: 'HV-10001' }
    const [draft] = await draftsOf(ORDERS, orderSheet({ SKU: 'HV-10001' }, other))

    expect(draft?.problems.map(({ code, fix }) => [code, fix])).toEqual([
      [
        'rows-disagree',
        'If they are two records, give them two numbers; if one, write the same values in its rows.',
      ],
      ['item-repeated', 'If the rows are one record, add the quantities up in one line, or remove one.'],
    ])
  })

  test('rows of one order that ship to different streets are refused with both lines and values', async () => {
    const [draft] = await draftsOf(ORDERS, orderSheet({}, { SKU: 'HV-10004', 'Address 1': '14 Mill Road' }))

    expect(placesOf(draft)).toEqual(['rows-disagree@3:Address 1 ship_to.street1'])
    expect(draft?.problems[0]?.message).toBe(
      '"14 Mill Road" stands here, but "12 Mill Road" in line 2 of the same record.',
    )
  })

  test('the first cell that is not blank decides for the record', async () => {
    const [draft] = await draftsOf(
      ORDERS,
      orderSheet({ 'Address 2': '' }, { SKU: 'HV-10004', 'Address 2': 'Unit 4' }),
    )

    expect(draft?.body?.['ship_to']).toMatchObject({ street2: 'Unit 4' })
  })

  test('a record with more rows than any record has is refused, and every row has its outcome', async () => {
    const many = [...Array(10_050).keys()].map((index) => ({ SKU: `HV-${index}` }))

    const drafts = await draftsOf(ORDERS, orderSheet(...many, { 'PO Number': 'HV-20002' }))

    expect(drafts.map(({ lines, body }) => [lines.length, body !== undefined])).toEqual([
      [10_001, false],
      [49, false],
      [1, true],
    ])
    expect(drafts[1]?.problems.map(({ code }) => code)).toContain('record-too-large')
  })
})

describe('what is blank', () => {
  test('an object of which only constants and defaults are left is left out', async () => {
    const text = ORDERS.replace(
      '  gift_message',
      `  sold_to:
    name1: Buyer
    street1: Buyer Street
    city: Buyer City
    province: Buyer State
    postal_code: Buyer Zip
    country: { from: Buyer Country, default: US }
    type: { const: residential }
  gift_message`,
    )
    const columns = ',Buyer,Buyer Street,Buyer City,Buyer State,Buyer Zip,Buyer Country'
    const rows = [
      `${orderRow()},,,,,,`,
      `${orderRow({ 'PO Number': 'HV-20002' })},Bo Lin,1 Elm,Salem,Oregon,97301,`,
      `${orderRow({ 'PO Number': 'HV-20003' })},Bo Lin,,Salem,OR,97301,`,
    ]

    const [none, whole, part] = await draftsOf(text, sheet([HEADER + columns, ...rows].join('\n')))

    expect(none?.body).toBeDefined()
    expect(none?.body).not.toHaveProperty('sold_to')
    expect(whole?.body?.['sold_to']).toEqual({
      type: 'residential',
      name1: 'Bo Lin',
      street1: '1 Elm',
      city: 'Salem',
      province: 'OR',
      postal_code: '97301',
      country: 'US',
    })
    expect(placesOf(part)).toEqual(['value-missing@4:Buyer Street sold_to.street1'])
  })

  test('tokens that mean blank are blank, and the default takes their place', async () => {
    const text = ORDERS.replace(
      'street2: Address 2',
      'street2: { from: Address 2, blanks: [".", N/A] }',
    ).replace('postal_code: Zip', 'postal_code: { from: Zip, blanks: ["-"], default: "00000" }')

    const [draft] = await draftsOf(text, orderSheet({ 'Address 2': ' n/a ', Zip: '-' }))

    expect(draft?.body?.['ship_to']).not.toHaveProperty('street2')
    expect(draft?.body?.['ship_to']).toMatchObject({ postal_code: '00000' })
  })

  test('firstOf takes per row the first cell that is filled, and a message names the one it took', async () => {
    const text = ORDERS.replace('quantity: Qty', 'quantity: { firstOf: [UPC, Qty] }').replace(
      ', upc: UPC',
      '',
    )

    const [good] = await draftsOf(text, orderSheet({ UPC: '', Qty: '3' }))
    const [bad] = await draftsOf(text, orderSheet({ UPC: 'x', Qty: '3' }))

    expect(good?.body?.['order_lines']).toMatchObject([{ quantity: 3 }])
    expect(placesOf(bad)).toEqual(['integer-expected@2:UPC order_lines[0].quantity'])
  })

  test('what spreadsheets put around a cell is taken off', async () => {
    const [draft] = await draftsOf(
      ORDERS,
      orderSheet({ Zip: '="02134"', UPC: "'012345678905", City: '\u00a0Albany ' }),
    )

    expect(draft?.body).toMatchObject({
      ship_to: { postal_code: '02134', city: 'Albany' },
      order_lines: [{ variant: { upc: '012345678905' } }],
    })
  })
})

test('a table without an entry for a text leaves the field out, or is reported where the field is required', async () => {
  const text = ORDERS.replace(
    'ship-via:\n    rows:',
    'ship-via:\n    rows:\n      Pickup: { method: "", carrier: FDEG }',
  ).replace('method }', 'method, default: FEDEX_2_DAY }')

  const [filled] = await draftsOf(text, orderSheet({ 'Ship Via': 'Pickup' }))
  const [refused] = await draftsOf(
    text.replace(', default: FEDEX_2_DAY', ''),
    orderSheet({ 'Ship Via': 'Pickup' }),
  )

  expect(filled?.body?.['shipping_method']).toEqual({ code: 'FEDEX_2_DAY', carrier: { code: 'FDEG' } })
  expect(refused?.problems.map(({ message }) => message)).toEqual([
    'The mapping makes nothing of "Pickup", and the API requires shipping_method.code.',
  ])
})

describe('columns', () => {
  test('names are found without regard to case, blanks and punctuation', async () => {
    const header = HEADER.toUpperCase().replace('PO NUMBER', 'po-number').replace('ADDRESS 1', 'address_1')

    const [draft] = await draftsOf(ORDERS, sheet(`${header}\n${orderRow()}`))

    expect(draft?.body?.['ship_to']).toMatchObject({ street1: '12 Mill Road' })
  })

  test('every missing column that is needed is reported, with the nearest name', async () => {
    const { layouts } = sheet(
      HEADER.replace('PO Number', 'PO Numbr').replace('Qty', 'Units').replace('Gift', 'x'),
    )

    const problems = (await translatorOf(ORDERS)).bind(layouts)

    expect(
      Array.isArray(problems) && problems.map(({ code, place, fix }) => [code, place.column, fix]),
    ).toEqual([
      [
        'column-missing',
        'PO Number',
        'Did you mean "PO Numbr"? Write that in the mapping, then: dropbridge retake FILE. Or rename the column.',
      ],
      ['column-missing', 'Qty', 'Add the column, or correct body.order_lines[].quantity in the mapping.'],
    ])
    expect(Array.isArray(problems) && problems.map(({ message }) => message)).toEqual([
      'The file has no column "PO Number".',
      'The file has no column "Qty". The mapping does not use "PO Numbr", "x", "Units".',
    ])
  })

  test.each([
    [
      'a file of another route is named once',
      'Retailer SKU,On Hand,Updated',
      /^The mapping uses none of the columns of the file, "Retailer SKU", "On Hand", "Updated"; it needs "PO Number", /,
      'Drop it into the inbox of its own route, or name its columns in the mapping.',
    ],
    [
      'a result file of the bridge is named once, with the file to correct',
      'PO Number,_line,_record,_status,_http,_id,_code,_field,_message,_fix,_attempts,_at',
      /^The columns _line, _status and _fix are those of a result file/,
      'Correct the file with `.rejects` in its name, in the same folder, and drop that in.',
    ],
  ])('%s', async (_, header, message, fix) => {
    const problems = (await translatorOf(ORDERS)).bind(sheet(header).layouts)

    expect(problems).toEqual([
      { code: 'file-foreign', place: {}, fix, message: expect.stringMatching(message) as string },
    ])
  })

  test('a rejects file that a person extended by result columns is read as the file itself', async () => {
    expect((await translatorOf(ORDERS)).bind(sheet(`${HEADER},_line,_status,_fix`).layouts)).toHaveProperty(
      'keyColumns',
    )
  })

  test('a missing key column is to be corrected in the group too', async () => {
    const { layouts } = sheet(HEADER.replace('PO Number', 'Bestellung'))

    expect((await translatorOf(ORDERS)).bind(layouts)).toMatchObject([
      {
        code: 'column-missing',
        place: { column: 'PO Number' },
        fix: 'Add the column, or correct `group` and the values that name it in the mapping.',
      },
    ])
  })

  test('a missing column whose name the field would take as its value may be meant as a constant', async () => {
    const text = ORDERS.replace('{ from: Country, default: US }', 'US')
    const { layouts } = sheet(HEADER)

    expect((await translatorOf(text)).bind(layouts)).toMatchObject([
      {
        code: 'column-missing',
        message: expect.stringMatching(/^The file has no column "US"\./) as string,
        fix: 'Add the column, or write body.ship_to.country: { const: US } in the mapping.',
      },
    ])
  })

  test('a missing column whose name is the code of a province may be meant as a constant, and no other', async () => {
    const fixOf = async (province: string) => {
      const text = ORDERS.replace('province: State', `province: ${province}`)
      const found = (await translatorOf(text)).bind(sheet(HEADER).layouts)
      return Array.isArray(found) ? (found[0] as Problem | undefined)?.fix : undefined
    }

    expect(await fixOf('NV')).toBe(
      'Add the column, or write body.ship_to.province: { const: NV } in the mapping.',
    )
    expect(await fixOf('Region')).toBe('Add the column, or correct body.ship_to.province in the mapping.')
  })

  test('the first of several names that the file has is taken for every row', async () => {
    const text = ORDERS.replace('name1: Name', 'name1: [Ship To Name, Recipient, Name]')

    const [draft] = await draftsOf(text, sheet(`${HEADER.replace('Name', 'Recipient')}\n${orderRow()}`))

    expect(draft?.body?.['ship_to']).toMatchObject({ name1: 'Ada Park' })
  })

  test('a name that fits two columns is refused unless one is spelled exactly so', async () => {
    const { layouts } = sheet(`${HEADER},po_number`)
    const { layouts: unclear } = sheet(`${HEADER.replace('PO Number', 'PO-Number')},po_number`)
    const translator = await translatorOf(ORDERS)

    expect(translator.bind(layouts)).toHaveProperty('keyColumns', ['PO Number'])
    expect(translator.bind(unclear)).toMatchObject([
      { code: 'header-duplicate', place: { column: 'PO-Number' } },
    ])
  })

  test('result columns of a rejects file are ignored', async () => {
    const text = ORDERS.replace('street2: Address 2', 'street2: [line, Address 2]')

    const [draft] = await draftsOf(text, sheet(`${HEADER},_line,_message\n${orderRow()},2,refused`))

    expect(draft?.body?.['ship_to']).not.toHaveProperty('street2')
  })

  test('the column behind a field of the API is known', async () => {
    const bound = (await translatorOf(ORDERS)).bind(sheet(HEADER.toLowerCase()).layouts)
    if (!('keyColumns' in bound)) throw new Error('not bound')

    expect(bound.findColumn('order_lines[3].variant.upc')).toBe('upc')
    expect(bound.findColumn('order_lines.variant')).toBe('sku')
    expect(bound.findColumn('ship_to')).toBe('name')
    expect(bound.findColumn('shipping_method.name')).toBeUndefined()
    expect(bound.findColumn('nothing.at.all')).toBeUndefined()
  })

  test('a format receives the names of the header line', async () => {
    const { read } = await translatorOf(ORDERS)

    expect(read.expectColumns).toEqual(expect.arrayContaining(['PO Number', 'Ship Via', 'Retail']))
  })
})

describe('references', () => {
  const SHIPMENTS = `
operation: create-shipment
group: [PO, Tracking]
body:
  order_id: { from: PO, find: order }
  ship_from_name1: { const: Northwind Warehouse }
  ship_from_street1: { const: 1 Dock Road }
  ship_from_city: { const: Reno }
  ship_from_province: { const: NV }
  ship_from_postal_code: { const: "89501" }
  ship_from_country: { const: US }
  carrier_id: { from: Service, table: services, pick: carrier_id }
  shipping_method_id: { from: Service, table: services, pick: method_id }
  tracking_number: Tracking
  ship_weight: Weight
  shipment_lines:
    - variant: { brand_identifier: SKU }
      quantity: Qty
tables:
  services: { file: services.csv }
`
  const services = { 'services.csv': 'service,carrier_id,method_id\nGround,1,3\nPickup,,20\n' }

  test('O6: a purchase order number refers to an order whose id is looked up later', async () => {
    const [draft] = await draftsOf(
      SHIPMENTS,
      sheet('PO,Tracking,Service,SKU,Qty\nHV-20001,1Z9,Ground,NL-0002,1\nHV-20001,1Z9,Ground,NL-0004,2'),
      services,
    )

    expect(draft?.references).toEqual([
      { kind: 'order', key: 'HV-20001', field: 'order_id', line: 2, column: 'PO' },
    ])
    expect(draft?.body).not.toHaveProperty('order_id')
    expect(draft?.body).toMatchObject({ carrier_id: 1, shipping_method_id: 3, tracking_number: '1Z9' })
    expect(draft?.keyValues).toEqual(['HV-20001', '1Z9'])
  })

  test('a shipment with a blank tracking number is refused with the needs of its kind', async () => {
    const [draft] = await draftsOf(
      SHIPMENTS,
      sheet('PO,Tracking,Service,SKU,Qty\nHV-20001,,Ground,NL-0002,1'),
      services,
    )

    expect(placesOf(draft)).toEqual(['value-missing@2:Tracking tracking_number'])
  })

  test('a shipment of neither kind is refused as a whole', async () => {
    const [draft] = await draftsOf(
      SHIPMENTS,
      sheet('PO,Tracking,Service,SKU,Qty\nHV-20001,,Pickup,NL-0002,1'),
      services,
    )

    expect(placesOf(draft)).toContain('shipment-mode-unclear@2:PO')
  })

  test('without find the column must hold the id itself', async () => {
    const text = SHIPMENTS.replace('order_id: { from: PO, find: order }', 'order_id: PO')

    const [good] = await draftsOf(
      text,
      sheet('PO,Tracking,Service,SKU,Qty\n4711,1Z9,Ground,NL-0002,1'),
      services,
    )
    const [bad] = await draftsOf(
      text,
      sheet('PO,Tracking,Service,SKU,Qty\nHV-1,1Z9,Ground,NL-0002,1'),
      services,
    )

    expect(good?.body).toMatchObject({ order_id: 4711 })
    expect(placesOf(bad)).toEqual(['integer-expected@2:PO order_id'])
  })
})
