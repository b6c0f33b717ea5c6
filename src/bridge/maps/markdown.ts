/** Tables of Markdown. */

export function markdownTable(rows: readonly (readonly string[])[]): string[] {
  const [head = [], ...others] = rows
  return [head, head.map(() => '---'), ...others].map((cells) => `| ${cells.map(cellText).join(' | ')} |`)
}

function cellText(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim()
}

const DELIMITERS: Readonly<Record<string, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'bars',
}

/** `semicolons`, for what stands between the cells. */
export function delimiterWords(delimiter: string): string {
  return DELIMITERS[delimiter] ?? `"${delimiter}"`
}

/** More words than a person reads are not listed. */
const MAX_WORDS = 30

/** What a cell that is looked up may say. */
export function agreedWords(words: readonly string[]): string {
  return words.length > 0 && words.length <= MAX_WORDS
    ? `one of: ${words.join(', ')}`
    : 'one of the agreed words'
}
