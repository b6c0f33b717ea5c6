/** Gathers the adjacent rows that make one record. Holds the rows of one record at most. */
import type { Row } from '../../domain/document.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import type { ReadText } from '../binding/text-reader.ts'

/** The rows of one record, and what is wrong with the way they stand together. */
export interface Gathered {
  readonly rows: readonly Row[]
  readonly problems: readonly Problem[]
}

export interface Gatherer {
  push(row: Row): void
  end(): void
}

export interface KeyColumn {
  readonly name: string
  readonly read: ReadText
  /** The positions it reads; a broken row without them says nothing about its record. */
  readonly positions: readonly number[]
}

/** More rows than any record has; a key column that is not filled must not gather the whole file. */
export const MAX_RECORD_ROWS = 10_000

interface Open {
  keys: readonly string[]
  rows: Row[]
  problems: Problem[]
  /** Whether rows of the record had to be given away already. */
  overflowed: boolean
}

/** Rows with the same keys make a record; with `blankContinues`, rows without keys belong to the record before. */
export function gatherByKeys(
  keys: readonly KeyColumn[],
  blankContinues: boolean,
  emit: (gathered: Gathered) => void,
): Gatherer {
  let open: Open | undefined
  /** Rows that do not say where they belong; they are the open record's when it goes on after them. */
  let strays: Gathered[] = []

  /** Strays may be lines of the record before them, and a record must not be sent with a line missing. */
  function close(): void {
    const [stray] = strays
    if (open !== undefined && stray !== undefined) {
      open.problems.push(unreadableNeighbour(open.rows[0], stray.rows[0]))
    }
    if (open !== undefined && open.rows.length > 0) emit(open)
    for (const each of strays) emit(each)
    open = undefined
    strays = []
  }

  function append(record: Open, row: Row): void {
    for (const stray of strays) {
      record.rows.push(...stray.rows)
      record.problems.push(...stray.problems)
    }
    strays = []
    record.rows.push(row)
    spill(record, emit)
  }

  return {
    push(row) {
      if (open !== undefined && hasKeys(row, keys, open.keys)) return append(open, row)
      const texts = keysOf(row, keys)
      const isBlank = texts.every((text) => text === '')
      if (isBlank && blankContinues && open !== undefined && row.problems === undefined)
        return append(open, row)
      if (isBlank) {
        strays.push({ rows: [row], problems: row.problems === undefined ? [blankKey(row, keys)] : [] })
        if (strays.length >= MAX_RECORD_ROWS) close()
        return
      }
      // A damaged row may as well be the first line of the record after it; a blank key would stand in that line too.
      const damaged = strays.find((stray) => stray.rows[0]?.problems !== undefined)
      close()
      const problems = damaged === undefined ? [] : [unreadableNeighbour(row, damaged.rows[0])]
      open = { keys: texts, rows: [row], problems, overflowed: false }
    },
    end: close,
  }
}

function unreadableNeighbour(row: Row | undefined, stray: Row | undefined): Problem {
  const place = row === undefined ? {} : { line: row.line }
  const message = `Line ${stray?.line ?? '?'} does not say which record it belongs to, and may be a line of this one.`
  return problem('neighbour-unreadable', place, message)
}

/** A header row opens a record; the rows after it are its details, a row that cannot be understood included. */
export function gatherByHeader(
  headerLayout: number,
  headerType: string,
  emit: (gathered: Gathered) => void,
): Gatherer {
  let open: Open | undefined

  function close(): void {
    if (open !== undefined && open.rows.length > 0) emit(open)
    open = undefined
  }

  return {
    push(row) {
      if (row.layout === headerLayout && opensRecord(row)) {
        close()
        open = { keys: [], rows: [row], problems: [], overflowed: false }
      } else if (open === undefined) {
        const message = `The row stands before the first ${headerType} row of the file.`
        const stray = problem('record-without-header', { line: row.line }, message)
        emit({ rows: [row], problems: row.problems === undefined ? [stray] : [] })
      } else {
        open.rows.push(row)
        spill(open, emit)
      }
    },
    end: close,
  }
}

/** A row whose type could not be told has cells that mean nothing. */
export function opensRecord(row: Row): boolean {
  if (row.problems === undefined) return true
  return row.values.length > 0 && !row.problems.some(({ code }) => code === 'record-type-unknown')
}

/** Gives the rows of a record that is too large away, refused, before they fill the memory. */
function spill(record: Open, emit: (gathered: Gathered) => void): void {
  if (record.overflowed && record.problems.length === 0) record.problems.push(tooLarge(record.rows[0]))
  if (record.rows.length <= MAX_RECORD_ROWS) return
  if (!record.overflowed) record.problems.push(tooLarge(record.rows[0]))
  emit({ rows: record.rows, problems: record.problems })
  record.rows = []
  record.problems = []
  record.overflowed = true
}

export function tooLarge(row: Row | undefined): Problem {
  const place = row === undefined ? {} : { line: row.line }
  return problem('record-too-large', place, `The record has more than ${MAX_RECORD_ROWS} rows.`)
}

function hasKeys(row: Row, keys: readonly KeyColumn[], texts: readonly string[]): boolean {
  if (row.problems !== undefined && !isReadable(row, keys)) return false
  for (let index = 0; index < keys.length; index += 1) {
    if (keys[index]?.read(row.values) !== texts[index]) return false
  }
  return true
}

function keysOf(row: Row, keys: readonly KeyColumn[]): string[] {
  if (row.problems !== undefined && !isReadable(row, keys)) return keys.map(() => '')
  return keys.map(({ read }) => read(row.values))
}

function isReadable(row: Row, keys: readonly KeyColumn[]): boolean {
  return keys.every(({ positions }) => positions.every((position) => position < row.values.length))
}

function blankKey(row: Row, keys: readonly KeyColumn[]): Problem {
  const names = keys.map(({ name }) => `"${name}"`).join(' and ')
  const place = { line: row.line, ...(keys[0] === undefined ? {} : { column: keys[0].name }) }
  return problem(
    'value-missing',
    place,
    `The cell is blank, and ${names} must say which record the row belongs to.`,
  )
}
