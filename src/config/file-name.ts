/** The names of outgoing files: templates with `{date:…}`, `{day:…}`, `{seq}`, `{route}` and fields of the record. */
import { DateTime } from 'luxon'
import { z } from 'zod'
import { OPERATIONS } from '../contract/operations.ts'
import { BrandShipment } from '../contract/shipment.ts'
import { ANY, DIGIT, MANY, type NameToken, readNumberBetween } from '../support/name-pattern.ts'
import { getAtPath } from '../support/object-paths.ts'

interface FileNameValues {
  readonly route: string
  readonly sequence: number
  /** Milliseconds since 1970. */
  readonly at: number
  /** The zone of the dates in the name; by default that of this machine. */
  readonly zone?: string
  /** The business date of the file; by default the date on which it is made. */
  readonly day?: string
  readonly record?: Readonly<Record<string, unknown>>
  /** Of a file that is an interchange. */
  readonly interchange?: Pick<AnswerNameValues, 'icn' | 'partner' | 'kind'>
}

/** Formats the name of one file; the template has no errors. */
export function formatFileName(template: string, values: FileNameValues): string {
  const { route, sequence, at, zone, day, record = {}, interchange } = values
  const time = DateTime.fromMillis(at, { zone: zone ?? 'local', locale: 'en-US' })
  const date = day === undefined ? time : DateTime.fromISO(day, { zone: 'UTC', locale: 'en-US' })
  return template.replace(PLACEHOLDER, (_, name: string, format: string | undefined) => {
    if (name === 'date') return time.toFormat(format ?? '')
    if (name === 'day') return date.toFormat(format ?? '')
    if (name === 'seq') return String(sequence)
    if (interchange !== undefined && isInterchangePlaceholder(name)) return interchange[name]
    return name === 'route' ? route : toSafeText(getAtPath(record, name))
  })
}

/** Creates a reader of sequence numbers in the route's file names; undefined for a template without `{seq}`. */
export function createSequenceReader(template: string, route: string) {
  const parts = template.split(/(\{[^{}]*\})/)
  if (!parts.includes('{seq}')) return undefined
  const first = parts.indexOf('{seq}')
  const tokens = (part: string): NameToken[] => {
    if (part === '{route}') return Array.from(route)
    const format = /^\{(?:date|day):(.*)\}$/.exec(part)?.[1]
    if (format !== undefined) return Array.from(format, (mark) => (/[A-Za-z]/.test(mark) ? DIGIT : mark))
    return part.startsWith('{') ? [ANY, MANY] : Array.from(part)
  }
  const before = parts.slice(0, first).flatMap(tokens)
  const after = parts.slice(first + 1).flatMap(tokens)
  return (name: string): number | undefined => readNumberBetween(before, after, Array.from(name))
}

/** Whether the name contains a field of the record, so that a file can hold only one record. */
export function hasRecordPlaceholder(template: string, isInterchange = false): boolean {
  return findPlaceholders(template).some(
    ({ name }) => !FILE_PLACEHOLDERS.has(name) && !(isInterchange && isInterchangePlaceholder(name)),
  )
}

/** What the name of an interchange may hold besides. */
function isInterchangePlaceholder(name: string): name is 'icn' | 'partner' | 'kind' {
  return name === 'icn' || name === 'partner' || name === 'kind'
}

export const PLACEHOLDER = /\{([^{}:]*)(?::([^{}]*))?\}/g

/** The placeholders that are not fields of a record. */
const FILE_PLACEHOLDERS = new Set(['date', 'day', 'seq', 'route'])

const DAY_FORMAT = /^(?:yyyy|yy|MM|dd|[-_.])+$/

const DATE_FORMAT = /^(?:yyyy|yy|MM|dd|HH|mm|ss|SSS|[-_.])+$/

/** The placeholders that differ from file to file. */
const DISTINCT_PLACEHOLDERS = new Set(['date', 'day', 'seq'])

/** Characters that Windows forbids in names, path separators, and control characters. */
const NOT_IN_NAMES = /[<>:"/\\|?*\p{Cc}]/u

/** Whether programs use such names for unfinished files; a listing never shows them. */
export function isWorkingName(name: string): boolean {
  return /^(?:\.|~\$)|\.(?:tmp|part|partial|filepart|writing|crdownload)$/i.test(name)
}

/** Longer values are cut: the name of a file has at most 255 bytes. */
const VALUE_LENGTH_MAX = 40

export function findPlaceholders(template: string) {
  return [...template.matchAll(PLACEHOLDER)].map(([whole, name = '', format]) => ({ whole, name, format }))
}

/** Keeps letters and digits and replaces the rest with dashes, so that no value leaves the folder or hides the file. */
function toSafeText(value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  const safe = text.normalize('NFC').replace(/[^\p{L}\p{N}_]+/gu, '-')
  return Array.from(safe.replace(/^-|-$/g, '')).slice(0, VALUE_LENGTH_MAX).join('') || 'none'
}

/** Describes all errors of a template; its fields are those of the operation's records. */
export function findFileNameErrors(template: string, operation?: string, isInterchange = false): string[] {
  const found = findPlaceholders(template)
  const isKnown = ({ name, format }: { name: string; format: string | undefined }) =>
    isInterchange && format === undefined && isInterchangePlaceholder(name)
  const errors = found
    .filter((placeholder) => !isKnown(placeholder))
    .flatMap((placeholder) => findPlaceholderErrors(placeholder, operation))
  errors.push(...findTemplateErrors(template))
  if (isInterchange && found.some(({ name }) => name === 'icn')) return errors
  if (!found.some(({ name }) => DISTINCT_PLACEHOLDERS.has(name) || isField(name, operation))) {
    errors.push('needs {seq}, {date:…} or {day:…}, or every file would have the same name')
  }
  return errors
}

/** Describes the errors of a template around its placeholders. */
function findTemplateErrors(template: string): string[] {
  const errors: string[] = []
  const plain = template.replace(PLACEHOLDER, '')
  if (/[{}]/.test(plain)) errors.push('has a brace without its partner')
  if (NOT_IN_NAMES.test(plain)) errors.push('is the name of a file: it cannot hold / \\ < > : " | ? *')
  if (isWorkingName(template)) errors.push('looks like a file still being written, which readers pass over')
  return errors
}

function findPlaceholderErrors(
  { whole, name, format }: { whole: string; name: string; format: string | undefined },
  operation: string | undefined,
): string[] {
  if (name === 'date') {
    const help = 'write yyyy, MM, dd, HH, mm, ss or SSS with - _ . between, such as {date:yyyyMMdd-HHmmss}'
    return DATE_FORMAT.test(format ?? '') ? [] : [`has ${whole}: ${help}`]
  }
  if (name === 'day') {
    const help = 'write yyyy, yy, MM or dd with - _ . between, such as {day:yyyy-MM-dd}'
    return DAY_FORMAT.test(format ?? '') ? [] : [`has ${whole}: ${help}`]
  }
  if (format === undefined && (FILE_PLACEHOLDERS.has(name) || isField(name, operation))) return []
  const fields = operation === undefined ? 'a field of the record' : `a field of what ${operation} shows`
  return [`has ${whole}, which is not a placeholder: use {date:…}, {day:…}, {seq}, {route} or ${fields}`]
}

/** Whether the path leads to a text or number in the records of the operation, or of any operation. */
function isField(path: string, operation: string | undefined): boolean {
  return Object.entries(OPERATIONS).some(
    ([name, each]) =>
      each.direction === 'outbound' && (operation ?? name) === name && isScalarPath(each.record, path),
  )
}

function isScalarPath(record: z.ZodType, path: string): boolean {
  let here: unknown = record
  for (const name of path.split('.')) {
    const below: unknown = unwrapSchema(here)
    here = below instanceof z.ZodObject && Object.hasOwn(below.shape, name) ? below.shape[name] : undefined
  }
  const end = unwrapSchema(here)
  return end instanceof z.ZodType && !(end instanceof z.ZodObject || end instanceof z.ZodArray)
}

function unwrapSchema(schema: unknown): unknown {
  return schema instanceof z.ZodNullable || schema instanceof z.ZodOptional
    ? unwrapSchema(schema.unwrap())
    : schema
}

// Packing slips and labels: templates with fields of the created shipment, `{shipment_id}` and `{kind}`.

export const DEFAULT_DOCUMENT_NAME = '{purchase_order_number}-{tracking_number}-{kind}'

/** Formats the name without its extension; the template has no errors. */
export function formatDocumentName(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replace(PLACEHOLDER, (_, name: string) => toSafeText(getAtPath(values, name)))
}

const DOCUMENT_PLACEHOLDERS = new Set(['shipment_id', 'kind'])

/** Two shipments differ in each of these; several shipments can share a purchase order number. */
const UNIQUE_FIELDS = ['tracking_number', 'shipment_id', 'id']

export function findDocumentNameErrors(template: string): string[] {
  const found = findPlaceholders(template)
  const unknown = found.filter(
    ({ name, format }) =>
      format !== undefined || !(DOCUMENT_PLACEHOLDERS.has(name) || isScalarPath(BrandShipment, name)),
  )
  const help = 'use {kind}, {shipment_id} or a field of a shipment, such as {tracking_number}'
  const errors = unknown.map(({ whole }) => `has ${whole}, which is not a placeholder: ${help}`)
  errors.push(...findTemplateErrors(template))
  if (/\.(pdf|png|zpl|bin)$/i.test(template)) {
    errors.push('ends in a type of file: leave it out, because it follows from what the API makes')
  }
  if (unknown.length === 0 && !found.some(({ name }) => UNIQUE_FIELDS.includes(name))) {
    errors.push('needs {tracking_number} or {shipment_id}, or the files of two shipments would have one name')
  }
  return errors
}

/** Fills in `{name}` and `{stem}` of a receipt, marker or manifest, for the file that it belongs to. */
export function fillNameTemplate(template: string, name: string): string {
  const stem = /^(.+)\.[^.]*$/.exec(name)?.[1] ?? name
  return template.replace(/\{(name|stem)\}/g, (_, which: string) => (which === 'name' ? name : stem))
}

// Answers to interchanges.

export const DEFAULT_ANSWER_NAME = '{kind}-{partner}-{icn}.edi'

const ANSWER_PLACEHOLDERS = new Set(['icn', 'partner', 'kind', 'seq', 'date'])

const ANSWER_PLACEHOLDER_HELP = 'use {icn}, {partner}, {kind}, {seq} or {date:…}'

export interface AnswerNameValues {
  /** The control number of its first interchange. */
  readonly icn: string
  readonly partner: string
  /** `997`, `999`, `TA1` or `CONTRL`. */
  readonly kind: string
  readonly sequence: number
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Formats the name of the file of an answer; the template has no errors. */
export function formatAnswerName(template: string, values: AnswerNameValues): string {
  const { icn, partner, kind, sequence, at } = values
  const time = DateTime.fromMillis(at, { zone: 'local', locale: 'en-US' })
  const texts: Readonly<Record<string, string>> = { icn, partner, kind, seq: String(sequence) }
  return template.replace(PLACEHOLDER, (_, name: string, format: string | undefined) =>
    name === 'date' ? time.toFormat(format ?? '') : (texts[name] ?? ''),
  )
}

export function findAnswerNameErrors(template: string): string[] {
  const found = findPlaceholders(template)
  const errors = found.flatMap((placeholder) => {
    const { whole, name, format } = placeholder
    if (name === 'date') return findPlaceholderErrors(placeholder, undefined)
    if (format === undefined && ANSWER_PLACEHOLDERS.has(name)) return []
    return [`has ${whole}, which is not a placeholder: ${ANSWER_PLACEHOLDER_HELP}`]
  })
  errors.push(...findTemplateErrors(template))
  if (!found.some(({ name }) => name === 'icn' || name === 'seq' || name === 'date')) {
    errors.push('needs {icn}, {seq} or {date:…}, or every file would have the same name')
  }
  return errors
}
