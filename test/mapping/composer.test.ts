import { describe, expect, test } from 'vitest'
import type { ComposedRows, Composer } from '../../src/domain/translator.ts'
import { mappingOf, errorsOf } from './sheet.ts'

async function composerOf(text: string, tables?: Readonly<Record<string, string>>): Promise<Composer> {
  const mapping = await mappingOf(text, tables)
  if (mapping.direction !== 'outbound') throw new Error('not an outbound mapping')
  return mapping.composer
}

function rowsOf(composed: ComposedRows): readonly (readonly string[])[] {
  if ('problems' in composed) throw new Error(composed.problems.map(({ message }) => message).join('\n'))
  return composed.rows
}

const SHIPMENTS = `
operation: export-shipments
each: shipment_lines
columns:
  PO: purchase_order_number
  Shipped: { from: shipped_at, format: MM/dd/yyyy HH:mm ZZ, zone: America/New_York }
  Carrier: { from: shipping_method.carrier.code, table: carriers, default: by hand }
  SKU: shipment_lines.variant.identifier
  Qty: shipment_lines.quantity
  Slip: valid_packing_slip
  Source: { const: "007" }
tables:
  carriers: { rows: { FDEG: FedEx, UPSN: UPS } }
`
const line = (part: number, quantity: number) => ({ part, quantity, variant: { identifier: 'HV-10001' } })
const SHIPMENT = {
  purchase_order_number: 'HV-20001',
  shipped_at: '2026-07-01T03:30:00Z',
  shipping_method: { carrier: { code: 'FDEG' } },
  valid_packing_slip: false,
  shipment_lines: [line(1, 2), line(2, 1)],
}

describe('rows', () => {
  test('a record makes one row per item, in the order of the columns', async () => {
    const composer = await composerOf(SHIPMENTS)

    expect(composer.columns).toEqual(['PO', 'Shipped', 'Carrier', 'SKU', 'Qty', 'Slip', 'Source'])
    expect(rowsOf(composer.composeRows(SHIPMENT))).toEqual([
      ['HV-20001', '06/30/2026 23:30 -04:00', 'FedEx', 'HV-10001', '2', 'false', '007'],
    ])
  })

  test('lines for further parcels of one item are printed only when asked for', async () => {
    const composer = await composerOf(SHIPMENTS.replace('columns:', 'parts: all\ncolumns:'))

    expect(rowsOf(composer.composeRows(SHIPMENT)).map((row) => row[4])).toEqual(['2', '1'])
  })

  test('without each a record makes one row', async () => {
    const composer = await composerOf(
      'operation: export-orders\ncolumns:\n  PO: purchase_order_number\n  Total: subtotal_charged',
    )

    expect(
      rowsOf(
        composer.composeRows({ purchase_order_number: 'HV-1', subtotal_charged: '5.00', order_lines: [] }),
      ),
    ).toEqual([['HV-1', '5.00']])
  })

  test('what is null or not there is blank, or the default', async () => {
    const composer = await composerOf(SHIPMENTS)

    expect(
      rowsOf(composer.composeRows({ shipped_at: null, shipping_method: null, shipment_lines: [{}] })),
    ).toEqual([['', '', 'by hand', '', '', '', '007']])
  })

  test('a list of texts is in one cell', async () => {
    const text =
      'operation: export-orders\ncolumns:\n  Gift: gift_message\n  One: { from: gift_message, join: " / " }'

    expect(rowsOf((await composerOf(text)).composeRows({ gift_message: ['a', 'b'] }))).toEqual([
      ['a\nb', 'a / b'],
    ])
  })

  test('a record that would leave no row in the file is a problem, because it would be acknowledged unseen', async () => {
    const composer = await composerOf(SHIPMENTS)

    expect(composer.composeRows({ ...SHIPMENT, shipment_lines: [] })).toMatchObject({
      problems: [{ code: 'value-missing', place: { field: 'shipment_lines' } }],
    })
  })

  test('every cell that cannot be written is reported, with its column and field', async () => {
    const composer = await composerOf(
      SHIPMENTS.replace(
        'Qty: shipment_lines.quantity',
        'Qty: { from: shipment_lines.quantity, table: carriers }',
      ),
    )

    const composed = composer.composeRows({
      ...SHIPMENT,
      shipped_at: 'soon',
      shipping_method: { carrier: { code: 'FDEX' } },
    })

    expect(
      'problems' in composed && composed.problems.map(({ code, place, message }) => [code, place, message]),
    ).toEqual([
      [
        'date-expected',
        { column: 'Shipped', field: 'shipped_at' },
        '"soon" is not a date as the API writes it.',
      ],
      [
        'lookup-missed',
        { column: 'Carrier', field: 'shipping_method.carrier.code' },
        '"FDEX" is not in the table "carriers". Did you mean "FDEG"?',
      ],
      [
        'lookup-missed',
        { column: 'Qty', field: 'shipment_lines[0].quantity' },
        '"2" is not in the table "carriers".',
      ],
    ])
  })
})

test('the options for writing the file are passed on', async () => {
  const text = SHIPMENTS.replace(
    'each:',
    'write: { format: csv, delimiter: ";", quoteAll: true, header: false }\neach:',
  )

  expect((await composerOf(text)).write).toEqual({
    format: 'csv',
    delimiter: ';',
    quoteAll: true,
    header: false,
  })
})

test('every error of an export is reported, with its line and column', async () => {
  const text = `operation: export-orders
each: order_line
parts: all
columns:
  A: purchase_order_nummer
  B: order_lines.quantity
  C: ship_to
  D: { from: id, format: yyyy-MM-dd }
  E: { from: ordered_at, format: DD.MM, zone: Mars }
  F: { from: id, table: none }
  G: { const: x, default: y }
  H: { frm: id }
  I: 7
  J: { from: id, join: x }
  K: shipments
`

  expect(await errorsOf(text)).toEqual([
    '2:7 each: the record has no field "order_line". Did you mean "order_lines"?',
    '3:8 parts: `parts` is for rows of shipment lines: it needs `each: shipment_lines`',
    '5:6 columns.A: the record has no field "purchase_order_nummer". Did you mean "purchase_order_number"?',
    '6:6 columns.B: order_lines is a list: name it under `each` to have a row for each of its items, or pack them into one cell with `join`',
    '7:6 columns.C: this is an object; name one of its fields: id, type, name1, name2, street1, street2, city, province, postal_code, country, phone1, phone2, fax, email',
    '8:26 columns.D.format: `format` is for dates',
    expect.stringContaining(
      '9:34 columns.E.format: write dd.MM instead: "DD" is not a token of date formats; the tokens are yyyy yy',
    ),
    '9:47 columns.E.zone: there is no time zone "Mars"; write one such as America/New_York',
    '10:25 columns.F.table: there is no table "none" under `tables`.',
    '11:6 columns.G: a constant takes no other options',
    '12:8 columns.H.frm: there is no such key here. Did you mean "from"?',
    '13:6 columns.I: write the path of an API field, or options such as { from: … }',
    '14:24 columns.J.join: `join` is for lists of texts',
    '15:6 columns.K: this is a list: name it under `each` to have a row for each of its items',
  ])
})

test('an export without columns is refused', async () => {
  expect(await errorsOf('operation: export-orders')).toEqual([
    '1:1 columns are missing: each column of the file, and the path of the API field in it',
  ])
})
