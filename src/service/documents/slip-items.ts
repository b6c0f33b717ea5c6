/** The table of a packing slip: one row for each line, its heading on every page, and the units in total. */
import type { Face } from './paper.ts'
import { PAGE, type SlipPages } from './slip-pages.ts'
import { printable } from './wording.ts'

export interface PackingSlipLine {
  /** The line number of the order. */
  readonly number: string
  /** Above 1 for the further packages of one item. */
  readonly part: number
  readonly identifier: string
  readonly upc: string | null
  readonly name: string | null
  readonly size: string | null
  readonly color: string | null
  readonly quantity: number
}

const COLUMN = {
  number: { x: PAGE.left + 6, width: 40, title: 'LINE' },
  identifier: { x: PAGE.left + 54, width: 112, title: 'ITEM' },
  description: { x: PAGE.left + 176, width: 180, title: 'DESCRIPTION' },
  upc: { x: PAGE.left + 366, width: 84, title: 'UPC' },
  quantity: { x: PAGE.left + 456, width: 54, title: 'QTY' },
} as const

type ColumnName = keyof typeof COLUMN

const HEADING: Face = { size: 7.5, weight: 'bold' }
const HEADING_HEIGHT = 20
const BODY: Face = { size: 9, weight: 'regular' }
const STRONG: Face = { size: 9, weight: 'bold' }
const LINE_HEIGHT = 12
const ROW_PADDING = 9

/** Of one cell; longer texts are cut, so that a row never needs a page of its own. */
const CELL_LINES_MAX = 16

export function drawItems(lines: readonly PackingSlipLine[], pages: SlipPages): void {
  const heading = { height: HEADING_HEIGHT, draw: (top: number) => drawTableHeading(pages, top) }
  const rows = lines.map((line) => toRow(line, pages))
  const first = rows[0]?.height ?? 0
  heading.draw(pages.take(HEADING_HEIGHT, { together: HEADING_HEIGHT + first }))
  for (const row of rows) drawRow(row, pages, pages.take(row.height, { again: heading }))
  drawTotal(lines, pages)
}

function drawTableHeading(pages: SlipPages, top: number): void {
  pages.fill([{ x: PAGE.left, y: top, width: PAGE.width, height: HEADING_HEIGHT - 3 }], 0.9)
  for (const name of columnNames())
    writeCell(pages, name, { text: COLUMN[name].title, face: HEADING, baseline: top + 11 })
}

function columnNames(): ColumnName[] {
  return ['number', 'identifier', 'description', 'upc', 'quantity']
}

interface CellLine {
  readonly text: string
  readonly face: Face
}

interface Row {
  readonly cells: Readonly<Record<ColumnName, readonly CellLine[]>>
  readonly height: number
}

function toRow(line: PackingSlipLine, pages: SlipPages): Row {
  const cell = (name: ColumnName, text: string | null, face = BODY) =>
    pages
      .wrap(text ?? '', { width: COLUMN[name].width, face, maxLines: CELL_LINES_MAX })
      .map((part) => ({ text: part, face }))
  const cells = {
    number: cell('number', line.number),
    identifier: cell('identifier', line.identifier, STRONG),
    description: [...cell('description', line.name), ...cell('description', attributesOf(line))],
    upc: cell('upc', line.upc),
    quantity: isFurtherPackage(line)
      ? cell('quantity', `package ${line.part}`)
      : cell('quantity', String(line.quantity), STRONG),
  }
  const height = Math.max(1, ...Object.values(cells).map((parts) => parts.length))
  return { cells, height: height * LINE_HEIGHT + ROW_PADDING }
}

function attributesOf({ size, color }: PackingSlipLine): string {
  const attributes = [
    ['Size', size],
    ['Color', color],
  ] as const
  return attributes
    .filter(([, value]) => printable(value ?? '') !== '')
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ')
}

/** Spec: lines whose part is above 1 are ignored when quantities are summed. */
function isFurtherPackage({ part }: PackingSlipLine): boolean {
  return part > 1
}

function drawRow({ cells, height }: Row, pages: SlipPages, top: number): void {
  for (const name of columnNames()) {
    for (const [index, line] of cells[name].entries()) {
      writeCell(pages, name, { ...line, baseline: top + 12 + index * LINE_HEIGHT })
    }
  }
  pages.fill([{ x: PAGE.left, y: top + height - 2, width: PAGE.width, height: 0.4 }], 0.6)
}

/** Numbers stand at the right of their column, everything else at the left. */
function writeCell(pages: SlipPages, name: ColumnName, line: CellLine & { readonly baseline: number }): void {
  const { x, width } = COLUMN[name]
  const indent = name === 'quantity' ? width - pages.ruler(line.text, line.face) : 0
  pages.write(line.text, { x: x + indent, baseline: line.baseline }, line.face)
}

function drawTotal(lines: readonly PackingSlipLine[], pages: SlipPages): void {
  const counted = lines.filter((line) => !isFurtherPackage(line))
  const units = counted.reduce((sum, { quantity }) => sum + quantity, 0)
  const face: Face = { size: 10.5, weight: 'bold' }
  const text = `Total units: ${units}`
  const { x, width } = COLUMN.quantity
  const top = pages.take(30)
  pages.write(text, { x: x + width - pages.ruler(text, face), baseline: top + 16 }, face)
}
