/** The sets of a file by their numbers, and what is only noted of them. */
import { describe, expect, test } from 'vitest'
import type { ListedSet, Notes } from '../../../src/domain/format.ts'
import type { SetSelection } from '../../../src/domain/place.ts'
import { createFormats } from '../../../src/formats/formats.ts'
import { dress, FAULTS, make850, makeFault, makeInterchange } from '../../fixtures/edi-maker.ts'
import { judgeSets } from './interchange-tools.ts'
import { type Chunks, toInput } from './tools.ts'

async function listFile(
  file: Uint8Array | Chunks,
  sets?: SetSelection,
): Promise<{ sets: readonly ListedSet[]; notes: Notes }> {
  const edi = { document: '850', recordColumns: [], lineColumns: [], ...(sets && { sets }) }
  const listing = createFormats().listSets(toInput(file), { format: 'x12', edi })
  if (listing === undefined) throw new Error('the format has no sets')
  const listed: ListedSet[] = []
  for await (const batch of listing.sets) listed.push(...batch)
  return { sets: listed, notes: listing.getNotes() }
}

const line = { quantity: 1, pairs: [['SK', 'A'] as const] }
const order = (po: string) => make850({ po, lines: [line] })
const interchange = (number: number) =>
  makeInterchange({ syntax: 'x12', number, groups: [{ sets: [order('HV-1'), order('HV-2')] }] })

describe('the sets of a file', () => {
  test.each(FAULTS.filter(({ check }) => check !== 'unreadable interchange'))(
    '$syntax: $name: the sets have the numbers and segments that the verdicts on them have',
    async (fault) => {
      for (const file of makeFault(fault).files) {
        const { sets } = await listFile(file)

        const judged = await judgeSets(file)
        expect(sets).toEqual(judged.map(({ set, segments }) => ({ name: set, segments })))
      }
    },
  )

  test('are left out where they are not selected, with their notes and what stands in no set', async () => {
    const file = dress(
      [interchange(101), interchange(102)],
      [{ newline: '\n', between: '\n$ end of job\n' }, {}],
    )
    const wrapped = file.toString('latin1').replaceAll('BEG*00', 'BEG*\n00')

    const all = await listFile(Buffer.from(wrapped))
    const some = await listFile(Buffer.from(wrapped), [[2, 3]])

    expect(some.sets).toEqual(all.sets.slice(1, 3))
    expect(all.notes.first.map(({ code }) => code).toSorted()).toEqual([
      'edi-between',
      ...Array.from({ length: 4 }, () => 'edi-unfolded'),
    ])
    expect(some.notes.first.map(({ place }) => place.spot?.set)).toEqual(some.sets.map(({ name }) => name))
  })
})
