/** What the passes over an inbox of interchanges rest on, and which route takes a set. */
import type { Partner } from '../../config/edi.ts'
import type {
  InterchangeFormat,
  InterchangeHead,
  OutlinedSet,
  OutlineQuestion,
  Syntax,
} from '../../domain/interchange.ts'
import type { Mailbox } from '../../domain/mailbox.ts'
import type { IntakeContext } from '../context.ts'
import type { EdiReadOptions } from '../../domain/format.ts'
import { type Clock, elapsed } from '../../support/clock.ts'
import { type FailureCode, hasCode } from '../../support/errors.ts'

export interface InterchangeContext extends IntakeContext {
  readonly interchanges: InterchangeFormat
  /** The addresses at which the bridge receives. Empty: at any. */
  readonly ourAddresses: readonly string[]
  readonly partners: readonly Partner[]
  readonly takers: readonly Taker[]
  readonly findAnswerPlace: (partner: Partner) => AnswerPlace
  readonly placeBackoff: PlaceBackoff
}

/** Where the answers to a partner are delivered. */
export interface AnswerPlace {
  /** Its mailbox and folder in the configuration. */
  readonly id: string
  readonly target: Mailbox
  readonly folder: string
  readonly nameFor: (values: {
    /** The control number of the first interchange of the file. */
    readonly number: number
    /** `997`, `999`, `TA1` or `CONTRL`. */
    readonly kind: string
    readonly sequence: number
    readonly at: number
  }) => string
}

// Places of answers that are down: each try may take as long as a connection, and all else of the inbox waits meanwhile.

/** The place is down, and not only this answer cannot be delivered. */
const DOWN: FailureCode[] = [
  'mailbox-unreachable',
  'credentials-refused',
  'credentials-unusable',
  'host-key-unknown',
  'host-key-changed',
]

/** A place that is down rests for so long, and for this multiple of the time that the try took. */
const REST_MIN_MS = 10_000
const REST_FACTOR = 4

export type PlaceBackoff = ReturnType<typeof createPlaceBackoff>

export function createPlaceBackoff(clock: Clock) {
  const down = new Map<string, { readonly failure: unknown; readonly until: number }>()
  return {
    /** Does the work at the place, or throws the failure of its last try while the place rests. */
    async use<Result>({ id }: AnswerPlace, work: () => Promise<Result>): Promise<Result> {
      const began = elapsed(clock)
      const known = down.get(id)
      if (known !== undefined && began < known.until) throw known.failure
      down.delete(id)
      try {
        return await work()
      } catch (error) {
        const ended = elapsed(clock)
        const until = ended + Math.max(REST_MIN_MS, (ended - began) * REST_FACTOR)
        if (hasCode(error, ...DOWN)) down.set(id, { failure: error, until })
        throw error
      }
    },
  }
}

// Says which route takes a set of an interchange: by its partner, its document and the values that the routes ask for.

const ANSWERS = new Set(['997', '999', 'CONTRL', 'TA1'])

/** Whether documents of the kind answer others. They are not for routes, and are not answered. */
export function isAnswerDocument(document: string): boolean {
  return ANSWERS.has(document)
}

/** A route that takes sets of an inbox. */
export interface Taker {
  readonly route: string
  /** Undefined: of any partner for whom no other route of the inbox takes the document. */
  readonly partner?: string
  readonly syntax: Syntax
  readonly document: string
  /** How its mapping reads the sets. */
  readonly read: EdiReadOptions
  /** The set must have one of the values at each path. */
  readonly when: readonly (readonly [path: string, values: readonly string[]])[]
}

/** The route that takes the set, or why none does. */
export type Taking = { readonly route: string } | 'unrouted' | 'ambiguous'

/** Finds the partner by the address of the sender, and by that of its group where several partners share an address. */
export function findPartner(
  partners: readonly Partner[],
  sender: string,
  groupSender: string,
): Partner | undefined {
  const named = (group: string | undefined) =>
    partners.find(({ ids }) => ids.some((own) => own.address === sender && own.group === group))
  return (groupSender === '' ? undefined : named(groupSender)) ?? named(undefined)
}

/** What an outline must read so that `createTakerChooser` can choose. */
export function listQuestions(takers: readonly Taker[]): readonly OutlineQuestion[] {
  const questions = new Map<string, { syntax: Syntax; document: string; paths: Set<string> }>()
  for (const { syntax, document, when } of takers) {
    if (when.length === 0) continue
    const key = `${syntax} ${document}`
    const question = questions.get(key) ?? { syntax, document, paths: new Set() }
    questions.set(key, question)
    for (const [path] of when) question.paths.add(path)
  }
  return [...questions.values()].map(({ paths, ...rest }) => ({ ...rest, paths: [...paths] }))
}

type TakerChooser = (
  set: Pick<OutlinedSet, 'document' | 'values'>,
  head: Pick<InterchangeHead, 'syntax'>,
  partner: string | undefined,
) => Taking

export function createTakerChooser(takers: readonly Taker[]): TakerChooser {
  const questions = listQuestions(takers)
  return ({ document, values }, { syntax }, partner) => {
    const isOfDocument = (each: { readonly syntax: Syntax; readonly document: string }) =>
      each.syntax === syntax && each.document === document
    const paths = questions.find(isOfDocument)?.paths ?? []
    const fitting = takers.filter(
      (taker) =>
        isOfDocument(taker) &&
        (taker.partner === undefined || taker.partner === partner) &&
        taker.when.every(([path, wanted]) => wanted.includes(values[paths.indexOf(path)] ?? '')),
    )
    const named = fitting.filter((taker) => taker.partner !== undefined)
    const [taker, ...others] = named.length > 0 ? named : fitting
    if (taker === undefined) return 'unrouted'
    return others.length > 0 ? 'ambiguous' : { route: taker.route }
  }
}
