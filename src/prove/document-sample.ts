/** Generates interchanges to prove a route with: copies of the sets of an example, with new key values and control numbers. */
import { Readable } from 'node:stream'
import { type Format, isUnreadable, type Row } from '../domain/format.ts'
import type { Draft } from '../domain/translator.ts'
import { type Delimiters, type Segment, splitReleased } from '../edi/segment.ts'
import { cutSegments } from '../formats/edi/cut.ts'
import { EnvelopeTracker, type Group } from '../formats/edi/envelopes.ts'
import { listGroupColumns, listMappedFields } from '../mapping-tools/mapped-fields.ts'
import { chooseWrongText } from '../mapping-tools/partner-samples.ts'
import { readHead, readUnpackedBytes } from '../mapping-tools/translate-file.ts'
import type { InboundMapping } from '../mapping/load.ts'
import { KEY_FIELDS } from '../mapping-tools/learn/record-rows.ts'
/** Only this many sets of a longer example are used. */
const SETS_MAX = 8

const BYTES_MAX = 20_000_000

interface ExampleSet {
  readonly group: Group
  /** With its first segment, without its trailer. */
  readonly segments: readonly Segment[]
}

/** A value of a segment. */
interface ValuePlace {
  readonly element: number
  readonly component?: number | undefined
}

interface Example {
  readonly service: string
  /** The sets of one interchange. */
  readonly sets: readonly [ExampleSet, ...ExampleSet[]]
  /** By the number of a segment, the values that must differ in each copy. */
  readonly keys: ReadonlyMap<number, readonly ValuePlace[]>
  readonly wrong: { readonly segment: number; readonly place: ValuePlace; readonly text: string } | undefined
}

/** The writer, or why no file can be written. */
export async function createDocumentWriter(
  { mappings, path, format, serial }: SampleOptions,
  drafts: Sample['drafts'],
): Promise<SampleWriter | string> {
  const bytes = await readHead(path, BYTES_MAX + 1)
  if (bytes.length > BYTES_MAX) return `${path} is too large for a sample`
  const [mapping] = mappings
  const rows = await readRows(path, format, mapping)
  if (rows === undefined) return `${path} cannot be read`
  const made = await drafts(bytes, mapping)
  const [first, ...others] = await listGoodSets(bytes, made)
  if (first === undefined) return `${path} holds no document that could be sent`
  const ofFirst = others.filter(({ group }) => group.interchange === first.group.interchange)
  const sets = [first, ...ofFirst.slice(0, SETS_MAX - 1)] as const
  const example: Example = {
    service: /^\s*(UNA.{6})/s.exec(bytes.toString('latin1'))?.[1] ?? '',
    sets,
    keys: findKeys(rows, mappings),
    wrong: findWrong(rows, first, mapping),
  }
  // Items keep their numbers, so a second copy would be the same records again.
  const isSingle = findKeyColumns(mapping).length === 0
  return (records, renewal) => {
    const copies = isSingle ? 1 : Math.max(1, Math.ceil(records / sets.length))
    const renewed = Array.from({ length: copies }, () => {
      const renew = createRenumberer(renewal, serial)
      return sets.map((set) => renewSet(set, example, renew))
    })
    const [head = [], ...rest] = renewed
    const damaged = isSingle
      ? []
      : [damage(renewSet(first, example, createRenumberer(renewal, serial)), first, example)]
    return writeInterchange([...head, ...damaged, ...rest.flat()], example, serial)
  }
}

async function readRows(
  path: string,
  format: Format,
  { translator }: InboundMapping,
): Promise<Row[] | undefined> {
  const reading = await format.read(readUnpackedBytes(path), translator.read)
  if (isUnreadable(reading)) return undefined
  const rows: Row[] = []
  for await (const batch of reading.batches) rows.push(...batch)
  return rows
}

/** The sets of which every record could be sent. */
async function listGoodSets(bytes: Uint8Array, drafts: readonly Draft[]): Promise<ExampleSet[]> {
  const sets: ExampleSet[] = []
  let open: Segment[] = []
  const tracker = new EnvelopeTracker({
    onSet: ({ segment }) => void (open = [segment]),
    onSegment: (segment) => void open.push(segment),
    onSetEnd: ({ group }) => void sets.push({ group, segments: open }),
  })
  for await (const items of cutSegments(Readable.from([bytes]))) for (const item of items) tracker.take(item)
  tracker.end()
  return sets.filter(({ segments }) => {
    const [from, until] = [segments[0]?.number ?? 0, segments.at(-1)?.number ?? 0]
    const own = drafts.filter(({ lines }) => lines.some(([line]) => line >= from && line <= until))
    return own.length > 0 && own.every(({ problems, body }) => problems.length === 0 && body !== undefined)
  })
}

/** Finds where the key columns of the mappings have their values. */
function findKeys(rows: readonly Row[], mappings: readonly InboundMapping[]): Example['keys'] {
  const names = new Set(mappings.flatMap(findKeyColumns).flat())
  const keys = new Map<number, ValuePlace[]>()
  for (const row of rows) {
    for (const name of names) {
      const spot = row.findSpot?.(name)
      if (spot?.element === undefined || spot.inSet === 0) continue
      const { segment, element, component } = spot
      const known = keys.get(segment) ?? []
      const isKnown = known.some((each) => each.element === element && each.component === component)
      if (!isKnown) keys.set(segment, [...known, { element, component }])
    }
  }
  return keys
}

/** A value of the set that people often get wrong; undefined where the mapping has none. */
function findWrong(
  rows: readonly Row[],
  { segments }: ExampleSet,
  mapping: InboundMapping,
): Example['wrong'] {
  const numbers = new Set(segments.map(({ number }) => number))
  for (const leaf of listMappedFields(mapping)) {
    const [branch] = leaf.branches
    const text = branch?.options['table'] === undefined ? chooseWrongText(leaf) : undefined
    const name = branch?.sources[0]?.[0]
    if (text === undefined || text === '' || name === undefined) continue
    for (const row of rows) {
      const spot = row.findSpot?.(name)
      if (spot?.element === undefined || !numbers.has(spot.segment)) continue
      return { segment: spot.segment, place: { element: spot.element, component: spot.component }, text }
    }
  }
  return undefined
}

/** A set as it is written: the parts of its segments. */
interface WrittenSet {
  readonly parts: readonly (readonly string[])[]
  /** Added to the count of its trailer, which is then wrong. */
  readonly miscount: number
}

function renewSet({ segments }: ExampleSet, { keys }: Example, renew: (text: string) => string): WrittenSet {
  const parts = segments.map((segment) =>
    (keys.get(segment.number) ?? []).reduce<readonly string[]>((some, place) => {
      const text = segment.value(place.element, place.component)
      return text.trim() === '' ? some : replaceValue(some, place, renew(text), segment.delimiters)
    }, segment.parts),
  )
  return { parts, miscount: 0 }
}

/** Puts a wrong value in, or else a wrong count. */
function damage(set: WrittenSet, { segments }: ExampleSet, { wrong }: Example): WrittenSet {
  const at = segments.findIndex(({ number }) => number === wrong?.segment)
  const [segment, parts] = [segments[at], set.parts[at]]
  if (wrong === undefined || segment === undefined || parts === undefined) return { ...set, miscount: 1 }
  const replaced = replaceValue(parts, wrong.place, wrong.text, segment.delimiters)
  return { ...set, parts: set.parts.with(at, replaced) }
}

function replaceValue(
  parts: readonly string[],
  { element, component }: ValuePlace,
  text: string,
  { syntax, component: separator, release, element: between, segment }: Delimiters,
): readonly string[] {
  const special = [separator, between, segment, release ?? '']
  const escaped =
    release === undefined
      ? text
      : Array.from(text, (each) => (special.includes(each) ? release + each : each)).join('')
  if (syntax === 'x12' && component === undefined) return parts.with(element, escaped)
  const components = splitReleased(parts[element] ?? '', separator, release)
  return parts.with(element, components.with((component ?? 1) - 1, escaped).join(separator))
}

/** One interchange with one group, and right counts. */
function writeInterchange(
  sets: readonly WrittenSet[],
  { service, sets: [{ group }] }: Example,
  serial: NextNumber,
): Uint8Array {
  const { interchange, segment: groupSegment } = group
  const { delimiters } = interchange.segment
  const isX12 = delimiters.syntax === 'x12'
  const end = delimiters.segment + (/\s/.test(delimiters.segment) ? '' : '\n')
  const write = (parts: readonly string[]) => parts.join(delimiters.element) + end
  const number = String(serial()).padStart(9, '0')
  const groupNumber = String(serial())
  const written = sets.flatMap(({ parts: [start = [], ...others], miscount }, index) => {
    const reference = String(index + 1).padStart(4, '0')
    const count = String(others.length + 2 + miscount)
    // ST02 and UNH 0062 name the set.
    return [start.with(isX12 ? 2 : 1, reference), ...others, [isX12 ? 'SE' : 'UNT', count, reference]].map(
      write,
    )
  })
  const around =
    groupSegment === undefined
      ? { head: [], tail: [] }
      : {
          head: [groupSegment.parts.with(isX12 ? 6 : 5, groupNumber)],
          tail: [[isX12 ? 'GE' : 'UNE', String(sets.length), groupNumber]],
        }
  const count = groupSegment === undefined ? String(sets.length) : '1'
  const text = [
    service,
    write(interchange.segment.parts.with(isX12 ? 13 : 5, number)),
    ...around.head.map(write),
    ...written,
    ...around.tail.map(write),
    write([isX12 ? 'IEA' : 'UNZ', count, number]),
  ]
  return Buffer.from(text.join(''), 'latin1')
}

// What the writers of samples share: their options, the columns that distinguish records, and new texts for them.

export interface Sample {
  /** Its records have no numbers that could differ each time: the stock of items, for example. */
  readonly hasFixedRecords: boolean
  /** A file of about this many records. */
  readonly file: (records: number) => Uint8Array
  /** The drafts that the mapping of the first or of a later step makes from a file. */
  readonly drafts: (bytes: Uint8Array, mapping: InboundMapping) => Promise<Draft[]>
}

export interface SampleOptions {
  /** The mappings of the route's steps, the first one first. */
  readonly mappings: readonly [InboundMapping, ...InboundMapping[]]
  readonly path: string
  readonly format: Format
  readonly serial: NextNumber
}

/** Writes a file of about so many records, with new numbers. */
export type SampleWriter = (records: number, renewal: Renumbering) => Uint8Array

/** Returns a number that it never returned before. */
export type NextNumber = () => number

/** Columns, each with its other names, whose cells must differ in each copy of a record. */
export function findKeyColumns(mapping: InboundMapping): readonly (readonly string[])[] {
  // Items are the same in every copy, whichever record names them.
  const fields = KEY_FIELDS[mapping.operation].filter((field) => field !== 'variant_id')
  if (fields.length === 0) return []
  const leaves = listMappedFields(mapping).filter(({ field }) => fields.includes(field))
  const own = leaves.flatMap(({ branches }) => branches.flatMap(({ sources }) => sources))
  return [...own, ...listGroupColumns(mapping)]
}

/** The ways to make a new text from an old one; a mapping that takes a part of a text accepts one of them. */
export const RENUMBERINGS = {
  digits: (text: string, number: number) =>
    /\d/.test(text) ? text.replace(/\d{1,6}(?=\D*$)/, String(number)) : `${text}-${number}`,
  append: (text: string, number: number) => `${text}-${number}`,
  replace: (_: string, number: number) => `P${number}`,
} as const

export type Renumbering = keyof typeof RENUMBERINGS

/** The same old text becomes the same new one, so that rows which belong together still do. */
export function createRenumberer(renewal: Renumbering, serial: NextNumber): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined || text.trim() === '') return before ?? text
    const renewed = RENUMBERINGS[renewal](text, serial())
    known.set(text, renewed)
    return renewed
  }
}
