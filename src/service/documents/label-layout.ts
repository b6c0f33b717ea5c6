/** The layout of a shipping label for all formats: the place of each text, box and bar code, in printer dots. */
import type { RetailerOrder } from '../../contract/order.ts'
import type { BrandShipment } from '../../contract/shipment.ts'
import { readOrigin } from '../values.ts'
import { type Barcode, createBarcode } from './barcode.ts'
import {
  addressLines,
  type Box,
  formatUtcDate,
  type PrintedAddress,
  type Ruler,
  toPrintable,
  type Weight,
  wrapText,
} from './pdf.ts'

export function toShippingLabel(shipment: BrandShipment, order: RetailerOrder, madeAt: number) {
  const shipTo: PrintedAddress = order.ship_to
  return {
    shipFrom: readOrigin(shipment),
    shipTo,
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

/** The weight is in pounds, sizes are in inches. The tracking number has at least one character. */
export type ShippingLabel = Readonly<ReturnType<typeof toShippingLabel>>

export type LabelElement =
  | ({
      readonly kind: 'text'
      readonly text: string
      readonly x: number
      readonly baseline: number
    } & ElementFace)
  | { readonly kind: 'box'; readonly box: Box }
  | { readonly kind: 'barcode'; readonly x: number; readonly y: number; readonly barcode: Barcode }

interface ElementFace {
  readonly size: number
  readonly weight: Weight
}

/** 4 × 6 inches at 203 dots to the inch, the resolution of most label printers. */
export const LABEL = { width: 812, height: 1218, dotsPerInch: 203 }

const MARGIN = 28
const INNER_WIDTH = LABEL.width - 2 * MARGIN
const RULE_HEIGHT = 4

/** The bands of the label from the top: each ends with a rule, but the last. */
const BAND = { from: 0, to: 226, service: 610, tracking: 756, end: 1070 }

/** The column at the right of the origin: the weight and sizes of the parcel. */
const PARCEL = { x: 532, width: LABEL.width - MARGIN - 532 }

const CAPTION: ElementFace = { size: 18, weight: 'regular' }

export function layOutLabel(label: ShippingLabel, ruler: Ruler): LabelElement[] {
  return [
    ...layOutOrigin(label, ruler),
    ...layOutDestination(label, ruler),
    ...layOutService(label, ruler),
    ...layOutTracking(label, ruler),
    ...layOutReference(label, ruler),
  ]
}

function layOutOrigin({ shipFrom, weight, length, width, height, madeAt }: ShippingLabel, ruler: Ruler) {
  const top = BAND.from + MARGIN
  const parcel = [
    `${weight} lb`,
    `${length} × ${width} × ${height} in`,
    formatUtcDate(new Date(madeAt).toISOString()),
  ]
  const blockHeight = BAND.to - top - 24 - 12
  return [
    createCaption('FROM', MARGIN, top),
    ...layOutBlock(formatAddressLines(shipFrom), ruler, {
      area: { x: MARGIN, y: top + 24, width: PARCEL.x - MARGIN - 16, height: blockHeight },
      sizes: [24, 22, 20, 18, 16, 14],
      weight: 'regular',
    }),
    createCaption('PARCEL', PARCEL.x, top),
    ...layOutBlock(parcel, ruler, {
      area: { x: PARCEL.x, y: top + 24, width: PARCEL.width, height: blockHeight },
      sizes: [26, 24, 22, 20, 18, 16, 14],
      weight: 'regular',
    }),
    createRule(BAND.to),
  ]
}

function layOutDestination({ shipTo }: ShippingLabel, ruler: Ruler): LabelElement[] {
  const top = BAND.to + RULE_HEIGHT + 14
  const area = { x: MARGIN, y: top + 30, width: INNER_WIDTH, height: BAND.service - top - 30 - 14 }
  const sizes = [46, 42, 38, 34, 30, 26, 22, 20, 18, 16, 14]
  return [
    createCaption('SHIP TO', MARGIN, top),
    ...layOutBlock(formatAddressLines(shipTo), ruler, { area, sizes, weight: 'bold' }),
    createRule(BAND.service),
  ]
}

function layOutService({ carrierName, carrierCode, methodName, signature }: ShippingLabel, ruler: Ruler) {
  const top = BAND.service + RULE_HEIGHT + 12
  const area = { x: MARGIN, y: top, width: INNER_WIDTH, height: BAND.tracking - top - 12 }
  return [
    ...layOutBlock([methodName, `${carrierName} · ${carrierCode}`], ruler, {
      area: { ...area, height: signature === null ? area.height : 68 },
      sizes: [42, 38, 34, 30, 28, 26, 24, 22, 20, 18, 16, 14],
      weight: 'bold',
    }),
    ...(signature === null ? [] : layOutSignature({ ...area, y: top + 72, height: area.height - 72 }, ruler)),
    createRule(BAND.tracking),
  ]
}

function layOutSignature(frame: Box, ruler: Ruler): LabelElement[] {
  const face: ElementFace = { size: 32, weight: 'bold' }
  const text = 'SIGNATURE REQUIRED'
  const x = frame.x + (frame.width - ruler(text, face)) / 2
  return [...layOutFrame(frame, 3), { kind: 'text', text, x, baseline: frame.y + frame.height - 13, ...face }]
}

function layOutFrame({ x, y, width, height }: Box, line: number): LabelElement[] {
  return [
    { x, y, width, height: line },
    { x, y: y + height - line, width, height: line },
    { x, y, width: line, height },
    { x: x + width - line, y, width: line, height },
  ].map((box) => ({ kind: 'box', box }))
}

function layOutTracking({ trackingNumber }: ShippingLabel, ruler: Ruler): LabelElement[] {
  const top = BAND.tracking + RULE_HEIGHT + 12
  const room = { width: LABEL.width, height: 192 }
  const barcode = createBarcode(trackingNumber, room)
  const roomTop = top + 34
  const bottom = roomTop + room.height
  return [
    createCaption('TRACKING NUMBER', MARGIN, top),
    {
      kind: 'barcode',
      x: Math.floor((LABEL.width - barcode.width) / 2),
      y: roomTop + Math.floor((room.height - barcode.height) / 2),
      barcode,
    },
    ...layOutBlock([trackingNumber], ruler, {
      area: { x: MARGIN, y: bottom + 8, width: INNER_WIDTH, height: BAND.end - bottom - 16 },
      sizes: [34, 30, 26, 22, 20, 18, 16, 14, 12, 10],
      weight: 'bold',
      centered: true,
    }),
    createRule(BAND.end),
  ]
}

function layOutReference({ purchaseOrderNumber, reference }: ShippingLabel, ruler: Ruler): LabelElement[] {
  const top = BAND.end + RULE_HEIGHT + 14
  const texts = [`PO: ${purchaseOrderNumber}`, ...(reference === null ? [] : [`REF: ${reference}`])]
  return layOutBlock(texts, ruler, {
    area: { x: MARGIN, y: top, width: INNER_WIDTH, height: LABEL.height - MARGIN - top },
    sizes: [34, 30, 26, 22, 20, 18, 16],
    weight: 'regular',
  })
}

function formatAddressLines(address: PrintedAddress): string[] {
  const phone = toPrintable(address.phone1 ?? '')
  return [...addressLines(address), ...(phone === '' ? [] : [`Tel. ${phone}`])]
}

interface Block {
  readonly area: Box
  /** From the preferred size to the smallest readable one. */
  readonly sizes: readonly number[]
  readonly weight: Weight
  readonly centered?: boolean
}

/**
 * Lays texts out below each other at the largest size at which they fit the area: first each on its own line, then
 * wrapped. Where even the smallest size is too large, as for no real address, every text gets a share of the lines and is cut.
 */
function layOutBlock(texts: readonly string[], ruler: Ruler, options: Block): LabelElement[] {
  const { area, sizes, weight } = options
  const linesAt = (size: number, maxLines: number) => {
    const fits = (text: string) => ruler(text, { size, weight }) <= area.width
    return texts.flatMap((text) => wrapText(text, { fits, maxLines }))
  }
  const capacity = (size: number) => Math.floor(area.height / computeLineHeight(size))
  // One line more than there is room for: a text that does not fit has too many lines instead of being cut.
  const linesUncut = (size: number) => linesAt(size, capacity(size) + 1).length
  const size =
    sizes
      .slice(0, Math.ceil(sizes.length / 2))
      .find((one) => linesUncut(one) <= Math.min(texts.length, capacity(one))) ??
    sizes.find((one) => linesUncut(one) <= capacity(one))
  if (size !== undefined) return layOutLines(linesAt(size, capacity(size)), size, ruler, options)
  const smallest = Math.min(...sizes)
  let share = capacity(smallest)
  while (share > 1 && linesAt(smallest, share).length > capacity(smallest)) share -= 1
  return layOutLines(linesAt(smallest, share).slice(0, capacity(smallest)), smallest, ruler, options)
}

function computeLineHeight(size: number): number {
  return Math.ceil(size * 1.2)
}

function layOutLines(lines: readonly string[], size: number, ruler: Ruler, options: Block): LabelElement[] {
  const { area, weight, centered } = options
  return lines.map((text, index) => ({
    kind: 'text',
    text,
    x: Math.round(area.x + (centered === true ? (area.width - ruler(text, { size, weight })) / 2 : 0)),
    baseline: area.y + index * computeLineHeight(size) + Math.round(size * 0.95),
    size,
    weight,
  }))
}

function createCaption(text: string, x: number, top: number): LabelElement {
  return { kind: 'text', text, x, baseline: top + CAPTION.size, ...CAPTION }
}

function createRule(y: number): LabelElement {
  return { kind: 'box', box: { x: MARGIN, y, width: INNER_WIDTH, height: RULE_HEIGHT } }
}
