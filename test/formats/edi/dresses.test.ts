/** One interchange in every way in which partners write it gives the same orders, however its bytes arrive. */
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  type Dress,
  dress,
  EDIFACT_DRESSES,
  make850,
  make860,
  makeInterchange,
  type MadeDocument,
  type MadeInterchange,
  type MadeSegment,
  makeOrders,
  makeTransport,
  type NamedDress,
  X12_DRESSES,
} from '../../fixtures/edi-maker.ts'
import { bodiesOf, ORDERS_850, ORDERS_EDIFACT, outcomeOf, plainRows, problemsOf, readFile } from './tools.ts'

/** Texts that look like envelopes, and an id with a character of several bytes. */
function order850(number: number, name = 'Isaac Narcisa'): MadeDocument {
  return make850({
    po: `HV-${number}`,
    references: { CO: `W’${number}`, ZZ: 'ISA' },
    carrier: ['TD5', '', '', '', '', 'FedEx Ground'],
    gift: ['ISAAC and NARCISA', 'GS ST SE'],
    addresses: [
      {
        role: 'ST',
        name,
        street: ['1 Mill Lane'],
        city: 'Portland',
        province: 'ME',
        postalCode: '04101',
        phone: '5550100',
      },
    ],
    lines: [
      { quantity: 2, price: '5.25', retail: '9.99', pairs: [['UP', '086000100025']] },
      { quantity: 1, price: '1', retail: '2', pairs: [['UP', '086000100032']] },
    ],
  })
}

const x12 = makeInterchange({ syntax: 'x12', groups: [{ sets: [order850(1), order850(2)] }] })

const edifact = makeInterchange({
  syntax: 'edifact',
  groups: [
    {
      sets: [1, 2].map((number) =>
        makeOrders({
          number: `HV-${number}`,
          references: { CR: `W${number}` },
          texts: { GFT: ["It's 5+5: really?", "??' UNZ+1"] },
          parties: [
            {
              role: 'DP',
              names: ["Ada O'Hara"],
              street: ['1 Mill Lane'],
              city: 'Portland',
              province: 'ME',
              postalCode: '04101',
              country: 'US',
            },
          ],
          transport: makeTransport('', '', 'FedEx Ground'),
          lines: [
            { item: ['086000100025', 'UP'], quantities: { 21: 2 }, prices: { AAA: 5.25, INF: 9.99 } },
            { item: ['086000100032', 'UP'], quantities: { 21: 1 }, prices: { AAA: 1, INF: 2 } },
          ],
        }),
      ),
    },
  ],
})

const SUBJECTS = {
  x12: { made: x12, mapping: ORDERS_850 },
  edifact: { made: edifact, mapping: ORDERS_EDIFACT },
} as const

function toBytes(syntax: keyof typeof SUBJECTS, how: Dress): Buffer {
  const bytes = dress(SUBJECTS[syntax].made, how)
  return how.gzip === true ? gunzipSync(bytes) : bytes
}

const plain = {
  x12: await readFile(ORDERS_850, toBytes('x12', {})),
  edifact: await readFile(ORDERS_EDIFACT, toBytes('edifact', {})),
}

test('the plain X12 file holds two orders with all their values', () => {
  expect(problemsOf(plain.x12.drafts)).toEqual([])
  expect(bodiesOf(plain.x12)).toMatchObject([
    {
      purchase_order_number: 'HV-1',
      customer_order_number: 'W’1',
      ship_to: { name1: 'Isaac Narcisa', city: 'Portland', phone1: '5550100', country: 'US' },
      gift_message: ['ISAAC and NARCISA', 'GS ST SE'],
      order_lines: [
        { variant: { upc: '086000100025' }, quantity: 2, net_price: '5.25', price: '9.99' },
        { variant: { upc: '086000100032' }, quantity: 1, net_price: '1.00', price: '2.00' },
      ],
    },
    { purchase_order_number: 'HV-2' },
  ])
})

test('the plain EDIFACT file holds two orders with all their values', () => {
  expect(problemsOf(plain.edifact.drafts)).toEqual([])
  expect(bodiesOf(plain.edifact)).toMatchObject([
    {
      purchase_order_number: 'HV-1',
      ship_to: { name1: "Ada O'Hara" },
      gift_message: ["It's 5+5: really?", "??' UNZ+1"],
      order_lines: [{ net_price: '5.25', price: '9.99' }, { net_price: '1.00' }],
    },
    { purchase_order_number: 'HV-2' },
  ])
})

const CASES = [
  ...X12_DRESSES.map((how) => ({ syntax: 'x12' as const, ...how })),
  ...EDIFACT_DRESSES.map((how) => ({ syntax: 'edifact' as const, ...how })),
]

test.each(CASES)('$syntax written with $name gives the same orders', async ({ syntax, ...how }) => {
  const found = await readFile(SUBJECTS[syntax].mapping, toBytes(syntax, how))

  expect(problemsOf(found.drafts)).toEqual([])
  expect(JSON.stringify(bodiesOf(found))).toBe(JSON.stringify(bodiesOf(plain[syntax])))
})

test.each(X12_DRESSES.filter(({ name }) => name.startsWith('ISA11')))(
  'x12 of version 00501 written with $name gives the same orders',
  async (how) => {
    const groups = [{ sets: [order850(1), order850(2)] }]
    const bytes = dress(makeInterchange({ syntax: 'x12', version: '005010', groups }), how)

    expect(bodiesOf(await readFile(ORDERS_850, bytes))).toEqual(bodiesOf(plain.x12))
  },
)

/** The interchange without its second set. */
function oneSet({ groups, trailer }: MadeInterchange): Pick<MadeInterchange, 'groups' | 'trailer'> {
  const [group] = groups
  if (group === undefined) throw new Error('there is no group')
  const end = group.trailer === undefined ? {} : { trailer: group.trailer.with(1, 1) as MadeSegment }
  return {
    groups: [{ ...group, sets: group.sets.slice(0, 1), ...end }],
    ...(trailer === undefined ? {} : { trailer: trailer.with(1, 1) as MadeSegment }),
  }
}

const SPLIT: readonly (NamedDress & { syntax: 'x12' | 'edifact' })[] = [
  { syntax: 'x12', name: 'line feeds', newline: '\n' },
  { syntax: 'x12', name: 'CR LF as the terminator', terminator: '\r\n', component: '>' },
  { syntax: 'x12', name: 'a terminator of three bytes and a BOM', terminator: '…', bom: true },
  { syntax: 'x12', name: 'lines of 80 characters', wrapAt: 80, wrapWith: '\r\n' },
  { syntax: 'x12', name: 'UTF-16', encoding: 'utf-16le', bom: true },
  { syntax: 'edifact', name: 'UNA and line breaks', una: true, newline: '\r\n' },
  { syntax: 'edifact', name: 'no UNA', newline: '\n' },
  { syntax: 'edifact', name: 'lines of 35 characters', wrapAt: 35 },
]

test.each(SPLIT)(
  '$syntax with $name, cut into two chunks at any byte, gives the same rows, places and offsets',
  async ({ syntax, ...how }) => {
    const { mapping } = SUBJECTS[syntax]
    const bytes = dress({ ...SUBJECTS[syntax].made, ...oneSet(SUBJECTS[syntax].made) }, how)
    const whole = await readFile(mapping, bytes)
    const expected = plainRows(whole.rows)

    expect(whole.drafts.map(outcomeOf)).toEqual(['taken'])
    for (let at = 1; at < bytes.length; at += 1) {
      const { rows } = await readFile(mapping, [bytes.subarray(0, at), bytes.subarray(at)])
      expect(plainRows(rows), `cut at byte ${at}`).toEqual(expected)
    }
  },
)

test('single bytes give the same rows as the whole file', async () => {
  const bytes = toBytes('x12', { newline: '\n' })
  const single = Array.from(bytes, (byte) => Uint8Array.of(byte))

  expect(plainRows((await readFile(ORDERS_850, single)).rows)).toEqual(
    plainRows((await readFile(ORDERS_850, bytes)).rows),
  )
})

describe('several interchanges in one file', () => {
  const made = [1, 2, 3].map((number) =>
    makeInterchange({
      syntax: 'x12',
      number,
      groups: [
        { sets: [order850(number * 10), make860({ po: `HV-${number}` })] },
        { sets: [order850(number * 10 + 1)] },
      ],
    }),
  )
  const dresses: readonly Dress[] = [
    { newline: '\n', between: '\n\n$\n\n' },
    { element: '|', terminator: '\n', component: '>' },
    { element: '\x1d', terminator: '\x1c', component: '<' },
  ]

  test('are each read with their own delimiters, and text between them is told', async () => {
    const { drafts } = await readFile(ORDERS_850, dress(made, dresses))

    const taken = drafts.filter(({ body }) => body !== undefined)
    expect(taken.map(({ keyValues }) => keyValues[0])).toEqual([
      'HV-10',
      'HV-11',
      'HV-20',
      'HV-21',
      'HV-30',
      'HV-31',
    ])
    const others = drafts.filter(({ body }) => body === undefined)
    expect(others.map((draft) => [outcomeOf(draft), draft.problems[0]?.code])).toEqual([
      ['skipped', 'edi-between'],
      ['skipped', 'edi-between'],
      ['held', 'edi-document-unrouted'],
      ['held', 'edi-document-unrouted'],
      ['held', 'edi-document-unrouted'],
    ])
  })
})

test('an interchange behind one whose last segment has no terminator is read', async () => {
  const bytes = Buffer.concat([
    dress(x12, { lastTerminator: false, newline: '\n' }),
    Buffer.from('\n'),
    dress(makeInterchange({ syntax: 'x12', number: 102, groups: [{ sets: [order850(9)] }] })),
  ])
  const { drafts } = await readFile(ORDERS_850, bytes)

  expect(drafts.map(({ keyValues }) => keyValues[0])).toContain('HV-9')
})

test('an interchange behind one whose delimiters cannot be found is read', async () => {
  const cut = dress(edifact, { newline: '\n' })
    .toString('latin1')
    .replace(/(?<=\n)UNZ[^]*$/, '')
  const next = makeInterchange({
    syntax: 'edifact',
    number: 102,
    groups: [{ sets: [makeOrders({ number: 'HV-9', references: {}, texts: {}, parties: [], lines: [] })] }],
  })
  const { drafts } = await readFile(
    ORDERS_EDIFACT,
    Buffer.concat([Buffer.from(`${cut}ISA*\nQTY+21:1'\n`, 'latin1'), dress(next)]),
  )

  expect(drafts.flatMap(({ problems }) => problems.map(({ code }) => code))).toContain('edi-delimiters')
  expect(drafts.map(({ keyValues }) => keyValues[0])).toContain('HV-9')
})
