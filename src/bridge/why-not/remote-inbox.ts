/** An inbox on another machine. */
import type { InboundRoute } from '../../config/routes.ts'
import type { Mailbox } from '../../domain/mailbox.ts'

export interface RemoteInbox {
  readonly route: InboundRoute
  /** Opens the connection with the first question. */
  readonly open: () => Promise<Mailbox>
}
