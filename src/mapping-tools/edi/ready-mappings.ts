/** Finds the ready mappings of the program for documents, and the one that fits a sample best. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { InboundOperationName, OutboundOperationName } from '../../contract/operations.ts'
import type { Format } from '../../domain/format.ts'
import { findGrammar } from '../../edi/documents.ts'
import type { Syntax } from '../../edi/segment.ts'
import { toExampleBody } from '../../mapping/examples.ts'
import { type InboundMapping, loadMapping, type Mapping, type OutboundMapping } from '../../mapping/load.ts'
import { BridgeError } from '../../support/errors.ts'
import { resolvePackagePath } from '../../support/process.ts'
import { type ExplainedRecord, explainRecord, readRecords } from '../translate-file.ts'
import type { FoundInterchanges } from './interchanges.ts'

export interface ReadyMapping {
  /** `x12/850-orders.yaml`. */
  readonly name: string
  readonly path: string
  readonly mapping: InboundMapping
}

/** The ready mappings of a syntax for documents that come in, the plain ones before their variants. */
export async function listReadyMappings(syntax: Syntax): Promise<readonly ReadyMapping[]> {
  const ready = await loadReadyMappings(syntax)
  return ready.flatMap(({ mapping, ...each }) =>
    mapping.direction === 'inbound' ? [{ ...each, mapping }] : [],
  )
}

async function loadReadyMappings(syntax: Syntax) {
  const folder = resolvePackagePath(join('mappings', syntax))
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml'))
  const ready: { readonly name: string; readonly path: string; readonly mapping: Mapping }[] = []
  for (const file of files.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))) {
    const path = join(folder, file)
    ready.push({ name: `${syntax}/${file}`, path, mapping: await loadMapping(path) })
  }
  return ready
}

/** A ready mapping that writes a document. */
export interface ReadyExport {
  readonly name: string
  readonly mapping: OutboundMapping
  readonly document: NonNullable<OutboundMapping['document']>
}

/** Returns the ready export of the most frequent document. Throws `usage-wrong` when the operation writes none of them. */
export async function chooseReadyExport(
  { syntax, documents }: FoundInterchanges,
  operation: OutboundOperationName,
): Promise<ReadyExport> {
  const all = await loadReadyMappings(syntax)
  const ready = all.flatMap(({ name, mapping }): ReadyExport[] => {
    if (mapping.direction === 'inbound' || mapping.document === undefined) return []
    return [{ name, mapping, document: mapping.document }]
  })
  const getName = ({ document }: ReadyExport) => document.plan.grammar.document
  const own = ready.filter(({ mapping }) => mapping.operation === operation)
  const found = documents.map(({ document }) => document)
  const chosen = found.flatMap((document) => own.find((each) => getName(each) === document) ?? [])[0]
  if (chosen !== undefined) return chosen
  const others = ready.filter((each) => found.includes(getName(each))).map(({ mapping }) => mapping.operation)
  throw createMisfit({ syntax, found, operation, verb: 'writes', own: own.map(getName), others })
}

/** The ready mapping with the records that it makes of a sample. */
export interface ChosenMapping extends ReadyMapping {
  readonly records: readonly ExplainedRecord[]
}

/** More records of a sample say no more about it. */
const MAX_RECORDS = 2000

/**
 * Chooses the ready mapping of a document in the sample that translates most of its records, then fills
 * most values, then has the fewest paths that the sample leaves blank.
 * Throws `usage-wrong` when the operation has none for these documents.
 */
export async function chooseReadyMapping(
  path: string,
  { syntax, documents, isTest }: FoundInterchanges,
  operation: InboundOperationName,
  format: Format,
): Promise<ChosenMapping> {
  const ready = await listReadyMappings(syntax)
  const found = documents.map(({ document }) => document)
  const fitting = ready.filter(
    ({ mapping }) => mapping.operation === operation && found.includes(getDocument(mapping)),
  )
  if (fitting.length === 0) throw explainMisfit(ready, found, operation)
  let best: { readonly chosen: ChosenMapping; readonly score: readonly number[] } | undefined
  for (const each of fitting) {
    const mapping = isTest ? withAnyUsage(each.mapping) : each.mapping
    const records = await readSomeRecords(path, format, mapping)
    const score = [
      records.filter((record) => explainRecord(record).outcome === 'translated').length,
      records.reduce((sum, { draft }) => sum + countValues(draft.body && toExampleBody(draft)), 0),
      -countUnfilled(records),
    ]
    if (best === undefined || compare(score, best.score) > 0)
      best = { chosen: { ...each, mapping, records }, score }
  }
  if (best === undefined) throw explainMisfit(ready, found, operation)
  return best.chosen
}

function getDocument({ translator }: InboundMapping): string {
  return translator.read.edi?.document ?? ''
}

/** A sample is often a test interchange, which a mapping skips unless it says otherwise. */
function withAnyUsage(mapping: InboundMapping): InboundMapping {
  const { translator } = mapping
  const { edi } = translator.read
  if (edi === undefined) return mapping
  const read = { ...translator.read, edi: { ...edi, usage: 'any' as const } }
  return { ...mapping, translator: { ...translator, read } }
}

async function readSomeRecords(path: string, format: Format, mapping: InboundMapping) {
  const read = await readRecords(path, format, mapping, () => true)
  const records: ExplainedRecord[] = []
  if ('problems' in read) return records
  for await (const record of read.records) {
    records.push(record)
    if (records.length >= MAX_RECORDS) break
  }
  return records
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return value === undefined || value === null ? 0 : 1
  return Object.values(value).reduce<number>((sum, each) => sum + countValues(each), 0)
}

/** How many paths are blank in all records. */
function countUnfilled(records: readonly ExplainedRecord[]): number {
  const cells = records.flatMap(({ fields }) => fields.flatMap((field) => field.cells))
  const filled = new Set(cells.flatMap(({ column, text }) => (text.trim() === '' ? [] : [column])))
  return new Set(cells.flatMap(({ column }) => (filled.has(column) ? [] : [column]))).size
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index])
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}

function explainMisfit(
  ready: readonly ReadyMapping[],
  found: readonly string[],
  operation: InboundOperationName,
): BridgeError {
  const [first] = ready
  const syntax = first?.mapping.translator.read.format === 'edifact' ? 'edifact' : 'x12'
  const own = ready.filter(({ mapping }) => mapping.operation === operation)
  const others = ready.flatMap(({ mapping }) =>
    found.includes(getDocument(mapping)) ? [mapping.operation] : [],
  )
  const documents = own.map(({ mapping }) => getDocument(mapping))
  return createMisfit({ syntax, found, operation, verb: 'reads', own: documents, others })
}

interface Misfit {
  readonly syntax: Syntax
  /** The documents of the file. */
  readonly found: readonly string[]
  readonly operation: string
  readonly verb: 'reads' | 'writes'
  /** The documents of the operation, and the operations that these documents have. */
  readonly own: readonly string[]
  readonly others: readonly string[]
}

function createMisfit({ syntax, found, operation, verb, own, others }: Misfit): BridgeError {
  const named = found.map((document) => nameDocument(syntax, document)).join(', ')
  const documents = own.length === 0 ? 'no document' : [...new Set(own)].join(' or ')
  const fix =
    others.length > 0
      ? `Name the operation of this document: --operation ${[...new Set(others)].join(' or ')}.`
      : own.length === 0
        ? 'Name another operation.'
        : `Take a file with ${documents}.`
  return new BridgeError(
    'usage-wrong',
    `The file holds ${named === '' ? 'no document' : named}; ${operation} ${verb} ${documents}.`,
    { fix },
  )
}

/** `850 (Purchase order)`. */
export function nameDocument(syntax: Syntax, document: string): string {
  const title = findGrammar(syntax, document)?.definition.title
  return title === undefined ? document : `${document} (${title})`
}
