/** What is needed to bring packing slips and labels to where they are wanted. */
import type { InboundParts } from '../parts.ts'
import type { DocumentPlace } from './place.ts'

export type DocumentParts = Pick<
  InboundParts,
  'journal' | 'lease' | 'api' | 'clock' | 'spool' | 'signal' | 'concurrency'
> & {
  readonly route: Pick<InboundParts['route'], 'name' | 'party'>
  readonly documents: DocumentPlace
}
