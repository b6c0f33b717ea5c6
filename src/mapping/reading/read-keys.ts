/** The keys of `read`, which describe the files of a mapping. */
import iconv from 'iconv-lite'
import { z } from 'zod'
import { compilePattern } from '../../support/search-pattern.ts'
import { Character, type KeyRow, optionalKeys, Text } from '../source/schema.ts'
import { LoopsFrame, UsageFrame } from './edi-paths.ts'

const Encoding = Text.refine(
  (name) => iconv.encodingExists(name),
  'no encoding has this name; try utf-8, windows-1252 or utf-16le',
)

/** The longest line in characters; a start beyond it is a typing error. */
const MAX_LINE_WIDTH = 100_000
const Position = z.int().min(1).max(MAX_LINE_WIDTH)

/** A column of a file of fixed width; without a start it follows the column before it. */
const FixedColumn = z.strictObject({ name: Text, start: Position.optional(), length: Position })

export type FixedColumn = z.infer<typeof FixedColumn>

const ColumnList = z.array(
  z.union([Text, FixedColumn], {
    error: 'expected a column name, or in a file of fixed width `name`, `start` and `length`',
  }),
)

const Columns = ColumnList.min(1)

const RowKind = z.enum(['header', 'detail', 'ignore', 'totals'], {
  error: 'expected `header`, `detail`, `ignore` or `totals`',
})

const RecordLayout = z.strictObject({
  /** A header row opens a record; detail rows are its lines; ignored rows are left out; a totals row is of the whole file. */
  as: RowKind.optional(),
  /** The type of the row right before this one, which gets its cells; of a totals row, the type of its record. */
  of: Text.optional(),
  /** How often the part may come for one row; its columns have `{n}` where the number is. */
  times: z.int().min(2).max(20).optional(),
  /** None for a row that only marks where a record begins. */
  columns: ColumnList.optional(),
})

export type RecordLayout = z.infer<typeof RecordLayout>
export type RecordLayouts = Readonly<Record<string, RecordLayout>>

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

export const READ_KEYS = {
  format: {
    schema: z.enum(['csv', 'fixed', 'x12', 'edifact'], {
      error: 'expected `csv`, `fixed`, `x12` or `edifact`',
    }),
    summary:
      '`csv`: cells with delimiters between them; `fixed`: cells at fixed places; `x12` and `edifact`: see [edi.md](edi.md)',
    example: 'format: csv',
  },
  document: {
    schema: z.union([Text, z.int().transform(String)], {
      error: 'expected a document, such as 850 or ORDERS',
    }),
    summary: 'which documents of an EDI file are read; others are held',
    example: 'document: 850',
  },
  grammar: {
    schema: Text,
    summary:
      'the file of a partner whose documents differ: see ["The grammar of a partner"](edi.md#the-grammar-of-a-partner)',
    example: 'grammar: ./grammars/acme-850.yaml',
  },
  loops: {
    schema: LoopsFrame,
    summary:
      'which loops of the document make a record and a line of it, and by which values records next to each other are one; by default as [edi-documents.md](edi-documents.md) says',
    example: 'loops: { record: [HL*P, HL*O], line: HL*I, same: [PRF.01, [MAN*CP.02, REF*CN.02]] }',
  },
  usage: {
    schema: UsageFrame,
    summary:
      'which EDI interchanges are taken: those marked as `production` (the default), as a `test`, or `any`; the others are skipped',
    example: 'usage: any',
  },
  encoding: {
    schema: Encoding,
    summary: 'for what is not UTF-8 or UTF-16',
    example: 'encoding: windows-1252',
  },
  delimiter: { schema: Character, summary: 'one character', example: 'delimiter: ";"' },
  quote: {
    schema: Character.nullable(),
    summary: '`"` by default; `null`: a quote is text like any other',
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
      .refine((it) => it.names <= it.lines, 'there are fewer lines than that: `names` is one of them'),
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
    summary: '`refuse`: a file with columns the mapping does not use is refused; `ignore` by default',
    example: 'extra: refuse',
  },
  missing: {
    schema: z.enum(['allow', 'refuse'], { error: 'expected `allow` or `refuse`' }),
    summary:
      '`refuse`: a file that lacks a column the mapping names is refused, though the API does not require it; otherwise it is reported, and the column is blank',
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
  grouping: {
    schema: z.literal('.', { error: 'expected "."' }),
    summary:
      'with `decimal: ","`: points stand between thousands, so that `1.124` is 1124 without the warning `point-as-grouping`',
    example: 'grouping: "."',
  },
  blanks: {
    schema: z.array(z.string()).min(1),
    summary: 'texts that mean blank, in values and conditions; the `blanks` of a value take their place',
    example: 'blanks: ["-", "N/A"]',
  },
  damaged: {
    schema: z.literal('allow', { error: 'expected `allow`' }),
    summary:
      'a text with U+FFFD or a control character of U+0080 to U+009F, which a wrong encoding leaves, is refused, and so is the error of a spreadsheet, such as #N/A; `allow` sends them as they are',
    example: 'damaged: allow',
  },
  rows: {
    schema: z.strictObject({
      short: z.literal('pad', { error: 'expected `pad`' }).optional(),
      long: z.literal('cut', { error: 'expected `cut`' }).optional(),
    }),
    summary:
      'rows with too few or too many cells are refused; `short: pad` adds blank cells, `long: cut` takes blank ones away; in a file of fixed width, `pad` lets a line end inside a cell, and `cut` drops text behind the last column',
    example: 'rows: { short: pad, long: cut }',
  },
  widths: {
    schema: z.literal('bytes', { error: 'expected `bytes`' }),
    summary: '`bytes`: the places of a file of fixed width count bytes of the encoding, and not characters',
    example: 'widths: bytes',
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
    summary: 'which cell names the type: its number, or the name of its column; the first one by default',
    example: 'typeIn: Type',
  },
  alternating: {
    schema: z.literal(true, { error: 'expected `true`' }),
    summary:
      'no cell names the type: the rows of a header type and of a detail type alternate, each record in two rows',
    example: 'alternating: true',
  },
} as const satisfies Readonly<Record<string, KeyRow>>

const { format, ...READ_OPTIONS } = READ_KEYS

export const ReadFrame = z.strictObject(
  { format: format.schema.describe(format.summary), ...optionalKeys(READ_OPTIONS) },
  {
    error: ({ code }) =>
      code === 'invalid_type' ? 'must hold keys and values, such as `read: { format: csv }`' : undefined,
  },
)

export type ReadFrame = z.infer<typeof ReadFrame>

/** Whether the mapping reads documents of X12 or EDIFACT. */
export function isEdi(read: ReadFrame): read is ReadFrame & { readonly format: 'x12' | 'edifact' } {
  return read.format === 'x12' || read.format === 'edifact'
}

/** The placeholder for the number in the name of a column. */
export const NUMBER_MARK = '{n}'

/** Lists the names of the columns of a type, once for each time that its rows may come for the same row. */
export function listColumnNames({ columns = [], times }: RecordLayout): string[][] {
  const names = columns.map(getColumnName)
  if (times === undefined) return [names]
  return Array.from({ length: times }, (_, index) =>
    names.map((name) => name.replaceAll(NUMBER_MARK, String(index + 1))),
  )
}

export function getColumnName(column: string | FixedColumn): string {
  return typeof column === 'string' ? column : column.name
}
