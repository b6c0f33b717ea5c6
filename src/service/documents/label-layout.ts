/** The layout of a shipping label, once for all formats: where each text, box and bar code stands, in printer dots. */
import { type Barcode, createBarcode } from './barcode.ts'
import type { Weight } from './fonts.ts'
import type { Box, Ruler } from './paper.ts'
import { addressLines, dateOf, type PrintedAddress, printable, wrap } from './wording.ts'

export interface ShippingLabel {
  readonly shipFrom: PrintedAddress
  readonly shipTo: PrintedAddress
  readonly carrierName: string
  readonly carrierCode: string
  readonly methodName: string
  /** At least one character. */
  readonly trackingNumber: string
  /** Pounds. */
  readonly weight: string
  /** Inches. */
  readonly width: string
  readonly length: string
  readonly height: string
  readonly purchaseOrderNumber: string
  /** Spec: "Text the supplier may add to the label." */
  readonly reference: string | null
  readonly signature: 'required' | null
  /** Milliseconds; the date on the label. */
  readonly madeAt: number
}

export type Mark =
  | ({
      readonly kind: 'text'
      readonly text: string
      readonly x: number
      readonly baseline: number
    } & MarkFace)
  | { readonly kind: 'box'; readonly box: Box }
  | { readonly kind: 'barcode'; readonly x: number; readonly y: number; readonly barcode: Barcode }

interface MarkFace {
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

/** The column at the right of the origin: what the parcel weighs and measures. */
const PARCEL = { x: 532, width: LABEL.width - MARGIN - 532 }

const CAPTION: MarkFace = { size: 18, weight: 'regular' }

export function labelMarks(label: ShippingLabel, ruler: Ruler): Mark[] {
  return [
    ...originMarks(label, ruler),
    ...destinationMarks(label, ruler),
    ...serviceMarks(label, ruler),
    ...trackingMarks(label, ruler),
    ...referenceMarks(label, ruler),
  ]
}

function originMarks(
  { shipFrom, weight, length, width, height, madeAt }: ShippingLabel,
  ruler: Ruler,
): Mark[] {
  const top = BAND.from + MARGIN
  const parcel = [
    `${weight} lb`,
    `${length} × ${width} × ${height} in`,
    dateOf(new Date(madeAt).toISOString()),
  ]
  const blockHeight = BAND.to - top - 24 - 12
  return [
    caption('FROM', MARGIN, top),
    ...block(addressTexts(shipFrom), ruler, {
      area: { x: MARGIN, y: top + 24, width: PARCEL.x - MARGIN - 16, height: blockHeight },
      sizes: [24, 22, 20, 18, 16, 14],
      weight: 'regular',
    }),
    caption('PARCEL', PARCEL.x, top),
    ...block(parcel, ruler, {
      area: { x: PARCEL.x, y: top + 24, width: PARCEL.width, height: blockHeight },
      sizes: [26, 24, 22, 20, 18, 16, 14],
      weight: 'regular',
    }),
    rule(BAND.to),
  ]
}

function destinationMarks({ shipTo }: ShippingLabel, ruler: Ruler): Mark[] {
  const top = BAND.to + RULE_HEIGHT + 14
  const area = { x: MARGIN, y: top + 30, width: INNER_WIDTH, height: BAND.service - top - 30 - 14 }
  const sizes = [46, 42, 38, 34, 30, 26, 22, 20, 18, 16, 14]
  return [
    caption('SHIP TO', MARGIN, top),
    ...block(addressTexts(shipTo), ruler, { area, sizes, weight: 'bold' }),
    rule(BAND.service),
  ]
}

function serviceMarks(
  { carrierName, carrierCode, methodName, signature }: ShippingLabel,
  ruler: Ruler,
): Mark[] {
  const top = BAND.service + RULE_HEIGHT + 12
  const area = { x: MARGIN, y: top, width: INNER_WIDTH, height: BAND.tracking - top - 12 }
  const service = { ...area, height: signature === null ? area.height : 68 }
  return [
    ...block([methodName, `${carrierName} · ${carrierCode}`], ruler, {
      area: service,
      sizes: [42, 38, 34, 30, 28, 26, 24, 22, 20, 18, 16, 14],
      weight: 'bold',
    }),
    ...(signature === null ? [] : signatureMarks({ ...area, y: top + 72, height: area.height - 72 }, ruler)),
    rule(BAND.tracking),
  ]
}

function signatureMarks(frame: Box, ruler: Ruler): Mark[] {
  const face: MarkFace = { size: 32, weight: 'bold' }
  const text = 'SIGNATURE REQUIRED'
  const x = frame.x + (frame.width - ruler(text, face)) / 2
  return [...frameMarks(frame, 3), { kind: 'text', text, x, baseline: frame.y + frame.height - 13, ...face }]
}

function frameMarks({ x, y, width, height }: Box, line: number): Mark[] {
  return [
    { x, y, width, height: line },
    { x, y: y + height - line, width, height: line },
    { x, y, width: line, height },
    { x: x + width - line, y, width: line, height },
  ].map((box) => ({ kind: 'box', box }))
}

function trackingMarks({ trackingNumber }: ShippingLabel, ruler: Ruler): Mark[] {
  const top = BAND.tracking + RULE_HEIGHT + 12
  const room = { width: LABEL.width, height: 192 }
  const barcode = createBarcode(trackingNumber, room)
  const roomTop = top + 34
  const bottom = roomTop + room.height
  return [
    caption('TRACKING NUMBER', MARGIN, top),
    {
      kind: 'barcode',
      x: Math.floor((LABEL.width - barcode.width) / 2),
      y: roomTop + Math.floor((room.height - barcode.height) / 2),
      barcode,
    },
    ...block([trackingNumber], ruler, {
      area: { x: MARGIN, y: bottom + 8, width: INNER_WIDTH, height: BAND.end - bottom - 16 },
      sizes: [34, 30, 26, 22, 20, 18, 16, 14, 12, 10],
      weight: 'bold',
      centered: true,
    }),
    rule(BAND.end),
  ]
}

function referenceMarks({ purchaseOrderNumber, reference }: ShippingLabel, ruler: Ruler): Mark[] {
  const top = BAND.end + RULE_HEIGHT + 14
  const texts = [`PO: ${purchaseOrderNumber}`, ...(reference === null ? [] : [`REF: ${reference}`])]
  return block(texts, ruler, {
    area: { x: MARGIN, y: top, width: INNER_WIDTH, height: LABEL.height - MARGIN - top },
    sizes: [34, 30, 26, 22, 20, 18, 16],
    weight: 'regular',
  })
}

function addressTexts(address: PrintedAddress): string[] {
  const phone = printable(address.phone1 ?? '')
  return [...addressLines(address), ...(phone === '' ? [] : [`Tel. ${phone}`])]
}

interface BlockOptions {
  readonly area: Box
  /** From the wished size to the smallest that is still read. */
  readonly sizes: readonly number[]
  readonly weight: Weight
  readonly centered?: boolean
}

/**
 * Texts below each other at the largest size at which they fit the area: first each on a line of its own, then wrapped.
 * Where even the smallest is too large, which no real address is, every text gets its share of the lines and is cut.
 */
function block(texts: readonly string[], ruler: Ruler, options: BlockOptions): Mark[] {
  const { area, sizes, weight } = options
  const linesAt = (size: number, maxLines: number) => {
    const fits = (text: string) => ruler(text, { size, weight }) <= area.width
    return texts.flatMap((text) => wrap(text, { fits, maxLines }))
  }
  const capacity = (size: number) => Math.floor(area.height / leading(size))
  // One line more than there is room for: what does not fit shows as too many lines instead of being cut.
  const linesUncut = (size: number) => linesAt(size, capacity(size) + 1).length
  const size =
    sizes
      .slice(0, Math.ceil(sizes.length / 2))
      .find((one) => linesUncut(one) <= Math.min(texts.length, capacity(one))) ??
    sizes.find((one) => linesUncut(one) <= capacity(one))
  if (size !== undefined) return lineMarks(linesAt(size, capacity(size)), size, ruler, options)
  const smallest = Math.min(...sizes)
  let share = capacity(smallest)
  while (share > 1 && linesAt(smallest, share).length > capacity(smallest)) share -= 1
  return lineMarks(linesAt(smallest, share).slice(0, capacity(smallest)), smallest, ruler, options)
}

function leading(size: number): number {
  return Math.ceil(size * 1.2)
}

function lineMarks(lines: readonly string[], size: number, ruler: Ruler, options: BlockOptions): Mark[] {
  const { area, weight, centered } = options
  return lines.map((text, index) => {
    const indent = centered === true ? (area.width - ruler(text, { size, weight })) / 2 : 0
    return {
      kind: 'text',
      text,
      x: Math.round(area.x + indent),
      baseline: area.y + index * leading(size) + Math.round(size * 0.95),
      size,
      weight,
    }
  })
}

function caption(text: string, x: number, top: number): Mark {
  return { kind: 'text', text, x, baseline: top + CAPTION.size, ...CAPTION }
}

function rule(y: number): Mark {
  return { kind: 'box', box: { x: MARGIN, y, width: INNER_WIDTH, height: RULE_HEIGHT } }
}
