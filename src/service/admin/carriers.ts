/** Carriers with their shipping methods, and accounts of connections with them. Runs in the write queue. */
import { type Answer, answered, notFound } from '../http/answer.ts'
import { createFieldErrors, type FieldErrors } from '../http/field-errors.ts'
import type { Resources } from '../resources.ts'
import type { Store } from '../store/store.ts'
import type { CarrierCreate, ShippingAccountCreate } from './bodies.ts'

/** Answers the id alone: the directory shows the rest once it was read again. */
export function createCarrierMaking({ store, directory }: Resources): (body: CarrierCreate) => Answer {
  const isKnown = prepareIsKnown(store)
  const insertCarrier = store.inserter('carriers')
  const insertMethod = store.inserter('shipping_methods')
  return ({ name, code, shipping_methods }) => {
    const errors = createFieldErrors()
    if (isKnown(code)) errors.add(['code'], 'A carrier with this code already exists.')
    checkEachOnce(
      shipping_methods.map((method) => method.code),
      (index) => errors.add(['shipping_methods', index, 'code'], 'Another method has the same code.'),
    )
    for (const [index, { generic_id }] of shipping_methods.entries()) {
      if (typeof generic_id !== 'number' || directory.findRequestedMethod(generic_id) !== undefined) continue
      errors.add(
        ['shipping_methods', index, 'generic_id'],
        `Requested shipping method ${generic_id} does not exist.`,
      )
    }
    if (errors.any()) return errors.answer()
    const id = insertCarrier({ name, code })
    for (const method of shipping_methods) {
      const { type = null, generic_id = null } = method
      insertMethod({ carrier_id: id, name: method.name, code: method.code, type, generic_id })
    }
    return answered({ id }, 201)
  }
}

function prepareIsKnown({ build, prepare }: Store): (code: string) => boolean {
  const find = prepare((p: { code: string }) =>
    build.selectFrom('carriers').select('id').where('code', '=', p.code),
  )
  return (code) => find.first({ code }) !== undefined
}

/** Tells the place of every value that was there before. */
export function checkEachOnce(values: readonly (string | number)[], repeat: (index: number) => void): void {
  const seen = new Set<string | number>()
  for (const [index, value] of values.entries()) {
    if (seen.has(value)) repeat(index)
    seen.add(value)
  }
}

/** Answers the id alone: the directory shows the rest once it was read again. */
export function createShippingAccountMaking({ store, directory }: Resources) {
  const insert = createAccountInserter(store)
  const find = store.prepare((p: { id: number }) =>
    store.build.selectFrom('connections').select('id').where('id', '=', p.id),
  )
  return (connectionId: number, body: ShippingAccountCreate): Answer => {
    if (find.first({ id: connectionId }) === undefined) return notFound()
    const errors = createFieldErrors()
    if (directory.findCarrier(body.carrier_id) === undefined) {
      errors.add(['carrier_id'], `Carrier ${body.carrier_id} does not exist.`)
    } else {
      checkMethods(body.shipping_method_ids, errors, (id) =>
        directory.findMethod(id)?.carrier.id === body.carrier_id
          ? undefined
          : `Carrier ${body.carrier_id} has no shipping method ${id}.`,
      )
    }
    return errors.any() ? errors.answer() : answered({ id: insert(connectionId, body) }, 201)
  }
}

/** Every method is named once and nothing is wrong with it. */
export function checkMethods(
  ids: readonly number[],
  errors: FieldErrors,
  wrongWith: (id: number) => string | undefined,
): void {
  checkEachOnce(ids, (index) =>
    errors.add(['shipping_method_ids', index], 'Another entry names the same method.'),
  )
  for (const [index, id] of ids.entries()) {
    const wrong = wrongWith(id)
    if (wrong !== undefined) errors.add(['shipping_method_ids', index], wrong)
  }
}

function createAccountInserter({ inserter }: Store) {
  const insertAccount = inserter('shipping_accounts')
  const insertMethod = inserter('shipping_account_methods')
  return (connection_id: number, body: ShippingAccountCreate): number => {
    const { carrier_id, nickname, owner_type, shipping_method_ids } = body
    const id = insertAccount({ connection_id, carrier_id, nickname, owner_type })
    for (const shipping_method_id of shipping_method_ids) {
      insertMethod({ shipping_account_id: id, shipping_method_id })
    }
    return id
  }
}
