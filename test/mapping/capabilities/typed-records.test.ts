/** Files whose rows are of several kinds, each read by a mapping that describes it. */
import { expect, test } from 'vitest'
import { draftsOfFile } from '../file-drafts.ts'
import { errorsOf, placesOf } from '../sheet.ts'

/** An order mapping with these keys, and fields of the body in place of those below. */
function orders(keys: string, fields: Readonly<Record<string, string>> = {}): string {
  const body = {
    purchase_order_number: 'PO',
    name: 'Name',
    gift_message: '{ const: Hello }',
    identifier: 'SKU',
    quantity: 'Qty',
    net_price: 'Cost',
    ...fields,
  }
  return `
operation: create-order
${keys.trim()}
body:
  purchase_order_number: ${body.purchase_order_number}
  ordered_at: { const: '2026-11-20' }
  ship_to:
    name1: ${body.name}
    street1: { const: 12 Mill Road }
    city: { const: Albany }
    province: { const: NY }
    postal_code: { const: '12207' }
    country: { const: US }
  gift_message: ${body.gift_message}
  shipping_method: { code: { const: FEDEX_GROUND }, carrier: { code: { const: FDEG } } }
  order_lines:
    - ${fields['when'] === undefined ? '' : `when: ${fields['when']}\n      `}variant: { identifier: ${body.identifier} }
      quantity: ${body.quantity}
      net_price: ${body.net_price}
      price: { const: '24.99' }
`
}

/** The orders that would be sent, each as its number, its recipient and `SKU x quantity` of its lines; or the problems. */
async function sent(mapping: string, ...lines: readonly (string | readonly string[])[]): Promise<string[]> {
  const drafts = await draftsOfFile(
    mapping,
    lines
      .flat()
      .map((line) => `${line}\r\n`)
      .join(''),
  )
  return drafts.map((draft) => {
    const { body } = draft
    if (body === undefined) return placesOf(draft).join(' ')
    const items = body['order_lines'] as { variant: { identifier: string }; quantity: number }[]
    const shown = items.map(({ variant, quantity }) => `${variant.identifier} x ${quantity}`).join(', ')
    return `${String(body['purchase_order_number'])} ${(body['ship_to'] as { name1: string }).name1}: ${shown}`
  })
}

const TYPED = `read:
  format: csv
  records:
    H: { as: header, columns: [PO, Name, Batch, Note] }
    D: { as: detail, columns: [PO, Batch, SKU, Qty, Cost, Note] }`

test('a column of one name in header and detail must agree, unless the lines take their value from it', async () => {
  const mapping = orders(TYPED, { identifier: '{ all: [SKU, Note], with: "-" }' })

  expect(
    await sent(
      mapping,
      'H,A-1,Ada,7,x',
      'D,A-1,7,S1,2,9.00,red',
      'D,,,S2,1,9.00,blue',
      'H,B-2,Bo,7,x',
      'D,B-2,8,S1,2,9.00,red',
      'H,C-3,Cy,7,x',
      'D,C-3,7,S1,2,9.00,red',
      'D,D-4,7,S2,2,9.00,red',
    ),
  ).toEqual([
    'A-1 Ada: S1-red x 2, S2-blue x 1',
    'detail-of-other-record@5:Batch',
    'detail-of-other-record@8:PO',
  ])
})

test('a condition compares two columns, in a row and in a record', async () => {
  const read = `read:
  format: csv
  records:
    H: { as: header, columns: [PO, Name, Buyer] }
    D: { as: detail, columns: [Line PO, SKU, Qty, Cost] }
check: [{ when: { Buyer: { equals: Name } }, say: The buyer is the recipient. }]
lines: { check: [{ when: { Line PO: { differs: PO } }, say: The line is of another order. }] }`

  expect(
    await sent(
      orders(read),
      'H,A-1,Ada,Bo',
      'D,a-1,S1,2,9.00',
      'H,B-2,Bo,bo',
      'D,B-2,S1,2,9.00',
      'H,C-3,Cy,',
      'D,C-3,S1,2,9.00',
      'D,D-4,S2,2,9.00',
    ),
  ).toEqual(['A-1 Ada: S1 x 2', 'check-failed@3:Buyer', 'check-failed@7:Line PO'])
})

test('rows of one record that would compare two columns otherwise are refused, and a column must be known', async () => {
  const mapping = orders('read: { format: csv }\ngroup: PO\nonly: { Sold: { differs: Shipped } }')

  expect(
    await sent(
      mapping,
      'PO,Name,SKU,Qty,Cost,Sold,Shipped',
      'A-1,Ada,S1,2,9.00,Albany,Boston',
      'A-1,Ada,S2,1,9.00,Albany,Albany',
      'B-2,Bo,S1,2,9.00,Albany,Boston',
    ),
  ).toEqual(['rows-disagree@3:Sold', 'B-2 Bo: S1 x 2'])
  const headless = orders(
    'read: { format: csv, columns: [PO, Name, SKU, Qty, Cost] }\ngroup: PO\nonly: { Name: { equals: Nam } }',
  )
  expect(await errorsOf(headless)).toEqual([
    '5:15 only.Name: there is no column "Nam" that can be used here. Did you mean "Name"?',
  ])
})

test('rows of one record are compared by value, such as one instant in two formats', async () => {
  const mapping = orders('read: { format: csv }\ngroup: PO').replace(
    "ordered_at: { const: '2026-11-20' }",
    'ordered_at: { from: Date, format: [yyyy-MM-dd HH:mm, "yyyy-MM-dd\'T\'HH:mmZZ"], zone: America/New_York }',
  )

  expect(
    await sent(
      mapping,
      'PO,Name,SKU,Qty,Cost,Date',
      'A-1,Ada,S1,2,9.00,2026-11-20 09:15',
      'A-1,Ada,S2,1,9.00,2026-11-20T14:15+00:00',
      'B-2,Bo,S1,2,9.00,2026-11-20 09:15',
      'B-2,Bo,S2,1,9.00,2026-11-20T15:15+00:00',
      'C-3,Cy,S1,2,9.00,2026-11-20 09:15',
      'C-3,Cy Hill,S2,1,9.00,2026-11-20 09:15',
    ),
  ).toEqual([
    'A-1 Ada: S1 x 2, S2 x 1',
    'rows-disagree@5:Date ordered_at',
    'rows-disagree@7:Name ship_to.name1',
  ])
})

test('rows of two kinds without types alternate, and a lost row costs its own record and the one before', async () => {
  const read = `read:
  format: csv
  alternating: true
  records:
    order: { as: header, columns: [PO, Name] }
    line: { as: detail, columns: [PO, SKU, Qty, Cost] }`
  const good = ['A-1,Ada', 'A-1,S1,2,9.00', 'B-2,"Bo\nReed"', 'B-2,S1,1,9.00', 'C-3,Cy', 'C-3,S2,4,9.00']

  expect(await sent(orders(read), ...good)).toEqual([
    'A-1 Ada: S1 x 2',
    'B-2 Bo\nReed: S1 x 1',
    'C-3 Cy: S2 x 4',
  ])
  expect(await sent(orders(read), ...good.filter((_, index) => index !== 2))).toEqual([
    'record-part-misplaced@3:-',
    'C-3 Cy: S2 x 4',
  ])
  expect(await sent(orders(read), ...good.filter((_, index) => index !== 1))).toEqual([
    'value-missing@1:- order_lines',
    'B-2 Bo\nReed: S1 x 1',
    'C-3 Cy: S2 x 4',
  ])
  expect(await errorsOf(orders(read.replace('PO, SKU, Qty, Cost', 'SKU, Qty')))).toEqual([
    '6:3 read.records: a lost row would not be noticed: give both types the column that names the record',
    '24:18 body.order_lines[0].net_price: `read` names no column "Cost" that can be used here.',
  ])
})

test('lines of fixed width without types alternate', async () => {
  const read = `read:
  format: fixed
  alternating: true
  records:
    order: { as: header, columns: [{ name: PO, length: 5 }, { name: Name, length: 8 }] }
    line: { as: detail, columns: [{ name: PO, length: 5 }, { name: SKU, length: 3 }, { name: Qty, length: 2 }, { name: Cost, length: 5 }] }`
  const good = ['A-1  Ada', 'A-1  S1  2 9.00', 'B-2  Bo', 'B-2  S2  1 9.00']
  const padded = read.replace('format: fixed', 'format: fixed\n  rows: { short: pad }')

  expect(await sent(orders(padded), ...good)).toEqual(['A-1 Ada: S1 x 2', 'B-2 Bo: S2 x 1'])
})

test('a part that comes twice for one record has its own columns each time', async () => {
  const read = `read:
  format: csv
  records:
    OH: { as: header, columns: [PO] }
    US: { of: OH, times: 2, columns: ["Role {n}", "Name {n}"] }
    OD: { as: detail, columns: [SKU, Qty, Cost] }`
  const shipTo = '{ oneOf: [{ when: { Role 1: ST }, from: Name 1 }, { when: { Role 2: ST }, from: Name 2 }] }'

  expect(
    await sent(
      orders(read, { name: shipTo }),
      ['OH,A-1', 'US,BT,Payer', 'US,ST,Ada', 'OD,S1,2,9.00'],
      ['OH,B-2', 'US,ST,Bo', 'OD,S1,1,9.00'],
      ['OH,C-3', 'US,BT,Payer', 'US,ST,Cy', 'US,ST,Cy', 'OD,S1,1,9.00'],
    ),
  ).toEqual(['A-1 Ada: S1 x 2', 'B-2 Bo: S1 x 1', 'record-part-misplaced@11:-'])
  expect(await errorsOf(orders(read.replace('"Name {n}"', 'Name'), { name: 'Role 1' }))).toEqual([
    '7:29 read.records.US.columns: "Name" needs {n} where its number stands, as in "Name {n}"',
  ])
})

test('a control row of each order is held against its lines', async () => {
  const read = `read:
  format: csv
  records:
    H: { as: header, columns: [PO, Name] }
    D: { as: detail, columns: [SKU, Qty, Cost] }
    T: { as: totals, of: H, columns: [Lines, Units] }
lines: { totals: { rows: Lines, sum: { Qty: Units } } }`

  expect(
    await sent(
      orders(read),
      ['H,A-1,Ada', 'D,S1,2,9.00', 'D,S2,1,9.00', 'T,2,3'],
      ['H,B-2,Bo', 'D,S1,2,9.00', 'T,2,2'],
      ['H,C-3,Cy', 'D,S1,2,9.00'],
      ['H,D-4,Di', 'D,S1,2,9.00', 'T,1,5'],
      ['H,E-5,Ed', 'D,S1,1,9.00', 'T,1,1'],
    ),
  ).toEqual([
    'A-1 Ada: S1 x 2, S2 x 1',
    'control-total-wrong@7:Lines',
    'control-total-wrong@8:-',
    'control-total-wrong@12:Units',
    'E-5 Ed: S1 x 1',
  ])
  const [draft] = await draftsOfFile(orders(read), 'H,A-1,Ada\nD,S1,2,9.00\nT,1,2\n')
  expect(draft?.lines).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
  ])
})

test('a plain table has a control row for each order too, found by a condition', async () => {
  const mapping = orders(`read: { format: csv }
group: PO
lines: { totals: { when: { SKU: TOTAL }, rows: Cost, sum: { Qty: Qty } } }`)

  expect(
    await sent(
      mapping,
      'PO,Name,SKU,Qty,Cost',
      ['A-1,Ada,S1,2,9.00', 'A-1,Ada,S2,1,9.00', 'A-1,,TOTAL,3,2'],
      ['B-2,Bo,S1,2,9.00', 'B-2,,TOTAL,3,1'],
      'C-3,Cy,TOTAL,0,0',
    ),
  ).toEqual(['A-1 Ada: S1 x 2, S2 x 1', 'control-total-wrong@6:Qty', 'control-total-wrong@7:-'])
})

test('the totals of a file are found in a text', async () => {
  const mapping = orders(`read: { format: csv }
group: PO
totals: { when: { PO: { matches: ^END OF FILE } }, records: { from: PO, match: '(\\d+) records' } }`)
  const rows = ['PO,Name,SKU,Qty,Cost', 'A-1,Ada,S1,2,9.00', 'B-2,Bo,S1,1,9.00']

  expect(await sent(mapping, ...rows, 'END OF FILE 2 records')).toEqual(['A-1 Ada: S1 x 2', 'B-2 Bo: S1 x 1'])
  await expect(sent(mapping, ...rows, 'END OF FILE 12 records')).rejects.toThrow(
    'The totals say "12", but the file holds 2 records.',
  )
  await expect(sent(mapping, ...rows, 'END OF FILE')).rejects.toThrow('The totals say "", but')
})

test('a row without columns marks where a record begins', async () => {
  const read = `read:
  format: csv
  records:
    ORDER: { as: header, columns: [] }
    HD: { of: ORDER, columns: [PO, Name] }
    LN: { as: detail, columns: [SKU, Qty, Cost] }`

  expect(
    await sent(
      orders(read),
      ['ORDER', 'HD,A-1,Ada', 'LN,S1,2,9.00', 'ORDER', 'HD,B-2,Bo', 'LN,S2,1,9.00'],
      ['ORDER', 'LN,S2,1,9.00'],
    ),
  ).toEqual([
    'A-1 Ada: S1 x 2',
    'B-2 Bo: S2 x 1',
    'value-missing@7:PO purchase_order_number value-missing@7:Name ship_to.name1',
  ])
})

test('typed records may have no details: the lines are filled once, from the row itself', async () => {
  const read = `read:
  format: csv
  records:
    OR: { as: header, columns: [PO, Name, SKU, Qty, Cost] }
    FT: { as: ignore }`

  expect(await sent(orders(read), 'OR,A-1,Ada,S1,2,9.00', 'OR,B-2,Bo,S2,x,9.00', 'FT,2')).toEqual([
    'A-1 Ada: S1 x 2',
    'integer-expected@2:Qty order_lines[0].quantity',
  ])
  const closings = `
operation: close-order
read: { format: csv, records: { CL: { as: header, columns: [Order] }, FT: { as: ignore } } }
body: { order_id: { from: Order, find: order } }
`
  const drafts = await draftsOfFile(closings, 'CL,A-1\nCL,B-2\nFT,2\n')
  expect(drafts.map(({ references }) => references.map(({ key }) => key))).toEqual([['A-1'], ['B-2']])
})

test('a value of the record comes from the detail row with a certain code', async () => {
  const read = `read:
  format: csv
  records:
    H: { as: header, columns: [PO] }
    D: { as: detail, columns: [SKU, Qty, Cost] }
    A: { as: detail, columns: [Role, Name] }
    N: { as: detail, columns: [Code, Text] }`
  const mapping = orders(read, {
    name: '{ from: Name, row: { Role: ST } }',
    gift_message: '{ from: Text, row: { Code: GIFT } }',
    when: '{ SKU: filled }',
  })
  const file = [
    ['H,A-1', 'A,BT,Payer', 'A,ST,Ada', 'N,GIFT,Enjoy', 'N,INTERNAL,no', 'D,S1,2,9.00', 'D,S2,1,9.00'],
    ['H,B-2', 'A,BT,Payer', 'D,S1,2,9.00'],
    ['H,C-3', 'A,ST,Cy', 'A,ST,Cyrus', 'D,S1,2,9.00'],
  ]

  expect(await sent(mapping, ...file)).toEqual([
    'A-1 Ada: S1 x 2, S2 x 1',
    'value-missing@8:Name ship_to.name1',
    'rows-disagree@13:Name ship_to.name1',
  ])
  const [draft] = await draftsOfFile(mapping, `${file.flat().join('\n')}\n`)
  expect(draft?.body).toMatchObject({ gift_message: ['Enjoy'] })
  expect(
    await errorsOf(mapping.replace('quantity: Qty', 'quantity: { from: Qty, row: { SKU: filled } }')),
  ).toEqual([
    '25:35 body.order_lines[0].quantity.row: a line takes its values from its own row: leave `row` out',
  ])
})

test('a cell with several tracking numbers makes one shipment for each', async () => {
  const mapping = `
operation: create-shipment
read: { format: csv }
group: [PO, Tracking]
lines: { split: "|", columns: [Tracking, SKU, Qty] }
body:
  order_id: { from: PO, find: order }
  ship_from_name1: { const: Northwind }
  ship_from_street1: { const: 1 Dock Road }
  ship_from_city: { const: Albany }
  ship_from_province: { const: NY }
  ship_from_postal_code: { const: '12207' }
  ship_from_country: { const: US }
  shipped_at: { const: '2026-11-20' }
  carrier_id: { const: 1 }
  shipping_method_id: { const: 2 }
  tracking_number: Tracking
  shipment_lines:
    - variant: { brand_identifier: SKU }
      quantity: Qty
`
  const file = 'PO,Tracking,SKU,Qty\nA-1,1Z1|1Z2|1Z2,S1|S1|S2,2|1|1\nB-2,1Z3,S1,1\nC-3,1Z4|1Z5,S1,2\n'

  const drafts = await draftsOfFile(mapping, file)

  const shown = drafts.map((draft) => {
    const lines = (draft.body?.['shipment_lines'] ?? []) as { variant: object; quantity: number }[]
    const items = lines.map(({ variant, quantity }) => `${Object.values(variant).join()} x ${quantity}`)
    return [draft.keyValues.join(), draft.lines.flat().join(), ...items, ...placesOf(draft)].join(' ')
  })
  expect(shown).toEqual([
    'A-1,1Z1 2,2 S1 x 2',
    'A-1,1Z2 2,2,2,2 S1 x 1 S2 x 1',
    'B-2,1Z3 3,3 S1 x 1',
    'C-3,1Z4|1Z5 4,4 lines-uneven@4:SKU',
  ])
  expect(await errorsOf(mapping.replace('Tracking, SKU, Qty]', 'Tracking]'))).toEqual([
    '5:31 lines.columns: a row is divided into several records, and its quantity would be sent with each: name that column too',
  ])
})
