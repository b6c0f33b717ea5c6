/** How a mapping says what its export looks like: the frames of `write`, `records`, `trailer` and `file`, and what a cell can hold. */
import iconv from 'iconv-lite'
import { z } from 'zod'
import type { WriteOptions } from '../../domain/format.ts'
import type { ProblemCode } from '../../domain/problem.ts'
import { keyPlace, type MapNode, type Mistakes } from '../source/source.ts'
import { asciiOf } from '../values/ascii.ts'

const Text = z.string().min(1)

export const WriteFrame = z.strictObject({
  format: z.enum(['csv', 'fixed'], { error: 'expected `csv` or `fixed`' }),
  encoding: Text.optional(),
  delimiter: z.string().length(1, 'expected one character').optional(),
  newline: z.enum(['\n', '\r\n']).optional(),
  quoteAll: z.boolean().optional(),
  byteOrderMark: z.boolean().optional(),
  header: z.boolean().optional(),
  fold: z.literal('ascii', { error: 'expected `ascii`' }).optional(),
  replace: z
    .string()
    .regex(/^[ -~]$/, 'expected one plain character, such as "?"')
    .optional(),
  formulas: z.literal('guard', { error: 'expected `guard`' }).optional(),
})
export type WriteFrame = z.infer<typeof WriteFrame>

/** One kind of row in a file whose rows say in their first cell what they are. */
export const RecordFrame = z.strictObject({
  type: Text,
  each: Text.optional(),
  columns: z.unknown().optional(),
})

export const TrailerFrame = z.strictObject({ type: Text.optional(), columns: z.unknown().optional() })

export const FileFrame = z.strictObject({ records: z.int().min(1) })

export type RefuseCell = (code: ProblemCode, message: string) => string

/** What the file asks of every cell. */
export interface Paper {
  /** Cells have the width of their column, and nothing stands between them. */
  readonly isFixed: boolean
  /** The names of the columns stand in the file. */
  readonly hasHeader: boolean
  /** Cells that a spreadsheet would take for a formula get an apostrophe in front. */
  readonly guardsFormulas: boolean
  /** The text in characters that the file can hold; left out where it can hold all. */
  readonly fit?: (text: string, refuse: RefuseCell) => string
}

/** What the writer is told and what cells are held to; what is wrong is noted. */
export function compileWrite(
  write: WriteFrame,
  root: MapNode,
  { isTable, mistakes }: { readonly isTable: boolean; readonly mistakes: Mistakes },
): { readonly options: WriteOptions; readonly paper: Paper } {
  const { fold, replace, formulas, ...options } = write
  const { format, encoding = 'utf-8' } = write
  const node = root.entries.get('write')?.node
  const note = (key: keyof WriteFrame, message: string) =>
    mistakes.add(node?.kind === 'map' ? keyPlace(node, key) : root, message)
  for (const key of ['delimiter', 'quoteAll'] as const) {
    if (format === 'fixed' && write[key] !== undefined) note(key, `a fixed-width file has no \`${key}\``)
  }
  if (write.header === true && !isTable) note('header', 'a file of `records` has no header line')
  const holds = holderOf(encoding)
  if (holds === undefined) {
    note('encoding', `files cannot be written as "${encoding}": try utf-8, windows-1252 or utf-16le`)
  }
  if (write.byteOrderMark === true && !isUnicode(encoding)) {
    note('byteOrderMark', `a byte order mark is for utf-8 and utf-16, not for ${encoding}`)
  }
  if (replace !== undefined && fold === undefined && isUnicode(encoding)) {
    note('replace', `${encoding} holds every character, so there is nothing to replace`)
  }
  const paper = {
    isFixed: format === 'fixed',
    hasHeader: isTable && (write.header ?? format === 'csv'),
    guardsFormulas: formulas === 'guard',
  }
  const plain = fold === 'ascii' ? isAscii : holds
  return {
    options: isTable ? options : { ...options, header: false },
    paper: plain === undefined || plain === holdsAll ? paper : { ...paper, fit: fitter(write, plain) },
  }
}

type Holds = (character: string) => boolean

const holdsAll: Holds = () => true
const isAscii: Holds = (character) => character < '\u0080'

function isUnicode(encoding: string): boolean {
  return /^utf[-_ ]?(?:8|16|32)/i.test(encoding)
}

/** What iconv knows by name and is no encoding of text. */
const NOT_ENCODINGS = new Set(['base64', 'hex', 'binary', 'utf7', 'utf7imap', 'cesu8', 'ucs2'])

/** Whether a character is in the encoding; undefined where there is no such encoding. */
function holderOf(encoding: string): Holds | undefined {
  if (NOT_ENCODINGS.has(encoding.toLowerCase().replace(/[^a-z0-9]/g, ''))) return undefined
  if (!iconv.encodingExists(encoding)) return undefined
  if (isUnicode(encoding)) return holdsAll
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

/** Gives texts with the characters the file cannot hold folded or replaced, as told, or refused. */
function fitter({ encoding = 'utf-8', fold, replace }: WriteFrame, holds: Holds): NonNullable<Paper['fit']> {
  const kept = fold === 'ascii' ? 'plain ASCII' : encoding
  const instead = (character: string) => (fold === 'ascii' ? asciiOf(character) : undefined) ?? replace
  return (text, refuse) => {
    if (ASCII.test(text)) return text
    let fitting = ''
    for (const character of text.normalize('NFC')) {
      const written = holds(character) ? character : instead(character)
      if (written === undefined) {
        const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
        return refuse('character-unwritable', `"${character}" (U+${code}) cannot be written in ${kept}.`)
      }
      fitting += written
    }
    return fitting
  }
}
