/** What a pipeline is given to work with: interfaces only, made in the composition root. */
import type { InboundOperationName, ReceivedOperationName } from '../contract/operations.ts'
import type { Api } from '../domain/api.ts'
import type { Observer } from '../domain/event.ts'
import type { Format } from '../domain/format.ts'
import type { Journal, Lease } from '../domain/journal.ts'
import type { Mailbox } from '../domain/mailbox.ts'
import type { Party } from '../domain/route.ts'
import type { Composer, Translator } from '../domain/translator.ts'
import type { Clock } from '../support/clock.ts'
import type { Spool } from '../support/spool.ts'

interface SharedParts {
  readonly journal: Journal
  readonly lease: Lease
  readonly api: Api
  readonly format: Format
  readonly spool: Spool
  readonly clock: Clock
  readonly newId: () => string
  /** Fires when the program is asked to stop: nothing new is begun, what is in flight is finished. */
  readonly signal: AbortSignal
  readonly notify: Observer
  /** How many calls may be in flight at once. */
  readonly concurrency: number
}

export interface InboundParts extends SharedParts {
  readonly route: {
    readonly name: string
    readonly party: Party
    readonly operation: InboundOperationName
    readonly folder: string
    /** Whether a file name belongs to the route. */
    readonly matches: (name: string) => boolean
    readonly archiveFolder: string
    readonly resultsFolder: string
    /** How long a file must stay unchanged before it is taken. */
    readonly settleMs: number
    /** After this time a request whose answer was lost cannot take effect any more. */
    readonly lateAnswerMs: number
  }
  readonly source: Mailbox
  readonly results: Mailbox
  readonly translator: Translator
}

export interface OutboundParts extends SharedParts {
  readonly route: {
    readonly name: string
    readonly party: Party
    readonly operation: ReceivedOperationName
    readonly folder: string
    /** The file's name from its sequence number, the time it was composed and its first record. */
    readonly nameFor: (
      sequence: number,
      composedAt: number,
      first: Readonly<Record<string, unknown>>,
    ) => string
    /** Whether the name says something of the record, so that a file holds one. */
    readonly namesRecord: boolean
    /** Read each record again right before acknowledging it, and report what changed instead. */
    readonly reread: boolean
  }
  readonly target: Mailbox
  readonly composer: Composer
}
