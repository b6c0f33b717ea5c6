/** The options of an export's columns: the whole leaf, and the rows of the table for those that only exports have. */
import { z } from 'zod'

const Text = z.string().min(1)
const Scalar = z.union([z.string(), z.number(), z.boolean()], {
  error: 'expected text, a number, true or false',
})
const Paths = z.array(Text, { error: 'expected a list of paths, two or more' }).min(2)

/** Where it may stand. */
const COLUMNS: readonly ['columns'] = ['columns']

export const COLUMN_OPTIONS = {
  join: {
    schema: z.string(),
    in: COLUMNS,
    summary:
      'What stands between the values of a list in one cell; a line break unless told. Packs a list of lines into one cell too.',
    example: '{ from: order_lines.variant.identifier, join: "|" }',
  },
  sum: {
    schema: Text,
    in: COLUMNS,
    summary: 'The sum of a number over the lines of the record, or in the trailer over the file.',
    example: '{ sum: order_lines.quantity }',
  },
  count: {
    schema: Text,
    in: COLUMNS,
    summary:
      'How many items a list of the record has. In the trailer also `records` and `rows`: how many the file has.',
    example: '{ count: order_lines }',
  },
  reverse: {
    schema: z.union([Text, z.literal(true)], { error: "expected the name of one of the table's columns" }),
    in: COLUMNS,
    summary:
      "With `table`: the table's column in which the value is sought; its key is written. `true` when it has only one.",
    example: '{ from: shipping_method.code, table: ship-via, reverse: method }',
  },
  yes: {
    schema: z.string(),
    in: COLUMNS,
    summary: 'What is written for true; `true` unless told.',
    example: '{ from: is_acknowledged, yes: Y, no: N }',
  },
  no: {
    schema: z.string(),
    in: COLUMNS,
    summary: 'What is written for false; `false` unless told.',
    example: '{ from: valid_packing_slip, yes: X, no: "" }',
  },
  zeros: {
    schema: z.literal('cut', { error: 'expected `cut`' }),
    in: COLUMNS,
    summary: 'Leaves out the zeros at the end of decimals: `12.50` is `12.5`.',
    example: '{ from: subtotal_charged, zeros: cut }',
  },
  width: {
    schema: z.int().min(1).max(4000),
    in: COLUMNS,
    summary: 'How many characters the column takes at most; in a fixed-width file exactly so many.',
    example: '{ from: ship_to.name1, width: 35, long: cut }',
  },
  align: {
    schema: z.enum(['left', 'right'], { error: 'expected `left` or `right`' }),
    in: COLUMNS,
    summary:
      'In a fixed-width file: on which side the text stands; numbers right and texts left unless told.',
    example: '{ from: id, width: 10, align: left }',
  },
  formulas: {
    schema: z.enum(['guard', 'leave'], { error: 'expected `guard` or `leave`' }),
    in: COLUMNS,
    summary: 'Whether a text that begins with `=`, `+`, `-`, `@` or a tab gets an apostrophe in front.',
    example: '{ from: ship_to.name1, formulas: guard }',
  },
} as const

/** The forms of a number and the place of a text in its column: what totals take, too. */
const FORMS = {
  decimal: z.enum(['.', ','], { error: 'expected "." or ","' }).optional(),
  implied: z.int().min(1).max(6).optional(),
  zeros: COLUMN_OPTIONS.zeros.schema.optional(),
  pad: z
    .strictObject({ to: z.int().min(1).max(4000), with: z.string().length(1, 'expected one character') })
    .optional(),
  width: COLUMN_OPTIONS.width.schema.optional(),
  align: COLUMN_OPTIONS.align.schema.optional(),
}

export const ColumnLeaf = z.strictObject({
  from: Text.optional(),
  firstOf: Paths.optional(),
  all: Paths.optional(),
  with: z.string().optional(),
  sum: COLUMN_OPTIONS.sum.schema.optional(),
  count: COLUMN_OPTIONS.count.schema.optional(),
  const: Scalar.optional(),
  default: Scalar.optional(),
  table: Text.optional(),
  pick: Text.optional(),
  reverse: COLUMN_OPTIONS.reverse.schema.optional(),
  miss: z.enum(['refuse', 'keep', 'blank'], { error: 'expected `refuse`, `keep` or `blank`' }).optional(),
  format: Text.optional(),
  zone: Text.optional(),
  yes: COLUMN_OPTIONS.yes.schema.optional(),
  no: COLUMN_OPTIONS.no.schema.optional(),
  join: COLUMN_OPTIONS.join.schema.optional(),
  case: z.enum(['upper', 'lower'], { error: 'expected `upper` or `lower`' }).optional(),
  long: z.literal('cut', { error: 'expected `cut`' }).optional(),
  formulas: COLUMN_OPTIONS.formulas.schema.optional(),
  ...FORMS,
})
export type ColumnLeaf = z.infer<typeof ColumnLeaf>

/** A column of the trailer. */
export const TotalLeaf = z.strictObject({
  const: Scalar.optional(),
  sum: COLUMN_OPTIONS.sum.schema.optional(),
  count: COLUMN_OPTIONS.count.schema.optional(),
  ...FORMS,
})
export type TotalLeaf = z.infer<typeof TotalLeaf>
