/** Decides whether a delivery waits for its confirmation, when that is overdue, and which file confirms it. */
import type { AcknowledgeRules } from '../../config/acknowledge.ts'
import type { OverdueRules } from '../../config/alerts.ts'
import type { DeliveryEntry, UnconfirmedDelivery } from '../../domain/delivery.ts'

/** Whether the records of the delivery wait until its file is picked up or confirmed. */
export function isAwaitingConfirmation(
  { route }: { readonly route: Pick<AcknowledgeRules, 'acknowledge'> },
  { state, confirmedAt }: DeliveryEntry,
): boolean {
  return waitsForConfirmation(route) && state === 'delivered' && confirmedAt === undefined
}

/** Whether the route acknowledges only what the consumer fetched or confirmed. */
export function waitsForConfirmation({ acknowledge }: Pick<AcknowledgeRules, 'acknowledge'>): boolean {
  return acknowledge === 'picked-up' || acknowledge === 'receipt' || acknowledge === 'answered'
}

export interface Overdue {
  /** Since when it is overdue, milliseconds. */
  readonly since: number
  /** Whether `acknowledge_by` of its records is near, and not only the file's own time over. */
  readonly isNear: boolean
}

/** Undefined while there is time. */
export function checkOverdue(
  {
    deliveredAt,
    composedAt,
    acknowledgeBy,
  }: Pick<UnconfirmedDelivery, 'deliveredAt' | 'composedAt' | 'acknowledgeBy'>,
  { withinMs, beforeMs }: OverdueRules,
  now: number,
): Overdue | undefined {
  const began = deliveredAt ?? composedAt
  const late = began + withinMs
  const near = Math.max(began, (acknowledgeBy ?? Infinity) - beforeMs)
  const since = Math.min(late, near)
  return since > now ? undefined : { since, isNear: near <= now }
}

/** Which file confirms a delivered one, and which text it must contain. */
export interface ReceiptRules {
  readonly folder: string
  readonly archiveFolder: string
  /** The name of the receipt for the delivered file of this name; case is ignored. */
  readonly nameFor: (name: string) => string
  /** The text that the receipt must contain, for the delivered file of this name. */
  readonly textFor?: (name: string) => string
  /** How long the receipt must stay unchanged before it is taken. */
  readonly stableForMs: number
}
