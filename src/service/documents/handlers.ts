/** The endpoints that answer packing slips and shipping labels. Spec: "Generates and returns"; the format is not shown. */
import type { DocumentName } from '../../contract/endpoints.ts'
import type { RetailerOrder } from '../../contract/order.ts'
import type { BrandShipment } from '../../contract/shipment.ts'
import { type Answer, answered, notFound, refused, wrongState } from '../http/answer.ts'
import type { QueuedHandler, ServiceCall } from '../http/handling.ts'
import { createOwnership } from '../reads.ts'
import type { Resources } from '../resources.ts'
import { createLabelling } from '../shipments/labelling.ts'
import type { WriteQueue } from '../store/write-queue.ts'
import { createDocuments, type Documents } from './documents.ts'
import type { PrintedAddress } from './wording.ts'

/** Fonts are read with the first document, so that a service that makes none starts without them. */
export function createDocumentHandlers(
  resources: Resources,
  queue: WriteQueue,
): Record<DocumentName, QueuedHandler> {
  const { store, clock, switches, shipments, orders } = resources
  const isOwned = createOwnership(store, { from: 'shipments', owner: 'brand_id' })
  const label = createLabelling(store, switches)
  let documents: Documents | undefined
  const made = () => (documents ??= createDocuments())

  async function packingSlip(party: number, id: number): Promise<Answer> {
    if (!isOwned(party, id)) return notFound()
    const [shipment] = shipments.brand([id])
    if (shipment?.valid_packing_slip !== true) return wrongState('The shipment may not have a packing slip.')
    const [order] = orders.retailer([shipment.order_id])
    if (order === undefined) return notFound()
    const content = await made().packingSlip(slipOf(shipment, order, clock.now()))
    return document(content, { type: 'application/pdf', name: `packing-slip-${id}.pdf` })
  }

  /** A label that was not made yet is made now, and its tracking number is on the disk before it is printed. */
  async function shippingLabel({ party, id, mayWrite }: ServiceCall): Promise<Answer> {
    if (!isOwned(party, id)) return notFound()
    const [found] = shipments.brand([id])
    if (found?.valid_shipping_label !== true) {
      return wrongState(
        'The shipment was created without ship_weight, ship_width, ship_height and ship_length.',
      )
    }
    if (found.tracking_number === null) {
      if (!mayWrite) return refused(403, 'The label is not made yet, and the token may only read.')
      await queue.run(() => {
        label(id, clock.now())
        return answered(undefined)
      })
    }
    const [shipment] = shipments.brand([id])
    const [order] = orders.retailer([found.order_id])
    if (shipment === undefined || order === undefined) return notFound()
    const format = switches.labelFormat
    const { contentType, content } = await made().shippingLabel(labelOf(shipment, order, clock.now()), format)
    return document(content, { type: contentType, name: `shipping-label-${id}.${format}` })
  }

  return {
    getPackingSlip: ({ party, id }) => packingSlip(party, id),
    getShippingLabel: shippingLabel,
  }
}

function document(content: Buffer, { type, name }: { type: string; name: string }): Answer {
  return {
    status: 200,
    body: content,
    headers: { 'content-type': type, 'content-disposition': `inline; filename="${name}"` },
  }
}

function slipOf(shipment: BrandShipment, order: RetailerOrder, madeAt: number) {
  return {
    retailerName: order.retailer.name,
    brandName: order.brand.name,
    purchaseOrderNumber: order.purchase_order_number,
    customerOrderNumber: order.customer_order_number,
    orderedAt: order.ordered_at,
    shippedAt: shipment.shipped_at,
    shipFrom: originOf(shipment),
    shipTo: order.ship_to,
    carrierName: shipment.carrier.name,
    methodName: shipment.shipping_method?.name ?? '',
    trackingNumber: shipment.tracking_number,
    giftMessage: order.gift_message,
    lines: shipment.shipment_lines.map(({ order_line_number, part, quantity, variant }) => ({
      number: order_line_number,
      part,
      quantity,
      identifier: variant.identifier,
      upc: variant.upc,
      name: variant.name,
      size: variant.size,
      color: variant.color,
    })),
    madeAt,
  }
}

function labelOf(shipment: BrandShipment, order: RetailerOrder, madeAt: number) {
  return {
    shipFrom: originOf(shipment),
    shipTo: order.ship_to,
    carrierName: shipment.carrier.name,
    carrierCode: shipment.carrier.code,
    methodName: shipment.shipping_method?.name ?? '',
    trackingNumber: shipment.tracking_number ?? '',
    weight: shipment.ship_weight ?? '',
    width: shipment.ship_width ?? '',
    length: shipment.ship_length ?? '',
    height: shipment.ship_height ?? '',
    purchaseOrderNumber: order.purchase_order_number,
    reference: shipment.label_reference,
    signature: shipment.signature === 'required' ? ('required' as const) : null,
    madeAt,
  }
}

function originOf(shipment: BrandShipment): PrintedAddress {
  return {
    name1: shipment.ship_from_name1,
    name2: shipment.ship_from_name2,
    street1: shipment.ship_from_street1,
    street2: shipment.ship_from_street2,
    city: shipment.ship_from_city,
    province: shipment.ship_from_province,
    postal_code: shipment.ship_from_postal_code,
    country: shipment.ship_from_country,
    phone1: shipment.ship_from_phone,
  }
}
