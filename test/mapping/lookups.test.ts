/** Values that a mapping leaves to lookups: names instead of ids, values of the order, and order attributes. */
import { describe, expect, test } from 'vitest'
import { toExampleBody } from '../../src/mapping/examples.ts'
import { draftsOf, errorsOf, sheet } from './sheet.ts'

const shipment = (fields: string, more = '') => `
operation: create-shipment
group: PO
body:
  order_id: { from: PO, find: order }
  ship_from_name1: { const: Northlight Goods }
  ship_from_street1: { const: 2100 Vassar St }
  ship_from_city: { const: Reno }
  ship_from_province: { const: NV }
  ship_from_postal_code: { const: '89502' }
  ship_from_country: { const: US }
  shipment_lines: { order: order_lines }
  tracking_number: Tracking
${fields}
${more}`

const ONE = sheet('PO,Tracking,Ship Via\nHV-1,T1,Slow')

async function bodyOf(text: string) {
  const [draft] = await draftsOf(text, ONE)
  expect(draft?.problems).toEqual([])
  return draft === undefined ? {} : toExampleBody(draft)
}

describe('a name is found', () => {
  test('that is a constant, and one that a table gives', async () => {
    const text = shipment(
      `  carrier_id: { const: UPSN, find: carrier }
  shipping_method_id: { from: Ship Via, table: ship-via, pick: method, find: shipping-method }`,
      'tables: { ship-via: { rows: { Slow: { method: UPS_GROUND } } } }',
    )

    expect(await bodyOf(text)).toMatchObject({
      order_id: { find: 'order', key: 'HV-1' },
      carrier_id: { find: 'carrier', key: 'UPSN' },
      shipping_method_id: { find: 'shipping-method', key: 'UPS_GROUND' },
      shipment_lines: { order: 'order_lines' },
    })
  })

  test('and a name that is not in the table is refused with its row', async () => {
    const text = shipment(
      `  carrier_id: { const: 2 }
  shipping_method_id: { from: Ship Via, table: ship-via, find: shipping-method }`,
      'tables: { ship-via: { rows: { Fast: UPS_2ND_DAY_AIR } } }',
    )
    const [draft] = await draftsOf(text, ONE)

    expect(draft?.problems.map(({ code, place }) => [code, place.column])).toEqual([
      ['lookup-missed', 'Ship Via'],
    ])
  })

  test('but a constant takes no other option beside it, and an empty one is no name', async () => {
    const errors = await errorsOf(
      shipment(
        "  carrier_id: { const: UPSN, find: carrier, case: lower }\n  shipping_method_id: { const: ' ', find: shipping-method }",
      ),
    )

    expect(errors.join('\n')).toContain('a constant takes no other options')
    expect(errors.join('\n')).toContain('an empty text is never sent')
  })
})

describe('a value of the order', () => {
  const taken = async (leaf: string, found: unknown) => {
    const text = shipment(`  carrier_id: { order: shipping_method.carrier.id }
  shipping_method_id: { order: shipping_method.id }
  label_reference: ${leaf}`)
    const [draft] = await draftsOf(text, ONE)
    const deferred = draft?.deferred?.find(({ field }) => field === 'label_reference')
    return deferred?.resolve(found, {})
  }

  test('is given by its path, and goes through the steps of its field once it is known', async () => {
    expect(await taken("{ order: customer_order_number, match: '^W-(.+)', case: lower }", 'W-ABC')).toEqual({
      value: 'abc',
      problems: [],
    })
    expect(await taken('{ kept: erp_id }', 'ERP-7')).toEqual({ value: 'ERP-7', problems: [] })
  })

  test('that is null or blank is left out, or is replaced by its default', async () => {
    expect(await taken('{ order: customer_order_number }', null)).toEqual({ problems: [] })
    expect(await taken('{ order: customer_order_number, default: none }', ' ')).toEqual({
      value: 'none',
      problems: [],
    })
  })

  test('that does not fit its field is refused with the line of the record', async () => {
    const result = await taken('{ kept: erp_id }', 'x'.repeat(31))

    expect(result?.problems).toMatchObject([
      { code: 'value-too-long', place: { line: 2, field: 'label_reference' } },
    ])
  })

  test('that the API requires and that has no source is a problem', async () => {
    const [draft] = await draftsOf(
      shipment('  carrier_id: { const: 2 }\n  shipping_method_id: { order: shipping_method.id }'),
      ONE,
    )
    const method = draft?.deferred?.find(({ field }) => field === 'shipping_method_id')

    expect(method?.resolve(undefined, {}).problems).toMatchObject([{ code: 'order-value-missing' }])
  })

  test('is not for the lines of a record', async () => {
    const text = `
operation: create-invoice
group: PO
body:
  purchase_order_number: PO
  invoice_number: PO
  terms_net_days_due: { const: 30 }
  terms_date_due: { const: 2030-01-01 }
  due_amount: Total
  invoice_lines: [{ variant: { identifier: { order: customer_order_number } }, quantity: Qty, net_price: Cost }]`

    expect((await errorsOf(text)).join('\n')).toContain('a line takes no value of the order')
  })
})

test('the order attributes of a file are with its record, blanks left out', async () => {
  const text = `
operation: create-order
group: PO
keep: { erp_id: Number, bay: { from: Dock, default: A }, note: Note }
body:
  purchase_order_number: PO
  ordered_at: { const: 2026-11-20T00:00:00Z }
  ship_to: { name1: Name, street1: { const: 12 Mill Road }, city: { const: Albany }, province: { const: NY }, postal_code: { const: '12207' }, country: { const: US } }
  shipping_method: { code: { const: UPS_GROUND }, carrier: { code: { const: UPSN } } }
  order_lines: [{ variant: { identifier: SKU }, quantity: { const: 1 }, net_price: { const: 1 }, price: { const: 2 } }]`

  const [draft] = await draftsOf(text, sheet('PO,Name,SKU,Number,Note\nHV-1,Ada Park,NL-1,00778,'))

  expect(draft).toMatchObject({ keep: { erp_id: '00778', bay: 'A' }, problems: [] })
  expect(Object.keys(draft?.keep ?? {})).toEqual(['erp_id', 'bay'])
})
