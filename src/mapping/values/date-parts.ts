/** What the tokens of a date format read out of a text and write into one. */
import type { PlainDate } from './plain-date.ts'

/** What a text in some format says of a moment. */
export interface DateParts extends PlainDate {
  dayOfYear?: number
  afternoon?: boolean
  offsetMs?: number
  /** Says it all by itself. */
  instantMs?: number
}

/** One token of a format. */
interface Token {
  readonly pattern: string
  take(parts: DateParts, text: string): void
  put(local: Date, offsetMs: number): string
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const FULL_MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const DAY_MS = 24 * 60 * 60_000
const OFFSET = 'Z|[+-]\\d{1,2}(?::?\\d{2})?'

/** Every token of `DATE_TOKENS`, by its letters. */
export const TOKENS: Readonly<Record<string, Token>> = {
  yyyy: {
    pattern: '\\d{4}',
    take: (parts, text) => (parts.year = Number(text)),
    put: (local) => digits(local.getUTCFullYear(), 4),
  },
  yy: {
    pattern: '\\d{2}',
    take: (parts, text) => (parts.year = 2000 + Number(text)),
    put: (local) => digits(local.getUTCFullYear() % 100, 2),
  },
  MMMM: {
    pattern: FULL_MONTHS.join('|'),
    take: (parts, text) => (parts.month = monthNamed(text)),
    put: (local) => FULL_MONTHS[local.getUTCMonth()] ?? '',
  },
  MMM: {
    pattern: MONTHS.join('|'),
    take: (parts, text) => (parts.month = monthNamed(text)),
    put: (local) => MONTHS[local.getUTCMonth()] ?? '',
  },
  DDD: {
    pattern: '\\d{3}',
    take: (parts, text) => (parts.dayOfYear = Number(text)),
    put: (local) =>
      digits(Math.round((startOfDay(local) - Date.UTC(local.getUTCFullYear(), 0, 0)) / DAY_MS), 3),
  },
  ...numberTokens('M', 'month', (local) => local.getUTCMonth() + 1),
  ...numberTokens('d', 'day', (local) => local.getUTCDate()),
  ...numberTokens('H', 'hour', (local) => local.getUTCHours()),
  ...numberTokens('h', 'hour', (local) => local.getUTCHours() % 12 || 12),
  ...numberTokens('m', 'minute', (local) => local.getUTCMinutes()),
  ...numberTokens('s', 'second', (local) => local.getUTCSeconds()),
  a: {
    pattern: '[AaPp]\\.?[Mm]\\.?',
    take: (parts, text) => (parts.afternoon = /^p/i.test(text)),
    put: (local) => (local.getUTCHours() < 12 ? 'AM' : 'PM'),
  },
  ...offsetTokens(),
  X: epochToken(1000),
  x: epochToken(1),
}

function startOfDay(date: Date): number {
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate())
}

function numberTokens(
  letter: string,
  part: 'month' | 'day' | 'hour' | 'minute' | 'second',
  get: (local: Date) => number,
): Record<string, Token> {
  const token = (width: number): Token => ({
    pattern: '\\d{1,2}',
    take: (parts, text) => (parts[part] = Number(text)),
    put: (local) => digits(get(local), width),
  })
  return { [letter.repeat(2)]: token(2), [letter]: token(1) }
}

function offsetTokens(): Record<string, Token> {
  const token = (separator: string): Token => ({
    pattern: OFFSET,
    take: (parts, text) => (parts.offsetMs = offsetOf(text)),
    put: (_local, offsetMs) => {
      const minutes = Math.abs(offsetMs) / 60_000
      const hours = digits(Math.floor(minutes / 60), 2)
      return `${offsetMs < 0 ? '-' : '+'}${hours}${separator}${digits(minutes % 60, 2)}`
    },
  })
  return { ZZZ: token(''), ZZ: token(':') }
}

/** Seconds or milliseconds since 1970, in UTC. */
function epochToken(unitMs: number): Token {
  return {
    pattern: unitMs === 1 ? '\\d{12,13}' : '\\d{9,10}',
    take: (parts, text) => (parts.instantMs = Number(text) * unitMs),
    put: (local, offsetMs) => String(Math.floor((local.getTime() - offsetMs) / unitMs)),
  }
}

function monthNamed(text: string): number {
  return MONTHS.findIndex((month) => month.toLowerCase() === text.slice(0, 3).toLowerCase()) + 1
}

/** `Z`, `-04:00`, `-0400` or `-4` in milliseconds. */
export function offsetOf(text: string): number {
  if (/^z$/i.test(text)) return 0
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d{1,2}):?(\d{2})?$/.exec(text) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

function digits(value: number, width: number): string {
  return String(value).padStart(width, '0')
}
