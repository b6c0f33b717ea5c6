/** Since when the oldest unfinished work of each route is unfinished. */
import type { Journal } from '../domain/journal.ts'

type Asked = Pick<Journal, 'unfinishedRoutes' | 'unfinishedFiles' | 'unfinishedDeliveries'>

/** By route, milliseconds since 1970; routes without such work are not in it. */
export async function oldestUnfinished(journal: Asked): Promise<Map<string, number>> {
  const oldest = new Map<string, number>()
  for (const route of await journal.unfinishedRoutes()) {
    const [file] = await journal.unfinishedFiles(route)
    const [delivery] = await journal.unfinishedDeliveries(route)
    const since = Math.min(file?.claimedAt ?? Infinity, delivery?.composedAt ?? Infinity)
    if (since !== Infinity) oldest.set(route, since)
  }
  return oldest
}
