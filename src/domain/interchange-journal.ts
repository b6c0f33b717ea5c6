/** What the journal keeps of interchanges: where their sets went, and which answers are due under which numbers. */
import type { Resource } from './api.ts'
import type { DecisionEntry, Dismissal } from './decision.ts'
import type { DeliveryEntry, NewReport } from './delivery.ts'
import type { FileEntry } from './file.ts'
import type { AnsweredSet, AnswerNumbers, ReceivedAnswer, Syntax } from './interchange.ts'
import type { Lease } from './lease.ts'
import type { SetSelection } from './place.ts'
import type { Problem } from './problem.ts'

/**
 * What was decided about an interchange. `taken`: its sets went to the routes that take them. `refused`: the same, but its
 * envelope is damaged, so that the routes refuse them; it may come again under its number. `answer`: it holds nothing
 * but answers. The others give nothing to any route: `duplicate` came before, `reused` has the number of another one,
 * `unknown` has a sender or receiver that is not configured.
 */
export type InterchangeVerdict = 'taken' | 'refused' | 'answer' | 'duplicate' | 'reused' | 'unknown'

export interface InterchangeKey {
  readonly syntax: Syntax
  readonly sender: string
  readonly receiver: string
  readonly usage: 'production' | 'test'
  readonly number: string
}

export interface InterchangeEntry extends InterchangeKey {
  readonly ordinal: number
  /** The number of its first segment in the file. */
  readonly segment: number
  readonly sha256: string
  readonly sets: number
  readonly verdict: InterchangeVerdict
  /** The name of its partner in the configuration. */
  readonly partner?: string
  /** The file that brought the interchange with its key first. */
  readonly earlier?: { readonly file: string; readonly name: string }
}

/** The sets that one route takes of a file: a file of the route, which reads the same bytes. */
export interface NewPart {
  readonly id: string
  readonly route: string
  readonly sets: SetSelection
}

/** An answer that is due to one partner for one file: all its interchanges of one scope together. */
export interface NewAnswer {
  readonly id: string
  readonly scope: NumberScope
  readonly partner: string
  /** Ordinals of the interchanges that it answers, ascending. */
  readonly interchanges: readonly number[]
  /** How many groups it answers. */
  readonly groups: number
  /** When it is due, even if no mapping has read the sets. */
  readonly dueAt: number
}

/** Control numbers count within a scope: both sides of the answer, and its usage. `sender` is us. */
export interface NumberScope {
  readonly syntax: Syntax
  readonly sender: string
  readonly receiver: string
  readonly usage: 'production' | 'test'
}

export interface AnswerEntry extends NewAnswer {
  readonly file: string
  /** When its verdicts and numbers were decided, and what from; absent before. */
  readonly decided?: {
    readonly at: number
    readonly numbers: AnswerNumbers
    /** Some sets were not read by their mappings in time: all are judged by their structure alone. */
    readonly byStructure: boolean
  }
  /** The id of its delivery, once it is composed. */
  readonly delivery?: string
}

/** The last numbers of a scope that were given; 0 where none was. */
export interface NumberCounter extends NumberScope {
  readonly interchange: number
  readonly group: number
}

/** The control numbers of an outgoing file, given before its first byte is composed. */
export interface NumberReservation {
  readonly id: number
  readonly scope: NumberScope
  readonly numbers: AnswerNumbers
  /** The date and time in the envelope, milliseconds. */
  readonly at: number
}

export interface PartnerActivity {
  readonly partner: string
  readonly interchanges: number
  /** When the file of the last of them was received, milliseconds. */
  readonly lastAt: number
}

/** A file with more than it gives to routes: what an inbox of interchanges does with it. */
export interface Unbundling {
  readonly parts: readonly NewPart[]
  readonly answers: readonly NewAnswer[]
  /** Sets that no route takes. */
  readonly unrouted: SetSelection
  /** Sets that more than one route could take. */
  readonly ambiguous: SetSelection
  /** What partners answer to outgoing interchanges. */
  readonly received: readonly NewReceivedAnswer[]
  /** What stands in no set. */
  readonly problems: readonly Problem[]
}

// Answers of partners to outgoing interchanges.

export interface NewReceivedAnswer {
  readonly answer: ReceivedAnswer
  /** The ordinal of the interchange that brought it. */
  readonly interchange: number
  readonly syntax: Syntax
  readonly usage: NumberScope['usage']
  /** The addresses of the partner who sent it: it may answer from another one than it is sent to. */
  readonly partner: readonly string[]
}

/**
 * What came of a received answer. `matched`: its verdicts count. `repeated`: all of it was known. `contradicts`: another verdict on
 * some sets was known, which stays. `unmatched`: no interchange that was sent has its number, or not its sets. `unreadable`: it is
 * damaged. `of-answer`: it is about an answer of ours, on which nothing depends; `answer-refused`: it refuses one.
 */
export type AnswerOutcome =
  'matched' | 'repeated' | 'contradicts' | 'unmatched' | 'unreadable' | 'of-answer' | 'answer-refused'

export interface ReceivedAnswerEntry extends Pick<ReceivedAnswer, 'kind' | 'number' | 'verdict' | 'reasons'> {
  readonly outcome: AnswerOutcome
  readonly file: { readonly id: string; readonly name: string }
  readonly receivedAt: number
  /** How many sets it accepted and refused of which nothing was known before. */
  readonly accepted: number
  readonly refused: number
  /** The name of the partner who sent it. */
  readonly partner?: string
  /** What it is about. */
  readonly delivery?: { readonly id: string; readonly name: string; readonly route: string }
}

/** A delivery that an answer is about. */
export interface AnsweredDelivery {
  readonly delivery: string
  readonly route: string
}

/** What the answers to one delivery did to its records. */
export interface AppliedAnswers {
  readonly delivery: string
  readonly name: string
  /** The file that brought the last of them. */
  readonly file: string
  readonly accepted: number
  readonly refused: number
  /** Whether all sets are answered. */
  readonly isWhole: boolean
}

interface RefusedRecord {
  readonly apiId: string
  readonly operation: string
  readonly body?: Resource
}

/** A delivery of which the partner refused sets, and of which no person decided since. */
export interface RefusedDelivery extends AnsweredDelivery {
  readonly name: string
  readonly folder: string
  readonly sets: number
  readonly since: number
  readonly numbers: AnswerNumbers
  /** The number of the first refused set in its group. */
  readonly firstSet: number
  /** The first refused records; a body that was pruned is left out. */
  readonly records: readonly RefusedRecord[]
  /** Of the first refused sets. */
  readonly reasons: readonly string[]
}

/** A delivered interchange of which not all sets are answered, and which waits for nothing else. */
export interface UnansweredDelivery extends DeliveryEntry {
  /** Its control number. */
  readonly interchange: number
  readonly sets: number
}

/** The part of the journal for interchanges. Writing calls are durable when they return. */
export interface InterchangeJournal {
  /**
   * Finds the first interchange with the key that was `taken`, of a file received since then, and not the file itself; one
   * with the same contents before any other. It finds none in files with `.rejects.` or `.exceptions.` in their names, and
   * the caller looks for none for such files.
   */
  findEarlierInterchange(
    key: InterchangeKey & { readonly sha256?: string },
    since: number,
    notFile: string,
  ): Promise<{ readonly file: string; readonly name: string; readonly sha256: string } | undefined>
  /**
   * Counts what waits for a correction of the interchange with this key that a file brought: rejected records that are not
   * corrected, held ones, and sets that no route takes.
   */
  countCorrectable(fileId: string, key: InterchangeKey): Promise<number>
  /**
   * Whether an answer names the interchange, or one with the same key and contents: in any file where it was taken, and in the
   * archived file `of` and all that were retaken from it, where it has the same ordinal, whatever its verdict.
   */
  isInterchangeAnswered(
    interchange: InterchangeKey & Pick<InterchangeEntry, 'sha256' | 'ordinal'>,
    of: string,
  ): Promise<boolean>
  /** Deletes what an interrupted unbundling left. The file is `received`. */
  startUnbundling(lease: Lease, fileId: string): Promise<void>
  /** Their ordinals ascend, over all calls. */
  addInterchanges(lease: Lease, fileId: string, interchanges: readonly InterchangeEntry[]): Promise<void>
  /**
   * received → planned. Creates the parts as files of their routes in the state `received`, with the name, size, folder,
   * contents and time of the file, and the answers that are due; matches and stores what partners answered. All of it is one
   * transaction. Returns the deliveries that were answered.
   */
  markFileUnbundled(
    lease: Lease,
    fileId: string,
    unbundling: Unbundling,
  ): Promise<readonly AnsweredDelivery[]>
  /** planned → submitted with the outcome `processed`, when all parts are closed and all answers delivered; else false. */
  markPartsFinished(lease: Lease, fileId: string): Promise<boolean>
  listParts(fileId: string): Promise<readonly FileEntry[]>
  /** The sets that a part takes; undefined for a file that is no part. */
  getPartSets(partId: string): Promise<SetSelection | undefined>
  /** What no route takes, as `markFileUnbundled` noted it. */
  getUnrouted(fileId: string): Promise<Pick<Unbundling, 'unrouted' | 'ambiguous'>>
  listInterchanges(fileId: string, afterOrdinal: number, limit: number): Promise<readonly InterchangeEntry[]>
  /** The interchange in which the segment with this number stands; undefined for one before the first. */
  findInterchangeAt(fileId: string, segment: number): Promise<InterchangeEntry | undefined>

  /** In the order of their creation. */
  listAnswers(fileId: string): Promise<readonly AnswerEntry[]>
  /**
   * Reserves its control numbers and notes what its verdicts rest on; `start` is the first number of a new scope. A second
   * call changes nothing. Returns the entry as it is then.
   */
  decideAnswer(
    lease: Lease,
    answerId: string,
    decision: { readonly byStructure: boolean; readonly start: number },
  ): Promise<AnswerEntry>
  /** Makes the delivery of a decided answer, in the sequence of the lease's route, in one transaction with its binding. */
  createAnswerDelivery(
    lease: Lease,
    answerId: string,
    delivery: Omit<NewReport, 'scheduledRun' | 'reservation'>,
  ): Promise<DeliveryEntry>
  /** Lists answers that are not delivered although they are due, the oldest first. */
  listOverdueAnswers(now: number, limit: number): Promise<readonly AnswerEntry[]>
  /** The answer that a delivery is. */
  findAnswerOfDelivery(deliveryId: string): Promise<AnswerEntry | undefined>

  /**
   * Reserves the numbers of the next outgoing file of the lease's route. A reservation of the route that no delivery carries,
   * because its composing ended early, is taken over: so no number is left out. `start` is the first number of a new scope; with
   * `groupFollows` the group has the number of the interchange. `createDelivery` and `createReportDelivery` bind it.
   */
  reserveNumbers(
    lease: Lease,
    scope: NumberScope,
    rules: { readonly start: number; readonly groupFollows: boolean },
  ): Promise<NumberReservation>
  /** The numbers that a delivery carries; undefined for one that is no interchange, or an answer. */
  findReservation(deliveryId: string): Promise<NumberReservation | undefined>

  /**
   * Carries out the answers to deliveries of the lease's route that wait for them: accepted records may be acknowledged, refused
   * ones are held. A delivery of which all sets are answered is confirmed by the file of the last answer. A second call changes
   * nothing.
   */
  applyReceivedAnswers(lease: Lease): Promise<readonly AppliedAnswers[]>
  /** Lists deliveries that wait for more answers, with records that were accepted and are not acknowledged. */
  listPartlyConfirmedDeliveries(route: string): Promise<readonly DeliveryEntry[]>
  /** What the partner said of the set with this record of a delivery, and where; undefined before it said anything. */
  findSetVerdict(
    deliveryId: string,
    record: number,
  ): Promise<{ readonly verdict: AnsweredSet['verdict']; readonly answer?: ReceivedAnswerEntry } | undefined>
  /** In the order of their storing. */
  listReceivedAnswers(
    of: { readonly file: string } | { readonly delivery: string },
    limit: number,
  ): Promise<readonly ReceivedAnswerEntry[]>
  /**
   * A person has the records of refused sets sent in a new interchange: they leave the delivery and wait for the next file of their
   * route. Undefined, with nothing stored, where the partner refused none.
   */
  releaseRefused(
    lease: Lease,
    deliveryId: string,
    decision: Omit<Dismissal, 'record'>,
  ): Promise<DecisionEntry | undefined>
  /** Whether sets of the delivery are refused or not answered, and a person may dismiss that. */
  isAwaitingDecision(deliveryId: string): Promise<boolean>
  /** The longest waiting first. */
  listRefusedDeliveries(limit: number): Promise<readonly RefusedDelivery[]>
  /** The oldest first; not those that a person dismissed. */
  listUnansweredDeliveries(route: string, limit: number): Promise<readonly UnansweredDelivery[]>

  /** What came of each partner, and when the last of it did. */
  listPartnerActivity(): Promise<readonly PartnerActivity[]>
  listNumberCounters(): Promise<readonly NumberCounter[]>
  /** A person sets the last given numbers of a scope. */
  setNumberCounter(
    counter: NumberCounter,
    decision: { readonly by: string; readonly why: string },
  ): Promise<void>
}
