/** The ready mappings of X12 and EDIFACT on documents that mean something else than an order to post: what becomes of each. */
import { describe, expect, test } from 'vitest'
import {
  make850,
  make855,
  make860,
  make870,
  type Made855Line,
  makeOrdchg,
  makeOrders,
  makeOrdrsp,
} from '../fixtures/edi-maker.ts'
import { toExampleBody } from '../../src/mapping/examples.ts'
import { outcomeOf, readReady } from '../formats/edi/tools.ts'

/** The outcomes of a document, and why it waits or is refused. */
async function becomes(mapping: string, document: Parameters<typeof readReady>[1]) {
  const { drafts } = await readReady(mapping, document)
  return drafts.map((draft) => [outcomeOf(draft), ...draft.problems.map(({ message }) => message)])
}

const SKIPPED = ['skipped', expect.stringContaining('the mapping takes records of which')]

const line = (more: Partial<Made855Line> = {}): Made855Line => ({
  quantity: 6,
  price: '5.25',
  pairs: [['UP', '086000100025']],
  ...more,
})

describe('an 855', () => {
  const order = (type: string, ...statuses: string[]) =>
    make855({ po: 'HV-1', type, lines: statuses.map((status) => line({ acks: [{ status }] })) })

  test.each(['AC', 'AD', 'AE', 'AK', 'AT'])('whose BAK02 is %s acknowledges the order', async (type) => {
    expect(await becomes('x12/855-acknowledgements', order(type, 'IA', 'AC', 'AR'))).toEqual([['taken']])
  })

  test.each(['RD', 'RF', 'RJ', 'RO', 'NA', 'AH', ''])(
    'whose BAK02 is "%s" waits for a person',
    async (type) => {
      expect(await becomes('x12/855-acknowledgements', order(type, 'IA'))).toEqual([
        ['held', expect.stringContaining('cancel it with the retailer')],
      ])
    },
  )

  test.each(['IB', 'ID', 'IR', 'IS', 'IQ', 'IP', 'IC', 'IE', 'IF', 'IH', 'BP', 'R1', 'DR'])(
    'of which a line has %s in ACK01 waits for a person',
    async (status) => {
      expect(await becomes('x12/855-acknowledgements', order('AC', 'IA', status, 'IA'))).toEqual([
        ['held', expect.stringContaining('cancel the line with the retailer')],
      ])
    },
  )

  test('that accepts one part of a line and refuses another waits, and both lines are named', async () => {
    const split = make855({
      po: 'HV-1',
      lines: [
        line({
          acks: [
            { status: 'IA', quantity: 4 },
            { status: 'IR', quantity: 2 },
          ],
        }),
        line({ acks: [{ status: 'IQ', quantity: 3 }] }),
      ],
    })
    const { drafts } = await readReady('x12/855-acknowledgements', split)

    expect(drafts.map(outcomeOf)).toEqual(['held'])
    const spots = drafts[0]?.problems.map(({ place: { spot } }) => `${spot?.id} ${spot?.segment}`)
    // ST is the third segment of the file, so the lines begin at the fifth.
    expect(spots).toEqual(['ACK*IR 7', 'ACK*IQ 9'])
  })

  test('without lines acknowledges the whole order where BAK02 says so without detail', async () => {
    for (const type of ['AK', 'AT'])
      expect(await becomes('x12/855-acknowledgements', make855({ po: 'HV-1', type }))).toEqual([['taken']])
  })

  test('without lines whose BAK02 announces changes waits for a person', async () => {
    expect(await becomes('x12/855-acknowledgements', make855({ po: 'HV-1', type: 'AC' }))).toEqual([
      ['held', expect.stringContaining('no lines')],
    ])
  })
})

describe('an 860', () => {
  const pairs = [['UP', '086000100025']] as const
  const lines = (...changes: string[]) =>
    make860({
      po: 'HV-1',
      lines: changes.map((change, index) => ({
        change,
        quantity: 1,
        pairs: [['UP', `08600010002${index}`]],
      })),
    })

  test.each(['01', '03'])('whose BCH01 is %s cancels the whole order, and no lines', async (purpose) => {
    const whole = make860({ po: 'HV-1', purpose })
    expect(await becomes('x12/860-cancel-whole', whole)).toEqual([['taken']])
    expect(await becomes('x12/860-cancel-lines', whole)).toEqual([SKIPPED])
  })

  test('that takes lines away cancels these, and not the whole order', async () => {
    expect(await becomes('x12/860-cancel-lines', lines('DI', 'NC', 'DI'))).toEqual([['taken']])
    expect(await becomes('x12/860-cancel-whole', lines('DI'))).toEqual([SKIPPED])
  })

  test.each(['AI', 'QI', 'QD', 'PC', 'CA', 'CT'])(
    'with the change %s waits for a person, together with the lines that it takes away',
    async (change) => {
      expect(await becomes('x12/860-cancel-lines', lines('DI', change))).toEqual([
        ['held', expect.stringContaining('The API can only cancel lines')],
      ])
    },
  )

  test('with another address waits for a person', async () => {
    const moved = make860({
      po: 'HV-1',
      lines: [{ quantity: 1, pairs }],
      addresses: [
        { role: 'ST', name: 'Ada', street: ['9 New St'], city: 'Reno', province: 'NV', postalCode: '89502' },
      ],
    })
    expect(await becomes('x12/860-cancel-lines', moved)).toEqual([
      ['held', expect.stringContaining('address')],
    ])
  })
})

describe('an 850', () => {
  const order = (purpose: string, type = 'DS', street = ['1 Mill Lane']) =>
    make850({
      po: 'HV-1',
      purpose,
      type,
      carrier: ['TD5', '', '', '', '', 'FedEx Ground'],
      addresses: [
        {
          role: 'ST',
          name: 'Ada',
          street,
          city: 'Portland',
          province: 'ME',
          postalCode: '04101',
        },
      ],
      lines: [{ quantity: 1, price: '5.25', retail: '9.99', pairs: [['UP', '086000100025']] }],
    })

  test('whose BEG01 is 00 becomes an order', async () => {
    expect(await becomes('x12/850-orders', order('00'))).toEqual([['taken']])
  })

  test.each(['01', '04', '05'])(
    'whose BEG01 is %s waits, since no call replaces an order',
    async (purpose) => {
      expect(await becomes('x12/850-orders', order(purpose))).toEqual([
        ['held', expect.stringContaining('no call to change or replace an order')],
      ])
    },
  )

  test.each(['KN', 'BK', 'RL'])('whose BEG02 is %s waits, since its type is not known', async (type) => {
    expect(await becomes('x12/850-orders', order('00', type))).toEqual([
      ['held', expect.stringContaining('does not know this type of order (BEG02)')],
    ])
  })

  test('keeps each line of the address, also those behind the second', async () => {
    const plain = order('00', 'DS', ['1200 W 5th St', 'Bldg C'])
    const segments = plain.segments.flatMap((segment): (typeof segment)[] =>
      segment[0] === 'N3' ? [segment, ['N3', 'Rm 9']] : [segment],
    )
    const { drafts } = await readReady('x12/850-orders', { ...plain, segments })

    expect(drafts.map((draft) => toExampleBody(draft))).toMatchObject([
      { ship_to: { street1: '1200 W 5th St', street2: 'Bldg C, Rm 9' } },
    ])
  })

  test('with a day that does not exist is refused in the words of X12', async () => {
    const wrong = (date: string) =>
      becomes('x12/850-orders', {
        ...order('00'),
        segments: order('00').segments.map((segment) =>
          segment[0] === 'BEG' ? ['BEG', '00', 'DS', 'HV-1', '', date] : segment,
        ),
      })

    expect(await wrong('20260231')).toEqual([
      ['refused', expect.stringMatching(/"20260231" is not a date: /)],
    ])
    expect(await wrong('Nov 21')).toEqual([
      ['refused', expect.stringContaining('"Nov 21" is not a date written as CCYYMMDD or YYMMDD.')],
    ])
  })

  test.each(['06', '07'])('whose BEG01 is %s is a copy, and left out', async (purpose) => {
    expect(await becomes('x12/850-orders', order(purpose))).toEqual([SKIPPED])
  })
})

describe('an 870', () => {
  const report = (status: string) => make870({ number: '1', orders: [{ po: 'HV-1', status }] })

  test.each([
    ['IP', 'taken'],
    ['AC', 'taken'],
    ['CN', 'held'],
    ['IC', 'held'],
    ['CC', 'skipped'],
    ['SS', 'skipped'],
    ['QQ', 'refused'],
  ])('whose ISR01 is %s is %s', async (status, outcome) => {
    expect((await becomes('x12/870-order-status', report(status))).map(([first]) => first)).toEqual([outcome])
  })
})

describe('messages of EDIFACT', () => {
  test('ORDERS whose TDT names the mode of transport are shipped by the carrier that it names', async () => {
    const order = makeOrders({
      number: 'HV-1',
      dates: { 137: '20261116' },
      // 30 is the road.
      transport: ['TDT', '20', '', '30', '', ['', '', '', 'FedEx Ground']],
      parties: [
        {
          role: 'DP',
          names: ['Ada'],
          street: ['1 Mill Lane'],
          city: 'Portland',
          province: 'ME',
          postalCode: '04101',
        },
      ],
      lines: [{ item: ['086000100025', 'UP'], quantities: { 21: 1 }, prices: { AAA: 5.25, INF: 9.99 } }],
    })
    expect(await becomes('edifact/orders', order)).toEqual([['taken']])
  })

  test.each([
    ['29', 'taken'],
    ['27', 'held'],
    ['4', 'held'],
  ])('an ORDRSP whose BGM 1225 is %s is %s', async (code, outcome) => {
    const answer = makeOrdrsp({ number: 'A-1', purpose: code, references: { ON: 'HV-1' }, lines: [] })
    expect((await becomes('edifact/ordrsp', answer)).map(([first]) => first)).toEqual([outcome])
  })

  test.each([
    ['2', 'taken'],
    ['3', 'held'],
  ])('an ORDCHG whose LIN 1229 is %s is %s', async (action, outcome) => {
    const change = makeOrdchg({
      number: 'HV-1',
      purpose: '4',
      lines: [{ item: ['086000100025', 'UP'], action, quantities: { 21: 1 } }],
    })
    expect((await becomes('edifact/ordchg-lines', change)).map(([first]) => first)).toEqual([outcome])
  })
})
