/** Creates and updates items and their stock by warehouse. Spec: "Variant create and update". Runs in the write queue. */
import type { AttributeCode } from '../../contract/attributes.ts'
import type { VariantCreate, VariantUpdate } from '../../contract/variant.ts'
import { assert } from '../../support/errors.ts'
import type { ServiceContext } from '../endpoints.ts'
import {
  type Answer,
  answerWith,
  type FieldErrors,
  gatherErrors,
  refuseField,
  refuseNotFound,
} from '../http/answers.ts'
import { build, type Store } from '../store/store.ts'
import { type AttributeChange, checkSkus, readBrandChanges, readRetailerChanges } from './attribute-rules.ts'
import {
  computeMerchandising,
  EMPTY_COLUMNS,
  isColumn,
  listOpenRetailers,
  offerToRetailers,
  readColumnValues,
  setColumn,
  type StoredVariant,
} from './columns.ts'
import { readBrandVariants, readRetailerVariants } from './views.ts'
import type { StockChange } from '../admin/schemas.ts'

export function createVariant(context: ServiceContext, brandId: number, { attributes }: VariantCreate) {
  const { store, directory, clock } = context
  const errors = gatherErrors()
  const changes = readBrandChanges(attributes, { brandId, directory }, errors)
  const retailers = listOpenRetailers(context, brandId)
  checkSkus(store, changes, { isOffered: (retailer) => retailers.includes(retailer) }, errors)
  const identifier = changes.find(({ code }) => code === 'identifier')
  // Spec: the identifier is "unique across the supplier's variants"
  if (
    identifier !== undefined &&
    store.find('variants', { brand_id: brandId, identifier: identifier.value ?? '' }) !== undefined
  ) {
    refuseValue(identifier, 'A variant with this identifier already exists.', errors)
  }
  if (errors.hasErrors()) return errors.toAnswer()
  assert(typeof identifier?.value === 'string', 'an item without an identifier has passed the contract')
  const now = clock.now()
  const id = store.insert('variants', {
    brand_id: brandId,
    identifier: identifier.value,
    ...EMPTY_COLUMNS,
    ...computeMerchandising(new Set(['identifier'])),
    created_at: now,
    updated_at: now,
  })
  offerToRetailers(store, id, retailers)
  saveVariant(store, getVariant(store, id), changes, now)
  return answerWith(readBrandVariants(context, [id], false)[0], 201)
}

/** The item is known to belong to the brand. */
export function updateVariantByBrand(
  context: ServiceContext,
  brandId: number,
  { attributes }: VariantUpdate,
  id: number,
): Answer {
  const { store, directory, clock } = context
  const errors = gatherErrors()
  const variant = getVariant(store, id)
  const changes = readBrandChanges(attributes, { brandId, directory }, errors)
  checkSkus(store, changes, offersOf(store, id), errors)
  const identifier = changes.find(({ code }) => code === 'identifier')
  if (identifier !== undefined && identifier.value !== variant.identifier) {
    refuseValue(identifier, `The identifier cannot be changed; it is "${variant.identifier}".`, errors)
  }
  if (errors.hasErrors()) return errors.toAnswer()
  saveVariant(store, variant, changes, clock.now())
  return answerWith(readBrandVariants(context, [id], false)[0])
}

/** The item is known to be offered to the retailer. */
export function updateVariantByRetailer(
  context: ServiceContext,
  retailerId: number,
  { attributes }: VariantUpdate,
  id: number,
): Answer {
  const { store, clock } = context
  const errors = gatherErrors()
  const variant = getVariant(store, id)
  const changes = readRetailerChanges(attributes, { retailerId, identifier: variant.identifier }, errors)
  checkSkus(store, changes, offersOf(store, id), errors)
  if (errors.hasErrors()) return errors.toAnswer()
  saveVariant(store, variant, changes, clock.now())
  return answerWith(readRetailerVariants(context, [id], retailerId)[0])
}

function getVariant(store: Store, id: number): StoredVariant {
  const variant = store.find('variants', { id })
  assert(variant !== undefined, 'an item that was just found is gone')
  return variant
}

function offersOf(store: Store, variantId: number) {
  const isOffered = (retailerId: number) =>
    store.find('retailer_variants', { retailer_id: retailerId, variant_id: variantId }) !== undefined
  return { variantId, isOffered }
}

function refuseValue({ index }: AttributeChange, message: string, errors: FieldErrors): void {
  errors.add(['attributes', index, 'value'], message)
}

/** The codes that change often and affect no flags. */
const CODES_WITHOUT_FLAGS: ReadonlySet<AttributeCode> = new Set(['inventory', 'lead_time', 'cost'])

/** Stores checked attribute values as columns or rows, and the flags derived from them. */
function saveVariant(store: Store, variant: StoredVariant, changes: readonly AttributeChange[], now: number) {
  const general = changes.filter(({ retailerId }) => retailerId === 0)
  for (const change of changes) {
    if (change.retailerId !== 0 || !isColumn(change.code)) saveValue(store, variant.id, change)
  }
  let changed = { ...variant, updated_at: now }
  for (const { code, value } of general) changed = setColumn(changed, code, value)
  if (general.some(({ code }) => code === 'inventory')) {
    changed.inventory_updated_at = now
    store.remove('variant_stock', { variant_id: variant.id })
  }
  if (general.some(({ code }) => !CODES_WITHOUT_FLAGS.has(code))) {
    const rowCodes = store.rows(generalCodes, { id: variant.id }).map(({ code }) => code)
    const columns = readColumnValues(changed).map(([code]) => code)
    changed = { ...changed, ...computeMerchandising(new Set<string>([...rowCodes, ...columns])) }
  }
  const { id, in_stock: _generated, ...columns } = changed
  store.update('variants', { id }, columns)
}

/** Saves a value that is not a column of the item. */
function saveValue(store: Store, variant_id: number, { code, value, retailerId }: AttributeChange): void {
  const key = { variant_id, retailer_id: retailerId }
  if (code === 'retailer_sku') store.update('retailer_variants', key, { sku: value })
  else {
    store.remove('variant_attributes', { ...key, code })
    if (value !== null) store.insert('variant_attributes', { ...key, code, value })
  }
}

const generalCodes = (p: { id: number }) =>
  build
    .selectFrom('variant_attributes')
    .select('code')
    .where('variant_id', '=', p.id)
    .where('retailer_id', '=', 0)

// Stock by warehouse. Spec: "empty unless supplied by warehouse". Runs in the write queue.

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
