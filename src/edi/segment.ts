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

/** An element, and where its value goes; of pairs, the number of the pair. */
export interface PlacedElement {
  readonly element: number
  readonly position: number
}

/** Text of the file with segments in it. */
export interface SegmentSource {
  readonly text: string
  /** The offset of its first character. */
  readonly offset: number
  readonly delimiters: Delimiters
  /** The offset behind the terminator, where the text is that of one segment, without line breaks. */
  readonly end?: number
}

/** Segments that stand behind each other in one text, with nothing but terminators and line breaks between them. */
export interface SegmentRun {
  readonly source: SegmentSource
  readonly from: number
  to: number
}

const [LINE_FEED, CARRIAGE_RETURN] = [10, 13]

function endsLine(terminator: string): boolean {
  const first = terminator.charCodeAt(0)
  return first === LINE_FEED || first === CARRIAGE_RETURN
}

/** The texts of the segments with the terminators between them. */
export function readRun({ source, from, to }: SegmentRun): string {
  const written = source.text.slice(from, to)
  if (endsLine(source.delimiters.segment)) return written
  const text = written.replaceAll('\n', '')
  return text.includes('\r') ? text.replaceAll('\r', '') : text
}

/**
 * Text of a segment is Latin-1: each character is a byte of the file. `decodeText` in `formats/edi/charset.ts` turns values
 * into text. Most segments are only counted, so a text or an element is cut out of the source when it is asked for.
 */
export class Segment {
  /** Its number in the file, from 1. */
  readonly number: number
  readonly id: string
  /** For `ById`. */
  readonly idNumber: number
  readonly #source: SegmentSource
  readonly #from: number
  readonly #to: number
  /** Undefined until it is known whether it has release characters, which make separators data; null where it has none. */
  #parts: readonly string[] | null | undefined

  /** `from`, `to`: where it stands in the text of the source, without its terminator. */
  constructor(source: SegmentSource, number: number, from = 0, to = source.text.length) {
    const { element, release } = source.delimiters
    const separator = element.charCodeAt(0)
    const code = readIdNumber(source.text, from, to, separator)
    this.number = number
    this.id = code === UNNUMBERED ? readLongId(source.text, from, to, separator) : (numberedIds[code] ?? '')
    this.idNumber = code
    this.#source = source
    this.#from = from
    this.#to = to
    this.#parts = release === undefined ? null : undefined
  }

  /** The offset of its first byte. */
  get at(): number {
    return this.#source.offset + this.#from
  }

  /** The offset of the byte behind its terminator. */
  get end(): number {
    const { end, offset, delimiters } = this.#source
    return end ?? offset + this.#to + delimiters.segment.length
  }

  get delimiters(): Delimiters {
    return this.#source.delimiters
  }

  /** Without terminator and line breaks. */
  get text(): string {
    return this.#source.text.slice(this.#from, this.#to)
  }

  get length(): number {
    return this.#to - this.#from
  }

  /** Takes it up into a run where it is the next one of the same source; false where it is not. */
  extend(run: SegmentRun): boolean {
    const { source, to } = run
    if (source !== this.#source || source.end !== undefined) return false
    const { segment: terminator } = source.delimiters
    const behind = to + terminator.length
    if (behind < this.#from && endsLine(terminator)) return false
    for (let at = behind; at < this.#from; at += 1) {
      const code = source.text.charCodeAt(at)
      if (code !== LINE_FEED && code !== CARRIAGE_RETURN) return false
    }
    run.to = this.#to
    return true
  }

  startRun(): SegmentRun {
    return { source: this.#source, from: this.#from, to: this.#to }
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
    if (this.#parts !== null && this.#isSplit()) return this.#valueOfParts(element, component)
    const { text: source, delimiters } = this.#source
    const { syntax, element: separator, component: inner, repetition } = delimiters
    const code = separator.charCodeAt(0)
    let from = this.#from
    for (let left = element; left > 0; left -= 1) {
      from = findPartEnd(source, code, from, this.#to) + 1
      if (from > this.#to) return ''
    }
    const end = findPartEnd(source, code, from, this.#to)
    if (component === undefined && syntax === 'x12') return source.slice(from, end)
    const to = repetition === undefined ? end : findPartEnd(source, repetition.charCodeAt(0), from, end)
    const innerCode = inner.charCodeAt(0)
    for (let left = component ?? 1; left > 1; left -= 1) {
      from = findPartEnd(source, innerCode, from, to) + 1
      if (from > to) return ''
    }
    return source.slice(from, findPartEnd(source, innerCode, from, to))
  }

  /**
   * Copies elements of a segment of X12 in one go, each to its place among the values. Returns a number above 0x7F where one of
   * them has other characters than those of ASCII.
   */
  copyElements(wanted: readonly PlacedElement[], values: string[]): number {
    const { text, delimiters } = this.#source
    const separator = delimiters.element.charCodeAt(0)
    const to = this.#to
    let at = this.#from
    let current = 0
    let characters = 0
    for (const { element, position } of wanted) {
      while (current < element) {
        while (at < to && text.charCodeAt(at) !== separator) at += 1
        if (at === to) return characters
        at += 1
        current += 1
      }
      let end = at
      for (; end < to; end += 1) {
        const code = text.charCodeAt(end)
        if (code === separator) break
        characters |= code
      }
      values[position] = text.slice(at, end)
    }
    return characters
  }

  /** Copies the values behind qualifiers of a segment of X12 likewise. Of two with the same qualifier the first counts. */
  copyPairs(first: number, wanted: ReadonlyMap<string, PlacedElement>, values: string[]): number {
    const { text, delimiters } = this.#source
    const separator = delimiters.element.charCodeAt(0)
    const to = this.#to
    let at = this.#from
    for (let left = first; left > 0; left -= 1) {
      at = findPartEnd(text, separator, at, to) + 1
      if (at > to) return 0
    }
    let characters = 0
    let taken = 0
    while (at <= to) {
      const end = findPartEnd(text, separator, at, to)
      const pair = end > at ? wanted.get(text.slice(at, end)) : undefined
      const start = end + 1
      at = start > to ? start : findPartEnd(text, separator, start, to) + 1
      if (pair === undefined || start > to || (taken & (1 << pair.element)) !== 0) continue
      taken |= 1 << pair.element
      const value = text.slice(start, at - 1)
      for (let index = 0; index < value.length; index += 1) characters |= value.charCodeAt(index)
      values[pair.position] = value
    }
    return characters
  }

  #valueOfParts(element: number, component: number | undefined): string {
    const text = this.parts[element]
    if (text === undefined || text === '') return ''
    if (component === undefined && this.delimiters.syntax === 'x12') return text
    const { component: separator, repetition, release } = this.delimiters
    const first = repetition === undefined ? text : (splitReleased(text, repetition, release)[0] ?? '')
    return removeRelease(splitReleased(first, separator, release)[(component ?? 1) - 1] ?? '', release)
  }

  /** Splits it where it has release characters. */
  #isSplit(): boolean {
    if (this.#parts !== undefined) return this.#parts !== null
    const code = this.delimiters.release?.charCodeAt(0) ?? 0
    if (findPartEnd(this.#source.text, code, this.#from, this.#to) < this.#to) return this.parts.length > 0
    this.#parts = null
    return false
  }
}

/** The position of the next separator, or the end. A loop is faster than `indexOf` over so few characters. */
function findPartEnd(source: string, separator: number, from: number, to: number): number {
  let at = from
  while (at < to && source.charCodeAt(at) !== separator) at += 1
  return at
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

// Ids of two and three characters have numbers, so that what is known of an id is found by an index.

/** The number of all other ids. */
const UNNUMBERED = 0

/** The ids by their numbers. */
const numberedIds: string[] = ['']

/** A hash table of the numbers by the characters of the ids. */
const SLOTS = 8192
const slotKeys = new Int32Array(SLOTS)
const slotNumbers = new Int32Array(SLOTS)

/** Damaged files may have any number of ids; grammars need the rest of the table. */
const MAX_FILE_IDS = 4096
const MAX_IDS = 6144

/** Ids of segments are shorter; longer texts are cut to this length. */
const MAX_ID_LENGTH = 40

/** Returns the number of the id that begins the segment. */
function readIdNumber(source: string, from: number, to: number, separator: number): number {
  const end = findPartEnd(source, separator, from, Math.min(to, from + 4))
  const length = end - from
  if (length !== 2 && length !== 3) return UNNUMBERED
  const key = toKey(source, from, length)
  const slot = findSlot(key)
  if (slotKeys[slot] === key) return slotNumbers[slot] ?? UNNUMBERED
  return numberedIds.length > MAX_FILE_IDS ? UNNUMBERED : takeSlot(slot, key, source.slice(from, end))
}

/** The number of an id of a grammar. */
export function numberId(id: string): number {
  if (id.length !== 2 && id.length !== 3) return UNNUMBERED
  const key = toKey(id, 0, id.length)
  const slot = findSlot(key)
  if (slotKeys[slot] === key) return slotNumbers[slot] ?? UNNUMBERED
  return numberedIds.length > MAX_IDS ? UNNUMBERED : takeSlot(slot, key, id)
}

/** With the length: a damaged id may have a zero byte as its third character. */
function toKey(text: string, at: number, length: number): number {
  const third = length === 2 ? 0 : text.charCodeAt(at + 2)
  return text.charCodeAt(at) | (text.charCodeAt(at + 1) << 8) | (third << 16) | (length << 24)
}

/** The slot of the key, or the free one where it would stand. */
function findSlot(key: number): number {
  let slot = Math.imul(key, 0x9e3779b1) >>> 19
  while (slotKeys[slot] !== key && slotKeys[slot] !== 0) slot = (slot + 1) % SLOTS
  return slot
}

function takeSlot(slot: number, key: number, id: string): number {
  slotKeys[slot] = key
  slotNumbers[slot] = numberedIds.length
  // One string for all segments of an id, because each of them is looked up and compared several times.
  return numberedIds.push(shareText(id)) - 1
}

function readLongId(source: string, from: number, to: number, separator: number): string {
  return copyText(
    source.slice(from, findPartEnd(source, separator, from, Math.min(to, from + MAX_ID_LENGTH))),
  )
}

/** Values by the ids of segments. */
export class ById<Value> {
  readonly #numbered: (Value | undefined)[] = []
  readonly #others = new Map<string, Value>()

  constructor(entries: Iterable<readonly [id: string, value: Value]> = []) {
    for (const [id, value] of entries) this.set(id, value)
  }

  find({ idNumber, id }: Pick<Segment, 'idNumber' | 'id'>): Value | undefined {
    return idNumber === UNNUMBERED ? this.#others.get(id) : this.#numbered[idNumber]
  }

  findOrSet(id: string, create: () => Value): Value {
    const known = this.find({ idNumber: numberId(id), id })
    if (known !== undefined) return known
    const value = create()
    this.set(id, value)
    return value
  }

  set(id: string, value: Value): void {
    const number = numberId(id)
    if (number === UNNUMBERED) this.#others.set(id, value)
    else this.#setNumbered(number, value)
  }

  /** Sets it for the id of a segment of a file, of which there may be any number: only where it is numbered. */
  remember({ idNumber }: Segment, value: Value): void {
    if (idNumber !== UNNUMBERED) this.#setNumbered(idNumber, value)
  }

  #setNumbered(number: number, value: Value): void {
    // Without gaps, which would make the array slow.
    while (this.#numbered.length <= number) this.#numbered.push(undefined)
    this.#numbered[number] = value
  }
}

/** A copy of Latin-1 text for what is kept: a text that was cut out of a piece of the file keeps the whole piece alive. */
export function copyText(text: string): string {
  return text.length < SHORTEST_SLICE ? text : Buffer.from(text, 'latin1').toString('latin1')
}

/** V8 copies shorter ones when it cuts them out. */
const SHORTEST_SLICE = 13

/** The text as names of properties are kept: one string for all that are equal, so that comparing them is cheap. */
export function shareText(text: string): string {
  return Object.keys({ [text]: true })[0] ?? text
}

/** A bit for an id, to say which ids may be in a loop: several ids share each bit. */
export function toIdBit(id: string): number {
  const third = id.length > 2 ? id.charCodeAt(2) : 0
  // Of such sums the one by which the fewest ids of one grammar share a bit.
  return 1 << ((id.charCodeAt(0) + id.charCodeAt(1) * 11 + third * 14) & 31)
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
