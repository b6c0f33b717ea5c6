/** What is known of segments: their names, which element says what one is about, pairs, dates, and types of elements. */

/** A segment as data: see `segments/x12.ts` and `segments/edifact.ts`. Elements count from 1. */
export interface SegmentDefinition {
  /** For people: `Ship-to, bill-to and other parties`. */
  readonly name: string
  /** The element that says what the segment is about, such as 1 for REF. In EDIFACT its first component. */
  readonly qualifier?: number
  /**
   * Pairs of a qualifier and a value behind it. In X12 the element of the first qualifier. In EDIFACT the element of the
   * first composite, with the components of value and qualifier; `more`: segments right behind it that hold more of them.
   */
  readonly pairs?:
    | { readonly from: number }
    | {
        readonly from: number
        readonly value: number
        readonly qualifier: number
        readonly more?: { readonly id: string; readonly from: number }
      }
  /** Where a date, a time and a zone stand, for `.date`. EDIFACT has all of them in one composite. */
  readonly date?: { readonly date: number; readonly time?: number; readonly zone?: number }
  /**
   * The elements in order, as `NUMBER TYPE MIN/MAX name`: `353 ID 2/2 purpose`. TYPE: AN text, ID code, N0 and N2 numbers
   * with implied decimals, R decimal, DT date, TM time. `*` behind the number: mandatory. A composite is a list whose
   * first entry is its own name: `['C507 date', '2005 AN 1/3 qualifier', ...]`. `-`: an element that is not used.
   */
  readonly elements: readonly (string | readonly string[])[]
  /** Meanings of codes, by element: `{ 1: { ST: 'ship to' } }`. */
  readonly codes?: Readonly<Record<number, Readonly<Record<string, string>>>>
}

export interface ElementInfo {
  /** The number of the data element: `353`, `1004`; of a composite `C507`; empty where it is not known. */
  readonly number: string
  readonly name: string
  readonly type: string
  readonly min: number
  readonly max: number
  readonly isMandatory: boolean
  readonly components: readonly ElementInfo[]
}

export interface SegmentInfo extends Omit<SegmentDefinition, 'elements'> {
  readonly id: string
  /** By position: element 1 is at index 0. */
  readonly elements: readonly ElementInfo[]
}

export interface Dictionary {
  /** Undefined for a segment that the dictionary does not know; it can be read by position all the same. */
  find(id: string): SegmentInfo | undefined
  readonly ids: readonly string[]
}

/** Parses definitions when they are first asked for. */
export function createDictionary(definitions: Readonly<Record<string, SegmentDefinition>>): Dictionary {
  const known = new Map<string, SegmentInfo>()
  return {
    ids: Object.keys(definitions),
    find(id) {
      const found = known.get(id)
      const definition = Object.hasOwn(definitions, id) ? definitions[id] : undefined
      if (found !== undefined || definition === undefined) return found
      const info = { ...definition, id, elements: definition.elements.map(parseElement) }
      known.set(id, info)
      return info
    },
  }
}

const UNUSED: ElementInfo = {
  number: '',
  name: '',
  type: 'AN',
  min: 0,
  max: Infinity,
  isMandatory: false,
  components: [],
}

function parseElement(written: string | readonly string[]): ElementInfo {
  if (typeof written === 'string') return parseSimple(written)
  const [own = '', ...components] = written
  const [number = '', ...name] = own.split(' ')
  const isMandatory = number.endsWith('*')
  return {
    ...UNUSED,
    number: number.replace('*', ''),
    name: name.join(' '),
    isMandatory,
    components: components.map(parseSimple),
  }
}

function parseSimple(written: string): ElementInfo {
  if (written === '-') return UNUSED
  const match = /^([A-Z]?\d+)(\*?) (AN|ID|N\d|R|DT|TM) (\d+)\/(\d+) (.+)$/.exec(written)
  if (match === null) throw new Error(`An element is not written as "353 ID 2/2 purpose": ${written}`)
  const [, number = '', star, type = '', min, max, name = ''] = match
  return {
    number,
    name,
    type,
    min: Number(min),
    max: Number(max),
    isMandatory: star === '*',
    components: [],
  }
}

/** The codes of an element that are known here; a partner may use others. Those of pairs stand at the first of them. */
export function findCodes(
  { codes, pairs }: Pick<SegmentInfo, 'codes' | 'pairs'>,
  element: number,
  component: number,
): Readonly<Record<string, string>> | undefined {
  let at = element
  let codeComponent = 1
  if (pairs !== undefined && element >= pairs.from) {
    if ('qualifier' in pairs) codeComponent = pairs.qualifier
    else if ((element - pairs.from) % 2 === 0) at = pairs.from
  }
  return component === codeComponent ? codes?.[at] : undefined
}
