/** Formats what passed through: a table for people, CSV for spreadsheets. */
import type { ActivityRow } from '../../app/activity.ts'
import { formatCount, formatTable } from './text.ts'

const COLUMNS = [
  'route',
  'party',
  'operation',
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
      rows.map((row) => COLUMNS.map((column) => String(row[column] ?? ''))),
    ),
    ...(unknown === 0 ? [] : ['', note]),
  ]
}

/** Names of routes and operations, numbers and accounts need no quotes. */
export function formatActivityCsv(rows: readonly ActivityRow[]): string[] {
  const columns = [...COLUMNS, 'unknown'] as const
  return [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))].map((cells) =>
    cells.join(','),
  )
}
