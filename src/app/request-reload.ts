/** Asks the running watches of a journal to reload their configuration and mappings, and waits for what they say. */
import type { Configuration } from '../config/configuration.ts'
import type { Journal } from '../domain/journal.ts'
import { formatLeaseOwner, type Watcher } from '../domain/lease.ts'
import { classifyWatches } from '../journal/heartbeat.ts'
import type { Clock } from '../support/clock.ts'
import { BridgeError } from '../support/errors.ts'
import { omitUndefined } from '../support/object-paths.ts'
import { withExistingJournal } from './journal-access.ts'
import { assertSamePlaces, loadCheckedMappings } from './watch/reload.ts'

/** What became of the request in one watch. `waiting`: it still finishes its files. `ended`: its process is gone. */
export interface ReloadAnswer {
  readonly watch: string
  readonly state: 'reloaded' | 'failed' | 'waiting' | 'ended'
  readonly why?: string
}

interface ReloadRequest {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly waitMs: number
}

/** How often the journal is read for the answers. */
const ANSWER_CHECK_MS = 250

/**
 * Throws what `dropbridge check` finds, before any watch is asked; `no-watch` where none is running. `before`: the
 * configuration that was at work last.
 */
export async function requestReload(
  configuration: Configuration,
  before: Configuration | undefined,
  request: ReloadRequest,
) {
  await loadCheckedMappings(configuration)
  const ask = (journal: Journal) => askWatches(journal, request)
  const answers = (await withExistingJournal(configuration, request.clock, ask)) ?? []
  if (answers.length > 0) return answers
  // A watch that still works with the journal of before does not read this one.
  if (before !== undefined && (await hasWatch(before, request.clock))) assertSamePlaces(before, configuration)
  throw new BridgeError('no-watch', `No watch is running with the journal ${configuration.journal.path}.`)
}

async function hasWatch(configuration: Configuration, clock: Clock): Promise<boolean> {
  const watches = await withExistingJournal(configuration, clock, (journal) => journal.listWatchers())
  return classifyWatches(watches ?? [], clock.now()).alive.length > 0
}

async function askWatches(
  journal: Journal,
  { clock, signal, waitMs }: ReloadRequest,
): Promise<readonly ReloadAnswer[]> {
  const { alive: asked } = classifyWatches(await journal.listWatchers(), clock.now())
  await journal.requestReload(asked.map(({ owner }) => owner))
  const until = clock.now() + waitMs
  for (;;) {
    const now = await journal.listWatchers()
    const { alive } = classifyWatches(now, clock.now())
    const answers = asked.map((before) => compare(before, alive))
    const isWaiting = answers.some(({ state }) => state === 'waiting')
    if (!isWaiting || signal.aborted || clock.now() >= until) return answers
    await clock.sleep(ANSWER_CHECK_MS, signal)
  }
}

function compare(before: Watcher, alive: readonly Watcher[]): ReloadAnswer {
  const watch = formatLeaseOwner(before.owner)
  const after = alive.find(({ owner }) => owner === before.owner)
  if (after === undefined) return { watch, state: 'ended' }
  // A reload that read the files before the request does not answer it.
  if (after.reloads === before.reloads || after.reloadRequestedAt !== undefined)
    return { watch, state: 'waiting' }
  const { reloadFailure: why } = after
  return { watch, state: why === undefined ? 'reloaded' : 'failed', ...omitUndefined({ why }) }
}
