/** Packing slips: what is in the parcel, from whom and for whom, on as many US Letter pages as it takes. */
import type { Typeface } from './paper.ts'
import { createSlipPages, PAGE, type SlipPages } from './slip-pages.ts'
import { drawItems, type PackingSlipLine } from './slip-items.ts'
import { addressLines, dateOf, type PrintedAddress } from './wording.ts'

export interface PackingSlip {
  readonly retailerName: string
  readonly brandName: string
  readonly purchaseOrderNumber: string
  readonly customerOrderNumber: string | null
  /** ISO 8601. */
  readonly orderedAt: string
  readonly shippedAt: string | null
  readonly shipFrom: PrintedAddress
  readonly shipTo: PrintedAddress
  readonly carrierName: string
  readonly methodName: string
  readonly trackingNumber: string | null
  /** An empty text is a line break. */
  readonly giftMessage: readonly string[]
  readonly lines: readonly PackingSlipLine[]
  /** Milliseconds. */
  readonly madeAt: number
}

/** Three columns beside each other: sender, receiver, order. */
const COLUMNS = [
  { x: PAGE.left, width: 150 },
  { x: PAGE.left + 165, width: 150 },
  { x: PAGE.left + 330, width: PAGE.width - 330 },
] as const

const LINE = 12.5
const BODY = { size: 9.5, weight: 'regular' } as const
const STRONG = { size: 9.5, weight: 'bold' } as const
const CAPTION = { size: 7.5, weight: 'bold' } as const
const TITLE = { size: 18, weight: 'bold' } as const
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
  const titleX = PAGE.left + PAGE.width - pages.ruler(title, TITLE)
  const name = pages.wrap(retailerName, { width: titleX - PAGE.left - 20, face: TITLE, maxLines: 3 })
  const from = pages.wrap(`Fulfilled by ${brandName}`, { width: PAGE.width, face: BODY, maxLines: 3 })
  const top = pages.take(name.length * 22 + from.length * LINE + 18)
  pages.write(title, { x: titleX, baseline: top + 17 }, TITLE)
  for (const [index, line] of name.entries()) {
    pages.write(line, { x: PAGE.left, baseline: top + 17 + index * 22 }, TITLE)
  }
  const under = top + name.length * 22
  for (const [index, line] of from.entries()) {
    pages.write(line, { x: PAGE.left, baseline: under + 11 + index * LINE }, BODY)
  }
}

interface ColumnLine {
  readonly text: string
  readonly face: typeof BODY | typeof STRONG
  /** From the left of the column. */
  readonly indent: number
  /** In lines from the top of the column. */
  readonly line: number
}

function drawParties(slip: PackingSlip, pages: SlipPages): void {
  const columns = [
    { title: 'SHIP FROM', column: COLUMNS[0], lines: addressColumn(slip.shipFrom, pages) },
    { title: 'SHIP TO', column: COLUMNS[1], lines: addressColumn(slip.shipTo, pages) },
    { title: 'ORDER', column: COLUMNS[2], lines: factColumn(slip, pages) },
  ]
  const height = 1 + Math.max(...columns.flatMap(({ lines }) => lines.map(({ line }) => line)))
  const top = pages.take(16 + height * LINE + 20)
  for (const { title, column, lines } of columns) {
    pages.write(title, { x: column.x, baseline: top + 8 }, CAPTION)
    pages.fill([{ x: column.x, y: top + 12, width: column.width, height: 0.6 }])
    for (const { text, face, indent, line } of lines) {
      pages.write(text, { x: column.x + indent, baseline: top + 16 + 10 + line * LINE }, face)
    }
  }
}

/** The name stands out. */
function addressColumn(address: PrintedAddress, pages: SlipPages): ColumnLine[] {
  return addressLines(address)
    .flatMap((text, index) => {
      const face = index === 0 ? STRONG : BODY
      return pages.wrap(text, { width: 150, face, maxLines: 6 }).map((part) => ({ text: part, face }))
    })
    .map((part, line) => ({ ...part, indent: 0, line }))
}

/** However long the values, the three columns stay on the first page. */
function factColumn(slip: PackingSlip, pages: SlipPages): ColumnLine[] {
  const { customerOrderNumber, shippedAt, trackingNumber } = slip
  const facts: readonly (readonly [label: string, value: string | null, maxLines?: number])[] = [
    ['PO number', slip.purchaseOrderNumber],
    ['Your order', customerOrderNumber],
    ['Ordered', dateOf(slip.orderedAt)],
    ['Shipped', shippedAt === null ? null : dateOf(shippedAt)],
    ['Carrier', slip.carrierName],
    ['Method', slip.methodName],
    ['Tracking', trackingNumber, 14],
  ]
  const lines: ColumnLine[] = []
  let line = 0
  for (const [label, value, maxLines = 4] of facts) {
    if (value === null) continue
    const width = COLUMNS[2].width - FACT_LABEL_WIDTH
    const parts = pages.wrap(value, { width, face: STRONG, maxLines })
    lines.push({ text: label, face: BODY, indent: 0, line })
    lines.push(
      ...parts.map((text, index) => ({ text, face: STRONG, indent: FACT_LABEL_WIDTH, line: line + index })),
    )
    line += Math.max(1, parts.length)
  }
  return lines
}

/** Line by line, so that a message of any length flows on to the next page. */
function drawGiftMessage(message: readonly string[], pages: SlipPages): void {
  if (message.every((line) => line.trim() === '')) return
  const face = { size: 11, weight: 'regular' } as const
  const title = (text: string) => (top: number) => {
    pages.write(text, { x: PAGE.left, baseline: top + 20 }, CAPTION)
    pages.fill([{ x: PAGE.left, y: top + 24, width: PAGE.width, height: 0.6 }])
  }
  title('GIFT MESSAGE')(pages.take(34, { together: 34 + 15 }))
  const again = { height: 34, draw: title('GIFT MESSAGE, CONTINUED') }
  for (const text of message) {
    const lines = pages.wrap(text, { width: PAGE.width - 24, face, maxLines: 50 })
    for (const line of lines.length === 0 ? [''] : lines) {
      const top = pages.take(15, { again })
      if (line !== '') pages.write(line, { x: PAGE.left + 12, baseline: top + 12 }, face)
    }
  }
}
