/** Text as cells hold it: what is blank, what a spreadsheet put around it, and how long texts are broken. */

const LONGEST_QUOTE = 60

/** The text in quotes for a message, shortened when it is long. */
export function quoted(text: string): string {
  return text.length <= LONGEST_QUOTE ? `"${text}"` : `"${text.slice(0, LONGEST_QUOTE)}…"`
}

const SPREADSHEET_FORMULA = /^="(.*)"$/s
const SPREADSHEET_APOSTROPHE = /^'(?=[\d+=-])/

/**
 * The text without outer blanks (no-break spaces too) and without what spreadsheets wrap numbers in to keep their
 * zeros: `="01754"` and a leading apostrophe.
 */
export function cleaned(raw: string): string {
  if (raw.length === 0 || isPlain(raw.charCodeAt(0), raw.charCodeAt(raw.length - 1))) return raw
  const text = raw.trim()
  const formula = SPREADSHEET_FORMULA.exec(text)
  if (formula?.[1] !== undefined) return formula[1].replaceAll('""', '"').trim()
  return text.replace(SPREADSHEET_APOSTROPHE, '')
}

/** Texts that mean blank, as they are compared: without case and outer blanks. */
export function blanksOf(texts: readonly string[] = []): ReadonlySet<string> {
  return new Set(texts.map((text) => text.trim().toLowerCase()))
}

/** The text of a cell, empty where it means blank. */
export function textOf(raw: string, blanks: ReadonlySet<string>): string {
  const text = cleaned(raw)
  return blanks.size > 0 && blanks.has(text.toLowerCase()) ? '' : text
}

/** Whether the outer characters of a text show at once that there is nothing to clean. */
function isPlain(first: number, last: number): boolean {
  return first > 0x20 && first < 0x7f && first !== 0x3d && first !== 0x27 && last > 0x20 && last < 0x7f
}

/** Breaks text between words into lines of at most `width` characters; its own line breaks stay, long words are cut. */
export function wrapped(text: string, width: number): string[] {
  const lines = linesOf(text)
  return lines.every(({ length }) => length <= width) ? lines : lines.flatMap((line) => wrapLine(line, width))
}

/** The lines of a text, each without outer blanks, whatever the line ends are. */
export function linesOf(text: string): string[] {
  if (!text.includes('\n') && !text.includes('\r')) return [text.trim()]
  return text.split(/\r\n|\r|\n/).map((line) => line.trim())
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = []
  let rest = line
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width)
    const end = space > 0 ? space : cutBefore(rest, width)
    lines.push(rest.slice(0, end).trimEnd())
    rest = rest.slice(end).trimStart()
  }
  if (rest !== '' || lines.length === 0) lines.push(rest)
  return lines
}

/** Where to cut. A character outside the basic plane is two units long and must not be cut in half. */
export function cutBefore(text: string, width: number): number {
  const unit = text.charCodeAt(width - 1)
  return unit >= 0xd800 && unit <= 0xdbff && width > 1 ? width - 1 : width
}
