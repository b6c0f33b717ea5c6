/** The answers to a file: TA1, 997, 999 and CONTRL, under the numbers that were reserved for them. */
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type ProblemCode, problem } from '../../../src/domain/problem.ts'
import {
  type Dress,
  dress,
  EDIFACT_DRESSES,
  make850,
  make860,
  makeFaultBase,
  makeInterchange,
  type MadeDocument,
  type MadeInterchange,
  makeOrders,
  X12_DRESSES,
  X12_ENVELOPES,
} from '../../fixtures/edi-maker.ts'
import { readAnswers } from './answer-reader.ts'
import { answerFile, inBatches, judgeSets } from './interchange-tools.ts'

const order = (po: string) => make850({ po, lines: [{ quantity: 1, pairs: [['SK', 'A']] }] })
const message = (number: string) =>
  makeOrders({ number, lines: [{ item: ['086000100025', 'UP'], quantities: { 21: 1 } }] })
const answers: MadeDocument = { document: '997', segments: [['AK1', 'PO', '1']] }

const one = makeInterchange({ syntax: 'x12', groups: [{ sets: [order('HV-1'), order('HV-2')] }] })
const orders = makeInterchange({ syntax: 'edifact', groups: [{ sets: [message('HV-1'), message('HV-2')] }] })

/** The elements of the first segment with the id. */
function find(file: string, id: string): readonly string[] {
  const found = readAnswers(file)[0]?.segments.find(([own]) => own === id)
  if (found === undefined) throw new Error(`the answer has no ${id}`)
  return found
}

describe('control numbers', () => {
  /** Two groups, nothing that is answered, an interchange that is left out, one group, and a message of EDIFACT. */
  const file = dress(
    [
      makeInterchange({ syntax: 'x12', groups: [{ sets: [order('1')] }, { sets: [order('2')] }] }),
      makeInterchange({ syntax: 'x12', groups: [{ code: 'FA', sets: [answers] }] }),
      makeInterchange({ syntax: 'x12', number: 103, groups: [{ sets: [order('3')] }] }),
      makeInterchange({ syntax: 'x12', number: 104, groups: [{ sets: [order('4')] }] }),
      orders,
    ],
    { newline: '\n' },
  )
  const numbersOf = (text: string) =>
    readAnswers(text).map(({ segments }) => [
      segments[0]?.[segments[0][0] === 'ISA' ? 13 : 5],
      segments.filter(([id]) => id === 'GS').map((gs) => gs[6]),
    ])

  test('count on for each interchange that gets an answer, and for each group by themselves', async () => {
    const text = await answerFile(file, { interchanges: [1, 2, 4, 5] })

    expect(numbersOf(text)).toEqual([
      ['000000041', ['7', '8']],
      ['000000042', ['9']],
      ['43', []],
    ])
  })

  test('begin with 1 again behind the highest', async () => {
    const numbers = { interchange: 999_999_998, group: 999_999_999 }
    const text = await answerFile(file, { numbers })

    expect(numbersOf(text)).toEqual([
      ['999999998', ['999999999', '1']],
      ['999999999', ['2']],
      ['000000001', ['3']],
      ['2', []],
    ])
  })

  test('are not used up by what is not answered', async () => {
    expect(await answerFile(file, { interchanges: [2] })).toBe('')
    expect(await answerFile(file, { interchanges: [] })).toBe('')
    expect(numbersOf(await answerFile(file, { interchanges: [4] }))).toEqual([['000000041', ['7']]])
  })

  test('and all bytes are the same each time, however the file arrives', async () => {
    const single = Array.from(file, (byte) => Uint8Array.of(byte))
    const text = await answerFile(file)

    expect(await answerFile(file)).toBe(text)
    expect(await answerFile(single)).toBe(text)
  })
})

test('the dates and times of its envelopes are those of the zone', async () => {
  const at = Date.parse('2026-11-21T02:15:00Z')
  const both = dress([one, orders], { newline: '\n' })
  const text = await answerFile(both, { at, zone: 'America/Los_Angeles' })

  const isa = text.split('\n').find((line) => line.startsWith('ISA'))
  const gs = text.split('\n').find((line) => line.startsWith('GS'))
  const unb = text.split('\n').find((line) => line.startsWith('UNB'))
  expect(isa?.split('*').slice(9, 11)).toEqual(['261120', '1815'])
  expect(gs?.split('*').slice(4, 6)).toEqual(['20261120', '1815'])
  expect(unb).toContain('+261120:1815+')
})

describe('a TA1', () => {
  const asking = makeInterchange({ ...optionsOf('x12'), isAcknowledgmentAsked: true })

  test('is written where it is asked for, or always', async () => {
    const of = async (made: MadeInterchange, ta1: 'asked' | 'always') =>
      readAnswers(await answerFile(dress(made), { ta1 }))[0]?.ta1

    expect(await of(one, 'asked')).toBeUndefined()
    expect(await of(one, 'always')).toEqual(['A', '000'])
    expect(await of(asking, 'asked')).toEqual(['A', '000'])
  })

  test('stands alone where nothing else is due', async () => {
    const empty = { ...asking, groups: [], trailer: ['IEA', 0, '000000101'] } as MadeInterchange
    const silent = { ...one, groups: [], trailer: ['IEA', 0, '000000101'] } as MadeInterchange
    const idsOf = async (made: MadeInterchange, ta1: 'asked' | 'always') =>
      readAnswers(await answerFile(dress(made), { ta1 })).map(({ segments }) => segments.map(([id]) => id))

    expect(await idsOf(empty, 'asked')).toEqual([['ISA', 'TA1', 'IEA']])
    expect(await idsOf(silent, 'always')).toEqual([['ISA', 'TA1', 'IEA']])
    expect(await idsOf(silent, 'asked')).toEqual([])
  })

  test('never answers an interchange of answers', async () => {
    const only = makeInterchange({
      syntax: 'x12',
      isAcknowledgmentAsked: true,
      groups: [{ code: 'FA', sets: [answers] }],
    })

    expect(await answerFile(dress(only), { ta1: 'always' })).toBe('')
  })

  test('names the number, the date and the time of what it answers', async () => {
    const [, number, day, time] = find(await answerFile(dress(asking)), 'TA1')

    expect([number, day, time]).toEqual(['000000101', '261116', '1200'])
  })
})

function optionsOf(syntax: 'x12' | 'edifact') {
  return { syntax, groups: [{ sets: [syntax === 'x12' ? order('HV-1') : message('HV-1')] }] }
}

describe('the envelope of an answer', () => {
  test('goes from the receiver to the sender, with the ids of the group the other way too', async () => {
    const text = await answerFile(dress(one))

    expect(find(text, 'ISA').slice(5, 9)).toEqual(['12', '7755550100     ', 'ZZ', 'HAVENRETAIL    '])
    expect(find(text, 'GS').slice(1, 4)).toEqual(['FA', 'NORTHLIGHT', 'HAVEN'])
    const contrl = await answerFile(dress(orders))
    expect(find(contrl, 'UNB').slice(2, 4)).toEqual(['7755550100:12', 'HAVENRETAIL:ZZ'])
  })

  test('has its own date and time, in UTC', async () => {
    const text = await answerFile(dress(one), { at: Date.UTC(2027, 0, 2, 3, 4) })

    expect(find(text, 'ISA').slice(9, 11)).toEqual(['270102', '0304'])
    expect(find(text, 'GS').slice(4, 6)).toEqual(['20270102', '0304'])
  })

  test.each(['P', 'T'] as const)('is marked as what it answers: %s', async (usage) => {
    const x12 = makeInterchange({ ...optionsOf('x12'), usage })
    const edifact = makeInterchange({ ...optionsOf('edifact'), usage })

    expect(find(await answerFile(dress(x12)), 'ISA')[15]).toBe(usage)
    expect(find(await answerFile(dress(edifact)), 'UNB')[11]).toBe(usage === 'T' ? '1' : undefined)
  })

  test.each(X12_ENVELOPES)('follows that of $name', async (how) => {
    const made = makeInterchange({ ...optionsOf('x12'), ...how })
    const text = await answerFile(dress(made))
    const [header] = made.groups.map((group) => group.header)

    expect(find(text, 'ISA').slice(11, 13)).toEqual(made.header?.slice(11, 13))
    expect(find(text, 'GS').slice(7, 9)).toEqual(['X', header?.[8]])
    // From 5010 on the answer names the version.
    expect(find(text, 'AK1')).toEqual(['AK1', 'PO', '101', ...(how.version === '005010' ? ['005010'] : [])])
  })

  test('of syntax 4 of EDIFACT is of syntax 4 too', async () => {
    const made = makeInterchange({ ...optionsOf('edifact'), level: 'UNOC:4' })
    const text = await answerFile(dress(made))

    expect(find(text, 'UNB').slice(1, 5)).toEqual([
      'UNOC:4',
      '7755550100:12',
      'HAVENRETAIL:ZZ',
      '20261116:1504',
    ])
    expect(find(text, 'UNH')[2]).toBe('CONTRL:4:1:UN')
  })
})

describe('every way to write a file is answered alike, with the delimiters of the file', () => {
  const dresses = [
    ...X12_DRESSES.map((how) => ({ syntax: 'x12' as const, ...how })),
    ...EDIFACT_DRESSES.map((how) => ({ syntax: 'edifact' as const, ...how })),
  ]

  test.each(dresses)('$syntax with $name', async ({ syntax, ...how }) => {
    const made = syntax === 'x12' ? one : orders
    const bytes = dress(made, how)
    const text = await answerFile(how.gzip === true ? gunzipSync(bytes) : bytes)
    const plain = await answerFile(dress(made))

    expect(toPlain(text, how)).toEqual(toPlain(plain, {}))
    const element = how.element ?? (syntax === 'x12' ? '*' : '+')
    expect(text).toContain(`${syntax === 'x12' ? 'ISA' : 'UNB'}${element}`)
  })

  /** The segments of the answer with the usual delimiters. */
  function toPlain(text: string, { component = ':', repetition }: Dress): string[][] {
    return readAnswers(text).flatMap(({ segments }) =>
      segments.map((segment) =>
        segment.map((element, index) =>
          segment[0] === 'ISA' && index === 11 && repetition !== undefined
            ? 'U'
            : element.replaceAll(component, ':'),
        ),
      ),
    )
  }

  test('of one file with three interchanges, each in its own', async () => {
    const three = [1, 2, 3].map((number) =>
      makeInterchange({
        syntax: 'x12',
        number,
        groups: [{ sets: [order('A'), make860({ po: 'B' })] }, { sets: [order('C')] }],
      }),
    )
    const text = await answerFile(
      dress(three, [
        { newline: '\n', between: '\n\n$\n\n' },
        { element: '|', terminator: '\n', component: '>' },
        { element: '\x1d', terminator: '\x1c', component: '<' },
      ]),
    )

    expect(readAnswers(text).map(({ segments, sets }) => [segments[0]?.[16], sets.length])).toEqual([
      [':', 3],
      ['>', 3],
      ['<', 3],
    ])
    expect(text.match(/^ISA./gm)).toEqual(['ISA*', 'ISA|', 'ISA\x1d'])
  })
})

describe('what the inbox decided', () => {
  test('a number that another interchange had is answered with TA1 025, and with UCI 26', async () => {
    const reused = new Set([1, 2])
    const text = await answerFile(dress([one, orders], { newline: '\n' }), { reused })

    const [x12, edifact] = readAnswers(text)
    expect([x12?.ta1, x12?.groups]).toEqual([['R', '025'], []])
    expect(edifact?.segments.find(([id]) => id === 'UCI')?.slice(4)).toEqual(['4', '26'])
    expect(edifact?.sets).toEqual([])
  })

  test('sets that no route takes are refused with AK5 1, and with UCM 14', async () => {
    const unrouted = [
      [2, 2],
      [4, 4],
    ] as const
    const [x12, edifact] = readAnswers(
      await answerFile(dress([one, orders], { newline: '\n' }), { unrouted }),
    )

    expect(x12?.segments.filter(([id]) => id === 'AK5')).toEqual([
      ['AK5', 'A'],
      ['AK5', 'R', '1'],
    ])
    expect(x12?.groups).toEqual([['PO', '101', 'P']])
    expect(edifact?.segments.filter(([id]) => id === 'UCM')).toEqual([
      ['UCM', '1', 'ORDERS:D:96A:UN', '7'],
      ['UCM', '2', 'ORDERS:D:96A:UN', '4', '14'],
    ])
  })

  test('groups of answers get none, beside others that do', async () => {
    const mixed = makeInterchange({
      syntax: 'x12',
      groups: [{ code: 'FA', sets: [answers] }, { sets: [order('HV-1')] }],
    })
    const [answer] = readAnswers(await answerFile(dress(mixed)))

    expect(answer?.groups).toEqual([['PO', '102', 'A']])
  })
})

describe('what the records say', () => {
  const refused = (codes: readonly ProblemCode[], spot: object) =>
    inBatches([
      {
        line: 3,
        problems: codes.map((code) =>
          problem(code, { line: 3, spot: { at: 0, set: '', ...spot } as never }, 'Wrong.'),
        ),
      },
    ])
  const errorsOf = (text: string) =>
    readAnswers(text)[0]
      ?.segments.filter(([id]) => /^(?:AK[345]|IK[345])$/.test(id ?? ''))
      .map((segment) => segment.join('*'))

  test('a wrong text is repeated, cut and without delimiters, or left out', async () => {
    const long = `A:~${'x'.repeat(120)}`.replace('~', "'")
    const bytes = dress(
      makeInterchange({
        syntax: 'x12',
        groups: [{ sets: [make850({ po: long, lines: [{ quantity: 1, pairs: [['SK', 'A']] }] })] }],
      }),
    )
    const spot = { segment: 4, inSet: 2, id: 'BEG', element: 3 }

    const told = errorsOf(await answerFile(bytes, { records: refused(['value-too-long'], spot) }))
    expect(told).toEqual(['AK3*BEG*2**8', `AK4*3*324*5*A '${'x'.repeat(96)}`, 'AK5*R*5'])
    const silent = await answerFile(bytes, { records: refused(['value-too-long'], spot), echoes: false })
    expect(errorsOf(silent)?.[1]).toBe('AK4*3*324*5')
  })

  test('a 999 has them in IK3, IK4 and IK5', async () => {
    const spot = { segment: 4, inSet: 2, id: 'BEG', element: 5 }
    const records = refused(['date-expected'], spot)
    const text = await answerFile(dress(one), { records, kind: '999' })

    expect(errorsOf(text)?.slice(0, 3)).toEqual(['IK3*BEG*2**8', 'IK4*5*373*8*20261116', 'IK5*R*5'])
    expect(find(text, 'ST')).toEqual(['ST', '999', '0001'])
  })

  test.each([
    ['segment-unknown', 'AK3*BEG*2**1'],
    ['segment-misplaced', 'AK3*BEG*2**7'],
    ['segment-repeated', 'AK3*BEG*2**5'],
  ] as const)('%s, which the grammar of a partner refuses, names the segment', async (code, said) => {
    const spot = { segment: 4, inSet: 2, id: 'BEG' }

    expect(errorsOf(await answerFile(dress(one), { records: refused([code], spot) }))?.slice(0, 2)).toEqual([
      said,
      'AK5*R*5',
    ])
  })

  test('a segment that the grammar of a partner requires is named where it is missing', async () => {
    const spot = { segment: 3, inSet: 1, id: 'ST', missing: 'CUR' }

    expect(
      errorsOf(await answerFile(dress(one), { records: refused(['segment-missing'], spot) }))?.slice(0, 2),
    ).toEqual(['AK3*CUR*3**3', 'AK5*R*5'])
  })

  test('an order that the API refuses, holds or does not know is accepted', async () => {
    const codes: ProblemCode[] = ['order-unknown', 'api-refused', 'key-conflict', 'quantity-exceeded']
    const spot = { segment: 4, inSet: 2, id: 'BEG', element: 3 }

    expect(errorsOf(await answerFile(dress(one), { records: refused(codes, spot) }))).toEqual([
      'AK5*A',
      'AK5*A',
    ])
  })
})

test('an answer is not answered, in either syntax', async () => {
  for (const made of [one, orders]) {
    const text = await answerFile(dress(made, { newline: '\n' }))
    expect(await answerFile(Buffer.from(text, 'latin1'), { ta1: 'always' })).toBe('')
  }
})

describe.each(['x12', 'edifact'] as const)('a file of %s that is cut off', (syntax) => {
  test('at any byte is refused as a whole, until its end is there', async () => {
    const bytes = dress(syntax === 'x12' ? one : orders, { newline: '\n' })
    const seen = new Set<string>()
    // The terminator and the line break of the last segment may be missing.
    const last = bytes.length - 3
    for (let length = 1; length < last; length += 1) {
      const cut = bytes.subarray(0, length)
      const [answer] = readAnswers(await answerFile(cut))
      if (answer === undefined) continue
      const uci = answer.segments.find(([id]) => id === 'UCI')
      seen.add(answer.ta1?.join(' ') ?? uci?.slice(4).join(' ') ?? 'accepted')
      expect(answer.sets).toEqual([])
      for (const { verdict } of await judgeSets(cut)) expect(verdict).toBe('R')
    }
    const known = syntax === 'x12' ? ['R 023', 'R 021', 'R 001'] : ['4 13', '4 29', '4 28']
    for (const verdict of seen) expect(known).toContain(verdict)
    expect(seen.size).toBeGreaterThan(0)
    expect(readAnswers(await answerFile(bytes))[0]?.sets).toHaveLength(2)
  })
})

test('nothing is answered where there is no interchange', async () => {
  for (const bytes of [Buffer.alloc(0), Buffer.from('id,name\n'), Buffer.from([0xc9, 0xe2, 0xc1, 0x5c])])
    expect(await answerFile(bytes)).toBe('')
  expect(readAnswers(await answerFile(dress(makeFaultBase('x12'))))).toHaveLength(1)
})
