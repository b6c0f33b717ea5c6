/** What an operator changes about an order. Runs in the write queue. */
import { type Answer, answered, notFound } from '../http/answer.ts'
import { createFieldErrors } from '../http/field-errors.ts'
import type { Resources } from '../resources.ts'
import type { Store } from '../store/store.ts'
import type { OrderChange } from './bodies.ts'

/** What is left out of the body stays as it is. */
export function createOrderChanging({ store, clock, directory, orders }: Resources) {
  const { find, save } = prepareStatements(store)
  return (id: number, body: OrderChange): Answer => {
    const order = find.first({ id })
    if (order === undefined) return notFound()
    const { retailer_order_number, pickup_on, requested_shipping_method_id: requested } = body
    if (requested !== undefined && directory.findRequestedMethod(requested) === undefined) {
      return refusal('requested_shipping_method_id', `Requested shipping method ${requested} does not exist.`)
    }
    save.run({
      ...order,
      ...(retailer_order_number === undefined ? {} : { retailer_order_number }),
      ...(pickup_on === undefined ? {} : { pickup_on: pickup_on === null ? null : Date.parse(pickup_on) }),
      // Spec: the requested method is "present when shipping_method is not specified"
      ...(requested === undefined
        ? {}
        : { requested_shipping_method_id: requested, shipping_method_id: null }),
      updated_at: clock.now(),
    })
    return answered(orders.retailer([id])[0])
  }
}

function refusal(field: string, message: string): Answer {
  const errors = createFieldErrors()
  errors.add([field], message)
  return errors.answer()
}

interface ChangedOrder {
  readonly id: number
  readonly retailer_order_number: string | null
  readonly pickup_on: number | null
  readonly shipping_method_id: number | null
  readonly requested_shipping_method_id: number | null
  readonly updated_at: number
}

function prepareStatements({ build, prepare }: Store) {
  return {
    find: prepare((p: { id: number }) =>
      build
        .selectFrom('orders')
        .select(['id', 'retailer_order_number', 'pickup_on', 'shipping_method_id'])
        .select(['requested_shipping_method_id', 'updated_at'])
        .where('id', '=', p.id),
    ),
    save: prepare((p: ChangedOrder) =>
      build
        .updateTable('orders')
        .set({
          retailer_order_number: p.retailer_order_number,
          pickup_on: p.pickup_on,
          shipping_method_id: p.shipping_method_id,
          requested_shipping_method_id: p.requested_shipping_method_id,
          updated_at: p.updated_at,
        })
        .where('id', '=', p.id),
    ),
  }
}
