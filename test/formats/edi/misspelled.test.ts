/** Segments whose id is nearly that of a line: taken for unknown ones, they would be lines that are lost. */
import { describe, expect, test } from 'vitest'
import { dressText, makeFaultBase } from '../../fixtures/edi-maker.ts'
import { readAnswers } from './answer-reader.ts'
import { answerFile } from './interchange-tools.ts'
import { ORDERS_850, ORDERS_EDIFACT, readFile } from './tools.ts'

/** The segment of the answer that names an unknown segment, and its code. */
const CODES = { x12: ['AK3', '1'], edifact: ['UCS', '15'] }

describe.each([
  ['x12', ORDERS_850, /PO1(?=\*2\*)/, ['P01', 'po1', 'POI']],
  ['edifact', ORDERS_EDIFACT, /LIN(?=\+2\+)/, ['L1N', 'lin']],
] as const)('a line of %s', (syntax, mapping, line, misspelled) => {
  const base = dressText(makeFaultBase(syntax), { newline: '\n' })

  test.each(misspelled)('that begins with %s refuses its set, and no other', async (id) => {
    expect(base).toMatch(line)

    const { drafts } = await readFile(mapping, Buffer.from(base.replace(line, id), 'latin1'))

    const refused = drafts.filter(({ problems }) => problems.length > 0)
    expect(drafts).toHaveLength(9)
    expect(refused.map(({ problems }) => problems.map(({ code }) => code))).toEqual([['segment-misspelled']])
  })

  test('that is misspelled is named in the answer as an unknown segment', async () => {
    const [id = ''] = misspelled
    const [answer] = readAnswers(await answerFile(Buffer.from(base.replace(line, id), 'latin1'), {}))

    const named = answer?.segments.filter(([own]) => own === 'AK3' || own === 'UCS') ?? []
    expect(named.map((segment) => [segment[0], segment.at(-1)])).toEqual([CODES[syntax]])
  })

  test('is not looked for among segments that are only unknown', async () => {
    const unknown = base.replace(line, (id) => `ZZX${syntax === 'x12' ? '*1~' : "+1'"}\n${id}`)

    const { drafts } = await readFile(mapping, Buffer.from(unknown, 'latin1'))

    const codes = drafts.flatMap(({ problems }) => problems.map(({ code }) => code))
    expect(codes).not.toContain('segment-misspelled')
  })
})
