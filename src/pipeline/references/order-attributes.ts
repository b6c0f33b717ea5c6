/** Order attributes: values that are stored with outgoing records and added to later records of the same order. */
import type { Resource } from '../../domain/api.ts'
import type { Journal } from '../../domain/journal.ts'
import { formatAccount, type Party } from '../../domain/route.ts'
import type { Composer } from '../../domain/translator.ts'
import { getAtPath } from '../../support/object-paths.ts'

export interface AttributeContext {
  readonly journal: Journal
  readonly route: { readonly party: Party }
  readonly composer: Composer
}

/** Stores the values that the mapping keeps of the records, if it keeps any. */
export async function storeOrderAttributes(context: AttributeContext, records: readonly Resource[]) {
  const { journal, route } = context
  const { keep } = context.composer
  if (keep === undefined) return
  const kept = records.flatMap((record) => {
    const key = readPurchaseOrder(record)
    const values = keep(record)
    return key === undefined || Object.keys(values).length === 0 ? [] : [{ key, values }]
  })
  await journal.saveOrderAttributes(formatAccount(route.party), kept)
}

/** Adds the stored attributes of its order to each record, for composers that write them. */
export async function addOrderAttributes(
  { journal, route, composer }: AttributeContext,
  records: readonly Resource[],
): Promise<readonly Resource[]> {
  if (composer.takesKept !== true) return records
  const account = formatAccount(route.party)
  const unnamed = records.filter((record) => readPurchaseOrder(record) === undefined)
  const ids = unnamed.flatMap((record) => readOrderId(record) ?? [])
  const orders = await journal.findResourcesById(account, 'order', ids)
  const numbers = new Map(orders.map(({ id, keys }) => [id, keys[0]]))
  const keyOf = (record: Resource) => readPurchaseOrder(record) ?? numbers.get(readOrderId(record) ?? '')
  const named = records.flatMap((record) => keyOf(record) ?? [])
  const kept = await journal.findOrderAttributes(account, named)
  return records.map((record) => {
    const values = kept.get(keyOf(record) ?? '')
    return values === undefined ? record : { ...record, kept: values }
  })
}

function readPurchaseOrder(record: Resource): string | undefined {
  const number = record['purchase_order_number'] ?? getAtPath(record, 'order.purchase_order_number')
  return typeof number === 'string' && number !== '' ? number : undefined
}

function readOrderId(record: Resource): string | undefined {
  const id = record['order_id']
  return typeof id === 'number' || typeof id === 'string' ? String(id) : undefined
}

/** The same for pages of records. */
export async function* addAttributesToPages(
  context: AttributeContext,
  pages: AsyncIterable<readonly Resource[]>,
): AsyncGenerator<readonly Resource[], void, undefined> {
  for await (const page of pages) yield await addOrderAttributes(context, page)
}
