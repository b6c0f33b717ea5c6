import { expect, test } from 'vitest'
import { toOneLine, escapeBidiControls, escapeControlChars } from '../../src/support/text.ts'

const NAME = 'a\r\nb\u2028\u001b[31m\u202Evsc.csv'

test('characters that are invisible, break a line or turn the direction of writing are written out', () => {
  expect(escapeControlChars(NAME)).toBe(String.raw`a\u000d\u000ab\u2028\u001b[31m\u202evsc.csv`)
})

test('in a text of several lines only characters that turn the direction of writing are', () => {
  expect(escapeBidiControls(NAME)).toBe('a\r\nb\u2028\u001b[31m\\u202evsc.csv')
})

test('in a list of lines a name stays on its own, and does not read backwards', () => {
  expect(toOneLine(NAME)).toBe('a b [31m\\u202evsc.csv')
})
