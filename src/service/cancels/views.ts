/** Cancels as retailers see them. Spec: "Cancel". */
import type { Cancel } from '../../contract/cancel.ts'
import { isoTime } from '../../support/clock.ts'
import { groupRows } from '../grouping.ts'
import { ITEM_COLUMNS, type ItemSummaries } from '../items/summaries.ts'
import { reasonOf } from '../orders/attached.ts'
import { idsIn, type Store } from '../store/store.ts'
import { isoTimeOrNull } from '../times.ts'

/** Cancels by their ids, in the order of the ids, with the same few queries for any number of them. */
export type CancelReader = (ids: readonly number[]) => Cancel[]

export function createCancelReader({
  store,
  summaries,
}: {
  readonly store: Store
  readonly summaries: ItemSummaries
}): CancelReader {
  const cancels = prepareCancels(store)
  const cancelLines = prepareLines(store)
  return (ids) => {
    const wanted = { ids: JSON.stringify(ids) }
    const lines = cancelLines.all(wanted)
    const variantOf = summaries.retailer(lines)
    const linesOf = groupRows(lines, (line) => line.cancel_id)
    return cancels.all(wanted).map((row) => ({
      id: row.id,
      order_id: row.order_id,
      reason: reasonOf(row.reason_id),
      canceled_at: isoTime(row.canceled_at),
      is_acknowledged: row.acknowledged_at !== null,
      acknowledged_at: isoTimeOrNull(row.acknowledged_at),
      cancel_lines: (linesOf.get(row.id) ?? []).map((line) => ({
        id: line.id,
        variant: variantOf(line),
        quantity: line.quantity,
      })),
    }))
  }
}

function prepareCancels({ build, prepare }: Store) {
  return prepare((p: { ids: string }) =>
    build.selectFrom('cancels').selectAll().where('id', 'in', idsIn(p.ids)).orderBy('id'),
  )
}

function prepareLines({ build, prepare }: Store) {
  return prepare((p: { ids: string }) =>
    build
      .selectFrom('cancel_lines')
      .innerJoin('cancels', 'cancels.id', 'cancel_lines.cancel_id')
      .innerJoin('order_lines', 'order_lines.id', 'cancel_lines.order_line_id')
      .innerJoin('variants', 'variants.id', 'order_lines.variant_id')
      .leftJoin('retailer_variants', (join) =>
        join
          .onRef('retailer_variants.variant_id', '=', 'variants.id')
          .onRef('retailer_variants.retailer_id', '=', 'cancels.retailer_id'),
      )
      .select(['cancel_lines.id', 'cancel_lines.cancel_id', 'cancel_lines.quantity'])
      .select(ITEM_COLUMNS)
      .where('cancel_lines.cancel_id', 'in', idsIn(p.ids))
      .orderBy('cancel_lines.id'),
  )
}
