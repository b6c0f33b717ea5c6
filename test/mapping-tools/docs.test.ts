/** What `map docs` gives a partner: files that are read as the page says, and pages that say how files look. */
import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import iconv from 'iconv-lite'
import { describe, expect, test } from 'vitest'
import {
  writeExportPage,
  createExportSample,
  listReceivedColumns,
} from '../../src/mapping-tools/export-docs.ts'
import { listPartnerColumns, writePartnerPage } from '../../src/mapping-tools/partner-docs.ts'
import { createPartnerSamples, type SampleFiles } from '../../src/mapping-tools/partner-samples.ts'
import { readRecords } from '../../src/mapping-tools/translate-file.ts'
import { readTableTexts } from '../../src/mapping-tools/tables.ts'
import type { Draft } from '../../src/domain/translator.ts'
import { createFormats } from '../../src/formats/formats.ts'
import { type InboundMapping, loadMapping, type OutboundMapping } from '../../src/mapping/load.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

const FOLDER = new URL('../../mappings', import.meta.url).pathname
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'))
const LOADED = await Promise.all(
  NAMES.map(async (name) => ({ name, mapping: await loadMapping(join(FOLDER, name)) })),
)
const INBOUND = LOADED.flatMap(({ name, mapping }) =>
  mapping.direction === 'inbound' ? [{ name, mapping }] : [],
)
const OUTBOUND = LOADED.flatMap(({ name, mapping }) =>
  mapping.direction === 'outbound' ? [{ name, mapping }] : [],
)

async function draftsOf(path: string, mapping: InboundMapping): Promise<Draft[]> {
  const read = await readRecords(path, createFormats(), mapping)
  if ('problems' in read) throw new Error(read.problems.map(({ message }) => message).join('\n'))
  const drafts: Draft[] = []
  for await (const { draft } of read.records) drafts.push(draft)
  return drafts
}

async function draftsOfBytes(bytes: Uint8Array | undefined, name: string, mapping: InboundMapping) {
  const path = join(await tempFolder(), name)
  await writeFile(path, bytes ?? '')
  return draftsOf(path, mapping)
}

describe.each(INBOUND)('$name', ({ name, mapping }) => {
  test('its good file makes what its example makes, and its bad file what the page says', async () => {
    const path = join(FOLDER, name)
    const input = resolve(dirname(path), mapping.examples[0]?.input ?? '')
    const { files } = await createPartnerSamples(mapping, path, createFormats())

    const good = await draftsOfBytes(files?.good, 'good', mapping)
    const whole = await draftsOf(input, mapping)
    const bad = await draftsOfBytes(files?.bad, 'bad', mapping)

    expect(good.length).toBeGreaterThan(0)
    expect(good.map(({ body }) => body)).toEqual(whole.slice(0, good.length).map(({ body }) => body))
    expect(bad.flatMap((draft) => (draft.skipped ? [] : draft.problems)).length).toBe(files?.problems.length)
    expect(good.flatMap((draft) => (draft.skipped ? [] : draft.problems))).toEqual([])
  })
})

test.each(OUTBOUND)(
  '$name: its sample is the beginning of the file its example expects',
  async ({ name, mapping }) => {
    const path = join(FOLDER, name)
    const { file } = await createExportSample(mapping, path, createFormats())
    const expected = await readFile(resolve(dirname(path), mapping.examples[0]?.expect ?? ''), 'utf8')

    expect(file?.length).toBeGreaterThan(0)
    expect(expected.startsWith(Buffer.from(file ?? []).toString())).toBe(true)
  },
)

/** The samples and the page of a mapping with one example. */
async function documented(mapping: string, input: Uint8Array | string) {
  const folder = await tempFolder()
  const path = join(folder, 'm.yaml')
  await writeFile(join(folder, 'in.txt'), input)
  await writeFile(path, `${mapping}\nexamples: [{ input: in.txt, expect: none.json }]\n`)
  const loaded = await loadMapping(path)
  if (loaded.direction !== 'inbound') throw new Error('not an inbound mapping')
  const samples = await createPartnerSamples(loaded, path, createFormats())
  const { exampleOf, files } = samples
  const columns = listPartnerColumns(loaded, { exampleOf, words: new Map() })
  return { samples, page: writePartnerPage(loaded, columns, { title: 'm', form: files }), mapping: loaded }
}

function textOf(bytes: SampleFiles | undefined, which: 'good' | 'bad' | 'head', encoding = 'utf-8'): string {
  return iconv.decode(Buffer.from(bytes?.[which] ?? []), encoding)
}

const BODY = `
body:
  purchase_order_number: PO
  invoice_number: Invoice
  terms_net_days_due: { const: 30 }
  terms_date_due: { from: Due, format: yyyyMMdd }
  due_amount: Total
  invoice_lines:
    - variant: { identifier: Item }
      quantity: Quantity
      net_price: Cost
`

test('a file of fixed width stays one, in the good file and in the bad one', async () => {
  const columns = (...widths: readonly (readonly [string, number])[]) =>
    widths
      .map(([name, length], at) => `{ name: ${name}, ${at === 0 ? 'start: 2, ' : ''}length: ${length} }`)
      .join()
  const { samples, page, mapping } = await documented(
    `operation: create-invoice
read:
  format: fixed
  typeIn: { start: 1, length: 1 }
  records:
    H: { as: header, columns: [${columns(['PO', 6], ['Invoice', 6], ['Due', 8], ['Total', 8])}] }
    D: { as: detail, columns: [${columns(['Item', 8], ['Quantity', 4], ['Cost', 8])}] }
${BODY}`,
    ['HP1    I1    20261130   20.00', 'DHV-1       2   10.00', ''].join('\n'),
  )

  expect(textOf(samples.files, 'good')).toBe('HP1    I1    20261130   20.00\nDHV-1       2   10.00\n')
  expect(textOf(samples.files, 'bad')).toBe('HP1    I1    yesterda   20.00\nDHV-1    two    10.00\n')
  expect(samples.files?.problems.map(({ code }) => code)).toEqual(['date-expected', 'integer-expected'])
  expect(await draftsOfBytes(samples.files?.good, 'good', mapping)).toHaveLength(1)
  expect(page).toContain('| H | PO (2–7), Invoice (8–13), Due (14–21), Total (22–29) |')
  expect(page).toContain('lines of fixed width')
  expect(page).not.toContain('Other columns may be there')
})

test('delimiters, encodings, lines above the header and other quotes stay as the example has them', async () => {
  const text = [
    'Rechnungen;;',
    '',
    'PO;Invoice;Due;Total;Item;Quantity;Cost',
    "P1;I1;20261130;20.00;'Ä; 1';2;10.00",
    '',
  ].join('\r\n')
  const { samples, page, mapping } = await documented(
    `operation: create-invoice
read: { format: csv, encoding: windows-1252, delimiter: ";", quote: "'", skip: header }
group: PO
${BODY}`,
    iconv.encode(text, 'windows-1252'),
  )

  expect(textOf(samples.files, 'good', 'windows-1252')).toBe(text)
  expect(textOf(samples.files, 'head', 'windows-1252')).toBe(
    'Rechnungen;;\r\n\r\nPO;Invoice;Due;Total;Item;Quantity;Cost\r\n',
  )
  expect(textOf(samples.files, 'bad', 'windows-1252')).toContain(
    "\r\nP1;I1;yesterday;20.00;'Ä; 1';two;10.00\r\n",
  )
  const [draft] = await draftsOfBytes(samples.files?.good, 'good', mapping)
  expect(draft?.body).toMatchObject({ invoice_lines: [{ variant: { identifier: 'Ä; 1' } }] })
  expect(page).toContain(
    'WINDOWS-1252, with semicolons between the cells, and the names of the columns in the line above',
  )
})

test('the page of a file without names of columns gives the order of its cells', async () => {
  const { page } = await documented(
    `operation: create-invoice
read: { format: csv, columns: [PO, Invoice, Due, Total, Item, Quantity, Cost] }
group: PO
${BODY}`,
    'P1|I1|20261130|20.00|HV-1|2|10.00\n',
  )

  expect(page).toContain('with bars between the cells, and no names above them')
  expect(page).toContain('|  | PO, Invoice, Due, Total, Item, Quantity, Cost |')
})

test('of a large example the first ten records are shown, with whole lines', async () => {
  const rows = Array.from({ length: 30 }, (_, at) => `P${at},I${at},20261130,20.00,"HV\n${at}",2,10.00`)
  const { samples, mapping } = await documented(
    `operation: create-invoice\nread: { format: csv }\ngroup: PO\n${BODY}`,
    `PO,Invoice,Due,Total,Item,Quantity,Cost\n${rows.join('\n')}\n`,
  )

  const good = await draftsOfBytes(samples.files?.good, 'good', mapping)
  expect(good.map(({ keyValues }) => keyValues[0])).toEqual([
    'P0',
    'P1',
    'P2',
    'P3',
    'P4',
    'P5',
    'P6',
    'P7',
    'P8',
    'P9',
  ])
})

test('columns that only conditions use are on the page, and each value of several says its meaning', async () => {
  const { page } = await documented(
    `operation: create-invoice
read: { format: csv }
group: PO
only: { Status: Ready }
${BODY.replace('invoice_number: Invoice', 'invoice_number: { oneOf: [{ when: { Kind: A }, from: Invoice }, Reference] }')}`,
    'PO,Invoice,Reference,Kind,Status,Due,Total,Item,Quantity,Cost\nP1,I1,R1,A,Ready,20261130,20.00,HV-1,2,10.00\n',
  )

  expect(page).toContain('| Status |  | yes | record | decides what is taken | Ready |')
  expect(page).toContain('| Kind |  |  | record | decides what is taken | A |')
  expect(page).toContain('| Reference |  |  | record | text of at most 32 characters | R1 |')
})

test('the page of an export explains the contents of each column', async () => {
  const folder = await tempFolder()
  const path = join(folder, 'm.yaml')
  await writeFile(
    join(folder, 'in.json'),
    JSON.stringify([
      {
        purchase_order_number: 'P1',
        ordered_at: '2026-11-16T15:20:00Z',
        is_acknowledged: false,
        shipping_method: { code: 'UPS_GROUND' },
        order_lines: [{ quantity: 2, variant: { identifier: 'HV-1' } }],
      },
    ]),
  )
  await writeFile(
    path,
    `operation: export-orders
write: { format: csv, delimiter: "|", encoding: windows-1252, newline: "\\n" }
records:
  - type: PH
    columns:
      PO: { from: purchase_order_number, width: 10 }
      Date: { from: ordered_at, format: yyyyMMdd, zone: America/New_York }
      Via: { from: shipping_method.code, table: via, reverse: true }
      Seen: { from: is_acknowledged, yes: Y, no: N }
  - type: PD
    each: order_lines
    columns:
      SKU: order_lines.variant.identifier
      Qty: order_lines.quantity
      Source: { const: API }
trailer: { type: TR, columns: { Units: { sum: order_lines.quantity } } }
tables: { via: { rows: { Ground: UPS_GROUND, Air: UPS_AIR } } }
examples: [{ input: in.json, expect: none.txt }]
`,
  )
  const mapping = (await loadMapping(path)) as OutboundMapping
  const sample = await createExportSample(mapping, path, createFormats())
  const columns = listReceivedColumns(mapping, sample, await readTableTexts(mapping, path))
  const page = writeExportPage(mapping, columns, 'm')

  expect(Buffer.from(sample.file ?? []).toString()).toBe('PH|P1|20261116|Ground|N\nPD|HV-1|2|API\nTR|2\n')
  expect(page).toContain(
    'WINDOWS-1252, lines ended by LF, with bars between the cells, quotes where needed, and no names of columns.',
  )
  expect(page).toContain('A record is one row PH, then a row PD for each of its order_lines.')
  expect(page).toContain('The last row counts')
  for (const line of [
    '| PH | PO | text of at most 32 characters; at most 10 characters | P1 |',
    '| PH | Date | a date written as yyyyMMdd; in the time of America/New_York | 20261116 |',
    '| PH | Via | one of: Ground, Air | Ground |',
    '| PH | Seen | "Y" or "N" | N |',
    '| PD | Source | always "API" | API |',
  ])
    expect(page.split('\n')).toContain(line)
})

test('the page of a partner gives the rules of the mapping in its own words, and the contents of the last row', async () => {
  const folder = await tempFolder()
  const path = join(folder, 'ruled.yaml')
  await writeFile(
    path,
    `operation: close-order
group: PO
check:
  - { unless: { Kind: A }, say: Kind must be A. }
hold:
  - { when: { Kind: R }, say: Refused lines go to the buyer. }
totals: { when: { PO: END }, rows: Kind, sum: { Units: Why } }
body:
  order_id: { from: PO, find: order }
`,
  )
  const mapping = await loadMapping(path)
  if (mapping.direction !== 'inbound') throw new Error('not inbound')
  const columns = listPartnerColumns(mapping, { exampleOf: () => '', words: new Map() })

  const page = writePartnerPage(mapping, columns, { title: 'ruled', form: undefined })

  expect(page).toContain('an order by its purchase order number')
  expect(page).toContain(`## Rules

- Kind must be A.
- Refused lines go to the buyer. (a person checks it)
- The last row has "END" in PO, the number of rows in Kind, the sum of Units in Why. A file with another count, or without that row, is refused whole.
`)
})
