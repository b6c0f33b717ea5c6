/** What a bridge is given besides its configuration. */
import type { Api } from '../domain/api.ts'
import type { Observer } from '../domain/event.ts'
import type { Journal } from '../domain/journal.ts'
import type { Mailbox } from '../domain/mailbox.ts'
import type { Clock } from '../support/clock.ts'
import type { Spool } from '../support/spool.ts'

export interface BridgeOptions {
  readonly clock: Clock
  readonly random: () => number
  /** Ids of files and deliveries begin with the journal's tag. */
  readonly newId: (tag?: string) => string
  readonly notify: Observer
  readonly version: string
  /** How long a lease that is not renewed keeps others out; 15 seconds when left out. */
  readonly leaseMs?: number
  /** Somebody waits for an answer: a server that cannot be reached at the first try is away. */
  readonly isImpatient?: boolean
  /** Wraps the parts as they are built; the crash tests use it to fail at every effect. */
  readonly wrap?: Partial<Wrappers>
}

interface Wrappers {
  readonly journal: (journal: Journal) => Journal
  readonly mailbox: (mailbox: Mailbox) => Mailbox
  readonly api: (api: Api) => Api
  readonly spool: (spool: Spool) => Spool
}
