/** Texts with separators between them in one cell, and separators that are text because an escape stands before them. */

/** The texts of a cell. The escape counts before the separator and itself; elsewhere it is a character like any other. */
export function separated(text: string, separator: string, escape: string | undefined): string[] {
  if (escape === undefined || !text.includes(escape)) return text.split(separator)
  const texts: string[] = []
  let current = ''
  let at = 0
  while (at < text.length) {
    const next = text.charAt(at + 1)
    if (text[at] === escape && (next === escape || (next !== '' && next === separator[0]))) {
      current += next
      at += 2
    } else if (text.startsWith(separator, at)) {
      texts.push(current)
      current = ''
      at += separator.length
    } else {
      current += text.charAt(at)
      at += 1
    }
  }
  return [...texts, current]
}

/**
 * The text as it stands between separators. Every character that could begin one is escaped: the end of a text must not
 * run into the separator behind it.
 */
export function escaped(text: string, separator: string, escape: string): string {
  const first = separator.charAt(0)
  return text.replace(/[\s\S]/g, (unit) => (unit === escape || unit === first ? escape + unit : unit))
}

/** Why an escape cannot be used with a separator; undefined when it can. */
export function escapeMistake(escape: string, separator: string): string | undefined {
  return separator.includes(escape)
    ? 'the escape must be a character that is not in the separator'
    : undefined
}
