/** What is kept of a file has a bound, and beyond it nothing is said that is not so. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkEdiFile } from '../../../src/app/edi/check.ts'
import { SetNumbers } from '../../../src/formats/edi/set-selection.ts'
import { OrdinalSet, SetLengths } from '../../../src/formats/edi/set-selection.ts'
import { dressText, makeInterchange, type MadeDocument, type MadeSegment } from '../../fixtures/edi-maker.ts'
import { tempFolder } from '../../fixtures/temp-folder.ts'
import { copyRanges, ORDERS_850, problemsOf, readFile } from './tools.ts'

function order(number: number, ...more: readonly MadeSegment[]): MadeDocument {
  const segments: MadeSegment[] = [
    ['BEG', '00', 'DS', `P${number}`, '', '20261116'],
    ...more,
    ['PO1', '1', '2', 'EA', '12.5', '', 'SK', 'HV-1'],
  ]
  return { document: '850', segments }
}

function write(sets: readonly MadeDocument[]): string {
  return dressText(makeInterchange({ syntax: 'x12', groups: [{ sets }] }))
}

async function checkText(text: string) {
  const path = join(await tempFolder(), 'any.edi')
  await writeFile(path, text, 'latin1')
  return checkEdiFile(path)
}

test('more notes than are kept are counted, and none of them becomes a problem', async () => {
  const odd: MadeSegment = ['XYZ', 'has no place']
  const text = write(Array.from({ length: 10_200 }, (_, index) => order(index + 1, odd)))

  const { counts, problems, moreProblems, notes, moreNotes } = await checkText(text)

  expect(counts).toEqual({ interchanges: 1, sets: 10_200, refused: 0 })
  expect([problems, moreProblems]).toEqual([[], 0])
  expect(notes.length + moreNotes).toBe(10_200)
})

test('more faults than are kept still refuse all of their sets', async () => {
  const sets = Array.from({ length: 10_200 }, (_, index) => order(index + 1, ['P01', 'misspelled']))

  const { counts } = await checkText(write(sets))

  expect(counts).toEqual({ interchanges: 1, sets: 10_200, refused: 10_200 })
})

describe('an element refuses its set', () => {
  const MANY: readonly (readonly [name: string, text: string])[] = [
    ['more than 1000 components', ':'.repeat(1000)],
    ['more than 1000 repetitions', '^'.repeat(1000)],
  ]
  test.each(MANY)('of %s', async (_, text) => {
    const made = makeInterchange({ syntax: 'x12', version: '005010', groups: [{ sets: [] }] })
    const [head = '', tail = ''] = dressText(made, { repetition: '^' }).split(/(?<=GS[^~]*~)/)
    const set = (inside: string) =>
      `ST*850*0001~BEG*00*SA*P1**20261116~MSG*${inside}~PO1*1*1*EA*1**SK*A~SE*5*0001~`
    const file = (inside: string) =>
      Buffer.from(`${head}${set(inside)}${tail.replace('GE*0', 'GE*1')}`, 'latin1')

    const { drafts } = await readFile(ORDERS_850, file(text))
    const sound = await readFile(ORDERS_850, file(text.slice(1)))

    expect(problemsOf(drafts)).toEqual(['element-too-many segment 5 (MSG)'])
    expect(problemsOf(sound.drafts)).not.toContain('element-too-many segment 5 (MSG)')
  })
})

test('a rejects file of items leaves a header out beyond what a record may have, and is refused itself', async () => {
  const mapping = `
operation: update-variant
read: { format: x12, document: 846 }
body:
  variant_id: { from: LIN.SK, find: variant }
  attributes:
    inventory: QTY*33.02
`
  const header = Array.from({ length: 100_100 }, (): MadeSegment => ['REF', 'ZZ', 'x'])
  const items = ['1', '2'].flatMap((number): MadeSegment[] => [
    ['LIN', number, 'SK', `HV-${number}`],
    ['QTY', '33', 'x'],
  ])
  const segments: MadeSegment[] = [['BIA', '00', 'SI', '1', '20261116'], ...header, ...items]
  const file = Buffer.from(write([{ document: '846', segments }]), 'latin1')

  const copy = await copyRanges(mapping, file, [[100_107, 100_108]])
  const { drafts } = await readFile(mapping, copy)

  expect(copy.length).toBeLessThan(file.length - 100)
  expect(copy.toString('latin1')).toContain('LIN*2*SK*HV-2~')
  expect(problemsOf(drafts).join()).toContain('edi-count')
})

test.each(['ISA\n', 'ISA*00*x*\n', 'UNB+\n', "UNA:+.? '\n"])(
  'a file of nothing but lines such as %j is refused, and read to its end',
  async (line) => {
    const { counts, unusable, problems } = await checkText(line.repeat(100_000))

    expect(counts.sets).toBe(0)
    expect(unusable !== undefined || problems.length > 0).toBe(true)
  },
)

test('control numbers are compared by their texts, whatever their length', () => {
  const numbers = new SetNumbers()
  const long = 'A'.repeat(50)
  const texts = ['0007', '0008', '0012', '7', long, `${long}B`, `${long.slice(1)}B`, '00012', 'X']

  expect(texts.map((text) => numbers.add(text))).toEqual(texts.map(() => true))
  expect(texts.map((text) => numbers.add(text))).toEqual(texts.map(() => false))
})

test('ordinals and lengths are found again, whatever their size', () => {
  const ordinals = new OrdinalSet()
  const chosen = [1, 7, 8, 9, 511, 512, 1_000_000]
  for (const ordinal of chosen) ordinals.add(ordinal)
  const lengths = new SetLengths()
  const counts = [2, 127, 128, 10_000, 3_000_000, 2 ** 40, ...Array.from({ length: 70_000 }, () => 130), 5]
  for (const count of counts) lengths.add(count)
  const read = lengths.read()

  expect(Array.from({ length: 2000 }, (_, at) => at).filter((at) => ordinals.has(at))).toEqual(
    chosen.slice(0, -1),
  )
  expect([ordinals.has(999_999), ordinals.has(1_000_000), ordinals.has(2 ** 30)]).toEqual([
    false,
    true,
    false,
  ])
  expect(counts.map(() => read())).toEqual(counts)
  expect(read()).toBe(0)
})
