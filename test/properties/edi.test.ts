/** EDI files that are cut, damaged or made of anything: nothing is thrown, nothing incomplete is sent, copies are valid. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Draft } from '../../src/domain/translator.ts'
import { isSegment, SegmentCutter } from '../../src/formats/edi/cut.ts'
import { inspectInterchanges } from '../../src/formats/edi/inspection.ts'
import {
  dress,
  type Dress,
  makeFaultBase,
  makeInterchange,
  type MadeInterchange,
  makeRandom,
} from '../fixtures/edi-maker.ts'
import {
  bodiesOf,
  copyRanges,
  ORDERS,
  outcomeOf,
  type ReadFile,
  readFile,
  toInput,
} from '../formats/edi/tools.ts'
import { dice } from '../samples/random.ts'

const seeds = fc.integer({ min: 1, max: 1_000_000 })
const SYNTAXES = ['x12', 'edifact'] as const

describe.each(SYNTAXES)('an interchange of %s that is cut off', (syntax) => {
  const bytes = dress(makeFaultBase(syntax), { newline: '\n' })

  test('at any byte sends nothing, unless only the terminator of its last segment is missing', async () => {
    for (let at = 0; at < bytes.length - 1; at += 7) {
      const found = await readFile(ORDERS[syntax], bytes.subarray(0, at))

      const isWhole = /(?:IEA\*3\*000000101|UNZ\+3\+101)$/.test(bytes.toString('latin1', 0, at))
      expect(bodiesOf(found), `cut at byte ${at}`).toHaveLength(isWhole ? 9 : 0)
    }
  })

  test('at any byte says that it is cut off, and where', async () => {
    const head = bytes.indexOf(syntax === 'x12' ? 'BEG' : 'BGM')
    const end = bytes.lastIndexOf(syntax === 'x12' ? 'GE*' : 'UNE')
    for (let at = head; at < end; at += 211) {
      const { drafts } = await readFile(ORDERS[syntax], bytes.subarray(0, at))

      for (const { problems } of drafts) {
        const found = problems.find(({ code }) => code === 'edi-cut-off')
        expect(found?.place.spot?.at).toBeLessThanOrEqual(at)
      }
      expect(drafts.length).toBeGreaterThan(0)
    }
  })
})

/** Deletes, doubles, swaps or changes bytes or whole segments. */
interface Mutation {
  readonly kind: 'delete' | 'double' | 'swap' | 'change'
  readonly of: 'byte' | 'segment'
  readonly at: number
  readonly byte: number
}

const mutations = fc.array(
  fc.record<Mutation>({
    kind: fc.constantFrom('delete', 'double', 'swap', 'change'),
    of: fc.constantFrom('byte', 'segment'),
    at: fc.nat(),
    byte: fc.integer({ min: 0, max: 255 }),
  }),
  { minLength: 1, maxLength: 4 },
)

function mutate(bytes: Buffer, { kind, of, at, byte }: Mutation, terminator: string): Buffer {
  if (of === 'byte') {
    const place = at % Math.max(1, bytes.length)
    const [before, own, after] = [
      bytes.subarray(0, place),
      bytes.subarray(place, place + 1),
      bytes.subarray(place + 1),
    ]
    if (kind === 'delete') return Buffer.concat([before, after])
    if (kind === 'double') return Buffer.concat([before, own, own, after])
    if (kind === 'change') return Buffer.concat([before, Buffer.from([byte]), after])
    return Buffer.concat([before, after.subarray(0, 1), own, after.subarray(1)])
  }
  const segments = bytes.toString('latin1').split(terminator)
  const place = at % segments.length
  const [own = ''] = segments.splice(place, 1)
  if (kind === 'double') segments.splice(place, 0, own, own)
  if (kind === 'swap') segments.splice(place + 1, 0, own)
  if (kind === 'change') segments.splice(place, 0, `ZZ${String.fromCharCode(byte)}${own}`)
  return Buffer.from(segments.join(terminator), 'latin1')
}

describe.each(SYNTAXES)('damaged files of %s', (syntax) => {
  const terminator = syntax === 'x12' ? '~' : "'"
  const numbers = new Set(Array.from({ length: 9 }, (_, index) => `HV-3100${index + 1}`))

  test('are read without throwing, and each problem names a segment that is there', async () => {
    await fc.assert(
      fc.asyncProperty(mutations, async (changes) => {
        const base = dress(makeFaultBase(syntax), { newline: '\n' })
        const bytes = changes.reduce((file, change) => mutate(file, change, terminator), base)

        const found = await readFile(ORDERS[syntax], bytes)

        expect(listWrongPlaces(found.drafts, bytes)).toEqual([])
      }),
      { numRuns: 150 },
    )
  })

  test('with a segment that is lost or doubled never send the set that it was in', async () => {
    const base = dress(makeFaultBase(syntax))
    const segments = base.toString('latin1').split(terminator).slice(0, -1)
    const whole = bodiesOf(await readFile(ORDERS[syntax], base)).map((body) => JSON.stringify(body))
    for (const [index, segment] of segments.entries()) {
      for (const changed of [segments.toSpliced(index, 1), segments.toSpliced(index, 0, segment)]) {
        const file = Buffer.from(changed.join(terminator) + terminator, 'latin1')

        const found = await readFile(ORDERS[syntax], file)

        const sent = bodiesOf(found).map((body) => JSON.stringify(body))
        expect(whole, segment).toEqual(expect.arrayContaining(sent))
        // A start that is doubled opens an interchange without sets, and a doubled end is text between: both are reported.
        const isReported =
          /^(?:ISA|UNB|IEA|UNZ)/.test(segment) && found.drafts.some((draft) => outcomeOf(draft) !== 'taken')
        expect(sent.length, segment).toBeLessThan(numbers.size + (isReported ? 1 : 0))
      }
    }
  })
})

test('random bytes are read without throwing', async () => {
  const texts = fc.oneof(
    fc.uint8Array({ maxLength: 2000 }),
    fc
      .array(
        fc.constantFrom('ISA', 'UNA', 'UNB', '*', '+', '~', "'", '?', ':', '\n', 'ST', 'SE', ' ', 'é', '0'),
      )
      .map((parts) => Buffer.from(parts.join(''))),
    fc.uint8Array({ maxLength: 600 }).map((tail) => Buffer.concat([Buffer.from('ISA*00*'), tail])),
    fc.uint8Array({ maxLength: 600 }).map((tail) => Buffer.concat([Buffer.from("UNA:+.? 'UNB+"), tail])),
  )
  await fc.assert(
    fc.asyncProperty(texts, fc.constantFrom(...SYNTAXES), async (bytes, syntax) => {
      const found = await readFile(ORDERS[syntax], bytes)

      expect(bodiesOf(found)).toEqual([])
    }),
    { numRuns: 300 },
  )
})

test('segments are the same however their bytes arrive', () => {
  const pieces = fc.array(
    fc.constantFrom(
      'ISA*00*',
      "UNA:+.? '",
      'UNB+UNOA:4+',
      '?',
      "'",
      '\r\n',
      '~',
      'IEA*1~',
      "UNZ+1'",
      'ab',
      ' ',
    ),
    { maxLength: 60 },
  )
  const head =
    'ISA*00*          *00*          *ZZ*A              *ZZ*B              *261116*1200*U*00401*000000001*0*P*>~'
  fc.assert(
    fc.property(pieces, fc.boolean(), fc.array(fc.nat(), { maxLength: 8 }), (parts, isIsa, cuts) => {
      const text = (isIsa ? head : '') + parts.join('')
      const at = cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b)
      const chunks = [...at, text.length].map((end, index) => text.slice(at[index - 1] ?? 0, end))

      expect(cutAll(chunks)).toEqual(cutAll([text]))
    }),
    { numRuns: 1000 },
  )
})

function cutAll(chunks: readonly string[]) {
  const cutter = new SegmentCutter()
  const items = [...chunks.flatMap((chunk) => cutter.push(chunk)), ...cutter.push('', true)]
  return items.map((item) =>
    isSegment(item) ? [item.number, item.at, item.end, item.text] : [item.kind, item.number, item.at],
  )
}

/** Problems whose place does not hold in the file. */
function listWrongPlaces(drafts: readonly Draft[], bytes: Buffer): unknown[] {
  const places = drafts.flatMap(({ problems }) => problems.map(({ place }) => place))
  return places.filter(({ spot, column }) => {
    if (spot === undefined || spot.segment < 1 || spot.at > bytes.length) return true
    // A value that is missing is shown at the begin of the loop that has no such segment.
    if (column !== undefined || !/^[A-Z0-9]{2,3}$/.test(spot.id)) return false
    // Line breaks may stand inside an id.
    const text = bytes.toString('latin1', spot.at, spot.at + 60).replaceAll(/[\r\n]/g, '')
    return !text.startsWith(spot.id)
  })
}

describe('copies of sets', () => {
  const DRESSES: readonly Dress[] = [
    {},
    { newline: '\n' },
    { newline: '\r\n' },
    { terminator: '\n', component: '>' },
    { wrapAt: 80 },
    { element: '|', terminator: '\x1c', component: '>' },
  ]
  const EDIFACT: readonly Dress[] = [
    {},
    { una: true, newline: '\r\n' },
    { component: '=', element: '*', terminator: '~' },
    { wrapAt: 80 },
  ]

  const files = fc.record({
    seed: seeds,
    syntax: fc.constantFrom(...SYNTAXES),
    how: fc.nat(),
    isGrouped: fc.boolean(),
    /** How many sets each group of each interchange has. */
    shape: fc.array(fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 3,
    }),
    isRefused: fc.array(fc.boolean(), { minLength: 27, maxLength: 27 }),
  })

  test('are valid interchanges with just the refused sets, byte for byte, that give the same bodies', async () => {
    await fc.assert(
      fc.asyncProperty(files, async ({ seed, syntax, how, isGrouped, shape, isRefused }) => {
        const random = dice(seed)
        const dresses = syntax === 'x12' ? DRESSES : EDIFACT
        const style = dresses[how % dresses.length] ?? {}
        const made = shape.map((groups, index) =>
          makeInterchange({
            syntax,
            isGrouped,
            number: index + 1,
            groups: groups.map((sets) => ({
              sets: Array.from({ length: sets }, () =>
                makeRandom(syntax === 'x12' ? '850' : 'ORDERS', random),
              ),
            })),
          }),
        )
        const bytes = dress(made, style)
        const whole = await readFile(ORDERS[syntax], bytes)
        const refused = whole.drafts.filter((_, index) => isRefused[index])

        const copy = await copyRanges(ORDERS[syntax], bytes, rangesOf(refused))

        await expectValid(copy)
        const again = await readFile(ORDERS[syntax], copy)
        expect(bodiesOf(again)).toEqual(bodiesOf({ ...whole, drafts: refused }))
        const text = bytes.toString('latin1')
        // Line breaks within segments stand elsewhere in a copy of some sets.
        const sets = style.wrapAt === undefined ? setsOf(copy.toString('latin1'), made, style) : []
        expect(sets.filter((set) => !text.includes(set))).toEqual([])
      }),
      { numRuns: 120 },
    )
  })

  test('whose trailers were wrong or missing keep them, and are refused again', async () => {
    for (const syntax of SYNTAXES) {
      const base = dress(makeFaultBase(syntax), { newline: '\n' }).toString('latin1')
      const trailer = syntax === 'x12' ? 'SE*12*0002~' : "UNT+16+5'"
      const isThere = base.includes(trailer) ? trailer : findTrailer(base, syntax)
      for (const wrong of ['', isThere.replace(/\d+/, '99'), isThere.replace(/\d+(?=.$)/, '77')]) {
        const place = base.indexOf(isThere)
        const bytes = Buffer.from(base.slice(0, place) + wrong + base.slice(place + isThere.length), 'latin1')
        const found = await readFile(ORDERS[syntax], bytes)
        const refused = found.drafts.filter((draft) => outcomeOf(draft) === 'refused')

        const copy = await copyRanges(ORDERS[syntax], bytes, rangesOf(refused))

        expect(refused).toHaveLength(1)
        const again = await readFile(ORDERS[syntax], copy)
        expect(again.drafts.map(outcomeOf)).toEqual(['refused'])
      }
    }
  })

  const STOCK = {
    x12: { document: '846', mapping: INVENTORY_OF('x12', '846', 'LIN.UP', 'QTY*33.02') },
    edifact: { document: 'INVRPT', mapping: INVENTORY_OF('edifact', 'INVRPT', 'LIN.UP', 'QTY+145.6060') },
  } as const

  test.each(SYNTAXES)('of stock in %s hold the refused items with header and summary', async (syntax) => {
    const { document, mapping } = STOCK[syntax]
    await fc.assert(
      fc.asyncProperty(
        seeds,
        fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
        async (seed, isRefused) => {
          const random = dice(seed)
          const set = () => makeRandom(document as '846', random)
          const bytes = dress(makeInterchange({ syntax, groups: [{ sets: [set(), set()] }] }), {
            newline: '\n',
          })
          const whole = await readFile(mapping, bytes)
          const refused = whole.drafts.filter((_, index) => isRefused[index])

          const copy = await copyRanges(mapping, bytes, rangesOf(refused))

          await expectValid(copy)
          const again = await readFile(mapping, copy)
          expect(bodiesOf(again)).toEqual(bodiesOf({ ...whole, drafts: refused }))
          const lines = copy.toString('latin1').split('\n')
          expect(lines.filter((line) => line.startsWith('LIN'))).toHaveLength(refused.length)
          const counted = lines
            .filter((line) => line.startsWith('CTT'))
            .map((line) => Number(line.slice(4, -1)))
          expect(counted.reduce((sum, each) => sum + each, 0)).toBe(syntax === 'x12' ? refused.length : 0)
        },
      ),
      { numRuns: 60 },
    )
  })
})

function INVENTORY_OF(format: string, document: string, upc: string, quantity: string): string {
  return `
operation: update-variant
read: { format: ${format}, document: ${document} }
body:
  variant_id: { from: ${upc}, find: variant }
  attributes: { inventory: ${quantity} }
`
}

function findTrailer(base: string, syntax: 'x12' | 'edifact'): string {
  const ends = base.match(syntax === 'x12' ? /SE\*\d+\*0002~/g : /UNT\+\d+\+5'/g)
  return ends?.[0] ?? ''
}

/** The lines of the records, as the bridge merges them before it copies. */
function rangesOf(drafts: ReadFile['drafts']): (readonly [number, number])[] {
  const all = drafts
    .flatMap(({ lines }) => lines)
    .map(([first, last]) => [first, last] as [number, number])
    .sort((a, b) => a[0] - b[0])
  const merged: [number, number][] = []
  for (const [first, last] of all) {
    const before = merged.at(-1)
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else merged.push([first, last])
  }
  return merged
}

/** A copy of nothing is empty. */
async function expectValid(copy: Buffer): Promise<void> {
  if (copy.length === 0) return
  const faults: string[] = []
  const { ofFile, notFound } = await inspectInterchanges(toInput(copy))
  expect(notFound).toBeUndefined()
  expect(ofFile).toEqual([])
  const { createInspector } = await import('../../src/formats/edi/inspection.ts')
  const { cutSegments } = await import('../../src/formats/edi/cut.ts')
  const inspector = createInspector({ onFault: ({ kind, message }) => faults.push(`${kind}: ${message}`) })
  for await (const items of cutSegments(toInput(copy))) for (const item of items) inspector.take(item)
  inspector.finish()
  expect(faults.filter((fault) => !fault.startsWith('lines-joined'))).toEqual([])
}

/** The texts of the sets of a copy, from ST to SE. */
function setsOf(copy: string, [first]: readonly MadeInterchange[], how: Dress): string[] {
  const [start, end] = first?.syntax === 'x12' ? ['ST', 'SE'] : ['UNH', 'UNT']
  const separator = how.element ?? (first?.syntax === 'x12' ? '*' : '+')
  return copy
    .split(`${start}${separator}`)
    .slice(1)
    .map((text) => start + separator + text.slice(0, text.indexOf(`${end}${separator}`)))
}
