/** Finds out which elements of a set a mapping takes: the values of its paths, and the codes that they ask for. */
import type { EdiPath } from '../../edi/paths.ts'
import type { Segment, SegmentTest } from '../../edi/segment.ts'
import { isLoop, type Loop } from '../../formats/edi/loops.ts'
import { type Envelope, findValue, fits, listValues, type PathHit } from '../../formats/edi/path-reader.ts'
import type { CompiledColumn, ReadingPlan } from '../../formats/edi/reading-plan.ts'
import { listLines, listRecords } from '../../formats/edi/records.ts'
import type { InboundMapping } from '../../mapping/load.ts'
import { listMappedFields } from '../mapped-fields.ts'

/** What the mapping takes of a segment. */
export interface SegmentUse {
  /** By element, the fields that take it; an empty text for an element that says what the segment is about. */
  readonly elements: Map<number, Set<string>>
  /** Paths whose value was not taken, because another path of their list came first: `REF*CO.02: BEG.03`. */
  readonly outranked: Set<string>
}

export type SetUses = ReadonlyMap<Segment, SegmentUse>

/** What the columns of one level are for. */
interface ColumnRole {
  /** The fields, each with the columns of its list in their order. */
  readonly fields: readonly { readonly field: string; readonly list: readonly string[] }[]
}

export type ColumnRoles = Readonly<Record<'record' | 'line', ReadonlyMap<string, ColumnRole>>>

/** Which fields take which columns. Columns without a field are those of conditions. */
export function listColumnRoles(mapping: InboundMapping): ColumnRoles {
  const roles = { record: new Map<string, ColumnRole>(), line: new Map<string, ColumnRole>() }
  for (const { field, perRow, branches } of listMappedFields(mapping)) {
    for (const { sources, options } of branches) {
      const list = sources.flat()
      const isFirst = options['all'] === undefined && options['calc'] === undefined
      for (const name of list) {
        const level = perRow ? roles.line : roles.record
        const known = level.get(name)?.fields ?? []
        level.set(name, { fields: [...known, { field, list: isFirst ? list : [name] }] })
      }
    }
  }
  return roles
}

/** The uses of the segments of one set that was read. */
export function findSetUses(root: Loop, plan: ReadingPlan, envelope: Envelope, roles: ColumnRoles): SetUses {
  const uses = new Map<Segment, SegmentUse>()
  const { records, lines, rule, same, recordColumns, lineColumns } = plan
  const isSet = records.some(({ id }) => id === rule.id)
  const loops = isSet ? [root] : listRecords(root, records)
  for (const loop of loops) {
    markLevels(loop, uses)
    takeColumns(recordColumns, loop, roles.record)
    for (const path of same.flat())
      mark(findValue(path, loop, envelope), path, 'the records that belong together')
    for (const line of listLines(loop, lines)) {
      markLevels(line, uses)
      takeColumns(lineColumns, line, roles.line)
    }
  }
  return uses

  function takeColumns(
    columns: readonly CompiledColumn[],
    loop: Loop,
    of: ReadonlyMap<string, ColumnRole>,
  ): void {
    const hits = new Map(
      columns.map(({ name, path, every }) => {
        const found =
          every === undefined ? [findValue(path, loop, envelope)] : listValues(path, loop, envelope)
        return [name, found.filter((hit) => hit !== undefined && hit.text.trim() !== '')]
      }),
    )
    const isFilled = (name: string) => (hits.get(name)?.length ?? 0) > 0
    for (const { name, path } of columns) {
      for (const hit of hits.get(name) ?? []) {
        const fields = of.get(name)?.fields
        if (fields === undefined) mark(hit, path, 'a condition')
        fields?.forEach((each) => takeFor(each, { name, path, hit, first: each.list.find(isFilled) }))
      }
    }
  }

  function takeFor(
    { field }: { readonly field: string },
    {
      name,
      path,
      hit,
      first,
    }: { name: string; path: EdiPath; hit: PathHit | undefined; first: string | undefined },
  ): void {
    if (first === name || first === undefined) mark(hit, path, field)
    else if (hit !== undefined) getUse(uses, hit.segment).outranked.add(`${name}: ${first}`)
  }

  function mark(hit: PathHit | undefined, path: EdiPath, field: string): void {
    if (hit === undefined || hit.text.trim() === '') return
    const { segment, loop } = hit
    for (const element of listElements(path, hit)) add(segment, element, field)
    markTest(segment, path.segment)
    if (path.value.kind === 'pair' && hit.element !== undefined && segment.delimiters.syntax === 'x12')
      add(segment, hit.element - 1, '')
    for (let around = loop; around !== undefined; around = around.parent) {
      const test = path.loops.find((each) => around !== undefined && fits(around.first, each))
      if (test !== undefined) markTest(around.first, test)
    }
  }

  function markTest(segment: Segment, { qualifiers, qualifier, conditions }: SegmentTest): void {
    if (qualifiers.length > 0) add(segment, qualifier, '')
    for (const { element } of conditions) add(segment, element, '')
    getUse(uses, segment)
  }

  function add(segment: Segment, element: number, field: string): void {
    const { elements } = getUse(uses, segment)
    const known = elements.get(element) ?? new Set()
    elements.set(element, known)
    if (field !== '') known.add(field)
  }
}

function listElements({ value }: EdiPath, { segment, element }: PathHit): number[] {
  if (value.kind === 'text') return Array.from({ length: segment.size }, (_, index) => index + 1)
  if (value.kind === 'date') {
    const { date, time, zone } = value.places
    return [date, time, zone].filter((each) => each !== undefined)
  }
  return element === undefined ? [] : [element]
}

/** The levels of a tree around a record or line say what belongs where. */
function markLevels(loop: Loop, uses: Map<Segment, SegmentUse>): void {
  for (let around: Loop | undefined = loop; around !== undefined; around = around.parent) {
    const { elements } = getUse(uses, around.first)
    const { tree } = around.rule
    if (tree === undefined) continue
    for (const element of [tree.id, tree.parent, tree.level]) {
      if (element !== undefined && !elements.has(element)) elements.set(element, new Set())
    }
  }
}

function getUse(uses: Map<Segment, SegmentUse>, segment: Segment): SegmentUse {
  const use = uses.get(segment) ?? { elements: new Map(), outranked: new Set() }
  uses.set(segment, use)
  return use
}

/** All segments of a loop with the loop in which each stands, in the order of the file. */
export function listPlaced(loop: Loop): { readonly segment: Segment; readonly loop: Loop }[] {
  const inside = loop.items.flatMap((item) => (isLoop(item) ? listPlaced(item) : [{ segment: item, loop }]))
  return [{ segment: loop.first, loop }, ...inside]
}
