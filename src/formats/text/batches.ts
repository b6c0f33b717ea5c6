/** Reads rows batch by batch, reports cells with invalid bytes, and shows columns and cells in messages. */
import type { FileReading, Layout, Row, IgnoreRule } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import type { Newline } from './buffer.ts'
import { compilePattern } from '../../support/search-pattern.ts'
import { assert } from '../../support/errors.ts'
import { skipRestOfLine, type TextBuffer } from './buffer.ts'
import { hasInvalidBytes, replaceInvalidBytes } from './decoders.ts'
import { type Encoding, suggestEncodingFix } from './encoding.ts'
import { createPartJoiner, type TypedRow } from './record-types.ts'

export interface ParsedRows {
  readonly rows: TypedRow[]
  readonly ignored: number
  readonly consumed: number
  /** The physical line behind the consumed text; with `midLine`, that of the last row. */
  readonly line: number
  /** Whether the last row's line continues behind the text and the rest of it must be dropped. */
  readonly midLine: boolean
}

interface TextForm extends Pick<FileReading, 'delimiter' | 'headerLines' | 'layouts'> {
  readonly newline: Newline
  readonly encoding: Encoding
  readonly ignored: number
  readonly hasParts: boolean
  /** A row that is cut inside its last cell is refused, so the rows that are left are whole. */
  readonly hasWholeRows?: boolean
  /** Judges rows by those beside them; may hold rows back until the next ones are known. */
  readonly neighbors?: {
    push(rows: readonly TypedRow[], openLine: number | undefined): readonly TypedRow[]
    end(): readonly TypedRow[]
  }
}

/** Reads the rest of a file on demand. `parse` takes the rows that are in the buffer. */
export function createReading(buffer: TextBuffer, form: TextForm, parse: () => ParsedRows): FileReading {
  const { newline, encoding, layouts, delimiter, headerLines, hasParts } = form
  let ignoredLines = form.ignored
  let openLine: number | undefined
  async function* readBatches(): AsyncGenerator<readonly Row[], undefined> {
    const joiner = hasParts ? createPartJoiner() : undefined
    try {
      for (;;) {
        const { rows, ignored, consumed, line, midLine } = parse()
        ignoredLines += ignored
        const mayBeDamaged = buffer.damaged && hasInvalidBytes(buffer.text.slice(0, consumed))
        buffer.advance(consumed, line)
        const last = rows.at(-1)
        const openRow = buffer.unterminated && last?.lastLine === line - 1 ? last : undefined
        if (openRow !== undefined) rows.splice(-1, 1, explainCutRow(openRow))
        if (line > 2 && !form.hasWholeRows) openLine = openRow?.lastLine
        const decodable = mayBeDamaged ? rows.map((row) => reportInvalidBytes(row, layouts, encoding)) : rows
        const seen =
          form.neighbors === undefined ? decodable : form.neighbors.push(decodable, openRow?.lastLine)
        const whole = joiner === undefined ? seen : joiner.push(seen)
        if (whole.length > 0) yield whole
        if (midLine) await skipRestOfLine(buffer, newline)
        else if (buffer.ended) break
        else await buffer.more()
      }
      const rest = joiner?.end() ?? form.neighbors?.end() ?? []
      if (rest.length > 0) yield rest
      return undefined
    } finally {
      await buffer.close()
    }
  }
  return {
    layouts,
    headerLines,
    encoding: encoding.name,
    delimiter,
    batches: readBatches(),
    countIgnoredLines: () => ignoredLines,
    getOpenLine: () => openLine,
    close: () => buffer.close(),
  }
}

/** Names a cut of the file as a cause where its last line, without a line end, has too few cells. */
function explainCutRow(row: TypedRow): TypedRow {
  const [found] = row.problems ?? []
  if (found?.code !== 'row-short') return row
  const message = `${found.message} It is the last line and has no line end: the file seems to be cut.`
  const fix = 'Send the whole file again. If it is not cut, fill in the missing cells.'
  return { ...row, problems: [problem(found.code, found.place, message, fix)] }
}

const MAX_INVALID_CELLS = 20

/** Adds a problem for each undecodable cell, and makes its text readable. */
function reportInvalidBytes<Of extends Row>(row: Of, layouts: readonly Layout[], encoding: Encoding): Of {
  const columns = layouts[row.layout]?.columns ?? []
  const problems: Problem[] = []
  const texts = [...columns, ...row.values]
  for (const [index, value] of row.values.entries()) {
    if (problems.length === MAX_INVALID_CELLS) break
    if (!hasInvalidBytes(value)) continue
    const place = { line: row.line, column: nameColumn(columns, index) }
    const message = `Column "${place.column}" holds bytes that are not ${encoding.name}.`
    problems.push(problem('text-undecodable', place, message, suggestEncodingFix(encoding, texts)))
  }
  if (problems.length === 0) return row
  const values = row.values.map(replaceInvalidBytes)
  return { ...row, values, problems: [...(row.problems ?? []), ...problems] }
}

/** Returns the name of a column, or its number from 1 when it has none. */
export function nameColumn(columns: readonly string[], index: number): string {
  return columns[index] || String(index + 1)
}

/** A cell shortened to fit a message, on one line. */
export function shortenCell(cell: string): string {
  const text = cell.trim().replace(/\s+/g, ' ')
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}

// Ignored lines: comments, footers and other lines that the mapping leaves out.

export type IsIgnoredLine = (line: string) => boolean

/** A pattern is tried on this many characters: the start of a footer or comment is enough. */
const TESTED_CHARACTERS = 1000

/** Undefined when no line is left out. */
export function createLineFilter(
  rules: readonly IgnoreRule[] | undefined,
  delimiter: string,
): IsIgnoredLine | undefined {
  const tests = (rules ?? []).flatMap((rule) => compileIgnoreRule(rule) ?? [])
  if (tests.length === 0) return undefined
  return (line) => {
    const text = stripPadding(line.slice(0, TESTED_CHARACTERS), delimiter)
    return text !== '' && tests.some((test) => test(text))
  }
}

/** Undefined for a `header` rule, because the header line is not known yet. */
function compileIgnoreRule(rule: IgnoreRule): IsIgnoredLine | undefined {
  if ('header' in rule) return undefined
  if ('startsWith' in rule) return (text) => text.startsWith(rule.startsWith)
  const pattern = compilePattern(rule.matches)
  assert(typeof pattern !== 'string', 'the mapping has checked the pattern')
  return pattern.test
}

/** Removes what spreadsheets put around a line: quotes, and delimiters up to the width of the table. */
function stripPadding(line: string, delimiter: string): string {
  let end = line.length
  while (end > 0) {
    const last = line.charAt(end - 1)
    if (last !== '"' && last.trim() !== '' && !delimiter.includes(last)) break
    end -= 1
  }
  return line.slice(0, end).replace(/^[\s"]+/, '')
}
