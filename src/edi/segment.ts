/** A segment of an interchange: its text, its place in the file, and its elements on demand. */

export type Syntax = 'x12' | 'edifact'

/** The characters of an interchange that are not data. One character is one byte of the file. */
export interface Delimiters {
  readonly syntax: Syntax
  readonly element: string
  readonly component: string
  /** Between repetitions of one element; absent where the version has none. */
  readonly repetition?: string
  /** Ends a segment. Several characters where it is one of UTF-8 that has several bytes. */
  readonly segment: string
  /** Makes the character behind it data; only EDIFACT has one. */
  readonly release?: string
  /** How texts are encoded that are not UTF-8, as EDIFACT says it. */
  readonly charset?: string
  /** What stands before the decimals of a number where the service string of EDIFACT says it. */
  readonly decimal?: '.' | ','
}

/**
 * Text of a segment is Latin-1: each character is a byte of the file. `decodeText` in `formats/edi/charset.ts` turns values
 * into text. Elements are cut when they are first asked for.
 */
export class Segment {
  /** Its number in the file, from 1. */
  readonly number: number
  /** The offset of its first byte, and of the byte behind its terminator. */
  readonly at: number
  readonly end: number
  readonly id: string
  /** Without terminator and line breaks. */
  readonly text: string
  readonly delimiters: Delimiters
  #parts: readonly string[] | undefined

  constructor(of: Pick<Segment, 'number' | 'at' | 'end' | 'text' | 'delimiters'>) {
    const { number, at, end, text, delimiters } = of
    this.number = number
    this.at = at
    this.end = end
    this.text = text
    this.delimiters = delimiters
    this.id = readId(text, delimiters.element)
    this.#parts = undefined
  }

  /** The id and the elements as they stand in the file, with components and release characters. */
  get parts(): readonly string[] {
    const { element, release } = this.delimiters
    return (this.#parts ??= splitReleased(this.text, element, release))
  }

  /** How many elements it has. */
  get size(): number {
    return this.parts.length - 1
  }

  /** An element from 1, as it stands in the file; empty where there is none. */
  raw(element: number): string {
    return this.parts[element] ?? ''
  }

  /** The texts of all elements that are not blank; in EDIFACT of all components. */
  texts(): string[] {
    const { component, release, syntax } = this.delimiters
    const elements = this.parts.slice(1)
    if (syntax === 'x12') return elements.filter((text) => text !== '')
    return elements
      .flatMap((text) => splitReleased(text, component, release))
      .map((text) => removeRelease(text, release))
      .filter((text) => text !== '')
  }

  /**
   * An element without release characters: in X12 all of it, because texts may hold the component separator; in EDIFACT its
   * first component. With `component`, from 1, only that one.
   */
  value(element: number, component?: number): string {
    const text = this.parts[element]
    if (text === undefined || text === '') return ''
    if (component === undefined && this.delimiters.syntax === 'x12') return text
    const { component: separator, repetition, release } = this.delimiters
    const first = repetition === undefined ? text : (splitReleased(text, repetition, release)[0] ?? '')
    return removeRelease(splitReleased(first, separator, release)[(component ?? 1) - 1] ?? '', release)
  }
}

/** Which segment is meant. */
export interface SegmentTest {
  readonly id: string
  /** `toIdBit` of the id. */
  readonly idBit: number
  /** The qualifiers of which it has one; empty when it may have any. */
  readonly qualifiers: readonly string[]
  /** The element with the qualifier. */
  readonly qualifier: number
  readonly conditions: readonly { readonly element: number; readonly text: string }[]
  /** The first that fits, the second … */
  readonly nth: number
}

/** Ids of two and three characters, by these characters. */
const knownIds = new Map<number, string>()
const MAX_KNOWN_IDS = 4096

/** One string for all segments of an id, because each of them is looked up and compared several times. */
function readId(text: string, separator: string): string {
  const length = text[2] === separator ? 2 : text[3] === separator ? 3 : -1
  // The separator may also stand before.
  if (length === -1 || text[1] === separator || text[0] === separator) {
    const end = text.indexOf(separator)
    return end === -1 ? text : text.slice(0, end)
  }
  const third = length === 2 ? 0 : text.charCodeAt(2)
  const key = text.charCodeAt(0) | (text.charCodeAt(1) << 8) | (third << 16)
  const known = knownIds.get(key)
  if (known !== undefined) return known
  const id = shareText(text.slice(0, length))
  if (knownIds.size < MAX_KNOWN_IDS) knownIds.set(key, id)
  return id
}

/** The text as names of properties are kept: one string for all that are equal, so that comparing them is cheap. */
export function shareText(text: string): string {
  return Object.keys({ [text]: true })[0] ?? text
}

/** A bit for an id, to say which ids may be in a loop: several ids share each bit. */
export function toIdBit(id: string): number {
  return 1 << ((id.charCodeAt(0) * 5 + id.charCodeAt(1) * 3 + (id.length > 2 ? id.charCodeAt(2) : 0)) & 31)
}

/** Splits at each separator that no release character makes data. An even number of release characters before it is data. */
export function splitReleased(text: string, separator: string, release: string | undefined): string[] {
  const parts: string[] = []
  let from = 0
  if (release === undefined || !text.includes(release)) {
    // Faster than `split` for texts as short as these.
    for (let stop = text.indexOf(separator); stop !== -1; stop = text.indexOf(separator, from)) {
      parts.push(text.slice(from, stop))
      from = stop + separator.length
    }
    parts.push(text.slice(from))
    return parts
  }
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === release) at += 1
    else if (text[at] === separator) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  parts.push(text.slice(from))
  return parts
}

function removeRelease(text: string, release: string | undefined): string {
  if (release === undefined || !text.includes(release)) return text
  let plain = ''
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === release) at += 1
    plain += text[at] ?? ''
  }
  return plain
}
