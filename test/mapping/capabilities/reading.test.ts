/** Real files of every kind, each read by a mapping that describes it: R1 to R15. */
import iconv from 'iconv-lite'
import { expect, test } from 'vitest'
import { isUnreadable, type FileReading } from '../../../src/domain/format.ts'
import type { Problem } from '../../../src/domain/problem.ts'
import type { Draft } from '../../../src/domain/translator.ts'
import { createFormats } from '../../../src/formats/formats.ts'
import { inChunks } from '../../suites/format.suite.ts'
import { translatorOf } from '../sheet.ts'

/** An invoice mapping with this way of reading. */
function invoices(read: string, group = 'group: PO'): string {
  return `
operation: create-invoice
read: ${read}
${group}
body:
  purchase_order_number: PO
  invoice_number: Invoice
  terms_net_days_due: { const: 30 }
  terms_date_due: Due
  due_amount: Total
  invoice_lines:
    - variant: { identifier: SKU }
      quantity: Qty
      net_price: Cost
`
}

interface Translated {
  readonly reading: FileReading
  readonly drafts: readonly Draft[]
}

async function translated(mapping: string, file: string | Uint8Array): Promise<Translated> {
  const translator = await translatorOf(mapping)
  const reading = await createFormats().read(inChunks(Buffer.from(file)), translator.read)
  if (isUnreadable(reading)) throw new Error(reading.problems.map(({ message }) => message).join('\n'))
  const bound = translator.bind(reading.layouts)
  if (!('keyColumns' in bound)) throw new Error(bound.map(({ message }) => message).join('\n'))
  const drafts: Draft[] = []
  for await (const rows of reading.batches) drafts.push(...bound.translateRows(rows))
  return { reading, drafts: [...drafts, ...bound.finish()] }
}

/** Why the file as a whole is refused. */
async function refusal(mapping: string, file: string): Promise<readonly Problem[]> {
  const translator = await translatorOf(mapping)
  const reading = await createFormats().read(inChunks(Buffer.from(file)), translator.read)
  if (isUnreadable(reading)) return reading.problems
  const bound = translator.bind(reading.layouts)
  return 'keyColumns' in bound ? [] : bound
}

/** The invoices that would be sent: PO, invoice, total and `SKU x quantity` of each line. */
function sent({ drafts }: Translated): string[] {
  return drafts.map(({ body, problems }) => {
    if (body === undefined) return problems.map(({ code, place }) => `${code}@${place.line ?? '-'}`).join(' ')
    const lines = body['invoice_lines'] as { variant: { identifier: string }; quantity: number }[]
    const shown = lines.map(({ variant, quantity }) => `${variant.identifier} x ${quantity}`).join(', ')
    return `${String(body['purchase_order_number'])} ${String(body['invoice_number'])} ${String(body['due_amount'])}: ${shown}`
  })
}

const HEADER = 'PO,Invoice,Due,Total,SKU,Qty,Cost'
const ROWS = ['HV-1,INV-1,2026-12-01,25.00,HV-10001,2,12.50', 'HV-2,INV-2,2026-12-01,9.00,HV-10002,1,9.00']
const BOTH = ['HV-1 INV-1 25.00: HV-10001 x 2', 'HV-2 INV-2 9.00: HV-10002 x 1']
const lines = (...all: readonly string[]) => all.map((line) => `${line}\r\n`).join('')

test('R1: a file in Shift_JIS is read where the mapping says so', async () => {
  const file = iconv.encode(lines(HEADER.replace('SKU', '商品'), ...ROWS), 'shift_jis')

  const found = await translated(
    invoices('{ format: csv, encoding: shift_jis }').replace('identifier: SKU', 'identifier: 商品'),
    file,
  )

  expect(sent(found)).toEqual(BOTH)
})

test('R2: a backslash before a quote, a delimiter or itself makes them part of the text', async () => {
  const file = lines(
    HEADER,
    String.raw`HV-1,"INV \"A\" \\",2026-12-01,25.00,12\,5 mm,2,12.50`,
    String.raw`HV-2,"C:\orders ""x""",2026-12-01,9.00,HV-10002,1,9.00`,
  )

  const found = await translated(invoices(String.raw`{ format: csv, escape: "\\" }`), file)

  expect(sent(found)).toEqual([
    String.raw`HV-1 INV "A" \ 25.00: 12,5 mm x 2`,
    String.raw`HV-2 C:\orders "x" 9.00: HV-10002 x 1`,
  ])
})

test('R2: without quoting a quote is data', async () => {
  const file = lines(HEADER.replaceAll(',', '\t'), 'HV-1\tINV-1\t2026-12-01\t25.00\t"A" 5" pipe\t2\t12.50')

  const found = await translated(invoices('{ format: csv, quote: null }'), file)

  expect(sent(found)).toEqual(['HV-1 INV-1 25.00: "A" 5" pipe x 2'])
})

test.each([
  ['carriage returns alone', [HEADER, ...ROWS].join('\r')],
  ['a mixture of line ends', `${HEADER}\r\n${ROWS[0] ?? ''}\n${ROWS[1] ?? ''}\r\n`],
])('R3: lines may end with %s', async (_, file) => {
  expect(sent(await translated(invoices('{ format: csv }'), file))).toEqual(BOTH)
})

test('R4: so many lines above the header are skipped, and counted as lines of the file', async () => {
  const file = lines('Invoices of November "2026', '', 'printed: 11/21', HEADER, ...ROWS)

  const found = await translated(invoices('{ format: csv, skip: 3 }'), file)

  expect(sent(found)).toEqual(BOTH)
  expect(found.reading.headerLines).toBe(4)
  expect(found.drafts.map((draft) => draft.lines)).toEqual([[[5, 5]], [[6, 6]]])
})

test('R4: a preamble of any length is skipped up to the line with most of the expected names', async () => {
  const semicolons = (line: string) => line.replaceAll(',', ';')
  const file = lines(
    'Orders report generated Nov-21-26 "all; PO; and more',
    '',
    'sep=;',
    'PO;;',
    ...[HEADER, ...ROWS].map(semicolons),
  )

  const found = await translated(invoices('{ format: csv, skip: header }'), file)

  expect(sent(found)).toEqual(BOTH)
  expect(found.reading).toMatchObject({ headerLines: 5, delimiter: ';' })
})

test('R4: a file whose first hundred lines hold no expected name is refused as one without a header', async () => {
  const file = lines(...Array.from({ length: 120 }, (_, index) => `nothing,${index}`), HEADER, ...ROWS)

  expect(await refusal(invoices('{ format: csv, skip: header }'), file)).toMatchObject([
    { code: 'header-missing', place: { line: 1 } },
  ])
})

test('R5: of several heading lines the named one names the columns', async () => {
  const tab = (line: string) => line.replaceAll(',', '\t')
  const file = lines(
    'TemplateType=Invoices\tVersion=2026.1102',
    tab('注文,請求書,期日,合計,商品,数量,価格'),
    tab(HEADER),
    tab('text,text,yyyy-mm-dd,number,text,number,number'),
    ...ROWS.map(tab),
  )

  const found = await translated(invoices('{ format: csv, header: { lines: 4, names: 3 } }'), file)

  expect(sent(found)).toEqual(BOTH)
  expect(found.reading.headerLines).toBe(4)
})

test('R6: a file without a header line has its columns from the mapping', async () => {
  const read = '{ format: csv, columns: [PO, Invoice, Due, Total, SKU, Qty, Cost] }'

  expect(sent(await translated(invoices(read), lines(...ROWS)))).toEqual(BOTH)
})

test('R7: case, blanks and punctuation in names do not matter, and a column may have several names', async () => {
  const file = lines('p.o.,INVOICE,due,total,Item - SKU,qty,cost', ...ROWS)

  const mapping = invoices('{ format: csv }').replace('identifier: SKU', 'identifier: [SKU, Item - SKU]')

  expect(sent(await translated(mapping, file))).toEqual(BOTH)
})

test('R8: two columns of one name are refused, unless the mapping allows them', async () => {
  const file = lines(`${HEADER},Tax,Tax`, ...ROWS.map((row) => `${row},1,2`))

  expect(await refusal(invoices('{ format: csv }'), file)).toMatchObject([{ code: 'header-duplicate' }])
  expect(sent(await translated(invoices('{ format: csv, repeated: allowed }'), file))).toEqual(BOTH)
})

test('R9: a file with unexpected columns is refused where the mapping says so', async () => {
  const file = lines(`${HEADER},Discount,_status`, ...ROWS.map((row) => `${row},1,rejected`))

  expect(await refusal(invoices('{ format: csv, extra: ignore }'), file)).toEqual([])
  expect(await refusal(invoices('{ format: csv, extra: refuse }'), file)).toMatchObject([
    { code: 'column-unexpected', place: { column: 'Discount' } },
  ])
})

test('R9: rows of a file without a header line must have as many cells as the mapping names columns', async () => {
  const read = '{ format: csv, delimiter: ",", columns: [PO, Invoice, Due, Total, SKU, Qty, Cost] }'

  const found = await translated(invoices(read), lines(`${ROWS[0] ?? ''},surplus`, 'HV-2,INV-2'))

  expect(sent(found)).toEqual(['row-long@1', 'row-short@2'])
})

test('R10: short rows are padded and blank cells too many are cut, where the mapping says so', async () => {
  const file = lines(
    `${HEADER},Note`,
    ...ROWS,
    'HV-3,INV-3,2026-12-01,9.00,HV-10002,1,9.00,,,',
    'HV-4,INV-4,2026-12-01,9.00,HV-10002,1,9.00,a,b',
  )

  expect(sent(await translated(invoices('{ format: csv, rows: { short: pad, long: cut } }'), file))).toEqual([
    ...BOTH,
    'HV-3 INV-3 9.00: HV-10002 x 1',
    'row-long@5',
  ])
  expect(sent(await translated(invoices('{ format: csv }'), file))).toEqual([
    'row-short@2',
    'row-short@3',
    'row-long@4',
    'row-long@5',
  ])
})

test('R11: comments are left out above the header and between rows, and so are lines of delimiters alone', async () => {
  const file = lines(
    '# exported "by hand',
    HEADER,
    ROWS[0] ?? '',
    '# half of them, "for now',
    ',,,,,,',
    ROWS[1] ?? '',
  )

  const found = await translated(invoices('{ format: csv, ignore: [{ startsWith: "#" }] }'), file)

  expect(sent(found)).toEqual(BOTH)
  expect(found.reading.countIgnoredLines()).toBe(2)
})

test('R12: footers are left out wherever they are, with the quotes and delimiters of a spreadsheet around them', async () => {
  const file = lines(
    HEADER,
    ROWS[0] ?? '',
    '1 record(s) downloaded,,,,,,',
    '"Seller ID : harborvine",,,,,,',
    ROWS[1] ?? '',
    '1 record(s) downloaded',
    'Seller ID : harborvine',
  )
  const read =
    '{ format: csv, ignore: [{ matches: "^\\\\d+ record\\\\(s\\\\) downloaded$" }, { startsWith: "Seller ID :" }] }'

  const found = await translated(invoices(read), file)

  expect(sent(found)).toEqual(BOTH)
  expect(found.reading.countIgnoredLines()).toBe(4)
})

test('R12: a header line that comes again in the middle of joined reports is left out', async () => {
  const file = lines(
    HEADER,
    ROWS[0] ?? '',
    `${HEADER.replace('PO', ' PO ')},,`,
    'HV-2,INV-2,2026-12-01,9.00,HV-10002,1,9.00',
    HEADER,
  )
  const read = '{ format: csv, ignore: [{ startsWith: "#" }, { header: repeated }] }'

  const found = await translated(invoices(read), file)

  expect(sent(found)).toEqual(BOTH)
  expect(found.reading.countIgnoredLines()).toBe(2)
  expect(sent(await translated(invoices('{ format: csv }'), file))).not.toEqual(BOTH)
})

test('R12: a header line that comes again inside of an order does not cut it in two', async () => {
  const line = (sku: string) => `HV-1,INV-1,2026-12-01,25.00,${sku},1,12.50`
  const file = lines(HEADER, line('HV-10001'), HEADER, line('HV-10002'))

  const found = await translated(invoices('{ format: csv, ignore: [{ header: repeated }] }'), file)

  expect(sent(found)).toEqual(['HV-1 INV-1 25.00: HV-10001 x 1, HV-10002 x 1'])
})

test('a header line that comes again is refused with one problem where the mapping does not leave it out', async () => {
  const file = lines(HEADER, HEADER, ROWS[0] ?? '', `${HEADER.replace('PO', ' PO ')},,`, ROWS[1] ?? '')

  const found = await translated(invoices('{ format: csv }'), file)

  expect(sent({ ...found, drafts: found.drafts.filter(({ problems }) => problems.length === 0) })).toEqual(
    BOTH,
  )
  const refused = found.drafts.filter(({ problems }) => problems.length > 0)
  const repeated = (line: number) => [expect.objectContaining({ code: 'header-repeated', place: { line } })]
  expect(refused.map(({ problems }) => problems)).toEqual([repeated(2), repeated(4)])
})

test('a header line that comes again may be skipped by a condition of the mapping', async () => {
  const file = lines(HEADER, ROWS[0] ?? '', HEADER, ROWS[1] ?? '')
  const mapping = `${invoices('{ format: csv }')}\nonly: { PO: { not: [PO] } }\n`

  const found = await translated(mapping, file)

  expect(found.drafts.filter(({ skipped }) => skipped).map((draft) => draft.lines)).toEqual([[[3, 3]]])
})

test('no record of typed rows is cut in two by a header line that comes again', async () => {
  const file = lines(
    'Type,Invoice,PO,Due,Total,SKU,Qty,Cost',
    'Header,INV-1,HV-1,2026-12-01,25.00,,,',
    'Line,,,,,HV-10001,1,12.50',
    'Type,Invoice,PO,Due,Total,SKU,Qty,Cost',
    'Line,,,,,HV-10002,1,12.50',
  )
  const read = '{ format: csv, typeIn: Type, records: { Header: { as: header }, Line: { as: detail } } }'

  const found = await translated(invoices(read, ''), file)

  expect(found.drafts.map(({ lines, problems }) => [lines, problems.map(({ code }) => code)])).toEqual([
    [
      [
        [2, 2],
        [3, 3],
        [4, 4],
        [5, 5],
      ],
      ['header-repeated'],
    ],
  ])
})

test('R12: of a header of several lines the one with the names is left out, line breaks in it or not', async () => {
  const heading = '"P\nO",Invoice,Due,Total,SKU,Qty,Cost'
  const file = lines('Template 7', heading, ROWS[0] ?? '', heading, ROWS[1] ?? '')
  const mapping = invoices('{ format: csv, header: { lines: 2, names: 2 }, ignore: [{ header: repeated }] }')

  const found = await translated(mapping, file)

  expect(sent(found)).toEqual(BOTH)
  expect(found.drafts.map((draft) => draft.lines)).toEqual([[[4, 4]], [[7, 7]]])
})

test('R12: heading rows of record types are left out where they come again, and so is a header line of all types', async () => {
  const own = lines(
    'Header,Invoice,PO,Due,Total',
    'Line,SKU,Qty,Cost',
    'Header,INV-1,HV-1,2026-12-01,25.00',
    'Line,HV-10001,2,12.50',
    'Header,Invoice,PO,Due,Total',
    'Line,SKU,Qty,Cost',
    'Header,INV-2,HV-2,2026-12-01,9.00',
    'Line,HV-10002,1,9.00',
  )
  const typed = 'ignore: [{ header: repeated }], records: { Header: { as: header }, Line: { as: detail } }'
  const shared = lines(
    'Type,Invoice,PO,Due,Total,SKU,Qty,Cost',
    'Header,INV-1,HV-1,2026-12-01,25.00,,,',
    'Line,,,,,HV-10001,2,12.50',
    'Type,Invoice,PO,Due,Total,SKU,Qty,Cost',
    'Header,INV-2,HV-2,2026-12-01,9.00,,,',
    'Line,,,,,HV-10002,1,9.00',
  )

  expect(sent(await translated(invoices(`{ format: csv, ${typed} }`, ''), own))).toEqual(BOTH)
  expect(sent(await translated(invoices(`{ format: csv, typeIn: Type, ${typed} }`, ''), shared))).toEqual(
    BOTH,
  )
})

test('R13: a column of the header may hold the record types, and types may be left out', async () => {
  const file = lines(
    'Invoice,Type,PO,Due,Total,SKU,Qty,Cost',
    'INV-1,invoice,HV-1,2026-12-01,25.00,,,',
    ',line,,,,HV-10001,2,12.50',
    ',remark,thanks,,,,,',
    'INV-2,invoice,HV-2,2026-12-01,9.00,,,',
    ',line,,,,HV-10002,1,9.00',
  )
  const read =
    '{ format: csv, typeIn: Type, records: { invoice: { as: header }, line: { as: detail }, remark: { as: ignore } } }'

  const found = await translated(invoices(read, ''), file)

  expect(sent(found)).toEqual(BOTH)
  expect(found.reading.countIgnoredLines()).toBe(1)
})

test('R13: a cell other than the first, or its beginning, may be the record type', async () => {
  const file = lines(
    'HV-1,C#INV-1,2026-12-01,25.00',
    'HV-10001,L,2,12.50',
    'HV-2,R#INV-2,9.00,2026-12-01',
    'HV-10002,L,1,9.00',
  )
  const read = `
  format: csv
  typeIn: 2
  records:
    C#*: { as: header, columns: [PO, Invoice, Due, Total] }
    R#*: { as: header, columns: [PO, Invoice, Total, Due] }
    L: { as: detail, columns: [SKU, Type, Qty, Cost] }`

  expect(sent(await translated(invoices(read, ''), file))).toEqual([
    'HV-1 C#INV-1 25.00: HV-10001 x 2',
    'HV-2 R#INV-2 9.00: HV-10002 x 1',
  ])
})

const PARTS = `
  format: csv
  records:
    IH: { as: header, columns: [Invoice, PO] }
    IT: { of: IH, columns: [Due, Total] }
    IL: { as: detail, columns: [SKU, Qty] }
    LP: { of: IL, columns: [Cost] }`

test('R13: rows of further types add their cells to the row before them', async () => {
  const file = lines(
    'IH,INV-1,HV-1',
    'IT,2026-12-01,25.00',
    'IL,HV-10001,1',
    'LP,12.50',
    'IL,HV-10002,1',
    'LP,12.50',
  )

  const found = await translated(invoices(PARTS, ''), file)

  expect(sent(found)).toEqual(['HV-1 INV-1 25.00: HV-10001 x 1, HV-10002 x 1'])
  expect(found.drafts[0]?.lines).toEqual([
    [1, 2],
    [3, 4],
    [5, 6],
  ])
})

test('R13: a row that adds to the row before it refuses the record in which it has no such row', async () => {
  const file = lines(
    'IH,INV-1,HV-1',
    'IT,2026-12-01,25.00',
    'IL,HV-10001,1',
    'IT,2026-12-01,26.00',
    'LP,12.50',
    'IH,INV-2,HV-2',
    'IT,2026-12-01,9.00',
    'IT,2026-12-01,8.00',
    'IL,HV-10002,1',
    'LP,9.00',
  )

  expect(sent(await translated(invoices(PARTS, ''), file))).toEqual([
    'record-part-misplaced@4 record-part-misplaced@5',
    'record-part-misplaced@8',
  ])
})

test('R14: every record type may have a heading row of its own above the data', async () => {
  const file = lines(
    'Header,Invoice,PO,Due,Total',
    'Line,SKU,Qty,Cost',
    'Header,INV-1,HV-1,2026-12-01,25.00',
    'Line,HV-10001,2,12.50',
    'Header,INV-2,HV-2,2026-12-01,9.00',
    'Line,HV-10002,1,9.00',
  )
  const read =
    '{ format: csv, records: { Header: { as: header }, Line: { as: detail }, Tax: { as: ignore } } }'

  const found = await translated(invoices(read, ''), file)

  expect(sent(found)).toEqual(BOTH)
  expect(found.reading.headerLines).toBe(2)
  expect(await refusal(invoices(read, ''), lines('Header,Invoice,PO', 'Header,INV-1,HV-1'))).toMatchObject([
    {
      code: 'header-missing',
      place: { line: 2 },
      message: 'There is no heading row for the record type Line above the data.',
    },
  ])
})

test('R15: cells of fixed width have their places, and a line that ends early has blank ones', async () => {
  const mapping = invoices(`
  format: fixed
  skip: 1
  ignore: [{ startsWith: TRAILER }]
  columns:
    - { name: PO, start: 3, length: 6 }
    - { name: Invoice, length: 6 }
    - { name: Due, length: 10 }
    - { name: Total, length: 6 }
    - { name: SKU, length: 10 }
    - { name: Qty, length: 3 }
    - { name: Cost, start: 44, length: 6 }
    - { name: Note, start: 60, length: 5 }
  rows: { short: pad, long: cut }`)
  const file = lines(
    'INVOICES 20261121',
    'I HV-1  INV-1 2026-12-01 25.00HV-10001    2 12.50',
    'I HV-2  INV-2 2026-12-01  9.00HV-10002    1  9.00          notes and more',
    'TRAILER 000002',
  )

  const found = await translated(mapping, file)

  expect(sent(found)).toEqual(BOTH)
  expect(found.reading).toMatchObject({ headerLines: 1, delimiter: '' })
})

test('R15: lines of fixed width may be typed records', async () => {
  const mapping = (typeIn: string) =>
    invoices(
      `
  format: fixed${typeIn}
  rows: { short: pad }
  records:
    HEA:
      as: header
      columns: [{ name: PO, start: 4, length: 5 }, { name: Invoice, length: 6 }]
    TRM:
      of: HEA
      columns: [{ name: Due, start: 4, length: 10 }, { name: Total, length: 6 }]
    LIN:
      as: detail
      columns: [{ name: SKU, start: 4, length: 9 }, { name: Qty, length: 2 }, { name: Cost, length: 6 }]`,
      '',
    )
  const file = lines(
    'HEAHV-1 INV-1',
    'TRM2026-12-0125.00',
    'LINHV-10001  2 12.50',
    'HEAHV-2 INV-2',
    'TRM2026-12-01 9.00',
    'LINHV-10002  1  9.00',
    'XYZ',
  )

  const both = [BOTH[0], 'record-type-unknown@7']
  expect(sent(await translated(mapping(''), file))).toEqual(both)
  expect(sent(await translated(mapping('\n  typeIn: { start: 1, length: 3 }'), file))).toEqual(both)
})

test('R16: a text with the signs of a wrong encoding is refused, unless the mapping lets it through', async () => {
  const file = lines(HEADER, ...ROWS)
    .replaceAll('INV-1', 'INV\uFFFD1')
    .replaceAll('INV-2', 'INV\u00962')

  const refused = await translated(invoices('\n  format: csv'), file)
  const allowed = await translated(invoices('\n  format: csv\n  damaged: allow'), file)

  expect(refused.drafts.map(({ problems }) => problems.map(({ code }) => code))).toEqual([
    ['text-damaged'],
    ['text-damaged'],
  ])
  expect(refused.drafts[1]?.problems[0]?.message).toBe(
    '"INV\uFFFD2" holds U+0096, which a wrong encoding leaves.',
  )
  expect(sent(allowed)).toEqual([
    BOTH[0]?.replace('INV-1', 'INV\uFFFD1'),
    BOTH[1]?.replace('INV-2', 'INV\u00962'),
  ])
})
