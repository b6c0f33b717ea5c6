/** A label as ZPL II, the language of label printers: 4 × 6 inches at 203 dots to the inch, text as UTF-8. */
import { type Code128, boxesOf, type DataMatrix } from './barcode.ts'
import { LABEL, type Mark } from './label-layout.ts'
import type { Box } from './paper.ts'

/** The printer's own scalable font takes the place of ours; which scripts it holds depends on the printer. */
export function labelZpl(marks: readonly Mark[]): Buffer {
  const lines = [
    '^XA',
    '^CI28',
    `^PW${LABEL.width}`,
    `^LL${LABEL.height}`,
    '^LH0,0',
    ...marks.map(fieldOf),
    '^PQ1',
    '^XZ',
  ]
  return Buffer.from(`${lines.join('\n')}\n`, 'utf8')
}

function fieldOf(mark: Mark): string {
  if (mark.kind === 'box') return boxField(mark.box)
  if (mark.kind === 'text') {
    return `^FT${Math.round(mark.x)},${mark.baseline}^A0N,${mark.size}^FH_^FD${fieldData(mark.text)}^FS`
  }
  const { barcode, x, y } = mark
  return `^FO${x},${y}${barcode.kind === 'code128' ? code128Field(barcode) : imageField(barcode)}^FS`
}

function boxField({ x, y, width, height }: Box): string {
  return `^FO${x},${y}^GB${width},${height},${Math.min(width, height)}^FS`
}

/** Without the printer's line of text, which is a field of its own, and with its choice of code sets. */
function code128Field({ dot, height, text }: Code128): string {
  return `^BY${dot}^BCN,${height},N,N,N,A^FH_^FD${fieldData(text)}`
}

/** As an image: printers differ in how they read text outside ASCII into a Data Matrix. */
function imageField(barcode: DataMatrix): string {
  const bytesPerRow = Math.ceil(barcode.width / 8)
  const bitmap = Buffer.alloc(bytesPerRow * barcode.height)
  for (const box of boxesOf(barcode)) paint(bitmap, bytesPerRow, box)
  return `^GFA,${bitmap.length},${bitmap.length},${bytesPerRow},${bitmap.toString('hex').toUpperCase()}`
}

function paint(bitmap: Buffer, bytesPerRow: number, box: Box): void {
  for (let y = box.y; y < box.y + box.height; y += 1) {
    for (let x = box.x; x < box.x + box.width; x += 1) {
      const index = y * bytesPerRow + Math.floor(x / 8)
      bitmap.writeUInt8(bitmap.readUInt8(index) | (0x80 >> (x % 8)), index)
    }
  }
}

/** A caret or tilde in the data would begin a command, and an underscore is what we escape with. */
function fieldData(text: string): string {
  return text.replace(
    /[\^~_]/g,
    (character) => `_${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}
