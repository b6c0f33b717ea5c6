/** Files that were taken and are not finished: how many records still need something, and why. */
import type { Configuration } from '../config/configuration.ts'
import { FILE_STATES, type Journal } from '../domain/journal.ts'
import { holderInWords } from '../domain/lease.ts'
import { OPEN_STATES, type UnfinishedFile } from '../domain/snapshot.ts'
import { isHolderAlive } from './holder.ts'

/** So many troubled records of a file are looked through for a reason. */
const LOOKED_THROUGH = 1000

/** Oldest first, route by route; those that only wait for their orders need nobody and are not among them. */
export async function unfinishedFiles(
  journal: Journal,
  { routes }: Configuration,
  limit: number,
): Promise<UnfinishedFile[]> {
  const found: UnfinishedFile[] = []
  for (const route of await journal.unfinishedRoutes()) {
    const worker = await workerOf(journal, route)
    for (const { id, name, state } of await journal.unfinishedFiles(route)) {
      if (found.length >= limit) return found
      if (await journal.onlyWaits(id)) continue
      found.push({
        route,
        file: id,
        name,
        state,
        next: FILE_STATES[state],
        records: state === 'planned' ? await openRecords(journal, id) : [],
        ...(worker === undefined ? {} : { worker }),
        isRouteKnown: routes.some((each) => each.name === route),
      })
    }
  }
  return found
}

/** In words; undefined when nobody is, or whoever was is gone. */
async function workerOf(journal: Journal, route: string): Promise<string | undefined> {
  const held = await journal.holderOf(route)
  return held !== undefined && isHolderAlive(held.holder) ? holderInWords(held.holder) : undefined
}

async function openRecords(journal: Journal, file: string): Promise<UnfinishedFile['records']> {
  const counts = await journal.countRecords({ file })
  const states = OPEN_STATES.filter((state) => (counts[state] ?? 0) > 0)
  const troubled = await journal.troubledRecords({ file }, LOOKED_THROUGH)
  return states.map((state) => {
    const why = troubled.find((record) => record.state === state)?.problems[0]?.message
    return { state, count: counts[state] ?? 0, ...(why === undefined ? {} : { why }) }
  })
}
