/** What is said of a value that fits no schema: plain words, and none of the schema library. */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeIssue } from '../../src/support/schema-issue.ts'

test.each([
  ['must not be empty', z.array(z.string()).min(1), []],
  ['must have at least 2 entries', z.array(z.string()).min(2), ['a']],
  ['must have at most 1 entry', z.array(z.string()).max(1), ['a', 'b']],
  ['must not be empty', z.string().min(1), ''],
  ['must have at most 3 characters', z.string().max(3), 'abcd'],
  ['must be at least 1', z.int().min(1), 0],
  ['must be a whole number', z.int(), 1.5],
  ['must be a number', z.number(), 'x'],
  ['must be true or false', z.boolean(), 1],
  ['must be a list', z.array(z.string()), 'x'],
  ['must hold names and their settings', z.record(z.string(), z.string()), 1],
  ['must hold keys and values', z.strictObject({}), 'x'],
  ['must be one of "\\n", "\\r\\n"', z.enum(['\n', '\r\n']), 'x'],
  ['must be one of a, b', z.enum(['a', 'b']), 'c'],
  ['expected `pad`', z.literal('pad', { error: 'expected `pad`' }), 'c'],
  ['has a form that fits nothing here', z.union([z.string(), z.number()]), true],
])('a value that does not fit %s', (text, schema, value) => {
  const issues = schema.safeParse(value).error?.issues ?? []

  expect(issues.map(describeIssue)).toEqual([text])
})
