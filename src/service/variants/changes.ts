/** Creates and updates items and their stock by warehouse. Spec: "Variant create and update". Runs in the write queue. */
import { type AttributeCode, attributeRule, isAttributeCode } from '../../contract/attributes.ts'
import type { AttributeEntry, VariantCreate, VariantUpdate } from '../../contract/variant.ts'
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
import type { TradeDirectory } from '../trade/directory.ts'

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

// Reads the attribute changes of a body, and checks which party may set which attribute for whom.

export interface AttributeChange {
  /** The index of its entry in the body. */
  readonly index: number
  readonly code: AttributeCode
  /** Null takes the value away. */
  readonly value: string | null
  /** 0 for a value that is for all. */
  readonly retailerId: number
}

/** `retailer` is undefined where the entry names no retailer. */
type ReadEntry = Omit<AttributeChange, 'retailerId'> & { readonly retailer: number | undefined }

/** Reads the changes that the brand may make; adds errors for others. */
export function readBrandChanges(
  entries: readonly AttributeEntry[],
  { brandId, directory }: { brandId: number; directory: TradeDirectory },
  errors: FieldErrors,
): AttributeChange[] {
  const refuse = (code: AttributeCode, retailer: number | undefined): string | undefined => {
    if (retailer === undefined) {
      return attributeRule(code).isPerRetailer
        ? `${code} is for one retailer, which must be named.`
        : undefined
    }
    if (isSameForAll(code)) return `${code} is the same for all retailers.`
    const isConnected = directory.findConnection(retailer, brandId) !== undefined
    return isConnected ? undefined : `The brand has no connection with retailer ${retailer}.`
  }
  return readEntries(entries, errors).flatMap(({ retailer, ...entry }) => {
    const refusal = refuse(entry.code, retailer)
    if (refusal === undefined) return [{ ...entry, retailerId: retailer ?? 0 }]
    errors.add(['attributes', entry.index, 'retailer'], refusal)
    return []
  })
}

/** Reads the changes a retailer may make, for itself only; adds errors for others. It may repeat the identifier. */
export function readRetailerChanges(
  entries: readonly AttributeEntry[],
  { retailerId, identifier }: { retailerId: number; identifier: string },
  errors: FieldErrors,
): AttributeChange[] {
  const seen = new Set<AttributeCode>()
  return readEntries(entries, errors).flatMap(({ retailer = retailerId, ...entry }) => {
    const at = ['attributes', entry.index] as const
    if (retailer !== retailerId) {
      errors.add([...at, 'retailer'], `A retailer sets values for itself only, not for retailer ${retailer}.`)
      return []
    }
    if (seen.has(entry.code)) {
      errors.add([...at, 'attribute', 'code'], `${entry.code} is given more than once.`)
      return []
    }
    seen.add(entry.code)
    if (entry.code === 'identifier' && entry.value === identifier) return []
    if (isSameForAll(entry.code) || entry.code === 'cost') {
      errors.add([...at, 'attribute', 'code'], `${entry.code} is set by the supplier.`)
      return []
    }
    return [{ ...entry, retailerId }]
  })
}

/** Whether all retailers share the supplier's value. Spec: shown only for the identifier. */
function isSameForAll(code: AttributeCode): boolean {
  return SHARED.has(code) || attributeRule(code).type === 'image'
}

const SHARED: ReadonlySet<AttributeCode> = new Set(['identifier', 'upc', 'inventory', 'lead_time', 'cartons'])

/** The ranges of numbers. Spec: not shown. */
const RANGES: { readonly [Code in AttributeCode]?: readonly [min: number, max: number] } = {
  cartons: [1, 20],
  lead_time: [0, 999],
}

/** Numbers and booleans become their text. */
function readEntries(entries: readonly AttributeEntry[], errors: FieldErrors): ReadEntry[] {
  return entries.flatMap(({ attribute: { code }, value: given, retailer }, index) => {
    if (!isAttributeCode(code)) return []
    const value = given === null ? null : String(given)
    const [min, max] = RANGES[code] ?? []
    if (
      value !== null &&
      min !== undefined &&
      max !== undefined &&
      !(Number(value) >= min && Number(value) <= max)
    ) {
      errors.add(['attributes', index, 'value'], `${code} must be from ${min} to ${max}.`)
    }
    return [{ index, code, value, retailer: retailer?.id }]
  })
}

// Retailer SKUs: each names one item of a retailer.

/** Adds errors of the SKUs among the changes; the retailers are those the item is offered to. */
export function checkSkus(
  store: Store,
  changes: readonly AttributeChange[],
  { variantId, isOffered }: { variantId?: number; isOffered: (retailerId: number) => boolean },
  errors: FieldErrors,
): void {
  for (const { index, code, value, retailerId } of changes) {
    if (code !== 'retailer_sku') continue
    // Spec: not shown; an item that a retailer may not sell yet gets no retailer SKU
    if (!isOffered(retailerId)) {
      errors.add(['attributes', index, 'retailer'], `The item is not offered to retailer ${retailerId} yet.`)
    }
    const taken =
      value === null ? undefined : store.find('retailer_variants', { retailer_id: retailerId, sku: value })
    if (taken !== undefined && taken.variant_id !== variantId) {
      errors.add(['attributes', index, 'value'], 'A variant with this retailer_sku already exists.')
    }
  }
}
