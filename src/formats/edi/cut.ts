/** Cuts interchanges into segments. Each character of the text is one byte, so positions are byte offsets. */
import { createHash, type Hash } from 'node:crypto'
import { openBytes, type OpenedBytes } from './charset.ts'
import { findSegmentsAtLines } from '../../edi/documents.ts'
import { copyText, type Delimiters, Segment, type SegmentSource } from '../../edi/segment.ts'
import {
  detectEdifact,
  findServiceString,
  measureServiceString,
  findTerminator,
  SERVICE_LENGTH,
} from './edifact-delimiters.ts'
import { detectX12, findLineBreak, HEAD_LENGTH, isIsa } from './x12-delimiters.ts'

/** Something in the file that is no segment, or a segment that could not be read as it stands. */
export interface CutNote {
  readonly kind:
    | 'not-found'
    /** Text between two interchanges; skipped up to the next line that begins with one. */
    | 'between'
    /** An interchange whose delimiters cannot be found out; skipped likewise. */
    | 'delimiters'
    /** Line breaks were taken out of a segment. */
    | 'unfolded'
    | 'too-large'
    /** The file ends within a segment. */
    | 'cut-off'
  /** The number of the segment behind it. */
  readonly number: number
  readonly at: number
  /** The beginning of what is meant. */
  readonly text: string
  /** Of `unfolded`: segments that begin at the line breaks, so that terminators seem to be missing before them. */
  readonly swallowed?: readonly { readonly id: string; readonly at: number }[]
  /** Of a segment that is not there as a whole: the hash of all of its text. */
  readonly sha256?: string
}

export type CutItem = Segment | CutNote

export function isSegment(item: CutItem): item is Segment {
  return item instanceof Segment
}

/** The longest segment, in bytes. */
export const MAX_SEGMENT_BYTES = 64 * 1024

/** Where the cutter is: between interchanges, in stray text, inside of one, or in a segment that is too large. */
type Mode = 'outside' | 'stray' | 'inside' | 'oversized'

export class SegmentCutter {
  #mode: Mode = 'outside'
  #text = ''
  /** The offset of the first character of the text. */
  #offset: number
  #delimiters: Delimiters | undefined
  /** The text, for segments that stand in it as they are. */
  #source: SegmentSource | undefined
  /** Joins the pieces of the file to texts of their own: joined ones are slow to read character by character. */
  #buffer = Buffer.alloc(0)
  #count = 0
  /** A line break stands before the segment that is next, as where each segment has a line of its own. */
  #isAtLineStart = false
  #items: CutItem[] = []
  /** The segment that is too large and goes on. */
  #oversized: { readonly note: CutNote; readonly hash: Hash } | undefined
  /** Where the next of them stands in the text, as far as it was searched. */
  #lineFeed = -1
  #carriageReturn = -1

  /** `offset`: that of the first character, behind a byte order mark. */
  constructor(offset = 0) {
    this.#offset = offset
  }

  /** The offset up to which the file was taken; text behind it is read again when there is more. */
  get offset(): number {
    return this.#offset
  }

  /** Takes more of the file and returns what is complete; at the end of the file, all that is left. */
  push(text: string, isLast = false): readonly CutItem[] {
    this.#text = this.#text === '' ? text : this.#join(this.#text, text)
    this.#source = undefined
    this.#lineFeed = -1
    this.#carriageReturn = -1
    let at = 0
    for (;;) {
      if (this.#mode === 'inside') at = this.#cutPlain(at)
      const next = this.#step(at, isLast)
      if (next === undefined) break
      at = next
    }
    if (isLast) this.#endOversized()
    this.#offset += at
    this.#text = this.#text.slice(at)
    this.#source = undefined
    const items = this.#items
    this.#items = []
    return items
  }

  #join(first: string, second: string): string {
    const size = first.length + second.length
    if (this.#buffer.length < size) this.#buffer = Buffer.allocUnsafe(2 * size)
    this.#buffer.write(first, 0, 'latin1')
    this.#buffer.write(second, first.length, 'latin1')
    return this.#buffer.toString('latin1', 0, size)
  }

  /** Takes the segments that need no second look, which most do not. Returns the position behind them. */
  #cutPlain(from: number): number {
    const text = this.#text
    const { segment: terminator, release } = this.#delimiters ?? DEFAULTS
    const releaseCode = release?.charCodeAt(0)
    const behind = terminator.length
    const source = (this.#source ??= this.#createSource())
    const items = this.#items
    let at = from
    let behindLast = from
    for (;;) {
      behindLast = at
      while (isBlank(text.charCodeAt(at))) at += 1
      if (mayFrame(text, at)) break
      const stop = text.indexOf(terminator, at)
      if (stop <= at || stop - at > MAX_SEGMENT_BYTES) break
      if (releaseCode !== undefined && text.charCodeAt(stop - 1) === releaseCode) break
      if (this.#hasLineBreak(at, stop)) break
      this.#count += 1
      items.push(new Segment(source, this.#count, at, stop))
      at = stop + behind
    }
    if (behindLast > from) this.#isAtLineStart = false
    if (at > behindLast) this.#isAtLineStart ||= findLineBreak(text, behindLast, at) !== -1
    return at
  }

  /** Takes one thing at the position; returns the position behind it, or undefined when more text is needed. */
  #step(from: number, isLast: boolean): number | undefined {
    if (this.#mode === 'oversized')
      return from < this.#text.length ? this.#skipOversized(from, isLast) : undefined
    if (this.#mode === 'stray') return from < this.#text.length ? this.#skipStray(from, isLast) : undefined
    const text = this.#text
    const at = skipBlank(text, from)
    if (at > from) this.#isAtLineStart ||= findLineBreak(text, from, at) !== -1
    if (at >= text.length) return moved(from, at)
    const first = text.charCodeAt(at)
    const mayOpen = first === LETTER_I || first === LETTER_U
    // Enough to see whether an interchange begins here, and then to see all of its first segment.
    if (!isLast && text.length - at < SERVICE_LENGTH && (mayOpen || this.#mode === 'outside'))
      return moved(from, at)
    const isWhole = isLast || text.length - at >= HEAD_LENGTH
    if (mayOpen && this.#opensInterchange(at))
      return isWhole ? (this.#open(at, isLast) ?? moved(from, at)) : moved(from, at)
    if (this.#mode === 'inside') return this.#cut(at, isLast) ?? moved(from, at)
    if (!isWhole) return moved(from, at)
    this.#note(this.#count === 0 ? 'not-found' : 'between', at)
    this.#mode = 'stray'
    return at > from ? at : this.#step(at, isLast)
  }

  #opensInterchange(at: number): boolean {
    return isIsa(this.#text, at) || findServiceString(this.#text, at, this.#delimiters) !== undefined
  }

  /** Finds out the delimiters of an interchange; X12 has them in its first segment. */
  #open(at: number, isLast: boolean): number | undefined {
    const text = this.#text
    if (isIsa(text, at)) {
      const found = detectX12(text, at)
      if (found === undefined) return this.#refuseInterchange(at)
      this.#setDelimiters(found.delimiters)
      if (found.isUnfolded) this.#note('unfolded', at)
      this.#addOwn(at, found.end, found.text)
      this.#mode = 'inside'
      return found.end
    }
    const found = detectEdifact(text, at)
    if (found === undefined) return this.#refuseInterchange(at)
    this.#setDelimiters(found)
    this.#mode = 'inside'
    const end = at + measureServiceString(text, at)
    return end > at ? end : this.#cut(at, isLast)
  }

  #setDelimiters(delimiters: Delimiters | undefined): void {
    this.#delimiters = delimiters
    this.#source = undefined
  }

  #refuseInterchange(at: number): number {
    this.#note('delimiters', at)
    // The interchange before it has no trailer, and its delimiters do not hold for the one behind it.
    this.#delimiters = undefined
    this.#mode = 'stray'
    return at + 3
  }

  /** Goes to the next line that begins an interchange. */
  #skipStray(at: number, isLast: boolean): number | undefined {
    const text = this.#text
    for (let from = at; ;) {
      const lineBreak = findLineBreak(text, from)
      if (lineBreak === -1) return text.length
      const line = skipBlank(text, lineBreak)
      if (!isLast && text.length - line < HEAD_LENGTH) return moved(at, lineBreak)
      if (isIsa(text, line) || findServiceString(text, line, undefined) !== undefined) {
        this.#mode = 'outside'
        return line
      }
      if (line >= text.length) return text.length
      from = line
    }
  }

  #cut(at: number, isLast: boolean): number | undefined {
    const { segment: terminator, release } = this.#delimiters ?? DEFAULTS
    const stop = findTerminator(this.#text, at, terminator, release)
    if (stop === -1) {
      if (isLast) return this.#finish(at)
      if (this.#text.length - at <= MAX_SEGMENT_BYTES) return undefined
      this.#oversized = { note: this.#createNote('too-large', at), hash: createHash('sha256') }
      this.#mode = 'oversized'
      return this.#skipOversized(at, isLast)
    }
    const end = stop + terminator.length
    const next = this.#findNextInterchange(at, stop)
    if (next !== undefined) {
      this.#addCleaned(at, next, trimBlankEnd(this.#text.slice(at, next)))
      return next
    }
    if (stop - at > MAX_SEGMENT_BYTES) {
      this.#noteWhole('too-large', at, stop)
      this.#count += 1
    } else if (this.#hasLineBreak(at, stop)) this.#addCleaned(at, end, this.#text.slice(at, stop))
    else if (stop > at) this.#add((this.#source ??= this.#createSource()), at, stop)
    return end
  }

  /** A segment that ends an interchange needs no terminator where the next line begins another one. */
  #findNextInterchange(at: number, stop: number): number | undefined {
    const text = this.#text
    const first = text.charCodeAt(at)
    if (first !== LETTER_I && first !== LETTER_U) return undefined
    if (!text.startsWith('IEA', at) && !text.startsWith('UNZ', at)) return undefined
    const lineBreak = findLineBreak(text, at, stop + 1)
    if (lineBreak === -1) return undefined
    const next = skipBlank(text, lineBreak)
    return isIsa(text, next) || findServiceString(text, next, undefined) !== undefined ? next : undefined
  }

  #hasLineBreak(from: number, to: number): boolean {
    if (this.#lineFeed < from) this.#lineFeed = findFrom(this.#text, '\n', from)
    if (this.#carriageReturn < from) this.#carriageReturn = findFrom(this.#text, '\r', from)
    return this.#lineFeed < to || this.#carriageReturn < to
  }

  /** The last segment needs no terminator when it ends an interchange. */
  #finish(at: number): number {
    const text = trimBlankEnd(this.#text.slice(at))
    const id = text.split((this.#delimiters ?? DEFAULTS).element)[0] ?? ''
    if (id === 'IEA' || id === 'UNZ') this.#addCleaned(at, this.#text.length, text)
    else this.#noteWhole('cut-off', at, this.#text.length)
    return this.#text.length
  }

  #skipOversized(at: number, isLast: boolean): number | undefined {
    const { segment: terminator, release } = this.#delimiters ?? DEFAULTS
    const stop = findTerminator(this.#text, at, terminator, release)
    if (stop === -1) {
      const keep = isLast ? this.#text.length : this.#findUndecided(at, release)
      if (keep <= at) return undefined
      this.#oversized?.hash.update(this.#text.slice(at, keep), 'latin1')
      return keep
    }
    this.#oversized?.hash.update(this.#text.slice(at, stop), 'latin1')
    this.#endOversized()
    this.#mode = 'inside'
    this.#count += 1
    return stop + terminator.length
  }

  /** The start of a terminator of several bytes is kept, and release characters are dropped in pairs. */
  #findUndecided(at: number, release: string | undefined): number {
    const keep = Math.max(at, this.#text.length - 16)
    let before = keep
    while (before > at && this.#text[before - 1] === release) before -= 1
    return keep - ((keep - before) % 2)
  }

  #addCleaned(at: number, end: number, written: string): void {
    let text = written
    if (text.includes('\n') || text.includes('\r')) {
      const { segment: terminator } = this.#delimiters ?? DEFAULTS
      const isLineEnd = terminator === '\n' && text.indexOf('\r') === text.length - 1
      text = isLineEnd ? text.slice(0, -1) : text.replace(/[\r\n]/g, '')
      if (!isLineEnd) this.#noteUnfolded(at, written)
    }
    if (text !== '') this.#addOwn(at, end, text)
  }

  /** Where lines were wrapped at some width, a segment begins at a line only by chance, and then says nothing. */
  #noteUnfolded(at: number, text: string): void {
    const found = this.#isAtLineStart ? findSegmentsAtLines(text, this.#delimiters ?? DEFAULTS) : []
    const swallowed = found.map(({ id, index }) => ({ id, at: this.#offset + at + index }))
    this.#items.push({ ...this.#createNote('unfolded', at), ...(swallowed.length > 0 && { swallowed }) })
  }

  /** Adds a segment whose text is not that of the file. */
  #addOwn(at: number, end: number, text: string): void {
    const delimiters = this.#delimiters ?? DEFAULTS
    const offset = this.#offset
    this.#add({ text, offset: offset + at, delimiters, end: offset + end })
  }

  #createSource(): SegmentSource {
    return { text: this.#text, offset: this.#offset, delimiters: this.#delimiters ?? DEFAULTS }
  }

  #add(source: SegmentSource, from?: number, to?: number): void {
    this.#count += 1
    this.#isAtLineStart = false
    const segment = new Segment(source, this.#count, from, to)
    this.#items.push(segment)
    if (segment.id === 'IEA' || segment.id === 'UNZ') {
      this.#mode = 'outside'
      this.#setDelimiters(undefined)
    }
  }

  #endOversized(): void {
    if (this.#oversized === undefined) return
    const { note, hash } = this.#oversized
    this.#oversized = undefined
    this.#items.push({ ...note, sha256: hash.digest('hex') })
  }

  #noteWhole(kind: CutNote['kind'], at: number, end: number): void {
    const sha256 = createHash('sha256').update(this.#text.slice(at, end), 'latin1').digest('hex')
    this.#items.push({ ...this.#createNote(kind, at), sha256 })
  }

  #note(kind: CutNote['kind'], at: number): void {
    this.#items.push(this.#createNote(kind, at))
  }

  #createNote(kind: CutNote['kind'], at: number): CutNote {
    const text = copyText(this.#text.slice(at, at + 40))
    return { kind, number: this.#count + 1, at: this.#offset + at, text }
  }
}

const LETTER_I = 73
const LETTER_U = 85
const [LETTER_A, LETTER_B, LETTER_Z] = [65, 66, 90]
const DEFAULTS: Delimiters = { syntax: 'edifact', element: '+', component: ':', segment: "'", release: '?' }

/** Whether an interchange may begin or end here: `ISA`, `IEA`, `UNA`, `UNB`, `UNZ`, or what is not there yet. */
function mayFrame(text: string, at: number): boolean {
  const first = text.charCodeAt(at)
  if (first !== LETTER_I && first !== LETTER_U) return false
  const third = text.charCodeAt(at + 2)
  return third === LETTER_A || third === LETTER_B || third === LETTER_Z || Number.isNaN(third)
}

/** Progress over blanks alone is progress; otherwise more text is needed. */
function moved(from: number, at: number): number | undefined {
  return at > from ? at : undefined
}

/** Blanks, line breaks, zero bytes and the end mark of old DOS programs are no text. */
function skipBlank(text: string, from: number): number {
  let at = from
  while (isBlank(text.charCodeAt(at))) at += 1
  return at
}

function isBlank(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9 || code === 0 || code === 26
}

function trimBlankEnd(text: string): string {
  let end = text.length
  while (end > 0 && isBlank(text.charCodeAt(end - 1))) end -= 1
  return text.slice(0, end)
}

/** Infinity where it is not there. */
function findFrom(text: string, character: string, from: number): number {
  const found = text.indexOf(character, from)
  return found === -1 ? Infinity : found
}

// Files piece by piece.

/** A piece of a file: the text that was read, where it begins, and what became complete with it. */
export interface CutPiece {
  readonly text: string
  readonly at: number
  readonly items: readonly CutItem[]
  /** The offset up to which the file is cut; a segment that is not whole yet stands behind it. */
  readonly until: number
}

/** Cuts a file piece by piece. Throws nothing for what it holds. */
export async function* cutSegments(input: AsyncIterable<Uint8Array>): AsyncGenerator<readonly CutItem[]> {
  for await (const { items } of cutPieces(input)) if (items.length > 0) yield items
}

/** The same with the text of each piece, for who copies it. */
export async function* cutPieces(input: AsyncIterable<Uint8Array>): AsyncGenerator<CutPiece> {
  let opened: OpenedBytes | undefined
  let cutter = new SegmentCutter()
  let at = 0
  let head: Uint8Array = Buffer.alloc(0)
  const cut = (text: string, isLast = false): CutPiece => {
    const items = cutter.push(text, isLast)
    const piece = { text, at, items, until: cutter.offset }
    at += text.length
    return piece
  }
  const open = (bytes: Uint8Array): OpenedBytes => {
    const found = openBytes(bytes)
    at = found.skip
    cutter = new SegmentCutter(at)
    return found
  }
  for await (const chunk of input) {
    let bytes = chunk
    if (opened === undefined) {
      // The first four bytes decide, however the file is cut into pieces.
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
      if (head.length < 4) continue
      opened = open(head)
      bytes = head.subarray(opened.skip)
    }
    for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
      yield cut(opened.decode(bytes.subarray(from, from + PIECE_BYTES)))
    }
  }
  const rest = opened === undefined ? head : Buffer.alloc(0)
  opened ??= open(head)
  yield cut(rest.length === 0 ? '' : opened.decode(rest.subarray(opened.skip)), true)
}

/** Small, so that what is made of a piece is gone before V8 takes it for long-lived: twice as fast as 64 KiB. */
export const PIECE_BYTES = 16 * 1024
