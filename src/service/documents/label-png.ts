/** A label as a PNG image of 4 × 6 inches, one pixel to a printer dot. */
import { type DrawingContext, drawingZlibPng, loadFont } from 'bwip-js'
import { boxesOf } from './barcode.ts'
import type { Fonts } from './fonts.ts'
import { LABEL, type Mark } from './label-layout.ts'
import type { Box, Ruler } from './paper.ts'

const FONT_NAMES = { regular: 'DejaVu Sans', bold: 'DejaVu Sans Bold' }

/** The library scales letters by their ascent, we by the em: 1901 of 2048 units in both fonts, in percent. */
const ASCENT_PERCENT = (1901 / 2048) * 100

/** Makes the fonts known to the drawing library, which keeps them by name; doing it again changes nothing. */
export function loadImageFonts(fonts: Fonts): void {
  loadFont(FONT_NAMES.regular, ASCENT_PERCENT, fonts.regular)
  loadFont(FONT_NAMES.bold, ASCENT_PERCENT, fonts.bold)
}

export function labelPng(marks: readonly Mark[], ruler: Ruler): Promise<Buffer> {
  const image = openImage()
  for (const mark of marks) {
    if (mark.kind === 'box') fill(image, [mark.box])
    if (mark.kind === 'barcode') {
      fill(
        image,
        boxesOf(mark.barcode).map((box) => ({ ...box, x: box.x + mark.x, y: box.y + mark.y })),
      )
    }
    if (mark.kind === 'text') write(image, mark, ruler)
  }
  return image.end()
}

type Image = DrawingContext<Promise<Buffer>>

function openImage(): Image {
  const image = drawingZlibPng()
  const padding = { paddingleft: 0, paddingright: 0, paddingtop: 0, paddingbottom: 0 }
  const page = { bcid: 'code128', text: '', backgroundcolor: 'FFFFFF', dpi: LABEL.dotsPerInch, ...padding }
  image.setopts?.(page)
  image.init(LABEL.width, LABEL.height)
  return image
}

function fill(image: Image, boxes: readonly Box[]): void {
  for (const { x, y, width, height } of boxes) {
    image.polygon([
      [x, y],
      [x, y + height],
      [x + width, y + height],
      [x + width, y],
    ])
  }
  image.fill('000000')
}

/** Letter by letter at the measured place: the library rounds every letter's width, and a line would grow or shrink. */
function write(image: Image, mark: Extract<Mark, { kind: 'text' }>, ruler: Ruler): void {
  const font = { name: FONT_NAMES[mark.weight], width: mark.size, height: mark.size, dx: 0 }
  let before = ''
  for (const character of mark.text) {
    const x = Math.round(mark.x + ruler(before, mark))
    before += character
    // The library knows characters of one code unit only; the others would become two boxes.
    image.text(x, mark.baseline, character.length === 1 ? character : '\uFFFD', '000000', font)
  }
}
