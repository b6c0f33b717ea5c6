import { expect, test } from 'vitest'
import { errorsOf, ORDERS } from './sheet.ts'

/** The mapping of orders with more keys before its body. */
function withKeys(keys: string): string {
  return ORDERS.replace('body:', `${keys}\nbody:`)
}

test.each([
  ['only: {}', '4:7 only: a condition names at least one column'],
  [
    'only: Ready',
    '4:7 only: expected columns, each with what it must be, such as { Status: Ready } or { Note: filled }',
  ],
  [
    'only: { Status: { isnt: Void } }',
    '4:19 only.Status.isnt: there is no such key here. Known are not, matches, above, below, equals, differs.',
  ],
  ['only: { Status: {} }', '4:17 only.Status: say what the column must be'],
  ['only: { Qty: { above: many } }', '4:23 only.Qty.above: expected a number'],
  [
    'only: { Qty: { above: 1e40 } }',
    '4:23 only.Qty.above: expected a number with digits only, such as 12.50',
  ],
  [
    "only: { Note: { matches: '(' } }",
    expect.stringMatching(/^4:26 only\.Note\.matches: this is no regular expression: /),
  ],
  ['only: { $fil: x }', '4:9 only.$fil: there is no $fil. Did you mean "$file"?'],
  [
    'only: { $row: 1 }',
    '4:9 only.$row: $row is the number of a row, and stands in the array that is filled once per row',
  ],
  [
    'lines: { check: [{ when: { $rw: 1 }, say: No. }] }',
    '4:28 lines.check[0].when.$rw: there is no $rw. Did you mean "$row"?',
  ],
  ['check: [{ when: { Qty: 1 } }]', '4:9 check[0]: say is missing'],
  [
    'check: [{ say: Never }]',
    '4:9 check[0]: a check has `say` and one of `when` and `unless`, or `total` and `is`',
  ],
  ['hold: [{ say: Never }]', '4:8 hold[0]: a check has `say` and one of `when` and `unless`'],
  [
    'hold: [{ when: { A: 1 }, say: No., warn: true }]',
    '4:36 hold[0].warn: there is no such key here. Did you mean "when"?',
  ],
  ['check: [{ when: { A: 1 }, say: No., warn: yes }]', '4:43 check[0].warn: expected `true`'],
  [
    'check: [{ total: Lines }]',
    '4:18 check[0].total: `is` is missing: the calculation that gives the same number',
  ],
  ['check: [{ when: { A: 1 }, say: No., is: count() }]', '4:41 check[0].is: this is for `total`'],
  [
    'check: [{ total: Lines, is: count(), when: { A: 1 } }]',
    '4:18 check[0].total: a total is always compared: leave `when` and `unless` out',
  ],
  [
    'check: [{ total: Lines, is: count(), warn: true }]',
    '4:44 check[0].warn: a wrong total is a warning, unless the `rules` of the route say otherwise',
  ],
  [
    'check: [{ total: Lines, is: [count(), "cnt()"] }]',
    expect.stringMatching(/^4:39 check\[0\]\.is\[1\]: there is no "cnt" in calculations/),
  ],
  [
    'check: [{ say: Never, when: { A: 1 }, unless: { B: 1 } }]',
    '4:9 check[0]: a check has one of `when` and `unless`: put both into `when` with the second turned round, as in `when: { Type: Gift, Zip: blank }` for `unless: { Zip: filled }`',
  ],
  ['lines: { split: "|" }', '4:17 lines.split: `split` needs `columns`: those whose cells hold lists'],
  ['lines: { columns: ["SKU{n}"], escape: "x" }', '4:39 lines.escape: `escape` needs `split`'],
  [
    'lines: { columns: [SKU], split: "|", escape: "|" }',
    '4:46 lines.escape: the escape must be a character that is not in the separator',
  ],
  [
    'lines: { columns: [SKU] }',
    '4:20 lines.columns[0]: "SKU" needs {n} where its number stands, as in "SKU{n}", or name `split`',
  ],
  [
    'lines: { columns: ["SKU{n}"], split: "|" }',
    '4:20 lines.columns[0]: with `split` the column holds a list: leave {n} out',
  ],
  ['lines: { same: sum }', '4:16 lines.same: expected `add` or `refuse`'],
  ['lines: { sam: add }', '4:10 lines.sam: there is no such key here. Did you mean "same"?'],
  [
    'totals: { when: { PO: T } }',
    '4:9 totals: name the column that holds the number of `rows` or of `records`, or the `sum` of a column',
  ],
  ['totals: { rows: Count }', '4:9 totals: when is missing: it says which row is that of the totals'],
  ['totals: { when: { PO: T }, sum: {} }', '4:33 totals.sum: name a column and the column of its total'],
])('%s is an error', async (keys, error) => {
  expect(await errorsOf(withKeys(keys))).toEqual([error])
})

test.each([
  [
    'ordered_at: Order Date',
    'ordered_at: { from: Order Date, when: Ready }',
    '6:41 body.ordered_at.when: expected columns, each with what it must be, such as { Status: Ready } or { Note: filled }',
  ],
  [
    'gift_message: Gift',
    'gift_message: { oneOf: [Gift, { const: Hello }] }',
    '15:27 body.gift_message.oneOf[0]: only the last option may be without `when`: those after it would never be taken',
  ],
  [
    'gift_message: Gift',
    'gift_message: { oneOf: [Gift], from: Gift }',
    '15:34 body.gift_message.from: `oneOf` stands alone: write this in its options',
  ],
  [
    'gift_message: Gift',
    'gift_message: { when: { Gift: filled }, const: Hi, from: Gift }',
    '15:17 body.gift_message: say where the value comes from with exactly one of `from`, `firstOf`, `all`, `every`, `sum`, `calc`, `const`, `order` and `kept`',
  ],
  [
    'purchase_order_number: PO Number',
    'purchase_order_number: PO Number\n  when: { Status: Ready }',
    '6:3 body.when: to leave out whole records, write `only` beside `body`',
  ],
  [
    'group: PO Number',
    'group: { by: PO Number, differing: last }',
    '3:36 group.differing: expected `refuse` or `first`',
  ],
])('%s written as %s is an error', async (right, wrong, error) => {
  expect(await errorsOf(ORDERS.replace(right, wrong))).toEqual([error])
})

test('where the mapping names the columns of the file, conditions name no others', async () => {
  const columns =
    'PO Number, Order Date, Name, Address 1, Address 2, City, State, Zip, Country, Gift, Ship Via, SKU, UPC, Qty, Cost, Retail'
  const text = withKeys(`read: { format: csv, columns: [${columns}] }
only: { Statee: NY }
check: [{ when: { Zipp: blank }, say: No zip code. }]
lines: { split: "|", columns: [SKU, Quantity], check: [{ when: { Costs: blank }, say: No cost. }] }
totals: { when: { PO Number: T }, rows: Count }`).replace(
    'gift_message: Gift',
    'gift_message: { from: Gift, when: { Giftt: filled } }',
  )

  expect(await errorsOf(text)).toEqual([
    '5:9 only.Statee: there is no column "Statee" that can be used here. Did you mean "State"?',
    '6:19 check[0].when.Zipp: there is no column "Zipp" that can be used here. Did you mean "Zip"?',
    '7:37 lines.columns[1]: `read` names no column "Quantity".',
    '7:66 lines.check[0].when.Costs: there is no column "Costs" that can be used here. Did you mean "Cost"?',
    '8:41 totals.rows: there is no column "Count" that can be used here. Did you mean "Country"?',
    '20:39 body.gift_message.when.Giftt: there is no column "Giftt" that can be used here. Did you mean "Gift"?',
  ])
})

test('an error in one option does not hide those in the others', async () => {
  const text = ORDERS.replace(
    'gift_message: Gift',
    `gift_message:
    oneOf:
      - { when: {}, const: Hi }
      - { when: { Gift: filled }, frum: Gift }`,
  )

  expect((await errorsOf(text)).map((error) => error.replace(/^\d+:\d+ /, ''))).toEqual([
    'body.gift_message.oneOf[0].when: a condition names at least one column',
    'body.gift_message.oneOf[1].frum: there is no such key here. Did you mean "from"?',
  ])
})

test('in typed records the row of totals has a type, and no condition', async () => {
  const typed = (as: string, totals: string) => `operation: create-invoice
read: { format: csv, records: { H: { as: header, columns: [PO] }, D: { as: detail, columns: [Qty] }, T: { as: ${as}, columns: [Sum] } } }
${totals}
body: {}
`
  const errors = async (as: string, totals: string) =>
    (await errorsOf(typed(as, totals))).filter((error) => !error.includes('the API requires'))

  expect(await errors('totals', 'totals: { when: { PO: T }, sum: { Qtty: Sum } }')).toEqual([
    '3:11 totals.when: the record type says which row it is: leave `when` out',
    '3:35 totals.sum.Qtty: there is no column "Qtty" that can be used here. Did you mean "Qty"?',
  ])
  expect(await errors('ignore', 'totals: { rows: Sum }')).toEqual([
    '3:9 totals: give the row of totals a record type `as: totals` under `read`',
  ])
  expect(await errors('totals', '')).toEqual([
    '1:1 say under `totals` what the rows of type T count and add up',
  ])
})

test('a sum over the lines of a row adds up only values of each line', async () => {
  const packed = (calc: string) => `operation: create-invoice
group: Invoice
lines: { columns: ["SKU{n}", "COST{n}"] }
body:
  purchase_order_number: PO
  invoice_number: Invoice
  terms_net_days_due: { const: 30 }
  terms_date_due: { const: 2026-12-20 }
  due_amount: { calc: "${calc}" }
  invoice_lines:
    - { variant: { identifier: "SKU{n}" }, quantity: { const: 1 }, net_price: "COST{n}" }
`
  expect(await errorsOf(packed('sum([COST{n}]) + sum([Freight])'))).toEqual([
    '9:23 body.due_amount.calc: this adds Freight once per line of the row; write [Freight]',
  ])
  expect(await errorsOf(packed('sum([COST{n}] * [Rate]) + [Freight | 0]'))).toEqual([])
})

test('records of several types have no group, and the message names the alternatives', async () => {
  const text = ORDERS.replace(
    'group:',
    'read: { format: csv, typeIn: Type, records: { H: { as: header }, D: { as: detail } } }\ngroup:',
  )
  expect(await errorsOf(text)).toEqual([
    '4:1 group: the record types say already which rows belong together: leave `group` out. If all rows are of one kind and share a key, leave `records` out: name their `columns`, the other lines under `ignore`, and a row of totals with `totals.when`',
  ])
})

test('an unknown field is reported with the existing fields, unless one of them is near', async () => {
  const errors = await errorsOf(
    ORDERS.replace('      price: Retail', '      pric: Retail\n      colour: Red'),
  )

  expect(errors.filter((error) => error.includes('no such field'))).toEqual([
    '23:7 body.order_lines[0].pric: the API has no such field. Did you mean "price"?',
    '24:7 body.order_lines[0].colour: the API has no such field. It has: variant, quantity, net_price, price.',
  ])
})
