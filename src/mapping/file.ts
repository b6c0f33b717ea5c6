/** The frame of a mapping file: everything but the leaves of its body and the paths of its columns. */
import { z } from 'zod'
import { CheckFrame, ConditionFrame } from './rows/conditions.ts'
import { TotalsFrame } from './rows/control-totals.ts'
import { LinesFrame } from './rows/lines.ts'
import { ColumnNames } from './options.ts'
import { ReadFrame } from './reading/reading.ts'
import { FileFrame, RecordFrame, TrailerFrame, WriteFrame } from './export/writing.ts'

const Text = z.string().min(1)

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
      differing: z.enum(['refuse', 'first'], { error: 'expected `refuse` or `first`' }).optional(),
    }),
  ],
  { error: 'expected a column name, a list of them, or `by` with `blank` and `differing`' },
)
export type GroupFrame = z.infer<typeof GroupFrame>

const Cell = z.union([z.string(), z.number(), z.boolean()], { error: 'expected text or a number' })

export const TableFrame = z.union(
  [
    z.strictObject({ file: Text, keys: z.int().min(1).max(5).optional() }),
    z.strictObject({ rows: z.record(Text, z.union([Cell, z.record(Text, Cell)])) }),
  ],
  { error: 'expected `file` with the path of a CSV file, or `rows`' },
)
export type TableFrame = z.infer<typeof TableFrame>

export const ExampleFrame = z.strictObject({ input: Text, expect: Text })

/** An example a mapping carries: a file to read and what must come of it, both relative to the mapping file. */
export type Example = z.infer<typeof ExampleFrame>

export const InboundFile = z.strictObject({
  /** Taken apart before the rest is read: see `source/inherit.ts`. */
  extends: Text.optional(),
  operation: Text,
  read: ReadFrame.optional(),
  group: GroupFrame.optional(),
  only: ConditionFrame.optional(),
  check: z.array(CheckFrame).min(1).optional(),
  lines: LinesFrame.optional(),
  totals: TotalsFrame.optional(),
  body: z.unknown().optional(),
  tables: z.record(Text, TableFrame).optional(),
  examples: z.array(ExampleFrame).optional(),
})
export type InboundFile = z.infer<typeof InboundFile>

export const OutboundFile = z.strictObject({
  /** Taken apart before the rest is read: see `source/inherit.ts`. */
  extends: Text.optional(),
  operation: Text,
  write: WriteFrame.optional(),
  each: Text.optional(),
  parts: z.enum(['first', 'all']).optional(),
  columns: z.unknown().optional(),
  records: z.array(RecordFrame).min(1).optional(),
  trailer: TrailerFrame.optional(),
  file: FileFrame.optional(),
  tables: z.record(Text, TableFrame).optional(),
  examples: z.array(ExampleFrame).optional(),
})
export type OutboundFile = z.infer<typeof OutboundFile>
