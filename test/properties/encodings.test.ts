/** Whatever the text, a file in the encoding of its mapping is read, and one that is UTF-8 instead is refused. */
import fc from 'fast-check'
import iconv from 'iconv-lite'
import { expect, test } from 'vitest'
import { isUnreadable } from '../../src/domain/format.ts'
import { createCsvFormat } from '../../src/formats/csv/format.ts'
import { inChunks } from '../suites/format.suite.ts'

const LETTERS = 'aeinrstZWBÀÉÈÑÖÜØßàáâãäåæçèéêëìíîïñóôõöøùúûüýÿŠšŽžŒœ'.split('')
/** Capitals that come before a sign only in UTF-8 that is misread. */
const CAPITALS = 'ÂÃÄÅ'.split('')
const SIGNS = ['”', '’', '™', '®', '°', '»', '…', '–', '€', '']

const word = fc
  .tuple(
    fc.array(fc.constantFrom(...LETTERS, ...CAPITALS), { maxLength: 8 }),
    fc.constantFrom(...LETTERS),
    fc.constantFrom(...SIGNS),
  )
  .map(([letters, last, sign]) => letters.join('') + last + sign)

const opening = fc.constantFrom('', '', '“', '«')
/** As at the end of `Tomáš’s`: UTF-8 by accident, and recognised as that as long as a file has one kind of them alone. */
const ENDINGS = /[à-ï][ŠšŽžŒœ][ŠšŽžŒœ”’™®°»…–€]/g
/** Four bytes of UTF-8; in no language. */
const UNWRITTEN = /[ñóô][ŠšŽžŒœ]{2}/
const texts = fc
  .array(
    fc.tuple(opening, word).map((parts) => parts.join('')),
    { minLength: 1, maxLength: 30 },
  )
  .filter((words) => new Set(words.join(' ').match(ENDINGS)).size <= 1)
  .filter((words) => !words.some((each) => UNWRITTEN.test(each)))

/** A file whose odd characters are far down, or at the top. */
const fileOf = (words: readonly string[], padding: number) =>
  `PO,Name\n${'1,plain\n'.repeat(padding)}${words.map((each) => `2,${each}\n`).join('')}`

const read = async (bytes: Buffer, chunk: number) => {
  const reading = await createCsvFormat().read(inChunks(bytes, chunk), {
    format: 'csv',
    encoding: 'windows-1252',
  })
  if (isUnreadable(reading)) return { problems: reading.problems, rows: [] }
  const rows = []
  for await (const batch of reading.batches) rows.push(...batch)
  return { problems: [], rows }
}

test('a text in windows-1252 never counts as UTF-8, whatever letters and signs are in it', async () => {
  await fc.assert(
    fc.asyncProperty(texts, fc.constantFrom(0, 9000), async (words, padding) => {
      const { problems, rows } = await read(iconv.encode(fileOf(words, padding), 'windows-1252'), 10_007)
      expect(problems).toEqual([])
      expect(rows.slice(padding).map(({ values, problems: own }) => [values[1], own])).toEqual(
        words.map((each) => [each, undefined]),
      )
    }),
    { numRuns: 60 },
  )
})

test('UTF-8 with Western letters is never read as windows-1252, wherever in the file they are', async () => {
  const western = fc.array(fc.constantFrom(...'äöüéèàñçÉÖß'.split('')), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(western, fc.constantFrom(0, 9000), async (letters, padding) => {
      const words = letters.map((letter) => `Zo${letter}`)
      const { problems, rows } = await read(Buffer.from(fileOf(words, padding)), 4096)
      const found = rows.slice(padding).flatMap(({ problems: own = [] }) => own)
      // At the top the whole file is refused; further down each row by itself, because the rows before are sound.
      const expected = padding === 0 ? ['file-undecodable'] : words.map(() => 'text-undecodable')
      expect([...problems, ...found].map(({ code }) => code)).toEqual(expected)
      expect(rows).toHaveLength(padding === 0 ? 0 : padding + words.length)
    }),
    { numRuns: 40 },
  )
})
