/** What belongs to orders, as orders show it. Spec: the shapes inside these arrays are not shown; they are our choice. */
import { CANCEL_REASONS } from '../../contract/cancel.ts'
import type { OrderCancel, OrderCredit, OrderInvoice, OrderRma, OrderShipment } from '../../contract/order.ts'
import { isoTime } from '../../support/clock.ts'
import { groupRows } from '../grouping.ts'
import { idsIn, type Store } from '../store/store.ts'
import { isoTimeOrNull } from '../times.ts'
import type { Wanted } from './rows.ts'

export interface Attached {
  readonly shipments: OrderShipment[]
  readonly cancels: OrderCancel[]
  readonly invoices: OrderInvoice[]
  readonly rmas: OrderRma[]
  readonly credits: OrderCredit[]
}

/** What belongs to any number of orders, read at once. */
export function createAttachedReader(store: Store): (wanted: Wanted) => (orderId: number) => Attached {
  const rows = prepareRows(store)
  return (wanted) => {
    const shipmentLines = groupRows(rows.shipmentLines.all(wanted), (line) => line.order_id)
    const cancelLines = groupRows(rows.cancelLines.all(wanted), (line) => line.order_id)
    const invoices = groupRows(rows.invoices.all(wanted), (invoice) => invoice.order_id)
    const rmas = groupRows(rows.rmas.all(wanted), (rma) => rma.order_id)
    const credits = groupRows(rows.credits.all(wanted), (credit) => credit.order_id)
    return (id) => ({
      shipments: toShipments(shipmentLines.get(id) ?? []),
      cancels: toCancels(cancelLines.get(id) ?? []),
      invoices: (invoices.get(id) ?? []).map(toInvoice),
      rmas: (rmas.get(id) ?? []).map(toRma),
      credits: (credits.get(id) ?? []).map(toCredit),
    })
  }
}

type Rows = ReturnType<typeof prepareRows>
type RowOf<Name extends keyof Rows> = ReturnType<Rows[Name]['all']>[number]

function prepareRows({ build, prepare }: Store) {
  return {
    shipmentLines: prepare((p: Wanted) =>
      build
        .selectFrom('shipments')
        .innerJoin('shipment_lines', 'shipment_lines.shipment_id', 'shipments.id')
        .innerJoin('order_lines', 'order_lines.id', 'shipment_lines.order_line_id')
        .select(['shipments.order_id', 'shipments.id', 'shipments.tracking_number', 'shipments.shipped_at'])
        .select(['shipments.status', 'order_lines.number', 'shipment_lines.part', 'shipment_lines.quantity'])
        .where('shipments.order_id', 'in', idsIn(p.ids))
        .orderBy('shipment_lines.id'),
    ),
    cancelLines: prepare((p: Wanted) =>
      build
        .selectFrom('cancels')
        .innerJoin('cancel_lines', 'cancel_lines.cancel_id', 'cancels.id')
        .innerJoin('order_lines', 'order_lines.id', 'cancel_lines.order_line_id')
        .select(['cancels.order_id', 'cancels.id', 'cancels.reason_id', 'cancels.canceled_at'])
        .select(['order_lines.number', 'cancel_lines.quantity'])
        .where('cancels.order_id', 'in', idsIn(p.ids))
        .orderBy('cancel_lines.id'),
    ),
    invoices: prepare((p: Wanted) =>
      build
        .selectFrom('invoices')
        .select(['id', 'order_id', 'invoice_number', 'due_amount', 'invoiced_at'])
        .where('order_id', 'in', idsIn(p.ids))
        .orderBy('id'),
    ),
    rmas: prepare((p: Wanted) =>
      build
        .selectFrom('rmas')
        .select(['id', 'order_id', 'rma_number', 'status', 'rmad_at'])
        .where('order_id', 'in', idsIn(p.ids))
        .orderBy('id'),
    ),
    credits: prepare((p: Wanted) =>
      build
        .selectFrom('credits')
        .select(['id', 'order_id', 'credit_number', 'credit_amount', 'credited_at'])
        .where('order_id', 'in', idsIn(p.ids))
        .orderBy('id'),
    ),
  }
}

function toShipments(lines: readonly RowOf<'shipmentLines'>[]): OrderShipment[] {
  return [...groupRows(lines, (line) => line.id)].flatMap(([id, ofShipment]) =>
    ofShipment.slice(0, 1).map(({ tracking_number, shipped_at, status }) => ({
      id,
      tracking_number,
      shipped_at: isoTimeOrNull(shipped_at),
      status,
      shipment_lines: ofShipment.map(({ number, part, quantity }) => ({
        order_line_number: String(number),
        part,
        quantity,
      })),
    })),
  )
}

function toCancels(lines: readonly RowOf<'cancelLines'>[]): OrderCancel[] {
  return [...groupRows(lines, (line) => line.id)].flatMap(([id, ofCancel]) =>
    ofCancel.slice(0, 1).map(({ reason_id, canceled_at }) => ({
      id,
      reason: reasonOf(reason_id),
      canceled_at: isoTime(canceled_at),
      cancel_lines: ofCancel.map(({ number, quantity }) => ({ order_line_number: String(number), quantity })),
    })),
  )
}

function toInvoice({ id, invoice_number, due_amount, invoiced_at }: RowOf<'invoices'>): OrderInvoice {
  return { id, invoice_number, due_amount, invoiced_at: isoTime(invoiced_at) }
}

function toRma({ id, rma_number, status, rmad_at }: RowOf<'rmas'>): OrderRma {
  return { id, rma_number, status, rmad_at: isoTime(rmad_at) }
}

function toCredit({ id, credit_number, credit_amount, credited_at }: RowOf<'credits'>): OrderCredit {
  return { id, credit_number, credit_amount, credited_at: isoTime(credited_at) }
}

/** The words behind a reason's id. */
export function reasonOf(id: number): string {
  return CANCEL_REASONS[id as keyof typeof CANCEL_REASONS]
}
