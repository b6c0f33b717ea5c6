import { expect, test } from 'vitest'
import { toOneLine, escapeBidiControls, escapeControlChars } from '../../src/support/text.ts'

const NAME = 'a\r\nb\u2028\u001b[31m\u202Evsc.csv'

test('what cannot be seen, breaks a line or turns the direction of writing is written out', () => {
  expect(escapeControlChars(NAME)).toBe(String.raw`a\u000d\u000ab\u2028\u001b[31m\u202evsc.csv`)
})

test('in a text of several lines only what turns the direction of writing is', () => {
  expect(escapeBidiControls(NAME)).toBe('a\r\nb\u2028\u001b[31m\\u202evsc.csv')
})

test('in a list of lines a name stays on its own, and does not read backwards', () => {
  expect(toOneLine(NAME)).toBe('a b [31m\\u202evsc.csv')
})
