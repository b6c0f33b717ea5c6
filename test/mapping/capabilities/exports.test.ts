/** The capabilities of an export, each with a small file of the kind that partners ask for. */
import { describe, expect, test } from 'vitest'
import type { Composer } from '../../../src/domain/translator.ts'
import { createFormats } from '../../../src/formats/formats.ts'
import { checkOutboundLines, isComparedByLine } from '../../../src/mapping/examples.ts'
import { mappingOf } from '../sheet.ts'

const ORDER = {
  id: 81,
  purchase_order_number: 'HV-20001',
  customer_order_number: null,
  ordered_at: '2026-11-21T02:15:00Z',
  subtotal_charged: '1249.50',
  is_acknowledged: false,
  gift_message: ['Happy birthday', 'Ada'],
  retailer: { id: 1000, name: 'Harbor & Vine', code: 'HV' },
  ship_to: { name1: 'Zoë Łukasz', name2: null, street1: '12 Mühlenstraße', city: 'Albany', province: 'NY' },
  shipping_method: { code: 'FEDEX_GROUND', carrier: { code: 'FDEG' } },
  order_lines: [
    { order_line_number: '1', quantity: 2, price: '24.90', variant: { identifier: 'HV-1', upc: null } },
    {
      order_line_number: '2',
      quantity: 3,
      price: '5.00',
      variant: { identifier: 'HV-2', upc: '036000291452' },
    },
  ],
}
const SHIPMENT = {
  purchase_order_number: 'HV-20001',
  tracking_number: '1Z999',
  ship_weight: '2.5000',
  shipment_lines: [
    { part: 1, quantity: 2, variant: { identifier: 'HV-1' } },
    { part: 2, quantity: 1, variant: { identifier: 'HV-1' } },
    { part: 1, quantity: 1, variant: { identifier: 'HV-2' } },
  ],
}

type Records = readonly Readonly<Record<string, unknown>>[]

async function composerOf(text: string): Promise<Composer> {
  const mapping = await mappingOf(text)
  if (mapping.direction !== 'outbound') throw new Error('not an export')
  return mapping.composer
}

/** The whole file as it would be delivered. */
async function fileOf(text: string, records: Records = [ORDER]): Promise<Buffer> {
  const composer = await composerOf(text)
  const writer = createFormats().createWriter(composer.columns, composer.write)
  const trailer = composer.trailer?.()
  const chunks = [writer.formatHeader()]
  for (const record of records) {
    const composed = composer.composeRows(record)
    if ('problems' in composed) throw new Error(composed.problems.map(({ message }) => message).join('\n'))
    trailer?.addRecord(record, composed.rows.length)
    chunks.push(writer.formatRows(composed.rows))
  }
  if (trailer !== undefined) chunks.push(writer.formatRows([trailer.createRow()]))
  return Buffer.concat(chunks)
}

/** The cells of one row with these columns. */
async function cellsOf(
  columns: string,
  { record = ORDER, more = '' }: { record?: object; more?: string } = {},
) {
  const operation = 'shipment_lines' in record ? 'export-shipments' : 'export-orders'
  const composer = await composerOf(`operation: ${operation}\n${more}\ncolumns:\n${columns}`)
  const composed = composer.composeRows(record as Record<string, unknown>)
  if ('problems' in composed)
    return composed.problems.map(({ code, place, message }) => [code, place, message])
  return composed.rows[0]
}

describe('values', () => {
  test('V1: a constant, a default and the first field that is filled', async () => {
    const columns = `
  Source: { const: API }
  Customer Order: { from: customer_order_number, default: none }
  Attention: { firstOf: [ship_to.name2, ship_to.name1] }`

    expect(await cellsOf(columns)).toEqual(['API', 'none', 'Zoë Łukasz'])
  })

  test('V2: several fields in one cell, blank ones skipped', async () => {
    const columns = `
  Place: { all: [ship_to.name2, ship_to.city, ship_to.province], with: ", " }
  Both: { all: [retailer.code, purchase_order_number] }`

    expect(await cellsOf(columns)).toEqual(['Albany, NY', 'HV HV-20001'])
  })

  test('V3: one line of a list by its position', async () => {
    const columns = `
  First: gift_message[0]
  Second: { from: "gift_message[1]", case: upper }
  Third: gift_message[2]
  Item: order_lines[1].variant.identifier`

    expect(await cellsOf(columns)).toEqual(['Happy birthday', 'ADA', '', 'HV-2'])
  })

  test('V4: letters in capitals, zeros in front', async () => {
    const columns = `
  City: { from: ship_to.city, case: upper }
  Shop: { from: retailer.code, case: lower }
  Order: { from: id, pad: { to: 8, with: "0" } }`

    expect(await cellsOf(columns)).toEqual(['ALBANY', 'hv', '00000081'])
  })

  test('V6: a table is used in both directions', async () => {
    const columns = `
  Ship Via: { from: shipping_method.code, table: ship-via, reverse: method }
  Carrier: { from: shipping_method.carrier.code, table: carriers }
  Again: { from: shipping_method.carrier.code, table: names, reverse: true }
  Town: { from: ship_to.city, table: names, miss: keep }
  State: { from: ship_to.province, table: names, reverse: true, miss: blank, default: other }
tables:
  ship-via:
    rows:
      FedEx Ground: { method: fedex_ground, carrier: FDEG }
      Ground: { method: FEDEX_GROUND, carrier: FDEG }
  carriers: { rows: { fdeg: FedEx } }
  names: { rows: { Federal Express: FDEG } }`

    expect(await cellsOf(columns)).toEqual(['FedEx Ground', 'FedEx', 'Federal Express', 'Albany', 'other'])
  })

  test('V6: a value that is not in the table is a problem that names column, value and table', async () => {
    const columns = `
  Ship Via: { from: shipping_method.code, table: ship-via, reverse: method }
tables:
  ship-via: { rows: { UPS: { method: UPS_GROUND, carrier: UPSN } } }`

    expect(await cellsOf(columns)).toEqual([
      [
        'lookup-missed',
        { column: 'Ship Via', field: 'shipping_method.code' },
        '"FEDEX_GROUND" is not in the column "method" of the table "ship-via".',
      ],
    ])
  })

  test('V7: a table is asked for several fields together', async () => {
    const columns = `
  Service: { all: [shipping_method.carrier.code, shipping_method.code], table: services }
tables:
  services: { rows: { FDEG | FEDEX_GROUND: "92" } }`

    expect(await cellsOf(columns)).toEqual(['92'])
  })

  test('V9: dates in the format and zone of the partner', async () => {
    const columns = `
  Date: { from: ordered_at, format: MM/dd/yyyy HH:mm, zone: America/New_York }
  Day: { from: ordered_at, format: yyyyMMdd }`

    expect(await cellsOf(columns)).toEqual(['11/20/2026 21:15', '20261121'])
  })

  test('V11: decimal comma, implied decimals, no zeros at the end', async () => {
    const columns = `
  Comma: { from: subtotal_charged, decimal: "," }
  Cents: { from: subtotal_charged, implied: 2, pad: { to: 9, with: "0" } }
  Short: { from: subtotal_charged, zeros: cut }
  Whole: { from: "order_lines[1].price", zeros: cut, decimal: "," }`

    expect(await cellsOf(columns)).toEqual(['1249,50', '000124950', '1249.5', '5'])
    expect(await cellsOf('  Weight: { from: ship_weight, zeros: cut }', { record: SHIPMENT })).toEqual([
      '2.5',
    ])
  })

  test('V12: implied decimals never cost a digit', async () => {
    const record = { ...SHIPMENT, ship_weight: '2.5005' }

    expect(await cellsOf('  Weight: { from: ship_weight, implied: 2 }', { record })).toEqual([
      [
        'decimal-expected',
        { column: 'Weight', field: 'ship_weight' },
        '2.5005 has more than the 2 decimals that the column implies.',
      ],
    ])
  })

  test('V14: true and false as texts', async () => {
    const columns =
      '  Seen: { from: is_acknowledged, yes: Y, no: N }\n  Done: { from: is_acknowledged, yes: X, no: "" }'

    expect(await cellsOf(columns)).toEqual(['N', ''])
    expect(await cellsOf(columns, { record: { ...ORDER, is_acknowledged: true } })).toEqual(['Y', 'X'])
  })

  test('V18: a value longer than its column is a problem, or cut', async () => {
    const columns = '  Name: { from: ship_to.name1, width: 5 }'

    expect(await cellsOf(columns)).toEqual([
      [
        'value-too-wide',
        { column: 'Name', field: 'ship_to.name1' },
        '"Zoë Łukasz" has 10 characters; the column takes 5.',
      ],
    ])
    expect(await cellsOf(columns.replace('width: 5', 'width: 5, long: cut'))).toEqual(['Zoë Ł'])
  })

  test('V19: accents are folded for partners who take plain ASCII', async () => {
    const columns = '  Name: ship_to.name1\n  Street: ship_to.street1'
    const more = 'write: { format: csv, fold: ascii }'
    const record = { ...ORDER, ship_to: { name1: '王 Łukasz', street1: '12 Mühlenstraße' } }

    expect(await cellsOf(columns, { more })).toEqual(['Zoe Lukasz', '12 Muhlenstrasse'])
    expect(await cellsOf(columns, { more, record })).toEqual([
      [
        'character-unwritable',
        { column: 'Name', field: 'ship_to.name1' },
        '"王" (U+738B) cannot be written in plain ASCII.',
      ],
    ])
    expect(await cellsOf(columns, { more: more.replace('ascii', 'ascii, replace: "?"'), record })).toEqual([
      '? Lukasz',
      '12 Muhlenstrasse',
    ])
  })

  test('V19: a character the encoding lacks is a problem of the record, never a silent question mark', async () => {
    const text = `operation: export-orders
write: { format: csv, encoding: windows-1252 }
columns: { Name: ship_to.name1, Street: ship_to.street1 }`

    expect((await composerOf(text)).composeRows(ORDER)).toMatchObject({
      problems: [
        {
          code: 'character-unwritable',
          place: { column: 'Name', field: 'ship_to.name1' },
          message: '"Ł" (U+0141) cannot be written in windows-1252.',
        },
      ],
    })
    const replaced = await fileOf(text.replace('windows-1252', 'windows-1252, replace: "_"'))
    expect(replaced.toString('latin1')).toBe('Name,Street\r\nZoë _ukasz,12 Mühlenstraße\r\n')
  })
})

describe('O3: lines for further parcels never count', () => {
  test('in sums, counts and packed cells', async () => {
    const columns = `
  Units: { sum: shipment_lines.quantity }
  Lines: { count: shipment_lines }
  Items: { from: shipment_lines.variant.identifier, join: "|" }`

    expect(await cellsOf(columns, { record: SHIPMENT })).toEqual(['3', '2', 'HV-1|HV-2'])
  })

  test('even where all parts are printed', async () => {
    const text = `operation: export-shipments
each: shipment_lines
parts: all
columns:
  Item: shipment_lines.variant.identifier
  Qty: shipment_lines.quantity
  Units: { sum: shipment_lines.quantity }`

    expect((await fileOf(text, [SHIPMENT])).toString()).toBe(
      'Item,Qty,Units\r\nHV-1,2,3\r\nHV-1,1,3\r\nHV-2,1,3\r\n',
    )
  })
})

describe('O10: the shape of an export', () => {
  test('lines packed in one cell, each value at its place', async () => {
    const columns = `
  SKUs: { from: order_lines.variant.identifier, join: "|" }
  UPCs: { from: order_lines.variant.upc, join: "|" }
  Qtys: { from: order_lines.quantity, join: "|" }
  Prices: { from: order_lines.price, join: "; ", decimal: "," }
  Gift: { from: gift_message, join: " / " }`

    expect(await cellsOf(columns)).toEqual([
      'HV-1|HV-2',
      '|036000291452',
      '2|3',
      '24,90; 5,00',
      'Happy birthday / Ada',
    ])
  })

  test('a packed value that contains the separator is a problem', async () => {
    const record = {
      ...ORDER,
      order_lines: [{ variant: { identifier: 'A|B' } }, { variant: { identifier: 'C' } }],
    }

    expect(await cellsOf('  SKUs: { from: order_lines.variant.identifier, join: "|" }', { record })).toEqual([
      [
        'character-unwritable',
        { column: 'SKUs', field: 'order_lines.variant.identifier' },
        '"A|B" holds "|", which stands between the values of the cell.',
      ],
    ])
  })

  test('with an escape a packed value may contain the separator', async () => {
    const record = {
      ...ORDER,
      order_lines: [{ variant: { identifier: 'A|B\\' } }, { variant: { identifier: 'C' } }],
    }
    const columns = `  SKUs: { from: order_lines.variant.identifier, join: "|", escape: '\\' }`

    expect(await cellsOf(columns, { record })).toEqual(['A\\|B\\\\|C'])
  })

  const TYPED = `operation: export-orders
write: { format: csv, quoteAll: true }
records:
  - type: PH
    columns:
      PO: purchase_order_number
      Name: ship_to.name1
      Lines: { count: order_lines }
  - type: PD
    each: order_lines
    columns:
      PO: purchase_order_number
      Line: order_lines.order_line_number
      SKU: order_lines.variant.identifier
      Qty: order_lines.quantity
trailer:
  type: TR
  columns:
    Orders: { count: records }
    Rows: { count: rows }
    Lines: { count: order_lines }
    Units: { sum: order_lines.quantity, pad: { to: 6, with: "0" } }
    Amount: { sum: subtotal_charged }
    End: { const: END }`
  const TYPED_FILE = [
    '"PH","HV-20001","Zoë Łukasz","2"',
    '"PD","HV-20001","1","HV-1","2"',
    '"PD","HV-20001","2","HV-2","3"',
    '"PH","HV-20002","Zoë Łukasz","1"',
    '"PD","HV-20002","1","HV-1","2"',
    '"TR","2","5","3","000007","1250.00","END"',
    '',
  ].join('\r\n')
  const second = {
    ...ORDER,
    purchase_order_number: 'HV-20002',
    subtotal_charged: '0.50',
    order_lines: ORDER.order_lines.slice(0, 1),
  }

  test('header and detail rows in one file, and a trailer that counts them', async () => {
    expect((await fileOf(TYPED, [ORDER, second])).toString()).toBe(TYPED_FILE)
  })

  test('a mapping of typed records is held to its examples line by line', async () => {
    const composer = await composerOf(TYPED)
    const writer = () => createFormats().createWriter(composer.columns, composer.write)
    const check = (expected: string) =>
      checkOutboundLines(composer, writer(), { records: [ORDER, second], expected: Buffer.from(expected) })

    expect(isComparedByLine(composer)).toBe(true)
    expect(check(TYPED_FILE.replaceAll('\r\n', '\n').trimEnd())).toEqual([])
    expect(
      check(TYPED_FILE.replace('"HV-1","2"', '"HV-1","4"').replace('"PH","HV-20002"', '"PH","X"')),
    ).toEqual([
      'Line 2 is "\\"PD\\",\\"HV-20001\\",\\"1\\",\\"HV-1\\",\\"2\\""; expected was "\\"PD\\",\\"HV-20001\\",\\"1\\",\\"HV-1\\",\\"4\\"".',
      'Line 4 is "\\"PH\\",\\"HV-20002\\",\\"Zoë Łukasz\\",\\"1\\""; expected was "\\"PH\\",\\"X\\",\\"Zoë Łukasz\\",\\"1\\"". Correct the mapping, or the file of `expect` in its `examples`.',
    ])
  })

  test('a table with a trailer', async () => {
    const text = `operation: export-orders
columns: { PO: purchase_order_number, Amount: subtotal_charged }
trailer: { columns: { End: { const: TOTAL }, Amount: { sum: subtotal_charged } } }`

    expect((await fileOf(text, [ORDER, second])).toString()).toBe(
      'PO,Amount\r\nHV-20001,1249.50\r\nHV-20002,0.50\r\nTOTAL,1250.00\r\n',
    )
  })

  test('a record that cannot be added up is a problem of that record and not of the file', async () => {
    const composer = await composerOf(`operation: export-orders
columns: { PO: purchase_order_number }
trailer: { columns: { Amount: { sum: subtotal_charged } } }`)

    expect(composer.composeRows({ ...ORDER, subtotal_charged: 'lots' })).toMatchObject({
      problems: [{ code: 'decimal-expected', message: '"lots" is not a number as the API writes it.' }],
    })
  })

  const FIXED = `operation: export-orders
write: { format: fixed, newline: "\\n", encoding: windows-1252, fold: ascii }
records:
  - type: H
    columns:
      PO: { from: purchase_order_number, width: 10 }
      Date: { from: ordered_at, format: yyyyMMdd, width: 8 }
      Name: { from: ship_to.name1, width: 6, long: cut }
      Customer: { from: customer_order_number, width: 3 }
      Total: { from: subtotal_charged, implied: 2, width: 9, pad: { to: 9, with: "0" } }
  - type: D
    each: order_lines
    columns:
      SKU: { from: order_lines.variant.identifier, width: 6 }
      Qty: { from: order_lines.quantity, width: 4 }
      Id: { from: id, width: 4, align: left }
      End: { const: x, width: 1 }
trailer: { type: T, columns: { Orders: { count: records, width: 5 } } }`

  test('a file of fixed width, numbers at the right and texts at the left', async () => {
    expect((await fileOf(FIXED)).toString()).toBe(
      ['HHV-20001  20261121Zoe Lu   000124950', 'DHV-1     281  x', 'DHV-2     381  x', 'T    1', ''].join(
        '\n',
      ),
    )
  })

  test('a value wider than its column is a problem, and so is a line break in a line', async () => {
    const composer = await composerOf(FIXED)

    const composed = composer.composeRows({
      ...ORDER,
      purchase_order_number: 'HV-2000000001',
      order_lines: [{ quantity: 1, variant: { identifier: 'A\nB' } }],
    })

    expect('problems' in composed && composed.problems.map(({ code, place }) => [code, place])).toEqual([
      ['value-too-wide', { column: 'PO', field: 'purchase_order_number' }],
      ['character-unwritable', { column: 'SKU', field: 'order_lines[0].variant.identifier' }],
    ])
  })

  test('a fixed-width table may have its header line', async () => {
    const text = `operation: export-orders
write: { format: fixed, header: true }
columns: { PO: { from: purchase_order_number, width: 10 }, Id: { from: id, width: 6 } }`

    expect((await fileOf(text)).toString()).toBe('PO            Id\r\nHV-20001      81\r\n')
  })

  test('what a spreadsheet would run gets an apostrophe in front, and numbers do not', async () => {
    const names = [
      '=HYPERLINK("http://x")',
      '+cmd|calc',
      '-2+3',
      '@SUM(A1)',
      '\tx',
      'x=1',
      '-12.50',
      '+16175550100',
    ]
    const text =
      'operation: export-orders\nwrite: { format: csv, formulas: guard }\ncolumns: { N: ship_to.name1, Raw: { from: ship_to.name1, formulas: keep } }'
    const composer = await composerOf(text)

    const cells = names.map((name1) => {
      const composed = composer.composeRows({ ship_to: { name1 } })
      return 'rows' in composed ? composed.rows[0] : []
    })

    expect(cells.map((row) => row?.[0])).toEqual([
      '\'=HYPERLINK("http://x")',
      "'+cmd|calc",
      "'-2+3",
      "'@SUM(A1)",
      "'\tx",
      'x=1',
      '-12.50',
      '+16175550100',
    ])
    expect(cells.map((row) => row?.[1])).toEqual(names)
  })

  test('delimiter, quotes, line end, mark and header as the partner wants them', async () => {
    const text = `operation: export-orders
write: { format: csv, delimiter: ";", quoteAll: true, newline: "\\n", byteOrderMark: true, header: false }
columns: { PO: purchase_order_number, Name: ship_to.name1 }`

    expect((await fileOf(text)).toString()).toBe('\uFEFF"HV-20001";"Zoë Łukasz"\n')
  })
})

test('O11: a mapping may say how many records a file holds', async () => {
  const text = 'operation: export-orders\nfile: { records: 250 }\ncolumns: { PO: purchase_order_number }'

  expect((await composerOf(text)).recordsPerFile).toBe(250)
  expect((await composerOf(text.replace('file: { records: 250 }\n', ''))).recordsPerFile).toBeUndefined()
})

describe('O10: lines above the header', () => {
  test('come as written, as texts or as cells', async () => {
    const text = `operation: export-orders
write:
  format: csv
  delimiter: "\\t"
  above:
    - [TemplateType=Orders, Version=007, "a\\tb"]
    - '# made by "dropbridge"'
    - ''
columns: { order-id: purchase_order_number, name: ship_to.name1 }`

    expect((await fileOf(text)).toString()).toBe(
      'TemplateType=Orders\tVersion=007\t"a\tb"\r\n# made by "dropbridge"\r\n\r\norder-id\tname\r\nHV-20001\tZoë Łukasz\r\n',
    )
  })

  test('are folded like all that is written, and may come above rows of several kinds', async () => {
    const text = `operation: export-orders
write: { format: fixed, fold: ascii, above: [Aufträge] }
records: [{ type: H, columns: { PO: { from: purchase_order_number, width: 8 } } }]`

    expect((await fileOf(text)).toString()).toBe('Auftrage\r\nHHV-20001\r\n')
  })

  test('are part of what an example is held to', async () => {
    const text = `operation: export-orders
write: { format: csv, above: [[Orders, 1]] }
columns: { PO: purchase_order_number }`
    const composer = await composerOf(text)
    const check = (expected: string) =>
      checkOutboundLines(composer, createFormats().createWriter(composer.columns, composer.write), {
        records: [ORDER],
        expected: Buffer.from(expected),
      })

    expect(isComparedByLine(composer)).toBe(true)
    expect(check('Orders,1\nPO\nHV-20001\n')).toEqual([])
    expect(check('Orders,2\nPO\nHV-20001\n')).toEqual([
      'Line 1 is "Orders,1"; expected was "Orders,2". Correct the mapping, or the file of `expect` in its `examples`.',
    ])
  })
})

describe('O10: a file without quotes', () => {
  const PLAIN = `operation: export-orders
write: { format: csv, delimiter: "|", quote: null }
columns: { PO: purchase_order_number, Name: ship_to.name1, Gift: gift_message }`

  test('quotes are text like any other, and lists are on one line', async () => {
    const record = { ...ORDER, ship_to: { name1: '5" "Ada", ' } }

    expect((await fileOf(PLAIN, [record])).toString()).toBe(
      'PO|Name|Gift\r\nHV-20001|5" "Ada", |Happy birthday Ada\r\n',
    )
    expect(isComparedByLine(await composerOf(PLAIN))).toBe(true)
  })

  test('a cell with the delimiter or a line break in it is a problem of the record', async () => {
    const composer = await composerOf(PLAIN)
    const problemsOf = (name1: string) => {
      const composed = composer.composeRows({ ...ORDER, ship_to: { name1 } })
      return 'problems' in composed
        ? composed.problems.map(({ code, place, message }) => [code, place.column, message])
        : []
    }

    expect(problemsOf('Ada|Park')).toEqual([
      [
        'character-unwritable',
        'Name',
        '"Ada|Park" holds "|", which stands between cells, and the file has no quotes around it.',
      ],
    ])
    expect(problemsOf('Ada\nPark')).toEqual([
      [
        'character-unwritable',
        'Name',
        '"Ada\nPark" holds a line break, and the file has no quotes around it.',
      ],
    ])
    expect(problemsOf('Ada, "Park"')).toEqual([])
  })

  test('with `replace` they are replaced, and so is what folds to the delimiter', async () => {
    const text = PLAIN.replace('quote: null', 'quote: null, replace: "/", fold: ascii')
    const record = { ...ORDER, ship_to: { name1: 'Zoë|P\r\nŁ' }, gift_message: ['a|b', 'c'] }

    expect((await fileOf(text, [record])).toString()).toBe('PO|Name|Gift\r\nHV-20001|Zoe/P/L|a/b c\r\n')
  })

  test('a record whose only cell is blank would leave no row, and is a problem', async () => {
    const composer = await composerOf(PLAIN.replace(/columns:.*/, 'columns: { Name: ship_to.name2 }'))

    expect(composer.composeRows(ORDER)).toMatchObject({
      problems: [
        {
          code: 'value-missing',
          message: 'The only cell of the row is blank, and without quotes a blank line is no row.',
        },
      ],
    })
    expect(composer.composeRows({ ship_to: { name2: 'Dock' } })).toEqual({ rows: [['Dock']] })
  })
})

describe('V8: a column with a condition', () => {
  test('is filled only where the fields of the record are as it says', async () => {
    const columns = `
  Gift: { from: gift_message, join: " ", when: { shipping_method.code: [FEDEX_GROUND, UPS] } }
  Account: { from: id, when: { ship_to.name2: filled }, default: none }
  Flag: { const: N, when: { is_acknowledged: false, subtotal_charged: { above: 1000, below: 2000 } } }
  Rush: { const: Y, when: { shipping_method.carrier.code: { not: [FDEG] } } }
  Note: { from: ship_to.city, when: { gift_message: { matches: "birthday" } } }
  Units: { sum: order_lines.quantity, when: { customer_order_number: blank } }`

    expect(await cellsOf(columns)).toEqual(['Happy birthday Ada', '', 'N', '', 'Albany', '5'])
  })

  test('may read the item that makes the row', async () => {
    const text = `operation: export-orders
each: order_lines
columns:
  SKU: order_lines.variant.identifier
  UPC: { from: order_lines.variant.upc, when: { order_lines.quantity: { above: 2 }, status: blank } }
  Bulk: { const: B, when: { order_lines.price: "5.00" } }`

    expect((await fileOf(text)).toString()).toBe('SKU,UPC,Bulk\r\nHV-1,,\r\nHV-2,036000291452,B\r\n')
  })

  test('keeps its width in a file of fixed width', async () => {
    const text = `operation: export-orders
write: { format: fixed }
columns:
  A: { const: Y, width: 3, when: { ship_to.name2: filled } }
  B: { from: purchase_order_number, width: 8 }`

    expect((await fileOf(text)).toString()).toBe('   HV-20001\r\n')
  })
})
