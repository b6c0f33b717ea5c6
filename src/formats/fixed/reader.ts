/** Reads lines of fixed width as a stream: text is pulled only as fast as its rows are asked for. */
import type { Reading, Row, Unreadable } from '../../domain/document.ts'
import type { ReadOptions } from '../../domain/format.ts'
import { problem } from '../../domain/problem.ts'
import { isDamaged } from '../text/decoders.ts'
import type { Encoding } from '../text/encoding.ts'
import { type Feed, openFeed, skipLines, skipRestOfLine } from '../text/feed.ts'
import { ignoring, type IgnoresLine } from '../text/ignore.ts'
import type { ReadLimits } from '../text/limits.ts'
import { type Newline, newlineOf } from '../text/newline.ts'
import { joinParts, type TypedRow } from '../text/records.ts'
import { openSource } from '../text/source.ts'
import { toDecodable } from '../text/undecodable.ts'
import { type LineShape, lineShape } from './shape.ts'

export async function readFixed(
  input: AsyncIterable<Uint8Array>,
  options: ReadOptions,
  limits: ReadLimits,
): Promise<Reading | Unreadable> {
  const opened = await openSource(input, options.encoding)
  if ('problem' in opened) return { problems: [opened.problem] }
  const { source, head, isWhole } = opened
  const newline = newlineOf(head.text, isWhole, null)
  const feed = openFeed(source, head, newline)
  const { skip } = options
  if (typeof skip === 'number') await skipLines(feed, newline, skip)
  const headerLines = feed.line - 1
  await skipBlankLines(feed, newline)
  if (feed.ended && feed.text === '') {
    await feed.close()
    return { problems: [problem('file-empty', {}, 'The file holds nothing but blank lines.')] }
  }
  const shape = lineShape(options)
  const count = { ignored: 0 }
  const rules: Rules = { shape, newline, limits, ignores: ignoring(options.ignore, ''), count }
  return {
    layouts: shape.layouts,
    headerLines,
    encoding: source.encoding.name,
    delimiter: '',
    batches: readBatches(feed, rules, source.encoding),
    ignored: () => count.ignored,
    close: () => feed.close(),
  }
}

interface Rules {
  readonly shape: LineShape
  readonly newline: Newline
  readonly limits: ReadLimits
  readonly ignores: IgnoresLine | undefined
  readonly count: { ignored: number }
}

async function skipBlankLines(feed: Feed, newline: Newline): Promise<void> {
  for (;;) {
    const end = feed.text.indexOf(newline)
    const isBlank = feed.text.slice(0, end === -1 ? undefined : end).trim() === ''
    if (!isBlank || (end === -1 && feed.ended)) return
    if (end === -1) await feed.more()
    else feed.advance(end + 1, feed.line + 1)
  }
}

async function* readBatches(
  feed: Feed,
  rules: Rules,
  encoding: Encoding,
): AsyncGenerator<readonly Row[], undefined> {
  const { shape, newline } = rules
  const joiner = shape.hasParts ? joinParts() : undefined
  try {
    for (;;) {
      const { rows, midLine } = cutLines(feed, rules)
      const decodable = feed.damaged ? rows.map((row) => toReadableRow(row, shape, encoding)) : rows
      const whole = joiner === undefined ? decodable : joiner.push(decodable)
      if (whole.length > 0) yield whole
      if (midLine) await skipRestOfLine(feed, newline)
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

function toReadableRow(row: TypedRow, { layouts }: LineShape, encoding: Encoding): TypedRow {
  return row.values.some(isDamaged) ? toDecodable(row, layouts, encoding) : row
}

/** The rows of the lines that are at hand whole. `midLine`: the rest of the last one is to be dropped. */
function cutLines(feed: Feed, rules: Rules): { readonly rows: TypedRow[]; readonly midLine: boolean } {
  const { newline, limits, shape } = rules
  const { text } = feed
  const rows: TypedRow[] = []
  let { line } = feed
  let at = 0
  for (;;) {
    const end = text.indexOf(newline, at)
    const stop = end === -1 ? text.length : end
    if (stop - at > limits.maxRowCharacters) {
      rows.push(tooLarge(text.slice(at, at + limits.maxRowCharacters), line, shape))
      // The line is counted when the rest of it is dropped.
      feed.advance(stop, line)
      return { rows, midLine: true }
    }
    if (end === -1) break
    const row = rowOf(text.slice(at, text[end - 1] === '\r' && end > at ? end - 1 : end), line, rules)
    if (row !== undefined) rows.push(row)
    at = end + 1
    line += 1
  }
  feed.advance(at, line)
  return { rows, midLine: false }
}

function rowOf(text: string, line: number, { shape, ignores, count }: Rules): TypedRow | undefined {
  if (text.trim() === '') return undefined
  const row = ignores?.(text) === true ? undefined : shape.fit(text, line)
  if (row === undefined) count.ignored += 1
  return row
}

function tooLarge(start: string, line: number, shape: LineShape): TypedRow {
  const row = shape.fit(start, line) ?? { layout: 0, line, lastLine: line, values: [] }
  const message = 'The line is longer than a row may be; it was not read to its end.'
  return { ...row, problems: [...(row.problems ?? []), problem('row-too-large', { line }, message)] }
}
