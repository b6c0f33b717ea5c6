/** Writes texts of a file into a mapping: plain where that is unambiguous, else in quotes; cells in short. */

const PLAIN_TEXT = /^[\p{L}][\p{L}\p{N} ()/._-]*(?<! )$/u
const YAML_WORDS = /^(?:true|false|null|yes|no|on|off|y|n)$/i

/** Quotes what YAML would read as something else. */
export function formatYamlText(text: string): string {
  return PLAIN_TEXT.test(text) && !YAML_WORDS.test(text) ? text : JSON.stringify(text)
}

/** The first cell with a text. */
export function formatSampleCell(cells: readonly string[]): string {
  const filled = cells.find((cell) => cell !== '')
  if (filled === undefined) return 'blank'
  const text = toOneLine(filled)
  return `"${text.length > 40 ? `${text.slice(0, 40)}…` : text}"`
}

export function toOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
