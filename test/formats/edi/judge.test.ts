/** The verdicts on the sets of a file: by their structure, and by what became of their records. */
import { describe, expect, test } from 'vitest'
import type { JudgedRecord } from '../../../src/domain/interchange.ts'
import { type ProblemCode, problem } from '../../../src/domain/problem.ts'
import {
  dress,
  FAULTS,
  type MadeDocument,
  type MadeSegment,
  make810,
  make846,
  makeFault,
  makeFaultBase,
  makeInterchange,
} from '../../fixtures/edi-maker.ts'
import { inBatches, judgeRecords, judgeSets } from './interchange-tools.ts'
import { ORDERS } from './tools.ts'

const base = dress(makeFaultBase('x12'), { newline: '\n' })

function fileOf(name: string): Buffer {
  const fault = FAULTS.find((each) => each.name === name)
  if (fault === undefined) throw new Error(`no fault "${name}"`)
  return makeFault(fault).files[0] ?? Buffer.alloc(0)
}

/** A record at the begin of a set of nine, refused for these. */
async function refuse(codes: Readonly<Record<number, readonly ProblemCode[]>>): Promise<JudgedRecord[]> {
  const sets = await judgeSets(base)
  return sets.map(({ ordinal, segments: [line] }) => ({
    line,
    problems: (codes[ordinal] ?? []).map((code) => problem(code, { line }, 'It is wrong.')),
  }))
}

test('a sound file: each set is accepted, and named by its numbers and segments', async () => {
  const sets = await judgeSets(base)

  expect(sets).toHaveLength(9)
  expect(sets[4]).toEqual({
    ordinal: 5,
    interchange: 1,
    set: '000000101/102/0002',
    document: '850',
    version: '004010',
    segments: [57, 69],
    verdict: 'A',
    records: { all: 0, refused: 0 },
    problems: [],
  })
})

describe('by structure alone', () => {
  const STRUCTURAL = FAULTS.filter(
    ({ check, verdict }) =>
      !['unknown partner', 'usage', 'duplicate interchange', 'unreadable interchange', 'element'].includes(
        check,
      ) && verdict !== 'P',
  )

  test.each(STRUCTURAL)('$syntax: $name', async (fault) => {
    const { files, verdicts } = makeFault(fault)
    const sets = await judgeSets(files[0] ?? Buffer.alloc(0))

    // A file that ends early has no more sets than were read.
    expect(sets.map(({ verdict }) => verdict)).toEqual(verdicts.slice(0, sets.length))
    for (const { verdict, problems, segments } of sets) {
      expect(problems.length > 0).toBe(verdict !== 'A')
      expect(segments[1]).toBeGreaterThanOrEqual(segments[0])
    }
  })

  test('why a set is refused names its interchange, its group and itself', async () => {
    const made = makeFaultBase('x12')
    made.trailer = ['IEA', 4, '000000101']
    const [, group] = made.groups
    if (group?.sets[1] === undefined) throw new Error('there is no fifth set')
    group.trailer = ['GE', 7, '102']
    group.sets[1].trailer = ['SE', 99, '0002']
    const sets = await judgeSets(dress(made))

    expect(sets[4]?.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('IEA01'),
      expect.stringContaining('GE01'),
      expect.stringContaining('SE01'),
    ])
    expect(sets[0]?.problems).toHaveLength(1)
  })
})

describe('with the records of the routes', () => {
  test.each(['x12', 'edifact'] as const)(
    'those of a mapping of %s refuse their sets alone',
    async (syntax) => {
      const elements = FAULTS.filter(
        (fault) => fault.syntax === syntax && fault.check === 'element' && fault.outcome === 'refused',
      )
      for (const fault of elements) {
        // The length of a value is judged when a record is planned.
        if (fault.problem === 'value-too-long') continue
        const { files, verdicts } = makeFault(fault)
        const [file = Buffer.alloc(0)] = files
        const records = inBatches(await judgeRecords(ORDERS[syntax], file))
        const sets = await judgeSets(file, { records })

        expect([fault.name, sets.map(({ verdict }) => verdict)]).toEqual([fault.name, verdicts])
        expect(sets[4]?.problems[0]?.code).toBe(fault.problem)
        expect(sets.map((set) => set.records)).toEqual(
          verdicts.map((verdict) => ({ all: 1, refused: verdict === 'R' ? 1 : 0 })),
        )
      }
    },
  )

  const VERDICTS: readonly (readonly [string, readonly ProblemCode[], string])[] = [
    ['of the data', ['value-missing'], 'R'],
    ['of the data and of the API', ['order-unknown', 'province-unknown'], 'R'],
    ['that only the API has', ['api-refused'], 'A'],
    ['of a name that the API does not know', ['order-unknown', 'reference-unknown'], 'A'],
    ['of a key that another record has', ['key-conflict'], 'A'],
    ['of a business rule', ['quantity-exceeded', 'date-implausible'], 'A'],
    ['of a check of the mapping', ['check-failed'], 'R'],
  ]
  test.each(VERDICTS)(
    'a record that is refused for problems %s: %j makes its set %s',
    async (_, codes, verdict) => {
      const sets = await judgeSets(base, { records: inBatches(await refuse({ 5: codes })) })

      expect(sets.map((set) => set.verdict).join('')).toBe(`AAAA${verdict}AAAA`)
      expect(sets[4]?.records).toEqual({ all: 1, refused: verdict === 'R' ? 1 : 0 })
      // What does not count is no reason for the verdict.
      expect(
        sets[4]?.problems.every(({ code }) =>
          ['value-missing', 'province-unknown', 'check-failed'].includes(code),
        ),
      ).toBe(true)
    },
  )

  test('a set of which some records are refused is accepted with errors, and with all of them refused', async () => {
    const items = [1, 2, 3].map((number) => ({
      pairs: [['UP', String(number)] as const],
      quantities: { 33: '5' },
    }))
    const file = dress(
      makeInterchange({
        syntax: 'x12',
        groups: [{ sets: [make846({ number: 'A', items }), make846({ number: 'B', items })] }],
      }),
    )
    const wrong = (line: number) => ({
      line,
      problems: [problem('integer-expected', { line }, 'No number.')],
    })
    const good = (line: number) => ({ line, problems: [] })
    const [first, second] = await judgeSets(file)
    const [a = 0, b = 0] = [first?.segments[0], second?.segments[0]]
    const records = [good(a + 2), wrong(a + 4), good(a + 6), wrong(b + 2), wrong(b + 4), wrong(b + 6)]
    const sets = await judgeSets(file, { records: inBatches(records, 4) })

    expect(sets.map(({ verdict, records: counts }) => [verdict, counts])).toEqual([
      ['E', { all: 3, refused: 1 }],
      ['R', { all: 3, refused: 3 }],
    ])
  })

  test('batches of any size give the same verdicts', async () => {
    const all = await refuse({ 2: ['value-missing'], 9: ['check-failed'] })
    for (const size of [1, 2, 9, 100]) {
      const sets = await judgeSets(base, { records: inBatches(all, size) })
      expect(sets.map((set) => set.verdict).join('')).toBe('ARAAAAAAR')
    }
  })

  test('are closed when the verdicts are not read to the end', async () => {
    let isOpen = true
    async function* records(): AsyncGenerator<readonly JudgedRecord[]> {
      try {
        yield await refuse({})
        yield await refuse({})
      } finally {
        isOpen = false
      }
    }
    await judgeSets(base, { records: records() })

    expect(isOpen).toBe(false)
  })
})

describe('what the inbox decided', () => {
  test('an interchange whose number another one had is refused as a whole', async () => {
    const file = dress([makeFaultBase('x12'), makeFaultBase('edifact')], [{ newline: '\n' }, {}])
    const sets = await judgeSets(file, { reused: new Set([2]) })

    expect(sets.map(({ verdict }) => verdict).join('')).toBe('AAAAAAAAARRRRRRRRR')
    expect(sets[9]?.problems).toMatchObject([
      { code: 'edi-number-reused', place: { spot: { id: 'UNB', set: '101/101/1' } } },
    ])
  })

  test('sets that no route takes are refused where the partner wants it', async () => {
    const sets = await judgeSets(base, {
      unrouted: [
        [2, 3],
        [9, 9],
      ],
    })

    expect(sets.map(({ verdict }) => verdict).join('')).toBe('ARRAAAAAR')
    expect(sets[1]?.problems.map(({ code }) => code)).toEqual(['edi-document-unrouted'])
  })

  test('a set whose number comes twice is accepted with errors, and says why', async () => {
    const sets = await judgeSets(fileOf('ST02 comes twice in the group'))

    const said = { verdict: 'E', problems: [{ code: 'edi-number-mismatch' }] }
    expect([sets[3], sets[4]]).toMatchObject([said, said])
  })
})

describe('a set that a partner writes by a grammar of its own', () => {
  const made = make810({ number: 'INV-1', po: 'HV-1', total: '10', lines: [] })
  const whole = make810({ number: 'INV-2', po: 'HV-2', total: '10', lines: [] })
  const line: MadeSegment = ['IT1', '1', '2', 'EA', '5', '', 'UP', '812345678904']
  const withLine = ({ segments, ...rest }: MadeDocument): MadeDocument => ({
    ...rest,
    segments: segments.flatMap((each) => (each[0] === 'BIG' ? [each, line] : [each])),
  })
  const withoutTotal = ({ segments, ...rest }: MadeDocument): MadeDocument => ({
    ...rest,
    segments: segments.filter(([id]) => id !== 'TDS'),
  })
  const sets = [withoutTotal(withLine(made)), withLine(whole), withoutTotal(withLine(made))]
  const file = dress(makeInterchange({ syntax: 'x12', groups: [{ sets }] }))
  const read = {
    document: '810',
    grammar: { extends: 'x12/810', segments: { ST: ['TDS 0..1'] } },
    recordColumns: [],
    lineColumns: [],
  } as const

  test('is judged by that grammar, and the sets of others are not', async () => {
    const own = { sets: [[1, 1]] as const, syntax: 'x12' as const, read }

    const byAll = await judgeSets(file)
    const byOwn = await judgeSets(file, { readings: [own] })

    expect(byAll.map(({ verdict }) => verdict)).toEqual(['R', 'A', 'R'])
    expect(byOwn.map(({ verdict }) => verdict)).toEqual(['A', 'A', 'R'])
  })
})
