/** Delivered files that wait for too long, or whose records have little time left. */
import type { AwaitedDelivery } from '../../domain/taking.ts'

export interface OverdueRules {
  /** How long after its delivery a file may wait. */
  readonly withinMs: number
  /** How long before `acknowledge_by` of its records it is told. */
  readonly beforeMs: number
}

export interface Overdue {
  /** Since when it is overdue, milliseconds. */
  readonly since: number
  /** Whether the time of its records is near, and not only the file's own over. */
  readonly isNear: boolean
}

/** Undefined while there is time. */
export function overdueOf(
  { deliveredAt, composedAt, acknowledgeBy }: AwaitedDelivery,
  { withinMs, beforeMs }: OverdueRules,
  now: number,
): Overdue | undefined {
  const began = deliveredAt ?? composedAt
  const late = began + withinMs
  const near = Math.max(began, (acknowledgeBy ?? Infinity) - beforeMs)
  const since = Math.min(late, near)
  return since > now ? undefined : { since, isNear: near <= now }
}
