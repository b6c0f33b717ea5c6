/** What people decided, over all files and deliveries. */
import type { DecisionEntry } from '../../domain/decision.ts'
import type { ListedDecision } from '../../domain/journal.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import type { ConsoleContext } from './context.ts'
import { formatKey, type Total } from './lists.ts'

export interface ShownDecision {
  readonly id: number
  readonly at: number
  readonly by: string
  readonly action: ListedDecision['action']
  readonly why: string
  /** How many records it was about. */
  readonly records: number
  readonly route?: string
  readonly file?: { readonly id: string; readonly name: string }
  readonly delivery?: { readonly id: string; readonly name: string }
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
export function showDecision({ id, at, by, action, why, records }: DecisionEntry): ShownDecision {
  return { id, at, by, action, why, records }
}
