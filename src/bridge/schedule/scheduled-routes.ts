/** Where the routes that have a schedule stand with their turns. */
import type { Configuration } from '../../config/configuration.ts'
import type { Journal } from '../../domain/journal.ts'
import type { ScheduledRoute } from '../../domain/snapshot.ts'
import { nextTurnAt } from './schedule.ts'

export async function scheduledRoutes(
  journal: Journal,
  { routes }: Configuration,
  now: number,
): Promise<ScheduledRoute[]> {
  const scheduled = routes.filter(({ schedule }) => schedule !== undefined)
  return Promise.all(
    scheduled.map(async (route) => {
      const nextAt = nextTurnAt(route, await journal.knownTurns(route.name), now)
      const [last] = await journal.recentTurns(1, route.name)
      return {
        route: route.name,
        ...(last === undefined ? {} : { last: { turn: last.turn, state: last.state } }),
        ...(nextAt === Infinity ? {} : { nextAt: Math.max(nextAt, now) }),
      }
    }),
  )
}
