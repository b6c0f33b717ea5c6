/** The proof of what became of a record: each request with its intent, its answer and why it was allowed, by the chain. */
import type { Anchor, Mismatch, RecordEvent, RecordProof } from '../../domain/audit.ts'
import type { RecordState } from '../../domain/record.ts'
import type { LineRange } from '../../domain/translator.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { type RecordHistory, traceRecords } from '../trace.ts'
import type { ConsoleContext } from './context.ts'
import { formatKey } from './lists.ts'
import { countEffects, countSendings, isUnsent } from './records.ts'

/** Why a request was sent, or sent again. */
export type SendingReason =
  /** The first one. */
  | 'planned'
  /** A lookup found that the API does not have it. */
  | 'proven-absent'
  /** The one before never left. */
  | 'never-left'
  /** The API answered that it took nothing, and to try again. */
  | 'not-taken'
  /** It acknowledges, which has the same effect once or twice. */
  | 'repeatable'
  /** A person decided so. */
  | 'decided'
  /** The events do not say. */
  | 'unknown'

/** A step in the life of a record that the chain holds. The name of the event is in `kind`. */
export type ProofStep = Anchor & {
  readonly at: number
  readonly kind: RecordEvent['kind']
} & (
    | {
        readonly what: 'intended'
        readonly attempt: number
        readonly because: SendingReason
        readonly by?: number
      }
    | {
        readonly what: 'answered'
        readonly attempt: number
        readonly http?: number
        readonly state: RecordState
        readonly apiId?: string
      }
    | { readonly what: 'lost' | 'not-sent' | 'noted'; readonly attempt: number }
    | { readonly what: 'looked-up'; readonly found: 'there' | 'absent' | 'unclear'; readonly apiId?: string }
    | {
        readonly what: 'decided'
        readonly decision: number
        readonly action: string
        readonly state?: RecordState
      }
    | { readonly what: 'other'; readonly state?: RecordState; readonly delivery?: string }
  )

/** Holds no cells but the number of the record, and no names of people: a partner may have it. */
export interface ProofPage {
  readonly record: {
    /** The journal's number of it. */
    readonly id: number
    readonly route: string
    readonly account: string
    readonly operation: string
    readonly direction: 'incoming' | 'outgoing'
    /** Its natural key: the number of the order, parcel or invoice; of a refused record that number as it was read. */
    readonly key?: string
    readonly state: RecordState
    readonly apiId?: string
    readonly call?: string
    /** The file it came from, and its place there. */
    readonly file?: { readonly id: string; readonly sha256?: string; readonly lines: readonly LineRange[] }
  }
  readonly timesSent: number
  /** How often it took effect; left out where it is not known yet. */
  readonly timesEffective?: 0 | 1
  /** When each request began and was answered, by the table of attempts; the last ones. */
  readonly requests: readonly {
    readonly attempt: number
    readonly beganAt: number
    readonly endedAt?: number
    readonly http?: number
    readonly isPresumed?: true
  }[]
  /** Oldest first. */
  readonly steps: readonly ProofStep[]
  readonly chain: {
    /** Whether all that was checked is as it was written. */
    readonly isWhole: boolean
    /** The events that were checked, each against the one before it. */
    readonly from: number
    readonly to: number
    readonly isFromItsFirstEvent: boolean
    readonly isToTheEnd: boolean
    /** The last event of the chain. As EVENT:HASH it is an anchor, and so is each step. */
    readonly head: Anchor
    readonly findings: readonly Pick<Mismatch, 'message' | 'event'>[]
  }
}

/** Undefined where the journal has no such record. */
export async function readProof({ journal }: ConsoleContext, id: number): Promise<ProofPage | undefined> {
  const [story] = await traceRecords(journal, await journal.listTracedRecords([id]))
  const proof = await journal.proveRecord(id)
  if (story === undefined || proof === undefined) return undefined
  const { record, from, call, attempts } = story
  const { route, account, operation, direction, naturalKey, state, apiId, lines } = record
  return omitUndefined({
    record: omitUndefined({
      id,
      route,
      account,
      operation,
      direction,
      key: (naturalKey ?? formatKey({ keyValues: record.keyValues })) || undefined,
      state,
      apiId,
      call,
      file: from && omitUndefined({ id: from.id, sha256: from.sha256, lines }),
    }),
    timesSent: countSendings(story),
    timesEffective: countEffects(record),
    requests: attempts.map(({ attempt, beganAt, endedAt, http, isPresumed }) =>
      omitUndefined({ attempt, beganAt, endedAt, http, isPresumed }),
    ),
    steps: describeSteps(proof.events, story),
    chain: showChain(proof),
  })
}

function showChain({ findings, isComplete, checked, head }: RecordProof): ProofPage['chain'] {
  return {
    isWhole: findings.length === 0,
    ...checked,
    isFromItsFirstEvent: isComplete,
    isToTheEnd: checked.to === head.event,
    head,
    findings: findings.map(({ message, event }) => omitUndefined({ message, event })),
  }
}

/** Attempts are numbered from the last one back, because the first events may not have been searched for. */
function describeSteps(events: readonly RecordEvent[], { record }: RecordHistory): ProofStep[] {
  const started = events.filter(({ kind }) => kind === 'attempts-started').length
  let attempt = record.attempts - started
  let since: RecordEvent[] = []
  return events.map((event) => {
    const { event: number, hash, at, kind } = event
    if (kind === 'attempts-started') attempt++
    const step = { event: number, hash, at, kind, ...describeStep(event, { attempt, since }) }
    since = kind === 'attempts-started' ? [] : [...since, event]
    return step
  })
}

interface StepContext {
  readonly attempt: number
  /** The events since the attempt began. */
  readonly since: readonly RecordEvent[]
}

type StepWords = ProofStep extends infer Step
  ? Step extends Anchor
    ? Omit<Step, keyof Anchor | 'at' | 'kind'>
    : never
  : never

function describeStep(event: RecordEvent, { attempt, since }: StepContext): StepWords {
  const { kind, state, http, apiId, decision, delivery } = event
  if (kind === 'attempts-started') return { what: 'intended', attempt, ...explain(attempt, since) }
  if (kind === 'attempts-noted') return { what: 'noted', attempt }
  if (decision !== undefined)
    return omitUndefined({ what: 'decided' as const, decision: decision.id, action: decision.action, state })
  if (kind === 'records-recovered') return { what: 'lost', attempt }
  if (kind === 'records-answered' && state !== undefined) {
    const isLost = state === 'uncertain' && (http ?? undefined) === undefined
    if (isLost) return { what: 'lost', attempt }
    if (isUnsent(omitUndefined({ result: state, http: http ?? undefined })))
      return { what: 'not-sent', attempt }
    return omitUndefined({ what: 'answered' as const, attempt, http: http ?? undefined, state, apiId })
  }
  if (kind === 'records-reconciled') {
    const found = state === 'accepted' ? 'there' : state === 'planned' ? 'absent' : 'unclear'
    return omitUndefined({ what: 'looked-up' as const, found, apiId } as const)
  }
  return omitUndefined({ what: 'other' as const, state, delivery })
}

/** By what happened since the attempt before, the last first. */
function explain(attempt: number, since: readonly RecordEvent[]): { because: SendingReason; by?: number } {
  for (const { event, kind, state, http, decision } of since.toReversed()) {
    const by = event
    if (decision !== undefined) return { because: 'decided', by }
    if (kind === 'records-reconciled')
      return { because: state === 'planned' ? 'proven-absent' : 'unknown', by }
    if (kind === 'records-answered')
      return { because: (http ?? undefined) === undefined ? 'never-left' : 'not-taken', by }
    if (kind === 'records-recovered') return { because: 'repeatable', by }
    if (kind === 'records-planned' || kind === 'records-collected') return { because: 'planned', by }
  }
  return { because: attempt === 1 ? 'planned' : 'unknown' }
}
