/** Compiles `write`: what the output file looks like, and which characters it can hold. */
import iconv from 'iconv-lite'
import { z } from 'zod'
import type { WriteOptions } from '../../domain/format.ts'
import { findGrammar, listDocuments } from '../../edi/documents.ts'
import { didYouMean } from '../../support/text.ts'
import { Character, type KeyRow, optionalKeys, Text } from '../source/schema.ts'
import {
  getEntry,
  locateKey,
  type MapNode,
  type MappingErrors,
  nodeAt,
  type NoteOption,
  type SourceNode,
} from '../source/source.ts'
import { quoteText, toAscii } from '../values/text.ts'
import { type FitText, noteRefused, type OutputLimits } from './cell-format.ts'

const Columns = z.unknown().optional()

/** One kind of row in a file whose first cells name the kind. */
export const RecordFrame = z.strictObject({ type: Text, each: Text.optional(), columns: Columns })
export const TrailerFrame = z.strictObject({ type: Text.optional(), columns: Columns })
export const FileFrame = z.strictObject({ records: z.int().min(1) })

export function compileWrite(
  write: WriteFrame,
  root: MapNode,
  { isTable, errors }: { readonly isTable: boolean; readonly errors: MappingErrors },
): { readonly options: WriteOptions; readonly limits: OutputLimits } {
  const { fold: _, replace: __, formulas, above: ___, ...options } = write
  const { format, encoding = 'utf-8', delimiter = ',' } = write
  const node = getEntry(root, 'write')
  const note = (key: keyof WriteFrame, message: string) =>
    errors.add(node?.kind === 'map' ? locateKey(node, key) : root, message)
  if (isDocument(format)) return compileDocumentWrite({ ...write, format }, note)
  for (const key of DOCUMENT_KEYS)
    if (write[key] !== undefined) note(key, `\`${key}\` is for documents of X12 and EDIFACT`)
  const holds = createEncodableTest(encoding) ?? encodesAll
  checkWrite(write, isTable, note)
  const isUnquoted = write.quote === null && format === 'csv'
  const fit = createFitter(write, holds, format === 'fixed' ? {} : isUnquoted ? { delimiter } : undefined)
  const above = compileLinesAbove(node, { write, holds, fit, errors })
  return {
    options: { ...options, ...(isTable ? {} : { header: false }), ...(above.length === 0 ? {} : { above }) },
    limits: {
      isFixed: format === 'fixed',
      hasHeader: isTable && (write.header ?? format === 'csv'),
      formulas,
      isUnquoted,
      ...(fit === undefined ? {} : { fit }),
    },
  }
}

/** The keys of `write` that only documents have, and those that they share with other files. */
const DOCUMENT_KEYS = ['document', 'version', 'set', 'clash'] as const
const SHARED_KEYS: readonly string[] = ['format', 'fold', 'replace', ...DOCUMENT_KEYS]

export function isDocument(format: WriteFrame['format']): format is 'x12' | 'edifact' {
  return format === 'x12' || format === 'edifact'
}

const FIRST_VERSIONS = { x12: '004010', edifact: 'D.96A' } as const

/** X12 is written in plain ASCII, EDIFACT in Latin-1; line breaks and other controls become blanks. */
function compileDocumentWrite(
  write: WriteFrame & { readonly format: 'x12' | 'edifact' },
  note: NoteOption<keyof WriteFrame>,
): { readonly options: WriteOptions; readonly limits: OutputLimits } {
  const { format, document = '', version = FIRST_VERSIONS[format] } = write
  for (const key of Object.keys(write)) {
    if (!SHARED_KEYS.includes(key)) note(key as keyof WriteFrame, `a document of ${format} has no \`${key}\``)
  }
  if (findGrammar(format, document) === undefined) {
    const known = listDocuments().map((each) => each.document.replace(`${format}/`, ''))
    const what =
      document === '' ? 'name the `document`, such as 810' : `there is no document "${document}" to write`
    note('document', `${what}.${didYouMean(document, known)}`)
  }
  const form = format === 'x12' ? /^\d{6}[A-Z0-9]{0,6}$/ : /^[A-Z]\.\d\d[A-Z](?:\.[A-Z0-9]{1,6})?$/
  if (!form.test(version)) note('version', `write the version as ${FIRST_VERSIONS[format]}`)
  const encoding = format === 'x12' ? 'utf-8' : 'latin1'
  const fold = write.fold ?? (format === 'x12' ? 'ascii' : undefined)
  const fit = createFitter({ ...write, fold, encoding }, createEncodableTest(encoding) ?? encodesAll)
  return {
    options: { format, encoding, edi: { syntax: format, document, version } },
    limits: {
      isFixed: false,
      hasHeader: false,
      isUnquoted: true,
      formulas: 'keep',
      fit(text, refuse) {
        if (PRINTABLE.test(text)) return text
        const plain = text.replaceAll(/\p{Cc}+/gu, ' ').trim()
        return fit?.(plain, (code, message) => refuse(code, message, UNQUOTED_FIX)) ?? plain
      },
    },
  }
}

/** ASCII without controls, and without blanks at its ends. */
const PRINTABLE = /^[!-~](?:[ -~]*[!-~])?$/

function checkWrite(write: WriteFrame, isTable: boolean, note: NoteOption<keyof WriteFrame>): void {
  const { format, encoding = 'utf-8', delimiter = ',', fold, replace, quote } = write
  for (const key of ['delimiter', 'quote', 'quoteAll'] as const) {
    if (format === 'fixed' && write[key] !== undefined) note(key, `a fixed-width file has no \`${key}\``)
  }
  if (write.header === true && !isTable) note('header', 'a file of `records` has no header line')
  if (createEncodableTest(encoding) === undefined) {
    note('encoding', `files cannot be written as "${encoding}": try utf-8, windows-1252 or utf-16le`)
  }
  if (write.byteOrderMark === true && !isUnicode(encoding)) {
    note('byteOrderMark', `a byte order mark is for utf-8 and utf-16, not for ${encoding}`)
  }
  if (quote === null && write.quoteAll === true) note('quoteAll', 'the file has no quotes: `quote` is null')
  if (replace === undefined) return
  if (quote === null && replace === delimiter) note('replace', 'this stands between the cells itself')
  if (format !== 'fixed' && quote !== null && fold === undefined && isUnicode(encoding)) {
    note('replace', `${encoding} holds every character, so there is nothing to replace`)
  }
}

/** Compiles the lines above the header, in characters the file can hold. */
function compileLinesAbove(
  write: SourceNode | undefined,
  context: { write: WriteFrame; holds: IsEncodable; fit: FitText | undefined; errors: MappingErrors },
): (string | readonly string[])[] {
  const written = write?.kind === 'map' ? getEntry(write, 'above') : undefined
  if (written?.kind !== 'list') return []
  const fitLine = createFitter(context.write, context.holds)
  const textOf = (node: SourceNode, fit: FitText | undefined) => {
    const text = node.kind === 'text' ? node.text : ''
    if (/[\r\n]/.test(text)) context.errors.add(node, 'this is one line, and holds no line break')
    return fit?.(text, noteRefused(node, context.errors)) ?? text
  }
  return written.items.map((line) => {
    if (line.kind !== 'list') return textOf(line, fitLine)
    if (context.write.format === 'fixed') {
      context.errors.add(line, 'a fixed-width file has no cells here: write the line as one text')
    }
    return line.items.map((cell) => textOf(cell, context.fit))
  })
}

// Characters: which ones the file can hold, and what replaces the rest.

type IsEncodable = (character: string) => boolean

const encodesAll: IsEncodable = () => true

const isAscii: IsEncodable = (character) => character < '\u0080'

function isUnicode(encoding: string): boolean {
  return /^utf[-_ ]?(?:8|16|32)/i.test(encoding)
}

/** Names that iconv knows but that are not text encodings. */
const NOT_ENCODINGS = new Set(['base64', 'hex', 'binary', 'utf7', 'utf7imap', 'cesu8', 'ucs2'])

/** Tests whether a character is in the encoding; undefined for an unknown encoding. */
function createEncodableTest(encoding: string): IsEncodable | undefined {
  if (NOT_ENCODINGS.has(encoding.toLowerCase().replace(/[^a-z0-9]/g, ''))) return undefined
  if (!iconv.encodingExists(encoding)) return undefined
  if (isUnicode(encoding)) return encodesAll
  const known = new Map<string, boolean>()
  return (character) => {
    const before = known.get(character)
    if (before !== undefined) return before
    const isHeld = iconv.decode(iconv.encode(character, encoding), encoding) === character
    known.set(character, isHeld)
    return isHeld
  }
}

// oxlint-disable-next-line no-control-regex -- every character of ASCII
const ASCII = /^[\u0000-\u007f]*$/

/** The letters whose spelling is kept: those of a language, not all of them. */
const KNOWN_MAX = 2000

interface UnquotedCells {
  /** Absent where cells have fixed widths. */
  readonly delimiter?: string
}

/**
 * Folds, replaces or refuses characters that the file cannot hold. Undefined where it can hold all. Unquoted cells can
 * hold neither line breaks nor delimiters; a replacement for line breaks is used for tabs as well.
 */
function createFitter(
  { encoding = 'utf-8', fold, replace }: WriteFrame,
  encodes: IsEncodable,
  bare?: UnquotedCells,
): FitText | undefined {
  const plain = fold === 'ascii' ? isAscii : encodes
  if (plain === encodesAll && bare === undefined) return undefined
  const separates: IsEncodable = (character) =>
    bare !== undefined && (character === '\n' || character === '\r' || character === bare.delimiter)
  const holds: IsEncodable = (character) => plain(character) && !separates(character)
  const isWritable = (text: string) => Array.from(text).every(holds)
  const kept = fold === 'ascii' ? 'plain ASCII' : encoding
  const known = new Map<string, string | undefined>()
  const instead = (character: string) => {
    if (known.has(character)) return known.get(character)
    const texts = [fold === 'ascii' ? toAscii(character) : undefined, replace]
    const found = texts.find((text) => text !== undefined && isWritable(text))
    if (known.size < KNOWN_MAX) known.set(character, found)
    return found
  }
  const isSafe = bare === undefined ? () => true : (text: string) => !Array.from(text).some(separates)
  const spaced = bare !== undefined && replace !== undefined && isWritable(replace)
  return (given, refuse) => {
    const text = spaced ? given.replace(/\r\n|[\r\n\t]/g, replace) : given
    if (ASCII.test(text) && isSafe(text)) return text
    let fitting = ''
    for (const character of text.normalize('NFC')) {
      const written = holds(character) ? character : instead(character)
      if (written === undefined) {
        return separates(character)
          ? refuse('character-unwritable', describeUnquotable(text, character, bare), UNQUOTED_FIX)
          : refuse('character-unwritable', describeUnwritable(character, kept))
      }
      fitting += written
    }
    return fitting
  }
}

const UNQUOTED_FIX = 'Say what stands for it, under `write` in the mapping: `replace: " "`.'

function describeUnwritable(character: string, kept: string): string {
  const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
  return `"${character}" (U+${code}) cannot be written in ${kept}.`
}

function describeUnquotable(text: string, character: string, bare: UnquotedCells | undefined): string {
  if (bare?.delimiter === undefined) return `${quoteText(text)} holds a line break, which would end the line.`
  const isBreak = /[\r\n]/.test(character)
  const what = isBreak ? 'a line break' : `${JSON.stringify(character)}, which stands between cells`
  return `${quoteText(text)} holds ${what}, and the file has no quotes around it.`
}

/** Texts that the options of a column put into the file. */
const TEXT_OPTION_NAMES = ['with', 'join', 'yes', 'no', 'decimal', 'grouping'] as const

/** Notes option texts of a column that the file cannot hold. */
export function checkOptionTexts(
  node: SourceNode,
  options: Partial<Record<(typeof TEXT_OPTION_NAMES)[number], string | undefined>> & {
    readonly pad?: { readonly with: string } | undefined
    readonly formulas?: 'guard' | 'keep' | undefined
  },
  { fit, formulas: ofFile }: OutputLimits,
  errors: MappingErrors,
): void {
  const note = (...keys: readonly string[]) => noteRefused(nodeAt(node, ...keys), errors)
  const { pad, formulas = ofFile } = options
  for (const option of TEXT_OPTION_NAMES) fit?.(options[option] ?? '', note(option))
  fit?.(pad?.with ?? '', note('pad', 'with'))
  if (formulas === 'guard') fit?.("'", note('formulas'))
}

export const WRITE_KEYS = {
  format: {
    schema: z.enum(['csv', 'fixed', 'x12', 'edifact'], {
      error: 'expected `csv`, `fixed`, `x12` or `edifact`',
    }),
    summary:
      '`csv`; `fixed` for lines of fixed width: each column has a `width`, and there is no header line by default; `x12` or `edifact` for documents, with `segments`',
    example: 'format: fixed',
  },
  encoding: {
    schema: Text,
    summary: 'UTF-8 by default; a character it does not have is a problem of the record, never a silent `?`',
    example: 'encoding: windows-1252',
  },
  delimiter: { schema: Character, summary: 'one character', example: 'delimiter: ";"' },
  newline: { schema: z.enum(['\n', '\r\n']), summary: 'what ends a line', example: 'newline: "\\n"' },
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
    summary: 'a mark of the encoding at the start of the file; UTF-16 has one by default',
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
  document: {
    schema: z.union([Text, z.int().transform(String)], {
      error: 'expected a document, such as 810 or INVOIC',
    }),
    summary: 'the document of X12 or EDIFACT that is written',
    example: 'document: 810',
  },
  version: {
    schema: Text,
    summary: 'its version, where the partner wants no other one: `004010` or `D.96A` by default',
    example: 'version: "005010"',
  },
  set: {
    schema: z.literal('file', { error: 'expected `file`' }),
    summary:
      '`file`: one set holds all records of the file, such as the items of an 846; else each record has a set of its own',
    example: 'set: file',
  },
  clash: {
    schema: z.literal('hold', { error: 'expected `hold`' }),
    summary:
      '`hold`: a record with a delimiter of X12 in a value is held; by default `replace` or a blank stands for it, and the record has a warning',
    example: 'clash: hold',
  },
  formulas: {
    schema: z.enum(['guard', 'keep'], { error: 'expected `guard` or `keep`' }),
    summary:
      '`guard`: a cell that a spreadsheet would run gets an apostrophe in front, for files people open there; a number such as `-12.50` stays. By default such cells are kept and reported as a warning, with `keep` they are not reported',
    example: 'formulas: guard',
  },
} as const satisfies Readonly<Record<string, KeyRow>>

const { format, ...WRITE_OPTIONS } = WRITE_KEYS

export const WriteFrame = z.strictObject({
  format: format.schema.describe(format.summary),
  ...optionalKeys(WRITE_OPTIONS),
})

export type WriteFrame = z.infer<typeof WriteFrame>
