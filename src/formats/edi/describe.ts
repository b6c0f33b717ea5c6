/** Describes segments for people: the names of their elements, and the meanings of codes. */
import { type ElementInfo, findCodes, type SegmentInfo } from '../../edi/dictionary.ts'
import { DICTIONARIES } from '../../edi/documents.ts'
import { type Segment, splitReleased } from '../../edi/segment.ts'
import { decodeForPeople } from './charset.ts'

export interface DescribedElement {
  /** `BEG01`, `DTM01-2`; the second repetition `…#2`. */
  readonly label: string
  readonly text: string
  /** Empty where the dictionary does not know it. */
  readonly name: string
  /** Of a code. */
  readonly meaning: string
}

export interface DescribedSegment {
  /** `BEG`, `N1*ST`. */
  readonly title: string
  /** `ship to: Ada Park`; the name of the segment where it has no qualifier. */
  readonly summary: string
  readonly elements: readonly DescribedElement[]
}

/** Elements that are empty are left out. */
export function describeSegment(segment: Segment): DescribedSegment {
  const info = DICTIONARIES[segment.delimiters.syntax].find(segment.id)
  const elements: DescribedElement[] = []
  for (let element = 1; element <= segment.size; element += 1) {
    if (segment.raw(element) !== '') describeElement(segment, element, info, elements)
  }
  return { ...summarize(segment, info), elements }
}

/** `ZZ:HAVEN to 12:7755550100` */
export function formatSender(sender: string, receiver: string): string {
  return `${sender === '' ? '?' : sender} to ${receiver === '' ? '?' : receiver}`
}

function describeElement(
  segment: Segment,
  element: number,
  info: SegmentInfo | undefined,
  elements: DescribedElement[],
): void {
  const { delimiters, id } = segment
  const known = info?.elements[element - 1]
  const label = id + String(element).padStart(2, '0')
  const raw = segment.raw(element)
  const isX12 = delimiters.syntax === 'x12'
  // The first segment of X12 holds the delimiters themselves; texts of X12 may hold the component separator.
  const repetition = id === 'ISA' || delimiters.repetition === undefined ? '' : delimiters.repetition
  const isComposite = isX12 ? id !== 'ISA' && (known?.components.length ?? 0) > 0 : true
  const repetitions = repetition === '' ? [raw] : splitReleased(raw, repetition, delimiters.release)
  for (const [index, repeated] of repetitions.entries()) {
    const suffix = index === 0 ? '' : `#${index + 1}`
    const components = isComposite
      ? splitReleased(repeated, delimiters.component, delimiters.release)
      : [repeated]
    for (const [at, component] of components.entries()) {
      if (component === '') continue
      const parts = known?.components ?? []
      const own: ElementInfo | undefined = parts.length > 0 ? parts[at] : at === 0 ? known : undefined
      const text = decodeForPeople(release(component, delimiters.release)).trim()
      if (text === '') continue
      elements.push({
        label: label + (components.length > 1 || parts.length > 1 ? `-${at + 1}` : '') + suffix,
        text,
        name: own?.name ?? '',
        meaning: findCodeMeaning(info, element, at + 1, text) || writePoint(text, own, segment),
      })
    }
  }
}

function release(text: string, mark: string | undefined): string {
  if (mark === undefined || !text.includes(mark)) return text
  let plain = ''
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === mark) at += 1
    plain += text[at] ?? ''
  }
  return plain
}

/** The meaning of a code. Empty for others. */
export function findCodeMeaning(
  info: SegmentInfo | undefined,
  element: number,
  component: number,
  text: string,
): string {
  const codes = info && findCodes(info, element, component)
  if (codes === undefined) return ''
  return Object.hasOwn(codes, text) ? (codes[text] ?? '') : ''
}

/** An amount with implied decimals with its point: 5057 is 50.57. Empty for any other element, and for one that has its point. */
function writePoint(
  text: string,
  known: ElementInfo | undefined,
  { delimiters: { syntax } }: Segment,
): string {
  const implied = syntax === 'x12' ? /^N([1-9])$/.exec(known?.type ?? '')?.[1] : undefined
  const [match, sign = '', digits = ''] = implied === undefined ? [] : (/^(-?)(\d+)$/.exec(text) ?? [])
  if (match === undefined) return ''
  const whole = digits.padStart(Number(implied) + 1, '0')
  return `${sign}${whole.slice(0, -Number(implied))}.${whole.slice(-Number(implied))}`
}

/** Data elements of X12 that are quantities, and that of the line number and of the unit. */
const QUANTITIES = new Set(['330', '358', '380', '382'])
const LINE_NUMBER = '350'
const UNIT = '355'

/** `Line of an order 1: 2 EA, UP 086000100025`; `Total of an invoice: 50.57`. Of other segments, their name. */
function summarizeLine(segment: Segment, info: SegmentInfo): string {
  const { name, elements, pairs } = info
  const read = (index: number) => (index < 0 ? '' : decodeForPeople(segment.value(index + 1)).trim())
  const number = read(elements.findIndex((each) => each.number === LINE_NUMBER))
  const quantity = read(elements.findIndex((each) => QUANTITIES.has(each.number)))
  const unit = read(elements.findIndex((each) => each.number === UNIT))
  const from = pairs !== undefined && !('value' in pairs) ? pairs.from - 1 : -1
  const item = from === -1 || read(from) === '' ? '' : `${read(from)} ${read(from + 1)}`.trim()
  const amount = writePoint(read(0), elements[0], segment)
  const facts = [[quantity, quantity === '' ? '' : unit].join(' ').trim(), item, amount].filter(
    (each) => each !== '',
  )
  const head = number === '' ? name : `${name} ${number}`
  return facts.length === 0 ? head : `${head}: ${facts.join(', ')}`
}

/** What the segment is about, by its qualifier, and the value right behind that. */
function summarize(segment: Segment, info: SegmentInfo | undefined) {
  const { id, delimiters } = segment
  const qualifier = info?.qualifier
  const code = qualifier === undefined ? '' : decodeForPeople(segment.value(qualifier)).trim()
  const name = info?.name ?? 'unknown here'
  const isX12 = delimiters.syntax === 'x12'
  if (info === undefined || qualifier === undefined || code === '')
    return { title: id, summary: info !== undefined && isX12 ? summarizeLine(segment, info) : name }
  const title = `${id}${isX12 ? '*' : '+'}${code}`
  const meaning = findCodeMeaning(info, qualifier, 1, code) || name
  const components = info.elements[qualifier - 1]?.components ?? []
  const inside = !isX12 && components.length > 1
  const next = inside ? components[1] : info.elements[qualifier]
  const first = next?.components[0] ?? next
  const isText = first !== undefined && first.type !== 'ID'
  const value = inside ? segment.value(qualifier, 2) : segment.value(qualifier + 1)
  const text = isText ? decodeForPeople(value).trim() : ''
  const summary = text === '' ? meaning : `${meaning}: ${text}`
  return { title, summary: id === 'MAN' && isX12 ? summary + describeSecondMark(segment, info) : summary }
}

/** MAN may have a second mark behind the first: `; SSCC: 00123`. */
function describeSecondMark(segment: Segment, info: SegmentInfo): string {
  const code = segment.value(4).trim()
  const mark = decodeForPeople(segment.value(5)).trim()
  return code === '' || mark === '' ? '' : `; ${findCodeMeaning(info, 4, 1, code) || code}: ${mark}`
}
