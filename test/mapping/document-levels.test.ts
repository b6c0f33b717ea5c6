/** What documents that go out number and count by themselves: levels, pairs, segments, sets and groups. */
import { expect, test } from 'vitest'
import { createExampleEnvelope, type Envelope } from '../../src/domain/format.ts'
import { createInterchangeWriter } from '../../src/formats/edi/writer.ts'
import { type ApiRecord, checkFile, exportRecords, loadExport } from '../formats/edi/exported.ts'
import { mappingOf } from './sheet.ts'

async function composerOf(text: string) {
  const mapping = await mappingOf(text)
  if (mapping.direction !== 'outbound') throw new Error('not an export')
  return mapping.composer
}

/** The segments of the records' sets, in a file in which the checker finds nothing. */
async function write(text: string, records: readonly ApiRecord[], change: Partial<Envelope> = {}) {
  const { bytes, records: outcomes } = exportRecords(await composerOf(text), records, change)
  expect(outcomes.flatMap(({ problems }) => problems)).toEqual([])
  expect((await checkFile(bytes)).faults).toEqual([])
  return toSegments(bytes)
}

function toSegments(bytes: Buffer): string[] {
  return bytes
    .toString('latin1')
    .split('\n')
    .map((line) => line.slice(0, -1))
    .filter((line) => line !== '')
}

const only = (segments: readonly string[], ...ids: readonly string[]) =>
  segments.filter((segment) => ids.includes(/^[A-Z0-9]+/.exec(segment)?.[0] ?? ''))

const aLine = (number: number) => ({
  order_line_number: String(number),
  part: 1,
  quantity: number,
  variant: { upc: `08600010000${number}`, identifier: `NL-${number}` },
})

const aShipment = (lines: number, more: ApiRecord = {}): ApiRecord => ({
  id: 80_001,
  purchase_order_number: 'HV-1',
  tracking_number: 'T-1',
  shipped_at: '2026-11-19T00:30:00Z',
  shipment_lines: Array.from({ length: lines }, (_, index) => aLine(index + 1)),
  ...more,
})

// Levels.

const SHIP = `operation: export-shipments
write: { format: x12, document: 856 }
segments:
  - BSN: { '01': { const: '00' }, '02': id, date: shipped_at, '05': { const: '0001' } }
`
const ITEMS = `each: shipment_lines, in: [HL*I: { in: [LIN: { UP: shipment_lines.variant.upc }, SN1: { '02': shipment_lines.quantity, '03': { const: EA } }] }]`
const ORDER = "PRF: { '01': purchase_order_number }"

const TREES = [
  {
    levels: 'shipment, order, pack, items',
    text: `  - HL*S: { in: [HL*O: { in: [${ORDER}, HL*P: { in: [MAN*CP: { '02': tracking_number }, { ${ITEMS} }] }] }] }\n`,
    written: ['HL*1**S*1', 'HL*2*1*O*1', 'HL*3*2*P*1', 'HL*4*3*I*0', 'HL*5*3*I*0'],
  },
  {
    levels: 'shipment, order, items',
    text: `  - HL*S: { in: [HL*O: { in: [${ORDER}, { ${ITEMS} }] }] }\n`,
    written: ['HL*1**S*1', 'HL*2*1*O*1', 'HL*3*2*I*0', 'HL*4*2*I*0'],
  },
  {
    levels: 'shipment, order, items and behind them a pack',
    text: `  - HL*S: { in: [HL*O: { in: [${ORDER}, { ${ITEMS} }, HL*P: { in: [MAN*CP: { '02': tracking_number }] }] }] }\n`,
    written: ['HL*1**S*1', 'HL*2*1*O*1', 'HL*3*2*I*0', 'HL*4*2*I*0', 'HL*5*2*P*0'],
  },
  {
    levels: 'two packs beside each other',
    text: `  - HL*S: { in: [HL*O: { in: [${ORDER}, HL*P: { in: [MAN*CP: { '02': tracking_number }] }, HL*P: { in: [{ ${ITEMS} }] }] }] }\n`,
    written: ['HL*1**S*1', 'HL*2*1*O*1', 'HL*3*2*P*0', 'HL*4*2*P*1', 'HL*5*4*I*0', 'HL*6*4*I*0'],
  },
  {
    levels: 'a pack that is left out, with the items in it',
    text: `  - HL*S: { in: [HL*O: { in: [${ORDER}, HL*P: { when: { tracking_number: blank }, in: [{ ${ITEMS} }] }] }] }\n`,
    written: ['HL*1**S*1', 'HL*2*1*O*0'],
  },
] as const

test.each(TREES)('HL: $levels', async ({ text, written }) => {
  const segments = await write(SHIP + text, [aShipment(2)])

  expect(only(segments, 'HL')).toEqual(written)
})

test('levels are numbered from 1 in each set, and counted in it', async () => {
  const { composer } = await loadExport('x12/856-export')
  const { bytes } = exportRecords(composer, [aShipment(1), aShipment(3)])
  const segments = toSegments(bytes)

  const above = ['HL*1**S*1', 'HL*2*1*O*1', 'HL*3*2*P*1']
  expect(only(segments, 'ST', 'HL', 'CTT')).toEqual([
    'ST*856*0001',
    ...above,
    'HL*4*3*I*0',
    'CTT*4',
    'ST*856*0002',
    ...above,
    'HL*4*3*I*0',
    'HL*5*3*I*0',
    'HL*6*3*I*0',
    'CTT*6',
  ])
  expect((await checkFile(bytes)).faults).toEqual([])
})

const ADVICE = `operation: export-shipments
write: { format: edifact, document: DESADV }
segments:
  - BGM: { '1001': { const: '351' }, '1004': id, '1225': { const: '9' } }
  - DTM+137: { date: shipped_at }
`
const LINES = `each: shipment_lines, in: [LIN: { '1082': shipment_lines.order_line_number, UP: shipment_lines.variant.upc, in: [QTY+12: { '6060': shipment_lines.quantity }] }]`

test.each([
  ['one', `  - CPS: { in: [{ ${LINES} }] }\n`, ['CPS+1']],
  [
    'one in the other',
    `  - CPS: { in: [PAC: { '7224': { const: '1' } }, CPS: { in: [{ ${LINES} }] }] }\n`,
    ['CPS+1', 'CPS+2+1'],
  ],
  [
    'two in one',
    `  - CPS: { in: [PAC: { '7224': { const: '2' } }, CPS: { in: [PAC: { '7224': { const: '1' } }] }, CPS: { in: [{ ${LINES} }] }] }\n`,
    ['CPS+1', 'CPS+2+1', 'CPS+3+1'],
  ],
])('CPS: %s', async (_, text, written) => {
  const segments = await write(ADVICE + text, [aShipment(2)])

  expect(only(segments, 'CPS')).toEqual(written)
})

// Pairs.

test('a pair without a value leaves no gap, wherever it stands', async () => {
  const text = `operation: export-orders
write: { format: x12, document: 850 }
segments:
  - BEG: { '01': { const: '00' }, '02': { const: DS }, '03': purchase_order_number, '05': ordered_at }
  - N1*ST: { '02': ship_to.name1, in: [PER*DC: { TE: ship_to.phone1, EM: ship_to.email, FX: ship_to.fax }] }
  - each: order_lines
    in: [PO1: { '02': order_lines.quantity, UP: order_lines.variant.upc, VN: order_lines.variant.brand_identifier, SK: order_lines.variant.identifier }]
`
  const line = (upc: unknown, brand: unknown, own: unknown) => ({
    quantity: 1,
    variant: { upc, brand_identifier: brand, identifier: own },
  })
  const segments = await write(text, [
    {
      purchase_order_number: 'HV-1',
      ordered_at: '2026-11-16T14:05:00Z',
      ship_to: { name1: 'Ada', phone1: null, email: 'a@b.cc', fax: '555' },
      order_lines: [
        line('086000100025', 'NL-1', 'HV-1'),
        line(null, 'NL-1', 'HV-1'),
        line('086000100025', '', 'HV-1'),
        line('086000100025', 'NL-1', undefined),
        line(null, null, 'HV-1'),
      ],
    },
  ])

  expect(only(segments, 'PER', 'PO1')).toEqual([
    'PER*DC**EM*a@b.cc*FX*555',
    'PO1**1****UP*086000100025*VN*NL-1*SK*HV-1',
    'PO1**1****VN*NL-1*SK*HV-1',
    'PO1**1****UP*086000100025*SK*HV-1',
    'PO1**1****UP*086000100025*VN*NL-1',
    'PO1**1****SK*HV-1',
  ])
})

test('EDIFACT has a pair in the composite of its place', async () => {
  const { composer } = await loadExport('edifact/invoic-export')
  const lines = [
    { variant: { upc: '086000100025', identifier: 'NL-1' }, quantity: 1, price: '1.00' },
    { variant: { upc: null, identifier: 'NL-2' }, quantity: 1, price: '1.00' },
  ]
  const { bytes } = exportRecords(composer, [anInvoice({ invoice_lines: lines })])

  expect(only(toSegments(bytes), 'LIN', 'PIA')).toEqual([
    'LIN+++086000100025:UP',
    'PIA+1+NL-1:IN',
    'LIN',
    'PIA+1+NL-2:IN',
  ])
})

function anInvoice(more: ApiRecord = {}): ApiRecord {
  return {
    invoice_number: 'N-1',
    purchase_order_number: 'HV-1',
    invoiced_at: '2026-11-20T12:00:00Z',
    terms_date_due: '2026-12-20',
    due_amount: '1.00',
    subtotal: '1.00',
    invoice_lines: [{ variant: { upc: '086000100025', identifier: 'NL-1' }, quantity: 1, price: '1.00' }],
    ...more,
  }
}

// Counts of segments, sets and groups.

test.each(['x12/810-export', 'edifact/invoic-export'])(
  '%s: sets, their segments and their lines are counted',
  async (name) => {
    const { composer } = await loadExport(name)
    const [line] = anInvoice()['invoice_lines'] as readonly ApiRecord[]
    const linesOf = [1, 5, 2]
    const invoices = linesOf.map((count) =>
      anInvoice({ invoice_lines: Array.from({ length: count }, () => line) }),
    )
    const { bytes } = exportRecords(composer, invoices, { numbers: { interchange: 41, group: 17 } })
    expect((await checkFile(bytes)).faults).toEqual([])

    const segments = toSegments(bytes)
    const sets = splitSets(segments)
    expect(sets).toHaveLength(3)
    for (const [index, set] of sets.entries()) {
      const number = `000${index + 1}`
      expect(set.at(-1)).toBe(
        name.startsWith('x12') ? `SE*${set.length}*${number}` : `UNT+${set.length}+${number}`,
      )
      const total = name.startsWith('x12') ? `CTT*${linesOf[index]}` : `CNT+2:${linesOf[index]}`
      expect(set).toContain(total)
    }
    expect(segments.slice(-2)).toEqual(
      name.startsWith('x12') ? ['GE*3*17', 'IEA*1*000000041'] : [sets[2]?.at(-1), 'UNZ+3+41'],
    )
  },
)

function splitSets(segments: readonly string[]): string[][] {
  const sets: string[][] = []
  for (const segment of segments) {
    if (/^(ST\*|UNH\+)/.test(segment)) sets.push([])
    if (!/^(GE\*|IEA\*|UNZ\+)/.test(segment)) sets.at(-1)?.push(segment)
  }
  return sets
}

test.each([
  ['x12/846-export', /^CTT\*3$/, /^SE\*16\*0001$/],
  ['edifact/invrpt-export', /^CNT\+2:3$/, /^UNT\+17\+0001$/],
])('%s: one set counts the lines of all records', async (name, lines, end) => {
  const { composer } = await loadExport(name)
  const stock = { code: 'inventory', values: [{ id: 1, value: '7' }] }
  const price = { code: 'msrp', values: [{ id: 1, value: '16.73' }] }
  const item = (identifier: string) => ({ identifier, upc: null, name: 'Lamp', attributes: [stock, price] })
  const { bytes } = exportRecords(composer, [item('NL-1'), item('NL-2'), item('NL-3')])
  const [set = [], ...others] = splitSets(toSegments(bytes))

  expect(others).toEqual([])
  expect(set.at(-2)).toMatch(lines)
  expect(set.at(-1)).toMatch(end)
  expect(set).toHaveLength(Number(/\d+/.exec(set.at(-1)?.replace(/^\w+./, '') ?? '')?.[0]))
  expect((await checkFile(bytes)).faults).toEqual([])
})

test.each(['x12', 'edifact'] as const)(
  '%s: an interchange without a set says that it has none',
  async (syntax) => {
    const example = createExampleEnvelope(syntax)
    if (example === undefined) throw new Error('no envelope')
    const options = {
      syntax,
      document: syntax === 'x12' ? '810' : 'INVOIC',
      version: syntax === 'x12' ? '004010' : 'D.96A',
    }
    const writer = createInterchangeWriter(options, example)
    const text = Buffer.concat([writer.formatHeader(), writer.formatEnd?.() ?? Buffer.alloc(0)]).toString()

    expect(text).toMatch(syntax === 'x12' ? /^GE\*0\*1~$/m : /^UNZ\+0\+1'$/m)
  },
)

test.each([
  [1, '10001'],
  [12_345, '123450001'],
  [123_456_789, '567890001'],
  [200_000, '00001'],
])('with numbers of sets behind that of group %i, the first set is %s', async (group, number) => {
  const { composer } = await loadExport('x12/810-export')
  const change = { setNumbers: 'grouped', numbers: { interchange: 1, group } } as const
  const { bytes } = exportRecords(composer, [anInvoice(), anInvoice()], change)
  const segments = toSegments(bytes)

  expect((await checkFile(bytes)).faults).toEqual([])
  const second = String(Number(number) + 1).padStart(number.length, '0')
  expect(only(segments, 'ST')).toEqual([`ST*810*${number}`, `ST*810*${second}`])
  expect(only(segments, 'SE').map((segment) => segment.split('*')[2])).toEqual([number, second])
})
