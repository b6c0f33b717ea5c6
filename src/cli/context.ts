/** What commands share: the configuration file, and a bridge opened with or without log and notifications. */
import { basename, isAbsolute, join } from 'node:path'
import { type Bridge, openBridge } from '../app/bridge.ts'
import type { BridgeOptions } from '../app/context.ts'
import { withExistingJournal } from '../app/journal-access.ts'
import { findFilesByName } from '../app/trace.ts'
import { formatIntakeKey } from '../config/edi.ts'
import { listScannedInboxes, selectRoutes } from '../config/routes.ts'
import { takeSnapshotWithoutJournal } from '../app/snapshot.ts'
import type { Configuration } from '../config/configuration.ts'
import { keepConfiguration } from '../config/kept.ts'
import { loadConfiguration, loadConfigurationToRead } from '../config/load.ts'
import type { Observer } from '../domain/event.ts'
import type { Mapping } from '../mapping/load.ts'
import { createEventLog, formatEvent } from '../observability/event-log.ts'
import { createNotifier } from '../observability/notifications/notifiers.ts'
import { openObservability } from '../observability/observability.ts'
import { isoTime } from '../support/clock.ts'
import { BridgeError, EXIT, hasCode, hasSystemCode } from '../support/errors.ts'
import { createFileSink, createLog, type LogFormat, type LogLevel, type LogSink } from '../support/log.ts'
import { newId } from '../support/text.ts'
import { VERSION } from '../support/process.ts'
import { DEFAULT_CONFIGURATION, quoteWord } from './command.ts'
import { createProgressBar, type Terminal } from './terminal.ts'

/** A path given on the command line, from the folder the command was given in. */
export function resolvePath(terminal: Terminal, path: string): string {
  return isAbsolute(path) ? path : join(terminal.folder, path)
}

export function readConfiguration(terminal: Terminal, path: string): Promise<Configuration> {
  return loadConfiguration(resolvePath(terminal, path), terminal.env)
}

/** For commands that only read and never call the API: people run them where its credentials are not at hand. */
export function readConfigurationWithoutApi(terminal: Terminal, path: string): Promise<Configuration> {
  return loadConfiguration(resolvePath(terminal, path), terminal.env, { withoutApi: true })
}

/**
 * For commands that show what is: where the file has errors, the last configuration that was at work takes its place, and a
 * message says so.
 */
export async function readConfigurationToShow(terminal: Terminal, path: string): Promise<Configuration> {
  const configuration = await loadConfigurationToRead(resolvePath(terminal, path), terminal.env)
  const { broken } = configuration
  if (broken === undefined) return configuration
  terminal.say(
    `${broken.failure.message} This is from the last one that was at work, of ${isoTime(broken.keptAt)}.`,
  )
  for (const detail of broken.failure.details) terminal.say(`  ${detail}`)
  return configuration
}

/**
 * Of a failure that a file is not there: says where the bridge archived it. `words` is the command line. The failure stays as
 * it is where the configuration or the journal does not show the file.
 */
export async function nameArchivedCopy(terminal: Terminal, words: readonly string[], failure: unknown) {
  if (!hasCode(failure, 'usage-wrong') || !hasSystemCode(failure.cause, 'ENOENT')) return failure
  const { path } = failure.cause as NodeJS.ErrnoException
  if (path === undefined) return failure
  const at = words.findIndex((word) => word === '--config' || word === '-c')
  const config = at === -1 ? DEFAULT_CONFIGURATION : (words[at + 1] ?? '')
  const file = resolvePath(terminal, config)
  const found = await loadConfigurationToRead(file, terminal.env)
    .then((configuration) => findArchivedCopy(configuration, terminal.clock, basename(path)))
    .catch(() => undefined)
  if (found === undefined) return failure
  const { takenBy, at: takenAt, place, isHere } = found
  const written = words.map((word) => (resolvePath(terminal, word) === path ? place : word)).map(quoteWord)
  const fix = isHere
    ? `Name its archived copy: \`dropbridge ${written.join(' ')}\`.`
    : `Fetch its archived copy first: ${place}.`
  const message = `${failure.message}: ${takenBy} took a file of this name on ${takenAt}`
  return new BridgeError('usage-wrong', message, { fix })
}

async function findArchivedCopy(configuration: Configuration, clock: Terminal['clock'], name: string) {
  const files = await withExistingJournal(configuration, clock, (journal) =>
    findFilesByName(journal, name, 20),
  )
  const file = files?.find(({ archivedAs }) => archivedAs !== undefined)
  const place = listScannedInboxes(configuration).find(({ key }) => key === file?.route)
  const mailbox = place && configuration.mailboxes[place.from.mailbox]
  if (file?.archivedAs === undefined || mailbox === undefined) return undefined
  const isHere = mailbox.type === 'directory'
  const where = isHere ? join(mailbox.path, file.archivedAs) : `${place?.from.mailbox}:${file.archivedAs}`
  const at = isoTime(file.receivedAt ?? file.claimedAt)
  return { takenBy: formatIntakeKey(file.route), at, place: where, isHere }
}

/** Opens the bridge for as long as `work` takes; without `notify` it does its work silently. */
export async function withBridge<Result>(
  { clock }: Pick<Terminal, 'clock'>,
  configuration: Configuration,
  work: (bridge: Bridge) => Promise<Result>,
  more: Partial<BridgeOptions> = {},
): Promise<Result> {
  const bridge = await openBridge(configuration, { clock, ...more })
  try {
    return await work(bridge)
  } finally {
    await bridge.close()
  }
}

/** The same, with a progress bar while it works. */
export async function withProgress<Result>(
  terminal: Terminal,
  configuration: Configuration,
  work: (bridge: Bridge) => Promise<Result>,
): Promise<Result> {
  const bar = await createProgressBar(terminal)
  try {
    return await withBridge(terminal, configuration, work, { notify: bar.observe })
  } finally {
    bar.clear()
  }
}

// run and watch also open the log, the notifications and the health endpoint.

interface MonitoringOptions {
  readonly isWatch: boolean
  /** The requested routes; all when there are none. */
  readonly routes: readonly string[]
  readonly logLevel: LogLevel | undefined
  readonly logFormat: LogFormat | undefined
  /** Prints messages for a person during the work, only where stderr does not carry the log. */
  readonly report: Observer
  /** The mappings, where they are loaded already. */
  readonly mappings?: ReadonlyMap<string, Mapping> | undefined
  /** Called when the journal is open. */
  readonly onOpen?: () => void
}

/** Also opens log, health, metrics and notifications; `notify` reports to all. `isForPeople`: a person reads stderr. */
export async function withMonitoredBridge<Result>(
  terminal: Terminal,
  configuration: Configuration,
  options: MonitoringOptions,
  work: (operated: { bridge: Bridge; notify: Observer; isForPeople: boolean }) => Promise<Result>,
): Promise<Result> {
  const { isWatch, routes, report, mappings, onOpen = () => undefined } = options
  // A misspelt name is reported before anything opens that other programs may see.
  const chosen = selectRoutes(configuration, routes)
  const { log, isVerbose, isForPeople, isLogged } = await openLog(terminal, configuration, options)
  const logged = createEventLog(log, isVerbose)
  terminal.onStop?.((event) => {
    logged(event)
    if (!isLogged) terminal.say(formatEvent(event))
  })
  const operating = await openObservability({
    configuration,
    routes: chosen.map(({ name }) => name),
    isWatch,
    clock: terminal.clock,
    newId,
    signal: terminal.signal,
    version: VERSION,
    onEvent: (event) => {
      logged(event)
      if (!isLogged) report(event)
    },
    notifierOf: (notification) => createNotifier(notification, { clock: terminal.clock, version: VERSION }),
  })
  const { notify, wrapApi } = operating
  let isOpen = false
  try {
    return await withBridge(
      terminal,
      configuration,
      async (bridge) => {
        isOpen = true
        onOpen()
        // A journal that is refused must not take the place of the one that is missed.
        if ((await bridge.findJournalFailure()) === undefined)
          await keepConfiguration(
            configuration,
            await bridge.journal.getIdentity(),
            terminal.clock.now(),
            bridge.accepted,
          )
        await operating.start(bridge)
        try {
          return await work({ bridge, notify, isForPeople })
        } finally {
          await operating.stop()
        }
      },
      { notify, ...(mappings && { mappings }), ...(wrapApi && { wrap: { api: wrapApi } }) },
    )
  } catch (error) {
    if (!isOpen && error instanceof BridgeError && error.exit === EXIT.cannotWrite) {
      const { clock } = terminal
      await operating.reportWithoutJournal(await takeSnapshotWithoutJournal({ configuration, clock }, error))
    }
    throw error
  } finally {
    await log.close()
  }
}

/** Log lines go into the configured file, and to stderr where a program reads that. */
async function openLog(
  terminal: Terminal,
  { log: configured }: Configuration,
  { isWatch, logLevel, logFormat }: MonitoringOptions,
) {
  const { format, file } = configured ?? {}
  const level = logLevel ?? configured?.level ?? 'info'
  const usual = isWatch && terminal.progressStream === null && file === undefined ? 'json' : 'human'
  const onStderr = logFormat ?? (file === undefined && isWatch ? format : undefined) ?? usual
  const outputs: { format: LogFormat; sink: LogSink }[] = []
  if (file !== undefined) outputs.push({ format: format ?? 'json', sink: createFileSink(file) })
  const isForPeople = onStderr === 'human'
  // People read messages more easily than log lines, unless they ask for these.
  const isLogged = !isForPeople || logFormat !== undefined || logLevel !== undefined
  const say = (text: string) => terminal.say(text.replace(/\n$/, ''))
  if (isLogged) outputs.push({ format: onStderr, sink: { write: say, close: () => Promise.resolve() } })
  const log = await createLog({ level, outputs, now: () => terminal.clock.now() })
  return { log, isVerbose: level === 'debug', isForPeople, isLogged }
}
