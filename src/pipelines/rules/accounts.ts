/** Rules about who carries a shipment: the account is one of the order's, the method one of the account's or carrier's. */
import type { Facts } from '../../domain/journal.ts'
import type { Body } from '../operations/operation.ts'
import { callNames, type Carrier, type Named } from '../references/carriers.ts'
import { accountsIn } from '../references/dependent.ts'
import type { Broken } from './rule.ts'

/** Spec: "must be an id from the order's shipping_accounts", and the method "an id from that account's". */
export function accountRules(body: Body, order: Facts): Broken[] {
  const id = body['shipping_account_id']
  if (typeof id !== 'number' || !Array.isArray(order['shipping_accounts'])) return []
  const accounts = accountsIn(order)
  const account = accounts.find((each) => each.id === String(id))
  if (account === undefined) {
    const message = `shipping account ${id} is not one of the order's${listed(accounts)}`
    return [{ code: 'account-not-of-order', field: 'shipping_account_id', message }]
  }
  return methodRule(body, { word: 'shipping account', ...account })
}

/** Spec: modes A; the label exists, and the method is one of the carrier's. */
export function carrierRules(body: Body, carriers: readonly Carrier[]): Broken[] {
  const id = body['carrier_id']
  const carrier = carriers.find((each) => each.id === String(id))
  return typeof id !== 'number' || carrier === undefined
    ? []
    : methodRule(body, { word: 'carrier', ...carrier })
}

interface Owner extends Named {
  readonly word: string
  readonly methods: readonly Named[]
}

function methodRule(body: Body, { word, names, id, methods }: Owner): Broken[] {
  const method = String(body['shipping_method_id'])
  if (methods.length === 0 || methods.some((each) => each.id === method)) return []
  const message = `${word} ${names[0] ?? id} has no shipping method ${method}${listed(methods)}`
  return [{ code: 'method-not-allowed', field: 'shipping_method_id', message }]
}

function listed(items: readonly Named[]): string {
  return items.length === 0
    ? ''
    : `; there are ${items.map((item) => `${item.id} (${callNames([item])[0] ?? ''})`).join(', ')}`
}
