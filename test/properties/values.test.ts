/** Whatever a partner writes into a cell, or an author into a mapping: numbers stay exact, and every evaluation ends. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RecordBuilder } from '../../src/mapping/binding/record-builder.ts'
import { parseCalc } from '../../src/mapping/calc/calculation.ts'
import { bindCalc } from '../../src/mapping/calc/evaluate.ts'
import { computeCheckDigit, restoreUpc } from '../../src/mapping/values/convert.ts'
import { UTC } from '../../src/mapping/values/dates.ts'
import { createNumberReader, roundDecimal } from '../../src/mapping/values/numbers.ts'
import { escapeSeparator, FAILED, splitEscaped } from '../../src/mapping/values/text.ts'
import { draftsOf, sheet } from '../mapping/sheet.ts'

const cents = fc.bigInt({ min: 0n, max: 99_999_999n })

/** `1.433,66` for 143366 cents. */
function written(units: bigint, decimal: string, thousands: string): string {
  const digits = units.toString().padStart(3, '0')
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, thousands)
  return `${whole}${decimal}${digits.slice(-2)}`
}

test('an amount is read as it was written, whatever separates decimals and thousands', () => {
  const separators = fc.constantFrom(
    ['.', ','],
    ['.', ' '],
    ['.', "'"],
    [',', '.'],
    [',', '\u00a0'],
    [',', '’'],
  )
  fc.assert(
    fc.property(cents, separators, fc.boolean(), (units, [decimal = '.', thousands = ','], negative) => {
      const text = written(units, decimal, thousands)
      const read = createNumberReader({ decimal: decimal === ',' ? ',' : '.' })

      expect(read(negative ? `(${text})` : text)).toEqual({ units: negative ? -units : units, scale: 2 })
    }),
  )
})

test('rounding leaves what fits as it is, and is never further off than half a unit, or one when cutting', () => {
  const roundings = fc.constantFrom('half-up' as const, 'half-even' as const, 'down' as const)
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), roundings, (units, rounding) => {
      const result = roundDecimal({ units, scale: 4 }, 2, rounding)
      const off = result.units * 100n - units
      const distance = off < 0n ? -off : off

      expect(result.scale).toBe(2)
      expect(distance).toBeLessThanOrEqual(rounding === 'down' ? 99n : 50n)
      expect(units % 100n === 0n ? distance : 0n).toBe(0n)
    }),
  )
})

test('a UPC gets its zeros back, and one with a wrong digit is refused', () => {
  const bodies = fc.bigInt({ min: 1n, max: 10n ** 11n - 1n })
  fc.assert(
    fc.property(bodies, fc.nat(11), fc.integer({ min: 1, max: 9 }), (body, at, change) => {
      const digits = body.toString().padStart(11, '0')
      const upc = digits + computeCheckDigit(digits)
      const wrong = upc
        .split('')
        .map((digit, index) => (index === at ? (Number(digit) + change) % 10 : digit))
        .join('')

      expect(restoreUpc(upc.replace(/^0+/, ''), 12, () => FAILED)).toBe(upc)
      expect(restoreUpc(wrong, 12, () => FAILED)).toBe(FAILED)
    }),
  )
})

test('any text is a calculation or an error', () => {
  const pieces = fc.constantFrom(
    '[Qty]',
    '[',
    ']',
    '2',
    '0.5',
    '+',
    '-',
    '*',
    '/',
    '(',
    ')',
    'sum(',
    'round(',
    ', 2)',
    'count()',
    'days',
    ' ',
    'é',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 120 }), fc.constantFrom('number', 'date'), (parts, result) => {
      const calc = parseCalc(parts.join(''), result)

      expect(typeof calc === 'string' ? calc.length : calc.kind.length).toBeGreaterThan(0)
    }),
    { numRuns: 1000 },
  )
})

test('the sum of an invoice is exact for any lines', async () => {
  const mapping = `
operation: create-invoice
group: Invoice
body:
  purchase_order_number: { const: P1 }
  invoice_number: Invoice
  terms_net_days_due: { const: 30 }
  terms_date_due: { const: 2026-12-01 }
  due_amount: { calc: "sum([Qty] * [Cost])" }
  invoice_lines:
    - variant: { identifier: { all: [Invoice, $row] } }
      quantity: Qty
      net_price: Cost
`
  const line = fc.tuple(fc.integer({ min: 1, max: 99 }), fc.bigInt({ min: 0n, max: 9_999n }))
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 40 }), async (lines) => {
      const rows = lines.map(([quantity, cost]) => `I1,${quantity},${written(cost, '.', '')}`)
      const total = lines.reduce((sum, [quantity, cost]) => sum + BigInt(quantity) * cost, 0n)

      const [draft] = await draftsOf(mapping, sheet(['Invoice,Qty,Cost', ...rows].join('\n')))

      expect(draft?.body?.['due_amount']).toBe(written(total, '.', ''))
    }),
    { numRuns: 60 },
  )
})

test('a calculation gives the same, whether its numbers need big integers or not', () => {
  const number = fc.oneof(
    fc.constantFrom(
      '',
      '0',
      '00.50',
      '1.000',
      '.5',
      '5.',
      '-3',
      '1,000',
      'x',
      '9007199254740991',
      '999999999999.999',
    ),
    fc.integer({ min: 0, max: 9_999 }).map(String),
    fc
      .tuple(fc.integer({ min: 0, max: 999_999 }), fc.integer({ min: 1, max: 6 }))
      .map(([units, decimals]) => (units / 10 ** decimals).toFixed(decimals)),
  )
  const calcs = fc.constantFrom(
    'sum([A] * [B])',
    'round(sum([A] * [B]) + [C | 0] - [D | 1.25], 2)',
    'sum(round([A] * [B] * 0.333, 1)) + count()',
    '-[C] * [D] - -(sum([A]) + 0.001)',
    'round([C] * [C] * [D] - [D], 0)',
    'sum([A | 1] - [B])',
  )
  const rows = fc.array(fc.tuple(number, number), { maxLength: 6 })
  fc.assert(
    fc.property(calcs, rows, fc.tuple(number, number), (written, lines, ofRecord) => {
      // A sign is read by the exact evaluation only.
      const signed = (text: string) => (/^[\d.]/.test(text) ? `+${text}` : text)
      const plain = evaluateCalc(written, { lines, ofRecord })
      const exact = evaluateCalc(written, {
        lines: lines.map(([a, b]) => [signed(a), signed(b)]),
        ofRecord: [signed(ofRecord[0]), signed(ofRecord[1])],
      })

      expect(plain.result).toEqual(exact.result)
      expect(plain.codes).toEqual(exact.codes)
    }),
    { numRuns: 2000 },
  )
})

/** `A` and `B` are columns of lines, `C` and `D` of the record. */
function evaluateCalc(
  written: string,
  {
    lines,
    ofRecord,
  }: Readonly<Record<'lines', readonly [string, string][]> & { ofRecord: [string, string] }>,
) {
  const calc = parseCalc(written, 'number')
  if (typeof calc === 'string') throw new Error(calc)
  const lineRows = lines.map((values, index) => ({ layout: 0, line: index + 1, lastLine: index + 1, values }))
  const builder: RecordBuilder = {
    number: 1,
    headerRows: [],
    itemRows: lineRows,
    row: undefined,
    index: 0,
    filled: 0,
    problems: [],
    warnings: [],
    dateOrders: [],
    references: [],
    deferred: [],
    lineRows,
    bodyRows: [],
    firstCounts: false,
  }
  const dates = { formats: [], names: [], zone: UTC }
  const plan = { calc, numbers: {}, warnsOfGrouping: false, dates, round: undefined }
  const source = bindCalc(plan, {
    builder,
    field: () => 'total',
    source(name) {
      const text = name === 'C' ? ofRecord[0] : ofRecord[1]
      return { columns: [], take: () => text, text: () => text, place: () => ({}), cells: () => [] }
    },
    rowSource: (name) => ({ text: ({ values }) => values[name === 'A' ? 0 : 1] ?? '', place: () => ({}) }),
  })
  const result = source.take()
  return { result, codes: builder.problems.map(({ code }) => code) }
}

test('a price that was multiplied comes back by dividing, and any quotient is off by half a cent at most', async () => {
  const mapping = (calc: string) => `
operation: create-invoice
group: Invoice
body:
  purchase_order_number: { const: P1 }
  invoice_number: Invoice
  terms_net_days_due: { const: 30 }
  terms_date_due: { const: 2026-12-01 }
  due_amount: { calc: "${calc}" }
  invoice_lines:
    - { variant: { identifier: Invoice }, quantity: Qty, net_price: { const: 1 } }
`
  const quantities = fc.integer({ min: 1, max: 9_999 })
  await fc.assert(
    fc.asyncProperty(quantities, fc.bigInt({ min: 0n, max: 9_999_999n }), async (quantity, units) => {
      const due = async (calc: string, total: bigint) => {
        const rows = sheet(`Invoice,Qty,Total\nI1,${quantity},${written(total, '.', '')}`)
        return String((await draftsOf(mapping(calc), rows))[0]?.body?.['due_amount'])
      }
      const rounded = BigInt((await due('round([Total] / [Qty], 2)', units)).replace('.', ''))
      const off = rounded * BigInt(quantity) - units

      expect(await due('[Total] / [Qty]', units * BigInt(quantity))).toBe(written(units, '.', ''))
      expect(await due('[Total] / [Qty] * [Qty]', units)).toBe(written(units, '.', ''))
      expect((off < 0n ? -off : off) * 2n).toBeLessThanOrEqual(BigInt(quantity))
    }),
    { numRuns: 60 },
  )
})

test('texts that were put together with an escape are taken apart again, whatever they hold', () => {
  const marks = fc.constantFrom(['|', '\\'], ['||', '!'], [' - ', '\\'], ['aab', '^'])
  const texts = fc.array(
    fc.string({ unit: fc.constantFrom('a', 'b', ' ', '|', '-', '\\', '!', '^', '😀'), maxLength: 8 }),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  fc.assert(
    fc.property(marks, texts, ([separator = '', escape = ''], parts) => {
      const cell = parts.map((part) => escapeSeparator(part, separator, escape)).join(separator)

      expect(splitEscaped(cell, separator, escape)).toEqual(parts)
    }),
    { numRuns: 500 },
  )
})
