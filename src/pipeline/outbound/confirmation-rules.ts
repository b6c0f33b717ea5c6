/** Decides which file confirms a delivered one, and when a confirmation is overdue. */
import type { OverdueRules } from '../../config/alerts.ts'
import type { UnconfirmedDelivery } from '../../domain/delivery.ts'

export interface Overdue {
  /** Since when it is overdue, milliseconds. */
  readonly since: number
  /** Whether `acknowledge_by` of its records is near, and not only the file's own time over. */
  readonly isNear: boolean
}

/** Undefined while there is time. */
export function checkOverdue(
  { deliveredAt, composedAt, acknowledgeBy }: UnconfirmedDelivery,
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
