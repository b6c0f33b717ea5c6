/** Repeats in very long lists. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRepeatFinder } from '../../src/support/collections.ts'

test('every text that came before is found, and no other', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 4 })), (texts) => {
      const finder = createRepeatFinder()
      const seen = new Set<string>()
      for (const text of texts) {
        expect(finder.isRepeat(text)).toBe(seen.has(text))
        seen.add(text)
      }
    }),
  )
})

test('of two hundred thousand numbers in a row none is a repeat, and each is one the second time', () => {
  const finder = createRepeatFinder()
  const numbers = Array.from({ length: 200_000 }, (_, index) => `HV-${index}`)

  expect(numbers.filter((number) => finder.isRepeat(number))).toEqual([])
  expect(numbers.filter((number) => !finder.isRepeat(number))).toEqual([])
})
