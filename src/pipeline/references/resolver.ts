/** Resolves references: finds the ids of the resources that a file names, and the order of each record. */
import { type ReferenceKind, REFERENCES } from '../../contract/fields.ts'
import { blameMapping, type Problem, problem } from '../../domain/problem.ts'
import type { Place } from '../../domain/place.ts'
import type { KnownResource, ResourceFacts } from '../../domain/resource.ts'
import { formatAccount } from '../../domain/route.ts'
import type { Draft, Reference } from '../../domain/translator.ts'
import { findSimilarName } from '../../support/text.ts'
import type { InboundContext } from '../context.ts'
import {
  createResourceFinder,
  type FinderContext,
  type FoundResources,
  type OrderReader,
  type ResourceFinder,
} from './finder.ts'
import type { ResourceKind } from './resource-cache.ts'
import { type Carrier, listNames, type NamedItem, pickByName, toNamedItems } from './shipping-methods.ts'

/** A draft with its ids and, if known, the order it is about. A draft with problems has no body. */
export interface ResolvedDraft extends Omit<Draft, 'references'> {
  readonly order?: KnownResource
}

export type ResolverContext = Pick<InboundContext, 'api' | 'journal' | 'route' | 'signal' | 'carriers'> & {
  readonly orders: OrderReader
  readonly findOrders: ResourceFinder
}

/** Orders come on top of these; other modules need their finder too. */
const FOUND_BY_KEY = ['variant', 'shipment', 'invoice', 'credit', 'return'] as const satisfies ResourceKind[]

/** Makes the resolver of one file: one query a batch and kind, and a bounded number of API reads for the file. */
export function createReferenceResolver(context: ResolverContext) {
  const finders = new Map<string, ResourceFinder>([
    ['order', context.findOrders],
    ...FOUND_BY_KEY.map((kind) => [kind, createResourceFinder(context, kind)] as const),
  ])
  const describe = createUnresolvedReporter(context)

  return async (drafts: readonly Draft[]): Promise<readonly ResolvedDraft[]> => {
    // Orders name nothing that must be found: there are many of them, and they need no copy.
    if (!drafts.some((draft) => namesResources(context, draft))) return drafts
    const sound = drafts.filter((draft) => draft.body !== undefined)
    const found = new Map<string, FoundResources>()
    for (const [kind, find] of finders) found.set(kind, await find(listKeys(context, sound, kind)))
    const begun = drafts.map((draft) => beginDraft(context, draft, found))
    const orders = await loadOrders(context, begun)
    const carriers = begun.some(needsCarriers) ? await context.carriers() : []
    return Promise.all(begun.map((each) => finishDraft(each, { describe, orders, carriers })))
  }
}

function namesResources(context: ResolverContext, draft: Draft): boolean {
  if (draft.body === undefined) return false
  const isAboutOrder = draft.body['order_id'] !== undefined || draft.deferred !== undefined
  return isAboutOrder || draft.references.length > 0 || readPurchaseOrder(context, draft) !== undefined
}

/** The body of an invoice names its order by number, as a plain value and not as a reference. */
function readPurchaseOrder({ route }: ResolverContext, { body, deferred = [] }: Draft): string | undefined {
  if (route.operation !== 'create-invoice') return undefined
  const number = body?.['purchase_order_number']
  return typeof number === 'string' && deferred.some(({ from }) => from === 'order') ? number : undefined
}

function listKeys(context: ResolverContext, drafts: readonly Draft[], kind: string): string[] {
  const references = drafts.flatMap((draft) => draft.references)
  const keys = references.filter((reference) => reference.kind === kind).map(({ key }) => key)
  if (kind === 'order') keys.push(...drafts.flatMap((draft) => readPurchaseOrder(context, draft) ?? []))
  return keys
}

interface BegunDraft {
  readonly draft: Draft
  readonly ids: Record<string, number>
  readonly open: readonly { readonly reference: Reference; readonly ids: readonly string[] }[]
  readonly orderId: string | undefined
}

/** Resolves the references that depend on nothing else of the record. */
function beginDraft(context: ResolverContext, draft: Draft, found: ReadonlyMap<string, FoundResources>) {
  const ids: Record<string, number> = {}
  const open: BegunDraft['open'][number][] = []
  for (const reference of draft.body === undefined ? [] : draft.references) {
    const ofKind = found.get(reference.kind)
    if (ofKind === undefined) continue
    const known = (ofKind.get(reference.key) ?? []).map(({ id }) => id)
    if (known.length === 1) ids[reference.field] = Number(known[0])
    else open.push({ reference, ids: known })
  }
  const number = readPurchaseOrder(context, draft)
  const byNumber = number === undefined ? [] : (found.get('order')?.get(number) ?? [])
  const given = ids['order_id'] ?? draft.body?.['order_id']
  const [named, another] = byNumber
  const orderId = typeof given === 'number' ? String(given) : another === undefined ? named?.id : undefined
  return { draft, ids, open, orderId }
}

/** The orders of the records; reads an order only when a draft needs values of it that the journal lacks. */
async function loadOrders({ orders }: ResolverContext, begun: readonly BegunDraft[]) {
  const ids = begun.flatMap(({ orderId }) => orderId ?? [])
  if (ids.length === 0) return new Map()
  const known = await orders.findKnown(ids)
  const isKnown = ({ orderId = '' }: BegunDraft) => known.get(orderId)?.facts !== undefined
  const lacking = begun.filter((each) => needsOrder(each) && !isKnown(each))
  if (lacking.length === 0) return known
  const read = await orders.readAgain(lacking.flatMap(({ orderId }) => orderId ?? []))
  return new Map([...known, ...read])
}

function needsOrder({ draft }: BegunDraft): boolean {
  const { references, body = {}, deferred = [] } = draft
  const isOfAccount = (kind: string) =>
    kind === 'shipping-account' ||
    (kind === 'shipping-method' && typeof body['shipping_account_id'] === 'number')
  return deferred.some(({ from }) => from === 'order') || references.some(({ kind }) => isOfAccount(kind))
}

function needsCarriers({ draft }: BegunDraft): boolean {
  const { references, body = {} } = draft
  const names = (kind: string) => references.some((reference) => reference.kind === kind)
  return names('carrier') || (names('shipping-method') && typeof body['carrier_id'] === 'number')
}

interface FinishContext {
  readonly describe: ReturnType<typeof createUnresolvedReporter>
  readonly orders: ReadonlyMap<string, KnownResource>
  readonly carriers: readonly Carrier[]
}

async function finishDraft(begun: BegunDraft, { describe, orders, carriers }: FinishContext) {
  const { draft, ids, open, orderId } = begun
  const { references, body, ...rest } = draft
  if (body === undefined) return rest
  const order = orderId === undefined ? undefined : orders.get(orderId)
  const problems: Problem[] = [...draft.problems]
  for (const each of open) problems.push(await describe(each.reference, each.ids))
  if (references.length > 0) problems.push(...resolveDependent(draft, ids, { order, carriers }))
  const about = order === undefined ? {} : { order }
  if (problems.length > 0) return { ...rest, ...about, problems }
  return { ...rest, ...about, body: references.length === 0 ? body : { ...ids, ...body } }
}

// References that depend on others: a method on its carrier or account, an account on its order.

interface DependentContext {
  readonly order: KnownResource | undefined
  readonly carriers: readonly Carrier[]
}

interface ShippingAccount extends NamedItem {
  readonly methods: readonly NamedItem[]
}

/** The name in a file for the only account that fits. */
const ANY_ACCOUNT = 'any'

/** Adds the ids of carrier, account and method, in this order. Returns the problems of the others. */
function resolveDependent(draft: Draft, ids: Record<string, number>, { order, carriers }: DependentContext) {
  const named = (kind: string) => draft.references.find((reference) => reference.kind === kind)
  const problems: Problem[] = []
  const take = (reference: Reference, found: NamedItem | Problem | undefined) => {
    if (found === undefined) return
    if ('code' in found) problems.push(found)
    else ids[reference.field] = Number(found.id)
  }
  const [carrier, account, method] = ['carrier', 'shipping-account', 'shipping-method'].map(named)
  if (carrier) take(carrier, pickOnly(carrier, pickByName(carriers, carrier.key), carriers, 'is there'))
  const accounts = readAccounts(order?.facts)
  if (account && order) take(account, pickAccount(account, order, accounts, method))
  // If the order itself was not found, that is already a problem of its own.
  else if (account && !named('order'))
    problems.push(problem('reference-unknown', toPlace(account), ORDER_NEEDED))
  if (!method) return problems
  const idIn = (field: string) => toText(ids[field] ?? draft.body?.[field])
  const usesAccount = account !== undefined || idIn('shipping_account_id') !== undefined
  const owner = usesAccount
    ? { id: idIn('shipping_account_id'), list: accounts, word: 'shipping account' }
    : { id: idIn('carrier_id'), list: carriers, word: 'carrier' }
  take(method, pickMethod(method, owner))
  return problems
}

/** Spec: shipping_account_id "must be an id from the order's shipping_accounts". */
function pickAccount(
  reference: Reference,
  order: KnownResource,
  accounts: readonly ShippingAccount[],
  method: Reference | undefined,
): NamedItem | Problem {
  const isAny = reference.key.trim().toLowerCase() === ANY_ACCOUNT
  const called = isAny ? accounts : pickByName(accounts, reference.key)
  const fitting = called.filter(({ methods }) => !method || pickByName(methods, method.key).length > 0)
  const chosen = called.length > 1 && fitting.length > 0 ? fitting : called
  return pickOnly(reference, chosen, accounts, `is one of order ${order.id}`)
}

const ORDER_NEEDED = 'shipping accounts are those of the order, and the order could not be read'

/** Spec: a method of the carrier, or "an id from that account's shipping_methods". */
function pickMethod(
  reference: Reference,
  owner: { id: string | undefined; list: readonly (Carrier | ShippingAccount)[]; word: string },
): NamedItem | Problem | undefined {
  // Without its owner, which then has a problem of its own, a method cannot be checked.
  if (owner.id === undefined) return undefined
  const found = owner.list.find(({ id }) => id === owner.id)
  const name = found?.names[0] ?? owner.id
  const methods = found?.methods ?? []
  return pickOnly(reference, pickByName(methods, reference.key), methods, `belongs to ${owner.word} ${name}`)
}

/** `among` ends the message of an unknown name: `belongs to carrier UPS`. */
function pickOnly(
  reference: Reference,
  found: readonly NamedItem[],
  all: readonly NamedItem[],
  among: string,
): NamedItem | Problem {
  const [only, another] = found
  if (only !== undefined && another === undefined) return only
  const ids = found.map(({ id }) => id)
  if (ids.length > 1) return describeAmbiguous(reference, ids)
  const names = listNames(all)
  return describeUnknown(reference, among, findSimilarName(reference.key, names), names)
}

/** The shipping accounts of an order, each with its methods. */
export function readAccounts(order: ResourceFacts | undefined): readonly ShippingAccount[] {
  const shown: unknown = order?.['shipping_accounts']
  if (!Array.isArray(shown)) return []
  return toNamedItems(shown).map((named) => {
    const account = (shown as ResourceFacts[]).find((each) => String(each['id']) === named.id)
    return { ...named, methods: toNamedItems(account?.['shipping_methods']) }
  })
}

function toText(id: unknown): string | undefined {
  return typeof id === 'number' || typeof id === 'string' ? String(id) : undefined
}

// Explains why a name leads to no id: it is unknown, ambiguous, or belongs to another account.

/** Up to so many wrong names of a file get a suggestion; a file with more is the wrong file. */
const DESCRIBED_MAX = 500

const IDS_MAX = 5

/** Reports names that are in the journal's index, or should be. */
function createUnresolvedReporter(context: FinderContext) {
  const account = formatAccount(context.route.party)
  let described = 0
  return async (reference: Reference, ids: readonly string[]): Promise<Problem> => {
    if (ids.length > 1) return describeAmbiguous(reference, ids)
    described++
    if (described > DESCRIBED_MAX) return describeUnknown(reference, 'is known to this account')
    const { kind, key } = reference
    const accounts = await context.journal.findAccountsWithKey(kind, key)
    const owner = accounts.find((other) => other !== account)
    if (owner !== undefined) {
      const message = `the ${formatKind(kind)} "${key}" is one of ${owner}; this route is for ${account}`
      return blameMapping(problem('reference-elsewhere', toPlace(reference), message), reference.origin)
    }
    const [spelling] = await findOtherSpellings(context, reference)
    return describeUnknown(reference, 'is known to this account', spelling)
  }
}

/** The lengths of the numbers of items, whose leading zeros a spreadsheet takes away. */
const PADDED_WIDTHS = [8, 12, 13, 14] as const

/** Finds known spellings of the same name. Guesses no similar numbers: the next number is another resource. */
export async function findOtherSpellings(
  { journal, route }: Pick<FinderContext, 'journal' | 'route'>,
  { kind, key }: Pick<Reference, 'kind' | 'key'>,
) {
  const bare = key.replace(/^[\s#'"]+|[\s'"]+$/g, '')
  const padded = /^\d+$/.test(bare) ? PADDED_WIDTHS.map((width) => bare.padStart(width, '0')) : []
  const short = bare.replace(/^0+(?=.)/, '')
  const spellings = [bare, key.toUpperCase(), key.toLowerCase(), short, `0${key}`, `00${key}`, ...padded]
  const candidates = [...new Set(spellings)].filter((spelling) => spelling !== key && spelling !== '')
  const found = await journal.findResourcesByKey(formatAccount(route.party), kind, candidates)
  return found.map((each) => each.key)
}

function describeUnknown(reference: Reference, among: string, meant?: string, names: readonly string[] = []) {
  const { kind, key, origin } = reference
  const code = kind === 'order' ? 'order-unknown' : 'reference-unknown'
  const message = `no ${formatKind(kind)} "${key}" ${among}`
  return blameMapping(problem(code, toPlace(reference), message, suggestFix(kind, meant, names)), origin)
}

const NAMES_MAX = 12

function suggestFix(kind: string, meant: string | undefined, names: readonly string[]): string | undefined {
  if (meant !== undefined) return `Did you mean "${meant}"?`
  if (names.length === 0) return undefined
  const more = names.length > NAMES_MAX ? ', …' : ''
  return `There are ${names.slice(0, NAMES_MAX).join(', ')}${more}. Name the ${formatKind(kind)} by one of these.`
}

function describeAmbiguous(reference: Reference, ids: readonly string[]): Problem {
  const { kind, key, origin } = reference
  const shown = `${ids.slice(0, IDS_MAX).join(', ')}${ids.length > IDS_MAX ? ', …' : ''}`
  const code = kind === 'order' ? 'order-ambiguous' : 'reference-ambiguous'
  const message = `"${key}" is ${formatNameOfKind(kind)} of ${ids.length} ${formatKind(kind)}s: ${shown}`
  return blameMapping(problem(code, toPlace(reference), message), origin)
}

/** The place as far as it is known; a constant has no column. */
function toPlace({ line, column, field }: Reference): Place {
  return { ...(line === 0 ? {} : { line }), ...(column === '' ? {} : { column }), field }
}

function formatKind(kind: string): string {
  return kind.replace('-', ' ')
}

/** `the number`, `the code or name` */
function formatNameOfKind(kind: string): string {
  const { called: text } = REFERENCES[kind as ReferenceKind]
  return kind === 'order' ? 'the number' : text.replace(/^its/, 'the')
}
