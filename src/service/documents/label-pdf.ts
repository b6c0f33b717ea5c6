/** A label as a PDF page of 4 × 6 inches. */
import { boxesOf } from './barcode.ts'
import type { Fonts } from './fonts.ts'
import { LABEL, type Mark } from './label-layout.ts'
import { type Box, openPaper } from './paper.ts'

const POINTS_PER_DOT = 72 / LABEL.dotsPerInch

export interface LabelFile {
  readonly title: string
  readonly madeAt: number
}

export function labelPdf(marks: readonly Mark[], fonts: Fonts, file: LabelFile): Promise<Buffer> {
  const paper = openPaper(fonts, { size: [inPoints(LABEL.width), inPoints(LABEL.height)], ...file })
  for (const mark of marks) {
    if (mark.kind === 'box') paper.fill([boxInPoints(mark.box)])
    if (mark.kind === 'barcode') paper.fill(boxesOf(mark.barcode).map((box) => boxInPoints(moved(box, mark))))
    if (mark.kind === 'text') {
      const place = { x: inPoints(mark.x), baseline: inPoints(mark.baseline) }
      paper.write(mark.text, place, { size: inPoints(mark.size), weight: mark.weight })
    }
  }
  return paper.finish()
}

function inPoints(dots: number): number {
  return dots * POINTS_PER_DOT
}

function moved(box: Box, { x, y }: { readonly x: number; readonly y: number }): Box {
  return { ...box, x: box.x + x, y: box.y + y }
}

function boxInPoints({ x, y, width, height }: Box): Box {
  return { x: inPoints(x), y: inPoints(y), width: inPoints(width), height: inPoints(height) }
}
