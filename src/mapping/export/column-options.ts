/** The options of an export's columns: the whole leaf, and the rows of the table for those that only exports have. */
import { z } from 'zod'
import { ORIGIN_OPTIONS, TEXT_OPTIONS, VALUE_OPTIONS } from '../fields/options.ts'
import { Character, type KeyRow, optionalKeys, pickKeys, Text } from '../source/schema.ts'

const Paths = z.array(Text, { error: 'expected a list of paths, two or more' }).min(2)

export const COLUMN_OPTIONS = {
  join: {
    schema: z.string(),
    summary:
      'What stands between the values of a list in one cell; a line break by default. Packs a list of lines into one cell too.',
    example: '{ from: order_lines.variant.identifier, join: "|" }',
    of: [['order_lines.variant.identifier', ['HV-1', 'HV-2']]],
    gives: 'HV-1|HV-2',
  },
  sum: {
    schema: Text,
    summary: 'The sum of a number over the lines of the record, or in the trailer over the file.',
    example: '{ sum: order_lines.quantity }',
    of: [['order_lines.quantity', [2, 3]]],
    gives: '5',
  },
  count: {
    schema: Text,
    summary:
      'How many items a list of the record has. In the trailer also `records` and `rows`: how many the file has.',
    example: '{ count: order_lines }',
    of: [['order_lines.quantity', [2, 3]]],
    gives: '2',
  },
  minus: {
    schema: Text,
    summary: 'With `from`: the path of a number that is taken away from it.',
    example: '{ from: order_lines.quantity, minus: order_lines.quantity_canceled }',
    of: [
      ['order_lines.quantity', 3],
      ['order_lines.quantity_canceled', 1],
    ],
    gives: '2',
  },
  filled: {
    schema: Text,
    summary:
      'Whether there is something under a path: `yes` is written when there is, `no` when it is blank or an empty list.',
    example: '{ filled: gift_message, yes: Y, no: N }',
    of: [['gift_message', ['Happy birthday']]],
    gives: 'Y',
  },
  reverse: {
    schema: z.union([Text, z.literal(true)], { error: "expected the name of one of the table's columns" }),
    summary:
      "With `table`: the table's column in which the value is sought; its key is written. `true` when it has only one.",
    example: '{ from: shipping_method.code, table: ship-via, reverse: method }',
    of: [['shipping_method.code', 'FEDEX_GROUND']],
    gives: 'Ground',
  },
  yes: {
    schema: z.string(),
    summary: 'What is written for true, for `filled`, and for a `count` above zero; `true` by default.',
    example: '{ from: is_acknowledged, yes: Y, no: N }',
    of: [['is_acknowledged', true]],
    gives: 'Y',
  },
  no: {
    schema: z.string(),
    summary:
      'What is written for false, for what is not filled, and for a `count` of zero; `false` by default.',
    example: '{ from: is_acknowledged, yes: X, no: "" }',
    of: [['is_acknowledged', false]],
    gives: '',
  },
  grouping: {
    schema: z.enum(['.', ',', ' ', "'"], { error: 'expected ".", ",", " " or "\'"' }),
    summary: 'What stands between the thousands of a number; nothing by default.',
    example: '{ from: subtotal_charged, decimal: ",", grouping: "." }',
    of: [['subtotal_charged', '1216.73']],
    gives: '1.216,73',
  },
  zeros: {
    schema: z.literal('cut', { error: 'expected `cut`' }),
    summary: 'Leaves out the zeros at the end of decimals: `12.50` is `12.5`.',
    example: '{ from: subtotal_charged, zeros: cut }',
    of: [['subtotal_charged', '12.50']],
    gives: '12.5',
  },
  required: {
    schema: z.literal(true, { error: 'expected `true`' }),
    summary: 'A record for which the column would be blank is held, and stands in no file.',
    example: '{ from: shipping_method.carrier.code, required: true }',
    of: [['shipping_method.carrier.code', 'FDEG']],
    gives: 'FDEG',
  },
  width: {
    schema: z.int().min(1).max(4000),
    summary: 'How many characters the column takes at most; in a fixed-width file exactly so many.',
    example: '{ from: ship_to.name1, width: 11, long: cut }',
    of: [['ship_to.name1', 'Northwind Trading']],
    gives: 'Northwind T',
  },
  align: {
    schema: z.enum(['left', 'right'], { error: 'expected `left` or `right`' }),
    summary: 'In a fixed-width file: on which side the text stands; numbers right and texts left by default.',
    example: '{ from: id, width: 6, align: left }',
    of: [['id', 81]],
    gives: '81    ',
  },
  formulas: {
    schema: z.enum(['guard', 'keep'], { error: 'expected `guard` or `keep`' }),
    summary:
      'Whether a text that begins with `=`, `+`, `-`, `@`, a tab or a CR gets an apostrophe in front; by default what `write` says.',
    example: '{ from: ship_to.name1, formulas: guard }',
    of: [['ship_to.name1', '=1+1']],
    gives: "'=1+1",
  },
} as const satisfies Readonly<Record<string, KeyRow>>

const Pad = z.strictObject({ to: z.int().min(1).max(4000), with: Character })

/** The options that mean the same in an export and in a body; some take fewer values, or more. */
export const SHARED_OPTIONS = {
  from: { ...ORIGIN_OPTIONS.from, schema: Text },
  firstOf: { ...ORIGIN_OPTIONS.firstOf, schema: Paths },
  all: { ...ORIGIN_OPTIONS.all, schema: Paths },
  ...pickKeys(ORIGIN_OPTIONS, 'with', 'const', 'kept', 'default', 'when'),
  ...pickKeys(TEXT_OPTIONS, 'table', 'pick', 'miss'),
  format: { ...VALUE_OPTIONS.format, schema: Text },
  ...pickKeys(VALUE_OPTIONS, 'zone'),
  ...pickKeys(TEXT_OPTIONS, 'escape', 'case'),
  pad: { ...TEXT_OPTIONS.pad, schema: Pad },
  ...pickKeys(VALUE_OPTIONS, 'decimal', 'implied', 'long'),
} as const satisfies Readonly<Record<string, KeyRow>>

export const ColumnLeaf = z.strictObject({ ...optionalKeys(SHARED_OPTIONS), ...optionalKeys(COLUMN_OPTIONS) })
export type ColumnLeaf = z.infer<typeof ColumnLeaf>

export const NUMBER_OPTIONS = ['decimal', 'implied', 'grouping', 'zeros'] as const

export type NumberForm = Pick<ColumnLeaf, (typeof NUMBER_OPTIONS)[number]>

/** A column of the trailer: a total or a constant, the forms of a number and the place of a text in its column. */
export const TotalLeaf = z.strictObject(
  pickKeys(ColumnLeaf.shape, 'const', 'sum', 'count', ...NUMBER_OPTIONS, 'pad', 'width', 'align'),
)
