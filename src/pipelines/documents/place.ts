/** Where the packing slips and labels of a route go. */
import type { Mailbox } from '../../domain/mailbox.ts'
import type { DocumentKind } from '../../domain/shipping-document.ts'

export interface DocumentPlace {
  readonly mailbox: Mailbox
  /** What the configuration calls the mailbox. */
  readonly mailboxName: string
  readonly folder: string
  readonly kinds: readonly DocumentKind[]
  /** The name without its end, from the values of a created shipment, its `shipment_id` and the `kind`. */
  readonly nameFor: (values: Readonly<Record<string, unknown>>) => string
}
