/** `segments` of an export: every error with its line and column, and which records are held. */
import { expect, test } from 'vitest'
import { createExampleEnvelope } from '../../src/domain/format.ts'
import { errorsOf, mappingOf } from './sheet.ts'

test('every error of the segments is reported with its line and column', async () => {
  const text = `operation: export-invoices
write: { format: x12, document: 810 }
columns: { A: id }
segments:
  - BIG: { '01': invoiced_at }
  - ZZZ: { '01': id }
  - REF*VR*IA: { '02': id }
  - CUR: { '01': { const: SE }, '02': currency, in: [] }
  - CTT: { '01': { count: IT1 } }
  - REF*CO: { '02': id }
  - each: invoice_lines
    in:
      - IT1: { '02': invoice_lines.quantity }
      - SAC*A: { '05': invoice_lines.price }
`
  expect(await errorsOf(text)).toMatchInlineSnapshot(`
    [
      "3:1 columns: a document has \`segments\`, and no \`columns\`",
      "5:5 segments[0]: 810 needs the segment TDS",
      "5:10 segments[0].BIG: BIG.02 must be there: say what stands in it",
      "6:5 segments[1].ZZZ: 810 has no segment ZZZ.",
      "7:5 segments[2].REF*VR*IA: "REF*VR*IA" is no segment: write its id, and a qualifier behind * or +, such as N1*ST",
      "8:5 segments[3].CUR: CUR stands before REF in the document",
      "8:53 segments[3].CUR.in: CUR begins no loop, so nothing stands in it",
      "10:5 segments[5].REF*CO: REF stands before CTT in the document",
      "13:7 segments[6].in: the segments of all items stand together, so IT1 and SAC each need an \`each\` of their own",
      "13:9 segments[6].in[0].IT1: IT1 stands before CTT in the document",
      "14:9 segments[6].in[1].SAC*A: SAC stands before CTT in the document",
    ]
  `)
})

async function composeOrder(gift: readonly string[], lines: readonly unknown[]) {
  const mapping = await mappingOf(`operation: export-orders
write: { format: x12, document: 850 }
segments:
  - BEG: { '01': { const: '00' }, '02': { const: DS }, '03': purchase_order_number, '05': { const: '20261116' } }
  - REF*CO: { '02': { from: customer_order_number, default: NONE } }
  - each: gift_message
    in: [N9*L1: { in: [MSG: { '01': gift_message }] }]
  - each: order_lines
    in: [PO1: { '02': { from: order_lines.quantity, minus: order_lines.quantity_canceled }, UP: order_lines.variant.upc, SK: order_lines.variant.identifier }]
`)
  if (mapping.direction !== 'outbound') throw new Error('not an export')
  const record = { purchase_order_number: 'HV-1', gift_message: gift, order_lines: lines }
  const composed = mapping.composer.composeRows(record, createExampleEnvelope('x12'))
  return 'rows' in composed
    ? composed.rows.slice(1).map((row) => row.join('*'))
    : composed.problems.map(({ code, place }) => `${code} ${place.column ?? ''}`)
}

const LINE = { quantity: 3, quantity_canceled: 1, variant: { upc: null, identifier: 'NL-1' } }

test('a blank value takes no pair, and a default alone makes no segment', async () => {
  expect(await composeOrder(['Hi'], [LINE])).toEqual([
    'BEG*00*DS*HV-1**20261116',
    'N9*L1',
    'MSG*Hi',
    'PO1**2****SK*NL-1',
  ])
})

test('a record of which a value cannot be written is held, although its segment would be left out', async () => {
  expect(await composeOrder(['😀'], [LINE])).toEqual(['character-unwritable N9*L1/MSG.01'])
})

test('a record without a segment that must be there is held', async () => {
  expect(await composeOrder([], [])).toEqual(['value-missing PO1'])
})
