/** Formats orders: what the API says of them now, what passed through, and the hours that are left. */
import type { LiveOrder, LiveOrders } from '../../app/live-orders.ts'
import { HOUR_MS, isoTime } from '../../support/clock.ts'
import { toOneLine } from '../../support/text.ts'
import { formatCount, formatTable } from './text.ts'
import type { ActivityRow } from '../../app/activity.ts'
import type { Deadline } from '../../pipeline/references/deadlines.ts'

export function formatLiveOrders({ at, accounts, orders, differences }: LiveOrders): string[] {
  const head = `at the API on ${isoTime(at)}, asked as ${accounts.join(' and ')}: ${formatCount(orders.length, 'order')}`
  return [head, ...orders.flatMap(formatOrder), ...formatDifferences(differences)]
}

function formatOrder({ account, id, facts, lines, attached, differences }: LiveOrder): string[] {
  const isAcknowledged = facts['is_acknowledged'] === true
  const parts = [
    `order ${id} (${String(facts['purchase_order_number'])}) as ${account} sees it: ${String(facts['status'])}`,
    `received ${String(facts['received_at'])}`,
    isAcknowledged
      ? `acknowledged ${String(facts['acknowledged_at'])}`
      : `not acknowledged, due by ${String(facts['acknowledge_by'])}`,
    `to be shipped by ${String(facts['fulfill_by'])}`,
    ...['closed_at', 'canceled_at'].flatMap((name) =>
      typeof facts[name] === 'string' ? [`${name.replace('_at', '')} ${facts[name]}`] : [],
    ),
  ]
  const columns = [
    'line',
    'item',
    'ordered',
    'shipped',
    'canceled',
    'returned',
    'invoiced',
    'status',
  ] as const
  const rows = lines.map(({ number: line, ...each }) =>
    columns.map((name) => String({ ...each, line }[name] ?? '')),
  )
  return [
    '',
    toOneLine(parts.join(', ')),
    ...formatTable(columns, rows),
    ...(attached.length === 0 ? [] : [toOneLine(attached.join(', '))]),
    ...formatDifferences(differences),
  ]
}

function formatDifferences(differences: readonly string[]): string[] {
  return differences.map((each) => toOneLine(`differs: ${each}`))
}

// Formats what passed through: a table for people, CSV for spreadsheets.

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

// Formats orders by the hours that are left.

const HEAD = ['left', 'to do', 'purchase order', 'id', 'party', 'units', 'by', 'as seen on'] as const

export function formatLate(late: readonly Deadline[], within: string, now: number): string[] {
  if (late.length === 0) return [`Nothing is to be acknowledged or shipped within ${within}.`]
  const rows = late.map(({ account, id, purchaseOrder, what, by, units, seenAt }) => {
    return [
      formatHours(by - now),
      what,
      purchaseOrder,
      id,
      account,
      String(units ?? ''),
      isoTime(by),
      isoTime(seenAt),
    ]
  })
  return formatTable(HEAD, rows)
}

/** `3.5 h`; `-2.0 h` after the deadline. */
function formatHours(ms: number): string {
  return `${(ms / HOUR_MS).toFixed(1)} h`
}

export function lateToJson(late: readonly Deadline[], now: number): unknown {
  return late.map(({ account, id, purchaseOrder, what, units, by, seenAt }) => ({
    account,
    id,
    purchaseOrder,
    what,
    ...(units !== undefined && { units }),
    by: isoTime(by),
    hoursLeft: Math.round(((by - now) / HOUR_MS) * 100) / 100,
    seenAt: isoTime(seenAt),
  }))
}
