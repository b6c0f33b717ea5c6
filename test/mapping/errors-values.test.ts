/** Errors in the options of values: each is reported with its place, before any file is touched. */
import { describe, expect, test } from 'vitest'
import { compilePattern } from '../../src/support/search-pattern.ts'
import { errorsOf, ORDERS } from './sheet.ts'

const errorsWith = (line: string, written: string) => errorsOf(ORDERS.replace(line, () => written))

test('the errors of many values are reported at once, each at its own option', async () => {
  const text = ORDERS.replace('name1: Name', 'name1: { all: [Name], wiht: x }')
    .replace('street1: Address 1', 'street1: { from: Address 1, wrap: 20 }')
    .replace('postal_code: Zip', 'postal_code: { from: Zip, digits: five }')
    .replace('upc: UPC', 'upc: { from: UPC, digits: 11 }')
    .replace('net_price: Cost', 'net_price: { from: Cost, decimal: ";", round: up }')
    .replace('price: Retail', 'price: { calc: "[Qty] * " }')

  expect(await errorsOf(text)).toEqual([
    '8:19 body.ship_to.name1.all: expected at least two columns',
    '8:27 body.ship_to.name1.wiht: there is no such key here. Did you mean "with"?',
    '9:39 body.ship_to.street1.wrap: `wrap` needs `at`, unless the field is a list of texts',
    '13:39 body.ship_to.postal_code.digits: must be a number, such as `{ from: Zip, digits: 5 }`',
    '20:61 body.order_lines[0].variant.upc.digits: a UPC or EAN has 8, 12, 13, 14 digits',
    '22:41 body.order_lines[0].net_price.decimal: expected "." or ","',
    '22:53 body.order_lines[0].net_price.round: expected `half-up`, `half-even` or `down`',
    '23:22 body.order_lines[0].price.calc: the calculation stops too early',
  ])
})

test.each([
  ['name1: Name', '{ from: Name, with: x }', '`with` needs `all`'],
  ['name1: Name', '{ firstOf: [Name, City], nth: 2 }', '`nth` needs `from`'],
  ['name1: Name', '{ from: Name, at: 2 }', '`at` needs `split` or `wrap`'],
  ['name1: Name', '{ from: Name, escape: x }', '`escape` needs `split`'],
  [
    'name1: Name',
    '{ from: Name, split: " - ", escape: "-", at: 1 }',
    'a character that is not in the separator',
  ],
  ['name1: Name', '{ from: Name, split: "-", escape: "//", at: 1 }', 'expected one character'],
  ['name1: Name', '{ from: Name, miss: keep }', '`miss` needs a `table`'],
  ['name1: Name', '{ from: Name, split: "-", wrap: 20, at: 2 }', 'one of both'],
  ['name1: Name', '{ from: Name, wrap: 300, at: 1 }', 'the API takes at most 255 characters here'],
  ['name1: Name', '{ from: Name, round: down }', '`round` is for numbers; this field is text of at most 255'],
  ['name1: Name', '{ from: Name, pad: { to: 5, with: "00" } }', 'expected one character'],
  ['name1: Name', '{ const: Ada, case: upper }', 'a constant takes no other options'],
  ['name1: Name', '{ from: $fil }', 'there is no $fil. Did you mean "$file"?'],
  ['name1: Name', '{ from: $row }', 'stands in the array that is filled once per row'],
  ['name1: Name', '{ from: [$file, Name] }', '$file is always there: nothing behind it is ever taken'],
  ['name1: Name', '{ from: [Name, $file, City] }', '$file is always there: nothing behind it is ever taken'],
  ['name1: Name', '{ firstOf: [$file, Name] }', '$file is always there: nothing behind it is ever taken'],
  ['name1: Name', '{ firstOf: [Name, $row] }', 'stands in the array that is filled once per row'],
  ['name1: Name', '{ firstOf: [Name, $fil] }', 'there is no $fil. Did you mean "$file"?'],
  ['name1: Name', '{ from: $file, nth: 2 }', '$file is no column, and takes no `nth`'],
  ['name1: Name', "{ from: Name, match: '(' }", 'this is no regular expression'],
  ['name1: Name', "{ from: Name, match: '(a)\\1' }", 'may not refer back to its own brackets'],
  [
    'gift_message: Gift',
    '{ from: Gift, wrap: 20, at: 2 }',
    '`at` is for single values; this field is a list of texts',
  ],
  [
    'gift_message: Gift',
    '{ calc: "[Qty]" }',
    '`calc` is for numbers, dates and texts; this field is a list of texts',
  ],
  [
    'country: { from: Country, default: US }',
    '{ from: Country, case: upper }',
    '`case` is for texts; this field is a country',
  ],
  ['quantity: Qty', '{ from: Qty, implied: 2, decimal: "," }', '`implied` takes no `decimal`'],
  ['quantity: Qty', '{ from: Qty, long: cut }', '`long` is for texts that the API limits'],
  ['quantity: Qty', '{ calc: "[Qty]", match: x }', '`calc` takes no `match`'],
])('%s written as %s is an error', async (line, written, error) => {
  const [found = ''] = await errorsWith(line, `${line.split(':')[0]}: ${written}`)

  expect(found).toContain(error)
})

test.each([
  ['', 'must not be empty'],
  ['[Qty', 'a "[" is not closed: a column is written [Cost]'],
  ['[Qty] [Cost]', '"Cost" cannot stand where it stands'],
  ['[Qty] /', 'the calculation stops too early'],
  ['/ [Qty]', '"/" cannot stand where it stands'],
  ['sum([Total] / [Qty])', 'a quotient in a sum is rounded first, as in sum(round([Total] / [Qty], 2))'],
  ['round(sum([Total] / [Qty]), 2)', 'a quotient in a sum is rounded first'],
  ['([Qty] + 1', '")" is missing at the end of the calculation'],
  ['sum(sum([Qty]))', 'a sum cannot stand inside of a sum'],
  ['sum([$row])', '$row cannot be summed up'],
  ['avg([Qty])', 'there is no "avg" in calculations: a column stands in brackets'],
  ['[Cost] * 1,1', 'write 1.1 in place of 1,1: calculations have a decimal point'],
  ['1,1 * [Cost]', 'write 1.1 in place of 1,1'],
  ['round([Cost] * 1,1, 2)', 'write 1.1 in place of 1,1'],
  [
    'Cost * 1,1',
    'there is no "cost" in calculations: a column stands in brackets, as in [Qty], and there are sum, count and round; and write 1.1 in place of 1,1',
  ],
  ['{Cost} x 100', 'write [Cost] * 100 instead: "{" has no meaning here: a column is written [Cost]'],
  ['{Cost} ÷ 4 × 19%', 'write [Cost] / 4 * 0.19 instead: '],
  ['{Cost} × 14.3%', 'write [Cost] * 0.143 instead: '],
  ['sum(Qty x Unit Cost)', 'write sum([Qty] * [Unit Cost]) instead: '],
  ['Cost x 1,1', 'write [Cost] * 1.1 instead: '],
  ['round([Cost] * 3)', 'round takes the number of decimals'],
  ['Qty * 2', 'there is no "qty" in calculations: a column stands in brackets'],
  ['round([Qty], two)', 'round takes the number of decimals'],
  ['[Qty] + 30 days', 'days are added to a date, and this field takes no date'],
  [`[Qty]${' + 1'.repeat(130)}`, 'a calculation has at most 500 characters'],
])('the calculation %j is an error', async (calc, error) => {
  const [found = ''] = await errorsWith('net_price: Cost', `net_price: { calc: "${calc}" }`)

  expect(found).toContain(error)
})

test.each([
  ['30', 'a date is calculated as a column and days'],
  ['[Order Date] + 30', 'to a date only days can be added'],
  ['[Order Date] * 2', '"*" cannot stand where it stands'],
])('the calculation %j of a date is an error', async (calc, error) => {
  const [found = ''] = await errorsWith('ordered_at: Order Date', `ordered_at: { calc: "${calc}" }`)

  expect(found).toContain(error)
})

test('a calculation names only columns that the mapping lists, those of the rows inside of a sum', async () => {
  const text = `
operation: create-invoice
read:
  format: csv
  records:
    H: { as: header, columns: [PO, Invoice, Due] }
    D: { as: detail, columns: [Item, Quantity, Cost] }
body:
  purchase_order_number: PO
  invoice_number: Invoice
  terms_net_days_due: { const: 30 }
  terms_date_due: Due
  due_amount: { calc: "sum([Quantity] * [Cots]) + [Cost]" }
  invoice_lines:
    - variant: { identifier: Item }
      quantity: Quantity
      net_price: Cost
`

  expect(await errorsOf(text)).toEqual([
    '13:23 body.due_amount.calc: `read` names no column "Cots" that can be used here. Did you mean "Cost"?',
    '13:23 body.due_amount.calc: `read` names no column "Cost" that can be used here.',
  ])
})

test('a table with two key columns is asked with two columns', async () => {
  const text = `${ORDERS}  methods: { file: methods.csv, keys: 2 }\n`
  const tables = { 'methods.csv': 'carrier,service,method\nFedEx,Ground,FEDEX_GROUND\n' }
  const leaf = 'code: { from: Ship Via, table: ship-via, pick: method }'

  expect(await errorsOf(text.replace(leaf, 'code: { from: Ship Via, table: methods }'), tables)).toEqual([
    '17:36 body.shipping_method.code.table: the table "methods" has 2 key columns: name as many with `all`',
  ])
  expect(
    await errorsOf(text.replace(leaf, 'code: { all: [Name, Ship Via], with: "-", table: methods }'), tables),
  ).toEqual([
    '17:54 body.shipping_method.code.table: the table "methods" has several key columns: leave `with` out',
  ])
  expect(await errorsOf(text, { 'methods.csv': 'carrier,service\nFedEx,Ground\n' })).toEqual([
    '29:20 tables.methods.file: methods.csv: a table needs a header line with 2 key columns and at least one more',
  ])
})

describe('regular expressions', () => {
  test.each([
    '^#?(\\d+)$',
    '^(\\w+) - (.+)$',
    '(?:PO|SO)-(\\d{4,6})',
    '^[A-Z]+(?:-\\d+)?$',
    '\\b[A-Z]{2}\\d{3}\\b',
    '(\\d{3}-){2}',
    '[(+*)]',
    '^(?<po>\\d+)',
    '(a+)+$',
    '([a-z]+,?)*',
    '(.*)(.*)(.*)(.*)(.*)(.*)',
    '^(?!TEST)',
  ])('%s is taken', (pattern) => {
    expect(compilePattern(pattern)).not.toBeTypeOf('string')
  })

  test.each([
    '(a)\\1+',
    '(?=.*a)b',
    'a{2000}',
    '(?:(?:a{100}){100}){100}',
    `${'('.repeat(300)}a${')'.repeat(300)}`,
    '(',
    'x{2,1}',
  ])('%s is refused', (pattern) => {
    expect(compilePattern(pattern)).toBeTypeOf('string')
  })
})

test('the comma of `round` is no decimal comma, and a comma in the name of a column neither', async () => {
  expect(await errorsWith('net_price: Cost', 'net_price: { calc: "round([Cost] * 3,2)" }')).toEqual([])
  const [found = ''] = await errorsWith('net_price: Cost', 'net_price: { calc: "[1,1] [Cost]" }')
  expect(found).not.toContain('decimal point')
})

test('a decimal comma that cuts a text in braces is named', async () => {
  expect(await errorsWith('net_price: Cost', 'net_price: { calc: [Cost] * 1,1 }')).not.toEqual([])
  expect(await errorsWith('net_price: Cost', 'net_price: { calc: Cost * 1,1 }')).toContainEqual(
    expect.stringContaining(
      'a comma ends the text before "1": write a decimal point, such as 1.1, or put the text in quotes',
    ),
  )
})

test('a list where one value belongs is named as such', async () => {
  for (const written of ['[{ from: Qty }]', '[{ from: Qty, default: 1 }, Units]'])
    expect(await errorsWith('quantity: Qty', `quantity: ${written}`)).toEqual([
      expect.stringContaining('one value belongs here, and this is a list of more than names'),
    ])
})
