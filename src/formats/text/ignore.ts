/** Lines that are no rows: comments, footers, and whatever else a mapping tells to leave out. */
import type { IgnoreRule } from '../../domain/format.ts'

/** Whether the line is to be left out. */
export type IgnoresLine = (line: string) => boolean

/** Footers and comments tell what they are at once; a pattern must not be tried on a page of text. */
const TESTED_CHARACTERS = 1000

/** Undefined when no line is left out. */
export function ignoring(
  rules: readonly IgnoreRule[] | undefined,
  delimiter: string,
): IgnoresLine | undefined {
  const tests = (rules ?? []).flatMap((rule) => testOf(rule) ?? [])
  if (tests.length === 0) return undefined
  return (line) => {
    const text = bare(line.slice(0, TESTED_CHARACTERS), delimiter)
    return text !== '' && tests.some((test) => test(text))
  }
}

/** Undefined for the line of the names: what it is, is known once it has been read. */
function testOf(rule: IgnoreRule): IgnoresLine | undefined {
  if ('header' in rule) return undefined
  if ('startsWith' in rule) return (text) => text.startsWith(rule.startsWith)
  const pattern = new RegExp(rule.matches, 'u')
  return (text) => pattern.test(text)
}

/** The line without what a spreadsheet puts around it: quotes, and delimiters up to the width of the table. */
function bare(line: string, delimiter: string): string {
  let end = line.length
  while (end > 0) {
    const last = line.charAt(end - 1)
    if (last !== '"' && last.trim() !== '' && !delimiter.includes(last)) break
    end -= 1
  }
  return line.slice(0, end).replace(/^[\s"]+/, '')
}
