/** Checks a mapping against its own examples and describes how the output differs from what was expected. */
import { isDeepStrictEqual } from 'node:util'
import iconv from 'iconv-lite'
import { createExampleEnvelope, type FileReading, type RowWriter } from '../domain/format.ts'
import { type Problem } from '../domain/problem.ts'
import { formatPlace } from '../domain/place.ts'
import type { ComposedRows, Composer, Draft, FileSource, Translator } from '../domain/translator.ts'
import { replaceAtPath } from '../support/object-paths.ts'

/** Examples are small, so only this many differences of one are shown. */
const MAX_SHOWN = 20

/**
 * `expected` is the array of bodies in the order of the file. It names an order that is still to be found, and lists the
 * problem codes of a refused record: `{ "refused": ["value-missing"] }`.
 */
export async function checkInboundExample(
  translator: Translator,
  { layouts, batches, source }: Pick<FileReading, 'layouts' | 'batches'> & { readonly source?: FileSource },
  expected: unknown,
): Promise<string[]> {
  if (!Array.isArray(expected)) return ['The expected file must hold an array of bodies.']
  const bound = translator.bind(layouts, source)
  if (!('keyColumns' in bound)) return bound.map(({ message, fix }) => `${message} ${fix}`)
  const drafts: Draft[] = []
  for await (const rows of batches) drafts.push(...bound.translateRows(rows))
  drafts.push(...bound.finish())
  const taken = drafts.filter(({ skipped, held }) => skipped !== true && held !== true)
  const differences = compareRecords(taken, expected)
  if (taken.length < expected.length) {
    differences.push(describeCountMismatch('record', expected.length, taken.length))
  }
  differences.push(...bound.listMismatches().map(({ message }) => message))
  return limitDifferences(differences)
}

/** The last one says what to do, once for all of them. */
function limitDifferences(differences: readonly string[]): string[] {
  const shown = differences.slice(0, MAX_SHOWN)
  const last = shown.pop()
  return last === undefined
    ? []
    : [...shown, `${last} Correct the mapping, or the file of \`expect\` in its \`examples\`.`]
}

type ApiRecord = Readonly<Record<string, unknown>>

export function checkOutboundExample(
  composer: Composer,
  records: readonly ApiRecord[],
  expected: readonly (readonly string[])[],
): string[] {
  const differences: string[] = []
  const rows = composeRecords(composer, records, differences).flatMap((composed) => composed.rows)
  const [header = [], ...expectedRows] = expected
  if (!isDeepStrictEqual(composer.columns, header)) {
    differences.push(`The columns are ${composer.columns.join(', ')}; expected were ${header.join(', ')}.`)
  }
  for (const [index, row] of rows.entries()) {
    const wanted = expectedRows[index]
    if (wanted === undefined) continue
    for (const [at, cell] of row.entries()) {
      if (cell === wanted[at]) continue
      const column = `Row ${index + 1}, column "${composer.columns[at] ?? String(at + 1)}"`
      differences.push(`${column} is ${showValue(cell)}; expected was ${showValue(wanted[at])}.`)
    }
  }
  if (rows.length !== expectedRows.length) {
    differences.push(describeCountMismatch('row', expectedRows.length, rows.length))
  }
  return limitDifferences(differences)
}

/** Composes the rows of a record; of a document as in the file of an example. */
export function composeExample(composer: Composer, record: ApiRecord): ComposedRows {
  return composer.composeRows(record, createExampleEnvelope(composer.write.format))
}

/** Composes the rows of valid records and adds the problems of all other records to the differences. */
function composeRecords(composer: Composer, records: readonly ApiRecord[], differences: string[]) {
  return records.flatMap((record, index) => {
    const composed = composeExample(composer, record)
    if ('rows' in composed) return [{ record, rows: composed.rows }]
    differences.push(...composed.problems.map(({ message }) => `Record ${index + 1}: ${message}`))
    return []
  })
}

// Records of an inbound example are compared in order; one difference does not make the rest differ.

/** Lists the differences, one line each. A refused record has its problem codes in place of a body. */
export function compareRecords(drafts: readonly Draft[], expected: readonly unknown[]): string[] {
  const actual = drafts.map((draft) => ({ draft, shown: toComparable(draft) }))
  const wanted = expected.map(sortRefusalCodes)
  const differences: string[] = []
  let at = 0
  let next = 0
  while (at < actual.length && next < wanted.length) {
    const { draft, shown } = actual[at] ?? { draft: undefined, shown: undefined }
    if (draft === undefined) break
    const surplus = actual.length - at - (wanted.length - next)
    if (isDeepStrictEqual(shown, wanted[next])) {
      next += 1
      at += 1
    } else if (surplus > 0 && isDeepStrictEqual(actual[at + 1]?.shown, wanted[next])) {
      differences.push(...describeUnexpected(draft))
      at += 1
    } else if (surplus < 0 && isDeepStrictEqual(shown, wanted[next + 1])) {
      differences.push(`A record was expected before record ${draft.number}: ${showValue(wanted[next])}.`)
      next += 1
    } else {
      differences.push(...describeDifferences(draft, wanted[next]))
      next += 1
      at += 1
    }
  }
  return [...differences, ...actual.slice(at).flatMap(({ draft }) => describeUnexpected(draft))]
}

/**
 * Returns the body as examples show it. A reference is `{ "find": "order", "key": "…" }`; a value from the order is
 * `{ "order": "customer_order_number" }`.
 */
export function toExampleBody({ body = {}, references, deferred = [] }: Draft): Record<string, unknown> {
  const found = references.map(({ field, kind, key }) => [field, { find: kind, key }])
  const shown: Record<string, unknown> = { ...Object.fromEntries(found), ...body }
  return deferred.reduce((all, { field, from, name }) => replaceAtPath(all, field, { [from]: name }), shown)
}

function toComparable(draft: Draft): unknown {
  return draft.body === undefined
    ? sortRefusalCodes({ refused: draft.problems.map(({ code }) => code) })
    : toExampleBody(draft)
}

function isRefused(value: unknown): value is { readonly refused: readonly unknown[] } {
  return isObject(value) && Object.keys(value).length === 1 && Array.isArray(value['refused'])
}

/** Each code once: several cells of a record may be wrong in the same way. */
function sortRefusalCodes(value: unknown): unknown {
  return isRefused(value) ? { refused: [...new Set(value.refused)].map(String).toSorted() } : value
}

function describeUnexpected(draft: Draft): string[] {
  return draft.body === undefined ? describeRefusals(draft) : [`Record ${draft.number} was not expected.`]
}

function describeRefusals({ number, problems }: Draft): string[] {
  return problems.map((each) => `Record ${number} was refused: ${formatProblem(each)}`)
}

export function formatProblem({ place, message }: Problem): string {
  return [formatPlace(place), message].filter((part) => part !== '').join(': ')
}

function describeDifferences(draft: Draft, wanted: unknown): string[] {
  const record = `Record ${draft.number}`
  if (draft.body === undefined) {
    if (!isRefused(wanted)) return describeRefusals(draft)
    const codes = new Set(draft.problems.map(({ code }) => code))
    return [`${record} was refused for ${[...codes].join(', ')}; expected was ${wanted.refused.join(', ')}.`]
  }
  if (isRefused(wanted)) {
    return [`${record} was expected to be refused for ${wanted.refused.join(', ')}, and it is not.`]
  }
  return compareValues(toExampleBody(draft), wanted, '').map((difference) => `${record}: ${difference}`)
}

function compareValues(actual: unknown, expected: unknown, path: string): string[] {
  if (isDeepStrictEqual(actual, expected)) return []
  if (!isObject(actual) || !isObject(expected)) {
    return [`${path || 'the body'} is ${showValue(actual)}; expected was ${showValue(expected)}.`]
  }
  return [...new Set([...Object.keys(actual), ...Object.keys(expected)])].flatMap((key) =>
    compareValues(actual[key], expected[key], path === '' ? key : `${path}.${key}`),
  )
}

/** Whether the value has fields; true for a list as well. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function showValue(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(value)
}

// An export that is no plain table is compared with its example line by line.

/** Whether only whole lines can be compared: rows differ in kind, or a CSV reader would not find their cells. */
export function isComparedByLine({ write, columns, trailer }: Composer): boolean {
  const { format, quote, above } = write
  const isPlain = format === 'csv' && quote !== null && above === undefined
  return !isPlain || columns.length === 0 || trailer !== undefined
}

/** Describes the differences between the exported and the expected file; line ends do not count. */
export function checkOutboundLines(
  composer: Composer,
  writer: RowWriter,
  { records, expected }: { readonly records: readonly ApiRecord[]; readonly expected: Uint8Array },
): string[] {
  const differences: string[] = []
  const chunks = composeFile(composer, writer, composeRecords(composer, records, differences))
  const lines = decodeLines(Buffer.concat(chunks), composer)
  const wanted = decodeLines(expected, composer)
  for (const [index, line] of lines.slice(0, wanted.length).entries()) {
    const other = wanted[index] ?? ''
    if (line === other) continue
    differences.push(`Line ${index + 1} is ${JSON.stringify(line)}; expected was ${JSON.stringify(other)}.`)
  }
  if (lines.length !== wanted.length) {
    differences.push(describeCountMismatch('line', wanted.length, lines.length))
  }
  return limitDifferences(differences)
}

/** The pieces of a small file with all of these records. A document gets the envelope of an example, or its own. */
export function composeFile(
  composer: Composer,
  writer: RowWriter,
  composed: readonly { readonly record: ApiRecord; readonly rows: readonly (readonly string[])[] }[],
  envelope = createExampleEnvelope(composer.write.format),
): Uint8Array[] {
  const frame = envelope && composer.frame?.(envelope)
  const trailer = composer.trailer?.()
  const pieces = [writer.formatHeader(), writer.formatRows(frame?.begin ?? [])]
  for (const { record, rows } of composed) {
    trailer?.addRecord(record, rows.length)
    frame?.addRecord(rows)
    pieces.push(writer.formatRows(rows))
  }
  if (trailer !== undefined) pieces.push(writer.formatRows([trailer.createRow()]))
  if (frame !== undefined) pieces.push(writer.formatRows(frame.createEnd()))
  return writer.formatEnd === undefined ? pieces : [...pieces, writer.formatEnd()]
}

/** Drops the last line break, which editors add or remove. Keeps blanks at the end of a line. */
function decodeLines(bytes: Uint8Array, { write }: Composer): string[] {
  const text = iconv.decode(bytes, write.encoding ?? 'utf-8')
  return text.replace(/\r?\n$/, '').split(/\r?\n/)
}

/** `1 line was expected, 2 came out.` */
function describeCountMismatch(what: string, wanted: number, made: number): string {
  return `${wanted} ${what}${wanted === 1 ? ' was' : 's were'} expected, ${made} came out.`
}
