/** Checks that warn, and totals that a file states: the record is sent, with what is odd about it. */
import { describe, expect, test } from 'vitest'
import type { Draft } from '../../src/domain/translator.ts'
import { draftsOf, errorsOf, ORDERS, orderSheet, sheet, typedSheet } from './sheet.ts'

const warningsOf = (draft: Draft | undefined) =>
  (draft?.warnings ?? []).map(
    ({ code, message, place: { line, column } }) => `${code}@${line}:${column} ${message}`,
  )

const orders = (rules: string) => ORDERS.replace('body:', `${rules}\nbody:`)

describe('a check with `warn`', () => {
  const rules = `check:
  - { when: { State: [AK, HI, NY] }, say: Far away., warn: true }
lines:
  check:
    - { when: { Qty: { above: 99 } }, say: Call us., warn: true }`

  test('leaves the record, and says what is odd with its place', async () => {
    const [draft] = await draftsOf(orders(rules), orderSheet({ Qty: '100' }))

    expect(draft?.body).toBeDefined()
    expect(draft?.problems).toEqual([])
    expect(draft?.warnings?.map(({ severity }) => severity)).toEqual(['warning', 'warning'])
    expect(warningsOf(draft)).toEqual(['check-failed@2:Qty Call us.', 'check-failed@2:State Far away.'])
  })

  test('says nothing where it does not apply', async () => {
    const [draft] = await draftsOf(orders(rules), orderSheet({ State: 'NJ' }))

    expect(draft).not.toHaveProperty('warnings')
  })

  test('that cannot be decided refuses nothing', async () => {
    const text = orders('check: [{ when: { Gift: { above: 5 } }, say: Large., warn: true }]')
    const [draft] = await draftsOf(text, orderSheet({ Gift: 'many' }))

    expect(draft?.problems).toEqual([])
    expect(draft).not.toHaveProperty('warnings')
  })

  test('is said of a record that is refused for something else', async () => {
    const [draft] = await draftsOf(orders(rules), orderSheet({ Qty: 'two', State: 'AK' }))

    expect(draft?.problems.map(({ code }) => code)).toEqual(['integer-expected'])
    expect(warningsOf(draft)).toEqual(['check-failed@2:State Far away.'])
  })
})

describe('a text of UTF-8 that was read as Windows-1252', () => {
  test.each([
    ['JosÃ© NÃºÃ±ez', 'José Núñez'],
    ['Oâ€™Brien', 'O’Brien'],
    ['NIÃ‘O', 'NIÑO'],
    ['Acmeâ„¢ â€“ 5 â‚¬', 'Acme™ – 5 €'],
    ['Å»ukowska', 'Żukowska'],
  ])('such as %s is sent with a warning that has what it should be', async (text, meant) => {
    for (const column of ['Name', 'City']) {
      const [draft] = await draftsOf(ORDERS, orderSheet({ [column]: text }))

      expect(draft?.problems).toEqual([])
      expect(JSON.stringify(draft?.body)).toContain(text)
      expect(draft?.warnings).toMatchObject([
        {
          code: 'text-damaged',
          severity: 'warning',
          message: `"${text}" is perhaps "${meant}": UTF-8 that was read in a wrong encoding.`,
        },
      ])
    }
  })

  test.each([
    'São Paulo',
    'Ãvila',
    'José Núñez',
    'NESTLÉ®',
    'MAÇÃ\u00A0DOCE',
    'Âme',
    'Ärger',
    'Åse – Bø',
    'Château',
  ])('is not what the right text %s is', async (text) => {
    const [draft] = await draftsOf(ORDERS, orderSheet({ Name: text }))

    expect(draft?.body).toBeDefined()
    expect(draft).not.toHaveProperty('warnings')
  })

  test('is taken as it is where the mapping allows it', async () => {
    const [draft] = await draftsOf(
      `${ORDERS}\nread: { format: csv, damaged: allow }`,
      orderSheet({ Name: 'JosÃ©' }),
    )

    expect(draft).not.toHaveProperty('warnings')
  })
})

const INVOICES = `
operation: create-invoice
group: PO
check:
  - { total: Lines, is: count() }
  - { total: Total, is: ['round(sum([Qty] * [Cost]), 2)', 'round(sum([Qty] * [Cost]) + [Freight | 0], 2)'], say: The total is odd. }
lines:
  check:
    - { total: Amount, is: '[Qty] * [Cost]' }
body:
  purchase_order_number: PO
  invoice_number: PO
  terms_net_days_due: { const: 30 }
  terms_date_due: { const: 2030-12-20 }
  due_amount: { const: '1.00' }
  invoice_lines:
    - variant: { identifier: SKU }
      quantity: Qty
      net_price: Cost
`

describe('a total', () => {
  const HEADER = 'PO,SKU,Qty,Cost,Amount,Freight,Lines,Total'
  const warningsFor = async (...rows: string[]) => {
    const [draft] = await draftsOf(INVOICES, sheet([HEADER, ...rows].join('\n')))
    expect(draft?.body).toBeDefined()
    expect(draft?.problems).toEqual([])
    return warningsOf(draft)
  }

  test.each([
    ['is right', ['HV-1,A,2,5.00,10,3,2,25', 'HV-1,B,3,5.00,15.00,3,2,25.00']],
    ['is one of several numbers that may be meant', ['HV-1,A,2,5.00,10,3,1,13']],
    ['is not stated', ['HV-1,A,2,5.00,,3,,']],
  ])('that %s says nothing', async (_, rows) => {
    expect(await warningsFor(...rows)).toEqual([])
  })

  test('that differs is a warning of the record, with both numbers and its place', async () => {
    expect(await warningsFor('HV-1,A,2,5.00,11,3,4,26', 'HV-1,B,3,5.00,15,3,4,26')).toEqual([
      'totals-disagree@2:Amount Amount says "11", and [Qty] * [Cost] gives 10.',
      'totals-disagree@2:Lines Lines says "4", and count() gives 2.',
      'totals-disagree@2:Total The total is odd. Total says "26", and round(sum([Qty] * [Cost]), 2) gives 25, round(sum([Qty] * [Cost]) + [Freight | 0], 2) gives 28.',
    ])
  })

  test('that is no number is a warning, too', async () => {
    expect(await warningsFor('HV-1,A,2,5.00,10,3,one,13')).toEqual([
      'totals-disagree@2:Lines Lines says "one", which cannot be read as a number.',
    ])
  })

  test('of values that are refused is not compared', async () => {
    const [draft] = await draftsOf(INVOICES, sheet(`${HEADER}\nHV-1,A,two,5.00,10,3,1,13`))

    expect(draft?.problems.map(({ code }) => code)).toEqual(['integer-expected'])
    expect(warningsOf(draft)).toEqual([])
  })

  test('stands in the header row of typed records', async () => {
    const text = INVOICES.replace(
      'group: PO',
      'read: { format: csv, records: { H: { as: header, columns: [PO, Lines, Total, Freight] }, D: { as: detail, columns: [SKU, Qty, Cost, Amount] } } }',
    )
    const layouts = [
      { recordType: 'H', columns: ['PO', 'Lines', 'Total', 'Freight'] },
      { recordType: 'D', columns: ['SKU', 'Qty', 'Cost', 'Amount'] },
    ]
    const rows = 'H,HV-1,3,25,0\nD,A,2,5.00,10\nD,B,3,5.00,15\n'
    const [draft] = await draftsOf(text, typedSheet(rows, layouts))

    expect(warningsOf(draft)).toEqual(['totals-disagree@1:Lines Lines says "3", and count() gives 2.'])
  })

  test('must be in the file', async () => {
    await expect(draftsOf(INVOICES, sheet('PO,SKU,Qty,Cost,Freight\nHV-1,A,2,5.00,3'))).rejects.toThrow(
      /no column "Lines"/,
    )
  })

  test('of a file whose columns the mapping names is one of them', async () => {
    const text = INVOICES.replace(
      'group: PO',
      'group: PO\nread: { format: csv, columns: [PO, SKU, Qty, Cost] }',
    )

    expect(await errorsOf(text)).toEqual(
      expect.arrayContaining([expect.stringMatching(/check\[0\]\.total: `read` names no column "Lines"/)]),
    )
  })
})

test('a text in place of an amount is to be a number, or to be named as blank', async () => {
  const [draft] = await draftsOf(
    `${ORDERS}\nread: { format: csv, decimal: "," }`,
    orderSheet({ Cost: 'k.A.' }),
  )

  expect(draft?.problems).toContainEqual(
    expect.objectContaining({
      code: 'decimal-expected',
      fix: 'Write a number; or, where it stands for none, `blanks: ["k.A."]` under `read` of the mapping.',
    }),
  )
})

describe('a number such as 1.001 that the mapping rounds', () => {
  const withCost = (cost: string, options: string, read = 'read: { format: csv }') =>
    draftsOf(
      `${ORDERS.replace('net_price: Cost', `net_price: { from: Cost, round: half-up${options} }`)}\n${read}`,
      orderSheet({ Cost: cost, Retail: '2000' }),
    )

  test('may mean a thousand and more, which a warning says', async () => {
    const [draft] = await withCost('1.001', '')

    expect(JSON.stringify(draft?.body)).toContain('"net_price":"1.00"')
    expect(warningsOf(draft)).toEqual([
      'point-as-decimal@2:Cost "1.001" was rounded to 2 decimals; or does it mean 1001?',
    ])
  })

  test.each([
    ['1.0012', ''],
    ['1.120', ''],
    ['0.125', ''],
    ['1.01', ''],
    ['1.001', ', decimal: "."'],
  ])('gives no warning as %s with the options "%s"', async (cost, options) => {
    const [draft] = await withCost(cost, options)

    expect(draft?.problems).toEqual([])
    expect(warningsOf(draft)).toEqual([])
  })

  test('gives no warning where `read` states the decimal mark', async () => {
    const [draft] = await withCost('1.001', '', 'read: { format: csv, decimal: "." }')

    expect(warningsOf(draft)).toEqual([])
  })
})

describe('a number such as 1.124 where decimals stand behind a comma', () => {
  const COMMA = 'read: { format: csv, decimal: "," }'
  const withCost = (read: string, cost: string, body = ORDERS) =>
    draftsOf(`${body}\n${read}`, orderSheet({ Cost: cost, Retail: '2000' }))

  test.each(['1.124', '$1.124', '12.000'])(
    '%s is a thousand and more, with a warning that says so',
    async (cost) => {
      const [draft] = await withCost(COMMA, cost)

      const number = cost.replace(/\D/g, '')
      expect(JSON.stringify(draft?.body)).toContain(`"net_price":"${number}.00"`)
      expect(draft?.warnings).toMatchObject([
        { code: 'point-as-grouping', severity: 'warning', place: { line: 2, column: 'Cost' } },
      ])
      expect(warningsOf(draft)).toEqual([
        `point-as-grouping@2:Cost "${cost}" was read as ${number}: its point stands between thousands.`,
      ])
    },
  )

  test('gives the warning in a calculation too', async () => {
    const body = ORDERS.replace('net_price: Cost', "net_price: { calc: '[Cost] / 2' }")
    const [draft] = await withCost(COMMA, '1.124', body)

    expect(JSON.stringify(draft?.body)).toContain('"net_price":"562.00"')
    expect(warningsOf(draft)).toEqual([
      expect.stringMatching(/^point-as-grouping@2:Cost "1.124" was read as 1124/),
    ])
  })

  test.each(['1.124,00', '12,50', '1.124.000,00', '1124', '124'])('%s gives no warning', async (cost) => {
    const [draft] = await withCost(COMMA, cost)

    expect(draft).not.toHaveProperty('warnings')
  })

  test('gives none where the mapping says that points stand between thousands', async () => {
    const [draft] = await withCost('read: { format: csv, decimal: ",", grouping: "." }', '1.124')

    expect(JSON.stringify(draft?.body)).toContain('"net_price":"1124.00"')
    expect(draft).not.toHaveProperty('warnings')
  })

  test.each(['0.124', '00.124'])('%s is refused: no thousands begin with zero', async (cost) => {
    const [draft] = await withCost(COMMA, cost)

    expect(draft?.problems.map(({ code }) => code)).toEqual(['decimal-expected'])
  })
})
