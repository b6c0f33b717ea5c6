/** What the endpoints of items do. */
import { ENDPOINTS, type EndpointName } from '../../contract/endpoints.ts'
import { answered, notFound } from '../http/answer.ts'
import { createFieldErrors } from '../http/field-errors.ts'
import { flagOf } from '../http/filters.ts'
import { type Handler, takes } from '../http/handling.ts'
import { createOwnership, type Reads } from '../reads.ts'
import type { Resources } from '../resources.ts'
import { LISTED } from '../store/listed.ts'
import type { Store } from '../store/store.ts'
import { normaliseVariant } from './spellings.ts'
import { createVariantWriting } from './writing.ts'

export function createVariantHandlers(resources: Resources, { answerList }: Reads) {
  return {
    ...createRetailerHandlers(resources, answerList),
    ...createBrandHandlers(resources, answerList),
  }
}

function createRetailerHandlers(resources: Resources, answerList: Reads['answerList']) {
  const { store, clock, variants } = resources
  const guarded = guardedBy(createOwnership(store, LISTED.retailerVariants))
  const { updateByRetailer } = createVariantWriting(resources)
  const acknowledge = prepareAcknowledge(store)
  const one: Handler = ({ party, id }) => answered(variants.retailer([id], party)[0])
  const { filters } = ENDPOINTS.listRetailerVariants
  return {
    listRetailerVariants: (call) =>
      answerList(call, { list: 'retailerVariants', ownerId: call.party, filters }, (ids) =>
        variants.retailer(ids, call.party),
      ),
    getRetailerVariant: guarded(one),
    updateRetailerVariant: guarded(
      takes(ENDPOINTS.updateRetailerVariant.request, updateByRetailer, normaliseVariant),
    ),
    /** Spec: not shown; a second time keeps the first time's acknowledged_at, and so does a change of the item. */
    acknowledgeVariant: guarded((call) => {
      acknowledge.run({ variant: call.id, retailer: call.party, now: clock.now() })
      return one(call)
    }),
  } satisfies Partial<Record<EndpointName, Handler>>
}

function createBrandHandlers(resources: Resources, answerList: Reads['answerList']) {
  const { store, variants } = resources
  const guarded = guardedBy(createOwnership(store, LISTED.brandVariants))
  const { create, updateByBrand } = createVariantWriting(resources)
  const { filters } = ENDPOINTS.listBrandVariants
  return {
    createVariant: takes(ENDPOINTS.createVariant.request, create, normaliseVariant),
    listBrandVariants: (call) => {
      // a wrong flag is refused by the list, which reads it once more
      const short = flagOf('short', call.query, createFieldErrors()) === 1
      return answerList(call, { list: 'brandVariants', ownerId: call.party, filters }, (ids) =>
        variants.brand(ids, short),
      )
    },
    getBrandVariant: guarded(({ id }) => answered(variants.brand([id], false)[0])),
    updateBrandVariant: guarded(takes(ENDPOINTS.updateBrandVariant.request, updateByBrand, normaliseVariant)),
  } satisfies Partial<Record<EndpointName, Handler>>
}

/** An item of another party is not found, whatever the body says. */
function guardedBy(isOwned: (party: number, id: number) => boolean): (handle: Handler) => Handler {
  return (handle) => (call) => (isOwned(call.party, call.id) ? handle(call) : notFound())
}

function prepareAcknowledge({ build, prepare }: Store) {
  return prepare((p: { variant: number; retailer: number; now: number }) =>
    build
      .updateTable('retailer_variants')
      .set({ acknowledged_at: p.now })
      .where('retailer_id', '=', p.retailer)
      .where('variant_id', '=', p.variant)
      .where('acknowledged_at', 'is', null),
  )
}
