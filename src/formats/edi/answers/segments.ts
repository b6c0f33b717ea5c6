/** What answers of both syntaxes are made of: options, segments with the delimiters of what is answered, and texts. */
import { DateTime } from 'luxon'
import { type AnswerRequest, MAX_CONTROL_NUMBER } from '../../../domain/interchange.ts'
import type { Delimiters } from '../../../edi/segment.ts'
import { decodeText, UNDECODABLE } from '../charset.ts'
import type { JudgedGroup, JudgedGroupEnd, JudgedInterchange, JudgedSet } from '../judgment.ts'

export interface AnswerOptions extends Pick<AnswerRequest, 'numbers' | 'kind' | 'ta1' | 'echoes' | 'zone'> {
  /** When the answers are made. */
  readonly at: Date
  /** The ordinals of the interchanges that are answered; absent: all. */
  readonly interchanges?: ReadonlySet<number>
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
  readonly takeGroupNumber: () => number
}

/** Control numbers count on, and begin with 1 again behind the highest. */
export function createCounter(first: number): { readonly get: () => number; readonly take: () => number } {
  let next = first
  return {
    get: () => next,
    take() {
      const number = next
      next = number >= MAX_CONTROL_NUMBER ? 1 : number + 1
      return number
    },
  }
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

/** `20261124`, `1405`: the date and time of an envelope in its zone. */
export function splitMoment(at: number, zone: string): { readonly day: string; readonly time: string } {
  const local = DateTime.fromMillis(at, { zone })
  return { day: local.toFormat('yyyyMMdd'), time: local.toFormat('HHmm') }
}
