/** Plain tables for people. */

/** Aligned columns, two blanks apart; a column of numbers is aligned to the right. Cells are cut at `widest`. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], widest = 60): string[] {
  const cut = (text: string) => (text.length > widest ? `${text.slice(0, widest - 1)}…` : text)
  const lines = [head, ...rows].map((row) => head.map((_, index) => cut(row[index] ?? '')))
  const widths = head.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)))
  const numeric = head.map(
    (_, index) => rows.length > 0 && rows.every((row) => /^[\d.,]*$/.test(row[index] ?? '')),
  )
  const aligned = lines.map((line) =>
    line
      .map((cell, index) =>
        numeric[index] ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
  const rule = widths.map((width) => '─'.repeat(width)).join('  ')
  return [aligned[0] ?? '', rule, ...aligned.slice(1)]
}
