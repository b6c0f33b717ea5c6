/** How the text of one file is divided into rows and cells. */
import type { IgnoresLine } from '../text/ignore.ts'
import type { ReadLimits } from '../text/limits.ts'
import type { Newline } from '../text/newline.ts'

export interface Grid {
  readonly delimiter: string
  readonly newline: Newline
  /** Null when quotes are data. */
  readonly quote: string | null
  /** What stands before a quote, a delimiter or itself that is data. */
  readonly escape: string | undefined
  /** Which lines are left out where a row would begin. */
  readonly ignores: IgnoresLine | undefined
  readonly limits: ReadLimits
  /** How many cells a row over several lines may have, blank ones at its end aside. Once known, it stops a search early. */
  readonly maxCells: number
}

export function isBlank(values: readonly string[]): boolean {
  for (const value of values) if (value.trim() !== '') return false
  return true
}

/** How often the mark stands in the text. */
export function countOf(text: string, mark: string): number {
  let count = 0
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) count++
  return count
}
