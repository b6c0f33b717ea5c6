/** Which records of a list a report holds. */
import type { Call } from './api.ts'

export interface Selection {
  /** What the list is asked for. */
  readonly query: NonNullable<Call['query']>
  /** Only the records that are named here, each of which should be there. */
  readonly named?: { readonly by: 'id' | 'purchase_order_number'; readonly values: readonly string[] }
}
