/** Shipments as the retailer and as the brand see them. Spec: "Shipment". */
import type { BrandShipment, RetailerShipment } from '../../contract/shipment.ts'
import { isoTime } from '../../support/clock.ts'
import { flattened, toAddress } from '../addresses.ts'
import type { Directory } from '../directory.ts'
import { groupRows } from '../grouping.ts'
import { ITEM_COLUMNS, type ItemRow, type ItemSummaries } from '../items/summaries.ts'
import { idsIn, type Prepared, type Store } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'
import { isoTimeOrNull } from '../times.ts'

/** Shipments by their ids, in the order of the ids, with the same few queries for any number of them. */
export interface ShipmentReader {
  readonly retailer: (ids: readonly number[]) => RetailerShipment[]
  readonly brand: (ids: readonly number[]) => BrandShipment[]
}

export interface ShipmentReaderParts {
  readonly store: Store
  readonly directory: Directory
  readonly summaries: ItemSummaries
}

export function createShipmentReader({ store, directory, summaries }: ShipmentReaderParts): ShipmentReader {
  const shipments = prepareShipments(store)
  const shipmentLines = prepareLines(store)

  function read<Variant>(
    ids: readonly number[],
    summarise: (rows: readonly ItemRow[]) => (row: ItemRow) => Variant,
  ) {
    const wanted = { ids: JSON.stringify(ids) }
    const lines = shipmentLines.all(wanted)
    const variantOf = summarise(lines)
    const linesOf = groupRows(lines, (line) => line.shipment_id)
    return shipments.all(wanted).map((row) => ({
      row,
      shipment: {
        ...toCommon(row, directory),
        shipment_lines: (linesOf.get(row.id) ?? []).map((line) => ({
          id: line.id,
          order_line_number: String(line.number),
          part: line.part,
          variant: variantOf(line),
          quantity: line.quantity,
        })),
      },
    }))
  }

  return {
    retailer: (ids) =>
      read(ids, summaries.retailer).map(({ row, shipment }) => ({ ...shipment, ship_from: originOf(row) })),
    brand: (ids) =>
      read(ids, summaries.brand).map(({ row, shipment }) => ({
        ...shipment,
        carrier: directory.carrier(row.carrier_id),
        ...flattened('ship_from', originOf(row)),
      })),
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
      .leftJoin('retailer_variants', (join) =>
        join
          .onRef('retailer_variants.variant_id', '=', 'variants.id')
          .onRef('retailer_variants.retailer_id', '=', 'shipments.retailer_id'),
      )
      .select(['shipment_lines.id', 'shipment_lines.shipment_id', 'shipment_lines.part'])
      .select(['shipment_lines.quantity', 'order_lines.number'])
      .select(ITEM_COLUMNS)
      .where('shipment_lines.shipment_id', 'in', idsIn(p.ids))
      .orderBy('shipment_lines.id'),
  )
}

function originOf(row: ShipmentRow) {
  return toAddress(row.ship_from_id, row.ship_from)
}

function toCommon(row: ShipmentRow, directory: Directory) {
  const tracking = {
    picked_up_at: isoTimeOrNull(row.picked_up_at),
    delivered_at: isoTimeOrNull(row.delivered_at),
  }
  const connection = directory.connection(row.retailer_id, row.brand_id)
  const account = connection?.accounts.find(({ id }) => id === row.shipping_account_id)
  return {
    id: row.id,
    order_id: row.order_id,
    brand: directory.party('brand', row.brand_id),
    purchase_order_number: row.purchase_order_number,
    customer_order_number: row.customer_order_number,
    ordered_at: isoTime(row.ordered_at),
    shipping_account:
      account === undefined ? null : { id: account.id, nickname: account.nickname, carrier: account.carrier },
    shipping_method: directory.method(row.shipping_method_id),
    signature: row.signature,
    ship_weight: row.ship_weight,
    ship_width: row.ship_width,
    ship_length: row.ship_length,
    ship_height: row.ship_height,
    ship_girth: row.ship_girth,
    ship_volume: row.ship_volume,
    batch_number: row.batch_number,
    label_reference: row.label_reference,
    tracking_number: row.tracking_number,
    tracking,
    ...tracking,
    valid_packing_slip: connection?.packingSlips ?? false,
    // Spec: a label is made only for a shipment created with weight, width, height and length.
    valid_shipping_label: row.ship_weight !== null && row.ship_volume !== null,
    shipped_at: isoTimeOrNull(row.shipped_at),
    acknowledged_at: isoTimeOrNull(row.acknowledged_at),
    status: row.status,
    is_acknowledged: row.acknowledged_at !== null,
  }
}
