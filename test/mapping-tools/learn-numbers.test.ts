/** What `map learn` says of numbers whose marks, signs or places leave something open. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createFormats } from '../../src/formats/formats.ts'
import { learnColumns } from '../../src/mapping-tools/learn/learn.ts'
import { learn } from '../fixtures/learned.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

const HEAD = 'Bestellnr;Pos;Artikel;Menge;EK;VK'

describe('a mark before exactly three digits', () => {
  test.each([
    ['1.001', '1.002', ','],
    ['1,001', '2,500', '.'],
    ['1.001', '12', ','],
  ])('is a guess where no cell says what it means: %s and %s', async (first, second, mark) => {
    const { line } = await learn([HEAD, `A-1;1;X;2;${first};9.50`, `A-2;1;Y;1;${second};8.50`])

    expect(line('net_price:')).toBe(
      `net_price: EK # guess: named so; the mark is a guess: if "${first}" means 1001, add decimal: "${mark}"`,
    )
    expect(line('price:')).toBe('price: VK # sure: named so')
  })

  test.each([
    ['1,001', '1,002.50'],
    ['12', '11'],
    ['11.25', '1,001'],
  ])('is no guess where another cell shows it, or none has one: %s and %s', async (first, second) => {
    const { line } = await learn([HEAD, `A-1;1;X;2;${first};9.50`, `A-2;1;Y;1;${second};8.50`])

    expect(line('net_price:')).toBe('net_price: EK # sure: named so')
  })

  test('makes a guess of a quantity too, and of a weight that is converted', async () => {
    const { line } = await learn([HEAD, 'A-1;1;X;2.000;3.50;9.50', 'A-2;1;Y;1.000;4.50;8.50'])
    const shipped = await learn(
      ['PO Number,Tracking Number,Weight (kg),SKU,Qty', 'P-1,1Z999,1.125,A,1', 'P-2,1Z998,2.250,A,1'],
      'create-shipment',
    )

    expect(line('quantity:')).toContain('quantity: Menge # guess: named so; the mark is a guess:')
    expect(shipped.line('ship_weight:')).toContain(
      '# guess: named so; kg become pounds; the mark is a guess:',
    )
  })
})

test('amounts in another currency are a guess, with the sign and what to do', async () => {
  const euros = await learn([HEAD, 'A-1;1;X;2;11,24 €;EUR 23,47', 'A-2;1;Y;1;28,09 €;EUR 57,17'])
  const dollars = await learn([HEAD, 'A-1;1;X;2;$11.24;23.47 USD', 'A-2;1;Y;1;$28.09;57.17 USD'])

  const todo = 'are refused: have the amounts sent in US dollars, without the sign'
  expect(euros.line('net_price:')).toBe(
    `net_price: { from: EK, decimal: "," } # guess: named so; records with € ${todo}`,
  )
  expect(euros.line('price:')).toBe(
    `price: { from: VK, decimal: "," } # guess: named so; records with EUR ${todo}`,
  )
  expect(dollars.line('net_price:')).toBe('net_price: EK # sure: named so')
  expect(dollars.line('price:')).toBe('price: VK # sure: named so')
})

test('whole numbers with a decimal comma are the quantity as a guess, and are read as whole numbers', async () => {
  const { line, bodies } = await learn(
    ['Bestellnr;Artikel;Menge', 'A-1;X;2,0', 'A-1;Y;1,0', 'A-2;X;12,00'],
    'create-cancel',
  )

  expect(line('quantity:')).toBe(
    'quantity: { from: Menge, decimal: "," } # guess: named so; "2,0" is read as 2',
  )
  expect(await bodies((mapping) => mapping.replace(/reason_id:.*/, 'reason_id: { const: 1 }'))).toMatchObject(
    [{ cancel_lines: [{ quantity: 2 }, { quantity: 1 }] }, { cancel_lines: [{ quantity: 12 }] }],
  )
})

test('halves are no quantity', async () => {
  const { fieldOf } = await learn(['Bestellnr;Artikel;Menge', 'A-1;X;2,5', 'A-2;X;1,5'])

  expect(fieldOf('Menge')).toBe('unknown')
})

test('a column that perhaps has the cost is shown with its decimal comma', async () => {
  const { line } = await learn([
    'Bestellnr;Artikel;Menge;Preis;Verkauf',
    'A-1;X;2;7,47;15,93',
    'A-2;X;1;8,20;16,00',
  ])

  expect(line('net_price:')).toMatch(/; perhaps \{ from: Verkauf, decimal: "," \}$/)
})

describe('a column that counts lines', () => {
  const learnOpen = (name: string, cells: readonly string[]) =>
    learn([
      `Bestellnr;${name};Artikel;Foo`,
      ...cells.map((cell, at) => `A-${Math.floor(at / 3)};${cell};X-${at};${at + 4}`),
    ])

  test.each(['Pos', 'Pos.', 'Position', 'Zeile', 'Line', 'Line Number'])(
    'and is named %s is no quantity and no price',
    async (name) => {
      const { lines, unplaced } = await learnOpen(name, ['1', '1', '2', '1'])

      expect(unplaced).toContainEqual({ column: name, why: 'counts the lines' })
      expect(lines).toContainEqual(expect.stringMatching(/^quantity: # .*; perhaps Foo$/))
    },
  )

  test.each([
    ['ones', ['1', '2', '3', '1', '2', '3']],
    ['tens', ['10', '20', '30', '10', '20', '30']],
    ['ones through the file', ['1', '2', '3', '4', '5', '6']],
  ])('by %s is no quantity and no price, whatever its name', async (_, cells) => {
    const { unplaced } = await learnOpen('Nr', cells)

    expect(unplaced).toContainEqual({ column: 'Nr', why: 'counts the lines' })
  })

  test('is not seen in one that stays at a number, or skips one', async () => {
    const why = 'could be order_lines[].quantity or order_lines[].net_price or order_lines[].price'

    expect((await learnOpen('Nr', ['1', '2', '2', '1', '2', '3'])).unplaced).toContainEqual({
      column: 'Nr',
      why,
    })
    expect((await learnOpen('Nr', ['1', '2', '4', '1', '2', '4'])).unplaced).toContainEqual({
      column: 'Nr',
      why,
    })
  })

  test('is no quantity in a file without headings', async () => {
    const row = (order: string, line: number, quantity: number) =>
      `${order};27.11.2026;Ada Park;Reno;NV;89501;US;${line};HV-${line};${quantity};9,50`
    const { placed } = await learn([
      row('A-1', 1, 4),
      row('A-1', 2, 7),
      row('A-1', 3, 2),
      row('A-2', 1, 4),
      row('A-2', 2, 4),
    ])

    expect(placed).toContainEqual(
      expect.objectContaining({ field: 'order_lines[].quantity', column: 'Column 10' }),
    )
    expect(placed.map(({ column }) => column)).not.toContain('Column 8')
  })
})

test('EK is the cost and VK the price of the consumer, also in a catalogue', async () => {
  const order = await learn([HEAD, 'A-1;1;X;2;3,50;9,50', 'A-2;1;Y;1;4,50;8,50'])
  const item = await learn(['Artikelnummer;EK;VK', 'A-1;3,50;9,50', 'A-2;4,50;8,50'], 'create-variant')

  expect([order.fieldOf('EK'), order.fieldOf('VK')]).toEqual([
    'order_lines[].net_price sure',
    'order_lines[].price sure',
  ])
  expect([item.fieldOf('EK'), item.fieldOf('VK')]).toEqual(['attributes.cost sure', 'attributes.msrp sure'])
})

describe('rows with more cells than the first line names', () => {
  const learnRows = async (lines: readonly string[]) => {
    const path = join(await tempFolder(), 'sample.csv')
    await writeFile(path, `${lines.join('\n')}\n`)
    return learnColumns(path, 'create-order', { format: createFormats(), name: 'm.yaml' })
  }

  test('are long rows, and may have decimal commas without quotes', async () => {
    expect(await learnRows(['Bestellnr,Artikel,EK,VK', 'A-1,X,11,24,23,47', 'A-2,X,11,24,23,47'])).toEqual({
      problems: [
        {
          code: 'row-long',
          place: { line: 2 },
          message:
            'The row has 6 cells where 4 are expected: 2 delimiters too many stand somewhere in the row; compare it with the row above.',
          fix: 'Decimal commas without quotes? Have these cells quoted, or the file written with semicolons.',
        },
      ],
    })
  })

  test('are named with their lines where only some are too long', async () => {
    const good = ['A-1,X,11,23', 'A-3,X,12,24', 'A-4,X,13,25']
    const lines = [
      'Bestellnr,Artikel,EK,VK',
      good[0] ?? '',
      'A-2,X,11,24,23,47',
      ...good.slice(1),
      'A-5,X,1,50,3',
    ]
    const unread =
      'lines 3, 6; line 3: The row has 6 cells where 4 are expected: 2 delimiters too many stand somewhere in the row; compare it with the row above. Decimal commas without quotes? Have these cells quoted, or the file written with semicolons.'

    const learned = await learnRows(lines)

    expect(learned).toMatchObject({ unread })
    expect(learned).toHaveProperty('text', expect.stringContaining(`\n# Left aside: ${unread}\n`))
    expect(await learnRows(['Bestellnr,Artikel,EK,VK', ...good])).not.toHaveProperty('unread')
  })

  test('are not asked for decimal commas where no two cells make an amount', async () => {
    expect(await learnRows(['Bestellnr,Artikel,Farbe', 'A-1,X,rot,matt', 'A-2,Y,blau,matt'])).toMatchObject({
      problems: [{ code: 'row-long', fix: expect.stringContaining('Put quotes around cells') as string }],
    })
  })
})
