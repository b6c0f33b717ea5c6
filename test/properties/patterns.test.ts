/** Two patterns of file names that can match one name, and two that cannot. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileFilePattern } from '../../src/support/name-pattern.ts'
import { createSequenceReader } from '../../src/config/file-name.ts'
import { createNumberReader } from '../../src/config/inbox.ts'
import { findCommonName } from '../../src/config/folder-checks.ts'

const LETTERS = ['a', 'B', 'b', 'é', 'e\u0301', '.', '-', '7', '🦊']
const pattern = () => fc.array(fc.constantFrom(...LETTERS, '*', '?'), { minLength: 1, maxLength: 8 })
const name = () => fc.array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 8 })

test('a name that is reported to match both patterns does', () => {
  fc.assert(
    fc.property(pattern(), pattern(), (one, other) => {
      const both = findCommonName(one.join(''), other.join(''))
      fc.pre(both !== undefined)
      expect([one, other].map((each) => compileFilePattern(each.join(''))(both))).toEqual([true, true])
      expect(both).not.toMatch(/^\./)
    }),
    { numRuns: 2000 },
  )
})

/** A pattern that matches the name: letters of it become question marks, and runs of them stars. */
const matching = (letters: readonly string[]) =>
  fc
    .tuple(...letters.map(() => fc.constantFrom('as it is', '?', '*', 'both')))
    .map((how) =>
      letters.map(
        (letter, at) => ({ 'as it is': letter, '?': '?', '*': '*', both: `${letter}*` })[how[at] ?? '*'],
      ),
    )
    .map((parts) => parts.join(''))

test('where a name matches both patterns, one is found', () => {
  fc.assert(
    fc.property(
      name()
        .map((letters) => letters.map((letter) => letter.normalize('NFC')))
        .filter(([first]) => first !== '.')
        .chain((letters) => fc.tuple(matching(letters), matching(letters), fc.constant(letters.join('')))),
      ([one, other, meant]) => {
        fc.pre([one, other].every((each) => compileFilePattern(each)(meant)))
        expect(findCommonName(one, other)).toBeDefined()
      },
    ),
    { numRuns: 2000 },
  )
})

test.each([
  ['*.csv', 'orders*.csv', 'orders.csv'],
  ['*.CSV', '*.csv', 'a.csv'],
  ['*', '*', 'a'],
  ['orders-??.csv', 'orders-*7.csv', 'orders-a7.csv'],
  ['orders*.csv', 'shipments*.csv', undefined],
  ['*.csv', '*.txt', undefined],
  ['orders-?.csv', 'orders-??.csv', undefined],
  ['.csv', '*.csv', undefined],
])('%s and %s are both matched by %s', (one, other, both) => {
  expect(findCommonName(one, other)).toBe(both)
})

/** What a pattern means, as a regular expression; a long name with many stars makes it slow. */
const referenceOf = (text: string) => {
  const source = text.normalize('NFC').replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
  return new RegExp(`^${source.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'isu')
}

test('a pattern takes the names that its regular expression takes', () => {
  fc.assert(
    fc.property(pattern(), name(), (marks, letters) => {
      const [written, shown] = [marks.join(''), letters.join('')]
      expect(compileFilePattern(written)(shown)).toBe(referenceOf(written).test(shown.normalize('NFC')))
    }),
    { numRuns: 1000 },
  )
})

test('many stars and a long name do not keep a run busy', () => {
  const stars = '*_'.repeat(60)
  expect(compileFilePattern(`${stars}*.csv`)('_'.repeat(245))).toBe(false)
  expect(createNumberReader(`${stars}{number}.csv`)('_'.repeat(245))).toBeUndefined()
  expect(
    createSequenceReader(`${'{invoice_number}-'.repeat(20)}{seq}.csv`, 'r')?.('-'.repeat(245)),
  ).toBeUndefined()
})

test('the number of a name is the first that fits, with all its digits', () => {
  expect(createNumberReader('orders-*{number}.csv')('orders-A12.csv')).toBe(12)
  expect(createSequenceReader('{purchase_order_number}-{seq}.csv', 'r')?.('PO-7-31.csv')).toBe(31)
})
