/** Date formats such as `MM/dd/yyyy HH:mm`: compiled once, for reading and for writing. */
import { type DateParts, TOKENS } from './date-parts.ts'
import { DATE_TOKENS } from './date-tokens.ts'
import { plainReader } from './plain-date.ts'

/** A point in time as it was written, with its offset from UTC where it named one. */
export interface WrittenTime {
  /** The local time as if it were UTC. */
  readonly localMs: number
  readonly offsetMs?: number
}

export interface DateFormat {
  /** Which of year, month and day it does not name; without them nothing can be read. */
  readonly missing: readonly string[]
  /** Undefined when the text is not in this format or names a day that does not exist. */
  read(text: string): WrittenTime | undefined
  /** The local time, given as if it were UTC; offsets are written for `offsetMs`. */
  write(localMs: number, offsetMs: number): string
}

/** Compiles a format; a text answers why it is none. */
export function compileDateFormat(format: string): DateFormat | string {
  const pieces = piecesOf(format)
  const unknown = pieces.find((piece) => piece.kind === 'unknown')
  if (unknown) {
    return `"${unknown.text}" in the date format means nothing; there are ${Object.keys(DATE_TOKENS).join(' ')}, and letters in quotes stand for themselves`
  }
  const tokens = pieces.flatMap((piece) => (piece.kind === 'token' ? [piece.text] : []))
  const pattern = new RegExp(
    `^${pieces.map((piece, index) => patternOf(piece, [pieces[index - 1], pieces[index + 1]])).join('')}$`,
    'i',
  )
  const missing = Object.entries(NAMED_BY).flatMap(([part, pattern]) =>
    tokens.some((token) => pattern.test(token)) ? [] : [part],
  )
  const readPlain = plainReader(pieces)
  const takers = tokens.flatMap((token) => TOKENS[token] ?? [])
  return {
    missing,
    read(text) {
      const plain = readPlain?.(text)
      if (plain !== undefined) return timeOf(plain)
      const match = pattern.exec(text)
      if (!match) return undefined
      const parts: DateParts = { year: 0, month: 1, day: 1, hour: 0, minute: 0, second: 0 }
      for (let index = 0; index < takers.length; index += 1)
        takers[index]?.take(parts, match[index + 1] ?? '')
      return timeOf(parts)
    },
    write(localMs, offsetMs) {
      const local = new Date(localMs)
      return pieces
        .map((piece) =>
          piece.kind === 'token' ? (TOKENS[piece.text]?.put(local, offsetMs) ?? '') : piece.text,
        )
        .join('')
    },
  }
}

/** Which tokens name the year, the month and the day. */
const NAMED_BY = { year: /^[yXx]/, month: /^(?:M|DDD|[Xx])/, day: /^(?:d|DDD|[Xx])/ }

const EARLIEST_YEAR = 1900
const LATEST_YEAR = 2199

/** The time the parts name; undefined when there is no such day or hour, or no such year in any business. */
export function timeOf(parts: DateParts): WrittenTime | undefined {
  if (parts.instantMs !== undefined) return timeOfInstant(parts.instantMs)
  const { year, minute, second } = parts
  const { month, day } = parts.dayOfYear === undefined ? parts : dayOfYear(year, parts.dayOfYear)
  const hour = parts.afternoon === undefined ? parts.hour : twelveHours(parts.hour, parts.afternoon)
  if (month < 1 || month > 12 || day < 1 || day > daysIn(month, year)) return undefined
  if (hour > 23 || minute > 59 || second > 59) return undefined
  if (year < EARLIEST_YEAR || year > LATEST_YEAR) return undefined
  const localMs = Date.UTC(year, month - 1, day, hour, minute, second)
  return parts.offsetMs === undefined ? { localMs } : { localMs, offsetMs: parts.offsetMs }
}

function timeOfInstant(instantMs: number): WrittenTime | undefined {
  const year = new Date(instantMs).getUTCFullYear()
  return year >= EARLIEST_YEAR && year <= LATEST_YEAR ? { localMs: instantMs, offsetMs: 0 } : undefined
}

/** The month and the day; month 0 when the year has no such day. */
function dayOfYear(year: number, ordinal: number): { readonly month: number; readonly day: number } {
  const date = new Date(Date.UTC(year, 0, ordinal))
  return date.getUTCFullYear() === year && ordinal > 0
    ? { month: date.getUTCMonth() + 1, day: date.getUTCDate() }
    : { month: 0, day: 0 }
}

function daysIn(month: number, year: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

type Piece = { readonly kind: 'token' | 'literal' | 'unknown'; readonly text: string }

function piecesOf(format: string): Piece[] {
  const pieces: Piece[] = []
  for (const [piece, quotedText] of format.matchAll(/'([^']*)'|([A-Za-z])\2*|[^A-Za-z']+|'/g)) {
    if (quotedText !== undefined) pieces.push({ kind: 'literal', text: quotedText })
    else if (/^[A-Za-z']/.test(piece))
      pieces.push({ kind: Object.hasOwn(DATE_TOKENS, piece) ? 'token' : 'unknown', text: piece })
    else pieces.push({ kind: 'literal', text: piece })
  }
  return pieces
}

/**
 * Spreadsheets write `7/4/2026` where `MM/dd/yyyy` was meant, so two-digit tokens also take one digit; but not
 * where tokens follow without anything between, as in `yyyyMMdd`.
 */
function patternOf(piece: Piece, neighbours: readonly (Piece | undefined)[]): string {
  if (piece.kind !== 'token') return piece.text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+')
  const pattern = TOKENS[piece.text]?.pattern ?? ''
  const packed = neighbours.some((next) => next?.kind === 'token' && /^[yMDdHhms]/.test(next.text))
  return `(${pattern === '\\d{1,2}' && packed && piece.text.length === 2 ? '\\d{2}' : pattern})`
}

/** An hour of a twelve-hour clock; 13 and 0 are none, and give an hour that does not exist. */
function twelveHours(hour: number, afternoon: boolean): number {
  if (hour < 1 || hour > 12) return 99
  return (hour % 12) + (afternoon ? 12 : 0)
}
