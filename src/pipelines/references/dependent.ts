/** References that depend on others: a method on its carrier or account, an account on its order. */
import type { Facts, KnownResource } from '../../domain/journal.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import type { Draft, Reference } from '../../domain/translator.ts'
import { callNames, type Carrier, type Named, namedOf, pick } from './carriers.ts'
import { placeOf, unpicked } from './unresolved.ts'

/** What is known when they are resolved. */
export interface Surroundings {
  readonly order: KnownResource | undefined
  readonly carriers: readonly Carrier[]
}

interface Account extends Named {
  readonly methods: readonly Named[]
}

/** What stands in a file for the only account that fits. */
const ANY = 'any'

/** Adds the ids of carrier, account and method, in this order, or what is wrong with them. */
export function resolveDependent(
  draft: Draft,
  ids: Record<string, number>,
  { order, carriers }: Surroundings,
): Problem[] {
  const named = (kind: string) => draft.references.find((reference) => reference.kind === kind)
  const problems: Problem[] = []
  const take = (reference: Reference, found: Named | Problem | undefined) => {
    if (found === undefined) return
    if ('code' in found) problems.push(found)
    else ids[reference.field] = Number(found.id)
  }
  const [carrier, account, method] = ['carrier', 'shipping-account', 'shipping-method'].map(named)
  if (carrier) take(carrier, pickCarrier(carrier, carriers))
  const accounts = accountsIn(order?.facts)
  if (account && order) take(account, pickAccount(account, { order, accounts, method }))
  // An order that was not found by its name has a problem of its own.
  else if (account && !named('order'))
    problems.push(problem('reference-unknown', placeOf(account), ORDER_NEEDED))
  if (!method) return problems
  const idIn = (field: string) => textOf(ids[field] ?? draft.body?.[field])
  const usesAccount = account !== undefined || idIn('shipping_account_id') !== undefined
  const owner = usesAccount
    ? { id: idIn('shipping_account_id'), list: accounts, word: 'shipping account' }
    : { id: idIn('carrier_id'), list: carriers, word: 'carrier' }
  take(method, pickMethod(method, owner))
  return problems
}

function pickCarrier(reference: Reference, carriers: readonly Carrier[]): Named | Problem {
  return one(reference, pick(carriers, reference.key), { names: callNames(carriers), among: 'is there' })
}

/** Spec: shipping_account_id "must be an id from the order's shipping_accounts". */
function pickAccount(
  reference: Reference,
  {
    order,
    accounts,
    method,
  }: { order: KnownResource; accounts: readonly Account[]; method: Reference | undefined },
): Named | Problem {
  const called = reference.key.trim().toLowerCase() === ANY ? accounts : pick(accounts, reference.key)
  const fitting = called.filter(({ methods }) => method === undefined || pick(methods, method.key).length > 0)
  const chosen = called.length > 1 && fitting.length > 0 ? fitting : called
  return one(reference, chosen, { names: callNames(accounts), among: `is one of order ${order.id}` })
}

const ORDER_NEEDED = 'shipping accounts are those of the order, and the order could not be read'

/** Spec: a method of the carrier, or "an id from that account's shipping_methods". */
function pickMethod(
  reference: Reference,
  owner: { id: string | undefined; list: readonly (Carrier | Account)[]; word: string },
): Named | Problem | undefined {
  // Without its owner, which has a problem of its own then, nothing can be said of a method.
  if (owner.id === undefined) return undefined
  const found = owner.list.find(({ id }) => id === owner.id)
  const name = found?.names[0] ?? owner.id
  const methods = found?.methods ?? []
  return one(reference, pick(methods, reference.key), {
    names: callNames(methods),
    among: `belongs to ${owner.word} ${name}`,
  })
}

function one(
  reference: Reference,
  found: readonly Named[],
  told: { readonly names: readonly string[]; readonly among: string },
): Named | Problem {
  const [only, another] = found
  if (only !== undefined && another === undefined) return only
  return unpicked(reference, { ids: found.map(({ id }) => id), ...told })
}

/** The shipping accounts of an order, each with its methods. */
export function accountsIn(order: Facts | undefined): readonly Account[] {
  const shown: unknown = order?.['shipping_accounts']
  if (!Array.isArray(shown)) return []
  return namedOf(shown).map((named) => {
    const account = (shown as Readonly<Record<string, unknown>>[]).find(
      (each) => String(each['id']) === named.id,
    )
    return { ...named, methods: namedOf(account?.['shipping_methods']) }
  })
}

function textOf(id: unknown): string | undefined {
  return typeof id === 'number' || typeof id === 'string' ? String(id) : undefined
}
