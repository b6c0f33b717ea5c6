import { expect, test } from 'vitest'
import { suggestColumn } from '../../src/mapping/rows/columns.ts'

test('a header of UTF-8 that was read in another encoding is no other spelling of a column', () => {
  expect(suggestColumn(['Empfänger'], ['EmpfÃ¤nger', 'Ort'])).toMatch(
    /^The header is UTF-8: correct `encoding`/,
  )
  expect(suggestColumn(['Empfänger'], ['Empfaenger', 'Ort'])).toMatch(/^Did you mean "Empfaenger"\?/)
  expect(suggestColumn(['Empfänger'], ['Ort'])).toBeUndefined()
})
