/** Finds the interchanges of a file: which documents it holds, in which versions, for production or as a test. */
import type { Syntax } from '../../edi/segment.ts'
import { cutSegments, isSegment } from '../../formats/edi/cut.ts'
import type { TransactionSet } from '../../formats/edi/envelopes.ts'
import { createInspector } from '../../formats/edi/inspection.ts'
import { readUnpackedBytes } from '../translate-file.ts'

export interface FoundDocument {
  readonly document: string
  readonly versions: readonly string[]
  readonly sets: number
}

export interface FoundInterchanges {
  readonly syntax: Syntax
  readonly interchanges: number
  /** The most frequent document first; documents of the other syntax are left out. */
  readonly documents: readonly FoundDocument[]
  /** Whether all interchanges are marked as a test. */
  readonly isTest: boolean
}

/** Undefined for a file that does not begin with an interchange. */
export async function findInterchanges(path: string): Promise<FoundInterchanges | undefined> {
  const found = new Map<string, { versions: Set<string>; sets: number }>()
  let syntax: Syntax | undefined
  let interchanges = 0
  let isTest = true
  const inspector = createInspector({
    onInterchange(interchange) {
      syntax ??= interchange.segment.delimiters.syntax
      interchanges += 1
      isTest &&= interchange.isTest
    },
    onSet({ document, version, segment }: TransactionSet) {
      if (segment.delimiters.syntax !== syntax) return
      const known = found.get(document) ?? { versions: new Set(), sets: 0 }
      found.set(document, known)
      if (version !== '') known.versions.add(version)
      known.sets += 1
    },
  })
  for await (const items of cutSegments(readUnpackedBytes(path))) {
    for (const item of items) {
      // Other formats are not read to their end.
      if (!isSegment(item) && item.kind === 'not-found') return undefined
      inspector.take(item)
    }
  }
  inspector.finish()
  if (syntax === undefined) return undefined
  const documents = [...found]
    .map(([document, { versions, sets }]) => ({ document, versions: [...versions], sets }))
    .toSorted((a, b) => b.sets - a.sets)
  return { syntax, interchanges, documents, isTest }
}
