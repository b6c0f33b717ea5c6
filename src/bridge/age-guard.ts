/** Keeps a bridge from working with a journal that is older than the world: by its mark, and by what lies in the mailboxes. */
import type { Configuration } from '../config/configuration.ts'
import type { Route } from '../config/routes.ts'
import type { Journal } from '../domain/journal.ts'
import type { Mailbox } from '../domain/mailbox.ts'
import { disagreement, markPath, writeMark } from '../journal/mark.ts'
import type { Clock } from '../support/clock.ts'
import { BridgeError } from '../support/errors.ts'
import { findWitness } from './witnesses.ts'

/** While a route is worked on, the mark is written no more often than this. */
const MARK_EVERY_MS = 5_000

export interface AgeGuard {
  /** Before any work. Throws `journal-older`. Mailboxes that are away tell nothing. */
  beforeWork(): Promise<void>
  /** Before the first pass over a route: looks into its mailboxes on servers, which others should not wait for. */
  beforePass(route: Route): Promise<void>
  /** Writes the mark when it is due, and at the end of a pass (`isDue`). Does nothing while the journal was not found to be as new as the world. */
  mark(isDue?: 'now'): Promise<void>
  /** A person declared that the journal was restored. */
  declared(): Promise<void>
}

interface Guarded {
  readonly configuration: Configuration
  readonly journal: Journal
  readonly mailboxes: ReadonlyMap<string, Mailbox>
  readonly clock: Clock
}

export function guardAge(guarded: Guarded): AgeGuard {
  const { configuration, journal, clock } = guarded
  const { path } = configuration.journal
  // A journal in memory is never older.
  const marked = path === ':memory:' ? undefined : markPath(path)
  const seen = new Set<string>()
  let isCurrent = false
  let writing: Promise<void> = Promise.resolve()
  let last = { event: -1, at: -Infinity }

  const look = async (route: Route) => {
    if (seen.has(route.name)) return
    const witness = await findWitness(guarded, route)
    if (witness !== undefined) {
      isCurrent = false
      throw older(witness)
    }
    seen.add(route.name)
  }
  const isLocal = (route: Route) => {
    const name = route.direction === 'inbound' ? route.from.mailbox : route.to.mailbox
    return configuration.mailboxes[name]?.type === 'directory'
  }
  const write = async () => {
    if (marked === undefined) return
    const head = await journal.head()
    if (head.event !== last.event) last = { event: await writeMark(journal, marked), at: clock.now() }
  }
  return {
    async beforeWork() {
      if (isCurrent || marked === undefined) return
      const why = await disagreement(journal, marked)
      if (why !== undefined) throw older(why)
      for (const route of configuration.routes) if (isLocal(route)) await look(route)
      isCurrent = true
      await write().catch(() => undefined)
    },
    beforePass: async (route) => {
      if (marked !== undefined) await look(route)
    },
    mark(isDue) {
      if (!isCurrent || (isDue === undefined && clock.now() - last.at < MARK_EVERY_MS))
        return Promise.resolve()
      // A mark that cannot be written lags behind, which is no harm.
      writing = writing.then(write).catch(() => undefined)
      return writing
    },
    async declared() {
      if (marked !== undefined) await writeMark(journal, marked)
    },
  }
}

/** What tells by its mark that the journal is older than what was done, for those who only look; undefined when nothing does. */
export async function whyOlder(
  { journal: { path } }: Configuration,
  journal: Journal,
): Promise<string | undefined> {
  return path === ':memory:' ? undefined : disagreement(journal, markPath(path))
}

function older(why: string): BridgeError {
  return new BridgeError('journal-older', `The journal is older than what it kept a record of: ${why}.`)
}
