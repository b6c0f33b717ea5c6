/** References: finding the ids of what a file names in its own words, and the order each record is about. */
import type { KnownResource } from '../../domain/journal.ts'
import type { Problem } from '../../domain/problem.ts'
import type { Draft } from '../../domain/translator.ts'
import type { InboundParts } from '../parts.ts'
import { resolveDependent } from './dependent.ts'
import { type Found, type ResourceFinder, resourceFinder } from './finder.ts'
import type { SeenKind } from './kinds.ts'
import type { OrderReader } from './orders.ts'
import { unresolvedTeller } from './unresolved.ts'

/** A draft with its ids, and the order it is about as far as it is known. One with problems has no body. */
export interface ResolvedDraft extends Omit<Draft, 'references'> {
  readonly order?: KnownResource
}

export type ResolverParts = Pick<InboundParts, 'api' | 'journal' | 'route' | 'signal' | 'carriers'> & {
  readonly orders: OrderReader
  readonly findOrders: ResourceFinder
}

/** Besides orders, whose finder others need too. */
const FOUND_BY_KEY = ['variant', 'shipment', 'invoice', 'credit', 'return'] as const satisfies SeenKind[]

/**
 * Makes the resolver of one file. Each batch costs one query to the journal for each kind; what the journal does not
 * know costs a bounded number of readings of the API for the whole file, whatever its size.
 */
export function referenceResolver(
  parts: ResolverParts,
): (drafts: readonly Draft[]) => Promise<readonly ResolvedDraft[]> {
  const finders = new Map<string, ResourceFinder>([
    ['order', parts.findOrders],
    ...FOUND_BY_KEY.map((kind) => [kind, resourceFinder(parts, kind)] as const),
  ])
  const tell = unresolvedTeller(parts)

  return async (drafts) => {
    const sound = drafts.filter((draft) => draft.body !== undefined)
    const found = new Map<string, Found>()
    for (const [kind, find] of finders) found.set(kind, await find(keysOf(parts, sound, kind)))
    const begun = drafts.map((draft) => begin(parts, draft, found))
    const orders = await ordersOf(parts, begun)
    const carriers = begun.some(needsCarriers) ? await parts.carriers() : []
    return Promise.all(begun.map((each) => finish(each, { tell, orders, carriers })))
  }
}

/** Bodies that name an order by its number, which is a value of theirs and no reference, name it all the same. */
function purchaseOrderOf({ route }: ResolverParts, { body, awaits = [] }: Draft): string | undefined {
  if (route.operation !== 'create-invoice') return undefined
  const number = body?.['purchase_order_number']
  return typeof number === 'string' && awaits.some(({ from }) => from === 'order') ? number : undefined
}

function keysOf(parts: ResolverParts, drafts: readonly Draft[], kind: string): string[] {
  const keys = drafts.flatMap(({ references }) =>
    references.flatMap((reference) => (reference.kind === kind ? reference.key : [])),
  )
  return kind === 'order'
    ? [...keys, ...drafts.flatMap((draft) => purchaseOrderOf(parts, draft) ?? [])]
    : keys
}

interface Begun {
  readonly draft: Draft
  readonly ids: Record<string, number>
  /** Names that lead to no id, or to several. */
  readonly open: readonly {
    readonly reference: Draft['references'][number]
    readonly ids: readonly string[]
  }[]
  readonly orderId: string | undefined
}

/** What can be found without knowing anything else of the record. */
function begin(parts: ResolverParts, draft: Draft, found: ReadonlyMap<string, Found>): Begun {
  const ids: Record<string, number> = {}
  const open: Begun['open'][number][] = []
  for (const reference of draft.body === undefined ? [] : draft.references) {
    const ofKind = found.get(reference.kind)
    if (ofKind === undefined) continue
    const known = (ofKind.get(reference.key) ?? []).map(({ id }) => id)
    if (known.length === 1) ids[reference.field] = Number(known[0])
    else open.push({ reference, ids: known })
  }
  const number = purchaseOrderOf(parts, draft)
  const byNumber = number === undefined ? [] : (found.get('order')?.get(number) ?? [])
  const given = ids['order_id'] ?? draft.body?.['order_id']
  const [named, another] = byNumber
  const orderId = typeof given === 'number' ? String(given) : another === undefined ? named?.id : undefined
  return { draft, ids, open, orderId }
}

/** The orders the records are about; read only where something of them is needed and not known. */
async function ordersOf(
  { orders }: ResolverParts,
  begun: readonly Begun[],
): Promise<ReadonlyMap<string, KnownResource>> {
  const ids = begun.flatMap(({ orderId }) => orderId ?? [])
  if (ids.length === 0) return new Map()
  const known = await orders.known(ids)
  const lacking = begun.filter(
    (each) => needsOrder(each) && known.get(each.orderId ?? '')?.facts === undefined,
  )
  if (lacking.length === 0) return known
  const read = await orders.anew(lacking.flatMap(({ orderId }) => orderId ?? []))
  return new Map([...known, ...read])
}

function needsOrder({ draft }: Begun): boolean {
  const { references, body = {}, awaits = [] } = draft
  const isOfAccount = (kind: string) =>
    kind === 'shipping-account' ||
    (kind === 'shipping-method' && typeof body['shipping_account_id'] === 'number')
  return awaits.some(({ from }) => from === 'order') || references.some(({ kind }) => isOfAccount(kind))
}

function needsCarriers({ draft }: Begun): boolean {
  const { references, body = {} } = draft
  const names = (kind: string) => references.some((reference) => reference.kind === kind)
  return names('carrier') || (names('shipping-method') && typeof body['carrier_id'] === 'number')
}

interface Finishing {
  readonly tell: ReturnType<typeof unresolvedTeller>
  readonly orders: ReadonlyMap<string, KnownResource>
  readonly carriers: Parameters<typeof resolveDependent>[2]['carriers']
}

async function finish(
  { draft, ids, open, orderId }: Begun,
  { tell, orders, carriers }: Finishing,
): Promise<ResolvedDraft> {
  const { references, body, ...rest } = draft
  if (body === undefined) return rest
  const order = orderId === undefined ? undefined : orders.get(orderId)
  const problems: Problem[] = [...draft.problems]
  for (const each of open) problems.push(await tell(each.reference, each.ids))
  if (references.length > 0) problems.push(...resolveDependent(draft, ids, { order, carriers }))
  const about = order === undefined ? {} : { order }
  if (problems.length > 0) return { ...rest, ...about, problems }
  return { ...rest, ...about, body: references.length === 0 ? body : { ...ids, ...body } }
}
