/** The dependencies of the rules of every resource. */
import type { Clock } from '../support/clock.ts'
import type { Store } from './store/store.ts'
import type { Switches } from './switches.ts'
import type { TradeDirectory } from './trade/directory.ts'

export interface ServiceContext {
  readonly store: Store
  readonly directory: TradeDirectory
  /** Skewed where a switch says so. */
  readonly clock: Clock
  readonly switches: Switches
}
