/** Reads all columns of a row with one walk over each loop, because to search for each of them takes most of the time. */
import type { EdiPath } from '../../edi/paths.ts'
import { ById, type PlacedElement, type Segment, type SegmentTest } from '../../edi/segment.ts'
import { decodeText } from './charset.ts'
import { isLoop, type Loop } from './loops.ts'
import {
  type Envelope,
  findValue,
  fits,
  formatNumber,
  gather,
  getRoot,
  listNear,
  listValues,
  readCode,
  readNear,
  readText,
} from './path-reader.ts'
import type { CompiledColumn } from './reading-plan.ts'

/** A column, and its index in the row. */
interface PlacedColumn extends CompiledColumn {
  readonly position: number
}

/** A segment that columns want, by the same loop and test. */
interface Target {
  readonly test: SegmentTest
  /** The index of the loop that a path leads through; undefined for segments of the row's loop and of loops around it. */
  readonly group: number | undefined
  readonly columns: PlacedColumn[]
  /** How they are read where the segment is one of X12. */
  inX12: X12Columns
}

/** The columns of a target by how they are read: elements and pairs in one go, in the order of the segment. */
interface X12Columns {
  readonly elements: readonly PlacedElement[]
  readonly pairs: ReadonlyMap<string, PlacedElement>
  readonly firstPair: number
  /** Elements that are numbers. */
  readonly numbers: readonly PlacedColumn[]
  readonly others: readonly PlacedColumn[]
}

/** A loop that paths lead through: the targets in it by the ids of their segments. */
interface Group {
  readonly test: SegmentTest
  readonly targets: ById<number[]>
}

/** What a segment with an id may be: a target, or the first of a loop that paths lead through. */
interface Wanted {
  readonly targets: number[]
  readonly groups: number[]
}

/** What stands in one loop, and in the loops right below it. By the index of the target or of the group. */
class Level {
  /** How many items the loop had. */
  size = 0
  /** How many segments fit. */
  readonly counts: number[]
  readonly segments: (Segment | undefined)[]
  readonly loops: (Loop | undefined)[]
  /** How many loops fit, and how many of them were entered. */
  readonly fitting: number[]
  readonly starts: number[]
  /** What searches of single columns found; undefined where they look further out. */
  readonly texts = new Map<CompiledColumn, string | undefined>()

  constructor(targets: number, groups: number) {
    this.counts = fill(targets, 0)
    this.segments = fill(targets, undefined)
    this.loops = fill(targets, undefined)
    this.fitting = fill(groups, 0)
    this.starts = fill(groups, 0)
  }

  /** Clears what a row may leave behind; single columns are not searched in it. */
  clear(): void {
    const { counts, segments, fitting, starts } = this
    for (let index = 0; index < counts.length; index += 1) {
      counts[index] = 0
      segments[index] = undefined
    }
    for (let index = 0; index < starts.length; index += 1) {
      fitting[index] = 0
      starts[index] = 0
    }
  }
}

/** The columns of one layout. */
export class ColumnReader {
  readonly #targets: Target[] = []
  readonly #groups: Group[] = []
  readonly #wanted = new ById<Wanted>()
  /** Those of segments around the set, and those that need a search of their own: all values, loops inside of each other. */
  readonly #ofEnvelope: PlacedColumn[] = []
  readonly #searched: PlacedColumn[] = []
  readonly #blank: readonly string[]
  /** Of the row that is read. */
  readonly #row: Level
  /** Of loops around rows, because many rows look there. */
  readonly #levels = new Map<Loop, Level>()
  /** What was found anywhere in a set that is complete. */
  readonly #anywhere = new Map<CompiledColumn, string>()
  #root: Loop | undefined

  constructor(columns: readonly CompiledColumn[]) {
    const targets = new Map<string, Target>()
    const groups = new Map<string, number>()
    for (const [position, column] of columns.entries()) this.#add({ ...column, position }, targets, groups)
    for (const target of this.#targets) target.inX12 = sortColumns(target.columns)
    this.#blank = columns.map(() => '')
    this.#row = this.#createLevel()
  }

  /** `open`: the record that the row is of, where records are read before their set is complete. */
  read(loop: Loop, envelope: Envelope, open?: Loop): readonly string[] {
    const row = this.#row
    row.clear()
    this.#scan(loop, row, undefined)
    this.#searchOutwards(loop, row, open)
    const values = this.#blank.slice()
    const targets = this.#targets
    for (let index = 0; index < targets.length; index += 1) {
      const segment = row.segments[index]
      const target = targets[index]
      if (segment === undefined || target === undefined) continue
      const isX12 = segment.delimiters.syntax === 'x12'
      const isOnly = row.counts[index] === target.test.nth
      if (isX12) copyValues(segment, target.inX12, values)
      for (const { path, position } of isX12 && isOnly ? target.inX12.others : target.columns) {
        const text = readText(path, segment, row.loops[index])
        if (text !== undefined) values[position] = text
        // A pair may stand in another segment that fits.
        else if (!isOnly) values[position] = findValue(path, loop, envelope)?.text ?? ''
      }
    }
    for (const column of this.#searched) values[column.position] = this.#search(column, loop, open)
    for (const { path, every, position } of this.#ofEnvelope) {
      values[position] =
        every === undefined
          ? (findValue(path, loop, envelope)?.text ?? '')
          : gather(listTexts(path, loop, envelope), every)
    }
    return values
  }

  #add(column: PlacedColumn, targets: Map<string, Target>, groups: Map<string, number>): void {
    const { scope, loops, segment: test } = column.path
    if (scope === 'envelope') this.#ofEnvelope.push(column)
    else if (scope === 'any' || column.every !== undefined || loops.length > 1) this.#searched.push(column)
    else {
      const [outer] = loops
      const group = outer === undefined ? undefined : this.#findGroup(outer, groups)
      const key = JSON.stringify([group, test])
      const target = targets.get(key) ?? this.#addTarget(test, group)
      targets.set(key, target)
      target.columns.push(column)
    }
  }

  #addTarget(test: SegmentTest, group: number | undefined): Target {
    const target = { test, group, columns: [], inX12: sortColumns([]) }
    const index = this.#targets.push(target) - 1
    if (group === undefined) this.#want(test.id).targets.push(index)
    else this.#groups[group]?.targets.findOrSet(test.id, () => []).push(index)
    return target
  }

  #findGroup(test: SegmentTest, groups: Map<string, number>): number {
    const key = JSON.stringify(test)
    const known = groups.get(key)
    if (known !== undefined) return known
    const group = this.#groups.push({ test, targets: new ById() }) - 1
    groups.set(key, group)
    this.#want(test.id).groups.push(group)
    return group
  }

  #want(id: string): Wanted {
    return this.#wanted.findOrSet(id, () => ({ targets: [], groups: [] }))
  }

  #createLevel(): Level {
    return new Level(this.#targets.length, this.#groups.length)
  }

  /** Drops the loops of the set before. */
  clear(): void {
    this.#levels.clear()
    this.#anywhere.clear()
    this.#root = undefined
  }

  /** Looks in the loops around for what the row's own loop does not have. */
  #searchOutwards(loop: Loop, row: Level, open: Loop | undefined): void {
    for (let around = loop.parent; around !== undefined; around = around.parent) {
      const missing = this.#findMissing(row)
      if (missing === 0) return
      if ((around.idBits & missing) !== 0) this.#complete(row, this.#findLevel(around, open))
    }
  }

  /** The bits of the ids that are to be found further out. */
  #findMissing({ counts, starts }: Level): number {
    let bits = 0
    for (let index = 0; index < counts.length; index += 1) {
      const target = this.#targets[index]
      if (counts[index] === 0 && target?.group === undefined) bits |= target?.test.idBit ?? 0
    }
    for (let index = 0; index < starts.length; index += 1) {
      if (starts[index] === 0) bits |= this.#groups[index]?.test.idBit ?? 0
    }
    return bits
  }

  /** Takes what the row does not have. What leads through a loop is looked for where the nearest such loop is, and only there. */
  #complete(row: Level, level: Level): void {
    for (let index = 0; index < row.counts.length; index += 1) {
      const group = this.#targets[index]?.group
      const isComplete = group === undefined ? row.counts[index] !== 0 : row.starts[group] !== 0
      if (isComplete) continue
      row.counts[index] = level.counts[index] ?? 0
      row.segments[index] = level.segments[index]
      row.loops[index] = level.loops[index]
    }
    for (let index = 0; index < row.starts.length; index += 1) {
      if (row.starts[index] === 0) row.starts[index] = level.starts[index] ?? 0
    }
  }

  #findLevel(around: Loop, open: Loop | undefined): Level {
    const isKept = this.#isSame(around, open)
    const size = countItems(around, open)
    const known = isKept ? this.#levels.get(around) : undefined
    if (known?.size === size) return known
    const level = this.#createLevel()
    level.size = size
    this.#scan(around, level, open)
    if (!isKept) return level
    if (this.#levels.size >= MAX_LEVELS) this.#levels.clear()
    this.#levels.set(around, level)
    return level
  }

  /**
   * Whether the next row finds the same in the loop. What leads through a loop into the open record does not: that record is
   * replaced by the next one.
   */
  #isSame(around: Loop, open: Loop | undefined): boolean {
    if (open === undefined) return true
    const isRoot = around === open.parent && around.parent === undefined
    return isRoot && (this.#wanted.find(around.first)?.groups.length ?? 0) === 0
  }

  #scan(loop: Loop, level: Level, open: Loop | undefined): void {
    const { first } = loop
    const own = this.#wanted.find(first)
    if (own !== undefined) {
      this.#take(own.targets, first, loop, level)
      for (const index of own.groups) {
        const test = this.#groups[index]?.test
        if (test === undefined || !fits(first, test)) continue
        // Only this loop is meant, and none in it.
        level.fitting[index] = Infinity
        this.#enter(index, loop, level)
      }
    }
    for (const item of loop.items) {
      if (item === open) continue
      const isInner = isLoop(item)
      const segment = isInner ? item.first : item
      const wanted = this.#wanted.find(segment)
      if (wanted === undefined) continue
      this.#take(wanted.targets, segment, isInner ? item : loop, level)
      if (isInner) for (const index of wanted.groups) this.#enterInner(index, item, level)
    }
  }

  #enterInner(index: number, inner: Loop, level: Level): void {
    const test = this.#groups[index]?.test
    if (test === undefined || !fits(inner.first, test)) return
    const count = (level.fitting[index] ?? 0) + 1
    level.fitting[index] = count
    // Of several ship-to parties the first counts, so that no address is made of two.
    const isMeant = test.nth === 1 ? count === 1 || test.qualifiers.length === 0 : count === test.nth
    if (isMeant && count !== Infinity) this.#enter(index, inner, level)
  }

  #enter(index: number, start: Loop, level: Level): void {
    const targets = this.#groups[index]?.targets
    if (targets === undefined) return
    level.starts[index] = 1
    this.#walk(start, targets, level)
  }

  /** Takes the segments of a loop, at any depth. */
  #walk(loop: Loop, targets: Pick<ById<number[]>, 'find'>, level: Level): void {
    const own = targets.find(loop.first)
    if (own !== undefined) this.#take(own, loop.first, loop, level)
    for (const item of loop.items) {
      if (isLoop(item)) {
        this.#walk(item, targets, level)
        continue
      }
      const wanted = targets.find(item)
      if (wanted !== undefined) this.#take(wanted, item, loop, level)
    }
  }

  #take(targets: readonly number[], segment: Segment, loop: Loop, level: Level): void {
    let code: string | undefined
    for (const index of targets) {
      const target = this.#targets[index]
      if (target === undefined) continue
      const { qualifiers, qualifier, conditions, nth } = target.test
      // The id says which element is the qualifier, so it is read once for all of them.
      if (qualifiers.length > 0 && !qualifiers.includes((code ??= readCode(segment, qualifier)))) continue
      if (conditions.length > 0 && !fits(segment, target.test)) continue
      const count = (level.counts[index] ?? 0) + 1
      level.counts[index] = count
      if (count !== nth) continue
      level.segments[index] = segment
      level.loops[index] = loop
    }
  }

  /** Searches for a single column in the row's loop, then further out, where what was found serves other rows too. */
  #search(column: CompiledColumn, loop: Loop, open: Loop | undefined): string {
    if (column.path.scope === 'any') return this.#searchAnywhere(column, loop, open)
    const { path, every } = column
    const own = lookIn(column, loop)
    if (own !== undefined) return own
    const bit = path.loops[0]?.idBit ?? path.segment.idBit
    for (let around = loop.parent; around !== undefined; around = around.parent) {
      if ((around.idBits & bit) === 0) continue
      const found = open === undefined ? this.#findText(column, around) : lookIn(column, around)
      if (found !== undefined) return found
    }
    return every === undefined ? '' : gather([], every)
  }

  #findText(column: CompiledColumn, around: Loop): string | undefined {
    const { texts } = this.#findLevel(around, undefined)
    if (!texts.has(column)) texts.set(column, lookIn(column, around))
    return texts.get(column)
  }

  #searchAnywhere(column: CompiledColumn, loop: Loop, open: Loop | undefined): string {
    const { path, every } = column
    const root = getRoot(loop)
    const hasBit = (root.allBits & path.segment.idBit) !== 0
    // Several ids share a bit.
    if (!hasBit || !holds(root, path.segment.id)) return every === undefined ? '' : gather([], every)
    // The record that is open is not in what is kept.
    if (open !== undefined) return lookAnywhere(column, root)
    if (this.#root !== root) this.#anywhere.clear()
    this.#root = root
    const known = this.#anywhere.get(column) ?? lookAnywhere(column, root)
    this.#anywhere.set(column, known)
    return known
  }
}

/** What stands in the loop; undefined where no segment of it fits. */
function lookIn({ path, every }: CompiledColumn, around: Loop): string | undefined {
  if (every === undefined) return readNear(path, around)
  const texts = listNear(path, around)
  return texts && gather(texts, every)
}

function lookAnywhere({ path, every }: CompiledColumn, root: Loop): string {
  return every === undefined
    ? (findValue(path, root, [])?.text ?? '')
    : gather(listTexts(path, root, []), every)
}

/** Whether a segment with the id is in the loop, at any depth. */
function holds(loop: Loop, id: string): boolean {
  if (loop.first.id === id) return true
  for (const item of loop.items) if (isLoop(item) ? holds(item, id) : item.id === id) return true
  return false
}

function sortColumns(columns: readonly PlacedColumn[]): X12Columns {
  const elements: PlacedElement[] = []
  const pairs = new Map<string, PlacedElement>()
  const [numbers, others]: [PlacedColumn[], PlacedColumn[]] = [[], []]
  let firstPair = 0
  for (const column of columns) {
    const { position } = column
    const { value, number } = column.path
    if (value.kind === 'element' && value.component === undefined) {
      elements.push({ element: value.element, position })
      if (number !== undefined) numbers.push(column)
    } else if (value.kind === 'pair' && !('value' in value.pairs) && mayAddPair(pairs, value.qualifier)) {
      firstPair = value.pairs.from
      pairs.set(value.qualifier, { element: pairs.size, position })
    } else others.push(column)
  }
  elements.sort((one, other) => one.element - other.element)
  return { elements, pairs, firstPair, numbers, others }
}

/** Each pair is read once, and as many as there are bits. */
function mayAddPair(pairs: ReadonlyMap<string, unknown>, qualifier: string): boolean {
  return !pairs.has(qualifier) && pairs.size < 30
}

function copyValues(segment: Segment, columns: X12Columns, values: string[]): void {
  const { elements, pairs, firstPair, numbers } = columns
  let characters = elements.length === 0 ? 0 : segment.copyElements(elements, values)
  if (pairs.size > 0) characters |= segment.copyPairs(firstPair, pairs, values)
  if (characters > 0x7f) {
    for (const { position } of [...elements, ...pairs.values()])
      values[position] = decodeText(values[position] ?? '', undefined)
  }
  for (const { path, position } of numbers) {
    const text = values[position] ?? ''
    if (text !== '' && path.number !== undefined) values[position] = formatNumber(text, path.number, segment)
  }
}

function fill<Value>(count: number, value: Value): Value[] {
  const values: Value[] = []
  for (let index = 0; index < count; index += 1) values.push(value)
  return values
}

/** With more of them, all are dropped and scanned again. */
const MAX_LEVELS = 1000

/** Items so far, without the record that is read. */
function countItems({ items }: Loop, open: Loop | undefined): number {
  return open !== undefined && items.at(-1) === open ? items.length - 1 : items.length
}

function listTexts(path: EdiPath, loop: Loop, envelope: Envelope): string[] {
  return listValues(path, loop, envelope).map(({ text }) => text)
}
