/** What a pass tells of the delivered files that wait to be taken or confirmed. */
import type { AwaitedDelivery } from '../../domain/taking.ts'
import type { OutboundParts } from '../parts.ts'
import { type Overdue, overdueOf } from './overdue.ts'

/** So many are looked through, and so many of the overdue ones are named. */
const AWAITED_MAX = 10_000
const NAMED_MAX = 100

export interface AwaitedFiles {
  readonly count: number
  readonly overdue: number
  /** The first of the overdue ones. */
  readonly firstOverdue: readonly OverdueFile[]
}

export interface OverdueFile extends Overdue {
  readonly delivery: AwaitedDelivery
  /** Where the file was left, for people. */
  readonly path: string
}

export async function awaitedFiles({
  journal,
  route,
  target,
  clock,
}: OutboundParts): Promise<{ readonly awaited?: AwaitedFiles }> {
  if (route.acknowledge !== 'picked-up' && route.acknowledge !== 'receipt') return {}
  const awaited = await journal.awaitedDeliveries(AWAITED_MAX, route.name)
  if (awaited.length === 0) return {}
  const { overdue: rules } = route
  const now = clock.now()
  const overdue = awaited.flatMap((delivery) => {
    const late = rules && overdueOf(delivery, rules, now)
    return late === undefined
      ? []
      : [{ ...late, delivery, path: target.describe(delivery.folder, delivery.name) }]
  })
  const first = overdue.slice(0, NAMED_MAX)
  return { awaited: { count: awaited.length, overdue: overdue.length, firstOverdue: first } }
}
