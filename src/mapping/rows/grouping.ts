/** Groups adjacent rows into records. Holds the rows of one record at most. */
import { z } from 'zod'
import type { Row } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import type { ReadText } from '../binding/text-source.ts'
import { ColumnNames } from '../fields/options.ts'
import { type KeyRow, optionalKeys, Text } from '../source/schema.ts'

export interface RecordRows {
  readonly rows: readonly Row[]
  readonly problems: readonly Problem[]
  /** Rows of the record that hold its totals, and make no line. */
  readonly totals?: readonly Row[]
}

export interface RecordGatherer {
  push(row: Row): void
  end(): void
}

export interface KeyColumn {
  readonly name: string
  readonly read: ReadText
  /** The positions of the key; a broken row without these cells cannot name its record. */
  readonly positions: readonly number[]
}

/** More rows than any record has, so that an unfilled key column does not gather the whole file. */
export const MAX_RECORD_ROWS = 10_000

interface OpenRecord {
  keys: readonly string[]
  rows: Row[]
  problems: Problem[]
  /** Whether rows of the record were already emitted because there were too many. */
  overflowed: boolean
}

/** Gathers rows with the same keys. With `blankContinues`, rows without keys belong to the record before them. */
export function gatherByKeys(
  keys: readonly KeyColumn[],
  blankContinues: boolean,
  emit: (gathered: RecordRows) => void,
): RecordGatherer {
  let open: OpenRecord | undefined
  /** Rows without a readable key; they belong to the open record when it continues after them. */
  let strays: RecordRows[] = []

  /** Closes the record and refuses it with strays behind it: they may be its lines, and no line may be missing. */
  function close(): void {
    const [stray] = strays
    if (open !== undefined && stray !== undefined) {
      open.problems.push(unreadableNeighbourProblem(open.rows[0], stray.rows[0]))
    }
    if (open !== undefined && open.rows.length > 0) emit(open)
    for (const each of strays) emit(each)
    open = undefined
    strays = []
  }

  function append(record: OpenRecord, row: Row): void {
    for (const stray of strays) {
      record.rows.push(...stray.rows)
      record.problems.push(...stray.problems)
    }
    strays = []
    record.rows.push(row)
    flushOversized(record, emit)
  }

  return {
    push(row) {
      if (open !== undefined && hasKeys(row, keys, open.keys)) return append(open, row)
      const texts = readKeys(row, keys)
      const isBlank = texts.every((text) => text === '')
      if (isBlank && blankContinues && open !== undefined && row.problems === undefined)
        return append(open, row)
      if (isBlank) {
        strays.push({ rows: [row], problems: row.problems === undefined ? [blankKeyProblem(row, keys)] : [] })
        if (strays.length >= MAX_RECORD_ROWS) close()
        return
      }
      // A damaged row may also be the first line of the next record; a row with a blank key cannot.
      const damaged = strays.find((stray) => stray.rows[0]?.problems !== undefined)
      close()
      const problems = damaged === undefined ? [] : [unreadableNeighbourProblem(row, damaged.rows[0])]
      open = { keys: texts, rows: [row], problems, overflowed: false }
    },
    end: close,
  }
}

function unreadableNeighbourProblem(row: Row | undefined, stray: Row | undefined): Problem {
  const place = row === undefined ? {} : { line: row.line }
  const message = `Line ${stray?.line ?? '?'} does not say which record it belongs to, and may be a line of this one.`
  return problem('neighbour-unreadable', place, message)
}

/** Gathers a header row and the rows after it, unreadable ones included. */
export function gatherByHeader(
  headerLayout: number,
  headerType: string,
  emit: (gathered: RecordRows) => void,
): RecordGatherer {
  let open: OpenRecord | undefined

  function close(): void {
    if (open !== undefined && open.rows.length > 0) emit(open)
    open = undefined
  }

  return {
    push(row) {
      if (row.layout === headerLayout && row.continues !== true && opensRecord(row)) {
        close()
        open = { keys: [], rows: [row], problems: [], overflowed: false }
      } else if (open === undefined) {
        const message = `The row stands before the first ${headerType} row of the file.`
        const stray = problem('record-without-header', { line: row.line }, message)
        emit({ rows: [row], problems: row.problems === undefined ? [stray] : [] })
      } else {
        open.rows.push(row)
        flushOversized(open, emit)
      }
    },
    end: close,
  }
}

/** Whether the row opens a record; false for a row of unknown type and for a header line, whose cells have no meaning. */
export function opensRecord(row: Row): boolean {
  if (row.problems === undefined) return row.isHeader !== true
  return row.values.length > 0 && !row.problems.some(({ code }) => code === 'record-type-unknown')
}

/** Emits the rows of an oversized record as refused, before they fill the memory. */
function flushOversized(record: OpenRecord, emit: (gathered: RecordRows) => void): void {
  if (record.overflowed && record.problems.length === 0)
    record.problems.push(recordTooLargeProblem(record.rows[0]))
  if (record.rows.length <= MAX_RECORD_ROWS) return
  if (!record.overflowed) record.problems.push(recordTooLargeProblem(record.rows[0]))
  emit({ rows: record.rows, problems: record.problems })
  record.rows = []
  record.problems = []
  record.overflowed = true
}

export function recordTooLargeProblem(row: Row | undefined): Problem {
  const place = row === undefined ? {} : { line: row.line }
  return problem('record-too-large', place, `The record has more than ${MAX_RECORD_ROWS} rows.`)
}

function hasKeys(row: Row, keys: readonly KeyColumn[], texts: readonly string[]): boolean {
  if (row.problems !== undefined && !hasKeyCells(row, keys)) return false
  for (let index = 0; index < keys.length; index += 1) {
    if (keys[index]?.read(row.values) !== texts[index]) return false
  }
  return true
}

function readKeys(row: Row, keys: readonly KeyColumn[]): string[] {
  if (row.problems !== undefined && !hasKeyCells(row, keys)) return keys.map(() => '')
  return keys.map(({ read }) => read(row.values))
}

function hasKeyCells(row: Row, keys: readonly KeyColumn[]): boolean {
  return keys.every(({ positions }) => positions.every((position) => position < row.values.length))
}

function blankKeyProblem(row: Row, keys: readonly KeyColumn[]): Problem {
  const names = keys.map(({ name }) => `"${name}"`).join(' and ')
  const place = { line: row.line, ...(keys[0] === undefined ? {} : { column: keys[0].name }) }
  const message = `The cell is blank, and ${names} must say which record the row belongs to.`
  return problem('value-missing', place, message)
}

// `group`: which rows make a record, in all its forms.

const GroupKey = z.union([ColumnNames, z.strictObject({ firstOf: z.array(ColumnNames).min(2) })], {
  error: 'expected a column name, a list of the names it may have, or `firstOf` with several columns',
})

const GroupKeys = z.array(GroupKey).min(1)

const BY_COLUMNS = z.union([Text, GroupKeys], { error: 'expected a column name or a list of them' })

const GROUP_OPTIONS = {
  blank: {
    schema: z.literal('continues', { error: 'expected `continues`' }),
    summary: 'a row in which they are blank belongs to the record before',
    example: 'group: { by: Name, blank: continues }',
  },
  differing: {
    schema: z.enum(['refuse', 'first'], { error: 'expected `refuse` or `first`' }),
    summary: 'of rows that say different things the first counts',
    example: 'group: { by: Name, differing: first }',
  },
} as const satisfies Readonly<Record<string, KeyRow>>

const LongGroup = z.strictObject({ by: BY_COLUMNS, ...optionalKeys(GROUP_OPTIONS) })

export const GroupFrame = z.union([Text, GroupKeys, LongGroup], {
  error: 'expected a column name, a list of them, or `by` with `blank` and `differing`',
})

export type GroupFrame = z.infer<typeof GroupFrame>

/** Each form, for the documentation. */
export const GROUP_FORMS: readonly Pick<KeyRow, 'summary' | 'example'>[] = [
  { example: 'group: PO Number', summary: 'one column' },
  { example: 'group: [PO Number, Tracking Number]', summary: 'both together' },
  { example: 'group: [[PO Number, "PO #"]]', summary: 'one column under either name' },
  {
    example: 'group: [{ firstOf: [Order No, Record No] }]',
    summary: 'the first of two columns that is filled',
  },
  ...Object.values(GROUP_OPTIONS),
]
