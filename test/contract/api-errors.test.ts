import { describe, expect, test } from 'vitest'
import { readApiErrors } from '../../src/contract/api-errors.ts'

describe('the API’s reasons for a refusal', () => {
  test.each<[string, unknown, [string, string][]]>([
    ['a detail', { detail: 'Not found.', code: 'not_found' }, [['', 'Not found.']]],
    [
      'an OAuth error',
      { error: 'invalid_client', error_description: 'Unknown.' },
      [['', 'Unknown. (invalid_client)']],
    ],
    ['an OAuth error without words', { error: 'invalid_client' }, [['', 'invalid_client']]],
    [
      'a message with its fields',
      { message: 'Invalid', errors: { upc: ['Too long.'] } },
      [
        ['', 'Invalid'],
        ['upc', 'Too long.'],
      ],
    ],
    [
      'fields, each with several messages',
      { quantity: ['A.', 'B.'], price: 'C.' },
      [
        ['quantity', 'A.'],
        ['quantity', 'B.'],
        ['price', 'C.'],
      ],
    ],
    [
      'lines, of which the second is wrong',
      { order_lines: [{}, { variant: { upc: ['Unknown.'] } }] },
      [['order_lines[1].variant.upc', 'Unknown.']],
    ],
    [
      'messages about a whole line',
      { order_lines: [{ non_field_errors: ['Twice.'] }] },
      [['order_lines[0]', 'Twice.']],
    ],
    [
      'a bare list',
      ['One.', 'Two.'],
      [
        ['', 'One.'],
        ['', 'Two.'],
      ],
    ],
    ['a field that is called code', { code: ['Unknown method.'] }, [['code', 'Unknown method.']]],
  ])('are read from %s', (_, body, expected) => {
    const found = readApiErrors(body, JSON.stringify(body))
    expect(found.map(({ path, message }) => [path, message])).toEqual(expected)
  })

  test('are the words of a page of HTML', () => {
    const page = '<!DOCTYPE html><style>h1 { color: red }</style><h1>502 Bad\nGateway</h1><hr>nginx'
    expect(readApiErrors(undefined, page)).toEqual([{ path: '', message: '502 Bad Gateway nginx' }])
  })

  test('are one short line, however long the text', () => {
    const [error] = readApiErrors(undefined, 'word \n'.repeat(100_000))
    expect(error?.message).toHaveLength(200)
    expect(error?.message).toMatch(/^word word .*…$/)
  })

  test('are the text itself when the JSON says nothing that is understood', () => {
    expect(readApiErrors({ status: 12 }, '{"status":12}')).toEqual([{ path: '', message: '{"status":12}' }])
  })

  test('are none when the answer is empty', () => {
    expect(readApiErrors(undefined, ' \n')).toEqual([])
  })

  test('are bounded, however many or deep', () => {
    expect(readApiErrors({ lines: Array.from({ length: 5_000 }, () => ({ a: ['x'] })) }, '')).toHaveLength(
      200,
    )
    const deep: unknown = JSON.parse('['.repeat(20_000) + '"x"' + ']'.repeat(20_000))
    expect(readApiErrors(deep, 'deep')).toEqual([{ path: '', message: 'deep' }])
  })

  test('are found quickly in a text of nothing but brackets', () => {
    expect(readApiErrors(undefined, '<html' + '<style>'.repeat(10_000))).toHaveLength(1)
  })
})
