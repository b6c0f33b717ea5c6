/** The frame of a mapping file: everything but the leaves of its body and the paths of its columns. */
import { z } from 'zod'
import { OPERATIONS } from '../contract/operations.ts'
import { type KeyRow, optionalKeys, Text } from './source/schema.ts'
import { keptNames } from './fields/options.ts'
import { CheckFrame, ConditionFrame, HoldFrame } from './rows/conditions.ts'
import { TotalsFrame } from './rows/control-totals.ts'
import { GroupFrame } from './rows/grouping.ts'
import { LinesFrame } from './rows/lines.ts'
import { ReadFrame } from './reading/read-options.ts'
import { FileFrame, RecordFrame, TrailerFrame, WriteFrame } from './export/write-options.ts'

const Cell = z.union([z.string(), z.number(), z.boolean()], { error: 'expected text or a number' })

const KEYS_RANGE = 'how many columns are the key, from 1 to 5, such as `keys: 2`'

export const TableFrame = z.union(
  [
    z.strictObject({
      file: Text,
      keys: z
        .int({ error: `expected ${KEYS_RANGE}` })
        .min(1)
        .max(5)
        .optional(),
    }),
    z.strictObject({
      rows: z.record(Text, z.union([Cell, z.record(Text, Cell)]), {
        error: ({ code }) =>
          code === 'invalid_type'
            ? 'expected each key with its value, such as `rows: { UPSG: UPS }`'
            : undefined,
      }),
    }),
  ],
  { error: 'expected `file` with the path of a CSV file, or `rows`' },
)
export type TableFrame = z.infer<typeof TableFrame>

export const ExampleFrame = z.strictObject({ input: Text, expect: Text })

/** An example of a mapping: a file to read and the expected result, both relative to the mapping file. */
export type Example = z.infer<typeof ExampleFrame>

export const COMMON_KEYS = {
  extends: {
    schema: Text,
    summary: 'the path of a mapping that this one is laid over: see "A mapping that extends another"',
    example: 'extends: ./base-orders.yaml',
  },
  operation: {
    schema: Text,
    summary: `what becomes of the files: \`${Object.keys(OPERATIONS).join('`, `')}\``,
    example: 'operation: create-order',
  },
  tables: {
    schema: z.record(Text, TableFrame),
    summary:
      'lookup tables: `file`, a CSV file whose first column is the key, or `rows` in the mapping itself',
    example: 'tables: { ship-via: { file: tables/ship-via.csv } }',
  },
  examples: {
    schema: z.array(ExampleFrame),
    summary:
      'pairs of files the mapping is held to: `input`, and `expect`: a JSON array of the bodies, or the exported file; in place of the body of a refused record stand its codes, as in `{ "refused": ["value-missing"] }`',
    example: 'examples: [{ input: small.csv, expect: small.expected.json }]',
  },
} as const satisfies Readonly<Record<string, KeyRow>>

export const INBOUND_KEYS = {
  read: {
    schema: ReadFrame,
    summary: 'what the files look like: see "Reading"',
    example: 'read: { format: csv }',
  },
  group: {
    schema: GroupFrame,
    summary: 'the column, or a list of columns, whose values the rows of one record share',
    example: 'group: PO Number',
  },
  only: {
    schema: ConditionFrame,
    summary: 'which records are taken; the others are skipped: see "Conditions"',
    example: 'only: { Status: Ready }',
  },
  check: {
    schema: z.array(CheckFrame).min(1),
    summary:
      'rules of your own, with what to say when a record breaks one; `warn: true` sends it all the same; and totals: see "Conditions"',
    example: 'check: [{ unless: { Zip: filled }, say: The zip code is missing. }]',
  },
  hold: {
    schema: z.array(HoldFrame).min(1),
    summary:
      'records that wait for a person, with the text to show; nothing of them is sent: see "Conditions"',
    example: 'hold: [{ when: { Status: REJECTED }, say: Tell the retailer. }]',
  },
  lines: {
    schema: LinesFrame,
    summary:
      'several lines in one row, lines of the same item, rules for each line, lines that hold the record',
    example: 'lines: { same: add }',
  },
  totals: {
    schema: TotalsFrame,
    summary: 'what the last row of a file says of all of it',
    example: 'totals: { when: { PO Number: TOTALS }, rows: Qty }',
  },
  keep: {
    schema: keptNames(z.unknown()),
    summary: 'values to be remembered beside the order: see "Values of the order itself"',
    example: 'keep: { erp_id: Auftrag-ID }',
  },
  body: {
    schema: z.unknown(),
    summary: 'the body of the request',
    example: 'body: { purchase_order_number: PO Number }',
  },
} as const satisfies Readonly<Record<string, KeyRow>>

export const OUTBOUND_KEYS = {
  write: {
    schema: WriteFrame,
    summary: 'how the file is written: see "Exports"',
    example: 'write: { format: csv }',
  },
  each: {
    schema: Text,
    summary: 'the list of the record that makes one row per item; without it a record makes one row',
    example: 'each: order_lines',
  },
  parts: {
    schema: z.enum(['first', 'all']),
    summary:
      '`first` (the default) leaves out shipment lines for further parcels of one item; `all` prints them',
    example: 'parts: all',
  },
  keep: {
    schema: keptNames(Text),
    summary: 'values to be remembered beside the order: see "Values of the order itself"',
    example: 'keep: { erp_id: retailer_order_number }',
  },
  columns: {
    schema: z.unknown(),
    summary: 'each column of the file, in order, with the path of the API field',
    example: 'columns: { PO Number: purchase_order_number }',
  },
  records: {
    schema: z.array(RecordFrame).min(1),
    summary: 'instead of `each` and `columns`: several kinds of rows in one file',
    example: 'records: [{ type: PH, columns: { PO: purchase_order_number } }]',
  },
  segments: {
    schema: z.array(z.unknown()).min(1),
    summary: 'instead of `columns`: the segments of a document of X12 or EDIFACT, in their order',
    example: 'segments: [{ BIG: { 01: invoiced_at, 02: invoice_number } }, { TDS: { 01: due_amount } }]',
  },
  trailer: {
    schema: TrailerFrame,
    summary: 'a last row that counts and adds up what is in the file',
    example: 'trailer: { columns: { Orders: { count: records } } }',
  },
  file: {
    schema: FileFrame,
    summary: 'how many records one file holds at most',
    example: 'file: { records: 500 }',
  },
} as const satisfies Readonly<Record<string, KeyRow>>

/** `extends` is resolved before the rest is read: see `source/inherit.ts`. */
const COMMON_SCHEMAS = { ...optionalKeys(COMMON_KEYS), operation: Text }
export const InboundFile = z.strictObject({ ...COMMON_SCHEMAS, ...optionalKeys(INBOUND_KEYS) })

export const OutboundFile = z.strictObject({ ...COMMON_SCHEMAS, ...optionalKeys(OUTBOUND_KEYS) })
