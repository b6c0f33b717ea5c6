/** Texts for people: arguments of commands that they paste into a shell. */
import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quoteForShell } from '../../src/support/text.ts'

test.each([
  ['orders.csv', 'orders.csv'],
  ['sftp://erp/inbox/a-b_1.csv', 'sftp://erp/inbox/a-b_1.csv'],
  ['two words.csv', "'two words.csv'"],
  ["it's.csv", "'it'\\''s.csv'"],
  ['$(reboot).csv', "'$(reboot).csv'"],
  ['', "''"],
  ['~', "'~'"],
  ['--all', "'--all'"],
])('%s is written as %s in a command', (text, written) => {
  expect(quoteForShell(text)).toBe(written)
})

test('a shell gives every text back as one argument', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', ' ', "'", '"', '$', '`', '\\', '*', '~', '-', ';', '\n', 'é'),
    maxLength: 12,
  })
  fc.assert(
    fc.property(text, (argument) => {
      const script = `printf '[%s]' ${quoteForShell(argument)}`
      expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(`[${argument}]`)
    }),
    { numRuns: 100 },
  )
})
