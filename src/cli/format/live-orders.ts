/** Formats what the API says of orders now, and what differs from the journal. */
import type { LiveOrder, LiveOrders } from '../../app/live-orders.ts'
import { isoTime } from '../../support/clock.ts'
import { toOneLine } from '../../support/text.ts'
import { formatCount, formatTable } from './text.ts'

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
