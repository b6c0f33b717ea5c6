/** Composed files that no pass delivers until a person says whether they were delivered before. */
import type { DeliveryEntry } from '../../domain/journal.ts'
import type { OutboundParts } from '../parts.ts'

/** So many are counted, and so many are named. */
const HELD_MAX = 10_000
const NAMED_MAX = 100

export interface HeldDeliveries {
  readonly count: number
  readonly first: readonly HeldDelivery[]
}

export interface HeldDelivery {
  readonly delivery: DeliveryEntry
  /** Where the file would be, for people. */
  readonly path: string
}

export async function heldDeliveries({
  journal,
  route,
  target,
}: OutboundParts): Promise<{ readonly heldDeliveries?: HeldDeliveries }> {
  const held = await journal.heldDeliveries(HELD_MAX, route.name)
  if (held.length === 0) return {}
  const first = held
    .slice(0, NAMED_MAX)
    .map((delivery) => ({ delivery, path: target.describe(delivery.folder, delivery.name) }))
  return { heldDeliveries: { count: held.length, first } }
}
