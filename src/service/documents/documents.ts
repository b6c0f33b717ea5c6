/** The documents of a shipment, packing slips and labels: made from plain data, the same data giving the same bytes. */
import { readFonts } from './fonts.ts'
import { loadImageFonts } from './label-png.ts'
import type { ShippingLabel } from './label-layout.ts'
import { renderPackingSlip, type PackingSlip } from './packing-slip.ts'
import { createRuler } from './paper.ts'
import { type LabelFormat, renderShippingLabel, type RenderedLabel } from './shipping-label.ts'

export interface Documents {
  /** A PDF of US Letter pages. */
  packingSlip(slip: PackingSlip): Promise<Buffer>
  /** 4 × 6 inches. */
  shippingLabel(label: ShippingLabel, format: LabelFormat): Promise<RenderedLabel>
}

/** Reads the fonts, which takes some milliseconds: once for the life of the service. */
export function createDocuments(): Documents {
  const fonts = readFonts()
  loadImageFonts(fonts)
  const typeface = { fonts, ruler: createRuler(fonts) }
  return {
    packingSlip: (slip) => renderPackingSlip(slip, typeface),
    shippingLabel: (label, format) => renderShippingLabel(label, format, typeface),
  }
}
