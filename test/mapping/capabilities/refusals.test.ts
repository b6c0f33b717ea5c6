/** The message about a refused cell and its fix: the fix fits the mapping, or is left out. */
import { describe, expect, test } from 'vitest'
import { draftsOf, HEADER, ORDERS, orderSheet, translateAll, translatorOf } from '../sheet.ts'
import { suggestColumn } from '../../../src/mapping/rows/columns.ts'

const orders = (line: string, instead: string): string => {
  if (!ORDERS.includes(line)) throw new Error(`no such line: ${line}`)
  return ORDERS.replace(line, instead)
}

/** The problems of the first record: the message and the fix of each. */
async function refuse(text: string, ...rows: readonly Readonly<Record<string, string>>[]): Promise<string[]> {
  const [draft] = await draftsOf(text, orderSheet(...rows))
  if (draft?.body !== undefined) return ['accepted']
  return (draft?.problems ?? []).map(({ message, fix, place }) =>
    `${place.column ?? '-'}: ${message} ${fix}`.trim(),
  )
}

describe('a fix fits the way in which numbers are written', () => {
  test.each([
    [
      'net_price: { from: Cost, decimal: "," }',
      'twelve',
      'Cost: "twelve" is not an amount in US dollars. Write a number; or, where it stands for none, `blanks: ["twelve"]` under `read` of the mapping.',
    ],
    [
      'net_price: { from: Cost, implied: 2 }',
      'twelve',
      'Cost: "twelve" is not an amount in US dollars. Write digits only, such as 1250 for 12.50.',
    ],
    [
      'net_price: Cost',
      '€5',
      'Cost: "€5" is not an amount in US dollars. Amounts are US dollars: take the sign away, or do not send this record.',
    ],
    [
      'net_price: Cost',
      '$12.5O',
      'Cost: "12.5O" has the letter O among its digits. Write digits only: 0 for O, 1 for l or I.',
    ],
    [
      'net_price: Cost',
      '5.00 EUR',
      'Cost: "5.00 EUR" is not an amount in US dollars. Amounts are US dollars: take the sign away, or do not send this record.',
    ],
    [
      'net_price: Cost',
      '1.005',
      'Cost: "1.005" has more than two decimals; the API would lose digits. If it means 1005: `decimal: ","` in the mapping. Else write 2 decimals at most, or use `round`.',
    ],
    ...[
      ['net_price: { from: Cost, decimal: "." }', '1.005'],
      ['net_price: Cost', '0.005'],
      ['net_price: Cost', '1.0051'],
    ].map(([option = '', cell = '']) => [
      option,
      cell,
      `Cost: "${cell}" has more than two decimals; the API would lose digits. Write 2 decimals at most; or let the mapping round it with \`round\`.`,
    ]),
  ])('%s with the cell %j', async (instead, cell, message) => {
    expect(await refuse(orders('net_price: Cost', instead), { Cost: cell })).toEqual([message])
  })

  test.each([
    ['Qty', 'If it means 1001: `decimal: ","` in the mapping. Else write it without decimals.'],
    ['{ from: Qty, decimal: "." }', 'Write a whole number with digits only, such as 2.'],
  ])('a quantity with a point before three digits from %s', async (instead, fix) => {
    expect(await refuse(orders('quantity: Qty', `quantity: ${instead}`), { Qty: '1.001' })).toEqual([
      `Qty: "1.001" is not a whole number. ${fix}`,
    ])
  })

  test.each([
    ['Qty', '"two" is not a whole number. Write a whole number with digits only, such as 2.'],
    [
      '{ from: Qty, decimal: "." }',
      '"two" is not a whole number. Write a whole number with digits only, such as 2.',
    ],
    [
      '{ from: Qty, decimal: "," }',
      '"two" is not a whole number. Write a whole number with digits only, such as 2.',
    ],
  ])('a whole number from %s', async (instead, message) => {
    expect(await refuse(orders('quantity: Qty', `quantity: ${instead}`), { Qty: 'two' })).toEqual([
      `Qty: ${message}`,
    ])
  })

  test('a weight gets no advice about cents', async () => {
    const shipment = `
operation: create-shipment
group: PO
body:
  order_id: { const: 1 }
  ship_from_name1: { const: Northwind }
  ship_from_street1: { const: 1 Dock Road }
  ship_from_city: { const: Albany }
  ship_from_province: { const: NY }
  ship_from_postal_code: { const: '12207' }
  ship_from_country: { const: US }
  shipped_at: { const: '2026-11-20' }
  shipping_account_id: { const: 1 }
  shipping_method_id: { const: 2 }
  ship_weight: Weight
  ship_length: { const: 1 }
  ship_width: { const: 1 }
  ship_height: { const: 1 }
  shipment_lines:
    - variant: { brand_identifier: PO }
      quantity: { const: 1 }
`
    const layouts = [{ recordType: '', columns: ['PO', 'Weight'] }]
    const rows = [{ layout: 0, line: 2, lastLine: 2, values: ['A', '2,5'] }]
    const [draft] = await draftsOf(shipment, { layouts, rows })

    expect(draft?.problems.map(({ message, fix }) => `${message} ${fix}`)).toEqual([
      '"2,5" is not a number of pounds. Write a point before the decimals, such as 12.50, or `decimal: ","` under `read` in the mapping.',
    ])
  })

  test('a wrong check digit is reported once', async () => {
    const text = orders('upc: UPC', 'upc: { from: UPC, digits: 12 }')
    expect(await refuse(text, { UPC: '012345678904' })).toEqual([
      'UPC: The check digit of "012345678904" does not fit its other digits. Take the number from its source again; a digit is missing or mistyped.',
    ])
  })

  test('a cell that feeds several fields and a calculation is reported once', async () => {
    const text = orders('price: Retail', 'price: { calc: "[Cost] * [Qty]" }')
    expect(await refuse(text, { Cost: '€5', Qty: 'two' })).toEqual([
      'Qty: "two" is not a whole number. Write a whole number with digits only, such as 2.',
      'Cost: "€5" is not an amount in US dollars. Amounts are US dollars: take the sign away, or do not send this record.',
    ])
  })

  test('the text of a rule of the mapping has nothing added', async () => {
    const text = orders('body:', 'check: [{ when: { State: NY }, say: We do not ship to New York. }]\nbody:')
    expect(await refuse(text, {})).toEqual(['State: We do not ship to New York.'])
  })
})

test('a dollar sign in a calculation is taken as in a field', async () => {
  const text = orders('price: Retail', 'price: { calc: "[Retail] * 2" }')
  const [draft] = await draftsOf(text, orderSheet({ Retail: '$7.87' }))

  expect(draft?.body?.['order_lines']).toMatchObject([{ price: '15.74' }])
})

describe('a condition on a number is never quietly false', () => {
  const checked = orders('body:', 'check: [{ when: { Qty: { above: 99 } }, say: Call us. }]\nbody:').replace(
    'quantity: Qty',
    'quantity: { const: 1 }',
  )

  test.each([
    ['5', ['accepted']],
    ['', ['accepted']],
    ['$1,250.00', ['Qty: Call us.']],
    [
      'many',
      [
        'Qty: "many" is not a number. The mapping asks whether it is above 99. Write a number; or, where it stands for none, `blanks: ["many"]` under `read` of the mapping.',
      ],
    ],
    [
      '1,250',
      [
        'Qty: "1,250" may mean 1250 or 1.250. The mapping asks whether it is above 99. Write it without separators of thousands and with a point before decimals, such as 1000 or 1000.00; or say with `decimal` in the mapping how numbers are written.',
      ],
    ],
  ])('the cell %j under a check', async (cell, expected) => {
    expect(await refuse(checked, { Qty: cell })).toEqual(expected)
  })

  test('with the decimal comma of the file it is known which number is meant', async () => {
    const european = checked.replace('group:', 'read: { format: csv, decimal: "," }\ngroup:')
    const plain = { Cost: '1', Retail: '2' }

    expect(await refuse(european, { Qty: '1.250', ...plain })).toEqual(['Qty: Call us.'])
    expect(await refuse(european, { Qty: '1,250', ...plain })).toEqual(['accepted'])
    expect(await refuse(european, { Qty: 'x', ...plain })).toEqual([
      'Qty: "x" is not a number. The mapping asks whether it is above 99. Write a number; or, where it stands for none, `blanks: ["x"]` under `read` of the mapping.',
    ])
  })

  test('it refuses the record under `only`, `hold`, `unless` and the `when` of lines and values', async () => {
    const limits = '{ Retail: { above: 20 } }'
    const forms = [
      orders('body:', `only: ${limits}\nbody:`),
      orders('body:', `hold: [{ when: ${limits}, say: Look. }]\nbody:`),
      orders('body:', `check: [{ unless: ${limits}, say: Cheap. }]\nbody:`),
      orders('    - variant:', `    - when: ${limits}\n      variant:`),
      orders('gift_message: Gift', `gift_message: { from: Gift, when: ${limits} }`),
      orders('street2: Address 2', `street2: { from: Address 2, when: ${limits} }`),
      orders(
        '  gift_message: Gift',
        `  sold_to: { name1: { from: Gift, when: ${limits} }, street1: { const: A }, city: { const: B }, province: { const: NY }, postal_code: { const: C }, country: { const: US } }`,
      ),
    ].map((text) => text.replace('price: Retail', "price: { const: '9.99' }"))

    for (const text of forms) {
      expect(await refuse(text, { Retail: 'cheap' })).toEqual([
        'Retail: "cheap" is not a number. The mapping asks whether it is above 20. Write a number; or, where it stands for none, `blanks: ["cheap"]` under `read` of the mapping.',
      ])
    }
  })

  test('a text that another test rejects need not be a number', async () => {
    const text = orders(
      'body:',
      'check: [{ when: { Gift: { not: [N/A], above: 5 }, State: NJ }, say: Call us. }]\nbody:',
    )

    expect(await refuse(text, { Gift: 'N/A', State: 'NJ' })).toEqual(['accepted'])
    expect(await refuse(text, { Gift: 'some words', State: 'NY' })).toEqual(['accepted'])
  })
})

describe('a message names its subject', () => {
  test('the option that joins columns, where a name is that of two', () => {
    expect(suggestColumn(['First + Last'], ['First', 'Last'])).toContain(
      'write `all: [First, Last]` in the mapping',
    )
  })

  test('the names that a lookup table has, and the nearest one', async () => {
    expect(await refuse(ORDERS, { 'Ship Via': 'FedEx Grond' })).toEqual([
      'Ship Via: "FedEx Grond" is not in the table "ship-via". Did you mean "FedEx Ground"? Use one of FedEx Ground, UPS Ground; or add a row to it in the mapping.',
    ])
    const many = Array.from({ length: 7 }, (_, index) => `      Way ${index + 1}: A`).join('\n')
    const text = ORDERS.replace('table: ship-via, pick: method', 'table: ways').concat(
      `  ways:\n    rows:\n${many}\n`,
    )
    expect(await refuse(text, {})).toEqual([
      'Ship Via: "FedEx Ground" is not in the table "ways". Use one of Way 1, Way 2, Way 3, Way 4, Way 5, … (7 in all); or add a row to it in the mapping.',
    ])
  })

  test('the blank one of several columns that make a date', async () => {
    const text = orders(
      'ordered_at: Order Date',
      'ordered_at: { all: [Order Date, Gift], format: yyyy-MM-dd HH:mm }',
    ).replace('  gift_message: Gift\n', '')

    expect(await refuse(text, { Gift: '' })).toEqual([
      'Order Date: "2026-11-20" is not a date written as yyyy-MM-dd HH:mm, such as 2026-12-31 18:45. The cell under "Gift" is blank. Write the date as the message says, or correct `format` in the mapping.',
    ])
  })

  test('the text that the mapping takes for blank', async () => {
    const text = orders('name1: Name', 'name1: { from: Name, blanks: ["-"] }')

    expect(await refuse(text, { Name: '-' })).toEqual([
      'Name: The cell is blank ("-" means blank), and the API requires ship_to.name1. Fill in the cell.',
    ])
  })

  test('the numbered column as the file spells it', async () => {
    const text = orders('body:', 'lines: { columns: ["SKU{n}", "COST{n}", "QTY{n}"] }\nbody:')
      .replace('SKU, upc: UPC', '"SKU{n}"')
      .replace('Qty\n', '"QTY{n}"\n')
      .replace('net_price: Cost', 'net_price: { from: "COST{n}", when: { "QTY{n}": { above: 0 } } }')
      .replace('price: Retail', "price: { const: '9.99' }")
    const { layouts, rows } = orderSheet({})
    const more = (cells: readonly string[]) =>
      rows.map((row) => ({ ...row, values: [...row.values, ...cells] }))
    const columns = ['SKU1', 'Cost 1', 'QTY1', 'SKU2', 'Cost 2']
    const layout = { recordType: '', columns: [...(layouts[0]?.columns ?? []), ...columns] }
    const problems = async (...cells: string[]) =>
      (await draftsOf(text, { layouts: [layout], rows: more(cells) }))[0]?.problems.map(
        ({ code, place }) => `${code} ${place.column}`,
      )

    expect(await problems('A', 'free', '1', '', '')).toEqual(['decimal-expected Cost 1'])
    expect(await problems('A', '1.00', 'many', '', '')).toEqual([
      'integer-expected QTY1',
      'value-missing QTY1',
    ])
    expect(await problems('A', '1.00', '1', 'B', '2.00')).toEqual(['value-missing QTY2'])
  })

  test('the nearest column, where an object that may be left out lacks one', async () => {
    const { layouts, rows } = orderSheet({ Gift: 'Ada' })
    const text = orders(
      '  gift_message: Gift',
      '  sold_to: { name1: Gift, street1: { const: A }, city: Buyer City, province: { const: NY }, postal_code: { const: C }, country: { const: US } }',
    )
    const layout = { recordType: '', columns: [...(layouts[0]?.columns ?? []), 'Buyers City'] }
    const [draft] = await draftsOf(text, { layouts: [layout], rows })

    expect(draft?.problems.map(({ message, fix }) => `${message} ${fix}`)).toEqual([
      'The API requires sold_to.city. The file has no column "Buyer City". Did you mean "Buyers City"? Write that in the mapping, then: dropbridge retake FILE. Or rename the column.',
    ])
  })
})

test('V20: in a calculation a blank, or a column the file lacks, counts as the value behind the bar', async () => {
  const text = orders('price: Retail', 'price: { calc: "[Cost] + [Gift | 0] + [Fee | 1.50]" }').replace(
    '  gift_message: Gift\n',
    '',
  )
  const price = async (gift: string) =>
    (await draftsOf(text, orderSheet({ Gift: gift })))[0]?.body?.['order_lines']

  expect(await price('')).toMatchObject([{ price: '14.00' }])
  expect(await price('2')).toMatchObject([{ price: '16.00' }])
})

describe('texts that mean blank in the whole file', () => {
  const withBlanks = (text: string) =>
    text.replace('group:', 'read: { format: csv, blanks: ["-", N/A] }\ngroup:')
  const run = async (text: string, cells: Readonly<Record<string, string>>) =>
    (await draftsOf(withBlanks(text), orderSheet(cells)))[0]

  test('are blank in values, whose own `blanks` take their place', async () => {
    const text = orders('street2: Address 2', 'street2: { from: Address 2, blanks: [none] }')

    expect((await run(text, { Gift: 'n/a', 'Address 2': 'None' }))?.body).not.toHaveProperty('gift_message')
    expect((await run(text, { 'Address 2': 'None' }))?.body?.['ship_to']).not.toHaveProperty('street2')
    expect((await run(text, { 'Address 2': '-' }))?.body?.['ship_to']).toMatchObject({ street2: '-' })
  })

  test('are blank in conditions and in the columns that group rows', async () => {
    const text = orders(
      'body:',
      'check: [{ when: { Gift: filled }, say: A gift. }, { unless: { Zip: filled }, say: No zip. }]\nbody:',
    ).replace('postal_code: Zip', "postal_code: { const: '12207' }")
    const messages = async (cells: Readonly<Record<string, string>>) =>
      (await run(text, cells))?.problems.map(({ message }) => message)

    expect(await messages({ Gift: '-' })).toEqual([])
    expect(await messages({ Gift: 'x', Zip: 'N/A' })).toEqual(['A gift.', 'No zip.'])

    const continued = orders('group: PO Number', 'group: { by: PO Number, blank: continues }')
    const drafts = await draftsOf(
      withBlanks(continued),
      orderSheet({}, { 'PO Number': '-', SKU: 'HV-2', Name: '-' }),
    )
    expect(drafts.map(({ body }) => body?.['order_lines'])).toMatchObject([
      [{ variant: { identifier: 'HV-10002' } }, { variant: { identifier: 'HV-2' } }],
    ])
  })

  test('make no line where a row has numbered columns, and nothing in a sum or a total', async () => {
    const text = orders(
      'body:',
      'lines: { columns: ["SKU{n}"] }\ntotals: { when: { Name: blank }, sum: { Gift: Gift } }\nbody:',
    )
      .replace('SKU, upc: UPC', '"SKU{n}"')
      .replace('price: Retail', 'price: { calc: "[Retail] + sum([SKU{n}]) * 0" }')
      .replace('  gift_message: Gift\n', '')
    const { layouts, rows } = orderSheet({ Gift: '-' }, { 'PO Number': '-', Name: '-', Gift: '0' })
    const columns = [...(layouts[0]?.columns ?? []), 'SKU1', 'SKU2']
    const widened = rows.map((row) => ({ ...row, values: [...row.values, '10002', '-'] }))
    const { drafts, problems } = translateAll(
      await translatorOf(withBlanks(text)),
      [{ recordType: '', columns }],
      widened,
    )

    expect(problems).toEqual([])
    expect(drafts.map(({ body }) => body?.['order_lines'])).toMatchObject([[{ price: '24.99' }]])
  })
})

test('with `missing: refuse` a file that lacks a column the mapping names is refused, with the nearest name', async () => {
  const refusing = ORDERS.replace('group:', 'read: { format: csv, missing: refuse, extra: refuse }\ngroup:')
  const without = ORDERS.replace('group:', 'read: { format: csv, missing: allow }\ngroup:')
  const layouts = (gift: string) => [{ recordType: '', columns: HEADER.replace('Gift', gift).split(',') }]
  const bindColumns = async (text: string, gift: string) => {
    const bound = (await translatorOf(text)).bind(layouts(gift))
    return 'keyColumns' in bound
      ? bound.absentColumns
      : bound.map(({ code, message, fix }) => [code, message, fix])
  }

  expect(await bindColumns(refusing, 'Gift')).toEqual([])
  expect(await bindColumns(without, 'Gifts')).toEqual(['Gift'])
  expect(await bindColumns(refusing, 'Gifts')).toEqual([
    [
      'column-missing',
      'The file has no column "Gift", which the mapping names, and the mapping refuses such files.',
      'Did you mean "Gifts"? Write that in the mapping, then: dropbridge retake FILE. Or rename the column.',
    ],
    [
      'column-unexpected',
      'The file has a column "Gifts" that the mapping does not use, and the mapping refuses such files.',
      'Remove the column, or use it in the mapping.',
    ],
  ])
})
