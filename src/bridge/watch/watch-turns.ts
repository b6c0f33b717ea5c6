/** Watching the clock for a route that has its turns by a schedule, and for work of it that is unfinished. */
import type { Route } from '../../config/routes.ts'
import { nextTurnAt } from '../schedule/schedule.ts'
import { createAlarm } from './alarm.ts'
import { elapsed } from '../../support/clock.ts'
import { asFailure } from '../failure.ts'
import { createWorker, type RouteWorker, type WatchParts } from './route-work.ts'

/** The time of day may be set meanwhile, so nobody sleeps through to the next turn. */
const GLANCE_MS = 30_000

/** Between two passes, however soon the next one is due. */
const BETWEEN_MS = 250

/** Until the signal fires. */
export async function watchTurns(parts: WatchParts, route: Route): Promise<void> {
  const { signal, shop } = parts
  const alarm = createAlarm(shop.options.clock, signal)
  const worker = createWorker(parts, route)
  while (!signal.aborted) {
    const turnInMs = worker.isBusy() ? GLANCE_MS : await glance(shop, route, worker)
    if (turnInMs !== undefined) worker.maybeBegin(turnInMs <= 0, { turns: 'due' }, alarm.ring)
    await alarm.wait(waitMs(worker, turnInMs))
    // Whatever a schedule says: timers, signals and the other routes have their turn before this one has its next.
    await shop.options.clock.sleep(BETWEEN_MS, signal)
  }
  await worker.idle()
}

/** How long until the next turn; undefined when the journal could not be asked. */
async function glance(
  { journal, options }: WatchParts['shop'],
  route: Route,
  worker: RouteWorker,
): Promise<number | undefined> {
  const began = elapsed(options.clock)
  try {
    const now = options.clock.now()
    const at = nextTurnAt(route, await journal.knownTurns(route.name), now)
    worker.noteUnfinished((await journal.unfinishedRoutes()).includes(route.name))
    worker.lookWentWell()
    return at - now
  } catch (error) {
    worker.lookFailed(asFailure(error), elapsed(options.clock) - began)
    return undefined
  }
}

function waitMs(worker: RouteWorker, turnInMs = GLANCE_MS): number {
  if (worker.isBusy()) return GLANCE_MS
  const turn = turnInMs > 0 ? turnInMs : GLANCE_MS
  return Math.min(GLANCE_MS, turn, worker.dueInMs() ?? GLANCE_MS)
}
