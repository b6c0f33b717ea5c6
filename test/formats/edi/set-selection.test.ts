/** Parts of a file: a route reads and copies only the sets that it takes. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isUnreadable } from '../../../src/domain/format.ts'
import type { SetSelection } from '../../../src/domain/place.ts'
import { createFormats } from '../../../src/formats/formats.ts'
import {
  dress,
  EDIFACT_DRESSES,
  FAULTS,
  make846,
  make850,
  makeFault,
  makeFaultBase,
  makeInterchange,
  makeRandom,
  X12_DRESSES,
} from '../../fixtures/edi-maker.ts'
import { dice } from '../../samples/random.ts'
import { copySets, listOutlined, outlineFile } from './interchange-tools.ts'
import { type Chunks, copyRanges, ORDERS_850, plainRows, readFile, toInput } from './tools.ts'

type Document = '850' | '846' | '856' | 'ORDERS'

/** The paths of the rows. */
const DOCUMENTS: Readonly<Record<Document, { recordColumns: string[]; lineColumns: string[] }>> = {
  850: { recordColumns: ['BEG.03'], lineColumns: ['PO1.02'] },
  846: { recordColumns: ['LIN.UP', 'BIA.03'], lineColumns: [] },
  856: { recordColumns: ['MAN*CP.02', 'PRF.01'], lineColumns: ['SN1.02'] },
  ORDERS: { recordColumns: ['BGM.1004'], lineColumns: ['QTY+21.6060'] },
}

async function rowsOf(document: Document, file: Uint8Array | Chunks, sets?: SetSelection) {
  const name = (path: string) => ({ name: path, path })
  const { recordColumns, lineColumns } = DOCUMENTS[document]
  const edi = {
    document,
    recordColumns: recordColumns.map(name),
    lineColumns: lineColumns.map(name),
    ...(sets === undefined ? {} : { sets }),
  }
  const format = document === 'ORDERS' ? 'edifact' : 'x12'
  const reading = await createFormats().read(toInput(file), { format, edi })
  if (isUnreadable(reading)) throw new Error(reading.problems[0]?.message)
  const rows = []
  for await (const batch of reading.batches) rows.push(...batch)
  return plainRows(rows)
}

/** The first and last segment of each set. */
async function listSetRanges(file: Uint8Array): Promise<(readonly [number, number])[]> {
  const sets = listOutlined(await outlineFile(file), 'set')
  const starts = sets.map(({ spot }) => spot.segment)
  return starts.map((start, index) => [start, (starts[index + 1] ?? Infinity) - 1])
}

/** The selection of some of so many sets. */
function toSelection(chosen: readonly boolean[]): [number, number][] {
  const runs: [number, number][] = []
  for (const [index, isChosen] of chosen.entries()) {
    const last = runs.at(-1)
    if (!isChosen) continue
    if (last !== undefined && last[1] === index) last[1] = index + 1
    else runs.push([index + 1, index + 1])
  }
  return runs
}

describe('reading some of the sets', () => {
  test.each(['850', '846', '856', 'ORDERS'] as const)(
    'of %s gives the rows of these sets alone, with the same places',
    async (document) => {
      const seeds = fc.integer({ min: 1, max: 1_000_000 })
      await fc.assert(
        fc.asyncProperty(
          seeds,
          fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
          async (seed, chosen) => {
            const random = dice(seed)
            const group = () => ({ sets: [1, 2, 3].map(() => makeRandom(document, random)) })
            const syntax = document === 'ORDERS' ? 'edifact' : 'x12'
            const file = dress(makeInterchange({ syntax, groups: [group(), group()], isGrouped: true }), {
              newline: '\n',
            })
            const ranges = await listSetRanges(file)
            const all = await rowsOf(document, file)

            const expected = all.filter(({ line }) =>
              ranges.some(([first, last], index) => chosen[index] === true && line >= first && line <= last),
            )
            expect(await rowsOf(document, file, toSelection(chosen))).toEqual(expected)
          },
        ),
        { numRuns: 20 },
      )
    },
  )

  test.each(FAULTS.filter(({ check }) => check !== 'unreadable interchange'))(
    '$syntax: $name: two halves give the rows of the whole, but for what stands in no set',
    async (fault) => {
      const [bytes = Buffer.alloc(0)] = makeFault(fault).files
      const document = fault.syntax === 'x12' ? '850' : 'ORDERS'
      const whole = await rowsOf(document, bytes)
      const halves = [
        ...(await rowsOf(document, bytes, [[1, 4]])),
        ...(await rowsOf(document, bytes, [[5, 9]])),
      ]

      expect(halves).toEqual(whole.filter(({ problems }) => problems?.[0]?.place.spot?.set !== ''))
    },
  )

  test('leaves out what stands in no set', async () => {
    const made = makeFaultBase('x12')
    const file = dress([made, made], { newline: '\n', between: 'stray\n' })

    expect(await rowsOf('850', file)).toHaveLength(1 + 18 * 3)
    expect(await rowsOf('850', file, [[1, 18]])).toHaveLength(18 * 3)
    expect(await rowsOf('850', file, [])).toEqual([])
  })

  test('ends when the last of them was read', async () => {
    const text = dress(makeFaultBase('x12'), { newline: '\n' })
    let [chunks, passes] = [0, 0]
    const input = {
      async *[Symbol.asyncIterator]() {
        passes += 1
        for (let at = 0; at < text.length; at += 100) {
          // The file is inspected as a whole, before any row is read.
          if (passes === 3) chunks += 1
          yield await Promise.resolve(text.subarray(at, at + 100))
        }
      },
    }
    const edi = { document: '850', recordColumns: [], lineColumns: [], sets: [[2, 2]] as const }
    const reading = await createFormats().read(input, { format: 'x12', edi })
    if (isUnreadable(reading)) throw new Error('the file is readable')
    let rows = 0
    for await (const batch of reading.batches) rows += batch.length

    expect([passes, rows]).toEqual([3, 3])
    expect(chunks).toBeLessThan(text.length / 100 / 2)
  })
})

describe('copying', () => {
  test('the rejects of a part have its refused records, and nothing of other sets', async () => {
    const made = makeInterchange({
      syntax: 'x12',
      groups: [
        {
          sets: ['HV-1', 'HV-2', 'HV-3'].map((po) =>
            make850({ po, lines: [{ quantity: 1, pairs: [['SK', po]] }] }),
          ),
        },
      ],
    })
    const file = dress(made, { newline: '\n' })
    const rows = await rowsOf('850', file, [[2, 3]])
    const { line = 0, lastLine = 0 } = rows.find(({ values }) => values[0] === 'HV-2') ?? {}

    const copy = await copyRanges(ORDERS_850, file, [[line, lastLine]])
    expect(copy.toString().match(/HV-\d/g)).toEqual(['HV-2', 'HV-2'])
    expect(copy.toString()).toContain('GE*1*101~\nIEA*1*000000101~')
  })

  const DRESSED = [
    ...X12_DRESSES.map((how) => ({ syntax: 'x12' as const, document: '850' as const, ...how })),
    ...EDIFACT_DRESSES.map((how) => ({ syntax: 'edifact' as const, document: 'ORDERS' as const, ...how })),
  ].filter(({ gzip }) => gzip !== true)

  test.each(DRESSED)(
    'sets of a file in $syntax with $name gives interchanges with these sets alone',
    async ({ syntax, document, ...how }) => {
      const base = makeFaultBase(syntax)
      const file = dress([base, { ...base, groups: base.groups.slice(1) }], how)
      const chosen = [2, 3, 6, 10]
      const copy = await copySets(file, [
        [2, 3],
        [6, 6],
        [10, 10],
      ])

      const whole = (await rowsOf(document, file)).filter(({ layout }) => layout === 0)
      const copied = (await rowsOf(document, copy)).filter(({ layout }) => layout === 0)
      expect(copied.map(({ values }) => values)).toEqual(chosen.map((set) => whole[set - 1]?.values))
      expect(copied.flatMap(({ problems = [] }) => problems)).toEqual([])
      const ends = listOutlined(await outlineFile(copy), 'interchange-end')
      const refused = listOutlined(await outlineFile(file), 'interchange-end').map(
        ({ isRefused }) => isRefused,
      )
      expect(ends.map(({ sets, isRefused }) => [sets, isRefused])).toEqual([
        [3, false],
        [1, false],
      ])
      // The trailer of the second interchange counted the group that is not there.
      expect(refused).toEqual([false, true])
    },
  )

  test('all sets gives the file as it came', async () => {
    for (const syntax of ['x12', 'edifact'] as const) {
      const file = dress(makeFaultBase(syntax), { newline: '\r\n' })
      expect((await copySets(file, [[1, 9]])).toString('latin1')).toBe(file.toString('latin1'))
    }
  })

  test.each([
    ['a line break is the terminator', { terminator: '\n' }],
    ['a carriage return is the terminator', { terminator: '\r' }],
    ['the terminator is a carriage return before a line break', { terminator: '\r', newline: '\n' }],
    ['blank lines stand behind the segments', { newline: '\r\n', blankLineEvery: 1 }],
    ['no line breaks stand anywhere', {}],
  ])('where %s, no blank line stands behind a trailer that was counted anew', async (_, how) => {
    for (const syntax of ['x12', 'edifact'] as const) {
      const text = (await copySets(dress(makeFaultBase(syntax), how), [[2, 2]])).toString('latin1')
      const isBroken = 'newline' in how || 'terminator' in how
      const trailers = /(?:GE|IEA|UNE|UNZ)[*+][^~'\r\n]*[~']?([\r\n]*)/g
      const breaks = [...text.matchAll(trailers)].map(([, found]) => found)

      const terminator = 'terminator' in how ? how.terminator : ''
      const newline = 'newline' in how ? how.newline : ''
      expect(breaks, text).toEqual(isBroken ? breaks.map(() => terminator + newline) : breaks.map(() => ''))
      expect(breaks.length).toBeGreaterThan(1)
    }
  })

  test('no set gives nothing', async () => {
    expect(await copySets(dress(makeFaultBase('x12')), [])).toHaveLength(0)
  })

  test('a set whose end is wrong keeps it wrong', async () => {
    const wrong = FAULTS.find(({ name }) => name === 'SE01 counts a segment too many')
    if (wrong === undefined) throw new Error('no such fault')
    const [file = Buffer.alloc(0)] = makeFault(wrong).files

    expect((await copySets(file, [[5, 5]])).toString()).toContain('SE*14*0002~')
  })

  test('a set of many records is copied as a whole', async () => {
    const items = [1, 2, 3].map((number) => ({
      pairs: [['UP', String(number)] as const],
      quantities: { 33: '5' },
    }))
    const sets = ['A', 'B'].map((number) => make846({ number, items }))
    const file = dress(makeInterchange({ syntax: 'x12', groups: [{ sets }] }), { newline: '\n' })
    const copy = await copySets(file, [[2, 2]])

    expect((await rowsOf('846', copy)).map(({ values }) => values)).toEqual([
      ['1', 'B'],
      ['2', 'B'],
      ['3', 'B'],
    ])
  })

  test('in pieces of any size gives the same bytes', async () => {
    const file = dress(makeFaultBase('x12'), { newline: '\n' })
    const sets: SetSelection = [
      [1, 1],
      [8, 9],
    ]
    const single = Array.from(file, (byte) => Uint8Array.of(byte))

    expect(await copySets(single, sets)).toEqual(await copySets(file, sets))
    expect((await readFile(ORDERS_850, await copySets(file, sets))).drafts).toHaveLength(3)
  })
})
