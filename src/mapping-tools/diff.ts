/** Compares two mappings record by record over the same files. */
import { isDeepStrictEqual } from 'node:util'
import type { Format } from '../domain/format.ts'
import type { Draft } from '../domain/translator.ts'
import { composeExample, formatProblem, isObject, toExampleBody } from '../mapping/examples.ts'
import type { InboundMapping, Mapping, OutboundMapping } from '../mapping/load.ts'
import { BridgeError } from '../support/errors.ts'
import { type ApiRecord, listExportKinds, exportRecords, readApiRecords } from './exported-rows.ts'
import { readRecords } from './translate-file.ts'

export interface FieldChange {
  readonly field: string
  /** Absent where the field is not in the body. */
  readonly old?: unknown
  readonly new?: unknown
}

export interface RecordChange {
  readonly file: string
  /** The name of the record in the file. */
  readonly key: string
  /** The kind of change: the new outcome, where it differs. */
  readonly kind: 'added' | 'removed' | 'changed' | RecordVersion['outcome']
  /** The former outcome; absent for a new record. */
  readonly was?: RecordVersion['outcome']
  readonly fields: readonly FieldChange[]
  /** Why the new mapping does not take the record. */
  readonly problems: readonly string[]
}

/** The changes in one file, in the order of its records. */
export async function compareFile(
  file: ComparedFile,
  mappings: { readonly old: Mapping; readonly new: Mapping },
  format: Format,
): Promise<RecordChange[]> {
  const before = await readVersions(file, format, mappings.old)
  const after = await readVersions(file, format, mappings.new)
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const change = describeChange(before.get(key), after.get(key))
    return change === undefined ? [] : [{ file: file.name, key, ...change }]
  })
}

function describeChange(
  before: RecordVersion | undefined,
  after: RecordVersion | undefined,
): Omit<RecordChange, 'file' | 'key'> | undefined {
  if (after === undefined) return before && { kind: 'removed', was: before.outcome, fields: [], problems: [] }
  const { outcome, problems } = after
  if (before === undefined) {
    const kind = outcome === 'taken' ? 'added' : outcome
    return { kind, fields: compareFields({}, after.body ?? {}, ''), problems }
  }
  const was = before.outcome
  if (was !== outcome) return { kind: outcome, was, fields: [], problems }
  const fields = compareFields(before.body, after.body, '')
  return fields.length === 0 ? undefined : { kind: 'changed', was, fields, problems }
}

function compareFields(before: unknown, after: unknown, path: string): FieldChange[] {
  if (isDeepStrictEqual(before, after)) return []
  if (!isObject(before) || !isObject(after)) {
    const old = before === undefined ? {} : { old: before }
    return [{ field: path, ...old, ...(after === undefined ? {} : { new: after }) }]
  }
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => {
    const below = Array.isArray(before) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`
    return compareFields(before[key], after[key], below)
  })
}

// The records of one file as one mapping makes them.

/** The outcome of a record; only a taken one has a body, or rows. */
interface RecordVersion {
  readonly outcome: 'taken' | 'refused' | 'skipped' | 'held'
  /** The body; of an export the rows, each a map of columns, under their types. */
  readonly body?: Readonly<Record<string, unknown>>
  readonly problems: readonly string[]
}

interface ComparedFile {
  readonly path: string
  readonly name: string
}

/** Of larger files, only this many records are compared. */
const MAX_RECORDS = 50_000

const THE_FILE = 'the file'

/** Reads the versions by record name; a repeated name gets a number. */
async function readVersions(file: ComparedFile, format: Format, mapping: Mapping) {
  const versions = new Map<string, RecordVersion>()
  const seen = new Map<string, number>()
  const add = (key: string, version: RecordVersion) => {
    const count = (seen.get(key) ?? 0) + 1
    seen.set(key, count)
    versions.set(count === 1 ? key : `${key} (${count})`, version)
    if (versions.size <= MAX_RECORDS) return
    const message = `${file.name} has more than ${MAX_RECORDS} records; compare a part of it`
    throw new BridgeError('usage-wrong', message)
  }
  if (mapping.direction === 'inbound') await addDrafts(file, format, mapping, add)
  else addRows(await readApiRecords(file.path), mapping, add)
  return versions
}

type AddVersion = (key: string, version: RecordVersion) => void

async function addDrafts({ path }: ComparedFile, format: Format, mapping: InboundMapping, add: AddVersion) {
  const read = await readRecords(path, format, mapping)
  if ('problems' in read) {
    return add(THE_FILE, { outcome: 'refused', problems: read.problems.map(formatProblem) })
  }
  for await (const { draft } of read.records) {
    add(draft.keyValues.join(' ').trim() || `record ${draft.number}`, toVersion(draft))
  }
}

function toVersion(draft: Draft): RecordVersion {
  const problems = draft.problems.map(formatProblem)
  if (draft.body !== undefined) return { outcome: 'taken', body: toExampleBody(draft), problems }
  return { outcome: draft.skipped ? 'skipped' : draft.held ? 'held' : 'refused', problems }
}

/** The fields by which people know a record of the API. */
const KEY_FIELDS = ['purchase_order_number', 'invoice_number', 'identifier', 'code', 'name', 'id']

function addRows(records: readonly ApiRecord[], mapping: OutboundMapping, add: AddVersion): void {
  const { composer } = mapping
  const kinds = listExportKinds(mapping)
  const trailer = composer.trailer?.()
  for (const [index, record] of records.entries()) {
    const field = KEY_FIELDS.find((name) => ['string', 'number'].includes(typeof record[name]))
    const key = field === undefined ? `record ${index + 1}` : String(record[field] as string | number)
    const composed = composeExample(composer, record)
    if ('problems' in composed) {
      add(key, { outcome: 'held', problems: composed.problems.map(formatProblem) })
      continue
    }
    trailer?.addRecord(record, composed.rows.length)
    const body: Record<string, Record<string, string>[]> = {}
    const [made = []] = exportRecords(mapping, kinds, [record]).records
    for (const { kind, cells, isLeftOut } of made) {
      if (isLeftOut === true) continue
      const rows = (body[kind.type ?? 'rows'] ??= [])
      rows.push(Object.fromEntries(kind.columns.map(({ name }, at) => [name, cells[at] ?? ''])))
    }
    add(key, { outcome: 'taken', body, problems: [] })
  }
  const { write, columns } = composer
  const last = trailer === undefined ? {} : { trailer: trailer.createRow() }
  add(THE_FILE, { outcome: 'taken', body: { write, columns, ...last }, problems: [] })
}
