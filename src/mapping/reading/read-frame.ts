/** The frame of `read`: how the keys are written that say what the files of a mapping look like. */
import iconv from 'iconv-lite'
import { z } from 'zod'
import { type KeyRow, optionalKeys } from '../key-table.ts'
import { compilePattern } from '../values/pattern.ts'

const Text = z.string().min(1)
const Character = z.string().length(1, 'expected one character')

const Encoding = Text.refine(
  (name) => iconv.encodingExists(name),
  'no encoding has this name; try utf-8, windows-1252 or utf-16le',
)

/** No line of a file has more; a start beyond it is a slip. */
const WIDEST_LINE = 100_000
const Position = z.int().min(1).max(WIDEST_LINE)

/** A column of a file of fixed width; without a start it stands right behind the one before. */
const FixedColumn = z.strictObject({ name: Text, start: Position.optional(), length: Position })
export type FixedColumn = z.infer<typeof FixedColumn>

const Columns = z
  .array(
    z.union([Text, FixedColumn], {
      error: 'expected a column name, or in a file of fixed width `name`, `start` and `length`',
    }),
  )
  .min(1)

const RecordLayout = z.strictObject({
  /**
   * A header row opens a record; the detail rows after it are its lines; rows to ignore are left out; the row of totals
   * speaks of the whole file.
   */
  as: z
    .enum(['header', 'detail', 'ignore', 'totals'], {
      error: 'expected `header`, `detail`, `ignore` or `totals`',
    })
    .optional(),
  /** The type to whose row, right before it, the cells of this one are added. */
  of: Text.optional(),
  columns: Columns.optional(),
})
export type RecordLayout = z.infer<typeof RecordLayout>

const Pattern = Text.superRefine((pattern, context) => {
  const compiled = compilePattern(pattern)
  if (typeof compiled === 'string') context.addIssue({ code: 'custom', message: compiled })
})

const IgnoredLine = z
  .strictObject({
    startsWith: Text.optional(),
    matches: Pattern.optional(),
    header: z.literal('repeated', { error: 'expected `repeated`' }).optional(),
  })
  .refine(
    (rule) => Object.values(rule).filter((known) => known !== undefined).length === 1,
    'say what the line is known by: either `startsWith`, `matches` or `header`',
  )
export type IgnoredLine = z.infer<typeof IgnoredLine>

/** Whether it is the line of the names, when it comes again. */
export function isRepeatedHeader({ header }: IgnoredLine): boolean {
  return header !== undefined
}

/** Every key of `read`. */
export const READ_KEYS = {
  format: {
    schema: z.enum(['csv', 'fixed'], { error: 'expected `csv` or `fixed`' }),
    summary: '`csv`: cells with delimiters between them; `fixed`: cells at fixed places',
    example: 'format: csv',
  },
  encoding: {
    schema: Encoding,
    summary: 'for what is not UTF-8 or UTF-16',
    example: 'encoding: windows-1252',
  },
  delimiter: { schema: Character, summary: 'one character', example: 'delimiter: ";"' },
  quote: {
    schema: Character.nullable(),
    summary: '`"` unless told; `null`: a quote is text like any other',
    example: 'quote: null',
  },
  escape: {
    schema: Character,
    summary: 'what stands before a quote, a delimiter or itself that is text: `\\"`',
    example: 'escape: "\\\\"',
  },
  skip: {
    schema: z.union([z.int().min(1).max(1000), z.literal('header')], {
      error: 'expected how many lines, at most 1000, or `header`',
    }),
    summary:
      'how many lines stand above the header or the data; `header`: all above the line with most of the names the mapping uses, at most 100',
    example: 'skip: header',
  },
  header: {
    schema: z
      .strictObject({ lines: z.int().min(1).max(20), names: z.int().min(1).max(20) })
      .refine(
        ({ lines, names }) => names <= lines,
        'there are fewer lines than that: `names` is one of them',
      ),
    summary: 'a header of several lines, blank ones aside, and which of them names the columns',
    example: 'header: { lines: 3, names: 3 }',
  },
  columns: {
    schema: Columns,
    summary:
      'the names of the columns, in order, of a file without a header line; its rows have just as many cells',
    example: 'columns: [PO, SKU, Qty]',
  },
  extra: {
    schema: z.enum(['ignore', 'refuse'], { error: 'expected `ignore` or `refuse`' }),
    summary: '`refuse`: a file with columns the mapping does not use is refused; `ignore` unless told',
    example: 'extra: refuse',
  },
  missing: {
    schema: z.enum(['allow', 'refuse'], { error: 'expected `allow` or `refuse`' }),
    summary:
      '`refuse`: a file that lacks a column the mapping names is refused, though the API does not require it; otherwise it is told, and the column is blank',
    example: 'missing: refuse',
  },
  repeated: {
    schema: z.literal('allowed', { error: 'expected `allowed`' }),
    summary: '`allowed`: two columns may have the same name, and `nth` says which one is meant',
    example: 'repeated: allowed',
  },
  decimal: {
    schema: z.enum(['.', ','], { error: 'expected "." or ","' }),
    summary:
      'what stands before the decimals of all numbers: in values, calculations, conditions and totals; a value may say otherwise',
    example: 'decimal: ","',
  },
  blanks: {
    schema: z.array(z.string()).min(1),
    summary: 'texts that mean blank, in values and conditions; the `blanks` of a value take their place',
    example: 'blanks: ["-", "N/A"]',
  },
  rows: {
    schema: z.strictObject({
      short: z.literal('pad', { error: 'expected `pad`' }).optional(),
      long: z.literal('cut', { error: 'expected `cut`' }).optional(),
    }),
    summary:
      'rows with too few or too many cells are refused; `short: pad` adds blank cells, `long: cut` takes blank ones away',
    example: 'rows: { short: pad, long: cut }',
  },
  ignore: {
    schema: z.array(IgnoredLine).min(1),
    summary:
      'lines that are no rows, wherever they stand: comments, footers, and with `header: repeated` the header line that comes again',
    example: 'ignore: [{ startsWith: "#" }, { header: repeated }]',
  },
  records: {
    schema: z.record(Text, RecordLayout),
    summary: 'the types of a file whose rows are of several kinds: see below',
    example: 'records: { H: { as: header }, D: { as: detail } }',
  },
  typeIn: {
    schema: z.union([z.int().min(1).max(1000), Text, z.strictObject({ start: Position, length: Position })], {
      error:
        'expected the number of a cell, the name of a column, or in a file of fixed width `start` and `length`',
    }),
    summary: 'which cell names the type: its number, or the name of its column; the first one unless told',
    example: 'typeIn: Type',
  },
} as const satisfies Readonly<Record<string, KeyRow>>

const { format, ...READ_OPTIONS } = READ_KEYS

export const ReadFrame = z.strictObject({
  format: format.schema.describe(format.summary),
  ...optionalKeys(READ_OPTIONS),
})
export type ReadFrame = z.infer<typeof ReadFrame>
