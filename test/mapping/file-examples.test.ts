/** The examples of `read` and `write` in docs/mapping.md, each with a file it is for. */
import iconv from 'iconv-lite'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { isUnreadable } from '../../src/domain/format.ts'
import { createFormats } from '../../src/formats/formats.ts'
import { WRITE_KEYS } from '../../src/mapping/export/write-options.ts'
import { READ_KEYS } from '../../src/mapping/reading/read-keys.ts'
import { repeatable } from '../../src/support/async.ts'
import { dressText, make850, makeInterchange, type MadeDocument } from '../fixtures/edi-maker.ts'
import { inChunks } from '../suites/format.suite.ts'
import { constantBody, type Plain } from './ready-bodies.ts'
import { mappingOf, translatorOf } from './sheet.ts'

interface Incoming {
  readonly file: string
  readonly beside?: Plain
  /** Fields of the body besides those of every example. */
  readonly more?: Plain
  /** The columns or paths of order, item and quantity. */
  readonly names?: readonly [order: string, item: string, quantity: string]
  /** Order, item and quantity of each record, or why the file is refused. */
  readonly gives: readonly string[]
}

const HEADER = 'PO,SKU,Qty'
const ROW = 'HV-1,A-1,2'
const RECORD = ['HV-1 A-1 2']

const ORDER = make850({
  po: 'HV-1',
  lines: [{ quantity: 2, price: '1.00', pairs: [['SK', 'A-1']] }],
})
const NAMES_850 = ['BEG.03', 'PO1.SK', 'PO1.02'] as const

function textOf(document: MadeDocument, usage: 'P' | 'T' = 'P'): string {
  return dressText(makeInterchange({ syntax: 'x12', usage, groups: [{ sets: [document] }] }))
}

const SHIPMENT: MadeDocument['segments'] = [
  ['BSN', '00', '1', '20261118', '1630', '0001'],
  ['HL', '1', '', 'S'],
  ['HL', '2', '1', 'O'],
  ['PRF', 'HV-1'],
  ['HL', '3', '2', 'P'],
  ['MAN', 'CP', '1Z1'],
  ['HL', '4', '3', 'I'],
  ['LIN', '', 'VN', 'A-1'],
  ['SN1', '', '2', 'EA'],
]

const INCOMING: Readonly<Record<keyof typeof READ_KEYS, Incoming>> = {
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
  document: { file: textOf(ORDER), beside: { format: 'x12' }, names: NAMES_850, gives: RECORD },
  usage: {
    file: textOf(ORDER, 'T'),
    beside: { format: 'x12', document: 850 },
    names: NAMES_850,
    gives: RECORD,
  },
  loops: {
    file: textOf({ document: '856', segments: SHIPMENT }),
    beside: { format: 'x12', document: 856 },
    names: ['PRF.01', 'LIN.VN', 'SN1.02'],
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

test.each(Object.entries(INCOMING))('read: %s', async (key, { file, beside, more, names, gives }) => {
  const { example } = READ_KEYS[key as keyof typeof READ_KEYS]
  const read = { format: 'csv', ...(parse(example) as Plain), ...beside }
  const bytes = iconv.encode(file, 'encoding' in read ? String(read.encoding) : 'utf-8')

  expect(await recordsIn(bytes, read, more, names)).toEqual(gives)
})

async function recordsIn(
  bytes: Uint8Array,
  read: Plain,
  more: Plain = {},
  [order, item, quantity]: NonNullable<Incoming['names']> = ['PO', 'SKU', 'Qty'],
): Promise<string[]> {
  const lines = [{ variant: { identifier: { from: item } }, quantity: { from: quantity } }]
  const fields = { purchase_order_number: { from: order }, ...more, order_lines: lines }
  const body = constantBody('create-order', fields)
  const group = 'records' in read || 'document' in read ? {} : { group: 'PO' }
  const translator = await translatorOf(stringify({ operation: 'create-order', read, ...group, body }))
  const reading = await createFormats().read(
    repeatable(() => inChunks(bytes)),
    translator.read,
  )
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

interface Outgoing {
  readonly name?: string
  readonly beside?: Plain
  readonly gives: string
}

const OUTGOING: Readonly<Record<keyof typeof WRITE_KEYS, Outgoing>> = {
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
