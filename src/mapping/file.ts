/** The frame of a mapping file: everything but the leaves of its body and the paths of its columns. */
import iconv from 'iconv-lite'
import { z } from 'zod'
import { ColumnNames } from './options.ts'

const Text = z.string().min(1)
const Character = z.string().length(1, 'expected one character')

const Encoding = Text.refine(
  (name) => iconv.encodingExists(name),
  'no encoding has this name; try utf-8, windows-1252 or utf-16le',
)

const RecordLayout = z.strictObject({
  /** A header row opens a record; the detail rows after it are its lines. */
  as: z.enum(['header', 'detail']),
  columns: z.array(Text).min(1),
})

export const ReadFrame = z.strictObject({
  format: z.literal('csv', { error: 'expected `csv`' }),
  encoding: Encoding.optional(),
  delimiter: Character.optional(),
  quote: Character.nullable().optional(),
  columns: z.array(Text).min(1).optional(),
  records: z.record(Text, RecordLayout).optional(),
})
export type ReadFrame = z.infer<typeof ReadFrame>

const GroupKey = z.union([ColumnNames, z.strictObject({ firstOf: z.array(ColumnNames).min(2) })], {
  error: 'expected a column name, a list of the names it may have, or `firstOf` with several columns',
})

export const GroupFrame = z.union(
  [
    Text,
    z.array(GroupKey).min(1),
    z.strictObject({
      by: z.union([Text, z.array(GroupKey).min(1)], { error: 'expected a column name or a list of them' }),
      blank: z.literal('continues', { error: 'expected `continues`' }).optional(),
    }),
  ],
  { error: 'expected a column name, a list of them, or `by` with `blank: continues`' },
)
export type GroupFrame = z.infer<typeof GroupFrame>

const Cell = z.union([z.string(), z.number(), z.boolean()], { error: 'expected text or a number' })

export const TableFrame = z.union(
  [
    z.strictObject({ file: Text }),
    z.strictObject({ rows: z.record(Text, z.union([Cell, z.record(Text, Cell)])) }),
  ],
  { error: 'expected `file` with the path of a CSV file, or `rows`' },
)
export type TableFrame = z.infer<typeof TableFrame>

export const ExampleFrame = z.strictObject({ input: Text, expect: Text })

/** An example a mapping carries: a file to read and what must come of it, both relative to the mapping file. */
export type Example = z.infer<typeof ExampleFrame>

export const WriteFrame = z.strictObject({
  format: z.literal('csv', { error: 'expected `csv`' }),
  encoding: Text.optional(),
  delimiter: Character.optional(),
  newline: z.enum(['\n', '\r\n']).optional(),
  quoteAll: z.boolean().optional(),
  byteOrderMark: z.boolean().optional(),
  header: z.boolean().optional(),
})
export type WriteFrame = z.infer<typeof WriteFrame>

export const InboundFile = z.strictObject({
  operation: Text,
  read: ReadFrame.optional(),
  group: GroupFrame.optional(),
  body: z.unknown().optional(),
  tables: z.record(Text, TableFrame).optional(),
  examples: z.array(ExampleFrame).optional(),
})
export type InboundFile = z.infer<typeof InboundFile>

export const OutboundFile = z.strictObject({
  operation: Text,
  write: WriteFrame.optional(),
  each: Text.optional(),
  parts: z.enum(['first', 'all']).optional(),
  columns: z.unknown().optional(),
  tables: z.record(Text, TableFrame).optional(),
  examples: z.array(ExampleFrame).optional(),
})
export type OutboundFile = z.infer<typeof OutboundFile>
