/** Rows with bytes that are no text: each such cell is a problem of its row. */
import type { Layout, Row } from '../../domain/document.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { isDamaged, toReadable } from './decoders.ts'
import { type Encoding, undecodableHint } from './encoding.ts'
import { columnAt } from './words.ts'

/** Beyond this many undecodable cells in one row, more of them tell nothing new. */
const UNDECODABLE_CELLS = 20

/** The row with its undecodable cells as problems, and with text that people can read. */
export function toDecodable<Of extends Row>(row: Of, layouts: readonly Layout[], encoding: Encoding): Of {
  const columns = layouts[row.layout]?.columns ?? []
  const problems: Problem[] = []
  for (const [index, value] of row.values.entries()) {
    if (problems.length === UNDECODABLE_CELLS) break
    if (!isDamaged(value)) continue
    const column = columnAt(columns, index)
    const message = `Column "${column}" holds bytes that are not ${encoding.name}.`
    problems.push(problem('text-undecodable', { line: row.line, column }, message, undecodableHint(encoding)))
  }
  if (problems.length === 0) return row
  return { ...row, values: row.values.map(toReadable), problems: [...(row.problems ?? []), ...problems] }
}
