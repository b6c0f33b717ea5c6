/** Puts the values of attributes where they are kept, and what follows from them. Runs in the write queue. */
import type { AttributeCode } from '../../contract/attributes.ts'
import type { Store } from '../store/store.ts'
import type { AttributeChange } from './changes.ts'
import { columnValues, emptyColumns, isColumn, type StoredVariant, withColumn } from './columns.ts'
import { merchandisingOf } from './merchandising.ts'
import { prepareClearStock } from './stock.ts'

type Change = Omit<AttributeChange, 'index'>

export interface VariantSaver {
  /** A new item that has nothing but its identifier yet. */
  insert(item: { readonly brandId: number; readonly identifier: string; readonly now: number }): StoredVariant
  /** The changes have been found right: the item is offered to the retailers whose SKU they set. */
  save(variant: StoredVariant, changes: readonly Change[], now: number): void
}

export function createVariantSaver(store: Store): VariantSaver {
  const insert = store.inserter('variants')
  const saveColumns = prepareSaveColumns(store)
  const saveValue = createValueSaver(store)
  const clearStock = prepareClearStock(store)
  const generalCodes = prepareGeneralCodes(store)

  function save(variant: StoredVariant, changes: readonly Change[], now: number): void {
    const general = changes.filter(({ retailerId }) => retailerId === 0)
    for (const change of changes) {
      if (change.retailerId !== 0 || !isColumn(change.code)) saveValue(variant.id, change)
    }
    let changed = { ...variant, updated_at: now }
    for (const { code, value } of general) changed = withColumn(changed, code, value)
    if (general.some(({ code }) => code === 'inventory')) {
      changed.inventory_updated_at = now
      clearStock.run({ id: variant.id })
    }
    if (general.some(({ code }) => !QUICK.has(code))) {
      const others = generalCodes.all({ id: variant.id }).map(({ code }) => code)
      const columns = columnValues(changed).map(([code]) => code)
      changed = { ...changed, ...merchandisingOf(new Set<string>([...others, ...columns])) }
    }
    saveColumns.run(changed)
  }

  return {
    insert: ({ brandId, identifier, now }) => {
      const row = {
        brand_id: brandId,
        identifier,
        ...emptyColumns(),
        ...merchandisingOf(new Set(['identifier'])),
        created_at: now,
        updated_at: now,
      }
      return { ...row, id: insert(row) }
    },
    save,
  }
}

/** What changes all day long, and nothing follows from. */
const QUICK: ReadonlySet<AttributeCode> = new Set(['inventory', 'lead_time', 'cost'])

function prepareSaveColumns({ build, prepare }: Store) {
  return prepare((p: StoredVariant) =>
    build
      .updateTable('variants')
      .set({
        upc: p.upc,
        name: p.name,
        description: p.description,
        parent_identifier: p.parent_identifier,
        parent_name: p.parent_name,
        size: p.size,
        color: p.color,
        inventory: p.inventory,
        inventory_updated_at: p.inventory_updated_at,
        lead_time_days: p.lead_time_days,
        cartons: p.cartons,
        has_images: p.has_images,
        has_shipping: p.has_shipping,
        meets_publish_rules: p.meets_publish_rules,
        updated_at: p.updated_at,
      })
      .where('id', '=', p.id),
  )
}

interface ValueKey {
  readonly id: number
  readonly retailer: number
  readonly code: string
}

/** For values that are no columns of the item. */
function createValueSaver({ build, prepare }: Store): (variantId: number, change: Change) => void {
  const put = prepare((p: ValueKey & { value: string }) =>
    build
      .insertInto('variant_attributes')
      .values({ variant_id: p.id, retailer_id: p.retailer, code: p.code, value: p.value })
      .onConflict((conflict) =>
        conflict.columns(['variant_id', 'retailer_id', 'code']).doUpdateSet({ value: p.value }),
      ),
  )
  const take = prepare((p: ValueKey) =>
    build
      .deleteFrom('variant_attributes')
      .where('variant_id', '=', p.id)
      .where('retailer_id', '=', p.retailer)
      .where('code', '=', p.code),
  )
  const setSku = prepare((p: { id: number; retailer: number; sku: string | null }) =>
    build
      .updateTable('retailer_variants')
      .set({ sku: p.sku })
      .where('retailer_id', '=', p.retailer)
      .where('variant_id', '=', p.id),
  )
  return (id, { code, value, retailerId: retailer }) => {
    if (code === 'retailer_sku') setSku.run({ id, retailer, sku: value })
    else if (value === null) take.run({ id, retailer, code })
    else put.run({ id, retailer, code, value })
  }
}

function prepareGeneralCodes({ build, prepare }: Store) {
  return prepare((p: { id: number }) =>
    build
      .selectFrom('variant_attributes')
      .select('code')
      .where('variant_id', '=', p.id)
      .where('retailer_id', '=', 0),
  )
}
