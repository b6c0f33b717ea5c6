import { describe, expect, test } from 'vitest'
import type { Row } from '../../src/domain/format.ts'
import { type Problem, problem } from '../../src/domain/problem.ts'
import { draftsOf, ORDERS, orderSheet, placesOf, type Sheet, sheet, typedSheet } from './sheet.ts'

const SHORT: Problem = problem('row-short', { line: 3 }, 'The row has 2 of 16 cells.')
const UNCLOSED: Problem = problem('quote-not-closed', { line: 3 }, 'A quote opens and does not close.')

/** The sheet with one row broken: its values as given, and a problem of its own. */
function broken(intact: Sheet, index: number, values: readonly string[], why: Problem): Sheet {
  const rows = intact.rows.map((row, at): Row => (at === index ? { ...row, values, problems: [why] } : row))
  return { ...intact, rows }
}

/** The lines of each draft, with a mark on the ones that have a body. */
async function outcomes(text: string, rows: Sheet): Promise<string[]> {
  const drafts = await draftsOf(text, rows)
  return drafts.map(({ lines, body }) => `${lines.map(([line]) => line).join('+')}${body ? ' ok' : ''}`)
}

describe('broken rows', () => {
  const three = orderSheet({}, { SKU: 'HV-10004' }, { SKU: 'HV-10006' }, { 'PO Number': 'HV-20002' })

  test('a broken row whose key can be read refuses the record it belongs to, and no other', async () => {
    const rows = broken(three, 1, ['HV-20001', '2026'], SHORT)

    expect(await outcomes(ORDERS, rows)).toEqual(['2+3+4', '5 ok'])
    expect(placesOf((await draftsOf(ORDERS, rows))[0])).toEqual(['row-short@3:-'])
  })

  test('a broken first row refuses the record it opens, so that no order is sent without its first line', async () => {
    const rows = broken(three, 0, ['HV-20001', '2026'], SHORT)

    expect(await outcomes(ORDERS, rows)).toEqual(['2+3+4', '5 ok'])
  })

  test('a row that cannot be read at all refuses the record around it', async () => {
    expect(await outcomes(ORDERS, broken(three, 1, [], UNCLOSED))).toEqual(['2+3+4', '5 ok'])
  })

  test('a row that cannot be read at all refuses the records on both sides, whose line it may be', async () => {
    const rows = broken(
      orderSheet({}, {}, { 'PO Number': 'HV-20002' }, { 'PO Number': 'HV-20003' }),
      1,
      [],
      UNCLOSED,
    )
    const [before, alone, after] = await draftsOf(ORDERS, rows)

    expect(await outcomes(ORDERS, rows)).toEqual(['2', '3', '4', '5 ok'])
    expect(alone?.problems).toEqual([UNCLOSED])
    expect(alone?.keyValues).toEqual([''])
    expect(placesOf(before)).toEqual(['neighbour-unreadable@2:-'])
    expect(placesOf(after)).toEqual(['neighbour-unreadable@4:-'])
  })

  test('the other rows of a broken record are checked too, but nothing is called missing', async () => {
    const rows = orderSheet({ City: '' }, {}, { SKU: 'HV-10006', Qty: 'two', City: '' })

    const [draft] = await draftsOf(ORDERS, broken(rows, 1, ['HV-20001', '2026'], SHORT))

    expect(placesOf(draft)).toEqual(['row-short@3:-', 'integer-expected@4:Qty order_lines[2].quantity'])
  })
})

describe('blank keys', () => {
  const blank = orderSheet({}, { 'PO Number': ' ', SKU: 'HV-10004' }, { 'PO Number': 'HV-20002' })

  test('a row without a key refuses the record before it too, whose line it may be', async () => {
    const [before, alone] = await draftsOf(ORDERS, blank)

    expect(await outcomes(ORDERS, blank)).toEqual(['2', '3', '4 ok'])
    expect(placesOf(alone)).toEqual(['value-missing@3:PO Number'])
    expect(placesOf(before)).toEqual(['neighbour-unreadable@2:-'])
  })

  test('a row without a key inside a record refuses the record', async () => {
    const inside = orderSheet({}, { 'PO Number': '', SKU: 'HV-10004' }, { SKU: 'HV-10006' })

    expect(await outcomes(ORDERS, inside)).toEqual(['2+3+4'])
  })

  const CONTINUED = ORDERS.replace('group: PO Number', 'group: { by: PO Number, blank: continues }')

  test('where blank continues, such a row is a line of the record before', async () => {
    const [draft] = await draftsOf(CONTINUED, blank)

    expect(await outcomes(CONTINUED, blank)).toEqual(['2+3 ok', '4 ok'])
    expect(draft?.body?.['order_lines']).toHaveLength(2)
  })

  test('where blank continues, a first row without a key has nothing to continue', async () => {
    const rows = orderSheet({ 'PO Number': '' }, { 'PO Number': 'HV-20002' })

    expect(await outcomes(CONTINUED, rows)).toEqual(['2', '3 ok'])
  })

  test('a key may come from the first of two columns that is filled', async () => {
    const text = ORDERS.replace('group: PO Number', 'group: [{ firstOf: [Sales Record, PO Number] }]')
    const { layouts, rows } = orderSheet({}, { SKU: 'HV-10004' })
    const [layout] = layouts

    const wide: Sheet = {
      layouts: [{ recordType: '', columns: [...(layout?.columns ?? []), 'Sales Record'] }],
      rows: rows.map((row, index) => ({ ...row, values: [...row.values, index === 0 ? '' : 'HV-20001'] })),
    }

    expect(await outcomes(text, wide)).toEqual(['2+3 ok'])
  })
})

describe('typed records', () => {
  const TYPED = `
operation: create-invoice
read:
  format: csv
  records:
    H: { as: header, columns: [PO, Invoice, Due, Total, SKU] }
    D: { as: detail, columns: [PO, SKU, Qty, Cost] }
body:
  purchase_order_number: PO
  invoice_number: Invoice
  terms_net_days_due: { const: 30 }
  terms_date_due: Due
  due_amount: Total
  invoice_lines:
    - variant: { identifier: SKU, upc: { from: Invoice } }
      quantity: Qty
      net_price: Cost
`
  const layouts = [
    { recordType: 'H', columns: ['PO', 'Invoice', 'Due', 'Total', 'SKU'] },
    { recordType: 'D', columns: ['PO', 'SKU', 'Qty', 'Cost'] },
  ]

  test('a header row opens a record and its details are the lines', async () => {
    const drafts = await draftsOf(
      TYPED,
      typedSheet('H,P1,I1,2026-12-20,25,x\nD,,NL-1,2,12.5\nH,P2,I2,2026-12-20,5,x\nD,,NL-2,1,5', layouts),
    )

    expect(drafts.map(({ keyValues }) => keyValues)).toEqual([
      ['P1', 'I1'],
      ['P2', 'I2'],
    ])
    expect(drafts[0]?.body).toEqual({
      purchase_order_number: 'P1',
      invoice_number: 'I1',
      terms_net_days_due: 30,
      terms_date_due: '2026-12-20',
      due_amount: '25.00',
      invoice_lines: [{ variant: { identifier: 'NL-1', upc: 'I1' }, quantity: 2, net_price: '12.50' }],
    })
  })

  test('details that name another record than the header above them refuse it, for their own header is missing', async () => {
    const rows = typedSheet(
      'H,P1,I1,2026-12-20,25,x\nD,P1,NL-1,2,12.5\nD,P2,NL-2,1,5\nH,P3,I3,2026-12-20,5,x\nD, P3 ,NL-3,1,5',
      layouts,
    )
    const drafts = await draftsOf(TYPED, rows)

    expect(drafts.map(placesOf)).toEqual([['detail-of-other-record@3:PO'], []])
    expect(drafts[0]?.problems[0]?.message).toBe(
      'The row is of "P2", and the header row above it says "P1" in "PO".',
    )
  })

  test('details before the first header make no order, and a header without details is refused', async () => {
    const drafts = await draftsOf(TYPED, typedSheet('D,,NL-1,2,12.5\nH,P1,I1,2026-12-20,25,x', layouts))

    expect(drafts.map(placesOf)).toEqual([['record-without-header@1:-'], ['value-missing@2:- invoice_lines']])
    expect(drafts[0]?.keyValues).toEqual(['', ''])
  })

  test('a row of unknown type refuses the record around it, so that no line is lost', async () => {
    const rows = typedSheet('H,P1,I1,2026-12-20,25,x\nD,,NL-1,2,12.5\nX,,NL-2,1,5\nD,,NL-3,1,5', layouts)
    const unknown = problem('record-type-unknown', { line: 3 }, 'There is no record type "X".')

    const drafts = await draftsOf(
      TYPED,
      broken(
        { ...rows, rows: rows.rows.map((row) => ({ ...row, layout: Math.max(0, row.layout) })) },
        2,
        ['P9'],
        unknown,
      ),
    )

    expect(drafts.map(({ lines, problems }) => [lines.length, problems])).toEqual([[4, [unknown]]])
  })

  test('a broken header refuses its record and not the one before', async () => {
    const rows = typedSheet('H,P1,I1,2026-12-20,25,x\nD,,NL-1,2,12.5\nH,P2\nD,,NL-2,1,5', layouts)

    const drafts = await draftsOf(TYPED, broken(rows, 2, ['P2'], SHORT))

    expect(drafts.map(({ body, keyValues }) => [body !== undefined, keyValues[0]])).toEqual([
      [true, 'P1'],
      [false, 'P2'],
    ])
  })
})

test('a plain sheet with no rows makes no records', async () => {
  expect(
    await draftsOf(
      ORDERS,
      sheet('PO Number,Order Date,Name,Address 1,City,State,Zip,Ship Via,Qty,Cost,Retail'),
    ),
  ).toEqual([])
})

describe('a total line below the records', () => {
  const NAMES = [
    'Order Date',
    'Name',
    'Address 1',
    'City',
    'State',
    'Zip',
    'Ship Via',
    'SKU',
    'Qty',
    'Retail',
  ]
  const BLANKS = Object.fromEntries(NAMES.map((name) => [name, '']))

  test.each(['TOTAL', 'Grand Total:', 'Summe', 'Gesamtsumme'])('is named as one: %s', async (word) => {
    const [, draft] = await draftsOf(ORDERS, orderSheet({}, { ...BLANKS, 'PO Number': word }))

    expect(draft?.problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
      expect.stringMatching(
        /^value-missing The row looks like a total line: a cell says ".+", and \d+ values/,
      ),
    ])
  })

  test('is none where its cells are filled', async () => {
    const [, draft] = await draftsOf(ORDERS, orderSheet({}, { 'PO Number': 'Total' }))

    expect(draft?.problems).toEqual([])
  })
})
