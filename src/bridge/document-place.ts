/** Where the packing slips and labels of a route go, and what they are called. */
import type { InboundRoute } from '../config/routes.ts'
import { documentNameOf } from '../config/document-name.ts'
import type { Mailbox } from '../domain/mailbox.ts'
import type { DocumentKind } from '../domain/shipping-document.ts'
import type { DocumentPlace } from '../pipelines/documents/place.ts'

/** Undefined where the route wants none. */
export function documentPlace(
  { documents }: Pick<InboundRoute, 'documents'>,
  mailboxOf: (name: string) => Mailbox,
): DocumentPlace | undefined {
  if (documents === undefined) return undefined
  const { mailbox, folder, labels, packingSlips, name } = documents
  const kinds: DocumentKind[] = []
  if (labels) kinds.push('label')
  if (packingSlips) kinds.push('packing-slip')
  return {
    mailbox: mailboxOf(mailbox),
    mailboxName: mailbox,
    folder,
    kinds,
    nameFor: (values) => documentNameOf(name, values),
  }
}
