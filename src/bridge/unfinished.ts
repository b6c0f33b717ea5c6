/** Files and deliveries that were begun and are not finished: how many records still need something, and why. */
import type { Configuration } from '../config/configuration.ts'
import { DELIVERY_STATES, FILE_STATES, type Journal, type WorkOf } from '../domain/journal.ts'
import { holderInWords } from '../domain/lease.ts'
import { OPEN_STATES, type Unfinished } from '../domain/snapshot.ts'
import { isAwaited } from '../pipelines/outbound/pick-ups.ts'
import { isHolderAlive } from './holder.ts'

/** So many troubled records of a file are looked through for a reason. */
const LOOKED_THROUGH = 1000

/** Oldest first, route by route; those that only wait for their orders, or to be taken, are not among them. */
export async function unfinishedWork(
  journal: Journal,
  { routes }: Configuration,
  limit: number,
): Promise<Unfinished[]> {
  const found: Unfinished[] = []
  for (const name of await journal.unfinishedRoutes()) {
    const worker = await workerOf(journal, name)
    const route = routes.find((each) => each.name === name)
    const of = {
      route: name,
      ...(worker === undefined ? {} : { worker }),
      isRouteKnown: route !== undefined,
    }
    for (const { id, name, state } of await journal.unfinishedFiles(of.route)) {
      if (found.length >= limit) return found
      if (await journal.onlyWaits(id)) continue
      const records = state === 'planned' ? await openRecords(journal, { file: id }) : []
      found.push({ ...of, file: id, name, state, next: FILE_STATES[state], records })
    }
    for (const delivery of await journal.unfinishedDeliveries(of.route)) {
      if (found.length >= limit) return found
      if (route?.direction === 'outbound' && isAwaited({ route }, delivery)) continue
      const { id, name, state } = delivery
      const records = state === 'delivered' ? await openRecords(journal, { delivery: id }) : []
      found.push({ ...of, delivery: id, name, state, next: DELIVERY_STATES[state], records })
    }
  }
  return found
}

/** In words; undefined when nobody is, or whoever was is gone. */
async function workerOf(journal: Journal, route: string): Promise<string | undefined> {
  const held = await journal.holderOf(route)
  return held !== undefined && isHolderAlive(held.holder) ? holderInWords(held.holder) : undefined
}

async function openRecords(journal: Journal, work: WorkOf): Promise<Unfinished['records']> {
  const counts = await journal.countRecords(work)
  const states = OPEN_STATES.filter((state) => (counts[state] ?? 0) > 0)
  const troubled = await journal.troubledRecords(work, LOOKED_THROUGH)
  return states.map((state) => {
    const why = troubled.find((record) => record.state === state)?.problems[0]?.message
    return { state, count: counts[state] ?? 0, ...(why === undefined ? {} : { why }) }
  })
}
