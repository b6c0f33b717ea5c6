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

describe('a set of X12 is refused, and the message names what is written wrong,', () => {
  const base = dressText(makeFaultBase('x12'), { newline: '\n' })
  const refusalsOf = async (text: string) => {
    const { drafts } = await readFile(ORDERS_850, Buffer.from(text, 'latin1'))
    return drafts.flatMap(({ problems }) => problems.map(({ code, message }) => `${code}: ${message}`))
  }

  test('where another separator stands behind the id of a segment', async () => {
    expect(await refusalsOf(base.replace(/^N1\*ST\*/m, 'N1|ST|'))).toContainEqual(
      expect.stringMatching(/^segment-misspelled: .*N1 has "\|" behind it, where "\*" separates elements/),
    )
  })

  test('where the id of a missing segment has its letters in another order', async () => {
    expect(await refusalsOf(base.replace(/^BEG\*/m, 'BGE*'))).toEqual([
      expect.stringMatching(
        /^segment-missing: .*No BEG stands in the set: segment \d+ is BGE; BEG was expected\.$/,
      ),
    ])
  })

  test('where a terminator is missing before a segment, by that segment and its byte', async () => {
    const text = base.replace(/~\n(N\d\*)/, '\n$1')
    const at = text.search(/(?<!~)\nN\d\*/) + 1

    expect(text).not.toBe(base)
    expect(await refusalsOf(text)).toContainEqual(
      expect.stringMatching(
        new RegExp(
          `^edi-count: .*a terminator seems to be missing before N\\d \\(segment \\d+, byte ${at}\\)\\.$`,
        ),
      ),
    )
  })

  test('where it begins as another document does', async () => {
    expect(await refusalsOf(base.replace(/^BEG\*/m, 'BAK*'))).toContainEqual(
      expect.stringMatching(
        /^segment-missing: .*No BEG stands in the set: it begins with BAK as an 855 does, and ST01 says 850\.$/,
      ),
    )
  })

  test('but not where lines are wrapped at any place', async () => {
    const wrapped = dressText(makeFaultBase('x12'), { newline: '' }).replaceAll(/.{60}/g, '$&\n')

    expect((await refusalsOf(wrapped)).join('\n')).not.toContain('terminator')
  })
})

describe('an interchange of X12 that does not end', () => {
  const base = dressText(makeFaultBase('x12'), { newline: '\n' })
  const faultsOf = async (text: string) => {
    const { unusable, drafts } = await readFile(ORDERS_850, Buffer.from(text, 'latin1'))
    return [...unusable, ...drafts.flatMap(({ problems }) => problems)].filter(
      ({ code }) => code === 'edi-cut-off',
    )
  }

  test('says so where its last segments have another separator', async () => {
    const [fault] = await faultsOf(
      base.replaceAll(/^(SE|GE|IEA)\*.*$/gm, (line) => line.replaceAll('*', '|')),
    )

    expect(fault?.message).toMatch(
      /ends without IEA: its last segment has "\|" between elements, and ISA says "\*"\.$/,
    )
  })

  test('is to be sent again as a whole where no set of it is whole', async () => {
    const [fault] = await faultsOf(base.slice(0, base.search(/^SE\*/m)))

    expect(fault?.fix).toBe('Have the whole file sent again: none of its sets is whole.')
  })
})
