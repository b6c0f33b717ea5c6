/** One lane for all records of an order, whichever step they are from, so that they are sent one after the other. */
import type { InboundParts } from '../parts.ts'
import { accountOf } from '../../domain/route.ts'
import type { Draft } from '../../domain/translator.ts'
import { resourceFinder } from '../references/finder.ts'
import type { ResolvedDraft } from '../references/resolver.ts'
import { INBOUND_RULES } from '../operations/operations.ts'

/** The lane of each draft; undefined for a refused one whose order is not known. */
export type OrderLanes = (
  drafts: readonly Draft[],
  resolved: readonly ResolvedDraft[],
) => Promise<readonly (string | undefined)[]>

/**
 * The order's id is the lane. An invoice names its order by a number, which is looked up; a number that leads to no
 * order, or to several, is a lane of its own.
 */
export function orderLanes(parts: InboundParts): OrderLanes {
  const findOrders = resourceFinder(parts, 'order')
  const { operation, party } = parts.route
  return async (drafts, resolved) => {
    const found = await findOrders(resolved.flatMap((draft) => numberIn(draft) ?? []))
    const refused = drafts.flatMap((draft, index) =>
      isSound(resolved[index]) ? [] : (orderKeyOf(draft) ?? []),
    )
    const known =
      refused.length === 0 ? [] : await parts.journal.findResources(accountOf(party), 'order', refused)
    return resolved.map((draft, index) => {
      const only = (ids: readonly { readonly id: string }[]) => (ids.length === 1 ? ids[0]?.id : undefined)
      if (!isSound(draft)) {
        const key = drafts[index] && orderKeyOf(drafts[index])
        return draft.order?.id ?? only(known.filter((each) => each.key === key))
      }
      const number = numberIn(draft)
      if (number !== undefined) return only(found.get(number) ?? []) ?? `PO ${number}`
      return INBOUND_RULES[operation].lane(draft.body ?? {})
    })
  }
}

function isSound(draft: ResolvedDraft | undefined): boolean {
  return draft?.body !== undefined && draft.problems.length === 0
}

/** The number by which a body names its order, where it names it by no id. */
function numberIn(draft: ResolvedDraft): string | undefined {
  const { body } = draft
  if (!isSound(draft) || body?.['order_id'] !== undefined) return undefined
  const number = body?.['purchase_order_number']
  return typeof number === 'string' ? number : undefined
}

/** What the file calls the order, also where something else is wrong with the record. */
function orderKeyOf({ references }: Draft): string | undefined {
  return references.find(({ kind }) => kind === 'order')?.key
}
