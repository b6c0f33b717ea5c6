/** Stock by warehouse. Spec: "empty unless supplied by warehouse". Runs in the write queue. */
import type { StockChange } from '../admin/schemas.ts'
import type { ServiceContext } from '../context.ts'
import { type Answer, answerWith, refuseField, refuseNotFound } from '../http/answers.ts'
import type { Store } from '../store/store.ts'
import { readBrandVariants } from './views.ts'

/** The largest inventory that an answer can show. */
const MAX_INVENTORY = 2_147_483_647

/** Sets the stock to these warehouses, and the inventory to their sum; or returns an error. */
export function setStock(store: Store, id: number, locations: StockChange['locations'], now: number) {
  const inventory = locations.reduce((sum, location) => sum + location.inventory, 0)
  if (inventory > MAX_INVENTORY) return `The warehouses hold more than ${MAX_INVENTORY} together.`
  const codes = new Set(locations.map(({ code }) => code))
  if (codes.size < locations.length) return 'A warehouse is given more than once.'
  store.remove('variant_stock', { variant_id: id })
  for (const { code, inventory: held } of locations) {
    store.insert('variant_stock', { variant_id: id, location: code, inventory: held, updated_at: now })
  }
  store.update('variants', { id }, { inventory, inventory_updated_at: now, updated_at: now })
  return undefined
}

/** An administrator sets the stock of an item. */
export function changeStock(context: ServiceContext, id: number, { locations }: StockChange): Answer {
  const { store, clock } = context
  if (store.find('variants', { id }) === undefined) return refuseNotFound()
  const wrong = setStock(store, id, locations, clock.now())
  if (wrong !== undefined) return refuseField(['locations', 'non_field_errors'], wrong)
  return answerWith(readBrandVariants(context, [id], false)[0])
}
