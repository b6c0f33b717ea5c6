/** The ready exports as X12 and EDIFACT: their examples byte for byte, and the checker's verdict on what they write. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { COMPONENT_MARK, createExampleEnvelope } from '../../src/domain/format.ts'
import type { ElementPlan } from '../../src/mapping/export/segment-elements.ts'
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

type PlacedElement = ElementPlan & { readonly target: { readonly kind: 'element' } }

/** Pairs and dates stand where the segment has room. */
function isPlaced(element: ElementPlan | undefined): element is PlacedElement {
  return element?.target.kind === 'element'
}

function readElement(row: readonly string[], { element, component = 1 }: PlacedElement['target']): string {
  return row[element]?.split(COMPONENT_MARK)[component - 1] ?? ''
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

  test('is traced as it is written: the segments, and the text of each element in them', async () => {
    const { mapping, records } = await loadExample(name)
    const { composer, document } = mapping
    const envelope = createExampleEnvelope(composer.write.format)
    assert(document !== undefined && envelope !== undefined)
    const traced = document.trace(records, envelope)
    const written = records.map((record) => {
      const composed = composer.composeRows(record, envelope)
      const rows = 'rows' in composed ? composed.rows : []
      return composer.frame === undefined ? rows.slice(1) : rows
    })
    const segments = traced.records.map((each) => each.segments.filter(({ row }) => row !== undefined))

    expect(segments.map((each) => each.map(({ row }) => row))).toEqual(written)
    for (const { plan, texts, row = [] } of segments.flat())
      expect(texts.map((text, at) => (isPlaced(plan.elements[at]) ? text : ''))).toEqual(
        plan.elements.map((element) => (isPlaced(element) ? readElement(row, element.target) : '')),
      )
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
