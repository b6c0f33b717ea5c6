/** Finds amounts with implied decimals that are written with their point, such as `TDS*1849.97`. */
import { DICTIONARIES } from '../../edi/documents.ts'
import type { Segment } from '../../edi/segment.ts'
import { formatElement } from './spots.ts'

/** The elements with implied decimals, by the id of their segment. */
let impliedElements: ReadonlyMap<string, readonly number[]> | undefined

function listImpliedElements(): ReadonlyMap<string, readonly number[]> {
  const dictionary = DICTIONARIES.x12
  const found = dictionary.ids.map((id) => {
    const { elements = [] } = dictionary.find(id) ?? {}
    return [id, elements.flatMap(({ type }, index) => (/^N[1-9]$/.test(type) ? [index + 1] : []))] as const
  })
  return new Map(found.filter(([, elements]) => elements.length > 0))
}

/** The first such element, and what to say of it. */
export function findWrittenPoint(segment: Segment): { element: number; message: string } | undefined {
  if (segment.delimiters.syntax !== 'x12') return undefined
  impliedElements ??= listImpliedElements()
  for (const element of impliedElements.get(segment.id) ?? []) {
    const text = segment.value(element).trim()
    if (!/^[-+]?\d*\.\d*$/.test(text)) continue
    const name = formatElement(segment.id, element)
    return {
      element,
      message: `${name} has implied decimals, but is written with a point: ${text.slice(0, 20)}.`,
    }
  }
  return undefined
}
