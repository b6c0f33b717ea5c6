/** Reads the dates of segments as ISO 8601: `2026-05-03`, `2026-05-03T20:30:00`, and with an offset where a zone is given. */
import { DateTime } from 'luxon'
import type { SegmentInfo } from '../../edi/dictionary.ts'
import type { Segment } from '../../edi/segment.ts'

type DatePlaces = NonNullable<SegmentInfo['date']>

/** The text as it stands when it is no date, so that the mapping refuses it. */
export function readDate(segment: Segment, places: DatePlaces): string {
  const isX12 = segment.delimiters.syntax === 'x12'
  return isX12 ? readX12(segment, places) : readEdifact(segment, places)
}

function readX12(segment: Segment, { date, time, zone }: DatePlaces): string {
  const text = segment.value(date).trim()
  const day = toDay(text)
  if (day === undefined) return text
  const clock = time === undefined ? '' : segment.value(time).trim()
  if (clock === '') return day
  const hours = toClock(clock)
  if (hours === undefined) return `${text} ${clock}`
  const local = `${day}T${hours}`
  const code = zone === undefined ? '' : segment.value(zone).trim()
  return code === '' || code === 'LT' ? local : addZone(local, code)
}

/** CCYYMMDD or YYMMDD. */
function toDay(text: string): string | undefined {
  const { length } = text
  if ((length !== 8 && length !== 6) || !areDigits(text)) return undefined
  const year = readTwo(text, length - 6)
  const [month, day] = [readTwo(text, length - 4), readTwo(text, length - 2)]
  const century = length === 8 ? text.slice(0, 2) : year < 70 ? '20' : '19'
  if (!isDay(Number(century) * 100 + year, month, day)) return undefined
  return `${century}${text.slice(length - 6, length - 4)}-${text.slice(length - 4, length - 2)}-${text.slice(length - 2)}`
}

function areDigits(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code < DIGIT_0 || code > DIGIT_9) return false
  }
  return true
}

/** The number that two digits are. */
function readTwo(text: string, at: number): number {
  return (text.charCodeAt(at) - DIGIT_0) * 10 + text.charCodeAt(at + 1) - DIGIT_0
}

const [DIGIT_0, DIGIT_9] = [48, 57]

function isDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return day <= (month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31)
}

/** HHMM, HHMMSS or HHMMSSDD, with hundredths. */
function toClock(text: string): string | undefined {
  const { length } = text
  if ((length !== 4 && (length < 6 || length > 8)) || !areDigits(text)) return undefined
  const second = length === 4 ? '00' : text.slice(4, 6)
  if (readTwo(text, 0) > 23 || readTwo(text, 2) > 59 || Number(second) > 59) return undefined
  const part = length > 6 ? `.${text.slice(6)}` : ''
  return `${text.slice(0, 2)}:${text.slice(2, 4)}:${second}${part}`
}

/** Zone codes of X12: `T` follows the clocks of the day, `S` and `D` are standard and daylight time. */
const ZONES: Readonly<Record<string, string>> = {
  ET: 'America/New_York',
  CT: 'America/Chicago',
  MT: 'America/Denver',
  PT: 'America/Los_Angeles',
  ES: '-05:00',
  ED: '-04:00',
  CS: '-06:00',
  CD: '-05:00',
  MS: '-07:00',
  MD: '-06:00',
  PS: '-08:00',
  PD: '-07:00',
  GM: 'Z',
  UT: 'Z',
  Z: 'Z',
}

/** A zone that is not known makes it no date, because any offset could be wrong by hours. */
function addZone(local: string, code: string): string {
  const zone = ZONES[code] ?? toOffset(code)
  if (zone === undefined) return `${local} ${code}`
  if (!zone.includes('/')) return `${local}${zone}`
  return `${local}${findOffset(local, zone)}`
}

/** Offsets of zones on days that have one offset only, because asking luxon is slow. */
const knownOffsets = new Map<string, string>()
const MAX_KNOWN_OFFSETS = 4096

function findOffset(local: string, zone: string): string {
  const day = local.slice(0, 10)
  const key = zone + day
  const known = knownOffsets.get(key)
  if (known !== undefined) return known
  const offset = readOffset(local, zone)
  // A clock that is changed and changed back on one day is none of these zones'.
  const isWhole = readOffset(day, zone) === readOffset(`${day}T23:59:59`, zone)
  if (!isWhole) return offset
  if (knownOffsets.size >= MAX_KNOWN_OFFSETS) knownOffsets.clear()
  knownOffsets.set(key, offset)
  return offset
}

function readOffset(local: string, zone: string): string {
  return DateTime.fromISO(local, { zone }).toFormat('ZZ')
}

/** `05` is five hours ahead of UTC; `P5` and `M5` have a sign. */
function toOffset(code: string): string | undefined {
  const match = /^([PM]?)(\d{1,2})$/.exec(code)
  if (match === null) return undefined
  const [, sign, hours = ''] = match
  const count = Number(hours)
  if (sign === '')
    return count <= 12 ? `+${pad(count)}:00` : count <= 24 ? `-${pad(25 - count)}:00` : undefined
  return count > 12 ? undefined : `${sign === 'M' ? '-' : '+'}${pad(count)}:00`
}

function pad(count: number): string {
  return String(count).padStart(2, '0')
}

/** By the code of the format; a period counts from its begin. */
const EDIFACT_FORMATS: Readonly<Record<string, string>> = {
  '2': 'ddMMyy',
  '101': 'yyMMdd',
  '102': 'yyyyMMdd',
  '201': 'yyMMddHHmm',
  '203': 'yyyyMMddHHmm',
  '204': 'yyyyMMddHHmmss',
}

function readEdifact(segment: Segment, { date }: DatePlaces): string {
  const text = segment.value(date, 2).trim()
  const code = segment.value(date, 3).trim()
  if (code === '303') return readWithZone(text)
  const isPeriod = code === '718' || code === '719'
  const begin = isPeriod ? text.slice(0, text.length / 2).replace(/-$/, '') : text
  const format = isPeriod ? (code === '718' ? '102' : '203') : code
  const layout = EDIFACT_FORMATS[format === '' ? guessFormat(text) : format]
  if (layout === undefined || begin.length !== layout.length) return text
  const parsed = DateTime.fromFormat(begin, layout, { zone: 'UTC' })
  if (!parsed.isValid) return text
  return layout.includes('H') ? parsed.toFormat("yyyy-MM-dd'T'HH:mm:ss") : parsed.toFormat('yyyy-MM-dd')
}

/** Senders leave the code out where the text can mean one thing only. */
function guessFormat(text: string): string {
  return { 8: '102', 12: '203', 14: '204' }[text.length] ?? ''
}

/** CCYYMMDDHHMM and a zone, such as `202611211045EST` or `202611211045+05`. */
function readWithZone(text: string): string {
  const match = /^(\d{8})(\d{4})(.*)$/.exec(text)
  const [, date = '', time = '', zone = ''] = match ?? []
  const [day, clock] = [toDay(date), toClock(time)]
  if (day === undefined || clock === undefined) return text
  const local = `${day}T${clock}`
  const offset = /^([+-])(\d\d):?(\d\d)?$/.exec(zone)
  if (offset !== null) return `${local}${offset[1] ?? '+'}${offset[2] ?? '00'}:${offset[3] ?? '00'}`
  const code = /^([A-Z])([SD])T$/.exec(zone)
  if (code !== null) return addZone(local, `${code[1] ?? ''}${code[2] ?? ''}`)
  return zone === '' ? local : /^(?:UTC|GMT|Z)$/.test(zone) ? `${local}Z` : text
}
