/** Whatever a mapping leaves out, unpacks or adds up: every row of the file is in exactly one draft. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OPERATIONS } from '../../src/contract/operations.ts'
import type { Draft } from '../../src/domain/translator.ts'
import { draftsOf, sheet } from '../mapping/sheet.ts'

const MAPPING = `
operation: create-order
group: { by: PO, blank: continues }
only: { Status: [Ready, New] }
check: [{ when: { State: HI }, say: Not to Hawaii. }]
lines:
  split: '|'
  columns: [SKU, Qty]
  same: add
  check: [{ unless: { Qty: { below: 50 } }, say: Too many. }]
body:
  purchase_order_number: PO
  ordered_at: { const: '2026-11-20' }
  ship_to:
    name1: { oneOf: [{ when: { Status: New }, const: New Buyer }, Name] }
    street1: { const: 12 Mill Road }
    city: { const: Albany }
    province: { from: State, when: { State: filled } }
    postal_code: { const: '12207' }
    country: { const: US }
  shipping_method: { code: { const: GROUND }, carrier: { code: { const: FDEG } } }
  order_lines:
    - when: { SKU: { not: FREIGHT } }
      variant: { identifier: SKU }
      quantity: Qty
      net_price: { const: 5 }
      price: { const: 9 }
`

const HEADER = 'Status,PO,Name,State,SKU,Qty'

const row = fc.tuple(
  fc.constantFrom('Ready', 'Ready', 'ready', 'New', 'Void', ''),
  fc.constantFrom('HV-1', 'HV-1', 'HV-2', 'HV-3', ''),
  fc.constantFrom('Ada', 'Ada', 'Bo', ''),
  fc.constantFrom('NY', 'NY', 'HI', ''),
  fc.constantFrom('NL-1', 'NL-2', 'FREIGHT', 'NL-1|NL-2', 'NL-1|NL-1|FREIGHT', ''),
  fc.constantFrom('1', '2', '1|2', '1|1|1', '99', 'x', ''),
)

/** How many pieces the body of a draft orders. */
function quantityOf(draft: Draft): number {
  const lines = (draft.body?.['order_lines'] ?? []) as { quantity: number }[]
  return lines.reduce((sum, { quantity }) => sum + quantity, 0)
}

/** How many pieces the rows of a record ask for. */
function askedOf(rows: readonly (readonly string[])[]): number {
  const pieces = rows.flatMap(([, , , , skus = '', quantities = '']) =>
    skus.split('|').map((sku, index) => (sku === 'FREIGHT' ? 0 : Number(quantities.split('|')[index]))),
  )
  return pieces.reduce((sum, quantity) => sum + quantity, 0)
}

test('every row is in one draft, and a draft is whole, refused or skipped', async () => {
  const schema = OPERATIONS['create-order'].body
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 12 }), async (rows) => {
      const file = sheet([HEADER, ...rows.map((cells) => cells.join(','))].join('\n'))
      const drafts = await draftsOf(MAPPING, file)

      const lines = drafts.flatMap((draft) => [...new Set(draft.lines.map(([line]) => line))])
      expect(lines.toSorted((a, b) => a - b)).toEqual(file.rows.map(({ line }) => line))
      for (const draft of drafts) {
        expect(draft.body === undefined).toBe(draft.problems.length > 0)
        expect(draft.skipped === true).toBe(draft.problems.some(({ code }) => code === 'left-out'))
        if (draft.body === undefined) continue
        expect(schema.safeParse(draft.body).success).toBe(true)
        const own = [...new Set(draft.lines.map(([line]) => line))].map((line) => rows[line - 2] ?? [])
        expect(quantityOf(draft)).toBe(askedOf(own))
        expect(own.some(([status = '']) => /^(ready|new)$/i.test(status))).toBe(true)
      }
    }),
    { numRuns: 300 },
  )
})
