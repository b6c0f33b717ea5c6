/** Shipments as the retailer and as the brand see them. Spec: "Shipment". */
import type { Shipment, ShipmentLine } from '../../contract/shipment.ts'
import { isoTime } from '../../support/clock.ts'
import { flattened, toAddress } from '../addresses.ts'
import type { Directory, PartyKind } from '../directory.ts'
import { groupRows } from '../grouping.ts'
import { ITEM_COLUMNS, type ItemRow, toVariantSummary } from '../items.ts'
import { isoTimeOrNull } from '../orders/views.ts'
import { idsIn, type Prepared, type Store } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'

/** Shipments by their ids, in the order of the ids, with the same few queries for any number of them. */
export type ReadShipments = (ids: readonly number[], view: PartyKind) => Shipment[]

export function createShipmentReader(store: Store, directory: Directory): ReadShipments {
  const shipments = prepareShipments(store)
  const shipmentLines = prepareLines(store)
  return (ids, view) => {
    const named = { ids: JSON.stringify(ids) }
    const lines = groupRows(shipmentLines.all(named), (line) => line.shipment_id)
    return shipments
      .all(named)
      .map((row) => toShipment({ row, view, directory, lines: lines.get(row.id) ?? [] }))
  }
}

type ShipmentRow = Omit<Tables['shipments'], 'id' | 'is_acknowledged' | 'is_picked_up'> & {
  readonly id: number
  readonly ship_from: string
  readonly purchase_order_number: string
  readonly customer_order_number: string | null
  readonly ordered_at: number
}

interface LineRow extends ItemRow {
  readonly id: number
  readonly shipment_id: number
  readonly part: number
  readonly quantity: number
  readonly number: number
}

/** The ids of the wanted shipments as JSON text. */
interface Wanted {
  readonly ids: string
}

function prepareShipments({ build, prepare }: Store): Prepared<Wanted, ShipmentRow> {
  return prepare((p) =>
    build
      .selectFrom('shipments')
      .innerJoin('orders', 'orders.id', 'shipments.order_id')
      .innerJoin('addresses', 'addresses.id', 'shipments.ship_from_id')
      .selectAll('shipments')
      .select([
        'addresses.body as ship_from',
        'orders.purchase_order_number',
        'orders.customer_order_number',
        'orders.ordered_at',
      ])
      .where('shipments.id', 'in', idsIn(p.ids))
      .orderBy('shipments.id'),
  )
}

function prepareLines({ build, prepare }: Store): Prepared<Wanted, LineRow> {
  return prepare((p) =>
    build
      .selectFrom('shipment_lines')
      .innerJoin('shipments', 'shipments.id', 'shipment_lines.shipment_id')
      .innerJoin('order_lines', 'order_lines.id', 'shipment_lines.order_line_id')
      .innerJoin('variants', 'variants.id', 'order_lines.variant_id')
      .leftJoin('retailer_items', (join) =>
        join
          .onRef('retailer_items.variant_id', '=', 'variants.id')
          .onRef('retailer_items.retailer_id', '=', 'shipments.retailer_id'),
      )
      .select(['shipment_lines.id', 'shipment_lines.shipment_id', 'shipment_lines.part'])
      .select(['shipment_lines.quantity', 'order_lines.number'])
      .select(ITEM_COLUMNS)
      .where('shipment_lines.shipment_id', 'in', idsIn(p.ids))
      .orderBy('shipment_lines.id'),
  )
}

interface ShipmentParts {
  readonly row: ShipmentRow
  readonly view: PartyKind
  readonly directory: Directory
  readonly lines: readonly LineRow[]
}

function toShipment({ row, view, directory, lines }: ShipmentParts): Shipment {
  const brand = directory.party('brand', row.brand_id)
  const origin = toAddress(row.ship_from_id, row.ship_from)
  const pickedUpAt = isoTimeOrNull(row.picked_up_at)
  const deliveredAt = isoTimeOrNull(row.delivered_at)
  return {
    id: row.id,
    order_id: row.order_id,
    brand,
    purchase_order_number: row.purchase_order_number,
    customer_order_number: row.customer_order_number,
    ordered_at: isoTime(row.ordered_at),
    ...(view === 'brand' ? { carrier: directory.carrier(row.carrier_id) } : {}),
    shipping_account: toAccount(row, directory),
    shipping_method: directory.method(row.shipping_method_id),
    ...(view === 'brand' ? flattened('ship_from', origin) : { ship_from: origin }),
    signature: null,
    ship_weight: row.ship_weight,
    ship_width: row.ship_width,
    ship_length: row.ship_length,
    ship_height: row.ship_height,
    ship_girth: row.ship_girth,
    ship_volume: row.ship_volume,
    batch_number: null,
    label_reference: null,
    tracking_number: row.tracking_number,
    tracking: { picked_up_at: pickedUpAt, delivered_at: deliveredAt },
    picked_up_at: pickedUpAt,
    delivered_at: deliveredAt,
    valid_packing_slip: true,
    // Spec: a label is made only for a shipment created with weight, width, height and length.
    valid_shipping_label: row.ship_weight !== null && row.ship_volume !== null,
    shipped_at: isoTimeOrNull(row.shipped_at),
    acknowledged_at: isoTimeOrNull(row.acknowledged_at),
    status: row.status,
    is_acknowledged: row.acknowledged_at !== null,
    shipment_lines: lines.map((line) => toLine(line, brand.name)),
  }
}

function toAccount(row: ShipmentRow, directory: Directory): Shipment['shipping_account'] {
  const accounts = directory.connection(row.retailer_id, row.brand_id)?.accounts ?? []
  const account = accounts.find(({ id }) => id === row.shipping_account_id)
  return account === undefined
    ? null
    : { id: account.id, nickname: account.nickname, carrier: account.carrier }
}

function toLine(line: LineRow, brandName: string): ShipmentLine {
  return {
    id: line.id,
    order_line_number: String(line.number),
    part: line.part,
    variant: toVariantSummary(line, brandName),
    quantity: line.quantity,
  }
}
