/** Everything that can happen, once: the resources that come of it, and their expected values. */
import type { World } from '../world.ts'
import { makeCatalogue, makeTerms } from './catalogue.ts'
import { makeFullOrder } from './full-order.ts'
import { makeBareOrders, makeCanceledOrder, makeUnlabelled } from './other-orders.ts'
import type { Sample } from './expected.ts'

/** No part changes what an earlier part made. */
export async function playStory(world: World): Promise<Sample[]> {
  return [
    ...(await makeFullOrder(world)),
    ...(await makeBareOrders(world)),
    ...(await makeCanceledOrder(world)),
    ...(await makeUnlabelled(world)),
    ...(await makeCatalogue(world)),
    ...(await makeTerms(world)),
  ]
}
