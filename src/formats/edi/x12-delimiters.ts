/** Finds the delimiters of an X12 interchange in its first segment, also where that is wrapped or not padded. */
import type { Delimiters } from '../../edi/segment.ts'

/** More than the first segment of any interchange has, wrapped and with blanks. */
export const HEAD_LENGTH = 512

/** Where the element separator stands in an ISA of 106 characters. */
const SEPARATORS = [3, 6, 17, 20, 31, 34, 50, 53, 69, 76, 81, 83, 89, 99, 101, 103]
const COMPONENT = 104
const TERMINATOR = 105

/** Whether an interchange begins here: at the begin of a segment, `ISA` before what is no letter or digit. */
export function isIsa(text: string, at: number): boolean {
  return text.startsWith('ISA', at) && at + 3 < text.length && !isWordCharacter(text[at + 3] ?? 'A')
}

export interface X12Head {
  readonly delimiters: Delimiters
  /** The text of the ISA, without its terminator and without line breaks. */
  readonly text: string
  /** The position behind the terminator. */
  readonly end: number
  /** Line breaks were taken out. */
  readonly isUnfolded: boolean
}

/** Undefined where the delimiters cannot be found with certainty. */
export function detectX12(text: string, at: number): X12Head | undefined {
  if (isWordCharacter(findElementSeparator(text, at + 3))) return undefined
  const head = text.slice(at, at + HEAD_LENGTH)
  const padded = readPadded(head)
  if (padded !== undefined) return toHead(head, at, padded, false)
  const isWrapped = LINE_BREAK.test(head.slice(0, TERMINATOR))
  const plain = isWrapped ? head.replace(LINE_BREAKS, '') : ''
  const unfolded = isWrapped ? readPadded(plain) : undefined
  if (unfolded !== undefined) {
    const end = findUnfolded(head, unfolded.stop) + unfolded.terminator.length
    return createHead(plain, unfolded, at + end, true)
  }
  const short = readUnpadded(head)
  if (short !== undefined) return toHead(head, at, short, false)
  const both = isWrapped ? readUnpadded(plain) : undefined
  if (both === undefined) return undefined
  return createHead(plain, both, at + findUnfolded(head, both.stop) + both.terminator.length, true)
}

/** The first character behind `ISA`, where the text may be wrapped. */
function findElementSeparator(text: string, from: number): string {
  let at = from
  while (at < from + HEAD_LENGTH && isLineBreak(text[at])) at += 1
  return text[at] ?? ''
}

interface Found {
  readonly component: string
  readonly terminator: string
  /** Where the terminator stands. */
  readonly stop: number
}

function readPadded(head: string): Found | undefined {
  const element = head[3]
  if (SEPARATORS.some((position) => head[position] !== element)) return undefined
  return readEnd(head, COMPONENT)
}

/** Some programs do not pad the elements, and an id may hold a character of several bytes. */
function readUnpadded(head: string): Found | undefined {
  const element = head[3] ?? ''
  let at = -1
  for (let count = 0; count < SEPARATORS.length; count += 1) {
    at = head.indexOf(element, at + 1)
    if (at === -1) return undefined
  }
  return readEnd(head, at + 1)
}

function readEnd(head: string, at: number): Found | undefined {
  const component = head[at] ?? ''
  const stop = at + 1
  const first = head[stop] ?? ''
  if (component === '' || first === '' || isWordCharacter(component) || isWordCharacter(first))
    return undefined
  const terminator = first === '\r' && head[stop + 1] === '\n' ? '\r\n' : readCharacter(head, stop)
  return { component, terminator, stop }
}

/** A character of UTF-8 has several bytes; a byte that begins none stands alone. */
function readCharacter(head: string, at: number): string {
  const code = head.charCodeAt(at)
  const length = code < 0xc2 ? 1 : code < 0xe0 ? 2 : code < 0xf0 ? 3 : 4
  const bytes = head.slice(at, at + length)
  const isWhole = bytes.length === length && /^.[\x80-\xBF]*$/s.test(bytes)
  return isWhole ? bytes : head.slice(at, at + 1)
}

function toHead(head: string, at: number, found: Found, isUnfolded: boolean): X12Head | undefined {
  return createHead(head, found, at + found.stop + found.terminator.length, isUnfolded)
}

function createHead(head: string, found: Found, end: number, isUnfolded: boolean): X12Head | undefined {
  const { component, stop } = found
  const text = head.slice(0, stop)
  const element = text[3] ?? ''
  // A line feed ends the segments of files whose lines end with both.
  const segment = found.terminator === '\r\n' ? '\n' : found.terminator
  const repetition = readRepetition(text.split(element))
  const used = [element, component, segment]
  if (new Set(used).size < used.length) return undefined
  const hasRepetition = repetition !== undefined && !used.includes(repetition)
  const delimiters: Delimiters = {
    syntax: 'x12',
    element,
    component,
    segment,
    ...(hasRepetition ? { repetition } : {}),
  }
  return { delimiters, text, end, isUnfolded }
}

/** ISA11 holds the repetition separator from version 00402 on; before that, and in files that have it wrong, a letter. */
function readRepetition(parts: readonly string[]): string | undefined {
  const [repetition = '', version = ''] = [parts[11], parts[12]]
  const isOwn = repetition.length === 1 && !isWordCharacter(repetition) && repetition.trim() !== ''
  return isOwn && version >= '00402' ? repetition : undefined
}

const LINE_BREAK = /[\r\n]/
const LINE_BREAKS = /[\r\n]/g

/** Where a character of the text without line breaks stands in the text. */
function findUnfolded(head: string, position: number): number {
  let left = position
  for (let at = 0; at < head.length; at += 1) {
    if (isLineBreak(head[at])) continue
    if (left === 0) return at
    left -= 1
  }
  return 0
}

function isLineBreak(character: string | undefined): boolean {
  return character === '\n' || character === '\r'
}

function isWordCharacter(character: string): boolean {
  return /[A-Za-z0-9]/.test(character)
}

export function findLineBreak(text: string, from: number, to = text.length): number {
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 10 || code === 13) return at
  }
  return -1
}
