/** `dropbridge watch`: every route has its passes when there is something to do, until a signal comes. */
import type { Route } from '../../config/routes.ts'
import { WATCH_DEFAULTS } from '../../config/watch.ts'
import type { BridgeError } from '../../support/errors.ts'
import type { RouteResult } from '../outcome.ts'
import { thisHolder } from '../holder.ts'
import { applyRetention, type Retention } from '../retention.ts'
import { scheduleOf } from '../schedule/schedule.ts'
import type { Workshop } from '../workshop.ts'
import { createAlarm } from './alarm.ts'
import { sayAbsent, sayPresent } from './presence.ts'
import type { WatchParts } from './route-work.ts'
import { createTurnstile } from './turnstile.ts'
import { watchInbox } from './watch-inbox.ts'
import { watchTurns } from './watch-turns.ts'

export interface WatchHooks {
  /** Fires when the watch is to end: what is in flight is finished first. */
  readonly signal: AbortSignal
  /** Called after each pass that came to something, failures too. */
  readonly passed?: (result: RouteResult) => void
  /** Called after old contents were forgotten, once a day. */
  readonly forgotten?: (retention: Retention) => void
}

/** Resolves after the signal, when nothing is under way any more. Throws when nothing can go on. */
export async function watchRoutes(
  shop: Workshop,
  routes: readonly Route[],
  { signal, passed = () => undefined, forgotten = () => undefined }: WatchHooks,
): Promise<void> {
  const { configuration, options } = shop
  const { atOnce, scanMs } = configuration.watch ?? WATCH_DEFAULTS
  const stop = new AbortController()
  const end = () => stop.abort()
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  let hopeless: BridgeError | undefined
  const parts: WatchParts = {
    shop,
    signal: stop.signal,
    turnstile: createTurnstile(atOnce),
    passed,
    giveUp: (failure) => {
      hopeless ??= failure
      end()
    },
  }
  const { journal } = shop
  const here = { journal, clock: options.clock, holder: thisHolder(options.newId()) }
  const names = routes.map(({ name }) => name)
  options.notify({ kind: 'watch-started', routes: routes.length, scanMs })
  const loops = [
    ...routes.map((route) => watchRoute(parts, route)),
    forgetDaily(shop, stop.signal, forgotten),
    sayPresent({ ...here, routes: names, signal: stop.signal }),
  ]
  try {
    await Promise.all(loops)
  } finally {
    end()
    await Promise.allSettled(loops)
    await sayAbsent(here)
    signal.removeEventListener('abort', end)
    options.notify({ kind: 'watch-stopped' })
  }
  if (hopeless !== undefined) throw hopeless
}

/** Only an inbox without a schedule is looked at; all else goes by the clock. */
function watchRoute(parts: WatchParts, route: Route): Promise<void> {
  const isInbox = route.direction === 'inbound' && scheduleOf(route) === 'always'
  return isInbox ? watchInbox(parts, route) : watchTurns(parts, route)
}

const DAY_MS = 24 * 60 * 60_000

async function forgetDaily(
  shop: Workshop,
  signal: AbortSignal,
  forgotten: (retention: Retention) => void,
): Promise<void> {
  const alarm = createAlarm(shop.options.clock, signal)
  while (!signal.aborted) {
    const retention = await applyRetention(shop, signal)
    if (retention !== undefined) forgotten(retention)
    await alarm.wait(DAY_MS)
  }
}
