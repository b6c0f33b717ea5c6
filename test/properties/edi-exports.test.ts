/** Documents out of any records of the API: they pass our own checker, fit the dictionary, and carry all their counts. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ElementInfo } from '../../src/edi/dictionary.ts'
import { DICTIONARIES } from '../../src/edi/documents.ts'
import type { Segment, Syntax } from '../../src/edi/segment.ts'
import { checkFile, exportRecords, loadExport } from '../formats/edi/exported.ts'
import { drawRecords, EXPORTS } from './edi-records.ts'

/** Without shrinking: a record that fails is shown as it is. */
const RUNS = { numRuns: 20, endOnFailure: true }

// Whether each element fits what the dictionary knows of it.

function listUnfit(segments: readonly Segment[], syntax: Syntax): string[] {
  return segments.flatMap((segment) => {
    const info = DICTIONARIES[syntax].find(segment.id)
    if (info === undefined || /^(ISA|GS|UNA|UNB)$/.test(segment.id)) return []
    return info.elements.flatMap((element, index) => {
      const parts =
        element.components.length === 0
          ? [[segment.value(index + 1), element] as const]
          : element.components.map((part, at) => [segment.value(index + 1, at + 1), part] as const)
      return parts
        .filter(([text, part]) => !isFit(text, part))
        .map(([text, { number }]) => `${segment.id} ${index + 1} (${number}): ${JSON.stringify(text)}`)
    })
  })
}

function isFit(text: string, { type, min, max }: ElementInfo): boolean {
  if (text === '') return true
  if (text !== text.trim()) return false
  if (/^N\d$/.test(type)) return /^-?\d+$/.test(text) && hasDigits(text, min, max)
  if (type === 'R') return /^-?(0|[1-9]\d*|0\d+)(\.\d*[1-9])?$/.test(text) && hasDigits(text, min, max)
  if (type === 'DT') return /^\d{8}$/.test(text)
  if (type === 'TM') return /^\d{4}$/.test(text)
  return text.length >= min && text.length <= max && !/\p{Cc}/u.test(text)
}

function hasDigits(text: string, min: number, max: number): boolean {
  const digits = text.replace(/[-.]/g, '').length
  return digits >= min && digits <= max
}

describe.each(EXPORTS)('$name', ({ name, sample, more }) => {
  const syntax: Syntax = name.startsWith('x12') ? 'x12' : 'edifact'

  test('writes any records as sets in which the checker finds nothing, or holds them', async () => {
    const { composer } = await loadExport(name)
    await fc.assert(
      fc.asyncProperty(fc.gen(), fc.boolean(), async (draw, any) => {
        const records = drawRecords(draw, sample, more, any)
        const { bytes, records: outcomes, written } = exportRecords(composer, records)
        const { sets, faults, segments } = await checkFile(bytes)

        const held = outcomes.filter(({ problems }) => problems.length > 0)
        expect(held.length + written.length).toBe(records.length)
        // Plain values are all written.
        expect(any ? [] : held).toEqual([])
        if (written.length === 0) return
        expect(faults).toEqual([])
        expect(sets).toBe(composer.frame === undefined ? written.length : 1)
        expect(listUnfit(segments, syntax)).toEqual([])
      }),
      RUNS,
    )
  })
})
