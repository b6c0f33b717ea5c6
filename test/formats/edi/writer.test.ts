/** What stands around the sets of an interchange that is written. */
import { expect, test } from 'vitest'
import { createExampleEnvelope, type Envelope } from '../../../src/domain/format.ts'
import { createInterchangeWriter } from '../../../src/formats/edi/writer.ts'

function write(envelope: Partial<Envelope>, sets = 1): string {
  const example = createExampleEnvelope('x12')
  if (example === undefined) throw new Error('no envelope')
  const own = { ...example, ...envelope }
  const writer = createInterchangeWriter({ syntax: 'x12', document: '810', version: '004010' }, own)
  const rows = Array.from({ length: sets }, () => [['ST'], ['BIG', '20261120', 'N-1']]).flat()
  const pieces = [writer.formatHeader(), writer.formatRows(rows), writer.formatEnd?.() ?? '']
  return pieces.map((piece) => Buffer.from(piece).toString('latin1')).join('')
}

test('the component separator stands in ISA16, also where it is a control character', () => {
  const delimiters = {
    element: '\u001d',
    component: '\u001f',
    repetition: '\u001e',
    segment: '\u001c',
    newline: '',
  }

  const [isa = ''] = write({ delimiters }).split('\u001c')

  expect(isa).toHaveLength(105)
  expect(isa.at(-1)).toBe('\u001f')
})

test('numbers of sets behind that of their group have at most nine digits, and each comes once', () => {
  const numbered = { setNumbers: 'grouped', numbers: { interchange: 1, group: 123_456_789 } } as const

  expect(write(numbered, 2).match(/ST\*810\*\d+/g)).toEqual(['ST*810*567890001', 'ST*810*567890002'])
  expect(() => write(numbered, 10_000)).toThrow('more than 9999 sets')
})

test('an id shorter than fifteen characters is padded in ISA and not in GS', () => {
  const text = write({ sender: { qualifier: '01', id: 'US', group: 'US' } })

  expect(text).toMatch(/^ISA\*00\* {10}\*00\* {10}\*01\*US {13}\*/)
  expect(text).toContain('GS*IN*US*RECEIVER*')
})
