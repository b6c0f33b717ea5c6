/** Makes and serves packing slips and labels. Spec: "Generates and returns"; the format is not shown. */
import type { DocumentName } from '../../contract/endpoints.ts'
import { type Answer, answerWith, refuseNotFound, refuseState, refuseWith } from '../http/answers.ts'
import type { QueuedHandler, ServiceCall } from '../http/handler.ts'
import type { ServiceContext } from '../endpoints.ts'
import { readRetailerOrders } from '../orders/views.ts'
import { labelShipment, readBrandShipments } from '../shipments/views.ts'
import type { WriteQueue } from '../store/write-queue.ts'
import { type ShippingLabel, toShippingLabel } from './label-layout.ts'
import { type PackingSlip, renderPackingSlip, toPackingSlip } from './packing-slip.ts'
import { createRuler, readFonts } from './pdf.ts'
import {
  type LabelFormat,
  loadImageFonts,
  type RenderedLabel,
  renderShippingLabel,
} from './shipping-label.ts'

/** Reads the fonts with the first document, so that a service without documents starts without them. */
export function createDocumentHandlers(
  context: ServiceContext,
  queue: WriteQueue,
): Record<DocumentName, QueuedHandler> {
  const { store, clock, switches } = context
  const isOwned = (party: number, id: number) =>
    store.find('shipments', { id, brand_id: party }) !== undefined
  const readShipment = (id: number) => readBrandShipments(context, [id])[0]
  const readOrder = (id: number) => readRetailerOrders(context, [id])[0]
  let documents: ReturnType<typeof createDocumentRenderer> | undefined
  const made = () => (documents ??= createDocumentRenderer())

  async function packingSlip(party: number, id: number): Promise<Answer> {
    if (!isOwned(party, id)) return refuseNotFound()
    const shipment = readShipment(id)
    if (shipment?.valid_packing_slip !== true) return refuseState('The shipment may not have a packing slip.')
    const order = readOrder(shipment.order_id)
    if (order === undefined) return refuseNotFound()
    const content = await made().packingSlip(toPackingSlip(shipment, order, clock.now()))
    return createDocumentAnswer(content, { type: 'application/pdf', name: `packing-slip-${id}.pdf` })
  }

  /** Makes a missing label now; its tracking number is on the disk before it is printed. */
  async function shippingLabel({ party, id, mayWrite }: ServiceCall): Promise<Answer> {
    if (!isOwned(party, id)) return refuseNotFound()
    const found = readShipment(id)
    if (found?.valid_shipping_label !== true) {
      return refuseState(
        'The shipment was created without ship_weight, ship_width, ship_height and ship_length.',
      )
    }
    if (found.tracking_number === null) {
      if (!mayWrite) return refuseWith(403, 'The label is not made yet, and the token may only read.')
      await queue.run(() => {
        labelShipment(context, id, clock.now())
        return answerWith(undefined)
      })
    }
    const shipment = readShipment(id)
    const order = readOrder(found.order_id)
    if (shipment === undefined || order === undefined) return refuseNotFound()
    const format = switches.labelFormat
    const label = toShippingLabel(shipment, order, clock.now())
    const { contentType, content } = await made().shippingLabel(label, format)
    return createDocumentAnswer(content, { type: contentType, name: `shipping-label-${id}.${format}` })
  }

  return { getPackingSlip: ({ party, id }) => packingSlip(party, id), getShippingLabel: shippingLabel }
}

function createDocumentAnswer(content: Buffer, { type, name }: { type: string; name: string }): Answer {
  return {
    status: 200,
    body: content,
    headers: { 'content-type': type, 'content-disposition': `inline; filename="${name}"` },
  }
}

// The same data gives the same bytes.

/** Reads the fonts, which takes some milliseconds: once for the life of the service. */
export function createDocumentRenderer() {
  const fonts = readFonts()
  loadImageFonts(fonts)
  const typeface = { fonts, ruler: createRuler(fonts) }
  return {
    /** A PDF of US Letter pages. */
    packingSlip: (slip: PackingSlip): Promise<Buffer> => renderPackingSlip(slip, typeface),
    /** 4 × 6 inches. */
    shippingLabel: (label: ShippingLabel, format: LabelFormat): Promise<RenderedLabel> =>
      renderShippingLabel(label, format, typeface),
  }
}
