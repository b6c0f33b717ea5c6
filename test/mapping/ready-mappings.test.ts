/** The ready mappings, run on the samples they carry, with the real CSV format. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { type FileReading, isUnreadable, type ReadOptions } from '../../src/domain/format.ts'
import { createCsvFormat } from '../../src/formats/csv/format.ts'
import { checkInboundExample, checkOutboundExample } from '../../src/mapping/examples.ts'
import { createMappingSchema } from '../../src/mapping/json-schema.ts'
import { loadMapping } from '../../src/mapping/load.ts'

const FOLDER = new URL('../../mappings', import.meta.url).pathname
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'))
const format = createCsvFormat()
const published = z.fromJSONSchema(createMappingSchema() as never)

function bytesOf(path: string): Buffer {
  return readFileSync(join(FOLDER, path))
}

async function readSample(path: string, options: ReadOptions): Promise<FileReading> {
  const reading = await format.read(chunks(bytesOf(path)), options)
  if (isUnreadable(reading)) throw new Error(reading.problems.map(({ message }) => message).join('\n'))
  return reading
}

async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes)
}

async function rowsOf(path: string): Promise<string[][]> {
  const { layouts, batches } = await readSample(path, { format: 'csv' })
  const rows = [[...(layouts[0]?.columns ?? [])]]
  for await (const batch of batches) rows.push(...batch.map(({ values }) => [...values]))
  return rows
}

function recordsOf(path: string): Record<string, unknown>[] {
  return JSON.parse(bytesOf(path).toString()) as Record<string, unknown>[]
}

describe.each(NAMES)('%s', (name) => {
  test('turns its examples into the expected records', async () => {
    const mapping = await loadMapping(join(FOLDER, name))

    expect(mapping.warnings).toEqual([])
    for (const { input, expect: expected } of mapping.examples) {
      const differences =
        mapping.direction === 'inbound'
          ? await checkInboundExample(
              mapping.translator,
              await readSample(input, mapping.translator.read),
              recordsOf(expected),
            )
          : checkOutboundExample(mapping.composer, recordsOf(input), await rowsOf(expected))
      expect(differences).toEqual([])
    }
  })

  test('fits the published schema', () => {
    expect(published.safeParse(parse(bytesOf(name).toString())).error?.issues ?? []).toEqual([])
  })
})

test.each(NAMES.filter((name) => name.endsWith('-export.yaml')))(
  '%s is tried on records as the API shows them, and writes the file byte for byte',
  async (name) => {
    const mapping = await loadMapping(join(FOLDER, name))
    if (mapping.direction !== 'outbound') throw new Error('not an export')
    const { composer, examples } = mapping
    const operation = OPERATIONS[mapping.operation]
    const [example] = examples
    const records = recordsOf(example?.input ?? '')
    const writer = format.createWriter(composer.columns, composer.write)

    const parts = records.map((record) => {
      const composed = composer.composeRows(record)
      return writer.formatRows('rows' in composed ? composed.rows : [])
    })

    expect(Buffer.concat([writer.formatHeader(), ...parts]).toString()).toBe(
      bytesOf(example?.expect ?? '').toString(),
    )
    const schema = 'record' in operation ? operation.record : z.never()
    expect(records.flatMap((record) => schema.safeParse(record).error?.issues ?? [])).toEqual([])
  },
)

test('a difference from an example is described in a sentence', async () => {
  const inbound = await loadMapping(join(FOLDER, 'retailer-orders.yaml'))
  const outbound = await loadMapping(join(FOLDER, 'invoices-export.yaml'))
  if (inbound.direction !== 'inbound' || outbound.direction !== 'outbound') throw new Error('not these')
  const sample = '../samples/orders/retailer-orders.csv'
  const expected = JSON.parse(
    bytesOf('../samples/orders/retailer-orders.expected.json').toString().replace('"ME"', '"MA"'),
  ) as unknown[]
  const rows = await rowsOf('../samples/exports/invoices.expected.csv')

  expect(
    await checkInboundExample(inbound.translator, await readSample(sample, inbound.translator.read), [
      ...expected,
      {},
    ]),
  ).toEqual([
    'Record 1: ship_to.province is "ME"; expected was "MA".',
    '4 records were expected, 3 came out. Correct the mapping, or the file of `expect` in its `examples`.',
  ])
  expect(
    checkOutboundExample(outbound.composer, recordsOf('../samples/exports/invoices.json'), rows.slice(0, 2)),
  ).toEqual([
    '1 row was expected, 2 came out. Correct the mapping, or the file of `expect` in its `examples`.',
  ])
})
