/** Everything that can happen, reported once: the resources that come of it, and what they must show. */
import type { World } from '../world.ts'
import { makeCatalogue, makeTerms } from './catalogue.ts'
import { makeFullOrder } from './full-order.ts'
import { makeBareOrders, makeCanceledOrder, makeUnlabelled } from './other-orders.ts'
import type { Sample } from './telling.ts'

/** Each part leaves alone what the parts before it made. */
export async function tellStory(world: World): Promise<Sample[]> {
  return [
    ...(await makeFullOrder(world)),
    ...(await makeBareOrders(world)),
    ...(await makeCanceledOrder(world)),
    ...(await makeUnlabelled(world)),
    ...(await makeCatalogue(world)),
    ...(await makeTerms(world)),
  ]
}
