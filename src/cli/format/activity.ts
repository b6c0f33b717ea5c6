/** Formats what passed through: a table for people, CSV for spreadsheets. */
import type { ActivityRow } from '../../app/activity.ts'
import { formatCount, formatTable } from './text.ts'

const COLUMNS = [
  'route',
  'party',
  'operation',
  'direction',
  'files',
  'records',
  'accepted',
  'refused',
  'other',
  'units',
  'amount',
] as const satisfies readonly (keyof ActivityRow)[]

export function formatActivity(rows: readonly ActivityRow[], days: string): string[] {
  if (rows.length === 0) return [`Nothing was received or delivered ${days}.`]
  const unknown = rows.reduce((sum, row) => sum + row.unknown, 0)
  const note = `Units and amounts lack ${formatCount(unknown, 'record')} whose contents the journal has no more, or never had.`
  return [
    ...formatTable(
      COLUMNS,
      rows.map((row) => COLUMNS.map((column) => formatCell(row, column))),
    ),
    ...(unknown === 0 ? [] : ['', note]),
  ]
}

/** What came in a file was sent to the API; what left in a file was received from it. */
function formatCell(row: ActivityRow, column: keyof ActivityRow): string {
  if (column === 'direction') return row.direction === 'incoming' ? 'sent' : 'received'
  return String(row[column] ?? '')
}

/** Names of routes and operations, numbers and accounts need no quotes. */
export function formatActivityCsv(rows: readonly ActivityRow[]): string[] {
  const columns = [...COLUMNS, 'unknown'] as const
  return [columns, ...rows.map((row) => columns.map((column) => formatCell(row, column)))].map((cells) =>
    cells.join(','),
  )
}
