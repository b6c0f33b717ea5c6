/** Reads CSV as a stream: text is pulled only as fast as its rows are asked for. */
import type { Reading, Row, Unreadable } from '../../domain/document.ts'
import type { ReadOptions } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { cutRows } from './cut.ts'
import { isDamaged, toReadable } from './decoders.ts'
import { findDialect, hasHeader } from './dialect.ts'
import { type Encoding, undecodableHint } from './encoding.ts'
import { type Feed, openFeed, skipRestOfLine } from './feed.ts'
import type { Grid } from './grid.ts'
import { readTop } from './header.ts'
import type { CsvLimits } from './limits.ts'
import { columnAt, type Shape } from './shape.ts'
import { openSource } from './source.ts'

export async function readCsv(
  input: AsyncIterable<Uint8Array>,
  options: ReadOptions,
  limits: CsvLimits,
): Promise<Reading | Unreadable> {
  const opened = await openSource(input, options.encoding)
  if ('problem' in opened) return { problems: [opened.problem] }
  const { source, head, isWhole } = opened
  const { encoding } = source

  const { grid, separatorLine } = findDialect(head.text, isWhole, options, limits)
  const feed = openFeed(source, head, grid.newline)
  if (separatorLine > 0) feed.advance(separatorLine, 2)
  const top = await readTop(feed, grid, options, encoding)
  if ('problems' in top) {
    await feed.close()
    return top
  }
  return {
    layouts: top.shape.layouts,
    headerLines: hasHeader(options) ? feed.line - 1 : Math.sign(separatorLine),
    encoding: encoding.name,
    delimiter: grid.delimiter,
    batches: readBatches(feed, { ...grid, maxCells: top.shape.maxCells }, top.shape, encoding),
  }
}

async function* readBatches(
  feed: Feed,
  grid: Grid,
  shape: Shape,
  encoding: Encoding,
): AsyncGenerator<readonly Row[], undefined> {
  try {
    for (;;) {
      const { rows, consumed, line, midLine } = cutRows(feed, grid, shape)
      const mayBeDamaged = feed.damaged && isDamaged(feed.text.slice(0, consumed))
      feed.advance(consumed, line)
      if (rows.length > 0) yield mayBeDamaged ? rows.map((row) => toDecodable(row, shape, encoding)) : rows
      if (midLine) await skipRestOfLine(feed, grid.newline)
      else if (feed.ended) return undefined
      else await feed.more()
    }
  } finally {
    await feed.close()
  }
}

/** Beyond this many undecodable cells in one row, more of them tell nothing new. */
const UNDECODABLE_CELLS = 20

function toDecodable(row: Row, { layouts }: Shape, encoding: Encoding): Row {
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
