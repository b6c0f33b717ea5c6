/** Finds short lines that are one row together: an unquoted cell with a line break divides a row. */
import type { Row } from '../../domain/format.ts'
import { problem } from '../../domain/problem.ts'

/** Says of each short line that it is a part of a row. The first line is held back until the next one is known. */
export function createHalfRowFinder<Of extends Row>(width: number) {
  let open: Of[] = []
  const takeOpen = (): Of[] => {
    const rows = open
    open = []
    return rows
  }
  /** Returns the rows that need not wait for another one. */
  const add = (row: Of, openLine: number | undefined): Of[] => {
    const isShort = row.problems?.[0]?.code === 'row-short'
    const before = open.at(-1)?.lastLine === row.line - 1 ? open : []
    const parts = [...before, row]
    // Each line break divides one cell into two.
    const cells = parts.reduce((sum, { values }) => sum + values.length, 1 - parts.length)
    if (isShort && before.length > 0 && cells === width) {
      open = []
      return parts.map((part) => explainPart(part, parts, { width, openLine }))
    }
    // Only a line of one cell can be the middle of a cell.
    if (isShort && before.length > 0 && row.values.length === 1 && parts.length <= MAX_PARTS) {
      open = parts
      return []
    }
    const rows = takeOpen()
    if (isShort) open = [row]
    else rows.push(row)
    return rows
  }
  return {
    /** `openLine` is the last line of the file, where it has no line end. */
    push(rows: readonly Of[], openLine?: number): readonly Of[] {
      const isSound = open.length === 0 && rows.every(({ problems }) => problems === undefined)
      return isSound ? rows : rows.flatMap((row) => add(row, openLine))
    },
    end: takeOpen,
  }
}

/** An address or a note has hardly more lines. */
const MAX_PARTS = 20

function explainPart<Of extends Row>(
  part: Of,
  parts: readonly Of[],
  { width, openLine }: { readonly width: number; readonly openLine: number | undefined },
): Of {
  const first = parts[0]?.line ?? part.line
  const last = parts.at(-1)?.line ?? part.line
  const lines = `${first} ${parts.length === 2 ? 'and' : 'to'} ${last}`
  const found = `Lines ${lines} have the ${width} cells of one row together: a cell without quotes holds a line break.`
  const isCut = last === openLine
  const message = isCut ? `${found} Line ${last} has no line end: perhaps the file is cut.` : found
  const fix = isCut
    ? `If the file is cut, send it again. If not, join lines ${lines}.`
    : `Join lines ${lines}, or put quotes around the cell with the line break.`
  const [, ...others] = part.problems ?? []
  return { ...part, problems: [problem('row-short', { line: part.line }, message, fix), ...others] }
}
