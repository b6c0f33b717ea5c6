/** What inbound and outbound routes are given to work with. Types only; the app makes the objects. */
import type { InboundOperationName, OutboundOperationName } from '../contract/operations.ts'
import type { Api, Resource } from '../domain/api.ts'
import type { Observer } from '../domain/event.ts'
import type { Format } from '../domain/format.ts'
import type { Journal } from '../domain/journal.ts'
import type { Lease } from '../domain/lease.ts'
import type { Mailbox } from '../domain/mailbox.ts'
import type { FileSequence, IntakeOrder, Party, Readiness, Selection } from '../domain/route.ts'
import type { DocumentKind } from '../domain/shipping-document.ts'
import type { Composer, Translator } from '../domain/translator.ts'
import type { Clock } from '../support/clock.ts'
import type { Spool } from '../support/spool.ts'
import type { FileBackoff, FileTracker } from './inbound/file-tracker.ts'
import type { OverdueRules, ReceiptRules } from './outbound/confirmation-rules.ts'
import type { CarrierLoader, MethodLoader } from './references/shipping-methods.ts'
import type { Policies } from './rules/rule.ts'
import type { CircuitBreakerRules } from './send/circuit-breaker.ts'

interface SharedContext {
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
  /** Nothing new is begun: only what an earlier pass began is brought to its end. */
  readonly onlyUnfinished?: boolean
}

/** What a further step of a route is made of. */
interface NextStep {
  readonly operation: InboundOperationName
  /** Left out where the records are the orders of the step before. */
  readonly translator?: Translator
  /** Only when all of the order is shipped or canceled. */
  readonly when?: 'shipped'
  /** How long a record waits for its order, from when its file was received. */
  readonly waitMs?: number
}

export interface InboundContext extends SharedContext {
  readonly route: {
    readonly name: string
    readonly party: Party
    readonly operation: InboundOperationName
    readonly folder: string
    /** Whether a file name belongs to the route. */
    readonly matches: (name: string) => boolean
    /** The only name that matches, where there is just one. */
    readonly onlyName?: string
    readonly archiveFolder: string
    readonly resultsFolder: string
    /** How long a file must stay unchanged before it is taken. */
    readonly stableForMs: number
    /** When a file is whole; when it is stable, where left out. */
    readonly ready?: Readiness
    /** Which of several files is taken first; the oldest, where left out. */
    readonly order?: IntakeOrder
    /** No file is taken before the one with the number before it; no such rule when left out. */
    readonly sequence?: FileSequence
    /** After this time a request whose answer was lost cannot take effect any more. */
    readonly lateAnswerMs: number
    /** What is done about records that are only odd; the defaults when left out. */
    readonly rules?: Policies
    /** When the rest of a file is held instead of sent; never when left out. */
    readonly circuitBreaker?: CircuitBreakerRules
    /** Only when all of the order is shipped or canceled. */
    readonly when?: 'shipped'
    /** How long a record waits for its order to be ready, from when its file was received; not at all when left out. */
    readonly waitMs?: number
    /** These are the parts of a further step of a route. */
    readonly isLaterStep?: boolean
  }
  readonly source: Mailbox
  readonly results: Mailbox
  /** Carriers with their methods, read once a pass. */
  readonly carriers: CarrierLoader
  /** The methods of the retailer's active connections, read once a pass. */
  readonly methods: MethodLoader
  /** Where the packing slips and labels of created shipments go, where they are wanted. */
  readonly documents?: DocumentPlace
  readonly translator: Translator
  /** Further steps on the same file. */
  readonly next?: readonly NextStep[]
  /** What was seen of the inbox before this pass; left out, the pass waits for the time of `stableFor` itself. */
  readonly fileTracker?: FileTracker
  /** Files that failed before and are passed over until their time comes; left out, all are tried. */
  readonly fileBackoff?: FileBackoff
}

export interface OutboundContext extends SharedContext {
  readonly route: {
    readonly name: string
    readonly party: Party
    readonly operation: OutboundOperationName
    readonly folder: string
    /** The file's name from its sequence number, the time it was composed and its first record. */
    readonly nameFor: (sequence: number, composedAt: number, first: Resource) => string
    /** Whether the name says something of the record, so that a file holds one. */
    readonly namesRecord: boolean
    /** What must happen to a file before its records are acknowledged; `never`: a delivery is done when in place. */
    readonly acknowledge: 'delivered' | 'picked-up' | 'receipt' | 'never'
    /** With `receipt`: which file confirms a delivered one. */
    readonly receipt?: ReceiptRules
    /** When a file that waits to be taken or confirmed is reported; never when left out. */
    readonly overdue?: OverdueRules
    /** Read each record again right before acknowledging it, and report what changed instead. */
    readonly verifyBeforeAck: boolean
    /** Each pass writes all of these records into a new file; left out where each record goes out once. */
    readonly report?: {
      /** Given the time of the pass. */
      readonly select: (now: number) => Promise<Selection>
      /** Whether a report without records is left out, or is a file with its header alone. */
      readonly empty: 'skip' | 'write'
    }
  }
  /** The run that a report is made for; its delivery is bound to it, so that there is one. */
  readonly scheduledRun?: { readonly name: string; readonly isComposed: boolean }
  readonly target: Mailbox
  /** Where receipts come. */
  readonly receipts?: Mailbox
  /** Inbound routes, by name, that take files from the folder to which receipts come. */
  readonly receiptInboxes?: readonly { readonly name: string; readonly folder: string }[]
  readonly composer: Composer
}

export type DocumentContext = Pick<
  InboundContext,
  'journal' | 'lease' | 'api' | 'clock' | 'spool' | 'signal' | 'concurrency'
> & { readonly route: Pick<InboundContext['route'], 'name' | 'party'>; readonly documents: DocumentPlace }

export interface DocumentPlace {
  readonly mailbox: Mailbox
  /** What the configuration calls the mailbox. */
  readonly mailboxName: string
  readonly folder: string
  readonly kinds: readonly DocumentKind[]
  /** The name without its end, from the values of a created shipment, its `shipment_id` and the `kind`. */
  readonly nameFor: (values: Readonly<Record<string, unknown>>) => string
}
