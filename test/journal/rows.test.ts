import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { openConnection } from '../../src/journal/connection.ts'
import { jsonRows } from '../../src/journal/rows.ts'
import { systemClock } from '../../src/support/clock.ts'

interface Sample {
  readonly number: number
  readonly text: string | null
  readonly list: readonly unknown[]
  readonly long?: string
}

/** The rows as SQLite reads them, each value with its type there. */
async function readBack(rows: readonly Sample[]): Promise<unknown[][]> {
  const { db } = await openConnection(':memory:', systemClock)
  try {
    const batch = jsonRows(
      rows,
      { number: 'number', text: 'text', list: 'list' },
      { long: ({ long }) => long },
    )
    const names = ['number', 'text', 'list', 'long']
    const typed = names.flatMap((name) => [
      sql.ref(name),
      sql`typeof(${sql.ref(name)}) as ${sql.ref(`${name}_type`)}`,
    ])
    const { rows: read } = await sql<object>`select ${sql.join(typed)} from ${batch}`.execute(db)
    return read.map((row) => Object.values(row) as unknown[])
  } finally {
    await db.destroy()
  }
}

const SAMPLES: readonly (readonly [string, Sample])[] = [
  ['numbers, texts and empty lists', { number: 7, text: 'HV-1 ready', list: [] }],
  ['large and negative numbers', { number: -(2 ** 53) + 1, text: '', list: [] }],
  ['fractions', { number: 2.5, text: '2.50', list: [] }],
  ['null', { number: 0, text: null, list: [[1, 2]] }],
  ['texts beyond ASCII', { number: 1, text: '佐藤 "花子"\n', list: ['é'], long: '“long” 花' }],
  ['texts with zero bytes', { number: 1, text: 'a\u0000b', list: [], long: 'a\u0000b' }],
  ['texts with half a character', { number: 1, text: '\ud800', list: [], long: '' }],
]

it.each(SAMPLES)('rows of a batch are read alike where all have the same cells: %s', async (_, sample) => {
  const other: Sample = { number: 99, text: 'other', list: [9], long: 'other text' }
  const [differing] = await readBack([sample, other])

  expect(await readBack([sample, sample])).toEqual([differing, differing])
  expect(await readBack([sample])).toEqual([differing])
})

it('a batch without rows is empty', async () => {
  expect(await readBack([])).toEqual([])
})

it('a batch has its rows where only one column differs', async () => {
  const rows = [3, 1, 2].map((number): Sample => ({ number, text: 'same', list: [] }))

  expect((await readBack(rows)).map(([number]) => number)).toEqual([3, 1, 2])
})
