/** Two patterns of file names that can match one name, and two that cannot. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileFilePattern } from '../../src/pipeline/route-settings.ts'
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
