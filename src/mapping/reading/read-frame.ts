/** The frame of `read`: how the keys are written that say what the files of a mapping look like. */
import iconv from 'iconv-lite'
import { z } from 'zod'
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
  .strictObject({ startsWith: Text.optional(), matches: Pattern.optional() })
  .refine(
    ({ startsWith, matches }) => (startsWith === undefined) !== (matches === undefined),
    'say what the line is known by: either `startsWith` or `matches`',
  )

export const ReadFrame = z.strictObject({
  format: z.enum(['csv', 'fixed'], { error: 'expected `csv` or `fixed`' }),
  encoding: Encoding.optional(),
  delimiter: Character.optional(),
  quote: Character.nullable().optional(),
  escape: Character.optional(),
  skip: z
    .union([z.int().min(1).max(1000), z.literal('header')], {
      error: 'expected how many lines, at most 1000, or `header`',
    })
    .optional(),
  header: z
    .strictObject({ lines: z.int().min(1).max(20), names: z.int().min(1).max(20) })
    .refine(({ lines, names }) => names <= lines, 'there are fewer lines than that: `names` is one of them')
    .optional(),
  columns: Columns.optional(),
  extra: z.enum(['ignore', 'refuse'], { error: 'expected `ignore` or `refuse`' }).optional(),
  repeated: z.literal('allowed', { error: 'expected `allowed`' }).optional(),
  rows: z
    .strictObject({
      short: z.literal('pad', { error: 'expected `pad`' }).optional(),
      long: z.literal('cut', { error: 'expected `cut`' }).optional(),
    })
    .optional(),
  ignore: z.array(IgnoredLine).min(1).optional(),
  typeIn: z
    .union([z.int().min(1).max(1000), Text, z.strictObject({ start: Position, length: Position })], {
      error:
        'expected the number of a cell, the name of a column, or in a file of fixed width `start` and `length`',
    })
    .optional(),
  records: z.record(Text, RecordLayout).optional(),
})
export type ReadFrame = z.infer<typeof ReadFrame>
