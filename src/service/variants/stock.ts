/** Stock by warehouse. Spec: locations are "empty unless supplied by warehouse"; how they are supplied is not shown. */
import type { Store } from '../store/store.ts'

export interface LocationStock {
  /** Of the warehouse. */
  readonly code: string
  readonly inventory: number
}

/** What an answer can show of an item. */
const LARGEST_INVENTORY = 2_147_483_647

/**
 * Sets the stock of an item to these warehouses and no others, and its inventory to their sum. Says what is wrong with
 * them instead, and changes nothing. Runs in the write queue.
 */
export type SetStock = (
  variantId: number,
  locations: readonly LocationStock[],
  now: number,
) => string | undefined

export function createSetStock(store: Store): SetStock {
  const clear = prepareClearStock(store)
  const insert = store.inserter('variant_stock')
  const setInventory = prepareSetInventory(store)
  return (id, locations, now) => {
    const inventory = locations.reduce((sum, { inventory: held }) => sum + held, 0)
    if (inventory > LARGEST_INVENTORY) return `The warehouses hold more than ${LARGEST_INVENTORY} together.`
    const codes = new Set(locations.map(({ code }) => code))
    if (codes.size < locations.length) return 'A warehouse is given more than once.'
    clear.run({ id })
    for (const { code, inventory: held } of locations) {
      insert({ variant_id: id, location: code, inventory: held, updated_at: now })
    }
    setInventory.run({ id, inventory, now })
    return undefined
  }
}

/** Forgets the warehouses of an item. */
export function prepareClearStock({ build, prepare }: Store) {
  return prepare((p: { id: number }) => build.deleteFrom('variant_stock').where('variant_id', '=', p.id))
}

function prepareSetInventory({ build, prepare }: Store) {
  return prepare((p: { id: number; inventory: number; now: number }) =>
    build
      .updateTable('variants')
      .set({ inventory: p.inventory, inventory_updated_at: p.now, updated_at: p.now })
      .where('id', '=', p.id),
  )
}
