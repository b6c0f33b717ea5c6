/** What people decided, over all files and deliveries. */
import { CORRECTIONS_MAX, type DecisionEntry } from '../../domain/decision.ts'
import type { ListedDecision } from '../../domain/journal.ts'
import type { RecordState, StateCounts } from '../../domain/record.ts'
import type { TracedRecord } from '../../domain/trace.ts'
import type { LineRange } from '../../domain/translator.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import type { ConsoleContext } from './context.ts'
import { showRedelivery, type ShownRedelivery } from './deliveries.ts'
import { readTaking, showCorrection, type ShownCorrection, type Taking } from './correct.ts'
import { formatKey, type Total } from './lists.ts'
import { type Audience, type ShownProblem, showProblem } from './masks.ts'

export interface ShownDecision {
  readonly id: number
  readonly at: number
  readonly by: string
  readonly action: ListedDecision['action']
  readonly why: string
  /** Left out for the command line. */
  readonly via?: 'console'
  /** How many records it was about. */
  readonly records: number
  readonly route?: string
  readonly file?: { readonly id: string; readonly name: string }
  readonly delivery?: { readonly id: string; readonly name: string }
  /** Of a pause: when it ends by itself, and when a person ended it before. */
  readonly pause?: ListedDecision['pause']
  /** The first of its records. */
  readonly record?: { readonly id: number; readonly key: string }
}

export interface DecisionsPage {
  /** Newest first. */
  readonly decisions: readonly ShownDecision[]
  readonly total: Total
  /** The number after which the next page begins; left out on the last one. */
  readonly next?: number
}

const DECISIONS_ON_A_PAGE = 100

/** `after`: the number of the last decision of the page before. */
export async function listDecisions(
  { journal }: ConsoleContext,
  { after }: { readonly after?: number },
): Promise<DecisionsPage> {
  const found = await journal.listAllDecisions(after, DECISIONS_ON_A_PAGE + 1)
  const decisions = found.slice(0, DECISIONS_ON_A_PAGE)
  return omitUndefined({
    decisions: decisions.map(showListed),
    total: { count: await journal.countAllDecisions(), isMore: false },
    next: found.length > DECISIONS_ON_A_PAGE ? decisions.at(-1)?.id : undefined,
  })
}

function showListed({ record, ...decision }: ListedDecision): ShownDecision {
  return omitUndefined({ ...decision, record: record && { id: record.id, key: formatKey(record) } })
}

/** One of a file or record, whose name stands above it. */
export function showDecision({ id, at, by, action, why, via, records }: DecisionEntry): ShownDecision {
  return omitUndefined({ id, at, by, action, why, via, records })
}

// One decision, and what came of each of its records.

/** What became of a record so far. */
export interface DecidedRecord {
  readonly id: number
  readonly key: string
  readonly lines: readonly LineRange[]
  readonly direction: 'incoming' | 'outgoing'
  readonly state: RecordState
  readonly apiId?: string
  readonly http?: number
  readonly problems: readonly ShownProblem[]
}

export interface DecisionPage extends ShownDecision {
  /** Of the decision to correct rows. */
  readonly correction?: ShownCorrection & {
    readonly taking: Taking
    /** How many records of the corrected file are in each state, once it is taken. */
    readonly outcome?: StateCounts
  }
  /** Of the decision to deliver a file again: the file with the same bytes. */
  readonly redelivery?: ShownRedelivery
  /** How many of its records are in each state now. */
  readonly states: StateCounts
  readonly page: readonly DecidedRecord[]
  /** The number of the record after which the next page begins; left out on the last one. */
  readonly next?: number
}

const RECORDS_ON_A_PAGE = 200

/** Undefined where the journal has no such decision. */
export async function readDecision(
  context: ConsoleContext,
  { id, after = 0 }: { readonly id: number; readonly after?: number },
  audience: Audience,
): Promise<DecisionPage | undefined> {
  const { journal } = context
  const [decision] = await journal.listAllDecisions(undefined, 1, id)
  if (decision === undefined) return undefined
  const found = await journal.listDecidedRecords(id, after, RECORDS_ON_A_PAGE + 1)
  const records = found.slice(0, RECORDS_ON_A_PAGE)
  return omitUndefined({
    ...showListed(decision),
    correction: decision.action === 'correct' ? await readCorrection(context, decision) : undefined,
    redelivery: decision.action === 'redeliver' ? await readRedelivery(journal, decision) : undefined,
    states: await journal.countDecidedRecords(id),
    page: records.map((record) => showDecidedRecord(record, audience)),
    next: found.length > RECORDS_ON_A_PAGE ? records.at(-1)?.id : undefined,
  })
}

/** Each is begun or finished before the next one begins, so it is the last that began until then. */
async function readRedelivery(
  journal: ConsoleContext['journal'],
  { at, delivery }: ListedDecision,
): Promise<ShownRedelivery | undefined> {
  const all = delivery === undefined ? [] : await journal.listRedeliveries(delivery.id)
  const found = all.findLast(({ beganAt }) => beganAt <= at)
  return found && showRedelivery(found)
}

async function readCorrection(
  context: ConsoleContext,
  { id, file, route = '' }: ListedDecision,
): Promise<DecisionPage['correction']> {
  const all = file === undefined ? [] : await context.journal.listCorrections(file.id, CORRECTIONS_MAX)
  const found = all.find((each) => each.id === id)
  if (found === undefined) return undefined
  const { takenAs } = found
  const outcome = takenAs && (await context.journal.countRecords({ file: takenAs.id }))
  return omitUndefined({ ...showCorrection(found), taking: await readTaking(context, route), outcome })
}

function showDecidedRecord(record: TracedRecord, audience: Audience): DecidedRecord {
  const { id, lines, direction, state, apiId, http } = record
  const problems = [...record.problems, ...record.warnings].map((each) => showProblem(each, audience))
  return omitUndefined({ id, key: formatKey(record), lines, direction, state, apiId, http, problems })
}
