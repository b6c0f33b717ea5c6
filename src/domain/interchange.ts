/** What a format says of a file of interchanges, and how it answers one. Ordinals count from 1 over the whole file. */
import type { EdiReadOptions, Notes, UnreadableFile } from './format.ts'
import type { SetSelection, Spot } from './place.ts'
import type { Problem } from './problem.ts'

export type Syntax = 'x12' | 'edifact'

/** What the header of an interchange says. */
export interface InterchangeHead {
  readonly ordinal: number
  readonly syntax: Syntax
  /** Qualifier and id, such as `ZZ:HAVEN`; the id alone where there is no qualifier. */
  readonly sender: string
  readonly receiver: string
  /** ISA13 or UNB 0020, as it stands there, without outer blanks. */
  readonly number: string
  readonly usage: 'production' | 'test'
  readonly spot: Spot
}

export interface OutlinedInterchange {
  readonly kind: 'interchange'
  readonly head: InterchangeHead
}

/** One set, after its last segment was read. */
export interface OutlinedSet {
  readonly kind: 'set'
  readonly ordinal: number
  /** The ordinal of its interchange. */
  readonly interchange: number
  /** `850`, `ORDERS`. */
  readonly document: string
  /** GS02 and GS03; empty in EDIFACT without groups. */
  readonly groupSender: string
  readonly groupReceiver: string
  /** The values of the paths that were asked of its document, in their order; empty where the set has none. */
  readonly values: readonly string[]
  readonly spot: Spot
}

export interface OutlinedInterchangeEnd {
  readonly kind: 'interchange-end'
  readonly ordinal: number
  /** SHA-256 of its segments without the line breaks between them, hexadecimal. */
  readonly sha256: string
  readonly sets: number
  /** How many of its groups are answered: those that are no answers themselves. Of EDIFACT 1, or 0. */
  readonly groups: number
  /** Whether it asks for an answer to itself: ISA14, UNB 0031. */
  readonly asksForAnswer: boolean
  /** Its envelope is refused, as a whole. */
  readonly isRefused: boolean
  /** It holds nothing but answers. */
  readonly isAnswer: boolean
}

/** What a partner says of what was sent to it; after the set that says it, or the TA1, was read. */
export interface OutlinedAnswer {
  readonly kind: 'answer'
  /** The ordinal of the interchange that brought it. */
  readonly interchange: number
  readonly answer: ReceivedAnswer
}

export type OutlinedPart = OutlinedInterchange | OutlinedSet | OutlinedAnswer | OutlinedInterchangeEnd

/** One answer of a partner: a TA1, the verdicts of a 997 or 999 on one group, or a CONTRL. */
export interface ReceivedAnswer {
  readonly kind: 'TA1' | '997' | '999' | 'CONTRL'
  /** The control number that it names, without outer blanks: of the group in 997 and 999, else of the interchange. */
  readonly number: string
  /** The kind of the group that it names, AK101; empty in TA1 and CONTRL. */
  readonly code: string
  /** The number of its first segment in the file. */
  readonly segment: number
  /**
   * On the whole. `received`: the envelope arrived, and nothing is said of its sets. `some`: some sets are refused.
   * `unreadable`: what stands there is no verdict.
   */
  readonly verdict: 'accepted' | 'some' | 'refused' | 'received' | 'unreadable'
  /** What is wrong with the interchange or group as such, in words. */
  readonly reasons: readonly string[]
  /** The sets that it names. */
  readonly sets: readonly AnsweredSet[]
  /** How many sets it accepts (AK904); absent where it does not say. */
  readonly accepted?: number
}

export interface AnsweredSet {
  /** As it stands there: `0001`. */
  readonly number: string
  /** Accepted, accepted with errors, refused. */
  readonly verdict: 'A' | 'E' | 'R'
  /** In words, the first of them: `PO1.04 (segment 7) holds "X": invalid character`. */
  readonly reasons: readonly string[]
}

/** Which values of sets decide who takes them. */
export interface OutlineQuestion {
  readonly syntax: Syntax
  readonly document: string
  /** Paths outside of lines, such as `BCH.01`. */
  readonly paths: readonly string[]
}

/** An outline of a file. `parts` can be read once, in the order of the file; memory is bounded. */
export interface Outline {
  readonly parts: AsyncIterable<readonly OutlinedPart[]>
  /** What stands in no set, such as text between interchanges, or an interchange that is unreadable. Known at the end. */
  listProblems(): readonly Problem[]
}

/** What became of the records of the routes, for the verdicts of their sets. In the order of the file. */
export interface JudgedRecord {
  /** The number of its first segment. */
  readonly line: number
  /** Why it is refused; empty where it goes on, is held or is skipped. */
  readonly problems: readonly Problem[]
  /** What is odd about it; it changes no verdict. */
  readonly warnings?: readonly Problem[]
}

/** The sets that a route takes, and how its mapping reads them: a partner may have a grammar of its own. */
export interface SetReading {
  readonly sets: SetSelection
  readonly syntax: Syntax
  readonly read: EdiReadOptions
}

export interface JudgeOptions {
  /** Absent: all sets are judged by the built-in grammars. */
  readonly readings?: readonly SetReading[]
  /** Absent: the sets are judged by their structure alone. */
  readonly records?: AsyncIterable<readonly JudgedRecord[]>
  /** Ordinals of interchanges that are refused because another one had their number. */
  readonly reused: ReadonlySet<number>
  /** Sets that are refused because no route takes them. */
  readonly unrouted?: SetSelection
  /** Takes what is noted of the file, before the first judgment; with `readings`, only of sets that a route takes. */
  readonly onNotes?: (notes: Notes) => void
}

/** The verdict on one set. */
export interface SetJudgment {
  readonly ordinal: number
  readonly interchange: number
  /** `000000101/101/0001`: the numbers of interchange, group and set. */
  readonly set: string
  readonly document: string
  readonly version: string
  /** The numbers of its first and last segment. */
  readonly segments: readonly [first: number, last: number]
  /** Accepted, accepted with errors, refused. */
  readonly verdict: 'A' | 'E' | 'R'
  readonly records: { readonly all: number; readonly refused: number }
  /** Why it is refused; the first of them. */
  readonly problems: readonly Problem[]
}

export interface AnswerRequest extends JudgeOptions {
  /** Ordinals of the interchanges that are answered, ascending; one answer interchange is written for each that is due. */
  readonly interchanges: readonly number[]
  /** The date and time in the envelopes. */
  readonly at: number
  /** The zone in which they are written; UTC when left out. */
  readonly zone?: string
  readonly numbers: AnswerNumbers
  readonly kind: '997' | '999'
  /** When a TA1 is written; always where the envelope is refused. */
  readonly ta1: 'asked' | 'always'
  /** Whether wrong texts are repeated, such as in AK404. */
  readonly echoes: boolean
}

/** The first of the control numbers that were reserved; the others count on from them. */
export interface AnswerNumbers {
  readonly interchange: number
  readonly group: number
}

/** The highest control number of an interchange or group; the next one is 1. */
export const MAX_CONTROL_NUMBER = 999_999_999

/** Takes the bytes of a file piece by piece; memory is bounded by the largest set. */
export interface WrittenCheck {
  take(bytes: Uint8Array): void
  /** After the last piece. `fault`: the first thing for which its reader would refuse any part of the file. */
  finish(): { readonly interchanges: number; readonly sets: number; readonly fault?: Problem | undefined }
}

/** Implemented for X12 and EDIFACT together: a file may hold both. */
export interface InterchangeFormat {
  /** Reads the file once, from its start. Never rejects because of the contents. */
  outline(
    input: AsyncIterable<Uint8Array>,
    questions: readonly OutlineQuestion[],
  ): Promise<Outline | UnreadableFile>
  /** Judges each set, in the order of the file. Reads the input twice, from its start. */
  judge(input: AsyncIterable<Uint8Array>, options: JudgeOptions): AsyncIterable<readonly SetJudgment[]>
  /** Composes the answers: the same bytes for the same input and request. Reads the input twice. */
  answer(input: AsyncIterable<Uint8Array>, request: AnswerRequest): AsyncIterable<Uint8Array>
  /** Copies these sets in envelopes that hold nothing else, as they came. */
  copySets(input: AsyncIterable<Uint8Array>, sets: SetSelection): AsyncIterable<Uint8Array>
  /** Checks a file while it is written, as strictly as `judge` and `outline` check one that came. */
  createWrittenCheck(): WrittenCheck
  /** Whether a path leads somewhere in the document, outside of its lines; else what is wrong with it. */
  findPathError(question: Omit<OutlineQuestion, 'paths'> & { readonly path: string }): string | undefined
}
