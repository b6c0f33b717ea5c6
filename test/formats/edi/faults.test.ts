/** Each fault of an interchange alone: what it refuses, what it leaves, where it is said to be. */
import { describe, expect, test } from 'vitest'
import { FAULTS as KINDS } from '../../../src/edi/faults.ts'
import type { Draft } from '../../../src/domain/translator.ts'
import { dress, FAULTS, makeFault, makeFaultBase } from '../../fixtures/edi-maker.ts'
import { ORDERS, outcomeOf, readFile } from './tools.ts'

/** Checks of partners and of other files, which the reader of one file knows nothing of. */
const NOT_OF_ONE_FILE = ['unknown partner', 'duplicate interchange']

/** The reader tells these apart in other words than the maker of faults. */
const SAME_PROBLEM: Readonly<Record<string, string>> = {
  'edi-envelope': 'edi-cut-off',
}

/** The API checks the length of a value, and not the reader. */
const NOT_OF_READER = 'The order number is too long'

const cases = FAULTS.filter(({ check, name }) => !NOT_OF_ONE_FILE.includes(check) && name !== NOT_OF_READER)

describe.each(cases)('$syntax: $name', (fault) => {
  const result = makeFault(fault)
  const [bytes = Buffer.alloc(0)] = result.files

  test('only what the fault reaches is refused', async () => {
    const { drafts, unusable } = await readFile(ORDERS[fault.syntax], bytes)

    expect(drafts.filter(({ body }) => body !== undefined).map(({ keyValues }) => keyValues[0])).toEqual(
      result.posted,
    )
    if (unusable.length > 0) {
      expect(fault.reach).toBe('file')
      expect(unusable[0]?.code).toBe(fault.problem)
      return
    }
    const others = drafts.filter(({ body }) => body === undefined)
    const expected = result.outcomes.filter((outcome) => outcome !== 'taken')
    // A file that ends early has no more sets than were read.
    expect(expected).toEqual(expect.arrayContaining(others.map(outcomeOf)))
    if (fault.check !== 'interchange cut off') expect(others).toHaveLength(expected.length)
    for (const draft of others) {
      expect([fault.problem, SAME_PROBLEM[fault.problem]]).toContain(codesOf(draft)[0])
    }
  })

  test('each problem names a byte at which its segment begins', async () => {
    const { drafts } = await readFile(ORDERS[fault.syntax], bytes)

    for (const { place } of drafts.flatMap(({ problems }) => problems)) {
      const { at = -1, id = '', segment } = place.spot ?? {}
      expect(segment).toBeGreaterThan(0)
      const name = id.split('/').at(-1)?.split(/[*+]/)[0] ?? ''
      if (isThere(id)) expect(bytes.toString('latin1', at, at + name.length)).toBe(name)
    }
  })
})

function codesOf({ problems }: Draft): string[] {
  return problems.map(({ code }) => code)
}

/** A path to a segment that is missing is shown at the begin of the loop that misses it. */
function isThere(id: string): boolean {
  return id !== '?' && !/[*+/]/.test(id)
}

describe('an interchange that is right', () => {
  test.each(['x12', 'edifact'] as const)('gives its nine orders in %s', async (syntax) => {
    const { drafts } = await readFile(ORDERS[syntax], dress(makeFaultBase(syntax), { newline: '\n' }))

    expect(drafts.map(outcomeOf)).toEqual(Array.from({ length: 9 }, () => 'taken'))
  })
})

describe('codes of answers', () => {
  const codeOf = {
    ta1: 'x12',
    ak9: 'x12',
    ak5: 'x12',
    uci: 'edifact',
    ucf: 'edifact',
    ucm: 'edifact',
  } as const
  const isEnvelope = (check: string) => /^(?:interchange|group trailer|set trailer)/.test(check)

  test.each(cases.filter(({ check }) => isEnvelope(check)))('$syntax: $name', ({ syntax, codes }) => {
    const known = Object.values(KINDS).map((kind) => kind[syntax])

    for (const [name, code] of Object.entries(codes)) {
      if (name in codeOf) expect(known).toContain(code)
    }
  })
})
