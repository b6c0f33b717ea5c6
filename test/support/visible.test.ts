import { expect, test } from 'vitest'
import { onOneLine, unturned, visible } from '../../src/support/visible.ts'

const NAME = 'a\r\nb\u2028\u001b[31m\u202Evsc.csv'

test('what cannot be seen, breaks a line or turns the direction of writing is written out', () => {
  expect(visible(NAME)).toBe(String.raw`a\u000d\u000ab\u2028\u001b[31m\u202evsc.csv`)
})

test('in a text of several lines only what turns the direction of writing is', () => {
  expect(unturned(NAME)).toBe('a\r\nb\u2028\u001b[31m\\u202evsc.csv')
})

test('in a list of lines a name stays on its own, and does not read backwards', () => {
  expect(onOneLine(NAME)).toBe('a b [31m\\u202evsc.csv')
})
