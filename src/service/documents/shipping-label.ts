/** Renders a shipping label of 4 × 6 inches as PDF, PNG or ZPL. */
import { type DrawingContext, drawingZlibPng, loadFont } from 'bwip-js'
import { assert } from '../../support/errors.ts'
import { type Code128, type DataMatrix, toBoxes } from './barcode.ts'
import { LABEL, type LabelElement, layOutLabel, type ShippingLabel } from './label-layout.ts'
import { type Box, type Fonts, openPdf, type Ruler, toPrintable, type Typeface } from './pdf.ts'
export type LabelFormat = 'pdf' | 'png' | 'zpl'

export interface RenderedLabel {
  readonly contentType: string
  readonly content: Buffer
}

/** Spec: the format of a label is not shown. ZPL has no registered media type; this one is in common use. */
export async function renderShippingLabel(
  label: ShippingLabel,
  format: LabelFormat,
  { fonts, ruler }: Typeface,
): Promise<RenderedLabel> {
  assert(label.trackingNumber !== '', 'a label has a tracking number')
  const marks = layOutLabel(label, ruler)
  switch (format) {
    case 'pdf': {
      const title = `Shipping label ${toPrintable(label.trackingNumber)}`
      const content = await renderLabelPdf(marks, fonts, { title, madeAt: label.madeAt })
      return { contentType: 'application/pdf', content }
    }
    case 'png':
      return { contentType: 'image/png', content: await renderLabelPng(marks, ruler) }
    case 'zpl':
      return { contentType: 'application/zpl', content: renderLabelZpl(marks) }
  }
}

type TextElement = Extract<LabelElement, { kind: 'text' }>

// PDF: one page.

const POINTS_PER_DOT = 72 / LABEL.dotsPerInch

function renderLabelPdf(
  marks: readonly LabelElement[],
  fonts: Fonts,
  file: { readonly title: string; readonly madeAt: number },
): Promise<Buffer> {
  const pdf = openPdf(fonts, { size: [toPoints(LABEL.width), toPoints(LABEL.height)], ...file })
  for (const mark of marks) {
    if (mark.kind === 'text') {
      const place = { x: toPoints(mark.x), baseline: toPoints(mark.baseline) }
      pdf.write(mark.text, place, { size: toPoints(mark.size), weight: mark.weight })
    } else pdf.fill(toBlackBoxes(mark).map(boxToPoints))
  }
  return pdf.finish()
}

function toPoints(dots: number): number {
  return dots * POINTS_PER_DOT
}

function toBlackBoxes(mark: Exclude<LabelElement, TextElement>): Box[] {
  if (mark.kind === 'box') return [mark.box]
  return toBoxes(mark.barcode).map((box) => ({ ...box, x: box.x + mark.x, y: box.y + mark.y }))
}

function boxToPoints({ x, y, width, height }: Box): Box {
  return { x: toPoints(x), y: toPoints(y), width: toPoints(width), height: toPoints(height) }
}

// PNG: one pixel to a printer dot.

const FONT_NAMES = { regular: 'DejaVu Sans', bold: 'DejaVu Sans Bold' }

/** The library scales letters by their ascent, we by the em: 1901 of 2048 units in both fonts, in percent. */
const ASCENT_PERCENT = (1901 / 2048) * 100

/** Makes the fonts known to the drawing library, which keeps them by name; doing it again changes nothing. */
export function loadImageFonts(fonts: Fonts): void {
  loadFont(FONT_NAMES.regular, ASCENT_PERCENT, fonts.regular)
  loadFont(FONT_NAMES.bold, ASCENT_PERCENT, fonts.bold)
}

function renderLabelPng(marks: readonly LabelElement[], ruler: Ruler): Promise<Buffer> {
  const image = openImage()
  for (const mark of marks) {
    if (mark.kind === 'text') writeText(image, mark, ruler)
    else fillBoxes(image, toBlackBoxes(mark))
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

function fillBoxes(image: Image, boxes: readonly Box[]): void {
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

/** Writes letter by letter at measured places: the library rounds every letter's width, so a line would grow or shrink. */
function writeText(image: Image, mark: TextElement, ruler: Ruler): void {
  const font = { name: FONT_NAMES[mark.weight], width: mark.size, height: mark.size, dx: 0 }
  let before = ''
  for (const character of mark.text) {
    const x = Math.round(mark.x + ruler(before, mark))
    before += character
    // The library knows characters of one code unit only; the others would become two boxes.
    image.text(x, mark.baseline, character.length === 1 ? character : '\uFFFD', '000000', font)
  }
}

// ZPL II, the language of label printers: 203 dots to the inch, text as UTF-8.

/** Uses the printer's own scalable font; its scripts depend on the printer. */
function renderLabelZpl(marks: readonly LabelElement[]): Buffer {
  const lines = [
    '^XA',
    '^CI28',
    `^PW${LABEL.width}`,
    `^LL${LABEL.height}`,
    '^LH0,0',
    ...marks.map(toZplField),
    '^PQ1',
    '^XZ',
  ]
  return Buffer.from(`${lines.join('\n')}\n`, 'utf8')
}

function toZplField(mark: LabelElement): string {
  if (mark.kind === 'box') return toBoxField(mark.box)
  if (mark.kind === 'text') {
    return `^FT${Math.round(mark.x)},${mark.baseline}^A0N,${mark.size}^FH_^FD${escapeFieldData(mark.text)}^FS`
  }
  const { barcode, x, y } = mark
  return `^FO${x},${y}${barcode.kind === 'code128' ? toCode128Field(barcode) : toImageField(barcode)}^FS`
}

function toBoxField({ x, y, width, height }: Box): string {
  return `^FO${x},${y}^GB${width},${height},${Math.min(width, height)}^FS`
}

/** Without the printer's line of text, which is a separate field, and with its choice of code sets. */
function toCode128Field({ dot, height, text }: Code128): string {
  return `^BY${dot}^BCN,${height},N,N,N,A^FH_^FD${escapeFieldData(text)}`
}

/** As an image: printers differ in how they read text outside ASCII into a Data Matrix. */
function toImageField(barcode: DataMatrix): string {
  const bytesPerRow = Math.ceil(barcode.width / 8)
  const bitmap = Buffer.alloc(bytesPerRow * barcode.height)
  for (const box of toBoxes(barcode)) paintBox(bitmap, bytesPerRow, box)
  return `^GFA,${bitmap.length},${bitmap.length},${bytesPerRow},${bitmap.toString('hex').toUpperCase()}`
}

function paintBox(bitmap: Buffer, bytesPerRow: number, box: Box): void {
  for (let y = box.y; y < box.y + box.height; y += 1) {
    for (let x = box.x; x < box.x + box.width; x += 1) {
      const index = y * bytesPerRow + Math.floor(x / 8)
      bitmap.writeUInt8(bitmap.readUInt8(index) | (0x80 >> (x % 8)), index)
    }
  }
}

/** Escapes carets and tildes, which begin commands, and underscores, which begin escapes. */
function escapeFieldData(text: string): string {
  return text.replace(
    /[\^~_]/g,
    (character) => `_${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}
