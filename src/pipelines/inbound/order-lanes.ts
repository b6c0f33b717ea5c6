/** One lane for all records of an order, whichever step they are from, so that they are sent one after the other. */
import type { InboundParts } from '../parts.ts'
import type { Draft } from '../../domain/translator.ts'
import type { ResourceFinder } from '../references/finder.ts'
import type { ResolvedDraft } from '../references/resolver.ts'
import { INBOUND_RULES } from '../operations/operations.ts'

/** The lane of each draft; undefined for a refused one whose order is not known. */
export type OrderLanes = (
  drafts: readonly Draft[],
  resolved: readonly ResolvedDraft[],
) => Promise<readonly (string | undefined)[]>

/**
 * The order's id is the lane. An invoice names its order by a number, which is looked up, and so is that of a refused
 * record: what follows on it has to wait for its correction. A sound record's number that leads to no order, or to
 * several, is a lane of its own.
 */
export function orderLanes({ route }: InboundParts, findOrders: ResourceFinder): OrderLanes {
  const { lane } = INBOUND_RULES[route.operation]
  return async (drafts, resolved) => {
    const named = resolved.map((draft, index) => {
      const { body = {} } = draft
      return isSound(draft) ? orderNamedIn(body) : (orderOf(draft) ?? orderNamedBy(drafts[index]))
    })
    const found = await findOrders(named.flatMap(({ number } = {}) => number ?? []))
    return resolved.map((draft, index) => {
      const { id, number } = named[index] ?? {}
      const [one, another] = number === undefined ? [] : (found.get(number) ?? [])
      const known = id ?? (another === undefined ? one?.id : undefined)
      if (!isSound(draft)) return known
      return number === undefined ? lane(draft.body ?? {}) : (known ?? `PO ${number}`)
    })
  }
}

/** An order by its id or, where that is not told, by its number. */
interface NamedOrder {
  readonly id?: string
  readonly number?: string
}

function isSound(draft: ResolvedDraft): boolean {
  return draft.body !== undefined && draft.problems.length === 0
}

function orderOf({ order }: ResolvedDraft): NamedOrder | undefined {
  return order && { id: order.id }
}

function orderNamedIn(fields: Readonly<Record<string, unknown>>): NamedOrder | undefined {
  const { order_id: id, purchase_order_number: number } = fields
  if (typeof id === 'number') return { id: String(id) }
  return typeof number === 'string' ? { number } : undefined
}

/** What the file says the order is, also where something else is wrong with the record. */
export function orderNamedBy(draft: Draft | undefined): NamedOrder | undefined {
  const reference = draft?.references.find(({ kind }) => kind === 'order')
  return reference === undefined ? orderNamedIn(draft?.body ?? draft?.about ?? {}) : { number: reference.key }
}
