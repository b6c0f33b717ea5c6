/** The names of outgoing files: a text with `{date:FORMAT}`, `{day:FORMAT}`, `{seq}`, `{route}` and fields of the record. */
import { DateTime } from 'luxon'
import { z } from 'zod'
import { OPERATIONS } from '../contract/operations.ts'

export interface FileNameValues {
  readonly route: string
  readonly sequence: number
  /** Milliseconds since 1970. */
  readonly at: number
  /** The zone of the dates in the name; the one of this machine when left out. */
  readonly zone?: string
  /** The business date that the file is for; the one it is made on when left out. */
  readonly day?: string
  /** The record in the file, for its fields. */
  readonly record?: Readonly<Record<string, unknown>>
}

/** The name of one file; the template is one without mistakes. */
export function fileNameOf(template: string, values: FileNameValues): string {
  const { route, sequence, at, zone, day, record = {} } = values
  const time = DateTime.fromMillis(at, { zone: zone ?? 'local', locale: 'en-US' })
  const date = day === undefined ? time : DateTime.fromISO(day, { zone: 'UTC', locale: 'en-US' })
  return template.replace(PLACEHOLDER, (_, name: string, format: string | undefined) => {
    if (name === 'date') return time.toFormat(format ?? '')
    if (name === 'day') return date.toFormat(format ?? '')
    if (name === 'seq') return String(sequence)
    return name === 'route' ? route : safeText(valueAt(record, name))
  })
}

/** Reads the sequence number from names that the template gave on the route; undefined where it has none. */
export function sequenceIn(
  template: string,
  route: string,
): ((name: string) => number | undefined) | undefined {
  const parts = template.split(/(\{[^{}]*\})/)
  if (!parts.includes('{seq}')) return undefined
  const first = parts.indexOf('{seq}')
  const pattern = parts.map((part, place) => {
    if (place === first) return '(?<sequence>\\d{1,15})'
    if (part === '{route}') return escaped(route)
    const format = /^\{(?:date|day):(.*)\}$/.exec(part)?.[1]
    if (format !== undefined) return escaped(format).replace(/[A-Za-z]/g, '\\d')
    return part.startsWith('{') ? '.+?' : escaped(part)
  })
  const isName = new RegExp(`^${pattern.join('')}$`, 'u')
  return (name) => {
    const number = isName.exec(name)?.groups?.['sequence']
    return number === undefined ? undefined : Number(number)
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** The text with the values of a record in place of its fields, each made safe for a name. */
export function filledWith(template: string, record: Readonly<Record<string, unknown>>): string {
  return template.replace(PLACEHOLDER, (_, name: string) => safeText(valueAt(record, name)))
}

/** Whether the name says something of the record in the file, so that a file can hold only one. */
export function namesRecord(template: string): boolean {
  return placeholdersOf(template).some(({ name }) => !OWN.has(name))
}

const PLACEHOLDER = /\{([^{}:]*)(?::([^{}]*))?\}/g
/** The placeholders that are no fields of a record. */
const OWN = new Set(['date', 'day', 'seq', 'route'])
const DAY_FORMAT = /^(?:yyyy|yy|MM|dd|[-_.])+$/
const DATE_FORMAT = /^(?:yyyy|yy|MM|dd|HH|mm|ss|SSS|[-_.])+$/
/** Those of which no two files have the same, or few. */
const DISTINCT = new Set(['date', 'day', 'seq'])
/** What no name may hold on Windows, the separators of both worlds, and what cannot be seen. */
const NOT_IN_NAMES = /[<>:"/\\|?*\p{Cc}]/u
const WORKING_NAME = /^(?:\.|~\$)|\.(?:tmp|part|partial|filepart|writing|crdownload)$/i
/** Longer values are cut: the name of a file has at most 255 bytes. */
const LONGEST_VALUE = 40

export function placeholdersOf(template: string) {
  return [...template.matchAll(PLACEHOLDER)].map(([whole, name = '', format]) => ({ whole, name, format }))
}

function valueAt(record: Readonly<Record<string, unknown>>, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null
          ? (value as Readonly<Record<string, unknown>>)[name]
          : undefined,
      record,
    )
}

/** Letters and digits of the value; a dash for all else, so that no value leads out of the folder or hides the file. */
function safeText(value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  const safe = text.normalize('NFC').replace(/[^\p{L}\p{N}_]+/gu, '-')
  return Array.from(safe.replace(/^-|-$/g, '')).slice(0, LONGEST_VALUE).join('') || 'none'
}

/** Everything that is wrong with a template, in words; fields are those of what the operation exports. */
export function fileNameMistakes(template: string, operation?: string): string[] {
  const found = placeholdersOf(template)
  const mistakes = found.flatMap((placeholder) => placeholderMistakes(placeholder, operation))
  mistakes.push(...textMistakes(template))
  if (!found.some(({ name }) => DISTINCT.has(name) || isField(name, operation))) {
    mistakes.push('needs {seq}, {date:…} or {day:…}, or every file would have the same name')
  }
  return mistakes
}

/** What is wrong with a template around its placeholders. */
export function textMistakes(template: string): string[] {
  const mistakes: string[] = []
  const plain = template.replace(PLACEHOLDER, '')
  if (/[{}]/.test(plain)) mistakes.push('has a brace without its partner')
  if (NOT_IN_NAMES.test(plain)) mistakes.push('is the name of a file: it cannot hold / \\ < > : " | ? *')
  if (WORKING_NAME.test(template))
    mistakes.push('looks like a file still being written, which readers pass over')
  return mistakes
}

function placeholderMistakes(
  { whole, name, format }: { whole: string; name: string; format: string | undefined },
  operation: string | undefined,
): string[] {
  if (name === 'date') {
    if (format !== undefined && DATE_FORMAT.test(format)) return []
    return [
      `has ${whole}: write yyyy, MM, dd, HH, mm, ss or SSS with - _ . between, such as {date:yyyyMMdd-HHmmss}`,
    ]
  }
  if (name === 'day') {
    if (format !== undefined && DAY_FORMAT.test(format)) return []
    return [`has ${whole}: write yyyy, yy, MM or dd with - _ . between, such as {day:yyyy-MM-dd}`]
  }
  if (format === undefined && (OWN.has(name) || isField(name, operation))) return []
  const fields = operation === undefined ? 'a field of the record' : `a field of what ${operation} shows`
  return [`has ${whole}, which is not a placeholder: use {date:…}, {day:…}, {seq}, {route} or ${fields}`]
}

/** The records that exports show, or that of the operation. */
function recordsOf(operation: string | undefined): z.ZodType[] {
  return Object.entries(OPERATIONS).flatMap(([name, each]) =>
    each.direction === 'outbound' && (operation ?? name) === name ? [each.record] : [],
  )
}

/** Whether the path leads to a text or a number of the record. */
function isField(path: string, operation: string | undefined): boolean {
  return recordsOf(operation).some((record) => leadsToValue(record, path))
}

export function leadsToValue(record: z.ZodType, path: string): boolean {
  let here: unknown = record
  for (const name of path.split('.')) {
    const below: unknown = unwrapped(here)
    here = below instanceof z.ZodObject && Object.hasOwn(below.shape, name) ? below.shape[name] : undefined
  }
  const end = unwrapped(here)
  return end instanceof z.ZodType && !(end instanceof z.ZodObject || end instanceof z.ZodArray)
}

function unwrapped(schema: unknown): unknown {
  return schema instanceof z.ZodNullable || schema instanceof z.ZodOptional
    ? unwrapped(schema.unwrap())
    : schema
}
