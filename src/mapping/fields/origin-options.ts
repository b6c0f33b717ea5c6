/** The options of a leaf that say where its value comes from. */
import { z } from 'zod'
import type { KeyRow } from '../key-table.ts'
import { ORDER_VALUES } from '../../contract/order-values.ts'
import { ConditionFrame } from '../rows/conditions.ts'

const Text = z.string().min(1)
const Scalar = z.union([z.string(), z.number(), z.boolean()], {
  error: 'expected text, a number, true or false',
})

/** How values are called that are kept beside an order. */
export const KEPT_NAME = '^[a-z][a-z0-9_]{0,39}$'
export const KeptName = z
  .string()
  .regex(new RegExp(KEPT_NAME), 'expected a name of small letters, digits and _, such as erp_id')

/** Names with what is kept under them. */
export function keptNames<Schema extends z.ZodType>(value: Schema) {
  return z.record(KeptName, value, {
    error: ({ code }) =>
      code === 'invalid_key' ? 'expected a name of small letters, digits and _, such as erp_id' : undefined,
  })
}

export const ColumnNames = z.union([Text, z.array(Text).min(1)], {
  error: 'expected a column name in text, or a list of the names a file may use for it',
})

/** A calculation longer than this belongs elsewhere. */
const MAX_CALC = 500

export const ORIGIN_OPTIONS = {
  from: {
    schema: ColumnNames,
    summary:
      'The column the value comes from; a list holds the names files use for it, and the first the file has is taken. In an export: the path of the API field.',
    example: '{ from: [Ship To Name, Recipient] }',
    of: [['Recipient', 'Ada Park']],
    gives: 'Ada Park',
  },
  firstOf: {
    schema: z.array(ColumnNames).min(2),
    summary: 'Several columns; in each row the first that is not blank is taken.',
    example: '{ firstOf: [Shipping Name, Billing Name] }',
    of: [
      ['Shipping Name', ''],
      ['Billing Name', 'Bo Reed'],
    ],
    gives: 'Bo Reed',
  },
  all: {
    schema: z.array(ColumnNames).min(2, 'expected at least two columns'),
    summary: 'Several columns whose texts are put together; blank ones are skipped.',
    example: '{ all: [First Name, Last Name] }',
    of: [
      ['First Name', 'Ada'],
      ['Last Name', 'Park'],
    ],
    gives: 'Ada Park',
  },
  with: {
    schema: z.string(),
    summary: 'What stands between the texts of `all`: a blank unless told, and ` | ` before a `table`.',
    example: '{ all: [City, State], with: ", " }',
    of: [
      ['City', 'Albany'],
      ['State', 'NY'],
    ],
    gives: 'Albany, NY',
  },
  nth: {
    schema: z.int().min(1).max(1000),
    summary: 'Which one is meant where the file has several columns of the same name.',
    example: '{ from: Address, nth: 2 }',
    of: [
      ['Address', '12 Mill Road'],
      ['Address', 'Unit 4'],
    ],
    gives: 'Unit 4',
  },
  calc: {
    schema: Text.max(MAX_CALC, `a calculation has at most ${MAX_CALC} characters`),
    summary: 'The value is worked out: see "Calculations".',
    example: '{ calc: "sum([Qty] * [Cost]) + [Freight]" }',
    of: [
      ['Qty', ['2', '1']],
      ['Cost', ['12.50', '9.00']],
      ['Freight', '4.90'],
    ],
    gives: '38.90',
  },
  const: {
    schema: Scalar,
    summary: 'The same value for every record, from no column.',
    example: '{ const: US }',
    of: [],
    gives: 'US',
  },
  order: {
    schema: z.enum(ORDER_VALUES, { error: `expected one of ${ORDER_VALUES.join(', ')}` }),
    summary:
      'The value of the order that the record is about, as the API shows it: see "Values of the order itself".',
    example: '{ order: customer_order_number }',
    of: [],
    gives: { order: 'customer_order_number' },
  },
  kept: {
    schema: KeptName,
    summary:
      'The value that `keep` remembered beside the order. In an export too: see "Values of the order itself".',
    example: '{ kept: erp_id }',
    of: [],
    gives: { kept: 'erp_id' },
  },
  default: {
    schema: Scalar,
    summary: 'The value when the cell is blank or the column is not in the file.',
    example: '{ from: Country, default: US }',
    of: [['Country', '']],
    gives: 'US',
  },
  blanks: {
    schema: z.array(z.string()).min(1),
    summary: 'Texts that mean blank.',
    example: '{ from: Address 2, blanks: [".", "N/A"] }',
    of: [['Address 2', 'n/a']],
    gives: undefined,
  },
  when: {
    schema: ConditionFrame,
    summary:
      'The value is taken only when this holds; otherwise it is as if it were not in the mapping. See "Conditions".',
    example: '{ from: Account, when: { Tracking: blank } }',
    of: [
      ['Account', '7'],
      ['Tracking', ''],
    ],
    gives: '7',
  },
  oneOf: {
    schema: z.array(z.union([ColumnNames, z.looseObject({ when: ConditionFrame.optional() })])).min(1),
    summary:
      'Several values with `when`, of which the first whose condition holds is taken; the last may be without.',
    example: '{ oneOf: [{ when: { Type: Gift }, const: USPS }, Ship Via] }',
    of: [
      ['Type', 'gift'],
      ['Ship Via', 'UPS'],
    ],
    gives: 'USPS',
  },
} as const satisfies Readonly<Record<string, KeyRow>>
