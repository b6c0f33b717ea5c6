/**
 * The dictionary of X12: the segments that our grammars name and those of the envelope. Names and meanings are our own words.
 * Lengths are those of 004010: what fits them fits later versions too, but these allow longer references, texts and numbers.
 * Codes that stand at the first element of pairs are the meanings of all their qualifiers.
 */
import type { SegmentDefinition } from '../dictionary.ts'
import { X12_ENVELOPE } from './x12-envelope.ts'
import { X12_GENERAL } from './x12-general.ts'
import { X12_LINES } from './x12-lines.ts'
import { X12_SET } from './x12-set.ts'
import { X12_TRANSPORT } from './x12-transport.ts'

export const X12_SEGMENTS: Readonly<Record<string, SegmentDefinition>> = {
  ...X12_ENVELOPE,
  ...X12_SET,
  ...X12_GENERAL,
  ...X12_TRANSPORT,
  ...X12_LINES,
}
