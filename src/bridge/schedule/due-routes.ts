/** Which routes are due, as far as the journal tells without taking their leases. */
import type { Route } from '../../config/routes.ts'
import type { Journal } from '../../domain/journal.ts'
import { nextTurnAt, scheduleOf } from './schedule.ts'

/** When the route is due: at `now` or before when it is already, and `Infinity` when it never will be by itself. */
export async function dueAt(journal: Journal, route: Route, now: number): Promise<number> {
  // Nothing needs to be known of a route that is always due, or never.
  const known = typeof scheduleOf(route) === 'string' ? { begun: [] } : await journal.knownTurns(route.name)
  return nextTurnAt(route, known, now)
}

/** The routes that have something to do, and when the first of the others is due. */
export async function dueRoutes(
  journal: Journal,
  routes: readonly Route[],
  now: number,
): Promise<{ readonly due: readonly Route[]; readonly nextAt: ReadonlyMap<string, number> }> {
  const unfinished = new Set(await journal.unfinishedRoutes())
  const due: Route[] = []
  const nextAt = new Map<string, number>()
  for (const route of routes) {
    const at = await dueAt(journal, route, now)
    if (at <= now || unfinished.has(route.name)) due.push(route)
    else nextAt.set(route.name, at)
  }
  return { due, nextAt }
}
