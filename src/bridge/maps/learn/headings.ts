/** The top of a sample: what stands between its cells, and which line names the columns. */
import Papa from 'papaparse'

export interface Top {
  readonly delimiter: string
  /** The first rows, blank ones left out. */
  readonly rows: readonly (readonly string[])[]
  /** The names of the columns; absent in a file that begins with data. */
  readonly headings: readonly string[] | undefined
  /** Whether other lines stand above them. */
  readonly hasPreamble: boolean
  /** What lines that are no rows begin with; absent where there are none. */
  readonly comments?: string
}

const DELIMITERS = [',', ';', '\t', '|']

/** So many rows tell how a file is written. */
const TOP_ROWS = 50

export function topOf(text: string): Top {
  const plain = text.replace(/^\uFEFF/, '').replace(/^"?sep=.?"?\r?\n/i, '')
  for (const mark of COMMENT_MARKS) {
    const rest = withoutComments(plain, mark)
    if (rest !== undefined) return { ...topOfRows(rest), comments: mark }
  }
  return topOfRows(plain)
}

const COMMENT_MARKS = ['#', '//', '--']

/** Undefined where no line begins so, or where such lines have as many cells as the others. */
function withoutComments(text: string, mark: string): string | undefined {
  const lines = text.split('\n')
  const rest = lines.filter((line) => !line.startsWith(mark))
  if (rest.length === lines.length || rest.every((line) => line.trim() === '')) return undefined
  const top = topOfRows(rest.join('\n'))
  const width = top.rows.at(-1)?.length ?? 1
  const comments = lines.filter((line) => line.startsWith(mark)).slice(0, TOP_ROWS)
  const isRow = (line: string) => width > 1 && line.split(top.delimiter).length === width
  return comments.some(isRow) ? undefined : rest.join('\n')
}

function topOfRows(plain: string): Top {
  const tries = DELIMITERS.map((delimiter) => {
    const rows = Papa.parse<string[]>(plain, { delimiter, preview: TOP_ROWS, skipEmptyLines: 'greedy' }).data
    return { delimiter, rows, ...commonWidth(rows) }
  })
  // Where two would do, as with commas before decimals, more cells are made by the one that is meant; more rows alone tell
  // little, as a quote left open takes most rows away from the right one.
  const dividedBy = ({ count, width }: { readonly count: number; readonly width: number }) =>
    count * (width - 1)
  const [best] = tries.toSorted((a, b) => dividedBy(b) - dividedBy(a) || b.width - a.width)
  const { delimiter = ',', rows = [], width = 1 } = best ?? {}
  const [first = []] = rows
  const at = headingRow(rows, width)
  if (at > 0) return { delimiter, rows, headings: rows[at], hasPreamble: true }
  return { delimiter, rows, headings: first.some(isData) ? undefined : first, hasPreamble: false }
}

/** How many cells most rows have, and how many rows these are. */
function commonWidth(rows: readonly (readonly string[])[]): {
  readonly width: number
  readonly count: number
} {
  const counts = new Map<number, number>()
  for (const { length } of rows) if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1)
  const [common] = [...counts].toSorted(([a, many], [b, more]) => more - many || b - a)
  return { width: common?.[0] ?? 1, count: common?.[1] ?? 0 }
}

/** The first whole row of names, with less above it than in it and a row like it below; -1 when there is none. */
function headingRow(rows: readonly (readonly string[])[], width: number): number {
  const filled = (row: readonly string[]) => row.filter((cell) => cell.trim() !== '').length
  const at = rows.findIndex((row) => row.length === width && filled(row) >= 0.8 * width && !row.some(isData))
  const isAbove = rows.slice(0, Math.max(0, at)).every((row) => filled(row) <= width / 2)
  return width > 1 && isAbove && rows.slice(at + 1).some((row) => row.length === width) ? at : -1
}

/** Dates, amounts and numbers are shorter. */
const LONGEST_DATA = 40

/** A cell that no column is named: a number, an amount, a date. */
function isData(cell: string): boolean {
  if (cell.length > LONGEST_DATA) return false
  return /^[$€£]?[\d.,/:-]*\d[\d.,/:TZ+ -]*$/.test(cell.trim()) && !/^\d$/.test(cell.trim())
}
