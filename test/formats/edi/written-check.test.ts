/** The check of a file while it is written is as strict as the verdicts on a file that came. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isUnreadable } from '../../../src/domain/format.ts'
import { createInterchangeFormat } from '../../../src/formats/formats.ts'
import { dress, FAULTS, makeFault, makeFaultBase } from '../../fixtures/edi-maker.ts'
import { toInput } from './tools.ts'

const format = createInterchangeFormat()

/** Whether the reader of the file would refuse a set or anything around it; and what it holds. */
async function judge(bytes: Uint8Array) {
  let sets = 0
  let isRefused = false
  for await (const judgments of format.judge(toInput(bytes), { reused: new Set() }))
    for (const { verdict } of judgments) {
      sets += 1
      isRefused ||= verdict !== 'A'
    }
  const outline = await format.outline(toInput(bytes), [])
  if (isUnreadable(outline)) return { sets: 0, interchanges: 0, isRefused: true }
  let interchanges = 0
  for await (const parts of outline.parts)
    for (const part of parts) {
      if (part.kind !== 'interchange-end') continue
      interchanges += 1
      isRefused ||= part.isRefused
    }
  return { sets, interchanges, isRefused: isRefused || outline.listProblems().length > 0 }
}

type Result = Awaited<ReturnType<typeof judge>>

/** A file in which no interchange is found has no counts to compare. */
function ofReadable(result: Result, { interchanges }: Result): Partial<Result> {
  return interchanges === 0 ? { isRefused: result.isRefused } : result
}

/** The same, taken in pieces of this size. */
function check(bytes: Uint8Array, size: number) {
  const written = format.createWrittenCheck()
  for (let at = 0; at < bytes.length; at += size) written.take(bytes.subarray(at, at + size))
  const { sets, interchanges, fault } = written.finish()
  return { sets, interchanges, isRefused: fault !== undefined || interchanges === 0 }
}

test.each(FAULTS.map((fault) => [`${fault.syntax}: ${fault.name}`, fault] as const))(
  '%s',
  async (_, fault) => {
    for (const bytes of makeFault(fault).files) {
      const judged = await judge(bytes)
      for (const size of [1, 100, 1_000_000]) {
        const checked = check(bytes, size)
        expect(ofReadable(checked, judged)).toEqual(ofReadable(judged, judged))
      }
    }
  },
)

test.each(['x12', 'edifact'] as const)(
  '%s: a file of which a byte is changed, missing or doubled',
  async (syntax) => {
    const base = dress(makeFaultBase(syntax), { newline: '\n' })
    expect(await judge(base)).toEqual(check(base, 100))
    expect(check(base, 100)).toMatchObject({ sets: 9, interchanges: 1, isRefused: false })
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: base.length - 1 }),
        fc.constantFrom('delete', 'double', 'change'),
        fc.constantFrom('A', '0', '*', '~', '+', "'", '>', ':', '^', '?', ' ', '\n'),
        async (at, kind, other) => {
          const [before, behind] = [base.subarray(0, at), base.subarray(at + 1)]
          const own = base.subarray(at, at + 1)
          const between = kind === 'delete' ? [] : kind === 'double' ? [own, own] : [Buffer.from(other)]
          const bytes = Buffer.concat([before, ...between, behind])
          const judged = await judge(bytes)
          const checked = check(bytes, 64)
          // What the reader takes, the check may not refuse, and the other way round.
          expect(ofReadable(checked, judged)).toEqual(ofReadable(judged, judged))
        },
      ),
      { numRuns: 150 },
    )
  },
)
