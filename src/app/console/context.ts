/** What the use cases of the console work with: the journal opened read only, the configuration and the clock. */
import type { Configuration } from '../../config/configuration.ts'
import type { Journal } from '../../domain/journal.ts'
import type { Clock } from '../../support/clock.ts'

/** Nothing in it can change the journal: SQLite refuses to write. */
export interface ConsoleContext {
  readonly journal: Journal
  readonly configuration: Configuration
  readonly clock: Clock
}
