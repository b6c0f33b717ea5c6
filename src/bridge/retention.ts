/** What a run forgets after its routes: the contents of what was finished longer ago than the configuration keeps them. */
import type { Configuration } from '../config/configuration.ts'
import type { Forgotten } from '../domain/audit.ts'
import type { Journal } from '../domain/journal.ts'
import { BridgeError } from '../support/errors.ts'
import type { BridgeOptions } from './options.ts'

export type Retention =
  | { readonly kind: 'forgotten'; readonly forgotten: Forgotten }
  | { readonly kind: 'failed'; readonly failure: BridgeError }

interface Retaining {
  readonly journal: Journal
  readonly configuration: Configuration
  readonly options: Pick<BridgeOptions, 'clock'>
}

/** Undefined when contents are kept for ever. A failure is a result: what the routes did must be told anyway. */
export async function applyRetention(
  { journal, configuration, options }: Retaining,
  signal: AbortSignal,
): Promise<Retention | undefined> {
  const { keepContentsMs } = configuration
  if (keepContentsMs === undefined || signal.aborted) return undefined
  try {
    const before = options.clock.now() - keepContentsMs
    return { kind: 'forgotten', forgotten: await journal.forget({ before, signal }) }
  } catch (error) {
    if (error instanceof BridgeError) return { kind: 'failed', failure: error }
    throw error
  }
}
