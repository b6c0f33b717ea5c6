/** Says where in an interchange something stands. */
import type { Spot } from '../../domain/place.ts'
import { DICTIONARIES } from '../../edi/documents.ts'
import type { Fault } from '../../edi/faults.ts'
import type { EdiPath } from '../../edi/paths.ts'
import type { Segment } from '../../edi/segment.ts'
import type { TransactionSet } from './envelopes.ts'
import type { Loop } from './loops.ts'
import type { PathHit } from './path-reader.ts'

type OfSet = TransactionSet | undefined

/** The place of a segment. */
export function createSpot({ number, at, id }: Pick<Segment, 'number' | 'at' | 'id'>, set: OfSet): Spot {
  return { segment: number, inSet: countInSet(number, set), id: id === '' ? '?' : id, at, set: nameSet(set) }
}

export function createFaultSpot({ segment, at, id, element }: Fault, set: OfSet): Spot {
  const spot = createSpot({ number: segment, at, id }, set)
  return element === undefined ? spot : { ...spot, element }
}

/** The place of a value. Where no segment has it: the path that leads nowhere, at the begin of the loop that misses it. */
export function createValueSpot(path: EdiPath, hit: PathHit | undefined, loop: Loop, set: OfSet): Spot {
  if (hit === undefined) {
    const { value } = path
    const id = path.text.replace(/\.[^./]+$/, '')
    const spot = createSpot({ number: loop.first.number, at: loop.first.at, id }, set)
    return value.kind === 'element' ? { ...spot, element: value.element } : spot
  }
  const { segment, element, component } = hit
  const around = hit.loop
  const name = around === undefined || around.parent === undefined ? '' : nameLoop(around)
  const id = name === '' ? segment.id : around?.first === segment ? name : `${name}/${segment.id}`
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
function nameSet(set: OfSet): string {
  if (set === undefined) return ''
  const { group } = set
  return [group.interchange.number, group.number, set.number].filter((part) => part !== '').join('/')
}

/** `N1*ST`, `LIN`; the set itself is `ST`. */
function nameLoop({ first }: Loop): string {
  const { syntax } = first.delimiters
  const { qualifier } = DICTIONARIES[syntax].find(first.id) ?? {}
  const code = qualifier === undefined ? '' : first.value(qualifier).trim()
  return code === '' || first.id === 'ST' ? first.id : `${first.id}${syntax === 'x12' ? '*' : '+'}${code}`
}
