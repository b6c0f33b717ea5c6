/** How items are made and changed. Spec: "Variant create and update". Runs in the write queue. */
import type { VariantCreate, VariantUpdate } from '../../contract/catalog.ts'
import type { Clock } from '../../support/clock.ts'
import { assert } from '../../support/errors.ts'
import type { Directory } from '../directory.ts'
import { type Answer, answered } from '../http/answer.ts'
import { createFieldErrors, type FieldErrors } from '../http/field-errors.ts'
import type { Store } from '../store/store.ts'
import { type AttributeChange, brandChanges, retailerChanges } from './changes.ts'
import type { StoredVariant } from './columns.ts'
import { createOffering, createOpenRetailers } from './offering.ts'
import { createVariantSaver } from './saving.ts'
import { createSkuCheck } from './skus.ts'
import type { VariantReader } from './views.ts'

/** The items to be changed belong to the brand, or are offered to the retailer: that has been looked at. */
export interface VariantWriting {
  readonly create: (brandId: number, body: VariantCreate) => Answer
  readonly updateByBrand: (brandId: number, body: VariantUpdate, id: number) => Answer
  readonly updateByRetailer: (retailerId: number, body: VariantUpdate, id: number) => Answer
}

export interface VariantWritingParts {
  readonly store: Store
  readonly directory: Directory
  readonly clock: Clock
  readonly variants: VariantReader
}

export function createVariantWriting({
  store,
  directory,
  clock,
  variants,
}: VariantWritingParts): VariantWriting {
  const find = prepareFind(store)
  const isTaken = prepareIsTaken(store)
  const offering = createOffering(store)
  const openRetailersOf = createOpenRetailers(store, directory)
  const saver = createVariantSaver(store)
  const checkSkus = createSkuCheck(store)

  return {
    create: (brandId, { attributes }) => {
      const errors = createFieldErrors()
      const changes = brandChanges(attributes, { brandId, directory }, errors)
      const retailers = openRetailersOf(brandId)
      checkSkus(changes, { variantId: 0, isOffered: (retailer) => retailers.includes(retailer) }, errors)
      const identifier = changes.find(({ code }) => code === 'identifier')
      if (identifier !== undefined && isTaken(brandId, identifier.value ?? '')) {
        refuseValue(identifier, 'A variant with this identifier already exists.', errors)
      }
      if (errors.any()) return errors.answer()
      assert(typeof identifier?.value === 'string', 'an item without an identifier has passed the contract')
      const now = clock.now()
      const variant = saver.insert({ brandId, identifier: identifier.value, now })
      offering.offerToRetailers(variant.id, retailers)
      saver.save(variant, changes, now)
      return answered(variants.brand([variant.id], false)[0], 201)
    },
    updateByBrand: (brandId, { attributes }, id) => {
      const errors = createFieldErrors()
      const variant = existing(find.first({ id }))
      const changes = brandChanges(attributes, { brandId, directory }, errors)
      checkSkus(changes, { variantId: id }, errors)
      const identifier = changes.find(({ code }) => code === 'identifier')
      if (identifier !== undefined && identifier.value !== variant.identifier) {
        refuseValue(identifier, `The identifier cannot be changed; it is "${variant.identifier}".`, errors)
      }
      if (errors.any()) return errors.answer()
      saver.save(variant, changes, clock.now())
      return answered(variants.brand([id], false)[0])
    },
    updateByRetailer: (retailerId, { attributes }, id) => {
      const errors = createFieldErrors()
      const variant = existing(find.first({ id }))
      const { identifier } = variant
      const changes = retailerChanges(attributes, { retailerId, identifier }, errors)
      checkSkus(changes, { variantId: id }, errors)
      if (errors.any()) return errors.answer()
      saver.save(variant, changes, clock.now())
      return answered(variants.retailer([id], retailerId)[0])
    },
  }
}

function refuseValue({ index }: AttributeChange, message: string, errors: FieldErrors): void {
  errors.add(['attributes', index, 'value'], message)
}

function existing(variant: StoredVariant | undefined): StoredVariant {
  assert(variant !== undefined, 'an item that was just found is gone')
  return variant
}

function prepareFind({ build, prepare }: Store) {
  return prepare((p: { id: number }) => build.selectFrom('variants').selectAll().where('id', '=', p.id))
}

/** Spec: the identifier is "unique across the supplier's variants". */
function prepareIsTaken({ build, prepare }: Store): (brand: number, identifier: string) => boolean {
  const find = prepare((p: { brand: number; identifier: string }) =>
    build
      .selectFrom('variants')
      .select('id')
      .where('brand_id', '=', p.brand)
      .where('identifier', '=', p.identifier),
  )
  return (brand, identifier) => find.first({ brand, identifier }) !== undefined
}
