/** Checks of `documents` beside the rest of its route. */
import { placeholdersOf } from './file-name.ts'
import type { Mistake } from './mistakes.ts'

interface DocumentsGlance {
  readonly operation?: string | undefined
  readonly documents?:
    | { readonly labels?: unknown; readonly packingSlips?: unknown; readonly name?: string | undefined }
    | undefined
}

/** With paths below the route. */
export function checkDocuments({ operation, documents }: DocumentsGlance): Mistake[] {
  if (documents === undefined) return []
  const { labels, packingSlips, name } = documents
  const path = ['documents']
  const mistakes: Mistake[] = []
  if (operation !== undefined && operation !== 'create-shipment') {
    const message = `only create-shipment has packing slips and labels, and this route does ${operation}.`
    mistakes.push({ path, at: 'key', message })
  }
  if (labels === false && packingSlips === false) {
    const message = 'wants neither labels nor packing slips: leave it out.'
    mistakes.push({ path, at: 'key', message })
  }
  const wantsBoth = labels !== false && packingSlips !== false
  if (wantsBoth && name !== undefined && !placeholdersOf(name).some((each) => each.name === 'kind')) {
    const message = 'needs {kind}, or a label and its packing slip would have the same name.'
    mistakes.push({ path: [...path, 'name'], at: 'value', message })
  }
  return mistakes
}
