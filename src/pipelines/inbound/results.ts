/** The rows of a result file: one line per record, in plain words. */
import type { ToldRecord } from './documents.ts'
import { describePlace, type Problem } from '../../domain/problem.ts'
import type { FileEntry } from '../../domain/journal.ts'
import type { ReportedRecord } from '../../domain/record.ts'
import { isoTime } from '../../support/clock.ts'

/** Our columns come after the user's key columns, and are ignored when such a file is read again. */
export const RESULT_COLUMNS = [
  '_line',
  '_record',
  '_status',
  '_http',
  '_id',
  '_code',
  '_field',
  '_message',
  '_fix',
  '_attempts',
  '_at',
] as const

/** Which step a record is from; a column of the routes that have several, right after the key columns. */
export const OPERATION_COLUMN = '_operation'

/** Where the packing slips and labels of a record are; a column of the routes that want them. */
export const DOCUMENTS_COLUMN = '_documents'

/** Several problems of one record stand in one cell, in the same order in each column. */
const SEPARATOR = ' | '

/**
 * One record's line. `detailRows` tells that the first row of a record is its header and lines follow, `operations` that
 * there is a column for the operation.
 */
export function resultRow(
  record: ReportedRecord,
  keyColumns: number,
  detailRows: boolean,
  operations = false,
): string[] {
  const told = [...record.problems, ...record.warnings]
  const problems = told.map((each) => placed(each, record, detailRows))
  return [
    ...Array.from({ length: keyColumns }, (_, index) => record.keyValues[index] ?? ''),
    ...(operations ? [record.operation] : []),
    String(record.lines[0]?.[0] ?? ''),
    String(record.number),
    record.state,
    record.http === undefined ? '' : String(record.http),
    record.apiId ?? '',
    ...problemCells(problems),
    String(record.attempts),
    isoTime(record.changedAt),
  ]
}

/** The cell of the column above, where there is one. */
export function documentCells({ documents }: ToldRecord): string[] {
  return documents === undefined ? [] : [documents.paths.join(SEPARATOR)]
}

/** The one line for a file that is a duplicate or unusable as a whole. */
export function fileRow(file: FileEntry): string[] {
  const at = isoTime(file.submittedAt ?? file.claimedAt)
  return [
    '',
    '',
    file.outcome === 'duplicate' ? 'duplicate' : 'rejected',
    '',
    '',
    ...problemCells(file.problems),
    '0',
    at,
  ]
}

function problemCells(problems: readonly Problem[]): string[] {
  const cell = (text: (each: Problem) => string) => problems.map(text).join(SEPARATOR)
  return [
    cell((each) => each.code),
    cell((each) => each.place.field ?? each.place.column ?? ''),
    cell((each) => [describePlace(each.place), each.message].filter((part) => part !== '').join(': ')),
    [...new Set(problems.map((each) => each.hint).filter((hint) => hint !== ''))].join(SEPARATOR),
  ]
}

/** The API knows no lines: a problem of `order_lines[2]` is put where that line of the record stands. */
function placed(each: Problem, record: ReportedRecord, detailRows: boolean): Problem {
  if (each.place.line !== undefined || record.lines.length === 0) return each
  const index = /\[(\d+)\]/.exec(each.place.field ?? '')?.[1]
  const row = index === undefined ? 0 : Number(index) + (detailRows ? 1 : 0)
  const line = (record.lines[row] ?? record.lines[0])?.[0]
  return line === undefined ? each : { ...each, place: { ...each.place, line } }
}
