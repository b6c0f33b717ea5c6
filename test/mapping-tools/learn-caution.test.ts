/** Where `map learn` must not be sure: cells and names that look like something they need not be. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { learn } from '../fixtures/learned.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { listeningTerminal } from '../fixtures/terminal.ts'

const HEAD = 'PO Number,Order Date,Ship To Name,City,SKU,Qty'

describe('blank keys', () => {
  test('continue the record above where the other cells of the order are blank too', async () => {
    const { line } = await learn([
      HEAD,
      'P-1,2026-11-20,Ada,Reno,A,1',
      ',,,,B,2',
      'P-2,2026-11-21,Bo,Troy,A,1',
    ])

    expect(line('group:')).toContain('{ by: PO Number, blank: continues } # likely:')
  })

  test('do not continue it where the row has an order of its own', async () => {
    const { line } = await learn([
      HEAD,
      'P-1,2026-11-20,Ada,Reno,A,1',
      ',2026-11-20,Cleo,Salem,B,2',
      'P-2,2026-11-21,Bo,Troy,A,1',
    ])

    expect(line('group:')).not.toContain('continues')
    expect(line('group:')).toContain('1 row has no PO Number')
  })

  test('are a guess where the file has no other cell of the order', async () => {
    const { line } = await learn(['PO Number,SKU,Qty', 'P-1,A,1', ',B,2', 'P-2,A,1'])

    expect(line('group:')).toContain('blank: continues } # guess:')
  })

  test('of a continued order are no missing values', async () => {
    const { line } = await learn([
      HEAD,
      'P-1,2026-11-20,Ada,Reno,A,1',
      'P-1,,,,B,2',
      'P-2,2026-11-21,Bo,Troy,A,1',
    ])

    expect(line('city:')).toBe('city: City # sure: named so')
  })
})

describe('short words', () => {
  test.each([
    ['No', 'No', 'No'],
    ['NO', 'NO', 'NO'],
    ['Cy', 'Al', 'Bo'],
    ['Cy', 'Ada Park', 'Ed'],
    ['US', 'ok', 'FR'],
  ])('such as %s, %s and %s are no countries or states', async (...cells) => {
    const { fieldOf } = await learn([
      'PO Number,Flag,SKU,Qty',
      ...cells.map((cell, at) => `P-${at},${cell},A,1`),
    ])

    expect(fieldOf('Flag')).toBe('unknown')
  })

  test('in capitals in all rows are a guess for a country', async () => {
    const { fieldOf } = await learn(['PO Number,Where,SKU,Qty', 'P-1,US,A,1', 'P-2,GB,A,1', 'P-3,FR,A,1'])

    expect(fieldOf('Where')).toBe('ship_to.country guess')
  })
})

describe('a price', () => {
  const learnPrices = (head: string) =>
    learn([`PO Number,SKU,Qty,${head}`, 'P-1,A,1,9.00,12.00', 'P-2,B,2,8.00,11.00'])

  test('beside a shop price is a guess for the cost', async () => {
    const { fieldOf } = await learnPrices('Price,Shop Price')

    expect(fieldOf('Shop Price')).toBe('order_lines[].price sure')
    expect(fieldOf('Price')).toBe('order_lines[].net_price guess')
  })

  test('beside a cost is likely that of the consumer', async () => {
    const { fieldOf } = await learnPrices('Cost,Price')

    expect(fieldOf('Cost')).toBe('order_lines[].net_price sure')
    expect(fieldOf('Price')).toBe('order_lines[].price likely')
  })

  test('alone is a guess, with the question that a person can answer', async () => {
    const { line } = await learn(['PO Number,SKU,Qty,Price', 'P-1,A,1,9.00', 'P-2,B,2,8.00'])

    expect(line('price:')).toBe(
      'price: Price # guess: a price: of the consumer, or the cost that the supplier is paid?',
    )
  })
})

test('a customer is a guess for the recipient, unless a column says who the recipient is', async () => {
  const alone = await learn(['PO Number,Customer,SKU,Qty', 'P-1,Ada Park,A,1', 'P-2,Bo Reed,A,1'])
  const beside = await learn([
    'PO Number,Customer,Ship To Name,SKU,Qty',
    'P-1,Ada Park,Cleo,A,1',
    'P-2,Bo Reed,Dan,A,1',
  ])

  expect(alone.fieldOf('Customer')).toBe('ship_to.name1 guess')
  expect(beside.fieldOf('Customer')).toBe('unknown')
  expect(beside.fieldOf('Ship To Name')).toBe('ship_to.name1 sure')
})

describe('words of carriers and methods', () => {
  test('in a column named Delivery need a table, and are a guess', async () => {
    const { fieldOf, lines } = await learn([
      'PO Number,Delivery,SKU,Qty',
      'P-1,Standard,A,1',
      'P-2,Express,A,1',
    ])

    expect(fieldOf('Delivery')).toBe('shipping_method.code guess')
    expect(lines).toContain('Standard: { method: "", carrier: "" } # fill in')
  })

  test('as codes in two columns need a table each', async () => {
    const { lines, line } = await learn([
      'PO Number,Carrier Code,Method Code,SKU,Qty',
      'P-1,FDEG,FXG,A,1',
      'P-2,UPSN,U2D,A,1',
    ])

    expect(line('code: { from: Method')).toContain('table: ship-via, pick: method } # guess')
    expect(line('code: { from: Carrier')).toContain('table: carriers, pick: carrier } # guess')
    expect(lines).toContain('FDEG: { carrier: FDEG }')
    expect(lines).toContain('FXG: { method: "" } # fill in')
  })

  test('that no column has are asked for with a table', async () => {
    const { line } = await learn(['PO Number,SKU,Qty', 'P-1,A,1', 'P-2,B,1'])

    expect(line('code:')).toContain('name the column with a table for its words')
  })

  test('are not taken from when a delivery is due', async () => {
    const { fieldOf } = await learn([
      'PO Number,Delivery,SKU,Qty',
      'P-1,2026-11-20,A,1',
      'P-2,2026-11-21,A,1',
    ])

    expect(fieldOf('Delivery')).not.toContain('shipping_method')
  })
})

describe('the zone of times', () => {
  test.each([
    ['2026-11-20T10:00:00Z', 'sure', 'its cells name their zone'],
    ['2026-11-20 10:00:00 -0500', 'sure', 'its cells name their zone'],
    ['11/20/2026 10:00', 'guess', 'times are UTC unless you name their zone: zone: America/New_York'],
    ['2026-11-20T10:00:00', 'guess', 'times are UTC unless you name their zone: zone: America/New_York'],
    ['11/20/2026', 'guess', 'days begin at midnight UTC unless you name their zone: zone: America/New_York'],
  ])('of %s is remarked, and the mark is %s', async (date, mark, remark) => {
    const { line } = await learn(['PO Number,Order Date,SKU,Qty', `P-1,${date},A,1`, `P-2,${date},A,1`])

    expect(line('ordered_at:')).toContain(`# ${mark}: named so; ${remark}`)
  })
})

test('weights and sizes without a unit are not sure, and other units are converted', async () => {
  const { line, bodies } = await learn(
    ['SKU,Title,Weight,Length (cm)', 'A,Lamp,2.5,30', 'B,Stool,3,25'],
    'create-variant',
  )

  expect(line('shipping_weight:')).toBe(
    'shipping_weight: Weight # likely: named so; are these pounds? its name does not say',
  )
  expect(line('shipping_length:')).toBe(
    'shipping_length: { calc: "round([Length (cm)] * 0.393701, 4)" } # likely: named so; cm become inches',
  )
  expect((await bodies())[0]).toMatchObject({
    attributes: { shipping_weight: '2.5', shipping_length: '11.811' },
  })
})

describe('columns without a certain use', () => {
  test('are listed as unknown, for a person to decide', async () => {
    const { lines } = await learn(['PO Number,SKU,Qty,Zulu Code', 'P-1,A,1,Q7', 'P-2,B,2,Q8'])

    const at = lines.indexOf('# Unknown columns, for you to decide: map each, or leave it out:')
    expect(lines[at + 1]).toBe('#   Zulu Code: "Q7"')
  })

  test('and those that feed a field or are ignored are all columns of the file', async () => {
    const { columns } = await learn([
      'PO Number,First Name,Last Name,SKU1,Qty1,SKU2,Qty2,Zulu,_state,',
      'P-1,Ada,Park,A,1,B,2,x,done,',
      'P-2,Bo,Reed,A,1,,,y,done,',
    ])

    expect(columns).toEqual({ placed: 7, sure: 7, unplaced: 1, ignored: 2 })
  })
})

describe('a delimiter at the end of each line', () => {
  test('of the rows only is proposed as cells that are cut', async () => {
    const { line, bodies, columns } = await learn(
      [
        'PO Number,Invoice Number,Due Date,Net Days,Invoice Total,SKU,Qty,Unit Cost',
        'P-1,I-1,2026-11-30,30,25.00,HV-1,2,12.50,',
        'P-2,I-2,2026-12-31,30,9.00,HV-2,1,9.00,',
      ],
      'create-invoice',
    )

    expect(line('read:')).toBe(
      'read: { format: csv, rows: { long: cut } } # likely: each row ends with a delimiter that the header has not',
    )
    expect(columns).toEqual({ placed: 8, sure: 8, unplaced: 0, ignored: 0 })
    expect(await bodies()).toHaveLength(2)
  })

  test('of the header too needs nothing, and is no column without a use', async () => {
    const { text, unplaced, columns } = await learn(['PO Number,SKU,Qty,', 'P-1,A,1,', 'P-2,B,2,'])

    expect(text.split('\n')[0]).toContain('a delimiter at the end of each line')
    expect(unplaced).toEqual([])
    expect(columns).toEqual({ placed: 3, sure: 3, unplaced: 0, ignored: 1 })
  })

  test('is none where some rows have a text behind the last column', async () => {
    const { text } = await learn(['PO Number,SKU,Qty', 'P-1,A,1', 'P-2,B,2', 'P-3,C,3,stray'])

    expect(text).not.toContain('long: cut')
  })
})

test('a last row that is left out says so, with the lines that go with it', async () => {
  const { lines } = await learn([
    'PO Number,Ship To Name,City,SKU,Qty',
    'P-1,Ada,Reno,A,1',
    'P-2,Bo,Troy,B,2',
    'TOTAL,,,,99',
  ])

  expect(lines).toContain(
    '# likely: the last row, TOTAL, is no record; every line that begins so is left out',
  )
})

test('the last line of the command counts all columns of the file', async () => {
  const folder = await tempFolder()
  await writeFile(join(folder, 'o.csv'), 'PO Number,SKU,Qty,Zulu,_state\nP-1,A,1,x,done\nP-2,B,2,y,done\n')
  const { terminal, err } = listeningTerminal({ folder, env: {} })

  await runCommandLine(terminal, ['map', 'learn', 'o.csv', '--operation', 'create-order'])

  expect(err[0]).toBe(
    'Of 5 columns: 3 feed a field, 3 of them for sure; 1 unknown, 1 ignored (without a name, or of a result file).',
  )
})
