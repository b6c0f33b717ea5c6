/** Quotes and delimiters that are data because an escape character stands before them. */

interface Marks {
  readonly escape: string | undefined
  readonly quote: string | null
  readonly delimiter: string
}

/** Whether an odd number of escape characters stands before the place, none of them before `start`. */
export function isEscaped(text: string, at: number, escape: string, start: number): boolean {
  let count = 0
  while (at - count > start && text[at - count - 1] === escape) count += 1
  return count % 2 === 1
}

/** The cell as meant; in quotes a quote may also be written twice. Before any other character the escape character is one like all: `C:\\orders`. */
export function withoutEscapes(text: string, { escape, quote, delimiter }: Marks, isQuoted: boolean): string {
  if (escape === undefined || !(text.includes(escape) || (isQuoted && text.includes(quote ?? escape))))
    return text
  let meant = ''
  for (let at = 0; at < text.length; at += 1) {
    const next = text[at + 1]
    const isMark =
      next !== undefined && (next === escape || next === quote || text.startsWith(delimiter, at + 1))
    const isDoubled = isQuoted && text[at] === quote && next === quote
    if ((text[at] === escape && isMark) || isDoubled) at += 1
    meant += text[at] ?? ''
  }
  return meant
}
