/** How messages name columns and show what stands in cells. */

/** The name of a column, or its number from 1 when it has none. */
export function columnAt(columns: readonly string[], index: number): string {
  return columns[index] || String(index + 1)
}

/** A cell shortened to fit a message, on one line. */
export function excerpt(cell: string): string {
  const text = cell.trim().replace(/\s+/g, ' ')
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
