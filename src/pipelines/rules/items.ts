/** Rules about the items of new orders: they are offered to the retailer, and there are enough of them. */
import type { KnownResource } from '../../domain/journal.ts'
import { accountOf } from '../../domain/route.ts'
import { valueAt } from '../../support/paths.ts'
import type { Body } from '../operations/operation.ts'
import { describeItem, itemsOf, unitsIn } from '../operations/order-lines.ts'
import { type FinderParts, readWhole } from '../references/finder.ts'
import { sweepOf } from '../references/sweeps.ts'
import type { Broken, Policies } from './rule.ts'

/**
 * Makes the check of one file. An item can only be missing where the whole list of items was read once, and nothing is
 * refused before the list is read again, once for the file.
 */
export function itemRules(
  parts: FinderParts,
  policies: Policies,
): (bodies: readonly Body[]) => Promise<readonly Broken[][]> {
  const { journal, route } = parts
  let isComplete: Promise<boolean> | undefined
  let isCurrent = false
  const knows = async () => (await journal.listReadAt(accountOf(route.party), 'variant')) !== undefined
  return async (bodies) => {
    isComplete ??= knows()
    if (!(await isComplete)) return bodies.map(() => [])
    const judged = () => judge(parts, bodies, policies)
    const first = await judged()
    if (isCurrent || first.every((broken) => broken.length === 0)) return first
    isCurrent = true
    for (const list of sweepOf('variant', route.party).lists.slice(-1)) await readWhole(parts, list)
    return judged()
  }
}

async function judge(
  { journal, route }: FinderParts,
  bodies: readonly Body[],
  { stock }: Policies,
): Promise<Broken[][]> {
  const items = bodies.flatMap((body) => itemsOf(body, 'order_lines'))
  const account = accountOf(route.party)
  const names = items.map(nameOf)
  const byId = await journal.resourcesById(
    account,
    'variant',
    names.flatMap(({ id }) => id ?? []),
  )
  const byKey = await journal.findResources(
    account,
    'variant',
    names.flatMap(({ key }) => key ?? []),
  )
  const known = new Map<string, KnownResource[]>()
  for (const each of byId) known.set(`id ${each.id}`, [each])
  for (const { key, ...each } of byKey) known.set(`key ${key}`, [...(known.get(`key ${key}`) ?? []), each])
  return bodies.map((body) =>
    itemsOf(body, 'order_lines').flatMap((item, index): Broken[] => {
      const { id, key } = nameOf(item)
      const field = `order_lines[${index}]`
      const found = known.get(id === undefined ? `key ${key ?? ''}` : `id ${id}`) ?? []
      if (found.length === 0) {
        const message = `no supplier offers this item (${describeItem(item)})`
        return [{ code: 'item-unknown', field: `${field}.variant`, message }]
      }
      return stock === 'off' ? [] : shortOf(item, found, field)
    }),
  )
}

/** Spec: when several are given, the priority is id, identifier, upc. */
function nameOf(item: Body): { readonly id?: string; readonly key?: string } {
  const named = (field: string) => valueAt(item, `variant.${field}`)
  const id = named('id')
  if (typeof id === 'number') return { id: String(id) }
  const key = named('identifier') ?? named('upc')
  return typeof key === 'string' ? { key } : {}
}

function shortOf(item: Body, [only, another]: readonly KnownResource[], field: string): Broken[] {
  const there = valueAt(only?.facts, 'inventory.inventory')
  const wanted = unitsIn(item, 'quantity') ?? 0
  if (another !== undefined || typeof there !== 'number' || wanted <= there) return []
  const message = `${wanted} are ordered of the item (${describeItem(item)}), and the supplier had ${there} when last seen`
  return [{ code: 'stock-short', field: `${field}.quantity`, message, policy: 'stock' }]
}
