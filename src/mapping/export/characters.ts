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

/**
 * Gives texts with the characters the file cannot hold folded or replaced, as told, or refused. Undefined where it can
 * hold all. With `separator`, cells have no quotes around them that would keep it apart from what stands in them.
 */
export function fitter(
  { encoding = 'utf-8', fold, replace }: WriteFrame,
  encodes: Holds,
  separator?: string,
): Fit | undefined {
  const plain = fold === 'ascii' ? isAscii : encodes
  if (plain === holdsAll && separator === undefined) return undefined
  const separates = (character: string) =>
    separator !== undefined && (character === separator || character === '\n' || character === '\r')
  const holds: Holds = (character) => plain(character) && !separates(character)
  const isWritable = (text: string) => Array.from(text).every(holds)
  const kept = fold === 'ascii' ? 'plain ASCII' : encoding
  const instead = (character: string) =>
    [fold === 'ascii' ? asciiOf(character) : undefined, replace].find(
      (text) => text !== undefined && isWritable(text),
    )
  const isSafe = separator === undefined ? () => true : (text: string) => !hasAny(text, separator)
  return (text, refuse) => {
    if (ASCII.test(text) && isSafe(text)) return text
    let fitting = ''
    for (const character of text.normalize('NFC')) {
      const written = holds(character) ? character : instead(character)
      if (written === undefined) {
        const why = separates(character) ? unquotable(text, character) : unwritable(character, kept)
        return refuse('character-unwritable', why)
      }
      fitting += written
    }
    return fitting
  }
}

function hasAny(text: string, separator: string): boolean {
  return text.includes(separator) || text.includes('\n') || text.includes('\r')
}

function unwritable(character: string, kept: string): string {
  const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
  return `"${character}" (U+${code}) cannot be written in ${kept}.`
}

function unquotable(text: string, character: string): string {
  const what = /[\r\n]/.test(character)
    ? 'a line break'
    : `${JSON.stringify(character)}, which stands between cells`
  return `${quoted(text)} holds ${what}, and the file has no quotes around it.`
}

/** Texts that the options of a column put into the file. */
const TEXTS = ['with', 'join', 'yes', 'no', 'decimal'] as const

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
