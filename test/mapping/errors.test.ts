import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadMapping } from '../../src/mapping/load.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { errorsOf, ORDERS } from './sheet.ts'

test('a mapping without errors has none', async () => {
  expect(await errorsOf(ORDERS)).toEqual([])
})

test('a misspelled operation is reported where it stands', async () => {
  expect(await errorsOf(ORDERS.replace('operation:', 'operaton:'))).toContainEqual(
    expect.stringMatching(/^\d+:1 .*there is no such key here\. Did you mean "operation"\?$/),
  )
})

test.each(['create-invoice', 'create-shipment', 'export-orders'])(
  'where the operation is %s and the body that of orders, only the operation is an error',
  async (operation) => {
    const found = await errorsOf(ORDERS.replace('operation: create-order', `operation: ${operation}`))

    expect(found).toEqual([expect.stringMatching(/ operation: .*: write create-order$/)])
  },
)

test('a mapping that writes files under an operation that reads them is one error', async () => {
  const found = await errorsOf(
    'operation: create-order\ncolumns: { PO: purchase_order_number, Day: ordered_at }\n',
  )

  expect(found).toEqual([expect.stringContaining('create-order reads files with a `body`')])
})

test('a misspelled key is one error, and not a missing key as well', async () => {
  const errors = await errorsOf(`${ORDERS}\nexamples: [{ input: a.csv, expct: a.json }]`)
  expect(errors).toEqual([
    expect.stringMatching(/examples\[0\]\.expct: there is no such key here\. Did you mean "expect"\?$/),
  ])
})

test('every error is reported at once, with its line and column', async () => {
  const text = `operation: create-order
read: { format: xlsx, delimeter: ";" }
grup: PO Number
body:
  purchase_order_number: PO Number
  ordered_at: { from: Date, format: DD/MM/YYYY, zone: America/Albany }
  ship_to: Address
  shipping_method:
    code: { from: Via, table: shipvia, pick: method }
    carrier: { code: { from: Via, table: ship-via, pick: carier } }
  order_lines:
    - variant: { identifer: SKU }
      quantity: { const: two }
      net_price: { from: Cost, defualt: 1 }
      price: 12
    - {}
  gift_message: { from: Gift, wrap: 80 }
tables:
  ship-via: { rows: { Ground: { method: G, carrier: F } } }
  prices: { file: prices.csv }
examples: [{ input: a.csv }]
`

  expect(await errorsOf(text)).toEqual([
    '1:1 group is missing: name the column whose value the rows of one record share',
    '2:17 read.format: expected `csv`, `fixed`, `x12` or `edifact`',
    '2:23 read.delimeter: there is no such key here. Did you mean "delimiter"?',
    '3:1 grup: there is no such key here. Did you mean "group"?',
    '6:37 body.ordered_at.format: write dd/MM/yyyy, or MM/dd/yyyy where the month comes first, instead: "DD" is not a token of date formats; the tokens are yyyy yy MMMM MMM DDD MM M dd d HH H hh h mm m ss s a ZZZ ZZ X x, and letters in quotes stand for themselves',
    '6:55 body.ordered_at.zone: there is no time zone "America/Albany"; write one such as America/New_York',
    '7:12 body.ship_to: this is an object with the fields type, name1, name2, street1, street2, city, province, postal_code, country, phone1, phone2, fax, email: map each of them',
    '9:31 body.shipping_method.code.table: there is no table "shipvia" under `tables`. Did you mean "ship-via"?',
    '10:58 body.shipping_method.carrier.code.pick: the table "ship-via" has no column "carier". Did you mean "carrier"?',
    '16:7 body.order_lines[1]: this is an array that is filled once per row: write one item, after one dash',
    '17:37 body.gift_message.wrap: the API takes at most 64 characters here',
    '20:19 tables.prices.file: the table file prices.csv cannot be read: no such file',
    '21:12 examples[0]: expect is missing',
  ])
})

test.each([
  ['EST', 'America/New_York'],
  ['mst', 'America/Denver, or America/Phoenix for Arizona'],
  ['HST', 'Pacific/Honolulu'],
])('the zone %s, which has no summer, is refused with the name of a place', async (zone, place) => {
  const text = ORDERS.replace('ordered_at: Order Date', `ordered_at: { from: Order Date, zone: ${zone} }`)

  expect((await errorsOf(text)).map((error) => error.replace(/^[\d:]+ /, ''))).toEqual([
    `body.ordered_at.zone: "${zone}" has no daylight saving time; write the zone of a city, such as ${place}`,
  ])
})

test('inside one item, every field is checked', async () => {
  const text = ORDERS.replace(
    `    - variant: { identifier: SKU, upc: UPC }
      quantity: Qty
      net_price: Cost
      price: Retail`,
    `    - variant: { identifer: SKU }
      quantity: { const: two }
      net_price: { from: Cost, defualt: 1 }
      price: 12`,
  ).replace('pick: method', 'pick: methd')

  expect(await errorsOf(text)).toEqual([
    '17:52 body.shipping_method.code.pick: the table "ship-via" has no column "methd". Did you mean "method"?',
    '20:18 body.order_lines[0].variant.identifer: the API has no such field. Did you mean "identifier"?',
    '21:26 body.order_lines[0].quantity.const: "two" is not a whole number.',
    '22:32 body.order_lines[0].net_price.defualt: there is no such key here. Did you mean "default"?',
    '23:14 body.order_lines[0].price: "12" is not a column name: put a name in quotes, or write { const: 12 }',
  ])
})

test('a required field that the mapping lacks is named, with what it takes', async () => {
  expect(await errorsOf(ORDERS.replace('    city: City\n', '').replace('      quantity: Qty\n', ''))).toEqual(
    [
      '8:5 body.ship_to: the API requires city (text of at most 255 characters): map it to a column or a constant',
      '19:7 body.order_lines[0]: the API requires quantity (a whole number from 1): map it to a column or a constant',
    ],
  )
})

test.each([
  [
    'name1: Name',
    'name1:',
    'this names no column: write a column name, a list of names, or a constant such as { const: TEXT }',
  ],
  [
    'price: Retail',
    'price:',
    'this names no column: write a column name, a list of names, or a constant such as { const: 12.50 }',
  ],
  [
    'country: { from: Country, default: US }',
    'country:',
    'this names no column: write a column name, a list of names, or a constant such as { const: US }',
  ],
  ['name1: Name', 'name1: { fron: Name }', 'there is no such key here. Did you mean "from"?'],
  [
    'name1: Name',
    'name1: { default: x }',
    'say where the value comes from with exactly one of `from`, `firstOf`, `all`, `every`, `sum`, `calc`, `const`, `order` and `kept`',
  ],
  ['name1: Name', 'name1: { const: x, default: y }', 'a constant takes no other options'],
  ['name1: Name', 'name1: { from: Name, pick: x }', '`pick` needs a `table`'],
  [
    'name1: Name',
    'name1: { from: Name, find: order }',
    '`find` is for ids of what a file names by something else; this field is text of at most 255 characters',
  ],
  [
    'name1: Name',
    'name1: { from: Name, zone: UTC }',
    '`zone` is for dates with times; this field is text of at most 255 characters',
  ],
  [
    'name1: Name',
    'name1: { from: Name, split: "|" }',
    '`split` needs `at`, unless the field is a list of texts',
  ],
  [
    'ordered_at: Order Date',
    'ordered_at: { from: Order Date, format: HH:mm }',
    '"HH:mm" names no year and no month and no day, so it is no date',
  ],
  [
    'country: { from: Country, default: US }',
    'country: { const: Narnia }',
    '"Narnia" is no country that ISO 3166 knows.',
  ],
  ['province: State', 'province: { const: "" }', 'an empty text is never sent: leave the option out'],
  ['group: PO Number', 'group: [PO Number, po_number]', 'the same column is named twice'],
  ['group: PO Number', 'group: { by: PO Number, blank: skip }', 'expected `continues`'],
  [
    'operation: create-order',
    'operation: create-ordr',
    'there is no operation "create-ordr". Did you mean "create-order"?',
  ],
  [
    'operation: create-order',
    'operation: create-order\noperation: x',
    'the key operation appears twice; name one of them otherwise, put both parts under one, or remove one.',
  ],
  [
    'Ground: { method: FEDEX',
    'ground: { method: A, carrier: B }\n      fedex ground: { method: FEDEX',
    'the table has two rows for "fedex ground": orders.yaml:27 and orders.yaml:28',
  ],
])('%s written as %s is an error', async (right, wrong, message) => {
  const errors = await errorsOf(ORDERS.replace(right, wrong))

  expect(errors.map((error) => error.replace(/^\d+:\d+ ([^:]+: )?/, ''))).toContain(message)
})

test('a slip of YAML in a mapping is reported once, in words that say what to do', async () => {
  const wrong = (line: string) => errorsOf(ORDERS.replace('group: PO Number', line))

  expect(await wrong('\tgroup: PO Number')).toEqual([
    '3:1 a tab cannot indent; use spaces. The rest was not checked.',
  ])
  expect(await wrong(' group: PO Number')).toEqual([
    '2:12 this line is indented too little, or the next line too far. The rest was not checked.',
  ])
  expect(await wrong('group: PO: Number')).toEqual(['3:8 a value with ": " in it must be in quotes.'])
})

test('a table whose values do not fit the field is an error of the mapping', async () => {
  const text = ORDERS.replace('quantity: Qty', 'quantity: { from: Pack, table: packs }').replace(
    'tables:',
    'tables:\n  packs: { file: packs.csv }',
  )

  expect(
    await errorsOf(text, { 'packs.csv': 'pack,units\nsingle,1\n\n"do\nzen",12\ndozen,twelve\nSingle,2\n' }),
  ).toEqual([
    '25:18 tables.packs.file: packs.csv: the table has two rows for "Single": line 2 and line 7',
    '25:18 tables.packs.file: the table "packs" says for "dozen": "twelve" is not a whole number. It fills order_lines[].quantity.',
  ])
  expect(await errorsOf(text)).toEqual([
    '25:18 tables.packs.file: the table file packs.csv cannot be read: no such file',
  ])
})

test('files that a mapping names and that are not there are named with their whole paths', async () => {
  const folder = await tempFolder()
  const path = join(folder, 'orders.yaml')
  const text = ORDERS.replace('tables:', 'tables:\n  art: { file: tables/art.csv }')
  await writeFile(path, text.replace('group:', 'extends: base/base.yaml\ngroup:'))
  await expect(loadMapping(path)).rejects.toMatchObject({
    details: [
      `${path}:3:10 extends: the mapping base/base.yaml is not there: relative to the mapping it is ${join(folder, 'base/base.yaml')}`,
    ],
  })

  await writeFile(path, text)
  await expect(loadMapping(path)).rejects.toMatchObject({
    details: [
      `${path}:25:16 tables.art.file: the table file tables/art.csv is not there: relative to the mapping it is ${join(folder, 'tables/art.csv')}`,
    ],
  })
})

test('a wrong value of a table in the mapping is an error at its row, for each field that it fills', async () => {
  const text = ORDERS.replace('quantity: Qty', 'quantity: { from: Pack, table: packs }')
    .replace('price: Retail', 'price: { from: Pack, table: packs }')
    .concat('  packs:\n    rows:\n      single: 1\n      Dozen: twelve\n')

  expect(await errorsOf(text)).toEqual([
    '32:7 tables.packs.rows.Dozen: the table "packs" says for "Dozen": "twelve" is not a whole number. It fills order_lines[].quantity.',
    '32:7 tables.packs.rows.Dozen: the table "packs" says for "Dozen": "twelve" is not an amount in US dollars. It fills order_lines[].price.',
  ])
})

test.each([
  ['a constant beside it', 'province: { const: ZZ }', '12:24 body.ship_to.province.const'],
  ['a default', 'province: { from: State, default: zz }', '12:39 body.ship_to.province.default'],
  ['a table', 'province: { from: State, table: states }', '30:13 tables.states.rows.Nowhere'],
  [
    'one branch of a condition',
    'province: { oneOf: [{ when: { State: "?" }, const: ZZ }, { from: State }] }',
    '12:56 body.ship_to.province.oneOf[0].const',
  ],
])('a province that the constant country does not have is an error of %s', async (_, province, place) => {
  const text = ORDERS.replace('province: State', province)
    .replace('country: { from: Country, default: US }', 'country: { const: USA }')
    .concat('  states:\n    rows: { Nowhere: ZZ, New York: ny, Ohio: Ohio }\n')

  const [found, ...more] = await errorsOf(text)

  expect(found?.startsWith(place)).toBe(true)
  expect(found).toContain('"ZZ" is not a state or province of US')
  expect(more).toEqual([])
})

test('a province of the mapping is no error where the country comes from the file', async () => {
  expect(await errorsOf(ORDERS.replace('province: State', 'province: { const: ON }'))).toEqual([])
})

test('a constant attribute that the API refuses is an error of the mapping', async () => {
  const text = `operation: create-variant
group: SKU
body:
  attributes:
    identifier: SKU
    image_1: { const: 'http://pictures.test/1.png' }`

  expect(await errorsOf(text)).toEqual([
    '6:23 body.attributes.image_1.const: image_1 must be an https address',
  ])
})

test('a mapping that names the columns itself may use no others', async () => {
  const columns = 'PO, Date, Name, Street, City, State, Zip, Via, SKU, Qty, Cost, Retail'

  const errors = await errorsOf(
    ORDERS.replace('group:', `read: { format: csv, columns: [${columns}] }\ngroup:`),
  )

  expect(errors).toContain('4:8 group: `read` names no column "PO Number" that can be used here.')
  expect(errors).toContain(
    '10:14 body.ship_to.street1: `read` names no column "Address 1" that can be used here.',
  )
})

test('typed records need no group', async () => {
  const text = ORDERS.replace(
    'group:',
    'read: { format: csv, records: { PH: { as: header, columns: [A] }, PX: { as: header, columns: [A] } } }\ngroup:',
  )

  expect(await errorsOf(text)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(
        /^4:1 group: the record types say already which rows belong together: leave `group` out\./,
      ),
    ]),
  )
})

test.each(['', '- a\n- b', 'operation: [', 'just text', '&a [*a]'])(
  'text that is no mapping is refused: %s',
  async (text) => {
    expect(await errorsOf(text)).toHaveLength(1)
  },
)

test('a missing mapping file is an error of the configuration, and the message names its path', async () => {
  await expect(loadMapping('no/such/mapping.yaml')).rejects.toMatchObject({
    code: 'mapping-invalid',
    message: 'the mapping file no/such/mapping.yaml is not there.',
  })
})

test.each([100, 700, 20_000])(
  'a mapping with %i brackets in each other is refused in plain words',
  async (depth) => {
    const text = ORDERS.replace('city: City', `city: ${'['.repeat(depth)}${']'.repeat(depth)}`)

    expect(await errorsOf(text)).toEqual([expect.stringMatching(/nested (more than 50 deep|too deep)/)])
  },
)

test('of two forms, the one whose keys are there says what is wrong', async () => {
  const text = 'operation: create-order\ntables: { how: { rows: [{ UPSG: UPS }] } }\n'

  expect((await errorsOf(text)).filter((each) => each.includes('tables'))).toEqual([
    '2:24 tables.how.rows: expected each key with its value, such as `rows: { UPSG: UPS }`',
  ])
})

test.each([['key: Service'], ['keys: Service'], ['keys: [Service]']])(
  'a table with %s says that its first column is the key, and which columns its file has',
  async (key) => {
    const text = ORDERS.replace('tables:', `tables:\n  art: { file: art.csv, ${key} }`)

    expect(await errorsOf(text, { 'art.csv': 'service;carrier;method\na;b;c\n' })).toEqual([
      expect.stringMatching(
        /tables\.art\.keys?: a table names no key column: the first column of its file is the key, with `keys: 2` the first two\. art\.csv has the columns service, carrier, method\.$/,
      ),
    ])
  },
)
