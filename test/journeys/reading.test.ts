/** Files of every layout on their way through a bridge: refused rows come back as they came. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Summary } from '../../src/pipeline/inbound/summary.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { aWorld, type World } from '../fixtures/world.ts'

/** A bridge whose orders have this `read`. */
async function aWorldThatReads(read: string, group = 'group: PO'): Promise<World> {
  const world = await aWorld({ routes: ['orders'] })
  await readOrders(world, read, group)
  return world
}

/** From now on the orders of the world have this `read`. */
async function readOrders(world: World, read: string, group = 'group: PO'): Promise<void> {
  const mapping = `
operation: create-order
read: ${read}
${group}
body:
  purchase_order_number: PO
  ordered_at: { const: '2026-11-20' }
  ship_to:
    name1: Name
    street1: { const: 12 Mill Road }
    city: { const: Albany }
    province: { const: NY }
    postal_code: { const: '12207' }
    country: { const: US }
  shipping_method: { code: { const: FEDEX_GROUND }, carrier: { code: { const: FDEG } } }
  order_lines:
    - variant: { identifier: SKU }
      quantity: Qty
      net_price: Cost
      price: { const: '24.99' }
`
  const path = join(world.folder, 'orders.yaml')
  await writeFile(path, mapping)
  const [route] = world.configuration.routes
  if (route?.direction !== 'inbound') throw new Error('no inbound route')
  Object.assign(route, { mappingPath: path })
  Object.assign(route.from, { match: '*' })
}

const posted = async (world: World) =>
  (await world.orders()).map((order) => order.purchase_order_number).toSorted()

const linesOf = async (world: World, name: string) =>
  parseCsv(await world.read(`results/${name}.results.csv`)).map((row) => `${row['_line']} ${row['_status']}`)

const summaryOf = async (world: World, name: string) =>
  JSON.parse(await world.read(`results/${name}.summary.json`)) as Summary

const TOP = ['Orders report "generated', '', '# all of November', 'PO,Name,SKU,Qty,Cost']
const MESSY = [
  ...TOP,
  'HV-1,Ada Park,HV-10001,2,12.50',
  '# a "comment',
  'HV-2,Łukasz Nowak,HV-10002,none,9.00',
  '83 record(s) downloaded,,,,',
  'HV-3,Zoë Oak,HV-10003,1,9.00',
  'HV-4,"two',
  'lines",HV-10004,0,9.00',
  '83 record(s) downloaded',
]
const READ_MESSY = `{ format: csv, skip: header, ignore: [{ startsWith: '#' }, { matches: 'record\\(s\\) downloaded' }] }`
const text = (lines: readonly string[]) => lines.map((line) => `${line}\r\n`).join('')

test('refused rows come back under the preamble and header as they came, without comments and footers', async () => {
  const world = await aWorldThatReads(READ_MESSY)
  await world.drop('inbox/orders', 'november.csv', text(MESSY))

  await world.run()

  expect(await posted(world)).toEqual(['HV-1', 'HV-3'])
  expect(await linesOf(world, 'november.csv')).toEqual([
    '5 accepted',
    '7 rejected',
    '9 accepted',
    '10 rejected',
  ])
  const rejects = await world.read('results/november.csv.rejects.csv')
  expect(rejects).toBe(text([...TOP, ...MESSY.slice(6, 7), ...MESSY.slice(9, 11)]))

  await world.drop('inbox/orders', 'corrected.csv', rejects.replace('none', '3').replace(',0,', ',4,'))
  await world.run()

  expect(await posted(world)).toEqual(['HV-1', 'HV-2', 'HV-3', 'HV-4'])
})

const CSV_HEAD = 'PO,Name,SKU,Qty,Cost'
const FIXED = `
  format: fixed
  columns: [{ name: PO, length: 5 }, { name: Name, length: 12 }, { name: SKU, length: 9 }, { name: Qty, length: 6 }, { name: Cost, length: 6 }]`
const TYPED = `
  format: csv
  records: { H: { as: header, columns: [PO, Name] }, D: { as: detail, columns: [PO, SKU, Qty, Cost] } }`

test.each([
  [
    'quote-misplaced',
    '{ format: csv }',
    [CSV_HEAD, 'A,Ada,HV-10001,1,9.00', 'B,Bo Reed"Reed, Inc",1,9.00', 'C,Cy,HV-10003,1,9.00'],
  ],
  [
    'text-damaged',
    '{ format: csv }',
    [CSV_HEAD, 'A,Ada,HV-10001,1,9.00', 'B,Zo\uFFFD,HV-10002,1,9.00', 'C,Cy,HV-10003,1,9.00'],
  ],
  [
    'key-conflict',
    '{ format: csv }',
    [
      CSV_HEAD,
      'B,Bo,HV-10002,x,9.00',
      'A,Ada,HV-10001,1,9.00',
      'B,Bo,HV-10003,1,9.00',
      'C,Cy,HV-10003,1,9.00',
    ],
  ],
  [
    'row-short',
    FIXED,
    [
      'A    Ada         HV-10001      1  9.00',
      'B    Bo          HV-10002    120  9.',
      'C    Cy          HV-10003      1  9.00',
    ],
  ],
  [
    'row-long',
    FIXED,
    [
      'A    Ada         HV-10001      1  9.00',
      'B    Bo          HV-10002    120  9.005',
      'C    Cy          HV-10003      1  9.00',
    ],
  ],
  [
    'detail-of-other-record',
    TYPED,
    [
      'H,A,Ada',
      'D,A,HV-10001,1,9.00',
      'H,B,Bo',
      'D,B,HV-10001,1,9.00',
      'D,X,HV-10002,1,9.00',
      'H,C,Cy',
      'D,C,HV-10003,1,9.00',
    ],
  ],
])('%s in the middle of good rows refuses its order and no other', async (code, read, lines) => {
  const world = await aWorldThatReads(read, read === TYPED ? '' : 'group: PO')
  await world.drop('inbox/orders', 'faults.txt', text(lines))

  await world.run()

  expect(await posted(world)).toEqual(['A', 'C'])
  const [results] = (await world.list('results')).filter((name) => name.includes('.results.'))
  const rows = parseCsv(await world.read(`results/${results}`)).filter((row) => row['_status'] === 'rejected')
  expect(new Set(rows.flatMap((row) => row['_code']?.split(' | ') ?? []))).toContain(code)
})

test('refused lines of fixed width come back as they came, below what was skipped', async () => {
  const world = await aWorldThatReads(`
  format: fixed
  skip: 1
  columns:
    - { name: PO, length: 5 }
    - { name: Name, length: 12 }
    - { name: SKU, length: 9 }
    - { name: Qty, length: 3 }
    - { name: Cost, length: 6 }`)
  const file = [
    'EXPORT 20261121 "A',
    'HV-1 Ada Park    HV-10001   2 12.50',
    'HV-2 5" pipe     HV-10002   x  9.00',
    '',
    'HV-3 Zoë Oak 😀   HV-10003   1  9.00',
    'HV-4 cut off',
  ]
  await world.drop('inbox/orders', 'orders.dat', text(file))

  await world.run()

  expect(await posted(world)).toEqual(['HV-1', 'HV-3'])
  expect(await world.read('results/orders.dat.rejects.dat')).toBe(
    text(file.filter((_, index) => [0, 2, 5].includes(index))),
  )
})

test('the corrected rejects of a file with control totals are held to none, and keep the name that the route takes', async () => {
  const world = await aWorldThatReads(
    '{ format: csv }',
    'group: PO\ntotals: { when: { PO: TOTALS }, rows: Qty, sum: { Cost: Cost } }',
  )
  const [route] = world.configuration.routes
  if (route?.direction === 'inbound') Object.assign(route.from, { match: '*.txt' })
  const header = 'PO,Name,SKU,Qty,Cost'
  const bad = 'HV-2,Bo Reed,HV-10002,none,9.00'
  const file = [header, 'HV-1,Ada Park,HV-10001,2,12.50', bad, 'TOTALS,,,2,21.50']
  await world.drop('inbox/orders', 'b.txt', text(file))
  await world.run()
  const rejects = await world.read('results/b.txt.rejects.txt')
  expect(rejects).toBe(text([header, bad]))

  await world.drop('inbox/orders', 'b.txt.rejects.txt', rejects.replace('none', '3'))
  await world.run()

  expect(await posted(world)).toEqual(['HV-1', 'HV-2'])
  expect((await summaryOf(world, 'b.txt.rejects.txt')).records).toEqual({ total: 1, accepted: 1 })
})

test('a file refused for its totals is checked against them again when its rejects are sent', async () => {
  const world = await aWorldThatReads(
    '{ format: csv }',
    'group: PO\ntotals: { when: { PO: TOTALS }, rows: Qty }',
  )
  const file = text(['PO,Name,SKU,Qty,Cost', 'HV-1,Ada Park,HV-10001,2,12.50', 'TOTALS,,,2,'])
  await world.drop('inbox/orders', 'b.csv', file)
  await world.run()
  const rejects = await world.read('results/b.csv.rejects.csv')
  expect(rejects).toBe(file)

  await world.drop('inbox/orders', 'b.csv.rejects.csv', `${rejects} `)
  await world.run()

  expect(await posted(world)).toEqual([])
  expect((await summaryOf(world, 'b.csv.rejects.csv')).codes).toEqual({ 'control-total-wrong': 1 })
})

test('columns that only the mapping or only the file names are in the summary, with similar names', async () => {
  const world = await aWorldThatReads('{ format: csv }')
  const mapping = join(world.folder, 'orders.yaml')
  await writeFile(mapping, `${await readFile(mapping, 'utf8')}  gift_message: Gift Message\n`)
  await world.drop(
    'inbox/orders',
    'orders.csv',
    text(['PO,Name,SKU,Qty,Cost,Gift Mesage,Colour', 'HV-1,Ada Park,HV-10001,2,12.50,Hello,red']),
  )

  await world.run()

  expect((await summaryOf(world, 'orders.csv')).columns).toEqual({
    absent: ['Gift Message'],
    unused: ['Gift Mesage', 'Colour'],
    didYouMean: { 'Gift Message': 'Gift Mesage' },
  })
})

test('refused typed records with heading rows come back below those, with the rows that belong to them', async () => {
  const world = await aWorldThatReads(
    `
  format: csv
  records:
    H: { as: header }
    N: { of: H, columns: [Name] }
    D: { as: detail }
    X: { as: ignore }`,
    '',
  )
  const file = [
    'D,SKU,Qty,Cost',
    'H,PO',
    'H,HV-1',
    'N,Ada Park',
    'D,HV-10001,2,12.50',
    'X,end of order',
    'H,HV-2',
    'N,Zoë Oak',
    'X,remark',
    'D,HV-10002,none,9.00',
    'X,end of order',
  ]
  await world.drop('inbox/orders', 'typed.csv', text(file))

  await world.run()

  expect(await posted(world)).toEqual(['HV-1'])
  expect(await world.read('results/typed.csv.rejects.csv')).toBe(
    text(file.filter((_, index) => [0, 1, 6, 7, 9].includes(index))),
  )
})

test('R22: a file packed with gzip is read as what is in it, and its refused rows come back unpacked', async () => {
  const world = await aWorldThatReads(READ_MESSY)
  await world.drop('inbox/orders', 'november.csv.gz', gzipSync(text(MESSY)))

  await world.run()

  expect(await posted(world)).toEqual(['HV-1', 'HV-3'])
  expect(await world.read('results/november.csv.gz.rejects.csv')).toBe(
    text([...TOP, ...MESSY.slice(6, 7), ...MESSY.slice(9, 11)]),
  )
})

test('R22: a packed file that is cut off is not sent, and the sender is notified', async () => {
  const world = await aWorldThatReads(READ_MESSY)
  const whole = gzipSync(text(MESSY))
  await world.drop('inbox/orders', 'cut.csv.gz', whole.subarray(0, whole.length - 10))
  await world.drop('inbox/orders', 'good.csv', text([...TOP, MESSY[4] ?? '']))

  await world.run()

  expect(await posted(world)).toEqual(['HV-1'])
  expect((await summaryOf(world, 'cut.csv.gz')).outcome).toBe('unusable')
  expect(await world.read('results/cut.csv.gz.results.csv')).toContain(
    'The file is packed with gzip, and it is cut off or damaged.',
  )
})

/** Each record of the file as its key, its status and its codes. */
const statesOf = async (world: World, name: string) => {
  const [results] = (await world.list('results')).filter((each) => each.startsWith(`${name}.results.`))
  const rows = parseCsv(await world.read(`results/${results}`))
  return rows.map((row) => [row['_line'], row['_status'], row['_code']].join(' ').trim())
}

test('of files with each fault in the middle, the good rows are posted as they stand, and no other', async () => {
  const world = await aWorldThatReads('{ format: csv }')
  const cells = text([
    CSV_HEAD,
    'C-01,Ada Park,HV-10001,120,9.00',
    'C-02,Bo Reed"Reed, Inc",1,9.00',
    'C-03, "Park, Ltd",HV-10001,1,9.00',
    'C-04, "Park" Ltd,HV-10001,1,9.00',
    'C-05,Zo\uFFFD,HV-10001,1,9.00',
    'C-06,It\u0092s,HV-10001,1,9.00',
    'C-07,Cy "Hill, HV" x,1,9.00',
    'C-08,5" Pipes,HV-10001,1,9.00',
    'C-09,Di,HV-10001,1,12.50',
  ]).slice(0, -3) // ends inside its last cell: 12.50 became 12.5
  await world.drop('inbox/orders', 'cells.csv', cells)
  await world.run()
  await readOrders(world, FIXED)
  const fixed = [
    'F-01 Ada         HV-10001    120  9.00',
    'F-02 Bo          HV-10001    120  9.0',
    'F-03 Cy          HV-10001    120  9.001',
    'F-04 Zoë         HV-10001    120  9.00',
    'F-05 Zoë        HV-10001    120  9.00',
    'F-06 Di          HV-10001    120  9.00',
  ]
  await world.drop('inbox/orders', 'fixed.txt', text(fixed))
  await world.run()
  await readOrders(world, TYPED, '')
  const typed = [
    ['H,T-01,Ada', 'D,T-01,HV-10001,1,9.00'],
    ['H,T-02,Bo', 'D,T-02,HV-10001,1,9.00'],
    // The header row of T-03 is lost.
    ['D,T-03,HV-10002,2,9.00', 'D,T-03,HV-10003,3,9.00'],
    ['H,T-04,Cy', 'D,T-04,HV-10001,1,9.00'],
  ].flat()
  await world.drop('inbox/orders', 'typed.txt', text(typed))
  await world.run()

  expect(await statesOf(world, 'cells.csv')).toEqual([
    '2 accepted',
    '3 rejected quote-misplaced',
    '4 accepted',
    '5 rejected quote-not-closed',
    '6 rejected text-damaged',
    '7 rejected text-damaged',
    '8 rejected quote-misplaced',
    '9 accepted',
    '10 held file-perhaps-cut',
  ])
  expect(await statesOf(world, 'fixed.txt')).toEqual([
    '1 accepted',
    '2 rejected row-short',
    '3 rejected row-long',
    '4 accepted',
    '5 rejected row-short',
    '6 accepted',
  ])
  expect(await statesOf(world, 'typed.txt')).toEqual([
    '1 accepted',
    '3 rejected detail-of-other-record | detail-of-other-record',
    '7 accepted',
  ])
  const orders = (await world.orders()).map((order) => {
    const lines = order.order_lines.map(({ variant, quantity }) => `${variant.identifier} x ${quantity}`)
    return [order.purchase_order_number, order.ship_to.name1, ...lines].join(' | ')
  })
  expect(orders.toSorted()).toEqual([
    'C-01 | Ada Park | HV-10001 x 120',
    'C-03 | Park, Ltd | HV-10001 x 1',
    'C-08 | 5" Pipes | HV-10001 x 1',
    'F-01 | Ada | HV-10001 x 120',
    'F-04 | Zoë | HV-10001 x 120',
    'F-06 | Di | HV-10001 x 120',
    'T-01 | Ada | HV-10001 x 1',
    'T-04 | Cy | HV-10001 x 1',
  ])
})

test('the later part of an order whose first part is refused for its own fault is no order of its own', async () => {
  const world = await aWorldThatReads('{ format: csv }')
  const rows = ['B-2,Bo,HV-10002,x,9.00', 'A-1,Ada,HV-10001,1,9.00', 'B-2,Bo,HV-10003,1,9.00']
  await world.drop('inbox/orders', 'apart.csv', text([CSV_HEAD, ...rows]))

  await world.run()
  await world.run()

  expect(await posted(world)).toEqual(['A-1'])
  expect(await statesOf(world, 'apart.csv')).toEqual([
    '2 rejected integer-expected',
    '3 accepted',
    '4 rejected key-conflict',
  ])
})
