/** Names provinces of ISO 3166 as people look for them. */
import { expect, test } from 'vitest'
import { exemplifyProvinces, isProvinceOf } from '../../src/contract/places.ts'

test('a province that is written with part of its name is found by it, with its code', () => {
  expect(exemplifyProvinces('GB', 'London')).toContain('LND (London, City of)')
  expect(isProvinceOf('GB', 'LND')).toBe(true)
})

test('without such a name the first provinces of the country are examples, and a country without provinces has none', () => {
  expect(exemplifyProvinces('US', 'XX')).toBe('AK (Alaska), AL (Alabama), AR (Arkansas)')
  expect(exemplifyProvinces('VA', 'XX')).toBe('')
})

test('a name with a typing error has the state that is meant as its example', () => {
  expect(exemplifyProvinces('US', 'Mane')).toBe('ME (Maine)')
  expect(exemplifyProvinces('US', 'Caliphornia')).toBe('CA (California)')
})
