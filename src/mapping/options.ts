/** The options of a leaf: the one table behind the compiler, the published schema and the documentation. */
import { z } from 'zod'
import { ConditionFrame } from './rows/conditions.ts'
import { COLUMN_OPTIONS } from './export/column-options.ts'
import { TEXT_OPTIONS } from './fields/text-options.ts'

const Text = z.string().min(1)
const Scalar = z.union([z.string(), z.number(), z.boolean()], {
  error: 'expected text, a number, true or false',
})

export const ColumnNames = z.union([Text, z.array(Text).min(1)], {
  error: 'expected a column name in text, or a list of the names a file may use for it',
})

/** A calculation longer than this belongs elsewhere. */
const MAX_CALC = 500

interface LeafOption {
  readonly schema: z.ZodType
  /** Where it may stand: at the leaves of an inbound `body`, or in the `columns` of an export. */
  readonly in: readonly ('body' | 'columns')[]
  readonly summary: string
  readonly example: string
}

/** Every option of a leaf; `docs/mapping.md` lists them and a test holds it to that. */
export const LEAF_OPTIONS = {
  from: {
    schema: ColumnNames,
    in: ['body', 'columns'],
    summary:
      'The column the value comes from; a list holds the names files use for it, and the first the file has is taken. In an export: the path of the API field.',
    example: '{ from: [Ship To Name, Recipient] }',
  },
  firstOf: {
    schema: z.array(ColumnNames).min(2),
    in: ['body', 'columns'],
    summary: 'Several columns; in each row the first that is not blank is taken.',
    example: '{ firstOf: [Shipping Name, Billing Name] }',
  },
  all: {
    schema: z.array(ColumnNames).min(2, 'expected at least two columns'),
    in: ['body', 'columns'],
    summary: 'Several columns whose texts are put together; blank ones are skipped.',
    example: '{ all: [First Name, Last Name] }',
  },
  with: {
    schema: z.string(),
    in: ['body', 'columns'],
    summary: 'What stands between the texts of `all`: a blank unless told, and ` | ` before a `table`.',
    example: '{ all: [City, State], with: ", " }',
  },
  calc: {
    schema: Text.max(MAX_CALC, `a calculation has at most ${MAX_CALC} characters`),
    in: ['body'],
    summary: 'The value is worked out: see "Calculations".',
    example: '{ calc: "sum([Qty] * [Cost]) + [Freight]" }',
  },
  nth: {
    schema: z.int().min(1).max(1000),
    in: ['body'],
    summary: 'Which one is meant where the file has several columns of the same name.',
    example: '{ from: Address, nth: 2 }',
  },
  const: {
    schema: Scalar,
    in: ['body', 'columns'],
    summary: 'The same value for every record, from no column.',
    example: '{ const: US }',
  },
  default: {
    schema: Scalar,
    in: ['body', 'columns'],
    summary: 'The value when the cell is blank or the column is not in the file.',
    example: '{ from: Country, default: US }',
  },
  blanks: {
    schema: z.array(z.string()).min(1),
    in: ['body'],
    summary: 'Texts that mean blank.',
    example: '{ from: Address 2, blanks: [".", "N/A"] }',
  },
  table: {
    schema: Text,
    in: ['body', 'columns'],
    summary: 'The lookup table, from `tables`, in which the text is looked up.',
    example: '{ from: Ship Via, table: ship-via }',
  },
  pick: {
    schema: Text,
    in: ['body', 'columns'],
    summary: "The table's column that holds the value; not needed when it has only one.",
    example: '{ from: Ship Via, table: ship-via, pick: method }',
  },
  miss: {
    schema: z.enum(['refuse', 'keep', 'blank'], { error: 'expected `refuse`, `keep` or `blank`' }),
    in: ['body', 'columns'],
    summary:
      'What becomes of a text that is not in the table: it is refused unless told, kept as it is, or taken as blank.',
    example: '{ from: Ship Via, table: ship-via, miss: keep }',
  },
  format: {
    schema: z.union([Text, z.array(Text).min(1)], { error: 'expected a date format, or a list of them' }),
    in: ['body', 'columns'],
    summary:
      'How a date is written; a list is tried in order. In an export: how it is to be written, one format.',
    example: '{ from: Order Date, format: [MM/dd/yyyy HH:mm, MM/dd/yyyy] }',
  },
  zone: {
    schema: Text,
    in: ['body', 'columns'],
    summary: 'The time zone of dates that name none; UTC unless told.',
    example: '{ from: Order Date, zone: America/New_York }',
  },
  find: {
    schema: z.literal('order', { error: 'expected `order`' }),
    in: ['body'],
    summary: 'The column holds a purchase order number, and the bridge finds the id of that order.',
    example: '{ from: PO Number, find: order }',
  },
  when: {
    schema: ConditionFrame,
    in: ['body'],
    summary:
      'The value is taken only when this holds; otherwise it is as if it were not in the mapping. See "Conditions".',
    example: '{ from: Account, when: { Tracking: blank } }',
  },
  oneOf: {
    schema: z.array(z.union([ColumnNames, z.looseObject({ when: ConditionFrame.optional() })])).min(1),
    in: ['body'],
    summary:
      'Several values with `when`, of which the first whose condition holds is taken; the last may be without.',
    example: '{ oneOf: [{ when: { Type: Gift }, const: USPS }, Ship Via] }',
  },
  ...TEXT_OPTIONS,
  ...COLUMN_OPTIONS,
} as const satisfies Record<string, LeafOption>

export type LeafOptionName = keyof typeof LEAF_OPTIONS

/** A leaf written with options, as a schema: those options of the table that may stand there. */
export const BodyLeaf = z.strictObject({
  from: LEAF_OPTIONS.from.schema.optional(),
  when: LEAF_OPTIONS.when.schema.optional(),
  oneOf: LEAF_OPTIONS.oneOf.schema.optional(),
  firstOf: LEAF_OPTIONS.firstOf.schema.optional(),
  const: LEAF_OPTIONS.const.schema.optional(),
  default: LEAF_OPTIONS.default.schema.optional(),
  blanks: LEAF_OPTIONS.blanks.schema.optional(),
  table: LEAF_OPTIONS.table.schema.optional(),
  pick: LEAF_OPTIONS.pick.schema.optional(),
  format: LEAF_OPTIONS.format.schema.optional(),
  zone: LEAF_OPTIONS.zone.schema.optional(),
  find: LEAF_OPTIONS.find.schema.optional(),
  split: LEAF_OPTIONS.split.schema.optional(),
  wrap: LEAF_OPTIONS.wrap.schema.optional(),
  all: LEAF_OPTIONS.all.schema.optional(),
  with: LEAF_OPTIONS.with.schema.optional(),
  calc: LEAF_OPTIONS.calc.schema.optional(),
  nth: LEAF_OPTIONS.nth.schema.optional(),
  match: LEAF_OPTIONS.match.schema.optional(),
  miss: LEAF_OPTIONS.miss.schema.optional(),
  at: LEAF_OPTIONS.at.schema.optional(),
  case: LEAF_OPTIONS.case.schema.optional(),
  pad: LEAF_OPTIONS.pad.schema.optional(),
  digits: LEAF_OPTIONS.digits.schema.optional(),
  decimal: LEAF_OPTIONS.decimal.schema.optional(),
  implied: LEAF_OPTIONS.implied.schema.optional(),
  round: LEAF_OPTIONS.round.schema.optional(),
  long: LEAF_OPTIONS.long.schema.optional(),
})
export type BodyLeaf = z.infer<typeof BodyLeaf>
