/** The options of a leaf: one table for the compiler, the published schema and the documentation. */
import { z } from 'zod'
import { REFERENCE_KINDS } from '../../contract/fields.ts'
import { ORDER_VALUES } from '../../contract/order.ts'
import { ConditionFrame } from '../rows/conditions.ts'
import { Character, type KeyRow, optionalKeys, Text } from '../source/schema.ts'

// Options for the source of the value.

export const ColumnNames = z.union([Text, z.array(Text).min(1)], {
  error: 'expected a column name in text, or a list of the names a file may use for it',
})

/** The longest calculation, in characters. */
const MAX_CALC = 500
const Plain = z.union([z.string(), z.number(), z.boolean()], {
  error: 'expected text, a number, true or false',
})

/** The names of values that are kept beside an order. */
export const KEPT_NAME = '^[a-z][a-z0-9_]{0,39}$'
const KEPT_NAME_ERROR = 'expected a name of small letters, digits and _, such as erp_id'
const KeptName = z.string().regex(new RegExp(KEPT_NAME), KEPT_NAME_ERROR)

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
    of: Object.entries({ 'Shipping Name': '', 'Billing Name': 'Bo Reed' }),
    gives: 'Bo Reed',
  },
  all: {
    schema: z.array(ColumnNames).min(2, 'expected at least two columns'),
    summary: 'Several columns whose texts are put together; blank ones are skipped.',
    example: '{ all: [First Name, Last Name] }',
    of: Object.entries({ 'First Name': 'Ada', 'Last Name': 'Park' }),
    gives: 'Ada Park',
  },
  with: {
    schema: z.string(),
    summary: 'What stands between the texts of `all`: a blank by default, and ` | ` before a `table`.',
    example: '{ all: [City, State], with: ", " }',
    of: Object.entries({ City: 'Albany', State: 'NY' }),
    gives: 'Albany, NY',
  },
  every: {
    schema: Text,
    summary:
      'In documents of X12 and EDIFACT: all values of a path, a line each, or with the text of `with` between them.',
    example: '{ every: N9*L1/MSG.01 }',
    of: Object.entries({ 'N9*L1/MSG.01': ['Happy', 'birthday'] }),
    gives: 'Happy\nbirthday',
  },
  sum: {
    schema: Text,
    summary: 'In documents of X12 and EDIFACT: all values of a path, added up.',
    example: '{ sum: PO1.02 }',
    of: Object.entries({ 'PO1.02': ['12', '5'] }),
    gives: '17',
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
    of: Object.entries({ Qty: ['2', '1'], Cost: ['12.50', '9.00'], Freight: '4.90' }),
    gives: '38.90',
  },
  const: {
    schema: Plain,
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
    schema: Plain,
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
    of: Object.entries({ Account: '7', Tracking: '' }),
    gives: '7',
  },
  oneOf: {
    schema: z.array(z.union([ColumnNames, z.looseObject({ when: ConditionFrame.optional() })])).min(1),
    summary:
      'Several values with `when`, of which the first whose condition holds is taken; the last may be without.',
    example: '{ oneOf: [{ when: { Type: Gift }, const: USPS }, Ship Via] }',
    of: Object.entries({ Type: 'gift', 'Ship Via': 'UPS' }),
    gives: 'USPS',
  },
} as const satisfies Readonly<Record<string, KeyRow>>

// Options that change the text on its way to the field, in the order in which they apply.

export const TEXT_OPTIONS = {
  match: {
    schema: Text,
    summary:
      'A regular expression; what its first brackets hold is taken, or all it finds. A text without it is refused unless there is a `default`.',
    example: "{ from: Order, match: '^#?(\\d+)' }",
    of: [['Order', '#1001']],
    gives: '1001',
  },
  split: {
    schema: Text,
    summary:
      'Cuts the text wherever this stands in it: `at` takes one part; a list of texts takes all, and is cut at line breaks by default.',
    example: '{ from: Ship Via, split: " - ", at: 2 }',
    of: [['Ship Via', 'UPS - Ground']],
    gives: 'Ground',
  },
  escape: {
    schema: Character,
    summary:
      'What stands before a separator of `split` that is text, and before itself; in an export it is put there for `join`.',
    example: "{ from: Ship Via, split: '-', escape: '\\', at: 1 }",
    of: [['Ship Via', '2\\-Day-UPS']],
    gives: '2-Day',
  },
  wrap: {
    schema: z.int().min(1),
    summary:
      'Breaks the text between words into lines of at most so many characters: `at` takes one of them; a list of texts takes all.',
    example: '{ from: Address, wrap: 20, at: 2 }',
    of: [['Address', '12 Old Mill Road, Building 4']],
    gives: 'Building 4',
  },
  at: {
    schema: z.int().min(1).max(1000),
    summary: 'Which part of `split` or line of `wrap` is taken; blank when there are not so many.',
    example: '{ from: Ship Via, split: " - ", at: 1 }',
    of: [['Ship Via', 'UPS - Ground']],
    gives: 'UPS',
  },
  case: {
    schema: z.enum(['upper', 'lower'], { error: 'expected `upper` or `lower`' }),
    summary: 'Turns letters into capitals or small ones.',
    example: '{ from: SKU, case: upper }',
    of: [['SKU', 'hv-10002']],
    gives: 'HV-10002',
  },
  pad: {
    schema: z.strictObject({ to: z.int().min(1).max(255), with: Character }),
    summary: 'Puts a character in front of the text until it is so long.',
    example: '{ from: Store, pad: { to: 6, with: "0" } }',
    of: [['Store', '417']],
    gives: '000417',
  },
  digits: {
    schema: z.int().min(2).max(18),
    summary:
      'Gives a number back the zeros a spreadsheet took from its front. A UPC must have the right check digit then.',
    example: '{ from: Zip, digits: 5 }',
    of: [['Zip', '2134']],
    gives: '02134',
  },
  table: {
    schema: Text,
    summary: 'The lookup table, from `tables`, in which the text is looked up.',
    example: '{ from: Carrier, table: carriers }',
    of: [['Carrier', 'fedex']],
    gives: 'FDEG',
  },
  pick: {
    schema: Text,
    summary: "The table's column that holds the value; not needed when it has only one.",
    example: '{ from: Ship Via, table: ship-via, pick: method }',
    of: [['Ship Via', 'Ground']],
    gives: 'FEDEX_GROUND',
  },
  miss: {
    schema: z.enum(['refuse', 'keep', 'blank'], { error: 'expected `refuse`, `keep` or `blank`' }),
    summary:
      'What becomes of a text that is not in the table: it is refused (the default), kept as it is, or taken as blank.',
    example: '{ from: Carrier, table: carriers, miss: keep }',
    of: [['Carrier', 'Own truck']],
    gives: 'Own truck',
  },
} as const satisfies Readonly<Record<string, KeyRow>>

// Options that convert the text to the value of its field.

export const VALUE_OPTIONS = {
  format: {
    schema: z.union([Text, z.array(Text).min(1)], { error: 'expected a date format, or a list of them' }),
    summary:
      'How a date is written; a list is tried in order. In an export: how it is to be written, one format.',
    example: '{ from: Order Date, format: [MM/dd/yyyy HH:mm, MM/dd/yyyy] }',
    of: [['Order Date', '7/4/2026']],
    gives: '2026-07-04T00:00:00Z',
  },
  zone: {
    schema: Text,
    summary: 'The time zone of dates that name none; UTC by default.',
    example: '{ from: Order Date, zone: America/New_York }',
    of: [['Order Date', '2026-11-20 21:15']],
    gives: '2026-11-21T02:15:00Z',
  },
  decimal: {
    schema: z.enum(['.', ','], { error: 'expected "." or ","' }),
    summary: 'What stands before the decimals of a number.',
    example: '{ from: Cost, decimal: "," }',
    of: [['Cost', '1.433,66']],
    gives: '1433.66',
  },
  implied: {
    schema: z.int().min(1).max(6),
    summary: 'How many of the last digits of a number are decimals, where no point is written.',
    example: '{ from: Total, implied: 2 }',
    of: [['Total', '184997']],
    gives: '1849.97',
  },
  round: {
    schema: z.enum(['half-up', 'half-even', 'down'], { error: 'expected `half-up`, `half-even` or `down`' }),
    summary: 'How a number with too many decimals is rounded; without it, it is refused.',
    example: '{ from: Cost, round: half-up }',
    of: [['Cost', '1.005']],
    gives: '1.01',
  },
  long: {
    schema: z.literal('cut', { error: 'expected `cut`' }),
    summary: 'A text that is too long for its field is cut; without it, it is refused.',
    example: '{ from: Reference, long: cut }',
    of: [['Reference', 'Northwind Trading, East Dock, Bay 4']],
    gives: 'Northwind Trading, East Dock, Ba',
  },
  find: {
    schema: z.enum(REFERENCE_KINDS, { error: `expected one of ${REFERENCE_KINDS.join(', ')}` }),
    summary:
      'The column holds not the id but what people call it by, and the bridge finds the id: of an `order` by its purchase order number, and so on.',
    example: '{ from: PO Number, find: order }',
    of: [['PO Number', 'HV-20001']],
    gives: { find: 'order', key: 'HV-20001' },
  },
} as const satisfies Readonly<Record<string, KeyRow>>

/** Every option of a leaf of a body, in the order of the documentation. */
export const LEAF_OPTIONS = { ...ORIGIN_OPTIONS, ...TEXT_OPTIONS, ...VALUE_OPTIONS } as const

export const BodyLeaf = z.strictObject(optionalKeys(LEAF_OPTIONS))

export type BodyLeaf = z.infer<typeof BodyLeaf>

/** A map of kept names to values of the schema. */
export function keptNames<Schema extends z.ZodType>(value: Schema) {
  return z.record(KeptName, value, {
    error: ({ code }) => (code === 'invalid_key' ? KEPT_NAME_ERROR : undefined),
  })
}
