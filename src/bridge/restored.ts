/** Declaring that the journal was restored: what the mailboxes tell goes into it, and the mark is written anew. */
import type { NewRestoration, Restored } from '../domain/restoring.ts'
import { isHolderAlive } from './holder.ts'
import { highestAtTarget } from './witnesses.ts'
import type { Workshop } from './workshop.ts'

export type RestoredRequest = Pick<NewRestoration, 'by' | 'why' | 'skip' | 'dryRun'>

/** Throws `lease-held` while a bridge is at work. */
export async function declareRestored(shop: Workshop, request: RestoredRequest): Promise<Restored> {
  const { journal, configuration } = shop
  const routes: NewRestoration['routes'][number][] = []
  for (const route of configuration.routes) {
    const { name, direction } = route
    const highest = route.direction === 'outbound' ? await highestAtTarget(shop, route) : undefined
    routes.push({ name, direction, ...(highest === undefined ? {} : { highest }) })
  }
  const restored = await journal.declareRestored({ ...request, routes, isAlive: isHolderAlive })
  if (!request.dryRun) await shop.age.declared()
  return restored
}
