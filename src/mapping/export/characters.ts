/** Which characters the file of an export can hold, and what becomes of the others. */
import iconv from 'iconv-lite'
import { type Mistakes, nodeAt, type SourceNode } from '../source/source.ts'
import { asciiOf } from '../values/ascii.ts'
import { quoted } from '../values/text.ts'
import type { WriteFrame } from './write-frame.ts'
import type { Fit, Paper } from './paper.ts'

export type Holds = (character: string) => boolean

export const holdsAll: Holds = () => true
const isAscii: Holds = (character) => character < '\u0080'

export function isUnicode(encoding: string): boolean {
  return /^utf[-_ ]?(?:8|16|32)/i.test(encoding)
}

/** What iconv knows by name and is no encoding of text. */
const NOT_ENCODINGS = new Set(['base64', 'hex', 'binary', 'utf7', 'utf7imap', 'cesu8', 'ucs2'])

/** Whether a character is in the encoding; undefined where there is no such encoding. */
export function holderOf(encoding: string): Holds | undefined {
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

/** What keeps the cells of a file apart where they have no quotes around them. */
export interface Bare {
  /** Left out where cells have their widths instead. */
  readonly delimiter?: string
}

/**
 * Gives texts with the characters the file cannot hold folded or replaced, as told, or refused. Undefined where it can
 * hold all. In bare cells line breaks and delimiters cannot be written, and tabs go the way of line breaks where
 * something stands for these.
 */
export function fitter(
  { encoding = 'utf-8', fold, replace }: WriteFrame,
  encodes: Holds,
  bare?: Bare,
): Fit | undefined {
  const plain = fold === 'ascii' ? isAscii : encodes
  if (plain === holdsAll && bare === undefined) return undefined
  const separates = separatorIn(bare)
  const holds: Holds = (character) => plain(character) && !separates(character)
  const isWritable = (text: string) => Array.from(text).every(holds)
  const kept = fold === 'ascii' ? 'plain ASCII' : encoding
  const instead = (character: string) =>
    [fold === 'ascii' ? asciiOf(character) : undefined, replace].find(
      (text) => text !== undefined && isWritable(text),
    )
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
          ? refuse('character-unwritable', unquotable(text, character, bare), BARE_CURE)
          : refuse('character-unwritable', unwritable(character, kept))
      }
      fitting += written
    }
    return fitting
  }
}

const BARE_CURE = 'Say what stands for it, under `write` in the mapping: `replace: " "`.'

function separatorIn(bare: Bare | undefined): (character: string) => boolean {
  if (bare === undefined) return () => false
  return (character) => character === '\n' || character === '\r' || character === bare.delimiter
}

function unwritable(character: string, kept: string): string {
  const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
  return `"${character}" (U+${code}) cannot be written in ${kept}.`
}

function unquotable(text: string, character: string, bare: Bare | undefined): string {
  if (bare?.delimiter === undefined) return `${quoted(text)} holds a line break, which would end the line.`
  const what = /[\r\n]/.test(character)
    ? 'a line break'
    : `${JSON.stringify(character)}, which stands between cells`
  return `${quoted(text)} holds ${what}, and the file has no quotes around it.`
}

/** Texts that the options of a column put into the file. */
const TEXTS = ['with', 'join', 'yes', 'no', 'decimal', 'grouping'] as const

/** Notes what a column puts into the file of itself and the file cannot hold. */
export function checkTexts(
  node: SourceNode,
  options: Partial<Record<(typeof TEXTS)[number], string | undefined>> & {
    readonly pad?: { readonly with: string } | undefined
    readonly formulas?: 'guard' | 'leave' | undefined
  },
  { fit, guardsFormulas }: Paper,
  mistakes: Mistakes,
): void {
  const note = (keys: readonly string[]) => (_code: unknown, message: string) => {
    mistakes.add(nodeAt(node, keys), message)
    return ''
  }
  const { pad, formulas } = options
  for (const option of TEXTS) fit?.(options[option] ?? '', note([option]))
  fit?.(pad?.with ?? '', note(['pad', 'with']))
  if (formulas === 'guard' || (guardsFormulas && formulas === undefined)) fit?.("'", note(['formulas']))
}
