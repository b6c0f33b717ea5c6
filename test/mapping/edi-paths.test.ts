/** Errors of mappings for documents of X12 and EDIFACT: each has its place and says what is meant, and all come at once. */
import { describe, expect, test } from 'vitest'
import { errorsOf as listErrors } from './sheet.ts'

/** `4:26: message`, without the key. */
async function errorsOf(text: string): Promise<string[]> {
  return (await listErrors(text)).map((error) => error.replace(/^(\d+:\d+) [^:]*:/, '$1:'))
}

const mapping = (lines: string, read = 'read: { format: x12, document: 850 }') => `operation: create-order
${read}
body:
${lines}
`

describe('paths that lead nowhere', () => {
  test('are all told at once, each with its line and column', async () => {
    const errors = await errorsOf(
      mapping(`  purchase_order_number: BEQ.03
  customer_order_number: BEG.99
  ordered_at: BEG*00.05
  ship_to:
    name1: REF*ST/N4.01
    city: PO1.02
    street1: N1*ST/PO1.02
    province: N1*ST
    postal_code: BEG.UP
    phone1: REF.date`),
    )

    const told = errors.filter((error) => /^\d+:\d+/.test(error))
    expect(told.filter((error) => /BE[QG]|REF|PO1|N1/.test(error))).toEqual([
      '4:26: 850 has no segment BEQ. Did you mean "BEG"?',
      expect.stringMatching(/^5:26: BEG has \d+ elements, and no 99$/),
      '6:15: BEG has no qualifier: write BEG*01=00 if its element 01 is meant',
      expect.stringMatching(/^8:12: REF begins no loop of 850, so nothing is in it\./),
      expect.stringMatching(/^9:11: PO1\.02 has a value for each PO1/),
      expect.stringMatching(/^10:14: the loop of N1 in 850 has no PO1/),
      '11:15: N1*ST names no value: write an element, such as N1*ST.02',
      '12:18: BEG has no pairs, so BEG.UP means nothing',
      '13:13: REF holds no date',
    ])
  })

  test('in conditions and gathered values are told too', async () => {
    const errors = await errorsOf(`operation: create-order
read: { format: x12, document: 850 }
only: { BEQ.02: [DS] }
body:
  purchase_order_number: BEG.03
  gift_message: { every: N9*L1/MSQ.01 }
`)

    expect(errors).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^3:\d+: 850 has no segment BEQ/),
        expect.stringMatching(/^6:\d+: 850 has no segment MSQ\. Did you mean "MSG"\?/),
      ]),
    )
  })

  test('in EDIFACT name data elements that are not there', async () => {
    const errors = await errorsOf(
      mapping('  purchase_order_number: BGM.9999', 'read: { format: edifact, document: ORDERS }'),
    )

    expect(errors).toEqual(
      expect.arrayContaining([expect.stringMatching(/^4:\d+: BGM has no data element 9999\. It has .*1004/)]),
    )
  })
})

describe('keys of `read`', () => {
  test.each([
    ['no document', 'read: { format: x12 }', /^2:\d+: document is missing.*`document: 850`/],
    [
      'an unknown document',
      'read: { format: x12, document: 851 }',
      /^2:\d+: there is no grammar for 851\..* 850/,
    ],
    [
      'a loop that is none',
      'read: { format: x12, document: 856, loops: { record: PRF } }',
      /PRF begins no loop of 856/,
    ],
    [
      'a key of CSV',
      'read: { format: x12, document: 850, delimiter: ";" }',
      /`format: x12` has no use for this/,
    ],
    ['a document in CSV', 'read: { format: csv, document: 850 }', /for `format: x12` and `format: edifact`/],
  ])('%s is an error', async (_, read, expected) => {
    const errors = await errorsOf(mapping('  purchase_order_number: BEG.03', read))

    expect(errors).toEqual(expect.arrayContaining([expect.stringMatching(expected)]))
  })
})
