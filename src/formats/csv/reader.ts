/** Reads CSV as a stream: text is pulled only as fast as its rows are asked for. */
import type { Reading, Row, Unreadable } from '../../domain/document.ts'
import type { ReadOptions } from '../../domain/format.ts'
import type { Encoding } from '../text/encoding.ts'
import { atLeast, type Feed, openFeed, skipLines, skipRestOfLine } from '../text/feed.ts'
import { ignoring } from '../text/ignore.ts'
import type { ReadLimits } from '../text/limits.ts'
import { newlineOf, SAMPLE } from '../text/newline.ts'
import { isDamaged } from '../text/decoders.ts'
import { joinParts } from '../text/records.ts'
import { openSource } from '../text/source.ts'
import { toDecodable } from '../text/undecodable.ts'
import { cutRows } from './cut.ts'
import { findDelimiter, skipToHeader, takeSeparatorLine } from './dialect.ts'
import type { Grid } from './grid.ts'
import { readTop } from './header.ts'
import type { Shape } from './shape.ts'

export async function readCsv(
  input: AsyncIterable<Uint8Array>,
  options: ReadOptions,
  limits: ReadLimits,
): Promise<Reading | Unreadable> {
  const opened = await openSource(input, options.encoding)
  if ('problem' in opened) return { problems: [opened.problem] }
  const { source, head, isWhole } = opened
  const { encoding } = source

  const quote = options.quote === undefined ? '"' : options.quote
  const newline = newlineOf(head.text, isWhole, quote)
  const feed = openFeed(source, head, newline)
  const grid = await findGrid(feed, { newline, quote, escape: options.escape, limits }, options)
  const top = await readTop(feed, grid, options, encoding)
  if ('problems' in top) {
    await feed.close()
    return top
  }
  const { shape, headerLines } = top
  const count = { ignored: top.ignored }
  return {
    layouts: shape.layouts,
    headerLines,
    encoding: encoding.name,
    delimiter: grid.delimiter,
    batches: readBatches(feed, { ...grid, maxCells: shape.maxCells }, { shape, encoding, count }),
    ignored: () => count.ignored,
    close: () => feed.close(),
  }
}

/** Leaves the feed behind all that stands above the header, or the data where there is none. */
async function findGrid(
  feed: Feed,
  told: Pick<Grid, 'newline' | 'quote' | 'escape' | 'limits'>,
  options: ReadOptions,
): Promise<Grid> {
  const { skip = 0, delimiter, ignore } = options
  const separator = takeSeparatorLine(feed)
  if (typeof skip === 'number') await skipLines(feed, told.newline, skip)
  await atLeast(feed, SAMPLE)
  const lower = separator ?? takeSeparatorLine(feed)
  const start = {
    ...told,
    maxCells: Infinity,
    delimiter: delimiter ?? lower ?? '',
    ignores: ignoring(ignore, ''),
  }
  if (skip === 'header') await skipToHeader(feed, start, options)
  await atLeast(feed, SAMPLE)
  const found = findDelimiter(feed.text, start, options)
  return { ...start, delimiter: found, ignores: ignoring(ignore, found) }
}

interface Rules {
  readonly shape: Shape
  readonly encoding: Encoding
  readonly count: { ignored: number }
}

async function* readBatches(
  feed: Feed,
  grid: Grid,
  { shape, encoding, count }: Rules,
): AsyncGenerator<readonly Row[], undefined> {
  const joiner = shape.hasParts ? joinParts() : undefined
  try {
    for (;;) {
      const { rows, ignored, consumed, line, midLine } = cutRows(feed, grid, shape)
      count.ignored += ignored
      const mayBeDamaged = feed.damaged && isDamaged(feed.text.slice(0, consumed))
      feed.advance(consumed, line)
      const decodable = mayBeDamaged ? rows.map((row) => toDecodable(row, shape.layouts, encoding)) : rows
      const whole = joiner === undefined ? decodable : joiner.push(decodable)
      if (whole.length > 0) yield whole
      if (midLine) await skipRestOfLine(feed, grid.newline)
      else if (feed.ended) break
      else await feed.more()
    }
    const last = joiner?.end() ?? []
    if (last.length > 0) yield last
    return undefined
  } finally {
    await feed.close()
  }
}
