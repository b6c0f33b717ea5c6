/** Shipping labels: the same label as PDF, PNG or ZPL. */
import { assert } from '../../support/errors.ts'
import { labelMarks, type ShippingLabel } from './label-layout.ts'
import { labelPdf } from './label-pdf.ts'
import { labelPng } from './label-png.ts'
import { labelZpl } from './label-zpl.ts'
import type { Typeface } from './paper.ts'
import { printable } from './wording.ts'

export type LabelFormat = 'pdf' | 'png' | 'zpl'

export interface RenderedLabel {
  readonly contentType: string
  readonly content: Buffer
}

/**
 * Spec: not shown: the content format of a label. PDF is our choice; PNG is what carriers' services also give, ZPL what
 * a label printer takes. ZPL has no registered media type; this one is in common use.
 */
export async function renderShippingLabel(
  label: ShippingLabel,
  format: LabelFormat,
  { fonts, ruler }: Typeface,
): Promise<RenderedLabel> {
  assert(label.trackingNumber !== '', 'a label has a tracking number')
  const marks = labelMarks(label, ruler)
  switch (format) {
    case 'pdf': {
      const title = `Shipping label ${printable(label.trackingNumber)}`
      const content = await labelPdf(marks, fonts, { title, madeAt: label.madeAt })
      return { contentType: 'application/pdf', content }
    }
    case 'png':
      return { contentType: 'image/png', content: await labelPng(marks, ruler) }
    case 'zpl':
      return { contentType: 'application/zpl', content: labelZpl(marks) }
  }
}
