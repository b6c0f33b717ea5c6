/** `segments` of an export: every error with its line and column, and which records are held. */
import { expect, test } from 'vitest'
import { createExampleEnvelope, type Envelope } from '../../src/domain/format.ts'
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

async function composeInvoice(
  segments: string,
  record: Readonly<Record<string, unknown>> = {},
  { write = '', envelope = {} }: { write?: string; envelope?: Partial<Envelope> } = {},
) {
  const mapping = await mappingOf(`operation: export-invoices
write: { format: x12, document: 810${write} }
segments:
  - BIG: { '01': invoiced_at, '02': invoice_number }
${segments}
  - TDS: { '01': due_amount }
`)
  if (mapping.direction !== 'outbound') throw new Error('not an export')
  const own = { invoiced_at: '2026-11-20T03:15:00Z', invoice_number: 'N-1', due_amount: '50.57', ...record }
  const example = createExampleEnvelope('x12')
  if (example === undefined) throw new Error('no envelope')
  const composed = mapping.composer.composeRows(own, { ...example, ...envelope })
  return 'rows' in composed
    ? composed.rows.slice(1).map((row) => row.join('*'))
    : composed.problems.map(({ code, place }) => `${code} ${place.column ?? place.field ?? ''}`)
}

const SEGMENT_ERRORS = [
  ["  - CTT: { '01': { count: IT1, pad: { to: 5, with: '0' } } }", 'a count of segments takes no `pad`'],
  ["  - CTT: { '01': { count: PO1 } }", '810 has no segment PO1'],
  [
    "  - REF*IA: { '02': { count: IT1 } }",
    'IT1 is counted before it is written: count it behind the last of them',
  ],
  ['  - PER*IC: { TE: id, EM: id, FX: id, UR: id }', 'PER has room for 3 pairs'],
  [
    "  - PER*IC: { '04': id, TE: invoice_number }",
    'PER*IC.04 stands where the pairs stand: write it as a pair, by its qualifier',
  ],
] as const

test.each(SEGMENT_ERRORS)('%s is an error of the mapping', async (segment, message) => {
  const text = `operation: export-invoices
write: { format: x12, document: 810 }
segments:
  - BIG: { '01': invoiced_at, '02': invoice_number }
${segment}
  - TDS: { '01': due_amount }
`
  expect((await errorsOf(text)).join('\n')).toContain(message)
})

test('all records of a document with levels cannot share a set', async () => {
  const text = `operation: export-shipments
write: { format: x12, document: 856, set: file }
segments:
  - BSN: { '01': { const: '00' }, '02': $interchange, date: $date }
  - each: record
    in: [HL*S: { in: [REF*CN: { '02': tracking_number }] }]
`
  expect((await errorsOf(text)).join('\n')).toContain('`set: file` is for documents without levels')
})

test('a document without a line is held', async () => {
  const lines =
    "  - each: invoice_lines\n    in: [IT1: { '02': invoice_lines.quantity, '04': invoice_lines.price }]"

  expect(await composeInvoice(lines, { invoice_lines: [] })).toEqual(['value-missing invoice_lines'])
})

test('an element of a date takes nothing else', async () => {
  const text = "  - DTM*003: { '02': { from: purchase_order_number, long: cut } }"

  expect(await composeInvoice(text, { purchase_order_number: 'HV-10001' })).toEqual([
    'date-expected DTM*003.02',
  ])
})

test('a delimiter in a value becomes a blank, also where `replace` is one, and holds the record with `clash`', async () => {
  const text = "  - REF*VR: { '02': brand.name }"
  const record = { brand: { name: 'A*B~C^D>E' } }

  expect(await composeInvoice(text, record)).toContain('REF*VR*A B C^D E')
  expect(await composeInvoice(text, record, { write: ", replace: '*'" })).toContain('REF*VR*A B C^D E')
  expect(await composeInvoice(text, record, { write: ", replace: '-'" })).toContain('REF*VR*A-B-C^D-E')
  // Elements repeat from 00402 on.
  expect(await composeInvoice(text, record, { envelope: { version: '005010' } })).toContain(
    'REF*VR*A B C D E',
  )
  expect(await composeInvoice(text, record, { write: ', clash: hold' })).toEqual([
    'character-unwritable REF*VR.02',
  ])
})

test('a value longer than its element is held, whatever `width` says, and cut where the mapping says so', async () => {
  const record = { currency: 'DOLLARS' }

  expect(
    await composeInvoice("  - CUR: { '01': { const: SE }, '02': { from: currency, width: 9 } }", record),
  ).toEqual(['value-too-wide CUR.02'])
  expect(
    await composeInvoice("  - CUR: { '01': { const: SE }, '02': { from: currency, long: cut } }", record),
  ).toContain('CUR*SE*DOL')
})

// Constants of elements are checked when the mapping is compiled, for every record would be held for them.

const CONSTANT_ERRORS = [
  ["  - CUR: { '01': { const: SELLER }, '02': currency }", '"SELLER" has 6 characters; the column takes 3'],
  ["  - CUR: { '01': { const: S }, '02': currency }", '"S" has 1 characters; CUR.01 takes at least 2'],
  ["  - ITD: { '01': { const: '01' }, '07': { const: soon } }", '"soon" is no number, and ITD.07 takes one'],
  [
    "  - ITD: { '01': { const: '01' }, '07': { const: '30.5' } }",
    '"30.5" has more than the 0 decimals of ITD.07',
  ],
  ["  - ITD: { '01': { const: '01' }, '07': { const: 12345 } }", '12345 has 5 digits; ITD.07 takes 3'],
  ["  - DTM*003: { '02': { const: tomorrow } }", '"tomorrow" is no date as DTM*003.02 takes it'],
  ["  - DTM*003: { '02': { from: invoiced_at, default: NONE } }", '"NONE" is no date as DTM*003.02 takes it'],
  [
    "  - CUR: { '01': { from: is_acknowledged, yes: BUYER, no: SE }, '02': currency }",
    '"BUYER" has 5 characters; CUR.01 takes 3',
  ],
  [
    "  - ITD: { '07': { from: terms_net_days_due, default: none } }",
    '"none" is no number, and ITD.07 takes one',
  ],
  ["  - REF*VRXX: { '02': id }", '"VRXX" has 4 characters; REF*VRXX.01 takes 2 to 3'],
] as const

test.each(CONSTANT_ERRORS)('%s has a constant that fits no record', async (segment, message) => {
  const text = `operation: export-invoices
write: { format: x12, document: 810 }
segments:
  - BIG: { '01': invoiced_at, '02': invoice_number }
${segment}
  - TDS: { '01': due_amount }
`
  const errors = await errorsOf(text)

  expect(errors.join('\n')).toContain(message)
  expect(errors[0]).toMatch(/^5:\d+ segments\[1\]/)
})

test('constants that fit are no errors, nor one with a character that is only a delimiter of some partners', async () => {
  expect(await composeInvoice("  - REF*VR: { '02': { const: 'A+B' } }")).toContain('REF*VR*A+B')
  expect(
    await composeInvoice("  - CUR: { '01': { const: SE }, '02': { from: currency, default: USD } }", {
      currency: 'CAD',
    }),
  ).toContain('CUR*SE*CAD')
})

test('a code that is not known here is a warning with its line and column, for it may be the own of a partner', async () => {
  const mapping = await mappingOf(`operation: export-invoices
write: { format: x12, document: 810 }
segments:
  - BIG: { '01': invoiced_at, '02': invoice_number, '08': { const: '00' } }
  - CUR: { '01': { const: SX }, '02': currency }
  - N1*XQ: { '02': brand.name }
  - each: invoice_lines
    in: [IT1: { '02': invoice_lines.quantity, '03': { const: EA }, '04': invoice_lines.price, QQ: invoice_lines.variant.upc }]
  - TDS: { '01': due_amount }
`)

  expect(mapping.warnings.map((each) => each.replace(/^.*?(\d+:\d+)/, '$1'))).toMatchInlineSnapshot(`
    [
      "5:27 segments[1].CUR.01.const: "SX" is no code of CUR.01 that is known here: BO (broker), BS (bill and ship to), BT (bill to), BY (buyer), CA (carrier), CN (consignee), IA (installed at), II (issuer of invoice) and others",
      "6:5 segments[2].N1*XQ: "XQ" is no code of N1*XQ.01 that is known here: BO (broker), BS (bill and ship to), BT (bill to), BY (buyer), CA (carrier), CN (consignee), IA (installed at), II (issuer of invoice) and others",
      "8:95 segments[3].in[0].IT1.QQ: "QQ" is no code of IT1.QQ that is known here: BL (brand), BO (color), BP (buyer's part), CB (buyer's catalog number), EN (EAN), IN (buyer's item), IZ (buyer's size), MG (maker's part) and others",
      "The mapping carries no example, so nothing shows that it does what is meant. Add one: \`examples\` in docs/mapping.md.",
    ]
  `)
})
