/** The keys of `write`: how a mapping says what the file of its export looks like. */
import { z } from 'zod'
import { type KeyRow, optionalKeys } from '../key-table.ts'

const Text = z.string().min(1)

export const WRITE_KEYS = {
  format: {
    schema: z.enum(['csv', 'fixed'], { error: 'expected `csv` or `fixed`' }),
    summary:
      '`csv`, or `fixed` for lines of fixed width: each column has a `width`, and there is no header line unless told',
    example: 'format: fixed',
  },
  encoding: {
    schema: Text,
    summary: 'UTF-8 unless told; a character it does not have is a problem of the record, never a silent `?`',
    example: 'encoding: windows-1252',
  },
  delimiter: {
    schema: z.string().length(1, 'expected one character'),
    summary: 'one character',
    example: 'delimiter: ";"',
  },
  newline: {
    schema: z.enum(['\n', '\r\n']),
    summary: 'what ends a line',
    example: 'newline: "\\n"',
  },
  quote: {
    schema: z.null({ error: 'expected null: quotes stand where they are needed, or nowhere' }),
    summary:
      '`null`: no quotes; a cell with the delimiter or a line break in it is a problem of the record, unless `replace` says what stands for them',
    example: 'quote: null',
  },
  quoteAll: { schema: z.boolean(), summary: 'quotes around every cell', example: 'quoteAll: true' },
  above: {
    schema: z
      .array(
        z.union([z.string(), z.array(z.union([z.string(), z.number(), z.boolean()])).min(1)], {
          error: 'expected a line as text, or a list of its cells',
        }),
      )
      .min(1)
      .max(20),
    summary: 'lines above the header, or above the first row: a text as it stands, or a list of cells',
    example: 'above: [[TemplateType=Orders, Version=7], "# text as it stands"]',
  },
  byteOrderMark: {
    schema: z.boolean(),
    summary: 'a mark of the encoding at the start of the file; UTF-16 has one unless told',
    example: 'byteOrderMark: true',
  },
  header: { schema: z.boolean(), summary: '`false` leaves the header line out', example: 'header: false' },
  fold: {
    schema: z.literal('ascii', { error: 'expected `ascii`' }),
    summary: 'writes é as e and ß as ss',
    example: 'fold: ascii',
  },
  replace: {
    schema: z.string().regex(/^[ -~]$/, 'expected one plain character, such as "?"'),
    summary:
      'stands for characters that cannot be written; in lines of fixed width and cells without quotes, for line breaks and tabs too',
    example: 'replace: "?"',
  },
  formulas: {
    schema: z.literal('guard', { error: 'expected `guard`' }),
    summary: 'for files people open in a spreadsheet; a number such as `-12.50` is left alone',
    example: 'formulas: guard',
  },
} as const satisfies Readonly<Record<string, KeyRow>>

const { format, ...WRITE_OPTIONS } = WRITE_KEYS

export const WriteFrame = z.strictObject({
  format: format.schema.describe(format.summary),
  ...optionalKeys(WRITE_OPTIONS),
})
export type WriteFrame = z.infer<typeof WriteFrame>
