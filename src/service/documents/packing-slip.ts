/** Renders a packing slip on US Letter pages: parties, order, the table of lines and the gift message. */
import type { RetailerOrder } from '../../contract/order.ts'
import type { BrandShipment } from '../../contract/shipment.ts'
import { readOrigin } from '../values.ts'
import {
  addressLines,
  type FontFace,
  formatUtcDate,
  openPdf,
  type PrintedAddress,
  toPrintable,
  type Typeface,
  wrapText,
} from './pdf.ts'

export function toPackingSlip(shipment: BrandShipment, order: RetailerOrder, madeAt: number) {
  const shipTo: PrintedAddress = order.ship_to
  return {
    retailerName: order.retailer.name,
    brandName: order.brand.name,
    purchaseOrderNumber: order.purchase_order_number,
    customerOrderNumber: order.customer_order_number,
    orderedAt: order.ordered_at,
    shippedAt: shipment.shipped_at,
    shipFrom: readOrigin(shipment),
    shipTo,
    carrierName: shipment.carrier.name,
    methodName: shipment.shipping_method?.name ?? '',
    trackingNumber: shipment.tracking_number,
    // An empty text is a line break.
    giftMessage: order.gift_message,
    lines: shipment.shipment_lines.map(({ order_line_number, part, quantity, variant }) => ({
      number: order_line_number,
      // Above 1 for the further packages of one item.
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

export type PackingSlip = Readonly<ReturnType<typeof toPackingSlip>>

export type PackingSlipLine = PackingSlip['lines'][number]

// Pages fill from the top down; a new page begins when one is full.

/** US Letter in points, with the printed area. */
const PAGE = { size: [612, 792], left: 48, top: 48, width: 516, bottom: 738 } as const

const HEAD_COLUMNS = [
  { x: PAGE.left, width: 150 },
  { x: PAGE.left + 165, width: 150 },
  { x: PAGE.left + 330, width: PAGE.width - 330 },
] as const

const HEAD_LINE_HEIGHT = 12.5
const BODY_FACE = { size: 9.5, weight: 'regular' } as const
const STRONG_FACE = { size: 9.5, weight: 'bold' } as const
const CAPTION_FACE = { size: 7.5, weight: 'bold' } as const
const TITLE_FACE = { size: 18, weight: 'bold' } as const
const FACT_LABEL_WIDTH = 76

export function renderPackingSlip(slip: PackingSlip, typeface: Typeface): Promise<Buffer> {
  const pages = createSlipPages(slip, typeface)
  drawHeading(slip, pages)
  drawParties(slip, pages)
  drawItems(slip.lines, pages)
  drawGiftMessage(slip.giftMessage, pages)
  return pages.finish()
}

function drawHeading({ retailerName, brandName }: PackingSlip, pages: SlipPages): void {
  const title = 'Packing slip'
  const titleX = PAGE.left + PAGE.width - pages.ruler(title, TITLE_FACE)
  const name = pages.wrap(retailerName, { width: titleX - PAGE.left - 20, face: TITLE_FACE, maxLines: 3 })
  const from = pages.wrap(`Fulfilled by ${brandName}`, { width: PAGE.width, face: BODY_FACE, maxLines: 3 })
  const top = pages.takeSpace(name.length * 22 + from.length * HEAD_LINE_HEIGHT + 18)
  pages.write(title, { x: titleX, baseline: top + 17 }, TITLE_FACE)
  for (const [index, line] of name.entries()) {
    pages.write(line, { x: PAGE.left, baseline: top + 17 + index * 22 }, TITLE_FACE)
  }
  const under = top + name.length * 22
  for (const [index, line] of from.entries()) {
    pages.write(line, { x: PAGE.left, baseline: under + 11 + index * HEAD_LINE_HEIGHT }, BODY_FACE)
  }
}

interface ColumnLine {
  readonly text: string
  readonly face: typeof BODY_FACE | typeof STRONG_FACE
  /** From the left of the column. */
  readonly indent: number
  /** In lines from the top of the column. */
  readonly line: number
}

function drawParties(slip: PackingSlip, pages: SlipPages): void {
  const columns = [
    { title: 'SHIP FROM', column: HEAD_COLUMNS[0], lines: toAddressColumn(slip.shipFrom, pages) },
    { title: 'SHIP TO', column: HEAD_COLUMNS[1], lines: toAddressColumn(slip.shipTo, pages) },
    { title: 'ORDER', column: HEAD_COLUMNS[2], lines: toFactColumn(slip, pages) },
  ]
  const height = 1 + Math.max(...columns.flatMap(({ lines }) => lines.map(({ line }) => line)))
  const top = pages.takeSpace(16 + height * HEAD_LINE_HEIGHT + 20)
  for (const { title, column, lines } of columns) {
    pages.write(title, { x: column.x, baseline: top + 8 }, CAPTION_FACE)
    pages.fill([{ x: column.x, y: top + 12, width: column.width, height: 0.6 }])
    for (const { text, face, indent, line } of lines) {
      pages.write(text, { x: column.x + indent, baseline: top + 16 + 10 + line * HEAD_LINE_HEIGHT }, face)
    }
  }
}

function toAddressColumn(address: PrintedAddress, pages: SlipPages): ColumnLine[] {
  return addressLines(address)
    .flatMap((text, index) => {
      const face = index === 0 ? STRONG_FACE : BODY_FACE
      return pages.wrap(text, { width: 150, face, maxLines: 6 }).map((part) => ({ text: part, face }))
    })
    .map((part, line) => ({ ...part, indent: 0, line }))
}

/** Cuts long values, so that the three columns stay on the first page. */
function toFactColumn(slip: PackingSlip, pages: SlipPages): ColumnLine[] {
  const { customerOrderNumber, shippedAt, trackingNumber } = slip
  const facts: readonly (readonly [label: string, value: string | null, maxLines?: number])[] = [
    ['PO number', slip.purchaseOrderNumber],
    ['Your order', customerOrderNumber],
    ['Ordered', formatUtcDate(slip.orderedAt)],
    ['Shipped', shippedAt === null ? null : formatUtcDate(shippedAt)],
    ['Carrier', slip.carrierName],
    ['Method', slip.methodName],
    ['Tracking', trackingNumber, 14],
  ]
  const lines: ColumnLine[] = []
  let line = 0
  for (const [label, value, maxLines = 4] of facts) {
    if (value === null) continue
    const width = HEAD_COLUMNS[2].width - FACT_LABEL_WIDTH
    const parts = pages.wrap(value, { width, face: STRONG_FACE, maxLines })
    lines.push({ text: label, face: BODY_FACE, indent: 0, line })
    lines.push(
      ...parts.map((text, at) => ({ text, face: STRONG_FACE, indent: FACT_LABEL_WIDTH, line: line + at })),
    )
    line += Math.max(1, parts.length)
  }
  return lines
}

/** Draws line by line, so that a long message continues on the next page. */
function drawGiftMessage(message: readonly string[], pages: SlipPages): void {
  if (message.every((line) => line.trim() === '')) return
  const face = { size: 11, weight: 'regular' } as const
  const title = (text: string) => (top: number) => {
    pages.write(text, { x: PAGE.left, baseline: top + 20 }, CAPTION_FACE)
    pages.fill([{ x: PAGE.left, y: top + 24, width: PAGE.width, height: 0.6 }])
  }
  title('GIFT MESSAGE')(pages.takeSpace(34, { keepTogether: 34 + 15 }))
  const repeatedHeading = { height: 34, draw: title('GIFT MESSAGE, CONTINUED') }
  for (const text of message) {
    const lines = pages.wrap(text, { width: PAGE.width - 24, face, maxLines: 50 })
    for (const line of lines.length === 0 ? [''] : lines) {
      const top = pages.takeSpace(15, { repeatedHeading })
      if (line !== '') pages.write(line, { x: PAGE.left + 12, baseline: top + 12 }, face)
    }
  }
}

// The table of lines: its heading repeats on every page, and the units are totalled.

const TABLE_COLUMNS = {
  number: { x: PAGE.left + 6, width: 40, title: 'LINE' },
  identifier: { x: PAGE.left + 54, width: 112, title: 'ITEM' },
  description: { x: PAGE.left + 176, width: 180, title: 'DESCRIPTION' },
  upc: { x: PAGE.left + 366, width: 84, title: 'UPC' },
  quantity: { x: PAGE.left + 456, width: 54, title: 'QTY' },
} as const

type ColumnName = keyof typeof TABLE_COLUMNS

const COLUMN_NAMES = Object.keys(TABLE_COLUMNS) as readonly ColumnName[]

const HEADING_FACE: FontFace = { size: 7.5, weight: 'bold' }
const HEADING_HEIGHT = 20
const CELL_FACE: FontFace = { size: 9, weight: 'regular' }
const STRONG_CELL_FACE: FontFace = { size: 9, weight: 'bold' }
const ROW_LINE_HEIGHT = 12
const ROW_PADDING = 9

/** The most lines of a cell; longer texts are cut, so that a row never needs a whole page. */
const MAX_CELL_LINES = 16

function drawItems(lines: readonly PackingSlipLine[], pages: SlipPages): void {
  const heading = { height: HEADING_HEIGHT, draw: (top: number) => drawTableHeading(pages, top) }
  const rows = lines.map((line) => toRow(line, pages))
  heading.draw(pages.takeSpace(HEADING_HEIGHT, { keepTogether: HEADING_HEIGHT + (rows[0]?.height ?? 0) }))
  for (const row of rows) drawRow(row, pages, pages.takeSpace(row.height, { repeatedHeading: heading }))
  drawTotal(lines, pages)
}

function drawTableHeading(pages: SlipPages, top: number): void {
  pages.fill([{ x: PAGE.left, y: top, width: PAGE.width, height: HEADING_HEIGHT - 3 }], 0.9)
  for (const name of COLUMN_NAMES)
    writeCell(pages, name, { text: TABLE_COLUMNS[name].title, face: HEADING_FACE, baseline: top + 11 })
}

interface CellLine {
  readonly text: string
  readonly face: FontFace
}

interface Row {
  readonly cells: Readonly<Record<ColumnName, readonly CellLine[]>>
  readonly height: number
}

function toRow(line: PackingSlipLine, pages: SlipPages): Row {
  const cell = (name: ColumnName, text: string | null, face = CELL_FACE) =>
    pages
      .wrap(text ?? '', { width: TABLE_COLUMNS[name].width, face, maxLines: MAX_CELL_LINES })
      .map((part) => ({ text: part, face }))
  const cells = {
    number: cell('number', line.number),
    identifier: cell('identifier', line.identifier, STRONG_CELL_FACE),
    description: [...cell('description', line.name), ...cell('description', formatAttributes(line))],
    upc: cell('upc', line.upc),
    quantity: isFurtherPackage(line)
      ? cell('quantity', `package ${line.part}`)
      : cell('quantity', String(line.quantity), STRONG_CELL_FACE),
  }
  const height = Math.max(1, ...Object.values(cells).map((parts) => parts.length))
  return { cells, height: height * ROW_LINE_HEIGHT + ROW_PADDING }
}

function formatAttributes({ size, color }: PackingSlipLine): string {
  const attributes = [
    ['Size', size],
    ['Color', color],
  ] as const
  return attributes
    .filter(([, value]) => toPrintable(value ?? '') !== '')
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ')
}

/** Spec: lines whose part is above 1 are ignored when quantities are summed. */
function isFurtherPackage({ part }: PackingSlipLine): boolean {
  return part > 1
}

function drawRow({ cells, height }: Row, pages: SlipPages, top: number): void {
  for (const name of COLUMN_NAMES) {
    for (const [index, line] of cells[name].entries()) {
      writeCell(pages, name, { ...line, baseline: top + 12 + index * ROW_LINE_HEIGHT })
    }
  }
  pages.fill([{ x: PAGE.left, y: top + height - 2, width: PAGE.width, height: 0.4 }], 0.6)
}

function writeCell(pages: SlipPages, name: ColumnName, line: CellLine & { readonly baseline: number }): void {
  const { x, width } = TABLE_COLUMNS[name]
  const indent = name === 'quantity' ? width - pages.ruler(line.text, line.face) : 0
  pages.write(line.text, { x: x + indent, baseline: line.baseline }, line.face)
}

function drawTotal(lines: readonly PackingSlipLine[], pages: SlipPages): void {
  const counted = lines.filter((line) => !isFurtherPackage(line))
  const units = counted.reduce((sum, { quantity }) => sum + quantity, 0)
  const face: FontFace = { size: 10.5, weight: 'bold' }
  const text = `Total units: ${units}`
  const { x, width } = TABLE_COLUMNS.quantity
  const top = pages.takeSpace(30)
  pages.write(text, { x: x + width - pages.ruler(text, face), baseline: top + 16 }, face)
}

const FOOTER_BASELINE = 762
const FOOTER_FACE: FontFace = { size: 8, weight: 'regular' }

interface SpaceOptions {
  /** The height that must stay on one page with the taken space, this space included. */
  readonly keepTogether?: number
  /** The heading that a new page repeats at its top. */
  readonly repeatedHeading?: { readonly height: number; draw(top: number): void }
}

type SlipPages = ReturnType<typeof createSlipPages>

function createSlipPages({ purchaseOrderNumber, madeAt }: PackingSlip, typeface: Typeface) {
  const { fonts, ruler } = typeface
  const title = `Packing slip ${toPrintable(purchaseOrderNumber)}`
  const pdf = openPdf(fonts, { size: PAGE.size, title, madeAt })
  const linesOf = (
    text: string,
    { width, face, maxLines }: { readonly width: number; readonly face: FontFace; readonly maxLines: number },
  ) => wrapText(text, { fits: (line) => ruler(line, face) <= width, maxLines })
  const [name = ''] = linesOf(title, { width: PAGE.width - 100, face: FOOTER_FACE, maxLines: 1 })
  let next: number = PAGE.top
  return {
    ...pdf,
    ruler,
    /** Takes space over the whole width, never across two pages, and returns its top. */
    takeSpace(height: number, { keepTogether = height, repeatedHeading }: SpaceOptions = {}): number {
      if (next + keepTogether > PAGE.bottom) {
        pdf.addPage()
        next = PAGE.top
        repeatedHeading?.draw(next)
        next += repeatedHeading?.height ?? 0
      }
      const top = next
      next += height
      return top
    },
    wrap: linesOf,
    finish(): Promise<Buffer> {
      pdf.onEachPage((page, pages) => {
        const text = `Page ${page} of ${pages}`
        const x = PAGE.left + PAGE.width - ruler(text, FOOTER_FACE)
        pdf.write(name, { x: PAGE.left, baseline: FOOTER_BASELINE }, FOOTER_FACE)
        pdf.write(text, { x, baseline: FOOTER_BASELINE }, FOOTER_FACE)
      })
      return pdf.finish()
    },
  }
}
