/** What `map learn` detects in files as they come from shops and warehouses. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { learnColumns } from '../../src/mapping-tools/learn/learn.ts'
import type { InboundOperationName } from '../../src/contract/operations.ts'
import { createFormats } from '../../src/formats/formats.ts'
import { readRecords } from '../../src/mapping-tools/translate-file.ts'
import { loadMapping } from '../../src/mapping/load.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

type LearnedMapping = Exclude<Awaited<ReturnType<typeof learnColumns>>, { problems: unknown }>

interface Learned extends LearnedMapping {
  readonly lines: readonly string[]
  /** The bodies of the file the mapping was learned from. */
  bodies(): Promise<unknown[]>
}

async function learned(
  text: string | Uint8Array,
  operation: InboundOperationName = 'create-invoice',
): Promise<Learned> {
  const folder = await tempFolder()
  const path = join(folder, 'sample.csv')
  await writeFile(path, text)
  const found = await learnColumns(path, operation, { format: createFormats(), name: 'm.yaml' })
  if ('problems' in found) throw new Error(found.problems.map(({ message }) => message).join('\n'))
  const bodies = async () => {
    await writeFile(join(folder, 'm.yaml'), found.text)
    const mapping = await loadMapping(join(folder, 'm.yaml'))
    if (mapping.direction !== 'inbound') throw new Error('not an inbound mapping')
    const read = await readRecords(path, createFormats(), mapping)
    if ('problems' in read) throw new Error(read.problems.map(({ message }) => message).join('\n'))
    const made: unknown[] = []
    for await (const { draft } of read.records) made.push(draft.body ?? draft.problems)
    return made
  }
  return { ...found, lines: found.text.split('\n'), bodies }
}

const HEAD = [
  'PO Number',
  'Invoice Number',
  'Due Date',
  'Net Days',
  'Invoice Total',
  'SKU',
  'Qty',
  'Unit Cost',
]
const ROWS = [
  ['PO-1', 'I-1', '11/30/2026', '30', '25.00', 'HV-1', '2', '12.50'],
  ['PO-2', 'I-2', '12/31/2026', '30', '9.00', 'HV-2', '1', '9.00'],
]

const BODY = {
  purchase_order_number: 'PO-1',
  invoice_number: 'I-1',
  terms_date_due: '2026-11-30',
  terms_net_days_due: 30,
  due_amount: '25.00',
  invoice_lines: [{ variant: { identifier: 'HV-1' }, quantity: 2, net_price: '12.50' }],
}

function written(delimiter: string, ...rows: readonly (readonly string[])[]): string {
  return `${rows.map((cells) => cells.join(delimiter)).join('\n')}\n`
}

test.each([
  [';', 'semicolons'],
  ['\t', 'tabs'],
  ['|', 'bars'],
])('files with %j between the cells are learned as they are', async (delimiter) => {
  const { unfinished, bodies, placed } = await learned(written(delimiter, HEAD, ...ROWS))

  expect(unfinished).toEqual([])
  expect(placed).toHaveLength(8)
  expect((await bodies())[0]).toEqual(BODY)
})

test('semicolons stay the delimiter where decimals follow commas', async () => {
  const german = ROWS.map((cells) =>
    cells.map((cell) => (/^\d+\.\d\d$/.test(cell) ? cell.replace('.', ',') : cell)),
  )

  const { text, bodies } = await learned(written(';', HEAD, ...german))

  expect(text).toContain('due_amount: { from: Invoice Total, decimal: "," }')
  expect((await bodies())[0]).toEqual(BODY)
})

test('semicolons stay the delimiter where a quote left open hides most rows and decimals follow commas', async () => {
  const german = ROWS.map((cells) => [
    ...cells.map((cell) => cell.replace(/^(\d+)\.(\d\d)$/, '$1,$2')),
    'by truck',
  ])
  const [first = [], second = []] = german
  const open = first.map((cell) => (cell === 'I-1' ? '"I-1' : cell))

  const { lines, placed } = await learned(
    written(';', [...HEAD, 'Remark'], first, second, open, first, second, first, second, first),
  )

  expect(lines[0]).toContain('";" between the cells')
  expect(placed).toHaveLength(8)
})

describe('lines above the headings', () => {
  test('are skipped, however many they are and whatever their contents', async () => {
    const above = 'Invoices, open, of all suppliers; page 1\nPrinted: 2026-11-17\n\n'

    const { lines, bodies } = await learned(above + written(';', HEAD, ...ROWS))

    expect(lines[0]).toContain('lines above the headings')
    expect(lines.find((line) => line.startsWith('read:'))).toMatch(/skip: header/)
    expect((await bodies())[0]).toEqual(BODY)
  })

  test('are not seen where the first line has the names', async () => {
    const { lines } = await learned(written(',', HEAD, ...ROWS))

    expect(lines).toContain('read: { format: csv }')
  })

  test('and headings that come again further down are no rows', async () => {
    const { text, bodies } = await learned(
      written(',', HEAD, ...ROWS, HEAD, ['PO-3', ...(ROWS[0] ?? []).slice(1)]),
    )

    expect(text).toContain('ignore: [{ header: repeated }]')
    expect(await bodies()).toHaveLength(3)
  })
})

describe('names in two columns', () => {
  const head =
    'Order Number,Order Date,Billing First Name,Billing Last Name,Shipping First Name,Shipping Last Name,Shipping Address 1,Shipping City,Shipping State,Shipping Zip,Shipping Country,SKU,Qty,Cost,Retail'
  const row = '1001,2026-11-16,Tom,Reed,Ada,Park,12 Mill Road,Portland,ME,04101,US,HV-1,1,9.00,12.00'

  test('are put together', async () => {
    const { text, placed } = await learned(`${head}\n${row}\n`, 'create-order')

    expect(text).toContain(
      '    name1: { all: [Shipping First Name, Shipping Last Name] } # sure: first and last name, put together',
    )
    expect(placed).toContainEqual({
      field: 'ship_to.name1',
      column: 'Shipping First Name',
      joined: 'Shipping Last Name',
      confidence: 'sure',
      why: 'first and last name, put together',
    })
    // Only the name of the buyer is known, which makes no address.
    expect(text).not.toContain('sold_to')
  })

  test('stay unused where the whole name has a column of its own', async () => {
    const whole = `${head},Ship To Name\n${row},Ada Park\n`

    const { text, unplaced } = await learned(whole, 'create-order')

    expect(text).toContain('    name1: Ship To Name # sure: named so')
    expect(unplaced.map(({ column }) => column)).toContain('Shipping First Name')
  })
})

describe('dates', () => {
  const dated = (...dates: readonly string[]) =>
    written(',', HEAD, ...dates.map((date, at) => [`PO-${at}`, `I-${at}`, date, ...(ROWS[0] ?? []).slice(3)]))
  const due = async (...dates: readonly string[]) => {
    const { lines, placed } = await learned(dated(...dates))
    const { confidence } = placed.find(({ field }) => field === 'terms_date_due') ?? {}
    return { line: lines.find((line) => line.includes('terms_date_due'))?.trim(), confidence }
  }

  test('of several formats are counted, and both formats are read', async () => {
    expect(await due('11/30/2026', '12/31/2026', '20261130')).toEqual({
      line: 'terms_date_due: { from: Due Date, format: [MM/dd/yyyy, yyyyMMdd] } # likely: named so; MM/dd/yyyy in 2 and yyyyMMdd in 1 of its cells',
      confidence: 'likely',
    })
  })

  test('whose day could be the month are a guess', async () => {
    const { line, confidence } = await due('01/02/2026', '03/04/2026')

    expect(confidence).toBe('guess')
    expect(line).toContain('# guess: named so; every cell fits dd/MM/yyyy as well')
  })

  test('that one cell does not have show that cell', async () => {
    const { line, confidence } = await due('11/30/2026', '12/31/2026', 'soon')

    expect(confidence).toBe('guess')
    expect(line).toContain('but only 67 % of its cells are a date; "soon" fits none of these formats')
  })
})

test('a file without headings is learned by its cells, with any delimiter', async () => {
  const rows = ROWS.map((cells) => cells.map((cell) => cell.replace(/^(\d+)\.(\d\d)$/, '$1,$2')))

  const { text, lines, placed } = await learned(written(';', ...rows))

  expect(text).toContain('  columns: # the file has no heading line')
  expect(lines).toContain('    - Column 6 # "HV-1"')
  expect(placed.every(({ confidence }) => confidence === 'guess')).toBe(true)
  expect(placed.map(({ field, column }) => `${field} ${column}`)).toContain('terms_date_due Column 3')
})

test('columns and fields without a match are marked: needed fields in their place, columns with what they could be', async () => {
  const head = HEAD.map((name) => (name === 'Net Days' ? 'Memo' : name))
  const { lines, unfinished, unplaced } = await learned(
    written(',', [...head, 'Item'], ...ROWS.map((cells) => [...cells, 'Lamp'])),
  )

  expect(lines).toContainEqual(
    expect.stringMatching(/^ {2}terms_net_days_due: # the API requires this: name the column/),
  )
  expect(unfinished).toHaveLength(1)
  expect(unplaced).toEqual([
    { column: 'Memo', why: 'could be terms_net_days_due' },
    { column: 'Item', why: 'could be invoice_lines[].variant.identifier too, which "SKU" feeds' },
  ])
  expect(lines).toContain('#   Memo: "30" (could be terms_net_days_due)')
  expect(lines).toContain(
    '#   Item: "Lamp" (could be invoice_lines[].variant.identifier too, which "SKU" feeds)',
  )
})
