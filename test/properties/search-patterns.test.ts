/** Regular expressions of mappings: they find what the built-in engine finds, and no text keeps them busy. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compilePattern, type SearchPattern } from '../../src/support/search-pattern.ts'

const ATOMS = ['a', 'b', 'É', '.', '\\d', '\\w', '\\s', '[ab]', '[^a]', '\\p{L}', '\\u{1F98A}', '\\x61', '-']
const CHECKS = ['^', '$', '\\b', '\\B', '(?=a)', '(?!b)', '(?<=a|b)', '(?<!-)']
const QUANTIFIERS = ['', '', '', '?', '*', '+', '{2}', '{1,3}', '{1,}', '*?', '+?', '??', '{0,2}?']

/**
 * Expressions with brackets, choices and repetitions within repetitions. With `true`, what is repeated begins with a character:
 * the built-in engine gives back a repetition of nothing, and may then prefer another match.
 */
function expressions(isFirm: boolean) {
  const atom = fc
    .tuple(fc.constantFrom(...ATOMS), fc.constantFrom(...QUANTIFIERS))
    .map((parts) => parts.join(''))
  const { expression } = fc.letrec<{ expression: string; repeated: string; sequence: string; item: string }>(
    (tie) => ({
      expression: fc.array(tie('sequence'), { minLength: 1, maxLength: 2 }).map((all) => all.join('|')),
      repeated: fc
        .array(fc.tuple(fc.constantFrom(...ATOMS), tie('sequence')), { minLength: 1, maxLength: 2 })
        .map((all) => all.map((parts) => parts.join('')).join('|')),
      sequence: fc.array(tie('item'), { maxLength: 3 }).map((items) => items.join('')),
      item: fc.oneof(
        { maxDepth: 2, withCrossShrink: true },
        atom,
        fc.constantFrom(...CHECKS),
        fc
          .tuple(fc.constantFrom('(', '(?:', '(?<n>'), tie('expression'))
          .map(([opening, inside]) => `${opening}${inside})`),
        fc
          .tuple(
            fc.constantFrom('(', '(?:'),
            isFirm ? tie('repeated') : tie('expression'),
            fc.constantFrom(...QUANTIFIERS),
          )
          .map(([opening, inside, quantifier]) => `${opening}${inside})${quantifier}`),
      ),
    }),
  )
  return expression
}

const texts = fc.string({
  unit: fc.constantFrom('a', 'b', 'A', 'é', '1', ' ', '-', '🦊', '\n'),
  maxLength: 7,
})
/** Matches nothing first, and has so many ways that the built-in engine is not used. */
const MANY_WAYS = `(?:|${'z?'.repeat(13)})`

/** What the built-in engine finds, or `undefined`. */
function findNatively(pattern: string, text: string, flags: string): string | undefined {
  const found = new RegExp(pattern, flags).exec(text)
  return found === null ? undefined : found.length > 1 ? (found[1] ?? '') : found[0]
}

function compiled(pattern: string, flags: 'u' | 'iu' = 'u'): SearchPattern {
  const expression = compilePattern(pattern, flags)
  if (typeof expression === 'string') throw new Error(`${pattern}: ${expression}`)
  return expression
}

const flagsOf = fc.constantFrom('u' as const, 'iu' as const)

describe.each(['', MANY_WAYS])('with %s behind it', (behind) => {
  test('an expression finds what the built-in engine finds', () => {
    let found = 0
    fc.assert(
      fc.property(expressions(true), texts, flagsOf, (pattern, text, flags) => {
        const own = compilePattern(`(?:${pattern})${behind}`, flags)
        // The built-in engine looks for \B between the halves of a character, too.
        fc.pre(typeof own !== 'string' && !(text.includes('🦊') && pattern.includes('\\B')))
        const expected = findNatively(pattern, text, flags)
        if (expected !== undefined && expected !== '') found += 1

        expect(typeof own !== 'string' && own.find(text)).toBe(expected)
      }),
      { numRuns: 1500 },
    )
    expect(found).toBeGreaterThan(50)
  })

  test('an expression matches where the built-in engine matches, also if it repeats nothing', () => {
    fc.assert(
      fc.property(expressions(false), texts, flagsOf, (pattern, text, flags) => {
        const own = compilePattern(`(?:${pattern})${behind}`, flags)
        fc.pre(typeof own !== 'string' && !(text.includes('🦊') && pattern.includes('\\B')))

        expect(typeof own !== 'string' && own.test(text)).toBe(
          findNatively(pattern, text, flags) !== undefined,
        )
      }),
      { numRuns: 1500 },
    )
  })
})

const REPEATED = ['a', 'ab', ' ', '1', '_']

test('no expression that is taken is busy for long with a text, whatever its length', () => {
  let taken = 0
  fc.assert(
    fc.property(expressions(false), fc.constantFrom(...REPEATED), (pattern, piece) => {
      const own = compilePattern(`(?:${pattern})!$`)
      if (typeof own === 'string') return
      taken += 1
      const text = piece.repeat(20_000).slice(0, 20_000)
      const began = performance.now()

      expect(own.test(`${text}?`)).toBe(false)
      expect(performance.now() - began).toBeLessThan(5000)
    }),
    { numRuns: 150, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true },
  )
  expect(taken).toBeGreaterThan(100)
}, 90_000)

test.each([
  ['^.*_.*_.*_.*_x$', '_'],
  ['.*_.*_.*_x', '_'],
  ['^(_*)(_*)(_*)(_*)x', '_'],
  ['^a{0,50}a{0,50}a{0,50}a{0,50}a{0,50}a{0,50}b', 'a'],
  ['(a+)+$', 'a'],
  ['^([a-z]+,?)*!', 'a'],
  [String.raw`\w+\w+\w+x`, 'a'],
])('%s is through with a text of 100,000 %s in the time of one look', (pattern, piece) => {
  const began = performance.now()

  compiled(pattern).test(`${piece.repeat(100_000)}?`)
  compiled(pattern, 'iu').test(piece.repeat(245))

  expect(performance.now() - began).toBeLessThan(8000)
})

test.each(['(?i:a)', '(?i-s:a)', '(?a)'])(
  '%s is refused alike by every version of the program',
  (pattern) => {
    expect(compilePattern(pattern)).toBe('behind "(?" must be a colon, "=", "!" or "<"')
  },
)
