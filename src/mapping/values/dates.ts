/** Converts dates and times in the forms that a mapping names into the UTC text that the API takes. */
import { IANAZone } from 'luxon'
import {
  type DateFormat,
  type DateParts,
  describeMissingDay,
  type OtherOrder,
  parseOffset,
  toWrittenTime,
  type WrittenTime,
} from './date-format.ts'
import { type Convert, type FAILED, quoteText, type Refuse } from './text.ts'
import { DAY_MS } from '../../support/clock.ts'

export interface DateOptions {
  /** Tried in order; ISO 8601 when there are none. */
  readonly formats: readonly DateFormat[]
  readonly names: readonly string[]
  readonly zone: Zone
  /** For each format, the one with day and month swapped, if there is one. */
  readonly otherOrders?: readonly (OtherOrder | undefined)[]
  /** Without formats: also `20261121` and `261121`, as documents of X12 and EDIFACT have them. */
  readonly isCompact?: boolean
}

const ISO_PATTERN =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

const ISO_NAMES = 'yyyy-MM-dd or yyyy-MM-dd HH:mm:ss'

/** Of X12 and EDIFACT. */
const COMPACT_NAMES = 'CCYYMMDD or YYMMDD'

const FIX_COMPACT = 'Have the sender correct the date; 21 November 2026 is written 20261121.'

const FIX_FORMAT = 'Write it so, or give its form in the mapping: { from: COLUMN, format: MM/dd/yyyy }.'

export function createDateTimeConverter(options: DateOptions): Convert {
  const write = createUtcFormatter()
  return (text, refuse) => {
    const written = parseTime(text, options)
    if (written === undefined) return refuseDate(text, options, refuse)
    const instant = resolveInstant(written, options.zone)
    if (instant !== undefined) return write(instant)
    const message = `${quoteText(text)} is a time that the clocks skipped that day, at the change to daylight saving time.`
    const fix = 'Correct the time, or send times with their offset, such as 2026-03-08T02:30:00-05:00.'
    return refuse('date-expected', message, fix)
  }
}

const MAX_CACHED_DAYS = 1000

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

/** Writes `2026-11-02T13:55:00Z`. Formatting each day once saves a third of a date's time, 3 % of a translation's. */
function createUtcFormatter(): (instantMs: number) => string {
  const days = new Map<number, string>()
  return (instantMs) => {
    const day = Math.floor(instantMs / DAY_MS)
    let date = days.get(day)
    if (date === undefined) {
      if (days.size >= MAX_CACHED_DAYS) days.clear()
      date = new Date(instantMs).toISOString().slice(0, 10)
      days.set(day, date)
    }
    const seconds = Math.floor((instantMs - day * DAY_MS) / 1000)
    const minutes = Math.floor(seconds / 60)
    const hour = TWO_DIGITS[Math.floor(minutes / 60)]
    return `${date}T${hour}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}Z`
  }
}

/** Takes a date as written and ignores its time and zone. */
export function createDateConverter(options: DateOptions): Convert {
  return (text, refuse) => {
    const written = parseTime(text, options)
    if (written === undefined) return refuseDate(text, options, refuse)
    return new Date(written.localMs).toISOString().slice(0, 10)
  }
}

/** Parses the text in one of the formats, or as ISO 8601 when there are none. */
export function parseTime(text: string, { formats, isCompact }: DateOptions): WrittenTime | undefined {
  for (const format of formats) {
    const written = format.read(text)
    if (written !== undefined) return written
  }
  const parts = formats.length === 0 ? readIsoParts(isCompact === true ? expandDay(text) : text) : undefined
  return parts && toWrittenTime(parts)
}

/** Writes a day without dashes as ISO 8601 does; a year of two digits is one from 1970 to 2069. */
function expandDay(text: string): string {
  const match = /^(\d\d)?(\d\d)(\d\d)(\d\d)$/.exec(text)
  if (match === null) return text
  const [, century, year = '', month = '', day = ''] = match
  return `${century ?? (Number(year) < 70 ? '20' : '19')}${year}-${month}-${day}`
}

export interface FoundDateOrder {
  /** Whether the text is a date in the other order alone; if not, it is another date there. */
  readonly isOther: boolean
  readonly own: string
  readonly other: string
}

/** Whether the text is a date too, or only, with day and month swapped. */
export function findDateOrder(
  text: string,
  { formats, names, otherOrders = [] }: DateOptions,
): FoundDateOrder | undefined {
  const read = formats.findIndex((format) => format.read(text) !== undefined)
  for (const [index, order] of otherOrders.entries()) {
    if (order === undefined || (read !== -1 && read !== index)) continue
    const other = order.format.read(text)
    if (other === undefined || other.localMs === formats[index]?.read(text)?.localMs) continue
    return { isOther: read === -1, own: names[index] ?? '', other: order.name }
  }
  return undefined
}

export function resolveInstant({ localMs, offsetMs }: WrittenTime, zone: Zone): number | undefined {
  return offsetMs === undefined ? zone.toInstant(localMs) : localMs - offsetMs
}

function readIsoParts(text: string): DateParts | undefined {
  const match = ISO_PATTERN.exec(text)
  if (!match) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', offset] = match
  return {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    ...(offset === undefined ? {} : { offsetMs: parseOffset(offset) }),
  }
}

/** Refuses a text that matches none of the formats, or names a day that does not exist. */
export function refuseDate(text: string, options: DateOptions, refuse: Refuse): typeof FAILED {
  const { formats, names, isCompact } = options
  const day = isCompact === true ? undefined : readDayNumber(text)
  if (day !== undefined) {
    const message = `${quoteText(text)} is the number that a spreadsheet has for ${day}.`
    return refuse('date-expected', message, FIX_DAY_NUMBER)
  }
  const readers = formats.length === 0 ? [readIsoParts] : formats.map(({ readParts }) => readParts)
  const written = isCompact === true ? expandDay(text) : text
  const [why] = readers.flatMap((read) => describeMissingDay(read(written)) ?? [])
  if (why !== undefined)
    return refuse('date-expected', `${quoteText(text)} is not a date: ${why}.`, 'Correct the date.')
  const [usualForms, usualFix] = isCompact === true ? [COMPACT_NAMES, FIX_COMPACT] : [ISO_NAMES, FIX_FORMAT]
  const forms = names.length === 0 ? usualForms : names.join(' or ')
  const fix = names.length === 0 ? usualFix : undefined
  const [first] = formats
  const example = first === undefined ? '' : `, such as ${first.write(EXAMPLE_MS, EXAMPLE_OFFSET_MS)}`
  const order = findDateOrder(text, options)
  if (order !== undefined) {
    const message = `${quoteText(text)} is not a date written as ${forms}${example}; as ${order.other} it is one.`
    return refuse('date-expected', message, FIX_OTHER_ORDER)
  }
  const months = /MMM/.test(forms) && /\p{L}{3}/u.test(text) ? '; MMM is an English month' : ''
  return refuse(
    'date-expected',
    `${quoteText(text)} is not a date written as ${forms}${example}${months}.`,
    fix,
  )
}

/** Day and month, and hour and minute, cannot be taken for each other. */
const EXAMPLE_MS = Date.UTC(2026, 11, 31, 18, 45)
const EXAMPLE_OFFSET_MS = -5 * 60 * 60_000

const FIX_OTHER_ORDER =
  'If the file is right, correct `format` in the mapping, and check the rows that were sent.'

const FIX_DAY_NUMBER = 'Format the column as a date in the spreadsheet, and save the file again.'

/** Spreadsheets count days from 1899-12-30: 25569 is 1970-01-01. */
const DAY_NUMBER_OF_1970 = 25_569

/** `46347.42` is `2026-11-21 10:04`; undefined for what is no day number of five digits. */
function readDayNumber(text: string): string | undefined {
  if (!/^\d{5}(?:[.,]\d+)?$/.test(text)) return undefined
  const at = (Number(text.replace(',', '.')) - DAY_NUMBER_OF_1970) * DAY_MS
  return new Date(at)
    .toISOString()
    .slice(0, /[.,]/.test(text) ? 16 : 10)
    .replace('T', ' ')
}

// Converts local times of a zone to instants, in hours that daylight saving skips or repeats as well.

interface Zone {
  /** Converts a local time, given as if it were UTC: the first of two instants; undefined for a skipped hour. */
  toInstant(localMs: number): number | undefined
  /** The local time of an instant, as if it were UTC. */
  toLocal(instantMs: number): number
}

/** Zones change their offset at quarters of an hour only. */
const BUCKET_MS = 15 * 60_000
const MAX_CACHED_OFFSETS = 4096

export const UTC: Zone = { toInstant: (localMs) => localMs, toLocal: (instantMs) => instantMs }

const knownZones = new Map<string, Zone>()

/** The zone of this IANA name, such as `America/New_York`; undefined when there is none. */
export function findZone(name: string): Zone | undefined {
  if (/^(utc|gmt|z)$/i.test(name)) return UTC
  const known = knownZones.get(name)
  if (known !== undefined) return known
  // Slow: it asks the system for a formatter.
  if (!IANAZone.isValidZone(name)) return undefined
  const zone = createZone(name)
  knownZones.set(name, zone)
  return zone
}

function createZone(name: string): Zone {
  const zone = IANAZone.create(name)
  const offsets = new Map<number, number>()
  const offsetAt = (instantMs: number) => {
    const bucket = Math.floor(instantMs / BUCKET_MS)
    const known = offsets.get(bucket)
    if (known !== undefined) return known
    if (offsets.size >= MAX_CACHED_OFFSETS) offsets.clear()
    const offset = zone.offset(bucket * BUCKET_MS) * 60_000
    offsets.set(bucket, offset)
    return offset
  }
  return {
    toInstant(localMs) {
      const before = localMs - offsetAt(localMs - DAY_MS)
      const after = localMs - offsetAt(localMs + DAY_MS)
      // An offset is right when it is the one in force at the instant it leads to.
      const earlier = Math.min(before, after)
      if (earlier + offsetAt(earlier) === localMs) return earlier
      const later = Math.max(before, after)
      return later + offsetAt(later) === localMs ? later : undefined
    },
    toLocal: (instantMs) => instantMs + offsetAt(instantMs),
  }
}
