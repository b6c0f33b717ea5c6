/** Evaluates alerts and takes snapshots in the background, so that no page waits for a mailbox that is away. */
import { evaluateAlerts } from '../../alerts/alerts.ts'
import type { AlertContext } from '../../alerts/context.ts'
import type { Configuration } from '../../config/configuration.ts'
import type { Journal } from '../../domain/journal.ts'
import type { Mailbox } from '../../domain/mailbox.ts'
import type { Deadline } from '../../pipeline/references/deadlines.ts'
import { waitAtMost } from '../../support/async.ts'
import { type Clock, HOUR_MS, MINUTE_MS } from '../../support/clock.ts'
import { newId } from '../../support/text.ts'
import { openMailboxes } from '../context.ts'
import { findJournalFailure } from '../journal-access.ts'
import { listSeenLate } from '../late.ts'
import { buildSnapshotOfWork, type SnapshotOfWork } from '../snapshot.ts'
import { createDiskReader, findAcceptedVersion } from '../version.ts'

/** Mailboxes are listed no more often than this. */
const MAILBOXES_MS = MINUTE_MS

/** After a decision of a person, alerts are evaluated so soon: what ended is seen to have ended. */
const DECIDED_MS = 2_000

/** No page is answered while a statement runs, so snapshots take at most a twentieth of the time. */
const SHARE = 20

const TICK_MS = 1_000

/** Deadlines are shown up to the end of tomorrow; a day has 25 hours at most. */
const AHEAD_MS = 50 * HOUR_MS

/** No bridge has as many active alerts as this. */
const ACTIVE_MAX = 1_000

export interface Lookout {
  /** The latest snapshot, waiting for the first one for a second at most. */
  read(): Promise<Sight>
}

export interface Sight {
  /** Undefined until the first one is taken. */
  readonly snapshot?: SnapshotOfWork
  /** What orders need by when, up to the end of tomorrow, the next first; undefined until they were read. */
  readonly deadlines?: readonly Deadline[]
  /** When the mailboxes were listed for it; undefined until they were: the alerts are then those that the bridge noted. */
  readonly checkedAt?: number
  /** Since when they are being listed; undefined while they are not. */
  readonly checkingSince?: number
  /** Why it could not be done the last time. */
  readonly failure?: string
}

export interface LookoutOptions {
  readonly configuration: Configuration
  readonly clock: Clock
  readonly getJournal: () => Promise<Journal>
  /** Changes with each commit; undefined while the journal is closed. */
  readonly readVersion: () => string | undefined
  /** Called when there is a new snapshot, and when an order became late, which changes nothing in the journal. */
  readonly onSnapshot: () => void
}

/** Begins with the first reading. Opens the mailboxes to list them; nothing is swept, claimed or delivered. */
export function startLookout(options: LookoutOptions) {
  const { configuration, clock, getJournal, readVersion, onSnapshot } = options
  let mailboxes: ReadonlyMap<string, Mailbox> | undefined
  let evaluation: (Awaited<ReturnType<typeof evaluateAlerts>> & { readonly at: number }) | undefined
  let sight: Sight = {}
  let evaluated: { readonly startedAt: number; readonly decision: number | undefined } = {
    startedAt: -Infinity,
    decision: undefined,
  }
  let decision: number | undefined
  let evaluating: Promise<void> | undefined
  let taken: { version: string | undefined; evaluation: unknown; at: number; tookMs: number } | undefined
  let taking: Promise<void> | undefined
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  const folderCache: AlertContext['folderCache'] = new Map()
  let readDisk: AlertContext['readDisk']

  const evaluate = async () => {
    const journal = await getJournal()
    evaluated = { ...evaluated, decision: await findLatestDecision(journal) }
    if (mailboxes === undefined) {
      const random = Math.random
      mailboxes = await openMailboxes(configuration, { clock, random, newId, isImpatient: true })
      readDisk = createDiskReader(configuration, (await findAcceptedVersion(configuration))?.version)
    }
    const shared = { journal, configuration, mailboxes, clock }
    const startedAt = clock.now()
    const found = await evaluateAlerts(
      { ...shared, folderCache, readDisk, findJournalFailure: () => findJournalFailure(shared) },
      { routes: [], failures: [] },
    )
    evaluation = { ...found, at: startedAt }
  }
  const take = async () => {
    const startedAt = clock.now()
    const version = readVersion()
    const journal = await getJournal()
    const latest = evaluation
    const known = latest ?? {
      alerts: await journal.listActiveAlerts(ACTIVE_MAX),
      disks: [],
      unmatchedFiles: [],
    }
    const snapshot = await buildSnapshotOfWork({ journal, configuration, clock }, known)
    const until = startedAt + AHEAD_MS
    const hasRoutes = configuration.routes.length > 0
    const deadlines = hasRoutes ? await listSeenLate(journal, configuration, { until }) : []
    decision = await findLatestDecision(journal)
    taken = { version, evaluation: latest, at: clock.now(), tookMs: clock.now() - startedAt }
    const { failure: _, ...rest } = sight
    sight = { ...rest, snapshot, deadlines, ...(latest && { checkedAt: latest.at }) }
    onSnapshot()
  }
  const noteFailure = (error: unknown) => {
    sight = { ...sight, failure: error instanceof Error ? error.message : String(error) }
  }
  const isDue = () =>
    taken === undefined ||
    ((taken.version !== readVersion() || taken.evaluation !== evaluation) &&
      clock.now() - taken.at >= SHARE * taken.tookMs)

  /** Begins what is due. A journal that cannot be read is shown by the page itself, and tried again at the next tick. */
  const refresh = (): Promise<unknown> => {
    if (isClosed) return Promise.resolve()
    const age = clock.now() - evaluated.startedAt
    const isDecided = decision !== evaluated.decision && age >= DECIDED_MS
    if (evaluating === undefined && (age >= MAILBOXES_MS || isDecided)) {
      evaluated = { startedAt: clock.now(), decision }
      sight = { ...sight, checkingSince: clock.now() }
      evaluating = evaluate()
        .catch(noteFailure)
        .finally(() => {
          evaluating = undefined
          const { checkingSince: _, ...rest } = sight
          sight = rest
          void refresh()
        })
    }
    if (taking === undefined && isDue())
      taking = take()
        .catch(noteFailure)
        .finally(() => {
          taking = undefined
        })
    return taking ?? Promise.resolve()
  }
  let ticked = clock.now()
  const tick = () => {
    const [from, until] = [ticked, clock.now()]
    ticked = until
    if (sight.deadlines?.some(({ by }) => from <= by && by < until) === true) onSnapshot()
    void refresh()
  }
  return {
    async read(): Promise<Sight> {
      timer ??= setInterval(tick, TICK_MS).unref()
      const refreshed = refresh()
      if (sight.snapshot === undefined) await waitAtMost(TICK_MS, refreshed)
      return sight
    },
    async close(): Promise<void> {
      isClosed = true
      clearInterval(timer)
      // A server that does not answer keeps nothing from ending.
      await waitAtMost(TICK_MS, Promise.all([evaluating, taking]))
      await Promise.all([...(mailboxes?.values() ?? [])].map((mailbox) => mailbox.close()))
    },
  }
}

async function findLatestDecision(journal: Journal): Promise<number | undefined> {
  const [latest] = await journal.listAllDecisions(undefined, 1)
  return latest?.id
}
