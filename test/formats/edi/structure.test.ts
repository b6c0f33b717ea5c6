/** Levels, loops, pairs, dates and numbers of documents: which rows and values they become. */
import { describe, expect, test } from 'vitest'
import type { EdiReadOptions } from '../../../src/domain/format.ts'
import { isSegment, SegmentCutter } from '../../../src/formats/edi/cut.ts'
import { createFormats } from '../../../src/formats/formats.ts'
import {
  dress,
  LEVEL_ORDERS,
  type LevelNumbering,
  make846,
  make850,
  make856,
  makeInterchange,
  type MadeConsignment,
  type MadeDocument,
  type MadeLevel,
  makeLevels,
  makeOrders,
  type MadeSegment,
} from '../../fixtures/edi-maker.ts'
import { stringify } from 'yaml'
import { constantBody } from '../../mapping/ready-bodies.ts'
import { readable, rowsOf } from '../../suites/format.suite.ts'
import { bodiesOf, ORDERS_850, ORDERS_EDIFACT, outcomeOf, problemsOf, readFile, toInput } from './tools.ts'

function fileOf(document: MadeDocument, how = {}): Buffer {
  const syntax = /^\d/.test(document.document) ? 'x12' : 'edifact'
  return dress(makeInterchange({ syntax, groups: [{ sets: [document] }] }), how)
}

/** Each row as its layout, its verdict, and the values of the paths. */
async function rowsAs(
  document: MadeDocument,
  { record = [], line = [], ...more }: { record?: string[]; line?: string[] } & Partial<EdiReadOptions>,
): Promise<string[]> {
  const isX12 = /^\d/.test(document.document)
  const column = (path: string) => ({ name: path, path })
  const edi = {
    document: document.document,
    recordColumns: record.map(column),
    lineColumns: line.map(column),
    ...more,
  }
  const reading = await readable(
    createFormats().read(toInput(fileOf(document)), { format: isX12 ? 'x12' : 'edifact', edi }),
  )
  return (await rowsOf(reading)).map(({ layout, values, verdict, problems = [], continues }) => {
    const about = [verdict, continues === true ? 'continues' : undefined, ...problems.map(({ code }) => code)]
    return [
      layout === 0 ? 'record' : '  line',
      ...values,
      ...about.filter((each) => each !== undefined),
    ].join(' ')
  })
}

describe('levels of an 856', () => {
  const item = (upc: string, quantity = 1) => ({ quantity, pairs: [['UP', upc] as const] })
  const consignment: MadeConsignment = {
    carrier: ['TD5', '', '2', 'FDEG'],
    orders: [
      {
        po: 'A',
        packs: [
          { tracking: '1Z1', items: [item('11'), item('12')] },
          { tracking: '1Z2', items: [item('13')] },
        ],
      },
      { po: 'B', packs: [{ tracking: '1Z3', items: [item('14')] }] },
    ],
  }
  const paths = { record: ['PRF.01', 'MAN*CP.02', 'TD5.03'], line: ['LIN.UP', 'MAN*CP.02', 'PRF.01'] }
  const PACKS = [
    'record A 1Z1 FDEG',
    '  line 11 1Z1 A',
    '  line 12 1Z1 A',
    'record A 1Z2 FDEG',
    '  line 13 1Z2 A',
    'record B 1Z3 FDEG',
    '  line 14 1Z3 B',
  ]
  const notice = (levels: readonly MadeLevel[], numbering: LevelNumbering = {}, header: MadeSegment[] = []) =>
    make856({ number: '1', levels, numbering, header })

  test.each<[string, LevelNumbering]>([
    ['in order', {}],
    ['with ids from 7', { first: 7 }],
    ['with letters', { id: (number) => `L${number}` }],
    ['with blank parents', { parents: 'blank' }],
    ['that name themselves', { parents: 'own' }],
    ['that name a later level', { parents: 'later' }],
  ])('%s make a record for each pack', async (_, numbering) => {
    expect(await rowsAs(notice(makeLevels(consignment), numbering), paths)).toEqual(PACKS)
  })

  test.each(LEVEL_ORDERS)('in the order %s give each item once', async (order) => {
    const levels = makeLevels(consignment, order)
    const rows = await rowsAs(notice(levels), paths)

    const items = rows.filter((row) => row.startsWith('  line')).map((row) => row.split(' ')[3])
    expect(items).toEqual(['11', '12', '13', '14'])
    expect(rows.every((row) => !row.includes('held'))).toBe(true)
    expect(rows[0]).toBe(order === 'S-O-I' ? 'record A  FDEG' : 'record A 1Z1 FDEG')
  })

  test('where an item stands above two packs, hold the packs', async () => {
    const pack = (tracking: string): MadeLevel => ({ level: 'P', segments: [['MAN', 'CP', tracking]] })
    const levels: MadeLevel[] = [
      {
        level: 'O',
        segments: [['PRF', 'A']],
        below: [{ level: 'I', segments: [['LIN', '', 'UP', '11']], below: [pack('1Z1'), pack('1Z2')] }],
      },
    ]
    expect(await rowsAs(notice(levels), paths)).toEqual([
      'record A 1Z1  held hierarchy-unclear',
      '  line 11  A',
      'record A 1Z2  held hierarchy-unclear',
      '  line 11  A',
    ])
  })

  test('with an item beside the packs of an order have the order refused, because no pack has the item', async () => {
    const pack: MadeLevel = {
      level: 'P',
      segments: [['MAN', 'CP', '1Z1']],
      below: [{ level: 'I', segments: [['LIN', '', 'UP', '11']] }],
    }
    const loose: MadeLevel = { level: 'I', segments: [['LIN', '', 'UP', '12']] }
    const order = (po: string, ...below: MadeLevel[]) => ({
      level: 'O',
      segments: [['PRF', po]] as MadeSegment[],
      below,
    })

    expect(await rowsAs(notice([order('A', pack, loose), order('B', pack)]), paths)).toEqual([
      'record A 1Z1 ',
      '  line 11 1Z1 A',
      'record B 1Z1 ',
      '  line 11 1Z1 B',
      'record A   hierarchy-unclear',
    ])
  })

  test('of an unknown kind are innermost, and segments before the first level are found', async () => {
    const levels = makeLevels(consignment)
    const [shipment] = levels
    if (shipment === undefined) throw new Error('there is no shipment')
    const more = { level: 'AG', segments: [['REF', 'ZZ', '5']] as MadeSegment[] }
    const file = notice([{ ...shipment, below: [...(shipment.below ?? []), more] }], {}, [
      ['DTM', '011', '20261118'],
      ['TD5', '', '2', 'XXXX'],
    ])
    expect(await rowsAs(file, { ...paths, record: ['PRF.01', 'DTM*011.date'] })).toEqual([
      'record A 2026-11-18',
      ...PACKS.slice(1, 3),
      'record A 2026-11-18',
      ...PACKS.slice(4, 5),
      'record B 2026-11-18',
      ...PACKS.slice(6),
    ])
  })

  test('packs of one order with one tracking number continue the record before', async () => {
    const same = [['PRF.01'], ['MAN*CP.02']]
    const packs = [
      { tracking: '1Z1', items: [item('11')] },
      { tracking: '1Z1', items: [item('12')] },
    ]
    const two = {
      orders: [
        { po: 'A', packs },
        { po: 'B', packs: packs.slice(1) },
      ],
    }
    expect(await rowsAs(notice(makeLevels(two)), { record: ['PRF.01'], line: ['LIN.UP'], same })).toEqual([
      'record A',
      '  line 11',
      'record A continues',
      '  line 12',
      'record B',
      '  line 12',
    ])
  })

  test('packs that are one shipment give one body with the items of both', async () => {
    const packs = ['11', '12'].map((upc) => ({ tracking: '1Z1', items: [item(upc)] }))
    const mapping = `
operation: create-shipment
read:
  format: x12
  document: 856
  loops: { same: [PRF.01, MAN*CP.02] }
body:
  order_id: { from: PRF.01, find: order }
  tracking_number: MAN*CP.02
  carrier_id: { const: 1 }
  shipping_method_id: { const: 3 }
  ship_from_name1: { const: Northlight }
  ship_from_street1: { const: 2100 Vassar St }
  ship_from_city: { const: Reno }
  ship_from_province: { const: NV }
  ship_from_postal_code: { const: '89502' }
  ship_from_country: { const: US }
  shipment_lines:
    - variant: { upc: LIN.UP }
      quantity: SN1.02
`
    const found = await readFile(mapping, fileOf(notice(makeLevels({ orders: [{ po: 'A', packs }] }))))

    expect(problemsOf(found.drafts)).toEqual([])
    expect(bodiesOf(found)).toMatchObject([
      { tracking_number: '1Z1', shipment_lines: [{ variant: { upc: '11' } }, { variant: { upc: '12' } }] },
    ])
  })

  test('without orders and packs are one refused record', async () => {
    const levels = [{ level: 'S', segments: [], below: [{ level: 'I', segments: [] }] }]
    expect(await rowsAs(notice(levels), paths)).toEqual(['record    segment-missing'])
  })
})

function order(
  more: readonly MadeSegment[],
  lines: readonly MadeSegment[] = [],
  first = 'PO1',
): MadeDocument {
  const made = make850({ po: 'HV-1', lines: [{ quantity: 1, pairs: [['SK', 'A']] }] })
  const at = made.segments.findIndex(([id]) => id === 'PO1')
  const line = first === 'PO1' ? made.segments.slice(at, at + 1) : []
  return { ...made, segments: [...made.segments.slice(0, at), ...more, ...line, ...lines, ['CTT', '1']] }
}

describe('loops', () => {
  const ship: MadeSegment[] = [
    ['N1', 'BT', 'Bill'],
    ['N1', 'ST', 'Ada'],
    ['N3', '1 Mill Lane'],
    ['N3', 'Floor 2'],
    ['N4', 'Albany', 'NY'],
    ['PER', 'DC', '', 'FX', '1', 'TE', '5550100'],
    ['TD5', '', '', '', '', 'Ground'],
  ]

  test('keep the segments of one party from those of another', async () => {
    const record = [
      'N1*BT/N3.01',
      'N1*ST/N3.01',
      'N1*ST/N3#2.01',
      'N1*ST/PER.TE',
      'N1*ST/TD5.05',
      'N1*ST|SF.02',
    ]
    expect(await rowsAs(order(ship), { record })).toEqual([
      'record  1 Mill Lane Floor 2 5550100 Ground Ada',
      '  line',
    ])
  })

  test('of two ship-to parties give only values of the first', async () => {
    const two: MadeSegment[] = [
      ['N1', 'ST', 'Ada'],
      ['N4', 'Albany', 'NY'],
      ['N1', 'ST', 'Olga'],
      ['N3', '9 Other St'],
      ['N4', 'Reno', 'NV'],
    ]
    expect(await rowsAs(order(two), { record: ['N1*ST.02', 'N1*ST/N3.01', 'N1*ST/N4.01'] })).toEqual([
      'record Ada  Albany',
      '  line',
    ])
  })

  test('of a line are not those of the order', async () => {
    const own: MadeSegment[] = [
      ['N1', 'ST', 'Line'],
      ['N3', '2 Line St'],
    ]
    expect(
      await rowsAs(order(ship, own), { record: ['N1*ST/N3.01'], line: ['N1*ST/N3.01', 'N1*BT.02'] }),
    ).toEqual(['record 1 Mill Lane', '  line 2 Line St Bill'])
  })

  test('are asked for their conditions, and every occurrence is found', async () => {
    const more: MadeSegment[] = [
      ['REF', 'ZZ', '1'],
      ['REF', 'ZZ', '2', 'x'],
      ['N9', 'L1', 'a'],
      ['MSG', 'one'],
      ['MSG', 'two'],
      ['N9', 'L1', 'b'],
      ['MSG', 'three'],
    ]
    const record = [
      'REF*ZZ.02',
      'REF*ZZ#2.02',
      'REF*ZZ*03=x.02',
      'REF.02',
      'any/MSG.01',
      'ISA.06',
      'GS.06',
      'ST.02',
    ]
    expect(await rowsAs(order(more), { record })).toEqual([
      'record 1 2 2 1 one HAVENRETAIL     101 0001',
      '  line',
    ])
    const every = [{ name: 'texts', path: 'N9*L1/MSG.01', every: { with: '|' } }]
    expect(await rowsAs(order(more), { recordColumns: every })).toEqual(['record one|two|three', '  line'])
  })
})

describe('records within a loop', () => {
  const two: MadeSegment[] = [
    ['N1', 'ST', 'Joe'],
    ['N2', 'c/o Smith'],
    ['N3', '1 Elm', 'Apt 4'],
    ['N1', 'ST', 'Ann'],
    ['N3', '9 Oak'],
  ]
  const file = order([], [['PO1', '1', '2', 'EA', '1', '', 'SK', 'X'], ...two], '')

  test('are read without the values of the record before, also by a path through the loop', async () => {
    const record = ['N1*ST.02', 'PO1/N1*ST.02', 'PO1/N1*ST/N3.02', 'PO1/N1*ST/N2.01']
    const rows = await rowsAs(file, { record, records: ['N1*ST'] })

    expect(rows.filter((row) => row.startsWith('record'))).toEqual([
      'record Joe Joe Apt 4 c/o Smith',
      'record Ann Ann  ',
    ])
  })
})

describe('records of an 846', () => {
  const texts = (count: number): MadeSegment[] =>
    Array.from({ length: count }, (_, index) => ['MSG', String(index)])
  const stock = (code: string): MadeSegment => ['QTY', code, '5']
  const read = async (segments: readonly MadeSegment[], how: Parameters<typeof rowsAs>[1]) => {
    const all: MadeSegment[] = [['BIA', '00', 'SI', '1', '20261116'], ...segments]
    return (await rowsAs({ document: '846', segments: all }, how)).filter((row) => row.startsWith('record'))
  }

  test('that stand inside each other are the innermost, and an item without any is one itself', async () => {
    const segments: MadeSegment[] = [
      ['LIN', '1', 'VN', 'A'],
      stock('33'),
      stock('17'),
      ['LIN', '2', 'VN', 'B'],
      ['LIN', '3', 'VN', 'C'],
      stock('33'),
    ]
    const how = { record: ['LIN.VN', 'QTY.01'], records: ['LIN', 'QTY'], lines: 'QTY' }

    expect(await read(segments, how)).toEqual(['record A 33', 'record A 17', 'record B ', 'record C 33'])
  })

  test('beside lines that are of none of them have these refused', async () => {
    const segments: MadeSegment[] = [
      ['LIN', '1', 'VN', 'A'],
      stock('33'),
      ['N1', 'WH', 'East'],
      ['LIN', '2', 'VN', 'B'],
      ['N1', 'WH', 'West'],
    ]
    const how = { record: ['LIN.VN', 'N1*WH.02'], records: ['LIN', 'N1*WH'], lines: 'QTY' }

    expect(await read(segments, how)).toEqual([
      'record A East',
      'record A  hierarchy-unclear',
      'record B West',
    ])
  })

  test('are refused behind more segments of their item than are kept', async () => {
    const how = { record: ['LIN.VN', 'QTY.01'], records: ['QTY'], lines: 'LIN' }
    const every = [
      { name: 'item', path: 'LIN.VN' },
      { name: 'texts', path: 'LIN/MSG.01', every: 'count' as const },
    ]
    const item = (count: number) => [['LIN', '1', 'VN', 'A'], stock('33'), ...texts(count), stock('17')]
    const segments = (count: number) =>
      [...item(count), ['LIN', '2', 'VN', 'B'], stock('33')] as MadeSegment[]

    expect(await read(segments(100), { ...how, recordColumns: every })).toEqual([
      'record A 0',
      'record A 100',
      'record B 0',
    ])
    expect(await read(segments(101), { ...how, recordColumns: every })).toEqual([
      'record A 0',
      'record A 100 record-too-large',
      'record B 0',
    ])
    // Segments that no path leads to take no room.
    expect(await read(segments(150), how)).toEqual(['record A 33', 'record A 17', 'record B 33'])
  })

  test('are refused behind more loops of their item than are kept', async () => {
    const parties = Array.from({ length: 120 }, (): MadeSegment => ['N1', 'WH', 'East'])
    const how = { record: ['LIN.VN', 'N1*WH.02'], records: ['QTY*33'], lines: 'LIN' }
    const segments: MadeSegment[] = [
      ['LIN', '1', 'VN', 'A'],
      stock('33'),
      ...parties,
      ['PID', 'F', '', '', '', 'x'],
      stock('33'),
    ]

    expect(await read(segments, how)).toEqual(['record A ', 'record A East record-too-large'])
  })
})

test('an id with a zero byte changes no id of the segments after it', () => {
  // No other test has segments with this id, so the damaged one is the first.
  const items = new SegmentCutter().push("UNB+UNOA:3+A+B+261121:1200+1'Q7\0+x'Q7+y'Q7\0+z'", true)

  expect(items.filter(isSegment).map(({ id }) => id)).toEqual(['UNB', 'Q7\0', 'Q7', 'Q7\0'])
})

describe('pairs', () => {
  const line = (...elements: string[]): MadeSegment => ['PO1', '1', '2', 'EA', '3', '', ...elements]

  test.each([
    ['with gaps', line('SK', '1617', '', '', '', '', 'BL', '1'), '1617 1'],
    ['of which the qualifier stands twice', line('SK', '1', 'SK', '2'), '1 '],
    ['without a value', line('SK', '', 'BL', '3'), ' 3'],
    ['that are not there', line('UP', '9'), ' '],
  ])('%s', async (_, segment, values) => {
    const file = order([], [segment], '')
    expect((await rowsAs(file, { line: ['PO1.SK', 'PO1.BL'] }))[1]).toBe(`  line ${values}`)
  })

  test('of EDIFACT stand in LIN and in the PIAs behind it', async () => {
    const file = makeOrders({
      number: '1',
      lines: [
        {
          item: ['12', 'UP'],
          more: [
            ['5', 'S1', 'SA'],
            ['1', 'I1', 'IN'],
          ],
          quantities: { 21: 1 },
        },
      ],
    })
    expect((await rowsAs(file, { line: ['LIN.UP', 'LIN.SA', 'LIN.IN', 'LIN.BP'] }))[1]).toBe(
      '  line 12 S1 I1 ',
    )
  })
})

describe('dates', () => {
  test.each([
    ['20260503', '', '', '2026-05-03'],
    ['260503', '', '', '2026-05-03'],
    ['20260503', '1630', '', '2026-05-03T16:30:00'],
    ['20260503', '163015', '', '2026-05-03T16:30:15'],
    ['20260503', '16301550', '', '2026-05-03T16:30:15.50'],
    ['20260115', '1630', 'ET', '2026-01-15T16:30:00-05:00'],
    ['20260715', '1630', 'ET', '2026-07-15T16:30:00-04:00'],
    ['20260715', '1630', 'ED', '2026-07-15T16:30:00-04:00'],
    ['20260715', '1630', 'GM', '2026-07-15T16:30:00Z'],
    ['20260715', '1630', '05', '2026-07-15T16:30:00+05:00'],
    ['20260715', '1630', 'LT', '2026-07-15T16:30:00'],
    ['20260715', '1630', 'QQ', '2026-07-15T16:30:00 QQ'],
    ['20261341', '', '', '20261341'],
    ['20260715', '2599', '', '20260715 2599'],
  ])('DTM*004*%s*%s*%s is %s', async (date, time, zone, expected) => {
    const file = order([['DTM', '004', date, time, zone]])
    expect((await rowsAs(file, { record: ['DTM*004.date'] }))[0]).toBe(`record ${expected}`)
  })

  test.each([
    ['20260503', '102', '2026-05-03'],
    ['202605031630', '203', '2026-05-03T16:30:00'],
    ['20260503163015', '204', '2026-05-03T16:30:15'],
    ['030526', '2', '2026-05-03'],
    ['260503', '101', '2026-05-03'],
    ['202611211045EST', '303', '2026-11-21T10:45:00-05:00'],
    ['2026050320260510', '718', '2026-05-03'],
    ['20260503', '', '2026-05-03'],
    ['20261341', '102', '20261341'],
  ])('DTM+137:%s:%s is %s', async (date, format, expected) => {
    const made = makeOrders({ number: '1', lines: [{ quantities: { 21: 1 } }] })
    const segments = made.segments.map((segment): MadeSegment =>
      segment[0] === 'DTM' ? ['DTM', ['137', date, format]] : segment,
    )
    expect((await rowsAs({ ...made, segments }, { record: ['DTM+137.date'] }))[0]).toBe(`record ${expected}`)
  })

  test('that are none refuse the order at their element', async () => {
    const file = fileOf(
      make850({
        po: 'HV-1',
        dates: { '004': '20261341' },
        lines: [{ quantity: 1, price: '1', pairs: [['SK', 'A']] }],
      }),
    )
    const { drafts } = await readFile(ORDERS_850, file)

    expect(drafts.map(outcomeOf)).toEqual(['refused'])
    expect(problemsOf(drafts)).toContain('date-expected segment 5 (DTM) 02')
  })
})

describe('numbers', () => {
  test.each([
    ['184997', '1849.97'],
    ['1849.97', '1849.97'],
    ['5', '0.05'],
    ['-150', '-1.50'],
    ['+150', '1.50'],
    ['1,5', '1,5'],
    ['', ''],
  ])('TDS*%s is %s', async (written, expected) => {
    const segments: MadeSegment[] = [
      ['BIG', '20261119', '1'],
      ['IT1', '1', '1'],
      ['TDS', written],
      ['CTT', '1'],
    ]
    expect((await rowsAs({ document: '810', segments }, { record: ['TDS.01'] }))[0]).toBe(
      `record ${expected}`,
    )
  })

  test.each([
    ['12,5', '.', '12.5'],
    ['12.5', ',', '12.5'],
    ['.5', ',', '0.5'],
    ['5.', '.', '5'],
  ])('QTY+21:%s with the decimal mark %s is %s', async (written, decimal, expected) => {
    const file = makeOrders({ number: 'HV-1', lines: [{ item: ['1', 'UP'], quantities: { 21: written } }] })
    const bytes = dress(makeInterchange({ syntax: 'edifact', groups: [{ sets: [file] }] }), { decimal })
    const edi = { document: 'ORDERS', recordColumns: [], lineColumns: [{ name: 'q', path: 'QTY+21.6060' }] }
    const rows = await rowsOf(
      await readable(createFormats().read(toInput(bytes), { format: 'edifact', edi })),
    )

    expect(rows[1]?.values).toEqual([expected])
  })
})

describe('characters', () => {
  const named = (name: string, level: string, encoding?: string) =>
    dress(
      makeInterchange({
        syntax: 'edifact',
        level,
        groups: [
          { sets: [makeOrders({ number: 'HV-1', parties: [{ role: 'DP', names: [name] }], lines: [{}] })] },
        ],
      }),
      encoding === undefined ? {} : { encoding },
    )
  const edi = { document: 'ORDERS', recordColumns: [{ name: 'n', path: 'NAD+DP.3036' }], lineColumns: [] }

  test.each([
    ['Zoé', 'UNOC:3', undefined],
    ['Łukasz ł', 'UNOD:3', undefined],
    ['Zoé Łukasz', 'UNOY:4', 'utf-8'],
    ['Zoé', 'UNOC:3', 'utf-8'],
    ['ada whitfield', 'UNOA:2', undefined],
    ['Zoé', 'UNOB:1', undefined],
    ['Αθήνα', 'UNOF:3', undefined],
    ['Zoé', 'UNOZ:3', 'latin1'],
  ])('%s under %s is read', async (name, level, encoding) => {
    const reading = await readable(
      createFormats().read(toInput(named(name, level, encoding)), { format: 'edifact', edi }),
    )
    expect((await rowsOf(reading))[0]?.values).toEqual([name])
  })

  test('that are no UTF-8 in X12 refuse their order', async () => {
    const file = make850({
      po: 'HV-1',
      references: { CO: 'Zoé' },
      lines: [{ quantity: 1, pairs: [['SK', 'A']] }],
    })
    const { drafts } = await readFile(ORDERS_850, fileOf(file, { encoding: 'latin1' }))

    expect(drafts[0]?.body).toBeUndefined()
    expect(drafts[0]?.problems.map(({ code }) => code)).toContain('text-damaged')
  })

  test.each([
    ["5?'6", "5'6"],
    ['a????', 'a??'],
    ["a???'b", "a?'b"],
    ['a?+b?:c', 'a+b:c'],
    ['a??', 'a?'],
  ])('%s with release characters is %s', async (written, expected) => {
    const bytes = named('XYZ', 'UNOC:3').toString('latin1').replace('XYZ', written)
    const reading = await readable(
      createFormats().read(toInput(Buffer.from(bytes, 'latin1')), { format: 'edifact', edi }),
    )

    expect((await rowsOf(reading))[0]?.values).toEqual([expected])
  })
})

describe('an element that holds several lines', () => {
  const mapping = stringify({
    operation: 'create-order',
    read: { format: 'x12', document: 850 },
    lines: { columns: ['PO1.SK', 'PO1.02'], split: ';' },
    body: constantBody('create-order', {
      order_lines: [{ variant: { identifier: { from: 'PO1.SK' } }, quantity: { from: 'PO1.02' } }],
    }),
  })
  const read = (quantities: string) =>
    readFile(mapping, fileOf(order([], [['PO1', '1', quantities, 'EA', '1', '', 'SK', 'A;B']], 'none')))

  test('names its segment and element where one of them is wrong', async () => {
    expect(problemsOf((await read('1;x')).drafts)).toEqual(['integer-expected segment 5 (PO1) 02'])
    expect(bodiesOf(await read('1;2'))).toMatchObject([
      { order_lines: [{ quantity: 1 }, { variant: { identifier: 'B' }, quantity: 2 }] },
    ])
  })

  test('names them where it holds another number of lines', async () => {
    expect(problemsOf((await read('1;2;3')).drafts)).toEqual(['lines-uneven segment 5 (PO1) 07'])
  })
})

test('846: three of a thousand items that are wrong are refused alone', async () => {
  const mapping = `
operation: update-variant
read: { format: x12, document: 846 }
body:
  variant_id: { from: LIN.UP, find: variant }
  attributes: { inventory: QTY*33.02 }
`
  const bad = new Set([3, 500, 998])
  const items = Array.from({ length: 1000 }, (_, index) => ({
    pairs: [['UP', String(index)] as const],
    quantities: { 33: bad.has(index) ? 'many' : '5' },
  }))
  const { drafts } = await readFile(mapping, fileOf(make846({ number: '1', items })))

  expect(drafts).toHaveLength(1000)
  expect(drafts.flatMap((draft, index) => (outcomeOf(draft) === 'taken' ? [] : [index]))).toEqual([
    3, 500, 998,
  ])
})

test('an 850 that an EDIFACT route gets is held', async () => {
  const { drafts } = await readFile(ORDERS_EDIFACT, fileOf(order([])))

  expect(drafts.map((draft) => [outcomeOf(draft), draft.problems[0]?.code])).toEqual([
    ['held', 'edi-document-unrouted'],
  ])
})
