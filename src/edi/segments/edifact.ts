/**
 * The dictionary of EDIFACT: the segments that our grammars name and the service segments. Names and meanings are our own
 * words. Lengths are those of D.96A: what fits them fits later directories too, but these allow longer references, texts and
 * numbers. Codes are those of the first component of an element; at the first composite of pairs they are those of the qualifier.
 */
import type { SegmentDefinition } from '../dictionary.ts'
import { EDIFACT_AMOUNTS } from './edifact-amounts.ts'
import { EDIFACT_ENVELOPE } from './edifact-envelope.ts'
import { EDIFACT_GENERAL } from './edifact-general.ts'
import { EDIFACT_LINES } from './edifact-lines.ts'
import { EDIFACT_TRANSPORT } from './edifact-transport.ts'

export const EDIFACT_SEGMENTS: Readonly<Record<string, SegmentDefinition>> = {
  ...EDIFACT_ENVELOPE,
  ...EDIFACT_GENERAL,
  ...EDIFACT_AMOUNTS,
  ...EDIFACT_TRANSPORT,
  ...EDIFACT_LINES,
}
