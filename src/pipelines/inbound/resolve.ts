/** References: finding the ids of what a file names in its own words, from the journal's index, else by one sweep. */
import type { Resource } from '../../domain/api.ts'
import type { KnownReference } from '../../domain/journal.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { accountOf } from '../../domain/route.ts'
import type { Draft, Reference } from '../../domain/translator.ts'
import { idOf, orderListOf } from '../operations/operation.ts'
import { BridgeError } from '../../support/errors.ts'
import type { InboundParts } from '../parts.ts'

/** A draft whose body has every id it needs; one whose reference was not found has a problem more and no body. */
export interface ResolvedDraft extends Omit<Draft, 'references'> {}

/**
 * Makes the resolver of one file. Each batch costs one query to the journal; the first batch with a key that the journal
 * does not know costs one sweep of the API as well, and no later one does.
 */
export function referenceResolver(
  parts: InboundParts,
): (drafts: readonly Draft[]) => Promise<readonly ResolvedDraft[]> {
  let swept = false
  return async (drafts) => {
    const keys = new Set(drafts.flatMap((draft) => draft.references.map((reference) => reference.key)))
    if (keys.size === 0) return drafts
    let known = await findOrders(parts, keys)
    if (!swept && [...keys].some((key) => !known.has(key))) {
      await sweepOrders(parts)
      swept = true
      known = await findOrders(parts, keys)
    }
    return drafts.map((draft) => (draft.skipped ? draft : fillIn(draft, known)))
  }
}

async function findOrders(
  { journal, route }: InboundParts,
  keys: ReadonlySet<string>,
): Promise<Map<string, string[]>> {
  const byKey = new Map<string, string[]>()
  for (const { key, id } of await journal.findReferences(accountOf(route.party), 'order', [...keys])) {
    byKey.set(key, [...(byKey.get(key) ?? []), id])
  }
  return byKey
}

/**
 * Remembers every order of the party. Spec: a brand's order list has no filter for the purchase order number, so all
 * pages are read once and remembered.
 */
async function sweepOrders(parts: InboundParts): Promise<void> {
  const { api, journal, route, signal } = parts
  for await (const page of api.list(orderListOf(route.party))) {
    await journal.rememberReferences(accountOf(route.party), 'order', page.flatMap(orderReference))
    if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
  }
}

/** How an order is found again: by its purchase order number. */
export function orderReference(order: Resource): KnownReference[] {
  const id = idOf(order)
  const key = order['purchase_order_number']
  return id !== undefined && typeof key === 'string' && key !== '' ? [{ key, id }] : []
}

function fillIn(draft: Draft, known: ReadonlyMap<string, readonly string[]>): ResolvedDraft {
  const ids: Record<string, number> = {}
  const problems: Problem[] = [...draft.problems]
  for (const reference of draft.references) {
    const found = known.get(reference.key) ?? []
    if (found.length === 1) ids[reference.field] = Number(found[0])
    else problems.push(unresolved(reference, found))
  }
  const { number, lines, keyValues, body } = draft
  const common = { number, lines, keyValues, problems }
  return body === undefined || problems.length > 0 ? common : { ...common, body: { ...ids, ...body } }
}

function unresolved({ key, line, column, field }: Reference, found: readonly string[]): Problem {
  const place = { line, column, field }
  if (found.length === 0) return problem('order-unknown', place, `no order "${key}" is known to this account`)
  return problem(
    'order-ambiguous',
    place,
    `"${key}" is the number of ${found.length} orders: ${found.join(', ')}`,
  )
}
