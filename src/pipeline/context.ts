/** The dependencies and settings of inbound and outbound routes. Types only; the app makes the objects. */
import type { AcknowledgeRules } from '../config/acknowledge.ts'
import type { OverdueRules } from '../config/alerts.ts'
import type { InboundOperationName, OutboundOperationName } from '../contract/operations.ts'
import type { Api, Resource } from '../domain/api.ts'
import type { Observer } from '../domain/event.ts'
import type { Envelope, Format, WriteOptions } from '../domain/format.ts'
import type { InterchangeFormat } from '../domain/interchange.ts'
import type { NumberScope } from '../domain/interchange-journal.ts'
import type { Journal } from '../domain/journal.ts'
import type { Lease } from '../domain/lease.ts'
import type { Mailbox } from '../domain/mailbox.ts'
import type { FileSequence, IntakeOrder, Party, Readiness, Selection } from '../domain/route.ts'
import type { DocumentKind } from '../domain/shipping-document.ts'
import type { Composer, Translator } from '../domain/translator.ts'
import type { Precedence } from '../support/async.ts'
import type { Clock } from '../support/clock.ts'
import type { Spool } from '../support/spool.ts'
import type { FileBackoff, FileTracker } from './inbound/file-tracker.ts'
import type { ReceiptRules } from './outbound/confirmation-rules.ts'
import type { CarrierLoader, MethodLoader } from './references/shipping-methods.ts'
import type { Policies } from './rules/rule.ts'
import type { CircuitBreakerRules } from './send/circuit-breaker.ts'

export interface SharedContext {
  readonly journal: Journal
  readonly lease: Lease
  readonly api: Api
  readonly format: Format
  readonly spool: Spool
  readonly clock: Clock
  readonly newId: () => string
  /** Fires when the program must stop: the route starts nothing new and finishes what is in flight. */
  readonly signal: AbortSignal
  readonly notify: Observer
  /** How many calls may be in flight at once. */
  readonly concurrency: number
  /** The route starts nothing new; it only finishes what an earlier pass started. */
  readonly onlyUnfinished?: boolean
  /** When it fires, an inbound pass takes no further file; the one that it works on is finished. */
  readonly endsAfterFile?: AbortSignal
}

interface NextStep extends Pick<InboundContext['route'], 'operation' | 'when' | 'waitMs'> {
  /** Left out where the records are the orders of the step before. */
  readonly translator?: Translator
}

/** The settings of a place where files are taken in. */
export interface IntakeRoute {
  readonly name: string
  readonly folder: string
  /** Whether a file name belongs to the route. */
  readonly matches: (name: string) => boolean
  /** The only name that matches, where there is just one. */
  readonly onlyName?: string
  readonly archiveFolder: string
  readonly resultsFolder: string
  /** How result files are written where it is not the default. */
  readonly resultsWriting?: Partial<Pick<WriteOptions, 'delimiter' | 'byteOrderMark'>>
  /** How long a file must stay unchanged before it is taken. */
  readonly stableForMs: number
  /** When a file is whole. Left out: as soon as it is stable. */
  readonly ready?: Readiness
  /** Which of several files is taken first. Left out: the oldest. */
  readonly order?: IntakeOrder
  /** Files may end without a line end. Left out: then the last record may be cut, and is held. */
  readonly lastLineEnd?: 'optional'
  /** The rule that no file is taken before the one with the preceding number. Left out: no such rule. */
  readonly sequence?: FileSequence
  /** Files with the same contents are all taken, because the same change may come again. Left out: the first one only. */
  readonly contentsMayRepeat?: true
}

/** What files are taken in with: by a route, or by an inbox of interchanges. */
export interface IntakeContext extends Omit<SharedContext, 'api' | 'concurrency'> {
  readonly route: IntakeRoute
  readonly source: Mailbox
  readonly results: Mailbox
  /** The files of the inbox as earlier passes saw them. Left out: the pass itself waits for the time of `stableFor`. */
  readonly fileTracker?: FileTracker
  /** Long files give way to short ones of other routes. Left out: all take turns alike. */
  readonly precedence?: Precedence
  /** Files that failed before; passes skip them until the backoff is cleared. Left out: a pass tries all files. */
  readonly fileBackoff?: FileBackoff
}

/** Another inbound route of the configuration: a file may be meant for it. */
export interface OtherRoute {
  readonly name: string
  /** Its folder, with its mailbox where that is another one, as people call it. */
  readonly inbox: string
  readonly translator: Translator
}

export interface InboundContext extends SharedContext, IntakeContext {
  readonly route: IntakeRoute & {
    readonly party: Party
    readonly operation: InboundOperationName
    /** The name of the mapping's file, for fixes that change it. */
    readonly mappingName?: string
    /** After this time a request whose answer was lost cannot take effect any more. */
    readonly lateAnswerMs: number
    /** What to do with records that are only odd. Left out: the defaults. */
    readonly rules?: Policies
    /** When the rest of a file is held instead of sent. Left out: never. */
    readonly circuitBreaker?: CircuitBreakerRules
    /** Run the operation only when all of the order is shipped or canceled. */
    readonly when?: 'shipped'
    /** How long a record waits for its order to be ready, from when its file was received. Left out: not at all. */
    readonly waitMs?: number
    /** Whether this context belongs to a further step of a route. */
    readonly isLaterStep?: boolean
  }
  /** Carriers with their methods, read once a pass. */
  readonly carriers: CarrierLoader
  /** The methods of the retailer's active connections, read once a pass. */
  readonly methods: MethodLoader
  /** Where the packing slips and labels of created shipments go, if the route wants them. */
  readonly documents?: DocumentPlace
  readonly translator: Translator
  /** For messages about a file that was dropped into a wrong inbox. Left out: no other route is named. */
  readonly listOtherRoutes?: () => readonly OtherRoute[]
  /** Further steps on the same file. */
  readonly next?: readonly NextStep[]
  /** The path of a file in the spool of another route or inbox, from which parts get their bytes. */
  readonly locateSpooled: (route: string, name: string) => string
  /** Which files are sent while their rest is planned. Left out: the usual ones. */
  readonly blocks?: BlockSizes
}

/** A file of at least so many bytes is planned in blocks of so many records; the first are sent meanwhile. */
export interface BlockSizes {
  readonly fromBytes: number
  readonly records: number
}

export interface OutboundContext extends SharedContext {
  readonly route: {
    readonly name: string
    readonly party: Party
    readonly operation: OutboundOperationName
    readonly folder: string
    /** The file's name from its sequence number, the time it was composed, its first record and its control number. */
    readonly nameFor: (sequence: number, composedAt: number, first: Resource, icn?: number) => string
    /** Whether the name contains values of the record, so that a file holds exactly one. */
    readonly namesRecord: boolean
    /** What must happen to a file before its records are acknowledged; `never`: a delivery is done when in place. */
    readonly acknowledge: AcknowledgeRules['acknowledge']
    /** With `receipt`: which file confirms a delivered one. */
    readonly receipt?: ReceiptRules
    /** When to report a file that waits to be picked up or confirmed. Left out: never. */
    readonly overdue?: OverdueRules
    /** Read each record again right before acknowledging it, and report the changes instead. */
    readonly verifyBeforeAck: boolean
    /** Each pass writes all of these records into a new file. Left out where each record goes out once. */
    readonly report?: {
      /** Receives the time of the pass. */
      readonly select: (now: number) => Promise<Selection>
      /** Whether a report without records is left out, or is a file with its header alone. */
      readonly empty: 'skip' | 'write'
    }
  }
  /** The scheduled run that the report is for. Its delivery is bound to the run, so that a run has one delivery. */
  readonly scheduledRun?: { readonly name: string; readonly isComposed: boolean }
  readonly target: Mailbox
  readonly receipts?: Mailbox
  /** The inboxes of routes and of interchanges that take files from the folder of the receipts. */
  readonly receiptInboxes?: readonly { readonly name: string; readonly folder: string }[]
  readonly composer: Composer
  /** Where the composer writes interchanges: for whom, and under which numbers. */
  readonly interchanges?: OutgoingInterchanges
}

/** The interchanges that an outbound route writes to its partner. */
export interface OutgoingInterchanges {
  readonly scope: NumberScope
  /** The first control number of a new scope. */
  readonly start: number
  /** The group has the number of its interchange. */
  readonly groupFollows: boolean
  readonly envelope: Omit<Envelope, 'at' | 'numbers'>
  /** Checks each file while it is composed. */
  readonly format: Pick<InterchangeFormat, 'createWrittenCheck'>
}

export type DocumentContext = Pick<
  InboundContext,
  'journal' | 'lease' | 'api' | 'clock' | 'spool' | 'signal' | 'concurrency'
> & { readonly route: Pick<InboundContext['route'], 'name' | 'party'>; readonly documents: DocumentPlace }

export interface DocumentPlace {
  readonly mailbox: Mailbox
  readonly mailboxName: string
  readonly folder: string
  readonly kinds: readonly DocumentKind[]
  /** The name without its extension, from the values of a created shipment, its `shipment_id` and the `kind`. */
  readonly nameFor: (values: Readonly<Record<string, unknown>>) => string
}
