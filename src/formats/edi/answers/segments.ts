/** What answers of both syntaxes are made of: options, segments with the delimiters of what is answered, and texts. */
import type { Delimiters } from '../../../edi/segment.ts'
import { decodeText, UNDECODABLE } from '../charset.ts'
import type { JudgedGroup, JudgedGroupEnd, JudgedInterchange, JudgedSet } from '../judgment.ts'

export interface AnswerOptions {
  /** When the answers are made. */
  readonly at: Date
  /** The document that answers groups of X12. */
  readonly kind: '997' | '999'
  /** The number of the first answer; the others count on. */
  readonly firstNumber: number
  /** Whether wrong texts are repeated in AK404. */
  readonly echoes: boolean
}

/** The answer to one interchange. Each call returns the next text of it; each character is a byte. */
export interface InterchangeAnswer {
  beginGroup(part: JudgedGroup): string
  addSet(part: JudgedSet): string
  /** Absent where nothing is said at the end of a group. */
  endGroup?(part: JudgedGroupEnd): string
  end(): string
  /** Whether anything was answered. */
  readonly isWritten: boolean
}

export interface AnswerContext extends AnswerOptions {
  readonly part: JudgedInterchange
  /** The number of this answer. */
  readonly number: number
}

/** Writes segments with the delimiters of the interchange that is answered, one on each line. */
export class SegmentWriter {
  readonly #delimiters: Delimiters
  /** How many segments were written. */
  count = 0

  constructor(delimiters: Delimiters) {
    this.#delimiters = delimiters
  }

  /** Elements at the end that are empty are left out. */
  write(id: string, ...elements: readonly string[]): string {
    this.count += 1
    const { element, segment } = this.#delimiters
    const last = elements.findLastIndex((each) => each !== '')
    const text = [id, ...elements.slice(0, last + 1)].join(element) + segment
    return segment.endsWith('\n') || segment.endsWith('\r') ? text : `${text}\n`
  }
}

/** A text of a file that is repeated: without what would end an element, at most so many characters. */
export function cleanEcho(latin1: string, delimiters: Delimiters, length: number): string {
  const { element, component, repetition = '', segment } = delimiters
  const text = Array.from(decodeText(latin1, delimiters.charset))
    .slice(0, length)
    .join('')
    .replaceAll(UNDECODABLE, '?')
    .replaceAll(/\p{Cc}/gu, ' ')
  let clean = Buffer.from(text, 'utf8').toString('latin1')
  for (const each of [element, component, repetition, segment])
    if (each !== '') clean = clean.replaceAll(each, ' ')
  return clean.trimEnd()
}

/** `20261124`, `1405`. */
export function splitMoment(at: Date): { readonly day: string; readonly time: string } {
  const iso = at.toISOString()
  return { day: iso.slice(0, 10).replaceAll('-', ''), time: iso.slice(11, 16).replace(':', '') }
}
