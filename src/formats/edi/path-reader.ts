/** Reads the values of paths from the loops of a set: nearest first, then outwards. */
import type { EdiColumn } from '../../domain/format.ts'
import { addDecimals, formatDecimal, parseDecimal } from '../../support/decimal.ts'
import type { EdiPath } from '../../edi/paths.ts'
import type { Segment, SegmentTest } from '../../edi/segment.ts'
import { decodeText } from './charset.ts'
import { readDate } from './dates.ts'
import { isLoop, type Loop } from './loops.ts'

/** The segments around a set, from the outermost. */
export type Envelope = readonly Segment[]

export interface PathHit {
  readonly segment: Segment
  /** The loop in which it stands, or which it begins. */
  readonly loop: Loop | undefined
  readonly text: string
  readonly element: number | undefined
  readonly component: number | undefined
}

/** Sees the segments that a path may mean, until it has what it looks for. */
interface Visitor {
  /** Whether one value is looked for, and not all. */
  readonly isSingle: boolean
  /** True when no more segments are needed. */
  visit(segment: Segment, loop: Loop | undefined): boolean
}

/** Objects and not functions: a search is made for every column of every row. */
class FirstValue implements Visitor {
  readonly isSingle = true
  readonly #path: EdiPath
  #before: number
  /** The value, or the segment in which it should be. */
  found: PathHit | undefined = undefined

  constructor(path: EdiPath) {
    this.#path = path
    this.#before = path.segment.nth - 1
  }

  visit(segment: Segment, loop: Loop | undefined): boolean {
    if (this.#before > 0) {
      this.#before -= 1
      return false
    }
    const hit = readValue(this.#path, segment, loop)
    if (hit === undefined) {
      this.found ??= { segment, loop, text: '', element: undefined, component: undefined }
      return false
    }
    this.found = hit
    return true
  }
}

class AllValues implements Visitor {
  readonly isSingle = false
  readonly #places: readonly EdiPath[]
  readonly hits: PathHit[] = []

  constructor(path: EdiPath) {
    this.#places = listPlaces(path)
  }

  visit(segment: Segment, loop: Loop | undefined): boolean {
    for (const place of this.#places) {
      const hit = readValue(place, segment, loop)
      if (hit !== undefined && hit.text.trim() !== '') this.hits.push(hit)
    }
    return false
  }
}

/** Finds the value, or the segment in which it should be; undefined where no segment fits. */
export function findValue(path: EdiPath, loop: Loop, envelope: Envelope): PathHit | undefined {
  const search = new FirstValue(path)
  visitSegments(path, loop, envelope, search)
  return search.found
}

/** All values of the path that are not blank, in the order of the file. */
export function listValues(path: EdiPath, loop: Loop, envelope: Envelope): PathHit[] {
  const search = new AllValues(path)
  visitSegments(path, loop, envelope, search)
  return search.hits
}

/** The first value in one loop, without looking further out; undefined where no segment fits. */
export function readNear(path: EdiPath, around: Loop): string | undefined {
  const search = new FirstValue(path)
  return visitLevel(path, around, search) ? (search.found?.text ?? '') : undefined
}

/** All values in one loop; undefined where no segment fits. */
export function listNear(path: EdiPath, around: Loop): string[] | undefined {
  const search = new AllValues(path)
  return visitLevel(path, around, search) ? search.hits.map(({ text }) => text) : undefined
}

/** A path for each place of a data element that a segment has several times, such as the lines of a text. */
function listPlaces(path: EdiPath): readonly EdiPath[] {
  const { value } = path
  if (value.kind !== 'element' || value.places === undefined) return [path]
  return value.places.map((place) => ({ ...path, value: { kind: 'element', ...place } }))
}

/** Undefined where the segment has no such pair: another one may have it. */
function readValue(path: EdiPath, segment: Segment, loop: Loop | undefined): PathHit | undefined {
  const { value } = path
  if (value.kind === 'pair') return readPair(value, segment, loop)
  const text = readPlain(path.number, value, segment)
  if (value.kind === 'date') return createHit({ segment, loop, text, element: value.places.date })
  if (value.kind === 'text') return createHit({ segment, loop, text })
  return createHit({ segment, loop, text, element: value.element, component: value.component })
}

/** The text of the value in one segment. Undefined where it has no such pair. */
export function readText(path: EdiPath, segment: Segment, loop: Loop | undefined): string | undefined {
  const { value, number } = path
  if (value.kind === 'pair') return readPair(value, segment, loop)?.text
  return decodeText(readPlain(number, value, segment), segment.delimiters.charset)
}

function readPlain(
  number: EdiPath['number'],
  value: Exclude<EdiPath['value'], { kind: 'pair' }>,
  segment: Segment,
): string {
  switch (value.kind) {
    case 'element': {
      const text = segment.value(value.element, value.component)
      return number === undefined ? text : formatNumber(text, number, segment)
    }
    case 'date':
      return readDate(segment, value.places)
    case 'text':
      return segment.texts().join(' ')
  }
}

/** `text`: as it stands in the file. */
function createHit(found: Pick<PathHit, 'segment' | 'loop' | 'text'> & Partial<PathHit>): PathHit {
  const { segment, loop, text, element, component } = found
  return { segment, loop, text: decodeText(text, segment.delimiters.charset), element, component }
}

function readPair(
  { qualifier, pairs }: Extract<EdiPath['value'], { kind: 'pair' }>,
  segment: Segment,
  loop: Loop | undefined,
): PathHit | undefined {
  if (!('value' in pairs)) {
    const { size } = segment
    for (let element = pairs.from; element <= size; element += 2) {
      if (segment.value(element) !== qualifier) continue
      return createHit({ segment, loop, text: segment.value(element + 1), element: element + 1 })
    }
    return undefined
  }
  for (let element = pairs.from; element <= segment.size; element += 1) {
    if (segment.value(element, pairs.qualifier) === qualifier) {
      const text = segment.value(element, pairs.value)
      return createHit({ segment, loop, text, element, component: pairs.value })
    }
  }
  const { more } = pairs
  if (more === undefined || loop?.first !== segment) return undefined
  for (const other of loop.items) {
    if (isLoop(other) || other.id !== more.id) continue
    for (let element = more.from; element <= other.size; element += 1) {
      if (other.value(element, pairs.qualifier) !== qualifier) continue
      const text = other.value(element, pairs.value)
      return createHit({ segment: other, loop, text, element, component: pairs.value })
    }
  }
  return undefined
}

const NUMBER = /^([+-]?)(\d*)(?:([.,])(\d*))?$/

/** As most are written. */
const PLAIN_NUMBER = /^\d+(?:\.\d+)?$/

/**
 * A number with its point, as mappings read it: `.5`, `5.`, `+5` and implied decimals are written in full. A text that is no
 * number stays as it is, so that the mapping refuses it.
 */
export function formatNumber(
  text: string,
  { implied }: NonNullable<EdiPath['number']>,
  { delimiters: { syntax } }: Segment,
): string {
  if (PLAIN_NUMBER.test(text) && (implied === 0 || text.includes('.'))) return text
  const [match, sign = '', whole = '', mark, decimals = ''] = NUMBER.exec(text.trim()) ?? []
  if (match === undefined || whole + decimals === '') return text
  // EDIFACT allows both marks, whatever the service string says.
  if (mark === ',' && syntax === 'x12') return text
  const minus = sign === '-' ? '-' : ''
  if (mark !== undefined || implied === 0) {
    return `${minus}${whole === '' ? '0' : whole}${decimals === '' ? '' : `.${decimals}`}`
  }
  const digits = whole.padStart(implied + 1, '0')
  return `${minus}${digits.slice(0, -implied)}.${digits.slice(-implied)}`
}

/** Visits the segments that the path may mean: those of a loop, of the loops around it, or around the set. */
function visitSegments(path: EdiPath, loop: Loop, envelope: Envelope, visitor: Visitor): void {
  const { scope, segment: test } = path
  if (scope === 'envelope') {
    const found = envelope.find(({ id }) => id === test.id)
    if (found !== undefined) visitor.visit(found, undefined)
    return
  }
  if (scope === 'any') {
    visitInside(getRoot(loop), path, 0, visitor)
    return
  }
  for (let around: Loop | undefined = loop; around !== undefined; around = around.parent) {
    if (visitLevel(path, around, visitor)) return
  }
}

/** Visits the fitting segments of one loop and of the loops right below it; false where it has none, so that the search goes on. */
function visitLevel(path: EdiPath, around: Loop, visitor: Visitor): boolean {
  const outer = path.loops[0]
  if (outer === undefined) return visitNear(around, path.segment, visitor)
  const starts = listNearLoops(around, outer)
  // Of several ship-to parties the first counts, so that no address is made of two.
  const meant = visitor.isSingle && outer.qualifiers.length > 0 ? starts.slice(0, 1) : starts
  for (const start of meant) if (visitInside(start, path, 1, visitor)) break
  return starts.length > 0
}

const NO_LOOPS: readonly Loop[] = []

/** The loop itself, or the loops right below it, that fit. */
function listNearLoops(around: Loop, test: SegmentTest): readonly Loop[] {
  if ((around.idBits & test.idBit) === 0) return NO_LOOPS
  if (fits(around.first, test)) return [around]
  const found: Loop[] = []
  for (const item of around.items) if (isLoop(item) && fits(item.first, test)) found.push(item)
  return test.nth === 1 ? found : found.slice(test.nth - 1, test.nth)
}

/** Visits the first segment of the loop, its own segments and the first segments of the loops in it. True when it found any. */
function visitNear(loop: Loop, test: SegmentTest, visitor: Visitor): boolean {
  if ((loop.idBits & test.idBit) === 0) return false
  let isFound = false
  if (loop.first.id === test.id && fits(loop.first, test)) {
    isFound = true
    if (visitor.visit(loop.first, loop)) return true
  }
  for (const item of loop.items) {
    const segment = isLoop(item) ? item.first : item
    if (segment.id !== test.id || !fits(segment, test)) continue
    isFound = true
    if (visitor.visit(segment, isLoop(item) ? item : loop)) return true
  }
  return isFound
}

/** Visits the fitting segments inside of a loop, at any depth; true when one was taken. `step`: the next loop of the path. */
function visitInside(loop: Loop, path: EdiPath, step: number, visitor: Visitor): boolean {
  const test = path.segment
  const next = path.loops[step]
  if (next === undefined && fits(loop.first, test) && visitor.visit(loop.first, loop)) return true
  for (const item of loop.items) {
    if (!isLoop(item)) {
      if (next === undefined && fits(item, test) && visitor.visit(item, loop)) return true
      continue
    }
    const isNext = next !== undefined && fits(item.first, next)
    if (visitInside(item, path, isNext ? step + 1 : step, visitor)) return true
  }
  return false
}

/** Whether it is the segment that the test means. */
export function fits(segment: Segment, test: SegmentTest): boolean {
  if (segment.id !== test.id) return false
  const { qualifiers, qualifier, conditions } = test
  if (qualifiers.length > 0 && !qualifiers.includes(readCode(segment, qualifier))) return false
  return conditions.every(({ element, text }) => readCode(segment, element) === text)
}

export function readCode(segment: Segment, element: number): string {
  return segment.value(element).trim()
}

export function getRoot(loop: Loop): Loop {
  let root = loop
  while (root.parent !== undefined) root = root.parent
  return root
}

// All values of a column in one text.

/** Counts or adds up the texts, or joins them. */
export function gather(written: readonly string[], every: NonNullable<EdiColumn['every']>): string {
  const texts = written.map((text) => text.trim())
  if (every === 'count') return String(texts.length)
  return every === 'sum' ? addUp(texts) : texts.join(every.with)
}

/** Adds decimals. A text that is no number takes the place of the sum, so that the mapping refuses it. */
function addUp(texts: readonly string[]): string {
  const numbers = texts.map((text) =>
    parseDecimal(text.replace(/^([+-]?)\./, '$10.').replace(/^\+|\.$/g, '')),
  )
  const wrong = numbers.indexOf(undefined)
  if (wrong !== -1) return texts[wrong] ?? ''
  const known = numbers.filter((number) => number !== undefined)
  return known.length === 0 ? '' : formatDecimal(known.reduce(addDecimals))
}
