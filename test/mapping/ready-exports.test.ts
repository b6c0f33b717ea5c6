/** The ready exports as X12 and EDIFACT: their examples byte for byte, and the checker's verdict on what they write. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { type ApiRecord, checkFile, exportRecords, loadExport, ROOT } from '../formats/edi/exported.ts'

const NAMES = ['x12', 'edifact'].flatMap((folder) =>
  readdirSync(join(ROOT, 'mappings', folder))
    .filter((file) => file.endsWith('-export.yaml'))
    .map((file) => `${folder}/${file.replace('.yaml', '')}`),
)

async function loadExample(name: string) {
  const mapping = await loadExport(name)
  const [example] = mapping.examples
  const path = (relative = '') => join(ROOT, 'mappings', name, '..', relative)
  const records = JSON.parse(readFileSync(path(example?.input), 'utf8')) as ApiRecord[]
  return { mapping, records, expected: readFileSync(path(example?.expect)) }
}

test('there is a ready export for each document out', () => {
  expect(NAMES.map((name) => name.replace('-export', '')).toSorted()).toEqual(
    [
      ...['180', '810', '812', '846', '850', '855', '856', '860', '865'].map((document) => `x12/${document}`),
      ...['desadv', 'invoic', 'invrpt', 'ordchg', 'orders', 'ordrsp'].map(
        (document) => `edifact/${document}`,
      ),
    ].toSorted(),
  )
})

describe.each(NAMES)('%s', (name) => {
  test('writes the records of its example byte for byte', async () => {
    const { mapping, records, expected } = await loadExample(name)
    const { bytes, records: outcomes } = exportRecords(mapping.composer, records)

    expect(outcomes.flatMap(({ problems, warnings }) => [...problems, ...warnings])).toEqual([])
    expect(bytes.toString('latin1')).toBe(expected.toString('latin1'))
  })

  test('has no code that is unknown here', async () => {
    expect((await loadExport(name)).warnings).toEqual([])
  })

  test('has records in its example as the API shows them', async () => {
    const { mapping, records } = await loadExample(name)
    const operation = OPERATIONS[mapping.operation]
    const schema = 'record' in operation ? operation.record : z.never()

    expect(records.flatMap((record) => schema.safeParse(record).error?.issues ?? [])).toEqual([])
  })

  test('writes sets in which the checker finds nothing', async () => {
    const { expected, records, mapping } = await loadExample(name)
    const { sets, faults } = await checkFile(expected)

    expect(faults).toEqual([])
    expect(sets).toBe(mapping.composer.frame === undefined ? records.length : 1)
  })
})
