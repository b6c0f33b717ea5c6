/** What a proof reads in the interchanges of an export: its records, and their control numbers. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createExampleEnvelope } from '../../src/domain/format.ts'
import { createFormats, createInterchangeFormat } from '../../src/formats/formats.ts'
import {
  compareNumbers,
  createDocumentReader,
  readControlNumbers,
} from '../../src/prove/delivered-interchanges.ts'
import { type ApiRecord, exportRecords, loadExport, ROOT } from '../formats/edi/exported.ts'

/** The ready export mappings, each with records that it can write. */
const EXPORTS: Readonly<Record<string, string>> = {
  'x12/850-export': 'orders',
  'x12/860-export': 'canceled-orders',
  'x12/855-export': 'acknowledged-orders',
  'x12/865-export': 'cancels-of-orders',
  'x12/856-export': 'shipments',
  'x12/810-export': 'invoices',
  'x12/812-export': 'credits',
  'x12/180-export': 'returns',
  'x12/846-export': 'variants',
  'edifact/orders-export': 'orders',
  'edifact/ordchg-export': 'canceled-orders',
  'edifact/ordrsp-export': 'acknowledged-orders',
  'edifact/desadv-export': 'shipments',
  'edifact/invoic-export': 'invoices',
  'edifact/invrpt-export': 'variants',
}

function readRecords(sample: string): readonly ApiRecord[] {
  const text = readFileSync(join(ROOT, 'samples/exports', `${sample}.json`), 'utf8')
  const records = JSON.parse(text) as readonly ApiRecord[]
  return [...records, ...records.slice(0, 1).map(renumber)]
}

/** The same record under other numbers: those that records of its kind have. */
function renumber(record: ApiRecord): ApiRecord {
  const numbers = {
    id: 99_901,
    order_id: 99_902,
    purchase_order_number: 'HV-99903',
    invoice_number: 'N-99904',
    credit_number: 'C-99905',
    rma_number: 'R-99906',
    identifier: 'NL-99907',
    kept: { ...(record['kept'] as object | undefined), purchase_order_number: 'HV-99908' },
  }
  return { ...record, ...Object.fromEntries(Object.entries(numbers).filter(([name]) => name in record)) }
}

async function aReader(name: string) {
  const mapping = await loadExport(name)
  const envelope = createExampleEnvelope(mapping.composer.write.format)
  if (envelope === undefined) throw new Error(`${name} writes no document`)
  return { mapping, envelope, reader: createDocumentReader({ mapping, format: createFormats(), envelope }) }
}

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

describe.each(Object.entries(EXPORTS))('a proof of %s', (name, sample) => {
  test('recognizes each record once in an interchange, whatever its numbers, its date and the order of its records', async () => {
    const { mapping, reader } = await aReader(name)
    const records = readRecords(sample)
    const marks = await reader.describe(records)
    if (typeof marks === 'string') throw new Error(marks)
    const known = marks.filter((mark) => mark !== undefined)
    const { bytes, written } = exportRecords(mapping.composer, records.toReversed(), {
      numbers: { interchange: 4711, group: 815 },
      at: Date.UTC(2027, 5, 5),
    })

    const file = await reader.read(latin1(bytes))

    expect(written.length).toBeGreaterThan(1)
    expect(known.length).toBe(written.length)
    expect(known.map((mark) => file.count(mark))).toEqual(known.map(() => 1))
    const isShared = mapping.composer.frame !== undefined
    expect(known.map((mark) => file.findSets(mark))).toEqual(
      known.map((_, at) => [isShared ? 1 : known.length - at]),
    )
    expect(file.faults).toEqual([])
  })

  test('misses the record that is left out, and sees the one that comes twice', async () => {
    const { mapping, reader } = await aReader(name)
    const all = readRecords(sample)
    const { written } = exportRecords(mapping.composer, all)
    const [first, second] = written
    if (first === undefined || second === undefined) throw new Error('too few records')
    const marks = await reader.describe(written)
    if (typeof marks === 'string') throw new Error(marks)

    const { bytes } = exportRecords(mapping.composer, [second, ...written.slice(2), second])

    const file = await reader.read(latin1(bytes))
    expect(marks.map((mark = '') => file.count(mark))).toEqual(written.map((_, at) => [0, 2][at] ?? 1))
  })
})

test('a record is another one when any value of it differs', async () => {
  const { mapping, reader } = await aReader('x12/810-export')
  const [invoice = {}] = readRecords('invoices')
  const marks = await reader.describe([invoice])

  const { bytes } = exportRecords(mapping.composer, [{ ...invoice, due_amount: '99999.00' }])

  expect((await reader.read(latin1(bytes))).count(String(marks[0]))).toBe(0)
})

test('records that look alike in the file cannot be told apart, and that is said', async () => {
  const { reader } = await aReader('x12/810-export')
  const [invoice = {}] = readRecords('invoices')

  expect(await reader.describe([invoice, invoice])).toBe('several of its records look the same in its files')
})

test('a set with a fault is no delivered record, and the fault is reported; a set of another document is not of the route', async () => {
  const { mapping, reader } = await aReader('x12/810-export')
  const records = readRecords('invoices')
  const marks = await reader.describe(records)
  const text = latin1(exportRecords(mapping.composer, records).bytes)

  const broken = await reader.read(text.replace(/SE\*\d+\*0001/, 'SE*999*0001'))
  expect([broken.count(String(marks[0])), broken.count(String(marks[1]))]).toEqual([0, 1])
  expect(broken.faults).toEqual([expect.stringMatching(/^SE01 says 999/)])

  const other = await aReader('x12/856-export')
  const foreign = await other.reader.read(text)
  expect(foreign).toMatchObject({ isOwn: false, faults: [] })
  expect(broken.isOwn).toBe(true)
  expect((await reader.read('no interchange')).faults).toHaveLength(1)
})

test.each(['x12/810-export', 'edifact/invoic-export', 'x12/846-export', 'edifact/invrpt-export'])(
  'the control numbers of %s are read with the addresses that they count for',
  async (name) => {
    const { mapping } = await aReader(name)
    const { edi } = mapping.composer.write
    const { bytes } = exportRecords(mapping.composer, readRecords(EXPORTS[name] ?? ''), {
      numbers: { interchange: 4711, group: 815 },
    })

    const numbers = await readControlNumbers(createInterchangeFormat(), latin1(bytes), edi ? [edi] : [])

    const isX12 = name.startsWith('x12')
    const sets = /846|invrpt/.test(name) ? 1 : readRecords(EXPORTS[name] ?? '').length
    const scope = isX12 ? 'x12 ZZ:SENDER to ZZ:RECEIVER, test' : 'edifact 14:SENDER to 14:RECEIVER, test'
    expect(numbers).toEqual([{ scope, interchange: 4711, groups: isX12 ? [815] : [], sets }])
  },
)

test('control numbers go on from those before: none is left out, and none comes again', () => {
  const found = (numbers: readonly number[], before: number) =>
    compareNumbers(numbers, before, { name: 'control number', carrier: 'interchange' }).map(
      ({ wrong, record, what }) => `${wrong}: ${record}: ${what}`,
    )

  expect(found([], 0)).toEqual([])
  expect(found([3, 1, 2], 0)).toEqual([])
  expect(found([700], 699)).toEqual([])
  expect(found([2], 0)).toEqual(['lost: control number 1: no interchange has it'])
  expect(found([999_999_999], 5)).toEqual(['lost: control numbers 6 to 999999998: no interchange has them'])
  expect(found([6, 6, 7], 5)).toEqual(['twice: control number 6: an interchange before had it'])
  expect(found([5, 6], 5)).toEqual(['twice: control number 5: an interchange before had it'])
})
