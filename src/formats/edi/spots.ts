/** Says where in an interchange something stands. */
import type { Spot } from '../../domain/place.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { type Fault, type FaultKind, FAULTS } from '../../edi/faults.ts'
import type { EdiPath } from '../../edi/paths.ts'
import type { Segment } from '../../edi/segment.ts'
import { showText, type TransactionSet } from './envelopes.ts'
import type { Loop } from './loops.ts'
import type { PathHit } from './path-reader.ts'

type OfSet = TransactionSet | undefined

/** The place of a segment. */
export function createSpot({ number, at, id }: Pick<Segment, 'number' | 'at' | 'id'>, set: OfSet): Spot {
  return { segment: number, inSet: countInSet(number, set), id: id === '' ? '?' : id, at, set: nameSet(set) }
}

export function createFaultSpot(fault: Fault, set: OfSet): Spot {
  const { segment, at, id, element, component, missing } = fault
  return {
    ...createSpot({ number: segment, at, id }, set),
    ...(element === undefined ? {} : { element }),
    ...(component === undefined ? {} : { component }),
    ...(missing === undefined ? {} : { missing }),
  }
}

/** What a fault means for who reads of it. */
export function createFaultProblem(fault: Fault, set: OfSet): Problem {
  const { problem: code, fix }: FaultKind = FAULTS[fault.kind]
  return problem(code, { line: fault.segment, spot: createFaultSpot(fault, set) }, fault.message, fix)
}

/** The same of a file that no route took. */
export function createFileFaultProblem(fault: Fault, set: OfSet): Problem {
  const { fixOfFile }: FaultKind = FAULTS[fault.kind]
  const found = createFaultProblem(fault, set)
  return fixOfFile === undefined ? found : { ...found, fix: fixOfFile }
}

/** The place of a value. Where no segment has it: the path that leads nowhere, at the begin of the loop that misses it. */
export function createValueSpot(path: EdiPath, hit: PathHit | undefined, loop: Loop, set: OfSet): Spot {
  if (hit === undefined) {
    const { value } = path
    const id = path.text.replace(/\.[^./]+$/, '')
    const spot = {
      ...createSpot({ number: loop.first.number, at: loop.first.at, id }, set),
      isAbsent: true as const,
    }
    return value.kind === 'element' ? { ...spot, element: value.element } : spot
  }
  const { segment, element, component } = hit
  const id = nameSegment(segment, hit.loop)
  return {
    ...createSpot({ number: segment.number, at: segment.at, id }, set),
    ...(element === undefined ? {} : { element }),
    ...(component === undefined ? {} : { component }),
  }
}

function countInSet(number: number, set: OfSet): number {
  return set === undefined || number < set.segment.number ? 0 : number - set.segment.number + 1
}

/** The numbers of interchange, group and set: `000000101/101/0001`. */
export function nameSet(set: OfSet): string {
  if (set === undefined) return ''
  const { group } = set
  const { interchange } = group
  return joinNames(joinNames(shorten(interchange.number), shorten(group.number)), shorten(set.number))
}

/** A number is as long as its segment where it is wrong, and many places may be kept. */
function shorten(number: string): string {
  return number.length > 40 ? showText(number) : number
}

function joinNames(outer: string, inner: string): string {
  return outer === '' || inner === '' ? outer + inner : `${outer}/${inner}`
}

/** `BEG`, `N1*ST`, `N1*ST/N4`. `around`: the loop in which it stands, or which it begins. */
export function nameSegment(segment: Segment, around: Loop | undefined): string {
  if (around === undefined || around.parent === undefined) return segment.id
  const name = nameLoop(around)
  return around.first === segment ? name : `${name}/${segment.id}`
}

/** `N1*ST`, `LIN`; the set itself is `ST`. */
export function nameLoop({ first, rule: { qualifier } }: Loop): string {
  const code = qualifier === undefined ? '' : first.value(qualifier).trim()
  const mark = first.delimiters.syntax === 'x12' ? '*' : '+'
  return code === '' || first.id === 'ST' ? first.id : `${first.id}${mark}${code}`
}

/** `BEG02`, `DTM01-2` */
export function formatElement(id: string, element: number, component?: number): string {
  return `${id}${String(element).padStart(2, '0')}${component === undefined ? '' : `-${component}`}`
}
