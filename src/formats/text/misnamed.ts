/** Files that are UTF-8 although the mapping names an encoding with one byte for each character, in which all bytes are text. */
import { isAscii, isUtf8 } from 'node:buffer'
import iconv from 'iconv-lite'
import { problem, type Problem } from '../../domain/problem.ts'
import { cutCharacterLength, type Decoder, openDecoder } from './decoders.ts'

/** What is known so far: nothing tells yet, it is some other encoding, or it is UTF-8 for all anybody can tell. */
type Verdict = 'unsure' | 'other' | 'utf-8'

/** Looks at the bytes of a file as they come; holds none of them but a character that is cut. */
export interface Utf8Watch {
  look(bytes: Uint8Array): Verdict
  /** What is wrong with the file that was found to be UTF-8. */
  problem(): Problem
}

/** Undefined for an encoding that takes several bytes to some characters. */
export function watchForUtf8(encoding: string): Utf8Watch | undefined {
  if (!hasOneByte(encoding)) return undefined
  let kept = Buffer.alloc(0)
  let verdict: Verdict = 'unsure'
  let word = ''
  const rare = new Set<string>()
  return {
    look(bytes) {
      if (verdict !== 'unsure' || (kept.length === 0 && isAscii(bytes))) return verdict
      const all = Buffer.concat([kept, bytes])
      const whole = all.subarray(0, all.length - cutCharacterLength(all))
      kept = Buffer.from(all.subarray(whole.length))
      if (!isUtf8(whole)) return (verdict = 'other')
      const text = whole.toString('utf8')
      verdict = verdictOn(text, encoding, rare)
      word = WORD.exec(text)?.[0] ?? ''
      return verdict
    },
    problem() {
      const misread = iconv.decode(Buffer.from(word), encoding)
      const message = `The mapping says ${encoding}, but this file is UTF-8 ("${misread}" would be "${word}").`
      const hint = `Save it as ${encoding}, or take \`encoding\` out of the mapping.`
      return problem('file-undecodable', {}, message, hint)
    },
  }
}

/** A word with a letter beyond ASCII, to show. */
const WORD = /[\p{L}\p{N}]{0,20}[\u00A0-\u{10FFFF}][\p{L}\p{N}]{0,20}/u

const RUNS = /[^\0-\u007F]+/g
/** Western letters and signs, and all that takes three bytes: read byte by byte, `Ã«` and `â€™`. */
const TELLING = /[\u00A0-\u00FF\u0800-\u{10FFFF}]/u
const CONTROL = /[\u0080-\u009F]/
const LATIN_BESIDES = /^[\u0100-\u017F]$/
/** Three bytes make one of these, which stands alone; not the dashes, quotes and ticks of U+2000 to U+2FFF. */
const THREE_BYTES = /^[\u0800-\u1FFF\u3000-\uFFFF]$/
/** As in `Tomáš’s`, whose last letters are U+1692 in UTF-8. */
const END_OF_WORD = /^\p{L}\p{L}[\p{L}\p{P}\p{S}]$/u

/**
 * What the text that the bytes make as UTF-8 says. Bytes meant one by one make UTF-8 by accident only where a capital
 * letter with a mark stands before a sign, as in `CAFÉ®`, or two letters with marks end a word before one, as in
 * `Tomáš’s`: one such character is no proof, unless nobody writes the pair.
 */
function verdictOn(text: string, encoding: string, rare: Set<string>): Verdict {
  if (CONTROL.test(text)) return 'other'
  for (const [run] of text.matchAll(RUNS)) {
    if (LATIN_BESIDES.test(run) || isEndOfWord(run, encoding)) rare.add(run)
    else if (TELLING.test(run) || run.length > 1) return 'utf-8'
    if (rare.size > 1) return 'utf-8'
  }
  return 'unsure'
}

function isEndOfWord(run: string, encoding: string): boolean {
  return THREE_BYTES.test(run) && END_OF_WORD.test(iconv.decode(Buffer.from(run), encoding))
}

/** The decoder, to which characters of UTF-8 are no text once the watch has found the file to be UTF-8. */
export function watchedDecoder(decoder: Decoder, watch: Utf8Watch): Decoder {
  let asUtf8: Decoder | undefined
  return {
    write(bytes) {
      if (asUtf8 === undefined && watch.look(bytes) === 'utf-8') asUtf8 = openDecoder('utf-8')
      return asUtf8 === undefined ? decoder.write(bytes) : marked(asUtf8.write(bytes).text)
    },
    end: () => (asUtf8 === undefined ? decoder.end() : marked(asUtf8.end().text)),
  }
}

function marked(text: string): { readonly text: string; readonly damaged: boolean } {
  const without = text.replace(RUNS, '\uDC80')
  return { text: without, damaged: without !== text }
}

const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))

function hasOneByte(encoding: string): boolean {
  if (encoding.startsWith('utf')) return false
  return iconv.decode(EVERY_BYTE, encoding, { stripBOM: false }).length === EVERY_BYTE.length
}
