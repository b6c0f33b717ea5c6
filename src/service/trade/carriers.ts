/** Creates carriers with their shipping methods, and shipping accounts. Runs in the write queue. */
import type { CarrierCreate, ShippingAccountCreate } from '../admin/schemas.ts'
import type { ServiceContext } from '../endpoints.ts'
import type { Store } from '../store/store.ts'
import { type Answer, answerWith, gatherErrors, type FieldErrors, refuseNotFound } from '../http/answers.ts'

/** Answers only the id: the caller shows the rest from the refreshed directory. */
export function createCarrier({ store, directory }: ServiceContext, body: CarrierCreate): Answer {
  const { name, code, shipping_methods } = body
  const errors = gatherErrors()
  if (store.find('carriers', { code }) !== undefined) {
    errors.add(['code'], 'A carrier with this code already exists.')
  }
  reportRepeatedValues(
    shipping_methods.map((method) => method.code),
    (index) => errors.add(['shipping_methods', index, 'code'], 'Another method has the same code.'),
  )
  for (const [index, { generic_id }] of shipping_methods.entries()) {
    if (typeof generic_id !== 'number' || directory.findRequestedMethod(generic_id) !== undefined) continue
    const message = `Requested shipping method ${generic_id} does not exist.`
    errors.add(['shipping_methods', index, 'generic_id'], message)
  }
  if (errors.hasErrors()) return errors.toAnswer()
  const id = store.insert('carriers', { name, code })
  for (const method of shipping_methods) {
    const { type = null, generic_id = null } = method
    store.insert('shipping_methods', { ...method, carrier_id: id, type, generic_id })
  }
  return answerWith({ id }, 201)
}

function reportRepeatedValues(values: readonly (string | number)[], repeat: (index: number) => void): void {
  const seen = new Set<string | number>()
  for (const [index, value] of values.entries()) {
    if (seen.has(value)) repeat(index)
    seen.add(value)
  }
}

/** Answers only the id: the caller shows the rest from the refreshed directory. */
export function createShippingAccount(
  { store, directory }: ServiceContext,
  connection_id: number,
  body: ShippingAccountCreate,
): Answer {
  if (store.find('connections', { id: connection_id }) === undefined) return refuseNotFound()
  const errors = gatherErrors()
  const { carrier_id, shipping_method_ids } = body
  if (directory.findCarrier(carrier_id) === undefined) {
    errors.add(['carrier_id'], `Carrier ${carrier_id} does not exist.`)
  } else {
    checkShippingMethods(shipping_method_ids, errors, (id) =>
      directory.findMethod(id)?.carrier.id === carrier_id
        ? undefined
        : `Carrier ${carrier_id} has no shipping method ${id}.`,
    )
  }
  if (errors.hasErrors()) return errors.toAnswer()
  return answerWith({ id: insertShippingAccount(store, connection_id, body) }, 201)
}

/** Stores a shipping account with its methods, under its own id if it has one. */
export function insertShippingAccount(
  store: Store,
  connection_id: number,
  { shipping_method_ids, ...account }: ShippingAccountCreate,
  own: { id?: number } = {},
): number {
  const id = store.insert('shipping_accounts', { ...own, ...account, connection_id })
  for (const shipping_method_id of shipping_method_ids) {
    store.insert('shipping_account_methods', { shipping_account_id: id, shipping_method_id })
  }
  return id
}

/** Checks that every method is named once and without errors. */
export function checkShippingMethods(
  ids: readonly number[],
  errors: FieldErrors,
  wrongWith: (id: number) => string | undefined,
): void {
  reportRepeatedValues(ids, (index) =>
    errors.add(['shipping_method_ids', index], 'Another entry names the same method.'),
  )
  for (const [index, id] of ids.entries()) {
    const wrong = wrongWith(id)
    if (wrong !== undefined) errors.add(['shipping_method_ids', index], wrong)
  }
}
