/** What a calculation may have in it, each with an example and what comes of it. */
import type { KeyRow } from '../key-table.ts'

type CalcForm = Required<Pick<KeyRow, 'summary' | 'example' | 'of' | 'gives'>>

/** What is called by name. */
export const CALC_FUNCTIONS = {
  sum: {
    summary: 'over the rows of the record; a blank cell in a sum counts as nothing',
    example: 'sum([Qty] * [Cost]) + [Freight]',
    of: [
      ['Qty', ['2', '1']],
      ['Cost', ['12.50', '9.00']],
      ['Freight', '4.90'],
    ],
    gives: '38.90',
  },
  count: {
    summary: 'how many rows the record has',
    example: 'count() * 1.50',
    of: [['Qty', ['2', '1', '4']]],
    gives: '4.50',
  },
  round: {
    summary: 'rounded to so many decimals, half up',
    example: 'round([Cost] * 0.95, 2)',
    of: [['Cost', '9.99']],
    gives: '9.49',
  },
} as const satisfies Readonly<Record<string, CalcForm>>

/** Every form, for the documentation. */
export const CALC_FORMS: readonly CalcForm[] = [
  {
    summary: 'the columns of the row; outside of the array those of the record',
    example: '[Qty] * [Cost]',
    of: [
      ['Qty', '2'],
      ['Cost', '12.50'],
    ],
    gives: '25.00',
  },
  {
    summary: 'a quotient that has an end within the decimals of its field; any other is refused, or rounded',
    example: '[Total] / [Qty]',
    of: [
      ['Total', '25.00'],
      ['Qty', '4'],
    ],
    gives: '6.25',
  },
  {
    summary: 'a blank cell, or a column that the file does not have, counts as that number',
    example: '[Cost] + [Freight | 0]',
    of: [
      ['Cost', '12.50'],
      ['Freight', ''],
    ],
    gives: '12.50',
  },
  ...Object.values(CALC_FUNCTIONS),
  {
    summary: 'a date and days, for a field that is a date',
    example: '[Invoice Date] + [Net Days] days',
    of: [
      ['Invoice Date', '2026-11-20'],
      ['Net Days', '30'],
    ],
    gives: '2026-12-20',
  },
]
