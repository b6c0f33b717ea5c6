/** Reloads the configuration and mappings of a watch: on a signal, or when `dropbridge reload` asks through the journal. */
import type { Configuration } from '../../config/configuration.ts'
import type { Mapping } from '../../mapping/load.ts'
import { createWakeableTimer } from '../../support/async.ts'
import { assert, BridgeError, getErrorMessage } from '../../support/errors.ts'
import { checkConfiguration } from '../check.ts'
import { type BridgeContext, loadMappings } from '../context.ts'
import { fullMessage, toBridgeError } from '../outcome.ts'
import { selectRoutes } from '../../config/routes.ts'

/** A configuration that passed its check, with the mappings as they were then. */
export interface LoadedBridge {
  readonly configuration: Configuration
  readonly mappings: ReadonlyMap<string, Mapping>
}

/** The reloads that a signal asks for. */
export interface ReloadSignal {
  /** Calls back at each signal, until the returned function is called. */
  readonly listen: (onSignal: () => void) => () => void
  /** Whether a signal came since the last call. */
  readonly take: () => boolean
}

/** What a watch knows of the one in its process that it continues after a reload. */
export interface ContinuedWatch {
  readonly owner: string
  /** The names of its routes. */
  readonly routes: readonly string[]
  /** When the files of the reload were read. */
  readonly reloadedAt: number
  /** Why the watch continues with what it had before, although the files passed their check. */
  readonly failure?: string
}

/** What a reload read from the disk, and when it began to. */
export interface ReadBridge {
  readonly loaded: LoadedBridge
  readonly startedAt: number
}

/** How often a watch asks the journal whether a reload was requested. */
const REQUEST_CHECK_MS = 2_000

interface ReloadWatch {
  readonly context: BridgeContext
  readonly owner: string
  /** The routes that the watch was started for; all when there are none. */
  readonly names: readonly string[]
  readonly signal: AbortSignal
  readonly reloads?: ReloadSignal
}

/**
 * Waits for requests and checks the files at each. Returns what was loaded when they are right. Otherwise the request ends
 * with the failure, and the watch continues. Undefined when the signal fires.
 */
export async function waitForReload(watch: ReloadWatch): Promise<ReadBridge | undefined> {
  const { context, owner, signal, reloads } = watch
  const timer = createWakeableTimer(context.options.clock, signal)
  const unlisten = reloads?.listen(timer.wake)
  try {
    while (!signal.aborted) {
      const isWanted = reloads?.take() === true || (await isRequested(context, owner))
      const read = isWanted ? await tryLoading(watch) : undefined
      if (read !== undefined) return read
      await timer.wait(REQUEST_CHECK_MS)
    }
    return undefined
  } finally {
    unlisten?.()
  }
}

/** Undefined where the files cannot take the place of those at work; then the reload has ended. */
async function tryLoading({ context, owner, names }: ReloadWatch): Promise<ReadBridge | undefined> {
  const { notify, clock } = context.options
  const startedAt = clock.now()
  try {
    const loaded = await loadChecked(context, names)
    notify({ kind: 'reload-started' })
    return { loaded, startedAt }
  } catch (error) {
    const failure = toBridgeError(error)
    const why = formatFailure(failure)
    notify({ kind: 'reload-failed', why, fix: failure.fix })
    await context.journal.finishReload(owner, startedAt, why).catch(() => undefined)
    return undefined
  }
}

/** A journal that cannot be read now is asked again later. */
async function isRequested({ journal }: BridgeContext, owner: string): Promise<boolean> {
  const watches = await journal.listWatchers().catch(() => [])
  return watches.some((each) => each.owner === owner && each.reloadRequestedAt !== undefined)
}

/** Throws why the files on the disk cannot take the place of those at work. */
async function loadChecked(
  { configuration }: BridgeContext,
  names: readonly string[],
): Promise<LoadedBridge> {
  const { source } = configuration
  assert(source !== undefined, 'a configuration without a file cannot be reloaded')
  const next = await source.load()
  assertSamePlaces(configuration, next)
  selectRoutes(next, names)
  return { configuration: next, mappings: await loadCheckedMappings(next) }
}

/** Throws `configuration-invalid` or `mapping-invalid` with all that `dropbridge check` finds without asking a server. */
export async function loadCheckedMappings(configuration: Configuration): Promise<LoadedBridge['mappings']> {
  const mappings = await loadMappings(configuration)
  const { failures } = await checkConfiguration(configuration)
  if (failures.length === 0) return mappings
  const message = 'The configuration and the mappings do not pass their check.'
  throw new BridgeError('configuration-invalid', message, { details: failures })
}

/** Work that was begun is in the old journal and the old folder of the state, and other watches may use them. */
export function assertSamePlaces(old: Configuration, next: Configuration): void {
  const change = ([name, before, after]: readonly [string, string, string]) =>
    before === after ? [] : [`${name} was ${before} and is ${after} now`]
  const changes = [
    ...change(['journal', old.journal.path, next.journal.path]),
    ...change(['state', old.stateFolder, next.stateFolder]),
  ]
  if (changes.length === 0) return
  throw new BridgeError('restart-needed', 'A watch cannot change its journal or state while it runs.', {
    details: changes,
  })
}

const DETAILS_MAX = 3

function formatFailure(failure: BridgeError): string {
  const { details } = failure
  const more = details.length - DETAILS_MAX
  const shown = [...details.slice(0, DETAILS_MAX), ...(more > 0 ? [`and ${more} more`] : [])]
  return [fullMessage(failure), ...shown].join(' ')
}

/** Ends the reload in the journal, and reports what became of the routes. */
export async function finishReload(
  { journal, options }: BridgeContext,
  { owner, routes: before, reloadedAt, failure }: ContinuedWatch,
  after: readonly string[],
): Promise<void> {
  await journal.finishReload(owner, reloadedAt, failure).catch((error: unknown) => {
    options.notify({ kind: 'background-task-failed', what: 'reload', why: getErrorMessage(error) })
  })
  if (failure !== undefined) {
    const fix = 'See the log, correct it, then: `dropbridge reload`.'
    options.notify({ kind: 'reload-failed', why: failure, fix })
  } else {
    const added = after.filter((name) => !before.includes(name))
    const removed = before.filter((name) => !after.includes(name))
    options.notify({ kind: 'configuration-reloaded', added, removed })
  }
}
