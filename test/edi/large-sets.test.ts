/** Sets of EDI that are too large to be read: what is in them is refused, and never left out in silence. */
import { expect, test } from 'vitest'
import type { ReadOptions, Row } from '../../src/domain/format.ts'
import { createFormats } from '../../src/formats/formats.ts'
import { repeatable } from '../../src/support/async.ts'

const SEGMENTS_MAX = 100_000

type EdiOptions = Partial<NonNullable<ReadOptions['edi']>>

function inventoryOf(items: readonly string[][]): string {
  const body = ['BIA*00*SI*1*20261121', ...items.flat()]
  return [
    `ISA*00*          *00*          *ZZ*SENDER         *ZZ*RECEIVER       *261121*1200*U*00401*000000001*0*P*>`,
    'GS*IB*SENDER*RECEIVER*20261121*1200*1*X*004010',
    'ST*846*0001',
    ...body,
    `SE*${body.length + 2}*0001`,
    'GE*1*1',
    'IEA*1*000000001',
    '',
  ].join('~\n')
}

async function readInventory(text: string, options: EdiOptions): Promise<Row[]> {
  // oxlint-disable-next-line require-await -- the interface of a file's bytes
  const input = repeatable(async function* () {
    yield Buffer.from(text)
  })
  const edi = {
    document: '846',
    recordColumns: [{ name: 'item', path: 'LIN.VN' }],
    lineColumns: [],
    ...options,
  }
  const reading = await createFormats().read(input, { format: 'x12', edi })
  if (!('batches' in reading)) throw new Error(JSON.stringify(reading.problems))
  const rows: Row[] = []
  for await (const batch of reading.batches) rows.push(...batch)
  return rows
}

const item = (name: string, references = 1) => [
  `LIN**VN*${name}`,
  ...Array.from({ length: references }, (_, index) => `REF*ZZ*${index}`),
  'QTY*33*5',
]
const large = inventoryOf([item('A'), item('B', SEGMENTS_MAX), item('C')])
const codesOf = ({ problems = [] }: Row) => problems.map(({ code }) => code)

test('an item that is too large is refused, and the items behind it are read', async () => {
  const rows = await readInventory(large, {})

  expect(rows.map((row) => [row.values[0], codesOf(row)])).toEqual([
    ['A', []],
    ['B', ['record-too-large']],
    ['C', []],
  ])
})

test('what is too large behind the last record of an item is refused with the item, and not with the next one', async () => {
  const quantities = ['QTY*33*5', 'QTY*17*2']
  const texts = Array.from({ length: SEGMENTS_MAX + 1 }, () => 'MSG*x')
  const text = inventoryOf([
    ['LIN**VN*A', ...quantities, ...texts],
    ['LIN**VN*B', ...quantities],
    ['LIN**VN*C'],
  ])

  const rows = await readInventory(text, { records: ['LIN', 'QTY'], lines: 'QTY' })

  expect(rows.map((row) => [row.values[0], codesOf(row)])).toEqual([
    ['A', []],
    ['A', []],
    ['A', ['record-too-large']],
    ['B', []],
    ['B', []],
    ['C', []],
  ])
})

test('a set that is too large to be one record is refused, although its items would not be', async () => {
  const items = Array.from({ length: 40_000 }, (_, index) => item(String(index)))

  const rows = await readInventory(inventoryOf(items), { records: ['ST'], lines: 'LIN' })

  expect(rows.map(codesOf)).toEqual([['record-too-large']])
})

test('a set of many items is read whole', async () => {
  const items = Array.from({ length: 40_000 }, (_, index) => item(String(index)))

  const rows = await readInventory(inventoryOf(items), {})

  expect(rows).toHaveLength(40_000)
  expect(rows.flatMap(codesOf)).toEqual([])
})
