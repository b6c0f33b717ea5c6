/** The records of one file as a mapping makes them: what two mappings are compared by. */
import type { Format } from '../../domain/format.ts'
import { describePlace, type Problem } from '../../domain/problem.ts'
import type { Draft } from '../../domain/translator.ts'
import { exampleBody } from '../../mapping/example-records.ts'
import type { InboundMapping, Mapping, OutboundMapping } from '../../mapping/load.ts'
import { BridgeError } from '../../support/errors.ts'
import { type ApiRecord, exportedRows, exportKinds, recordsIn } from './exported.ts'
import { readRecords } from './records.ts'

/** What becomes of a record: only one that is taken has a body, or rows. */
export interface Version {
  readonly outcome: 'taken' | 'refused' | 'skipped' | 'held'
  /** The body; of an export the rows, each a map of columns, under their types. */
  readonly body?: Readonly<Record<string, unknown>>
  /** Why it is not taken. */
  readonly problems: readonly string[]
}

export interface ComparedFile {
  readonly path: string
  /** For messages. */
  readonly name: string
}

/** Larger files are compared by a part of them. */
const MAX_RECORDS = 50_000

/** What is of no record in particular. */
const THE_FILE = 'the file'

/** By what names the record; a name that comes more than once in the file is counted. */
export async function versionsOf(
  file: ComparedFile,
  format: Format,
  mapping: Mapping,
): Promise<Map<string, Version>> {
  const versions = new Map<string, Version>()
  const seen = new Map<string, number>()
  const add = (key: string, version: Version) => {
    const count = (seen.get(key) ?? 0) + 1
    seen.set(key, count)
    versions.set(count === 1 ? key : `${key} (${count})`, version)
    if (versions.size <= MAX_RECORDS) return
    throw new BridgeError(
      'usage-wrong',
      `${file.name} has more than ${MAX_RECORDS} records; compare a part of it`,
    )
  }
  if (mapping.direction === 'inbound') await addDrafts(file, format, { mapping, add })
  else addRows(await recordsIn(file.path), mapping, add)
  return versions
}

type Add = (key: string, version: Version) => void

async function addDrafts(
  { path }: ComparedFile,
  format: Format,
  { mapping, add }: { readonly mapping: InboundMapping; readonly add: Add },
): Promise<void> {
  const read = await readRecords(path, format, mapping)
  if ('problems' in read) return add(THE_FILE, { outcome: 'refused', problems: read.problems.map(inWords) })
  for await (const { draft } of read.records) {
    add(draft.keyValues.join(' ').trim() || `record ${draft.number}`, versionOf(draft))
  }
}

function versionOf(draft: Draft): Version {
  const problems = draft.problems.map(inWords)
  if (draft.body !== undefined) return { outcome: 'taken', body: exampleBody(draft), problems }
  return { outcome: draft.skipped ? 'skipped' : draft.held ? 'held' : 'refused', problems }
}

function inWords({ place, message }: Problem): string {
  return [describePlace(place), message].filter((part) => part !== '').join(': ')
}

/** The fields by which people know a record of the API. */
const KEY_FIELDS = ['purchase_order_number', 'invoice_number', 'identifier', 'code', 'name', 'id']

function addRows(records: readonly ApiRecord[], mapping: OutboundMapping, add: Add): void {
  const { composer } = mapping
  const kinds = exportKinds(mapping)
  const trailer = composer.trailer?.()
  for (const [index, record] of records.entries()) {
    const field = KEY_FIELDS.find((name) => ['string', 'number'].includes(typeof record[name]))
    const key = field === undefined ? `record ${index + 1}` : String(record[field] as string | number)
    const composed = composer.rows(record)
    if ('problems' in composed) {
      add(key, { outcome: 'held', problems: composed.problems.map(inWords) })
      continue
    }
    trailer?.add(record, composed.rows.length)
    const body: Record<string, Record<string, string>[]> = {}
    for (const { kind, cells } of exportedRows(kinds, record, composed.rows)) {
      const rows = (body[kind.type ?? 'rows'] ??= [])
      rows.push(Object.fromEntries(kind.columns.map(({ name }, at) => [name, cells[at] ?? ''])))
    }
    add(key, { outcome: 'taken', body, problems: [] })
  }
  const { write, columns } = composer
  const last = trailer === undefined ? {} : { trailer: trailer.row() }
  add(THE_FILE, { outcome: 'taken', body: { write, columns, ...last }, problems: [] })
}
