/** The examples of `read` and `write` in docs/mapping.md, each with a file it is for. */
import iconv from 'iconv-lite'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { isUnreadable } from '../../src/domain/format.ts'
import { createFormats } from '../../src/formats/formats.ts'
import { WRITE_KEYS } from '../../src/mapping/export/write-options.ts'
import { READ_KEYS } from '../../src/mapping/reading/read-keys.ts'
import {
  dress,
  make850,
  make856,
  makeInterchange,
  type MadeDocument,
  makeLevels,
} from '../fixtures/edi-maker.ts'
import { readFile } from '../formats/edi/tools.ts'
import { inChunks } from '../suites/format.suite.ts'
import { constantBody, type Plain } from './ready-bodies.ts'
import { mappingOf, translatorOf } from './sheet.ts'

interface Incoming {
  readonly file: string
  readonly beside?: Plain
  /** Fields of the body besides those of every example. */
  readonly more?: Plain
  /** Order, item and quantity of each record, or why the file is refused. */
  readonly gives: readonly string[]
}

const HEADER = 'PO,SKU,Qty'
const ROW = 'HV-1,A-1,2'
const RECORD = ['HV-1 A-1 2']

/** Keys of documents of X12 and EDIFACT; their test is below. */
type DocumentKey = 'document' | 'grammar' | 'loops' | 'usage'

const INCOMING: Readonly<Record<Exclude<keyof typeof READ_KEYS, DocumentKey>, Incoming>> = {
  format: { file: `${HEADER}\n${ROW}\n`, gives: RECORD },
  encoding: { file: `${HEADER}\nHV-1,Ä-€,2\n`, gives: ['HV-1 Ä-€ 2'] },
  delimiter: { file: 'PO;SKU;Qty\nHV-1;A,1;2\n', gives: ['HV-1 A,1 2'] },
  quote: { file: `${HEADER}\nHV-1,5" pipe,2\n`, gives: ['HV-1 5" pipe 2'] },
  escape: { file: `${HEADER}\nHV-1,"5\\" pipe, red",2\n`, gives: ['HV-1 5" pipe, red 2'] },
  skip: { file: `Orders of today\n\n${HEADER}\n${ROW}\n`, gives: RECORD },
  header: { file: `Order,Item,Amount\ntext,text,number\n${HEADER}\n${ROW}\n`, gives: RECORD },
  columns: { file: `${ROW}\n`, gives: RECORD },
  extra: { file: `${HEADER},Color\n${ROW},red\n`, gives: ['column-unexpected'] },
  missing: {
    file: `${HEADER}\n${ROW}\n`,
    more: { customer_order_number: { from: 'Their Number' } },
    gives: ['column-missing'],
  },
  repeated: { file: `${HEADER},Tax,Tax\n${ROW},1,2\n`, gives: RECORD },
  decimal: { file: 'PO;SKU;Qty\nHV-1;A-1;1.200,0\n', gives: ['HV-1 A-1 1200'] },
  grouping: {
    file: 'PO;SKU;Qty\nHV-1;A-1;1.200\n',
    beside: { decimal: ',' },
    gives: ['HV-1 A-1 1200'],
  },
  blanks: { file: `${HEADER}\n${ROW}\nHV-2,A-2,n/a\n`, gives: [...RECORD, 'value-missing'] },
  rows: { file: `${HEADER},Note\n${ROW}\nHV-2,A-2,1,,,\n`, gives: [...RECORD, 'HV-2 A-2 1'] },
  damaged: { file: `${HEADER}\nHV-1,A\uFFFD1,2\n`, gives: ['HV-1 A\uFFFD1 2'] },
  widths: {
    file: 'HV-1 Ä-12\n',
    beside: {
      format: 'fixed',
      columns: [
        { name: 'PO', start: 1, length: 5 },
        { name: 'SKU', length: 4 },
        { name: 'Qty', length: 1 },
      ],
    },
    gives: ['HV-1 Ä-1 2'],
  },
  ignore: {
    file: `# made by the warehouse\n${HEADER}\n${ROW}\n# page 2\n${HEADER}\nHV-2,A-2,1\n`,
    gives: [...RECORD, 'HV-2 A-2 1'],
  },
  records: { file: 'H,PO\nD,SKU,Qty\nH,HV-1\nD,A-1,2\n', gives: RECORD },
  typeIn: {
    file: 'Type,PO,SKU,Qty\nH,HV-1,,\nD,,A-1,2\n',
    beside: { records: { H: { as: 'header' }, D: { as: 'detail' } } },
    gives: RECORD,
  },
  alternating: {
    file: 'HV-1\nA-1,2\n',
    beside: {
      records: { order: { as: 'header', columns: ['PO'] }, line: { as: 'detail', columns: ['SKU', 'Qty'] } },
    },
    gives: RECORD,
  },
}

test.each(Object.entries(INCOMING))('read: %s', async (key, { file, beside, more, gives }) => {
  const { example } = READ_KEYS[key as keyof typeof READ_KEYS]
  const read = { format: 'csv', ...(parse(example) as Plain), ...beside }
  const bytes = iconv.encode(file, 'encoding' in read ? String(read.encoding) : 'utf-8')

  expect(await recordsIn(bytes, read, more)).toEqual(gives)
})

async function recordsIn(bytes: Uint8Array, read: Plain, more: Plain = {}): Promise<string[]> {
  const lines = [{ variant: { identifier: { from: 'SKU' } }, quantity: { from: 'Qty' } }]
  const fields = { purchase_order_number: { from: 'PO' }, ...more, order_lines: lines }
  const body = constantBody('create-order', fields)
  const group = 'records' in read ? {} : { group: 'PO' }
  const translator = await translatorOf(stringify({ operation: 'create-order', read, ...group, body }))
  const reading = await createFormats().read(inChunks(bytes), translator.read)
  if (isUnreadable(reading)) return reading.problems.map(({ code }) => code)
  const bound = translator.bind(reading.layouts)
  if (!('keyColumns' in bound)) return bound.map(({ code }) => code)
  const drafts = []
  for await (const rows of reading.batches) drafts.push(...bound.translateRows(rows))
  return [...drafts, ...bound.finish()].map((draft) => {
    const [line] = (draft.body?.['order_lines'] ?? []) as {
      variant: { identifier: string }
      quantity: number
    }[]
    const order = String(draft.body?.['purchase_order_number'])
    return line === undefined
      ? draft.problems.map(({ code }) => code).join()
      : `${order} ${line.variant.identifier} ${line.quantity}`
  })
}

const ORDER_BODY = constantBody('create-order', {
  purchase_order_number: { from: 'BEG.03' },
  order_lines: [{ variant: { identifier: { from: 'PO1.SK' } }, quantity: { from: 'PO1.02' } }],
})

const SHIPMENT_BODY = constantBody('create-shipment', {
  tracking_number: { from: 'MAN*CP.02' },
  shipment_lines: [{ variant: { upc: { from: 'LIN.UP' } }, quantity: { from: 'SN1.02' } }],
})

const order = make850({ po: 'HV-1', lines: [{ quantity: 2, pairs: [['SK', 'A-1']] }] })

const parcels = ['11', '12'].map((upc) => ({
  tracking: '1Z1',
  items: [{ quantity: 1, pairs: [['UP', upc] as const] }],
}))

const notice = make856({
  number: '1',
  levels: makeLevels({ orders: [{ po: 'HV-1', packs: parcels }] }),
})

const DOCUMENTS: Readonly<Record<DocumentKey, { body: Plain; document: MadeDocument; gives: Plain }>> = {
  document: { body: ORDER_BODY, document: order, gives: { purchase_order_number: 'HV-1' } },
  usage: { body: ORDER_BODY, document: order, gives: { purchase_order_number: 'HV-1' } },
  grammar: { body: ORDER_BODY, document: order, gives: { purchase_order_number: 'HV-1' } },
  loops: {
    body: SHIPMENT_BODY,
    document: notice,
    gives: {
      tracking_number: '1Z1',
      shipment_lines: [{ variant: { upc: '11' } }, { variant: { upc: '12' } }],
    },
  },
}

test.each(Object.entries(DOCUMENTS))('read: %s', async (key, { body, document, gives }) => {
  const { example } = READ_KEYS[key as DocumentKey]
  const read = { format: 'x12', document: document.document, ...(parse(example) as Plain) }
  const operation = document === notice ? 'create-shipment' : 'create-order'
  const usage = key === 'usage' ? 'T' : 'P'

  const { drafts } = await readFile(
    stringify({ operation, read, body }),
    dress(makeInterchange({ syntax: 'x12', usage, groups: [{ sets: [document] }] })),
    { 'grammars/acme-850.yaml': 'extends: x12/850\nrequired: [BEG.03]\n' },
  )

  expect(drafts.map((draft) => draft.body)).toMatchObject([gives])
})

interface Outgoing {
  readonly name?: string
  readonly beside?: Plain
  readonly gives: string
}

/** The keys of documents that go out: `segments.test.ts` has them. */
type WrittenDocumentKey = 'document' | 'version' | 'set' | 'clash'

const OUTGOING: Readonly<Record<Exclude<keyof typeof WRITE_KEYS, WrittenDocumentKey>, Outgoing>> = {
  format: { gives: 'HV-1  Ada   \r\n' },
  encoding: { name: 'Zoë', gives: 'PO,Name\r\nHV-1,Zoë\r\n' },
  delimiter: { gives: 'PO;Name\r\nHV-1;Ada\r\n' },
  newline: { gives: 'PO,Name\nHV-1,Ada\n' },
  quote: { name: '5" pipe', gives: 'PO,Name\r\nHV-1,5" pipe\r\n' },
  quoteAll: { gives: '"PO","Name"\r\n"HV-1","Ada"\r\n' },
  above: { gives: 'TemplateType=Orders,Version=7\r\n# text as it stands\r\nPO,Name\r\nHV-1,Ada\r\n' },
  byteOrderMark: { gives: '\uFEFFPO,Name\r\nHV-1,Ada\r\n' },
  header: { gives: 'HV-1,Ada\r\n' },
  fold: { name: 'Zoë Groß', gives: 'PO,Name\r\nHV-1,Zoe Gross\r\n' },
  replace: { name: 'Zoë 王', beside: { encoding: 'windows-1252' }, gives: 'PO,Name\r\nHV-1,Zoë ?\r\n' },
  formulas: { name: '=1+1', gives: "PO,Name\r\nHV-1,'=1+1\r\n" },
}

test.each(Object.entries(OUTGOING))('write: %s', async (key, { name = 'Ada', beside, gives }) => {
  const { example } = WRITE_KEYS[key as keyof typeof WRITE_KEYS]
  const write = { format: 'csv', ...(parse(example) as Plain), ...beside }
  const width = write.format === 'fixed' ? { width: 6 } : {}
  const columns = {
    PO: { from: 'purchase_order_number', ...width },
    Name: { from: 'ship_to.name1', ...width },
  }
  const mapping = await mappingOf(stringify({ operation: 'export-orders', write, columns }))
  if (mapping.direction !== 'outbound') throw new Error('not an export')
  const { composer } = mapping

  const writer = createFormats().createWriter(composer.columns, composer.write)
  const composed = composer.composeRows({ purchase_order_number: 'HV-1', ship_to: { name1: name } })
  const bytes = Buffer.concat([
    writer.formatHeader(),
    writer.formatRows('rows' in composed ? composed.rows : []),
  ])

  const encoding = 'encoding' in write ? String(write.encoding) : 'utf-8'
  expect(iconv.decode(bytes, encoding, { stripBOM: false })).toBe(gives)
})
