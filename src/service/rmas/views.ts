/** Returns as retailers see them. Spec: "Return (RMA)". */
import type { Rma } from '../../contract/rma.ts'
import { isoTime } from '../../support/clock.ts'
import type { Directory } from '../directory.ts'
import { groupRows } from '../grouping.ts'
import type { ItemSummaries } from '../items/summaries.ts'
import { type OrderLineRow, prepareOrderLines } from '../orders/rows.ts'
import { toRetailerLine } from '../orders/views.ts'
import { idsIn, type Store } from '../store/store.ts'
import { isoTimeOrNull } from '../times.ts'

/** Returns by their ids, in the order of the ids, with the same few queries for any number of them. */
export type RmaReader = (ids: readonly number[]) => Rma[]

export interface RmaReaderParts {
  readonly store: Store
  readonly directory: Directory
  readonly summaries: ItemSummaries
}

export function createRmaReader({ store, directory, summaries }: RmaReaderParts): RmaReader {
  const rmas = prepareRmas(store)
  const rmaLines = prepareLines(store)
  const orderLines = prepareOrderLines(store)
  return (ids) => {
    const wanted = { ids: JSON.stringify(ids) }
    const rows = rmas.all(wanted)
    const ordered = orderLines.all({ ids: JSON.stringify(rows.map((row) => row.order_id)) })
    const lineById = new Map(ordered.map((line) => [line.id, line]))
    const variantOf = summaries.retailer(ordered)
    const linesOf = groupRows(rmaLines.all(wanted), (line) => line.rma_id)
    const toLine = ({ id, order_line_id, quantity }: RmaLineRow) => {
      const line = lineById.get(order_line_id)
      return line === undefined ? [] : [{ id, quantity, ...orderedItem(line, variantOf(line)) }]
    }
    return rows.map((row) => ({
      ...toRma(row, directory),
      rma_lines: (linesOf.get(row.id) ?? []).flatMap(toLine),
    }))
  }
}

/** Spec: order_line is the "original line with pricing". */
function orderedItem(line: OrderLineRow, variant: Rma['rma_lines'][number]['variant']) {
  return { variant, order_line: toRetailerLine(line, variant) }
}

type RmaRow = ReturnType<ReturnType<typeof prepareRmas>['all']>[number]

function toRma(row: RmaRow, directory: Directory) {
  return {
    id: row.id,
    retailer: directory.party('retailer', row.retailer_id),
    brand: directory.party('brand', row.brand_id),
    created_by: row.created_by,
    purchase_order_number: row.purchase_order_number,
    ordered_at: isoTime(row.ordered_at),
    received_at: isoTime(row.received_at),
    rmad_at: isoTime(row.rmad_at),
    is_acknowledged: row.acknowledged_at !== null,
    acknowledged_at: isoTimeOrNull(row.acknowledged_at),
    rma_number: row.rma_number,
    reason: row.reason as Rma['reason'],
    status: row.status,
    total_amount: row.total_amount,
    attachments: [],
    memos: [],
  }
}

function prepareRmas({ build, prepare }: Store) {
  return prepare((p: { ids: string }) =>
    build
      .selectFrom('rmas')
      .innerJoin('orders', 'orders.id', 'rmas.order_id')
      .selectAll('rmas')
      .select(['orders.purchase_order_number', 'orders.ordered_at'])
      .where('rmas.id', 'in', idsIn(p.ids))
      .orderBy('rmas.id'),
  )
}

type RmaLineRow = ReturnType<ReturnType<typeof prepareLines>['all']>[number]

function prepareLines({ build, prepare }: Store) {
  return prepare((p: { ids: string }) =>
    build.selectFrom('rma_lines').selectAll().where('rma_id', 'in', idsIn(p.ids)).orderBy('id'),
  )
}
