/** Values kept beside orders: remembered from the records that go out, and given back to those that need them. */
import type { Resource } from '../../domain/api.ts'
import type { Journal } from '../../domain/journal.ts'
import { accountOf, type Party } from '../../domain/route.ts'
import type { Composer } from '../../domain/translator.ts'
import { valueAt } from '../../support/paths.ts'

export interface KeepingParts {
  readonly journal: Journal
  readonly route: { readonly party: Party }
  readonly composer: Composer
}

/** Remembers what the mapping keeps of the records; nothing where it keeps nothing. */
export async function keepOf(
  { journal, route, composer }: KeepingParts,
  records: readonly Resource[],
): Promise<void> {
  const { keep } = composer
  if (keep === undefined) return
  const kept = records.flatMap((record) => {
    const key = purchaseOrderOf(record)
    const values = keep(record)
    return key === undefined || Object.keys(values).length === 0 ? [] : [{ key, values }]
  })
  await journal.keepValues(accountOf(route.party), kept)
}

/** The records with what is kept beside their orders, for composers that write it. */
export async function withKept(
  { journal, route, composer }: KeepingParts,
  records: readonly Resource[],
): Promise<readonly Resource[]> {
  if (composer.takesKept !== true) return records
  const account = accountOf(route.party)
  const ids = records.flatMap((record) =>
    purchaseOrderOf(record) === undefined ? (orderIdOf(record) ?? []) : [],
  )
  const orders = await journal.resourcesById(account, 'order', ids)
  const numbers = new Map(orders.map(({ id, keys }) => [id, keys[0]]))
  const keyed = records.map((record) => ({
    record,
    key: purchaseOrderOf(record) ?? numbers.get(orderIdOf(record) ?? ''),
  }))
  const kept = await journal.keptValues(
    account,
    keyed.flatMap(({ key }) => key ?? []),
  )
  return keyed.map(({ record, key }) => {
    const values = key === undefined ? undefined : kept.get(key)
    return values === undefined ? record : { ...record, kept: values }
  })
}

function purchaseOrderOf(record: Resource): string | undefined {
  const number = record['purchase_order_number'] ?? valueAt(record, 'order.purchase_order_number')
  return typeof number === 'string' && number !== '' ? number : undefined
}

function orderIdOf(record: Resource): string | undefined {
  const id = record['order_id']
  return typeof id === 'number' || typeof id === 'string' ? String(id) : undefined
}

/** The same, page by page. */
export async function* keptPages(
  parts: KeepingParts,
  pages: AsyncIterable<readonly Resource[]>,
): AsyncGenerator<readonly Resource[], void, undefined> {
  for await (const page of pages) yield await withKept(parts, page)
}
