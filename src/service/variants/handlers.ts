/** The handlers of items. */
import { type EndpointName, ENDPOINTS } from '../../contract/endpoints.ts'
import type { ServiceContext } from '../context.ts'
import { answerWith, gatherErrors } from '../http/answers.ts'
import { readFlag } from '../http/filters.ts'
import { type Handler, withBody } from '../http/handler.ts'
import { answerList } from '../http/lists.ts'
import { normaliseVariant } from '../http/normalization.ts'
import { ifOwned } from '../resources.ts'
import { createVariant, updateVariantByBrand, updateVariantByRetailer } from './changes.ts'
import { readBrandVariants, readRetailerVariants } from './views.ts'

export function createVariantHandlers(context: ServiceContext) {
  const { store, clock } = context
  const ofRetailer = (handle: Handler) => ifOwned(store, 'retailerVariants', handle)
  const ofBrand = (handle: Handler) => ifOwned(store, 'brandVariants', handle)
  const one: Handler = ({ party, id }) => answerWith(readRetailerVariants(context, [id], party)[0])
  return {
    listRetailerVariants: (call) => {
      const { filters } = ENDPOINTS.listRetailerVariants
      const read = (ids: readonly number[]) => readRetailerVariants(context, ids, call.party)
      return answerList(context, call, { list: 'retailerVariants', filters }, read)
    },
    getRetailerVariant: ofRetailer(one),
    updateRetailerVariant: ofRetailer(
      withBody(
        ENDPOINTS.updateRetailerVariant.request,
        (party, body, id) => updateVariantByRetailer(context, party, body, id),
        normaliseVariant,
      ),
    ),
    /** Spec: not shown; a second call keeps the first acknowledged_at, and so does a change of the item. */
    acknowledgeVariant: ofRetailer((call) => {
      const where = { retailer_id: call.party, variant_id: call.id, acknowledged_at: null }
      store.update('retailer_variants', where, { acknowledged_at: clock.now() })
      return one(call)
    }),
    createVariant: withBody(
      ENDPOINTS.createVariant.request,
      (party, body) => createVariant(context, party, body),
      normaliseVariant,
    ),
    listBrandVariants: (call) => {
      const { filters } = ENDPOINTS.listBrandVariants
      // the list reads the flag again and refuses a wrong one
      const short = readFlag('short', call.query, gatherErrors()) === 1
      const read = (ids: readonly number[]) => readBrandVariants(context, ids, short)
      return answerList(context, call, { list: 'brandVariants', filters }, read)
    },
    getBrandVariant: ofBrand(({ id }) => answerWith(readBrandVariants(context, [id], false)[0])),
    updateBrandVariant: ofBrand(
      withBody(
        ENDPOINTS.updateBrandVariant.request,
        (party, body, id) => updateVariantByBrand(context, party, body, id),
        normaliseVariant,
      ),
    ),
  } satisfies Partial<Record<EndpointName, Handler>>
}
