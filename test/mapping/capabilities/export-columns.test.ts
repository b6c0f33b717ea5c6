/** What columns of an export can do beyond printing a field: flags, required columns, and formats of numbers. */
import { expect, test } from 'vitest'
import type { ComposedRows } from '../../../src/domain/translator.ts'
import { formatProblem } from '../../../src/cli/format/text.ts'
import { createFormats } from '../../../src/formats/formats.ts'
import { mappingOf } from '../sheet.ts'

const ORDER = {
  id: 16,
  purchase_order_number: 'HV-30015',
  subtotal_charged: '1234567.80',
  is_acknowledged: false,
  gift_message: ['Happy birthday', 'Ada'],
  ship_to: { name1: 'Ada\tPark', name2: '', street1: '12 Mill Road\r\nYard 4' },
  shipping_method: { code: 'FEDEX_GROUND', carrier: { code: null } },
  order_lines: [
    { quantity: 2, price: '24.90', variant: { identifier: 'HV-1', upc: null } },
    { quantity: 1200, price: '5.00', variant: { identifier: 'HV-2', upc: '036000291452' } },
  ],
}

async function composed(columns: string, changes: object = {}, more = ''): Promise<ComposedRows> {
  const mapping = await mappingOf(`operation: export-orders\n${more}\ncolumns:\n${columns}`)
  if (mapping.direction !== 'outbound') throw new Error('not an export')
  return mapping.composer.composeRows({ ...ORDER, ...changes })
}

/** The rows, or the problems of the record as people read them. */
async function rowsOf(...from: Parameters<typeof composed>): Promise<unknown> {
  const result = await composed(...from)
  return 'rows' in result ? result.rows : result.problems.map((each) => formatProblem(each))
}

const FLAGS = `
  Gift: { filled: gift_message, yes: Y, no: N }
  Second Name: { filled: ship_to.name2 }
  Address: { filled: ship_to, yes: X, no: "" }
  Any UPC: { filled: order_lines.variant.upc, yes: Y, no: N }
  Acknowledged: { filled: is_acknowledged, yes: told, no: untold }
  Lines: { count: order_lines, yes: Y, no: N }`

test('V14: a flag says whether there is something: a list, a text, an object, a value of any line', async () => {
  expect(await rowsOf(FLAGS)).toEqual([['Y', 'false', 'X', 'Y', 'told', 'Y']])
})

test('V14: an empty list, a blank text and an object with nothing in it are not filled', async () => {
  const empty = {
    gift_message: [],
    ship_to: { name1: null, street1: ' ' },
    order_lines: [],
    is_acknowledged: null,
  }
  expect(await rowsOf(FLAGS, empty)).toEqual([['N', 'false', '', 'N', 'untold', 'N']])
  expect(await rowsOf(FLAGS, { ...empty, gift_message: ['', ' '] })).toEqual([
    ['N', 'false', '', 'N', 'untold', 'N'],
  ])
})

test('V14: a flag of a line reads the line of its row', async () => {
  const columns = '  Coded: { filled: order_lines.variant.upc, yes: Y, no: N }'

  expect(await rowsOf(columns, {}, 'each: order_lines')).toEqual([['N'], ['Y']])
})

test('a record for which a required column would be blank is held, and the message names the column', async () => {
  const columns = '  Carrier: { from: shipping_method.carrier.code, required: true }'
  const filled = { shipping_method: { carrier: { code: 'FDEG' } } }

  expect(await rowsOf(columns, filled)).toEqual([['FDEG']])
  expect(await rowsOf(columns)).toEqual([
    'column "Carrier" is blank. Fill the value in at the API, or give the column a `default` in the mapping.',
  ])
})

test('a required column may be blank where its condition does not hold, and not where a table gives nothing', async () => {
  const when = '  Carrier: { from: shipping_method.carrier.code, required: true, when: { status: Open } }'
  const table = `  Via: { from: shipping_method.code, table: via, required: true }
tables: { via: { rows: { FEDEX_GROUND: "" } } }`

  expect(await rowsOf(when)).toEqual([['']])
  expect(await rowsOf(table)).toEqual([expect.stringMatching(/^column "Via" is blank\./)])
})

test('V11: thousands are separated as the column says, and small numbers stay as they are', async () => {
  const columns = `
  German: { from: subtotal_charged, decimal: ",", grouping: "." }
  Swiss: { from: subtotal_charged, grouping: "'", zeros: cut }
  Units: { sum: order_lines.quantity, grouping: " " }
  First: { from: "order_lines[0].price", grouping: ",", zeros: cut }`

  expect(await rowsOf(columns)).toEqual([['1.234.567,80', "1'234'567.8", '1 202', '24.9']])
  expect(await rowsOf(columns, { subtotal_charged: '-123456.00' })).toEqual([
    ['-123.456,00', "-123'456", '1 202', '24.9'],
  ])
})

test('V12: numbers of a table are written with the options for numbers, digit for digit', async () => {
  const columns = `
  Cents: { from: "order_lines[0].variant.identifier", table: costs, implied: 2, pad: { to: 9, with: "0" } }
  Comma: { from: "order_lines[1].variant.identifier", table: costs, decimal: ",", grouping: "." }
  Plain: { from: "order_lines[1].variant.identifier", table: costs }
tables: { costs: { rows: { HV-1: "9.5", HV-2: "1216.73" } } }`

  expect(await rowsOf(columns)).toEqual([['000000950', '1.216,73', '1216.73']])
})

test('O10: in lines of fixed width `replace` replaces line breaks and tabs', async () => {
  const write = 'write: { format: fixed, replace: " " }'
  const columns = `
  Name: { from: ship_to.name1, width: 9 }
  Street: { from: ship_to.street1, width: 20 }`

  expect(await rowsOf(columns, {}, write)).toEqual([['Ada Park ', '12 Mill Road Yard 4 ']])
})

test('O10: without `replace` a line break holds the record, and the advice is one that works', async () => {
  const columns = '  Street: { from: ship_to.street1, width: 20 }'

  expect(await rowsOf(columns, {}, 'write: { format: fixed }')).toEqual([
    expect.stringContaining(
      'holds a line break, which would end the line. Say what stands for it, under `write` in the mapping: `replace: " "`.',
    ),
  ])
})

test('O10: without quotes tabs are replaced beside line breaks and delimiters', async () => {
  const mapping = await mappingOf(`operation: export-orders
write: { format: csv, quote: null, delimiter: "|", replace: " " }
columns: { Name: ship_to.name1, Street: ship_to.street1 }`)
  if (mapping.direction !== 'outbound') throw new Error('not an export')
  const { composer } = mapping
  const made = composer.composeRows({
    ...ORDER,
    ship_to: { ...ORDER.ship_to, street1: '12 Mill|Road\nYard 4' },
  })
  if ('problems' in made) throw new Error('held')

  const writer = createFormats().createWriter(composer.columns, composer.write)
  expect(Buffer.from(writer.formatRows(made.rows)).toString()).toBe('Ada Park|12 Mill Road Yard 4\r\n')
})
