/** Alerts about orders that must be acknowledged or shipped soon, as the bridge last saw them. */
import type { LateRules } from '../config/alerts.ts'
import type { Route } from '../config/routes.ts'
import { type Alert, createAlert } from '../domain/alert.ts'
import { formatAccount } from '../domain/route.ts'
import { type Deadline, findSeenDeadlines } from '../pipeline/references/deadlines.ts'
import { isoTime } from '../support/clock.ts'
import { type EvaluationContext, findWithCache, limitAlerts } from './context.ts'

/** How many orders of a route are kept: limitAlerts counts all beyond its own limit as one alert. */
const LATE_MAX = 1000

/** Asks no API: an evaluation runs each minute, and must not fail because the API is away. The passes of the route do. */
export async function findLateOrders(context: EvaluationContext): Promise<Alert[]> {
  const { configuration, journal, now } = context
  const alerts: Alert[] = []
  for (const route of configuration.routes) {
    const { name, party, alertIfLate } = route
    if (alertIfLate === undefined) continue
    const alertAt = (deadline: Deadline) => computeAlertTime(alertIfLate, deadline)
    const found = await findWithCache(context, `late ${name}`, async () => {
      const late: Deadline[] = []
      const isDue = (deadline: Deadline) => alertAt(deadline) <= now
      for await (const deadline of findSeenDeadlines(journal, formatAccount(party), isDue)) {
        late.push(deadline)
        if (late.length > 2 * LATE_MAX) keepFirst(late)
      }
      keepFirst(late)
      return late.map((deadline) => buildLateAlert(route, deadline, alertAt(deadline)))
    })
    alerts.push(...limitAlerts(context, found, name))
  }
  return alerts
}

/** When the deadline raises an alert of a route with these rules; infinite for never. */
export function computeAlertTime(
  { acknowledgeMs = -Infinity, shipMs = -Infinity }: LateRules,
  { what, by }: Deadline,
): number {
  return by - (what === 'ship' ? shipMs : acknowledgeMs)
}

function keepFirst(late: Deadline[]): void {
  late.sort((one, other) => one.by - other.by)
  late.splice(LATE_MAX)
}

function buildLateAlert({ name }: Route, deadline: Deadline, alertAt: number): Alert {
  const { id, purchaseOrder, what, by, units, isAcknowledged, receivedAt = alertAt, seenAt } = deadline
  const open = units === undefined ? '' : `; ${units} units are open`
  const done = what === 'ship' ? 'shipped' : 'acknowledged'
  const message = `order ${purchaseOrder} (id ${id}) must be ${done} by ${isoTime(by)}${open}, as seen on ${isoTime(seenAt)}`
  return createAlert({
    code: 'order-late',
    route: name,
    subject: `${purchaseOrder} (${id}), ${what}`,
    // An order may come when its time is short already.
    since: Math.max(alertAt, receivedAt),
    message,
    ...(isAcknowledged && { fix: SHIP }),
  })
}

const SHIP = 'Ship it. What the API says now: `dropbridge late --live`.'
