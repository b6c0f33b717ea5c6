/** Values that do not fit a document: each is written otherwise, or its record is held; never does the file have a fault. */
import { describe, expect, test } from 'vitest'
import type { Envelope } from '../../src/domain/format.ts'
import { type ApiRecord, checkFile, exportRecords } from '../formats/edi/exported.ts'
import { mappingOf } from './sheet.ts'

const X12 = `operation: export-invoices
write: { format: x12, document: 810 }
segments:
  - BIG: { '01': invoiced_at, '02': invoice_number, '04': { from: purchase_order_number, required: true } }
  - REF*VR: { '02': brand.name }
  - N1*RI: { '02': remit_to.name1, in: [N2: { '01': { from: remit_to.name2, long: cut } }] }
  - each: invoice_lines
    in: [IT1: { '02': invoice_lines.quantity, '04': invoice_lines.price, SK: invoice_lines.variant.identifier }]
  - TDS: { '01': due_amount }
  - CTT: { '01': { count: IT1 } }
`
const EDIFACT = `operation: export-invoices
write: { format: edifact, document: INVOIC }
segments:
  - BGM: { '1001': { const: '380' }, '1004': invoice_number, '1225': { const: '9' } }
  - DTM+137: { date: invoiced_at }
  - RFF+ON: { '1154': { from: purchase_order_number, required: true } }
  - RFF+VN: { '1154': brand.name }
  - NAD+RE: { '04-1': remit_to.name1, '04-2': { from: remit_to.name2, long: cut } }
  - each: invoice_lines
    in:
      - LIN: { in: [PIA+5: { SA: invoice_lines.variant.identifier }, QTY+47: { '6060': invoice_lines.quantity }, PRI+AAA: { '5118': invoice_lines.price }] }
  - UNS: { '01': { const: S } }
  - CNT+2: { '6066': { count: LIN } }
  - MOA+77: { '5004': due_amount }
`
const MAPPINGS = { x12: X12, edifact: EDIFACT } as const
type Syntax = keyof typeof MAPPINGS

const GOOD: ApiRecord = {
  invoice_number: 'N-1',
  purchase_order_number: 'HV-1',
  invoiced_at: '2026-11-20T12:00:00Z',
  brand: { name: 'Northlight' },
  remit_to: { name1: 'Bank', name2: 'Floor' },
  invoice_lines: [{ quantity: 1, price: '1.00', variant: { identifier: 'NL-1' } }],
  due_amount: '1.00',
}
const aLine = (more: ApiRecord): ApiRecord => ({
  invoice_lines: [{ quantity: 1, price: '1.00', variant: { identifier: 'NL-1' }, ...more }],
})

interface Change {
  /** Behind `write: { `. */
  readonly write?: string
  readonly envelope?: Partial<Envelope>
}

/**
 * The segments of the record, with the segments of a good one before and behind it; or the codes of why it is held. The file is
 * always one in which the checker finds nothing.
 */
async function write(syntax: Syntax, more: ApiRecord, { write = '', envelope = {} }: Change = {}) {
  const mapping = await mappingOf(MAPPINGS[syntax].replace('write: { ', `write: { ${write}`))
  if (mapping.direction !== 'outbound') throw new Error('not an export')
  const written = exportRecords(mapping.composer, [GOOD, { ...GOOD, ...more }, GOOD], envelope)
  const { faults, segments, sets } = await checkFile(written.bytes)
  expect(faults).toEqual([])
  const problems = written.records.flatMap((each) =>
    each.problems.map(({ code, place }) => `${code} ${place.column}`),
  )
  expect(sets).toBe(problems.length === 0 ? 3 : 2)
  const end = envelope.delimiters?.segment ?? (syntax === 'x12' ? '~' : "'")
  const text = written.bytes.toString('latin1')
  const warnings = written.records.flatMap((each) => each.warnings.map(({ code }) => code))
  if (problems.length > 0) return { problems, warnings, text: '', segments: 0 }
  const beginning = syntax === 'x12' ? 'ST' : 'UNH'
  const set = text.split(`${end}\n${beginning}`)[2] ?? ''
  return { problems, warnings, text: set, segments: segments.length }
}

/** The segment of this beginning, without its terminator. */
const segmentOf = (set: string, beginning: string) =>
  set
    .split(/[~']\n/)
    .find((each) => each.startsWith(beginning))
    ?.slice(beginning.length)

describe.each(['x12', 'edifact'] as const)('%s', (syntax) => {
  const isX12 = syntax === 'x12'
  const brandAs = isX12 ? 'REF*VR*' : 'RFF+VN:'
  const name2As = isX12 ? 'N2*' : 'NAD+RE+++Bank:'
  const brandAt = isX12 ? 'REF*VR.02' : 'RFF+VN.1154'
  const brand = async (name: string, change?: Change) => {
    const { text, problems, warnings } = await write(syntax, { brand: { name } }, change)
    return problems.length > 0 ? problems : { text: segmentOf(text, brandAs), warnings }
  }
  const replaced = isX12 ? ['character-replaced'] : []

  test.each([
    ['A*B', 'A B', 'A*B'],
    ['A~B', 'A B', 'A~B'],
    ['A>B', 'A B', 'A>B'],
    ['*A*', 'A', '*A*'],
    ['A~SE*1*0001~B', 'A SE 1 0001 B', 'A~SE*1*0001~B'],
  ])('a delimiter of X12 in %j', async (name, x12, edifact) => {
    expect(await brand(name)).toEqual({ text: isX12 ? x12 : edifact, warnings: replaced })
  })

  test.each([
    ["A'B", "A'B", "A?'B"],
    ['A+B:C', 'A+B:C', 'A?+B?:C'],
    ['A?', 'A?', 'A??'],
    ["A?'", "A?'", "A???'"],
    ["'UNT+1+1'", "'UNT+1+1'", "?'UNT?+1?+1?'"],
  ])('a delimiter of EDIFACT in %j', async (name, x12, edifact) => {
    // The end of a segment may be data here, so the text of the set is asked for the whole.
    const { text } = await write(syntax, { brand: { name } })
    expect(text).toContain(`${brandAs}${isX12 ? x12 : edifact}${isX12 ? '~' : "'"}\n`)
  })

  test.each(['A\nB', 'A\r\nB', 'A\tB', 'A\u0000B', 'A\u001fB', 'A\u007fB', 'A\u0085B', '\nA B\n'])(
    'a line break or a control in %j is a blank',
    async (name) => {
      expect(await brand(name)).toEqual({ text: 'A B', warnings: [] })
    },
  )

  test('é is e where the file is plain ASCII, and stays where it is Latin-1', async () => {
    expect(await brand('Café Groß')).toEqual({ text: isX12 ? 'Cafe Gross' : 'Café Groß', warnings: [] })
    // Written as two characters that are one letter.
    expect(await brand('Cafe\u0301')).toEqual({ text: isX12 ? 'Cafe' : 'Café', warnings: [] })
  })

  test.each(['A 😀', '王', 'Ж', '\ud800'])(
    'a letter that the file has not holds the record: %j',
    async (name) => {
      expect(await brand(name)).toEqual([`character-unwritable ${brandAt}`])
      expect(await brand(name, { write: "replace: '-', " })).toMatchObject({
        text: name.startsWith('A') ? 'A -' : '-',
      })
    },
  )

  test('a name of 300 characters holds the record, and is cut where the mapping says so', async () => {
    const long = 'n'.repeat(300)
    expect(await brand(long)).toEqual([`value-too-wide ${brandAt}`])

    const { text } = await write(syntax, { remit_to: { name1: 'Bank', name2: long } })
    expect(segmentOf(text, name2As)).toBe('n'.repeat(isX12 ? 60 : 35))
  })

  test('a cut never ends in a blank, and counts characters before they are released', async () => {
    const name2 = `${'n'.repeat(isX12 ? 59 : 34)} ${'m'.repeat(9)}`
    const { text } = await write(syntax, { remit_to: { name1: 'Bank', name2 } })
    expect(segmentOf(text, name2As)).toBe('n'.repeat(isX12 ? 59 : 34))

    const released = await write(syntax, { remit_to: { name1: 'Bank', name2: '+'.repeat(40) } })
    expect(segmentOf(released.text, name2As)).toBe(isX12 ? '+'.repeat(40) : '?+'.repeat(35))
  })

  test('a purchase order of 22, 23, 35 and 36 characters', async () => {
    const poAt = isX12 ? 'BIG.04' : 'RFF+ON.1154'
    for (const length of [22, 23, 35, 36]) {
      const { problems } = await write(syntax, { purchase_order_number: 'P'.repeat(length) })
      expect(problems, String(length)).toEqual(length <= (isX12 ? 22 : 35) ? [] : [`value-too-wide ${poAt}`])
    }
  })

  test.each([
    ['0', '0', '0'],
    ['0.00', '0', '0'],
    ['0.5', '0.5', '50'],
    ['0.50', '0.5', '50'],
    ['12.00', '12', '1200'],
    ['1234567.89', '1234567.89', '123456789'],
    ['-1', '-1', '-100'],
    ['-0.05', '-0.05', '-5'],
  ])('the amount %s', async (amount, decimal, implied) => {
    const { text } = await write(syntax, { ...aLine({ price: amount }), due_amount: amount })

    expect(segmentOf(text, isX12 ? 'IT1**1**' : 'PRI+AAA:')?.split('*')[0]).toBe(decimal)
    expect(segmentOf(text, isX12 ? 'TDS*' : 'MOA+77:')).toBe(isX12 ? implied : decimal)
  })

  test('an amount that is no number, or has more decimals than are implied, holds the record', async () => {
    const at = isX12 ? 'TDS.01' : 'MOA+77.5004'
    expect((await write(syntax, { due_amount: 'ten' })).problems).toEqual([`decimal-expected ${at}`])
    expect((await write(syntax, { due_amount: '1e3' })).problems).toEqual([`decimal-expected ${at}`])
    const { problems } = await write(syntax, { due_amount: '0.005' })
    expect(problems).toEqual(isX12 ? [`decimal-expected ${at}`] : [])
  })

  test.each(['', ' ', '\t', '\u0000', null, undefined, '*'])(
    'a mandatory value that is %j holds the record',
    async (value) => {
      const isKept = value === '*' && !isX12
      const number = await write(syntax, { invoice_number: value })
      expect(number.problems).toEqual(isKept ? [] : [`value-missing ${isX12 ? 'BIG.02' : 'BGM'}`])
      const order = await write(syntax, { purchase_order_number: value })
      expect(order.problems).toEqual(isKept ? [] : [`value-missing ${isX12 ? 'BIG.04' : 'RFF+ON.1154'}`])
    },
  )

  test('an optional value that is blank leaves no empty segment behind, and no separator at the end', async () => {
    const { text } = await write(syntax, { brand: { name: ' ' }, remit_to: null })

    expect(text).not.toMatch(/REF|RFF.VN|N1|N2|NAD/)
    expect(text).not.toMatch(/[*+:>][~']/)
  })

  test('the delimiters of a partner are kept out of values, and no others', async () => {
    const own = { element: '|', component: ';', repetition: '!', segment: isX12 ? '~' : "'", newline: '\n' }
    const { text, warnings } = await write(
      syntax,
      { brand: { name: 'A|B;C*D+E' } },
      { envelope: { delimiters: own } },
    )
    expect(text).toContain(isX12 ? 'REF|VR|A B C*D+E~' : "RFF|VN;A?|B?;C*D+E'")
    expect(warnings).toEqual(replaced)
  })
})

test('with control characters as delimiters, X12 keeps every printable one', async () => {
  const delimiters = {
    element: '\u001d',
    component: '\u001f',
    repetition: '\u001e',
    segment: '\u001c',
    newline: '\n',
  }
  const { text, warnings } = await write(
    'x12',
    { brand: { name: 'A*B~C>D^E' } },
    { envelope: { delimiters } },
  )

  expect(text).toContain('REF\u001dVR\u001dA*B~C>D^E\u001c')
  expect(warnings).toEqual([])
})
