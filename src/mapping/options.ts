/** The options of a leaf: the one table behind the compiler, the published schema and the documentation. */
import { z } from 'zod'

const Text = z.string().min(1)
const Scalar = z.union([z.string(), z.number(), z.boolean()], {
  error: 'expected text, a number, true or false',
})

export const ColumnNames = z.union([Text, z.array(Text).min(1)], {
  error: 'expected a column name in text, or a list of the names a file may use for it',
})

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
    in: ['body'],
    summary: 'Several columns; in each row the first that is not blank is taken.',
    example: '{ firstOf: [Shipping Name, Billing Name] }',
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
  split: {
    schema: Text,
    in: ['body'],
    summary: 'For a list of texts: what separates them in the cell; a line break unless told.',
    example: '{ from: Gift Message, split: "|" }',
  },
  wrap: {
    schema: z.int().min(1),
    in: ['body'],
    summary: 'For a list of texts: breaks longer ones between words at this many characters.',
    example: '{ from: Gift Message, wrap: 64 }',
  },
  join: {
    schema: z.string(),
    in: ['columns'],
    summary: 'For a list of texts: what stands between them in the cell; a line break unless told.',
    example: '{ from: gift_message, join: " / " }',
  },
} as const satisfies Record<string, LeafOption>

export type LeafOptionName = keyof typeof LEAF_OPTIONS

/** A leaf written with options, as a schema: those options of the table that may stand there. */
export const BodyLeaf = z.strictObject({
  from: LEAF_OPTIONS.from.schema.optional(),
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
})
export type BodyLeaf = z.infer<typeof BodyLeaf>

export const ColumnLeaf = z.strictObject({
  from: Text.optional(),
  const: LEAF_OPTIONS.const.schema.optional(),
  default: LEAF_OPTIONS.default.schema.optional(),
  table: LEAF_OPTIONS.table.schema.optional(),
  pick: LEAF_OPTIONS.pick.schema.optional(),
  format: Text.optional(),
  zone: LEAF_OPTIONS.zone.schema.optional(),
  join: LEAF_OPTIONS.join.schema.optional(),
})
export type ColumnLeaf = z.infer<typeof ColumnLeaf>
