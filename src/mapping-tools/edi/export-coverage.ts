/** Says which values of API records a document carries, which it leaves out, and what of its mapping the records never fill. */
import { createExampleEnvelope } from '../../domain/format.ts'
import type { Problem } from '../../domain/problem.ts'
import { toPlainText } from '../../mapping/export/cell-format.ts'
import { createPathReader, createValuesReader } from '../../mapping/export/paths.ts'
import type { TracedSegment } from '../../mapping/export/segment-rows.ts'
import type { TracedRecord } from '../../mapping/export/document-composer.ts'
import { listSegmentRows } from '../../mapping/export/segments.ts'
import type { OutboundMapping } from '../../mapping/load.ts'
import { isObject } from '../../support/object-paths.ts'
import { type ApiRecord, type ExportColumn, type ExportKind, listExportKinds } from '../exported-rows.ts'
import { toLongForm } from '../mapped-fields.ts'

/** A value of the records, by its path without positions. */
export interface RecordValue {
  /** `invoice_lines.variant.upc`, `attributes.msrp`. */
  readonly path: string
  /** How often it is filled, and how many records or items of a list could have it. */
  readonly filled: number
  readonly of: number
  readonly example: string
  /** The elements that show it, and the elements and segments whose conditions ask for it. */
  readonly elements: readonly string[]
  readonly conditions: readonly string[]
}

export interface ExportCoverage {
  readonly records: number
  /** Records that would stand in no file, so that nothing carries their values. */
  readonly held: readonly { readonly number: number; readonly problems: readonly Problem[] }[]
  readonly carried: number
  /** Those that no element shows and no condition asks for. */
  readonly leftOut: number
  /** In the order of the records; values that are always blank are not there. */
  readonly values: readonly RecordValue[]
  /** Segments of the mapping that these records never write, and elements of the others that are always blank. */
  readonly neverWritten: readonly string[]
  readonly neverFilled: readonly string[]
}

/** Undefined for a mapping that writes no document. */
export function coverExport(
  mapping: OutboundMapping,
  records: readonly ApiRecord[],
): ExportCoverage | undefined {
  const { document, composer } = mapping
  const envelope = createExampleEnvelope(composer.write.format)
  if (document === undefined || envelope === undefined) return undefined
  const traced = document.trace(records, envelope)
  const kinds = new Map(listExportKinds(mapping).map((kind) => [kind.segment, kind]))
  const [uses, conditions]: [Uses, Uses] = [new Map(), new Map()]
  const written = new Set<string>()
  const filled = new Set<string>()
  const see = (record: ApiRecord, { plan, item, texts, absent }: TracedSegment) => {
    const kind = kinds.get(plan)
    if (absent === 'blank' || kind === undefined) return
    noteConditions(conditions, plan.when, plan.path)
    if (absent === 'condition') return
    written.add(plan.path)
    for (const [at, column] of kind.columns.entries()) {
      const path = plan.elements[at]?.path ?? column.name
      noteConditions(conditions, column.options['when'], path)
      if ((texts[at] ?? '') === '') continue
      filled.add(path)
      addUses(uses, listShown(column, { record, item, each: kind.each }), path)
    }
  }
  for (const segment of [...traced.begin, ...traced.end]) see({}, segment)
  for (const { record, segments, problems } of traced.records)
    if (problems.length === 0) for (const segment of segments) see(record, segment)
  const plans = listSegmentRows(document.plan).map(({ plan }) => plan)
  const values = listRecordValues(records).map((value) => ({
    ...value,
    elements: [...(uses.get(value.path) ?? [])],
    conditions: [...(conditions.get(value.path) ?? [])],
  }))
  const carried = values.filter(({ elements }) => elements.length > 0).length
  const elements = plans.filter(({ path }) => written.has(path)).flatMap((plan) => plan.elements)
  return {
    records: records.length,
    held: listHeld(traced.records),
    carried,
    leftOut: values.filter(({ elements: shown, conditions: asked }) => shown.length + asked.length === 0)
      .length,
    values,
    neverWritten: listMissing(
      plans.map(({ path }) => path),
      written,
    ),
    neverFilled: listMissing(
      elements.map(({ path }) => path),
      filled,
    ),
  }
}

function listHeld(records: readonly TracedRecord[]): ExportCoverage['held'] {
  return records.flatMap(({ problems }, index) =>
    problems.length > 0 ? [{ number: index + 1, problems }] : [],
  )
}

function listMissing(all: readonly string[], found: ReadonlySet<string>): string[] {
  return [...new Set(all)].filter((path) => !found.has(path))
}

/** By path, what uses the value. */
type Uses = Map<string, Set<string>>

/** Paths of records have no positions: `gift_message[0]` is one of `gift_message`. */
function addUses(uses: Uses, written: readonly string[], use: string): void {
  for (const each of written) {
    const path = each.replace(/\[\d+\]/g, '')
    const known = uses.get(path) ?? new Set()
    uses.set(path, known.add(use))
  }
}

function noteConditions(uses: Uses, when: unknown, of: string): void {
  if (when !== undefined) addUses(uses, Object.keys(toLongForm(when)), of)
}

/** The paths whose values stand in the element: of `firstOf` the first one that is filled. */
function listShown(
  { sources, options }: ExportColumn,
  { record, item, each }: { record: ApiRecord; item: unknown } & Pick<ExportKind, 'each'>,
): string[] {
  const paths = sources.flat()
  if (options['firstOf'] === undefined)
    return [...paths, ...(typeof options['minus'] === 'string' ? [options['minus']] : [])]
  const isFilled = (path: string) => {
    const isOfItem = each !== undefined && path.startsWith(`${each}.`)
    const read = createValuesReader(isOfItem ? path.slice((each?.length ?? 0) + 1) : path)
    return read(isOfItem ? item : record).some((value) => toPlainText(value) !== '')
  }
  return paths.filter(isFilled).slice(0, 1)
}

// The values of records.

interface ValueCount {
  filled: number
  example: string
}

/** Lists the values that some record fills, in the order in which they stand there. */
function listRecordValues(records: readonly ApiRecord[]): Omit<RecordValue, 'elements' | 'conditions'>[] {
  const values = new Map<string, ValueCount>()
  const objects = new Map<string, number>()
  const lists = new Set([''])
  const count = (path: string, value: unknown) => {
    const text = toPlainText(value)
    const known = values.get(path) ?? { filled: 0, example: text }
    if (text === '') return
    known.filled += 1
    values.set(path, known)
  }
  const walk = (value: unknown, path: string): void => {
    if (Array.isArray(value)) {
      lists.add(path)
      for (const item of value as unknown[]) walk(item, path)
      return
    }
    if (!isObject(value)) return count(path, value)
    objects.set(path, (objects.get(path) ?? 0) + 1)
    for (const [name, field] of Object.entries(value)) {
      const below = path === '' ? name : `${path}.${name}`
      if (name === 'attributes')
        for (const code of listAttributes(field)) count(`${below}.${code}`, readAttribute(field, code))
      else walk(field, below)
    }
  }
  for (const record of records) walk(record, '')
  return [...values].map(([path, { filled, example }]) => {
    const around =
      [...lists]
        .filter((list) => list === '' || path.startsWith(`${list}.`))
        .toSorted((one, other) => other.length - one.length)[0] ?? ''
    return { path, filled, of: Math.max(filled, objects.get(around) ?? 0), example }
  })
}

/** Attributes of items are named by their codes; the API shows a brand an object of them, and a retailer a list. */
function listAttributes(attributes: unknown): string[] {
  if (!Array.isArray(attributes)) return isObject(attributes) ? Object.keys(attributes) : []
  return (attributes as unknown[]).flatMap((each) =>
    isObject(each) && typeof each['code'] === 'string' ? [each['code']] : [],
  )
}

function readAttribute(attributes: unknown, code: string): unknown {
  return createPathReader(`attributes.${code}`)({ attributes })
}
