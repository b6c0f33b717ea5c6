/** Reading all columns of a row at once gives what a search for each path alone gives. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DICTIONARIES, findGrammar } from '../../src/edi/documents.ts'
import { compilePath, type EdiPath } from '../../src/edi/paths.ts'
import type { Segment, Syntax } from '../../src/edi/segment.ts'
import { ColumnReader } from '../../src/formats/edi/column-reader.ts'
import { isSegment, SegmentCutter } from '../../src/formats/edi/cut.ts'
import { ALL_SEGMENTS, isLoop, type Loop, LoopPlacer } from '../../src/formats/edi/loops.ts'
import { findValue, listValues } from '../../src/formats/edi/path-reader.ts'
import { dress, makeInterchange } from '../fixtures/edi-maker.ts'
import { type DocumentName, makeRandom } from '../fixtures/edi-maker/random.ts'
import { type Dice, dice } from '../samples/random.ts'

const DOCUMENTS: readonly DocumentName[] = ['850', '855', '856', '810', '846', 'ORDERS', 'DESADV', 'INVOIC']

describe.each(DOCUMENTS)('the columns of %s', (name) => {
  const syntax: Syntax = /^\d/.test(name) ? 'x12' : 'edifact'

  test('of any loop are those that each of their paths leads to', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), (seed) => {
        const random = dice(seed)
        const segments = cutSet(syntax, name, random)
        const root = placeAll(syntax, name, segments)
        const columns = drawPaths(syntax, name, segments, random).map((path, index) => ({
          name: String(index),
          path,
          ...(random.chance(0.1) ? { every: random.pick([{ with: '|' }, 'count' as const]) } : {}),
        }))
        const reader = new ColumnReader(columns)

        // Twice, because what is found around a row is kept for the next one.
        for (const loop of [...listLoops(root), ...listLoops(root)]) {
          const expected = columns.map(({ path, every }) => {
            if (every === undefined) return findValue(path, loop, [])?.text ?? ''
            const texts = listValues(path, loop, []).map(({ text }) => text.trim())
            return every === 'count' ? String(texts.length) : texts.join(every.with)
          })
          expect(reader.read(loop, []), `${loop.first.text} of ${seed}`).toEqual(expected)
        }
      }),
      { numRuns: 60 },
    )
  })
})

/** The segments of a random document, some of them twice or elsewhere. */
function cutSet(syntax: Syntax, name: DocumentName, random: Dice): Segment[] {
  const made = makeInterchange({ syntax, groups: [{ sets: [makeRandom(name, random)] }] })
  const items = new SegmentCutter().push(dress(made, {}).toString('latin1'), true)
  const segments = items.filter(isSegment)
  const start = segments.findIndex(({ id }) => id === 'ST' || id === 'UNH')
  const end = segments.findIndex(({ id }) => id === 'SE' || id === 'UNT')
  const [first, ...others] = segments.slice(start, end)
  for (let count = random.between(0, 4); count > 0; count -= 1) {
    const moved = others[random.between(0, others.length - 1)]
    if (moved !== undefined) others.splice(random.between(0, others.length - 1), random.between(0, 1), moved)
  }
  return first === undefined ? [] : [first, ...others]
}

function placeAll(syntax: Syntax, name: string, [first, ...others]: readonly Segment[]): Loop {
  const rule = findGrammar(syntax, name)?.root
  if (first === undefined || rule === undefined) throw new Error(`no grammar for ${name}`)
  const placer = new LoopPlacer(rule, first, {}, ALL_SEGMENTS)
  for (const segment of others) placer.place(segment)
  return placer.end()
}

function listLoops(loop: Loop): Loop[] {
  return [loop, ...loop.items.filter(isLoop).flatMap(listLoops)]
}

const VALUES = [
  '01',
  '02',
  '03',
  '04',
  '05',
  '01-2',
  'date',
  'text',
  'UP',
  'SK',
  'VN',
  'TE',
  'SA',
  'BP',
  'EM',
]

/** Paths through up to two loops, with qualifiers and values that the document has, or has not. */
function drawPaths(syntax: Syntax, name: string, segments: readonly Segment[], random: Dice): EdiPath[] {
  const grammar = findGrammar(syntax, name)
  if (grammar === undefined) throw new Error(`no grammar for ${name}`)
  const ids = [...grammar.ids]
  const drawSegment = () => {
    const segment = random.pick(segments)
    const id = random.chance(0.8) ? segment.id : random.pick(ids)
    const { qualifier } = DICTIONARIES[syntax].find(id) ?? {}
    const code = qualifier === undefined || random.chance(0.4) ? '' : segment.value(qualifier).trim()
    const condition = random.chance(0.1) ? `*02=${segment.value(2).trim()}` : ''
    return `${id}${code === '' ? '' : `*${code}`}${condition}${random.chance(0.15) ? '#2' : ''}`
  }
  const paths: EdiPath[] = []
  while (paths.length < 30) {
    const steps = [
      ...(random.chance(0.1) ? ['any'] : []),
      ...(random.chance(0.45) ? [drawSegment()] : []),
      ...(random.chance(0.1) ? [drawSegment()] : []),
      `${drawSegment()}.${random.pick(VALUES)}`,
    ]
    const path = compilePath(steps.join('/'), { grammar, dictionary: DICTIONARIES[syntax] })
    if (typeof path !== 'string') paths.push(path)
  }
  return paths
}
