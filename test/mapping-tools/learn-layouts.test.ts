/** What `map learn` makes of files that are no plain tables: two lines of headings, typed rows, fixed width. */
import { describe, expect, test } from 'vitest'
import { learn } from '../fixtures/learned.ts'

const NAMES = 'PO Number,Order Date,Name,City,SKU,Qty,Cost'
const ROWS = ['P-1,2026-11-20,Ada Park,Reno,A-1,1,9.00', 'P-2,2026-11-21,Bo Reed,Troy,B-1,2,8.50']

describe('lines above the names of the columns', () => {
  test.each([
    ['a title', ['Open orders']],
    ['a title and a blank line', ['Open orders of Harbor & Vine', '']],
    ['group titles over their first column', ['Order,,Ship To,,Item,,']],
    ['group titles over each column', ['Order,Order,Ship To,Ship To,Item,Item,Item']],
    ['a title and group titles', ['Open orders,,,,,,', 'Order,,Ship To,,Item,,']],
  ])('such as %s are skipped', async (_what, above) => {
    const { line, fieldOf, unplaced } = await learn([...above, NAMES, ...ROWS])

    expect(line('read:')).toContain('skip: header')
    expect(fieldOf('PO Number')).toBe('purchase_order_number sure')
    expect(fieldOf('Name')).toBe('ship_to.name1 sure')
    expect(unplaced).toEqual([])
  })

  test('name the party of columns that have the same name', async () => {
    const { line, text } = await learn([
      'Order,,Bill To,,,,,,Ship To,,,,,,Item,,',
      'PO Number,Order Date,Name,Street,City,State,Zip,Country,Name,Street,City,State,Zip,Country,SKU,Qty,Cost',
      'P-1,2026-11-20,Ada Park,1 Elm St,Reno,NV,89502,US,Cy Ames,9 Oak Rd,Troy,NY,12180,US,A-1,1,9.00',
      'P-2,2026-11-21,Bo Reed,2 Elm St,Reno,NV,89502,US,Di Lowe,8 Oak Rd,Troy,NY,12180,US,B-1,2,8.50',
    ])

    expect(line('read:')).toContain('skip: header, repeated: allowed')
    expect(text).toMatch(/sold_to:\n {4}name1: \{ from: Name, nth: 1 \} # sure/)
    expect(text).toMatch(/ship_to:\n {4}name1: \{ from: Name, nth: 2 \} # sure/)
  })
})

test('a key whose name another column has too is a guess', async () => {
  const { line } = await learn([
    'Order,,Item,',
    'Number,Date,Number,Qty',
    'P-1,2026-11-20,A-1,1',
    'P-2,2026-11-20,A-2,1',
  ])

  expect(line('purchase_order_number:')).toContain('{ from: Number, nth: 1 }')
  expect(line('group:')).toContain('# guess: several columns have this name')
})

test('columns of the same name without group titles are a guess', async () => {
  const { line } = await learn(['PO Number,City,City,SKU,Qty', 'P-1,Reno,Troy,A,1', 'P-2,Reno,Troy,B,2'])

  expect(line('read:')).toContain('repeated: allowed')
  expect(line('city:')).toBe(
    'city: { from: City, nth: 1 } # guess: named so; several columns have this name: is this the one?',
  )
})

describe('a line below the names of the columns', () => {
  test('that explains them belongs to the header', async () => {
    const { line, bodies } = await learn(
      [
        'SKU,Title,UPC,Cost,On Hand',
        'your number,at most 200 characters,12 digits,in US dollars,pieces in stock',
        'A-1,Lamp,086000130015,9.00,4',
        'B-1,Stool,086000130022,8.50,7',
        'C-1,Throw,086000100506,8.00,1',
      ],
      'create-variant',
    )

    expect(line('read:')).toBe(
      'read: { format: csv, header: { lines: 2, names: 1 } } # likely: the line below the names explains them',
    )
    expect(await bodies()).toHaveLength(3)
  })

  test('that is a first order with odd words does not', async () => {
    const { line } = await learn([NAMES, 'P-0,soon,Ada Park,Reno,A-1,none,ask', ...ROWS])

    expect(line('read:')).not.toContain('header: {')
  })
})

describe('rows that name their type', () => {
  test('in the first cell are proposed as records', async () => {
    const { lines, text, fieldOf } = await learn([
      'H|DS-7001|2026-11-16T15:20:00Z|Olga Petrova|US',
      'D|DS-7001|HV-10020|1|99.59',
      'D|DS-7001|NL-00043|2|119.81',
      'H|DS-7002|2026-11-16T16:05:00Z|Tom Leary|US',
      'D|DS-7002|HV-10025|16|166.99',
      'T|2|3',
    ])

    expect(text).toContain(
      '  records: # likely: the first cell of each row names its type; give the columns better names',
    )
    expect(text).toMatch(/ {4}H:\n {6}as: header\n {6}columns:\n {8}- H 2 # "DS-7001"/)
    expect(text).toMatch(/ {4}D:\n {6}as: detail\n {6}columns:\n {8}- D 2 # "DS-7001"/)
    expect(text).toContain('    T: { as: ignore }')
    expect(lines.some((line) => line.startsWith('group:'))).toBe(false)
    expect(fieldOf('H 3')).toBe('ordered_at guess')
    expect(fieldOf('D 4')).toBe('order_lines[].quantity guess')
    expect(fieldOf('H 4')).toBe('unknown')
  })

  test('and have heading lines of their own are placed by their names', async () => {
    const { text, fieldOf, bodies } = await learn(
      [
        'H,PO Number,Invoice Number,Due Date,Net Days,Invoice Total',
        'D,SKU,Qty,Unit Cost',
        'H,P-1,I-1,2026-11-30,30,34.00',
        'D,HV-1,2,12.50',
        'D,HV-2,1,9.00',
        'H,P-2,I-2,2026-12-31,30,9.00',
        'D,HV-2,1,9.00',
      ],
      'create-invoice',
    )

    expect(text).toContain('    H: { as: header }\n    D: { as: detail }\n')
    expect(fieldOf('Invoice Number')).toBe('invoice_number sure')
    expect(await bodies()).toMatchObject([
      { invoice_number: 'I-1', invoice_lines: [{ quantity: 2 }, { quantity: 1 }] },
      { invoice_number: 'I-2', invoice_lines: [{ quantity: 1 }] },
    ])
  })

  test('in a column of the header are proposed with that column', async () => {
    const { text, bodies, columns } = await learn(
      [
        'Row Type,PO Number,Invoice Number,Due Date,Net Days,Invoice Total,SKU,Qty,Unit Cost',
        'order,P-1,I-1,2026-11-30,30,34.00,,,',
        'line,P-1,,,,,HV-1,2,12.50',
        'line,P-1,,,,,HV-2,1,9.00',
        'order,P-2,I-2,2026-12-31,30,9.00,,,',
        'line,P-2,,,,,HV-2,1,9.00',
      ],
      'create-invoice',
    )

    expect(text).toContain(
      '  typeIn: Row Type\n  records: # likely: this column names the type of each row\n',
    )
    expect(text).toContain('    order: { as: header }\n    line: { as: detail }\n')
    expect(columns).toEqual({ placed: 8, sure: 8, unplaced: 0, ignored: 1 })
    expect(await bodies()).toHaveLength(2)
  })

  test('are none where the first column is a plain code', async () => {
    const { text } = await learn(['US,P-1,A-1,1', 'CA,P-2,B-1,2', 'US,P-3,A-1,4', 'CA,P-4,A-1,1'])

    expect(text).not.toContain('records:')
  })
})

describe('lines of fixed width', () => {
  const ROWS_OF_WIDTH = [
    'P-1001    20261120 Ada Park            HV-10001      2   12.50',
    'P-1002    20261121 Bo Reed             HV-10002      1    9.00',
    'P-1003    20261121 Cleo Marchand       NL-00043     10  119.81',
    'P-1004    20261122 Dan Whitfield-Jones NL-00061      4    8.00',
    'P-1005    20261123 Eve Ito             NL-00002      3   23.92',
  ]

  test('are seen by the blanks that all lines have', async () => {
    const { text, fieldOf } = await learn(ROWS_OF_WIDTH)

    expect(text).toContain('  format: fixed\n')
    expect(text).toContain('# likely: the places at which all lines have blanks')
    expect(text).toContain('    - { name: Column 1, start: 1, length: 10 } # "P-1001"')
    expect(text).toContain('    - { name: Column 2, start: 11, length: 9 } # "20261120"')
    expect(fieldOf('Column 2')).toBe('ordered_at guess')
    expect(text.split('\n')[0]).toContain('fixed width')
  })

  test('may have a line of headings above them', async () => {
    const { text, fieldOf } = await learn([
      'PO Number Date     Name                SKU         Qty    Cost',
      ...ROWS_OF_WIDTH,
    ])

    expect(text).toContain('  skip: 1\n')
    expect(text).toContain('    - { name: PO Number, start: 1, length: 10 } # "P-1001"')
    expect(fieldOf('PO Number')).toBe('purchase_order_number sure')
    expect(fieldOf('SKU')).toBe('order_lines[].variant.identifier sure')
  })

  test('with a type at their beginning are named, with what to do', async () => {
    await expect(
      learn([
        'H0001P-1001    20261120',
        'D0001HV-10001      2   12.50',
        'D0001HV-10002      1    9.00',
        'H0002P-1002    20261120',
        'D0002HV-10001      2   12.50',
      ]),
    ).rejects.toThrow(/begins with its type \(H, D\).*format: fixed, typeIn: …, records: …/s)
  })

  test('without such blanks are named, with what to do', async () => {
    await expect(
      learn(['P100120261120HV1000100021250', 'P100220261121HV1000200010900', 'P100320261121NL0004300100800']),
    ).rejects.toThrow(/All 3 lines have 28 characters.*format: fixed/s)
  })
})
