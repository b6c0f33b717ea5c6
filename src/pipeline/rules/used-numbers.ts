/** Warns of tracking numbers and invoice numbers that another order has, as far as the API has shown them. */
import type { InboundOperationName } from '../../contract/operations.ts'
import type { FoundResource } from '../../domain/resource.ts'
import { formatAccount } from '../../domain/route.ts'
import type { RequestBody } from '../../operations/operation.ts'
import type { InboundContext } from '../context.ts'
import type { ResourceKind } from '../references/resource-cache.ts'
import type { Policies, RuleViolation } from './rule.ts'

interface NumberRule {
  readonly kind: ResourceKind
  /** The field of the number, and the one that names the order, in bodies and in resources. */
  readonly field: string
  readonly order: string
  readonly word: string
}

const NUMBER_RULES: Readonly<Partial<Record<InboundOperationName, NumberRule>>> = {
  'create-shipment': {
    kind: 'shipment',
    field: 'tracking_number',
    order: 'order_id',
    word: 'tracking number',
  },
  'create-invoice': {
    kind: 'invoice',
    field: 'invoice_number',
    order: 'purchase_order_number',
    word: 'invoice number',
  },
}

/** So many numbers of the file itself are remembered; a number that is typed twice stands near its first row. */
const REMEMBERED_MAX = 20_000

/** Makes the check of one file: one query for each batch of records, and no call of the API. */
export function createNumberCheck(
  { journal, route }: Pick<InboundContext, 'journal' | 'route'>,
  { numbers }: Policies,
): (bodies: readonly RequestBody[]) => Promise<readonly RuleViolation[][]> {
  const rule = NUMBER_RULES[route.operation]
  if (rule === undefined || numbers === 'off') return (bodies) => Promise.resolve(bodies.map(() => []))
  const orders = new Map<string, string>()
  return async (bodies) => {
    const wanted = bodies.flatMap((body) => readText(body, rule.field) ?? [])
    const known = await journal.findResourcesByKey(formatAccount(route.party), rule.kind, wanted)
    return bodies.map((body): RuleViolation[] => {
      const number = readText(body, rule.field)
      const order = readText(body, rule.order)
      if (number === undefined || order === undefined) return []
      const other = known.find((each) => each.key === number && isOfAnotherOrder(each, rule, order))
      const earlier = orders.get(number)
      if (orders.size < REMEMBERED_MAX && earlier === undefined) orders.set(number, order)
      const isTwice = earlier !== undefined && earlier !== order
      if (other === undefined && !isTwice) return []
      const where =
        other === undefined
          ? 'an earlier record of the file, for another order'
          : describeResource(other, rule)
      const message = `the ${rule.word} ${number} is also that of ${where}`
      return [{ code: 'number-in-use', field: rule.field, message, policy: 'numbers' }]
    })
  }
}

/** Ids are numbers. */
function readText(from: RequestBody | undefined, field: string): string | undefined {
  const value = from?.[field]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

function isOfAnotherOrder({ facts }: FoundResource, rule: NumberRule, order: string): boolean {
  const own = readText(facts, rule.order)
  return own !== undefined && own !== order
}

/** `shipment 31 of order HV-10001` */
function describeResource({ id, facts }: FoundResource, { kind, order }: NumberRule): string {
  return `${kind} ${id} of order ${readText(facts, 'purchase_order_number') ?? readText(facts, order) ?? ''}`
}
