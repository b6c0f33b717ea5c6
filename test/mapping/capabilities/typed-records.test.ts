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
async function sent(mapping: string, ...lines: readonly string[]): Promise<string[]> {
  const drafts = await draftsOfFile(mapping, lines.map((line) => `${line}\r\n`).join(''))
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
