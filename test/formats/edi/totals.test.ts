/** Totals of documents that disagree with their lines: a warning of the record, or a note where records are parts of a document. */
import { describe, expect, test } from 'vitest'
import { formatPlace } from '../../../src/domain/place.ts'
import { inspectInterchanges } from '../../../src/formats/edi/inspection.ts'
import {
  dress,
  make810,
  make846,
  make850,
  make855,
  make856,
  make860,
  makeDesadv,
  makeInterchange,
  makeInvoic,
  makeInvrpt,
  makeLevels,
  makeOrders,
  type MadeDocument,
  type MadeSegment,
} from '../../fixtures/edi-maker.ts'
import { outcomeOf, readReady, toInput } from './tools.ts'

const ADDRESS = {
  role: 'ST',
  name: 'Ada Whitfield',
  street: ['1 Mill Lane'],
  city: 'Portland',
  province: 'ME',
  postalCode: '04101',
  country: 'US',
}

const line = (quantity: number, price: string, upc = '086000100087') => ({
  quantity,
  price,
  retail: '20.00',
  pairs: [['UP', upc] as const],
})

const LINES = [line(2, '31.46'), line(1, '41.57', '086000100117')]

const order = (more: Partial<Parameters<typeof make850>[0]> = {}) =>
  make850({
    po: 'HV-1',
    carrier: ['TD5', '', '', '', '', 'FedEx Ground'],
    addresses: [ADDRESS],
    lines: LINES,
    ...more,
  })

/** The warnings of the one record, which is taken. */
async function warningsOf(mapping: string, made: MadeDocument): Promise<string[]> {
  const { drafts } = await readReady(mapping, made)
  expect(drafts.map(outcomeOf)).toEqual(['taken'])
  return drafts.flatMap(({ warnings = [] }) =>
    warnings.map(({ code, message, place }) => `${code}: ${formatPlace(place)}: ${message}`),
  )
}

describe('of an 850', () => {
  test('that are right, or not there, say nothing', async () => {
    const right = order({ total: '104.49', counts: [2, 3] })
    const bare = { ...right, segments: right.segments.filter(([id]) => id !== 'CTT' && id !== 'AMT') }

    expect(await warningsOf('x12/850-orders', right)).toEqual([])
    expect(await warningsOf('x12/850-orders', bare)).toEqual([])
  })

  test('that are wrong are warnings with the segment and the element', async () => {
    // ISA 1, GS 2, ST 3, BEG 4, TD5 5, N1 6, N3 7, N4 8, PO1 9, CTP 10, PO1 11, CTP 12, CTT 13, AMT 14.
    expect(await warningsOf('x12/850-orders', order({ total: '100', counts: [3, 4] }))).toEqual([
      expect.stringMatching(
        /^totals-disagree: segment 13 \(CTT\), element 01, byte \d+, set 000000101\/101\/0001: CTT\.01 says "3", and count\(\) gives 2\.$/,
      ),
      expect.stringMatching(
        /segment 13 \(CTT\), element 02, .*: CTT\.02 says "4", and sum\(\[PO1\.02\]\) gives 3\.$/,
      ),
      expect.stringMatching(
        /segment 14 \(AMT\), element 02, .*: AMT\*TT\.02 says "100", and .* gives 104\.49/,
      ),
    ])
  })

  test('may hold charges and allowances of the order and of its lines', async () => {
    const charges: MadeSegment[] = [
      ['SAC', 'C', 'D240', '', '', '1000'],
      ['SAC', 'A', 'C310', '', '', '250'],
    ]
    const made = order({ total: '113.99', more: charges.slice(0, 1) })
    const at = made.segments.findIndex(([id]) => id === 'CTT')
    const ofLine: MadeSegment[] = [['SAC', 'C', 'D240', '', '', '200'], ...charges.slice(1)]
    const whole = { ...made, segments: made.segments.toSpliced(at, 0, ...ofLine) }

    expect(await warningsOf('x12/850-orders', whole)).toEqual([])
  })
})

describe('of an 810', () => {
  const invoice = (more: Partial<Parameters<typeof make810>[0]> = {}) =>
    make810({ number: 'INV-1', po: 'HV-1', lines: LINES, ...more })
  const charges = [
    { kind: 'C', code: 'D240', cents: 995, text: 'Freight' },
    { kind: 'A', code: 'C310', cents: 500, text: 'Discount' },
  ] as const

  test('are the lines with charges and without allowances', async () => {
    expect(await warningsOf('x12/810-invoices', invoice())).toEqual([])
    expect(await warningsOf('x12/810-invoices', invoice({ charges }))).toEqual([])
    expect(await warningsOf('x12/810-invoices', invoice({ total: '104.49' }))).toEqual([])
  })

  test('that are wrong are a warning', async () => {
    const [warning] = await warningsOf('x12/810-invoices', invoice({ charges, total: '10449' }))

    expect(warning).toMatch(
      /segment \d+ \(TDS\), element 01, .*: TDS\.01 says "104\.49", and .* gives 109\.44/,
    )
  })

  test('may hold taxes', async () => {
    const made = invoice({ total: '11284' })
    const at = made.segments.findIndex(([id]) => id === 'TDS') + 1
    const taxed = { ...made, segments: made.segments.toSpliced(at, 0, ['TXI', 'ST', '8.35']) }

    expect(await warningsOf('x12/810-invoices', taxed)).toEqual([])
  })
})

test('of an 855 count the lines of the order, and not their answers', async () => {
  const acks = [
    { status: 'IA', quantity: 1 },
    { status: 'IA', quantity: 1 },
  ]
  const made = make855({ po: 'HV-1', lines: [{ ...line(2, '31.46'), acks }] })

  expect(await warningsOf('x12/855-acknowledgements', made)).toEqual([])
})

test('of an 860 count all changed lines', async () => {
  const lines = [
    { change: 'DI', quantity: 1, pairs: [['UP', '086000100087'] as const] },
    { change: 'NC', quantity: 1, pairs: [['UP', '086000100117'] as const] },
  ]
  const made = make860({ po: 'HV-1', lines })
  const wrong = {
    ...made,
    segments: made.segments.map((each): MadeSegment => (each[0] === 'CTT' ? ['CTT', 1] : each)),
  }

  expect(await warningsOf('x12/860-cancel-lines', made)).toEqual([])
  expect(await warningsOf('x12/860-cancel-lines', wrong)).toEqual([
    expect.stringMatching(/\(CTT\), element 01, .*: CTT\.01 says "1", and \[count POC\.02\] gives 2\.$/),
  ])
})

describe('of EDIFACT', () => {
  const message = {
    number: 'HV-1',
    parties: [
      {
        role: 'DP',
        names: ['Ada Whitfield'],
        street: ['1 Mill Lane'],
        city: 'Portland',
        province: 'ME',
        postalCode: '04101',
        country: 'US',
      },
    ],
    transport: ['TDT', '20', '', '', '', ['', '', '', 'FedEx Ground']] as MadeSegment,
    references: { ON: 'HV-1' },
    dates: { 13: '20261219', 137: '20261119' },
  }
  const ordered = [
    { item: ['086000100087', 'UP'] as const, quantities: { 21: 2 }, prices: { AAA: 31.46, INF: 60 } },
    { item: ['086000100117', 'UP'] as const, quantities: { 21: 1 }, prices: { AAA: 41.57, INF: 80 } },
  ]
  const billed = ordered.map(({ item, prices }, index) => ({ item, prices, quantities: { 47: 2 - index } }))

  test('ORDERS compare lines, quantities and amounts', async () => {
    const orders = (totals: Record<string, number>) => makeOrders({ ...message, lines: ordered, totals })

    expect(await warningsOf('edifact/orders', orders({ 79: 104.49 }))).toEqual([])
    expect(await warningsOf('edifact/orders', orders({ 79: 100 }))).toEqual([
      expect.stringMatching(
        /segment \d+ \(MOA\), element 01-2, .*: MOA\+79\.5004 says "100", and .* gives 104\.49/,
      ),
    ])
  })

  test('INVOIC may hold charges of the invoice', async () => {
    const invoice = (totals: Record<string, number>, more: MadeSegment[] = []) =>
      makeInvoic({ ...message, lines: billed, totals, more })
    const freight: MadeSegment[] = [
      ['ALC', 'C'],
      ['MOA', ['8', 9.95]],
    ]

    expect(await warningsOf('edifact/invoic', invoice({ 79: 104.49, 9: 104.49 }))).toEqual([])
    expect(await warningsOf('edifact/invoic', invoice({ 79: 104.49, 9: 114.44 }, freight))).toEqual([])
    expect(await warningsOf('edifact/invoic', invoice({ 79: 104.49, 9: 104.49 }, freight))).toEqual([
      expect.stringMatching(/MOA\+9\.5004 says "104\.49", and .* gives 114\.44/),
    ])
  })
})

describe('of documents whose records are parts of them', () => {
  const notesOf = async (syntax: 'x12' | 'edifact', made: MadeDocument, total?: MadeSegment) => {
    const segments = made.segments.map((each) => (total !== undefined && each[0] === total[0] ? total : each))
    const bytes = dress(makeInterchange({ syntax, groups: [{ sets: [{ ...made, segments }] }] }), {
      newline: '\n',
    })
    const { notes } = await inspectInterchanges(toInput(bytes))
    return notes.map(({ kind, id, element, message }) => `${kind} ${id} ${element}: ${message}`)
  }
  const items = [
    { quantity: 1, pairs: [['UP', '1'] as const] },
    { quantity: 2, pairs: [['UP', '2'] as const] },
  ]
  const levels = makeLevels({ orders: [{ po: 'HV-1', packs: [{ tracking: '1Z1', items }] }] })
  const stock = make846({ number: '1', items: [{ pairs: [['UP', '1']], quantities: { 33: 1 } }] })

  test('an 856 may count its levels or its items', async () => {
    const notice = (counted: 'levels' | 'items') => make856({ number: '1', levels, counted })

    expect(await notesOf('x12', notice('levels'))).toEqual([])
    expect(await notesOf('x12', notice('items'))).toEqual([])
    expect(await notesOf('x12', notice('items'), ['CTT', 3])).toEqual([
      'line-count-differs CTT 1: CTT01 says 3, and the document has 5 HL and 2 HL*I.',
    ])
  })

  test('an 846 counts its items', async () => {
    expect(await notesOf('x12', stock)).toEqual([])
    expect(await notesOf('x12', stock, ['CTT', 'two'])).toEqual([
      'line-count-differs CTT 1: CTT01 says two, and the document has 1 LIN.',
    ])
  })

  test('DESADV and INVRPT count their lines', async () => {
    const lines = [{ item: ['1', 'UP'] as const, quantities: { 12: 1, 145: 1 } }]
    const notice = makeDesadv({ number: '1', parcels: [{ tracking: '1Z1', lines }] })
    const report = makeInvrpt({ number: '1', lines })

    expect(await notesOf('edifact', notice)).toEqual([])
    expect(await notesOf('edifact', notice, ['CNT', ['2', 4]])).toEqual([
      'line-count-differs CNT 1: CNT01-2 says 4, and the document has 1 LIN.',
    ])
    expect(await notesOf('edifact', report)).toEqual([])
  })
})
